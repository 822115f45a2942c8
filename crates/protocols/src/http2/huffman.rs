//! The Huffman code of HPACK (RFC 7541 5.2, appendix B).
//!
//! Codes of a length are in the order of their symbols, so that the lengths alone tell the code.

use std::sync::LazyLock;

/// Bits of each byte's code.
const LENGTHS: [u8; 256] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28,
    28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6,
    6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7,
    8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7,
    15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24,
    23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23,
    23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26,
    26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20,
    21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27,
    27, 27, 26,
];

/// The longest code.
const LONGEST: u8 = 30;

/// The codes of one length.
struct Codes {
    length: u8,
    /// Where they end, in the upper bits of a word.
    end: u64,
    /// The first one.
    first: u64,
    symbols: Vec<u8>,
}

static CODES: LazyLock<Vec<Codes>> = LazyLock::new(|| {
    let mut codes = Vec::new();
    let mut next = 0_u64;
    for length in 1..=LONGEST {
        next <<= 1;
        let symbols: Vec<u8> = (0..=u8::MAX).zip(LENGTHS).filter(|s| s.1 == length).map(|s| s.0).collect();
        if symbols.is_empty() {
            continue;
        }
        let first = next;
        next += symbols.len() as u64;
        codes.push(Codes { length, end: next << (64 - length), first, symbols });
    }
    codes
});

/// Appends what `bytes` stand for; false where they are no code, or end in the middle of one.
pub fn decode(bytes: &[u8], out: &mut Vec<u8>) -> bool {
    let mut input = bytes.iter();
    // The next bits, the first one on top, and how many there are.
    let (mut window, mut held) = (0_u64, 0_u8);
    loop {
        while held <= 56
            && let Some(byte) = input.next()
        {
            window |= u64::from(*byte) << (56 - held);
            held += 8;
        }
        // The rest is padding: the upper bits of a code that is all ones (RFC 7541 5.2).
        let rest = window | u64::MAX.checked_shr(held.into()).unwrap_or(0);
        if held < 8 && rest == u64::MAX {
            return true;
        }
        let Some(codes) = CODES.iter().find(|codes| window < codes.end) else { return false };
        let index = (window >> (64 - codes.length)).wrapping_sub(codes.first);
        let Some(&symbol) = codes.symbols.get(index as usize).filter(|_| codes.length <= held) else {
            return false;
        };
        out.push(symbol);
        window <<= codes.length;
        held -= codes.length;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Bytes in this code.
    pub(in crate::http2) fn encode(bytes: &[u8]) -> Vec<u8> {
        let mut bits = String::new();
        for byte in bytes {
            let codes = CODES.iter().find(|codes| codes.symbols.contains(byte)).unwrap();
            let index = codes.symbols.iter().position(|symbol| symbol == byte).unwrap() as u64;
            bits += &format!("{:0width$b}", codes.first + index, width = usize::from(codes.length));
        }
        let padded = bits.len().next_multiple_of(8);
        bits.extend(std::iter::repeat_n('1', padded - bits.len()));
        bits.as_bytes()
            .chunks(8)
            .map(|bits| u8::from_str_radix(std::str::from_utf8(bits).unwrap(), 2).unwrap())
            .collect()
    }

    #[test]
    fn the_code_is_complete_but_for_its_end() {
        let sum: u64 = LENGTHS.iter().map(|length| 1 << (LONGEST - length)).sum();
        assert_eq!(sum + 1, 1 << LONGEST);
    }

    #[test]
    fn texts() {
        let cases: &[(&[u8], Option<&str>)] = &[
            (b"\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff", Some("www.example.com")),
            (
                b"\x9d\x29\xad\x17\x18\x63\xc7\x8f\x0b\x97\xc8\xe9\xae\x82\xae\x43\xd3",
                Some("https://www.example.com"),
            ),
            (b"\xff\xc7", Some("\0")),
            (b"", Some("")),
            (b"\xff", None),
            (b"\x1e", None),
            (b"\xff\xff\xff\xff", None),
        ];
        for (bytes, expected) in cases {
            let mut out = Vec::new();
            let found = decode(bytes, &mut out).then(|| String::from_utf8(out).unwrap());
            assert_eq!(found.as_deref(), *expected, "{bytes:02x?}");
        }
    }

    #[test]
    fn all_bytes_come_back() {
        let bytes: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
        for length in 0..bytes.len() {
            let mut out = Vec::new();
            assert!(decode(&encode(&bytes[..length]), &mut out));
            assert_eq!(out, bytes[..length]);
        }
    }
}
