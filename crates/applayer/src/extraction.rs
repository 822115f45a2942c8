//! Bytes of a file on their way to where Zeek's logs have files extracted, or to scripts: gathered by the file, and handed
//! on in pieces by whoever tells these logs of it.

use std::cell::RefCell;

use weir_base::Timestamp;

use crate::file::{File, FileState};

/// Bytes that are worth to be handed on while more of the file comes.
const WORTH_BYTES: usize = 16 << 10;

/// Stretches between holes that are.
const WORTH_STRETCHES: usize = 64;

/// Most bytes that wait. More of them come at once of what is compressed only; the file is cut off there.
const MAX_WAITING: usize = 64 << 20;

/// Bytes of a file, with the holes between them.
#[derive(Debug, Default)]
pub struct Extract {
    bytes: Vec<u8>,
    /// Where each stretch begins, in the file and in `bytes`, and when its first byte was captured.
    stretches: Vec<(u64, usize, Timestamp)>,
    /// Where the last one ends in the file.
    end: u64,
    /// Pieces that were captured apart are stretches of their own, and handed on at once.
    at_once: bool,
    /// More than may be kept came after these bytes.
    pub cut: bool,
}

impl Extract {
    fn push(&mut self, offset: u64, bytes: &[u8], time: Timestamp) {
        if self.cut || bytes.is_empty() {
            return;
        }
        if bytes.len() > MAX_WAITING.saturating_sub(self.bytes.len()) {
            self.cut = true;
            return;
        }
        let is_part =
            |last: &&(u64, usize, Timestamp)| offset == self.end && (!self.at_once || last.2 == time);
        if self.stretches.last().filter(is_part).is_none() {
            self.stretches.push((offset, self.bytes.len(), time));
        }
        self.bytes.extend_from_slice(bytes);
        self.end = offset.saturating_add(bytes.len() as u64);
    }

    const fn is_empty(&self) -> bool {
        self.bytes.is_empty() && !self.cut
    }

    const fn is_due(&self) -> bool {
        let is_much = self.bytes.len() >= WORTH_BYTES || self.stretches.len() >= WORTH_STRETCHES;
        is_much || self.cut || self.at_once && !self.bytes.is_empty()
    }

    /// The stretches, each with where it belongs in the file.
    pub fn stretches(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.captured().map(|(offset, bytes, _)| (offset, bytes))
    }

    /// The stretches, each with where it belongs in the file and when its first byte was captured.
    pub fn captured(&self) -> impl Iterator<Item = (u64, &[u8], Timestamp)> {
        let ends = self.stretches.iter().skip(1).map(|(_, start, _)| *start).chain([self.bytes.len()]);
        self.stretches.iter().zip(ends).map(|(&(offset, start, time), end)| {
            let bytes = self.bytes.get(start..end).unwrap_or_default();
            (offset, bytes, time)
        })
    }
}

/// The bytes of a file that wait to be extracted; nothing where it is not. A copy of a file is not.
#[derive(Debug, Default)]
pub(crate) struct Extraction(RefCell<Option<Box<Extract>>>);

impl Clone for Extraction {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Extraction {
    /// Of a file that is extracted, `at_once` where what comes is handed on as it was captured.
    pub(crate) fn begun(at_once: bool) -> Self {
        Self(RefCell::new(Some(Box::new(Extract { at_once, ..Extract::default() }))))
    }

    pub(crate) fn push(&mut self, offset: u64, bytes: &[u8], time: Timestamp) {
        if let Some(waiting) = self.0.get_mut() {
            waiting.push(offset, bytes, time);
        }
    }

    /// Bytes that wait.
    pub(crate) fn memory(&self) -> usize {
        self.of_waiting(|waiting| waiting.bytes.capacity())
    }

    fn of_waiting<T: Default>(&self, ask: impl FnOnce(&Extract) -> T) -> T {
        let waiting = self.0.try_borrow();
        waiting.ok().and_then(|waiting| waiting.as_deref().map(ask)).unwrap_or_default()
    }

    fn take(&self) -> Option<Extract> {
        let mut waiting = self.0.try_borrow_mut().ok()?;
        waiting.as_deref_mut().map(|waiting| {
            let next = Extract { at_once: waiting.at_once, ..Extract::default() };
            std::mem::replace(waiting, next)
        })
    }

    fn stop(&self) {
        if let Ok(mut waiting) = self.0.try_borrow_mut() {
            *waiting = None;
        }
    }
}

impl File {
    /// Takes the bytes to be extracted that came since this was asked last; none where the file is not.
    pub fn take_extract(&self) -> Option<Extract> {
        self.extraction().take()
    }

    /// No more of the file is extracted.
    pub fn stop_extracting(&self) {
        self.extraction().stop();
    }

    /// Whether so much waits to be extracted that it is to be handed on while more comes.
    pub fn is_extract_due(&self) -> bool {
        self.extraction().of_waiting(Extract::is_due) || self.is_end_due()
    }

    /// Whether scripts that follow the file are to be told of its end.
    pub fn is_end_due(&self) -> bool {
        let is_over = self.ends_early || self.state != FileState::Open;
        is_over && self.size > 0 && self.extraction().of_waiting(|waiting| waiting.at_once)
    }

    /// Bytes of memory of what waits to be extracted.
    pub fn awaiting(&self) -> usize {
        self.extraction().memory()
    }

    fn awaits_extraction(&self) -> bool {
        self.extraction().of_waiting(|waiting| !waiting.is_empty()) || self.is_end_due()
    }
}

/// Those of the files of a message of which something is to be handed on to be extracted: all grow but the last one
/// no more.
pub fn to_extract(files: &[File]) -> &[File] {
    let Some((last, before)) = files.split_last() else { return &[] };
    let done = before.iter().rposition(|file| !file.awaits_extraction()).map_or(0, |index| index + 1);
    let end = if last.is_extract_due() { files.len() } else { before.len() };
    files.get(done..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use weir_base::{Direction, Timestamp};

    use super::*;
    use crate::file::FileSettings;

    fn file(extract: bool) -> File {
        let settings = FileSettings { extract, ..FileSettings::default() };
        File::open_entity(0, Vec::new(), Direction::ToClient, Timestamp(1), &settings)
    }

    #[test]
    fn holes_part_stretches() {
        let mut file = file(true);
        file.append(b"ab", Timestamp(1));
        file.append(b"c", Timestamp(1));
        file.gap(5);
        file.append(b"d", Timestamp(1));
        let extract = file.take_extract().unwrap();
        assert_eq!(extract.stretches().collect::<Vec<_>>(), [(0, &b"abc"[..]), (8, b"d")]);
        file.append(b"e", Timestamp(1));
        let extract = file.take_extract().unwrap();
        assert_eq!(extract.stretches().collect::<Vec<_>>(), [(9, &b"e"[..])]);
        assert!(file.clone().take_extract().is_none() && !file.fork().is_extract_due());
        file.stop_extracting();
        assert!(file.take_extract().is_none());
    }

    #[test]
    fn what_scripts_follow_is_handed_on_as_it_was_captured() {
        let settings = FileSettings { told: true, ..FileSettings::default() };
        let mut file = File::open_entity(0, Vec::new(), Direction::ToClient, Timestamp(1), &settings);
        assert!(!file.is_extract_due());
        for (bytes, time) in [(b"ab", 1), (b"cd", 1), (b"ef", 2)] {
            file.append(bytes, Timestamp(time));
            assert!(file.is_extract_due());
        }
        let extract = file.take_extract().unwrap();
        let captured = [(0, &b"abcd"[..], Timestamp(1)), (4, b"ef", Timestamp(2))];
        assert_eq!(extract.captured().collect::<Vec<_>>(), captured);
        file.append(b"g", Timestamp(2));
        assert!(file.is_extract_due());
    }

    #[test]
    fn nothing_waits_of_other_files() {
        let mut file = file(false);
        file.append(&[b'x'; WORTH_BYTES], Timestamp(1));
        assert!(!file.is_extract_due() && file.take_extract().is_none());
    }

    #[test]
    fn what_goes_on_for_zeek_alone_takes_its_extraction_along() {
        let mut file = file(true);
        file.append(b"ab", Timestamp(1));
        let mut part = file.fork();
        part.append(b"c", Timestamp(2));
        file.append(b"d", Timestamp(2));
        assert!(file.take_extract().is_none());
        assert_eq!(part.take_extract().unwrap().stretches().collect::<Vec<_>>(), [(0, &b"abc"[..])]);
    }

    #[test]
    fn what_is_too_much_is_cut() {
        let mut extract = Extract::default();
        extract.push(0, &vec![0; MAX_WAITING], Timestamp(1));
        assert!(!extract.cut);
        extract.push(MAX_WAITING as u64, b"a", Timestamp(1));
        assert!(extract.cut && extract.is_due());
    }

    #[test]
    fn files_of_a_message() {
        let mut files = vec![file(true), file(true), file(true)];
        assert_eq!(to_extract(&files).len(), 0);
        files[0].append(b"a", Timestamp(1));
        files[1].append(b"b", Timestamp(1));
        files[2].append(b"c", Timestamp(1));
        assert_eq!(to_extract(&files).len(), 2);
        to_extract(&files).iter().for_each(|file| drop(file.take_extract()));
        assert_eq!(to_extract(&files).len(), 0);
        files[2].append(&[b'x'; WORTH_BYTES], Timestamp(1));
        assert_eq!(to_extract(&files).len(), 1);
        assert!(to_extract(&[]).is_empty());
    }
}
