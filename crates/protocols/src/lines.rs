//! Cuts a stream into lines for readers of streams.

/// Lines of one direction, of which one that is not at its end waits.
#[derive(Debug)]
pub(crate) struct LineCutter {
    waiting: Vec<u8>,
    most: usize,
    /// The line is longer than it may be: its rest is passed over.
    is_too_long: bool,
}

impl LineCutter {
    /// Cuts lines of so many bytes at most; of longer ones the beginning counts.
    pub(crate) const fn new(most: usize) -> Self {
        Self { waiting: Vec::new(), most, is_too_long: false }
    }

    /// Hands out the lines that end in these bytes, each without its end.
    pub(crate) fn take(&mut self, bytes: &[u8], mut line: impl FnMut(&[u8])) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, is_whole) = match piece.strip_suffix(b"\n") {
                Some(text) => (text, true),
                None => (piece, false),
            };
            let room = self.most.saturating_sub(self.waiting.len());
            self.waiting.extend(text.iter().take(room));
            self.is_too_long |= text.len() > room;
            if is_whole {
                let whole = std::mem::take(&mut self.waiting);
                let is_cut = std::mem::take(&mut self.is_too_long);
                line(if is_cut { &whole } else { whole.strip_suffix(b"\r").unwrap_or(&whole) });
            }
        }
    }

    /// Hands out what waits, where there is something.
    pub(crate) fn end(&mut self, line: impl FnOnce(&[u8])) {
        let rest = std::mem::take(&mut self.waiting);
        if !rest.is_empty() {
            line(&rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts() {
        type Case<'a> = (&'a [&'a str], &'a [&'a str], &'a str);
        let cases: &[Case<'_>] = &[
            (&["a\r\nb\n", "c"], &["a", "b"], "c"),
            (&["a", "b\r", "\nc"], &["ab"], "c"),
            (&["123456789\nx\n"], &["12345678", "x"], ""),
            (&["\n\n"], &["", ""], ""),
        ];
        for (pieces, expected, rest) in cases {
            let mut cutter = LineCutter::new(8);
            let mut lines = Vec::new();
            for piece in *pieces {
                cutter.take(piece.as_bytes(), |line| lines.push(String::from_utf8(line.to_vec()).unwrap()));
            }
            let mut left = String::new();
            cutter.end(|line| left = String::from_utf8(line.to_vec()).unwrap());
            assert_eq!(
                (lines.iter().map(String::as_str).collect::<Vec<_>>(), left.as_str()),
                (expected.to_vec(), *rest)
            );
        }
    }
}
