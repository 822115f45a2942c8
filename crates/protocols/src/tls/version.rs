//! Protocol versions and what each log calls them.

use std::borrow::Cow;

/// A version as it is sent, SSLv2 as 0x0002.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Version(pub u16);

impl Version {
    /// SSLv2.
    pub const SSL2: Self = Self(0x0002);
    /// SSLv3.
    pub const SSL3: Self = Self(0x0300);
    /// TLS 1.0.
    pub const TLS10: Self = Self(0x0301);
    /// TLS 1.1.
    pub const TLS11: Self = Self(0x0302);
    /// TLS 1.2.
    pub const TLS12: Self = Self(0x0303);
    /// TLS 1.3.
    pub const TLS13: Self = Self(0x0304);
    /// DTLS 1.0.
    pub const DTLS10: Self = Self(0xfeff);
    /// DTLS 1.2.
    pub const DTLS12: Self = Self(0xfefd);
    /// DTLS 1.3.
    pub const DTLS13: Self = Self(0xfefc);
    /// Drafts of TLS 1.3 before number 16, which sent 1.3's final number in the server's hello.
    pub const TLS13_EARLY_DRAFT: Self = Self(0x7f01);

    /// Whether it is TLS 1.3 or one of its drafts.
    pub const fn is_13(self) -> bool {
        self.0 == 0x0304 || self.0 == 0xfefc || self.0 >> 8 == 0x7f || self.is_facebook_draft()
    }

    /// Whether its messages name the algorithms of their signatures, which those before TLS 1.2 do not.
    pub const fn names_algorithms(self) -> bool {
        self.0 >= Self::TLS12.0 && self.0 != Self::DTLS10.0
    }

    /// Whether a record may carry it.
    pub const fn is_for_records(self) -> bool {
        self.0 >= 0x0300 && self.0 <= 0x0304 || self.0 >> 8 == 0x7f
    }

    const fn is_facebook_draft(self) -> bool {
        self.0 >> 8 == 0xfb
    }

    /// In EVE records.
    pub fn eve(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self(0) => "UNDETERMINED",
            Self::SSL2 => "SSLv2",
            Self::SSL3 => "SSLv3",
            Self::TLS10 => "TLSv1",
            Self::TLS11 => "TLS 1.1",
            Self::TLS12 => "TLS 1.2",
            Self::TLS13 => "TLS 1.3",
            Self::TLS13_EARLY_DRAFT => "TLS 1.3 draft-<16",
            Self(draft) if draft >> 8 == 0x7f => {
                return Cow::Owned(format!("TLS 1.3 draft-{}", draft & 0xff));
            }
            Self(draft) if self.is_facebook_draft() => {
                return Cow::Owned(format!("TLS 1.3 draft-{}-fb", draft & 0xff));
            }
            Self(other) => return Cow::Owned(format!("0x{other:04x}")),
        })
    }

    /// In Zeek's logs.
    pub fn zeek(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::SSL2 => "SSLv2",
            Self::SSL3 => "SSLv3",
            Self::TLS10 => "TLSv10",
            Self::TLS11 => "TLSv11",
            Self::TLS12 => "TLSv12",
            Self::TLS13 => "TLSv13",
            Self::DTLS10 => "DTLSv10",
            Self::DTLS12 => "DTLSv12",
            Self::DTLS13 => "DTLSv13",
            Self(draft) if draft >> 8 == 0x7f => {
                return Cow::Owned(format!("TLSv13-draft{}", draft & 0xff));
            }
            Self(draft) if self.is_facebook_draft() => {
                return Cow::Owned(format!("TLSv13-fbdraft{}", draft & 0xff));
            }
            Self(other) => return Cow::Owned(format!("unknown-{other}")),
        })
    }

    /// In JA4 fingerprints.
    pub const fn ja4(self) -> &'static str {
        match self.0 {
            0x0304 => "13",
            0x0303 => "12",
            0x0302 => "11",
            0x0301 => "10",
            0x0300 => "s3",
            0x0002 => "s2",
            _ => "00",
        }
    }
}

/// RFC 8701: values that clients send so that servers get used to unknown ones. Fingerprints leave
/// them out.
pub const fn is_grease(value: u16) -> bool {
    value & 0x0f0f == 0x0a0a && value >> 8 == value & 0xff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let cases = [
            (0x0002, "SSLv2", "SSLv2", false),
            (0x0301, "TLSv1", "TLSv10", false),
            (0x0303, "TLS 1.2", "TLSv12", false),
            (0x0304, "TLS 1.3", "TLSv13", true),
            (0x7f01, "TLS 1.3 draft-<16", "TLSv13-draft1", true),
            (0x7f1c, "TLS 1.3 draft-28", "TLSv13-draft28", true),
            (0xfb17, "TLS 1.3 draft-23-fb", "TLSv13-fbdraft23", true),
            (0x1234, "0x1234", "unknown-4660", false),
        ];
        for (number, eve, zeek, is_13) in cases {
            let version = Version(number);
            assert_eq!(
                (version.eve().as_ref(), version.zeek().as_ref(), version.is_13()),
                (eve, zeek, is_13)
            );
        }
    }

    #[test]
    fn grease() {
        assert!([0x0a0a, 0x1a1a, 0xfafa].into_iter().all(is_grease));
        assert!(![0x0a1a, 0x0a0b, 0x1301, 0].into_iter().any(is_grease));
    }
}
