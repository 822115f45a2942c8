//! Texts as messages hold them.

use weir_base::Reader;

/// A text without its zero bytes, as rules and records see names: one byte for each character that is one of ASCII,
/// also where it is sent in UTF-16.
pub(super) fn narrow(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| *byte != 0).collect()
}

/// The next text that ends with a zero, which stands at `place` in its message: in UTF-16 it is aligned, and comes
/// with one byte for each character. None where it has no end.
pub(super) fn terminated(reader: &mut Reader<'_>, place: usize, is_wide: bool) -> Option<Vec<u8>> {
    if !is_wide {
        let length = memchr::memchr(0, reader.rest())?;
        let text = reader.take(length)?.to_vec();
        reader.skip(1)?;
        return Some(text);
    }
    if place % 2 == 1 {
        reader.skip(1)?;
    }
    let mut text = Vec::new();
    loop {
        match (reader.u8()?, reader.u8()) {
            // At the end of a message, half of the zero may be left out.
            (0, None | Some(0)) => return Some(text),
            (_, None) => return None,
            (low, Some(_)) => text.push(low),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        assert_eq!(narrow(b"\\\0a\0b\0\0\0"), b"\\ab");
        type Case<'a> = (&'a [u8], usize, bool, Option<&'a [u8]>, &'a [u8]);
        let cases: &[Case<'_>] = &[
            (b"ab\0rest", 0, false, Some(b"ab"), b"rest"),
            (b"ab", 0, false, None, b"ab"),
            (b"a\0b\0\0\0rest", 2, true, Some(b"ab"), b"rest"),
            (b"_a\0b\0\0\0rest", 1, true, Some(b"ab"), b"rest"),
            (b"a\0\0", 0, true, Some(b"a"), b""),
            (b"a\0b", 0, true, None, b""),
            (b"\0\0x", 0, true, Some(b""), b"x"),
        ];
        for (bytes, place, is_wide, expected, rest) in cases {
            let mut reader = Reader::new(bytes);
            let text = terminated(&mut reader, *place, *is_wide);
            assert_eq!((text.as_deref(), reader.rest()), (*expected, *rest), "{bytes:02x?}");
        }
    }
}
