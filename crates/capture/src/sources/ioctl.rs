//! Calls of the system that ask an interface, or set something of it, by its name (netdevice(7)).
#![allow(unsafe_code, reason = "these calls have no safe interface")]

use std::ffi::c_char;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

/// An interface that is asked.
pub struct Interface {
    socket: OwnedFd,
    name: [c_char; libc::IFNAMSIZ],
}

/// What the kernel reads and writes in such a call: words that may have any bits.
pub trait Words {}

impl<const COUNT: usize> Words for [u32; COUNT] {}

impl Interface {
    /// The interface of this name, which need not be there yet.
    pub fn of(interface: &str) -> io::Result<Self> {
        let mut name = [0; libc::IFNAMSIZ];
        // One byte is left for the zero behind it.
        if interface.len() >= name.len() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        for (place, byte) in name.iter_mut().zip(interface.bytes()) {
            *place = byte.cast_signed();
        }
        let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
        Ok(Self { socket, name })
    }

    /// Carries out a call (`SIOC…`) with as many words as its structure has.
    pub fn call<W: Words>(&self, call: libc::c_ulong, words: &mut W) -> io::Result<()> {
        // SAFETY: all of the structure may be zero.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        request.ifr_name = self.name;
        request.ifr_ifru.ifru_data = std::ptr::from_mut(words).cast();
        // SAFETY: the kernel reads the request, and reads and writes the words that it points to, of which those who
        // call have as many as the structure.
        match unsafe { libc::ioctl(self.socket.as_raw_fd(), call as _, &raw mut request) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
