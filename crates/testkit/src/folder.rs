//! Folders that tests write into.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder among the temporary files, empty at first, which is removed with what it holds.
#[derive(Debug)]
pub struct TestFolder(PathBuf);

impl TestFolder {
    /// Makes a folder that no other test has, with this in its name.
    pub fn new(name: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(format!("weir-{name}-{process}-{number}"));
        // One may be left of a process of the same number that was killed.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("room for temporary files");
        Self(path)
    }
}

impl Deref for TestFolder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for TestFolder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::TestFolder;

    #[test]
    fn a_folder_goes_with_what_it_holds() {
        let (one, other) = (TestFolder::new("folder"), TestFolder::new("folder"));
        assert_ne!(*one, *other);
        std::fs::create_dir_all(one.join("a/b")).expect("a folder");
        std::fs::write(one.join("a/b/c"), "d").expect("a file");
        let (path, others) = (one.to_owned(), other.to_owned());
        drop(one);
        assert!(!path.exists() && others.exists());
    }
}
