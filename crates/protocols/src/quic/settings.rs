//! The configuration of QUIC: of fingerprints, what `app-layer.protocols.tls` says of them.

use weir_applayer::Options;

/// Whether fingerprints are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fingerprints {
    /// Not at all.
    No,
    /// For rules, and for records that ask for them by themselves.
    #[default]
    Auto,
    /// For rules and records.
    Yes,
}

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
        let of = |name, field| match options.of_protocol("tls", name).as_deref() {
            None | Some("auto" | "") if options.rules_use(field) => Fingerprints::Yes,
            None | Some("auto" | "") => Fingerprints::Auto,
            Some("yes" | "true" | "on" | "1") => Fingerprints::Yes,
            Some(_) => Fingerprints::No,
        };
        Self { ja3: of("ja3-fingerprints", "ja3.hash"), ja4: of("ja4-fingerprints", "ja4.hash") }
    }
}
