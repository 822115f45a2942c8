//! Recordings of threads that listened: all that each of them took in, so that a run can be repeated.
//!
//! A recording is a folder. `worker-01.pcapng` and its like hold the packets of one thread in the order in which it took
//! them, with what others handed over, and between them the moments at which none came and the exchanges of rules ([`Event`]): everything that its worker
//! is a function of. `turns` has the order in which workers came to what they share. The engine adds rules.
//!
//! The files are captures that any reader of pcapng takes. What is not of the format stands in blocks and options that
//! are free for local use, which others skip.

mod blocks;
mod reader;
mod writer;

use std::io;
use std::path::{Path, PathBuf};

use weir_base::{Timestamp, WorkerNumber};

use crate::SourceError;
use crate::source::Source;
use crate::sources::{Capability, LiveRequest, LiveSources, Open, OpenLive, SourceKind, Stance};

use reader::Recorded;
pub use writer::{Recorder, Recording};

/// Recordings.
pub static KIND: SourceKind = SourceKind {
    name: "recording",
    option: Some('R'),
    value: "FOLDER",
    help: "Recording to repeat, with its rules unless others are named; `weir replay FOLDER` is the same",
    capabilities: &[Capability::Repeats],
    section: None,
    run_mode: "PCAP_FILE",
    against_loss: "",
    open: Open::AtOnce(OpenLive { open, stance, goes_on_needing: None }),
};

/// The file with the order of workers.
const TURNS: &str = "turns";

/// Something that befell a thread beside packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// No packet came for a while, by this time.
    Idle(Timestamp),
    /// It exchanged its rules for those of this number, counted from 1.
    Rules(u32),
    /// It held to another bound of memory, by the number of its kind, in bytes.
    Bound(u8, u64),
    /// The kernel had it at another place of its group.
    Seat(u16),
}

/// Group of threads that hand packets over to each other, as one of them sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// Their number.
    pub threads: u16,
    /// Its place among them.
    pub seat: u16,
}

/// Returns the groups of sources: those of each interface that share its packets out by hosts, if there are several.
pub fn groups(sources: &[&dyn Source]) -> Vec<Option<Group>> {
    let of_interface = |one: &&dyn Source, other: &&dyn Source| one.name() == other.name();
    let groups = sources.chunk_by(of_interface).flat_map(|group| {
        let threads = group.len() as u16;
        let is_one = threads > 1 && group.iter().all(|source| source.deals_by_hosts());
        (0..threads).map(move |seat| is_one.then_some(Group { threads, seat }))
    });
    groups.collect()
}

/// Returns the file of a thread, counted from 0.
fn worker_file(folder: &Path, worker: usize) -> PathBuf {
    folder.join(format!("worker-{:02}.pcapng", worker + 1))
}

fn open(request: &LiveRequest<'_>) -> LiveSources {
    let recorded = open_all(request)?;
    Ok(recorded.into_iter().map(|source| Box::new(source) as Box<dyn Source>).collect())
}

fn stance(request: &LiveRequest<'_>) -> Result<Stance, SourceError> {
    Ok(open_all(request)?.first().map_or(Stance::Beside, Recorded::stance))
}

/// Opens the files of all threads.
fn open_all(request: &LiveRequest<'_>) -> Result<Vec<Recorded>, SourceError> {
    let [folder] = request.names else { return Err(SourceError::Recordings) };
    let first = Recorded::open(&worker_file(folder, 0))?;
    let others = (1..first.workers()).map(|worker| Recorded::open(&worker_file(folder, worker)));
    std::iter::once(Ok(first)).chain(others).collect()
}

/// Reads the bytes of one thread's file, in place of one that is named so.
pub fn thread_of(path: &Path, bytes: Vec<u8>) -> Result<Box<dyn Source>, SourceError> {
    let size = bytes.len() as u64;
    Recorded::read(path, Box::new(io::Cursor::new(bytes)), size)
        .map(|source| Box::new(source) as Box<dyn Source>)
}

/// Reads the order in which workers of a recording came to what they share.
pub fn turns(folder: &Path) -> Result<Vec<WorkerNumber>, SourceError> {
    let path = folder.join(TURNS);
    let bytes = std::fs::read(&path).map_err(|reason| SourceError::Open { path, reason })?;
    let numbers = bytes.chunks_exact(size_of::<WorkerNumber>());
    Ok(numbers.filter_map(|pair| Some(WorkerNumber::from_le_bytes(*pair.first_chunk()?))).collect())
}

#[cfg(test)]
mod tests;
