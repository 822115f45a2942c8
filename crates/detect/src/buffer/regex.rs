//! `pcre`.

use std::sync::Arc;

use weir_mpm::Regex;

use super::{Buffer, BufferScratch};

/// Most bytes of a captured value kept.
const MAX_CAPTURE: usize = 4096;

/// Searches of one inspection that have all of the match limit and cost a step each. Those after them share the limit,
/// and cost more where a few bytes do not tell that they fail: an expression that is tried behind each of very many
/// contents would else take all that a search may, or a walk over all of the buffer, for each of them.
const FULL_SEARCHES: u32 = 16;

/// These few bytes.
const WINDOW: usize = 128;

/// Bytes that a search may walk over for a step, and the most steps that it costs.
const BYTES_PER_STEP: usize = 8;
const MAX_STEPS: usize = 300;

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
        let share = 1 + scratch.searches / FULL_SEARCHES;
        scratch.searches = scratch.searches.saturating_add(1);
        if share > 1 {
            if start == 0 && self.regex.fails_within(subject, WINDOW, &mut scratch.regex) {
                return None;
            }
            let walk = (subject.len() - start) / BYTES_PER_STEP;
            scratch.steps = scratch.steps.saturating_sub(walk.min(MAX_STEPS) as u32);
        }
        let found = self.regex.find_with_share(subject, start, share, &mut scratch.regex).ok()??;
        let range = found.range();
        scratch.groups.clear();
        for &(group, variable) in &self.captures {
            let place = found.group(group).unwrap_or_default();
            scratch.groups.push((variable, base + place.start..base + place.end));
        }
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
        if self.negated {
            return found.is_none().then_some(previous);
        }
        let (_, end) = found?;
        let groups = std::mem::take(&mut scratch.groups);
        keep(&groups, buffer, scratch.captured.len(), scratch);
        scratch.groups = groups;
        Some(end)
    }
}

/// A group's variable, and where in the buffer it lies.
pub(crate) type Group = (u32, std::ops::Range<usize>);

/// Keeps what lies in these groups, before what was captured from position `at` on.
pub(crate) fn keep(groups: &[Group], buffer: &Buffer<'_>, at: usize, scratch: &mut BufferScratch) {
    for (variable, place) in groups.iter().rev() {
        let value = buffer.bytes.get(place.clone()).unwrap_or_default();
        let kept = value.get(..MAX_CAPTURE).unwrap_or(value).to_vec();
        scratch.captured.insert(at.min(scratch.captured.len()), (*variable, kept));
    }
}
