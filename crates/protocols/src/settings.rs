//! Settings that several protocols have.

use weir_applayer::Options;

/// Whether fingerprints are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fingerprints {
    /// Not at all.
    No,
    /// For those who ask for them by themselves: scripts, and records that name them.
    #[default]
    Auto,
    /// For rules and records.
    Yes,
}

impl Fingerprints {
    /// The setting at `path`; rules that look at one of `fields` settle what is left open.
    pub fn read(options: &dyn Options, path: &str, fields: &[&str]) -> Self {
        match options.text(path).as_deref() {
            None | Some("auto" | "") if fields.iter().any(|field| options.rules_use(field)) => Self::Yes,
            None | Some("auto" | "") => Self::Auto,
            Some(_) if options.flag(path, false) => Self::Yes,
            Some(_) => Self::No,
        }
    }
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

impl EncryptionHandling {
    /// The setting `encryption-handling`.
    pub fn read(options: &dyn Options) -> Self {
        let path = "encryption-handling";
        match options.text(path).as_deref() {
            None | Some("" | "default" | "track-only") => Self::TrackOnly,
            Some("bypass") => Self::Bypass,
            Some("full") => Self::Full,
            Some(_) => {
                options.complain(path, "it should be track-only, bypass or full; track-only is used");
                Self::TrackOnly
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Settings;

    #[test]
    fn fingerprints_by_text_and_rules() {
        let cases: [(&[(&str, &str)], Fingerprints); 6] = [
            (&[], Fingerprints::Auto),
            (&[("made", "auto")], Fingerprints::Auto),
            (&[("made", "yes")], Fingerprints::Yes),
            (&[("made", "no")], Fingerprints::No),
            (&[("rules-use", "hash")], Fingerprints::Yes),
            (&[("rules-use", "hash"), ("made", "no")], Fingerprints::No),
        ];
        for (texts, expected) in cases {
            assert_eq!(
                Fingerprints::read(&Settings(texts), "made", &["text", "hash"]),
                expected,
                "{texts:?}"
            );
        }
    }

    #[test]
    fn handling_by_text() {
        for (text, expected) in [
            ("", EncryptionHandling::TrackOnly),
            ("track-only", EncryptionHandling::TrackOnly),
            ("bypass", EncryptionHandling::Bypass),
            ("full", EncryptionHandling::Full),
            ("half", EncryptionHandling::TrackOnly),
        ] {
            let texts = [("encryption-handling", text), ("may-complain", "")];
            assert_eq!(EncryptionHandling::read(&Settings(&texts)), expected, "{text}");
        }
    }
}
