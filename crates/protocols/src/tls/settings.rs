//! The configuration of TLS: `app-layer.protocols.tls`.

use weir_applayer::Options;

use crate::settings::{EncryptionHandling, Fingerprints};

/// The configuration, read once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// `ja3-fingerprints`
    pub ja3: Fingerprints,
    /// `ja4-fingerprints`
    pub ja4: Fingerprints,
    /// `encryption-handling`
    pub encryption: EncryptionHandling,
    /// Rules are about states: a conversation is finished no sooner than its connection.
    pub followed: bool,
}

/// Fields that need fingerprints.
const JA3: [&str; 4] = ["ja3.hash", "ja3.string", "ja3s.hash", "ja3s.string"];
const JA4: [&str; 1] = ["ja4.hash"];

impl Settings {
    /// Reads the configuration.
    pub fn read(options: &dyn Options) -> Self {
        Self {
            ja3: Fingerprints::read(options, "ja3-fingerprints", &JA3),
            ja4: Fingerprints::read(options, "ja4-fingerprints", &JA4),
            encryption: EncryptionHandling::read(options),
            followed: options.rules_follow_states(),
        }
    }
}
