//! Parameters of header values (`filename` of `Content-Disposition`, `boundary` of `Content-Type`)
//! and `Content-Range`.

use super::octets::{decimal, is_blank, run, strip_prefix, tail, take_while, trim};
use super::ranges::Range;

/// Most sections of a file name.
const MAX_SECTIONS: usize = 32;

/// The value of a parameter, without quotes, unescaped.
pub(crate) fn parameter(value: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let mut rest = value;
    while !rest.is_empty() {
        // The first piece is the type itself, if it has no equals sign.
        let (key, after) = take_while(rest, |byte| byte != b';' && byte != b'=');
        let Some(text) = after.strip_prefix(b"=") else {
            rest = tail(after, 1);
            continue;
        };
        let text = tail(text, run(text, is_blank));
        let is_wanted = trim(key).eq_ignore_ascii_case(name);
        let after = match text.strip_prefix(b"\"") {
            Some(quoted) => {
                if let Some(plain) = unescaped(quoted).filter(|_| is_wanted) {
                    return Some(plain.to_vec());
                }
                let mut found = Vec::new();
                let after = unquote(quoted, &mut |byte| found.extend(is_wanted.then_some(byte)));
                if is_wanted {
                    return Some(found);
                }
                after
            }
            None => {
                let (plain, after) = take_while(text, |byte| byte != b';');
                if is_wanted {
                    return Some(trim(plain).to_vec());
                }
                after
            }
        };
        let (_, after) = take_while(after, |byte| byte != b';');
        rest = tail(after, 1);
    }
    None
}

/// The name of a file: `filename`, or its sections `filename*0`, `filename*1` … joined (RFC 2231).
pub(crate) fn file_name(value: &[u8]) -> Option<Vec<u8>> {
    if let Some(name) = parameter(value, b"filename") {
        return Some(name);
    }
    let sections = (0..MAX_SECTIONS).map_while(|n| parameter(value, format!("filename*{n}").as_bytes()));
    let name = sections.collect::<Vec<_>>().concat();
    (!name.is_empty()).then_some(name)
}

/// Returns the text before the closing quote, where nothing of it is escaped.
fn unescaped(quoted: &[u8]) -> Option<&[u8]> {
    let end = memchr::memchr2(b'"', b'\\', quoted)?;
    quoted.split_at_checked(end).filter(|(_, rest)| rest.starts_with(b"\"")).map(|(text, _)| text)
}

/// Gives what stands before the closing quote; what follows it.
fn unquote<'a>(quoted: &'a [u8], give: &mut dyn FnMut(u8)) -> &'a [u8] {
    let mut rest = quoted;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after.first()) {
            (b'"', _) => break,
            (b'\\', Some(&escaped @ (b'"' | b'\\'))) => {
                give(escaped);
                rest = tail(after, 1);
            }
            _ => give(byte),
        }
    }
    rest
}

/// A `Content-Range`: `bytes 0-99/1000`, `bytes 0-99/*`, `bytes */1000`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ContentRange {
    /// First byte.
    pub start: Option<u64>,
    /// Last byte.
    pub end: Option<u64>,
    /// Size of the whole.
    pub size: Option<u64>,
}

impl ContentRange {
    /// Reads the field's value; none where a number is too large for 63 bits.
    pub(crate) fn parse(value: &[u8]) -> Option<Self> {
        Self::read(value).filter(|range| [range.start, range.end, range.size].iter().flatten().all(counts))
    }

    fn read(value: &[u8]) -> Option<Self> {
        let rest = strip_prefix(value, b"bytes")?;
        let rest = tail(rest, run(rest, |byte| is_blank(byte) || byte == b'='));
        let (range, size) = rest.split_at_checked(memchr::memchr(b'/', rest)?)?;
        let size = trim(tail(size, 1));
        let size = if size == b"*" { None } else { Some(decimal(size)?) };
        if trim(range) == b"*" {
            return Some(Self { size, ..Self::default() });
        }
        let (start, end) = range.split_at_checked(memchr::memchr(b'-', range)?)?;
        Some(Self { start: Some(decimal(trim(start))?), end: Some(decimal(trim(tail(end, 1)))?), size })
    }

    /// Returns the range of a file that a body is said to be.
    pub(crate) fn of_file(&self) -> RangeOfFile {
        let (Some(start), Some(end @ 1..), Some(size @ 1..)) = (self.start, self.end, self.size) else {
            return RangeOfFile::Untold;
        };
        if start > end || end >= size {
            RangeOfFile::Invalid
        } else if end - start == size - 1 {
            RangeOfFile::All
        } else {
            RangeOfFile::Part(Range { start, end, size })
        }
    }

    /// Returns the range as Zeek has it: its first byte, its length, and the size of the whole.
    pub(crate) fn part(value: &[u8]) -> Option<(u64, u64, Option<u64>)> {
        let Self { start, end, size } = Self::read(value)?;
        let start = start.filter(counts)?;
        let length = end?.checked_sub(start)?.checked_add(1).filter(counts)?;
        Some((start, length, size.filter(counts)))
    }
}

fn counts(number: &u64) -> bool {
    i64::try_from(*number).is_ok()
}

/// Range of a file that a body is, for rules and records of files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RangeOfFile {
    /// Something is missing, or it is the first byte alone, which is taken for that.
    Untold,
    /// It cannot be.
    Invalid,
    /// The file as it is.
    All,
    /// These bytes.
    Part(Range),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters() {
        let cases: [(&[u8], Option<&[u8]>); 8] = [
            (b"attachment; filename=a.txt", Some(b"a.txt")),
            (b"attachment; FileName=\"a b.txt\"; size=3", Some(b"a b.txt")),
            (b"attachment; filename=\"a\\\"b\"", Some(b"a\"b")),
            (b"filename=a", Some(b"a")),
            (b"attachment; x=\"filename=no\"; filename=yes", Some(b"yes")),
            (b"attachment; filename=\"open", Some(b"open")),
            (b"attachment", None),
            (b"", None),
        ];
        for (value, expected) in cases {
            assert_eq!(parameter(value, b"filename").as_deref(), expected, "{value:?}");
        }
    }

    #[test]
    fn names_in_sections() {
        for (value, expected) in [
            (&b"attachment; filename=a"[..], Some(&b"a"[..])),
            (b"attachment; filename*0=\"a.\"; filename*1=exe; filename*3=x", Some(b"a.exe")),
            (b"attachment; filename*1=a", None),
        ] {
            assert_eq!(file_name(value).as_deref(), expected, "{value:?}");
        }
    }

    #[test]
    fn ranges() {
        let range = |start, end, size| Some(ContentRange { start, end, size });
        let cases: [(&[u8], Option<ContentRange>); 7] = [
            (b"bytes 500-1000/146515", range(Some(500), Some(1000), Some(146_515))),
            (b"bytes 0-9/*", range(Some(0), Some(9), None)),
            (b"bytes */10", range(None, None, Some(10))),
            (b"bytes a-9/10", None),
            (b"items 0-9/10", None),
            (b"bytes 0-9", None),
            (b"bytes 0-9223372036854775807/9223372036854775808", None),
        ];
        for (value, expected) in cases {
            assert_eq!(ContentRange::parse(value), expected, "{value:?}");
        }
        let part = |start, end, size| RangeOfFile::Part(Range { start, end, size });
        for (value, expected) in [
            (&b"bytes 500-1000/146515"[..], part(500, 1000, 146_515)),
            (b"bytes 0-9/10", RangeOfFile::All),
            (b"bytes 1-9/10", part(1, 9, 10)),
            (b"bytes 0-0/10", RangeOfFile::Untold),
            (b"bytes 0-9/*", RangeOfFile::Untold),
            (b"bytes */10", RangeOfFile::Untold),
            (b"bytes 5-4/10", RangeOfFile::Invalid),
            (b"bytes 5-10/10", RangeOfFile::Invalid),
        ] {
            assert_eq!(ContentRange::parse(value).map(|range| range.of_file()), Some(expected), "{value:?}");
        }
        type Part = (u64, u64, Option<u64>);
        let cases: [(&[u8], Option<Part>); 5] = [
            (b"bytes 5-9/20", Some((5, 5, Some(20)))),
            (b"bytes 5-9/*", Some((5, 5, None))),
            (b"bytes 5-9/18446744073709551615", Some((5, 5, None))),
            (b"bytes 0-9223372036854775807/*", None),
            (b"bytes 9-5/20", None),
        ];
        for (value, expected) in cases {
            assert_eq!(ContentRange::part(value), expected, "{value:?}");
        }
    }
}
