//! Packets that were held back once they were whole. Whoever receives their earlier fragments waits for the last one, so
//! that it is held back however often it comes.

use std::collections::{HashMap, VecDeque};

use weir_base::Timestamp;

use super::tracker::Key;

/// Keys of packets that were held back, each until nobody waits for its fragments any more.
#[derive(Debug)]
pub(super) struct RefusedPackets {
    until: HashMap<Key, Timestamp, ahash::RandomState>,
    /// In the order in which they were added.
    order: VecDeque<(Key, Timestamp)>,
}

impl RefusedPackets {
    pub(super) fn new() -> Self {
        Self { until: HashMap::with_hasher(weir_base::keyed_hash()), order: VecDeque::new() }
    }

    /// Adds a packet; the oldest one is forgotten where there would be more than `most`.
    pub(super) fn add(&mut self, key: Key, until: Timestamp, most: usize) {
        while self.order.len() >= most.max(1) {
            self.forget_oldest();
        }
        self.until.insert(key, until);
        self.order.push_back((key, until));
    }

    /// Whether a packet was held back, and somebody may wait for its fragments.
    #[inline]
    pub(super) fn has(&self, key: &Key, now: Timestamp) -> bool {
        !self.until.is_empty() && self.until.get(key).is_some_and(|until| now <= *until)
    }

    /// Forgets those whose time is over.
    pub(super) fn expire(&mut self, now: Timestamp) {
        while self.order.front().is_some_and(|(_, until)| *until < now) {
            self.forget_oldest();
        }
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.until.len().max(self.order.len())
    }

    fn forget_oldest(&mut self) {
        // One that was added again later stays.
        if let Some((key, until)) = self.order.pop_front()
            && self.until.get(&key) == Some(&until)
        {
            self.until.remove(&key);
        }
    }
}
