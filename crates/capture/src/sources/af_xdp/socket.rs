//! A socket of AF_XDP: memory in chunks, and rings by which chunks go to the kernel and come back with packets.
//!
//! All chunks are the kernel's from the start: those of packets are given back when the packets were looked at. The ring of
//! packets is as long as there are chunks, so that it is never full. Packets longer than a chunk are lost.
#![allow(unsafe_code, reason = "sockets of AF_XDP have no safe interface")]

use std::io;
use std::mem::{size_of, size_of_val, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;

use weir_config::af_xdp::{AfXdpSettings, BindMode, BusyPoll};

use super::program::STAMP;
use super::ring::Ring;
use crate::sources::af_packet::socket::{Fault, fault};

/// Chunks of a socket.
pub const CHUNKS: u32 = 16 << 10;

/// Bytes of a chunk: those of a page, of which the kernel keeps 256 before a packet.
pub const CHUNK_SIZE: u32 = 4096;

/// Bytes of all chunks of a socket.
pub const MEMORY: usize = CHUNKS as usize * CHUNK_SIZE as usize;

/// Entries of the ring by which sent packets come back, which has to be there, and is not used.
const UNUSED: u32 = 1;

/// Bits of an address that say where its chunk is, where chunks lie anywhere; those above say how far into it.
const CHUNK_BITS: u32 = 48;

/// Options of sockets, unknown to `libc`.
const SO_BUSY_POLL: libc::c_int = 46;
const SO_PREFER_BUSY_POLL: libc::c_int = 69;
const SO_BUSY_POLL_BUDGET: libc::c_int = 70;

/// Structures of the kernel: numbers, of which any bits are valid.
trait Numbers: Copy {}

impl Numbers for libc::c_int {}
impl Numbers for libc::xdp_mmap_offsets {}
impl Numbers for libc::xdp_statistics {}
impl Numbers for libc::xdp_options {}

/// Counts of the kernel since the socket was opened.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct KernelCounts {
    /// Packets for which there was no chunk, or that were longer than one.
    pub dropped: u64,
    /// Packets for which the ring had no room.
    pub ring_full: u64,
    /// Looks for a chunk where there was none.
    pub no_chunk: u64,
}

/// A packet that came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// Index of its first byte in the memory of its socket.
    pub start: usize,
    /// Its bytes.
    pub length: u32,
    /// Time at which the program had it, in nanoseconds since the system was started; none where the driver has no room for it.
    pub stamp: Option<u64>,
    /// Its chunk, as it is given back.
    chunk: u64,
}

/// A socket that is bound to a queue of an interface.
pub struct XdpSocket {
    socket: OwnedFd,
    queue: u32,
    fill: Ring<u64>,
    received: Ring<libc::xdp_desc>,
    memory: NonNull<[u8]>,
    unaligned: bool,
    /// The packet that comes next, once it was looked at.
    first: Option<Arrival>,
    /// Chunks of the packets that are lent.
    lent: Vec<u64>,
}

// SAFETY: the memory is read by the thread alone that has the socket, in chunks that the kernel gave away.
unsafe impl Send for XdpSocket {}

impl XdpSocket {
    /// Opens one on a queue of the interface of a number, with [`MEMORY`] bytes for packets. These come once the map has it.
    ///
    /// # Safety
    ///
    /// The memory was initialised, belongs to the socket alone, and stays longer than it.
    pub unsafe fn open(
        settings: &AfXdpSettings,
        index: i32,
        queue: u32,
        memory: NonNull<[u8]>,
    ) -> Result<Self, Fault> {
        // SAFETY: the call takes no memory.
        let number = unsafe { libc::socket(libc::AF_XDP, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0) };
        if number < 0 {
            return Err(fault("open a socket of AF_XDP")(io::Error::last_os_error()));
        }
        // SAFETY: the number is a socket that was opened just now, and nobody else's.
        let socket = unsafe { OwnedFd::from_raw_fd(number) };
        let region = libc::xdp_umem_reg {
            addr: memory.cast::<u8>().as_ptr() as u64,
            len: memory.len() as u64,
            chunk_size: CHUNK_SIZE,
            headroom: 0,
            flags: if settings.unaligned { libc::XDP_UMEM_UNALIGNED_CHUNK_FLAG } else { 0 },
            tx_metadata_len: 0,
        };
        set(&socket, libc::SOL_XDP, libc::XDP_UMEM_REG, &region)
            .map_err(fault("share memory for packets"))?;
        for (ring, length) in [
            (libc::XDP_UMEM_FILL_RING, CHUNKS),
            (libc::XDP_UMEM_COMPLETION_RING, UNUSED),
            (libc::XDP_RX_RING, CHUNKS),
        ] {
            set(&socket, libc::SOL_XDP, ring, &length).map_err(fault("make its rings"))?;
        }
        let places: libc::xdp_mmap_offsets =
            get(&socket, libc::XDP_MMAP_OFFSETS).map_err(fault("learn of its rings"))?;
        let page = libc::XDP_UMEM_PGOFF_FILL_RING as libc::off_t;
        let mut fill = Ring::new(&socket, page, &places.fr, CHUNKS).map_err(fault("map its rings"))?;
        let received = Ring::new(&socket, libc::XDP_PGOFF_RX_RING, &places.rx, CHUNKS)
            .map_err(fault("map its rings"))?;
        fill.put((0..CHUNKS).map(|chunk| u64::from(chunk) * u64::from(CHUNK_SIZE)));
        let unaligned = settings.unaligned;
        let opened = Self { socket, queue, fill, received, memory, unaligned, first: None, lent: Vec::new() };
        opened.bind(index, settings.bind)?;
        Ok(opened)
    }

    fn bind(&self, index: i32, mode: BindMode) -> Result<(), Fault> {
        let forced = match mode {
            // The kernel copies where the card cannot do without.
            BindMode::Either => 0,
            BindMode::ZeroCopy => libc::XDP_ZEROCOPY,
            BindMode::Copy => libc::XDP_COPY,
        };
        let address = libc::sockaddr_xdp {
            sxdp_family: libc::AF_XDP as u16,
            sxdp_flags: libc::XDP_USE_NEED_WAKEUP | forced,
            sxdp_ifindex: index.unsigned_abs(),
            sxdp_queue_id: self.queue,
            sxdp_shared_umem_fd: 0,
        };
        let length = size_of_val(&address) as libc::socklen_t;
        // SAFETY: the address is of the length that is named.
        let bound = unsafe { libc::bind(self.socket.as_raw_fd(), (&raw const address).cast(), length) };
        if bound < 0 {
            let attempt = if mode == BindMode::ZeroCopy {
                "take its packets without a copy (force-bind-mode: zero)"
            } else {
                "listen on a queue of it"
            };
            return Err(fault(attempt)(io::Error::last_os_error()));
        }
        Ok(())
    }

    /// The queue.
    pub const fn queue(&self) -> u32 {
        self.queue
    }

    /// Whether the card writes packets into the memory by itself.
    pub fn is_without_copy(&self) -> bool {
        let options: io::Result<libc::xdp_options> = get(&self.socket, libc::XDP_OPTIONS);
        options.is_ok_and(|options| options.flags & libc::XDP_OPTIONS_ZEROCOPY != 0)
    }

    /// Has the thread that reads poll the card.
    pub fn poll_busily(&self, poll: &BusyPoll) -> io::Result<()> {
        set(&self.socket, libc::SOL_SOCKET, SO_PREFER_BUSY_POLL, &1u32)?;
        set(&self.socket, libc::SOL_SOCKET, SO_BUSY_POLL, &poll.time)?;
        set(&self.socket, libc::SOL_SOCKET, SO_BUSY_POLL_BUDGET, &poll.budget)
    }

    /// Returns the packet that comes next, if one came.
    pub fn first(&mut self) -> Option<Arrival> {
        while self.first.is_none() {
            let found = self.received.next()?;
            let (chunk, start) = place(found.addr, self.unaligned);
            if start.checked_add(found.len as usize).is_none_or(|end| end > self.memory.len()) {
                self.lent.push(chunk);
                continue;
            }
            self.first = Some(Arrival { start, length: found.len, stamp: self.stamp(start), chunk });
        }
        self.first
    }

    /// Takes the packet that [`XdpSocket::first`] returned; it stays until packets are given back. These are its bytes.
    pub fn take(&mut self) -> &[u8] {
        let Some(Arrival { start, length, chunk, .. }) = self.first.take() else { return &[] };
        self.lent.push(chunk);
        // SAFETY: the packet lies within the memory, and the kernel has given its chunk away.
        unsafe { std::slice::from_raw_parts(self.memory.cast::<u8>().as_ptr().add(start), length as usize) }
    }

    /// Returns the time that the program put before the packet that begins there.
    fn stamp(&self, start: usize) -> Option<u64> {
        let before = start.checked_sub(size_of::<[u64; 2]>())?;
        // SAFETY: the packet lies within the memory, and so do the bytes before it, in a chunk that the kernel has given away.
        let [mark, time] =
            unsafe { self.memory.cast::<u8>().as_ptr().add(before).cast::<[u64; 2]>().read_unaligned() };
        (mark == STAMP).then_some(time)
    }

    /// Gives the chunks of the packets back.
    pub fn give_back(&mut self) {
        if self.lent.is_empty() {
            return;
        }
        self.received.release();
        self.fill.put(self.lent.drain(..));
        if self.fill.wants_to_be_told() {
            // What is wrong is told where packets are waited for.
            let _ = self.wake();
        }
    }

    /// Tells the kernel of chunks, and has it look for packets.
    pub fn wake(&self) -> io::Result<()> {
        let none = std::ptr::null_mut();
        // SAFETY: nothing is written where there is no memory for it.
        let answer = unsafe {
            libc::recvfrom(self.socket.as_raw_fd(), none, 0, libc::MSG_DONTWAIT, none.cast(), none.cast())
        };
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            _ if answer >= 0 => Ok(()),
            Some(libc::EAGAIN | libc::EBUSY | libc::EINTR) => Ok(()),
            _ => Err(error),
        }
    }

    /// Takes the error of the socket, if there is one.
    pub fn take_error(&self) -> Option<io::Error> {
        let code: libc::c_int = get_at(&self.socket, libc::SOL_SOCKET, libc::SO_ERROR).unwrap_or(0);
        (code != 0).then(|| io::Error::from_raw_os_error(code))
    }

    /// The counts of the kernel.
    pub fn counts(&self) -> io::Result<KernelCounts> {
        let counts: libc::xdp_statistics = get(&self.socket, libc::XDP_STATISTICS)?;
        Ok(KernelCounts {
            dropped: counts.rx_dropped,
            ring_full: counts.rx_ring_full,
            no_chunk: counts.rx_fill_ring_empty_descs,
        })
    }
}

impl AsFd for XdpSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The chunk of a packet, as it is given back, and where the packet begins in the memory.
fn place(address: u64, unaligned: bool) -> (u64, usize) {
    let (chunk, start) = if unaligned {
        let chunk = address & ((1 << CHUNK_BITS) - 1);
        (chunk, chunk + (address >> CHUNK_BITS))
    } else {
        (address & !u64::from(CHUNK_SIZE - 1), address)
    };
    (chunk, usize::try_from(start).unwrap_or(usize::MAX))
}

fn set<T>(socket: &OwnedFd, level: libc::c_int, option: libc::c_int, value: &T) -> io::Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the kernel reads a value of the length that is named.
    let set = unsafe {
        libc::setsockopt(socket.as_raw_fd(), level, option, std::ptr::from_ref(value).cast(), length)
    };
    if set < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn get<T: Numbers>(socket: &OwnedFd, option: libc::c_int) -> io::Result<T> {
    get_at(socket, libc::SOL_XDP, option)
}

fn get_at<T: Numbers>(socket: &OwnedFd, level: libc::c_int, option: libc::c_int) -> io::Result<T> {
    // SAFETY: any bits are valid, zeros included.
    let mut value: T = unsafe { zeroed() };
    let mut length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the kernel writes at most the length that is named.
    let got = unsafe {
        libc::getsockopt(socket.as_raw_fd(), level, option, (&raw mut value).cast(), &raw mut length)
    };
    if got < 0 { Err(io::Error::last_os_error()) } else { Ok(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_lie_in_chunks() {
        for (address, unaligned, expected) in [
            (0x100, false, (0, 0x100)),
            (0x5100, false, (0x5000, 0x5100)),
            (0x5100, true, (0x5100, 0x5100)),
            (0x0100_0000_0000_5000, true, (0x5000, 0x5100)),
        ] {
            assert_eq!(place(address, unaligned), expected, "{address:#x}");
        }
    }
}
