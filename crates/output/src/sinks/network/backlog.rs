//! Records on their way to a target: the window of those that were sent and are not acknowledged, the queue in memory, the
//! spool on disk.
//!
//! There is one order. While the sender takes from memory, all of the spool is younger than the window and the queue. While
//! it takes from the spool, the window is of the spool, and the queue has something only where all of the spool was read:
//! it is younger then. The sender changes from one to the other when nothing is in its window.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use memchr::memchr_iter;
use weir_config::WhenFull;

use super::spool::{Kept, Place, Spool};

/// Lines to be sent.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    bytes: Arc<Vec<u8>>,
    range: Range<usize>,
    /// Number of the lines.
    pub(super) records: u32,
    /// Lines of it were sent before.
    pub(super) is_repeated: bool,
}

impl Piece {
    /// The lines, each with its end.
    pub(super) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes().split_inclusive(|byte| *byte == b'\n').map(|line| line.trim_ascii_end())
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(self.range.clone()).unwrap_or_default()
    }
}

/// Most of what is sent and not acknowledged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// Records of a piece.
    pub(super) piece: u32,
    /// Records of all pieces.
    pub(super) records: u32,
    /// Bytes of a piece.
    pub(super) bytes: usize,
}

/// Lines that wait together.
#[derive(Debug)]
struct Block {
    bytes: Arc<Vec<u8>>,
    /// Bytes that are acknowledged.
    start: usize,
    /// Records that are not acknowledged, and those that are.
    records: u32,
    acknowledged: u32,
    /// Where it ends in the spool, if it is from there.
    end: Option<Place>,
}

impl Block {
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// Acknowledges so many records, which are not all.
    fn advance(&mut self, records: u32) {
        let Some(last) = (records as usize).checked_sub(1) else { return };
        let end = memchr_iter(b'\n', self.rest()).nth(last).map_or(self.rest().len(), |end| end + 1);
        self.start += end;
        self.records = self.records.saturating_sub(records);
        self.acknowledged += records;
    }
}

/// Where the sender takes records from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Memory,
    Spool,
}

/// What became of records that were handed over, or given up.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Records that wait on disk.
    pub(super) spooled: u64,
    /// Records that are lost.
    pub(super) lost: u64,
    /// The disk says no.
    pub(super) error: Option<io::Error>,
}

/// Records on their way.
#[derive(Debug)]
pub(super) struct Backlog {
    window: VecDeque<Block>,
    /// The block of the window that is sent next, and the byte.
    next: (usize, usize),
    /// Records that are sent and not acknowledged.
    outstanding: u64,
    /// Records that were sent before, from the start of the window on.
    repeated: u64,
    queue: VecDeque<Block>,
    queued: u64,
    memory: u64,
    full: WhenFull,
    spool: Spool,
    source: Source,
    /// The target does not answer: all goes to the disk.
    is_away: bool,
    is_closed: bool,
}

impl Backlog {
    pub(super) fn new(spool: Spool, memory: u64, full: WhenFull) -> Self {
        let source = if spool.is_empty() { Source::Memory } else { Source::Spool };
        Self {
            window: VecDeque::new(),
            next: (0, 0),
            outstanding: 0,
            repeated: 0,
            queue: VecDeque::new(),
            queued: 0,
            memory,
            full,
            spool,
            source,
            is_away: false,
            is_closed: false,
        }
    }

    /// Records that are not acknowledged.
    pub(super) fn waiting(&self) -> u64 {
        let of = |blocks: &VecDeque<Block>| blocks.iter().map(|block| u64::from(block.records)).sum::<u64>();
        let taken = |block: &&Block| block.end.is_none();
        let window: u64 = self.window.iter().filter(taken).map(|block| u64::from(block.records)).sum();
        // The spool counts a file's records until all of it is acknowledged.
        let acknowledged = self.window.front().filter(|block| block.end.is_some());
        let acknowledged = acknowledged.map_or(0, |block| u64::from(block.acknowledged));
        window + of(&self.queue) + self.spool.records().saturating_sub(acknowledged)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.window.is_empty() && self.queue.is_empty() && self.spool.is_empty()
    }

    pub(super) const fn outstanding(&self) -> u64 {
        self.outstanding
    }

    pub(super) const fn is_closed(&self) -> bool {
        self.is_closed
    }

    pub(super) fn take_damaged(&mut self) -> Vec<PathBuf> {
        self.spool.take_damaged()
    }

    /// Whether records wait on disk.
    pub(super) const fn has_spool(&self) -> bool {
        self.spool.is_on()
    }

    /// The folder of the spool, where another process has it.
    pub(super) fn taken_folder(&self) -> Option<PathBuf> {
        self.spool.is_taken().then(|| self.spool_folder())
    }

    pub(super) fn spool_folder(&self) -> PathBuf {
        self.spool.folder().to_owned()
    }

    /// Takes whole lines in.
    pub(super) fn push(&mut self, lines: &[u8], records: u32) -> Outcome {
        let mut outcome = Outcome::default();
        if self.is_closed {
            outcome.lost = records.into();
            return outcome;
        }
        if !self.spool.is_on() {
            while self.full == WhenFull::LoseOldest && self.queued + lines.len() as u64 > self.memory {
                let Some(oldest) = self.queue.pop_front() else { break };
                self.queued = self.queued.saturating_sub(oldest.rest().len() as u64);
                outcome.lost += u64::from(oldest.records);
            }
        }
        let fits = self.queued + lines.len() as u64 <= self.memory;
        if fits && !(self.spool.is_on() && (self.is_away || self.spool.has_unread())) {
            self.enqueue(lines, records);
        } else if self.spool.is_on() {
            // Of a spool that was read, what waits in memory is the younger part.
            if self.source == Source::Spool {
                self.append_queue(&mut outcome);
            }
            self.append(lines, records, &mut outcome);
        } else {
            outcome.lost += u64::from(records);
        }
        outcome
    }

    fn enqueue(&mut self, lines: &[u8], records: u32) {
        self.queued += lines.len() as u64;
        let bytes = Arc::new(lines.to_vec());
        self.queue.push_back(Block { bytes, start: 0, records, acknowledged: 0, end: None });
    }

    fn append_queue(&mut self, outcome: &mut Outcome) {
        self.queued = 0;
        for block in std::mem::take(&mut self.queue) {
            self.append(block.rest(), block.records, outcome);
        }
    }

    fn append(&mut self, lines: &[u8], records: u32, outcome: &mut Outcome) {
        let records_too = u64::from(records);
        match self.spool.append(lines, records) {
            Kept::Yes(older) => {
                outcome.spooled += records_too;
                outcome.lost += older;
            }
            Kept::Full => outcome.lost += records_too,
            Kept::Failed(error) => {
                outcome.lost += records_too;
                outcome.error.get_or_insert(error);
            }
        }
    }

    /// Lines to send now, where there are some and the window has room.
    pub(super) fn next(&mut self, window: Window) -> Option<Piece> {
        let room = u64::from(window.records).saturating_sub(self.outstanding);
        if self.is_closed || room == 0 {
            return None;
        }
        let most = (window.piece as usize).min(room as usize).max(1);
        loop {
            let (index, offset) = self.next;
            let Some(block) = self.window.get(index) else {
                let block = self.take()?;
                self.next = (self.window.len(), block.start);
                self.window.push_back(block);
                continue;
            };
            let rest = block.bytes.get(offset..).unwrap_or_default();
            let (mut length, mut records) = (0, 0);
            for end in memchr_iter(b'\n', rest).take(most) {
                if records > 0 && end + 1 > window.bytes {
                    break;
                }
                (length, records) = (end + 1, records + 1);
            }
            if records == 0 {
                self.next = (index + 1, self.window.get(index + 1).map_or(0, |block| block.start));
                continue;
            }
            self.next = (index, offset + length);
            let is_repeated = self.outstanding < self.repeated;
            self.outstanding += u64::from(records);
            let bytes = Arc::clone(&block.bytes);
            return Some(Piece { bytes, range: offset..offset + length, records, is_repeated });
        }
    }

    /// Takes the next block from memory or from the disk.
    fn take(&mut self) -> Option<Block> {
        if self.window.is_empty() {
            self.source = match self.source {
                Source::Memory if self.queue.is_empty() && self.spool.has_unread() => Source::Spool,
                Source::Spool if self.spool.is_empty() => Source::Memory,
                same => same,
            };
        }
        match self.source {
            Source::Memory => {
                let block = self.queue.pop_front()?;
                self.queued = self.queued.saturating_sub(block.rest().len() as u64);
                Some(block)
            }
            Source::Spool => {
                let Some(frame) = self.spool.read() else {
                    // What could not be read may have been all there was.
                    return if self.window.is_empty() && self.spool.is_empty() && !self.queue.is_empty() {
                        self.source = Source::Memory;
                        self.take()
                    } else {
                        None
                    };
                };
                let bytes = Arc::new(frame.bytes);
                let mut block =
                    Block { bytes, start: 0, records: frame.records, acknowledged: 0, end: Some(frame.end) };
                block.advance(frame.skip);
                Some(block)
            }
        }
    }

    /// The first so many records that are not acknowledged are now.
    pub(super) fn acknowledge(&mut self, mut records: u64) {
        if self.is_closed {
            return;
        }
        self.outstanding = self.outstanding.saturating_sub(records);
        self.repeated = self.repeated.saturating_sub(records);
        while let Some(front) = self.window.front_mut().filter(|_| records > 0) {
            if records < u64::from(front.records) {
                front.advance(records as u32);
                return;
            }
            records -= u64::from(front.records);
            if let Some(place) = front.end {
                let records = front.records + front.acknowledged;
                self.spool.acknowledge(place, records);
            }
            self.window.pop_front();
            self.next = match self.next.0.checked_sub(1) {
                Some(index) => (index, self.next.1),
                None => (0, self.window.front().map_or(0, |block| block.start)),
            };
        }
    }

    /// The connection is lost: what is not acknowledged is sent again.
    pub(super) fn rewind(&mut self) {
        self.next = (0, self.window.front().map_or(0, |block| block.start));
        self.repeated = self.repeated.max(self.outstanding);
        self.outstanding = 0;
    }

    /// The target is back.
    pub(super) const fn back(&mut self) {
        self.is_away = false;
    }

    /// The target does not answer: all that waits in memory goes to the disk.
    pub(super) fn away(&mut self) -> Outcome {
        self.is_away = true;
        let mut outcome = Outcome::default();
        if self.is_closed || !self.spool.is_on() {
            return outcome;
        }
        match self.source {
            Source::Spool => self.append_queue(&mut outcome),
            Source::Memory => {
                let blocks = || self.window.iter().chain(&self.queue);
                let records: u64 = blocks().map(|block| u64::from(block.records)).sum();
                match self.spool.prepend(blocks().map(|block| (block.rest(), block.records))) {
                    Ok(()) => {
                        self.window.clear();
                        self.queue.clear();
                        self.queued = 0;
                        self.next = (0, 0);
                        outcome.spooled = records;
                    }
                    // They wait on in memory.
                    Err(error) => outcome.error = Some(error),
                }
            }
        }
        outcome
    }

    /// Ends all: what is not acknowledged stays on disk.
    pub(super) fn close(&mut self) -> Outcome {
        let mut outcome = self.away();
        self.is_closed = true;
        let of_memory = |block: &&Block| block.end.is_none();
        let left = self.window.iter().chain(&self.queue).filter(of_memory);
        outcome.lost += left.map(|block| u64::from(block.records)).sum::<u64>();
        let begun = self.window.front().filter(|block| block.acknowledged > 0 || self.spool.is_on());
        let place = begun.and_then(|block| Some((block.end?.before(block.bytes.len()), block.acknowledged)));
        self.spool.note_position(place);
        self.spool.release();
        self.window.retain(|block| block.end.is_some());
        self.queue.clear();
        outcome
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use weir_testkit::TestFolder;

    use super::*;

    const WINDOW: Window = Window { piece: 100, records: 100, bytes: 1 << 20 };

    fn backlog(folder: &Path, memory: u64, size: u64) -> Backlog {
        Backlog::new(Spool::open(folder.join("s"), size, WhenFull::LoseNewest), memory, WhenFull::LoseNewest)
    }

    fn numbers(piece: &Piece) -> Vec<u32> {
        piece.lines().map(|line| std::str::from_utf8(line).unwrap().parse().unwrap()).collect()
    }

    /// The sender and who pushes, the target that goes away and comes back, in all orders that a small generator draws:
    /// each record is taken at least once, and those that are taken first are in order.
    #[test]
    fn nothing_is_lost_and_the_order_is_kept() {
        for seed in 0..300_u64 {
            let folder = TestFolder::new("backlog");
            let mut log = backlog(&folder.join("."), 40, 1 << 20);
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut draw = |most: u64| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state % most
            };
            let (mut pushed, mut taken, mut sent) = (0_u32, 0_u32, VecDeque::new());
            for _ in 0..400 {
                match draw(12) {
                    0..=3 => {
                        let count = 1 + draw(4) as u32;
                        let lines: String = (pushed..pushed + count).map(|n| format!("{n}\n")).collect();
                        pushed += count;
                        assert_eq!(log.push(lines.as_bytes(), count).lost, 0);
                    }
                    4..=6 => {
                        let window = Window { piece: 1 + draw(5) as u32, records: 20, ..WINDOW };
                        sent.extend(log.next(window).iter().flat_map(numbers));
                    }
                    7..=9 => {
                        let count = draw(sent.len() as u64 + 1);
                        for _ in 0..count {
                            assert_eq!(sent.pop_front(), Some(taken), "seed {seed}");
                            taken += 1;
                        }
                        log.acknowledge(count);
                    }
                    10 => {
                        log.rewind();
                        sent.clear();
                        if draw(2) == 0 {
                            assert!(log.away().error.is_none());
                        }
                    }
                    _ => match draw(4) {
                        0 => {
                            let left = log.waiting();
                            assert_eq!(u64::from(pushed - taken), left, "seed {seed}");
                            assert_eq!(log.close().lost, 0);
                            sent.clear();
                            log = backlog(&folder.join("."), 40, 1 << 20);
                        }
                        _ => log.back(),
                    },
                }
            }
            log.back();
            log.rewind();
            while let Some(piece) = log.next(WINDOW) {
                for number in numbers(&piece) {
                    assert_eq!(number, taken, "seed {seed}");
                    taken += 1;
                }
                log.acknowledge(piece.records.into());
            }
            assert_eq!((taken, log.is_empty()), (pushed, true), "seed {seed}");
        }
    }

    #[test]
    fn without_a_spool_memory_is_all() {
        let folder = TestFolder::new("backlog-memory");
        for (full, expected) in [(WhenFull::LoseNewest, [0, 1]), (WhenFull::LoseOldest, [2, 3])] {
            let mut log = Backlog::new(Spool::open(folder.join("s"), 0, full), 4, full);
            let lost: u64 = (0..4).map(|n| log.push(format!("{n}\n").as_bytes(), 1).lost).sum();
            assert_eq!(lost, 2);
            log.away();
            let sent: Vec<u32> = std::iter::from_fn(|| log.next(WINDOW)).flat_map(|p| numbers(&p)).collect();
            assert_eq!(sent, expected);
            assert_eq!(log.close().lost, 2);
        }
        assert!(!folder.join("s").exists());
    }

    #[test]
    fn pieces_are_as_large_as_the_target_wants() {
        let folder = TestFolder::new("backlog-pieces");
        let mut log = backlog(&folder.join("."), 1 << 20, 1 << 20);
        log.push(b"1\n2\n3\n4\n5\n", 5);
        let window = Window { piece: 3, records: 4, bytes: 4 };
        let pieces: Vec<_> = std::iter::from_fn(|| log.next(window)).map(|piece| numbers(&piece)).collect();
        assert_eq!(pieces, [vec![1, 2], vec![3, 4]]);
        log.acknowledge(1);
        assert_eq!(log.next(window).map(|piece| numbers(&piece)), Some(vec![5]));
        log.rewind();
        let piece = log.next(WINDOW).unwrap();
        assert_eq!((numbers(&piece), piece.is_repeated), (vec![2, 3, 4, 5], true));
    }
}
