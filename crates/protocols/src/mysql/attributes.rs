//! Attributes before the text of a query, in the way that rows have of binary results.

use weir_base::Reader;

use super::value::{integer, text};

/// Goes behind the attributes.
pub fn skip(reader: &mut Reader<'_>) -> Option<()> {
    let count = usize::try_from(integer(reader)?).ok()?;
    let _sets = integer(reader)?;
    if count == 0 {
        return Some(());
    }
    let without_value = reader.take(count.div_ceil(8))?;
    // Whether types are sent: they always are.
    if reader.u8()? != 1 {
        return None;
    }
    // Each takes more than a byte: there are no more of them than bytes.
    let mut types = *reader;
    for _ in 0..count {
        next_type(reader)?;
    }
    for index in 0..count {
        let kind = next_type(&mut types)?;
        if without_value.get(index / 8)? >> (index % 8) & 1 == 0 {
            skip_value(kind, reader)?;
        }
    }
    Some(())
}

/// The type of an attribute, before its flags and its name.
fn next_type(reader: &mut Reader<'_>) -> Option<u8> {
    let kind = reader.u8()?;
    reader.skip(1)?;
    text(reader)?;
    Some(kind)
}

/// Goes behind a value, by its type.
fn skip_value(kind: u8, reader: &mut Reader<'_>) -> Option<()> {
    match kind {
        0x00 => integer(reader).map(drop),
        0x01 => reader.skip(1),
        0x02 | 0x0d => reader.skip(2),
        0x03 | 0x04 | 0x09 => reader.skip(4),
        0x05 | 0x08 => reader.skip(8),
        0x06 => Some(()),
        0x07 | 0x0a | 0x0c | 0x11 => moment(reader, &[0, 4, 7, 11]),
        0x0b => moment(reader, &[0, 8, 12]),
        0x0f | 0x10 | 0xf5..=0xff => text(reader).map(drop),
        _ => None,
    }
}

/// A moment or a span of time, as exact as its length.
fn moment(reader: &mut Reader<'_>, lengths: &[u8]) -> Option<()> {
    let length = reader.u8().filter(|length| lengths.contains(length))?;
    reader.skip(length.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_behind_attributes() {
        let cases: &[(&[u8], Option<&[u8]>)] = &[
            (b"\0\x01query", Some(b"query")),
            (b"\x01\x01\0\x01\xfe\0\x01a\x02bcquery", Some(b"query")),
            // Of these two, the first has no value.
            (b"\x02\x01\x01\x01\x08\0\0\x03\0\0\x04\0\0\0query", Some(b"query")),
            (b"\x01\x01\0\x01\x0c\0\0\x07abcdefgq", Some(b"q")),
            (b"\x01\x01\0\x01\x0b\0\0\x00q", Some(b"q")),
            (b"\x01\x01\0\x01\x0b\0\0\x07abcdefgq", None),
            (b"\x01\x01\0\x00\x01\0\0\0q", None),
            (b"\x01\x01\0\x01\x0e\0\0q", None),
            (b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01q", None),
            (b"", None),
        ];
        for (bytes, expected) in cases {
            let mut reader = Reader::new(bytes);
            assert_eq!(skip(&mut reader).map(|()| reader.rest()), *expected, "{bytes:02x?}");
        }
    }
}
