//! Versions of QUIC, what each log calls them, and what protects their first packets.

use std::borrow::Cow;

/// The version field of a long header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Version(pub u32);

/// Parameters of the keys of Initial packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protection {
    /// The salt of the version.
    pub salt: &'static [u8; 20],
    /// Prefix of labels (RFC 9001 section 5.1, RFC 9369 section 3.3.2).
    pub label: &'static str,
}

const SALT_DRAFT_22: [u8; 20] = [
    0x7f, 0xbc, 0xdb, 0x0e, 0x7c, 0x66, 0xbb, 0xe9, 0x2a, 0x96, 0xcd, 0x21, 0x51, 0x9e, 0xbd, 0x7a, 0x02,
    0x64, 0x41, 0x90,
];
const SALT_DRAFT_23: [u8; 20] = [
    0xc3, 0xee, 0xf7, 0x12, 0xc7, 0x2e, 0xbb, 0x5a, 0x11, 0xa7, 0xd2, 0x43, 0x2b, 0xb4, 0x63, 0x65, 0xbe,
    0xf9, 0xf5, 0x02,
];
const SALT_DRAFT_29: [u8; 20] = [
    0xaf, 0xbf, 0xec, 0x28, 0x99, 0x93, 0xd2, 0x4c, 0x9e, 0x97, 0x86, 0xf1, 0x9c, 0x61, 0x11, 0xe0, 0x43,
    0x90, 0xa8, 0x99,
];
const SALT_V1: [u8; 20] = [
    0x38, 0x76, 0x2c, 0xf7, 0xf5, 0x59, 0x34, 0xb3, 0x4d, 0x17, 0x9a, 0xe6, 0xa4, 0xc8, 0x0c, 0xad, 0xcc,
    0xbb, 0x7f, 0x0a,
];
const SALT_V2: [u8; 20] = [
    0x0d, 0xed, 0xe3, 0xde, 0xf7, 0x00, 0xa6, 0xdb, 0x81, 0x93, 0x81, 0xbe, 0x6e, 0x26, 0x9d, 0xcb, 0xf9,
    0xbd, 0x2e, 0xd9,
];

impl Version {
    /// RFC 9000.
    pub const V1: Self = Self(1);
    /// RFC 9369.
    pub const V2: Self = Self(0x6b33_43cf);

    /// Whether it marks a packet that lists versions instead of speaking one (RFC 8999 section 6).
    pub const fn is_negotiation(self) -> bool {
        self.0 == 0
    }

    /// The number of a version of Google's whose handshake is not encrypted: `Q043` is 43.
    pub const fn google(self) -> Option<u8> {
        match self.0.to_be_bytes() {
            [b'Q', b'0', tens @ b'0'..=b'4', ones @ b'0'..=b'9'] => {
                match (tens - b'0') * 10 + (ones - b'0') {
                    number @ ..=46 => Some(number),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The number of the draft that a version follows, after which RFC 9000 and its revision count on.
    const fn draft(self) -> Option<u8> {
        match self.0 {
            1 => Some(34),
            0xfa_ce_b0_01 => Some(22),
            0xfa_ce_b0_02 | 0xfa_ce_b0_0e => Some(27),
            0xfa_ce_b0_11..=0xfa_ce_b0_13 => Some(29),
            0xff00_0016..=0xff00_0022 => Some((self.0 & 0xff) as u8),
            _ => None,
        }
    }

    /// Returns the parameters of its Initial packets' keys; none where they are not known.
    pub const fn protection(self) -> Option<Protection> {
        let salt = match (self, self.draft()) {
            (Self::V2, _) => return Some(Protection { salt: &SALT_V2, label: "quicv2 " }),
            (_, Some(..=22)) => &SALT_DRAFT_22,
            (_, Some(23..=28)) => &SALT_DRAFT_23,
            (_, Some(29..=32)) => &SALT_DRAFT_29,
            (_, Some(_)) => &SALT_V1,
            (_, None) => return None,
        };
        Some(Protection { salt, label: "quic " })
    }

    /// In EVE records: those of Google's that are well known as they are sent, the second of RFC 9369 by its name,
    /// others in hexadecimal.
    pub fn eve(self) -> String {
        match self.google() {
            Some(39 | 43..=46) => self.0.to_be_bytes().map(char::from).iter().collect(),
            _ if self == Self::V2 => "v2".into(),
            _ => format!("{:x}", self.0),
        }
    }

    /// In Zeek's logs, whose table has draft 31 by the name of the one before.
    pub fn zeek(self) -> Cow<'static, str> {
        match self.0 {
            1 => "1".into(),
            0x6b33_43cf => "quicv2".into(),
            0xff00_001f => "draft-30".into(),
            0xff00_0016..=0xff00_0022 => format!("draft-{}", self.0 & 0xff).into(),
            0xfa_ce_b0_01 | 0xfa_ce_b0_02 | 0xfa_ce_b0_0e | 0xfa_ce_b0_11..=0xfa_ce_b0_13 => {
                format!("mvfst ({:x})", self.0).into()
            }
            other => format!("unknown-{other:x}").into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_protections() {
        type Case = (u32, &'static str, &'static str, Option<u8>, Option<&'static [u8; 20]>);
        let cases: &[Case] = &[
            (1, "1", "1", None, Some(&SALT_V1)),
            (0x6b33_43cf, "v2", "quicv2", None, Some(&SALT_V2)),
            (0xff00_0016, "ff000016", "draft-22", None, Some(&SALT_DRAFT_22)),
            (0xff00_001b, "ff00001b", "draft-27", None, Some(&SALT_DRAFT_23)),
            (0xff00_001d, "ff00001d", "draft-29", None, Some(&SALT_DRAFT_29)),
            (0xff00_001f, "ff00001f", "draft-30", None, Some(&SALT_DRAFT_29)),
            (0xff00_0022, "ff000022", "draft-34", None, Some(&SALT_V1)),
            (0xface_b002, "faceb002", "mvfst (faceb002)", None, Some(&SALT_DRAFT_23)),
            (0x5130_3436, "Q046", "unknown-51303436", Some(46), None),
            (0x5130_3339, "Q039", "unknown-51303339", Some(39), None),
            (0x5130_3234, "51303234", "unknown-51303234", Some(24), None),
            (0x5130_3530, "51303530", "unknown-51303530", None, None),
            (0x5130_3437, "51303437", "unknown-51303437", None, None),
            (0, "0", "unknown-0", None, None),
            (0x1a2a_3a4a, "1a2a3a4a", "unknown-1a2a3a4a", None, None),
        ];
        for &(number, eve, zeek, google, salt) in cases {
            let version = Version(number);
            assert_eq!((version.eve().as_str(), version.zeek().as_ref()), (eve, zeek));
            assert_eq!((version.google(), version.protection().map(|it| it.salt)), (google, salt), "{eve}");
        }
    }
}
