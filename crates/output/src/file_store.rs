//! `file-store`, version 2: files that rules or the configuration want kept, each once, under its
//! SHA-256 (`filestore/ab/abcd…`).
//!
//! Bytes are gathered by the file itself and written in chunks to a file of the worker's own below
//! `tmp`, which moves to its place once the hash is known.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use weir_applayer::file::{File, FileState};
use weir_base::{Turn, hex};
use weir_config::{ConfigError, OutputsSettings, Settings};

/// Bytes gathered of a file before they are written.
const CHUNK_BYTES: usize = 64 << 10;

weir_base::counters! {
    /// What the store counts.
    pub struct FileStoreCounters {
        /// Files being written.
        open_files => "file_store.open_files",
        /// Files that could not be opened, written or moved.
        fs_errors => "file_store.fs_errors",
        /// Files not stored because too many were being written.
        open_files_max_hit => "file_store.open_files_max_hit",
    }
}

/// Settings of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStoreSettings {
    /// Where files are kept.
    pub folder: PathBuf,
    /// Every file is kept, whether a rule asks for it or not.
    pub force: bool,
    /// How far streams that carry kept files are reassembled; zero for no limit.
    pub stream_depth: u64,
    /// Most files being written at a time; zero for no limit.
    pub max_open_files: u64,
    /// Hashes of every kept file beside SHA-256: `md5`, `sha1`.
    pub force_hash: Vec<String>,
    /// What every file is, in words, is to be told.
    pub force_magic: bool,
}

impl FileStoreSettings {
    /// Reads the output; none where it is not in use. A relative `dir` is below `log_folder`.
    pub fn from_settings(settings: &Settings, log_folder: &Path) -> Result<Option<Self>, ConfigError> {
        let outputs = OutputsSettings::from_settings(settings);
        let Some(output) = outputs.enabled("file-store").next() else { return Ok(None) };
        let section = output.section(settings);
        let depth = u64::from(section.size32("stream-depth", 0)?);
        Ok(Some(Self {
            folder: log_folder.join(section.text("dir").unwrap_or("filestore")),
            force: section.flag("force-filestore", false),
            stream_depth: depth,
            max_open_files: section.integer("max-open-files", 0, 0..=u64::from(u32::MAX))?,
            force_hash: section.list("force-hash").into_iter().map(str::to_owned).collect(),
            force_magic: section.flag("force-magic", false),
        }))
    }
}

/// A worker's store.
#[derive(Debug)]
pub struct FileStore {
    settings: FileStoreSettings,
    /// How many files were begun, by all workers.
    begun: Arc<AtomicU64>,
    turn: Turn,
    /// What was counted.
    pub counters: FileStoreCounters,
}

impl FileStore {
    /// A store that was not used yet. Workers share the count of files `begun`, in turns.
    pub fn new(settings: FileStoreSettings, begun: Arc<AtomicU64>, turn: Turn) -> Self {
        Self { settings, begun, turn, counters: FileStoreCounters::default() }
    }

    /// The settings.
    pub const fn settings(&self) -> &FileStoreSettings {
        &self.settings
    }

    /// Writes what a file gathered, if it is wanted and worth it; a file that ended goes to its place.
    pub fn look(&mut self, file: &mut File) {
        if !file.store_requested || file.stored {
            return;
        }
        let ended = file.state != FileState::Open;
        if file.gathered() < CHUNK_BYTES && !ended {
            return;
        }
        let id = match file.store_id {
            Some(id) => id,
            None if ended && file.gathered() == 0 => return,
            None => match self.begin() {
                Some(id) => *file.store_id.insert(id),
                None => return give_up(file),
            },
        };
        let place = self.place(id);
        let mut written = append(&place, &file.take_gathered());
        if ended {
            self.counters.open_files = self.counters.open_files.saturating_sub(1);
            written = written.and_then(|()| self.settle(&place, file));
            file.stored = written.is_ok();
        }
        if written.is_err() {
            self.counters.fs_errors += 1;
            // The error is counted already; what is left behind may be as unreachable as the rest.
            let _ = fs::remove_file(&place);
            give_up(file);
        }
    }

    /// The number of a new file; none where too many are being written.
    fn begin(&mut self) -> Option<u64> {
        let most = self.settings.max_open_files;
        if most > 0 && self.counters.open_files >= most {
            self.counters.open_files_max_hit += 1;
            return None;
        }
        self.counters.open_files += 1;
        self.turn.wait();
        Some(self.begun.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn place(&self, id: u64) -> PathBuf {
        self.settings.folder.join("tmp").join(format!("file.{id}"))
    }

    /// Moves a whole file to where its hash says.
    fn settle(&self, place: &Path, file: &File) -> std::io::Result<()> {
        let Some(sha256) = file.sha256() else {
            return Err(std::io::Error::other("the file has no hash"));
        };
        let name = hex::string(&sha256);
        let folder = self.settings.folder.join(name.get(..2).unwrap_or_default());
        fs::create_dir_all(&folder)?;
        let destination = folder.join(&name);
        if destination.exists() { fs::remove_file(place) } else { fs::rename(place, destination) }
    }
}

/// The file cannot be stored.
fn give_up(file: &mut File) {
    file.store_requested = false;
    file.store_id = None;
    file.stop_gathering();
}

fn append(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent()
        && !folder.exists()
    {
        fs::create_dir_all(folder)?;
    }
    OpenOptions::new().create(true).append(true).open(path)?.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use weir_applayer::file::FileSettings;
    use weir_base::{Direction, Timestamp};

    use super::*;

    fn store(name: &str, max_open_files: u64) -> (FileStore, PathBuf) {
        let folder = std::env::temp_dir().join(format!("weir-{name}-{}", std::process::id()));
        let settings = FileStoreSettings {
            folder: folder.clone(),
            force: true,
            stream_depth: 0,
            max_open_files,
            force_hash: Vec::new(),
            force_magic: false,
        };
        (FileStore::new(settings, Arc::default(), Turn::alone()), folder)
    }

    fn file() -> File {
        let settings = FileSettings { sha256: true, gather: true, store: true, ..FileSettings::default() };
        File::open(0, b"a".to_vec(), Direction::ToClient, Timestamp(0), &settings)
    }

    #[test]
    fn files_are_kept_under_their_hash() {
        let (mut store, folder) = store("kept", 0);
        let mut file = file();
        file.append(b"a", Timestamp(1));
        store.look(&mut file);
        file.append(b"bc", Timestamp(2));
        file.close(FileState::Closed);
        store.look(&mut file);
        assert!(file.stored && file.store_id == Some(1));
        let path = folder.join("ba/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(fs::read(path).unwrap(), b"abc");
        assert_eq!(store.counters, FileStoreCounters::default());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn too_many_open_files() {
        let (mut store, folder) = store("many", 1);
        let (mut first, mut second) = (file(), file());
        for file in [&mut first, &mut second] {
            file.append(&[b'x'; CHUNK_BYTES], Timestamp(1));
            store.look(file);
        }
        assert!(first.store_requested && !second.store_requested);
        assert_eq!((store.counters.open_files, store.counters.open_files_max_hit), (1, 1));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn settings_are_read() {
        let text = b"%YAML 1.1\n---\noutputs:\n  - file-store:\n      enabled: yes\n      force-filestore: yes\n      dir: kept\n      stream-depth: 2mb\n      force-hash: [md5]\n";
        let settings = Settings::from_text::<&str>(text, "test", &[]).unwrap();
        let read = FileStoreSettings::from_settings(&settings, Path::new("/logs")).unwrap().unwrap();
        let expected = FileStoreSettings {
            folder: "/logs/kept".into(),
            force: true,
            stream_depth: 2 << 20,
            max_open_files: 0,
            force_hash: vec!["md5".to_owned()],
            force_magic: false,
        };
        assert_eq!(read, expected);
        let none = Settings::from_text::<&str>(b"%YAML 1.1\n---\na: b\n", "test", &[]).unwrap();
        assert_eq!(FileStoreSettings::from_settings(&none, Path::new("/logs")).unwrap(), None);
    }
}
