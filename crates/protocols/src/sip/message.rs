//! The head of a message (RFC 3261 7): its first line and its header fields, each perhaps over several lines
//! and by a short name.

use memchr::memchr;
use weir_base::Direction;

use super::start_line::{StartLine, is_token};
use crate::span::Span;

/// Longest head, with the empty line that ends it.
pub const MAX_HEAD: usize = 64 * 1024;

/// Most values kept of a header field.
pub const MAX_VALUES: usize = 128;

/// Header fields that something is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Name {
    /// `From`, `f`
    From,
    /// `To`, `t`
    To,
    /// `Via`, `v`
    Via,
    /// `User-Agent`
    UserAgent,
    /// `Content-Type`, `c`
    ContentType,
    /// `Content-Length`, `l`
    ContentLength,
}

/// Number of names.
const NAMES: usize = 6;

impl Name {
    /// The header field with this name, long or short, in letters of either case.
    fn read(name: &[u8]) -> Option<Self> {
        let names: &[(&[u8], Self)] = match name.len() {
            1 => &[
                (b"f", Self::From),
                (b"t", Self::To),
                (b"v", Self::Via),
                (b"c", Self::ContentType),
                (b"l", Self::ContentLength),
            ],
            2 => &[(b"to", Self::To)],
            3 => &[(b"via", Self::Via)],
            4 => &[(b"from", Self::From)],
            10 => &[(b"user-agent", Self::UserAgent)],
            12 => &[(b"content-type", Self::ContentType)],
            14 => &[(b"content-length", Self::ContentLength)],
            _ => &[],
        };
        names.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, name)| name)
    }
}

/// A head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    text: Box<[u8]>,
    start_line: Span,
    /// Method, URI and version of a request; version, code and reason of a response.
    parts: [Span; 3],
    values: [Vec<Span>; NAMES],
    /// Bytes of the first line, with its end.
    pub line_length: usize,
    /// Bytes of the header fields, without the empty line.
    pub headers_length: usize,
}

impl Head {
    /// Reads the head of a message in a direction, from its first byte to the end of the empty line.
    pub fn read(direction: Direction, bytes: &[u8]) -> Option<Self> {
        let (line, mut rest) = line(bytes)?;
        let parts = match StartLine::read(direction, line)? {
            StartLine::Request { method, uri, version } => [method, uri, version],
            StartLine::Response { version, code, reason } => [version, code, reason],
        };
        let line_length = bytes.len() - rest.len();
        let (mut values, mut headers_length) = (<[Vec<Span>; NAMES]>::default(), 0);
        // The values that a line may add to.
        let mut last: Option<Option<Name>> = None;
        while let Some((line, after)) = self::line(rest) {
            if line.is_empty() {
                break;
            }
            headers_length += rest.len() - after.len();
            rest = after;
            let trimmed = line.trim_ascii();
            if line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
                let of = last.as_ref()?.and_then(|name| values.get_mut(name as usize));
                if let Some(value) = of.and_then(|values| values.last_mut()).filter(|_| !trimmed.is_empty()) {
                    *value = value.to(Span::of(bytes, trimmed));
                }
                continue;
            }
            let (name, value) = line.split_at_checked(memchr(b':', line)?)?;
            let name = name.trim_ascii_end();
            if !is_token(name) {
                return None;
            }
            let name = Name::read(name);
            if let Some(values) = name.and_then(|name| values.get_mut(name as usize)) {
                let value = value.get(1..).unwrap_or_default().trim_ascii();
                if values.len() < MAX_VALUES {
                    values.push(Span::of(bytes, value));
                }
            }
            last = Some(name);
        }
        Some(Self {
            text: bytes.into(),
            start_line: Span::of(bytes, line),
            parts: parts.map(|part| Span::of(bytes, part)),
            values,
            line_length,
            headers_length,
        })
    }

    /// Bytes of it, with the empty line.
    pub const fn length(&self) -> usize {
        self.text.len()
    }

    /// Bytes of memory that it takes beside itself.
    pub fn memory(&self) -> usize {
        self.text.len()
            + self.values.iter().map(|values| values.capacity() * size_of::<Span>()).sum::<usize>()
    }

    /// The first line, without its end.
    pub fn start_line(&self) -> &[u8] {
        self.start_line.read(&self.text)
    }

    /// Method, URI and version of a request; version, code and reason of a response.
    pub fn parts(&self) -> [&[u8]; 3] {
        self.parts.map(|part| part.read(&self.text))
    }

    /// A value of a header field, by its index. Values over several lines have the ends of lines in them.
    pub fn value(&self, name: Name, index: usize) -> Option<&[u8]> {
        Some(self.values.get(name as usize)?.get(index)?.read(&self.text))
    }

    /// Returns the `Content-Length`; nothing where that is no number.
    pub fn content_length(&self) -> Option<u64> {
        std::str::from_utf8(self.value(Name::ContentLength, 0)?).ok()?.parse().ok()
    }

    /// Whether the body describes a session.
    pub fn announces_sdp(&self) -> bool {
        let kind = self.value(Name::ContentType, 0).unwrap_or_default();
        let kind = kind.split(|&byte| byte == b';').next().unwrap_or_default();
        kind.trim_ascii().eq_ignore_ascii_case(b"application/sdp")
    }
}

/// The first line without its end, and what follows.
fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr(b'\n', bytes)?;
    let line = bytes.get(..end)?;
    Some((line.strip_suffix(b"\r").unwrap_or(line), bytes.get(end + 1..)?))
}

/// Progress of the search for the end of a head.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Search {
    /// Where the line begins that was not whole.
    line: usize,
    /// Bytes without a line's end that are known.
    seen: usize,
}

impl Search {
    /// Where the head ends that `bytes` begin with, its empty line included; none where it does not yet.
    pub fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        while let Some(found) = memchr(b'\n', bytes.get(self.seen..)?) {
            let end = self.seen + found;
            let is_empty = matches!(bytes.get(self.line..end), Some([] | [b'\r']));
            self.seen = end + 1;
            self.line = self.seen;
            if is_empty {
                return Some(self.seen);
            }
        }
        self.seen = bytes.len();
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Option<Head> {
        Head::read(Direction::ToServer, text.as_bytes())
    }

    #[test]
    fn header_fields() {
        let values = |headers: &str, name| -> Option<Vec<String>> {
            let head = head(&format!("OPTIONS sip:a SIP/2.0\r\n{headers}\r\n"))?;
            let values = (0..).map_while(|index| head.value(name, index));
            Some(values.map(|value| String::from_utf8(value.to_vec()).unwrap()).collect())
        };
        let cases: &[(&str, Name, Option<&[&str]>)] = &[
            ("From: <sip:a>;tag=1\r\n", Name::From, Some(&["<sip:a>;tag=1"])),
            ("f:a\r\nF : b \r\nFROM:\tc\r\n", Name::From, Some(&["a", "b", "c"])),
            ("t: one\r\nTo: two\r\n", Name::To, Some(&["one", "two"])),
            ("v: one\r\n two\r\n\tthree \r\nX: y\r\n z\r\n", Name::Via, Some(&["one\r\n two\r\n\tthree"])),
            ("User-Agent: phone/1\nl: 0\n", Name::UserAgent, Some(&["phone/1"])),
            ("c: application/sdp\r\n", Name::ContentType, Some(&["application/sdp"])),
            ("Content-Length:\r\n", Name::ContentLength, Some(&[""])),
            ("X-From: a\r\n", Name::From, Some(&[])),
            ("", Name::From, Some(&[])),
            (" folded: what\r\n", Name::From, None),
            ("no field\r\n", Name::From, None),
            ("not a name: x\r\n", Name::From, None),
        ];
        for (headers, name, expected) in cases {
            let expected = expected.map(|values| values.iter().map(|&value| value.to_owned()).collect());
            assert_eq!(values(headers, *name), expected, "{headers:?}");
        }
        let many = format!("OPTIONS sip:a SIP/2.0\r\n{}\r\n", "v: a\r\n".repeat(MAX_VALUES + 9));
        let head = head(&many).unwrap();
        assert!(
            head.value(Name::Via, MAX_VALUES - 1).is_some() && head.value(Name::Via, MAX_VALUES).is_none()
        );
    }

    #[test]
    fn bodies() {
        let cases = [
            ("Content-Length: 42\r\nContent-Type: Application/SDP; charset=x\r\n", Some(42), true),
            ("l: many\r\nc: text/plain\r\n", None, false),
            ("", None, false),
        ];
        for (headers, length, sdp) in cases {
            let head = head(&format!("OPTIONS sip:a SIP/2.0\r\n{headers}\r\n")).unwrap();
            assert_eq!((head.content_length(), head.announces_sdp()), (length, sdp), "{headers}");
            assert_eq!((head.line_length, head.headers_length), (23, headers.len()));
            assert_eq!(head.length(), 23 + headers.len() + 2);
        }
    }

    #[test]
    fn the_end_of_a_head() {
        let cases =
            [("a\r\nb\r\n\r\nc", Some(8)), ("a\n\nb", Some(3)), ("\r\n", Some(2)), ("a\r\nb\r\n", None)];
        for (text, expected) in cases {
            assert_eq!(Search::default().end(text.as_bytes()), expected, "{text:?}");
            let mut search = Search::default();
            let end = (1..=text.len()).find_map(|length| search.end(&text.as_bytes()[..length]));
            assert_eq!(end, expected, "{text:?} byte by byte");
        }
    }
}
