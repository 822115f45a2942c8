//! The table's memory, shared with the kernel.
#![allow(unsafe_code, reason = "memory that the kernel writes to is mapped")]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

use super::table::{BUCKET, BUCKETS, LENGTH, Words};
use crate::sources::bpf::{self, MapKind};

/// A mapped array of the kernel.
pub(super) struct Mapped {
    start: NonNull<AtomicU64>,
}

// SAFETY: all accesses are atomic.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

/// Makes the array, and maps it.
pub(super) fn make() -> io::Result<(OwnedFd, Mapped)> {
    let map = bpf::make_map(MapKind::MappedArray, (BUCKET * 8) as u32, BUCKETS as u32)?;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the kernel chooses where the mapping is, so that it covers nothing else.
    let start =
        unsafe { libc::mmap(std::ptr::null_mut(), LENGTH, access, libc::MAP_SHARED, map.as_raw_fd(), 0) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
    Ok((map, Mapped { start }))
}

impl Words for Mapped {
    fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping has so many words, begins at a page, and lives as long as `self`; the kernel, too, accesses
        // it word by word.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), BUCKETS * BUCKET) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: the mapping is of this length, and nobody has a slice of it any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), LENGTH) };
    }
}
