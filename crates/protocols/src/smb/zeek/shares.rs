//! The smb_mapping log, of shares that are connected, and the smb_files log, of what becomes of files there.
//!
//! Limits: shares and files of a connection that are remembered, and rows that are not written again.

use std::sync::Arc;

use weir_applayer::{ZeekSink, zeek_stream};
use weir_base::{Duration, Timestamp};

use crate::smb::cache::Cache;
use crate::smb::transaction::{Command, Connect, Create, Disposition, FileId, Rename, SmbTransaction, Times};

zeek_stream! {
    pub(super) static FILES: "smb_files" of a connection;
    struct FileRow {
        fuid: Text,
        action: Enum,
        path: Text,
        name: Text,
        size: Count,
        prev_name: Text,
        times_modified as "times.modified": Time,
        times_accessed as "times.accessed": Time,
        times_created as "times.created": Time,
        times_changed as "times.changed": Time,
    }
}

zeek_stream! {
    pub(super) static MAPPING: "smb_mapping" of a connection;
    struct MappingRow {
        path: Text,
        service: Text,
        native_file_system: Text,
        share_type: Text,
    }
}

/// Most shares, files and rows of a connection that are remembered.
const MAX_TREES: usize = 512;
const MAX_FILES: usize = 1024;
const MAX_RECENT: usize = 1024;

/// Time in which a row is not written again.
const RECENT: Duration = Duration::from_secs(180);

/// Name of a share itself.
const ROOT: &[u8] = b"<share_root>";

/// Names under which only pipes are opened, whatever the share.
pub(in crate::smb) const PIPES: &[&[u8]] =
    &[b"spoolss", b"winreg", b"samr", b"srvsvc", b"netdfs", b"lsarpc", b"wkssvc", b"MsFteWds"];

/// Type of a share.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Kind {
    #[default]
    Disk,
    Pipe,
    Print,
}

#[derive(Clone, Debug, Default)]
struct Tree {
    path: Option<Arc<[u8]>>,
    kind: Kind,
}

#[derive(Clone, Debug, Default)]
struct File {
    time: Timestamp,
    fuid: Option<String>,
    path: Option<Arc<[u8]>>,
    name: Option<Arc<[u8]>>,
    former_name: Option<Arc<[u8]>>,
    size: u64,
    times: Option<Times>,
    /// It is to be gone once it is closed, as it was said when it was opened.
    deletes: bool,
}

/// Identity of a row. The time a file was last read may differ.
type Row = (&'static str, Option<String>, [Option<Arc<[u8]>>; 2], u64, [u64; 3]);

/// Shares and files of a connection.
#[derive(Debug)]
pub(super) struct Shares {
    trees: Cache<(u64, u32), Tree>,
    files: Cache<FileId, File>,
    recent: Cache<Row, Timestamp>,
}

impl Default for Shares {
    fn default() -> Self {
        Self { trees: Cache::new(MAX_TREES), files: Cache::new(MAX_FILES), recent: Cache::new(MAX_RECENT) }
    }
}

impl Shares {
    /// A share was connected, or not.
    pub(super) fn connect(&mut self, connect: &Connect, tx: &SmbTransaction, sink: &mut dyn ZeekSink) {
        let (kind, service) = match tx.command {
            Command::One(_) if connect.service.is_none() => return,
            Command::One(_) if connect.is_pipe => (Kind::Pipe, connect.service.as_deref()),
            Command::One(_) => (Kind::Disk, connect.service.as_deref()),
            Command::Two(_) => match connect.kind {
                0 => return,
                2 => (Kind::Pipe, None),
                3 => (Kind::Print, None),
                _ => (Kind::Disk, None),
            },
        };
        let path = Some(Arc::clone(&connect.share));
        self.trees.insert((tx.ids.session, tx.ids.tree), Tree { path, kind });
        let system = Some(connect.file_system.as_slice()).filter(|system| !system.is_empty());
        let share_type = match kind {
            Kind::Disk => "DISK",
            Kind::Pipe => "PIPE",
            Kind::Print => "PRINT",
        };
        let row = MappingRow {
            path: (&*connect.share).into(),
            service: service.into(),
            native_file_system: system.into(),
            share_type: share_type.into(),
        };
        sink.row(&MAPPING, tx.meta.last_seen.to_server, &row.values());
    }

    /// The share that a message is about.
    fn tree(&mut self, tx: &SmbTransaction) -> Tree {
        self.trees.get(&(tx.ids.session, tx.ids.tree)).cloned().unwrap_or_default()
    }

    /// A file was opened, or not.
    pub(super) fn open(&mut self, create: &Create, tx: &SmbTransaction, sink: &mut dyn ZeekSink) {
        let Some(id) = create.file else { return };
        let mut tree = self.tree(tx);
        if tree.kind != Kind::Pipe && PIPES.contains(&&*create.name) {
            tree = Tree { path: Some(b"<unknown>".as_slice().into()), kind: Kind::Pipe };
            self.trees.insert((tx.ids.session, tx.ids.tree), tree.clone());
        }
        let (path, action, name) = match tx.command {
            Command::One(_) => (None, "SMB::FILE_OPEN", Arc::clone(&create.name)),
            Command::Two(_) => {
                let action = match tree.kind {
                    Kind::Disk => "SMB::FILE_OPEN",
                    Kind::Pipe => "SMB::PIPE_OPEN",
                    Kind::Print => "SMB::PRINT_OPEN",
                };
                let name = if create.name.is_empty() { ROOT.into() } else { Arc::clone(&create.name) };
                (tree.path, action, name)
            }
        };
        let times = Some(create.times).filter(|times| times.modified > 0);
        let time = tx.meta.last_seen.to_server;
        let (size, deletes) = (create.size, create.deletes);
        let file = File { time, path, name: Some(name), size, times, deletes, ..File::default() };
        self.write(action, &file, tx.meta.last_seen.to_client, sink);
        self.files.insert(id, file);
    }

    /// A file gets another name.
    pub(super) fn rename(&mut self, rename: &Rename, tx: &SmbTransaction, sink: &mut dyn ZeekSink) {
        let (Some(id), Command::Two(_)) = (rename.file, tx.command) else { return };
        let now = tx.meta.last_seen.to_server;
        let mut file = self.files.remove(&id).unwrap_or(File { time: now, ..File::default() });
        file.former_name = file.name.replace(rename.to.as_slice().into());
        self.write("SMB::FILE_RENAME", &file, now, sink);
        self.files.insert(id, file);
    }

    /// A file is to be gone.
    pub(super) fn dispose(
        &mut self,
        disposition: &Disposition,
        tx: &SmbTransaction,
        sink: &mut dyn ZeekSink,
    ) {
        let (Some(id), Command::Two(_), true) = (disposition.file, tx.command, disposition.deletes) else {
            return;
        };
        if let Some(file) = self.files.get(&id).cloned() {
            self.write("SMB::FILE_DELETE", &file, tx.meta.last_seen.to_server, sink);
        }
    }

    /// A file is closed.
    pub(super) fn close(&mut self, id: FileId, tx: &SmbTransaction, sink: &mut dyn ZeekSink) {
        let Some(mut file) = self.files.remove(&id) else { return };
        let tree = self.tree(tx);
        let action = match (tree.kind, tx.command) {
            (Kind::Print, _) => "SMB::PRINT_CLOSE",
            (_, Command::Two(_)) if file.deletes => "SMB::FILE_DELETE",
            _ => return,
        };
        file.path = tree.path.or(file.path);
        self.write(action, &file, tx.meta.last_seen.to_server, sink);
    }

    /// A file that is read or written is called this.
    pub(super) fn name(&mut self, id: FileId, fuid: String) {
        if let Some(file) = self.files.get(&id) {
            file.fuid = Some(fuid);
        }
    }

    /// Writes a row, unless the same was written lately or it is of a pipe.
    fn write(&mut self, action: &'static str, file: &File, now: Timestamp, sink: &mut dyn ZeekSink) {
        let (Some(name), true) = (&file.name, action != "SMB::PIPE_OPEN") else { return };
        if let Some(times) = &file.times {
            let names = [file.path.clone(), file.name.clone()];
            let times = [times.modified, times.created, times.changed];
            let row = (action, file.fuid.clone(), names, file.size, times);
            let before = self.recent.remove(&row);
            let is_recent = before.is_some_and(|before| now.since(before) < RECENT);
            self.recent.insert(row, now);
            if is_recent {
                return;
            }
        }
        let times = file.times.as_ref();
        let row = FileRow {
            fuid: file.fuid.as_deref().into(),
            action: action.into(),
            path: file.path.as_deref().into(),
            name: (&**name).into(),
            size: file.size.into(),
            prev_name: file.former_name.as_deref().into(),
            times_modified: times.map(|times| moment(times.modified)).into(),
            times_accessed: times.map(|times| moment(times.accessed)).into(),
            times_created: times.map(|times| moment(times.created)).into(),
            times_changed: times.map(|times| moment(times.changed)).into(),
        };
        sink.row(&FILES, file.time, &row.values());
    }
}

/// A time in units of 100 nanoseconds since 1601.
fn moment(time: u64) -> Timestamp {
    // Zeek's moments are floating-point numbers, of which logs show microseconds.
    let seconds = time as f64 / 1e7 - 11_644_473_600.0;
    let micros = (seconds.max(0.0) * 1e6).round() as u64;
    Timestamp(micros.saturating_mul(1000))
}
