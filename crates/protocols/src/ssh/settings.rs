//! The configuration of SSH: `app-layer.protocols.ssh`.

use weir_applayer::Options;

use crate::settings::{EncryptionHandling, Fingerprints};

/// The configuration, read once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// `hassh`
    pub hassh: Fingerprints,
    /// `encryption-handling`
    pub encryption: EncryptionHandling,
}

/// Fields that need fingerprints.
const HASSH: [&str; 4] = ["ssh.hassh", "ssh.hassh.string", "ssh.hassh.server", "ssh.hassh.server.string"];

impl Settings {
    /// Reads the configuration.
    pub fn read(options: &dyn Options) -> Self {
        Self {
            hassh: Fingerprints::read(options, "hassh", &HASSH),
            encryption: EncryptionHandling::read(options),
        }
    }
}
