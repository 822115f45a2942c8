//! Bencoding (BEP 3): numbers, bytes, lists and dictionaries.

use weir_base::Reader;

/// Most lists and dictionaries within each other, the outermost one counted.
pub const MAX_DEPTH: usize = 3;

/// A value. What lists and dictionaries hold was found to be sound when they were read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value<'a> {
    /// The digits of a number, with its sign.
    Integer(&'a [u8]),
    /// Bytes.
    Bytes(&'a [u8]),
    /// A list.
    List(Items<'a>),
    /// A dictionary.
    Dictionary(Items<'a>),
}

/// The values of a list, or the keys and values of a dictionary in turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Items<'a> {
    encoded: &'a [u8],
    /// Lists and dictionaries that may lie within each other here.
    depth: usize,
}

impl<'a> Value<'a> {
    /// Reads the value that `bytes` begin with; what follows it is not looked at.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        value(&mut Reader::new(bytes), MAX_DEPTH)
    }

    /// Returns the bytes, where it is some.
    pub const fn bytes(self) -> Option<&'a [u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    /// Returns the bytes, where they are text in UTF-8.
    pub fn text(self) -> Option<&'a str> {
        str::from_utf8(self.bytes()?).ok()
    }

    /// Returns the number, where it is one that `T` can hold.
    pub fn number<T: std::str::FromStr>(self) -> Option<T> {
        let Self::Integer(digits) = self else { return None };
        str::from_utf8(digits).ok()?.parse().ok()
    }

    /// Returns the keys and values, where it is a dictionary.
    pub fn entries(self) -> Option<impl Iterator<Item = (&'a [u8], Self)>> {
        let Self::Dictionary(items) = self else { return None };
        let mut values = items.values();
        Some(std::iter::from_fn(move || Some((values.next()?.bytes()?, values.next()?))))
    }

    /// Returns the values, where it is a list.
    pub fn list(self) -> Option<impl Iterator<Item = Self>> {
        if let Self::List(items) = self { Some(items.values()) } else { None }
    }
}

impl<'a> Items<'a> {
    fn values(self) -> impl Iterator<Item = Value<'a>> {
        let mut reader = Reader::new(self.encoded);
        std::iter::from_fn(move || value(&mut reader, self.depth))
    }
}

fn value<'a>(reader: &mut Reader<'a>, depth: usize) -> Option<Value<'a>> {
    match reader.peek()? {
        b'0'..=b'9' => bytes(reader).map(Value::Bytes),
        b'i' => {
            reader.skip(1)?;
            let number = until(reader, b'e')?;
            let digits = number.strip_prefix(b"-").unwrap_or(number);
            (is_canonical(digits) && number != b"-0").then_some(Value::Integer(number))
        }
        b'l' => {
            let items = items(reader, depth, |reader, depth| value(reader, depth).map(|_| ()))?;
            Some(Value::List(items))
        }
        b'd' => {
            let mut last = None;
            let items = items(reader, depth, |reader, depth| {
                // Keys are in order, and none is there twice.
                let key = Some(bytes(reader)?);
                (key > last).then_some(())?;
                last = key;
                value(reader, depth).map(|_| ())
            })?;
            Some(Value::Dictionary(items))
        }
        _ => None,
    }
}

/// Reads a list or a dictionary, whose elements `element` reads.
fn items<'a>(
    reader: &mut Reader<'a>,
    depth: usize,
    mut element: impl FnMut(&mut Reader<'a>, usize) -> Option<()>,
) -> Option<Items<'a>> {
    let depth = depth.checked_sub(1)?;
    reader.skip(1)?;
    let all = reader.rest();
    while reader.peek()? != b'e' {
        element(reader, depth)?;
    }
    let encoded = all.get(..all.len().checked_sub(reader.rest().len())?)?;
    reader.skip(1)?;
    Some(Items { encoded, depth })
}

fn bytes<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = until(reader, b':')?;
    is_canonical(length).then_some(())?;
    reader.take(str::from_utf8(length).ok()?.parse().ok()?)
}

/// Takes digits up to `end`, and that.
fn until<'a>(reader: &mut Reader<'a>, end: u8) -> Option<&'a [u8]> {
    /// Most bytes of a number that fits 64 bits, with its sign.
    const MOST: usize = 20;
    let place = reader.rest().iter().take(MOST + 1).position(|&byte| byte == end)?;
    let digits = reader.take(place)?;
    reader.skip(1)?;
    Some(digits)
}

/// Whether bytes are digits without a zero before them.
fn is_canonical(digits: &[u8]) -> bool {
    !digits.is_empty()
        && digits.iter().all(u8::is_ascii_digit)
        && (digits.len() == 1 || !digits.starts_with(b"0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(Value::read(b"4:spamrest"), Some(Value::Bytes(b"spam")));
        assert_eq!(Value::read(b"0:").and_then(Value::text), Some(""));
        assert_eq!(Value::read(b"i-3e").and_then(Value::number), Some(-3));
        assert_eq!(Value::read(b"i256e").and_then(Value::number::<u8>), None);
        let list: Vec<_> = Value::read(b"l1:ai7ee").unwrap().list().unwrap().collect();
        assert_eq!(list, [Value::Bytes(b"a"), Value::Integer(b"7")]);
        let entries: Vec<_> = Value::read(b"d1:a1:x1:bi0ee").unwrap().entries().unwrap().collect();
        assert_eq!(entries, [(&b"a"[..], Value::Bytes(b"x")), (b"b", Value::Integer(b"0"))]);
    }

    #[test]
    fn unsound_values() {
        let cases: &[&[u8]] = &[
            b"",
            b"x",
            b"5:spam",
            b"04:spam",
            b"4",
            b"99999999999999999999999:x",
            b"ie",
            b"i-e",
            b"i-0e",
            b"i03e",
            b"i1",
            b"l1:a",
            b"d1:a",
            b"d1:ae",
            b"di1e1:ae",
            b"d1:b1:x1:a1:ye",
            b"d1:a1:x1:a1:ye",
            b"llllleeee",
            b"llllee",
        ];
        for case in cases {
            assert_eq!(Value::read(case), None, "{}", case.escape_ascii());
        }
        assert!(Value::read(b"llleee").is_some());
    }
}
