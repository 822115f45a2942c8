//! The configuration of TLS: `app-layer.protocols.tls`.

use weir_applayer::Options;

/// Whether fingerprints are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fingerprints {
    /// Not at all.
    #[default]
    No,
    /// For rules, and for records that ask for them by themselves.
    Auto,
    /// For rules and records.
    Yes,
}

/// What becomes of a conversation once it is encrypted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EncryptionHandling {
    /// It is followed, but rules no longer look at its content.
    #[default]
    TrackOnly,
    /// Its packets are passed over as early as can be.
    Bypass,
    /// It is treated like any other.
    Full,
}

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

impl Settings {
    /// Reads the configuration.
    pub fn read(options: &dyn Options) -> Self {
        Self {
            ja3: fingerprints(
                options,
                "ja3-fingerprints",
                &["ja3.hash", "ja3.string", "ja3s.hash", "ja3s.string"],
            ),
            ja4: fingerprints(options, "ja4-fingerprints", &["ja4.hash"]),
            encryption: encryption(options),
            followed: options.rules_follow_states(),
        }
    }
}

/// Whether fingerprints are made; rules that look at one of `fields` settle what is left open.
fn fingerprints(options: &dyn Options, path: &str, fields: &[&str]) -> Fingerprints {
    match options.text(path).as_deref() {
        None | Some("auto" | "") if fields.iter().any(|field| options.rules_use(field)) => Fingerprints::Yes,
        None | Some("auto" | "") => Fingerprints::Auto,
        Some(_) if options.flag(path, false) => Fingerprints::Yes,
        Some(_) => Fingerprints::No,
    }
}

fn encryption(options: &dyn Options) -> EncryptionHandling {
    let path = "encryption-handling";
    match options.text(path).as_deref() {
        None | Some("" | "default" | "track-only") => EncryptionHandling::TrackOnly,
        Some("bypass") => EncryptionHandling::Bypass,
        Some("full") => EncryptionHandling::Full,
        Some(_) => {
            options.complain(path, "it should be track-only, bypass or full; track-only is used");
            EncryptionHandling::TrackOnly
        }
    }
}
