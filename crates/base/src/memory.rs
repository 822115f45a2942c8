//! Memory that the allocators keep for later.

#![allow(unsafe_code)]

use std::sync::OnceLock;

/// The function by which the program's own allocator gives back what is free.
static OWN: OnceLock<fn()> = OnceLock::new();

/// Says how the allocator that is linked gives back free memory. Only the first call counts: which allocator that is depends on
/// the program alone, so that all crates below it are the same whatever is linked.
pub fn set_give_back(own: fn()) {
    let _ = OWN.set(own);
}

/// Gives free memory back to the system: the program's, and that of libraries in C, which have the system's allocator.
/// It takes as long as there is much of it.
pub fn give_back_free() {
    if let Some(own) = OWN.get() {
        own();
    }
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: takes no pointer, and locks each part of the heap that it looks at.
    unsafe {
        libc::malloc_trim(0);
    }
}
