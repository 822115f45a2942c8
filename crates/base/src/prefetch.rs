//! Hints to the processor of what will be looked at soon, so that waiting for one piece of memory overlaps with
//! waiting for others.

#![allow(unsafe_code)]

/// Bytes that processors fetch at once.
pub const CACHE_LINE: usize = 64;

/// Asks for the cache lines that hold a value: all of them, up to so many.
#[inline]
pub fn prefetch<T>(value: &T, lines: usize) {
    let start: *const i8 = std::ptr::from_ref(value).cast();
    for line in 0..lines.min(size_of::<T>().div_ceil(CACHE_LINE)) {
        fetch(start.wrapping_add(line * CACHE_LINE));
    }
}

#[inline]
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(clippy::missing_const_for_fn, reason = "it is a hint elsewhere")
)]
fn fetch(at: *const i8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, which reads nothing the program sees and cannot fault, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
