//! Lines of a control connection, as far as they are kept.

use memchr::memchr;

/// Next bytes of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next<'a> {
    /// A line without its end, cut off at the limit, and the bytes that were taken of it.
    Line {
        /// Text kept.
        text: &'a [u8],
        /// It is longer.
        truncated: bool,
        /// Bytes taken.
        taken: usize,
        /// Its end was seen.
        ended: bool,
    },
    /// More is needed, at least so many bytes.
    Needed(usize),
}

/// Reads the first line.
pub fn next(bytes: &[u8], limit: usize) -> Next<'_> {
    let (whole, taken, ended) = match memchr(b'\n', bytes) {
        Some(end) => (bytes.get(..end).unwrap_or_default(), end + 1, true),
        None if bytes.len() < limit => return Next::Needed(bytes.len() + 1),
        None => (bytes, bytes.len(), false),
    };
    let whole = if ended { without_return(whole) } else { whole };
    let text = whole.get(..limit).unwrap_or(whole);
    Next::Line { text, truncated: !ended || text.len() < whole.len(), taken, ended }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let line = |text, truncated, taken, ended| Next::Line { text, truncated, taken, ended };
        let cases: &[(&[u8], Next<'_>)] = &[
            (b"ab\r\ncd", line(b"ab", false, 4, true)),
            (b"ab\ncd", line(b"ab", false, 3, true)),
            (b"abcdef\r\n", line(b"abcde", true, 8, true)),
            (b"abcde", line(b"abcde", true, 5, false)),
            (b"abcd", Next::Needed(5)),
        ];
        for (bytes, expected) in cases {
            assert_eq!(next(bytes, 5), *expected, "{bytes:?}");
        }
    }
}
