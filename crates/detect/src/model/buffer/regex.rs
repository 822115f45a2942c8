//! `pcre`.

use std::sync::Arc;

use weir_mpm::{Captures, MatchError, Regex};

use super::{Buffer, BufferScratch};

/// Most bytes of a captured value kept.
const MAX_CAPTURE: usize = 4096;

/// Searches of one inspection that cost a step each, whatever they look at. Those after them cost more where they fail
/// and a few bytes do not tell: an expression that is tried behind each of very many contents would else walk over all
/// of the buffer for each of them.
const FREE_SEARCHES: u32 = 16;

/// These few bytes, and the steps that they cost: first some that nearly always tell, then more.
const WINDOWS: [(usize, u32); 2] = [(128, 0), (1024, 20)];

/// Bytes that a search which fails walks over for a step, and the most steps that it costs.
const BYTES_PER_STEP: usize = 64;
const MAX_STEPS: usize = 100;

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
    /// Start and end of the first match at or after `resume`; an error where nothing can be said of the match, as it
    /// takes too much.
    pub(crate) fn locate(
        &self,
        buffer: &Buffer<'_>,
        previous: usize,
        resume: usize,
        scratch: &mut BufferScratch,
    ) -> Result<Option<(usize, usize)>, MatchError> {
        // A relative expression sees only what follows, so that `^` means where it starts.
        let base = if self.relative { previous } else { 0 };
        let subject = buffer.bytes.get(base..).unwrap_or_default();
        let start = resume.saturating_sub(base);
        if start > subject.len() {
            return Ok(None);
        }
        // Not bound to the check before, it is searched for in the same bytes at each place of that.
        if start == 0 && !self.relative && self.is_absent_from(base, scratch) {
            return Ok(None);
        }
        scratch.searches = scratch.searches.saturating_add(1);
        scratch.all_searches = scratch.all_searches.wrapping_add(1);
        let is_free = scratch.searches <= FREE_SEARCHES;
        if !is_free && start == 0 {
            if self.is_absent_from(base, scratch)
                && let Some(last) = self.regex.last_start()
            {
                return self.locate_among_first(subject, (base, last), scratch);
            }
            for (window, steps) in WINDOWS {
                scratch.steps = scratch.steps.saturating_sub(steps);
                if self.regex.fails_within(subject, window, &mut scratch.regex) {
                    return Ok(None);
                }
            }
        }
        let found = self.regex.find_at(subject, start, &mut scratch.regex);
        if !is_free && !matches!(found, Ok(Some(_))) {
            scratch.steps = scratch.steps.saturating_sub(walk(subject.len() - start));
        }
        scratch.unanswered += u64::from(found.is_err());
        if let Some(found) = found? {
            return Ok(Some(self.place(&found, base, &mut scratch.groups)));
        }
        if start == 0 && !self.is_absent_from(base, scratch) {
            scratch.absent.push((self.identity(), base));
        }
        Ok(None)
    }

    /// The expression by its address.
    fn identity(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Whether it is known that there is no match from a place at or before `base` on.
    fn is_absent_from(&self, base: usize, scratch: &BufferScratch) -> bool {
        scratch.absent.iter().any(|&(known, from)| known == self.identity() && from <= base)
    }

    /// Does what [`Self::locate`] does where all that is left is a match that begins at one of the first places: which
    /// there is only because nothing can be seen of what comes before `base`.
    fn locate_among_first(
        &self,
        subject: &[u8],
        (base, last): (usize, usize),
        scratch: &mut BufferScratch,
    ) -> Result<Option<(usize, usize)>, MatchError> {
        for start in 0..=last.min(subject.len()) {
            let fails = WINDOWS.iter().any(|&(window, steps)| {
                scratch.steps = scratch.steps.saturating_sub(steps);
                self.regex.fails_starting_at(subject, (start, window), &mut scratch.regex)
            });
            if fails {
                continue;
            }
            let found = self.regex.find_starting_at(subject, start, &mut scratch.regex);
            scratch.unanswered += u64::from(found.is_err());
            if let Some(found) = found? {
                return Ok(Some(self.place(&found, base, &mut scratch.groups)));
            }
            scratch.steps = scratch.steps.saturating_sub(walk(subject.len() - start));
        }
        Ok(None)
    }

    /// Start and end of a match in a subject that begins at `base`; its groups are noted.
    fn place(&self, found: &Captures<'_>, base: usize, groups: &mut Vec<Group>) -> (usize, usize) {
        groups.clear();
        for &(group, variable) in &self.captures {
            let place = found.group(group).unwrap_or_default();
            groups.push((variable, base + place.start..base + place.end));
        }
        let range = found.range();
        (base + range.start, base + range.end)
    }

    /// Where the expression's first match ends; for a negated one, `previous` where it does not match. Neither holds
    /// where a match takes too much to tell.
    pub(crate) fn find(
        &self,
        buffer: &Buffer<'_>,
        previous: usize,
        resume: usize,
        scratch: &mut BufferScratch,
    ) -> Option<usize> {
        let found = self.locate(buffer, previous, resume, scratch).ok()?;
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

/// Steps that a search costs which walked over so many bytes for nothing.
fn walk(bytes: usize) -> u32 {
    (bytes / BYTES_PER_STEP).min(MAX_STEPS) as u32
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
