//! The basic encoding rules (X.690), as far as protocols' messages need them: elements whose tag's number is less
//! than 31, however it is written, and whose length is given before.

use weir_base::{Reader, hex};

/// Tags.
pub mod tag {
    /// INTEGER
    pub const INTEGER: u8 = 0x02;
    /// OCTET STRING
    pub const OCTET_STRING: u8 = 0x04;
    /// OBJECT IDENTIFIER
    pub const OBJECT_IDENTIFIER: u8 = 0x06;
    /// SEQUENCE
    pub const SEQUENCE: u8 = 0x30;
}

/// Most bytes of a part of an object identifier: what 64 bits hold takes as many.
pub const MAX_PART: usize = 10;

/// The next element: its tag and its content.
pub fn element<'a>(reader: &mut Reader<'a>) -> Option<(u8, &'a [u8])> {
    let (tag, length) = head(reader)?;
    Some((tag, reader.take(length)?))
}

/// The tag of the next element, which is made of others: what is read next is the first of them, as far as it is there.
pub fn enter(reader: &mut Reader<'_>) -> Option<u8> {
    head(reader).map(|(tag, _)| tag)
}

/// The next element, as far as it is there: its tag and the beginning of its content.
pub fn beginning<'a>(reader: &mut Reader<'a>) -> Option<(u8, &'a [u8])> {
    let (tag, length) = head(reader)?;
    Some((tag, reader.take(length.min(reader.len()))?))
}

/// The tag of the next element and the length of its content.
fn head(reader: &mut Reader<'_>) -> Option<(u8, usize)> {
    let tag = tag(reader)?;
    let length = match reader.u8()? {
        short @ 0..=0x7f => usize::from(short),
        0x81 => usize::from(reader.u8()?),
        0x82 => usize::from(reader.u16()?),
        0x83 => usize::try_from(reader.u24()?).ok()?,
        0x84 => usize::try_from(reader.u32()?).ok()?,
        _ => return None,
    };
    Some((tag, length))
}

/// Where a tag's number is written behind it, what stands in its place.
const LONG: u8 = 0x1f;

/// A tag, in one byte.
fn tag(reader: &mut Reader<'_>) -> Option<u8> {
    let first = reader.u8()?;
    if first & LONG != LONG {
        return Some(first);
    }
    let number = reader.u8()?;
    (number < LONG).then_some(first & !LONG | number)
}

/// The content of the next element, if it has this tag.
pub fn tagged<'a>(reader: &mut Reader<'a>, wanted: u8) -> Option<&'a [u8]> {
    let (tag, content) = element(reader)?;
    (tag == wanted).then_some(content)
}

/// The next element, an integer.
pub fn integer(reader: &mut Reader<'_>) -> Option<i64> {
    signed(tagged(reader, tag::INTEGER)?)
}

/// The content of an integer, with its sign.
pub fn signed(content: &[u8]) -> Option<i64> {
    let first = *content.first()?;
    let start = if first & 0x80 == 0 { 0 } else { -1 };
    (content.len() <= 8).then(|| content.iter().fold(start, |value: i64, &byte| value << 8 | i64::from(byte)))
}

/// The content of an integer that is none below zero.
pub fn unsigned(content: &[u8]) -> Option<u64> {
    let digits = if let [0, rest @ ..] = content { rest } else { content };
    let fits = !content.is_empty() && digits.len() <= 8;
    fits.then(|| digits.iter().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

/// Writes an object identifier with dots, or its bytes where 64 bits do not hold every part (`2b 81 …`).
pub fn append_oid(content: &[u8], out: &mut Vec<u8>) {
    if parts(content.get(1..).unwrap_or_default()).any(|part| part.len() >= MAX_PART) {
        return hex::append_separated(out, content, b' ');
    }
    let mut is_first = true;
    for part in parts(content) {
        let mut value = part.iter().fold(0u64, |value, &byte| value << 7 | u64::from(byte & 0x7f));
        if std::mem::take(&mut is_first) {
            let root = (value / 40).min(2);
            append(root, out);
            value -= root * 40;
        }
        out.push(b'.');
        append(value, out);
    }
}

/// Returns the length in bytes of the longest part of an object identifier.
pub fn longest_part(content: &[u8]) -> usize {
    parts(content).map(<[u8]>::len).max().unwrap_or(0)
}

/// The parts of an object identifier; the last byte of each has no mark.
fn parts(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content.split_inclusive(|byte| byte & 0x80 == 0)
}

fn append(value: u64, out: &mut Vec<u8>) {
    use std::io::Write as _;
    let _ = write!(out, "{value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements() {
        type Case<'a> = (&'a [u8], Option<(u8, &'a [u8])>);
        let long = [&[0x04, 0x82, 0x01, 0x00][..], &[7; 256]].concat();
        let cases: &[Case<'_>] = &[
            (&[0x02, 0x01, 0x05], Some((2, &[5]))),
            (&[0x04, 0x00, 9], Some((4, &[]))),
            (&[0x04, 0x81, 0x02, 1, 2], Some((4, &[1, 2]))),
            (&long, Some((4, &[7; 256]))),
            (&[0x04, 0x84, 0, 0, 0, 1, 3], Some((4, &[3]))),
            (&[0xbf, 0x04, 0x01, 7], Some((0xa4, &[7]))),
            (&[0xbf, 0x1f, 0x01, 7], None),
            (&[0xbf, 0x84, 0x01, 0x01, 7], None),
            (&[0x04, 0x80, 0, 0], None),
            (&[0x04, 0x85, 0, 0, 0, 0, 1, 3], None),
            (&[0x04, 0x03, 1, 2], None),
            (&[0x04], None),
            (&[], None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(element(&mut Reader::new(bytes)), *expected, "{bytes:02x?}");
        }
        assert_eq!(tagged(&mut Reader::new(&[4, 1, 5]), tag::INTEGER), None);
        let mut reader = Reader::new(&[0x30, 0x82, 0x01, 0x00, 0x02, 0x01, 0x05]);
        assert_eq!(
            (enter(&mut reader), integer(&mut reader), enter(&mut reader)),
            (Some(0x30), Some(5), None)
        );
    }

    #[test]
    fn integers() {
        let cases: &[(&[u8], Option<i64>, Option<u64>)] = &[
            (&[0], Some(0), Some(0)),
            (&[0x7f], Some(127), Some(127)),
            (&[0xff], Some(-1), Some(255)),
            (&[0x00, 0xff], Some(255), Some(255)),
            (&[0xff, 0x00], Some(-256), Some(65_280)),
            (&[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], None, Some(u64::MAX)),
            (&[1; 9], None, None),
            (&[], None, None),
        ];
        for (content, with_sign, without) in cases {
            assert_eq!((signed(content), unsigned(content)), (*with_sign, *without), "{content:02x?}");
        }
    }

    #[test]
    fn object_identifiers() {
        let cases: &[(&[u8], &str, usize)] = &[
            (&[0x2b, 6, 1, 2, 1, 1, 3, 0], "1.3.6.1.2.1.1.3.0", 1),
            (&[0x2b, 6, 1, 4, 1, 0x81, 0xf4, 0x69, 0], "1.3.6.1.4.1.31337.0", 3),
            (&[0x88, 0x37], "2.999", 2),
            (&[1], "0.1", 1),
            (
                &[0x2b, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0],
                "2b 80 80 80 80 80 80 80 80 80 80 00",
                11,
            ),
            (&[0x2b, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0], "1.3.72057594037927936", 9),
            (&[0x2b, 0x81], "1.3.1", 1),
            (&[], "", 0),
        ];
        for (content, text, longest) in cases {
            let mut out = Vec::new();
            append_oid(content, &mut out);
            assert_eq!((String::from_utf8(out).unwrap().as_str(), longest_part(content)), (*text, *longest));
        }
    }
}
