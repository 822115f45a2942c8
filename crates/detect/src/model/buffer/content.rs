//! `content` with its modifiers.

use std::sync::{Arc, OnceLock};

use weir_mpm::SingleMatcher;

use super::{MAX_VARIABLES, Number, Reach};

/// One literal, where it may lie, and what follows from it. It has a field for each option that modifies a content,
/// all of which are looked at together. Large rule sets have a hundred thousand: what few need is behind a pointer.
#[derive(Clone, Debug)]
pub struct Content {
    /// The bytes, as written.
    pub bytes: Box<[u8]>,
    /// `!`: the literal must not be there.
    pub negated: bool,
    /// `nocase`
    pub nocase: bool,
    /// `offset`
    pub offset: Option<Reach>,
    /// `depth`, counted from `offset`; at least the literal's length once compiled.
    pub depth: Option<Reach>,
    /// `distance`
    pub distance: Option<Reach>,
    /// `within`
    pub within: Option<Reach>,
    /// `startswith`
    pub starts_with: bool,
    /// `endswith`
    pub ends_with: bool,
    /// `rawbytes`
    pub raw_bytes: bool,
    /// `replace`: as many bytes, which take the place of these in the packet.
    pub replacement: Option<Box<Arc<[u8]>>>,
    /// `fast_pattern`, with its part.
    pub fast_pattern: Option<FastPattern>,
    /// A later check is relative to this one.
    pub(crate) followed: bool,
    /// Where it is not found, the rule does not match: those before it have been tried where they lie first, and any
    /// other place leaves less of the buffer.
    pub(crate) last_hope: bool,
    /// Finds the bytes; made when it is first needed, which it never is for most rules.
    pub(crate) matcher: OnceLock<SingleMatcher>,
}

/// Demands of `fast_pattern`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FastPattern {
    /// `fast_pattern;`
    Whole,
    /// `fast_pattern:only;`: the prefilter's word is enough.
    Only,
    /// `fast_pattern:offset,length;`
    Chop {
        /// First byte of the part.
        offset: u16,
        /// Its length.
        length: u16,
    },
}

impl Content {
    /// A literal without modifiers.
    pub fn new(bytes: impl Into<Box<[u8]>>, negated: bool) -> Self {
        Self {
            bytes: bytes.into(),
            negated,
            nocase: false,
            offset: None,
            depth: None,
            distance: None,
            within: None,
            starts_with: false,
            ends_with: false,
            raw_bytes: false,
            replacement: None,
            fast_pattern: None,
            followed: false,
            last_hope: false,
            matcher: OnceLock::new(),
        }
    }

    /// Whether its place is counted from the buffer's start.
    pub fn is_absolute(&self) -> bool {
        self.depth.is_some() || self.offset.is_some() || self.starts_with
    }

    /// Whether the search starts where the check before ended.
    pub fn is_relative(&self) -> bool {
        self.distance.is_some() || self.within.is_some()
    }

    /// Whether the window in which it may lie depends on nothing but where the check before ended.
    pub(crate) fn has_fixed_window(&self) -> bool {
        let numbers = [self.offset, self.depth, self.distance, self.within];
        !numbers.into_iter().flatten().any(|number| matches!(number, Number::Variable(_)))
    }

    /// Whether it may lie anywhere from some place behind the check before on.
    pub(crate) fn is_open_ended(&self) -> bool {
        self.is_relative() && !self.ends_with && [self.offset, self.depth, self.within] == [None; 3]
    }

    /// The part that a prefilter may look for.
    pub fn prefilter_bytes(&self) -> &[u8] {
        let (start, length) = self.prefilter_part();
        self.bytes.get(start..start + length).unwrap_or(&self.bytes)
    }

    /// Where in the literal that part begins, and its length.
    pub(crate) fn prefilter_part(&self) -> (usize, usize) {
        match self.fast_pattern {
            Some(FastPattern::Chop { offset, length })
                if usize::from(offset) + usize::from(length) <= self.bytes.len() =>
            {
                (usize::from(offset), usize::from(length))
            }
            _ => (0, self.bytes.len()),
        }
    }

    /// Matcher that finds the bytes, once the rule is complete.
    #[inline]
    pub(crate) fn matcher(&self) -> &SingleMatcher {
        self.matcher.get_or_init(|| SingleMatcher::new(&self.bytes, self.nocase))
    }

    /// The window of the buffer in which the literal may lie, given where the check before ended
    /// and where this content's own search goes on. `None`: it cannot lie anywhere.
    pub(crate) fn window(
        &self,
        length: usize,
        base: u64,
        previous: usize,
        resume: usize,
        variables: &[u64; MAX_VARIABLES],
    ) -> Option<(usize, usize)> {
        let length = length as i64;
        let mut end = length;
        let mut start;
        if self.is_relative() {
            let previous = previous as i64;
            let distance = self.distance.map_or(0, |d| d.value(variables));
            start = previous.saturating_add(distance).max(0);
            if let Some(within) = self.within {
                end = end.min(previous.saturating_add(distance).saturating_add(within.value(variables)));
            }
            // Offset and depth beside distance or within count from the same place.
            if let Some(depth) = self.depth {
                end = end.min(previous.saturating_add(depth.value(variables)));
            }
            if let Some(offset) = self.offset {
                start = start.max(previous.saturating_add(offset.value(variables)));
            }
        } else {
            // In a window of a longer body, offset and depth count from the body's start.
            let base = i64::try_from(base).unwrap_or(i64::MAX);
            let offset = self.offset.map_or(0, |offset| offset.value(variables));
            start = offset.saturating_sub(base).max(0);
            if let Some(depth) = self.depth {
                let depth = depth.value(variables).saturating_add(offset);
                end = end.min(depth.saturating_sub(base));
            }
        }
        let start = start.max(resume as i64);
        if start > length || end <= 0 || end <= start {
            return None;
        }
        Some((start as usize, end as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_size() {
        assert!(size_of::<Content>() <= 96, "{} bytes", size_of::<Content>());
    }

    #[test]
    fn windows() {
        let make = |edit: fn(&mut Content)| {
            let mut content = Content::new(b"abc".to_vec(), false);
            edit(&mut content);
            content
        };
        let n = |v| Some(Number::Value(v));
        type Case = (Content, u64, usize, Option<(usize, usize)>);
        let cases: [Case; 10] = [
            (make(|_| ()), 0, 0, Some((0, 100))),
            (
                Content { offset: n(5), depth: n(3), ..Content::new(b"abc".to_vec(), false) },
                0,
                0,
                Some((5, 8)),
            ),
            (make(|c| c.offset = Some(Number::Value(10))), 0, 0, Some((10, 100))),
            (make(|c| c.depth = Some(Number::Value(10))), 0, 0, Some((0, 10))),
            (make(|c| c.depth = Some(Number::Value(10))), 10, 0, None),
            (make(|c| c.distance = Some(Number::Value(5))), 0, 20, Some((25, 100))),
            (make(|c| c.distance = Some(Number::Value(-5))), 0, 20, Some((15, 100))),
            (make(|c| c.within = Some(Number::Value(5))), 0, 20, Some((20, 25))),
            (
                Content { distance: n(2), within: n(5), ..Content::new(b"abc".to_vec(), false) },
                0,
                20,
                Some((22, 27)),
            ),
            (make(|c| c.distance = Some(Number::Value(90))), 0, 20, None),
        ];
        for (content, base, previous, expected) in cases {
            assert_eq!(content.window(100, base, previous, 0, &[0; MAX_VARIABLES]), expected, "{content:?}");
        }
    }
}
