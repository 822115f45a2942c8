//! Another process that opens packet sockets for this one, which may no longer do so itself: interfaces that were deleted
//! and come back need new ones.
//!
//! Both are joined by a pair of sockets. A request is one byte; the answer is a byte, [`OPENED`] with the socket beside it
//! (`SCM_RIGHTS`) or [`REFUSED`].

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

use super::socket;

const ASKED: u8 = b'?';
const OPENED: u8 = b'+';
const REFUSED: u8 = b'-';

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// The way to the other process.
static OPENER: OnceLock<Mutex<UnixStream>> = OnceLock::new();

/// Has another process asked for packet sockets from now on, where this one may not open them; it serves the other end of
/// the pair with [`serve`].
pub fn ask_by(stream: UnixStream) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    // One that there is already is asked.
    let _ = OPENER.set(Mutex::new(stream));
    Ok(())
}

/// Asks for a packet socket.
pub(super) fn ask() -> io::Result<OwnedFd> {
    let Some(stream) = OPENER.get() else { return Err(io::ErrorKind::PermissionDenied.into()) };
    let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
    rustix::net::send(&*stream, &[ASKED], SendFlags::NOSIGNAL)?;
    receive(&stream)
}

fn receive(stream: &UnixStream) -> io::Result<OwnedFd> {
    let mut answer = [0];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC;
    recvmsg(stream, &mut [IoSliceMut::new(&mut answer)], &mut beside, flags)?;
    let sockets = beside.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut sockets) => sockets.next(),
        _ => None,
    });
    match sockets {
        Some(socket) if answer == [OPENED] => Ok(socket),
        _ => Err(io::ErrorKind::PermissionDenied.into()),
    }
}

/// Opens sockets for the process at the other end, until it is gone.
pub fn serve(stream: &UnixStream) -> io::Result<()> {
    let mut request = [0];
    loop {
        match rustix::net::recv(stream, &mut request, RecvFlags::empty()) {
            Ok((_, 0)) => return Ok(()),
            Ok(_) => answer(stream, socket::open_here().ok())?,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn answer(stream: &UnixStream, socket: Option<OwnedFd>) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    let word = [if socket.is_some() { OPENED } else { REFUSED }];
    let sockets: Vec<_> = socket.iter().map(AsFd::as_fd).collect();
    if !sockets.is_empty() {
        beside.push(SendAncillaryMessage::ScmRights(&sockets));
    }
    sendmsg(stream, &[IoSlice::new(&word)], &mut beside, SendFlags::NOSIGNAL)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_are_handed_over() {
        let (own, other) = UnixStream::pair().unwrap();
        own.set_read_timeout(Some(PATIENCE)).unwrap();
        let (given, kept) = UnixStream::pair().unwrap();
        answer(&other, Some(given.into())).unwrap();
        let mut got = UnixStream::from(receive(&own).unwrap());
        io::Write::write_all(&mut got, b"x").unwrap();
        let mut byte = [0];
        io::Read::read_exact(&mut &kept, &mut byte).unwrap();
        assert_eq!(byte, *b"x");
        answer(&other, None).unwrap();
        assert!(receive(&own).is_err());
        drop(other);
        assert!(receive(&own).is_err(), "nobody is there");
        let (own, other) = UnixStream::pair().unwrap();
        drop(own);
        assert!(serve(&other).is_ok(), "it ends with who asks");
    }
}
