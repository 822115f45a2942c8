//! A packet socket: opened on an interface, filtered, in a group with others.
//!
//! Calls of the system on sockets are here.
#![allow(unsafe_code, reason = "sockets of packets have no safe interface")]

use std::ffi::CString;
use std::io;
use std::mem::{size_of, size_of_val};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Arc;

use super::opener;
use super::program::{self, Instruction};

/// Group of sockets among which packets are shared out.
#[derive(Clone, Debug)]
pub struct Fanout {
    /// Its number; none where the kernel is to choose a free one, which may be zero.
    pub id: Option<u16>,
    /// The way of sharing, with its flags (`PACKET_FANOUT_*`).
    pub kind: u16,
    /// The program that shares, for [`BY_PROGRAM`].
    pub program: Option<Vec<Instruction>>,
    /// One with a memory in its place.
    pub remembering: Option<Arc<OwnedFd>>,
}

/// Sharing by a program.
pub const BY_PROGRAM: u16 = libc::PACKET_FANOUT_CBPF as u16;
/// Sharing by an extended program (`PACKET_FANOUT_EBPF`).
const BY_EXTENDED_PROGRAM: u16 = 7;
/// Sharing by processor.
pub const BY_CPU: u16 = libc::PACKET_FANOUT_CPU as u16;
/// Sharing by the card's queue.
pub const BY_QUEUE: u16 = libc::PACKET_FANOUT_QM as u16;
/// Sharing in turn.
pub const IN_TURN: u16 = libc::PACKET_FANOUT_LB as u16;
/// Sharing at random.
pub const AT_RANDOM: u16 = libc::PACKET_FANOUT_RND as u16;
/// Flag: fragments are put together first.
pub const DEFRAGMENT: u16 = libc::PACKET_FANOUT_FLAG_DEFRAG as u16;
/// Flag: the kernel chooses the number.
const UNIQUE: u16 = 0x2000;

/// A call of the system that failed.
#[derive(Debug)]
pub struct Fault {
    /// The attempt, as a clause: `cannot …`.
    pub attempt: &'static str,
    /// Error of the system.
    pub reason: io::Error,
}

/// The interface that a socket is bound to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// Its number.
    pub index: i32,
    /// Its hardware type (`ARPHRD_*`).
    pub hardware: u16,
}

/// Counts of the kernel since the last time they were asked for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct KernelCounts {
    /// Packets for this socket, those that were dropped included.
    pub packets: u64,
    /// Packets for which there was no room in the ring.
    pub drops: u64,
    /// Times that the ring was full.
    pub full: u64,
}

/// A packet socket.
pub struct PacketSocket {
    socket: OwnedFd,
    bound: Bound,
}

impl PacketSocket {
    /// Opens a socket that is bound to nothing yet, and lets nothing in.
    pub fn open() -> Result<Self, Fault> {
        let socket = open_socket()?;
        attach(&socket, &program::nothing())?;
        Ok(Self { socket, bound: Bound { index: 0, hardware: 0 } })
    }

    /// Binds it to an interface. No packet comes before [`PacketSocket::let_in`].
    pub fn bind(&mut self, interface: &str) -> Result<(), Fault> {
        let index = index_of(interface).map_err(fault("find it"))?;
        self.bound = bind(&self.socket, index)?;
        Ok(())
    }

    /// Leaves out what this machine sends.
    pub fn ignore_outgoing(&self) -> Result<(), Fault> {
        let yes: libc::c_int = 1;
        self.set(libc::PACKET_IGNORE_OUTGOING, &yes).map_err(fault("leave out what is sent"))
    }

    /// The interface.
    pub const fn bound(&self) -> Bound {
        self.bound
    }

    /// Has the interface take in packets that are not for its address.
    pub fn be_promiscuous(&self) -> Result<(), Fault> {
        let membership = libc::packet_mreq {
            mr_ifindex: self.bound.index,
            mr_type: libc::PACKET_MR_PROMISC as libc::c_ushort,
            mr_alen: 0,
            mr_address: [0; 8],
        };
        self.set(libc::PACKET_ADD_MEMBERSHIP, &membership)
            .map_err(fault("make it promiscuous (disable-promisc: yes leaves that)"))
    }

    /// Joins a group; the answer is the group's number.
    pub fn join(&self, fanout: &Fanout) -> Result<u16, Fault> {
        let choose = if fanout.id.is_none() { UNIQUE } else { 0 };
        let kind = if fanout.remembering.is_some() { BY_EXTENDED_PROGRAM } else { fanout.kind };
        let word = u32::from(fanout.id.unwrap_or(0)) | u32::from(kind | choose) << 16;
        self.set(libc::PACKET_FANOUT, &word).map_err(fault(
            "share its packets out among threads (another program may use the same cluster-id)",
        ))?;
        if let Some(program) = &fanout.remembering {
            self.set(libc::PACKET_FANOUT_DATA, &program.as_raw_fd())
                .map_err(fault("load the program that shares packets out"))?;
        } else if let Some(program) = &fanout.program {
            let filter = Filter::of(program);
            self.set(libc::PACKET_FANOUT_DATA, &filter.program())
                .map_err(fault("load the program that shares packets out"))?;
        }
        let word: u32 = get(&self.socket, libc::SOL_PACKET, libc::PACKET_FANOUT)
            .map_err(fault("learn the number of the group of sockets"))?;
        Ok(word as u16)
    }

    /// Lets packets in that a filter takes.
    pub fn let_in(&self, filter: &[Instruction]) -> Result<(), Fault> {
        attach(&self.socket, filter)
    }

    /// Lets packets in that a program takes.
    pub fn let_in_by(&self, program: &OwnedFd) -> Result<(), Fault> {
        self.set_common(libc::SO_ATTACH_BPF, &program.as_raw_fd())
            .map_err(fault("attach the program that drops bypassed flows"))
    }

    /// Takes the error of the socket, if there is one: the interface went down or away.
    pub fn take_error(&self) -> Option<io::Error> {
        let code: libc::c_int = get(&self.socket, libc::SOL_SOCKET, libc::SO_ERROR).unwrap_or(0);
        (code != 0).then(|| io::Error::from_raw_os_error(code))
    }

    /// Takes the counts of the kernel.
    pub fn take_counts(&self) -> KernelCounts {
        let words: io::Result<[u32; 3]> = get(&self.socket, libc::SOL_PACKET, libc::PACKET_STATISTICS);
        let [packets, drops, full] = words.unwrap_or_default().map(u64::from);
        KernelCounts { packets, drops, full }
    }

    /// Sets an option of packet sockets.
    pub fn set<T>(&self, option: libc::c_int, value: &T) -> io::Result<()> {
        set_at(&self.socket, libc::SOL_PACKET, option, value)
    }

    /// Sets an option of sockets.
    pub fn set_common<T>(&self, option: libc::c_int, value: &T) -> io::Result<()> {
        set_at(&self.socket, libc::SOL_SOCKET, option, value)
    }
}

impl AsFd for PacketSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl AsRawFd for PacketSocket {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.socket.as_raw_fd()
    }
}

/// Returns the number of an interface.
pub fn index_of(interface: &str) -> io::Result<i32> {
    let name = CString::new(interface).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: the name ends with a zero byte.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => Err(io::Error::last_os_error()),
        index => i32::try_from(index).map_err(|_| io::ErrorKind::InvalidData.into()),
    }
}

/// A program as the kernel takes it.
struct Filter(Vec<libc::sock_filter>);

impl Filter {
    fn of(program: &[Instruction]) -> Self {
        let instruction = |i: &Instruction| libc::sock_filter {
            code: i.code,
            jt: i.jump_true,
            jf: i.jump_false,
            k: i.value,
        };
        Self(program.iter().map(instruction).collect())
    }

    /// Points into the filter, which the kernel reads only.
    fn program(&self) -> libc::sock_fprog {
        libc::sock_fprog { len: self.0.len() as libc::c_ushort, filter: self.0.as_ptr().cast_mut() }
    }
}

/// Names the attempt that fails.
pub fn fault(attempt: &'static str) -> impl Fn(io::Error) -> Fault {
    move |reason| Fault { attempt, reason }
}

/// Opens a socket, or has it opened by the process that may.
fn open_socket() -> Result<OwnedFd, Fault> {
    let opened = match open_here() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            // What this process may not do is what is to be told.
            opener::ask().map_err(|_| error)
        }
        opened => opened,
    };
    opened.map_err(fault("open a socket for packets"))
}

/// Opens a socket in this process.
pub(super) fn open_here() -> io::Result<OwnedFd> {
    // No protocol: nothing comes until it is bound.
    // SAFETY: the call takes no memory.
    let socket = unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0) };
    if socket < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the number is a socket that was opened just now, and nobody else's.
    Ok(unsafe { OwnedFd::from_raw_fd(socket) })
}

fn attach(socket: &OwnedFd, filter: &[Instruction]) -> Result<(), Fault> {
    let filter = Filter::of(filter);
    set_at(socket, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, &filter.program())
        .map_err(fault("load the filter"))
}

fn bind(socket: &OwnedFd, index: i32) -> Result<Bound, Fault> {
    // SAFETY: all of the structure may be zero.
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as libc::c_ushort;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = index;
    let mut length = size_of_val(&address) as libc::socklen_t;
    // SAFETY: the address is of the length that is named.
    let bound = unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) };
    if bound < 0 {
        return Err(fault("listen on it")(io::Error::last_os_error()));
    }
    // SAFETY: the kernel writes an address of at most the length that is named.
    let named = unsafe { libc::getsockname(socket.as_raw_fd(), (&raw mut address).cast(), &raw mut length) };
    if named < 0 {
        return Err(fault("learn its hardware type")(io::Error::last_os_error()));
    }
    Ok(Bound { index, hardware: address.sll_hatype })
}

fn set_at<T>(socket: &OwnedFd, level: libc::c_int, option: libc::c_int, value: &T) -> io::Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the kernel reads a value of the length that is named.
    let set = unsafe {
        libc::setsockopt(socket.as_raw_fd(), level, option, std::ptr::from_ref(value).cast(), length)
    };
    if set < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Numbers, of which any bits are valid.
trait Number: Default {}

impl Number for u32 {}
impl Number for libc::c_int {}
impl Number for [u32; 3] {}

fn get<T: Number>(socket: &OwnedFd, level: libc::c_int, option: libc::c_int) -> io::Result<T> {
    let mut value = T::default();
    let mut length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the kernel writes at most the length that is named, of which any bits are valid.
    let got = unsafe {
        libc::getsockopt(socket.as_raw_fd(), level, option, (&raw mut value).cast(), &raw mut length)
    };
    if got < 0 { Err(io::Error::last_os_error()) } else { Ok(value) }
}
