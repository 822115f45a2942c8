//! A socket of the kernel's queues (`NETLINK_NETFILTER`), and one to send packets of IP as they are.
#![allow(unsafe_code, reason = "sockets of netlink, and many messages at a time, have no safe interface")]

use std::io;
use std::mem::{size_of, zeroed};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use super::message;

/// Messages that are taken in at a time.
pub const BATCH: usize = 64;

/// Longest message: a packet of 64 KiB and what is told of it.
const LONGEST: usize = (64 << 10) + 1024;

/// Bytes of messages that may wait.
const WAITING: libc::c_int = 32 << 20;

/// Bytes of an answer of the kernel.
const ANSWER: usize = 4096;

/// A socket of netlink.
pub struct Netlink(OwnedFd);

impl Netlink {
    /// Opens one.
    pub fn open() -> io::Result<Self> {
        let socket = open(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_NETFILTER)?;
        // SAFETY: all of the structure may be zero.
        let mut address: libc::sockaddr_nl = unsafe { zeroed() };
        address.nl_family = libc::AF_NETLINK as libc::sa_family_t;
        let length = size_of::<libc::sockaddr_nl>() as libc::socklen_t;
        // SAFETY: the address is of the length that is named.
        check(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) } as isize)?;
        let wide = set(&socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, WAITING);
        wide.or_else(|_| set(&socket, libc::SOL_SOCKET, libc::SO_RCVBUF, WAITING))?;
        // The kernel counts what found no room.
        set(&socket, libc::SOL_NETLINK, libc::NETLINK_NO_ENOBUFS, 1)?;
        Ok(Self(socket))
    }

    /// Sends messages, all at once.
    pub fn send(&self, bytes: &[u8]) -> io::Result<()> {
        // SAFETY: as many bytes are named as there are.
        check(unsafe { libc::send(self.0.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), 0) }).map(drop)
    }

    /// Sends a message that is answered, and waits for the answer.
    pub fn ask(&self, bytes: &[u8]) -> io::Result<()> {
        self.send(bytes)?;
        let mut room = vec![0u8; ANSWER.max(LONGEST)];
        loop {
            // SAFETY: as many bytes are named as there is room for.
            let got =
                check(unsafe { libc::recv(self.0.as_raw_fd(), room.as_mut_ptr().cast(), room.len(), 0) })?;
            match message::answer(room.get(..got).unwrap_or_default()) {
                None => {}
                Some(0) => return Ok(()),
                Some(code) => return Err(io::Error::from_raw_os_error(code)),
            }
        }
    }
}

impl AsFd for Netlink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The messages that were taken in last.
pub struct Inbox {
    room: Vec<u8>,
    lengths: Vec<usize>,
}

impl Inbox {
    /// An empty one.
    pub fn new() -> Self {
        Self { room: vec![0; LONGEST * BATCH], lengths: Vec::with_capacity(BATCH) }
    }

    /// All the room.
    pub fn bytes(&self) -> &[u8] {
        &self.room
    }

    /// Where the messages are that were taken in.
    pub fn places(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.lengths.iter().enumerate().map(|(index, length)| index * LONGEST..index * LONGEST + length)
    }

    /// Takes in the messages that are there, at most so many.
    pub fn take(&mut self, netlink: &Netlink, max: usize) -> io::Result<()> {
        self.lengths.clear();
        let count = max.min(BATCH);
        let mut parts = [libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; BATCH];
        // SAFETY: all of the structure may be zero.
        let mut messages: [libc::mmsghdr; BATCH] = unsafe { zeroed() };
        let rooms = self.room.chunks_exact_mut(LONGEST);
        for ((message, part), room) in messages.iter_mut().zip(&mut parts).zip(rooms).take(count) {
            *part = libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: room.len() };
            (message.msg_hdr.msg_iov, message.msg_hdr.msg_iovlen) = (&raw mut *part, 1);
        }
        // SAFETY: as many messages are named as were pointed at room of the lengths that they name, all of which lives
        // until the call is over, and any bytes are valid in it.
        let got = unsafe {
            libc::recvmmsg(
                netlink.0.as_raw_fd(),
                messages.as_mut_ptr(),
                count as libc::c_uint,
                libc::MSG_DONTWAIT as _,
                std::ptr::null_mut(),
            )
        };
        let got = check(got as isize)?;
        self.lengths.extend(messages.iter().take(got).map(|message| message.msg_len as usize));
        Ok(())
    }
}

/// Sockets that send packets of IP.
pub struct Sender {
    v4: OwnedFd,
    v6: Option<OwnedFd>,
}

impl Sender {
    /// Opens them; the firewall sees what they send with a mark.
    pub fn open(mark: u32) -> io::Result<Self> {
        let v4 = open(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_RAW)?;
        // A system may be without it.
        let v6 = open(libc::AF_INET6, libc::SOCK_RAW, libc::IPPROTO_RAW).ok();
        for socket in [Some(&v4), v6.as_ref()].into_iter().flatten().filter(|_| mark != 0) {
            set(socket, libc::SOL_SOCKET, libc::SO_MARK, mark)?;
        }
        Ok(Self { v4, v6 })
    }

    /// Sends a packet, which begins with its header of IP.
    pub fn send(&self, packet: &[u8]) -> io::Result<()> {
        let cut = || io::Error::from(io::ErrorKind::InvalidInput);
        match destination(packet).ok_or_else(cut)? {
            IpAddr::V4(to) => {
                // SAFETY: all of the structure may be zero.
                let mut address: libc::sockaddr_in = unsafe { zeroed() };
                address.sin_family = libc::AF_INET as libc::sa_family_t;
                address.sin_addr.s_addr = u32::from_ne_bytes(to.octets());
                send_to(&self.v4, packet, &address)
            }
            IpAddr::V6(to) => {
                // SAFETY: all of the structure may be zero.
                let mut address: libc::sockaddr_in6 = unsafe { zeroed() };
                address.sin6_family = libc::AF_INET6 as libc::sa_family_t;
                address.sin6_addr.s6_addr = to.octets();
                send_to(self.v6.as_ref().ok_or_else(cut)?, packet, &address)
            }
        }
    }
}

fn destination(packet: &[u8]) -> Option<IpAddr> {
    match packet.first()? >> 4 {
        4 => packet.get(16..)?.first_chunk::<4>().map(|octets| Ipv4Addr::from(*octets).into()),
        _ => packet.get(24..)?.first_chunk::<16>().map(|octets| Ipv6Addr::from(*octets).into()),
    }
}

fn send_to<T>(socket: &OwnedFd, packet: &[u8], address: &T) -> io::Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    let flags = libc::MSG_DONTWAIT;
    // SAFETY: as many bytes are named as there are, and the address is of the length that is named.
    check(unsafe {
        libc::sendto(
            socket.as_raw_fd(),
            packet.as_ptr().cast(),
            packet.len(),
            flags,
            std::ptr::from_ref(address).cast(),
            length,
        )
    })
    .map(drop)
}

fn open(family: libc::c_int, kind: libc::c_int, protocol: libc::c_int) -> io::Result<OwnedFd> {
    // SAFETY: the call takes no memory.
    let socket = unsafe { libc::socket(family, kind | libc::SOCK_CLOEXEC, protocol) };
    check(socket as isize)?;
    // SAFETY: the number is a socket that was opened just now, and nobody else's.
    Ok(unsafe { OwnedFd::from_raw_fd(socket) })
}

fn set<T>(socket: &OwnedFd, level: libc::c_int, option: libc::c_int, value: T) -> io::Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the kernel reads a value of the length that is named.
    let set =
        unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, (&raw const value).cast(), length) };
    check(set as isize).map(drop)
}

/// The number that a call answered, or its error.
fn check(answer: isize) -> io::Result<usize> {
    usize::try_from(answer).map_err(|_| io::Error::last_os_error())
}
