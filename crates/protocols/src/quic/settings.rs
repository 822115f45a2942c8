//! The configuration of QUIC: of fingerprints, what `app-layer.protocols.tls` says of them.

use weir_applayer::Options;

use crate::settings::Fingerprints;

/// The configuration, read once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// `tls.ja3-fingerprints`
    pub ja3: Fingerprints,
    /// `tls.ja4-fingerprints`
    pub ja4: Fingerprints,
}

impl Settings {
    /// Reads the configuration.
    pub fn read(options: &dyn Options) -> Self {
        Self {
            ja3: Fingerprints::read_of("tls", options, "ja3-fingerprints", &["ja3.hash"]),
            ja4: Fingerprints::read_of("tls", options, "ja4-fingerprints", &["ja4.hash"]),
        }
    }
}
