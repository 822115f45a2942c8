//! Bytes of all files of a connection that wait for the parts before them.

use std::collections::BTreeMap;

/// Most memory of it; beyond that, what waits of the oldest file waits no more.
pub const MAX_WAITING: usize = 16 << 20;

/// Files that are gone and may still be listed.
const MAX_GONE: usize = 64;

/// Waiting bytes by the transaction of their file.
#[derive(Debug, Default)]
pub struct Waiting {
    by_file: BTreeMap<u64, usize>,
    /// Of all of them.
    size: usize,
}

impl Waiting {
    /// So much waits of a file now. There are so many transactions, of which `is_live` knows.
    pub fn set(&mut self, id: u64, size: usize, live: usize, is_live: impl Fn(u64) -> bool) {
        let before = if size > 0 { self.by_file.insert(id, size) } else { self.by_file.remove(&id) };
        self.size = self.size.saturating_add(size).saturating_sub(before.unwrap_or_default());
        if self.by_file.len() > live.saturating_mul(2).saturating_add(MAX_GONE) {
            self.by_file.retain(|id, _| is_live(*id));
            self.size = self.by_file.values().sum();
        }
    }

    /// The oldest file, where too much waits: nothing of it does any more.
    pub fn one_too_many(&mut self) -> Option<u64> {
        if self.size <= MAX_WAITING {
            return None;
        }
        let (id, size) = self.by_file.pop_first()?;
        self.size = self.size.saturating_sub(size);
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_files_go() {
        let mut waiting = Waiting::default();
        for (id, size) in [(1, MAX_WAITING / 2), (2, MAX_WAITING / 2), (1, MAX_WAITING / 4), (3, 9), (3, 0)] {
            waiting.set(id, size, 3, |_| true);
            assert_eq!(waiting.one_too_many(), None);
        }
        waiting.set(4, MAX_WAITING / 2, 4, |_| true);
        assert_eq!((waiting.one_too_many(), waiting.one_too_many()), (Some(1), None));
    }

    #[test]
    fn files_that_are_gone_are_not_listed() {
        let mut waiting = Waiting::default();
        for id in 0..1000 {
            waiting.set(id, 1, 1, |found| found == id);
        }
        assert!(waiting.by_file.len() <= 2 + MAX_GONE && waiting.size == waiting.by_file.len());
    }
}
