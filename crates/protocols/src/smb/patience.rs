//! Timeouts of files, once something of the connection was missing: it may have been the end of them.

use std::collections::{BTreeMap, BTreeSet};

use weir_base::{Duration, Timestamp};

/// Timeout of a file of which nothing comes.
const PATIENCE: Duration = Duration::from_secs(60);

/// The files that are read or written, by their transactions.
#[derive(Debug, Default)]
pub(super) struct Patience {
    /// Those that wait for nothing.
    calm: BTreeSet<u64>,
    /// Those of which nothing came since something was missing, and until when they wait.
    until: BTreeMap<u64, Timestamp>,
    /// Files by time.
    by_time: BTreeSet<(Timestamp, u64)>,
}

impl Patience {
    /// A file begins, or more of it came.
    pub(super) fn calm(&mut self, id: u64) {
        self.forget(id);
        self.calm.insert(id);
    }

    /// More came of a file, which may be one that waits.
    pub(super) fn came(&mut self, id: u64) {
        if self.until.contains_key(&id) {
            self.calm(id);
        }
    }

    /// A file ended.
    pub(super) fn forget(&mut self, id: u64) {
        self.calm.remove(&id);
        if let Some(until) = self.until.remove(&id) {
            self.by_time.remove(&(until, id));
        }
    }

    /// Something was missing: files before `newest` wait from now on, where they do not yet.
    pub(super) fn missed(&mut self, newest: u64, now: Timestamp) {
        let until = now.plus(PATIENCE);
        let newer = self.calm.split_off(&newest);
        for id in std::mem::replace(&mut self.calm, newer) {
            self.until.insert(id, until);
            self.by_time.insert((until, id));
        }
    }

    /// A file that has waited long enough.
    pub(super) fn lost(&self, now: Timestamp) -> Option<u64> {
        self.by_time.first().filter(|(until, _)| now > *until).map(|(_, id)| *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_wait_are_lost_in_turn() {
        let mut patience = Patience::default();
        let at = |seconds| Timestamp::new(seconds, 0);
        (0..4).for_each(|id| patience.calm(id));
        patience.missed(3, at(10));
        patience.missed(4, at(20));
        patience.came(1);
        patience.forget(2);
        assert_eq!((patience.lost(at(70)), patience.lost(at(71))), (None, Some(0)));
        patience.forget(0);
        assert_eq!((patience.lost(at(80)), patience.lost(at(81))), (None, Some(3)));
        patience.forget(3);
        patience.missed(9, at(30));
        assert_eq!(patience.lost(at(99)), Some(1), "of which something came later");
    }
}
