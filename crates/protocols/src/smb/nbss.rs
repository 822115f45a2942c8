//! The session service of NetBIOS (RFC 1002 4.3), which carries messages of SMB; without NetBIOS (MS-SMB2 2.1) what
//! stands before a message looks the same.

use memchr::memmem;
use weir_base::Reader;

/// Bytes of a header.
pub(super) const HEADER_LENGTH: usize = 4;

/// Bytes by which a message of SMB is known.
pub(super) const MAGIC_LENGTH: usize = 4;

/// The type of what carries messages of SMB.
const SESSION_MESSAGE: u8 = 0;

/// Ending of all versions' magic.
const MAGIC: &[u8] = b"SMB";

/// A header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    kind: u8,
    /// Bytes behind it.
    pub(super) length: usize,
}

impl Header {
    /// Reads a header; none where bytes are missing.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        Some(Self { kind: reader.u8()?, length: reader.u24()? as usize })
    }

    /// Whether it carries a message of SMB.
    pub(super) const fn is_message(self) -> bool {
        self.kind == SESSION_MESSAGE
    }

    /// Whether there is such a type.
    pub(super) const fn is_valid(self) -> bool {
        matches!(self.kind, SESSION_MESSAGE | 0x81..=0x85)
    }
}

/// Version of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Version {
    /// Version 1.
    One,
    /// Versions 2 and 3.
    Two,
    /// Version 3, encrypted.
    Encrypted,
    /// Version 3, compressed.
    Compressed,
}

impl Version {
    /// Returns the version of a message that begins with these bytes.
    pub(super) fn of(message: &[u8]) -> Option<Self> {
        let (first, rest) = message.split_first()?;
        if !rest.starts_with(MAGIC) {
            return None;
        }
        Some(match first {
            0xff => Self::One,
            0xfe => Self::Two,
            0xfd => Self::Encrypted,
            0xfc => Self::Compressed,
            _ => return None,
        })
    }
}

/// Where the header stands of what seems to be the first message in these bytes.
pub(super) fn find_message(bytes: &[u8]) -> Option<usize> {
    memmem::find_iter(bytes, MAGIC).find_map(|place| {
        let magic = place.checked_sub(1)?;
        let start = magic.checked_sub(HEADER_LENGTH)?;
        let is_one = Version::of(bytes.get(magic..)?).is_some() && bytes.get(start) == Some(&SESSION_MESSAGE);
        is_one.then_some(start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let header = Header::read(b"\x00\x01\x02\x03rest").unwrap();
        assert_eq!((header.is_message(), header.is_valid(), header.length), (true, true, 0x1_0203));
        let header = Header::read(b"\x85\0\0\0").unwrap();
        assert_eq!((header.is_message(), header.is_valid(), header.length), (false, true, 0));
        assert!(!Header::read(b"\x86\0\0\0").unwrap().is_valid());
        assert_eq!(Header::read(b"\0\0\0"), None);
    }

    #[test]
    fn versions() {
        let cases: [(&[u8], Option<Version>); 6] = [
            (b"\xffSMBr", Some(Version::One)),
            (b"\xfeSMB", Some(Version::Two)),
            (b"\xfdSMB", Some(Version::Encrypted)),
            (b"\xfcSMB", Some(Version::Compressed)),
            (b"\xfbSMB", None),
            (b"\xfeSM", None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(Version::of(bytes), expected, "{bytes:02x?}");
        }
    }

    #[test]
    fn messages_in_the_middle() {
        let cases: [(&[u8], Option<usize>); 5] = [
            (b"\0\0\0\x40\xfeSMB", Some(0)),
            (b"rest\0\0\0\x40\xffSMB", Some(4)),
            (b"\xfeSMB \0\0\0\x40\xfeSMB", Some(5)),
            (b"restxxx\x40\xffSMB", None),
            (b"\0\0\0\x40\xfeSM", None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(find_message(bytes), expected, "{bytes:02x?}");
        }
    }
}
