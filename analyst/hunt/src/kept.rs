//! The folder of a hunt: which rules it is for, and what was found in each capture that is done.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha1::{Digest, Sha1};

use crate::{Capture, Hunt, Search, engine};

/// Rules, program and options that the hunts of a folder have in common.
#[derive(Serialize, Deserialize, PartialEq, Eq, Debug)]
struct State {
    rules: String,
    engine: String,
    words: Vec<String>,
}

/// What was found in one capture.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Hits in it.
    pub hits: u64,
    /// A sentence about what could not be read of it.
    pub remark: Option<String>,
}

/// The folder of a hunt. What was found in a capture is there whole or not at all, whenever a hunt ends.
#[derive(Clone, Debug)]
pub struct Kept {
    parts: PathBuf,
}

impl Kept {
    /// Makes the folder of a hunt, or finds that of one which was interrupted.
    pub fn open(hunt: &Hunt) -> Result<Self, String> {
        let parts = hunt.folder.join("parts");
        let file = hunt.folder.join("hunt.json");
        let state = State {
            rules: hash_of(&hunt.rules)?,
            engine: engine::version_of(&hunt.engine)?,
            words: hunt.words.clone(),
        };
        let known = fs::read(&file).ok().and_then(|text| serde_json::from_slice::<State>(&text).ok());
        if !hunt.again && known.is_some_and(|known| known != state) {
            return Err(format!(
                "{} holds a hunt with other rules, options or another version. Name another folder, or begin anew \
                 (`again`).",
                hunt.folder.display()
            ));
        }
        if hunt.again && parts.exists() {
            fs::remove_dir_all(&parts)
                .map_err(|error| format!("{} cannot be removed: {error}.", parts.display()))?;
        }
        fs::create_dir_all(&parts)
            .map_err(|error| format!("{} cannot be made: {error}.", parts.display()))?;
        let text = serde_json::to_vec(&state).map_err(|error| error.to_string())?;
        write_file(&file, &text)?;
        Ok(Self { parts })
    }

    /// Returns what is known of a capture; none where it has to be read.
    pub fn found_in(&self, capture: &Capture) -> Option<Found> {
        serde_json::from_slice(&fs::read(self.path(capture, "done")).ok()?).ok()
    }

    /// The file with the hits in a capture.
    pub(crate) fn hits_in(&self, capture: &Capture) -> PathBuf {
        self.path(capture, "json")
    }

    /// Keeps what a search found, by moving its log here.
    pub(crate) fn keep(&self, capture: &Capture, search: Search) -> Result<Found, String> {
        let part = self.hits_in(capture);
        let hits = match fs::File::open(&search.log) {
            Ok(file) => BufReader::new(file).split(b'\n').count() as u64,
            Err(_) => 0,
        };
        let moved = if search.log.exists() { fs::rename(&search.log, &part) } else { fs::write(&part, b"") };
        moved.map_err(|error| format!("{} cannot be written: {error}.", part.display()))?;
        self.is_done(capture, Found { hits, remark: search.remark })
    }

    /// Keeps what was found elsewhere: the lines of the log of a search, and its remark.
    pub fn keep_lines(
        &self,
        capture: &Capture,
        lines: &[u8],
        remark: Option<String>,
    ) -> Result<Found, String> {
        write_file(&self.hits_in(capture), lines)?;
        let hits = lines.split_inclusive(|byte| *byte == b'\n').count() as u64;
        self.is_done(capture, Found { hits, remark })
    }

    /// Says of a capture that what was found in it is here: the last step.
    fn is_done(&self, capture: &Capture, found: Found) -> Result<Found, String> {
        let text = serde_json::to_vec(&found).map_err(|error| error.to_string())?;
        write_file(&self.path(capture, "done"), &text)?;
        Ok(found)
    }

    fn path(&self, capture: &Capture, extension: &str) -> PathBuf {
        self.parts.join(format!("{}.{extension}", capture.key()))
    }
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
