//! Containers that a condition of `when` has read: which of them were changed since.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

/// A change: the address of a container, and the hash of the index where it is a table and somebody waits for an entry.
pub type Changed = (usize, Option<u64>);

thread_local! {
    /// What was changed while somebody waited for it.
    static CHANGED: RefCell<Vec<Changed>> = const { RefCell::new(Vec::new()) };
}

fn tell(change: Changed) {
    let _ = CHANGED.try_with(|changed| {
        if let Ok(mut changed) = changed.try_borrow_mut() {
            changed.push(change);
        }
    });
}

/// Whether somebody waits for a container to be changed.
#[derive(Debug, Default)]
pub struct Watch(Cell<bool>);

impl Watch {
    /// Asks to be told of the next change.
    pub fn begin(&self) {
        self.0.set(true);
    }

    /// Tells of a change of the container at an address, once.
    pub(super) fn changed<T>(&self, container: *const T) {
        if self.0.replace(false) {
            tell((container as usize, None));
        }
    }
}

/// Whether somebody waits for a table to be changed, or for entries of it.
#[derive(Debug, Default)]
pub struct TableWatch {
    whole: Watch,
    /// Hashes of the indices of entries.
    entries: RefCell<Option<HashSet<u64>>>,
}

impl TableWatch {
    /// Asks to be told of the next change.
    pub fn begin(&self) {
        self.whole.begin();
    }

    /// Asks to be told of the next change of the entry whose index has a hash.
    pub fn begin_entry(&self, hash: u64) {
        if let Ok(mut entries) = self.entries.try_borrow_mut() {
            entries.get_or_insert_default().insert(hash);
        }
    }

    /// Forgets that somebody waits for an entry.
    pub fn end_entry(&self, hash: u64) {
        if let Ok(mut entries) = self.entries.try_borrow_mut()
            && let Some(hashes) = entries.as_mut()
        {
            hashes.remove(&hash);
            if hashes.is_empty() {
                *entries = None;
            }
        }
    }

    /// Tells of a change of an entry of the table at an address, once.
    pub(super) fn changed<T>(&self, table: *const T, hash: u64) {
        self.whole.changed(table);
        if let Ok(mut entries) = self.entries.try_borrow_mut()
            && let Some(hashes) = entries.as_mut()
            && hashes.remove(&hash)
        {
            tell((table as usize, Some(hash)));
        }
    }

    /// Tells that all entries are gone.
    pub(super) fn cleared<T>(&self, table: *const T) {
        self.whole.changed(table);
        let hashes = self.entries.try_borrow_mut().ok().and_then(|mut entries| entries.take());
        hashes.into_iter().flatten().for_each(|hash| tell((table as usize, Some(hash))));
    }
}

/// Takes what was changed.
pub fn take_changed() -> Vec<Changed> {
    CHANGED
        .try_with(|changed| changed.try_borrow_mut().map(|mut changed| std::mem::take(&mut *changed)))
        .ok()
        .and_then(Result::ok)
        .unwrap_or_default()
}
