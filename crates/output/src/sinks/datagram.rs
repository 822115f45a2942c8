//! Datagram sockets, a line for each datagram: of Unix, and that of the system's log.

use std::io;
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::time::Duration;

use rustix::io::Errno;

use super::Sink;
use super::drain::{PATIENCE, Unwritten, wait_to_write};

/// The error of a datagram that no reader could take, however long one waits.
const TOO_LONG: i32 = Errno::MSGSIZE.raw_os_error();

/// A datagram socket. Who is not there yet, or goes away, is looked for again.
pub(super) struct DatagramSink {
    path: PathBuf,
    /// Head of each datagram.
    prefix: Vec<u8>,
    socket: Option<UnixDatagram>,
    /// Nothing was taken for a while: from then on nobody waits.
    stalled: bool,
    datagram: Vec<u8>,
}

impl DatagramSink {
    pub(super) fn open(path: PathBuf, prefix: Vec<u8>) -> Self {
        Self { path, prefix, socket: None, stalled: false, datagram: Vec::new() }
    }

    /// The socket, connected: only then can be waited for its other end.
    fn connected(&mut self) -> io::Result<&UnixDatagram> {
        let socket = match self.socket.take() {
            Some(socket) => socket,
            None => {
                let socket = UnixDatagram::unbound()?;
                socket.set_nonblocking(true)?;
                socket.connect(&self.path)?;
                socket
            }
        };
        Ok(self.socket.insert(socket))
    }

    fn send(&mut self, line: &[u8]) -> io::Result<()> {
        let patience = if self.stalled { Duration::ZERO } else { PATIENCE };
        let mut datagram = std::mem::take(&mut self.datagram);
        datagram.clear();
        datagram.extend_from_slice(&self.prefix);
        datagram.extend_from_slice(line);
        let result = self.connected().and_then(|socket| {
            loop {
                match socket.send(&datagram) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        if !wait_to_write(socket, patience) {
                            return Err(io::ErrorKind::TimedOut.into());
                        }
                    }
                    result => return result.map(drop),
                }
            }
        });
        self.datagram = datagram;
        match &result {
            Err(error) if error.raw_os_error() == Some(TOO_LONG) => {}
            Err(error) => self.stalled = error.kind() == io::ErrorKind::TimedOut,
            Ok(()) => self.stalled = false,
        }
        result
    }
}

impl Sink for DatagramSink {
    fn write(&mut self, lines: &[u8]) -> Result<(), Unwritten> {
        let (mut lost, mut cause) = (0, None);
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let result = self.send(line).or_else(|error| {
                if error.kind() == io::ErrorKind::TimedOut || error.raw_os_error() == Some(TOO_LONG) {
                    return Err(error);
                }
                // Another one may listen there by now.
                self.socket = None;
                self.send(line)
            });
            if let Err(error) = result {
                lost += 1;
                cause.get_or_insert(error);
            }
        }
        cause.map_or(Ok(()), |cause| Err(Unwritten { lost: Some(lost), cause }))
    }

    fn reopen(&mut self) -> Result<(), Unwritten> {
        self.socket = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use weir_testkit::TestFolder;

    use super::*;

    #[test]
    fn lines_arrive_until_nobody_takes_them() {
        let folder = TestFolder::new("datagram");
        let path = folder.join("datagram");
        let mut sink = DatagramSink::open(path.clone(), b"<1>".to_vec());
        assert_eq!(sink.write(b"nobody\nlistens\n").unwrap_err().lost, Some(2));
        let socket = UnixDatagram::bind(path).unwrap();
        sink.write(b"one\ntwo\n").unwrap();
        let mut buffer = [0; 16];
        for expected in [b"<1>one", b"<1>two"] {
            let length = socket.recv(&mut buffer).unwrap();
            assert_eq!(&buffer[..length], expected);
        }
        // More than the system keeps for who does not read.
        let many = b"line\n".repeat(20_000);
        let error = sink.write(&many).unwrap_err();
        assert_eq!(error.cause.kind(), io::ErrorKind::TimedOut);
        let mut read = 0;
        socket.set_nonblocking(true).unwrap();
        while socket.recv(&mut buffer).is_ok() {
            read += 1;
        }
        assert_eq!(read + error.lost.unwrap(), 20_000);
        sink.write(b"again\n").unwrap();
    }

    #[test]
    fn a_record_that_is_too_long_is_lost_alone() {
        let folder = TestFolder::new("long-datagram");
        let path = folder.join("datagram");
        let socket = UnixDatagram::bind(&path).unwrap();
        let mut sink = DatagramSink::open(path.clone(), Vec::new());
        sink.write(b"one\n").unwrap();
        // Nobody could connect anew.
        std::fs::remove_file(path).unwrap();
        let long = vec![b'a'; 4 << 20];
        for stalled in [false, true] {
            sink.stalled = stalled;
            let error = sink.write(&long).unwrap_err();
            assert_eq!((error.lost, error.cause.raw_os_error()), (Some(1), Some(TOO_LONG)));
            assert_eq!(sink.stalled, stalled);
        }
        sink.write(b"two\n").unwrap();
        assert!(!sink.stalled);
        let mut buffer = [0; 16];
        for expected in [b"one", b"two"] {
            let length = socket.recv(&mut buffer).unwrap();
            assert_eq!(&buffer[..length], expected);
        }
    }
}
