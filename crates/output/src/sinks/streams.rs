//! The files of `tcp-data` and `http-body-data`: one for each stream or body, which its pieces are added to as they come.
//!
//! They are named after the ends of a connection, which other connections and earlier runs may have as well: a file of the
//! same name that is there when a stream begins gets the next name that is free, and what else belongs in it follows it.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_base::{Direction, Reader};

use super::file_store::in_folder;
use super::{Sink, Unwritten, set_aside};
use crate::outlet::Existing;

/// Most streams and bodies whose files are known: some MB. Beyond them the one that said nothing for longest is forgotten;
/// what it says then begins another file.
const MAX_STREAMS: usize = 65_536;

/// Names a stream or body in a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct StreamId {
    /// The flow's id.
    pub(crate) flow: u64,
    /// The transaction whose body it is.
    pub(crate) transaction: Option<u64>,
    pub(crate) direction: Direction,
}

/// A piece of a stream or body, as a line of the outlet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) stream: StreamId,
    /// The name of its file, without `.data`.
    pub(crate) name: &'a [u8],
    pub(crate) bytes: &'a [u8],
}

impl<'a> Piece<'a> {
    /// Appends the line, without its end, to `out`.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.push(self.stream.direction as u8);
        let transaction = self.stream.transaction.unwrap_or(u64::MAX);
        for number in [self.stream.flow, transaction, self.name.len() as u64, self.bytes.len() as u64] {
            out.extend_from_slice(&number.to_be_bytes());
        }
        out.extend_from_slice(self.name);
        out.extend_from_slice(self.bytes);
    }

    /// Reads the next line, with its end.
    fn read(reader: &mut Reader<'a>) -> Option<Self> {
        let direction = if reader.u8()? == 0 { Direction::ToServer } else { Direction::ToClient };
        let (flow, transaction) = (reader.u64()?, reader.u64()?);
        let (name, bytes) = (usize::try_from(reader.u64()?).ok()?, usize::try_from(reader.u64()?).ok()?);
        let (name, bytes) = (reader.take(name)?, reader.take(bytes)?);
        reader.u8()?;
        let transaction = (transaction != u64::MAX).then_some(transaction);
        Some(Self { stream: StreamId { flow, transaction, direction }, name, bytes })
    }
}

/// Where the pieces of a stream go.
#[derive(Debug)]
enum Place {
    /// To the file of its name.
    Named,
    /// To that file under the name that it got when another stream took its own.
    Aside(PathBuf),
    /// Nowhere: its file could not be made.
    Nowhere,
}

/// A stream whose file is known.
#[derive(Debug)]
struct Known {
    name: Arc<[u8]>,
    place: Place,
    /// Number of its latest piece.
    latest: u64,
}

/// A folder of streams.
pub(super) struct StreamsSink {
    folder: PathBuf,
    streams: HashMap<StreamId, Known>,
    /// Streams by the number of their latest piece.
    by_age: BTreeMap<u64, StreamId>,
    /// The streams that files belong to, by name.
    owners: HashMap<Arc<[u8]>, StreamId>,
    pieces: u64,
}

impl StreamsSink {
    /// A folder that is made with the first file. Where runs begin anew, those of earlier ones are removed.
    pub(super) fn new(folder: PathBuf, existing: Existing) -> Self {
        if existing != Existing::Append {
            clear(&folder);
        }
        Self { folder, streams: HashMap::new(), by_age: BTreeMap::new(), owners: HashMap::new(), pieces: 0 }
    }

    fn add(&mut self, piece: &Piece<'_>) -> io::Result<()> {
        self.pieces += 1;
        // A connection whose client turns out to be its server has other names from then on.
        if self.streams.get(&piece.stream).is_none_or(|known| *known.name != *piece.name) {
            self.forget(piece.stream);
            self.begin(piece)?;
        }
        let Some(stream) = self.streams.get_mut(&piece.stream) else { return Ok(()) };
        self.by_age.remove(&stream.latest);
        stream.latest = self.pieces;
        self.by_age.insert(stream.latest, piece.stream);
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        let mut file = match &stream.place {
            Place::Named => options.open(path(&self.folder, piece.name))?,
            Place::Aside(path) => options.open(path)?,
            Place::Nowhere => return Err(io::Error::other("the file could not be begun")),
        };
        file.write_all(piece.bytes)
    }

    /// Makes the file of a stream of which nothing is known.
    fn begin(&mut self, piece: &Piece<'_>) -> io::Result<()> {
        if self.streams.len() >= MAX_STREAMS
            && let Some((_, oldest)) = self.by_age.pop_first()
        {
            self.forget(oldest);
        }
        let made = self.make(piece.name);
        let name: Arc<[u8]> = piece.name.into();
        let place = match made {
            Ok(()) => {
                self.owners.insert(Arc::clone(&name), piece.stream);
                Place::Named
            }
            Err(_) => Place::Nowhere,
        };
        self.streams.insert(piece.stream, Known { name, place, latest: self.pieces });
        self.by_age.insert(self.pieces, piece.stream);
        made
    }

    /// Makes an empty file; one of its name that is there is renamed.
    fn make(&mut self, name: &[u8]) -> io::Result<()> {
        let path = path(&self.folder, name);
        if path.exists() {
            let aside = set_aside(&path)?;
            let owner = self.owners.remove(name);
            if let Some(stream) = owner.and_then(|owner| self.streams.get_mut(&owner)) {
                stream.place = Place::Aside(aside);
            }
        }
        in_folder(&self.folder, || OpenOptions::new().create(true).append(true).open(&path)).map(drop)
    }

    fn forget(&mut self, stream: StreamId) {
        let Some(known) = self.streams.remove(&stream) else { return };
        self.by_age.remove(&known.latest);
        if self.owners.get(&known.name) == Some(&stream) {
            self.owners.remove(&known.name);
        }
    }
}

impl Sink for StreamsSink {
    fn write(&mut self, lines: &[u8]) -> Result<(), Unwritten> {
        let mut reader = Reader::new(lines);
        let (mut lost, mut first) = (0, None);
        while let Some(piece) = Piece::read(&mut reader) {
            if let Err(error) = self.add(&piece) {
                lost += 1;
                first.get_or_insert(error);
            }
        }
        first.map_or(Ok(()), |cause| Err(Unwritten { lost: Some(lost), cause }))
    }

    /// Each piece opens its file anew.
    fn reopen(&mut self) -> Result<(), Unwritten> {
        Ok(())
    }
}

fn path(folder: &Path, name: &[u8]) -> PathBuf {
    folder.join(format!("{}.data", String::from_utf8_lossy(name)))
}

/// Removes the files of streams in a folder. What cannot be removed gets a number when a stream needs its name.
fn clear(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(is_of_stream)) {
        let _ = fs::remove_file(entry.path());
    }
}

/// Whether a file has such a name: `….data`, or `….data.1`.
fn is_of_stream(name: &str) -> bool {
    let stem = match name.rsplit_once('.') {
        Some((stem, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => stem,
        _ => name,
    };
    ["-ts.data", "-tc.data"].iter().any(|end| stem.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("weir-streams-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    /// Writes pieces of flows, all of this name; answers how many were lost.
    fn write(sink: &mut StreamsSink, name: &str, pieces: &[(u64, &str)]) -> Option<u64> {
        let mut lines = Vec::new();
        for (flow, text) in pieces {
            let stream = StreamId { flow: *flow, transaction: None, direction: Direction::ToClient };
            Piece { stream, name: name.as_bytes(), bytes: text.as_bytes() }.write(&mut lines);
            lines.push(b'\n');
        }
        sink.write(&lines).err().and_then(|unwritten| unwritten.lost)
    }

    #[test]
    fn pieces_are_read_as_they_were_written() {
        let stream = |transaction, direction| StreamId { flow: 7, transaction, direction };
        let pieces = [
            Piece { stream: stream(None, Direction::ToServer), name: b"a", bytes: b"\n" },
            Piece { stream: stream(Some(0), Direction::ToClient), name: b"", bytes: b"" },
        ];
        let mut lines = Vec::new();
        for piece in pieces {
            piece.write(&mut lines);
            lines.push(b'\n');
        }
        let mut reader = Reader::new(&lines);
        assert_eq!([(); 3].map(|()| Piece::read(&mut reader)), [Some(pieces[0]), Some(pieces[1]), None]);
    }

    /// Streams of connections that are open at a time and have the same ends, each of which began before the other went on.
    #[test]
    fn no_stream_is_mixed_with_another() {
        let folder = folder("mixed");
        for (existing, number) in [(Existing::Append, 0), (Existing::Append, 2), (Existing::Clear, 0)] {
            let mut sink = StreamsSink::new(folder.clone(), existing);
            let pieces = [(1, "one "), (2, "two "), (1, "more"), (2, "more")];
            assert_eq!(write(&mut sink, "a-tc", &pieces), None);
            let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
            assert_eq!(read("a-tc.data"), "two more");
            assert_eq!(read(&format!("a-tc.data.{}", number + 1)), "one more");
            assert_eq!(fs::read_dir(&folder).unwrap().count(), number + 2, "{existing:?}");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    /// The client of a stream may turn out later to be the other end.
    #[test]
    fn a_stream_of_another_name_is_another_one() {
        let folder = folder("renamed");
        let mut sink = StreamsSink::new(folder.clone(), Existing::Append);
        for (name, text) in [("a_b-tc", "one"), ("b_a-tc", "two"), ("b_a-tc", " more")] {
            assert_eq!(write(&mut sink, name, &[(1, text)]), None);
        }
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(["a_b-tc.data", "b_a-tc.data"].map(read), ["one", "two more"]);
        assert_eq!([sink.streams.len(), sink.by_age.len(), sink.owners.len()], [1; 3]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_stream_whose_file_cannot_be_made_is_added_to_no_other() {
        let folder = folder("refused");
        fs::create_dir_all(&folder).unwrap();
        // As long as a name can be: there is none with a number behind it.
        let name = "x".repeat(250);
        fs::write(path(&folder, name.as_bytes()), "earlier").unwrap();
        let mut sink = StreamsSink::new(folder.clone(), Existing::Append);
        assert_eq!(write(&mut sink, &name, &[(1, "one"), (1, "more")]), Some(2));
        assert_eq!(fs::read_to_string(path(&folder, name.as_bytes())).unwrap(), "earlier");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn streams_that_are_forgotten_begin_another_file() {
        let folder = folder("forgotten");
        let mut sink = StreamsSink::new(folder.clone(), Existing::Append);
        assert_eq!(write(&mut sink, "a-tc", &[(1, "one"), (2, "two")]), None);
        let stream = |flow| StreamId { flow, transaction: None, direction: Direction::ToServer };
        for flow in 3.. {
            if sink.streams.len() >= MAX_STREAMS {
                break;
            }
            sink.pieces += 1;
            let known = Known { name: b"b"[..].into(), place: Place::Nowhere, latest: sink.pieces };
            sink.streams.insert(stream(flow), known);
            sink.by_age.insert(sink.pieces, stream(flow));
        }
        // The first one is forgotten for another, and not that one which has gone on.
        assert_eq!(write(&mut sink, "a-tc", &[(2, " more")]), None);
        assert_eq!(write(&mut sink, "c-tc", &[(0, "another")]), None);
        assert_eq!(write(&mut sink, "a-tc", &[(2, " and more")]), None);
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(read("a-tc.data"), "two more and more");
        assert_eq!((sink.streams.len(), sink.by_age.len()), (MAX_STREAMS, MAX_STREAMS));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn files_of_streams_are_known_by_their_names() {
        for (name, expected) in [
            ("10.0.0.1_4000-10.0.0.2_80-ts.data", true),
            ("10.0.0.1_4000-10.0.0.2_80-7-tc.data.12", true),
            ("notes.data", false),
            ("a-ts.data.old", false),
            ("a-ts", false),
        ] {
            assert_eq!(is_of_stream(name), expected, "{name}");
        }
    }
}
