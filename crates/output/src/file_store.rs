//! `file-store`, version 2: files that rules or the configuration want kept, each once, under its
//! SHA-256 (`filestore/ab/abcd…`).
//!
//! Bytes are gathered by the file itself and handed in pieces to the log thread, which writes them
//! before the records that follow: a record of a kept file is there after the file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use weir_applayer::file::{File, FileState};
use weir_base::{Position, Turn};
use weir_config::{ConfigError, OutputsSettings, Settings};

use crate::formats::eve::FileDescriber;
use crate::outlet::{OutletId, Outlets};
use crate::record::{FileRecord, RecordContext};
use crate::sinks::file_store::Command;

/// Bytes gathered of a file before they are written.
const CHUNK_BYTES: usize = 64 << 10;

weir_base::counters! {
    /// Counters of the store.
    pub struct FileStoreCounters {
        /// Files being written.
        open_files => "file_store.open_files",
        /// Files not stored because too many were being written: none ever, as there is no such limit. Readers of
        /// statistics ask for it.
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
    /// Bytes of reassembly for streams that carry kept files; zero for no limit.
    pub stream_depth: u64,
    /// Hashes of every kept file beside SHA-256: `md5`, `sha1`.
    pub force_hash: Vec<String>,
    /// Every file's type is found by libmagic.
    pub force_magic: bool,
    /// Metadata of a kept file are written beside it.
    pub write_fileinfo: bool,
}

impl FileStoreSettings {
    /// Reads the output; none where it is not in use. A relative `dir` is below `log_folder`.
    pub fn from_settings(settings: &Settings, log_folder: &Path) -> Result<Option<Self>, ConfigError> {
        let outputs = OutputsSettings::from_settings(settings);
        let Some(output) = outputs.enabled("file-store").next() else { return Ok(None) };
        let section = output.section(settings);
        let depth = u64::from(section.size32("stream-depth", 0)?);
        // Nothing depends on it, and what is no number is refused all the same.
        section.integer("max-open-files", 0, 0..=u64::from(u32::MAX))?;
        Ok(Some(Self {
            folder: log_folder.join(section.text("dir").unwrap_or("filestore")),
            force: section.flag("force-filestore", false),
            stream_depth: depth,
            force_hash: section.list("force-hash").into_iter().map(str::to_owned).collect(),
            force_magic: section.flag("force-magic", false),
            write_fileinfo: section.flag("write-fileinfo", false),
        }))
    }
}

/// A worker's store.
pub struct FileStore {
    settings: FileStoreSettings,
    outlet: OutletId,
    /// Writes what is known of a kept file, where that is wanted.
    describer: Option<FileDescriber>,
    /// Files begun by all workers.
    begun: Arc<AtomicU64>,
    turn: Turn,
    /// Counters of the store.
    pub counters: FileStoreCounters,
}

impl FileStore {
    /// A store that was not used yet. Workers share the count of files `begun`, in turns.
    pub(crate) fn new(
        settings: FileStoreSettings,
        outlet: OutletId,
        describer: Option<FileDescriber>,
        begun: Arc<AtomicU64>,
        turn: Turn,
    ) -> Self {
        Self { settings, outlet, describer, begun, turn, counters: FileStoreCounters::default() }
    }

    /// The settings.
    pub const fn settings(&self) -> &FileStoreSettings {
        &self.settings
    }

    /// Hands on what a file gathered, if it is wanted and worth it; a file that ended is kept.
    pub fn look(&mut self, file: &mut File, position: Position, out: &mut Outlets) {
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
            None => *file.store_id.insert(self.begin()),
        };
        let gathered = file.take_gathered();
        self.tell(&Command::Append(id, &gathered), position, out);
        if !ended {
            return;
        }
        self.counters.open_files = self.counters.open_files.saturating_sub(1);
        match file.sha256() {
            Some(sha256) => {
                self.tell(&Command::Keep(id, file.size, &sha256), position, out);
                file.stored = true;
            }
            None => {
                self.tell(&Command::Forget(id), position, out);
                give_up(file);
            }
        }
    }

    /// Has what is known of a kept file written beside it, where that is wanted.
    pub fn describe(&mut self, cx: &RecordContext<'_>, record: &FileRecord<'_>, out: &mut Outlets) {
        let Some(describer) = &mut self.describer else { return };
        let (Some(id), Some(sha256)) = (record.file.store_id, record.file.sha256()) else { return };
        let second = cx.packet.map_or(cx.now, |packet| packet.time).seconds();
        let text = describer.describe(cx, record);
        self.tell(&Command::Describe(second, id, &sha256, &text), cx.position, out);
    }

    fn tell(&self, command: &Command<'_>, position: Position, out: &mut Outlets) {
        out.line(self.outlet, position, |line| {
            command.write(line);
            true
        });
    }

    /// The number of a new file.
    fn begin(&mut self) -> u64 {
        self.counters.open_files += 1;
        self.turn.wait();
        self.begun.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// The file cannot be stored.
fn give_up(file: &mut File) {
    file.store_requested = false;
    file.store_id = None;
    file.stop_gathering();
}

#[cfg(test)]
mod tests {
    use weir_applayer::file::FileSettings;
    use weir_base::{Counters, Direction, Timestamp};

    use std::fs;

    use super::*;
    use crate::outlet::{Destination, OutletSettings};
    use crate::sinks::file_store::{StoreErrors, StoreRoom};
    use crate::writer::{LogWriter, Order};

    fn store(name: &str) -> (FileStore, LogWriter, PathBuf) {
        let folder = std::env::temp_dir().join(format!("weir-{name}-{}", std::process::id()));
        let destination = Destination::FileStore {
            folder: folder.clone(),
            errors: StoreErrors::counted_as("file_store.fs_errors"),
            room: StoreRoom::Any,
        };
        let outlets = vec![OutletSettings::new(destination)];
        let writer = LogWriter::start(outlets, 1, Order::Arrival, |_| {}).unwrap();
        let settings = FileStoreSettings {
            folder: folder.clone(),
            force: true,
            stream_depth: 0,
            force_hash: Vec::new(),
            force_magic: false,
            write_fileinfo: false,
        };
        let store = FileStore::new(settings, OutletId(0), None, Arc::default(), Turn::alone());
        (store, writer, folder)
    }

    fn file() -> File {
        let settings = FileSettings { sha256: true, gather: true, store: true, ..FileSettings::default() };
        File::open(0, b"a".to_vec(), Direction::ToClient, Timestamp(0), &settings)
    }

    #[test]
    fn files_are_kept_under_their_hash() {
        let (mut store, writer, folder) = store("kept");
        let mut out = writer.outlets(0);
        let mut file = file();
        file.append(b"a", Timestamp(1));
        store.look(&mut file, Position::default(), &mut out);
        file.append(b"bc", Timestamp(2));
        file.close(FileState::Closed);
        store.look(&mut file, Position::default(), &mut out);
        out.finish();
        assert!(writer.finish().errors.is_empty());
        assert!(file.stored && file.store_id == Some(1));
        let path = folder.join("ba/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(fs::read(path).unwrap(), b"abc");
        assert_eq!(store.counters, FileStoreCounters::default());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn files_are_kept_however_many_are_being_written() {
        let (mut store, writer, folder) = store("many");
        let mut out = writer.outlets(0);
        let mut files: Vec<File> = (0..2000).map(|_| file()).collect();
        for (number, file) in (0_u64..).zip(&mut files) {
            let bytes = [&number.to_be_bytes()[..], &[b'x'; CHUNK_BYTES]].concat();
            file.append(&bytes, Timestamp(1));
            store.look(file, Position::default(), &mut out);
            out.progress(Position::default());
        }
        let mut counted = Vec::new();
        store.counters.visit(&mut |name: &str, value: u64| counted.push((name.to_owned(), value)));
        let expected = [("file_store.open_files", 2000), ("file_store.open_files_max_hit", 0)];
        assert_eq!(counted, expected.map(|(name, value)| (name.to_owned(), value)));
        for file in &mut files {
            file.close(FileState::Closed);
            store.look(file, Position::default(), &mut out);
        }
        out.finish();
        assert!(writer.finish().errors.is_empty());
        assert!(files.iter().all(|file| file.stored));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn settings_are_read() {
        let text = b"%YAML 1.1\n---\noutputs:\n  - file-store:\n      enabled: yes\n      force-filestore: yes\n      dir: kept\n      stream-depth: 2mb\n      force-hash: [md5]\n      write-fileinfo: yes\n";
        let settings = Settings::from_text::<&str>(text, "test", &[]).unwrap();
        let read = FileStoreSettings::from_settings(&settings, Path::new("/logs")).unwrap().unwrap();
        let expected = FileStoreSettings {
            folder: "/logs/kept".into(),
            force: true,
            stream_depth: 2 << 20,
            force_hash: vec!["md5".to_owned()],
            force_magic: false,
            write_fileinfo: true,
        };
        assert_eq!(read, expected);
        for (most, is_number) in
            [("0", true), ("1000", true), ("abc", false), ("-5", false), ("99999999999", false)]
        {
            let text = format!(
                "%YAML 1.1\n---\noutputs:\n  - file-store:\n      enabled: yes\n      max-open-files: {most}\n"
            );
            let settings = Settings::from_text::<&str>(text.as_bytes(), "test", &[]).unwrap();
            let read = FileStoreSettings::from_settings(&settings, Path::new("/logs"));
            let said = read.err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(said.is_empty(), is_number, "{said}");
            assert!(is_number || said.contains("test, line 6") && said.contains("a whole number"), "{said}");
            assert!(settings.take_warnings().is_empty(), "{most}");
        }
        let none = Settings::from_text::<&str>(b"%YAML 1.1\n---\na: b\n", "test", &[]).unwrap();
        assert_eq!(FileStoreSettings::from_settings(&none, Path::new("/logs")).unwrap(), None);
    }
}
