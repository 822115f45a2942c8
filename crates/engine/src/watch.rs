//! Looks whether files that rules depend on have changed, so that they are loaded again.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Instant;

use weir_base::Duration;

/// Time between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// State of a file: its number, size, and time of the last change in seconds and nanoseconds; none where it is not there.
type State = Option<(u64, u64, i64, i64)>;

/// Files and their states.
type States = BTreeMap<PathBuf, State>;

/// A watch over files.
#[derive(Debug)]
pub(crate) struct Watch {
    /// When to look next.
    due: Instant,
    /// States when rules were loaded last.
    loaded: States,
    /// States at the last look.
    last: States,
}

impl Watch {
    /// A watch that begins now; rules depend on these files.
    pub(crate) fn begin(files: &[PathBuf]) -> Self {
        let loaded = states(files);
        Self { due: Instant::now() + LOOK_EVERY, last: loaded.clone(), loaded }
    }

    /// Whether files are others than those that were loaded, and nobody has written to them since the last look: who
    /// replaces several files is not disturbed.
    pub(crate) fn has_changed(&mut self, files: &[PathBuf]) -> bool {
        let now = Instant::now();
        if now < self.due {
            return false;
        }
        self.due = now + LOOK_EVERY;
        self.look(states(files))
    }

    fn look(&mut self, found: States) -> bool {
        // Rules may depend on other files since they were loaded: these are as they were then.
        self.loaded.retain(|file, _| found.contains_key(file));
        for (file, state) in &found {
            if !self.loaded.contains_key(file) {
                self.loaded.insert(file.clone(), *state);
            }
        }
        let is_settled = found == self.last;
        self.last = found;
        if !is_settled || self.last == self.loaded {
            return false;
        }
        self.loaded.clone_from(&self.last);
        true
    }
}

fn states(files: &[PathBuf]) -> States {
    let state = |data: Metadata| (data.ino(), data.size(), data.mtime(), data.mtime_nsec());
    files.iter().map(|file| (file.clone(), file.metadata().ok().map(state))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_once_they_have_settled() {
        let file = |name: &str, state: State| (PathBuf::from(name), state);
        let (one, other) = (States::from([file("a", None)]), States::from([file("a", Some((1, 2, 3, 4)))]));
        let third = States::from([file("a", Some((1, 2, 3, 5)))]);
        let more = States::from([file("a", None), file("b", Some((2, 2, 3, 5)))]);
        let mut watch = Watch { due: Instant::now(), loaded: one.clone(), last: one.clone() };
        for (found, expected) in [
            (&one, false),
            (&other, false),
            (&third, false),
            (&third, true),
            (&third, false),
            (&other, false),
            // Back again before it settled.
            (&third, false),
            (&third, false),
            (&one, false),
            (&one, true),
            // Rules depend on another file, too, since they were loaded.
            (&more, false),
            (&more, false),
            (&one, false),
            (&one, false),
        ] {
            assert_eq!(watch.look(found.clone()), expected, "{found:?}");
        }
    }

    #[test]
    fn another_file_of_the_same_name_is_a_change() {
        let folder = weir_testkit::TestFolder::new("watch");
        let file = folder.join("a.rules");
        let files = [file.clone(), folder.join("missing")];
        let mut seen = vec![states(&files)];
        for content in ["one", "other"] {
            std::fs::write(folder.join("new"), content).expect("a file");
            std::fs::rename(folder.join("new"), &file).expect("it takes the place");
            let found = states(&files);
            assert!(!seen.contains(&found));
            assert_eq!(states(&files), found);
            seen.push(found);
        }
    }
}
