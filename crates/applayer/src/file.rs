//! Files that transactions carry: their size, digests, first bytes and the content that rules see.

use std::cell::Cell;

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use weir_base::{Direction, Timestamp};

use crate::body::{Body, BodyLimits};
use crate::extraction::Extraction;
use crate::mime;
use crate::parser::ParseContext;

/// First bytes kept to tell a file's type; as many as Zeek looks at.
pub const HEAD_BYTES: usize = 4096;

/// First bytes that are enough to find a file's type while more of it comes.
const DESCRIBED_BYTES: usize = 512;

/// Most bytes gathered of a file that is perhaps to be stored before that is decided, or between
/// two writes.
pub const MAX_GATHERED: usize = 64 << 20;

/// Extent to which the bodies of messages are read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Bodies {
    /// Nobody asks what they hold: they are passed over.
    Skipped,
    /// Bytes are logged or stored, and not kept for inspection.
    Read,
    /// Rules, scripts or a log look at it: it is kept as well.
    Kept,
}

/// Treatment of the files of a flow: the union of the wishes of rules and outputs.
///
/// It has a field for each wish that rules and outputs can have.
#[derive(Clone, Copy, Debug)]
pub struct FileSettings {
    /// Track files at all.
    pub enabled: bool,
    /// Keep content for `file.data` and file stores.
    pub content: bool,
    /// Treatment of the content of bodies.
    pub bodies: Bodies,
    /// Limits on the content that is kept, and its cuts into inspections.
    pub inspect: BodyLimits,
    /// Compute MD5.
    pub md5: bool,
    /// Compute SHA-1.
    pub sha1: bool,
    /// Compute SHA-256.
    pub sha256: bool,
    /// Keep the first bytes so that the type can be found, of each entity of a message.
    pub magic: bool,
    /// Compute MD5 and SHA-1 of each of these entities.
    pub hash_entities: bool,
    /// Extract all files that Zeek's logs have.
    pub extract: bool,
    /// Hand on the bytes of these files as they come, for scripts.
    pub told: bool,
    /// Keep the first bytes of files so that libmagic can describe them.
    pub describe: bool,
    /// Keep messages as they were sent, for scripts.
    pub messages: bool,
    /// Gather all bytes, as files may be stored.
    pub gather: bool,
    /// Store all files.
    pub store: bool,
    /// Bytes of stored files that are followed, whatever limit bodies have for rules; zero: to their end,
    /// none: as far as bodies.
    pub depth: Option<u64>,
}

impl FileSettings {
    /// Returns the treatment of a file for Zeek's logs alone.
    #[must_use]
    pub fn of_entity(&self) -> Self {
        let Self { hash_entities: hashed, extract, told, .. } = *self;
        Self { content: false, magic: true, md5: hashed, sha1: hashed, extract, told, ..Self::default() }
    }

    /// Returns the bytes up to which a stored file is followed whose body has this `limit`; zero for no limit.
    pub fn limit(&self, limit: u64) -> u64 {
        match self.depth {
            None => limit,
            Some(0) => 0,
            Some(_) if limit == 0 => 0,
            Some(depth) => limit.max(depth),
        }
    }
}

impl Default for FileSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            content: true,
            bodies: Bodies::Kept,
            inspect: BodyLimits { limit: 0, minimal_inspect: 0, window: 0 },
            md5: false,
            sha1: false,
            sha256: false,
            magic: false,
            hash_entities: false,
            extract: false,
            told: false,
            describe: false,
            messages: false,
            gather: false,
            store: false,
            depth: None,
        }
    }
}

/// State of a file: open, or the way in which it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FileState {
    /// More is expected.
    #[default]
    Open,
    /// All of it was seen.
    Closed,
    /// It ended early: the flow ended, or a limit was reached.
    Truncated,
    /// It could not be followed.
    Error,
}

impl FileState {
    /// `state` in EVE records.
    pub const fn name(self) -> &'static str {
        match self {
            FileState::Open => "UNKNOWN",
            FileState::Closed => "CLOSED",
            FileState::Truncated => "TRUNCATED",
            FileState::Error => "ERROR",
        }
    }
}

/// Progress of rules in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Review {
    /// It has not ended.
    #[default]
    Growing,
    /// They look at it for the first time since it ended.
    Last,
    /// They looked at all of it.
    Past,
}

/// Digests of all bytes of a file, as far as they were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digests {
    /// MD5.
    pub md5: Option<[u8; 16]>,
    /// SHA-1.
    pub sha1: Option<[u8; 20]>,
    /// SHA-256.
    pub sha256: Option<[u8; 32]>,
}

/// Digests in the making.
#[derive(Debug, Clone)]
struct Hashers {
    md5: Option<Md5>,
    sha1: Option<Sha1>,
    sha256: Option<Sha256>,
}

impl Hashers {
    /// Makes the hashers that `settings` ask for; none where they ask for nothing.
    fn new(settings: &FileSettings) -> Option<Box<Self>> {
        (settings.md5 || settings.sha1 || settings.sha256).then(|| {
            Box::new(Self {
                md5: settings.md5.then(Md5::new),
                sha1: settings.sha1.then(Sha1::new),
                sha256: settings.sha256.then(Sha256::new),
            })
        })
    }

    fn update(&mut self, bytes: &[u8]) {
        if let Some(md5) = &mut self.md5 {
            md5.update(bytes);
        }
        if let Some(sha1) = &mut self.sha1 {
            sha1.update(bytes);
        }
        if let Some(sha256) = &mut self.sha256 {
            sha256.update(bytes);
        }
    }

    fn finish(self) -> Digests {
        Digests {
            md5: self.md5.map(|h| h.finalize().into()),
            sha1: self.sha1.map(|h| h.finalize().into()),
            sha256: self.sha256.map(|h| h.finalize().into()),
        }
    }
}

/// One file.
///
/// It is flat, as outputs read what the parser, the digests and the extraction each filled in, in passing.
#[derive(Clone, Debug)]
pub struct File {
    /// Number within the flow, from 0.
    pub id: u64,
    /// Its name, any bytes; empty where there is none.
    pub name: Vec<u8>,
    /// Position among the entities of the connection, where its protocol numbers them.
    pub depth: u64,
    /// Position among the entities of its message, from 1, where its protocol numbers them.
    pub entity: u64,
    /// Side that sends it.
    pub direction: Direction,
    /// State, and the way in which it ended.
    pub state: FileState,
    /// Bytes seen, gaps not counted.
    pub size: u64,
    /// Bytes known to be missing.
    pub missing: u64,
    /// Size as announced.
    pub announced: Option<u64>,
    /// Its type, where its protocol tells it to scripts that follow files.
    pub told_type: Option<&'static str>,
    /// The name is none that was given to the file, but where it was asked for.
    pub name_is_path: bool,
    /// It was put together from several bodies.
    pub assembled: bool,
    /// Bytes that came after what is inspected, of which nothing but their number is known.
    pub beyond: u64,
    /// First byte of a partial transfer.
    pub start: Option<u64>,
    /// Last byte of a partial transfer.
    pub end: Option<u64>,
    /// Its end was seen, though what carries it goes on and counts it as open.
    pub ends_early: bool,
    /// Bytes are missing.
    pub has_gap: bool,
    /// Capture time of the first byte; of the opening as long as there is none.
    pub first_seen: Timestamp,
    /// Capture time of the last byte.
    pub last_seen: Timestamp,
    /// Content for rules.
    pub content: Body,
    /// A rule or the configuration wants it stored.
    pub store_requested: bool,
    /// It was stored.
    pub stored: bool,
    /// Its number in the store.
    pub store_id: Option<u64>,
    review: Review,
    /// Bytes for the store, while it may want them.
    gathered: Option<Vec<u8>>,
    /// Bytes to be extracted as Zeek does.
    extraction: Extraction,
    /// Content is kept.
    keeps_content: bool,
    /// The first bytes; they end at the first gap.
    head: Vec<u8>,
    /// The type that so many first bytes show.
    recognised: Cell<Option<(usize, Option<&'static str>)>>,
    /// More of the head may come.
    head_open: bool,
    /// Kind of the content in words, once that was asked for and is known.
    pub description: Option<Box<str>>,
    hashers: Option<Box<Hashers>>,
    digests: Option<Box<Digests>>,
    /// MD5 and SHA-1 are computed for Zeek's logs, and whether rules or other outputs ask for each of them.
    asked: Option<(bool, bool)>,
}

impl File {
    /// A file whose transfer begins at `time`.
    pub fn open(
        id: u64,
        name: Vec<u8>,
        direction: Direction,
        time: Timestamp,
        settings: &FileSettings,
    ) -> Self {
        Self {
            id,
            name,
            depth: 0,
            entity: 0,
            direction,
            state: FileState::Open,
            size: 0,
            missing: 0,
            announced: None,
            name_is_path: false,
            told_type: None,
            assembled: false,
            beyond: 0,
            start: None,
            end: None,
            ends_early: false,
            has_gap: false,
            first_seen: time,
            last_seen: time,
            content: Body::new(settings.inspect),
            store_requested: settings.gather && settings.store,
            stored: false,
            store_id: None,
            review: Review::default(),
            gathered: settings.gather.then(Vec::new),
            extraction: Extraction::default(),
            keeps_content: settings.content,
            head: Vec::new(),
            recognised: Cell::new(None),
            head_open: settings.magic || settings.describe,
            description: None,
            hashers: Hashers::new(settings),
            digests: None,
            asked: None,
        }
    }

    /// Opens a file for Zeek's logs, too: extracted, and with MD5 and SHA-1, where they ask for that. Others are
    /// told no more of these than `settings` say.
    pub fn open_for_all(
        id: u64,
        name: Vec<u8>,
        direction: Direction,
        time: Timestamp,
        settings: &FileSettings,
    ) -> Self {
        let hashed = settings.hash_entities;
        let FileSettings { md5, sha1, .. } = *settings;
        let settings = FileSettings { md5: md5 || hashed, sha1: sha1 || hashed, ..*settings };
        let is_handed_on = settings.extract || settings.told;
        let extraction = if is_handed_on { Extraction::begun(settings.told) } else { Extraction::default() };
        let asked = hashed.then_some((md5, sha1));
        Self { asked, extraction, ..Self::open(id, name, direction, time, &settings) }
    }

    /// Opens a file for Zeek's logs alone.
    pub fn open_entity(
        id: u64,
        name: Vec<u8>,
        direction: Direction,
        time: Timestamp,
        settings: &FileSettings,
    ) -> Self {
        Self::open_for_all(id, name, direction, time, &settings.of_entity())
    }

    /// Forks the file for Zeek's logs alone, which go on from here without what rules and stores keep of it.
    pub fn fork(&mut self) -> Self {
        let limits = self.content.limits();
        let content = std::mem::replace(&mut self.content, Body::new(limits));
        let gathered = self.gathered.take();
        let extraction = std::mem::take(&mut self.extraction);
        let part = Self { store_requested: false, keeps_content: false, extraction, ..self.clone() };
        (self.content, self.gathered) = (content, gathered);
        part
    }

    /// The next bytes, captured at `time`. Nothing happens once the file has ended.
    pub fn append(&mut self, bytes: &[u8], time: Timestamp) {
        if self.state != FileState::Open || bytes.is_empty() {
            return;
        }
        if self.size == 0 && self.missing == 0 {
            self.first_seen = time;
        }
        self.last_seen = time;
        self.extraction.push(self.length(), bytes, time);
        self.size = self.size.saturating_add(bytes.len() as u64);
        if self.head_open {
            let room = HEAD_BYTES.saturating_sub(self.head.len());
            self.head.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
            self.head_open = self.head.len() < HEAD_BYTES;
        }
        if let Some(hashers) = &mut self.hashers {
            hashers.update(bytes);
        }
        if self.keeps_content {
            self.content.push(bytes);
        }
        if let Some(gathered) = &mut self.gathered {
            gathered.extend_from_slice(bytes);
            if gathered.len() > MAX_GATHERED {
                self.gathered = None;
                self.store_requested = false;
            }
        }
    }

    /// The next bytes, which are those of a push: each when it was captured.
    pub fn append_arrived(&mut self, bytes: &[u8], cx: &ParseContext<'_>) {
        let mut from = 0;
        for end in cx.arrivals.iter().skip(1).map(|&(start, _)| start).chain([bytes.len()]) {
            self.append(bytes.get(from..end).unwrap_or_default(), cx.arrival(from));
            from = end.max(from);
        }
    }

    /// Asks for the file to be stored, if its bytes are still there.
    pub fn request_store(&mut self) {
        self.store_requested |= self.gathered.is_some();
    }

    /// Rules are about to look at it.
    pub fn begin_review(&mut self) {
        self.review = match (self.state, self.review) {
            (FileState::Open, _) => Review::Growing,
            (_, Review::Growing) => Review::Last,
            (_, Review::Last | Review::Past) => Review::Past,
        };
    }

    /// Whether rules looked at all of it before: what they ask of files is asked of those after it.
    pub fn is_past(&self) -> bool {
        self.review == Review::Past
    }

    /// Bytes of memory that it takes.
    pub fn memory(&self) -> usize {
        let waiting = self.gathered() + self.extraction.memory();
        size_of::<Self>() + self.name.len() + self.content.bytes().1.len() + waiting + self.head.len()
    }

    /// Returns its length so far: bytes seen and bytes missing.
    pub fn length(&self) -> u64 {
        self.size.saturating_add(self.missing)
    }

    pub(crate) const fn extraction(&self) -> &Extraction {
        &self.extraction
    }

    /// Returns the number of bytes that wait for the store.
    pub fn gathered(&self) -> usize {
        self.gathered.as_ref().map_or(0, Vec::len)
    }

    /// The bytes that wait for the store.
    pub fn take_gathered(&mut self) -> Vec<u8> {
        self.gathered.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The file will not be stored.
    pub fn stop_gathering(&mut self) {
        self.gathered = None;
    }

    /// `length` bytes came at `time` that are past the limit of what is inspected.
    pub fn pass(&mut self, length: u64, time: Timestamp) {
        self.beyond = self.beyond.saturating_add(length);
        self.last_seen = time;
    }

    /// The next `length` bytes were never seen. Only the SHA-256 goes on, as the name under which
    /// what was seen is stored.
    pub fn gap(&mut self, length: u64) {
        if self.state != FileState::Open || length == 0 {
            return;
        }
        self.has_gap = true;
        self.missing = self.missing.saturating_add(length);
        self.head_open = false;
        if let Some(hashers) = &mut self.hashers {
            hashers.md5 = None;
            hashers.sha1 = None;
        }
    }

    /// Ends the file. One that is [`FileState::Closed`] with bytes missing is truncated.
    pub fn close(&mut self, state: FileState) {
        if self.state != FileState::Open || state == FileState::Open {
            return;
        }
        self.state = match state {
            FileState::Closed if self.has_gap => FileState::Truncated,
            other => other,
        };
        self.head_open = false;
        self.digests = self.hashers.take().map(|hashers| Box::new(hashers.finish()));
        self.content.finish();
    }

    /// Stops keeping content: no rule or store wants it.
    pub fn drop_content(&mut self) {
        self.keeps_content = false;
        self.content = Body::new(self.content.limits());
    }

    /// Whether content is kept.
    pub fn keeps_content(&self) -> bool {
        self.keeps_content
    }

    /// Digests of all bytes seen, however the file ended, once it has; none where bytes are missing.
    pub fn digests(&self) -> Digests {
        self.seen_digests().filter(|_| !self.has_gap).unwrap_or_default()
    }

    fn seen_digests(&self) -> Option<Digests> {
        self.digests.as_deref().copied()
    }

    /// MD5 of a file that was seen in full, for all but Zeek's logs.
    pub fn md5(&self) -> Option<[u8; 16]> {
        let asked = self.asked.is_none_or(|(md5, _)| md5);
        self.digests().md5.filter(|_| asked && self.state == FileState::Closed)
    }

    /// SHA-1 of a file that was seen in full, for all but Zeek's logs.
    pub fn sha1(&self) -> Option<[u8; 20]> {
        let asked = self.asked.is_none_or(|(_, sha1)| sha1);
        self.digests().sha1.filter(|_| asked && self.state == FileState::Closed)
    }

    /// SHA-256 of what was seen; also of a truncated file, which is stored under that name.
    pub fn sha256(&self) -> Option<[u8; 32]> {
        self.seen_digests()?.sha256
    }

    /// The first bytes, up to [`HEAD_BYTES`], where [`FileSettings::magic`] asked for them.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Whether the first bytes show the file's type as well as they will: there are enough of them, or
    /// no more come.
    pub fn can_be_described(&self) -> bool {
        self.description.is_none()
            && !self.head.is_empty()
            && (self.head.len() >= DESCRIBED_BYTES || self.state != FileState::Open)
    }

    /// The MIME type that the first bytes show, by Zeek's names.
    pub fn mime_type(&self) -> Option<&'static str> {
        match self.recognised.get() {
            Some((length, kind)) if length == self.head.len() => kind,
            _ => {
                let kind = mime::recognise(&self.head);
                self.recognised.set(Some((self.head.len(), kind)));
                kind
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_base::hex;

    fn settings() -> FileSettings {
        FileSettings { md5: true, sha1: true, sha256: true, magic: true, ..FileSettings::default() }
    }

    fn file(settings: &FileSettings) -> File {
        File::open(0, b"a.txt".to_vec(), Direction::ToClient, Timestamp(5), settings)
    }

    #[test]
    fn hashes_for_zeek_alone() {
        for (md5, sha1) in [(false, false), (true, false)] {
            let settings = FileSettings { md5, sha1, hash_entities: true, ..FileSettings::default() };
            let time = Timestamp::default();
            let mut file = File::open_for_all(0, Vec::new(), Direction::ToClient, time, &settings);
            file.append(b"abc", time);
            file.close(FileState::Closed);
            assert!(file.digests().md5.is_some() && file.digests().sha1.is_some());
            assert_eq!((file.md5().is_some(), file.sha1().is_some()), (md5, sha1));
        }
    }

    #[test]
    fn digests_of_pieces_are_those_of_the_whole() {
        let mut file = file(&settings());
        file.append(b"a", Timestamp(7));
        file.append(b"", Timestamp(8));
        file.append(b"bc", Timestamp(9));
        assert!(!file.can_be_described(), "more may come");
        assert_eq!(file.digests(), Digests::default(), "not before the end");
        file.close(FileState::Closed);
        assert_eq!(hex::string(&file.md5().unwrap()), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(hex::string(&file.sha1().unwrap()), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(
            hex::string(&file.sha256().unwrap()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!((file.size, file.first_seen, file.last_seen), (3, Timestamp(7), Timestamp(9)));
        assert_eq!(file.head(), b"abc");
        assert!(file.can_be_described());
        assert_eq!(file.content.bytes(), (0, &b"abc"[..]));
        file.append(b"late", Timestamp(10));
        assert_eq!(file.size, 3, "a closed file takes no more");
    }

    #[test]
    fn a_gap_ends_digests_and_head() {
        let mut file = file(&settings());
        file.append(b"abc", Timestamp(7));
        file.gap(10);
        file.append(b"def", Timestamp(9));
        file.close(FileState::Closed);
        assert_eq!(file.state, FileState::Truncated);
        assert_eq!(file.digests(), Digests::default());
        assert_eq!(
            hex::string(&file.sha256().unwrap()),
            "bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721",
            "of the bytes seen"
        );
        assert_eq!((file.size, file.missing, file.has_gap), (6, 10, true));
        assert_eq!(file.head(), b"abc");
    }

    #[test]
    fn a_truncated_file_has_only_the_name_it_is_stored_under() {
        let mut file = file(&settings());
        file.append(b"abc", Timestamp(7));
        file.close(FileState::Truncated);
        file.close(FileState::Closed);
        assert_eq!((file.state.name(), file.md5(), file.sha1()), ("TRUNCATED", None, None));
        assert!(file.sha256().is_some() && file.digests().md5.is_some());
    }

    #[test]
    fn keeps_nothing_that_nobody_asked_for() {
        let mut file = file(&FileSettings { content: false, ..FileSettings::default() });
        file.append(&[b'x'; 2 * HEAD_BYTES], Timestamp(7));
        file.close(FileState::Closed);
        assert_eq!((file.head().len(), file.content.total(), file.digests()), (0, 0, Digests::default()));
        assert_eq!(file.size, 2 * HEAD_BYTES as u64);
    }

    #[test]
    fn bytes_are_gathered_for_the_store() {
        let gather = FileSettings { gather: true, ..settings() };
        for (settings, expected) in [
            (settings(), (false, 0)),
            (gather, (false, 3)),
            (FileSettings { store: true, ..gather }, (true, 3)),
        ] {
            let mut file = file(&settings);
            file.append(b"abc", Timestamp(7));
            assert_eq!((file.store_requested, file.gathered()), expected);
            file.request_store();
            assert_eq!(file.store_requested, settings.gather);
            assert_eq!(file.take_gathered().len(), expected.1);
            assert_eq!(file.gathered(), 0);
        }
    }

    #[test]
    fn bytes_past_the_limit_are_counted_apart() {
        let mut file = file(&settings());
        file.append(b"abc", Timestamp(7));
        file.close(FileState::Truncated);
        file.pass(5, Timestamp(9));
        assert_eq!((file.size, file.beyond, file.last_seen), (3, 5, Timestamp(9)));
    }

    #[test]
    fn files_may_be_followed_farther_than_bodies() {
        for (depth, limit, expected) in
            [(None, 5, 5), (Some(0), 5, 0), (Some(9), 5, 9), (Some(3), 5, 5), (Some(3), 0, 0)]
        {
            let settings = FileSettings { depth, ..FileSettings::default() };
            assert_eq!(settings.limit(limit), expected, "{depth:?} {limit}");
        }
    }

    #[test]
    fn the_head_is_bounded() {
        let mut file = file(&settings());
        for _ in 0..9 {
            file.append(&[b'x'; 1000], Timestamp(7));
        }
        assert_eq!(file.head().len(), HEAD_BYTES);
    }
}
