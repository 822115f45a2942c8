//! What came of a file out of order, until what is before it comes.

use std::collections::BTreeMap;

/// Most separate blocks; more are passed over.
const MOST_BLOCKS: usize = 1 << 14;

/// Bytes of a file that wait, apart from each other.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    by_offset: BTreeMap<u64, Vec<u8>>,
    size: u64,
}

impl Blocks {
    /// Returns the number of bytes that wait.
    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    /// Adds bytes, of which those before `reached` and those that wait already are left out; answers whether there was room
    /// for all.
    pub(super) fn insert(&mut self, reached: u64, offset: u64, bytes: &[u8]) -> bool {
        let mut has_room = true;
        let end = offset.saturating_add(bytes.len() as u64);
        let before = self.by_offset.range(..=offset).next_back();
        let covered = before.map_or(0, |(at, known)| at.saturating_add(known.len() as u64));
        let mut at = offset.max(reached).max(covered);
        let later: Vec<(u64, u64)> = self
            .by_offset
            .range(at..end.max(at))
            .map(|(start, known)| (*start, start.saturating_add(known.len() as u64)))
            .chain([(end, end)])
            .collect();
        for (start, next) in later {
            has_room &= at >= start || self.by_offset.len() < MOST_BLOCKS;
            if at < start && self.by_offset.len() < MOST_BLOCKS {
                let part = |place: u64| usize::try_from(place.saturating_sub(offset)).unwrap_or(usize::MAX);
                let piece = bytes.get(part(at)..part(start)).unwrap_or_default();
                if !piece.is_empty() {
                    self.size += piece.len() as u64;
                    self.by_offset.insert(at, piece.to_vec());
                }
            }
            at = at.max(next);
        }
        has_room
    }

    /// Takes the block that begins at `reached`, or before it.
    pub(super) fn take_at(&mut self, reached: u64) -> Option<Vec<u8>> {
        let first = self.by_offset.first_entry().filter(|first| *first.key() <= reached)?;
        let (offset, mut bytes) = first.remove_entry();
        self.size = self.size.saturating_sub(bytes.len() as u64);
        let past = usize::try_from(reached - offset).unwrap_or(usize::MAX).min(bytes.len());
        bytes.drain(..past);
        Some(bytes)
    }

    /// Returns where the first block begins.
    pub(super) fn start(&self) -> Option<u64> {
        self.by_offset.first_key_value().map(|(offset, _)| *offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What came, at which place, and what waits then.
    type Case<'a> = (&'a [(u64, &'a [u8])], &'a [(u64, &'a [u8])]);

    #[test]
    fn bytes_that_wait_are_kept_once() {
        let cases: [Case<'_>; 6] = [
            (&[(4, b"ef"), (8, b"ij")], &[(4, b"ef"), (8, b"ij")]),
            (&[(4, b"ef"), (4, b"efgh")], &[(4, b"ef"), (6, b"gh")]),
            (&[(6, b"gh"), (4, b"efghij")], &[(4, b"ef"), (6, b"gh"), (8, b"ij")]),
            (&[(0, b"abcd")], &[(2, b"cd")]),
            (&[(0, b"ab")], &[]),
            (&[(4, b"efgh"), (5, b"f")], &[(4, b"efgh")]),
        ];
        for (came, expected) in cases {
            let mut blocks = Blocks::default();
            assert!(came.iter().all(|(offset, bytes)| blocks.insert(2, *offset, bytes)));
            let waits: Vec<(u64, &[u8])> =
                blocks.by_offset.iter().map(|(offset, bytes)| (*offset, bytes.as_slice())).collect();
            assert_eq!(waits, expected, "{came:?}");
            assert_eq!(blocks.size(), waits.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>());
        }
    }

    #[test]
    fn blocks_are_taken_in_order() {
        let mut blocks = Blocks::default();
        assert!(blocks.insert(0, 4, b"ef"));
        assert!(blocks.insert(0, 6, b"gh"));
        assert_eq!((blocks.take_at(3), blocks.start()), (None, Some(4)));
        assert_eq!(blocks.take_at(5), Some(b"f".to_vec()));
        assert_eq!(blocks.take_at(6), Some(b"gh".to_vec()));
        assert_eq!((blocks.take_at(8), blocks.size()), (None, 0));
    }
}
