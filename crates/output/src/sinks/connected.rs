//! Sinks that need a reader: Unix stream sockets and named pipes. A reader that is missing or goes away is looked for
//! with each write.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use super::Sink;
use super::drain::{Drain, PATIENCE, Unwritten, lines_in, wait_to_write};

/// Time between two looks for a reader.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Type of a path's target.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A stream socket that somebody listens on.
    Socket,
    /// A named pipe that somebody reads.
    Pipe,
}

/// A socket or a pipe that lines are written to.
pub(super) struct ConnectedSink {
    path: PathBuf,
    kind: Kind,
    open: Option<File>,
    drain: Drain,
    /// Nothing was taken for a while: from then on nobody waits.
    stalled: bool,
}

impl ConnectedSink {
    pub(super) fn open(path: PathBuf, kind: Kind) -> Self {
        let mut sink = Self { path, kind, open: None, drain: Drain::default(), stalled: false };
        sink.open = sink.connect().ok();
        sink
    }

    /// Connects without waiting.
    fn connect(&self) -> io::Result<File> {
        match self.kind {
            Kind::Socket => {
                let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
                let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
                connect(&socket, &SocketAddrUnix::new(&self.path)?)?;
                Ok(File::from(socket))
            }
            Kind::Pipe => {
                let mut options = OpenOptions::new();
                options.write(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(&self.path)
            }
        }
    }

    /// Connects, and waits a while for who listens but has no time, or does not read yet.
    fn connect_patiently(&self) -> io::Result<File> {
        let begun = Instant::now();
        loop {
            let error = match self.connect() {
                Ok(open) => return Ok(open),
                Err(error) => error,
            };
            let may_come = error.kind() == io::ErrorKind::WouldBlock
                || error.raw_os_error() == Some(Errno::NXIO.raw_os_error());
            if self.stalled || !may_come || begun.elapsed() >= PATIENCE {
                return Err(error);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Writes, to one more reader if the first one is gone.
    fn write_all(&mut self, lines: &[u8]) -> Result<(), Unwritten> {
        let (mut rest, mut given_up) = (lines, 0);
        loop {
            let is_new = self.open.is_none();
            let open = match self.open.take().map_or_else(|| self.connect_patiently(), Ok) {
                Ok(open) => &*self.open.insert(open),
                Err(cause) => return Err(Unwritten { lost: Some(lines_in(rest) + given_up), cause }),
            };
            let patience = if self.stalled { Duration::ZERO } else { PATIENCE };
            let stop = self.drain.write(&mut { open }, rest, &mut || wait_to_write(open, patience));
            match stop {
                Ok(()) => break,
                Err(stop) if stop.cause.kind() == io::ErrorKind::TimedOut => return Err(stop.lost(given_up)),
                Err(stop) => {
                    self.open = None;
                    given_up += self.drain.give_up();
                    if is_new {
                        return Err(stop.lost(given_up));
                    }
                    rest = stop.rest;
                }
            }
        }
        if given_up == 0 {
            return Ok(());
        }
        Err(Unwritten { lost: Some(given_up), cause: io::ErrorKind::BrokenPipe.into() })
    }
}

impl Sink for ConnectedSink {
    fn write(&mut self, lines: &[u8]) -> Result<(), Unwritten> {
        let result = self.write_all(lines);
        self.stalled = result.is_err();
        result
    }

    fn reopen(&mut self) -> Result<(), Unwritten> {
        let open = self.connect_patiently()?;
        self.open = Some(open);
        match self.drain.give_up() {
            0 => Ok(()),
            lost => Err(Unwritten { lost: Some(lost), cause: io::ErrorKind::BrokenPipe.into() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::net::UnixListener;

    use weir_testkit::TestFolder;

    use super::*;

    #[test]
    fn lines_arrive_and_whole_ones_after_a_reader_went_away() {
        let folder = TestFolder::new("stream");
        let listener = UnixListener::bind(folder.join("stream")).unwrap();
        let mut sink = ConnectedSink::open(folder.join("stream"), Kind::Socket);
        sink.write(b"one\ntwo\n").unwrap();
        let mut first = listener.accept().unwrap().0;
        let mut beginning = [0; 8];
        first.read_exact(&mut beginning).unwrap();
        assert_eq!(&beginning, b"one\ntwo\n");
        // A part of a long line is on its way when the reader goes.
        let long = [vec![b'x'; 4 << 20], b"\nshort\n".to_vec()].concat();
        let error = sink.write(&long).unwrap_err();
        assert_eq!((error.lost, error.cause.kind()), (Some(1), io::ErrorKind::TimedOut));
        drop(first);
        let error = sink.write(b"three\n").unwrap_err();
        assert_eq!(error.lost, Some(1), "the long line");
        drop(sink);
        let mut text = String::new();
        listener.accept().unwrap().0.read_to_string(&mut text).unwrap();
        assert_eq!(text, "three\n");
    }
}
