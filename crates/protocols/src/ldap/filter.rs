//! Filters of searches (RFC 4511 4.5.1.7), and how Zeek writes them.

use std::io::Write as _;

use weir_base::Reader;

use crate::ber::{self, tag};

/// Nesting of filters.
pub const MAX_DEPTH: usize = 32;

/// Longest text that is made of a filter.
const MAX_TEXT: usize = 1 << 16;

/// Text in place of a filter that is none.
const UNREADABLE: &[u8] = b"FILTER_PARSING_ERROR";

/// The class of a filter's tag, and its kinds by the rest of it.
const CONTEXT: u8 = 0x80;
const CONSTRUCTED: u8 = 0x20;
const AND: u8 = 0;
const OR: u8 = 1;
const NOT: u8 = 2;
const EQUAL: u8 = 3;
const SUBSTRINGS: u8 = 4;
const GREATER_OR_EQUAL: u8 = 5;
const LESS_OR_EQUAL: u8 = 6;
const PRESENT: u8 = 7;
const APPROXIMATE: u8 = 8;
const EXTENSIBLE: u8 = 9;

/// The attribute of a filter that asks whether there is any value of it.
pub fn present(filter: &[u8]) -> Option<&[u8]> {
    let (kind, content) = next(&mut Reader::new(filter))?;
    (kind == PRESENT).then_some(content)
}

/// Whether these bytes are a filter.
pub fn is_filter(bytes: &[u8]) -> bool {
    check(&mut Reader::new(bytes), MAX_DEPTH).is_some()
}

/// The next filter: its kind and its content.
fn next<'a>(reader: &mut Reader<'a>) -> Option<(u8, &'a [u8])> {
    let (tag, content) = ber::element(reader)?;
    (tag & !CONSTRUCTED & 0xe0 == CONTEXT).then_some((tag & 0x1f, content))
}

fn check(reader: &mut Reader<'_>, depth: usize) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    let (kind, content) = next(reader)?;
    let mut reader = Reader::new(content);
    match kind {
        AND | OR => {
            check(&mut reader, depth)?;
            while check(&mut reader, depth).is_some() {}
            Some(())
        }
        NOT => check(&mut reader, depth),
        EQUAL | GREATER_OR_EQUAL | LESS_OR_EQUAL | APPROXIMATE => pair(&mut reader).map(drop),
        SUBSTRINGS => {
            text(&mut reader)?;
            let mut parts = Reader::new(ber::tagged(&mut reader, tag::SEQUENCE)?);
            substring(&mut parts).map(drop)
        }
        PRESENT => std::str::from_utf8(content).ok().map(drop),
        EXTENSIBLE => Extensible::read(&mut reader).map(drop),
        _ => None,
    }
}

fn text<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    ber::tagged(reader, tag::OCTET_STRING).filter(|text| std::str::from_utf8(text).is_ok())
}

/// An attribute and a value.
fn pair<'a>(reader: &mut Reader<'a>) -> Option<(&'a [u8], &'a [u8])> {
    Some((text(reader)?, ber::tagged(reader, tag::OCTET_STRING)?))
}

/// A part of a value: which one, and what it is.
fn substring<'a>(reader: &mut Reader<'a>) -> Option<(u8, &'a [u8])> {
    next(reader).filter(|(which, _)| *which <= 2)
}

/// A comparison by a rule that has a name.
struct Extensible<'a> {
    rule: &'a [u8],
    attribute: &'a [u8],
    value: &'a [u8],
}

impl<'a> Extensible<'a> {
    fn read(reader: &mut Reader<'a>) -> Option<Self> {
        let mut found = Self { rule: b"", attribute: b"", value: b"" };
        loop {
            let (number, content) = next(reader)?;
            match number {
                1 => found.rule = content,
                2 => found.attribute = content,
                3 => {
                    found.value = content;
                    return Some(found);
                }
                _ => return None,
            }
        }
    }
}

/// Writes a filter as Zeek does: of more than two that all, or any, are to hold, each pair stands by itself.
pub fn append(filter: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let written = Writer { out, most: start.saturating_add(MAX_TEXT) }
        .filter(&mut Reader::new(filter), MAX_DEPTH)
        .is_some();
    if !written {
        out.truncate(start);
        out.extend_from_slice(UNREADABLE);
    }
}

struct Writer<'a> {
    out: &'a mut Vec<u8>,
    /// Most bytes of the text.
    most: usize,
}

impl Writer<'_> {
    fn filter(&mut self, reader: &mut Reader<'_>, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let (kind, content) = next(reader)?;
        let mut inner = Reader::new(content);
        match kind {
            AND => self.list(b'&', &mut inner, depth)?,
            OR => self.list(b'|', &mut inner, depth)?,
            NOT => {
                self.out.extend_from_slice(b"(!");
                self.filter(&mut inner, depth)?;
                self.out.push(b')');
            }
            EQUAL => self.comparison(b"=", &mut inner)?,
            GREATER_OR_EQUAL => self.comparison(b">=", &mut inner)?,
            LESS_OR_EQUAL => self.comparison(b"<=", &mut inner)?,
            APPROXIMATE => self.comparison(b"~=", &mut inner)?,
            SUBSTRINGS => self.substrings(&mut inner)?,
            PRESENT => {
                self.out.push(b'(');
                self.out.extend_from_slice(content);
                self.out.extend_from_slice(b"=*)");
            }
            EXTENSIBLE => {
                let Extensible { rule, attribute, value } = Extensible::read(&mut inner)?;
                self.out.push(b'(');
                escape(attribute, self.out);
                self.out.push(b':');
                self.out.extend_from_slice(rule);
                self.out.extend_from_slice(b":=");
                self.out.extend_from_slice(value);
                self.out.push(b')');
            }
            _ => return None,
        }
        (self.out.len() <= self.most).then_some(())
    }

    fn list(&mut self, sign: u8, reader: &mut Reader<'_>, depth: usize) -> Option<()> {
        // How many there are says how many parentheses stand before the first one.
        let mut count = 0usize;
        let mut ahead = Reader::new(reader.rest());
        while !ahead.is_empty() {
            ber::element(&mut ahead)?;
            count += 1;
        }
        for _ in 0..count.saturating_sub(1).max(1) {
            self.out.extend_from_slice(&[b'(', sign]);
        }
        for index in 0..count {
            self.filter(reader, depth)?;
            if index > 0 || count == 1 {
                self.out.push(b')');
            }
        }
        Some(())
    }

    fn comparison(&mut self, sign: &[u8], reader: &mut Reader<'_>) -> Option<()> {
        let attribute = ber::tagged(reader, tag::OCTET_STRING)?;
        let value = ber::tagged(reader, tag::OCTET_STRING)?;
        self.out.push(b'(');
        self.out.extend_from_slice(attribute);
        self.out.extend_from_slice(sign);
        append_value(attribute, value, self.out);
        self.out.push(b')');
        Some(())
    }

    fn substrings(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let attribute = ber::tagged(reader, tag::OCTET_STRING)?;
        let mut parts = Reader::new(ber::tagged(reader, tag::SEQUENCE)?);
        let (mut first, mut last, mut between) = (&b""[..], &b""[..], Vec::new());
        while !parts.is_empty() {
            match substring(&mut parts)? {
                (0, part) => first = part,
                (1, part) => {
                    escape(part, &mut between);
                    between.push(b'*');
                }
                (_, part) => last = part,
            }
        }
        self.out.push(b'(');
        self.out.extend_from_slice(attribute);
        self.out.push(b'=');
        escape(first, self.out);
        self.out.push(b'*');
        self.out.extend_from_slice(&between);
        escape(last, self.out);
        self.out.push(b')');
        Some(())
    }
}

/// Writes text; what would be read as a part of the filter is escaped.
fn escape(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            // Zeek means the backslash by 27.
            0 | 27 | b'(' | b')' | b'*' => _ = write!(out, "\\{byte:02x}"),
            _ => out.push(byte),
        }
    }
}

/// Writes a value, which some attributes of Active Directory have in a form of their own (MS-ADTS 6.3.3).
fn append_value(attribute: &[u8], value: &[u8], out: &mut Vec<u8>) {
    match (attribute, value) {
        (b"DomainGuid", [a, b, c, d, e, f, g, h, rest @ ..]) if rest.len() == 8 => {
            let _ = write!(out, "{d:02x}{c:02x}{b:02x}{a:02x}-{f:02x}{e:02x}-{h:02x}{g:02x}-");
            for (index, byte) in rest.iter().enumerate() {
                let dash = if index == 1 { "-" } else { "" };
                let _ = write!(out, "{byte:02x}{dash}");
            }
        }
        (b"DomainGuid", _) => out.extend_from_slice(b"GUID_FORMAT_FAILED"),
        (b"objectSid" | b"AAC", _) => {
            for (index, byte) in value.iter().enumerate() {
                let colon = if index > 0 { ":" } else { "" };
                let _ = write!(out, "{colon}{byte:02x}");
            }
        }
        (b"DomainSid", _) => append_security_identifier(value, out),
        (b"NtVer", [a, b, c, d]) => _ = write!(out, "0x{d:02x}{c:02x}{b:02x}{a:02x}"),
        (b"NtVer", _) => out.extend_from_slice(b"HEX_FORMAT_FAILED"),
        _ => escape(value, out),
    }
}

/// `S-1-5-21-…`
fn append_security_identifier(value: &[u8], out: &mut Vec<u8>) {
    let mut reader = Reader::new(value);
    let parts = (value.len() == 24).then(|| {
        let revision = reader.u8()?;
        let _count = reader.u8()?;
        let authority = u64::from(reader.u16()?) << 32 | u64::from(reader.u32()?);
        let rest = [reader.u32_le()?, reader.u32_le()?, reader.u32_le()?, reader.u32_le()?];
        Some((revision, authority, rest))
    });
    match parts.flatten() {
        Some((revision, authority, [a, b, c, d])) => {
            let _ = write!(out, "S-{revision}-{authority}-{a}-{b}-{c}-{d}");
        }
        None => out.extend_from_slice(b"SID_FORMAT_FAILED"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ldap::tests::tlv;

    fn equal(attribute: &str, value: &[u8]) -> Vec<u8> {
        tlv(0xa3, &[tlv(4, attribute.as_bytes()), tlv(4, value)].concat())
    }

    #[test]
    fn texts() {
        let (a, b, c) = (equal("a", b"1"), equal("b", b"2"), equal("c", b"3"));
        let parts = [tlv(0x80, b"x"), tlv(0x81, b"y"), tlv(0x81, b"z"), tlv(0x82, b"(")].concat();
        let guid: Vec<u8> = (0..16).collect();
        let sid =
            [&[1, 4, 0, 0, 0, 0, 0, 5][..], &[21, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]].concat();
        let deep = (0..MAX_DEPTH).fold(tlv(0x87, b"a"), |inner, _| tlv(0xa2, &inner));
        let cases: &[(Vec<u8>, &str)] = &[
            (tlv(0x87, b"objectClass"), "(objectClass=*)"),
            (a.clone(), "(a=1)"),
            (tlv(0xa0, &a), "(&(a=1))"),
            (tlv(0xa0, &[&a[..], &b].concat()), "(&(a=1)(b=2))"),
            (tlv(0xa1, &[&a[..], &b, &c].concat()), "(|(|(a=1)(b=2))(c=3))"),
            (tlv(0xa2, &a), "(!(a=1))"),
            (tlv(0xa4, &[tlv(4, b"a"), tlv(0x30, &parts)].concat()), "(a=x*y*z*\\28)"),
            (tlv(0xa5, &[tlv(4, b"a"), tlv(4, b"1")].concat()), "(a>=1)"),
            (tlv(0xa6, &[tlv(4, b"a"), tlv(4, b"1")].concat()), "(a<=1)"),
            (tlv(0xa8, &[tlv(4, b"a"), tlv(4, b"*")].concat()), "(a~=\\2a)"),
            (tlv(0xa9, &[tlv(0x81, b"r"), tlv(0x82, b"a"), tlv(0x83, b"v")].concat()), "(a:r:=v)"),
            (equal("NtVer", &[6, 0, 0, 0x20]), "(NtVer=0x20000006)"),
            (equal("NtVer", &[6]), "(NtVer=HEX_FORMAT_FAILED)"),
            (equal("AAC", &[1, 0xff]), "(AAC=01:ff)"),
            (equal("DomainGuid", &guid), "(DomainGuid=03020100-0504-0706-0809-0a0b0c0d0e0f)"),
            (equal("DomainGuid", b""), "(DomainGuid=GUID_FORMAT_FAILED)"),
            (equal("DomainSid", &sid), "(DomainSid=S-1-5-21-1-2-3)"),
            (equal("DomainSid", b""), "(DomainSid=SID_FORMAT_FAILED)"),
            (tlv(0x04, b"a"), "FILTER_PARSING_ERROR"),
            (tlv(0xa0, b"\x04"), "FILTER_PARSING_ERROR"),
            (deep, "FILTER_PARSING_ERROR"),
        ];
        for (filter, expected) in cases {
            let mut out = Vec::new();
            append(filter, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), *expected);
            assert_eq!(is_filter(filter), *expected != "FILTER_PARSING_ERROR", "{expected}");
        }
        assert_eq!((present(&tlv(0x87, b"a")), present(&a)), (Some(&b"a"[..]), None));
    }
}
