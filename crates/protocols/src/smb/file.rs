//! A file that is read or written in chunks, which may come in any order.
//!
//! Chunks ahead of their turn wait, within the limits of the configuration. Missing bytes of a chunk make a gap
//! in the file, which goes on behind it.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_applayer::File;
use weir_base::{Direction, Timestamp};

use super::transaction::FileId;

/// Most bytes that wait for their turn once something is missing of the connection: what they wait for may never come.
pub(super) const MAX_WAITING_AFTER_GAP: u64 = 2_000_000;

/// One transfer.
#[derive(Debug)]
pub(super) struct Transfer {
    /// Side that sends the file.
    pub(super) direction: Direction,
    /// Its number.
    pub(super) file: FileId,
    /// Its name.
    pub(super) name: Arc<[u8]>,
    /// The share that it is of.
    pub(super) share: Arc<[u8]>,
    /// Bytes of the file in order so far.
    position: u64,
    /// The chunk that is coming.
    chunk: Option<Chunk>,
    /// Chunks that wait, by where they belong.
    waiting: BTreeMap<u64, Waiting>,
    /// Bytes of all of them.
    waiting_bytes: u64,
}

/// A chunk that is coming.
#[derive(Debug)]
struct Chunk {
    /// Where it belongs, where it is not its turn.
    early: Option<u64>,
    /// Bytes of it that were there before.
    old: u64,
    /// Bytes that are to come.
    left: u64,
}

/// A chunk that waits.
#[derive(Debug, Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// Bytes that are missing, which counts for all of it.
    missing: u64,
}

impl Transfer {
    /// Bytes that it takes.
    pub(super) fn memory(&self) -> usize {
        size_of::<Self>() + usize::try_from(self.waiting_bytes).unwrap_or(usize::MAX)
    }

    /// A transfer of which nothing has come.
    pub(super) fn new(direction: Direction, file: FileId, name: Arc<[u8]>, share: Arc<[u8]>) -> Self {
        Self {
            direction,
            file,
            name,
            share,
            position: 0,
            chunk: None,
            waiting: BTreeMap::new(),
            waiting_bytes: 0,
        }
    }

    /// Whether what belongs at `offset` came before.
    pub(super) const fn has_passed(&self, offset: u64) -> bool {
        offset < self.position
    }

    /// Whether it is not yet the turn of what belongs at `offset`.
    pub(super) const fn is_early(&self, offset: u64) -> bool {
        offset > self.position
    }

    /// Returns the number of chunks under way, and of their bytes.
    pub(super) fn load(&self) -> (u64, u64) {
        let left = self.chunk.as_ref().map_or(0, |chunk| chunk.left);
        (self.waiting.len() as u64 + u64::from(left > 0), self.waiting_bytes.saturating_add(left))
    }

    /// Bytes that wait for their turn.
    pub(super) const fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes
    }

    /// Whether more waits than should after a gap.
    pub(super) const fn waits_in_vain(&self) -> bool {
        self.waiting_bytes > MAX_WAITING_AFTER_GAP
    }

    /// A chunk begins. Answers whether the one before it was left incomplete.
    pub(super) fn begin(&mut self, offset: u64, length: u64) -> bool {
        let incomplete = self.chunk.take().is_some();
        self.chunk = (length > 0).then(|| Chunk {
            early: (offset > self.position).then_some(offset),
            old: self.known(offset).min(length),
            left: length,
        });
        incomplete
    }

    /// Bytes of what belongs at `offset` that came before, those that wait there included: the first that come stay.
    fn known(&self, offset: u64) -> u64 {
        match self.position.checked_sub(offset) {
            Some(passed) => passed,
            None => self
                .waiting
                .get(&offset)
                .map_or(0, |waiting| waiting.missing.saturating_add(waiting.bytes.len() as u64)),
        }
    }

    /// The next bytes of the chunk; what goes beyond it is left out.
    pub(super) fn append(&mut self, file: &mut File, bytes: &[u8], time: Timestamp) {
        let Some(chunk) = &mut self.chunk else { return };
        let count = chunk.left.min(bytes.len() as u64);
        chunk.left -= count;
        let old = chunk.old.min(count);
        chunk.old -= old;
        let bytes = bytes.get(old as usize..count as usize).unwrap_or_default();
        match chunk.early {
            None => {
                file.append(bytes, time);
                self.position = self.position.saturating_add(bytes.len() as u64);
            }
            Some(offset) => {
                self.waiting.entry(offset).or_default().bytes.extend_from_slice(bytes);
                self.waiting_bytes = self.waiting_bytes.saturating_add(bytes.len() as u64);
            }
        }
        self.advance(file, time);
    }

    /// The next bytes of the chunk never come. Answers how many of them were the chunk's.
    pub(super) fn gap(&mut self, file: &mut File, length: u64, time: Timestamp) -> u64 {
        let Some(chunk) = &mut self.chunk else { return 0 };
        let count = chunk.left.min(length);
        chunk.left -= count;
        let missing = count - chunk.old.min(count);
        chunk.old -= count - missing;
        match chunk.early {
            None => {
                file.gap(missing);
                self.position = self.position.saturating_add(missing);
            }
            Some(offset) => self.waiting.entry(offset).or_default().missing += missing,
        }
        self.advance(file, time);
        count
    }

    /// Where the chunk is whole, those have their turn that wait for what came.
    fn advance(&mut self, file: &mut File, time: Timestamp) {
        if self.chunk.as_ref().is_some_and(|chunk| chunk.left > 0) {
            return;
        }
        self.chunk = None;
        while let Some(first) = self.waiting.first_entry() {
            let offset = *first.key();
            if offset > self.position {
                return;
            }
            let waiting = first.remove();
            self.waiting_bytes = self.waiting_bytes.saturating_sub(waiting.bytes.len() as u64);
            let length = waiting.missing.saturating_add(waiting.bytes.len() as u64);
            let old = (self.position - offset).min(length);
            if waiting.missing > 0 {
                file.gap(length - old);
            } else {
                file.append(waiting.bytes.get(old as usize..).unwrap_or_default(), time);
            }
            self.position = self.position.saturating_add(length - old);
        }
    }

    /// No more comes: what waits is forgotten. Answers how many bytes that are.
    pub(super) fn end(&mut self) -> u64 {
        self.chunk = None;
        self.waiting.clear();
        std::mem::take(&mut self.waiting_bytes)
    }
}

#[cfg(test)]
mod tests {
    use weir_applayer::file::FileSettings;

    use super::*;

    fn transfer() -> (Transfer, File) {
        let direction = Direction::ToServer;
        let none: Arc<[u8]> = Arc::default();
        let transfer = Transfer::new(direction, FileId::Two([0; 16]), Arc::clone(&none), none);
        (transfer, File::open(0, Vec::new(), direction, Timestamp(1), &FileSettings::default()))
    }

    #[test]
    fn chunks_in_any_order() {
        type Chunks<'a> = &'a [(u64, &'a [u8])];
        let cases: [(Chunks<'_>, &[u8]); 6] = [
            (&[(0, b"abc"), (3, b"def")], b"abcdef"),
            (&[(3, b"def"), (0, b"abc")], b"abcdef"),
            (&[(6, b"ghi"), (3, b"def"), (0, b"abc")], b"abcdefghi"),
            (&[(0, b"abc"), (0, b"xyz"), (3, b"def")], b"abcdef"),
            (&[(0, b"abc"), (2, b"xyz"), (5, b"!")], b"abcyz!"),
            (&[(2, b"xyz"), (0, b"abc")], b"abcyz"),
        ];
        for (chunks, expected) in cases {
            let (mut transfer, mut file) = transfer();
            for (offset, bytes) in chunks {
                assert!(!transfer.begin(*offset, bytes.len() as u64));
                for byte in *bytes {
                    transfer.append(&mut file, &[*byte], Timestamp(2));
                }
                transfer.append(&mut file, b"beyond", Timestamp(2));
            }
            assert_eq!(file.content.bytes(), (0, expected), "{chunks:?}");
            assert_eq!(transfer.load(), (0, 0), "{chunks:?}");
        }
    }

    #[test]
    fn gaps_in_chunks() {
        let (mut transfer, mut file) = transfer();
        transfer.begin(4, 4);
        transfer.append(&mut file, b"ef", Timestamp(2));
        assert_eq!((transfer.load(), transfer.gap(&mut file, 10, Timestamp(2))), ((2, 4), 2));
        transfer.begin(0, 4);
        transfer.append(&mut file, b"ab", Timestamp(2));
        assert_eq!(transfer.gap(&mut file, 1, Timestamp(2)), 1);
        transfer.append(&mut file, b"d", Timestamp(2));
        transfer.begin(8, 2);
        transfer.append(&mut file, b"ij", Timestamp(2));
        assert_eq!((file.size, file.missing, transfer.position), (5, 5, 10));
        assert!(transfer.has_passed(9) && !transfer.has_passed(10));
        transfer.begin(20, 5);
        assert!(transfer.begin(10, 1), "the chunk before was not whole");
    }

    #[test]
    fn what_waits_is_not_told_twice() {
        let mut file = File::open(0, Vec::new(), Direction::ToServer, Timestamp(1), &FileSettings::default());
        let mut transfer = Transfer::new(Direction::ToServer, FileId::Two([0; 16]), [].into(), [].into());
        for (offset, bytes) in [(3, &b"de"[..]), (3, b"XYf"), (3, b"Z"), (0, b"abc"), (6, b"g")] {
            transfer.begin(offset, bytes.len() as u64);
            transfer.append(&mut file, bytes, Timestamp(1));
        }
        assert_eq!((file.content.bytes().1, transfer.waiting_bytes()), (&b"abcdefg"[..], 0));
    }
}
