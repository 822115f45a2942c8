//! Base64 (RFC 4648, RFC 2045), and `base64_decode` with the checks on what it decodes.

use weir_base::base64;

use super::{Buffer, Check};

/// Treatment of bytes that are not of the alphabet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base64Mode {
    /// Nothing is decoded then.
    Strict,
    /// The text ends there.
    Rfc4648,
    /// They are left out.
    Rfc2045,
}

/// Decodes as much as the mode allows, padded or not, and appends it.
pub fn decode(input: &[u8], mode: Base64Mode, output: &mut Vec<u8>) {
    let before = output.len();
    let (mut bits, mut digits) = (0u32, 0usize);
    let mut padding = 0;
    for (at, &byte) in input.iter().enumerate() {
        let Some(value) = base64::value(byte) else {
            if mode == Base64Mode::Rfc2045 && byte != b'=' {
                continue;
            }
            let rest = input.get(at..).unwrap_or_default();
            padding = rest.len();
            if mode == Base64Mode::Strict && rest.iter().any(|b| *b != b'=') {
                output.truncate(before);
                return;
            }
            break;
        };
        bits = (bits << 6) | u32::from(value);
        digits += 1;
        if digits == 4 {
            let [_, first, second, third] = bits.to_be_bytes();
            output.extend_from_slice(&[first, second, third]);
            (bits, digits) = (0, 0);
        }
    }
    if mode == Base64Mode::Strict && (digits + padding) % 4 != 0 {
        output.truncate(before);
        return;
    }
    // One digit is less than a byte; two are one byte, three are two.
    let [_, first, second, _] = (bits << (6 * (4 - digits))).to_be_bytes();
    match digits {
        2 => output.push(first),
        3 => output.extend_from_slice(&[first, second]),
        _ => {}
    }
}

/// Most bytes that `base64_decode` reads.
const MAX_ENCODED: usize = 65_536;

/// `base64_decode`
#[derive(Debug)]
pub struct Base64Decode {
    /// Bytes to read; all where it is not given.
    pub bytes: Option<usize>,
    /// Bytes skipped first.
    pub offset: usize,
    /// From where the check before ended.
    pub relative: bool,
    /// The checks on what was decoded.
    pub checks: Vec<Check>,
}

impl Base64Decode {
    /// Appends what the bytes behind `previous` decode to.
    pub(crate) fn decode(&self, buffer: &Buffer<'_>, previous: usize, decoded: &mut Vec<u8>) {
        let start = if self.relative { previous } else { 0 };
        let Some(part) = buffer.bytes.get(start.saturating_add(self.offset)..) else { return };
        let count = self.bytes.unwrap_or(MAX_ENCODED).min(MAX_ENCODED).min(part.len());
        decode(part.get(..count).unwrap_or_default(), Base64Mode::Rfc4648, decoded);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64() {
        use Base64Mode::{Rfc2045, Rfc4648, Strict};
        let cases: &[(&str, Base64Mode, &str)] = &[
            ("VGhpcyBpcyBTdXJpY2F0YQ==", Rfc4648, "This is Suricata"),
            ("dGhpc2lzYXRlc3QK", Rfc4648, "thisisatest\n"),
            ("Zm9v!YmFy", Rfc4648, "foo"),
            ("Zm9vYg", Rfc4648, "foob"),
            ("Zm9vYmE", Rfc4648, "fooba"),
            ("Zm 9v Ym\r\nFy", Rfc2045, "foobar"),
            ("Zm9vYg==", Strict, "foob"),
            ("Zm9vYg", Strict, ""),
            ("Zm9v!", Strict, ""),
            ("Zm9vYg=", Strict, ""),
            ("", Rfc4648, ""),
        ];
        for (input, mode, expected) in cases {
            let mut output = Vec::new();
            decode(input.as_bytes(), *mode, &mut output);
            assert_eq!(String::from_utf8_lossy(&output), *expected, "{input} {mode:?}");
        }
    }
}
