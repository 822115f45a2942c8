//! The distinct literals of a set. Literals that differ in their pattern id only become one key, so that
//! an engine looks for each thing once.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use ahash::AHasher;

use crate::Literal;

/// One distinct literal.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    bytes: Range<u32>,
    ids: Range<u32>,
    /// Matches in either case; its bytes are kept in lower case.
    pub(crate) nocase: bool,
    earliest_start: u32,
    latest_end: u32,
}

impl Key {
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether only some places of the buffer count.
    pub(crate) fn is_windowed(&self) -> bool {
        self.earliest_start > 0 || self.latest_end < u32::MAX
    }

    /// Between which offsets it may lie, those past `limit` left out.
    pub(crate) fn window(&self, limit: usize) -> (usize, usize) {
        (self.earliest_start as usize, limit.min(self.latest_end as usize))
    }

    /// Whether an occurrence that ends at `end` counts.
    #[inline]
    fn counts_at(&self, end: usize) -> bool {
        let start = end - self.bytes.len();
        start >= self.earliest_start as usize
            && (end <= self.latest_end as usize || self.latest_end == u32::MAX)
    }
}

/// Every key of a matcher, with bytes and pattern ids in one allocation each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keys {
    keys: Vec<Key>,
    bytes: Vec<u8>,
    ids: Vec<u32>,
}

/// Identity of literals that match alike: bytes, `nocase`, earliest start and latest end.
type Identity<'l> = (Cow<'l, [u8]>, bool, u32, u32);

impl Keys {
    pub(crate) fn new(literals: &[Literal]) -> Self {
        let mut members: Vec<(Identity<'_>, Vec<u32>)> = Vec::new();
        let mut known: HashMap<Identity<'_>, usize, BuildHasherDefault<AHasher>> = HashMap::default();
        for literal in literals {
            // Without letters there is no case to ignore, and exact comparison is quicker.
            let nocase = literal.nocase && literal.bytes.iter().any(u8::is_ascii_alphabetic);
            let bytes = match nocase && literal.bytes.iter().any(u8::is_ascii_uppercase) {
                true => Cow::Owned(literal.bytes.to_ascii_lowercase()),
                false => Cow::Borrowed(literal.bytes.as_slice()),
            };
            let identity = (bytes, nocase, literal.earliest_start, literal.latest_end);
            let index = *known.entry(identity).or_insert_with_key(|identity| {
                members.push((identity.clone(), Vec::new()));
                members.len() - 1
            });
            members[index].1.push(literal.id);
        }
        let mut keys = Self::default();
        for ((bytes, nocase, earliest_start, latest_end), mut ids) in members {
            ids.sort_unstable();
            ids.dedup();
            let bytes = append(&mut keys.bytes, &bytes);
            let ids = append(&mut keys.ids, &ids);
            keys.keys.push(Key { bytes, ids, nocase, earliest_start, latest_end });
        }
        keys
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn key(&self, key: u32) -> &Key {
        &self.keys[key as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Key, &[u8])> {
        (0..).zip(&self.keys).map(|(index, key)| (index, key, self.bytes_of(key)))
    }

    pub(crate) fn bytes_of(&self, key: &Key) -> &[u8] {
        &self.bytes[key.bytes.start as usize..key.bytes.end as usize]
    }

    /// The patterns that an occurrence of `key` ending at `end` stands for; none when it lies outside the
    /// key's window.
    #[inline]
    pub(crate) fn patterns_at(&self, key: u32, end: usize) -> &[u32] {
        let key = &self.keys[key as usize];
        if key.counts_at(end) { &self.ids[key.ids.start as usize..key.ids.end as usize] } else { &[] }
    }

    /// The patterns that `key` stands for, wherever it occurs.
    pub(crate) fn patterns(&self, key: u32) -> &[u32] {
        let key = &self.keys[key as usize];
        &self.ids[key.ids.start as usize..key.ids.end as usize]
    }

    /// Whether `key` occurs in `haystack` at `start`.
    #[inline]
    pub(crate) fn occurs_at(&self, key: u32, haystack: &[u8], start: usize) -> bool {
        let key = &self.keys[key as usize];
        let Some(found) = haystack.get(start..).and_then(|rest| rest.get(..key.len())) else { return false };
        let bytes = self.bytes_of(key);
        if key.nocase { found.eq_ignore_ascii_case(bytes) } else { found == bytes }
    }

    /// One past the largest pattern id.
    pub(crate) fn id_bound(&self) -> u32 {
        self.ids.iter().max().map_or(0, |&id| id.saturating_add(1))
    }

    /// Length of the longest key, if each counts wherever it lies; none where there is no key.
    pub(crate) fn longest_anywhere(&self) -> Option<usize> {
        let anywhere = !self.keys.iter().any(Key::is_windowed);
        self.keys.iter().map(Key::len).max().filter(|_| anywhere)
    }

    /// Looks for every key at every place: slow, and right.
    #[cfg(hyperscan)]
    pub(crate) fn search_naively(&self, haystack: &[u8], on_key: &mut impl FnMut(u32, usize)) {
        for start in 0..haystack.len() {
            for (index, key, _) in self.iter() {
                if self.occurs_at(index, haystack, start) {
                    on_key(index, start + key.len());
                }
            }
        }
    }

    pub(crate) fn memory(&self) -> usize {
        self.keys.len() * size_of::<Key>() + self.bytes.len() + self.ids.len() * size_of::<u32>()
    }
}

fn append<T: Copy>(all: &mut Vec<T>, items: &[T]) -> Range<u32> {
    let start = all.len() as u32;
    all.extend_from_slice(items);
    start..all.len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_that_match_alike_share_a_key() {
        let literals = [
            Literal::new("abc", false, 1),
            Literal::new("abc", false, 2),
            Literal::new("ABC", true, 3),
            Literal::new("abc", true, 3),
            Literal::new("12", true, 4),
            Literal::new("12", false, 5),
            Literal::new("12", false, 6).within(1, 9),
        ];
        let keys = Keys::new(&literals);
        let ids: Vec<&[u32]> = (0..keys.len() as u32).map(|key| keys.patterns_at(key, 5)).collect();
        assert_eq!(ids, [&[1, 2][..], &[3], &[4, 5], &[6]]);
        assert!(keys.patterns_at(3, 2).is_empty() && keys.patterns_at(3, 10).is_empty());
        assert_eq!(keys.id_bound(), 7);
    }
}
