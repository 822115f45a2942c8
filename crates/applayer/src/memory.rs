//! Memory that a worker's sessions and parsers take together, where that of each flow alone would not bound it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the parsers of one worker have taken, and how much that may be.
#[derive(Debug)]
pub struct Memory {
    most: u64,
    used: AtomicU64,
    refused: AtomicU64,
}

impl Memory {
    /// So many bytes may be taken.
    pub const fn new(most: u64) -> Self {
        Self { most, used: AtomicU64::new(0), refused: AtomicU64::new(0) }
    }

    /// Bytes that are taken now.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// How often there was no room.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: u64) -> bool {
        // One worker takes and gives: nobody comes between.
        let used = self.used().saturating_add(bytes);
        let fits = used <= self.most;
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
        let fits = self.from.as_ref().is_none_or(|memory| memory.take(lacks));
        if fits {
            self.bytes += lacks;
        }
        fits
    }

    /// Takes more or gives back, until it is so many bytes; false where there is no room.
    pub fn change_to(&mut self, bytes: u64) -> bool {
        match self.bytes.checked_sub(bytes) {
            None => self.grow_to(bytes),
            Some(less) => {
                self.bytes = bytes;
                self.give_back(less);
                true
            }
        }
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
        drop(second);
        assert_eq!(memory.used(), 0);
        assert!(TakenMemory::default().grow_to(u64::MAX));
    }
}
