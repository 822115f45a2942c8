//! Files that servers send in ranges (RFC 9110, section 14): responses with `Content-Range`, of one
//! connection or of several and in any version of HTTP, are put together by host and file name.
//!
//! State shared by all connections is touched in the workers' turns, at the begin and the end of a range
//! and for each [`STEP`] of waiting bytes: which file comes of which ranges depends on the order of
//! the packets alone. A range that goes on where the file ends is written to the file as it comes;
//! bytes ahead of their turn wait. Memory: `byterange.memcap` for all, or a range is left out and
//! counted; a file of which nothing came for `byterange.timeout` is forgotten.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, MutexGuard};

use weir_applayer::{File, FileState, Options};
use weir_base::profile::locks::Lock;
use weir_base::{CounterVisitor, Counters, Duration, Timestamp, Turn};

use super::octets::tail;

/// Memory is reserved in steps of this many bytes.
const STEP: u64 = 64 << 10;

/// Memory that is counted for a file and its key beside their bytes.
const OVERHEAD: u64 = size_of::<Assembly>() as u64;

/// Range of a file in a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    /// The first one.
    pub start: u64,
    /// The last one.
    pub end: u64,
    /// Bytes of the whole file.
    pub size: u64,
}

/// The files that are being put together.
#[derive(Debug)]
pub(crate) struct Ranges {
    memcap: u64,
    timeout: Duration,
    state: Lock<State>,
}

#[derive(Debug, Default)]
struct State {
    files: HashMap<Arc<[u8]>, Assembly>,
    /// Bytes in use.
    memory: u64,
    /// Ranges refused for want of memory.
    refused: u64,
    /// Files begun.
    begun: u64,
    /// The second in which forgotten files were last looked for.
    swept: u64,
}

/// One file in the making.
#[derive(Debug)]
struct Assembly {
    /// Tells it from an earlier one of the same key.
    number: u64,
    /// The file; none while a range is written to it, and once it is whole or given up.
    file: Option<Box<File>>,
    /// It was handed out, or given up: ranges of it are of no use until it is forgotten.
    done: bool,
    /// Bytes up to its end.
    length: u64,
    /// Its size when it is whole.
    size: u64,
    /// Ranges ahead of their turn, by the first byte and the length.
    aside: BTreeMap<(u64, u64), Aside>,
    /// Ranges under way.
    open: u32,
    /// Bytes counted for the file.
    memory: u64,
    expires: Timestamp,
}

/// A range that came before its turn.
#[derive(Debug, Default)]
struct Aside {
    start: u64,
    length: u64,
    parts: Vec<Part>,
    /// Bytes counted for it.
    memory: u64,
}

#[derive(Debug)]
enum Part {
    Bytes(Vec<u8>),
    Gap(u64),
}

impl Aside {
    fn end(&self) -> u64 {
        self.start.saturating_add(self.length)
    }

    fn append(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        match self.parts.last_mut() {
            Some(Part::Bytes(last)) => last.extend_from_slice(bytes),
            _ => self.parts.push(Part::Bytes(bytes.to_vec())),
        }
    }

    fn gap(&mut self, length: u64) {
        self.length += length;
        match self.parts.last_mut() {
            Some(Part::Gap(last)) => *last += length,
            _ => self.parts.push(Part::Gap(length)),
        }
    }

    /// Writes what lies behind the end of `file` to it.
    fn write(self, file: &mut File) {
        let mut skip = file.length().saturating_sub(self.start);
        let time = file.last_seen;
        for part in self.parts {
            let length = match &part {
                Part::Bytes(bytes) => bytes.len() as u64,
                Part::Gap(length) => *length,
            };
            let known = skip.min(length);
            skip -= known;
            match part {
                Part::Bytes(bytes) => file.append(tail(&bytes, known as usize), time),
                Part::Gap(length) => file.gap(length - known),
            }
        }
    }
}

impl Ranges {
    /// Those of all versions of HTTP; reads `byterange` of HTTP/1.
    pub(crate) fn configure(options: &dyn Options) -> Arc<Self> {
        let make = || Self::new(options);
        options.shared().map_or_else(make, |shared| shared.get_or_make(make))
    }

    /// Nothing came yet.
    fn new(options: &dyn Options) -> Arc<Self> {
        Arc::new(Self {
            memcap: options.size("byterange.memcap", 100 << 20),
            timeout: Duration::from_secs(options.size("byterange.timeout", 60)),
            state: Lock::new("files in ranges", State::default()),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Makes room for `lacks` more bytes of a range, and some of the `left` that follow.
    fn extend(&self, order: &Turn, range: &mut Aside, lacks: u64, left: u64) -> bool {
        order.wait();
        let bytes = lacks + left.min(STEP);
        let fits = self.state().reserve(bytes, self.memcap);
        range.memory += if fits { bytes } else { 0 };
        fits
    }

    /// A range of the file `key` begins at `time`; `begin` makes the file, where this is the first one.
    /// None where the range brings nothing new, or there is no room for it.
    pub(crate) fn open(
        self: &Arc<Self>,
        order: &Turn,
        key: &[u8],
        range: Range,
        time: Timestamp,
        begin: impl FnOnce() -> File,
    ) -> Option<RangeIntake> {
        order.wait();
        let mut state = self.state();
        state.sweep(time);
        let changed = state.files.get(key).is_some_and(|file| file.done && file.size != range.size);
        if changed {
            state.forget(key);
        }
        if !state.files.contains_key(key) && !state.begin(key, begin(), self.memcap) {
            return None;
        }
        let (key, _) = state.files.get_key_value(key)?;
        let key = Arc::clone(key);
        let assembly = state.files.get_mut(&key)?;
        assembly.expires = time.plus(self.timeout);
        if assembly.done {
            return None;
        }
        assembly.size = assembly.size.max(range.size);
        let length = (range.end - range.start).saturating_add(1);
        let known = assembly.length.saturating_sub(range.start);
        if known >= length {
            return None;
        }
        let goes = match assembly.file.take_if(|_| range.start <= assembly.length) {
            Some(file) => Goes::On(file, known),
            None => Goes::Aside(Aside { start: range.start, ..Aside::default() }),
        };
        assembly.open += 1;
        let (ranges, order, number) = (Arc::clone(self), order.clone(), assembly.number);
        Some(RangeIntake { ranges, order, key: Some(key), number, left: length, goes })
    }
}

impl State {
    /// A file begins; false where there is no room for it.
    fn begin(&mut self, key: &[u8], file: File, memcap: u64) -> bool {
        let memory = OVERHEAD + (key.len() + file.memory()) as u64;
        if !self.reserve(memory, memcap) {
            return false;
        }
        self.begun += 1;
        let assembly = Assembly {
            number: self.begun,
            file: Some(Box::new(file)),
            done: false,
            length: 0,
            size: 0,
            aside: BTreeMap::new(),
            open: 0,
            memory,
            expires: Timestamp::default(),
        };
        self.files.insert(key.into(), assembly);
        true
    }

    fn reserve(&mut self, bytes: u64, memcap: u64) -> bool {
        let fits = self.memory.saturating_add(bytes) <= memcap;
        if fits {
            self.memory += bytes;
        } else {
            self.refused += 1;
        }
        fits
    }

    fn release(&mut self, bytes: u64) {
        self.memory = self.memory.saturating_sub(bytes);
    }

    fn forget(&mut self, key: &[u8]) {
        if let Some(assembly) = self.files.remove(key) {
            self.release(assembly.memory());
        }
    }

    /// Forgets files of which nothing came for too long; looks for them once in a second.
    fn sweep(&mut self, now: Timestamp) {
        if now.seconds() <= self.swept {
            return;
        }
        self.swept = now.seconds();
        let mut freed = 0;
        self.files.retain(|_, assembly| {
            let keep = assembly.open > 0 || assembly.expires >= now;
            freed += if keep { 0 } else { assembly.memory() };
            keep
        });
        self.release(freed);
    }

    /// A range of the file `key` is over: joins what can be joined. Answers the file, if it is whole.
    fn close(
        &mut self,
        key: &[u8],
        number: u64,
        goes: Goes,
        end: FileState,
        memcap: u64,
    ) -> Option<Box<File>> {
        let Some(assembly) = self.files.get_mut(key).filter(|assembly| assembly.number == number) else {
            self.release(goes.memory());
            return None;
        };
        assembly.open = assembly.open.saturating_sub(1);
        let mut freed = 0;
        match goes {
            Goes::Nowhere => {}
            Goes::On(file, _) => assembly.file = Some(file),
            Goes::Aside(range) if assembly.done || range.end() <= assembly.length => freed += range.memory,
            Goes::Aside(range) => {
                let before = assembly.aside.insert((range.start, range.length), range);
                freed += before.map_or(0, |range| range.memory);
            }
        }
        let whole = assembly.file.take().and_then(|mut file| {
            freed += assembly.join(&mut file);
            assembly.length = file.length();
            if assembly.length >= assembly.size {
                file.close(end);
                return Some(file);
            }
            assembly.file = Some(file);
            None
        });
        if whole.is_some() {
            freed += assembly.give_up();
        }
        let memory = assembly.file_memory(key);
        freed += std::mem::replace(&mut assembly.memory, memory);
        self.release(freed);
        if !self.reserve(memory, memcap)
            && let Some(assembly) = self.files.get_mut(key)
        {
            assembly.file = None;
            let freed = assembly.give_up();
            assembly.memory = assembly.file_memory(key);
            self.memory += assembly.memory;
            self.release(freed);
        }
        whole
    }
}

impl Assembly {
    /// Bytes counted for all of it.
    fn memory(&self) -> u64 {
        self.memory + self.aside.values().map(|range| range.memory).sum::<u64>()
    }

    fn file_memory(&self, key: &[u8]) -> u64 {
        OVERHEAD + (key.len() + self.file.as_ref().map_or(0, |file| file.memory())) as u64
    }

    /// Appends waiting bytes that follow the file's end; answers the memory that this frees.
    fn join(&mut self, file: &mut File) -> u64 {
        let mut freed = 0;
        while let Some(next) = self.aside.first_entry() {
            if next.get().start > file.length() {
                break;
            }
            let range = next.remove();
            freed += range.memory;
            range.write(file);
        }
        freed
    }

    /// Nothing more is to come; answers the memory that this frees.
    fn give_up(&mut self) -> u64 {
        self.done = true;
        std::mem::take(&mut self.aside).into_values().map(|range| range.memory).sum()
    }
}

/// Where the bytes of a range go.
#[derive(Debug)]
enum Goes {
    /// To the file, behind so many bytes that it has.
    On(Box<File>, u64),
    /// They wait for their turn.
    Aside(Aside),
    /// There was no room.
    Nowhere,
}

impl Goes {
    /// Bytes counted for it that are no file's.
    fn memory(&self) -> u64 {
        match self {
            Goes::Aside(range) => range.memory,
            Goes::On(..) | Goes::Nowhere => 0,
        }
    }
}

/// Takes in one range.
#[derive(Debug)]
pub(crate) struct RangeIntake {
    ranges: Arc<Ranges>,
    order: Turn,
    /// The file's; none once the range is over.
    key: Option<Arc<[u8]>>,
    number: u64,
    /// Bytes that are still to come.
    left: u64,
    goes: Goes,
}

impl RangeIntake {
    /// The next bytes of the range, captured at `time`; what is more than announced is none of it.
    pub(crate) fn append(&mut self, bytes: &[u8], time: Timestamp) {
        let length = self.left.min(bytes.len() as u64);
        self.left -= length;
        let bytes = bytes.get(..length as usize).unwrap_or(bytes);
        match &mut self.goes {
            Goes::On(file, skip) => {
                let known = length.min(*skip);
                *skip -= known;
                file.append(tail(bytes, known as usize), time);
                if file.memory() as u64 > self.ranges.memcap {
                    file.drop_content();
                    file.stop_gathering();
                }
            }
            Goes::Aside(range) => {
                let lacks = (range.length + length).saturating_sub(range.memory);
                if lacks == 0 || self.ranges.extend(&self.order, range, lacks, self.left) {
                    range.append(bytes);
                } else {
                    let freed = range.memory;
                    self.goes = Goes::Nowhere;
                    self.ranges.state().release(freed);
                }
            }
            Goes::Nowhere => {}
        }
    }

    /// The next `length` bytes of the range were not seen.
    pub(crate) fn gap(&mut self, length: u64) {
        let length = self.left.min(length);
        self.left -= length;
        match &mut self.goes {
            Goes::On(file, skip) => {
                let known = length.min(*skip);
                *skip -= known;
                file.gap(length - known);
            }
            Goes::Aside(range) => range.gap(length),
            Goes::Nowhere => {}
        }
    }

    /// The range is over. Answers the file, if it is whole; it ends in the state `end`.
    pub(crate) fn close(mut self, end: FileState) -> Option<Box<File>> {
        self.give_back(end)
    }

    fn give_back(&mut self, end: FileState) -> Option<Box<File>> {
        let key = self.key.take()?;
        self.order.wait();
        let goes = std::mem::replace(&mut self.goes, Goes::Nowhere);
        self.ranges.state().close(&key, self.number, goes, end, self.ranges.memcap)
    }
}

/// A flow may end without a word to its parser.
impl Drop for RangeIntake {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.give_back(FileState::Truncated);
        }
    }
}

impl Counters for Ranges {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        let state = self.state();
        visitor.counter("http.byterange.memcap", state.refused);
        visitor.counter("http.byterange.memuse", state.memory);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use weir_applayer::file::FileSettings;
    use weir_applayer::options::NoOptions;
    use weir_base::Direction;

    use super::*;

    const CONTENT: &[u8] = b"a file that comes in ranges";
    const SIZE: u64 = CONTENT.len() as u64;

    fn ranges(memcap: u64) -> Arc<Ranges> {
        Arc::new(Ranges { memcap, ..Arc::into_inner(Ranges::configure(&NoOptions)).unwrap() })
    }

    fn open(ranges: &Arc<Ranges>, start: u64, end: u64, second: u64) -> Option<RangeIntake> {
        let time = Timestamp::new(second, 0);
        let settings = FileSettings { sha256: true, ..FileSettings::default() };
        let begin = || File::open(0, b"f".to_vec(), Direction::ToClient, time, &settings);
        ranges.open(&Turn::alone(), b"host/f", Range { start, end, size: SIZE }, time, begin)
    }

    fn bytes(start: u64, end: u64) -> &'static [u8] {
        &CONTENT[start as usize..=end as usize]
    }

    /// Brings one range; the whole file's content, if it is that now.
    fn bring(ranges: &Arc<Ranges>, start: u64, end: u64) -> Option<Vec<u8>> {
        let mut intake = open(ranges, start, end, 1)?;
        intake.append(bytes(start, end), Timestamp::new(1, 0));
        let file = intake.close(FileState::Closed)?;
        assert_eq!((file.state, file.size, file.has_gap), (FileState::Closed, SIZE, false));
        Some(file.content.bytes().1.to_vec())
    }

    fn counters(ranges: &Ranges) -> (u64, u64) {
        let state = ranges.state();
        (state.refused, state.memory)
    }

    proptest! {
        #[test]
        fn any_ranges_in_any_order(pieces in proptest::collection::vec((0..SIZE, 0..SIZE), 0..20)) {
            let ranges = ranges(1 << 20);
            let mut covered = [false; CONTENT.len()];
            let mut whole = None;
            for (a, b) in pieces.into_iter().chain((0..SIZE).map(|at| (at, at))) {
                let was_covered = covered.iter().all(|&there| there);
                let found = bring(&ranges, a.min(b), a.max(b));
                covered[a.min(b) as usize..=a.max(b) as usize].fill(true);
                prop_assert_eq!(found.is_some(), !was_covered && covered.iter().all(|&there| there));
                whole = whole.or(found);
            }
            prop_assert_eq!(whole.unwrap(), CONTENT);
            prop_assert_eq!(ranges.state().files.len(), 1);
            prop_assert!(counters(&ranges).1 < 2 * OVERHEAD);
        }
    }

    #[test]
    fn ranges_at_the_same_time() {
        let ranges = ranges(1 << 20);
        let mut first = open(&ranges, 0, 9, 1).unwrap();
        let mut again = open(&ranges, 0, 9, 1).unwrap();
        let mut last = open(&ranges, 10, SIZE - 1, 1).unwrap();
        for (intake, start, end) in [(&mut last, 10, SIZE - 1), (&mut again, 0, 9), (&mut first, 0, 9)] {
            intake.append(bytes(start, end), Timestamp::new(2, 0));
            intake.append(b"more than announced", Timestamp::new(2, 0));
        }
        assert!(last.close(FileState::Closed).is_none() && again.close(FileState::Closed).is_none());
        assert_eq!(first.close(FileState::Closed).unwrap().content.bytes().1, CONTENT);
        assert!(open(&ranges, 0, 9, 1).is_none(), "all of it came already");
    }

    #[test]
    fn a_range_may_end_without_a_word() {
        let ranges = ranges(1 << 20);
        drop(open(&ranges, 0, 9, 1).unwrap());
        drop(open(&ranges, 15, 20, 1).unwrap());
        assert_eq!(bring(&ranges, 0, SIZE - 1).unwrap(), CONTENT);
    }

    #[test]
    fn what_is_missing_is_a_gap() {
        let ranges = ranges(1 << 20);
        let mut later = open(&ranges, 10, SIZE - 1, 1).unwrap();
        later.gap(3);
        later.append(bytes(13, SIZE - 1), Timestamp::new(1, 0));
        assert!(later.close(FileState::Closed).is_none());
        let mut first = open(&ranges, 0, 9, 1).unwrap();
        first.append(bytes(0, 9), Timestamp::new(1, 0));
        let file = first.close(FileState::Closed).unwrap();
        assert_eq!((file.state, file.size, file.missing), (FileState::Truncated, SIZE - 3, 3));
    }

    #[test]
    fn memory_is_bounded_and_time_too() {
        let none = ranges(10);
        assert!(open(&none, 0, 9, 1).is_none());
        assert_eq!(counters(&none), (1, 0));
        let file = open(&ranges(STEP), 0, 9, 1).map(|range| counters(&range.ranges).1).unwrap();
        let some = ranges(file + 4);
        assert_eq!(bring(&some, 5, 9), None);
        assert_eq!(counters(&some), (1, file), "no room to set a range aside");
        assert_eq!(bring(&some, 0, SIZE - 1).unwrap(), CONTENT, "but to go on");
        assert!(counters(&some).1 < file);
        let ranges = ranges(1 << 20);
        let kept = open(&ranges, 0, 9, 1).unwrap();
        drop(open(&ranges, 20, 25, 60).unwrap());
        ranges.state().sweep(Timestamp::new(121, 0));
        assert_eq!(ranges.state().files.len(), 1, "a range is under way");
        drop(kept);
        ranges.state().sweep(Timestamp::new(122, 0));
        assert!(ranges.state().files.is_empty());
        assert_eq!(counters(&ranges), (0, 0));
    }
}
