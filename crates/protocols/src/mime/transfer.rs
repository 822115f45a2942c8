//! Transfer encodings, RFC 2045 section 6, undone line by line.

use weir_base::{base64, hex};

/// Content transfer encoding of a body (RFC 2045 6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Not at all.
    #[default]
    Identity,
    /// Six bits a letter.
    Base64,
    /// `=3D`
    QuotedPrintable,
}

impl Encoding {
    /// By the value of `Content-Transfer-Encoding`.
    pub fn named(value: &[u8]) -> Self {
        let value = value.trim_ascii();
        if value.eq_ignore_ascii_case(b"base64") {
            Self::Base64
        } else if value.eq_ignore_ascii_case(b"quoted-printable") {
            Self::QuotedPrintable
        } else {
            Self::Identity
        }
    }
}

/// A line does not follow its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// Base64 whose groups of four may stand on several lines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Base64 {
    group: [u8; 4],
    filled: usize,
}

impl Base64 {
    /// Decodes a line onto `out`. At a letter that is none the rest of the line is left.
    pub fn decode(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), Malformed> {
        for &letter in line.iter().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) {
            if let Some(slot) = self.group.get_mut(self.filled) {
                *slot = letter;
            }
            self.filled += 1;
            if self.filled == self.group.len() {
                self.filled = 0;
                self.decode_group(out)?;
            }
        }
        Ok(())
    }

    fn decode_group(&self, out: &mut Vec<u8>) -> Result<(), Malformed> {
        let [a, b, c, d] = self.group;
        let value = |letter| base64::value(letter).ok_or(Malformed);
        let (a, b) = (value(a)?, value(b)?);
        out.push(a << 2 | b >> 4);
        if c == b'=' {
            return Ok(());
        }
        let c = value(c)?;
        out.push(b << 4 | c >> 2);
        if d != b'=' {
            out.push(c << 6 | value(d)?);
        }
        Ok(())
    }

    /// The body is over: decodes a group that was never filled up.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        let filled = std::mem::take(&mut self.filled);
        if filled >= 2 {
            self.group.iter_mut().skip(filled).for_each(|slot| *slot = b'=');
            // What cannot be decoded is left out.
            let _ = self.decode_group(out);
        }
    }
}

/// Bytes of a quoted-printable line that wait for the next fragment of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuotedPrintable {
    held: [u8; 2],
    length: usize,
}

impl QuotedPrintable {
    /// Decodes a line or fragment onto `out`; `end` is the line's end, which a soft break takes away.
    pub fn decode(&mut self, line: &[u8], end: &[u8], out: &mut Vec<u8>) -> Result<(), Malformed> {
        let mut result = Ok(());
        let held = self.held;
        let held = held.get(..std::mem::take(&mut self.length)).unwrap_or_default();
        let mut bytes = held.iter().chain(line).copied().peekable();
        while let Some(byte) = bytes.next() {
            if byte != b'=' {
                out.push(byte);
                continue;
            }
            let pair = (bytes.next(), bytes.peek().copied());
            match pair {
                (None, _) if end.is_empty() => return self.hold(b"=").and(result),
                // A soft line break.
                (None, _) => return result,
                (Some(high), None) if end.is_empty() => return self.hold(&[b'=', high]).and(result),
                (Some(b' ' | b'\t'), _) if bytes.clone().all(|byte| matches!(byte, b' ' | b'\t')) => {
                    return result;
                }
                (Some(high), Some(low)) => {
                    bytes.next();
                    match (hex::value(high), hex::value(low)) {
                        (Some(high), Some(low)) => out.push(high << 4 | low),
                        _ => result = Err(Malformed),
                    }
                }
                (Some(_), None) => result = Err(Malformed),
            }
        }
        out.extend_from_slice(end);
        result
    }

    fn hold(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        for (slot, byte) in self.held.iter_mut().zip(bytes) {
            *slot = *byte;
        }
        self.length = bytes.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_over_lines() {
        let cases: [(&[&str], &str, bool); 6] = [
            (&["aGVsbG8=", ""], "hello", true),
            (&["aGV", "sbG8", "="], "hello", true),
            (&["aG Vs bG8"], "hello", true),
            (&["aGVs????", "bG8="], "hello", false),
            (&["aG=="], "h", true),
            (&["a"], "", true),
        ];
        for (lines, expected, well) in cases {
            let (mut base64, mut out) = (Base64::default(), Vec::new());
            let results: Vec<_> = lines.iter().map(|line| base64.decode(line.as_bytes(), &mut out)).collect();
            base64.finish(&mut out);
            assert_eq!(
                (out, results.iter().all(Result::is_ok)),
                (expected.as_bytes().to_vec(), well),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn quoted_printable_lines() {
        type Case = (&'static [(&'static str, &'static str)], &'static str, bool);
        let cases: [Case; 7] = [
            (&[("a=3Db", "\r\n")], "a=b\r\n", true),
            (&[("a=", "\r\n"), ("b", "\n")], "ab\n", true),
            (&[("a= ", "\r\n"), ("b", "")], "ab", true),
            (&[("a=3d=", "\r\n")], "a=", true),
            (&[("a=zz.", "\r\n")], "a.\r\n", false),
            (&[("a=3", "\r\n")], "a\r\n", false),
            (&[("a=", ""), ("3", ""), ("Db", "\n")], "a=b\n", true),
        ];
        for (lines, expected, well) in cases {
            let (mut decoder, mut out) = (QuotedPrintable::default(), Vec::new());
            let results: Vec<_> = lines
                .iter()
                .map(|(line, end)| decoder.decode(line.as_bytes(), end.as_bytes(), &mut out))
                .collect();
            assert_eq!(
                (out, results.iter().all(Result::is_ok)),
                (expected.as_bytes().to_vec(), well),
                "{lines:?}"
            );
        }
    }
}
