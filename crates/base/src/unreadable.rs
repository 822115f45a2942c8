//! Reasons that a file cannot be read, for people: what is the matter, and what to do about it.

use std::fmt;
use std::io;
use std::path::Path;

/// Two sentences, of which the first one is a clause and the second has no full stop: `cannot open a.pcap: {}.`
#[derive(Clone, Copy, Debug)]
pub struct Unreadable<'a> {
    path: &'a Path,
    error: &'a io::Error,
}

impl<'a> Unreadable<'a> {
    /// Takes the system's error on the file or folder at `path`.
    pub const fn new(path: &'a Path, error: &'a io::Error) -> Self {
        Self { path, error }
    }
}

impl fmt::Display for Unreadable<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.error.kind() {
            io::ErrorKind::NotFound => write!(out, "there is no such file. {}", check(self.path)),
            io::ErrorKind::PermissionDenied => out.write_str(
                "the system does not allow it. Give the user that runs the engine the right to read it",
            ),
            io::ErrorKind::InvalidInput => {
                write!(out, "{}. Name a file: only words of the command line may be pipes", self.error)
            }
            io::ErrorKind::IsADirectory => out.write_str("it is a folder. Name a file"),
            _ => write!(out, "{}. Check that it is a file that can be read", self.error),
        }
    }
}

/// Returns the remedy where nothing is at `path`, without a full stop.
pub fn check(path: &Path) -> String {
    match std::env::current_dir() {
        Ok(folder) if path.is_relative() => {
            format!("Check the path, which is looked up in {}", folder.display())
        }
        _ => "Check the path".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_do_by_what_is_the_matter() {
        let here = std::env::current_dir().unwrap();
        let looked_up =
            format!("there is no such file. Check the path, which is looked up in {}", here.display());
        let cases = [
            ("/a", io::ErrorKind::NotFound, "there is no such file. Check the path"),
            ("a", io::ErrorKind::NotFound, &looked_up),
            (
                "a",
                io::ErrorKind::PermissionDenied,
                "the system does not allow it. Give the user that runs the engine the right to read it",
            ),
            ("a", io::ErrorKind::IsADirectory, "it is a folder. Name a file"),
            ("a", io::ErrorKind::TimedOut, "timed out. Check that it is a file that can be read"),
        ];
        for (path, kind, expected) in cases {
            let error = io::Error::from(kind);
            assert_eq!(Unreadable::new(Path::new(path), &error).to_string(), expected);
        }
    }
}
