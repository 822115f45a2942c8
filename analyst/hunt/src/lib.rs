//! `weir hunt`: the captures of an archive with the rules of today. Many captures are read at a time, a hunt that was
//! interrupted goes on where it was, and each hit says which records of that day's logs are of the same connection.

mod archive;
mod captures;

use std::collections::VecDeque;
use std::fs;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha1::{Digest, Sha1};

pub use captures::{Capture, find};

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

/// Rules, program and options that the hunts of a folder have in common.
#[derive(Serialize, Deserialize, PartialEq, Eq, Debug)]
struct State {
    rules: String,
    engine: String,
    words: Vec<String>,
}

/// What was found in one capture.
#[derive(Serialize, Deserialize, Debug, Default)]
struct Found {
    hits: u64,
    remark: Option<String>,
}

const SETTINGS: &str = "%YAML 1.1\n---\noutputs:\n  - eve-log:\n      enabled: yes\n      filename: eve.json\n      \
    community-id: yes\n      types:\n        - alert:\n            payload: yes\n            metadata: yes\n";

/// Hunts in captures, and joins what is found to the records that `records` name. `told` is called when a capture is done;
/// `stop` ends the hunt in order.
pub fn hunt(
    hunt: &Hunt,
    captures: &[Capture],
    records: &[PathBuf],
    told: &(dyn Fn(Progress) + Sync),
    stop: &AtomicBool,
) -> Result<Report, String> {
    let parts = hunt.folder.join("parts");
    prepare(hunt, &parts)?;
    let settings = hunt.folder.join("hunt.yaml");
    write_file(&settings, SETTINGS.as_bytes())?;
    let mut report = Report::default();
    let mut progress = Progress::default();
    let mut left = VecDeque::new();
    for capture in captures {
        match found_in(&parts, capture) {
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
        parts: &parts,
        settings: &settings,
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
        gather(hunt, captures, records, &parts, &mut report)?;
    }
    Ok(report)
}

/// Makes the folder of a hunt, or finds that of one which was interrupted.
fn prepare(hunt: &Hunt, parts: &Path) -> Result<(), String> {
    let file = hunt.folder.join("hunt.json");
    let state =
        State { rules: hash_of(&hunt.rules)?, engine: version_of(&hunt.engine)?, words: hunt.words.clone() };
    if let Some(known) = fs::read(&file).ok().and_then(|text| serde_json::from_slice::<State>(&text).ok())
        && known != state
    {
        if !hunt.again {
            return Err(format!(
                "{} holds a hunt with other rules, options or another version. Name another folder with -l, or \
                 begin anew with --again.",
                hunt.folder.display()
            ));
        }
        fs::remove_dir_all(parts)
            .map_err(|error| format!("{} cannot be removed: {error}.", parts.display()))?;
    } else if hunt.again && parts.exists() {
        fs::remove_dir_all(parts)
            .map_err(|error| format!("{} cannot be removed: {error}.", parts.display()))?;
    }
    fs::create_dir_all(parts).map_err(|error| format!("{} cannot be made: {error}.", parts.display()))?;
    let text = serde_json::to_vec(&state).map_err(|error| error.to_string())?;
    write_file(&file, &text)
}

/// Writes a file whole or not at all.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let beside = path.with_extension("new");
    let write = || {
        fs::write(&beside, bytes)?;
        fs::rename(&beside, path)
    };
    write().map_err(|error: io::Error| format!("{} cannot be written: {error}.", path.display()))
}

/// Returns a hash of rule files and their names.
fn hash_of(files: &[PathBuf]) -> Result<String, String> {
    let mut hash = Sha1::new();
    for path in files {
        let text = fs::read(path).map_err(|error| format!("{} cannot be read: {error}.", path.display()))?;
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(&text);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn version_of(engine: &Path) -> Result<String, String> {
    let output = Command::new(engine).arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|error| {
        format!("{} cannot be started: {error}. Name the program with --engine.", engine.display())
    })?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Returns what is known of a capture.
fn found_in(parts: &Path, capture: &Capture) -> Option<Found> {
    serde_json::from_slice(&fs::read(parts.join(format!("{}.done", capture.key()))).ok()?).ok()
}

/// Reads captures, one after the other, until there are none.
struct Worker<'h> {
    hunt: &'h Hunt,
    parts: &'h Path,
    settings: &'h Path,
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

    /// Reads a capture; none where the hunt was stopped meanwhile. What was found lies in the folder of parts when the
    /// file that says so does.
    fn read(&self, capture: &Capture, folder: &Path) -> Result<Option<Found>, String> {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder)
            .map_err(|error| format!("{} cannot be made: {error}.", folder.display()))?;
        let mut command = Command::new(&self.hunt.engine);
        // Over the default settings, so that variables of rules are there.
        command.arg("--include").arg(self.settings).arg("-r").arg(&capture.path).arg("-l").arg(folder);
        command.args(["--quiet", "-t", "1"]).args(&self.hunt.words);
        for rules in &self.hunt.rules {
            command.arg("-S").arg(rules);
        }
        let output = command.stdin(Stdio::null()).output();
        let output =
            output.map_err(|error| format!("{} cannot be started: {error}.", self.hunt.engine.display()))?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said
            .lines()
            .rev()
            .find(|line| !line.trim().is_empty())
            .unwrap_or("it said nothing")
            .trim()
            .to_owned();
        let remark = match output.status.code() {
            Some(0) => None,
            // Nothing was done: the same holds for all captures.
            Some(1) => return Err(format!("{} refuses: {last}", self.hunt.engine.display())),
            _ => Some(format!("{}: {last}", capture.path.display())),
        };
        let (log, part) = (folder.join("eve.json"), self.parts.join(format!("{}.json", capture.key())));
        let hits = match fs::File::open(&log) {
            Ok(file) => BufReader::new(file).split(b'\n').count() as u64,
            Err(_) => 0,
        };
        let moved = if log.exists() { fs::rename(&log, &part) } else { fs::write(&part, b"") };
        moved.map_err(|error| format!("{} cannot be written: {error}.", part.display()))?;
        let found = Found { hits, remark };
        let text = serde_json::to_vec(&found).map_err(|error| error.to_string())?;
        write_file(&self.parts.join(format!("{}.done", capture.key())), &text)?;
        Ok(Some(found))
    }
}

/// Puts the hits of all captures into one file, in the order of the captures' names, joined to the records of the archive.
fn gather(
    hunt: &Hunt,
    captures: &[Capture],
    records: &[PathBuf],
    parts: &Path,
    report: &mut Report,
) -> Result<(), String> {
    let mut archive = archive::Archive::open(records)?;
    report.remarks.extend(archive.unreadable());
    let path = hunt.folder.join("hits.json");
    let beside = hunt.folder.join("hits.new");
    let failed = |error: io::Error| format!("{} cannot be written: {error}.", path.display());
    let mut out = BufWriter::new(fs::File::create(&beside).map_err(failed)?);
    let mut broken = 0;
    for capture in captures {
        let found = found_in(parts, capture).unwrap_or_default();
        report.remarks.extend(found.remark);
        let part = parts.join(format!("{}.json", capture.key()));
        let Ok(file) = fs::File::open(&part) else { continue };
        let mut lines = BufReader::new(file).split(b'\n').peekable();
        while lines.peek().is_some() {
            // Some at a time, so that the archive is asked seldom and little is held.
            let mut hits: Vec<Value> = Vec::new();
            for line in lines.by_ref().take(archive::AT_ONCE) {
                match serde_json::from_slice::<Value>(&line.map_err(failed)?) {
                    Ok(hit) => hits.push(hit),
                    Err(_) => broken += 1,
                }
            }
            report.hits += hits.len() as u64;
            report.joined += archive.join(&mut hits)?;
            for mut hit in hits {
                if let Some(members) = hit.as_object_mut() {
                    members.insert("capture".to_owned(), capture.path.to_string_lossy().into());
                }
                serde_json::to_writer(&mut out, &hit).map_err(|error| failed(error.into()))?;
                out.write_all(b"\n").map_err(failed)?;
            }
        }
    }
    out.into_inner().map_err(|error| failed(error.into_error()))?.sync_all().map_err(failed)?;
    fs::rename(&beside, &path).map_err(failed)?;
    if broken > 0 {
        report.remarks.push(format!("{broken} lines of the engine are no records and are left out."));
    }
    report.remarks.extend(archive.remarks());
    Ok(())
}
