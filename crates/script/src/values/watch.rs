//! Containers that a condition of `when` has read: which of them were changed since.

use std::cell::{Cell, RefCell};

thread_local! {
    /// Addresses of containers that were changed while somebody waited for it.
    static CHANGED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
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
            let _ = CHANGED.try_with(|changed| {
                if let Ok(mut changed) = changed.try_borrow_mut() {
                    changed.push(container as usize);
                }
            });
        }
    }
}

/// Takes the addresses of what was changed.
pub fn take_changed() -> Vec<usize> {
    CHANGED
        .try_with(|changed| changed.try_borrow_mut().map(|mut changed| std::mem::take(&mut *changed)))
        .ok()
        .and_then(Result::ok)
        .unwrap_or_default()
}
