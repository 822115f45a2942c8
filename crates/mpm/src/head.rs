//! Literals near the start of a buffer.
//!
//! A table says for each place and byte which literals can have that byte there. Literals are known by
//! their rarest byte, so that few of them are compared; the cost is one lookup for each place, however
//! many literals there are and however short.

use crate::keys::Keys;
use crate::rarity::frequency;
use crate::{Literal, PatternSet};

/// Bytes that a place can have.
const BYTES: usize = 256;

/// Finds literals whose windows end within a number of bytes from the start. Immutable and shared by
/// workers.
#[derive(Debug)]
pub struct HeadMatcher {
    keys: Keys,
    places: usize,
    /// A bit for each cell with members; cells are numbered by place, then by byte.
    filled: Box<[u64]>,
    /// The members of cell `c` are `members[starts[c]..starts[c + 1]]`.
    starts: Box<[u32]>,
    members: Box<[Member]>,
}

/// A key that can have a byte at a place.
#[derive(Debug, Clone, Copy)]
struct Member {
    key: u32,
    /// Place of the byte in the key.
    at: u32,
}

impl HeadMatcher {
    /// A matcher for literals, none of them empty, whose windows end within `places` bytes; of others the
    /// rest of the window is left out.
    pub fn build(literals: &[Literal], places: usize) -> Self {
        let keys = Keys::new(literals);
        let mut cells: Vec<(usize, Member)> = Vec::new();
        for (index, key, bytes) in keys.iter() {
            let Some((at, &rarest)) =
                bytes.iter().enumerate().min_by_key(|(_, byte)| frequency(byte.to_ascii_lowercase()))
            else {
                continue;
            };
            let (from, to) = key.window(places);
            for start in from..=to.saturating_sub(bytes.len()) {
                if start + bytes.len() > to {
                    break;
                }
                let member = Member { key: index, at: at as u32 };
                let cell = |byte: u8| (start + at) * BYTES + usize::from(byte);
                cells.push((cell(rarest), member));
                if key.nocase && rarest.is_ascii_alphabetic() {
                    cells.push((cell(rarest ^ 0x20), member));
                }
            }
        }
        cells.sort_by_key(|(cell, _)| *cell);
        let mut filled = vec![0u64; places * BYTES / 64];
        let mut starts = vec![0u32; places * BYTES + 1];
        for &(cell, _) in &cells {
            filled[cell / 64] |= 1 << (cell % 64);
            starts[cell + 1] += 1;
        }
        for cell in 0..places * BYTES {
            starts[cell + 1] += starts[cell];
        }
        let members = cells.into_iter().map(|(_, member)| member).collect();
        Self { keys, places, filled: filled.into_boxed_slice(), starts: starts.into_boxed_slice(), members }
    }

    /// Adds every pattern that occurs to `found`. The first of `bytes` is `offset` bytes from the start.
    pub fn find_set(&self, bytes: &[u8], offset: u64, found: &mut PatternSet) {
        let Some(first) = usize::try_from(offset).ok().filter(|first| *first < self.places) else { return };
        for (index, &byte) in bytes.iter().take(self.places - first).enumerate() {
            let cell = (first + index) * BYTES + usize::from(byte);
            if self.filled[cell / 64] & (1 << (cell % 64)) == 0 {
                continue;
            }
            for member in &self.members[self.starts[cell] as usize..self.starts[cell + 1] as usize] {
                let Some(start) = index.checked_sub(member.at as usize) else { continue };
                if self.keys.occurs_at(member.key, bytes, start) {
                    for &id in self.keys.patterns(member.key) {
                        found.insert(id);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PLACES: usize = 16;

    fn literal() -> impl Strategy<Value = Literal> {
        let bytes = proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'A'), Just(0u8)], 1..4);
        (bytes, any::<bool>(), 0..40u32, 0..16u32, 0..=16u32)
            .prop_map(|(bytes, nocase, id, start, end)| Literal::new(bytes, nocase, id).within(start, end))
    }

    proptest! {
        #[test]
        fn finds_what_lies_in_its_window(
            literals in proptest::collection::vec(literal(), 0..30),
            text in proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'A'), Just(0u8)], 0..24),
            offset in 0..20usize,
        ) {
            let mut found = PatternSet::new();
            HeadMatcher::build(&literals, PLACES).find_set(&text, offset as u64, &mut found);
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
                    same && start >= literal.earliest_start as usize && end <= literal.latest_end as usize
                })
            };
            let mut wanted: Vec<u32> = literals.iter().filter(|l| occurs(l)).map(|l| l.id).collect();
            wanted.sort_unstable();
            wanted.dedup();
            prop_assert_eq!(found, wanted);
        }
    }
}
