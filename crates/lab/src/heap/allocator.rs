//! The allocator of a program whose heap can be profiled: another one, with a branch in front. Off, that is all; on,
//! each thread counts down the bytes to its next sample, and each freed address is looked up in a small filter.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use super::{freed, sampled};
use crate::own::registers;

/// Entries of the filter.
const FILTER: usize = 64 << 10;
/// An entry that has been this high stays so.
const FULL: u8 = u8::MAX;

static ON: AtomicBool = AtomicBool::new(false);
static MEAN: AtomicU64 = AtomicU64::new(super::MEAN);
/// Number of live samples whose address falls on an entry; most are 0.
static LIVE: [AtomicU8; FILTER] = [const { AtomicU8::new(0) }; FILTER];

thread_local! {
    static DRAW: Draw = const { Draw { left: Cell::new(0), random: Cell::new(0), busy: Cell::new(false) } };
}

/// State of a thread.
struct Draw {
    /// Bytes to the next sample.
    left: Cell<i64>,
    /// State of its random numbers; 0 before the first.
    random: Cell<u64>,
    /// Whether a sample is being taken.
    busy: Cell<bool>,
}

/// An allocator whose allocations can be sampled.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sampled<A>(pub A);

// SAFETY: all is done by the inner allocator; what is noted of it touches no memory that it gave.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Sampled<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the inner allocator's.
        let pointer = unsafe { self.0.alloc(layout) };
        if ON.load(Ordering::Relaxed) {
            made(pointer, layout.size());
        }
        pointer
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the inner allocator's.
        let pointer = unsafe { self.0.alloc_zeroed(layout) };
        if ON.load(Ordering::Relaxed) {
            made(pointer, layout.size());
        }
        pointer
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if ON.load(Ordering::Relaxed) {
            gone(pointer);
        }
        // SAFETY: the caller's promises are the inner allocator's.
        unsafe { self.0.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let is_on = ON.load(Ordering::Relaxed);
        if is_on {
            // Before another thread can be given the address.
            gone(pointer);
        }
        // SAFETY: the caller's promises are the inner allocator's.
        let moved = unsafe { self.0.realloc(pointer, layout, size) };
        if is_on {
            made(moved, size);
        }
        moved
    }
}

/// Samples are being taken until this is dropped.
#[derive(Debug)]
pub struct Off(());

/// Begins to take samples.
pub fn turn_on(mean: u64) -> Off {
    for entry in &LIVE {
        entry.store(0, Ordering::Relaxed);
    }
    MEAN.store(mean.max(1), Ordering::Relaxed);
    ON.store(true, Ordering::SeqCst);
    Off(())
}

impl Drop for Off {
    fn drop(&mut self) {
        ON.store(false, Ordering::SeqCst);
    }
}

#[inline(never)]
fn made(pointer: *mut u8, size: usize) {
    DRAW.with(|draw| {
        let left = draw.left.get() - size as i64;
        draw.left.set(left);
        if left > 0 || draw.busy.get() || pointer.is_null() {
            return;
        }
        if draw.random.get() == 0 {
            // The first allocation of a thread is as likely to be drawn as others.
            draw.left.set(draw.next() - size as i64);
            if draw.left.get() > 0 {
                return;
            }
        }
        draw.left.set(draw.next());
        draw.busy.set(true);
        let address = pointer as usize;
        if let Some(entry) = LIVE.get(entry(address)) {
            let _ = entry.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_add(1));
        }
        if !sampled(address, size, registers::here()) {
            lower(address);
        }
        draw.busy.set(false);
    });
}

#[inline]
fn gone(pointer: *mut u8) {
    let address = pointer as usize;
    let may_be = LIVE.get(entry(address)).is_some_and(|entry| entry.load(Ordering::Relaxed) > 0);
    if may_be {
        look_up(address);
    }
}

#[cold]
fn look_up(address: usize) {
    DRAW.with(|draw| {
        // What is freed while a sample is taken was not sampled.
        if draw.busy.replace(true) {
            return;
        }
        if freed(address) {
            lower(address);
        }
        draw.busy.set(false);
    });
}

/// Takes a sample out of the filter.
fn lower(address: usize) {
    let less = |count: u8| if count == FULL { None } else { count.checked_sub(1) };
    if let Some(entry) = LIVE.get(entry(address)) {
        let _ = entry.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }
}

/// The entry of the filter that an address falls on.
#[inline]
fn entry(address: usize) -> usize {
    ((address as u64 >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize
}

impl Draw {
    /// Draws the bytes to the next sample, distributed exponentially.
    fn next(&self) -> i64 {
        let mut state = self.random.get();
        if state == 0 {
            // Threads differ by where their state is.
            state = (std::ptr::from_ref(self) as u64 ^ crate::own::signal::now()) | 1;
        }
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        self.random.set(state);
        let uniform = ((state >> 11) as f64 + 1.0) / (1_u64 << 53) as f64;
        let mean = MEAN.load(Ordering::Relaxed) as f64;
        (-uniform.ln() * mean).ceil() as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_have_the_mean_that_was_asked_for() {
        let draw = Draw { left: Cell::new(0), random: Cell::new(12_345), busy: Cell::new(false) };
        let mean = MEAN.load(Ordering::Relaxed) as f64;
        let sum: i64 = (0..100_000).map(|_| draw.next()).sum();
        let found = sum as f64 / 100_000.0;
        assert!((found / mean - 1.0).abs() < 0.02, "{found}");
    }

    #[test]
    fn entries_are_within_the_filter() {
        for address in [0, 16, usize::MAX, 0x7fff_1234_5670] {
            assert!(entry(address) < FILTER);
        }
    }
}
