//! One substring search after another, for sets too small to be worth anything cleverer.

use super::Engine;
use crate::keys::Keys;
use crate::{MatchScratch, SingleMatcher};

/// One searcher per key, in the order of the keys.
#[derive(Debug)]
pub(crate) struct Memmem {
    searchers: Vec<SingleMatcher>,
}

impl Engine for Memmem {
    fn build(keys: &Keys) -> Result<Self, String> {
        let searchers = keys.iter().map(|(_, key, bytes)| SingleMatcher::new(bytes, key.nocase)).collect();
        Ok(Self { searchers })
    }

    fn scan<F: FnMut(u32, usize)>(&self, keys: &Keys, haystack: &[u8], _: &mut MatchScratch, on_key: &mut F) {
        for (index, searcher) in (0..).zip(&self.searchers) {
            let windowed = keys.key(index).is_windowed();
            let mut from = 0;
            while let Some(start) = searcher.find_at(haystack, from, haystack.len()) {
                on_key(index, start + searcher.literal_length());
                if !windowed {
                    break;
                }
                from = start + 1;
            }
        }
    }

    fn memory(&self) -> usize {
        self.searchers.len() * size_of::<SingleMatcher>()
    }
}
