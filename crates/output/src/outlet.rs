//! A worker's end of the outputs: one buffer for each outlet, handed on in chunks.

use std::path::PathBuf;
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, TrySendError};
use weir_base::profile::locks::LINES;
use weir_base::{Duration, Position, Timestamp};

use crate::filename::FileName;
use crate::known::Claim;
use crate::pcap_log::PcapLogSettings;

use crate::sinks::file_store::{StoreErrors, StoreRoom};
use crate::sinks::network::Pipeline;
use crate::sinks::parquet::ParquetTables;
use crate::writer::{Batch, Message};

/// Number of an outlet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct OutletId(pub u16);

/// Bytes gathered in all buffers of a worker before they are handed on.
pub const CHUNK_BYTES: usize = 128 * 1024;

/// Treatment of a file that is there when it is opened first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Existing {
    /// Lines are added to it, where they fit; else it is renamed.
    #[default]
    Append,
    /// It begins anew when it is opened.
    Overwrite,
    /// As for `Overwrite`, and one that is not made before its first line is removed at the start.
    Clear,
}

/// Where an outlet's lines go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A file.
    File {
        /// Its name.
        name: FileName,
        /// Treatment of one that is there.
        existing: Existing,
        /// The file is not made before its first line.
        lazy: bool,
    },
    /// Files kept under their hashes. What is done with them is done before anything of the same
    /// packets is written to later outlets.
    FileStore {
        /// Where they are kept.
        folder: PathBuf,
        /// Counts what goes wrong.
        errors: StoreErrors,
        /// The bytes that may be kept there.
        room: StoreRoom,
    },
    /// Streams and bodies, in files of their own.
    Streams {
        /// The folder.
        folder: PathBuf,
        /// Whether files of earlier runs stay in it.
        existing: Existing,
    },
    /// Packets, in files of their own.
    PcapLog(PcapLogSettings),
    /// A Unix stream socket.
    UnixStream(PathBuf),
    /// A Unix datagram socket, a line for each datagram.
    UnixDatagram(PathBuf),
    /// A target over the network.
    Network(Box<Pipeline>),
    /// Tables of Apache Parquet.
    Parquet(Box<ParquetTables>),
    /// Messages in the process itself, in place of lines.
    Messages(MessageTaker),
    /// The system's log.
    Syslog {
        /// The word that lines begin with.
        identity: String,
        /// Facility and level as RFC 5424 numbers them, combined.
        priority: u8,
    },
}

/// Takes messages on the log thread, whole ones, in their order; it may wait.
#[derive(Clone)]
pub struct MessageTaker(pub Arc<TakesMessages>);

/// A function that takes a message as bytes, on any thread.
pub type TakesMessages = dyn Fn(&[u8]) + Send + Sync;

impl PartialEq for MessageTaker {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for MessageTaker {}

impl std::fmt::Debug for MessageTaker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MessageTaker")
    }
}

/// Text around the lines of a file, given the seconds since 1970.
pub type FrameText = Box<dyn Fn(u64) -> Vec<u8> + Send>;

/// An outlet to be opened.
pub struct OutletSettings {
    /// Where its lines go.
    pub destination: Destination,
    /// Before the first line of a new file.
    pub header: Option<FrameText>,
    /// After the last line.
    pub footer: Option<FrameText>,
    /// A file is compressed, at this level.
    pub gzip: Option<u32>,
    /// A file is rotated at each multiple of this in the day of the capture's clock, named by the time of
    /// its first line.
    pub rotation: Option<Duration>,
}

impl OutletSettings {
    /// Lines without anything around them.
    pub fn new(destination: Destination) -> Self {
        Self { destination, header: None, footer: None, gzip: None, rotation: None }
    }
}

impl std::fmt::Debug for OutletSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("OutletSettings").field(&self.destination).finish()
    }
}

/// Where a record ends in a buffer, and its place in the order of all records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordEnd {
    pub(crate) position: Position,
    pub(crate) end: u32,
    /// Place of its claim among those of the buffer, from 1; zero where it is written in any case.
    claim: u32,
}

impl RecordEnd {
    /// The subject that the record claims to be new, where it claims that.
    pub(crate) fn claim(self, claims: &[Claim]) -> Option<&Claim> {
        claims.get((self.claim as usize).checked_sub(1)?)
    }
}

/// Records of one outlet, in the order made.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) bytes: Vec<u8>,
    pub(crate) ends: Vec<RecordEnd>,
    pub(crate) claims: Vec<Claim>,
}

impl Chunk {
    /// Room for as much as this one holds, which the next records probably need.
    pub(crate) fn of_this_size(&self) -> Self {
        Self {
            bytes: Vec::with_capacity(self.bytes.len()),
            ends: Vec::with_capacity(self.ends.len()),
            claims: Vec::new(),
        }
    }

    /// Forgets the records, and keeps their memory for the next ones unless it is unusually much.
    pub(crate) fn cleared(mut self) -> Self {
        if self.bytes.capacity() > 2 * CHUNK_BYTES {
            return Self::default();
        }
        self.bytes.clear();
        self.ends.clear();
        self.claims.clear();
        self
    }
}

/// Number of a packet's latest records that are looked at for what the next one claims.
const COMPARED: usize = 8;

/// A worker's buffers.
#[derive(Debug)]
pub struct Outlets {
    worker: usize,
    buffers: Vec<Chunk>,
    gathered: usize,
    /// Records so far.
    records: u64,
    /// The capture's clock.
    clock: Timestamp,
    sender: Sender<Message>,
    /// Buffers that come back from the log thread, empty.
    spent: Receiver<Vec<Chunk>>,
    /// Records that found the log thread gone.
    lost: u64,
}

/// Outlets, and where in the run stands what is written to them.
#[derive(Debug)]
pub struct OutletsAt<'a> {
    /// The outlets.
    pub outlets: &'a mut Outlets,
    /// The position of all that is written.
    pub position: Position,
}

impl Outlets {
    /// Gives them for what stands at `position`.
    pub const fn at(&mut self, position: Position) -> OutletsAt<'_> {
        OutletsAt { outlets: self, position }
    }

    pub(crate) fn new(
        worker: usize,
        outlets: usize,
        sender: Sender<Message>,
        spent: Receiver<Vec<Chunk>>,
    ) -> Self {
        let buffers = (0..outlets).map(|_| Chunk::default()).collect();
        Self { worker, buffers, gathered: 0, records: 0, clock: Timestamp::default(), sender, spent, lost: 0 }
    }

    /// Outlets that lead nowhere.
    pub fn nowhere() -> Self {
        let ((sender, _), (_, spent)) = (crossbeam_channel::bounded(0), crossbeam_channel::bounded(0));
        Self::new(0, 0, sender, spent)
    }

    /// Appends one record: `write` appends it without its line end, and answers whether there is
    /// one; what it wrote otherwise is taken back.
    pub fn line(&mut self, outlet: OutletId, position: Position, write: impl FnOnce(&mut Vec<u8>) -> bool) {
        self.message(outlet, position, |out| {
            let is_written = write(out);
            if is_written {
                out.push(b'\n');
            }
            is_written
        });
    }

    /// Appends one record that has no line end.
    pub fn message(
        &mut self,
        outlet: OutletId,
        position: Position,
        write: impl FnOnce(&mut Vec<u8>) -> bool,
    ) {
        let Some(chunk) = self.buffers.get_mut(usize::from(outlet.0)) else { return };
        let start = chunk.bytes.len();
        if !write(&mut chunk.bytes) {
            chunk.bytes.truncate(start);
            return;
        }
        let end = u32::try_from(chunk.bytes.len()).unwrap_or(u32::MAX);
        chunk.ends.push(RecordEnd { position, end, claim: 0 });
        self.gathered += chunk.bytes.len() - start;
        self.records += 1;
    }

    /// The number of records appended so far.
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// Appends one record that is written only if what it claims is new, which the log thread knows. One that the same
    /// packet has just claimed is not made at all: a packet may say the same of each of its bytes.
    pub fn news(
        &mut self,
        outlet: OutletId,
        position: Position,
        claim: Claim,
        write: impl FnOnce(&mut Vec<u8>),
    ) {
        self.news_message(outlet, position, claim, |out| {
            write(out);
            out.push(b'\n');
        });
    }

    /// Appends one record that has no line end, and is written only if what it claims is new.
    pub fn news_message(
        &mut self,
        outlet: OutletId,
        position: Position,
        claim: Claim,
        write: impl FnOnce(&mut Vec<u8>),
    ) {
        let is_repeated = self.buffers.get(usize::from(outlet.0)).is_some_and(|chunk| {
            let latest =
                chunk.ends.iter().rev().take(COMPARED).take_while(|record| record.position == position);
            latest.filter_map(|record| record.claim(&chunk.claims)).any(|known| claim.repeats(known))
        });
        if is_repeated {
            return;
        }
        self.message(outlet, position, |out| {
            write(out);
            true
        });
        let Some(chunk) = self.buffers.get_mut(usize::from(outlet.0)) else { return };
        chunk.claims.push(claim);
        if let Some(record) = chunk.ends.last_mut() {
            record.claim = chunk.claims.len() as u32;
        }
    }

    /// To be called between packets: hands on what was gathered if it is worth it. All records before
    /// `reached` are made.
    pub fn progress(&mut self, reached: Position) {
        self.note_clock(reached);
        if self.is_full() {
            self.hand_on(reached);
        }
    }

    /// Whether what was gathered is worth to be handed on.
    pub const fn is_full(&self) -> bool {
        self.gathered >= CHUNK_BYTES
    }

    /// Hands on all that was gathered, and promises that no record before `reached` follows; also for
    /// workers that have had nothing to say for a while.
    pub fn hand_on(&mut self, reached: Position) {
        let next = self.spent.try_recv();
        let next = next.unwrap_or_else(|_| self.buffers.iter().map(Chunk::of_this_size).collect());
        let chunks = std::mem::replace(&mut self.buffers, next);
        self.gathered = 0;
        self.note_clock(reached);
        let batch = Batch { worker: self.worker, watermark: reached, clock: self.clock, chunks };
        // A writer that is gone has reported why; the records are lost with it.
        if let Some(Message::Batch(batch)) = send(&self.sender, Message::Batch(batch)) {
            self.lost += batch.chunks.iter().map(|chunk| chunk.ends.len() as u64).sum::<u64>();
        }
    }

    /// The end of the capture does not move its clock.
    const fn note_clock(&mut self, reached: Position) {
        if !reached.is_at_end() {
            self.clock = reached.clock;
        }
    }

    /// Records that were lost because the log thread was gone.
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// Hands on the rest; the worker will have nothing more to say.
    pub fn finish(&mut self) {
        self.hand_on(Position::END);
    }
}

/// Sends a message, waiting where the queue is full; gives it back where nobody receives it.
fn send(sender: &Sender<Message>, message: Message) -> Option<Message> {
    match sender.try_send(message) {
        Ok(()) => {
            LINES.pass();
            None
        }
        Err(TrySendError::Full(message)) => {
            LINES.wait(|| sender.send(message)).err().map(|refused| refused.0)
        }
        Err(TrySendError::Disconnected(message)) => Some(message),
    }
}
