//! The search for one literal.

use memchr::memmem;

use crate::rarity::frequency;

/// Finds one literal, in its own case or in any. Built once per rule, shared by workers.
#[derive(Debug, Clone)]
pub struct SingleMatcher {
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Exact(Box<memmem::Finder<'static>>),
    Nocase(Box<NocaseFinder>),
}

impl SingleMatcher {
    /// A matcher for `literal`. With `nocase`, ASCII letters match in either case. An empty literal is
    /// found at every offset.
    pub fn new(literal: &[u8], nocase: bool) -> Self {
        let kind = match NocaseFinder::new(literal) {
            Some(finder) if nocase => Kind::Nocase(Box::new(finder)),
            _ => Kind::Exact(Box::new(memmem::Finder::new(literal).into_owned())),
        };
        Self { kind }
    }

    /// The start of the first occurrence that lies within `start..end` of `haystack`; offsets past its end
    /// count as its end.
    #[inline]
    pub fn find_at(&self, haystack: &[u8], start: usize, end: usize) -> Option<usize> {
        let window = haystack.get(start..end.min(haystack.len()))?;
        let found = match &self.kind {
            Kind::Exact(finder) => finder.find(window),
            Kind::Nocase(finder) => finder.find(window),
        };
        found.map(|found| start + found)
    }

    /// Whether the literal occurs anywhere in `haystack`.
    #[inline]
    pub fn is_in(&self, haystack: &[u8]) -> bool {
        self.find_at(haystack, 0, haystack.len()).is_some()
    }

    /// The length of the literal in bytes.
    pub fn literal_length(&self) -> usize {
        match &self.kind {
            Kind::Exact(finder) => finder.needle().len(),
            Kind::Nocase(finder) => finder.lower.len(),
        }
    }
}

/// Searches for the literal's rarest byte in both its cases, then compares the whole.
#[derive(Debug, Clone)]
struct NocaseFinder {
    lower: Box<[u8]>,
    rare_offset: usize,
    rare: [u8; 2],
}

impl NocaseFinder {
    /// None when there is no letter, so no case to ignore.
    fn new(literal: &[u8]) -> Option<Self> {
        if !literal.iter().any(u8::is_ascii_alphabetic) {
            return None;
        }
        let lower = literal.to_ascii_lowercase().into_boxed_slice();
        let (rare_offset, &byte) = lower.iter().enumerate().min_by_key(|&(_, &byte)| frequency(byte))?;
        Some(Self { lower, rare_offset, rare: [byte, byte.to_ascii_uppercase()] })
    }

    #[inline]
    fn find(&self, window: &[u8]) -> Option<usize> {
        let last_start = window.len().checked_sub(self.lower.len())?;
        let searched = window.get(..=last_start + self.rare_offset)?;
        let mut from = self.rare_offset;
        while let Some(found) = memchr::memchr2(self.rare[0], self.rare[1], searched.get(from..)?) {
            let start = from + found - self.rare_offset;
            if window.get(start..start + self.lower.len())?.eq_ignore_ascii_case(&self.lower) {
                return Some(start);
            }
            from += found + 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Literal, nocase, haystack, start, end, expected.
    type Case = (&'static [u8], bool, &'static [u8], usize, usize, Option<usize>);

    #[test]
    fn finds_within_the_window_only() {
        let cases: [Case; 14] = [
            (b"abc", false, b"xxabcxx", 0, 7, Some(2)),
            (b"abc", false, b"xxABCxx", 0, 7, None),
            (b"aBc", true, b"xxAbCxx", 0, 7, Some(2)),
            (b"abc", true, b"xxABCxx", 2, 5, Some(2)),
            (b"abc", true, b"xxABCxx", 3, 7, None),
            (b"abc", true, b"xxABCxx", 0, 4, None),
            (b"abc", true, b"ab", 0, 2, None),
            (b"abc", true, b"", 0, 0, None),
            (b"abc", false, b"abc", 5, 9, None),
            (b"abc", false, b"abcabc", 1, 900, Some(3)),
            (b"\x00/1", true, b"..\x00/1", 0, 5, Some(2)),
            (b"@`", true, b"`@@`", 0, 4, Some(2)),
            (b"", false, b"abc", 1, 3, Some(1)),
            (b"a", true, b"bA", 0, 2, Some(1)),
        ];
        for (literal, nocase, haystack, start, end, expected) in cases {
            let matcher = SingleMatcher::new(literal, nocase);
            assert_eq!(matcher.find_at(haystack, start, end), expected, "{literal:?} in {haystack:?}");
        }
    }

    proptest! {
        #[test]
        fn equals_a_naive_search(
            literal in proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'B'), Just(b'@'), Just(0u8)], 1..5),
            haystack in proptest::collection::vec(prop_oneof![Just(b'A'), Just(b'a'), Just(b'b'), Just(b'@'), Just(0u8)], 0..80),
            nocase: bool,
            start in 0usize..90,
            end in 0usize..90,
        ) {
            let matches = |window: &[u8]| {
                if nocase { window.eq_ignore_ascii_case(&literal) } else { window == &literal[..] }
            };
            let end_within = end.min(haystack.len());
            let expected =
                (start..end_within).find(|&at| at + literal.len() <= end_within && matches(&haystack[at..at + literal.len()]));
            prop_assert_eq!(SingleMatcher::new(&literal, nocase).find_at(&haystack, start, end), expected);
        }
    }
}
