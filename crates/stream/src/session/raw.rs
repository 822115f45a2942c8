//! The stream as rules on it see it, beside the protocol parser.
//!
//! Acknowledged bytes gather until there are enough of them (a chunk), the parser says that a
//! transaction is complete, or the stream ends. Inline there is nothing to wait for: each packet is
//! looked at with what is there before and after it. Otherwise the last bytes of a window are shown
//! again before the next one, as many as inspection asks for, so that a pattern may lie across.

use weir_base::Direction;

use super::{SessionFlags, TcpSession};
use crate::half::{Half, HalfFlags};
use crate::settings::StreamSettings;
use crate::shared::StreamShared;
use crate::state::TcpState;

/// Most bytes of a direction shown again with the next window.
const MAX_KEPT_BYTES: usize = 4096;

/// Bytes to inspect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawWindow<'a> {
    /// Stream offset of the first byte.
    pub offset: u64,
    /// The bytes, without holes.
    pub bytes: &'a [u8],
    /// Bytes just before them, which were inspected already.
    pub before: &'a [u8],
}

impl RawWindow<'_> {
    /// Stream offset after the last byte.
    pub const fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }
}

impl TcpSession {
    /// Whether there is enough to inspect in one direction.
    pub fn raw_ready(&self, direction: Direction, settings: &StreamSettings) -> bool {
        let half = &self.halves[direction];
        if !half.raw_wanted() {
            return false;
        }
        if settings.inline {
            return half.rare().is_some_and(|rare| rare.latest.is_some());
        }
        if half.raw >= half.within_depth(half.segments.end()) {
            return false;
        }
        let chunk = match direction {
            Direction::ToServer => settings.chunk_to_server,
            Direction::ToClient => settings.chunk_to_client,
        };
        half.flags.contains(HalfFlags::RAW_TRIGGER)
            || half.flags.contains(HalfFlags::DEPTH_REACHED)
            || half.flags.contains(HalfFlags::ENDED)
            || self.state == TcpState::Closed
            || half.acked().saturating_sub(half.raw) >= u64::from(chunk)
    }

    /// Returns the end of what may be inspected where nothing is inline: the acknowledged bytes, or all
    /// where nothing more is to come.
    pub(super) fn raw_limit(&self, direction: Direction) -> u64 {
        let half = &self.halves[direction];
        // Without the other side nothing is ever acknowledged.
        let all = self.state == TcpState::Closed
            || self.flags.contains(SessionFlags::ASYNC)
            || half.flags.contains(HalfFlags::ENDED);
        half.within_depth(if all { half.end() } else { half.acked().min(half.end()) })
    }

    /// The next bytes of one direction to inspect; none when all was. A hole that was given up
    /// divides windows, so ask again after [`TcpSession::raw_inspected`].
    pub fn raw(
        &mut self,
        direction: Direction,
        settings: &StreamSettings,
        shared: &mut StreamShared,
    ) -> Option<RawWindow<'_>> {
        let limit = self.raw_limit(direction);
        let half = &mut self.halves[direction];
        if !half.raw_wanted() {
            return None;
        }
        if settings.inline {
            let chunk = match direction {
                Direction::ToServer => settings.chunk_to_server,
                Direction::ToClient => settings.chunk_to_client,
            };
            return inline_window(half, u64::from(chunk), shared);
        }
        if half.segments.read(half.raw).is_empty() {
            half.raw = half.segments.next_start(half.raw).filter(|&start| start < limit)?;
            half.forget_tail();
        }
        half.segments.bring_to_front(half.raw, shared);
        let start = half.raw;
        let bytes = half.segments.read(start);
        let length = (limit.saturating_sub(start) as usize).min(bytes.len());
        let bytes = bytes.get(..length).filter(|b| !b.is_empty())?;
        Some(RawWindow { offset: start, bytes, before: half.tail() })
    }

    /// One direction was inspected up to the offset `up_to`; `keep` bytes before that are to be
    /// shown again with the next window.
    pub fn raw_inspected(&mut self, direction: Direction, up_to: u64, keep: usize) {
        let half = &mut self.halves[direction];
        let inline = half.rare().is_some_and(|rare| rare.latest.is_some());
        if inline {
            // What lies beyond a hole was inspected when it arrived; what fills the hole is to be.
            let whole = half.raw + half.segments.read(half.raw).len() as u64;
            half.raw = whole.max(half.acked().min(half.segments.end()));
            let rare = half.rare_mut();
            rare.latest = None;
            rare.around = Vec::new();
        } else {
            half.inspected(up_to, keep.min(MAX_KEPT_BYTES));
        }
        half.flags.remove(HalfFlags::RAW_TRIGGER);
    }

    /// Inspect what there is in one direction at the next occasion: a transaction is complete.
    pub fn trigger_raw(&mut self, direction: Direction) {
        self.halves[direction].flags.insert(HalfFlags::RAW_TRIGGER);
    }

    /// Returns the bytes of one direction inspected.
    pub fn raw_progress(&self, direction: Direction) -> u64 {
        self.halves[direction].raw
    }
}

/// The latest segment with the bytes before and after it, for patterns that lie across: `chunk` of
/// them at most on either side, as far as there is no hole.
fn inline_window<'a>(half: &'a mut Half, chunk: u64, shared: &mut StreamShared) -> Option<RawWindow<'a>> {
    let (start, end) = half.rare()?.latest?;
    half.segments.bring_to_front(half.raw, shared);
    let lower = start.min(half.raw).saturating_sub(chunk).max(half.segments.base());
    let upper = end.saturating_add(chunk);
    let reached = lower + half.segments.read(lower).len() as u64;
    if reached >= end {
        // A segment that lies before all that is kept was inspected long ago.
        let length = upper.min(reached).saturating_sub(lower) as usize;
        let bytes = half.segments.read(lower).get(..length).filter(|bytes| !bytes.is_empty())?;
        return Some(RawWindow { offset: lower, bytes, before: &[] });
    }
    let lower = start.saturating_sub(chunk);
    let mut around = std::mem::take(&mut half.rare_mut().around);
    let offset = half.segments.read_around(start, lower, upper, &mut around);
    let rare = half.rare_mut();
    rare.around = around;
    Some(RawWindow { offset, bytes: &rare.around, before: &[] }).filter(|window| !window.bytes.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequence::Seq;

    #[test]
    fn a_segment_before_all_that_is_kept_has_no_window() {
        let mut half = Half::default();
        let mut shared = StreamShared::new();
        half.begin(Seq(0), &mut shared);
        half.segments.restart(100);
        half.raw = 100;
        half.rare_mut().latest = Some((0, 5));
        assert!(inline_window(&mut half, 4, &mut shared).is_none());
    }
}
