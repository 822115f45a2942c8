//! State shared by all sessions of a worker: memory accounts, counters, and a pool of buffers.

use weir_base::Timestamp;

use crate::counters::{EventCounters, StreamAccount, StreamCounters};
use crate::store::{Piece, Store};

/// Most buffers kept for later use.
const MAX_POOLED: usize = 1024;

/// Buffers that grew past this many bytes are not kept: a few bytes may come to lie in one for long.
const MAX_POOLED_BYTES: usize = 4 << 10;

/// Shared by the sessions of one worker.
#[derive(Debug, Default)]
pub struct StreamShared {
    /// Counters of the stream engine.
    pub counters: StreamCounters,
    /// Counts of each event.
    pub events: EventCounters,
    /// The latest time of any packet: what bytes count as arrived at, also where a capture's clock
    /// steps back.
    pub now: Timestamp,
    /// Where the bytes went.
    pub account: StreamAccount,
    pool: Vec<Vec<u8>>,
    /// Stores of directions that keep nothing any more.
    #[expect(clippy::vec_box, reason = "directions hold them by their boxes")]
    stores: Vec<Box<Store>>,
    /// Pieces that a segment replaces, kept for its memory.
    pub(crate) replaced: Vec<(u64, Piece)>,
    /// Parts of a segment whose bytes count, kept for its memory.
    pub(crate) parts: Vec<(u64, u64)>,
    /// Arrival times of a chunk, kept for its memory.
    pub(crate) arrivals: Vec<(u64, Timestamp)>,
    /// The memory of what lies beyond the depth of streams, of which nothing else here tells.
    beyond: Option<Box<StreamShared>>,
}

impl StreamShared {
    /// Nothing counted, nothing pooled.
    pub fn new() -> Self {
        Self::default()
    }

    /// The memory of what lies beyond the depth of streams.
    pub(crate) fn beyond(&mut self) -> &mut Self {
        self.beyond.get_or_insert_default()
    }

    /// An empty buffer.
    pub(crate) fn buffer(&mut self) -> Vec<u8> {
        match self.pool.pop() {
            Some(buffer) => {
                self.counters.segment_from_cache += 1;
                buffer
            }
            None => self.new_buffer(),
        }
    }

    /// An empty buffer without room.
    pub(crate) const fn new_buffer(&mut self) -> Vec<u8> {
        self.counters.segment_from_pool += 1;
        Vec::new()
    }

    /// Takes a buffer back.
    pub(crate) fn recycle(&mut self, mut buffer: Vec<u8>) {
        if self.pool.len() < MAX_POOLED && buffer.capacity() <= MAX_POOLED_BYTES {
            buffer.clear();
            self.pool.push(buffer);
        }
    }

    /// An empty store.
    pub(crate) fn store(&mut self) -> Box<Store> {
        self.stores.pop().unwrap_or_default()
    }

    /// Takes an empty store back.
    pub(crate) fn recycle_store(&mut self, store: Box<Store>) {
        if self.stores.len() < MAX_POOLED {
            self.stores.push(store);
        }
    }

    /// Adds to the reassembly account what a direction took since it was last charged.
    pub(crate) fn charge(&mut self, charged: &mut u32, cost: u64) {
        let cost = u32::try_from(cost).unwrap_or(u32::MAX);
        let memory = self.counters.reassembly_memuse.saturating_sub(u64::from(*charged));
        self.counters.reassembly_memuse = memory.saturating_add(u64::from(cost));
        *charged = cost;
    }
}
