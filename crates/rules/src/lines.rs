//! Text files to logical lines: comments and blank lines dropped, backslash-newline joined, CRLF and
//! byte order mark taken off. A backslash continues a line also when only white space follows it.

use std::borrow::Cow;

use crate::text::Continuation;

/// The mark some editors put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One logical line.
pub(crate) struct LogicalLine<'a> {
    /// Its bytes, joined, without the line ends.
    pub(crate) bytes: Cow<'a, [u8]>,
    /// Line of the file it begins on, counted from 1.
    pub(crate) line: u32,
    /// Where the further lines of the file begin in it.
    pub(crate) continuations: Vec<Continuation>,
}

/// The logical lines of `bytes`, except those that are blank or whose first byte after white space is `#`.
pub(crate) fn logical_lines(bytes: &[u8]) -> LogicalLines<'_> {
    LogicalLines { rest: bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes), line: 0 }
}

/// Iterator of [`logical_lines`].
pub(crate) struct LogicalLines<'a> {
    rest: &'a [u8],
    line: u32,
}

impl<'a> LogicalLines<'a> {
    /// The next line of the file, without white space at its end.
    fn physical(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest.get(1..).unwrap_or_default();
        self.line = self.line.saturating_add(1);
        Some(line.trim_ascii_end())
    }
}

impl<'a> Iterator for LogicalLines<'a> {
    type Item = LogicalLine<'a>;

    fn next(&mut self) -> Option<LogicalLine<'a>> {
        let first = loop {
            let line = self.physical()?;
            if !matches!(line.trim_ascii_start().first(), None | Some(b'#')) {
                break line;
            }
        };
        let line = self.line;
        let Some(start) = first.strip_suffix(b"\\") else {
            return Some(LogicalLine { bytes: Cow::Borrowed(first), line, continuations: Vec::new() });
        };
        let mut joined = start.to_vec();
        let mut continuations = Vec::new();
        while let Some(next) = self.physical() {
            continuations.push(Continuation { start: joined.len(), line: self.line });
            match next.strip_suffix(b"\\") {
                Some(part) => joined.extend_from_slice(part),
                None => {
                    joined.extend_from_slice(next);
                    break;
                }
            }
        }
        Some(LogicalLine { bytes: Cow::Owned(joined), line, continuations })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text of a file and its lines: number, text, numbers of the lines that continue it.
    type Case = (&'static [u8], &'static [(u32, &'static str, &'static [u32])]);

    fn lines(text: &[u8]) -> Vec<(u32, String, Vec<u32>)> {
        logical_lines(text)
            .map(|line| {
                let text = String::from_utf8_lossy(&line.bytes).into_owned();
                (line.line, text, line.continuations.iter().map(|part| part.line).collect())
            })
            .collect()
    }

    #[test]
    fn lines_are_joined_and_numbered() {
        let cases: &[Case] = &[
            (b"", &[]),
            (b"\n\n# a\n", &[]),
            (b"a", &[(1, "a", &[])]),
            (b"\xef\xbb\xbfa\r\nb\r\n", &[(1, "a", &[]), (2, "b", &[])]),
            (b"a\\\nb\\\n c\nd", &[(1, "ab c", &[2, 3]), (4, "d", &[])]),
            (b"a \\  \r\n b\r\n", &[(1, "a  b", &[2])]),
            (b"# no \\\nb", &[(2, "b", &[])]),
            (b"a\\\n# part of it\nb", &[(1, "a# part of it", &[2]), (3, "b", &[])]),
            (b"a\\\n", &[(1, "a", &[])]),
            (b"a\\\n\nb", &[(1, "a", &[2]), (3, "b", &[])]),
        ];
        for (text, expected) in cases {
            let expected: Vec<_> =
                expected.iter().map(|(l, t, c)| (*l, (*t).to_owned(), c.to_vec())).collect();
            assert_eq!(lines(text), expected, "{}", String::from_utf8_lossy(text));
        }
    }
}
