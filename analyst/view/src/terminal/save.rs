//! Files that people ask for: never in the place of others, and whole or not at all.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::answer::Problem;

/// Writes a file that is not there yet; returns its bytes.
pub fn save(mut from: impl Read, path: &Path) -> Result<u64, Problem> {
    let mut file = File::create_new(path).map_err(|error| problem(path, &error))?;
    // Some file systems tell only here that there is no room.
    let written = io::copy(&mut from, &mut file).and_then(|bytes| file.sync_all().map(|()| bytes));
    written.map_err(|error| {
        // A file that is cut short would be taken for all of it.
        let _ = fs::remove_file(path);
        problem(path, &error)
    })
}

/// Says why a file cannot be written, and what to do.
fn problem(path: &Path, error: &io::Error) -> Problem {
    let path = path.display();
    match error.kind() {
        ErrorKind::AlreadyExists => {
            Problem::question(format!("{path} is there already: choose another name."))
        }
        ErrorKind::NotFound | ErrorKind::NotADirectory => Problem::question(format!(
            "{path} cannot be written, for its folder is not there: choose another one."
        )),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Problem::failed(format!(
            "{path} cannot be written, for its disk is full: make room, or choose another folder. Nothing of it is left."
        )),
        _ => Problem::failed(format!("{path} cannot be written: {error}. Choose another place.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives an error in place of bytes.
    struct Fails(ErrorKind);

    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
    }

    #[test]
    fn what_is_cut_short_is_not_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for (kind, words) in [
            (ErrorKind::StorageFull, "its disk is full"),
            (ErrorKind::QuotaExceeded, "its disk is full"),
            (ErrorKind::PermissionDenied, "permission denied"),
        ] {
            let problem = save((&b"begin"[..]).chain(Fails(kind)), &path).unwrap_err();
            assert!(problem.sentence.contains(words), "{problem:?}");
            assert!(!path.exists(), "{kind:?}");
        }
        assert_eq!(save(&b"whole"[..], &path), Ok(5));
        assert!(save(&b"other"[..], &path).unwrap_err().sentence.contains("is there already"));
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        let nowhere = folder.path().join("no/where");
        assert!(save(&b""[..], &nowhere).unwrap_err().sentence.contains("its folder is not there"));
    }
}
