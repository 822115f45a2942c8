//! What could not be read, for people: a query never passes over anything in silence.

use std::fmt;
use std::path::Path;
use std::sync::Mutex;

/// Files that are named at most; all are counted.
const NAMED: usize = 5;

/// Counts of what could not be read, from any thread.
#[derive(Debug, Default)]
pub struct Remarks {
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    no_records: Count,
    cut: Count,
    misfits: Count,
    too_long: u64,
    unreadable: u64,
    files: Vec<String>,
}

/// A number of lines and the place of the first one.
#[derive(Debug, Default)]
struct Count {
    lines: u64,
    first: Option<String>,
}

impl Count {
    fn add(&mut self, path: &Path, offset: u64) {
        self.lines += 1;
        // Threads may come in any order: the first place by name and offset is told.
        let place = format!("{}, byte {offset}", path.display());
        if self
            .first
            .as_ref()
            .is_none_or(|first| place.len() < first.len() || (place.len() == first.len() && place < *first))
        {
            self.first = Some(place);
        }
    }

    fn tell(&self, what: &str, f: &mut Vec<String>) {
        if let Some(first) = &self.first {
            let lines = if self.lines == 1 {
                "1 line".to_owned()
            } else {
                format!("{} lines, the first", self.lines)
            };
            f.push(format!("{what}: {lines} at {first}."));
        }
    }
}

impl Remarks {
    fn with(&self, act: impl FnOnce(&mut Counts)) {
        if let Ok(mut counts) = self.counts.lock() {
            act(&mut counts);
        }
    }

    /// A line is no record.
    pub fn no_record(&self, path: &Path, offset: u64) {
        self.with(|counts| counts.no_records.add(path, offset));
    }

    /// A record is no whole object.
    pub fn cut(&self, path: &Path, offset: u64) {
        self.with(|counts| counts.cut.add(path, offset));
    }

    /// A line has a value that is not of its column's type.
    pub fn misfit(&self, path: &Path, offset: u64) {
        self.with(|counts| counts.misfits.add(path, offset));
    }

    /// Lines were longer than any record.
    pub fn too_long(&self, lines: u64) {
        self.with(|counts| counts.too_long += lines);
    }

    /// A file cannot be read, or not to its end.
    pub fn unreadable(&self, path: &Path, error: &std::io::Error) {
        self.with(|counts| {
            counts.unreadable += 1;
            let sentence = format!("{} cannot be read to its end: {error}.", path.display());
            if counts.files.len() < NAMED && !counts.files.contains(&sentence) {
                counts.files.push(sentence);
            }
        });
    }

    /// Takes what there is to tell, a sentence each.
    pub fn take(&self) -> Vec<String> {
        let mut told = Vec::new();
        self.with(|counts| {
            let counts = std::mem::take(counts);
            counts.no_records.tell("Left out, as they are no records", &mut told);
            counts
                .cut
                .tell("Cut short or no JSON, so that only what stands before the fault is there", &mut told);
            counts.misfits.tell("Values that are not of their column's type, which are null here", &mut told);
            if counts.too_long > 0 {
                told.push(format!("{} lines are left out as they are longer than 32 MiB.", counts.too_long));
            }
            told.extend(counts.files);
            if counts.unreadable > told.len() as u64 {
                told.push(format!("{} parts of files could not be read.", counts.unreadable));
            }
        });
        told
    }
}

impl fmt::Display for Remarks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.take().join(" "))
    }
}
