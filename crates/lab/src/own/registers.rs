//! Registers of the thread that asks, and the bounds of its stack.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ops::Range;

use crate::own::unwind::Registers;

/// Returns the registers as they are in the caller, into which this is inlined.
#[inline(always)]
pub fn here() -> Registers {
    let mut registers = Registers::default();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instructions read registers and write none but those of their results.
    unsafe {
        std::arch::asm!(
            "lea {instruction}, [rip]",
            "mov {stack}, rsp",
            "mov {frame}, rbp",
            instruction = out(reg) registers.instruction,
            stack = out(reg) registers.stack,
            frame = out(reg) registers.frame,
            options(nostack, nomem, preserves_flags),
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the instructions read registers and write none but those of their results.
    unsafe {
        std::arch::asm!(
            "adr {instruction}, .",
            "mov {stack}, sp",
            "mov {frame}, x29",
            "mov {link}, x30",
            instruction = out(reg) registers.instruction,
            stack = out(reg) registers.stack,
            frame = out(reg) registers.frame,
            link = out(reg) registers.link,
            options(nostack, nomem, preserves_flags),
        );
    }
    registers
}

thread_local! {
    /// Bounds of this thread's stack; both 0 where they have not been asked for.
    static BOUNDS: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// Returns the addresses of this thread's stack. The first call of a thread may allocate.
pub fn stack_bounds() -> Range<u64> {
    let (low, high) = BOUNDS.get();
    if high > 0 {
        return low..high;
    }
    let found = ask_for_bounds();
    BOUNDS.set((found.start, found.end));
    found
}

fn ask_for_bounds() -> Range<u64> {
    // SAFETY: the attributes are made by the first function and given back by the last; the pointers are to locals.
    unsafe {
        let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return 0..0;
        }
        let (mut low, mut size) = (std::ptr::null_mut(), 0);
        let known = libc::pthread_attr_getstack(attributes.as_ptr(), &mut low, &mut size) == 0;
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        let low = low as u64;
        if known { low..low.saturating_add(size as u64) } else { 0..0 }
    }
}

/// Reads a word of this thread's stack between `bounds`, of which the start is not below the stack pointer of a
/// function that has not returned.
#[inline]
pub fn read_own_stack(address: u64, bounds: &Range<u64>) -> Result<u64, ()> {
    let is_within = address >= bounds.start && address.checked_add(8).is_some_and(|end| end <= bounds.end);
    if !is_within || !address.is_multiple_of(8) {
        return Err(());
    }
    // SAFETY: it is an aligned word of this thread's stack, above what is in use further in, which is mapped.
    Ok(unsafe { std::ptr::read_volatile(address as *const u64) })
}

/// Copies memory of this process from an address on, as far as it is mapped; returns how many bytes that were.
/// Handlers of signals may call it.
pub fn copy(address: u64, into: &mut [u8]) -> usize {
    let local = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    // The kernel stops at the first part that it cannot read, so each page is a part.
    const PAGE: u64 = 4096;
    let mut parts = [libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; 64];
    let (mut next, mut left, mut used) = (address, into.len() as u64, 0);
    for part in &mut parts {
        if left == 0 {
            break;
        }
        let length = left.min(PAGE - next % PAGE);
        *part = libc::iovec { iov_base: next as *mut libc::c_void, iov_len: length as usize };
        (next, left, used) = (next.saturating_add(length), left - length, used + 1);
    }
    // SAFETY: the kernel writes into the slice alone, and checks what it reads.
    let done = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, parts.as_ptr(), used, 0) };
    usize::try_from(done).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_end_where_nothing_is_mapped() {
        let here = here().stack;
        let mut bytes = [0; 256];
        assert_eq!(copy(here, &mut bytes), bytes.len());
        assert_eq!(copy(16, &mut bytes), 0);
        let bounds = stack_bounds();
        assert!(bounds.contains(&here) && bounds == stack_bounds());
        let mut long = vec![0; 64 << 10];
        let to_the_end = (bounds.end - here).min(long.len() as u64);
        assert!(copy(here, &mut long) as u64 >= to_the_end);
        assert!(read_own_stack(bounds.end - 4, &bounds).is_err());
        assert!(read_own_stack(bounds.end, &bounds).is_err());
    }
}
