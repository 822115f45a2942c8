//! Teddy, by the aho-corasick crate: vector comparison of the first bytes of some tens of keys.
//!
//! The searcher finds the leftmost place where any key begins. All keys that can begin with the byte there
//! are compared, and the search goes on one byte later, so that overlapping keys are found too. Where keys begin at place
//! after place, the vectors gain nothing: then those not found so far are sought one by one.

use aho_corasick::{Span, packed};

use super::Engine;
use crate::keys::Keys;
use crate::{MatchScratch, SingleMatcher};

/// A key begins at so many places, and at one in so many bytes: then keys are sought one by one.
const CROWDED: usize = 64;
const CROWDED_BYTES: usize = 16;

/// The searcher, and the keys by first byte for the comparison.
#[derive(Debug)]
pub(crate) struct Teddy {
    searcher: packed::Searcher,
    folds: bool,
    /// The keys whose first byte, as the searcher sees it, is `b` are
    /// `members[first_byte_starts[b]..first_byte_starts[b + 1]]`.
    first_byte_starts: [u32; 257],
    members: Vec<u32>,
    /// A search for each key.
    single: Vec<SingleMatcher>,
}

/// Keys that were found, of the first 64.
#[derive(Clone, Copy, Default)]
struct Found(u64);

impl Found {
    fn add(&mut self, key: u32) {
        self.0 |= 1u64.checked_shl(key).unwrap_or(0);
    }

    fn has(self, key: u32) -> bool {
        self.0 & 1u64.checked_shl(key).unwrap_or(0) != 0
    }
}

impl Teddy {
    /// Looks for each key from a place on; those that were found, and may be anywhere, need not be found again.
    #[cold]
    fn scan_one_by_one<F: FnMut(u32, usize)>(
        &self,
        keys: &Keys,
        haystack: &[u8],
        start: usize,
        found: Found,
        on_key: &mut F,
    ) {
        for (key, searcher) in (0..).zip(&self.single) {
            let is_windowed = keys.key(key).is_windowed();
            if !is_windowed && found.has(key) {
                continue;
            }
            let mut from = start;
            while let Some(place) = searcher.find_at(haystack, from, haystack.len()) {
                on_key(key, place + searcher.literal_length());
                if !is_windowed {
                    break;
                }
                from = place + 1;
            }
        }
    }
}

impl Engine for Teddy {
    fn build(keys: &Keys) -> Result<Self, String> {
        let folds = keys.iter().any(|(_, key, _)| key.nocase);
        let mut seen: Vec<(Vec<u8>, u32)> = keys
            .iter()
            .map(|(index, _, bytes)| (if folds { bytes.to_ascii_lowercase() } else { bytes.to_vec() }, index))
            .collect();
        seen.sort();
        let mut first_byte_starts = [0; 257];
        for (bytes, _) in &seen {
            first_byte_starts[usize::from(bytes[0]) + 1] += 1;
        }
        for byte in 0..256 {
            first_byte_starts[byte + 1] += first_byte_starts[byte];
        }
        let single = keys.iter().map(|(_, key, bytes)| SingleMatcher::new(bytes, key.nocase)).collect();
        let members = seen.iter().map(|&(_, index)| index).collect();
        let mut bytes: Vec<Vec<u8>> = seen.into_iter().map(|(bytes, _)| bytes).collect();
        bytes.dedup();
        let searcher = packed::Config::new()
            .only_teddy(true)
            .builder()
            .extend(bytes)
            .build()
            .ok_or("the processor lacks the instructions, or there are too many literals")?;
        Ok(Self { searcher, folds, first_byte_starts, members, single })
    }

    fn scan<F: FnMut(u32, usize)>(
        &self,
        keys: &Keys,
        haystack: &[u8],
        scratch: &mut MatchScratch,
        on_key: &mut F,
    ) {
        let seen = if self.folds {
            scratch.fold(haystack);
            &scratch.folded
        } else {
            haystack
        };
        let (mut from, mut places, mut known) = (0, 0, Found::default());
        while let Some(found) = self.searcher.find_in(seen, Span::from(from..seen.len())) {
            let start = found.start();
            let first = usize::from(seen[start]);
            let range = self.first_byte_starts[first] as usize..self.first_byte_starts[first + 1] as usize;
            for &key in &self.members[range] {
                if keys.occurs_at(key, haystack, start) {
                    on_key(key, start + keys.key(key).len());
                    known.add(key);
                }
            }
            from = start + 1;
            places += 1;
            if places >= CROWDED && from < places * CROWDED_BYTES {
                return self.scan_one_by_one(keys, haystack, from, known, on_key);
            }
        }
    }

    fn memory(&self) -> usize {
        size_of::<Self>()
            + self.searcher.memory_usage()
            + self.members.len() * size_of::<u32>()
            + self.single.len() * size_of::<SingleMatcher>()
    }
}
