//! The files of `file-store`: written in pieces below `tmp`, moved to where their hash says
//! (`ab/abcd…`) once they are whole, with a record beside them where that is wanted; those of
//! `tls-store`, which come whole and with a name; and those that Zeek's logs extract, which grow under a name.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use weir_base::{CounterVisitor, Counters, Reader, hex};

use super::{Sink, Unwritten};

/// Counts how often the store could not be written.
#[derive(Clone, Debug)]
pub struct StoreErrors {
    /// The counter.
    name: &'static str,
    shown: Shown,
    count: Arc<AtomicU64>,
}

/// When a counter is told of.
#[derive(Clone, Copy, Debug)]
enum Shown {
    Always,
    IfAny,
}

impl StoreErrors {
    /// None so far, for the counter of this name.
    pub(crate) fn counted_as(name: &'static str) -> Self {
        Self { name, shown: Shown::Always, count: Arc::default() }
    }

    /// None so far, for a counter that is told of only where there is something to count.
    pub(crate) fn counted_where_any(name: &'static str) -> Self {
        Self { name, shown: Shown::IfAny, count: Arc::default() }
    }

    fn count(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }
}

impl PartialEq for StoreErrors {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.count, &other.count)
    }
}

impl Eq for StoreErrors {}

impl Counters for StoreErrors {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        let count = self.count.load(Ordering::Relaxed);
        if count > 0 || matches!(self.shown, Shown::Always) {
            visitor.counter(self.name, count);
        }
    }
}

/// The bytes that may be written to a store in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoreRoom {
    /// As much as there is.
    Any,
    /// So many bytes (`extract-total-limit`), by blocks of [`BLOCK`] bytes of which a file takes one at least.
    Bytes(u64),
}

impl StoreRoom {
    /// So many bytes; zero for no limit.
    pub(crate) const fn of(bytes: u64) -> Self {
        if bytes == 0 { Self::Any } else { Self::Bytes(bytes) }
    }

    /// Takes so many bytes of it, if they are there.
    fn take(&mut self, bytes: u64) -> io::Result<()> {
        if let Self::Bytes(left) = self {
            let rest = left.checked_sub(bytes);
            *left = rest.ok_or_else(|| io::Error::other("extract-total-limit is reached"))?;
        }
        Ok(())
    }
}

/// Bytes of a block of the disk: a file takes one at least, however short it is.
const BLOCK: u64 = 4096;

/// Most names of files of earlier runs that are known not to have been replaced: some MB. Beyond them nothing is added to
/// any file, as it may be one of these.
const MAX_UNREPLACED: usize = 65_536;

/// Bytes of the blocks that a piece touches in a file of this length. What goes on in the file's last block takes no other
/// one; within the file may be holes, of which nothing is known: what comes there takes its blocks in full.
fn blocks(length: u64, offset: u64, piece: &[u8]) -> u64 {
    let end = offset.saturating_add(piece.len() as u64).div_ceil(BLOCK);
    let first = if offset < length { offset / BLOCK } else { (offset / BLOCK).max(length.div_ceil(BLOCK)) };
    end.saturating_sub(first).saturating_mul(BLOCK)
}

/// Something to be done with a file, as a line of the store's outlet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// The next bytes of the file of this number.
    Append(u64, &'a [u8]),
    /// The file is whole: so many bytes with this SHA-256.
    Keep(u64, u64, &'a [u8; 32]),
    /// It is not wanted after all.
    Forget(u64),
    /// Text about a kept file: second of the capture, number, SHA-256, text.
    Describe(u64, u64, &'a [u8; 32], &'a [u8]),
    /// A file of this name with this content.
    Write(&'a str, &'a [u8]),
    /// More of the content of that file, from an offset on.
    WriteAt(&'a str, u64, &'a [u8]),
}

impl<'a> Command<'a> {
    /// Appends the command to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let number = |out: &mut Vec<u8>, number: u64| out.extend_from_slice(&number.to_be_bytes());
        match self {
            Command::Append(id, bytes) => {
                out.push(0);
                number(out, *id);
                number(out, bytes.len() as u64);
                out.extend_from_slice(bytes);
            }
            Command::Keep(id, length, sha256) => {
                out.push(1);
                number(out, *id);
                number(out, *length);
                out.extend_from_slice(*sha256);
            }
            Command::Forget(id) => {
                out.push(2);
                number(out, *id);
            }
            Command::Describe(second, id, sha256, text) => {
                out.push(3);
                number(out, *second);
                number(out, *id);
                out.extend_from_slice(*sha256);
                number(out, text.len() as u64);
                out.extend_from_slice(text);
            }
            Command::Write(name, content) => {
                out.push(4);
                for bytes in [name.as_bytes(), content] {
                    number(out, bytes.len() as u64);
                    out.extend_from_slice(bytes);
                }
            }
            Command::WriteAt(name, offset, content) => {
                out.push(5);
                number(out, *offset);
                for bytes in [name.as_bytes(), content] {
                    number(out, bytes.len() as u64);
                    out.extend_from_slice(bytes);
                }
            }
        }
    }

    /// The next command, and its line end.
    fn read(reader: &mut Reader<'a>) -> Option<Self> {
        let command = match reader.u8()? {
            0 => Command::Append(reader.u64()?, sized(reader)?),
            1 => Command::Keep(reader.u64()?, reader.u64()?, sha256(reader)?),
            2 => Command::Forget(reader.u64()?),
            3 => Command::Describe(reader.u64()?, reader.u64()?, sha256(reader)?, sized(reader)?),
            4 => Command::Write(name(reader)?, sized(reader)?),
            _ => {
                let offset = reader.u64()?;
                Command::WriteAt(name(reader)?, offset, sized(reader)?)
            }
        };
        reader.u8()?;
        Some(command)
    }
}

fn name<'a>(reader: &mut Reader<'a>) -> Option<&'a str> {
    std::str::from_utf8(sized(reader)?).ok()
}

fn sized<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = usize::try_from(reader.u64()?).ok()?;
    reader.take(length)
}

fn sha256<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8; 32]> {
    reader.take(32)?.try_into().ok()
}

/// A store of files.
pub(super) struct FileStoreSink {
    folder: PathBuf,
    errors: StoreErrors,
    room: StoreRoom,
    /// Names of files that are there, and that this run could not begin: most likely an earlier run left them.
    unreplaced: BTreeSet<Box<str>>,
}

impl FileStoreSink {
    /// A store below `folder`, which is made with the first file.
    pub(super) fn new(folder: PathBuf, errors: StoreErrors, room: StoreRoom) -> Self {
        Self { folder, errors, room, unreplaced: BTreeSet::new() }
    }

    fn run(&mut self, command: &Command<'_>) -> io::Result<()> {
        match command {
            Command::Append(id, bytes) => append(&self.begun(*id), bytes),
            Command::Keep(id, length, sha256) => {
                let begun = self.begun(*id);
                self.keep(&begun, *length, sha256).inspect_err(|_| leave(&begun))
            }
            Command::Forget(id) => fs::remove_file(self.begun(*id)),
            Command::Describe(second, id, sha256, text) => {
                let (_, kept) = self.kept(sha256);
                fs::write(format!("{}.{second}.{id}.json", kept.display()), text)
            }
            Command::Write(name, content) => self.begin(name, content),
            Command::WriteAt(name, offset, content) => {
                if self.unreplaced.len() >= MAX_UNREPLACED || self.unreplaced.contains(*name) {
                    return Err(io::Error::other("the file was not begun"));
                }
                let file = OpenOptions::new().write(true).open(self.folder.join(name))?;
                self.room.take(blocks(file.metadata()?.len(), *offset, content))?;
                file.write_all_at(content, *offset)
            }
        }
    }

    /// Begins a file in place of one of its name. That one stays where this one cannot be made or has no room, and nothing
    /// is added to it.
    fn begin(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        let path = self.folder.join(name);
        let taken = self.room.take(blocks(0, 0, content).max(BLOCK));
        let made = taken.and_then(|()| in_folder(&self.folder, || File::create(&path)));
        let written = made.and_then(|mut file| file.write_all(content).inspect_err(|_| leave(&path)));
        if written.is_ok() {
            self.unreplaced.remove(name);
        } else if self.unreplaced.len() < MAX_UNREPLACED && fs::symlink_metadata(&path).is_ok() {
            self.unreplaced.insert(name.into());
        }
        written
    }

    /// Keeps a file of which all bytes are here: one that is there already is not written.
    fn keep_whole(&self, id: u64, bytes: &[u8], sha256: &[u8; 32]) -> io::Result<()> {
        let (folder, path) = self.kept(sha256);
        if path.exists() {
            return Ok(());
        }
        let begun = self.begun(id);
        // A run that was killed may have left one of this number: it is replaced.
        in_folder(&self.folder.join("tmp"), || fs::write(&begun, bytes))
            .and_then(|()| in_folder(&folder, || fs::rename(&begun, &path)))
            .inspect_err(|_| leave(&begun))
    }

    fn begun(&self, id: u64) -> PathBuf {
        self.folder.join("tmp").join(format!("file.{id}"))
    }

    /// Where a file with this hash is kept: the folder and the path.
    fn kept(&self, sha256: &[u8; 32]) -> (PathBuf, PathBuf) {
        let name = hex::string(sha256);
        let folder = self.folder.join(name.get(..2).unwrap_or_default());
        let path = folder.join(name);
        (folder, path)
    }

    /// Moves a whole file to where its hash says.
    fn keep(&self, begun: &Path, length: u64, sha256: &[u8; 32]) -> io::Result<()> {
        if fs::metadata(begun)?.len() != length {
            return Err(io::Error::other("a part of the file was lost"));
        }
        let (folder, path) = self.kept(sha256);
        if path.exists() { fs::remove_file(begun) } else { in_folder(&folder, || fs::rename(begun, &path)) }
    }
}

impl Sink for FileStoreSink {
    fn write(&mut self, lines: &[u8]) -> Result<(), Unwritten> {
        let mut reader = Reader::new(lines);
        let (mut lost, mut first) = (0, None);
        let mut commands = std::iter::from_fn(|| Command::read(&mut reader)).peekable();
        while let Some(command) = commands.next() {
            let (taken, done) = match (&command, commands.peek()) {
                (Command::Append(id, bytes), Some(Command::Keep(same, length, sha256)))
                    if id == same && bytes.len() as u64 == *length =>
                {
                    let kept = self.keep_whole(*id, bytes, sha256);
                    commands.next();
                    (2, kept)
                }
                _ => (1, self.run(&command)),
            };
            if let Err(error) = done {
                self.errors.count();
                lost += taken;
                first.get_or_insert(error);
            }
        }
        first.map_or(Ok(()), |cause| Err(Unwritten { lost: Some(lost), cause }))
    }

    fn reopen(&mut self) -> Result<(), Unwritten> {
        Ok(())
    }
}

/// Leaves nothing behind of what could not be kept; it may be as unreachable as the rest, whose error is told.
fn leave(begun: &Path) {
    let _ = fs::remove_file(begun);
}

fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    in_folder(path.parent().unwrap_or(path), || options.open(path))?.write_all(bytes)
}

/// Does what needs a folder, which is made where it is not there.
pub(super) fn in_folder<T>(folder: &Path, act: impl Fn() -> io::Result<T>) -> io::Result<T> {
    match act() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(folder)?;
            act()
        }
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_obeyed_in_their_order() {
        let folder = std::env::temp_dir().join(format!("weir-store-sink-{}", std::process::id()));
        let errors = StoreErrors::counted_as("file_store.fs_errors");
        let mut sink = FileStoreSink::new(folder.clone(), errors.clone(), StoreRoom::Any);
        let (hash, other) = ([0xab; 32], [0xcd; 32]);
        let commands = [
            Command::Append(1, b"a\n"),
            Command::Append(2, b"lost"),
            Command::Append(1, b""),
            Command::Append(1, b"b"),
            Command::Append(3, b"c"),
            Command::Forget(3),
            Command::Keep(1, 3, &hash),
            Command::Describe(5, 1, &hash, b"{}"),
            Command::Write("1.pem", b"\n"),
            Command::WriteAt("1.pem", 3, b"x"),
        ];
        let mut lines = Vec::new();
        for command in commands {
            command.write(&mut lines);
            lines.push(b'\n');
        }
        let mut reader = Reader::new(&lines);
        assert_eq!(commands.map(Some), [(); 10].map(|()| Command::read(&mut reader)));
        sink.write(&lines).unwrap();
        let path = folder.join("ab").join("ab".repeat(32));
        assert_eq!(fs::read(&path).unwrap(), b"a\nb");
        assert_eq!(fs::read(format!("{}.5.1.json", path.display())).unwrap(), b"{}");
        assert_eq!(fs::read(folder.join("1.pem")).unwrap(), b"\n\0\0x");
        // A file that comes at once, and the same file again.
        for id in [7, 8] {
            let mut lines = Vec::new();
            for command in [Command::Append(id, b"whole"), Command::Keep(id, 5, &[0xef; 32])] {
                command.write(&mut lines);
                lines.push(b'\n');
            }
            sink.write(&lines).unwrap();
            assert_eq!(fs::read(folder.join("ef").join("ef".repeat(32))).unwrap(), b"whole");
        }
        let mut lines = Vec::new();
        Command::Keep(2, 5, &other).write(&mut lines);
        lines.push(b'\n');
        assert!(sink.write(&lines).is_err() && !folder.join("cd").exists());
        assert_eq!(fs::read_dir(folder.join("tmp")).unwrap().count(), 0);
        let mut counted = Vec::new();
        let mut count = |name: &str, value: u64| counted.push((name.to_owned(), value));
        errors.visit(&mut count);
        assert_eq!(counted, [("file_store.fs_errors".to_owned(), 1)]);
        fs::remove_dir_all(folder).unwrap();
    }

    /// Neither without room nor where it cannot be written.
    #[test]
    fn a_file_of_an_earlier_run_is_replaced_or_left_alone() {
        let folder = std::env::temp_dir().join(format!("weir-store-stale-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("c")).unwrap();
        for name in ["a", "b", "c/stale"] {
            fs::write(folder.join(name), "stale").unwrap();
        }
        std::os::unix::fs::symlink("/dev/full", folder.join("d")).unwrap();
        let errors = StoreErrors::counted_as("file_store.fs_errors");
        let mut sink = FileStoreSink::new(folder.clone(), errors, StoreRoom::of(4 * BLOCK));
        let large = [b'x'; 4 * BLOCK as usize];
        let mut run = |commands: &[Command<'_>]| {
            let mut lines = Vec::new();
            for command in commands {
                command.write(&mut lines);
                lines.push(b'\n');
            }
            sink.write(&lines).err().and_then(|unwritten| unwritten.lost)
        };
        let lost = run(&[
            Command::Write("a", b"first"),
            Command::Write("b", &large),
            Command::WriteAt("b", 2, b"more"),
            Command::WriteAt("a", 5, b" more"),
            Command::Write("c", b"a folder has this name"),
            Command::WriteAt("c", 5, b"more"),
            Command::Write("d", b"a disk that is full"),
            Command::WriteAt("d", 5, b"more"),
        ]);
        assert_eq!(lost, Some(6));
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(["a", "b", "c/stale"].map(read), ["first more", "stale", "stale"]);
        assert!(fs::symlink_metadata(folder.join("d")).is_err(), "what was begun is not left");
        // A later file of that name can be written.
        assert_eq!(run(&[Command::Write("b", b"now"), Command::WriteAt("b", 3, b" more")]), None);
        assert_eq!(read("b"), "now more");
        // More names than can be known: nothing is added to any file, as it may be one of them.
        sink.unreplaced = (0..MAX_UNREPLACED).map(|number| number.to_string().into()).collect();
        let mut lines = Vec::new();
        Command::WriteAt("b", 0, b"NOW").write(&mut lines);
        lines.push(b'\n');
        assert!(sink.write(&lines).is_err());
        assert_eq!(read("b"), "now more");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn whole_files_are_kept_as_they_are_or_not_at_all() {
        let folder = std::env::temp_dir().join(format!("weir-store-whole-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let begun = folder.join("tmp");
        fs::create_dir_all(&begun).unwrap();
        let errors = StoreErrors::counted_as("file_store.fs_errors");
        let mut sink = FileStoreSink::new(folder.clone(), errors, StoreRoom::Any);
        // Left by a run that was killed; on a disk that is full; where no folder can be made.
        fs::write(begun.join("file.1"), b"a longer rest").unwrap();
        std::os::unix::fs::symlink("/dev/full", begun.join("file.2")).unwrap();
        fs::write(folder.join("03"), b"").unwrap();
        for (id, lost) in [(1, None), (2, Some(2)), (3, Some(2))] {
            let hash = [id; 32];
            let id = id.into();
            let mut lines = Vec::new();
            for command in [Command::Append(id, b"whole"), Command::Keep(id, 5, &hash)] {
                command.write(&mut lines);
                lines.push(b'\n');
            }
            assert_eq!(sink.write(&lines).err().and_then(|error| error.lost), lost, "{id}");
            let (_, path) = sink.kept(&hash);
            assert_eq!(fs::read(path).ok(), lost.is_none().then(|| b"whole".to_vec()), "{id}");
        }
        assert_eq!(fs::read_dir(begun).unwrap().count(), 0);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn room_is_bounded() {
        let folder = std::env::temp_dir().join(format!("weir-store-room-{}", std::process::id()));
        let errors = StoreErrors::counted_where_any("zeek.extraction_errors");
        let room = StoreRoom::of(5 * BLOCK + 1);
        let mut sink = FileStoreSink::new(folder.clone(), errors.clone(), room);
        let whole = [b'b'; BLOCK as usize];
        // What fits, and the blocks that are taken then.
        for (command, fits) in [
            (Command::Write("a", b"a"), true),                   // 1
            (Command::WriteAt("a", 1, b"b"), true),              // 1: goes on in its block
            (Command::WriteAt("a", 2, &whole), true),            // 2
            (Command::WriteAt("a", 3 * BLOCK - 1, b"cc"), true), // 4: on both sides of a border
            (Command::WriteAt("a", 9 * BLOCK, &[b'd'; 4097]), false),
            (Command::WriteAt("a", 9 * BLOCK + 5, b"d"), true), // 5
            (Command::WriteAt("a", 2 * BLOCK, b"e"), false),
            (Command::WriteAt("a", 9 * BLOCK + 6, b"f"), true), // 5
            (Command::Write("d", b""), false),
        ] {
            let mut lines = Vec::new();
            command.write(&mut lines);
            lines.push(b'\n');
            assert_eq!(sink.write(&lines).is_ok(), fits, "{command:?}");
        }
        assert_eq!(fs::metadata(folder.join("a")).unwrap().len(), 9 * BLOCK + 7);
        assert!(!folder.join("d").exists());
        assert_eq!(StoreRoom::of(0), StoreRoom::Any);
        let mut counted = 0;
        errors.visit(&mut |_: &str, value: u64| counted += value);
        assert_eq!(counted, 3);
        fs::remove_dir_all(folder).unwrap();
    }
}
