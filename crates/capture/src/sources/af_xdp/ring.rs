//! Memory that is shared with the kernel: mappings, and the rings of a socket in them.
//!
//! A ring has a side that produces entries and one that consumes them. Each side has a number that only it writes, and that
//! grows for ever: the place of an entry is the rest of it by the length.
#![allow(unsafe_code, reason = "rings of sockets have no safe interface")]

use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

/// Mapped memory.
pub struct Mapping {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the memory belongs to the mapping alone.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps what a file has at an offset.
    pub fn of_file(file: &OwnedFd, offset: libc::off_t, length: usize) -> io::Result<Self> {
        Self::new(length, libc::MAP_SHARED | libc::MAP_POPULATE, Some((file, offset)))
    }

    /// Maps memory of nothing but zeros, in huge pages or usual ones.
    pub fn of_zeros(length: usize, huge: bool) -> io::Result<Self> {
        let huge = if huge { libc::MAP_HUGETLB } else { 0 };
        let mapping =
            Self::new(length, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE | huge, None)?;
        // SAFETY: the pair is what mmap answered.
        unsafe {
            // A child of this process would have its own; that it does not matters to none.
            libc::madvise(mapping.start.as_ptr().cast(), length, libc::MADV_DONTFORK);
        }
        Ok(mapping)
    }

    fn new(length: usize, flags: libc::c_int, file: Option<(&OwnedFd, libc::off_t)>) -> io::Result<Self> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let (file, offset) = file.map_or((-1, 0), |(file, offset)| (file.as_raw_fd(), offset));
        // SAFETY: the kernel chooses where the mapping is, so that it covers nothing else.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), length, access, flags, file, offset) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, length })
    }

    /// All of it, which the kernel may write to.
    pub fn memory(&self) -> NonNull<[u8]> {
        NonNull::slice_from_raw_parts(self.start, self.length)
    }

    /// A word of it, at a place where one lies.
    fn word(&self, at: usize) -> io::Result<NonNull<AtomicU32>> {
        if at.checked_add(size_of::<AtomicU32>()).is_none_or(|end| end > self.length) || !at.is_multiple_of(4)
        {
            return Err(io::ErrorKind::InvalidData.into());
        }
        // SAFETY: the word lies within the mapping.
        Ok(unsafe { self.start.add(at) }.cast())
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the pair is what mmap answered, and nothing borrows from the mapping any more.
        unsafe {
            libc::munmap(self.start.as_ptr().cast(), self.length);
        }
    }
}

/// Entries of rings: numbers, of which any bits are valid.
pub trait Entry: Copy {}

impl Entry for u64 {}
impl Entry for libc::xdp_desc {}

/// A ring.
pub struct Ring<T> {
    _mapping: Mapping,
    producer: NonNull<AtomicU32>,
    consumer: NonNull<AtomicU32>,
    flags: NonNull<AtomicU32>,
    entries: NonNull<T>,
    /// Its length, a power of two, less one.
    mask: u32,
    /// Number of the next entry to consume.
    at: u32,
    /// Number of the producer when it was last looked at.
    known: u32,
    kind: PhantomData<T>,
}

// SAFETY: the pointers lead into the mapping, which belongs to the ring alone.
unsafe impl<T: Send> Send for Ring<T> {}

impl<T: Entry> Ring<T> {
    /// Maps a ring of a socket.
    pub fn new(
        socket: &OwnedFd,
        page: libc::off_t,
        places: &libc::xdp_ring_offset,
        length: u32,
    ) -> io::Result<Self> {
        let at = |place: u64| usize::try_from(place).map_err(|_| io::Error::from(io::ErrorKind::InvalidData));
        let first = at(places.desc)?;
        let mapping = Mapping::of_file(socket, page, first + length as usize * size_of::<T>())?;
        let (producer, consumer) = (mapping.word(at(places.producer)?)?, mapping.word(at(places.consumer)?)?);
        let flags = mapping.word(at(places.flags)?)?;
        if !length.is_power_of_two() || !first.is_multiple_of(align_of::<T>()) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        // SAFETY: the mapping was made as long as the entries go.
        let entries = unsafe { mapping.start.add(first) }.cast();
        let mut ring = Self {
            _mapping: mapping,
            producer,
            consumer,
            flags,
            entries,
            mask: length - 1,
            at: 0,
            known: 0,
            kind: PhantomData,
        };
        ring.at = Self::word(&ring.consumer).load(Ordering::Relaxed);
        ring.known = ring.at;
        Ok(ring)
    }

    /// Returns the word of a side, or the flags.
    fn word(word: &NonNull<AtomicU32>) -> &AtomicU32 {
        // SAFETY: it lies within the mapping, which is there as long as the ring, and both sides access it as an atomic word.
        unsafe { word.as_ref() }
    }

    /// Consumes the next entry, if there is one. The kernel learns of it by [`Ring::release`].
    pub fn next(&mut self) -> Option<T> {
        if self.at == self.known {
            self.known = Self::word(&self.producer).load(Ordering::Acquire);
            if self.at == self.known {
                return None;
            }
        }
        let place = self.at & self.mask;
        self.at = self.at.wrapping_add(1);
        // SAFETY: the place is less than the length; the kernel has produced the entry, and writes there only after it is released.
        Some(unsafe { self.entries.add(place as usize).read() })
    }

    /// Leaves the room of entries that were consumed to the kernel.
    pub fn release(&self) {
        Self::word(&self.consumer).store(self.at, Ordering::Release);
    }

    /// Produces entries. The ring is as long as there are ones: there is room for all.
    pub fn put(&mut self, entries: impl Iterator<Item = T>) {
        let from = Self::word(&self.producer).load(Ordering::Relaxed);
        let mut to = from;
        for entry in entries {
            let place = to & self.mask;
            // SAFETY: the place is less than the length, and an entry that was not consumed yet is not written to: there are no more
            // entries than places.
            unsafe { self.entries.add(place as usize).write(entry) };
            to = to.wrapping_add(1);
        }
        Self::word(&self.producer).store(to, Ordering::Release);
    }

    /// Whether the kernel wants to be told of entries.
    pub fn wants_to_be_told(&self) -> bool {
        Self::word(&self.flags).load(Ordering::Relaxed) & libc::XDP_RING_NEED_WAKEUP != 0
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    const LENGTH: u32 = 8;

    /// A file that stands for the memory of a socket.
    fn file(name: &str) -> OwnedFd {
        let path = std::env::temp_dir().join(format!("weir-ring-{name}-{}", std::process::id()));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.expect("a file");
        file.set_len(4096).expect("a length");
        std::fs::remove_file(&path).expect("a name that goes");
        file.into()
    }

    const fn places(producer: u64) -> libc::xdp_ring_offset {
        libc::xdp_ring_offset { producer, consumer: 64, desc: 192, flags: 128 }
    }

    #[test]
    fn entries_come_out_in_order_round_after_round() {
        let file = file("rounds");
        let mut near: Ring<u64> = Ring::new(&file, 0, &places(0), LENGTH).expect("a ring");
        let mut far: Ring<u64> = Ring::new(&file, 0, &places(0), LENGTH).expect("the same ring");
        let (mut put, mut taken) = (0, Vec::new());
        for round in 0..100 {
            let count = round % u64::from(LENGTH) + 1;
            near.put(put..put + count);
            put += count;
            // Some are left for a second look.
            for most in [3, LENGTH as usize] {
                taken.extend(std::iter::from_fn(|| far.next()).take(most));
                far.release();
            }
            assert_eq!(taken.len() as u64, put);
        }
        assert_eq!(far.next(), None);
        assert!(taken.into_iter().eq(0..put) && !near.wants_to_be_told());
    }

    #[test]
    fn places_outside_are_refused() {
        let file = file("outside");
        for (producer, length) in [(u64::MAX, LENGTH), (4096, LENGTH), (2, LENGTH), (0, 7)] {
            assert!(Ring::<u64>::new(&file, 0, &places(producer), length).is_err(), "{producer} {length}");
        }
    }
}
