//! One run at a time writes into a folder: two would write their records into the same files.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// Where the system lists locks, by process and file.
const LOCKS: &str = "/proc/locks";

/// A folder that is this run's alone; the system releases it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct FolderLock {
    _folder: Option<File>,
}

/// Another run writes into the folder.
#[derive(Debug, thiserror::Error)]
#[error(
    "Another run{} writes its logs into {}, and both would write into the same files. Wait for its end, log to another \
     folder with -l, or give --shared-log-folder where the two write files of different names.",
    .process.map(|id| format!(" (process {id})")).unwrap_or_default(), .folder.display()
)]
pub struct FolderTaken {
    /// The folder.
    folder: PathBuf,
    /// The other process, where the system tells.
    process: Option<u32>,
}

impl FolderLock {
    /// Takes `folder`. One that cannot be locked, for what it lies on knows no locks, is nobody's.
    pub(crate) fn take(folder: &Path) -> Result<Self, FolderTaken> {
        let Ok(file) = File::open(folder) else { return Ok(Self { _folder: None }) };
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => Err(FolderTaken { folder: folder.to_owned(), process: holder(&file) }),
            Ok(()) | Err(_) => Ok(Self { _folder: Some(file) }),
        }
    }
}

/// The process that holds a lock on a file.
fn holder(file: &File) -> Option<u32> {
    let inode = file.metadata().ok()?.ino();
    let locks = fs::read_to_string(LOCKS).ok()?;
    locks.lines().find_map(|line| holder_in(line, inode))
}

/// `1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF`: the process, where the lock is on the file of this number.
fn holder_in(line: &str, inode: u64) -> Option<u32> {
    let mut words = line.split_ascii_whitespace().skip_while(|word| *word != "FLOCK");
    let process = words.nth(3)?.parse().ok()?;
    let (_, number) = words.next()?.rsplit_once(':')?;
    (number.parse() == Ok(inode)).then_some(process)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_name_their_process() {
        for (line, expected) in [
            ("1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF", Some(4711)),
            ("1: -> FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF", Some(4711)),
            ("1: FLOCK  ADVISORY  WRITE 4711 08:01:12345 0 EOF", None),
            ("1: POSIX  ADVISORY  WRITE 4711 08:01:1234 0 EOF", None),
            ("", None),
        ] {
            assert_eq!(holder_in(line, 1234), expected, "{line}");
        }
    }

    #[test]
    fn a_folder_is_taken_until_it_is_given_back() {
        let folder = weir_testkit::TestFolder::new("folder-lock");
        let lock = FolderLock::take(&folder).expect("the folder is free");
        let taken = FolderLock::take(&folder).expect_err("the folder is taken").to_string();
        assert!(taken.contains(&folder.display().to_string()), "{taken}");
        drop(lock);
        FolderLock::take(&folder).expect("the folder is free again");
    }
}
