//! The line with which each side begins (RFC 4253 4.2): `SSH-2.0-OpenSSH_9.7 comment`.

use memchr::memchr;

/// Longest line, its end included (RFC 4253 4.2); of longer ones the beginning counts.
pub const MAX_LENGTH: usize = 256;

/// Most bytes of other lines that a server says before.
pub const MAX_BEFORE: usize = 8192;

pub(super) const START: &[u8] = b"SSH-";

/// A side's version line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Banner {
    line: Box<[u8]>,
    /// Where the protocol's version ends.
    version_end: usize,
    /// Where the software's name and version end.
    software_end: usize,
}

impl Banner {
    /// Reads a line without its end.
    pub fn read(line: &[u8]) -> Option<Self> {
        let rest = line.strip_prefix(START)?;
        let version_end = START.len() + memchr(b'-', rest)?;
        let software = line.get(version_end + 1..)?;
        let length = software.iter().position(|byte| matches!(byte, b' ' | b'\r' | b'\n'));
        let software_end = version_end + 1 + length.unwrap_or(software.len());
        Some(Self { line: line.into(), version_end, software_end })
    }

    /// The whole line.
    pub fn line(&self) -> &[u8] {
        &self.line
    }

    /// The protocol's version (`2.0`).
    pub fn version(&self) -> &[u8] {
        self.line.get(START.len()..self.version_end).unwrap_or_default()
    }

    /// The software's name and version (`OpenSSH_9.7`), where there are some.
    pub fn software(&self) -> Option<&[u8]> {
        self.line.get(self.version_end + 1..self.software_end).filter(|text| !text.is_empty())
    }

    /// Whether the side speaks the first version only, which nothing here reads.
    pub fn is_version_1(&self) -> bool {
        self.version().starts_with(b"1.") && !self.is_compatible()
    }

    /// Whether the side speaks both versions.
    pub fn is_compatible(&self) -> bool {
        self.version() == b"1.99"
    }
}

/// The first line, without its end, and how many bytes it takes with that.
pub fn first_line(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let end = memchr(b'\n', bytes)?;
    let line = bytes.get(..end)?;
    let length = line.iter().rposition(|&byte| byte != b'\r').map_or(0, |last| last + 1);
    Some((line.get(..length)?, end + 1))
}

/// Whether bytes, of which more may follow, can be the beginning of a banner.
pub fn may_begin(bytes: &[u8]) -> bool {
    START.iter().zip(bytes).all(|(wanted, byte)| wanted == byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banners() {
        type Case<'a> = (&'a str, Option<(&'a str, Option<&'a str>)>);
        let cases: &[Case<'_>] = &[
            ("SSH-2.0-OpenSSH_9.7", Some(("2.0", Some("OpenSSH_9.7")))),
            ("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u5", Some(("2.0", Some("OpenSSH_9.2p1")))),
            ("SSH-1.99-Cisco-1.25", Some(("1.99", Some("Cisco-1.25")))),
            ("SSH-2.0-", Some(("2.0", None))),
            ("SSH-2.0- comment", Some(("2.0", None))),
            ("SSH--x", Some(("", Some("x")))),
            ("SSH-2.0", None),
            ("ssh-2.0-x", None),
            ("", None),
        ];
        for (line, expected) in cases {
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            let found = Banner::read(line.as_bytes())
                .map(|banner| (text(banner.version()), banner.software().map(text)));
            let expected =
                expected.map(|(version, software)| (version.to_owned(), software.map(str::to_owned)));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn lines() {
        type Case<'a> = (&'a [u8], Option<(&'a [u8], usize)>);
        let cases: &[Case<'_>] = &[
            (b"a\r\nb", Some((b"a", 3))),
            (b"a\nb", Some((b"a", 2))),
            (b"a\r\r\n", Some((b"a", 4))),
            (b"\n", Some((b"", 1))),
            (b"a\r", None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(first_line(bytes), *expected, "{bytes:?}");
        }
    }

    #[test]
    fn beginnings() {
        for (bytes, expected) in [("", true), ("SS", true), ("SSH-2", true), ("SSX", false), ("\r", false)] {
            assert_eq!(may_begin(bytes.as_bytes()), expected, "{bytes}");
        }
    }
}
