//! Memory that the allocator keeps for later.

#![allow(unsafe_code)]

/// Gives free memory back to the system, where its own allocator is in use and can do so. It takes as long as there is
/// much of it.
pub fn give_back_free() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: takes no pointer, and locks each part of the heap that it looks at.
    unsafe {
        libc::malloc_trim(0);
    }
}
