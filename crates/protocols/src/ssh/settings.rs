//! The configuration of SSH: `app-layer.protocols.ssh`.

use weir_applayer::Options;

/// Whether fingerprints are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fingerprints {
    /// Not at all.
    No,
    /// For scripts that ask.
    #[default]
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
    /// `hassh`
    pub hassh: Fingerprints,
    /// `encryption-handling`
    pub encryption: EncryptionHandling,
}

/// Fields that need fingerprints.
const FINGERPRINTS: [&str; 4] =
    ["ssh.hassh", "ssh.hassh.string", "ssh.hassh.server", "ssh.hassh.server.string"];

impl Settings {
    /// Reads the configuration.
    pub fn read(options: &dyn Options) -> Self {
        Self { hassh: fingerprints(options), encryption: encryption(options) }
    }
}

fn fingerprints(options: &dyn Options) -> Fingerprints {
    match options.text("hassh").as_deref() {
        None | Some("auto" | "") if FINGERPRINTS.iter().any(|field| options.rules_use(field)) => {
            Fingerprints::Yes
        }
        None | Some("auto" | "") => Fingerprints::Auto,
        Some(_) if options.flag("hassh", false) => Fingerprints::Yes,
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
