//! Teddy, by the aho-corasick crate: vector comparison of the first bytes of some tens of keys.
//!
//! The searcher finds the leftmost place where any key begins. All keys that can begin with the byte there
//! are compared, and the search goes on one byte later, so that overlapping keys are found too.

use aho_corasick::{Span, packed};

use super::Engine;
use crate::MatchScratch;
use crate::keys::Keys;

/// The searcher, and the keys by first byte for the comparison.
#[derive(Debug)]
pub(crate) struct Teddy {
    searcher: packed::Searcher,
    folds: bool,
    /// The keys whose first byte, as the searcher sees it, is `b` are
    /// `members[first_byte_starts[b]..first_byte_starts[b + 1]]`.
    first_byte_starts: [u32; 257],
    members: Vec<u32>,
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
        let members = seen.iter().map(|&(_, index)| index).collect();
        let mut bytes: Vec<Vec<u8>> = seen.into_iter().map(|(bytes, _)| bytes).collect();
        bytes.dedup();
        let searcher = packed::Config::new()
            .only_teddy(true)
            .builder()
            .extend(bytes)
            .build()
            .ok_or("the processor lacks the instructions, or there are too many literals")?;
        Ok(Self { searcher, folds, first_byte_starts, members })
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
        let mut from = 0;
        while let Some(found) = self.searcher.find_in(seen, Span::from(from..seen.len())) {
            let start = found.start();
            let first = usize::from(seen[start]);
            let range = self.first_byte_starts[first] as usize..self.first_byte_starts[first + 1] as usize;
            for &key in &self.members[range] {
                if keys.occurs_at(key, haystack, start) {
                    on_key(key, start + keys.key(key).len());
                }
            }
            from = start + 1;
        }
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.searcher.memory_usage() + self.members.len() * size_of::<u32>()
    }
}
