//! Reads a folder on: files that come into it later, too.
//!
//! Limit: [`MAX_FILES`] of a folder are looked at.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use weir_base::Duration;

/// Most files of a folder that are looked at.
const MAX_FILES: usize = 1 << 20;

/// Times of reading a folder on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Follow {
    /// Age of a file's last change from which on it is taken to be whole.
    pub delay: Duration,
    /// Time between two looks at the folder.
    pub every: Duration,
}

/// A folder, and which of its files were read.
pub(crate) struct Folder {
    path: PathBuf,
    delay: Duration,
    /// Files that are there and were given out, with their last change.
    known: BTreeMap<PathBuf, SystemTime>,
}

impl Folder {
    /// Nothing of it was read yet.
    pub(crate) fn new(path: &Path, delay: Duration) -> Self {
        Self { path: path.to_owned(), delay, known: BTreeMap::new() }
    }

    /// Returns the files that are new or were changed, and have not been changed for a while, in the order of their last
    /// change and then by name. The error is that of a folder which cannot be read.
    pub(crate) fn fresh(&mut self, now: SystemTime) -> io::Result<Vec<PathBuf>> {
        let mut fresh = Vec::new();
        let mut known = BTreeMap::new();
        for entry in std::fs::read_dir(&self.path)?.take(MAX_FILES) {
            let path = entry?.path();
            // One that is gone again is no failure.
            let Ok(metadata) = std::fs::metadata(&path) else { continue };
            let Ok(changed) = metadata.modified() else { continue };
            if !metadata.is_file() {
                continue;
            }
            if self.known.get(&path) == Some(&changed) {
                known.insert(path, changed);
            } else if now.duration_since(changed).is_ok_and(|age| age >= self.delay) {
                known.insert(path.clone(), changed);
                fresh.push((changed, path));
            }
        }
        self.known = known;
        fresh.sort();
        Ok(fresh.into_iter().map(|(_, path)| path).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use weir_testkit::TestFolder;

    use super::*;

    #[test]
    fn files_are_given_out_once_they_are_old_enough() {
        let files = TestFolder::new("follow");
        let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let at = |second| start + Duration::from_secs(second);
        let write = |name: &str, second| {
            let file = File::create(files.join(name)).expect("a file");
            file.set_modified(at(second)).expect("a time");
        };
        std::fs::create_dir(files.join("below")).expect("a folder");
        let mut folder = Folder::new(&files.join("."), Duration::from_secs(10));
        let mut fresh = |second| -> Vec<String> {
            let fresh = folder.fresh(at(second)).expect("a folder");
            fresh.iter().filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect()
        };
        write("b", 0);
        write("a", 5);
        write("c", 0);
        assert_eq!(fresh(9), [""; 0]);
        assert_eq!(fresh(10), ["b", "c"]);
        assert_eq!(fresh(20), ["a"]);
        // Moved here with an old time; changed; gone; and of the future.
        write("old", 1);
        write("b", 8);
        std::fs::remove_file(files.join("c")).expect("a file goes");
        write("d", 1000);
        assert_eq!(fresh(30), ["old", "b"]);
        assert_eq!(fresh(31), [""; 0]);
        assert!(Folder::new(&files.join("none"), Duration::ZERO).fresh(at(0)).is_err());
    }
}
