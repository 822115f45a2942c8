//! The program at an interface that hands packets to sockets by the queue they came in by, and the map of these sockets.
//!
//! Both are made by calls of the system (`bpf(2)`): the program is a few instructions, and no library is needed to load
//! it. It is joined to the interface by a link, which ends with its file, and so with the process at the latest: this
//! needs Linux 5.9. Packets of queues without a socket go on to the system.
#![allow(unsafe_code, reason = "bpf(2) has no safe interface")]

use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use weir_config::af_xdp::XdpMode;

use crate::sources::af_packet::socket::{Fault, fault};

/// Commands of the call.
const MAP_CREATE: libc::c_int = 0;
const MAP_UPDATE_ELEM: libc::c_int = 2;
const PROG_LOAD: libc::c_int = 5;
const LINK_CREATE: libc::c_int = 28;

/// Kinds of maps, programs and places.
const XSK_MAP: u32 = 17;
const XDP_PROGRAM: u32 = 6;
const AT_XDP: u32 = 37;

/// Places of a program at an interface: the kernel, or the driver.
const SKB_MODE: u32 = 1 << 1;
const DRIVER_MODE: u32 = 1 << 2;

/// Where the number of the queue stands in what the program is given (`struct xdp_md`).
const QUEUE_INDEX: i16 = 16;
/// The function that hands a packet to a socket of a map (`bpf_redirect_map`).
const REDIRECT: i32 = 51;
/// Fate of packets without a socket (`XDP_PASS`).
const PASS: i32 = 2;
/// A number that stands for a map.
const MAP_NUMBER: u8 = 1;

/// An instruction.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Instruction {
    code: u8,
    registers: u8,
    offset: i16,
    value: i32,
}

const fn instruction(code: u8, (to, from): (u8, u8), offset: i16, value: i32) -> Instruction {
    Instruction { code, registers: from << 4 | to, offset, value }
}

/// The program, for a map: `return redirect_map(&map, queue, PASS)`.
fn program(map: i32) -> [Instruction; 6] {
    [
        instruction(0x61, (2, 1), QUEUE_INDEX, 0),
        instruction(0x18, (1, MAP_NUMBER), 0, map),
        instruction(0, (0, 0), 0, 0),
        instruction(0xb7, (3, 0), 0, PASS),
        instruction(0x85, (0, 0), 0, REDIRECT),
        instruction(0x95, (0, 0), 0, 0),
    ]
}

/// Description of a map to be made (`bpf(2)`).
#[repr(C)]
struct MapCreate {
    kind: u32,
    key_size: u32,
    value_size: u32,
    entries: u32,
    flags: u32,
}

/// An entry of a map.
#[repr(C)]
struct MapEntry {
    map: u32,
    padding: u32,
    key: u64,
    value: u64,
    flags: u64,
}

/// Description of a program to be loaded (`bpf(2)`).
#[repr(C)]
struct ProgramLoad {
    kind: u32,
    count: u32,
    instructions: u64,
    licence: u64,
    log_level: u32,
    log_size: u32,
    log: u64,
    kernel_version: u32,
    flags: u32,
    name: [u8; 16],
    interface: u32,
    place: u32,
}

/// The place of a program.
#[repr(C)]
struct LinkCreate {
    program: u32,
    interface: u32,
    place: u32,
    flags: u32,
}

/// Calls the system.
fn call<T>(command: libc::c_int, attributes: &T) -> io::Result<libc::c_int> {
    // SAFETY: the kernel reads attributes of the length that is named; what they point to outlives the call.
    let answer = unsafe {
        libc::syscall(libc::SYS_bpf, command, std::ptr::from_ref(attributes), size_of::<T>() as libc::c_uint)
    };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer as libc::c_int) }
}

/// Calls the system for a new file.
fn call_for_file<T>(command: libc::c_int, attributes: &T) -> io::Result<OwnedFd> {
    let number = call(command, attributes)?;
    // SAFETY: the number is a file that was opened just now, and nobody else's.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// The place at which packets are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// The driver, or the kernel where the driver cannot.
    AtOnce,
    /// The kernel, as the driver refused.
    ByKernel,
}

/// A program at an interface. It is gone when this is dropped.
pub struct Hook {
    index: i32,
    map: OwnedFd,
    _link: OwnedFd,
    taken: Taken,
}

impl Hook {
    /// Puts one at the interface of a number, for so many queues.
    pub fn new(index: i32, queues: u32, mode: XdpMode) -> Result<Self, Fault> {
        let map = MapCreate { kind: XSK_MAP, key_size: 4, value_size: 4, entries: queues, flags: 0 };
        let map = call_for_file(MAP_CREATE, &map).map_err(fault("make the map of its sockets"))?;
        let loaded = load(&map).map_err(fault("load the program that hands packets to sockets"))?;
        let join = |flags| {
            let interface = index.unsigned_abs();
            let link =
                LinkCreate { program: loaded.as_raw_fd().unsigned_abs(), interface, place: AT_XDP, flags };
            call_for_file(LINK_CREATE, &link)
        };
        let (link, taken) = match mode {
            XdpMode::Driver => (join(DRIVER_MODE), Taken::AtOnce),
            XdpMode::Kernel => (join(SKB_MODE), Taken::AtOnce),
            XdpMode::Either => match join(0) {
                // Its driver can in principle; long packets or settings of the card stand against it.
                Err(error) if error.raw_os_error() != Some(libc::EBUSY) => match join(SKB_MODE) {
                    Ok(link) => (Ok(link), Taken::ByKernel),
                    Err(_) => (Err(error), Taken::AtOnce),
                },
                outcome => (outcome, Taken::AtOnce),
            },
        };
        let link = link.map_err(fault("put a program at it"))?;
        Ok(Self { index, map, _link: link, taken })
    }

    /// The number of the interface.
    pub const fn index(&self) -> i32 {
        self.index
    }

    /// The place at which packets are taken.
    pub const fn taken(&self) -> Taken {
        self.taken
    }

    /// Has packets of a queue go to a socket.
    pub fn let_in(&self, queue: u32, socket: BorrowedFd<'_>) -> io::Result<()> {
        let value = socket.as_raw_fd().unsigned_abs();
        let entry = MapEntry {
            map: self.map.as_raw_fd().unsigned_abs(),
            padding: 0,
            key: std::ptr::from_ref(&queue) as u64,
            value: std::ptr::from_ref(&value) as u64,
            flags: 0,
        };
        call(MAP_UPDATE_ELEM, &entry).map(drop)
    }
}

fn load(map: &OwnedFd) -> io::Result<OwnedFd> {
    let instructions = program(map.as_raw_fd());
    let load = ProgramLoad {
        kind: XDP_PROGRAM,
        count: instructions.len() as u32,
        instructions: instructions.as_ptr() as u64,
        licence: c"Dual MIT/GPL".as_ptr() as u64,
        log_level: 0,
        log_size: 0,
        log: 0,
        kernel_version: 0,
        flags: 0,
        name: *b"weir\0\0\0\0\0\0\0\0\0\0\0\0",
        interface: 0,
        place: AT_XDP,
    };
    call_for_file(PROG_LOAD, &load)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_laid_out_as_the_kernel_reads_it() {
        assert_eq!((size_of::<Instruction>(), size_of::<MapEntry>(), size_of::<LinkCreate>()), (8, 32, 16));
        let codes =
            program(7).map(|instruction| (instruction.code, instruction.registers, instruction.value));
        let expected =
            [(0x61, 0x12, 0), (0x18, 0x11, 7), (0, 0, 0), (0xb7, 3, PASS), (0x85, 0, REDIRECT), (0x95, 0, 0)];
        assert_eq!(codes, expected);
    }
}
