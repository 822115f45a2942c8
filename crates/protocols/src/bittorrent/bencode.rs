//! Bencoding (BEP 3): numbers, strings, lists and directories.
//!
//! Limit: [`MAX_DEPTH`]; what is nested deeper makes no sense.

/// Deepest nesting.
const MAX_DEPTH: usize = 32;

/// A value of a directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value<'a> {
    /// A number.
    Number(i64),
    /// A string.
    String(&'a [u8]),
    /// A list, as it was written.
    List(&'a [u8]),
    /// A directory, as it was written.
    Directory(&'a [u8]),
}

/// Reason that nothing is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unread {
    /// More bytes are needed.
    Short,
    /// The bytes make no sense.
    Malformed,
}

/// An entry of a directory: its name and its value.
pub type Entry<'a> = (&'a [u8], Value<'a>);

/// Reads the directory that bytes begin with: its entries, and the bytes that it takes.
///
/// # Errors
///
/// More bytes are needed, or they make no sense.
pub fn directory(bytes: &[u8]) -> Result<(Vec<Entry<'_>>, usize), Unread> {
    match bytes.first() {
        None => return Err(Unread::Short),
        Some(b'd') => {}
        Some(_) => return Err(Unread::Malformed),
    }
    let mut entries = Vec::new();
    let mut at = 1;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        if rest.first() == Some(&b'e') {
            return Ok((entries, at + 1));
        }
        let (Value::String(name), length) = value(rest, MAX_DEPTH)? else { return Err(Unread::Malformed) };
        let (found, more) = value(rest.get(length..).unwrap_or_default(), MAX_DEPTH)?;
        entries.push((name, found));
        at += length + more;
    }
}

/// Reads the value that bytes begin with, and the bytes that it takes.
fn value(bytes: &[u8], depth: usize) -> Result<(Value<'_>, usize), Unread> {
    let depth = depth.checked_sub(1).ok_or(Unread::Malformed)?;
    match bytes.first() {
        None => Err(Unread::Short),
        Some(b'i') => {
            let (text, end) = until(bytes, 1, b'e')?;
            let number = text.parse().map_err(|_| Unread::Malformed)?;
            Ok((Value::Number(number), end))
        }
        Some(b'0'..=b'9') => {
            let (text, start) = until(bytes, 0, b':')?;
            let length: usize = text.parse().map_err(|_| Unread::Malformed)?;
            let end = start.checked_add(length).ok_or(Unread::Malformed)?;
            Ok((Value::String(bytes.get(start..end).ok_or(Unread::Short)?), end))
        }
        Some(kind @ (b'l' | b'd')) => {
            let mut at = 1;
            while *bytes.get(at).ok_or(Unread::Short)? != b'e' {
                at += value(bytes.get(at..).unwrap_or_default(), depth)?.1;
            }
            let whole = bytes.get(..=at).unwrap_or_default();
            Ok((if *kind == b'l' { Value::List(whole) } else { Value::Directory(whole) }, at + 1))
        }
        Some(_) => Err(Unread::Malformed),
    }
}

/// Most digits of a number.
const MAX_DIGITS: usize = 20;

/// Returns the text from `start` up to an end, and the place behind that.
fn until(bytes: &[u8], start: usize, end: u8) -> Result<(&str, usize), Unread> {
    let rest = bytes.get(start..).unwrap_or_default();
    let within = rest.get(..=MAX_DIGITS).unwrap_or(rest);
    match within.iter().position(|byte| *byte == end) {
        Some(length) => {
            let text = within.get(..length).and_then(|text| std::str::from_utf8(text).ok());
            Ok((text.ok_or(Unread::Malformed)?, start + length + 1))
        }
        None if within.len() > MAX_DIGITS => Err(Unread::Malformed),
        None => Err(Unread::Short),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories() {
        let deep = [b"d1:a".to_vec(), vec![b'l'; 40]].concat();
        type Case<'a> = (&'a [u8], Result<(Vec<Entry<'a>>, usize), Unread>);
        let cases: &[Case<'_>] = &[
            (b"de", Ok((vec![], 2))),
            (b"d1:ai-7eerest", Ok((vec![(b"a", Value::Number(-7))], 9))),
            (b"d1:a2:bce", Ok((vec![(b"a", Value::String(b"bc"))], 9))),
            (b"d1:ali1e1:xee", Ok((vec![(b"a", Value::List(b"li1e1:xe"))], 13))),
            (b"d1:ad1:bi1eee", Ok((vec![(b"a", Value::Directory(b"d1:bi1ee"))], 13))),
            (b"", Err(Unread::Short)),
            (b"d1:a", Err(Unread::Short)),
            (b"d1:a5:x", Err(Unread::Short)),
            (b"d1:ai1", Err(Unread::Short)),
            (b"le", Err(Unread::Malformed)),
            (b"di1ei1ee", Err(Unread::Malformed)),
            (b"d1:axe", Err(Unread::Malformed)),
            (b"d1:aixee", Err(Unread::Malformed)),
            (b"d99999999999999999999999", Err(Unread::Malformed)),
            (&deep, Err(Unread::Malformed)),
        ];
        for (bytes, expected) in cases {
            assert_eq!(directory(bytes), *expected, "{}", bytes.escape_ascii());
        }
    }
}
