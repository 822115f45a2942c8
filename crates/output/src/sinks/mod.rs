//! Where lines go.

mod file;
pub(crate) mod file_store;
mod pcap_log;
mod syslog;
mod unix;

use std::io;

use weir_base::Timestamp;

use crate::outlet::{Destination, OutletSettings};

pub(crate) use syslog::priority;

/// Takes whole lines on the log thread.
pub(crate) trait Sink: Send {
    /// Writes whole lines.
    fn write(&mut self, lines: &[u8]) -> io::Result<()>;

    /// Opens the destination anew.
    fn reopen(&mut self) -> io::Result<()>;

    /// Ends a file whose first record was made at this time, and gives it its own name.
    fn set_aside(&mut self, _opened: Timestamp) -> io::Result<()> {
        Ok(())
    }

    /// Writes what belongs at the end.
    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The destination in words.
pub(crate) fn describe(destination: &Destination) -> String {
    match destination {
        Destination::File { path, .. } | Destination::UnixStream(path) | Destination::UnixDatagram(path) => {
            path.display().to_string()
        }
        Destination::PcapLog(settings) => settings.path.display().to_string(),
        Destination::FileStore { folder, .. } => folder.display().to_string(),
        Destination::Syslog { .. } => "the system log".to_owned(),
    }
}

/// Opens a sink.
pub(crate) fn open(settings: OutletSettings) -> io::Result<Box<dyn Sink>> {
    Ok(match settings.destination {
        Destination::File { path, append, lazy } => {
            let (header, footer) = (settings.header, settings.footer);
            Box::new(file::FileSink::open(path, append, lazy, header, footer, settings.gzip)?)
        }
        Destination::PcapLog(settings) => Box::new(pcap_log::PcapSink::new(settings)),
        Destination::FileStore { folder, errors } => Box::new(file_store::FileStoreSink::new(folder, errors)),
        Destination::UnixStream(path) => Box::new(unix::StreamSink::open(path)),
        Destination::UnixDatagram(path) => Box::new(unix::DatagramSink::open(path)?),
        Destination::Syslog { identity, priority } => {
            Box::new(syslog::SyslogSink::open(&identity, priority)?)
        }
    })
}
