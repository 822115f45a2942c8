//! Puts the records of several workers in order.

use std::collections::VecDeque;

use weir_base::Position;

use super::{Batch, Order, SPENT_BATCHES};
use crate::known::Claim;
use crate::outlet::{Chunk, RecordEnd};

/// Records that wait for slower workers.
pub(super) struct Merge {
    pub(super) order: Order,
    watermarks: Vec<Position>,
    /// By outlet, then by worker.
    waiting: Vec<Vec<Waiting>>,
}

/// Takes a record, what was claimed beside it, and its place.
pub(super) type TakeRecord<'a> = &'a mut dyn FnMut(&[u8], &RecordEnd, &[Claim]);

/// One worker's records of one outlet.
#[derive(Default)]
struct Waiting {
    chunks: VecDeque<Chunk>,
    /// Records of the first chunk that are written.
    taken: usize,
    /// Those that were written, emptied.
    spent: Vec<Chunk>,
}

impl Waiting {
    /// Files a chunk, and leaves an empty one in its place.
    fn put(&mut self, chunk: &mut Chunk) {
        let empty = self.spent.pop().unwrap_or_else(|| chunk.of_this_size());
        self.chunks.push_back(std::mem::replace(chunk, empty));
    }
    /// The place of the next record.
    fn next(&self) -> Option<Position> {
        self.chunks.front()?.ends.get(self.taken).map(|record| record.position)
    }

    /// Gives out all records that stand at `position`.
    fn take(&mut self, position: Position, each: TakeRecord<'_>) {
        while self.next() == Some(position) {
            let Some(chunk) = self.chunks.front() else { break };
            let start = match self.taken.checked_sub(1) {
                Some(before) => chunk.ends.get(before).map_or(0, |record| record.end),
                None => 0,
            };
            let Some(record) = chunk.ends.get(self.taken) else { break };
            each(
                chunk.bytes.get(start as usize..record.end as usize).unwrap_or_default(),
                record,
                &chunk.claims,
            );
            self.taken += 1;
            if self.taken >= chunk.ends.len() {
                self.taken = 0;
                let spent = self.chunks.pop_front().filter(|_| self.spent.len() < SPENT_BATCHES);
                self.spent.extend(spent.map(Chunk::cleared));
            }
        }
    }
}

impl Merge {
    pub(super) fn new(workers: usize, outlets: usize, order: Order) -> Self {
        let waiting = (0..outlets).map(|_| (0..workers).map(|_| Waiting::default()).collect()).collect();
        Self { order, watermarks: vec![Position::default(); workers], waiting }
    }

    /// Files a batch; the position before which all records are there, where that grew or there are more of them:
    /// counters are told by the clock on the wall, in a place that all may have passed.
    /// The batch keeps empty buffers.
    pub(super) fn add(&mut self, batch: &mut Batch) -> Option<Position> {
        let has_records = batch.chunks.iter().any(|chunk| !chunk.ends.is_empty());
        for (workers, chunk) in self.waiting.iter_mut().zip(&mut batch.chunks) {
            if !chunk.ends.is_empty()
                && let Some(waiting) = workers.get_mut(batch.worker)
            {
                waiting.put(chunk);
            }
        }
        let before = self.watermarks.iter().min().copied()?;
        let mark = self.watermarks.get_mut(batch.worker)?;
        *mark = batch.watermark.max(*mark);
        let now = self.watermarks.iter().min().copied()?;
        (now > before || has_records).then_some(now)
    }

    /// Gives out the records of an outlet before `watermark` in order.
    pub(super) fn ready(&mut self, outlet: usize, watermark: Position, each: TakeRecord<'_>) {
        let Some(workers) = self.waiting.get_mut(outlet) else { return };
        loop {
            let next = workers.iter().enumerate().filter_map(|(worker, w)| Some((w.next()?, worker))).min();
            let Some((position, worker)) = next else { break };
            if position >= watermark && watermark != Position::END {
                break;
            }
            if let Some(waiting) = workers.get_mut(worker) {
                waiting.take(position, each);
            }
        }
    }
}
