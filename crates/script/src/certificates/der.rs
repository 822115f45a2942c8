//! The encoding of certificates (X.690), as far as it is read without a library: elements, and the parts of a certificate
//! (RFC 5280 4.1).

use weir_base::Reader;

/// Tags.
pub mod tag {
    pub const INTEGER: u8 = 0x02;
    pub const BITS: u8 = 0x03;
    pub const OCTETS: u8 = 0x04;
    pub const OID: u8 = 0x06;
    pub const ENUMERATED: u8 = 0x0a;
    pub const GENERALIZED_TIME: u8 = 0x18;
    pub const SEQUENCE: u8 = 0x30;
    /// Those that depend on where they stand.
    pub const EXPLICIT_0: u8 = 0xa0;
    pub const EXPLICIT_1: u8 = 0xa1;
    pub const EXPLICIT_2: u8 = 0xa2;
    pub const EXPLICIT_3: u8 = 0xa3;
    pub const GOOD: u8 = 0x80;
}

/// An element: its tag, its content, and all of it.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a> {
    pub tag: u8,
    pub content: &'a [u8],
    pub whole: &'a [u8],
}

/// Takes the next element (X.690 8.1).
pub fn element<'a>(reader: &mut Reader<'a>) -> Option<Element<'a>> {
    let whole = reader.rest();
    let tag = reader.u8()?;
    let length = match reader.u8()? {
        short @ 0..=0x7f => usize::from(short),
        0x81 => usize::from(reader.u8()?),
        0x82 => usize::from(reader.u16()?),
        0x83 => reader.u24()? as usize,
        _ => return None,
    };
    let content = reader.take(length)?;
    Some(Element { tag, content, whole: whole.get(..whole.len().saturating_sub(reader.len()))? })
}

/// Takes the next element where it has a tag; others are left.
pub fn tagged<'a>(reader: &mut Reader<'a>, tag: u8) -> Option<Element<'a>> {
    if reader.peek()? != tag {
        return None;
    }
    element(reader)
}

/// Appends an element.
pub fn append(out: &mut Vec<u8>, tag: u8, content: &[u8]) {
    out.push(tag);
    let length = content.len().to_be_bytes();
    match content.len() {
        0..=0x7f => out.push(content.len() as u8),
        _ => {
            let zeros = length.iter().take_while(|byte| **byte == 0).count();
            let digits = length.get(zeros..).unwrap_or_default();
            out.push(0x80 | digits.len() as u8);
            out.extend_from_slice(digits);
        }
    }
    out.extend_from_slice(content);
}

/// Parts of a certificate: names and the key with their heads, the serial number without, and the bits of the key.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    pub serial: &'a [u8],
    pub issuer: &'a [u8],
    pub subject: &'a [u8],
    pub key_info: &'a [u8],
    pub key: &'a [u8],
}

impl<'a> Parts<'a> {
    /// Reads them.
    pub fn of(der: &'a [u8]) -> Option<Self> {
        let sequence = |reader: &mut Reader<'a>| tagged(reader, tag::SEQUENCE);
        let certificate = sequence(&mut Reader::new(der))?;
        let signed = sequence(&mut Reader::new(certificate.content))?;
        let mut signed = Reader::new(signed.content);
        let _version = tagged(&mut signed, tag::EXPLICIT_0);
        let serial = element(&mut signed)?.content;
        let _algorithm = sequence(&mut signed)?;
        let issuer = sequence(&mut signed)?.whole;
        let _validity = sequence(&mut signed)?;
        let subject = sequence(&mut signed)?.whole;
        let key_info = sequence(&mut signed)?;
        let mut key = Reader::new(key_info.content);
        let _algorithm = sequence(&mut key)?;
        let bits = tagged(&mut key, tag::BITS)?.content;
        // The first byte counts unused bits.
        Some(Self { serial, issuer, subject, key_info: key_info.whole, key: bits.get(1..)? })
    }
}

/// Returns a name (RFC 5280 4.1.2.4) in the form in which names are compared (7.1): text of any kind in small letters,
/// with single blanks.
pub fn comparable(name: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(name.len());
    let mut list = Reader::new(tagged(&mut Reader::new(name), tag::SEQUENCE)?.content);
    while !list.is_empty() {
        let mut set = Reader::new(element(&mut list)?.content);
        while !set.is_empty() {
            let mut pair = Reader::new(tagged(&mut set, tag::SEQUENCE)?.content);
            out.extend_from_slice(tagged(&mut pair, tag::OID)?.whole);
            let value = element(&mut pair)?;
            append_comparable(&mut out, &value);
        }
        out.push(0);
    }
    Some(out)
}

fn append_comparable(out: &mut Vec<u8>, value: &Element<'_>) {
    match value.tag {
        // Text of one byte a character, or UTF-8.
        0x0c | 0x13 | 0x14 | 0x16 | 0x1a => {
            let words = value.content.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            for word in words {
                out.extend(word.iter().map(u8::to_ascii_lowercase));
                out.push(b' ');
            }
        }
        // Of two bytes.
        0x1e => {
            let (units, _) = value.content.as_chunks::<2>();
            let units: Vec<u16> = units.iter().map(|pair| u16::from_be_bytes(*pair)).collect();
            let text = String::from_utf16_lossy(&units);
            for word in text.split_ascii_whitespace() {
                out.extend(word.bytes().map(|byte| byte.to_ascii_lowercase()));
                out.push(b' ');
            }
        }
        _ => out.extend_from_slice(value.whole),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
        let mut out = Vec::new();
        append(&mut out, tag, &parts.concat());
        out
    }

    #[test]
    fn parts_of_a_certificate() {
        let (issuer, subject) = (der(tag::SEQUENCE, &[b"issuer"]), der(tag::SEQUENCE, &[b"subject"]));
        let empty = der(tag::SEQUENCE, &[]);
        let key = der(tag::SEQUENCE, &[&empty, &der(tag::BITS, &[b"\0key"])]);
        let signed = der(
            tag::SEQUENCE,
            &[&der(tag::EXPLICIT_0, &[b"2"]), &der(2, &[b"1"]), &empty, &issuer, &empty, &subject, &key],
        );
        let whole = der(tag::SEQUENCE, &[&signed]);
        let parts = Parts::of(&whole).unwrap();
        assert_eq!((parts.issuer, parts.subject, parts.key), (&issuer[..], &subject[..], &b"key"[..]));
        assert_eq!((parts.serial, parts.key_info), (&b"1"[..], &key[..]));
        for length in 0..whole.len() {
            assert!(Parts::of(&whole[..length]).is_none(), "{length}");
        }
    }

    #[test]
    fn lengths_of_any_size() {
        for length in [0, 1, 0x7f, 0x80, 0xff, 0x100, 0x10000] {
            let content = vec![7; length];
            let whole = der(tag::OCTETS, &[&content]);
            let read = element(&mut Reader::new(&whole)).unwrap();
            assert_eq!((read.content.len(), read.whole.len()), (length, whole.len()), "{length}");
        }
    }

    #[test]
    fn names_are_compared_by_their_text() {
        let name = |tag: u8, text: &[u8]| {
            let pair = der(tag::SEQUENCE, &[&der(tag::OID, &[&[0x55, 4, 3]]), &der(tag, &[text])]);
            der(tag::SEQUENCE, &[&der(0x31, &[&pair])])
        };
        let plain = comparable(&name(0x13, b"A Name")).unwrap();
        for (tag, text, is_same) in [
            (0x0c, &b"a  name "[..], true),
            (0x1e, &b"\0A\0 \0n\0a\0m\0e"[..], true),
            (0x13, b"Aname", false),
            (0x04, b"A Name", false),
        ] {
            assert_eq!(comparable(&name(tag, text)).unwrap() == plain, is_same, "{text:?}");
        }
        assert_eq!(comparable(b"\x30\x05\x31"), None);
    }
}
