//! One direction of a connection: the sequence space of its sender, and its bytes.

use weir_base::Timestamp;

use crate::counters::StreamAccount;
use crate::handshake_queue::Openings;
use crate::policy::OverlapPolicy;
use crate::sack::SackBlocks;
use crate::segments::Segments;
use crate::sequence::Seq;
use crate::settings::StreamSettings;
use crate::shared::StreamShared;
use crate::store::Segment;

bitflags::bitflags! {
    /// Facts of one direction.
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    pub(crate) struct HalfFlags: u16 {
        /// The handshake's timestamp was zero.
        const ZERO_TIMESTAMP = 1;
        /// The latest packet was a keep-alive.
        const KEEPALIVE = 1 << 1;
        /// A RST came from this side.
        const RESET = 1 << 2;
        /// Nobody wants the bytes any more, for the protocol parser.
        const APP_OFF = 1 << 3;
        /// Nobody wants the bytes any more, for inspection of the stream.
        const RAW_OFF = 1 << 4;
        /// The stream is longer than what is inspected.
        const DEPTH_REACHED = 1 << 5;
        /// Bytes at hand are to be inspected now.
        const RAW_TRIGGER = 1 << 6;
        /// The sink got the end.
        const CLOSED = 1 << 7;
        /// All that came is to be handed out, acknowledged or not.
        const ENDED = 1 << 8;
        /// A probe of the closed window carried a byte.
        const WINDOW_PROBE = 1 << 9;
        /// There was a FIN.
        const FIN = 1 << 10;
        /// Nobody but Zeek's logs wants the bytes any more, for a protocol parser.
        const APP_ASIDE = 1 << 11;
        /// Bytes beyond the depth are delivered as well, to recipients of their own.
        const BEYOND = 1 << 12;
        /// It no longer is.
        const BEYOND_OFF = 1 << 13;
    }
}

impl HalfFlags {
    /// Exchanges this flag between two sets.
    pub(crate) fn exchange(self, one: &mut Self, other: &mut Self) {
        let differing = (*one ^ *other) & self;
        *one ^= differing;
        *other ^= differing;
    }
}

/// See the module. "Sender" is the side whose bytes these are.
///
/// It is flat: these are the variables of one side's sequence space (RFC 9293 3.3.1), read and moved by each segment.
#[derive(Debug, Default)]
pub(crate) struct Half {
    /// Initial sequence number.
    pub(crate) isn: Seq,
    /// After the last byte seen in order or beyond.
    pub(crate) next_seq: Seq,
    /// Highest acknowledgement by the other side.
    pub(crate) last_ack: Seq,
    /// The stream offset of that: it moves along, so that offsets outlive 2^31 bytes. Urgent bytes that
    /// were taken out do not count.
    acked_offset: i64,
    /// End of the window that the sender may fill.
    pub(crate) next_win: Seq,
    /// Window that the other side offers, scaled.
    pub(crate) window: u32,
    /// Scale of the windows that the other side offers.
    pub(crate) window_scale: u8,
    /// Latest timestamp of the sender.
    pub(crate) last_ts: u32,
    /// In which second that was captured.
    last_ts_second: u32,
    pub(crate) flags: HalfFlags,
    /// Policy of the other side on overlaps.
    pub(crate) policy: OverlapPolicy,
    /// All TCP flags seen.
    pub(crate) tcp_flags: u8,
    /// Urgent bytes taken out so far.
    pub(crate) urgent_bytes: u16,
    /// Where the FIN stands, if [`HalfFlags::FIN`] says that there was one.
    fin: Seq,
    pub(crate) segments: Segments,
    /// All before this was handed to the sink.
    pub(crate) app: u64,
    /// All before this was inspected as raw stream.
    pub(crate) raw: u64,
    /// The last bytes before `raw`, for patterns that lie across windows; without a hole.
    tail: Option<Box<Tail>>,
    /// Bytes to reassemble, zero for no limit.
    depth: u32,
    /// Bytes charged to the reassembly account for this direction.
    pub(crate) charged: u32,
    rare: Option<Box<Rare>>,
}

/// Bytes that were inspected.
#[derive(Debug, Default)]
struct Tail(Vec<u8>);

/// State that few directions have.
#[derive(Debug, Default)]
pub(crate) struct Rare {
    /// Of what the client sends: SYNs and SYN/ACKs that differ, until the handshake is complete.
    openings: Option<Box<Openings>>,
    sack: SackBlocks,
    /// Bytes from here on are kept for frames, whoever else is done with them.
    retained: Option<u64>,
    /// Where only this side is seen: its bytes before this are taken for acknowledged.
    presumed: u64,
    /// Where the latest segment kept begins and ends, until it was inspected inline.
    pub(crate) latest: Option<(u64, u64)>,
    /// The bytes around a segment that arrived beyond a hole, while they are inspected inline.
    pub(crate) around: Vec<u8>,
    /// Missing pieces, and their bytes.
    gaps: (u32, u64),
    /// Where bytes came before others that stand before them: when all was there that was handed out, or given up.
    readable_at: Timestamp,
    /// When it was acknowledged what is missing next, and up to where.
    hole: Option<(Timestamp, u64)>,
    /// Bytes beyond the depth, in memory of their own, so that those before it never lack any.
    beyond: Beyond,
}

/// Bytes beyond the depth.
#[derive(Debug, Default)]
struct Beyond {
    segments: Segments,
    charged: u32,
}

impl Half {
    /// Begins the stream: the first byte has sequence number `isn + 1` and offset zero. Where it
    /// had begun before, with another opening, it goes on where what was handed out left off: inspection
    /// may be ahead of that, past a hole. What it saw beyond that is left.
    pub(crate) fn begin(&mut self, isn: Seq, shared: &mut StreamShared) {
        let offset = self.app.max(self.front());
        self.settle(&mut shared.account);
        // The stream that goes on has all before it in its own account.
        shared.account.bytes -= offset;
        self.clear(shared);
        self.app = offset;
        self.raw = offset;
        if let Some(rare) = &mut self.rare {
            rare.presumed = 0;
            rare.sack = SackBlocks::default();
        }
        self.urgent_bytes = 0;
        self.flags.remove(HalfFlags::FIN);
        self.segments.restart(offset);
        self.forget_tail();
        self.isn = isn;
        self.next_seq = isn.plus(1);
        self.last_ack = isn.plus(1);
        self.next_win = isn.plus(1);
        self.acked_offset = offset as i64;
    }

    /// The stream offset of `seq`; negative before the first byte.
    pub(crate) const fn offset(&self, seq: Seq) -> i64 {
        self.acked_offset.saturating_add(seq.distance(self.last_ack) as i64)
    }

    /// The stream offset of what is acknowledged, or taken to be.
    pub(crate) fn acked(&self) -> u64 {
        let presumed = self.rare.as_ref().map_or(0, |rare| rare.presumed);
        (self.acked_offset.max(0) as u64).max(presumed).min(self.limit())
    }

    /// The stream offset after the farthest byte that is part of the stream.
    pub(crate) fn end(&self) -> u64 {
        self.farthest().min(self.limit())
    }

    /// The stream offset after the farthest byte that was kept.
    pub(crate) fn farthest(&self) -> u64 {
        let beyond = self.rare.as_ref().map_or(0, |rare| rare.beyond.segments.end());
        self.segments.end().max(beyond)
    }

    /// The bytes of this side of the depth where `offset` lies, if there can be any.
    pub(crate) fn segments_at(&self, offset: u64) -> Option<&Segments> {
        match self.beyond_depth(offset) {
            true => self.rare.as_ref().map(|rare| &rare.beyond.segments),
            false => Some(&self.segments),
        }
    }

    /// Makes the bytes that are handed out next one slice, as far as there is no hole.
    pub(crate) fn bring_next_to_front(&mut self, shared: &mut StreamShared) {
        match self.beyond_depth(self.app) {
            true => {
                if let Some(rare) = &mut self.rare {
                    rare.beyond.segments.bring_to_front(self.app, shared.beyond());
                }
            }
            false => self.segments.bring_to_front(self.app, shared),
        }
    }

    /// Keeps a segment that lies beyond the depth, if there are less than `regions` that lie far apart.
    pub(crate) fn keep_beyond(&mut self, segment: Segment<'_>, regions: u8, shared: &mut StreamShared) {
        let (policy, front, end) = (self.policy, self.app, segment.offset + segment.bytes.len() as u64);
        let Beyond { segments, charged } = &mut self.rare_mut().beyond;
        if segments.open_region(segment.offset, end, regions, shared) {
            segments.insert(segment, policy, front, shared);
            shared.charge(charged, segments.cost());
            self.flags.insert(HalfFlags::BEYOND);
        }
    }

    /// Whether a segment beyond the depth costs no more than `free`.
    pub(crate) fn fits_beyond(&self, segment: &Segment<'_>, free: u64) -> bool {
        match self.rare() {
            Some(rare) => rare.beyond.segments.fits(segment, free),
            None => Segments::default().fits(segment, free),
        }
    }

    /// Whether nobody but Zeek's logs wants bytes.
    pub(crate) const fn is_aside(&self) -> bool {
        self.flags.contains(HalfFlags::APP_ASIDE) && !self.raw_wanted()
    }

    /// Keeps a segment for Zeek's logs alone, if there is room; nothing else learns of it.
    pub(crate) fn keep_aside(
        &mut self,
        segment: Segment<'_>,
        settings: &StreamSettings,
        shared: &mut StreamShared,
    ) {
        let (length, front) = (segment.bytes.len() as u64, self.front());
        let free = settings.free_memory(shared.counters.reassembly_memuse);
        let has_room = self.segments.fits(&segment, free);
        let (shared, end) = (shared.beyond(), segment.offset + length);
        if has_room && self.segments.open_region(segment.offset, end, settings.max_regions, shared) {
            self.segments.insert(segment, self.policy, front, shared);
        }
    }

    /// Forgets all bytes.
    pub(crate) fn clear(&mut self, shared: &mut StreamShared) {
        self.segments.clear(shared);
        self.prune_beyond(None, shared);
    }

    /// Forgets what lies beyond the depth and before an offset, or all of it.
    fn prune_beyond(&mut self, before: Option<u64>, shared: &mut StreamShared) {
        let Some(rare) = self.rare.as_mut().filter(|rare| rare.beyond.charged > 0) else { return };
        let (shared, Beyond { segments, charged }) = (shared.beyond(), &mut rare.beyond);
        match before {
            Some(before) => segments.prune(before, shared),
            None => segments.clear(shared),
        }
        shared.charge(charged, segments.cost());
    }

    /// The offset of the FIN, once there was one.
    pub(crate) fn fin(&self) -> Option<u64> {
        self.flags.contains(HalfFlags::FIN).then(|| self.offset(self.fin).max(0) as u64)
    }

    /// The offset of the FIN, or the farthest there is.
    fn limit(&self) -> u64 {
        self.fin().unwrap_or(u64::MAX)
    }

    /// Takes note of the first FIN that lies in the stream.
    pub(crate) fn ends_at(&mut self, fin: Seq) {
        if !self.flags.contains(HalfFlags::FIN) && self.offset(fin) >= 0 {
            self.flags.insert(HalfFlags::FIN);
            self.fin = fin;
        }
    }

    /// Takes note of an urgent byte that is no part of the stream: all after it lies one nearer.
    pub(crate) const fn take_out_urgent(&mut self) {
        self.urgent_bytes = self.urgent_bytes.saturating_add(1);
        self.acked_offset -= 1;
    }

    /// SYNs and SYN/ACKs that differ; to be asked of what the client sends.
    pub(crate) fn openings(&self) -> Option<&Openings> {
        self.rare.as_ref()?.openings.as_deref()
    }

    /// Returns the openings, to add some.
    pub(crate) fn openings_mut(&mut self) -> &mut Openings {
        self.rare_mut().openings.get_or_insert_default()
    }

    /// Forgets those: the handshake is complete.
    pub(crate) fn forget_openings(&mut self) {
        if let Some(rare) = &mut self.rare {
            rare.openings = None;
        }
    }

    /// Keeps the bytes from an offset on, or no longer.
    pub(crate) fn retain(&mut self, from: Option<u64>) {
        if from.is_some() || self.rare.is_some() {
            self.rare_mut().retained = from;
        }
    }

    /// The last bytes before `raw`.
    pub(crate) fn tail(&self) -> &[u8] {
        self.tail.as_ref().map_or(&[], |tail| &tail.0)
    }

    /// Forgets those.
    pub(crate) fn forget_tail(&mut self) {
        self.tail = None;
    }

    /// Returns the rare state, if this direction has any.
    pub(crate) fn rare(&self) -> Option<&Rare> {
        self.rare.as_deref()
    }

    /// Returns the rare state, made if need be.
    pub(crate) fn rare_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// Where bytes come later to their readers than they were captured: when all was there so far.
    pub(crate) fn readable_at(&self) -> Option<Timestamp> {
        let rare = self.rare.as_deref()?;
        (rare.readable_at > Timestamp::default() || rare.hole.is_some()).then_some(rare.readable_at)
    }

    /// All that was handed out was there at that time.
    pub(crate) fn note_readable(&mut self, at: Timestamp) {
        let rare = self.rare_mut();
        (rare.readable_at, rare.hole) = (at, None);
    }

    /// The next bytes are missing though they are acknowledged, up to there, at this time.
    pub(crate) fn note_hole(&mut self, now: Timestamp, acked: u64) {
        let hole = &mut self.rare_mut().hole;
        if hole.is_none_or(|(_, known)| acked > known) {
            *hole = Some((now, acked));
        }
    }

    /// Bytes are missing up to `end` and given up: what comes behind them is read from when they were acknowledged.
    pub(crate) fn pass_hole(&mut self, now: Timestamp, end: u64) {
        let rare = self.rare_mut();
        let since = rare.hole.take().filter(|&(_, acked)| acked >= end).map_or(now, |(since, _)| since);
        rare.readable_at = rare.readable_at.max(since);
    }

    /// Takes note of a timestamp.
    pub(crate) const fn note_timestamp(&mut self, value: u32, time: Timestamp) {
        self.last_ts = value;
        self.last_ts_second = time.seconds() as u32;
    }

    /// Returns the age of the latest TCP timestamp, in seconds.
    pub(crate) const fn timestamp_age(&self, now: Timestamp) -> u64 {
        now.seconds().saturating_sub(self.last_ts_second as u64)
    }

    /// Takes note of a missing piece.
    pub(crate) fn note_gap(&mut self, length: u64) {
        let (count, bytes) = &mut self.rare_mut().gaps;
        *count = count.saturating_add(1);
        *bytes = bytes.saturating_add(length);
    }

    /// Takes note of bytes that were missing at the end, where there are any.
    pub(crate) fn note_missing_end(&mut self, length: u64) {
        if length > 0 {
            let (_, bytes) = &mut self.rare_mut().gaps;
            *bytes = bytes.saturating_add(length);
        }
    }

    /// Returns the number of gaps, and of their bytes.
    pub(crate) fn gaps(&self) -> (u32, u64) {
        self.rare.as_ref().map_or((0, 0), |rare| rare.gaps)
    }

    /// Takes note of a block that is acknowledged selectively.
    pub(crate) fn note_sack(&mut self, left: Seq, right: Seq) {
        let (last_ack, limit) = (self.last_ack, self.next_win.later(self.next_seq));
        self.rare_mut().sack.add(left, right, last_ack, limit);
    }

    /// Returns the bytes to reassemble, zero for no limit.
    pub(crate) const fn depth(&self) -> u64 {
        self.depth as u64
    }

    /// Changes that; what is farther than 32 bits can say counts as that far.
    pub(crate) fn set_depth(&mut self, depth: u64) {
        self.depth = u32::try_from(depth).unwrap_or(u32::MAX);
    }

    /// Takes note of an acknowledgement, which was validated.
    pub(crate) fn acknowledge(&mut self, ack: Seq) {
        if ack.after(self.last_ack) {
            self.acked_offset = self.offset(ack);
            self.last_ack = ack;
            if let Some(rare) = &mut self.rare {
                rare.sack.prune(ack);
            }
            // Who acknowledges bytes past a FIN did not get that.
            if self.fin().is_some_and(|fin| self.offset(ack) > (fin as i64).saturating_add(1)) {
                self.flags.remove(HalfFlags::FIN);
            }
        }
    }

    /// Takes all bytes before `offset` for acknowledged.
    pub(crate) fn presume(&mut self, offset: u64) {
        let presumed = &mut self.rare_mut().presumed;
        *presumed = (*presumed).max(offset);
    }

    /// Moves the edge of the window to where the other side now has it.
    pub(crate) fn widen(&mut self) {
        let sacked = self.rare.as_ref().map_or(0, |rare| rare.sack.size());
        let edge = self.last_ack.plus(self.window).plus(sacked);
        self.next_win = self.next_win.later(edge);
    }

    /// After the last byte seen, and the FIN if there was one.
    pub(crate) const fn end_seq(&self) -> Seq {
        if self.flags.contains(HalfFlags::FIN) { self.next_seq.plus(1) } else { self.next_seq }
    }

    /// Accounts for the whole stream once it is over: what was handed out is accounted for already.
    pub(crate) fn settle(&self, account: &mut StreamAccount) {
        let seen = u64::try_from(self.offset(self.next_seq)).unwrap_or(0);
        let end = seen.max(self.segments.end()).max(self.app).max(self.front());
        account.bytes += end;
        let left = end - self.app;
        let unwanted = !self.app_wanted() || self.flags.contains(HalfFlags::DEPTH_REACHED);
        *(if unwanted { &mut account.skipped } else { &mut account.missing }) += left;
    }

    /// Whether the parser still wants bytes.
    pub(crate) const fn app_wanted(&self) -> bool {
        !self.flags.contains(HalfFlags::APP_OFF)
    }

    /// Whether raw inspection still wants bytes.
    pub(crate) const fn raw_wanted(&self) -> bool {
        !self.flags.contains(HalfFlags::RAW_OFF)
    }

    /// Offset up to which all was handed out: there the front run begins to be of use.
    pub(crate) const fn front(&self) -> u64 {
        if self.app_wanted() { self.app } else { self.raw }
    }

    /// Forgets bytes that nobody waits for, and settles the account. `repeatable`: as many before those may come
    /// again. `unacknowledged`: those that may come again are waited for, to compare them.
    pub(crate) fn prune(
        &mut self,
        keep_before: u64,
        repeatable: u64,
        unacknowledged: bool,
        shared: &mut StreamShared,
    ) {
        let app = if self.app_wanted() { self.within_depth(self.app) } else { u64::MAX };
        // Raw inspection ends at the depth.
        let has_raw = self.raw_wanted() && !self.beyond_depth(self.raw);
        let raw = if has_raw { self.raw.saturating_sub(keep_before) } else { u64::MAX };
        let retained = self.rare().and_then(|rare| rare.retained).unwrap_or(u64::MAX);
        let mut base = app.min(raw).min(retained);
        if unacknowledged && base != u64::MAX {
            base = base.min(self.acked());
        }
        if repeatable > 0 && base != u64::MAX {
            base = base.min(self.acked()).saturating_sub(repeatable);
        }
        if base == u64::MAX {
            self.segments.clear(shared);
        } else {
            self.segments.prune(base, shared);
        }
        let cost = self.segments.cost() + self.tail().len() as u64;
        shared.charge(&mut self.charged, cost);
        let is_told = self.app_wanted() && self.flags.contains(HalfFlags::BEYOND);
        self.prune_beyond(is_told.then_some(self.app), shared);
    }

    /// Raw inspection came as far as `up_to`; the last `keep` bytes before that stay.
    pub(crate) fn inspected(&mut self, up_to: u64, keep: usize) {
        let bytes = self.segments.read(self.raw);
        let length = up_to.saturating_sub(self.raw).min(bytes.len() as u64) as usize;
        let bytes = bytes.get(..length).unwrap_or_default();
        let bytes = bytes.get(length.saturating_sub(keep)..).unwrap_or_default();
        let before = keep.saturating_sub(bytes.len());
        if before + bytes.len() == 0 {
            self.tail = None;
        } else {
            let tail = &mut self.tail.get_or_insert_default().0;
            tail.drain(..tail.len().saturating_sub(before));
            tail.extend_from_slice(bytes);
        }
        self.raw = self.raw.max(up_to);
    }

    /// Whether bytes at or past `offset` are beyond the depth.
    pub(crate) const fn beyond_depth(&self, offset: u64) -> bool {
        self.depth > 0 && offset >= self.depth as u64
    }

    /// `offset`, or where handing out ends, if that is nearer.
    pub(crate) fn within_reach(&self, offset: u64) -> u64 {
        if self.flags.contains(HalfFlags::BEYOND) { offset } else { self.within_depth(offset) }
    }

    /// `end` of a piece that begins at `start`, or the depth where the piece crosses it.
    pub(crate) fn on_one_side(&self, start: u64, end: u64) -> u64 {
        if self.beyond_depth(start) { end } else { self.within_depth(end) }
    }

    /// Whether bytes are kept for somebody beside the parser and raw inspection.
    pub(crate) fn retains(&self) -> bool {
        self.rare().is_some_and(|rare| rare.retained.is_some())
    }

    /// `offset`, or the depth where that is nearer.
    pub(crate) fn within_depth(&self, offset: u64) -> u64 {
        if self.depth > 0 { offset.min(self.depth.into()) } else { offset }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_opening_skips_nothing_that_was_not_handed_out() {
        for (wanted, expected) in [(true, 3), (false, 90)] {
            let (mut half, mut shared) = (Half::default(), StreamShared::new());
            half.begin(Seq(100), &mut shared);
            (half.app, half.raw) = (3, 90);
            half.next_seq = Seq(171);
            shared.account.inspected = 3;
            if !wanted {
                half.flags.insert(HalfFlags::APP_OFF);
            }
            half.begin(Seq(7000), &mut shared);
            assert_eq!((half.app, half.raw, half.segments.base()), (expected, expected, expected));
            assert_eq!(half.offset(Seq(7001)), expected as i64);
            half.next_seq = Seq(7011);
            half.settle(&mut shared.account);
            let (skipped, missing) = if wanted { (0, 77) } else { (97, 0) };
            let inspected = 3;
            let bytes = inspected + skipped + missing;
            assert_eq!(shared.account, StreamAccount { bytes, inspected, skipped, missing });
        }
    }
}
