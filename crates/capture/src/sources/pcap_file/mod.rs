//! Capture files: pcap and pcapng, plain, compressed or in ZIP archives, from a path or from standard input.
//!
//! Plain regular files are mapped and packets borrow from the map. Pipes and compressed files are
//! streamed: the packets of a batch then borrow from a chunk buffer, and memory stays bounded
//! whatever the length of the stream.

mod compression;
mod foreign;
mod input;
mod paths;
mod pcap;
mod pcapng;
mod record;
mod walker;
mod zip;

#[cfg(test)]
mod build;
#[cfg(test)]
mod tests;

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::OFlags;

use crate::batch::Batch;
use crate::filter::PacketFilter;
use crate::source::{CommentReading, PacketComment, PacketSlot, Source, SourceStats};
use crate::sources::{Capability, Open, SourceKind};
use crate::{Damage, SourceError};

use input::{Input, Stream};
use record::{Format, MAGIC_LENGTH};
use walker::{Advance, Walker};

pub use input::PIPE_WAIT;
use paths::OpenPaths;
pub use pcapng::MAX_COMMENT_LENGTH;
pub use record::MAX_PACKET_LENGTH;
pub use walker::{CaptureReader, Fault};
pub use zip::ArchivedCaptures;

/// The path that means standard input.
pub const STANDARD_INPUT: &str = "-";

/// Bytes that a file which is no capture is named by.
const DESCRIBED: usize = 512;

/// Packets that a filter may keep back in one call, as a multiple of the packets asked for, before
/// the caller has its turn again.
const FILTERED_PER_WANTED: usize = 64;

/// Captures in files.
pub static KIND: SourceKind = SourceKind {
    name: "pcap-file",
    option: Some('r'),
    value: "CAPTURE",
    help: "Captures to read, folders of them, or - for standard input",
    capabilities: &[Capability::Files, Capability::Filters],
    section: None,
    run_mode: "PCAP_FILE",
    against_loss: "",
    open: Open::InTurn(|request| Box::new(OpenPaths::new(request))),
};

/// A source that reads one capture file.
pub struct PcapFile {
    path: PathBuf,
    input: Input,
    /// None before the format is known.
    walker: Option<Walker>,
    slots: Vec<PacketSlot>,
    reads: CommentReading,
    /// Those of the packets in `slots`.
    comments: Vec<PacketComment>,
    filter: Option<PacketFilter>,
    /// Its path names no file of its own: it is one of an archive, or standard input.
    nameless: bool,
    /// Packets handed out by the sources before this one.
    earlier: u64,
    stats: SourceStats,
    /// Error to return when the packets before it are delivered.
    error: Option<SourceError>,
    finished: bool,
}

impl PcapFile {
    /// Opens the file at `path`, or standard input where that is `-`. What is wrong with the beginning of a pipe
    /// is said when its packets are asked for: its first bytes may be long in coming.
    pub fn open(path: &Path, filter: Option<PacketFilter>) -> Result<Self, SourceError> {
        let (name, file) = open_file(path)?;
        let source = Self::from_file(name, file, filter)?;
        Ok(Self { nameless: path == Path::new(STANDARD_INPUT), ..source })
    }

    /// Reads an open file; `path` stands for it in errors.
    fn from_file(path: PathBuf, file: File, filter: Option<PacketFilter>) -> Result<Self, SourceError> {
        match Input::open(file) {
            Ok(input) => Self::start(path, input, filter),
            Err(reason) => Err(SourceError::Read { path, offset: 0, reason }),
        }
    }

    /// Reads a capture from anything that can be read; `name` stands for it in errors.
    pub fn from_reader(
        name: &Path,
        reader: Box<dyn Read + Send>,
        filter: Option<PacketFilter>,
    ) -> Result<Self, SourceError> {
        let path = name.to_path_buf();
        Self::start(path, Input::Streamed(Stream::new(reader)), filter)
    }

    fn start(path: PathBuf, input: Input, filter: Option<PacketFilter>) -> Result<Self, SourceError> {
        let mut source = Self {
            path,
            walker: None,
            slots: Vec::new(),
            reads: CommentReading::Skip,
            comments: Vec::new(),
            filter,
            nameless: false,
            earlier: 0,
            stats: SourceStats { size: input.size(), ..SourceStats::default() },
            error: None,
            finished: false,
            input,
        };
        while !source.input.is_pipe() && !source.begin()? {}
        Ok(source)
    }

    /// Tells the format, unless the first bytes are still awaited.
    fn begin(&mut self) -> Result<bool, SourceError> {
        if !self.fill(MAGIC_LENGTH)? {
            return Ok(false);
        }
        let (path, beginning) = (self.path.clone(), self.input.window().bytes);
        if beginning.is_empty() {
            return Err(SourceError::Empty { path });
        }
        let Some(format) = beginning.first_chunk().and_then(|magic| Format::detect(*magic)) else {
            // The first bytes of a stream need not be all of its beginning.
            let _ = self.input.fill(0, DESCRIBED);
            let (found, remedy) = foreign::describe(self.input.window().bytes);
            return Err(SourceError::NotACapture { path, found, remedy });
        };
        self.walker = Some(Walker::new(format));
        Ok(true)
    }

    /// Returns the position of reading, in bytes.
    fn position(&self) -> u64 {
        self.walker.as_ref().map_or(0, Walker::position)
    }

    /// Marks the capture as one of an archive.
    fn of_archive(mut self) -> Self {
        self.nameless = true;
        self
    }

    /// Reads comments on packets, or not.
    fn with_comments(mut self, reads: CommentReading) -> Self {
        self.reads = reads;
        self
    }

    /// Fills `slots` from what the window holds, reading on only while there is no packet.
    fn gather(&mut self, max: usize) -> Result<(), SourceError> {
        if self.walker.is_none() && !self.begin()? {
            return Ok(());
        }
        let mut patience = max.saturating_mul(FILTERED_PER_WANTED);
        while let Some(walker) = &mut self.walker
            && self.slots.len() < max
            && patience > 0
        {
            self.input.fetch(walker.position());
            let window = self.input.window();
            match walker.advance(window) {
                Ok(Advance::Packet(slot, options)) => {
                    if let Some(filter) = &mut self.filter {
                        let end = slot.start + slot.length as usize;
                        let bytes = window.bytes.get(slot.start..end).unwrap_or_default();
                        let path = &self.path;
                        let passes = filter
                            .matches_bytes(slot.link, bytes)
                            .map_err(|reason| SourceError::Filter { path: path.clone(), reason })?;
                        if !passes {
                            self.stats.filtered += 1;
                            patience -= 1;
                            continue;
                        }
                    }
                    self.stats.bytes += u64::from(slot.length);
                    if self.reads == CommentReading::Keep
                        && options > 0
                        && let Some(found) = walker.comments(window, &slot, options)
                    {
                        self.stats.comments_cut += u64::from(found.is_cut);
                        self.comments.push(PacketComment { index: self.slots.len(), text: found.text });
                    }
                    self.slots.push(slot);
                }
                // The packets in the batch borrow from the buffer that would be refilled.
                Ok(Advance::Need(_)) if !self.slots.is_empty() => break,
                Ok(Advance::Need(size)) => {
                    if !self.fill(size)? {
                        break;
                    }
                }
                Ok(Advance::End) => {
                    self.finished = true;
                    break;
                }
                Err(fault) => return Err(self.damaged(fault)),
            }
        }
        Ok(())
    }

    /// Reads on, unless a signal interrupted it: the caller may want to stop for that.
    fn fill(&mut self, size: usize) -> Result<bool, SourceError> {
        let position = self.position();
        match self.input.fill(position, size) {
            Ok(()) => Ok(true),
            Err(reason) if reason.kind() == io::ErrorKind::Interrupted => Ok(false),
            Err(reason) => Err(read_error(&self.path, &self.input, position, self.packets_before(), reason)),
        }
    }

    fn damaged(&self, fault: Fault) -> SourceError {
        SourceError::Damaged {
            path: self.path.clone(),
            offset: fault.offset,
            compressed: self.input.compression().is_some(),
            packets: self.packets_before(),
            damage: fault.damage,
        }
    }

    /// Packets of this file read so far.
    fn packets_before(&self) -> u64 {
        self.stats.packets + self.stats.filtered + self.slots.len() as u64
    }
}

impl Source for PcapFile {
    fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    fn file(&self) -> Option<&Path> {
        (!self.nameless).then_some(&self.path)
    }

    fn number_after(&mut self, earlier: u64) {
        self.earlier = earlier;
    }

    fn next_batch(&mut self, max: usize, _wait: Duration) -> Result<Batch<'_>, SourceError> {
        self.slots.clear();
        self.comments.clear();
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if self.finished {
            return Ok(Batch::end());
        }
        self.input.release(self.position());
        if let Err(error) = self.gather(max.max(1)) {
            self.finished = true;
            if self.slots.is_empty() {
                return Err(error);
            }
            self.error = Some(error);
        }
        // A block to be skipped may promise more bytes than the file has.
        self.stats.position = self.position().min(self.stats.size.unwrap_or(u64::MAX));
        if self.slots.is_empty() {
            return Ok(if self.finished { Batch::end() } else { Batch::empty() });
        }
        let first_number = self.earlier + self.stats.packets + 1;
        self.stats.packets += self.slots.len() as u64;
        let batch = Batch::new(self.input.window().bytes, &self.slots, first_number);
        Ok(batch.with_comments(&self.comments))
    }

    fn stats(&self) -> SourceStats {
        self.stats
    }
}

/// The file at `path`, and what stands for it in errors.
fn open_file(path: &Path) -> Result<(PathBuf, File), SourceError> {
    let (path, file) = if path == Path::new(STANDARD_INPUT) {
        (PathBuf::from("standard input"), io::stdin().as_fd().try_clone_to_owned().map(File::from))
    } else {
        (path.to_path_buf(), open_at_once(path))
    };
    let file = match file {
        Ok(file) => file,
        Err(reason) => return Err(SourceError::Open { path, reason }),
    };
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(SourceError::Directory { path });
    }
    Ok((path, file))
}

impl fmt::Debug for PcapFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PcapFile")
            .field("path", &self.path)
            .field("walker", &self.walker)
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}

/// Opens a file for reading, without waiting for who writes into a named pipe.
fn open_at_once(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.file_type().is_fifo() {
        return File::open(path);
    }
    OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)
}

/// Tells a fault of the compressed data from one of the system.
fn read_error(path: &Path, input: &Input, position: u64, packets: u64, reason: io::Error) -> SourceError {
    let path = path.to_path_buf();
    let window = input.window();
    match input.compression() {
        Some(compression) if reason.raw_os_error().is_none() => SourceError::Damaged {
            path,
            offset: (window.base + window.bytes.len() as u64).max(position),
            compressed: true,
            packets,
            damage: Damage::Compression { format: compression.name(), reason: reason.to_string() },
        },
        _ => SourceError::Read { path, offset: window.base + window.bytes.len() as u64, reason },
    }
}
