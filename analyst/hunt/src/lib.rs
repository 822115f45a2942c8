//! `weir hunt`: the captures of an archive with the rules of today. Many captures are read at a time, a hunt that was
//! interrupted goes on where it was, and each hit says which records of that day's logs are of the same connection.

mod archive;
mod captures;
mod engine;
mod gather;
mod kept;
mod logs;
mod search;

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub use captures::{Capture, find};
pub use engine::version_of;
pub use gather::gather;
pub use kept::{Found, Kept};
pub use logs::{Reading, read};
pub use search::{Search, search};

/// A hunt: rules, and where hits go.
#[derive(Clone, Debug)]
pub struct Hunt {
    /// Rule files.
    pub rules: Vec<PathBuf>,
    /// Folder of what was found, and of what is needed to go on.
    pub folder: PathBuf,
    /// The program that reads captures.
    pub engine: PathBuf,
    /// Captures that are read at a time.
    pub jobs: usize,
    /// Further words for that program.
    pub words: Vec<String>,
    /// Throws away hits that an earlier hunt with other rules left in the folder.
    pub again: bool,
}

/// Progress of a hunt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Captures that are read.
    pub captures: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Hits so far.
    pub hits: u64,
}

/// Counts of a hunt, and sentences about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Captures that were read now.
    pub read: u64,
    /// Captures that an earlier, interrupted hunt had read.
    pub known: u64,
    /// Hits in all of them.
    pub hits: u64,
    /// Hits that are joined to records of the archive.
    pub joined: u64,
    /// Sentences about files that could not be read.
    pub remarks: Vec<String>,
    /// The hunt was told to stop before its end.
    pub stopped: bool,
}

/// Hunts in captures, and joins what is found to the records that `records` name. `told` is called when a capture is done;
/// `stop` ends the hunt in order.
pub fn hunt(
    hunt: &Hunt,
    captures: &[Capture],
    records: &[PathBuf],
    told: &(dyn Fn(Progress) + Sync),
    stop: &AtomicBool,
) -> Result<Report, String> {
    let kept = Kept::open(hunt)?;
    let mut report = Report::default();
    let mut progress = Progress::default();
    let mut left = VecDeque::new();
    for capture in captures {
        match kept.found_in(capture) {
            Some(found) => {
                report.known += 1;
                progress.captures += 1;
                progress.bytes += capture.length;
                progress.hits += found.hits;
            }
            None => left.push_back(capture),
        }
    }
    told(progress);
    let worker = Worker {
        hunt,
        kept: &kept,
        left: Mutex::new(left),
        failed: Mutex::new(None),
        counts: [progress.captures, progress.bytes, progress.hits].map(AtomicU64::new),
        told,
        stop,
    };
    std::thread::scope(|scope| {
        for number in 0..hunt.jobs.max(1) {
            let worker = &worker;
            scope.spawn(move || worker.run(number));
        }
    });
    report.read = worker.counts.first().map_or(0, |count| count.load(Ordering::Relaxed)) - report.known;
    if let Ok(Some(sentence)) = worker.failed.into_inner() {
        return Err(sentence);
    }
    report.stopped = stop.load(Ordering::Relaxed);
    if !report.stopped {
        gather(hunt, captures, records, &kept, &mut report)?;
    }
    Ok(report)
}

/// Reads captures, one after the other, until there are none.
struct Worker<'h> {
    hunt: &'h Hunt,
    kept: &'h Kept,
    left: Mutex<VecDeque<&'h Capture>>,
    /// Why nothing can be read at all.
    failed: Mutex<Option<String>>,
    /// Captures, bytes and hits.
    counts: [AtomicU64; 3],
    told: &'h (dyn Fn(Progress) + Sync),
    stop: &'h AtomicBool,
}

impl Worker<'_> {
    fn run(&self, number: usize) {
        let folder = self.hunt.folder.join(format!("work-{number}"));
        while !self.stop.load(Ordering::Relaxed)
            && self.failed.lock().is_ok_and(|failed| failed.is_none())
            && let Some(capture) = self.left.lock().ok().and_then(|mut left| left.pop_front())
        {
            match self.read(capture, &folder) {
                Ok(Some(found)) => self.count(capture, found.hits),
                Ok(None) => {}
                Err(sentence) => {
                    if let Ok(mut failed) = self.failed.lock() {
                        failed.get_or_insert(sentence);
                    }
                }
            }
        }
        let _ = fs::remove_dir_all(folder);
    }

    fn count(&self, capture: &Capture, hits: u64) {
        let [captures, bytes, found] = &self.counts;
        captures.fetch_add(1, Ordering::Relaxed);
        bytes.fetch_add(capture.length, Ordering::Relaxed);
        found.fetch_add(hits, Ordering::Relaxed);
        (self.told)(Progress {
            captures: captures.load(Ordering::Relaxed),
            bytes: bytes.load(Ordering::Relaxed),
            hits: found.load(Ordering::Relaxed),
        });
    }

    /// Reads a capture; none where the hunt was stopped meanwhile.
    fn read(&self, capture: &Capture, folder: &Path) -> Result<Option<Found>, String> {
        match search(self.hunt, &capture.path, folder, self.stop)? {
            Some(search) => self.kept.keep(capture, search).map(Some),
            None => Ok(None),
        }
    }
}
