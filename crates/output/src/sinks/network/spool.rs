//! Records that wait on disk: files of frames in a folder, in the order of their numbers.
//!
//! A file begins with eight bytes of magic. A frame is its length in bytes, the number of its records and a CRC-32 over both
//! and the bytes, all little endian, and the bytes: whole lines. Files are removed when all of them is acknowledged. The
//! file `position` says how much of the first one was acknowledged when a run ended. What is damaged or cut off is left out
//! to the end of its file, and told.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use weir_config::WhenFull;

use super::frame::{HEAD, MAGIC, frame, head, read_frame};

/// Files that a full spool has, about.
const SEGMENTS: u64 = 64;

/// Least and most bytes of a file before another one is begun.
const SEGMENT_BYTES: (u64, u64) = (64 << 10, 8 << 20);

/// Ending of the files' names.
const ENDING: &str = "spool";

/// The file that says how much of the first one was acknowledged.
const POSITION: &str = "position";

/// Number of the first file: others may come before it.
const FIRST_NUMBER: u64 = 1 << 32;

/// A place in the spool: behind a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    segment: u64,
    offset: u64,
}

/// Lines that were read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) bytes: Vec<u8>,
    pub(super) records: u32,
    /// Records of it that are acknowledged already.
    pub(super) skip: u32,
    pub(super) end: Place,
}

/// A file.
#[derive(Debug)]
struct Segment {
    number: u64,
    bytes: u64,
    records: u64,
}

/// Where reading goes on.
#[derive(Debug)]
struct Reading {
    segment: u64,
    offset: u64,
    file: File,
}

/// The records of a target that wait on disk.
#[derive(Debug)]
pub(super) struct Spool {
    folder: PathBuf,
    /// Bytes of all files; none where there is no spool.
    limit: u64,
    full: WhenFull,
    segments: VecDeque<Segment>,
    bytes: u64,
    /// The last file, where it is written.
    writing: Option<File>,
    reading: Option<Reading>,
    /// Number of the first file of which nothing was read.
    unread: u64,
    /// Where the first reading begins, and how many records of that frame are left out.
    begin: Option<(Place, u32)>,
    /// Behind the last frame that was acknowledged.
    done: Option<Place>,
    /// Files that were damaged, not yet told of.
    damaged: Vec<PathBuf>,
    /// The folder, locked against other processes.
    lock: Option<File>,
    /// Another process has it.
    is_taken: bool,
}

/// What became of records that were to wait.
#[derive(Debug)]
pub(super) enum Kept {
    /// They wait; so many older ones were given up for them.
    Yes(u64),
    /// There is no room.
    Full,
    /// The disk says no.
    Failed(io::Error),
}

impl Spool {
    /// Opens the spool in a folder, with what earlier runs left there.
    pub(super) fn open(folder: PathBuf, limit: u64, full: WhenFull) -> Self {
        let mut spool = Self {
            folder,
            limit,
            full,
            segments: VecDeque::new(),
            bytes: 0,
            writing: None,
            reading: None,
            unread: 0,
            begin: None,
            done: None,
            damaged: Vec::new(),
            lock: None,
            is_taken: false,
        };
        if limit == 0 || !spool.lock() {
            spool.limit = 0;
            return spool;
        }
        let mut numbers: Vec<u64> = fs::read_dir(&spool.folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| number_of(&entry.ok()?.path()))
            .collect();
        numbers.sort_unstable();
        spool.begin = spool.read_position().filter(|(place, _)| {
            numbers.first() == Some(&place.segment)
                && look_through(&spool.path(place.segment), place.offset).is_ok_and(|found| found.2)
        });
        let _ = fs::remove_file(spool.folder.join(POSITION));
        for number in numbers {
            let path = spool.path(number);
            let begin = spool.begin.filter(|(place, _)| place.segment == number);
            let offset = begin.map_or(MAGIC.len() as u64, |(place, _)| place.offset);
            let Ok((bytes, records, _)) = look_through(&path, offset) else {
                spool.set_aside(number);
                continue;
            };
            spool.bytes += bytes;
            spool.segments.push_back(Segment { number, bytes, records });
        }
        if let Some((_, skip)) = spool.begin
            && let Some(first) = spool.segments.front_mut()
        {
            first.records = first.records.saturating_sub(skip.into());
        }
        spool
    }

    /// Locks the folder; false where another process has it. What else is wrong is told when something is to wait.
    fn lock(&mut self) -> bool {
        let _ = fs::create_dir_all(&self.folder);
        self.lock = File::open(&self.folder).ok();
        let Some(folder) = &self.lock else { return true };
        let locked = rustix::fs::flock(folder, rustix::fs::FlockOperation::NonBlockingLockExclusive);
        self.is_taken = locked == Err(rustix::io::Errno::WOULDBLOCK);
        !self.is_taken
    }

    /// Leaves the folder to others.
    pub(super) fn release(&mut self) {
        self.lock = None;
    }

    /// Whether another process has the folder, so that nothing waits on disk.
    pub(super) const fn is_taken(&self) -> bool {
        self.is_taken
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number:020}.{ENDING}"))
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether records may wait here.
    pub(super) const fn is_on(&self) -> bool {
        self.limit > 0
    }

    /// Whether nothing waits that is not acknowledged.
    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Records in all files, those included that were read and are not acknowledged.
    pub(super) fn records(&self) -> u64 {
        self.segments.iter().map(|segment| segment.records).sum()
    }

    /// Files that turned out to be damaged since the last call.
    pub(super) fn take_damaged(&mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.damaged)
    }

    /// Whether something waits that was not read.
    pub(super) fn has_unread(&self) -> bool {
        let is_ahead = |reading: &Reading, segment: &Segment| {
            segment.number == reading.segment && reading.offset < segment.bytes
        };
        self.segments.iter().rev().any(|segment| {
            segment.number >= self.unread
                || self.reading.as_ref().is_some_and(|reading| is_ahead(reading, segment))
        })
    }

    /// Has lines wait behind all others.
    pub(super) fn append(&mut self, lines: &[u8], records: u32) -> Kept {
        let needed = (lines.len() + HEAD + MAGIC.len()) as u64;
        let mut given_up = 0;
        while self.bytes + needed > self.limit {
            match self.full {
                WhenFull::LoseNewest => return Kept::Full,
                WhenFull::LoseOldest => match self.lose_oldest() {
                    Some(records) => given_up += records,
                    None => return Kept::Full,
                },
            }
        }
        match self.write(lines, records) {
            Ok(()) => Kept::Yes(given_up),
            Err(error) => Kept::Failed(error),
        }
    }

    /// Removes the oldest file that is not being read or written: so many records are lost.
    fn lose_oldest(&mut self) -> Option<u64> {
        let reading = self.reading.as_ref().map(|reading| reading.segment);
        let last = self.segments.back().map(|segment| segment.number);
        let may_go = |segment: &Segment| {
            segment.number >= self.unread && Some(segment.number) != reading && Some(segment.number) != last
        };
        let place = self.segments.iter().position(may_go)?;
        let gone = self.segments.remove(place)?;
        self.bytes = self.bytes.saturating_sub(gone.bytes);
        let _ = fs::remove_file(self.path(gone.number));
        Some(gone.records)
    }

    fn write(&mut self, lines: &[u8], records: u32) -> io::Result<()> {
        let (least, most) = SEGMENT_BYTES;
        let enough = (self.limit / SEGMENTS).clamp(least, most);
        if self.segments.back().is_none_or(|last| last.bytes >= enough) {
            self.writing = None;
        }
        if self.writing.is_none() {
            let next = self.segments.back().map_or(FIRST_NUMBER, |last| last.number + 1).max(self.unread);
            self.writing = Some(self.begin(next)?);
            self.segments.push_back(Segment { number: next, bytes: MAGIC.len() as u64, records: 0 });
            self.bytes += MAGIC.len() as u64;
        }
        let (Some(file), Some(last)) = (self.writing.as_mut(), self.segments.back_mut()) else {
            return Ok(());
        };
        let frame = frame(lines, records)?;
        if let Err(error) = file.write_all(&frame) {
            // Behind a frame that is not whole nothing could be read.
            if file.set_len(last.bytes).and_then(|()| file.seek(SeekFrom::End(0))).is_err() {
                self.writing = None;
            }
            return Err(error);
        }
        last.bytes += frame.len() as u64;
        last.records += u64::from(records);
        self.bytes += frame.len() as u64;
        Ok(())
    }

    fn begin(&self, number: u64) -> io::Result<File> {
        fs::create_dir_all(&self.folder)?;
        let mut file = OpenOptions::new().create_new(true).write(true).open(self.path(number))?;
        file.write_all(MAGIC)?;
        Ok(file)
    }

    /// Has lines wait before all others, in their order. Nothing of the others may have been read.
    pub(super) fn prepend<'a>(&mut self, blocks: impl Iterator<Item = (&'a [u8], u32)>) -> io::Result<()> {
        let first = self.segments.front().map_or(FIRST_NUMBER, |first| first.number);
        let number = first.saturating_sub(1);
        let mut segment = Segment { number, bytes: MAGIC.len() as u64, records: 0 };
        let mut file = None;
        for (lines, records) in blocks {
            let file = match &mut file {
                Some(file) => file,
                none => none.insert(self.begin(number)?),
            };
            let frame = frame(lines, records)?;
            file.write_all(&frame)?;
            segment.bytes += frame.len() as u64;
            segment.records += u64::from(records);
        }
        if file.is_some() {
            self.unread = self.unread.min(number);
            self.bytes += segment.bytes;
            self.segments.push_front(segment);
        }
        Ok(())
    }

    /// Reads the next lines that were not read.
    pub(super) fn read(&mut self) -> Option<Frame> {
        loop {
            if self.reading.is_none() {
                let next = self.segments.iter().find(|segment| segment.number >= self.unread)?.number;
                self.unread = next + 1;
                let begin = self.begin.filter(|(place, _)| place.segment == next);
                let offset = begin.map_or(MAGIC.len() as u64, |(place, _)| place.offset);
                match self.open_segment(next, offset) {
                    Ok(file) => self.reading = Some(Reading { segment: next, offset, file }),
                    Err(_) => self.leave_out(next),
                }
                continue;
            }
            let reading = self.reading.as_mut()?;
            let number = reading.segment;
            let length = self.segments.iter().find(|segment| segment.number == number).map(|s| s.bytes);
            let has_more = length.is_some_and(|length| reading.offset < length);
            let is_written = self.writing.is_some()
                && self.segments.back().is_some_and(|segment| segment.number == number);
            match (has_more, is_written) {
                (false, true) => return None,
                (false, false) => self.reading = None,
                (true, _) => match read_frame(&mut reading.file) {
                    Ok((bytes, records)) => {
                        let start = Place { segment: number, offset: reading.offset };
                        reading.offset += (bytes.len() + HEAD) as u64;
                        let end = Place { segment: number, offset: reading.offset };
                        let skip = self.begin.take_if(|(place, _)| *place == start);
                        let skip = skip.map_or(0, |(_, skip)| skip.min(records));
                        if let Some(own) = self.segments.iter_mut().find(|own| own.number == number) {
                            own.records += u64::from(skip);
                        }
                        return Some(Frame { bytes, records, skip, end });
                    }
                    Err(_) => self.leave_out(number),
                },
            }
        }
    }

    fn open_segment(&self, number: u64, offset: u64) -> io::Result<File> {
        let mut file = File::open(self.path(number))?;
        let mut magic = [0; MAGIC.len()];
        file.read_exact(&mut magic)?;
        if &magic != MAGIC {
            return Err(io::ErrorKind::InvalidData.into());
        }
        file.seek(SeekFrom::Start(offset))?;
        Ok(file)
    }

    /// Leaves out the rest of a file that cannot be read.
    fn leave_out(&mut self, number: u64) {
        self.reading = None;
        if self.segments.back().is_some_and(|last| last.number == number) {
            self.writing = None;
        }
        self.set_aside(number);
        self.forget(|segment| segment.number == number);
    }

    /// Renames a file that cannot be read, for who can make something of it.
    fn set_aside(&mut self, number: u64) {
        let path = self.path(number);
        let aside = path.with_extension("damaged");
        self.damaged.push(if fs::rename(&path, &aside).is_ok() { aside } else { path });
    }

    fn forget(&mut self, is_gone: impl Fn(&Segment) -> bool) {
        let bytes = &mut self.bytes;
        self.segments.retain(|segment| {
            let is_gone = is_gone(segment);
            if is_gone {
                *bytes = bytes.saturating_sub(segment.bytes);
            }
            !is_gone
        });
    }

    /// The frame that ends at a place, and all before, is acknowledged: files that end there are removed.
    pub(super) fn acknowledge(&mut self, place: Place, records: u32) {
        self.done = Some(place);
        if let Some(own) = self.segments.iter_mut().find(|own| own.number == place.segment) {
            own.records = own.records.saturating_sub(records.into());
        }
        let is_gone = |segment: &Segment| {
            segment.number < place.segment
                || (segment.number == place.segment && segment.bytes <= place.offset)
        };
        let gone: Vec<u64> = self.segments.iter().filter(|s| is_gone(s)).map(|s| s.number).collect();
        for number in &gone {
            if self.segments.back().is_some_and(|last| last.number == *number) {
                self.writing = None;
            }
            self.reading.take_if(|reading| reading.segment == *number);
            let _ = fs::remove_file(self.path(*number));
        }
        self.forget(is_gone);
    }

    /// Notes for the next run that all before a frame is acknowledged, and so many records of it; without one, what was
    /// acknowledged last, or before.
    pub(super) fn note_position(&self, frame: Option<(Place, u32)>) {
        let known = frame.or(self.begin).or(self.done.map(|place| (place, 0)));
        let Some((place, records)) = known.filter(|_| !self.segments.is_empty()) else { return };
        let text = format!("{} {} {records}\n", place.segment, place.offset);
        // Without it records are sent twice, at worst.
        let _ = fs::write(self.folder.join(POSITION), text);
    }

    fn read_position(&self) -> Option<(Place, u32)> {
        let text = fs::read_to_string(self.folder.join(POSITION)).ok()?;
        let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
        let mut number = || numbers.next()?.ok();
        let (place, records) = (Place { segment: number()?, offset: number()? }, number()?);
        Some((place, u32::try_from(records).ok()?))
    }
}

impl Place {
    /// The place before the frame of so many bytes that ends here.
    pub(super) const fn before(self, lines: usize) -> Self {
        Self { segment: self.segment, offset: self.offset.saturating_sub((lines + HEAD) as u64) }
    }
}

fn number_of(path: &Path) -> Option<u64> {
    (path.extension()? == ENDING).then(|| path.file_stem()?.to_str()?.parse().ok())?
}

/// Bytes of a file, the records that the heads of its frames from a place on speak of, and whether a frame begins there.
fn look_through(path: &Path, from: u64) -> io::Result<(u64, u64, bool)> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut magic = [0; MAGIC.len()];
    file.read_exact(&mut magic)?;
    if &magic != MAGIC {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let (mut place, mut records, mut is_start) = (MAGIC.len() as u64, 0, false);
    while let Ok([length, count, _]) = head(&mut file) {
        let next = place.saturating_add(u64::from(u32::from_le_bytes(length)) + HEAD as u64);
        if next > size || file.seek(SeekFrom::Start(next)).is_err() {
            break;
        }
        is_start |= place == from;
        if place >= from {
            records += u64::from(u32::from_le_bytes(count));
        }
        place = next;
    }
    Ok((size, records, is_start))
}

#[cfg(test)]
mod tests {
    use weir_testkit::TestFolder;

    use super::*;

    fn open(folder: &Path) -> Spool {
        Spool::open(folder.to_owned(), 1 << 20, WhenFull::LoseNewest)
    }

    fn append(spool: &mut Spool, text: &str) {
        assert!(matches!(spool.append(text.as_bytes(), 1), Kept::Yes(0)), "{text}");
    }

    fn read_all(spool: &mut Spool) -> Vec<String> {
        std::iter::from_fn(|| spool.read()).map(|frame| String::from_utf8(frame.bytes).unwrap()).collect()
    }

    fn files(folder: &Path) -> usize {
        fs::read_dir(folder).map_or(0, Iterator::count)
    }

    #[test]
    fn what_waits_is_read_in_order_and_removed_when_acknowledged() {
        let folder = TestFolder::new("spool");
        let folder = folder.join("sub");
        let mut spool = open(&folder);
        assert!(spool.is_empty() && !spool.has_unread());
        append(&mut spool, "one\n");
        append(&mut spool, "two\n");
        let one = spool.read().unwrap();
        assert_eq!((one.bytes.as_slice(), one.records), (&b"one\n"[..], 1));
        spool.acknowledge(one.end, 1);
        assert!(spool.has_unread());
        let two = spool.read().unwrap();
        assert!(!spool.has_unread() && !spool.is_empty());
        append(&mut spool, "three\n");
        assert!(spool.has_unread());
        spool.acknowledge(two.end, 1);
        let three = spool.read().unwrap();
        assert_eq!(three.bytes, b"three\n");
        spool.acknowledge(three.end, 1);
        assert_eq!((spool.is_empty(), spool.bytes, files(&folder)), (true, 0, 0));
        append(&mut spool, "four\n");
        assert_eq!(read_all(&mut spool), ["four\n"]);
    }

    #[test]
    fn a_later_run_goes_on_where_the_last_one_was() {
        let folder = TestFolder::new("spool-later");
        let folder = folder.join("sub");
        let mut spool = open(&folder);
        assert!(matches!(spool.append(b"a\nb\nc\n", 3), Kept::Yes(0)));
        append(&mut spool, "d\n");
        let first = spool.read().unwrap();
        spool.note_position(Some((first.end.before(first.bytes.len()), 2)));
        assert!(open(&folder).is_taken());
        spool.release();
        let mut spool = open(&folder);
        assert_eq!(spool.records(), 2);
        spool.prepend([(&b"early\n"[..], 1)].into_iter()).unwrap();
        append(&mut spool, "e\n");
        let read: Vec<_> =
            std::iter::from_fn(|| spool.read()).map(|frame| (frame.bytes, frame.skip)).collect();
        let expected = [(&b"early\n"[..], 0), (b"a\nb\nc\n", 2), (b"d\n", 0), (b"e\n", 0)];
        assert_eq!(read, expected.map(|(bytes, skip)| (bytes.to_vec(), skip)));
        assert!(!folder.join(POSITION).exists());
    }

    #[test]
    fn what_is_damaged_is_left_out_to_the_end_of_its_file() {
        let whole = [MAGIC.as_slice(), &frame(b"one\n", 1).unwrap(), &frame(b"two\n", 1).unwrap()].concat();
        let with = |place: usize, byte: u8| {
            let mut bytes = whole.clone();
            bytes[place] ^= byte;
            bytes
        };
        let huge = [MAGIC.as_slice(), &[0xff; 12]].concat();
        for (what, content, expected, damaged) in [
            ("whole", whole.clone(), &["one\n", "two\n"][..], 0),
            ("cut off in lines", whole[..whole.len() - 1].to_vec(), &["one\n"], 1),
            ("cut off in a head", whole[..8 + 16 + 3].to_vec(), &["one\n"], 1),
            ("a bit of the lines", with(8 + 12, 1), &[], 1),
            ("a bit of the count", with(8 + 4, 1), &[], 1),
            ("a bit of the magic", with(0, 1), &[], 1),
            ("nothing", Vec::new(), &[], 1),
            ("a length", huge, &[], 1),
        ] {
            let folder = TestFolder::new("spool-damage");
            fs::create_dir_all(folder.join("s")).unwrap();
            let mut spool = open(&folder.join("s"));
            fs::write(spool.path(7), content).unwrap();
            fs::write(folder.join("s").join(POSITION), "7 9 0").unwrap();
            fs::write(spool.path(8), [MAGIC.as_slice(), &frame(b"next\n", 1).unwrap()].concat()).unwrap();
            spool.release();
            spool = open(&folder.join("s"));
            let read = read_all(&mut spool);
            assert_eq!(read, [expected, &["next\n"]].concat(), "{what}");
            assert_eq!(spool.take_damaged().len(), damaged, "{what}");
        }
    }

    #[test]
    fn a_full_spool_loses_the_newest_or_the_oldest() {
        let line = vec![b'x'; 60_000];
        for full in [WhenFull::LoseNewest, WhenFull::LoseOldest] {
            let folder = TestFolder::new("spool-full");
            let mut spool = Spool::open(folder.join("s"), 1 << 20, full);
            let mut lost = 0;
            for number in 0..40_u32 {
                let lines = [&line[..], number.to_string().as_bytes(), b"\n"].concat();
                match spool.append(&lines, 1) {
                    Kept::Yes(older) => lost += older,
                    Kept::Full => lost += 1,
                    Kept::Failed(error) => panic!("{error}"),
                }
            }
            assert!(spool.bytes <= 1 << 20);
            let left: Vec<u32> = read_all(&mut spool)
                .iter()
                .map(|text| text.trim_start_matches('x').trim().parse().unwrap())
                .collect();
            assert_eq!(lost as usize + left.len(), 40, "{full:?}");
            let expected = if full == WhenFull::LoseNewest { 0..17 } else { 24..40 };
            assert!(left.iter().copied().eq(expected), "{full:?}: {left:?}");
        }
    }
}
