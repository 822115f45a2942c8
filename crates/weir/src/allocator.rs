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
