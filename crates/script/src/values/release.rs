//! Frees values that hold values, however deep, without deep recursion.

use std::cell::{Cell, RefCell};

use super::Value;

/// From this depth on, values wait until the outer ones are gone.
const DEPTH: u32 = 64;

thread_local! {
    static OPEN: Cell<u32> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Vec<Value>>> = const { RefCell::new(Vec::new()) };
}

thread_local! {
    /// Entries of tables and elements of vectors that live.
    static LIVE: Cell<u64> = const { Cell::new(0) };
}

/// Returns how many entries of tables and elements of vectors live on this thread.
pub fn live_entries() -> u64 {
    LIVE.try_with(Cell::get).unwrap_or(0)
}

/// Counts entries that begin to live.
pub(super) fn grow(count: usize) {
    let _ = LIVE.try_with(|live| live.set(live.get() + count as u64));
}

/// Counts entries that are gone.
pub(super) fn shrink(count: usize) {
    let _ = LIVE.try_with(|live| live.set(live.get().saturating_sub(count as u64)));
}

/// Frees values.
pub(super) fn release(values: Vec<Value>) {
    if values.iter().all(Value::is_scalar) {
        return;
    }
    // While a thread ends, its own state may be gone already; then values go as they come.
    let depth = OPEN.try_with(|open| open.replace(open.get() + 1)).unwrap_or(0);
    if depth >= DEPTH {
        let mut values = Some(values);
        let _ = WAITING.try_with(|waiting| {
            if let (Ok(mut waiting), Some(values)) = (waiting.try_borrow_mut(), values.take()) {
                waiting.push(values);
            }
        });
        drop(values);
    } else {
        drop(values);
        if depth == 0 {
            while let Some(next) = WAITING
                .try_with(|waiting| waiting.try_borrow_mut().ok().and_then(|mut waiting| waiting.pop()))
                .ok()
                .flatten()
            {
                drop(next);
            }
        }
    }
    let _ = OPEN.try_with(|open| open.set(open.get().saturating_sub(1)));
}
