//! Literals near the start of a buffer.
//!
//! Most of them must lie at one place, and nearly all of those at the very start: each such place is looked up once for
//! each width of fingerprints. The others are looked for in the first bytes as in any buffer.

use crate::engines::Prefixes;
use crate::keys::Keys;
use crate::{Backend, BuildError, Literal, MatchScratch, MultiMatcher, PatternSet};

/// Finds literals whose windows end within a number of bytes from the start. Immutable and shared by
/// workers.
#[derive(Debug)]
pub struct HeadMatcher {
    /// Literals that can lie at one place only.
    keys: Keys,
    prefixes: Prefixes,
    others: Option<MultiMatcher>,
    /// Bytes in which all windows of the others end.
    reach: usize,
}

impl HeadMatcher {
    /// A matcher for literals, none of them empty, whose windows end within `places` bytes; of others the
    /// rest of the window is left out.
    ///
    /// # Errors
    ///
    /// As [`MultiMatcher::build`].
    pub fn build(literals: Vec<Literal>, places: usize) -> Result<Self, BuildError> {
        let within = literals.into_iter().map(|literal| {
            let (start, end) = (literal.earliest_start, literal.latest_end.min(places as u32));
            literal.within(start, end)
        });
        let fits = |literal: &Literal| {
            (literal.earliest_start as usize).saturating_add(literal.bytes.len())
                <= literal.latest_end as usize
        };
        let (fixed, others): (Vec<Literal>, Vec<Literal>) = within.filter(fits).partition(|literal| {
            literal.earliest_start as usize + literal.bytes.len() == literal.latest_end as usize
        });
        let keys = Keys::new(&fixed);
        let reach = others.iter().map(|literal| literal.latest_end as usize).max().unwrap_or(0);
        let others = (!others.is_empty()).then(|| MultiMatcher::build(others, Backend::Auto)).transpose()?;
        Ok(Self { prefixes: Prefixes::build(&keys), keys, others, reach })
    }

    /// Adds every pattern that occurs to `found`. The first of `bytes` is `offset` bytes from the start.
    pub fn find_set(&self, bytes: &[u8], offset: u64, scratch: &mut MatchScratch, found: &mut PatternSet) {
        let Ok(offset) = usize::try_from(offset) else { return };
        self.prefixes.find(&self.keys, bytes, offset, |key| {
            for &id in self.keys.patterns(key) {
                found.insert(id);
            }
        });
        if let Some(others) = &self.others
            && offset < self.reach
        {
            let first = bytes.get(..self.reach - offset).unwrap_or(bytes);
            others.find_from(first, offset, scratch, found);
        }
    }

    /// The matchers that need scratch.
    pub fn matchers(&self) -> impl Iterator<Item = &MultiMatcher> {
        self.others.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PLACES: usize = 16;

    fn literal() -> impl Strategy<Value = Literal> {
        let bytes = proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'A'), Just(0u8)], 1..7);
        (bytes, any::<bool>(), 0..40u32, 0..16u32, 0..=16u32, any::<bool>()).prop_map(
            |(bytes, nocase, id, start, end, fixed)| {
                let end = if fixed { start + bytes.len() as u32 } else { end };
                Literal::new(bytes, nocase, id).within(start, end)
            },
        )
    }

    proptest! {
        #[test]
        fn finds_what_lies_in_its_window(
            literals in proptest::collection::vec(literal(), 0..30),
            text in proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'A'), Just(0u8)], 0..24),
            offset in 0..20usize,
        ) {
            let mut found = PatternSet::new();
            let matcher = HeadMatcher::build(literals.clone(), PLACES).unwrap();
            matcher.find_set(&text, offset as u64, &mut MatchScratch::new(), &mut found);
            let mut found = found.as_slice().to_vec();
            found.sort_unstable();
            let occurs = |literal: &Literal| {
                text.windows(literal.bytes.len()).enumerate().any(|(start, window)| {
                    let same = if literal.nocase {
                        window.eq_ignore_ascii_case(&literal.bytes)
                    } else {
                        window == literal.bytes
                    };
                    let (start, end) = (start + offset, start + offset + literal.bytes.len());
                    let end_of_window = literal.latest_end.min(PLACES as u32);
                    same && start >= literal.earliest_start as usize && end <= end_of_window as usize
                })
            };
            let mut wanted: Vec<u32> = literals.iter().filter(|l| occurs(l)).map(|l| l.id).collect();
            wanted.sort_unstable();
            wanted.dedup();
            prop_assert_eq!(found, wanted);
        }
    }
}
