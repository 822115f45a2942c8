//! Memory that the allocators keep for later.

#![allow(unsafe_code)]

#[cfg(feature = "jemalloc")]
use std::ptr::null_mut;

/// Gives free memory back to the system: the program's, and that of libraries in C, which have the system's allocator.
/// It takes as long as there is much of it.
pub fn give_back_free() {
    #[cfg(feature = "jemalloc")]
    // SAFETY: the name ends in a zero and stands for a command of all arenas that neither reads nor writes a value.
    unsafe {
        let command = c"arena.4096.purge".as_ptr();
        tikv_jemalloc_sys::mallctl(command, null_mut(), null_mut(), null_mut(), 0);
    }
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: takes no pointer, and locks each part of the heap that it looks at.
    unsafe {
        libc::malloc_trim(0);
    }
}
