//! Where a regular expression and its groups matched.

use std::ops::Range;

/// Offsets into the subject, group 0 being the whole match.
#[derive(Debug, Clone, Copy)]
pub struct Captures<'s> {
    offsets: &'s [[usize; 2]],
}

impl<'s> Captures<'s> {
    pub(super) fn new(offsets: &'s [[usize; 2]]) -> Self {
        Self { offsets }
    }

    /// Where the whole pattern matched. With `\K` in a look-ahead the start may be said to lie after the
    /// end; the range is empty then.
    pub fn range(&self) -> Range<usize> {
        self.group(0).unwrap_or_default()
    }

    /// Where group `number` matched; none when it took no part or does not exist.
    pub fn group(&self, number: usize) -> Option<Range<usize>> {
        let &[start, end] = self.offsets.get(number)?;
        (end != usize::MAX).then(|| start.min(end)..end)
    }
}
