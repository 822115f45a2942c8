//! The memory allocator that is linked: the system's, or that of the one feature that is named so. Two of
//! them cannot be linked at once, and the compiler says so. On Linux its allocations can be sampled (`weir profile
//! heap`); while they are not, that is a branch.

#[cfg(target_os = "linux")]
use weir_lab::heap::Sampled;

#[cfg(feature = "jemalloc")]
type Chosen = tikv_jemallocator::Jemalloc;
#[cfg(feature = "jemalloc")]
const CHOSEN: Chosen = tikv_jemallocator::Jemalloc;

#[cfg(feature = "mimalloc")]
type Chosen = mimalloc::MiMalloc;
#[cfg(feature = "mimalloc")]
const CHOSEN: Chosen = mimalloc::MiMalloc;

#[cfg(feature = "snmalloc")]
type Chosen = snmalloc_rs::SnMalloc;
#[cfg(feature = "snmalloc")]
const CHOSEN: Chosen = snmalloc_rs::SnMalloc;

#[cfg(not(any(feature = "jemalloc", feature = "mimalloc", feature = "snmalloc")))]
type Chosen = std::alloc::System;
#[cfg(not(any(feature = "jemalloc", feature = "mimalloc", feature = "snmalloc")))]
const CHOSEN: Chosen = std::alloc::System;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: Sampled<Chosen> = Sampled(CHOSEN);

#[cfg(not(target_os = "linux"))]
#[global_allocator]
static ALLOCATOR: Chosen = CHOSEN;

/// Gives back what is free, where the allocator does so only when it is asked.
#[cfg(feature = "jemalloc")]
#[allow(unsafe_code)]
pub fn give_back_free() {
    use std::ptr::null_mut;
    let command = c"arena.4096.purge".as_ptr();
    // SAFETY: the name ends in a zero and stands for a command of all arenas that neither reads nor writes a value.
    unsafe { tikv_jemalloc_sys::mallctl(command, null_mut(), null_mut(), null_mut(), 0) };
}

/// Gives back what is free: nothing here, for the allocator does so by itself.
#[cfg(not(feature = "jemalloc"))]
pub const fn give_back_free() {}

/// Name of the allocator.
pub const NAME: &str = if cfg!(feature = "jemalloc") {
    "jemalloc"
} else if cfg!(feature = "mimalloc") {
    "mimalloc"
} else if cfg!(feature = "snmalloc") {
    "snmalloc"
} else {
    "system"
};
