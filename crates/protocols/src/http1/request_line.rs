//! The first line of a request: method, target, protocol (RFC 9112 section 3).

use super::anomaly::Oddity;
use super::octets::{head, is_space, tail, take_while, trim};

/// Methods that the parser treats differently from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Method {
    /// None was seen, or it is not a known one.
    #[default]
    Unknown,
    Connect,
    Head,
    Post,
    Put,
    /// A known method without a role of its own.
    Other,
}

impl Method {
    /// A method by its name; case matters.
    pub(super) fn named(name: &[u8]) -> Self {
        match name {
            b"CONNECT" => Self::Connect,
            b"HEAD" => Self::Head,
            b"POST" => Self::Post,
            b"PUT" => Self::Put,
            b"GET" | b"DELETE" | b"OPTIONS" | b"TRACE" | b"PATCH" | b"PROPFIND" | b"PROPPATCH" | b"MKCOL"
            | b"COPY" | b"MOVE" | b"LOCK" | b"UNLOCK" | b"VERSION-CONTROL" | b"CHECKOUT" | b"UNCHECKOUT"
            | b"CHECKIN" | b"UPDATE" | b"LABEL" | b"REPORT" | b"MKWORKSPACE" | b"MKACTIVITY"
            | b"BASELINE-CONTROL" | b"MERGE" | b"INVALID" => Self::Other,
            _ => Self::Unknown,
        }
    }
}

/// A protocol version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum Version {
    /// Something else.
    Invalid,
    /// Not seen yet.
    #[default]
    Unknown,
    /// HTTP/0.9, or no version at all.
    V0_9,
    /// HTTP/1.0
    V1_0,
    /// HTTP/1.1
    V1_1,
}

impl Version {
    /// Reads `HTTP/1.1`, with white space around the slash and zeros before the digits; true where
    /// there were such.
    pub(super) fn parse(text: &[u8]) -> (Self, bool) {
        let white = |byte: u8| byte.is_ascii_whitespace();
        let parse = || {
            let (_, rest) = take_while(text, white);
            let rest = super::octets::strip_prefix(rest, b"http")?;
            let (before, rest) = take_while(rest, white);
            let rest = rest.strip_prefix(b"/")?;
            let (after, rest) = take_while(rest, |byte| white(byte) || byte == b'0');
            let (version, rest) = [(&b".9"[..], Self::V0_9), (b"1.0", Self::V1_0), (b"1.1", Self::V1_1)]
                .into_iter()
                .find_map(|(digits, version)| Some((version, rest.strip_prefix(digits)?)))?;
            let (_, rest) = take_while(rest, white);
            let extra = !before.is_empty() || after.iter().any(|&byte| version != Self::V0_9 || byte != b'0');
            rest.is_empty().then_some((version, extra))
        };
        parse().unwrap_or((Self::Invalid, false))
    }
}

/// A request line taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RequestLine<'a> {
    /// The method as written.
    pub method: &'a [u8],
    /// The target, where there is one.
    pub target: Option<&'a [u8]>,
    /// The protocol, where there is one.
    pub protocol: Option<&'a [u8]>,
    /// Its version; 0.9 where there is none.
    pub version: Version,
    /// Oddities.
    pub oddities: Vec<Oddity>,
}

impl<'a> RequestLine<'a> {
    /// Reads a line without its end.
    pub(super) fn parse(line: &'a [u8], allow_space: bool) -> Self {
        let mut oddities = Vec::new();
        let (leading, rest) = take_while(line, is_space);
        if !leading.is_empty() {
            oddities.push(Oddity::RequestLineLeadingWhitespace);
        }
        let (method, rest) = take_while(rest, |byte| !is_space(byte));
        let (white, rest) = take_while(rest, is_space);
        if white.iter().any(|&byte| byte != b' ') {
            oddities.push(Oddity::MethodDelimiter);
        }
        let unknown = Method::named(method) == Method::Unknown;
        let mut parsed = Self { method, target: None, protocol: None, version: Version::V0_9, oddities };
        if rest.is_empty() {
            if unknown {
                parsed.oddities.push(Oddity::RequestLineUnknownMethod);
            }
            return parsed;
        }
        let rest = trim(rest);
        let (mut target, mut protocol) = split(rest, allow_space, |byte| byte == b' ');
        if target.iter().any(|&byte| is_space(byte) && byte != b' ') {
            parsed.oddities.push(Oddity::UriDelimiter);
            if target.len() == rest.len() {
                (target, protocol) = split(rest, allow_space, is_space);
            }
        }
        parsed.target = Some(target);
        if protocol.is_empty() {
            if unknown {
                parsed.oddities.push(Oddity::RequestLineUnknownMethodNoProtocol);
            }
            return parsed;
        }
        let (version, extra) = Version::parse(protocol);
        parsed.protocol = Some(protocol);
        parsed.version = version;
        if extra {
            parsed.oddities.push(Oddity::ProtocolContainsExtraData);
        }
        if unknown && version == Version::Invalid {
            parsed.oddities.push(Oddity::RequestLineUnknownMethodInvalidProtocol);
        }
        parsed
    }

    /// Ends the target where a version stands in the line, whatever is between them.
    pub(super) fn end_target_at(&mut self, line: &'a [u8], version: usize) {
        let (_, target) = take_while(trim(head(line, version)), |byte| !is_space(byte));
        let protocol = tail(line, version);
        (self.target, self.protocol) = (Some(trim(target)), Some(protocol));
        (self.version, _) = Version::parse(protocol);
    }
}

/// Splits at the last (`reverse`) or first delimiter; all is the first part where there is none.
fn split(bytes: &[u8], reverse: bool, delimiter: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let position = if reverse {
        bytes.iter().rposition(|&byte| delimiter(byte))
    } else {
        bytes.iter().position(|&byte| delimiter(byte))
    };
    match position {
        Some(position) => (trim(head(bytes, position)), trim(tail(bytes, position + 1))),
        None => (trim(bytes), b""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_lines() {
        type Expected<'a> = (&'a [u8], Option<&'a [u8]>, Option<&'a [u8]>, Version);
        let cases: [(&[u8], Expected<'_>); 9] = [
            (b"GET / HTTP/1.1", (b"GET", Some(b"/"), Some(b"HTTP/1.1"), Version::V1_1)),
            (b"GET /", (b"GET", Some(b"/"), None, Version::V0_9)),
            (b"GET", (b"GET", None, None, Version::V0_9)),
            (b"  GET  /  HTTP/1.0", (b"GET", Some(b"/"), Some(b"HTTP/1.0"), Version::V1_0)),
            (b"GET /a b c HTTP/1.1", (b"GET", Some(b"/a b c"), Some(b"HTTP/1.1"), Version::V1_1)),
            (b"GET\t/\tHTTP/1.1", (b"GET", Some(b"/"), Some(b"HTTP/1.1"), Version::V1_1)),
            (b"GET / HTTP/2.0", (b"GET", Some(b"/"), Some(b"HTTP/2.0"), Version::Invalid)),
            (b"GET / http/01.1", (b"GET", Some(b"/"), Some(b"http/01.1"), Version::V1_1)),
            (b"", (b"", None, None, Version::V0_9)),
        ];
        for (line, expected) in cases {
            let parsed = RequestLine::parse(line, true);
            assert_eq!((parsed.method, parsed.target, parsed.protocol, parsed.version), expected, "{line:?}");
        }
    }

    #[test]
    fn oddities() {
        let cases: [(&[u8], &[Oddity]); 5] = [
            (b" GET / HTTP/1.1", &[Oddity::RequestLineLeadingWhitespace]),
            (b"GET\t/ HTTP/1.1", &[Oddity::MethodDelimiter]),
            (b"GET /\tHTTP/1.1", &[Oddity::UriDelimiter]),
            (b"FOO", &[Oddity::RequestLineUnknownMethod]),
            (b"FOO / BAR", &[Oddity::RequestLineUnknownMethodInvalidProtocol]),
        ];
        for (line, expected) in cases {
            assert_eq!(RequestLine::parse(line, true).oddities, expected, "{line:?}");
        }
    }

    #[test]
    fn versions() {
        let cases: [(&[u8], (Version, bool)); 7] = [
            (b"HTTP/1.1", (Version::V1_1, false)),
            (b"HTTP/0.9", (Version::V0_9, false)),
            (b"HTTP / 1.1", (Version::V1_1, true)),
            (b"HTTP/001.0", (Version::V1_0, true)),
            (b"HTTP/1.10", (Version::Invalid, false)),
            (b"HTTP1.1", (Version::Invalid, false)),
            (b"", (Version::Invalid, false)),
        ];
        for (text, expected) in cases {
            assert_eq!(Version::parse(text), expected, "{text:?}");
        }
    }
}
