//! Start lines of messages (RFC 3261 7.1, 7.2): `INVITE sip:bob@example.com SIP/2.0`, `SIP/2.0 200 OK`.

use memchr::{memchr, memrchr};
use weir_base::Direction;

/// A line, in its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartLine<'a> {
    /// A client's.
    Request {
        /// Method.
        method: &'a [u8],
        /// Of whom.
        uri: &'a [u8],
        /// The version (`SIP/2.0`).
        version: &'a [u8],
    },
    /// A server's.
    Response {
        /// The version.
        version: &'a [u8],
        /// Three digits.
        code: &'a [u8],
        /// Reason phrase, perhaps empty.
        reason: &'a [u8],
    },
}

/// Prefix of versions.
const NAME: &[u8] = b"SIP/";

impl<'a> StartLine<'a> {
    /// Reads the line, without its end, of a message in a direction.
    pub fn read(direction: Direction, line: &'a [u8]) -> Option<Self> {
        match direction {
            Direction::ToServer => Self::request(line),
            Direction::ToClient => Self::response(line),
        }
    }

    fn request(line: &'a [u8]) -> Option<Self> {
        let (method, rest) = line.split_at_checked(memchr(b' ', line)?)?;
        let rest = rest.get(1..)?;
        let (uri, version) = rest.split_at_checked(memrchr(b' ', rest)?)?;
        let version = version.get(1..)?;
        let is_sound = is_token(method) && !uri.is_empty() && !uri.contains(&b' ') && is_version(version);
        is_sound.then_some(Self::Request { method, uri, version })
    }

    fn response(line: &'a [u8]) -> Option<Self> {
        let (version, rest) = line.split_at_checked(memchr(b' ', line)?)?;
        let (code, rest) = rest.get(1..)?.split_at_checked(3)?;
        let reason = match rest.split_first() {
            None => rest,
            Some((b' ', reason)) => reason,
            Some(_) => return None,
        };
        (is_version(version) && code.iter().all(u8::is_ascii_digit)).then_some(Self::Response {
            version,
            code,
            reason,
        })
    }
}

/// `SIP/2.0`
fn is_version(text: &[u8]) -> bool {
    let Some(number) = text.strip_prefix(NAME) else { return false };
    let Some(dot) = memchr(b'.', number) else { return false };
    let (major, minor) = number.split_at(dot);
    let is_number = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_number(major) && is_number(minor.get(1..).unwrap_or_default())
}

/// Whether a text is a token (RFC 3261 25.1): a method, or a header field's name.
pub fn is_token(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-.!%*_+`'~".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let request = |method: &'static str, uri: &'static str| {
            Some(StartLine::Request { method: method.as_bytes(), uri: uri.as_bytes(), version: b"SIP/2.0" })
        };
        let response = |code: &'static str, reason: &'static str| {
            Some(StartLine::Response {
                version: b"SIP/2.0",
                code: code.as_bytes(),
                reason: reason.as_bytes(),
            })
        };
        let (up, down) = (Direction::ToServer, Direction::ToClient);
        let cases = [
            (up, "INVITE sip:bob@b.example SIP/2.0", request("INVITE", "sip:bob@b.example")),
            (up, "x-odd tel:+1-555 SIP/2.0", request("x-odd", "tel:+1-555")),
            (up, "OPTIONS * HTTP/1.1", None),
            (up, "INVITE sip:a b SIP/2.0", None),
            (up, "INVITE  SIP/2.0", None),
            (up, "INVITE SIP/2.0", None),
            (up, "INVITE sip:b SIP/2", None),
            (up, "INVITE sip:b SIP/2.x", None),
            (up, "SIP/2.0 200 OK", None),
            (up, "", None),
            (down, "SIP/2.0 200 OK", response("200", "OK")),
            (down, "SIP/2.0 486 Busy Here", response("486", "Busy Here")),
            (down, "SIP/2.0 200 ", response("200", "")),
            (down, "SIP/2.0 200", response("200", "")),
            (down, "SIP/2.0 2000 OK", None),
            (down, "SIP/2.0 20x OK", None),
            (down, "HTTP/1.1 200 OK", None),
            (down, "INVITE sip:bob@b.example SIP/2.0", None),
        ];
        for (direction, line, expected) in cases {
            assert_eq!(StartLine::read(direction, line.as_bytes()), expected, "{line}");
        }
    }
}
