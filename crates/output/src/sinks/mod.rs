//! Where lines go.

mod connected;
mod datagram;
mod drain;
mod earlier;
mod file;
pub mod file_store;
pub mod network;
pub mod parquet;
mod pcap_log;
pub(crate) mod streams;
mod syslog;

use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use weir_base::Timestamp;

use crate::filename::{FileName, wall_clock};
use crate::outlet::{Destination, MessageTaker, OutletSettings};
use crate::writer::{EarlierFiles, RecordCounts, Teller};

use connected::{ConnectedSink, Kind};
pub(crate) use drain::Unwritten;
pub(crate) use earlier::set_aside;
pub(crate) use syslog::priority;

/// Takes whole lines on the log thread.
pub(crate) trait Sink: Send {
    /// Writes whole lines. None is waited for longer than [`drain::PATIENCE`].
    fn write(&mut self, lines: &[u8]) -> Result<(), Unwritten>;

    /// Opens the destination anew.
    fn reopen(&mut self) -> Result<(), Unwritten>;

    /// The capture's clock at the first of the lines that are written next, of outlets that are rotated.
    fn at(&mut self, _clock: Timestamp) {}

    /// Ends a file whose first record was made at this time, and gives it its own name.
    fn set_aside(&mut self, _opened: Timestamp) -> Result<(), Unwritten> {
        Ok(())
    }

    /// Writes what belongs at the end.
    fn finish(&mut self) -> Result<(), Unwritten> {
        Ok(())
    }

    /// Tells what became of records that are sent over the network.
    fn pipeline(&self) -> Option<network::PipelineReport> {
        None
    }

    /// Tells what became of files that earlier runs left.
    fn earlier(&mut self) -> EarlierFiles {
        EarlierFiles::default()
    }
}

/// Gives messages to who takes them.
struct Messages(MessageTaker);

impl Sink for Messages {
    fn write(&mut self, messages: &[u8]) -> Result<(), Unwritten> {
        (self.0.0)(messages);
        Ok(())
    }

    fn reopen(&mut self) -> Result<(), Unwritten> {
        Ok(())
    }
}

/// The destination in words.
pub(crate) fn describe(destination: &Destination) -> String {
    match destination {
        Destination::File { name, .. } => name.describe().display().to_string(),
        Destination::UnixStream(path) | Destination::UnixDatagram(path) => path.display().to_string(),
        Destination::PcapLog(settings) => settings.path.display().to_string(),
        Destination::FileStore { folder, .. } | Destination::Streams { folder, .. } => {
            folder.display().to_string()
        }
        Destination::Syslog { .. } => "the system log".to_owned(),
        Destination::Network(pipeline) => network::describe(&pipeline.settings.target),
        Destination::Parquet(tables) => tables.place().display().to_string(),
        Destination::Messages(_) => "scripts".to_owned(),
    }
}

/// Opens a sink.
pub(crate) fn open(
    settings: OutletSettings,
    counts: &RecordCounts,
    teller: &Teller,
) -> io::Result<Box<dyn Sink>> {
    Ok(match settings.destination {
        Destination::File { name: FileName::Fixed(path), .. } if is_pipe(&path) => {
            Box::new(ConnectedSink::open(path, Kind::Pipe))
        }
        Destination::File { name, existing, lazy } => {
            let frame = (settings.header, settings.footer);
            Box::new(file::FileSink::open(name, existing, lazy, frame, settings.gzip, Box::new(wall_clock))?)
        }
        Destination::PcapLog(settings) => Box::new(pcap_log::PcapSink::new(settings)),
        Destination::FileStore { folder, errors, room } => {
            Box::new(file_store::FileStoreSink::new(folder, errors, room))
        }
        Destination::Streams { folder, existing } => Box::new(streams::StreamsSink::new(folder, existing)),
        Destination::UnixStream(path) => Box::new(ConnectedSink::open(path, Kind::Socket)),
        Destination::UnixDatagram(path) => Box::new(datagram::DatagramSink::open(path, Vec::new())),
        Destination::Network(pipeline) => network::open(*pipeline, counts.clone(), teller.clone()),
        Destination::Parquet(tables) => parquet::open(*tables)?,
        Destination::Messages(taker) => Box::new(Messages(taker)),
        Destination::Syslog { identity, priority } => Box::new(syslog::open(&identity, priority)),
    })
}

/// Whether a path leads to a pipe, which somebody has to read.
fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo())
}
