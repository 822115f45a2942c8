//! Values of the lines of a description of a session, RFC 8866 5 and 9.

use std::net::IpAddr;

use memchr::memchr2;

/// Form of a line's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// The only version.
    Version,
    /// Name, session, its version, kinds of network and address, and the address.
    Origin,
    /// Letters, digits and spaces.
    Words,
    /// Characters of an address.
    Uri,
    /// Any text.
    Text,
    /// Kinds of network and address, the address, and how far and how many.
    Connection,
    /// Its kind and a number.
    Bandwidth,
    /// From when to when.
    TwoNumbers,
    /// Numbers with units.
    FourTimes,
    /// A word, and perhaps a text.
    Attribute,
    /// A medium, its port, perhaps how many, its transport, and formats.
    Media,
}

/// Kinds of bandwidths, media and transports.
const BANDWIDTHS: &[&[u8]] = &[b"CT", b"AS", b"TIAS"];
const MEDIA: &[&[u8]] = &[b"audio", b"video", b"text", b"application", b"message"];
const TRANSPORTS: &[&[u8]] = &[b"udp", b"RTP/AVP", b"RTP/SAVP"];

/// Longest number of a port, and longest format.
const PORT_DIGITS: usize = 5;
const MAX_FORMAT: usize = 255;

/// Takes lines of a body in turn.
#[derive(Debug)]
pub struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// At the start of a body.
    pub const fn new(body: &'a [u8]) -> Self {
        Self { rest: body }
    }

    /// Takes the next line where it is of this letter and its value has this form, which is added to `text`.
    /// Answers whether it was so; the line stays where it was not.
    pub fn line(&mut self, letter: u8, form: Value, text: &mut Vec<u8>) -> bool {
        let Some([first, b'=', body @ ..]) = Some(self.rest) else { return false };
        if *first != letter {
            return false;
        }
        let Some(end) = memchr2(b'\r', b'\n', body) else { return false };
        let (value, after) = body.split_at_checked(end).unwrap_or_default();
        let Some(after) = after.strip_prefix(b"\r\n").or_else(|| after.strip_prefix(b"\n")) else {
            return false;
        };
        let mut reader = Parts { rest: value, text };
        if reader.value(form).is_none() || !reader.rest.is_empty() {
            return false;
        }
        self.rest = after;
        true
    }
}

/// Parts of one value.
struct Parts<'a, 't> {
    rest: &'a [u8],
    text: &'t mut Vec<u8>,
}

impl<'a> Parts<'a, '_> {
    fn value(&mut self, form: Value) -> Option<()> {
        match form {
            Value::Version => self.word(&[b"0"]),
            Value::Origin => {
                self.run(is_token);
                for kind in [
                    u8::is_ascii_digit,
                    u8::is_ascii_digit,
                    u8::is_ascii_alphabetic,
                    u8::is_ascii_alphanumeric,
                ] {
                    self.space()?;
                    self.run(|byte| kind(&byte));
                }
                self.space()?;
                self.all()
            }
            Value::Words => {
                self.run(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'\t'));
                Some(())
            }
            Value::Uri => {
                self.run(|byte| {
                    byte.is_ascii_alphanumeric() || is_token(byte) || b"~#@:;=?+&$,/".contains(&byte)
                });
                Some(())
            }
            Value::Text => self.all(),
            Value::Connection => self.connection(),
            Value::Bandwidth => {
                self.word(BANDWIDTHS)?;
                self.byte(b':')?;
                self.digits(usize::MAX)
            }
            Value::TwoNumbers => {
                self.digits(usize::MAX)?;
                self.space()?;
                self.digits(usize::MAX)
            }
            Value::FourTimes => {
                self.run(is_time);
                for _ in 0..3 {
                    self.space()?;
                    self.run(is_time);
                }
                Some(())
            }
            Value::Attribute => {
                self.run(|byte| byte.is_ascii_alphabetic());
                if self.rest.first() == Some(&b':') { self.all() } else { Some(()) }
            }
            Value::Media => self.media(),
        }
    }

    fn connection(&mut self) -> Option<()> {
        self.run(|byte| byte.is_ascii_alphabetic());
        self.space()?;
        self.run(|byte| byte.is_ascii_alphanumeric());
        self.space()?;
        let address = self.peek(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':'), usize::MAX);
        let address: IpAddr = std::str::from_utf8(self.skip(address)).ok()?.parse().ok()?;
        self.text.extend_from_slice(address.to_string().as_bytes());
        let [first, second] = [self.small()?, self.small()?];
        let shown = match address {
            // Only the number of addresses counts.
            IpAddr::V6(_) => [first, None],
            IpAddr::V4(address) if address.is_multicast() && first.is_none() => return None,
            IpAddr::V4(_) => [first, second],
        };
        for number in shown.into_iter().flatten() {
            self.text.push(b'/');
            self.text.extend_from_slice(number.to_string().as_bytes());
        }
        Some(())
    }

    /// A number behind a slash, which may be missing.
    fn small(&mut self) -> Option<Option<u8>> {
        let Some(b'/') = self.rest.first() else { return Some(None) };
        self.skip(1);
        if self.rest.first() == Some(&b'0') {
            return None;
        }
        let digits = self.peek(|byte| byte.is_ascii_digit(), usize::MAX);
        std::str::from_utf8(self.skip(digits)).ok()?.parse().ok().map(Some)
    }

    fn media(&mut self) -> Option<()> {
        self.word(MEDIA)?;
        self.space()?;
        self.port()?;
        if self.rest.first() == Some(&b'/') {
            self.skip(1);
            let digits = self.peek(|byte| byte.is_ascii_digit(), PORT_DIGITS);
            if digits == 0 {
                return None;
            }
            // One that is too large is not shown.
            if let Ok(number) = std::str::from_utf8(self.skip(digits)).ok()?.parse::<u16>() {
                self.text.extend_from_slice(format!("/{number}").as_bytes());
            }
        }
        self.space()?;
        self.word(TRANSPORTS)?;
        let mut formats = 0;
        while matches!(self.rest.first(), Some(b' ' | b'\t')) {
            self.space()?;
            let format = self.peek(|byte| byte.is_ascii_alphanumeric(), MAX_FORMAT);
            if format == 0 {
                return None;
            }
            let format = self.skip(format);
            self.text.extend_from_slice(format);
            formats += 1;
        }
        (formats > 0).then_some(())
    }

    fn port(&mut self) -> Option<()> {
        let digits = self.peek(|byte| byte.is_ascii_digit(), PORT_DIGITS);
        let port: u16 = std::str::from_utf8(self.skip(digits)).ok()?.parse().ok()?;
        self.text.extend_from_slice(port.to_string().as_bytes());
        Some(())
    }

    /// Spaces, of which one is kept.
    fn space(&mut self) -> Option<()> {
        let spaces = self.peek(|byte| matches!(byte, b' ' | b'\t'), usize::MAX);
        self.skip(spaces);
        self.text.push(b' ');
        (spaces > 0).then_some(())
    }

    /// All that is left, which is text.
    fn all(&mut self) -> Option<()> {
        let rest = std::str::from_utf8(self.skip(self.rest.len())).ok()?;
        self.text.extend_from_slice(rest.as_bytes());
        Some(())
    }

    /// Digits, at least one and at most so many.
    fn digits(&mut self, most: usize) -> Option<()> {
        let digits = self.peek(|byte| byte.is_ascii_digit(), most);
        let found = self.skip(digits);
        self.text.extend_from_slice(found);
        (digits > 0).then_some(())
    }

    fn byte(&mut self, byte: u8) -> Option<()> {
        self.word(&[&[byte]])
    }

    /// The first of these words that stands next.
    fn word(&mut self, words: &[&[u8]]) -> Option<()> {
        let word = words.iter().find(|word| self.rest.starts_with(word))?;
        self.skip(word.len());
        self.text.extend_from_slice(word);
        Some(())
    }

    /// As many bytes as are of this kind, perhaps none.
    fn run(&mut self, kind: impl Fn(u8) -> bool) {
        let count = self.peek(kind, usize::MAX);
        let found = self.skip(count);
        self.text.extend_from_slice(found);
    }

    /// The number of bytes of this kind that stand next, at most so many.
    fn peek(&self, kind: impl Fn(u8) -> bool, most: usize) -> usize {
        self.rest.iter().take(most).take_while(|&&byte| kind(byte)).count()
    }

    fn skip(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at_checked(count).unwrap_or((self.rest, &[]));
        self.rest = rest;
        taken
    }
}

/// RFC 8866 9, `token-char`.
const fn is_token(byte: u8) -> bool {
    matches!(byte, 0x21 | 0x23..=0x27 | 0x2a | 0x2b | 0x2d | 0x2e | 0x30..=0x39 | 0x41..=0x5a | 0x5e..=0x7e)
}

const fn is_time(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'd' | b'h' | b'm' | b's' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let cases: &[(u8, Value, &str, Option<&str>)] = &[
            (b'c', Value::Connection, "IN IP4 192.0.2.1", Some("IN IP4 192.0.2.1")),
            (b'c', Value::Connection, "IN  IP4\t224.2.1.1/127/3", Some("IN IP4 224.2.1.1/127/3")),
            (b'c', Value::Connection, "IN IP4 224.2.1.1", None),
            (b'c', Value::Connection, "IN IP4 192.0.2.1/3", Some("IN IP4 192.0.2.1/3")),
            (b'c', Value::Connection, "IN IP4 192.0.2.1/03", None),
            (b'c', Value::Connection, "IN IP4 192.0.2.1/256", None),
            (b'c', Value::Connection, "IN IP6 FF15:0::101/3/4", Some("IN IP6 ff15::101/3")),
            (b'c', Value::Connection, "IN IP4 host.example", None),
            (b'b', Value::Bandwidth, "AS:128", Some("AS:128")),
            (b'b', Value::Bandwidth, "X-YZ:128", None),
            (b't', Value::TwoNumbers, "3034423619   3042462419", Some("3034423619 3042462419")),
            (b't', Value::TwoNumbers, "0 ", None),
            (b'z', Value::FourTimes, "2882844526 -1h 2898848070 0", Some("2882844526 -1h 2898848070 0")),
            (b'r', Value::FourTimes, "7d 1h 0 25h 1", None),
            (b'a', Value::Attribute, "rtpmap:0 PCMU/8000", Some("rtpmap:0 PCMU/8000")),
            (b'a', Value::Attribute, "rtcp-mux", None),
            (b'm', Value::Media, "audio 007/2 RTP/SAVP 0 8", Some("audio 7/2 RTP/SAVP 0 8")),
            (b'm', Value::Media, "audio 7 RTP/AVPF 0", None),
            (b'm', Value::Media, "application 9 udp webrtc-datachannel", None),
            (b'm', Value::Media, "audio 7 RTP/AVP", None),
            (b'u', Value::Uri, "http://a.example/b?c=d", Some("http://a.example/b?c=d")),
            (b'i', Value::Words, "A talk, long", None),
            (b'k', Value::Text, "clear:key, long", Some("clear:key, long")),
        ];
        for (letter, form, value, expected) in cases {
            let line = format!("{}={value}\r\n", char::from(*letter));
            let (mut cursor, mut text) = (Cursor::new(line.as_bytes()), Vec::new());
            let found = cursor.line(*letter, *form, &mut text).then(|| String::from_utf8(text).unwrap());
            assert_eq!(found.as_deref(), *expected, "{line:?}");
        }
        let (mut cursor, mut text) = (Cursor::new(b"t=0 0"), Vec::new());
        assert!(!cursor.line(b't', Value::TwoNumbers, &mut text), "a line ends");
    }
}
