//! Arrays of the kernel in the memory of this process.
#![allow(unsafe_code, reason = "memory that the kernel writes to is mapped")]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

use super::MapKind;

/// The words of an array, which programs of the kernel read and write, too.
pub struct Mapped {
    start: NonNull<AtomicU64>,
    count: usize,
}

// SAFETY: all accesses are atomic.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

impl Mapped {
    /// Makes an array of so many values, each of so many words, and maps it.
    pub fn make(words: usize, values: usize) -> io::Result<(OwnedFd, Self)> {
        let map = super::make_map(MapKind::MappedArray, (words * 8) as u32, values as u32)?;
        let (count, access) = (words * values, libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: the kernel chooses where the mapping is, so that it covers nothing else.
        let start = unsafe {
            libc::mmap(std::ptr::null_mut(), count * 8, access, libc::MAP_SHARED, map.as_raw_fd(), 0)
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok((map, Self { start, count }))
    }

    /// The words.
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping has so many words, begins at a page, and lives as long as `self`; the kernel, too, accesses
        // it word by word.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.count) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: the mapping is of this length, and nobody has a slice of it any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.count * 8) };
    }
}
