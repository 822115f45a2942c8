//! Memory that a worker's sessions and parsers take together, where that of each flow alone would not bound it.
//!
//! Where it is [shared out](Memory::shared), one that grows may have as much as is still free: the more is taken, the
//! less each of those that have much may add, and there is always room for the many that have little. Whoever fills the
//! memory is whoever gets no more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory of the parsers of one worker, and its limit.
#[derive(Debug)]
pub struct Memory {
    most: u64,
    order: Order,
    used: AtomicU64,
    refused: AtomicU64,
}

/// Order in which free memory is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    /// First come, first served.
    FirstCome,
    /// Those that hold no more than what is free.
    SharedOut,
}

impl Memory {
    /// So many bytes may be taken, by whoever comes first.
    pub const fn new(most: u64) -> Self {
        Self { most, order: Order::FirstCome, used: AtomicU64::new(0), refused: AtomicU64::new(0) }
    }

    /// So many bytes may be taken, by each as much as is still free then.
    pub const fn shared(most: u64) -> Self {
        Self { order: Order::SharedOut, ..Self::new(most) }
    }

    /// Bytes that are taken now.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns the number of times that there was no room.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// Whether there is so little left that somebody is to make room: less than a sixteenth, or where there
    /// `was` so little before, than an eighth.
    pub fn is_short(&self, was: bool) -> bool {
        let free = self.most.saturating_sub(self.used());
        free < self.most / if was { 8 } else { 16 }
    }

    /// Takes more for one that has so many bytes already, where there is room.
    fn take(&self, bytes: u64, has: u64) -> bool {
        // One worker takes and gives: nobody comes between.
        let used = self.used().saturating_add(bytes);
        let free = self.most.checked_sub(used);
        let wanted = if self.order == Order::SharedOut { has.saturating_add(bytes) } else { 0 };
        let fits = bytes == 0 || free.is_some_and(|free| wanted <= free);
        let counter = if fits { &self.used } else { &self.refused };
        counter.fetch_add(if fits { bytes } else { 1 }, Ordering::Relaxed);
        fits
    }
}

/// Memory that was taken, which is given back with this.
#[derive(Debug, Default)]
pub struct TakenMemory {
    bytes: u64,
    from: Option<Arc<Memory>>,
}

impl TakenMemory {
    /// Nothing yet; of memory that nobody counts where there is none.
    pub fn of(memory: Option<&Arc<Memory>>) -> Self {
        Self { bytes: 0, from: memory.cloned() }
    }

    /// Takes from this memory from now on, where nothing was taken yet.
    pub fn begin(&mut self, memory: &Arc<Memory>) {
        if self.from.is_none() {
            self.from = Some(Arc::clone(memory));
        }
    }

    /// Takes more, until it is so many bytes; false where there is no room.
    pub fn grow_to(&mut self, bytes: u64) -> bool {
        let lacks = bytes.saturating_sub(self.bytes);
        let fits = self.from.as_ref().is_none_or(|memory| memory.take(lacks, self.bytes));
        if fits {
            self.bytes += lacks;
        }
        fits
    }

    /// Takes more or gives back, until it is so many bytes; false where there is no room.
    pub fn change_to(&mut self, bytes: u64) -> bool {
        self.shrink_to(bytes);
        self.bytes >= bytes || self.grow_to(bytes)
    }

    /// Gives back what is more than so many bytes.
    pub fn shrink_to(&mut self, bytes: u64) {
        let less = self.bytes.saturating_sub(bytes);
        self.bytes -= less;
        self.give_back(less);
    }

    fn give_back(&self, bytes: u64) {
        if let Some(memory) = self.from.as_ref().filter(|_| bytes > 0) {
            memory.used.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

impl Drop for TakenMemory {
    fn drop(&mut self) {
        self.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_given_back() {
        let memory = Arc::new(Memory::new(100));
        let (mut first, mut second) = (TakenMemory::of(Some(&memory)), TakenMemory::of(Some(&memory)));
        assert!(first.grow_to(60) && first.grow_to(50) && !second.grow_to(41) && second.grow_to(40));
        assert_eq!((memory.used(), memory.refused()), (100, 1));
        drop(first);
        assert_eq!(memory.used(), 40);
        assert!(
            second.change_to(10) && second.change_to(30) && second.change_to(30) && !second.change_to(101)
        );
        assert_eq!((memory.used(), memory.refused()), (30, 2));
        second.shrink_to(40);
        second.shrink_to(20);
        assert_eq!(memory.used(), 20);
        drop(second);
        assert_eq!(memory.used(), 0);
        assert!(TakenMemory::default().grow_to(u64::MAX));
    }

    /// However many take as much as they get, others find room for a little.
    #[test]
    fn who_has_little_finds_room() {
        for greedy in [1, 2, 10, 100] {
            let memory = Arc::new(Memory::shared(1_000_000));
            let mut all: Vec<TakenMemory> = (0..greedy).map(|_| TakenMemory::of(Some(&memory))).collect();
            for bytes in (0..2_000_000).step_by(1000) {
                all.iter_mut().for_each(|one| {
                    one.change_to(bytes);
                });
            }
            assert!(memory.refused() > 0 && memory.used() >= 480_000, "{greedy}: {}", memory.used());
            let mut modest: Vec<TakenMemory> = (0..50).map(|_| TakenMemory::of(Some(&memory))).collect();
            assert!(modest.iter_mut().all(|one| one.change_to(100)), "{greedy}: {}", memory.used());
        }
    }

    #[test]
    fn memory_is_short_until_there_is_enough() {
        let memory = Arc::new(Memory::new(1600));
        let mut short = false;
        // Bytes that are taken of 1600, and whether that is too much.
        for (used, expected) in [(1500, false), (1501, true), (1450, true), (1400, false), (1450, false)] {
            memory.used.store(used, Ordering::Relaxed);
            short = memory.is_short(short);
            assert_eq!(short, expected, "{used}");
        }
        assert!(!Memory::new(u64::MAX).is_short(false));
    }
}
