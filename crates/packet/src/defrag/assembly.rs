//! The payload of one packet while its fragments come in.
//!
//! Bytes of fragments are appended to one buffer; which stretch of the payload lies where, and
//! which fragment it came from, is kept in a tree by position, so that no order of arrival costs more
//! than another and a fragment costs no more memory than it has bytes. Limits: [`MAX_PAYLOAD`] bytes,
//! [`MAX_GATHERED`] bytes with those that a later fragment replaced, [`MAX_PIECES`] stretches.

use std::collections::BTreeMap;

use super::policy::{Extent, OverlapPolicy};

/// The longest payload that an IP packet can have.
pub const MAX_PAYLOAD: usize = 65_535;

/// Most stretches of one packet: what fragments of eight bytes, the least that is sound, give.
pub const MAX_PIECES: usize = MAX_PAYLOAD / 8 + 1;

/// Most bytes gathered, with those that no longer count.
pub const MAX_GATHERED: usize = 4 * MAX_PAYLOAD;

/// Bytes that a stretch takes in the tree, roughly.
pub const PIECE_SIZE: usize = 40;

/// A stretch of bytes that one fragment gave, and all that this fragment covered.
#[derive(Clone, Copy, Debug)]
struct Piece {
    extent: Extent,
    fragment: Extent,
    /// Where in the buffer its bytes are.
    at: u32,
}

impl Piece {
    /// The part of it between two positions of the payload.
    fn part(&self, start: u32, end: u32) -> Self {
        let skipped = start.saturating_sub(self.extent.start);
        Self { extent: Extent { start, end }, fragment: self.fragment, at: self.at.saturating_add(skipped) }
    }
}

/// Result of adding a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added {
    /// Bytes of it were there already.
    pub overlap: bool,
    /// And some of them were others.
    pub differs: bool,
    /// The first byte is now its own.
    pub first_byte: bool,
}

/// Reasons that a fragment was not added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It ends past [`MAX_PAYLOAD`].
    TooLong,
    /// There are [`MAX_PIECES`] or [`MAX_GATHERED`] bytes already.
    TooMuch,
}

/// The payload so far.
#[derive(Debug, Default)]
pub struct Assembly {
    /// By the first byte of each; they do not overlap.
    pieces: BTreeMap<u32, Piece>,
    gathered: Vec<u8>,
    /// Bytes of the payload that are there.
    covered: u32,
    /// Where the payload ends, once a fragment said so.
    end: Option<u32>,
}

impl Assembly {
    /// An empty payload that uses `buffer`, whose content is dropped.
    pub fn with_buffer(mut buffer: Vec<u8>) -> Self {
        buffer.clear();
        Self { gathered: buffer, ..Self::default() }
    }

    /// The buffer, to be used again.
    pub fn into_buffer(self) -> Vec<u8> {
        self.gathered
    }

    /// Memory in use, in bytes: of a buffer that was used before as much as it has room for.
    pub fn memory(&self) -> usize {
        self.gathered.capacity() + self.pieces.len() * PIECE_SIZE
    }

    /// Bytes of memory that the buffer grows by for `more` bytes: it doubles, or takes what they need.
    pub fn growth(&self, more: usize) -> usize {
        let (room, needed) = (self.gathered.capacity(), self.gathered.len() + more);
        if needed <= room { 0 } else { needed.max(2 * room) - room }
    }

    /// Whether the end is known and there are no holes.
    pub fn is_whole(&self) -> bool {
        self.end == Some(self.covered)
    }

    /// A fragment says that the payload ends here. The nearest end counts, and what lies past it is
    /// no part of the payload.
    pub fn end_at(&mut self, end: u32) {
        if self.end.is_some_and(|known| known <= end) {
            return;
        }
        self.end = Some(end);
        let crossing = self.pieces.range(..end).next_back().map(|(_, piece)| *piece);
        if let Some(piece) = crossing.filter(|piece| piece.extent.end > end) {
            self.covered = self.covered.saturating_sub(piece.extent.end.saturating_sub(end));
            self.keep(piece.part(piece.extent.start, end));
        }
        for piece in self.pieces.split_off(&end).values() {
            self.covered = self.covered.saturating_sub(piece.extent.length());
        }
    }

    /// Appends the payload.
    pub fn write(&self, out: &mut Vec<u8>) {
        for piece in self.pieces.values() {
            out.extend_from_slice(self.bytes(piece));
        }
    }

    fn bytes(&self, piece: &Piece) -> &[u8] {
        let from = piece.at as usize;
        self.gathered.get(from..from + piece.extent.length() as usize).unwrap_or_default()
    }

    /// Where the payload ends, as far as fragments said.
    pub fn end(&self) -> Option<u32> {
        self.end
    }

    /// Adds a fragment's bytes at `offset`. Where it is refused, the payload is as before.
    pub fn add(&mut self, offset: u32, data: &[u8], policy: OverlapPolicy) -> Result<Added, Refused> {
        let end = offset as usize + data.len();
        if end > MAX_PAYLOAD {
            return Err(Refused::TooLong);
        }
        let mut added = Added { overlap: false, differs: false, first_byte: false };
        let end = self.end.map_or(end as u32, |last| last.min(end as u32));
        if end <= offset {
            return Ok(added);
        }
        let later = Extent { start: offset, end };
        let overlapped = self.overlapped(later);
        // Each stretch can be cut from the next by a hole that is filled, the outermost two be cut.
        if self.pieces.len() + overlapped.len() + 3 > MAX_PIECES
            || self.gathered.len() + data.len() > MAX_GATHERED
        {
            return Err(Refused::TooMuch);
        }
        self.gathered.reserve_exact(self.gathered.capacity() + self.growth(data.len()) - self.gathered.len());
        added.overlap = !overlapped.is_empty();
        let mut position = later.start;
        for piece in overlapped {
            self.pieces.remove(&piece.extent.start);
            let common =
                Extent { start: piece.extent.start.max(later.start), end: piece.extent.end.min(later.end) };
            self.fill(Extent { start: position, end: common.start }, later, data, &mut added);
            added.differs |= self.bytes(&piece.part(common.start, common.end)) != part(data, later, common);
            self.keep(piece.part(piece.extent.start, common.start));
            if policy.later_counts(piece.fragment, later) {
                self.covered = self.covered.saturating_sub(common.length());
                self.fill(common, later, data, &mut added);
            } else {
                self.keep(piece.part(common.start, common.end));
            }
            self.keep(piece.part(common.end, piece.extent.end));
            position = common.end;
        }
        self.fill(Extent { start: position, end: later.end }, later, data, &mut added);
        Ok(added)
    }

    /// The stretches that share bytes with `later`, in order.
    fn overlapped(&self, later: Extent) -> Vec<Piece> {
        let before = self.pieces.range(..later.start).next_back();
        let reaching_in = before.map(|(_, piece)| *piece).filter(|piece| piece.extent.end > later.start);
        let inside = self.pieces.range(later.start..later.end).map(|(_, piece)| *piece);
        reaching_in.into_iter().chain(inside).collect()
    }

    /// Puts a stretch into the tree.
    fn keep(&mut self, piece: Piece) {
        if piece.extent.length() > 0 {
            self.pieces.insert(piece.extent.start, piece);
        }
    }

    /// Takes a stretch from the later fragment, whose bytes are `data`.
    fn fill(&mut self, extent: Extent, later: Extent, data: &[u8], added: &mut Added) {
        let bytes = part(data, later, extent);
        if bytes.is_empty() {
            return;
        }
        let at = self.gathered.len() as u32;
        self.gathered.extend_from_slice(bytes);
        self.covered += extent.length();
        added.first_byte |= extent.start == 0;
        self.keep(Piece { extent, fragment: later, at });
    }
}

/// The bytes for `extent` of a fragment that covers `whole`.
fn part(data: &[u8], whole: Extent, extent: Extent) -> &[u8] {
    let from = extent.start.saturating_sub(whole.start) as usize;
    data.get(from..from + extent.length() as usize).unwrap_or_default()
}
