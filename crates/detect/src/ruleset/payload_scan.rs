//! The literals of rules on payloads.
//!
//! Many rules want their literal at the start of a payload, and those literals are often short. They
//! are looked for in the first bytes only, so that the scan of the whole is for the others alone.

use weir_mpm::{BuildError, HeadMatcher, Literal, MatchScratch, MultiMatcher, PatternSet};

use super::matchers::Matchers;
use crate::model::buffer::{Content, Number, Reach};
use crate::model::signature::Signature;

/// Literals that cannot end past this many bytes are those of the start.
const HEAD_BYTES: u32 = 64;

/// Literals that are looked for together in payloads or in windows of a stream.
#[derive(Debug)]
pub(crate) struct PayloadScan {
    head: Option<HeadMatcher>,
    whole: Option<MultiMatcher>,
}

impl PayloadScan {
    /// A scan for these literals; none where there is nothing to look for.
    pub(crate) fn new(literals: Vec<Literal>, matchers: Matchers<'_>) -> Result<Option<Self>, BuildError> {
        if literals.is_empty() {
            return Ok(None);
        }
        let (at_start, anywhere): (Vec<_>, Vec<_>) =
            literals.into_iter().partition(|literal| literal.latest_end <= HEAD_BYTES);
        // A window of a stream begins anywhere: only what lies at the start goes by its place.
        let anywhere = anywhere.into_iter().map(|literal| literal.within(0, u32::MAX));
        Ok(Some(Self {
            head: (!at_start.is_empty())
                .then(|| HeadMatcher::build(at_start, HEAD_BYTES as usize))
                .transpose()?,
            whole: matchers.build(anywhere.collect())?,
        }))
    }

    /// Adds the rules whose literal is in `bytes`, which begin at `offset` of the payload or stream.
    pub(crate) fn find(&self, bytes: &[u8], offset: u64, scratch: &mut MatchScratch, found: &mut PatternSet) {
        if let Some(matcher) = &self.whole {
            matcher.find_set(bytes, scratch, found);
        }
        if let Some(matcher) = &self.head {
            matcher.find_set(bytes, offset, scratch, found);
        }
    }

    /// Returns the matchers that need scratch.
    pub(crate) fn matchers(&self) -> impl Iterator<Item = &MultiMatcher> {
        self.whole.iter().chain(self.head.iter().flat_map(HeadMatcher::matchers))
    }
}

/// The literal that the prefilter looks for on behalf of a rule on payloads, with where it may lie.
pub(crate) fn payload_literal(signature: &Signature) -> Option<Literal> {
    let content = signature.prefilter_content()?;
    let (start, end) = bounds(content);
    let literal = Literal::new(content.prefilter_bytes(), content.nocase, signature.index.0);
    Some(literal.within(start, end))
}

/// Between which offsets of a payload the part that the prefilter looks for may lie.
fn bounds(content: &Content) -> (u32, u32) {
    const ANYWHERE: (u32, u32) = (0, u32::MAX);
    let known = |number: Option<Reach>, absent: i64| match number {
        None => Some(absent),
        Some(Number::Value(value)) => Some(value.into()),
        Some(Number::Variable(_)) => None,
    };
    let (Some(offset), Some(depth)) = (known(content.offset, 0), known(content.depth, i64::MAX)) else {
        return ANYWHERE;
    };
    if content.is_relative() || offset < 0 {
        return ANYWHERE;
    }
    let (before, part) = content.prefilter_part();
    let after = content.bytes.len().saturating_sub(before + part);
    let start = offset.saturating_add(before as i64);
    let end = offset.saturating_add(depth).saturating_sub(after as i64);
    // The last offset there is means that there is no bound.
    (u32::try_from(start).unwrap_or(0), u32::try_from(end.max(0)).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::buffer::content::FastPattern;

    #[test]
    fn where_literals_may_lie() {
        let content = |offset: Option<i32>, depth: Option<i32>| Content {
            offset: offset.map(Number::Value),
            depth: depth.map(Number::Value),
            ..Content::new(b"abcdef".to_vec(), false)
        };
        let chopped =
            |content| Content { fast_pattern: Some(FastPattern::Chop { offset: 1, length: 2 }), ..content };
        let cases = [
            (content(None, None), (0, u32::MAX)),
            (content(None, Some(6)), (0, 6)),
            (content(Some(4), Some(10)), (4, 14)),
            (content(Some(4), None), (4, u32::MAX)),
            (chopped(content(Some(4), Some(10))), (5, 11)),
            (content(Some(-4), Some(10)), (0, u32::MAX)),
            (Content { depth: Some(Number::Variable(0)), ..content(Some(1), None) }, (0, u32::MAX)),
            (Content { distance: Some(Number::Value(0)), ..content(None, Some(6)) }, (0, u32::MAX)),
        ];
        for (content, expected) in cases {
            assert_eq!(bounds(&content), expected, "{content:?}");
        }
    }

    #[test]
    fn literals_of_the_start_are_looked_for_there() {
        let literals = vec![Literal::new("ab", false, 1).within(2, 6), Literal::new("long one", false, 2)];
        let scan = PayloadScan::new(literals, Matchers::new(None)).unwrap().unwrap();
        let far = [&[b'.'; 100][..], b"ab long one"].concat();
        let cases: [(&[u8], u64, &[u32]); 7] = [
            (b"..ab", 0, &[1]),
            (b"ab", 0, &[]),
            (b"ab", 2, &[1]),
            (b"ab", 60, &[]),
            (b"ab", 64, &[]),
            (b"...... long one", 1000, &[2]),
            (&far, 0, &[2]),
        ];
        for (bytes, offset, expected) in cases {
            let mut found = PatternSet::new();
            scan.find(bytes, offset, &mut MatchScratch::new(), &mut found);
            assert_eq!(found.as_slice(), expected, "{bytes:?} at {offset}");
        }
    }
}
