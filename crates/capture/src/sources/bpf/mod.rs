//! Programs and maps in the kernel (`bpf(2)`): made by calls of the system, so that no library is needed.
#![allow(unsafe_code, reason = "bpf(2) has no safe interface")]

pub mod assembler;
pub mod classic;
pub mod mapped;

use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use assembler::Instruction;

/// Commands of the call.
const MAP_CREATE: libc::c_int = 0;
const MAP_UPDATE_ELEM: libc::c_int = 2;
const PROG_LOAD: libc::c_int = 5;
#[cfg(test)]
const PROG_TEST_RUN: libc::c_int = 10;
const LINK_CREATE: libc::c_int = 28;

/// Kinds of maps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapKind {
    /// An array that a process can map into its memory.
    MappedArray,
    /// Sockets of AF_XDP, by queue.
    XdpSockets,
}

/// Kinds of programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramKind {
    /// A filter of a socket.
    SocketFilter,
    /// One that sees packets before the system does.
    Xdp,
}

/// Places of an XDP program at an interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum XdpPlace {
    /// The driver if it can, else the kernel.
    Either,
    /// The kernel.
    Kernel,
    /// The driver.
    Driver,
}

const ARRAY: u32 = 2;
const XSK_MAP: u32 = 17;
const CAN_BE_MAPPED: u32 = 1 << 10;
const SOCKET_FILTER: u32 = 1;
const XDP_PROGRAM: u32 = 6;
const AT_XDP: u32 = 37;
const SKB_MODE: u32 = 1 << 1;
const DRIVER_MODE: u32 = 1 << 2;

/// Description of a map to be made.
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

/// Description of a program to be loaded.
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

/// Returns the number of a file as the kernel takes it.
fn number(file: &impl AsRawFd) -> u32 {
    file.as_raw_fd().unsigned_abs()
}

/// Makes a map, whose keys have four bytes.
pub fn make_map(kind: MapKind, value_size: u32, entries: u32) -> io::Result<OwnedFd> {
    let (kind, flags) = match kind {
        MapKind::MappedArray => (ARRAY, CAN_BE_MAPPED),
        MapKind::XdpSockets => (XSK_MAP, 0),
    };
    call_for_file(MAP_CREATE, &MapCreate { kind, key_size: 4, value_size, entries, flags })
}

/// Puts a socket into a map.
pub fn put_socket(map: &OwnedFd, key: u32, socket: BorrowedFd<'_>) -> io::Result<()> {
    let value = number(&socket);
    let entry = MapEntry {
        map: number(map),
        padding: 0,
        key: std::ptr::from_ref(&key) as u64,
        value: std::ptr::from_ref(&value) as u64,
        flags: 0,
    };
    call(MAP_UPDATE_ELEM, &entry).map(drop)
}

/// Loads a program.
pub fn load(kind: ProgramKind, instructions: &[Instruction]) -> io::Result<OwnedFd> {
    let (kind, place) = match kind {
        ProgramKind::SocketFilter => (SOCKET_FILTER, 0),
        ProgramKind::Xdp => (XDP_PROGRAM, AT_XDP),
    };
    call_for_file(
        PROG_LOAD,
        &ProgramLoad {
            kind,
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
            place,
        },
    )
}

/// Puts an XDP program at the interface of a number, until the link is closed: with the process at the latest.
pub fn attach_xdp(program: &OwnedFd, interface: i32, place: XdpPlace) -> io::Result<OwnedFd> {
    let flags = match place {
        XdpPlace::Either => 0,
        XdpPlace::Kernel => SKB_MODE,
        XdpPlace::Driver => DRIVER_MODE,
    };
    let interface = interface.unsigned_abs();
    call_for_file(LINK_CREATE, &LinkCreate { program: number(program), interface, place: AT_XDP, flags })
}

#[cfg(test)]
pub mod testing {
    //! Runs programs on frames without an interface.

    use super::*;

    /// A run of a program.
    #[repr(C)]
    struct TestRun {
        program: u32,
        answer: u32,
        length_in: u32,
        length_out: u32,
        frame: u64,
        out: u64,
        repeat: u32,
        duration: u32,
    }

    /// Has a socket take what a program takes.
    pub fn attach(socket: &impl AsRawFd, program: &OwnedFd) -> io::Result<()> {
        let number = program.as_raw_fd();
        // SAFETY: the kernel reads the number of a file.
        let set = unsafe {
            let (level, length) = (libc::SOL_SOCKET, size_of::<i32>() as libc::socklen_t);
            libc::setsockopt(
                socket.as_raw_fd(),
                level,
                libc::SO_ATTACH_BPF,
                (&raw const number).cast(),
                length,
            )
        };
        if set < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Runs a program on a frame of Ethernet; its answer.
    pub fn run_on_frame(program: &OwnedFd, frame: &[u8]) -> io::Result<u32> {
        let mut run = TestRun {
            program: number(program),
            answer: 0,
            length_in: frame.len() as u32,
            length_out: 0,
            frame: frame.as_ptr() as u64,
            out: 0,
            repeat: 1,
            duration: 0,
        };
        // SAFETY: the kernel reads and writes attributes of the length that is named, and reads the frame.
        let answer = unsafe {
            libc::syscall(
                libc::SYS_bpf,
                PROG_TEST_RUN,
                std::ptr::from_mut(&mut run),
                size_of::<TestRun>() as libc::c_uint,
            )
        };
        if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(run.answer) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_laid_out_as_the_kernel_reads_them() {
        let sizes = (size_of::<Instruction>(), size_of::<MapEntry>(), size_of::<LinkCreate>());
        assert_eq!(sizes, (8, 32, 16));
    }
}
