//! The bytes of one direction that were seen but not yet done with, by stream offset.
//!
//! Bytes lie in *runs* (contiguous buffers); beside them *pieces* say which segment each byte came
//! from, which the overlap policies ask for. No two runs and no two pieces overlap.
//!
//! Work is linear: a segment touches each of its bytes, and the pieces it overlaps (each at least
//! one of its bytes), once. The run at the front takes in the runs that follow it as the holes
//! between them fill, so that each byte is moved at most once more and what is ready is one slice.

use weir_base::Timestamp;

use crate::offset_map::OffsetMap;
use crate::policy::OverlapPolicy;
use crate::shared::StreamShared;

/// Holes wider than this divide regions.
pub(crate) const REGION_GAP: u64 = 256 << 10;

/// Bytes that a piece costs beside its data.
const PIECE_COST: u64 = 64;

/// Bytes that a run costs beside its data.
const RUN_COST: u64 = 64;

/// A run with room for so many times its bytes, and for so many times those that it keeps before it moves them, gives
/// back what it does not need: a stream that goes on in order fills the same room again and again.
const SPARE_ROOM: usize = 4;

/// A run gives back the memory of its done bytes once they are this many and half of it.
const COMPACT_BYTES: usize = 16 << 10;

/// Bytes of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Where the piece ends.
    end: u64,
    /// Where the segment began and ended.
    segment: (u64, u64),
    /// When the segment was captured.
    time: Timestamp,
}

/// A part of what is kept of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept<'a> {
    /// Bytes of one segment.
    Bytes(&'a [u8]),
    /// So many bytes are missing.
    Hole(u64),
}

#[derive(Debug, Default)]
struct Run {
    bytes: Vec<u8>,
    /// Bytes at the start that are done with.
    done: usize,
}

/// A segment to put in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<'a> {
    /// Offset of its first byte.
    pub(crate) offset: u64,
    /// Its bytes.
    pub(crate) bytes: &'a [u8],
    /// When it was captured.
    pub(crate) time: Timestamp,
}

/// Outcome of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inserted {
    /// Bytes that were not there before.
    pub(crate) fresh: u64,
    /// Some bytes were there before.
    pub(crate) overlap: bool,
    /// … and were different.
    pub(crate) differs: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Store {
    runs: OffsetMap<Run>,
    pieces: OffsetMap<Piece>,
    regions: Vec<(u64, u64)>,
    /// All before this is done with.
    base: u64,
    /// End of the farthest byte.
    end: u64,
    /// Bytes not done with.
    stored: u64,
    /// Bytes that runs have room for.
    room: u64,
    most_regions: u16,
}

impl Store {
    /// All before this is done with.
    pub(crate) const fn base(&self) -> u64 {
        self.base
    }

    /// End of the farthest byte ever put in.
    pub(crate) const fn end(&self) -> u64 {
        self.end
    }

    /// Most regions there ever were.
    pub(crate) const fn most_regions(&self) -> u16 {
        self.most_regions
    }

    /// Returns the number of segments, or parts of them.
    pub(crate) fn count(&self) -> usize {
        self.pieces.len()
    }

    /// Bytes not done with.
    pub(crate) const fn stored(&self) -> u64 {
        self.stored
    }

    /// Bytes that this costs: of memory, not of data, for what was done with may have left more than is needed.
    pub(crate) fn cost(&self) -> u64 {
        match self.is_empty() {
            true => 0,
            false => self.room + self.pieces.room() as u64 * PIECE_COST + self.runs.room() as u64 * RUN_COST,
        }
    }

    /// Bytes that `length` bytes at `offset` would cost at most: runs that have no room for theirs take twice as much as
    /// they have.
    fn cost_of(&self, offset: u64, length: u64) -> u64 {
        let end = offset.saturating_add(length);
        let run_end = |key: u64, run: &Run| key + run.bytes.len() as u64;
        let first = self.runs.covering(offset).filter(|&(key, run)| run_end(key, run) >= offset);
        let others = self.runs.from(offset.saturating_add(1)).take_while(|&(key, _)| key < end);
        let growth = |(key, run): (u64, &Run)| {
            let room = run.bytes.capacity() as u64;
            if end <= key.saturating_add(room) { 0 } else { room }
        };
        length + PIECE_COST + RUN_COST + first.into_iter().chain(others).map(growth).sum::<u64>()
    }

    /// Whether `length` bytes at `offset` cost no more than `free`.
    pub(crate) fn fits(&self, offset: u64, length: u64, free: u64) -> bool {
        // Nearly always there is enough for all runs to grow.
        length + PIECE_COST + RUN_COST + self.room <= free || self.cost_of(offset, length) <= free
    }

    /// Makes room in the list of regions for `start..end`; false where there are `limit` already.
    pub(crate) fn open_region(&mut self, start: u64, end: u64, limit: u8) -> bool {
        let near = |&&mut (from, to): &&mut (u64, u64)| {
            start <= to.saturating_add(REGION_GAP) && end.saturating_add(REGION_GAP) >= from
        };
        if let Some(region) = self.regions.iter_mut().find(near) {
            *region = (region.0.min(start), region.1.max(end));
        } else if self.regions.len() < usize::from(limit.max(1)) {
            self.regions.push((start, end));
        } else {
            return false;
        }
        self.most_regions = self.most_regions.max(self.regions.len() as u16);
        true
    }

    /// Puts a segment in. Bytes before the base are ignored; where bytes overlap `policy` says
    /// which stay. `front` is the offset up to which all was handed out.
    pub(crate) fn insert(
        &mut self,
        segment: Segment<'_>,
        policy: OverlapPolicy,
        front: u64,
        shared: &mut StreamShared,
    ) -> Inserted {
        let end = segment.offset.saturating_add(segment.bytes.len() as u64);
        let extent = (segment.offset, end);
        let start = segment.offset.max(self.base);
        let mut inserted = Inserted::default();
        if start >= end {
            return inserted;
        }
        let slice = |from: u64, to: u64| {
            let (from, to) = ((from - segment.offset) as usize, (to - segment.offset) as usize);
            segment.bytes.get(from..to).unwrap_or_default()
        };
        if start >= self.end {
            inserted.fresh = self.fill(start, slice(start, end), front, shared);
            self.own(start, end, extent, segment.time);
            self.end = end;
            return inserted;
        }
        let mut replaced = std::mem::take(&mut shared.replaced);
        let mut parts = std::mem::take(&mut shared.parts);
        inserted.overlap = self.own_parts((start, end), extent, policy, &mut parts, &mut replaced);
        inserted.differs = inserted.overlap && self.differs(start, slice(start, end));
        let mut replaced_pieces = replaced.drain(..).peekable();
        for &(from, to) in &parts {
            let mut cursor = from;
            while let Some((at, piece)) = replaced_pieces.next_if(|&(at, _)| at < to) {
                let (from, to) = (at.max(from), piece.end.min(to));
                inserted.fresh += self.fill(cursor, slice(cursor, from), front, shared);
                self.overwrite((at, piece), (from, to), slice(from, to));
                cursor = to;
            }
            inserted.fresh += self.fill(cursor, slice(cursor, to), front, shared);
        }
        drop(replaced_pieces);
        if inserted.overlap {
            self.join(start, end, shared);
        }
        parts.drain(..).for_each(|(from, to)| self.own(from, to, extent, segment.time));
        (shared.replaced, shared.parts) = (replaced, parts);
        self.end = self.end.max(end);
        inserted
    }

    /// Finds the parts of `start..end` where the bytes of the segment `extent` count, for there are none yet or they
    /// replace those of pieces, and these pieces; answers whether there are bytes of other segments.
    fn own_parts(
        &self,
        (start, end): (u64, u64),
        extent: (u64, u64),
        policy: OverlapPolicy,
        parts: &mut Vec<(u64, u64)>,
        replaced: &mut Vec<(u64, Piece)>,
    ) -> bool {
        let (mut own, margins) = (start, policy.margins());
        for slice in self.pieces.slices_around(start, end) {
            for &(at, ref piece) in slice {
                if margins.reached(extent, piece.segment) && piece.end > start {
                    replaced.push((at, *piece));
                    continue;
                }
                if own < at {
                    parts.push((own, at));
                }
                own = own.max(piece.end);
            }
        }
        if own < end {
            parts.push((own, end));
        }
        !replaced.is_empty() || parts.as_slice() != [(start, end)]
    }

    /// Whether bytes from `start` on are kept that differ from `bytes`.
    fn differs(&self, start: u64, bytes: &[u8]) -> bool {
        let mut runs = self.runs.slices_around(start, start + bytes.len() as u64).flatten();
        runs.any(|&(key, ref run)| {
            let from = key.max(start);
            let kept = run.bytes.get((from - key) as usize..).unwrap_or_default();
            let new = bytes.get((from - start) as usize..).unwrap_or_default();
            let length = kept.len().min(new.len());
            kept.get(..length) != new.get(..length)
        })
    }

    /// Notes that the bytes `from..to` are of a segment: in one piece, but for where one run ends and another begins.
    fn own(&mut self, from: u64, to: u64, segment: (u64, u64), time: Timestamp) {
        let mut from = from;
        while from < to
            && let Some((key, run)) = self.runs.covering(from)
        {
            let end = to.min(key + run.bytes.len() as u64);
            if end <= from {
                break;
            }
            self.pieces.insert(from, Piece { end, segment, time });
            from = end;
        }
    }

    /// Makes the runs that end within `start..end`, where no byte is missing, one: so much is moved at most.
    fn join(&mut self, start: u64, end: u64, shared: &mut StreamShared) {
        let Some((key, run)) = self.runs.covering(start) else { return };
        let next = key + run.bytes.len() as u64;
        if self.runs.at(next).is_some_and(|run| next + run.bytes.len() as u64 <= end) {
            self.take_in(key, end, shared);
        }
    }

    /// Puts `bytes` into the hole at `from`; how many there were.
    fn fill(&mut self, from: u64, bytes: &[u8], front: u64, shared: &mut StreamShared) -> u64 {
        if bytes.is_empty() {
            return 0;
        }
        let length = bytes.len() as u64;
        self.stored += length;
        let key = match self.runs.covering_mut(from) {
            Some((key, run)) if key + run.bytes.len() as u64 == from => {
                let before = run.bytes.capacity();
                run.bytes.extend_from_slice(bytes);
                self.room += (run.bytes.capacity() - before) as u64;
                key
            }
            _ => {
                // Bytes behind a hole may stay for long: they get no more room than they need.
                let mut buffer = if from <= front { shared.buffer() } else { shared.new_buffer() };
                buffer.extend_from_slice(bytes);
                self.room += buffer.capacity() as u64;
                self.runs.insert(from, Run { bytes: buffer, done: 0 });
                from
            }
        };
        if key <= front {
            self.absorb(key, shared);
        }
        length
    }

    /// The run at `key` takes in those that follow it without a hole.
    fn absorb(&mut self, key: u64, shared: &mut StreamShared) {
        let end = self.runs.at(key).map_or(key, |run| key + run.bytes.len() as u64);
        if self.runs.at(end).is_some() {
            self.take_in(key, u64::MAX, shared);
        }
    }

    /// The run at `key` takes in those that follow it without a hole and end at `limit` or before.
    fn take_in(&mut self, key: u64, limit: u64, shared: &mut StreamShared) {
        let Some(mut run) = self.runs.remove(key) else {
            return;
        };
        let mut room = self.room - run.bytes.capacity() as u64;
        let mut end = key + run.bytes.len() as u64;
        while let Some(next) = self.runs.at(end).filter(|next| end + next.bytes.len() as u64 <= limit)
            && !next.bytes.is_empty()
            && let Some(next) = self.runs.remove(end)
        {
            run.bytes.extend_from_slice(&next.bytes);
            end += next.bytes.len() as u64;
            room -= next.bytes.capacity() as u64;
            shared.recycle(next.bytes);
        }
        self.room = room + run.bytes.capacity() as u64;
        self.runs.insert(key, run);
    }

    /// Puts `bytes` of another segment over the part `from..to` of a piece, of which the rest stays.
    fn overwrite(&mut self, (start, piece): (u64, Piece), (from, to): (u64, u64), bytes: &[u8]) {
        let Some((key, run)) = self.runs.covering_mut(from) else {
            return;
        };
        if let Some(old) = run.bytes.get_mut((from - key) as usize..(to - key) as usize) {
            old.copy_from_slice(bytes);
        }
        self.pieces.remove(start);
        if start < from {
            self.pieces.insert(start, Piece { end: from, ..piece });
        }
        if to < piece.end {
            self.pieces.insert(to, piece);
        }
    }

    /// Makes the bytes from `offset` on, as far as there is no hole, one slice.
    pub(crate) fn bring_to_front(&mut self, offset: u64, shared: &mut StreamShared) {
        let found = self.runs.covering(offset).map(|(key, run)| (key, key + run.bytes.len() as u64));
        if let Some((key, end)) = found
            && offset < end
            && self.runs.at(end).is_some()
        {
            self.absorb(key, shared);
        }
    }

    /// The bytes from `offset` on, as far as there is no hole.
    pub(crate) fn read(&self, offset: u64) -> &[u8] {
        let Some((key, run)) = self.runs.covering(offset) else {
            return &[];
        };
        let at = ((offset - key) as usize).max(run.done);
        if offset < key + run.done as u64 { &[] } else { run.bytes.get(at..).unwrap_or_default() }
    }

    /// Puts the bytes around `at`, as far as there is no hole, from `lower` to `upper` at most, into
    /// a buffer; answers where they begin.
    pub(crate) fn read_around(&self, at: u64, lower: u64, upper: u64, into: &mut Vec<u8>) -> u64 {
        into.clear();
        let mut start = at;
        for (key, run) in self.runs.back_from(at) {
            if key + (run.bytes.len() as u64) < start || start <= lower {
                break;
            }
            start = (key + run.done as u64).clamp(lower.min(start), start);
        }
        let mut end = start;
        while end < upper {
            let bytes = self.read(end);
            let wanted = (upper - end).min(bytes.len() as u64);
            into.extend_from_slice(bytes.get(..wanted as usize).unwrap_or_default());
            end += wanted;
            if wanted == 0 {
                break;
            }
        }
        start
    }

    /// Puts the bytes kept of those from `offset` on over `onto`; where none are kept it stays.
    pub(crate) fn copy_over(&self, offset: i64, onto: &mut [u8]) {
        let end = offset.saturating_add(onto.len() as i64);
        let Ok(end) = u64::try_from(end) else { return };
        let first = offset.max(0) as u64;
        let within = self.runs.from(first).take_while(|&(key, _)| key < end);
        for (key, run) in self.runs.before(first).into_iter().chain(within) {
            let from = first.max(key + run.done as u64);
            let to = end.min(key + run.bytes.len() as u64);
            if from >= to {
                continue;
            }
            let kept = run.bytes.get((from - key) as usize..(to - key) as usize);
            let place = |at: u64| (at as i64 - offset) as usize;
            if let (Some(kept), Some(onto)) = (kept, onto.get_mut(place(from)..place(to))) {
                onto.copy_from_slice(kept);
            }
        }
    }

    /// Calls `visit` with the bytes of each segment not wholly done with, in order and as far as `limit`,
    /// and with the length of each hole before and between them, until it answers false. The limit is that of the bytes
    /// before holes: those behind one are shown as if they came at once.
    pub(crate) fn kept(&self, mut limit: u64, visit: &mut dyn FnMut(Kept<'_>) -> bool) {
        let mut cursor = self.base;
        for (at, piece) in self.pieces.from(0) {
            let hole = at.saturating_sub(cursor);
            limit = limit.saturating_add(hole);
            if at >= limit {
                return;
            }
            if hole > 0 && !visit(Kept::Hole(hole)) {
                return;
            }
            cursor = piece.end;
            let Some((key, run)) = self.runs.covering(piece.end.saturating_sub(1)) else {
                continue;
            };
            // The front of a segment that is partly done with may be gone.
            let (from, to) = (at.max(key) - key, piece.end.min(limit).saturating_sub(key));
            let bytes = run.bytes.get(from as usize..to as usize).unwrap_or_default();
            if !bytes.is_empty() && !visit(Kept::Bytes(bytes)) {
                return;
            }
        }
    }

    /// Calls `visit` with the bytes of each run from `from` on and where they begin, until it answers
    /// false.
    pub(crate) fn kept_from(&self, from: u64, visit: &mut dyn FnMut(u64, &[u8]) -> bool) {
        let first = self.runs.covering(from).map_or(from, |(key, _)| key);
        for (key, run) in self.runs.from(first) {
            let start = from.max(key + run.done as u64);
            let bytes = run.bytes.get((start - key) as usize..).unwrap_or_default();
            if !bytes.is_empty() && !visit(start, bytes) {
                return;
            }
        }
    }

    /// Where the first byte past a hole at `offset` lies.
    pub(crate) fn next_start(&self, offset: u64) -> Option<u64> {
        self.runs.from(offset).next().map(|(key, _)| key)
    }

    /// When the bytes of `start..end` were captured, as [`crate::ArrivalTimes`] has it.
    pub(crate) fn arrivals(&self, start: u64, end: u64, into: &mut Vec<(u64, Timestamp)>) {
        into.clear();
        if let Some((_, piece)) = self.pieces.covering(start) {
            into.push((start, piece.time));
        }
        if self.pieces.ends_by(start) {
            return;
        }
        let after = self.pieces.from(start.saturating_add(1)).take_while(|&(at, _)| at < end);
        into.extend(after.map(|(at, piece)| (at, piece.time)));
    }

    /// Forgets all before `base`.
    pub(crate) fn prune(&mut self, base: u64, shared: &mut StreamShared) {
        if base <= self.base {
            return;
        }
        self.base = base;
        while let Some((_, piece)) = self.pieces.first_mut()
            && piece.end <= base
        {
            self.pieces.pop_first();
        }
        while let Some((key, run)) = self.runs.first_mut() {
            let length = run.bytes.len() as u64;
            if key + length > base {
                let done = base.saturating_sub(key) as usize;
                self.stored -= done.saturating_sub(run.done) as u64;
                run.done = run.done.max(done);
                self.compact(key);
                break;
            }
            self.stored -= length - run.done as u64;
            if let Some((_, run)) = self.runs.pop_first() {
                self.room -= run.bytes.capacity() as u64;
                shared.recycle(run.bytes);
            }
        }
        if self.regions.len() > 1 || self.runs.is_empty() {
            self.regions.retain(|&(_, end)| end > base);
        }
    }

    fn compact(&mut self, key: u64) {
        let worthwhile = |run: &Run| run.done >= COMPACT_BYTES && run.done >= run.bytes.len() / 2;
        if !self.runs.at(key).is_some_and(worthwhile) {
            return;
        }
        if let Some(mut run) = self.runs.remove(key) {
            let before = run.bytes.capacity();
            run.bytes.drain(..run.done);
            if before > SPARE_ROOM * run.bytes.len().max(COMPACT_BYTES) {
                run.bytes.shrink_to_fit();
            }
            self.room -= (before - run.bytes.capacity()) as u64;
            let key = key + run.done as u64;
            run.done = 0;
            self.runs.insert(key, run);
        }
    }

    /// Begins at `base`; all before `end` came and went. It is empty.
    pub(crate) const fn begin(&mut self, base: u64, end: u64, most_regions: u16) {
        (self.base, self.end, self.most_regions) = (base, end, most_regions);
    }

    /// Whether no byte is kept.
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self, shared: &mut StreamShared) {
        while let Some((_, run)) = self.runs.pop_first() {
            shared.recycle(run.bytes);
        }
        self.pieces.clear();
        self.regions.clear();
        (self.stored, self.room) = (0, 0);
    }
}

#[cfg(test)]
mod tests;
