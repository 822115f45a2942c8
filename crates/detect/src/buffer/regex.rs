//! `pcre`.

use std::sync::Arc;

use weir_mpm::Regex;

use super::{Buffer, BufferScratch};

/// Most bytes of a captured value kept.
const MAX_CAPTURE: usize = 4096;

/// A regular expression with its options.
pub struct RegexCheck {
    /// The compiled expression.
    pub regex: Arc<Regex>,
    /// `!`
    pub negated: bool,
    /// `/i`
    pub nocase: bool,
    /// `/R`: starts where the check before ended.
    pub relative: bool,
    /// A later check is relative to this one.
    pub(crate) followed: bool,
    /// Capture groups kept as variables: group number, variable.
    pub captures: Vec<(usize, u32)>,
}

impl RegexCheck {
    /// Start and end of the first match at or after `resume`.
    pub(crate) fn locate(
        &self,
        buffer: &Buffer<'_>,
        previous: usize,
        resume: usize,
        scratch: &mut BufferScratch,
    ) -> Option<(usize, usize)> {
        // A relative expression sees only what follows, so that `^` means where it starts.
        let base = if self.relative { previous } else { 0 };
        let subject = buffer.bytes.get(base..)?;
        let start = resume.saturating_sub(base);
        if start > subject.len() {
            return None;
        }
        let found = self.regex.find_at(subject, start, &mut scratch.regex).ok()??;
        for &(group, variable) in &self.captures {
            let value = found.group(group).and_then(|range| subject.get(range)).unwrap_or_default();
            let kept = value.get(..value.len().min(MAX_CAPTURE)).unwrap_or_default();
            scratch.captured.push((variable, kept.to_vec()));
        }
        let range = found.range();
        Some((base + range.start, base + range.end))
    }

    /// Where the expression's first match ends; for a negated one, `previous` where it does not match.
    pub(crate) fn find(
        &self,
        buffer: &Buffer<'_>,
        previous: usize,
        resume: usize,
        scratch: &mut BufferScratch,
    ) -> Option<usize> {
        let found = self.locate(buffer, previous, resume, scratch);
        if self.negated { found.is_none().then_some(previous) } else { found.map(|(_, end)| end) }
    }
}
