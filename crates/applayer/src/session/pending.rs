//! Bytes of one direction that wait: for recognition, or for the rest of a unit that a parser
//! wants whole.

use weir_base::Timestamp;

/// Most segments whose arrival is remembered; bytes of later ones count with the last remembered.
const MAX_ARRIVALS: usize = 1024;

/// An empty buffer larger than this is given back.
const KEPT_CAPACITY: usize = 4096;

/// Contiguous bytes of a stream, taken from the front and added at the back. Each byte is copied
/// in once and moved at most once on average. Where none ever waited there is but a word.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending(Option<Box<Waiting>>);

/// See [`Pending`].
#[derive(Clone, Debug, Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// Bytes at the front of `bytes` that were taken.
    taken: usize,
    /// Stream offset of the first byte not taken.
    offset: u64,
    /// Stream offset of each segment's first byte and when it was captured.
    arrivals: Vec<(u64, Timestamp)>,
}

impl Pending {
    /// The bytes that wait.
    pub(super) fn bytes(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], |waiting| waiting.bytes())
    }

    /// Returns the number of waiting bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes().len()
    }

    /// Bytes of memory that they take.
    pub(super) fn memory(&self) -> usize {
        let of = |waiting: &Waiting| {
            let arrivals = waiting.arrivals.capacity() * size_of::<(u64, Timestamp)>();
            size_of::<Waiting>() + waiting.bytes.capacity() + arrivals
        };
        self.0.as_deref().map_or(0, of)
    }

    /// Whether none waits.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes().is_empty()
    }

    /// Stream offset of the first one.
    pub(super) fn offset(&self) -> u64 {
        self.0.as_ref().map_or(0, |waiting| waiting.offset)
    }

    /// When they were captured.
    pub(super) fn arrivals(&self) -> &[(u64, Timestamp)] {
        self.0.as_ref().map_or(&[], |waiting| &waiting.arrivals)
    }

    /// Adds bytes that stand at `offset` in the stream.
    pub(super) fn push(&mut self, offset: u64, bytes: &[u8], arrivals: &[(u64, Timestamp)], time: Timestamp) {
        self.0.get_or_insert_default().push(offset, bytes, arrivals, time);
    }

    /// Removes the first `count` bytes.
    pub(super) fn consume(&mut self, count: usize) {
        if let Some(waiting) = &mut self.0 {
            waiting.consume(count);
        }
    }

    /// All of them count as captured at this time.
    pub(super) fn postpone(&mut self, time: Timestamp) {
        if let Some(waiting) = &mut self.0 {
            waiting.arrivals.iter_mut().for_each(|(_, arrival)| *arrival = time);
        }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        if let Some(waiting) = &mut self.0 {
            waiting.clear();
        }
    }
}

impl Waiting {
    fn bytes(&self) -> &[u8] {
        self.bytes.get(self.taken..).unwrap_or_default()
    }

    fn len(&self) -> usize {
        self.bytes.len().saturating_sub(self.taken)
    }

    fn push(&mut self, offset: u64, bytes: &[u8], arrivals: &[(u64, Timestamp)], time: Timestamp) {
        if self.len() == 0 {
            self.clear();
            self.offset = offset;
        }
        // The first entry that matters is the one that covers the first byte.
        let first = arrivals.partition_point(|&(start, _)| start <= offset).saturating_sub(1);
        let covering = arrivals.get(first..).unwrap_or_default();
        if covering.is_empty() {
            self.remember(offset, time);
        }
        for &(start, time) in covering {
            if start < offset.saturating_add(bytes.len() as u64) {
                self.remember(start.max(offset), time);
            }
        }
        self.bytes.extend_from_slice(bytes);
    }

    fn remember(&mut self, start: u64, time: Timestamp) {
        if self.arrivals.len() < MAX_ARRIVALS {
            self.arrivals.push((start, time));
        }
    }

    fn consume(&mut self, count: usize) {
        let count = count.min(self.len());
        self.taken += count;
        self.offset = self.offset.saturating_add(count as u64);
        if self.len() == 0 {
            self.clear();
        } else if self.taken > self.bytes.len() / 2 {
            // Moving the rest costs less than what was taken since the last time.
            self.bytes.drain(..self.taken);
            self.taken = 0;
        }
        let covering = self.arrivals.partition_point(|&(start, _)| start <= self.offset).saturating_sub(1);
        if covering > self.arrivals.len() / 2 {
            self.arrivals.drain(..covering);
        }
    }

    fn clear(&mut self) {
        self.taken = 0;
        self.arrivals.clear();
        if self.bytes.capacity() > KEPT_CAPACITY {
            self.bytes = Vec::new();
            self.arrivals = Vec::new();
        } else {
            self.bytes.clear();
        }
    }
}

/// Writes into `out` the arrivals of the `length` bytes at `offset`, relative to `offset`.
pub(super) fn relative_arrivals(
    arrivals: &[(u64, Timestamp)],
    offset: u64,
    length: usize,
    time: Timestamp,
    out: &mut Vec<(usize, Timestamp)>,
) {
    out.clear();
    let first = arrivals.partition_point(|&(start, _)| start <= offset).saturating_sub(1);
    for &(start, time) in arrivals.get(first..).unwrap_or_default() {
        let index = start.saturating_sub(offset);
        if index >= length as u64 && !out.is_empty() {
            break;
        }
        out.push((index as usize, time));
    }
    if out.is_empty() {
        out.push((0, time));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(time: u64) -> Timestamp {
        Timestamp(time)
    }

    #[test]
    fn bytes_and_arrivals_move_together() {
        let mut pending = Pending::default();
        pending.push(100, b"abcd", &[(98, at(1)), (102, at(2))], at(9));
        pending.push(104, b"ef", &[], at(3));
        assert_eq!((pending.bytes(), pending.offset()), (&b"abcdef"[..], 100));
        let mut relative = Vec::new();
        relative_arrivals(pending.arrivals(), pending.offset(), pending.len(), at(9), &mut relative);
        assert_eq!(relative, [(0, at(1)), (2, at(2)), (4, at(3))]);
        pending.consume(3);
        assert_eq!((pending.bytes(), pending.offset()), (&b"def"[..], 103));
        relative_arrivals(pending.arrivals(), pending.offset(), pending.len(), at(9), &mut relative);
        assert_eq!(relative, [(0, at(2)), (1, at(3))]);
        pending.consume(9);
        assert!(pending.is_empty() && pending.arrivals().is_empty());
    }

    #[test]
    fn many_small_pushes_stay_bounded() {
        let mut pending = Pending::default();
        for offset in 0..100_000_u64 {
            pending.push(offset, b"x", &[(offset, at(offset))], at(0));
            if pending.len() == 10 {
                pending.consume(9);
            }
        }
        let waiting = pending.0.as_ref().unwrap();
        assert!(waiting.bytes.len() <= 32, "{}", waiting.bytes.len());
        assert!(waiting.arrivals.len() <= 32, "{}", waiting.arrivals.len());
        assert_eq!(pending.offset() + pending.len() as u64, 100_000);
    }

    #[test]
    fn arrivals_without_entries_are_now() {
        let mut relative = Vec::new();
        relative_arrivals(&[], 5, 3, at(4), &mut relative);
        assert_eq!(relative, [(0, at(4))]);
    }
}
