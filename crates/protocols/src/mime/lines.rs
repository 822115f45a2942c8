//! Lines out of bytes that come in any pieces. A line that is longer than [`MAX_LINE`] comes in fragments of that
//! length, wherever the pieces were cut.

/// Most bytes of a line without its end that are waited for.
pub const MAX_LINE: usize = 4096;

/// A line, or a fragment of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The bytes without the line's end.
    pub text: &'a [u8],
    /// CRLF, LF, or nothing where the line goes on.
    pub end: &'a [u8],
    /// A fragment of the line came before.
    pub continues: bool,
}

impl Line<'_> {
    /// Bytes with the end.
    pub fn length(&self) -> usize {
        self.text.len() + self.end.len()
    }
}

/// Bytes that wait for the end of their line.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    waiting: Vec<u8>,
    /// Waiting bytes were handed out.
    used: bool,
    /// The line at hand has come in part.
    broken: bool,
}

impl Lines {
    /// Bytes of what waits.
    pub fn memory(&self) -> usize {
        self.waiting.capacity()
    }

    /// Whether a line has begun.
    pub fn is_within_line(&self) -> bool {
        self.broken || !(self.used || self.waiting.is_empty())
    }

    /// Takes the next line or fragment off `bytes`; answers how many bytes of them it took. None: all were taken,
    /// and more are needed.
    pub fn next<'a>(&'a mut self, bytes: &'a [u8]) -> (usize, Option<Line<'a>>) {
        if std::mem::take(&mut self.used) {
            self.waiting.clear();
        }
        let room = MAX_LINE.saturating_sub(self.waiting.len());
        let window = bytes.get(..room).unwrap_or(bytes);
        let taken = match memchr::memchr(b'\n', window) {
            Some(position) => position + 1,
            None if window.len() == room => room,
            None => {
                self.waiting.extend_from_slice(window);
                return (window.len(), None);
            }
        };
        let new = bytes.get(..taken).unwrap_or(bytes);
        let whole = if self.waiting.is_empty() {
            new
        } else {
            self.waiting.extend_from_slice(new);
            self.used = true;
            &self.waiting[..]
        };
        let continues = self.broken;
        self.broken = whole.last() != Some(&b'\n');
        (taken, Some(split(whole, continues)))
    }

    /// No more will come: what waits.
    pub fn finish(&mut self) -> Option<Line<'_>> {
        if std::mem::take(&mut self.used) {
            self.waiting.clear();
        }
        let continues = std::mem::take(&mut self.broken);
        if self.waiting.is_empty() {
            return None;
        }
        self.used = true;
        Some(Line { text: &self.waiting, end: &[], continues })
    }
}

fn split(whole: &[u8], continues: bool) -> Line<'_> {
    let end = if whole.ends_with(b"\r\n") { 2 } else { usize::from(whole.ends_with(b"\n")) };
    let (text, end) = whole.split_at_checked(whole.len() - end).unwrap_or((whole, &[]));
    Line { text, end, continues }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], piece: usize) -> Vec<(usize, usize, bool)> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for mut rest in bytes.chunks(piece) {
            while !rest.is_empty() {
                let (taken, line) = lines.next(rest);
                found.extend(line.map(|line| (line.text.len(), line.end.len(), line.continues)));
                rest = &rest[taken..];
            }
        }
        found.extend(lines.finish().map(|line| (line.text.len(), line.end.len(), line.continues)));
        found
    }

    #[test]
    fn lines_in_any_pieces() {
        let mut bytes = b"a\r\n\r\nb\nc\rd\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', MAX_LINE + 5));
        bytes.extend_from_slice(b"\r\nlast");
        let expected = [
            (1, 2, false),
            (0, 2, false),
            (1, 1, false),
            (3, 1, false),
            (MAX_LINE, 0, false),
            (5, 2, true),
            (4, 0, false),
        ];
        for piece in (1..40).chain([1000, MAX_LINE, bytes.len()]) {
            assert_eq!(lines(&bytes, piece), expected, "{piece}");
        }
    }
}
