//! A file that is put together of parts that are read or written in any order.

use std::collections::BTreeMap;

use weir_applayer::{File, FileState};
use weir_base::{Direction, Timestamp};

/// Most bytes, and most parts, that wait for those in front of them: those are missing then.
pub const MAX_WAITING: usize = 2 << 20;
const MAX_PARTS: usize = 1024;

/// Bytes of a waiting part beside its content.
const PART_SIZE: usize = 64;

/// Progress of a file.
#[derive(Debug)]
pub struct Transfer {
    /// Side that has it.
    pub direction: Direction,
    /// Its parts but the first one, and with them what ended it.
    pub chunks: u32,
    /// The last part was asked for, or came.
    pub is_last: bool,
    /// The number of the call that ended it.
    pub last_xid: u32,
    /// A commit ended it.
    pub is_committed: bool,
    /// Up to here it is put together.
    next: u64,
    /// Where it ends, once that is known.
    end: Option<u64>,
    waiting: BTreeMap<u64, (Vec<u8>, Timestamp)>,
    waiting_bytes: usize,
}

impl Transfer {
    /// Nothing of it came yet.
    pub fn new(direction: Direction) -> Self {
        Self {
            direction,
            chunks: 0,
            is_last: false,
            last_xid: 0,
            is_committed: false,
            next: 0,
            end: None,
            waiting: BTreeMap::new(),
            waiting_bytes: 0,
        }
    }

    /// Takes a part. Of what came before, the first that came stays.
    pub fn take(&mut self, file: &mut File, offset: u64, bytes: &[u8], time: Timestamp) {
        if offset > self.next {
            if self.waiting.contains_key(&offset) || bytes.is_empty() {
                return;
            }
            self.waiting_bytes += bytes.len() + PART_SIZE;
            self.waiting.insert(offset, (bytes.to_vec(), time));
            while self.waiting_bytes > MAX_WAITING || self.waiting.len() > MAX_PARTS {
                self.pass_hole(file);
            }
            return;
        }
        self.append(file, offset, bytes, time);
        self.join(file);
    }

    /// Appends what of a part is new.
    fn append(&mut self, file: &mut File, offset: u64, bytes: &[u8], time: Timestamp) {
        let known = usize::try_from(self.next.saturating_sub(offset)).unwrap_or(usize::MAX);
        if let Some(new) = bytes.get(known..).filter(|new| !new.is_empty()) {
            file.append(new, time);
            self.next = self.next.saturating_add(new.len() as u64);
        }
    }

    /// Appends the parts that wait for nothing any more.
    fn join(&mut self, file: &mut File) {
        while let Some(first) = self.waiting.first_entry().filter(|first| *first.key() <= self.next) {
            let (offset, (bytes, time)) = first.remove_entry();
            self.waiting_bytes -= bytes.len() + PART_SIZE;
            self.append(file, offset, &bytes, time);
        }
    }

    /// Gives up the bytes before the first part that waits.
    fn pass_hole(&mut self, file: &mut File) {
        if let Some((&offset, _)) = self.waiting.first_key_value() {
            file.gap(offset.saturating_sub(self.next));
            self.next = offset;
        }
        self.join(file);
    }

    /// So many bytes of a part were never seen.
    pub fn pass(&mut self, file: &mut File, offset: u64, length: u64) {
        if offset <= self.next {
            let end = offset.saturating_add(length);
            file.gap(end.saturating_sub(self.next));
            self.next = self.next.max(end);
            self.join(file);
        }
    }

    /// It ends here.
    pub fn ends_at(&mut self, end: u64) {
        self.end = Some(end);
    }

    /// All of it is there.
    pub fn is_whole(&self) -> bool {
        self.end.is_some_and(|end| end <= self.next)
    }

    /// Memory of what waits.
    pub const fn waiting(&self) -> usize {
        self.waiting_bytes
    }

    /// Gives up the bytes before all parts that wait.
    pub fn pass_holes(&mut self, file: &mut File) {
        while !self.waiting.is_empty() {
            self.pass_hole(file);
        }
    }

    /// Ends the file, with whatever is missing.
    pub fn close(&mut self, file: &mut File, state: FileState) {
        self.pass_holes(file);
        file.close(state);
    }
}

#[cfg(test)]
mod tests {
    use weir_applayer::file::FileSettings;

    use super::*;

    type Part<'a> = (u64, &'a [u8]);

    fn put_together(parts: &[Part<'_>]) -> (Vec<u8>, u64) {
        let time = Timestamp::new(1, 0);
        let mut file = File::open(0, Vec::new(), Direction::ToClient, time, &FileSettings::default());
        let mut transfer = Transfer::new(Direction::ToClient);
        for (offset, bytes) in parts {
            transfer.take(&mut file, *offset, bytes, time);
        }
        transfer.close(&mut file, FileState::Closed);
        assert_eq!((transfer.waiting.len(), transfer.waiting_bytes), (0, 0));
        (file.content.bytes().1.to_vec(), file.missing)
    }

    #[test]
    fn parts_in_any_order() {
        let cases: &[(&[Part<'_>], &[u8], u64)] = &[
            (&[(0, b"abc"), (3, b"def")], b"abcdef", 0),
            (&[(3, b"def"), (0, b"abc")], b"abcdef", 0),
            (&[(6, b"g"), (3, b"def"), (0, b"abc")], b"abcdefg", 0),
            (&[(0, b"abc"), (1, b"XXXd"), (2, b"Y")], b"abcXd", 0),
            (&[(0, b"abc"), (5, b"f")], b"abcf", 2),
            (&[(0, b""), (5, b"")], b"", 0),
            (&[(u64::MAX, b"ab"), (0, b"c")], b"cab", u64::MAX - 1),
        ];
        for (parts, content, missing) in cases {
            assert_eq!(put_together(parts), (content.to_vec(), *missing), "{parts:?}");
        }
    }

    #[test]
    fn what_waits_is_limited() {
        let parts: Vec<Part<'_>> = (1..MAX_PARTS as u64 + 10).map(|part| (part * 2, &b"a"[..])).collect();
        let (content, missing) = put_together(&parts);
        assert_eq!((content.len(), missing), (parts.len(), parts.len() as u64 + 1));
        let large = vec![b'a'; MAX_WAITING + 1];
        assert_eq!(put_together(&[(7, &large)]).1, 7);
    }
}
