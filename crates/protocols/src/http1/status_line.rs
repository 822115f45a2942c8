//! The first line of a response: protocol, status, reason (RFC 9112 section 4), or the recognition
//! that there is none and the line belongs to the body.

use super::octets::{chomp, is_blank, is_space, run, strip_prefix, tail, take_while};
use super::request_line::Version;

/// A status line taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct StatusLine<'a> {
    /// The protocol as written.
    pub protocol: Option<&'a [u8]>,
    /// Its version.
    pub version: Version,
    /// The protocol had extra white space or zeros.
    pub extra: bool,
    /// The status as written.
    pub status: Option<&'a [u8]>,
    /// The status as a number from 100 to 999.
    pub number: Option<u16>,
    /// The reason.
    pub reason: Option<&'a [u8]>,
}

impl<'a> StatusLine<'a> {
    /// Reads a line, with its end.
    pub(super) fn parse(line: &'a [u8]) -> Self {
        let mut parsed = Self { version: Version::Invalid, ..Self::default() };
        let rest = tail(line, run(line, is_space_or_nul));
        let (protocol, rest) = take_while(rest, |byte| !is_space(byte));
        if protocol.is_empty() {
            return parsed;
        }
        parsed.protocol = Some(protocol);
        (parsed.version, parsed.extra) = Version::parse(protocol);
        let (white, rest) = take_while(rest, is_space);
        let (status, rest) = take_while(rest, |byte| !is_space(byte));
        if white.is_empty() || status.is_empty() {
            return parsed;
        }
        parsed.status = Some(status);
        parsed.number = status_number(status);
        let (white, reason) = take_while(rest, |byte| byte.is_ascii_whitespace());
        if !white.is_empty() {
            parsed.reason = Some(chomp(reason));
        }
        parsed
    }
}

fn status_number(status: &[u8]) -> Option<u16> {
    let (digits, rest) = take_while(tail(status, run(status, is_blank)), |byte| byte.is_ascii_digit());
    if run(rest, is_blank) < rest.len() {
        return None;
    }
    super::octets::decimal(digits)
        .and_then(|number| u16::try_from(number).ok())
        .filter(|number| (100..=999).contains(number))
}

const fn is_space_or_nul(byte: u8) -> bool {
    is_space(byte) || byte == 0
}

/// Whether a browser would take the line for a status line: white space, then `HTTP`.
pub(super) fn looks_like_status_line(line: &[u8]) -> bool {
    strip_prefix(tail(line, run(line, is_space_or_nul)), b"http").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines() {
        type Expected<'a> = (Version, Option<u16>, Option<&'a [u8]>);
        let cases: [(&[u8], Expected<'_>); 9] = [
            (b"HTTP/1.1 200 OK\r\n", (Version::V1_1, Some(200), Some(b"OK"))),
            (b"HTTP/1.0 404 Not Found\n", (Version::V1_0, Some(404), Some(b"Not Found"))),
            (b"HTTP/1.1 200\r\n", (Version::V1_1, Some(200), Some(b""))),
            (b"HTTP/1.1\r\n", (Version::V1_1, None, None)),
            (b"HTTP/1.1 2OO ok\r\n", (Version::V1_1, None, Some(b"ok"))),
            (b"HTTP/1.1 99 ok\r\n", (Version::V1_1, None, Some(b"ok"))),
            (b"HTTP/1.2 200 ok\r\n", (Version::Invalid, Some(200), Some(b"ok"))),
            (b"\0 http/1.1\t200  fine \r\n", (Version::V1_1, Some(200), Some(b"fine "))),
            (b"\r\n", (Version::Invalid, None, None)),
        ];
        for (line, expected) in cases {
            let parsed = StatusLine::parse(line);
            assert_eq!((parsed.version, parsed.number, parsed.reason), expected, "{line:?}");
        }
    }

    #[test]
    fn what_looks_like_one() {
        for line in [&b"HTTP/1.1 200"[..], b"  http", b"\0hTTp and so on"] {
            assert!(looks_like_status_line(line), "{line:?}");
        }
        for line in [&b"<html>"[..], b"", b"HTT", b"xHTTP/1.1"] {
            assert!(!looks_like_status_line(line), "{line:?}");
        }
    }
}
