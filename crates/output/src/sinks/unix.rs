//! Unix sockets. A reader that is not there yet, or goes away, is looked for again with each write.

use std::io::{self, Write};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::PathBuf;

use super::Sink;

/// A stream socket that somebody listens on.
pub(super) struct StreamSink {
    path: PathBuf,
    stream: Option<UnixStream>,
}

impl StreamSink {
    pub(super) fn open(path: PathBuf) -> Self {
        let stream = UnixStream::connect(&path).ok();
        Self { path, stream }
    }
}

impl Sink for StreamSink {
    fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        if let Some(stream) = &mut self.stream
            && stream.write_all(lines).is_ok()
        {
            return Ok(());
        }
        self.stream = None;
        let mut stream = UnixStream::connect(&self.path)?;
        stream.write_all(lines)?;
        self.stream = Some(stream);
        Ok(())
    }

    fn reopen(&mut self) -> io::Result<()> {
        self.stream = Some(UnixStream::connect(&self.path)?);
        Ok(())
    }
}

/// A datagram socket: a line for each datagram.
pub(super) struct DatagramSink {
    path: PathBuf,
    socket: UnixDatagram,
}

impl DatagramSink {
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        Ok(Self { path, socket: UnixDatagram::unbound()? })
    }
}

impl Sink for DatagramSink {
    fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            self.socket.send_to(line, &self.path)?;
        }
        Ok(())
    }

    fn reopen(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::net::UnixListener;

    #[test]
    fn lines_arrive() {
        let folder = std::env::temp_dir().join(format!("weir-output-{}-socket", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let listener = UnixListener::bind(folder.join("stream")).unwrap();
        let mut sink = StreamSink::open(folder.join("stream"));
        sink.write(b"one\ntwo\n").unwrap();
        drop(sink);
        let mut text = String::new();
        listener.accept().unwrap().0.read_to_string(&mut text).unwrap();
        assert_eq!(text, "one\ntwo\n");

        let socket = UnixDatagram::bind(folder.join("datagram")).unwrap();
        DatagramSink::open(folder.join("datagram")).unwrap().write(b"one\ntwo\n").unwrap();
        let mut buffer = [0; 16];
        for expected in [b"one", b"two"] {
            let length = socket.recv(&mut buffer).unwrap();
            assert_eq!(&buffer[..length], expected);
        }
    }
}
