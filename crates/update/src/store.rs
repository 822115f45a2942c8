//! The folder of rules: one set in use, the one before it, and no moment without a whole file.
//!
//! Files are written beside those in use and take their place by renaming, lists first and rules last. The folder
//! itself stays: a program that gave its rights away may still read it. The set before lies in `previous/`.
//! `.update.lock` keeps two updates apart.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file of all rules.
pub const RULES: &str = "suricata.rules";

/// Folder of the set before.
const PREVIOUS: &str = "previous";
/// The file whose lock is held.
const LOCK: &str = ".update.lock";
/// What the names of files end in until they are whole.
const UNFINISHED: &str = ".unfinished";
/// Folder of a set that is being checked.
const CANDIDATE: &str = ".candidate";

/// A folder of rules that nobody else writes to.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    _lock: File,
}

impl Store {
    /// Opens the folder, and makes it where there is none; the error is a sentence.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let place = folder.display();
        let told = |error: io::Error| {
            format!(
                "The folder of rules {place} cannot be written: {error}. Name another one with -o, or run as the user it belongs to."
            )
        };
        fs::create_dir_all(folder).map_err(told)?;
        let lock = File::create(folder.join(LOCK)).map_err(told)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { folder: folder.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err(format!("Another update writes to {place}. Wait for it to end."))
            }
            Err(TryLockError::Error(error)) => Err(told(error)),
        }
    }

    /// Path of a file in use.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn previous(&self, name: &str) -> PathBuf {
        self.folder.join(PREVIOUS).join(name)
    }

    /// Whether a set of files is the one in use, byte by byte.
    pub fn is_in_use(&self, files: &[(String, Vec<u8>)]) -> bool {
        files.iter().all(|(name, bytes)| fs::read(self.path(name)).is_ok_and(|present| present == *bytes))
    }

    /// Lays a set of files out to be checked; it goes when the result is dropped. The error is a sentence.
    pub fn lay_out(&self, files: &[(String, Vec<u8>)]) -> Result<Candidate, String> {
        let candidate = Candidate(self.folder.join(CANDIDATE));
        let written = files.iter().try_for_each(|(name, bytes)| {
            let path = candidate.0.join(name);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, bytes)
        });
        written
            .map_err(|error| format!("The rules cannot be written to {}: {error}.", candidate.0.display()))?;
        Ok(candidate)
    }

    /// Puts a set of files, rules last, in the place of the one in use, which becomes the one before.
    pub fn replace(&self, files: &[(String, Vec<u8>)]) -> Result<(), String> {
        self.write(files).map_err(|error| {
            format!(
                "The rules cannot be written to {}: {error}. Those in use stay as they are.",
                self.folder.display()
            )
        })
    }

    fn write(&self, files: &[(String, Vec<u8>)]) -> io::Result<()> {
        // All is on the disk before the first file takes another's place.
        for (name, bytes) in files {
            let path = self.path(name);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            write_synced(&unfinished(&path), bytes)?;
        }
        for (name, _) in files {
            keep(&self.path(name), &self.previous(name))?;
        }
        for (name, _) in files {
            let path = self.path(name);
            fs::rename(unfinished(&path), path)?;
        }
        File::open(&self.folder)?.sync_all()
    }

    /// Puts the set before in the place of the one in use, and that one in its place; returns the names of the files.
    /// The error is a sentence.
    pub fn roll_back(&self) -> Result<Vec<String>, String> {
        if !self.previous(RULES).is_file() {
            return Err(format!(
                "{} has no set of rules before the present one: updates keep one from the second on that changes rules.",
                self.folder.display()
            ));
        }
        let told = |error: io::Error| {
            format!("The rules in {} cannot be exchanged: {error}.", self.folder.display())
        };
        let mut names = Vec::new();
        files_below(&self.folder.join(PREVIOUS), "", &mut names).map_err(told)?;
        names.sort_by_key(|name| name == RULES);
        for name in &names {
            let (present, previous) = (self.path(name), self.previous(name));
            let aside = unfinished(&previous);
            keep(&present, &aside).and_then(|()| fs::rename(&previous, &present)).map_err(told)?;
            if aside.exists() {
                fs::rename(&aside, &previous).map_err(told)?;
            }
        }
        Ok(names)
    }
}

/// A set that is being checked.
#[derive(Debug)]
pub struct Candidate(PathBuf);

impl Candidate {
    /// Path of a file of it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Candidate {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Names of all finished files below a folder.
fn files_below(folder: &Path, front: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{front}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            files_below(&entry.path(), &format!("{name}/"), names)?;
        } else if !name.ends_with(UNFINISHED) {
            names.push(name);
        }
    }
    Ok(())
}

fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(UNFINISHED);
    path.with_file_name(name)
}

/// Has another name stand for the same file, which keeps its own; where there is no file, neither is there one of the
/// other name.
fn keep(path: &Path, other: &Path) -> io::Result<()> {
    let absent = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    if !path.exists() {
        return fs::remove_file(other).or_else(|error| if absent(&error) { Ok(()) } else { Err(error) });
    }
    other.parent().map_or(Ok(()), fs::create_dir_all)?;
    let beside = unfinished(other);
    fs::remove_file(&beside).or_else(|error| if absent(&error) { Ok(()) } else { Err(error) })?;
    // Some file systems have no links.
    fs::hard_link(path, &beside).or_else(|_| fs::copy(path, &beside).map(drop))?;
    fs::rename(beside, other)
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Writes a file that is whole whenever it is there.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = unfinished(path);
    write_synced(&beside, bytes)?;
    fs::rename(beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("weir-store-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    fn files(names: &[(&str, &str)]) -> Vec<(String, Vec<u8>)> {
        names.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    }

    fn read(store: &Store, name: &str) -> Option<String> {
        fs::read_to_string(store.path(name)).ok()
    }

    #[test]
    fn a_set_takes_the_place_of_another_and_gives_it_back() {
        let folder = folder("swap");
        let store = Store::open(&folder).expect("a store");
        assert!(store.roll_back().expect_err("nothing before").contains("no set of rules before"));
        let first = files(&[("lua/a.lua", "1"), (RULES, "one")]);
        let second = files(&[("lua/a.lua", "2"), (RULES, "two")]);
        store.replace(&first).expect("written");
        assert!(store.is_in_use(&first) && !store.is_in_use(&second));
        store.replace(&second).expect("written");
        assert_eq!(read(&store, "previous/suricata.rules").as_deref(), Some("one"));
        assert_eq!(store.roll_back().expect("rolled back"), ["lua/a.lua", RULES]);
        assert!(store.is_in_use(&first));
        store.roll_back().expect("and forward");
        assert!(store.is_in_use(&second));
        let left: Vec<PathBuf> = glob::glob(&format!("{}/**/*{UNFINISHED}", folder.display()))
            .expect("a pattern")
            .flatten()
            .collect();
        assert_eq!(left, Vec::<PathBuf>::new());
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn two_updates_keep_apart() {
        let folder = folder("lock");
        let store = Store::open(&folder).expect("a store");
        assert!(Store::open(&folder).expect_err("held").contains("Another update writes"));
        drop(store);
        Store::open(&folder).expect("free");
        fs::remove_dir_all(&folder).expect("removed");
    }

    /// What could not be written leaves all as it was.
    #[test]
    fn a_set_that_cannot_be_written_changes_nothing() {
        let folder = folder("full");
        let store = Store::open(&folder).expect("a store");
        let first = files(&[(RULES, "one")]);
        store.replace(&first).expect("written");
        fs::create_dir(folder.join(format!("list{UNFINISHED}"))).expect("in the way");
        let error = store.replace(&files(&[(RULES, "two"), ("list", "x")])).expect_err("in the way");
        assert!(error.contains("stay as they are"), "{error}");
        assert!(store.is_in_use(&first));
        fs::remove_dir_all(&folder).expect("removed");
    }
}
