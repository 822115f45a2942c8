//! Writes recordings: threads fill buffers, and a thread of its own writes them.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded};
use weir_base::{Sequence, Unreadable};
use weir_packet::{LinkType, RawPacket};

use super::blocks::{self, Thread};
use super::{Event, TURNS, groups, worker_file};
use crate::SourceError;
use crate::batch::{Batch, Origin};
use crate::source::{Checksums, PacketSlot, Source};
use crate::sources::Stance;

/// Bytes that a thread gathers before they are written.
const BUFFER_BYTES: usize = 256 << 10;

/// Buffers that wait to be written, at most. Threads wait where they are more: what is recorded is whole.
const QUEUE_LENGTH: usize = 64;

/// Buffers of a thread that were written and wait to be filled again, at most.
const SPENT_BUFFERS: usize = 4;

/// A recording that is being made.
#[derive(Debug)]
pub struct Recording {
    thread: JoinHandle<()>,
}

/// One thread's part of a recording.
#[derive(Debug)]
pub struct Recorder {
    worker: usize,
    interfaces: Vec<String>,
    /// Interfaces that were described, in their order.
    described: Vec<(u32, LinkType)>,
    buffer: Vec<u8>,
    full: Sender<(usize, Vec<u8>)>,
    spent: Receiver<Vec<u8>>,
}

/// The files of a recording.
struct Files {
    folder: PathBuf,
    workers: Vec<File>,
    turns: File,
    /// The order in which workers come.
    sequence: Arc<Sequence>,
    /// Where buffers go that were written, by worker.
    give_back: Vec<Sender<Vec<u8>>>,
    /// A file could not be written; nothing more is.
    has_failed: bool,
}

impl Recording {
    /// Begins a recording of threads with these sources, in a folder that is made. `report` is given a sentence where
    /// the recording cannot go on.
    pub fn begin(
        folder: &Path,
        sources: &[Box<dyn Source>],
        sequence: &Arc<Sequence>,
        report: impl Fn(&str) + Send + 'static,
    ) -> Result<(Self, Vec<Recorder>), SourceError> {
        let failed = |path: &Path, reason| SourceError::Open { path: path.to_owned(), reason };
        std::fs::create_dir_all(folder).map_err(|reason| failed(folder, reason))?;
        let (full, filled) = bounded(QUEUE_LENGTH);
        let create = |path: &Path| File::create_new(path).map_err(|reason| failed(path, reason));
        let mut files = Files {
            folder: folder.to_owned(),
            workers: Vec::new(),
            turns: create(&folder.join(TURNS))?,
            sequence: Arc::clone(sequence),
            give_back: Vec::new(),
            has_failed: false,
        };
        let mut recorders = Vec::new();
        let all: Vec<&dyn Source> = sources.iter().map(|source| &**source).collect();
        for ((worker, source), group) in sources.iter().enumerate().zip(groups(&all)) {
            files.workers.push(create(&worker_file(folder, worker))?);
            let (give_back, spent) = bounded(SPENT_BUFFERS);
            files.give_back.push(give_back);
            let thread = Thread {
                workers: sources.len() as u16,
                is_between: source.stance() == Stance::Between,
                interfaces: source.interfaces(),
                group,
            };
            let mut buffer = Vec::with_capacity(BUFFER_BYTES);
            blocks::append_thread(&mut buffer, &thread);
            let (interfaces, described, full) = (thread.interfaces, Vec::new(), full.clone());
            recorders.push(Recorder { worker, interfaces, described, buffer, full, spent });
        }
        let thread = std::thread::Builder::new().name("recording".to_owned()).spawn(move || {
            for (worker, buffer) in filled {
                files.take(worker, buffer, &report);
            }
        });
        let thread = thread.map_err(|reason| failed(folder, reason))?;
        Ok((Self { thread }, recorders))
    }

    /// Waits until all is written. All recorders must be gone.
    pub fn finish(self) {
        // A thread that panicked has said so.
        let _ = self.thread.join();
    }
}

impl Files {
    /// Writes what a worker gathered, and the order of all until now.
    fn take(&mut self, worker: usize, mut buffer: Vec<u8>, report: &dyn Fn(&str)) {
        let noted = self.sequence.take_noted();
        if !self.has_failed
            && let Err(reason) = self.write(worker, &buffer, &noted)
        {
            self.has_failed = true;
            let cause = Unreadable::new(&self.folder, &reason);
            report(&format!(
                "The recording in {} cannot be written: {cause}. It ends here; the run goes on.",
                self.folder.display()
            ));
        }
        buffer.clear();
        if let Some(give_back) = self.give_back.get(worker) {
            // One that has enough of them makes no use of more.
            let _ = give_back.try_send(buffer);
        }
    }

    fn write(&mut self, worker: usize, buffer: &[u8], noted: &[u16]) -> io::Result<()> {
        // The order first: without it, what follows could not be repeated.
        let bytes: Vec<u8> = noted.iter().flat_map(|worker| worker.to_le_bytes()).collect();
        self.turns.write_all(&bytes)?;
        self.workers.get_mut(worker).map_or(Ok(()), |file| file.write_all(buffer))
    }
}

impl Recorder {
    /// Records the packets of a batch.
    pub fn packets(&mut self, batch: &Batch<'_>) {
        for (index, packet) in batch.iter().enumerate() {
            self.packet(&packet, batch.checksums(index), Origin::Source);
        }
    }

    /// Records a packet, and how it came.
    pub fn packet(&mut self, packet: &RawPacket<'_>, checksums: Checksums, origin: Origin) {
        let described = self.describe(packet.interface, packet.link);
        let slot = PacketSlot {
            start: 0,
            length: packet.bytes.len() as u32,
            wire_length: packet.wire_length,
            time: packet.time,
            interface: packet.interface,
            link: packet.link,
            checksums,
        };
        blocks::append_packet(&mut self.buffer, described, (&slot, origin), packet.bytes);
        if self.buffer.len() >= BUFFER_BYTES {
            self.hand_on();
        }
    }

    /// Records something that befell the thread.
    pub fn event(&mut self, event: Event) {
        blocks::append_event(&mut self.buffer, event);
        // There is time.
        self.hand_on();
    }

    /// Returns the place of an interface's description, which is made where there is none.
    fn describe(&mut self, interface: u32, link: LinkType) -> u32 {
        let place = self.described.iter().position(|known| *known == (interface, link));
        let place = place.unwrap_or_else(|| {
            let name = self.interfaces.get(interface as usize).map_or("", String::as_str);
            blocks::append_interface(&mut self.buffer, interface, link, name);
            self.described.push((interface, link));
            self.described.len() - 1
        });
        place as u32
    }

    fn hand_on(&mut self) {
        let next = self.spent.try_recv().unwrap_or_else(|_| Vec::with_capacity(BUFFER_BYTES));
        let full = std::mem::replace(&mut self.buffer, next);
        // A writer that is gone has reported why.
        let _ = self.full.send((self.worker, full));
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.hand_on();
    }
}
