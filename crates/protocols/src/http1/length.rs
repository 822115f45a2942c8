//! Lengths of bodies: `Content-Length` values and chunk sizes, RFC 9112 sections 6.2 and 7.1.

use super::octets::{decimal, hex_digit, is_blank, run, tail, take_while};

/// Largest chunk that is believed.
const MAX_CHUNK: u64 = i32::MAX as u64;

/// A `Content-Length` value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ContentLength {
    /// The number.
    pub value: u64,
    /// Something else stands before it.
    pub junk_before: bool,
    /// Something else stands behind it.
    pub junk_after: bool,
}

/// The first number of a `Content-Length` value; none where there is none or it is too large.
pub(super) fn content_length(value: &[u8]) -> Option<ContentLength> {
    let rest = tail(value, run(value, is_blank));
    let junk = run(rest, |byte| !byte.is_ascii_digit());
    let (digits, rest) = take_while(tail(rest, junk), |byte| byte.is_ascii_digit());
    let value = decimal(digits)?;
    Some(ContentLength { value, junk_before: junk > 0, junk_after: run(rest, is_blank) < rest.len() })
}

/// Content of a chunk size line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ChunkSize {
    /// Nothing: the next line is to be looked at.
    Empty,
    /// More than can be believed.
    TooLarge,
    /// This many bytes follow; zero for the end of the body.
    Bytes {
        /// Number of bytes.
        length: u64,
        /// With a chunk extension.
        extended: bool,
    },
    /// It is no chunk size.
    Invalid,
}

/// Control characters that may stand before a chunk size.
pub(super) const fn is_chunk_control(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | b' ' | b'\t' | 0x0b | 0x0c)
}

/// Reads a chunk size line, line end included.
pub(super) fn chunk_size(line: &[u8]) -> ChunkSize {
    let rest = tail(line, run(line, is_chunk_control));
    if rest.is_empty() {
        return ChunkSize::Empty;
    }
    let (digits, rest) = take_while(rest, |byte| byte.is_ascii_hexdigit());
    let rest = tail(rest, run(rest, is_blank));
    if digits.is_empty() {
        return if rest.is_empty() { ChunkSize::Empty } else { ChunkSize::Invalid };
    }
    let length = digits
        .iter()
        .try_fold(0u64, |length, &digit| length.checked_mul(16)?.checked_add(u64::from(hex_digit(digit)?)));
    match length {
        None => ChunkSize::Invalid,
        Some(length) if length > MAX_CHUNK => ChunkSize::TooLarge,
        Some(length) => ChunkSize::Bytes { length, extended: rest.contains(&b';') },
    }
}

/// Whether the start of a chunk size line without its end can still become one.
pub(super) fn may_be_chunk_size(bytes: &[u8]) -> bool {
    tail(bytes, run(bytes, is_chunk_control)).first().is_none_or(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_lengths() {
        let found = |value, junk_before, junk_after| Some(ContentLength { value, junk_before, junk_after });
        let cases: [(&[u8], Option<ContentLength>); 8] = [
            (b"10", found(10, false, false)),
            (b"  10 \t", found(10, false, false)),
            (b"+10", found(10, true, false)),
            (b"10abc", found(10, false, true)),
            (b"5, 6", found(5, false, true)),
            (b"", None),
            (b"abc", None),
            (b"99999999999999999999", None),
        ];
        for (text, expected) in cases {
            assert_eq!(content_length(text), expected, "{text:?}");
        }
    }

    #[test]
    fn chunk_sizes() {
        let bytes = |length, extended| ChunkSize::Bytes { length, extended };
        let cases: [(&[u8], ChunkSize); 12] = [
            (b"a\r\n", bytes(10, false)),
            (b"  000A  \r\n", bytes(10, false)),
            (b"0\n", bytes(0, false)),
            (b"5;name=value\r\n", bytes(5, true)),
            (b"5 junk\r\n", bytes(5, false)),
            (b"\r\n", ChunkSize::Empty),
            (b" \r\n", ChunkSize::Empty),
            (b"80000000\r\n", ChunkSize::TooLarge),
            (b"7fffffff\r\n", bytes(0x7fff_ffff, false)),
            (b"x\r\n", ChunkSize::Invalid),
            (b"0x5\r\n", bytes(0, false)),
            (b"ffffffffffffffffff\r\n", ChunkSize::Invalid),
        ];
        for (line, expected) in cases {
            assert_eq!(chunk_size(line), expected, "{line:?}");
        }
        assert!(may_be_chunk_size(b"\r\n 5"));
        assert!(may_be_chunk_size(b"\r"));
        assert!(!may_be_chunk_size(b"\r\nxy"));
    }
}
