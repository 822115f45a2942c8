//! Looks whether files that rules depend on have changed, so that they are loaded again.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use weir_base::Duration;

/// Time between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// State of a file: its number, size, and time of the last change in seconds and nanoseconds; none where it is not there.
type State = Option<(u64, u64, i64, i64)>;

/// Files and their states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileStates(BTreeMap<PathBuf, State>);

impl FileStates {
    /// Adds a file, or a folder, as it is now; to be called before it is read.
    pub(crate) fn add(&mut self, path: &Path) {
        self.0.insert(path.to_owned(), state(path));
    }

    /// Adds files of others, as they were then.
    pub(crate) fn add_all(&mut self, others: &Self) {
        self.0.extend(others.0.iter().map(|(path, state)| (path.clone(), *state)));
    }

    /// The states that the same files have now.
    fn now(&self) -> Self {
        Self(self.0.keys().map(|path| (path.clone(), state(path))).collect())
    }
}

fn state(path: &Path) -> State {
    let state = |data: Metadata| (data.ino(), data.size(), data.mtime(), data.mtime_nsec());
    path.metadata().ok().map(state)
}

/// A watch over files.
#[derive(Debug)]
pub(crate) struct Watch {
    /// When to look next.
    due: Instant,
    /// States at the last look.
    last: FileStates,
    /// States of which it was told.
    told: FileStates,
}

impl Watch {
    /// A watch that begins now.
    pub(crate) fn begin() -> Self {
        Self { due: Instant::now(), last: FileStates::default(), told: FileStates::default() }
    }

    /// Whether files are others than those that were loaded, and nobody has written to them since the last look: who
    /// replaces several files is not disturbed.
    pub(crate) fn has_changed(&mut self, loaded: impl FnOnce() -> FileStates) -> bool {
        let now = Instant::now();
        if now < self.due {
            return false;
        }
        self.due = now + LOOK_EVERY;
        let loaded = loaded();
        self.look(&loaded, loaded.now())
    }

    fn look(&mut self, loaded: &FileStates, found: FileStates) -> bool {
        let is_settled = found == self.last;
        self.last = found;
        // What could not be loaded is not tried again before it changes.
        if !is_settled || self.last == *loaded || self.last == self.told {
            return false;
        }
        self.told.clone_from(&self.last);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(files: &[(&str, u64)]) -> FileStates {
        FileStates(files.iter().map(|(name, size)| (PathBuf::from(name), Some((1, *size, 0, 0)))).collect())
    }

    #[test]
    fn changes_are_told_once_they_have_settled() {
        let (one, other, third) = (states(&[("a", 1)]), states(&[("a", 2)]), states(&[("a", 3)]));
        let more = states(&[("a", 3), ("b", 1)]);
        let mut watch = Watch::begin();
        for (loaded, found, expected) in [
            (&one, &one, false),
            (&one, &other, false),
            (&one, &third, false),
            (&one, &third, true),
            // It could not be loaded.
            (&one, &third, false),
            (&one, &other, false),
            (&one, &other, true),
            (&other, &other, false),
            // Back again before it settled.
            (&other, &third, false),
            (&other, &other, false),
            (&other, &other, false),
            // Other files were loaded.
            (&more, &more, false),
            (&more, &more, false),
        ] {
            assert_eq!(watch.look(loaded, found.clone()), expected, "{loaded:?} {found:?}");
        }
    }

    #[test]
    fn another_file_of_the_same_name_is_a_change() {
        let folder = weir_testkit::TestFolder::new("watch");
        let file = folder.join("a.rules");
        let mut seen = FileStates::default();
        seen.add(&file);
        for content in ["one", "other"] {
            std::fs::write(folder.join("new"), content).expect("a file");
            std::fs::rename(folder.join("new"), &file).expect("it takes the place");
            let found = seen.now();
            assert_ne!(seen, found);
            assert_eq!(found.now(), found);
            seen = found;
        }
    }
}
