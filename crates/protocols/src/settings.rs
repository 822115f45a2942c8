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
        let text = options.text(path);
        if text.as_deref().is_some_and(|text| Self::named(text).is_none()) {
            options.complain(path, "it should be yes, no or auto; no fingerprints are made");
        }
        Self::settled(text.as_deref(), options, fields)
    }

    /// Reads the setting of another protocol, which complains of it where it has to.
    pub fn read_of(protocol: &str, options: &dyn Options, path: &str, fields: &[&str]) -> Self {
        Self::settled(options.of_protocol(protocol, path).as_deref(), options, fields)
    }

    fn settled(text: Option<&str>, options: &dyn Options, fields: &[&str]) -> Self {
        match text.map_or(Some(Self::Auto), Self::named) {
            Some(Self::Auto) if fields.iter().any(|field| options.rules_use(field)) => Self::Yes,
            found => found.unwrap_or(Self::No),
        }
    }

    fn named(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "" | "auto" => Some(Self::Auto),
            "yes" | "true" | "on" | "1" => Some(Self::Yes),
            "no" | "false" | "off" | "0" => Some(Self::No),
            _ => None,
        }
    }
}

/// Treatment of a conversation once it is encrypted.
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
        let cases: [(&[(&str, &str)], Fingerprints); 8] = [
            (&[], Fingerprints::Auto),
            (&[("made", "auto")], Fingerprints::Auto),
            (&[("made", "yes")], Fingerprints::Yes),
            (&[("made", "On")], Fingerprints::Yes),
            (&[("made", "no")], Fingerprints::No),
            (&[("made", "perhaps"), ("may-complain", "")], Fingerprints::No),
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
        let other = [("tls.made", "yes"), ("made", "no")];
        assert_eq!(Fingerprints::read_of("tls", &Settings(&other), "made", &[]), Fingerprints::Yes);
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
