//! `--pidfile`: the number of the process, in a file for as long as it runs.

use std::path::{Path, PathBuf};

use weir_base::{Pipes, named_file};

/// More than any number has digits.
const LONGEST: u64 = 32;

/// A file that is removed when this is dropped.
pub struct PidFile {
    path: PathBuf,
    /// A process that left the file behind.
    left_by: Option<u32>,
}

impl PidFile {
    /// Writes the file. One that a process left behind is written anew, one whose process runs is not; the error is a
    /// sentence.
    pub fn write(path: &Path) -> Result<Self, String> {
        let own = std::process::id();
        let left_by = left_in(path).filter(|other| *other != own);
        if let Some(other) = left_by.filter(|other| runs(*other)) {
            return Err(format!(
                "{} says that process {other} runs already. End it, or name another file with --pidfile.",
                path.display()
            ));
        }
        std::fs::write(path, format!("{own}\n"))
            .map_err(|error| format!("The process id cannot be written to {}: {error}.", path.display()))?;
        Ok(Self { path: path.to_owned(), left_by })
    }

    /// Tells of a process that left the file behind, in a sentence.
    pub fn remark(&self) -> Option<String> {
        let (path, process) = (self.path.display(), self.left_by?);
        Some(format!(
            "{path} was left behind by process {process}, which ended out of order: it is written anew."
        ))
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        // Another process that took it over keeps it.
        if left_in(&self.path) == Some(std::process::id()) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn left_in(path: &Path) -> Option<u32> {
    let bytes = named_file::read(path, Pipes::Refuse, LONGEST).ok()?;
    std::str::from_utf8(&bytes).ok()?.trim().parse().ok()
}

/// Whether there is a process of this number; where the system does not tell, there is none.
fn runs(process: u32) -> bool {
    Path::new("/proc").join(process.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_stands_as_long_as_its_process_runs() {
        let path = std::env::temp_dir().join(format!("weir-pid-file-{}", std::process::id()));
        let own = format!("{}\n", std::process::id());
        // What the file holds beforehand, and whether a process that is gone is told of.
        for (text, told) in [("", false), ("4294967295\n", true), ("no number", false), (own.as_str(), false)]
        {
            std::fs::write(&path, text).unwrap();
            let file = PidFile::write(&path).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), own);
            assert_eq!(file.remark().is_some(), told, "{text}");
            drop(file);
            assert!(!path.exists(), "{text}");
        }
        if Path::new("/proc/1").exists() {
            std::fs::write(&path, "1\n").unwrap();
            let sentence = PidFile::write(&path).err().unwrap_or_default();
            assert!(sentence.contains("says that process 1 runs already"), "{sentence}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "1\n");
            std::fs::remove_file(&path).unwrap();
        }
    }
}
