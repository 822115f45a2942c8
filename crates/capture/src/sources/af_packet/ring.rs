//! A packet socket with its ring (`TPACKET_V3`): blocks of packets that the kernel fills and lends.
//!
//! The ring is mapped memory: a block belongs to the kernel or to this program,
//! as its status says, and is read and changed by its owner only.
#![allow(unsafe_code, reason = "rings of sockets have no safe interface")]

use std::io;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::wait::wait_for_bytes;

use weir_config::af_packet::Times;

use super::socket::{Fault, PacketSocket, fault};

/// Where the status of a block stands in it (`struct tpacket_block_desc`).
const BLOCK_STATUS: usize = 8;

/// Bytes before a packet that the kernel leaves free: for the VLAN tag that it takes off.
const RESERVED: libc::c_uint = 4;

/// The kernel asks for a frame size that divides blocks; with blocks it has no other meaning.
const FRAME_SIZE: u32 = 2048;

/// Size and behaviour of a ring.
#[derive(Clone, Debug)]
pub struct RingSettings {
    /// Bytes of a block.
    pub block_size: u32,
    /// Blocks.
    pub blocks: u32,
    /// Milliseconds until a block that is not full is handed out.
    pub block_timeout: u32,
    /// It is locked in memory.
    pub locked: bool,
    /// The interface takes in packets that are not for its address.
    pub promiscuous: bool,
    /// The clock that packets have their times from.
    pub times: Times,
}

/// Memory that is shared with the kernel.
struct Mapping {
    start: NonNull<u8>,
    length: usize,
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the pair is what mmap answered, and nothing borrows from the mapping any more.
        unsafe {
            libc::munmap(self.start.as_ptr().cast(), self.length);
        }
    }
}

/// A socket and its ring.
pub struct Ring {
    socket: PacketSocket,
    mapping: Mapping,
    block_size: usize,
    blocks: usize,
    /// The block that is read, or will be next.
    current: usize,
}

// SAFETY: the mapping belongs to the ring alone, and is reached through `&mut self` only.
unsafe impl Send for Ring {}

impl Ring {
    /// Opens a socket on an interface. No packet comes before [`Ring::let_in`].
    pub fn open(interface: &str, settings: &RingSettings) -> Result<Self, Fault> {
        let mut socket = PacketSocket::open()?;
        let version = libc::tpacket_versions::TPACKET_V3 as libc::c_int;
        socket.set(libc::PACKET_VERSION, &version).map_err(fault("use rings of blocks"))?;
        socket.set(libc::PACKET_RESERVE, &RESERVED).map_err(fault("reserve room before packets"))?;
        let request = libc::tpacket_req3 {
            tp_block_size: settings.block_size,
            tp_block_nr: settings.blocks,
            tp_frame_size: FRAME_SIZE,
            tp_frame_nr: settings.block_size / FRAME_SIZE * settings.blocks,
            tp_retire_blk_tov: settings.block_timeout,
            tp_sizeof_priv: 0,
            tp_feature_req_word: 0,
        };
        if settings.times == Times::Card {
            socket.set(libc::PACKET_TIMESTAMP, &libc::SOF_TIMESTAMPING_RAW_HARDWARE).map_err(fault(
                "take the times of its card (disable-hwtimestamp: yes takes those of the system)",
            ))?;
        }
        socket.set(libc::PACKET_RX_RING, &request).map_err(fault("make a ring of this size"))?;
        let (block_size, blocks) = (settings.block_size as usize, settings.blocks as usize);
        let mapping = map(&socket, block_size * blocks, settings.locked)?;
        socket.bind(interface)?;
        let ring = Self { socket, mapping, block_size, blocks, current: 0 };
        if ring.socket.bound().hardware == libc::ARPHRD_LOOPBACK {
            // It would show each packet twice.
            ring.socket.ignore_outgoing()?;
        }
        if settings.promiscuous {
            ring.socket.be_promiscuous()?;
        }
        Ok(ring)
    }

    /// The socket.
    pub const fn socket(&self) -> &PacketSocket {
        &self.socket
    }

    /// The block that is at hand, all of it, if the kernel has handed it out.
    pub fn block(&mut self) -> Option<&mut [u8]> {
        if self.status().load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
            return None;
        }
        let start = self.current * self.block_size;
        // SAFETY: `current` is less than `blocks`, so that the block lies within the mapping; it is this program's until
        // `release`, which the borrow of the ring forbids while the slice lives.
        Some(unsafe {
            std::slice::from_raw_parts_mut(self.mapping.start.as_ptr().add(start), self.block_size)
        })
    }

    /// Gives the block back.
    pub fn release(&mut self) {
        self.status().store(libc::TP_STATUS_KERNEL, Ordering::Release);
        self.current = (self.current + 1) % self.blocks;
    }

    fn status(&self) -> &AtomicU32 {
        let at = self.current * self.block_size + BLOCK_STATUS;
        // SAFETY: it lies within the mapping, blocks begin at pages, and both sides access it as an atomic word.
        unsafe { AtomicU32::from_ptr(self.mapping.start.as_ptr().add(at).cast()) }
    }

    /// Waits for a block; whether something happened in time.
    pub fn wait(&self, patience: Duration) -> io::Result<bool> {
        wait_for_bytes(&self.socket, patience)
    }
}

fn map(socket: &PacketSocket, length: usize, locked: bool) -> Result<Mapping, Fault> {
    let lock = if locked { libc::MAP_LOCKED } else { 0 };
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the kernel chooses where the mapping is, so that it covers nothing else.
    let start = unsafe {
        let flags = libc::MAP_SHARED | lock;
        libc::mmap(std::ptr::null_mut(), length, access, flags, socket.as_raw_fd(), 0)
    };
    if start == libc::MAP_FAILED {
        return Err(fault("map the ring")(io::Error::last_os_error()));
    }
    let start = NonNull::new(start.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory.into());
    Ok(Mapping { start: start.map_err(fault("map the ring"))?, length })
}
