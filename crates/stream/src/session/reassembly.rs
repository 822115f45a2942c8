//! Reassembly of a segment's bytes.
//!
//! Acknowledged bytes are handed out while the packet that acknowledges them is handled; inline,
//! bytes are handed out in the packet that carries them, straight from the packet where nothing
//! is missing before them. A hole is given up once its bytes were acknowledged.

use weir_base::{Delivery, Direction, Piece, Recipients, Timestamp};
use weir_packet::Tcp;

use super::{SessionFlags, TcpSession, Turn};
use crate::event::StreamEvent;
use crate::half::{Half, HalfFlags};
use crate::outcome::{DropReason, StreamException};
use crate::policy::OverlapPolicy;
use crate::sequence::Seq;
use crate::settings::UrgentPolicy;
use crate::shared::StreamShared;
use crate::sink::StreamSink;
use crate::store::Segment;

/// Farthest that a segment may lie ahead of what was handed out: the largest window.
const MAX_AHEAD: u64 = 1 << 30;

/// Most urgent bytes taken out of one direction.
const MAX_URGENT_BYTES: u16 = u16::MAX;

/// Effect of the urgent pointer on a payload.
enum Urgent {
    /// Nothing.
    None,
    /// None of the payload becomes part of the stream.
    LeaveOut,
    /// The byte at this place is taken out.
    Byte(usize),
}

/// Event that bytes wait for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// Their acknowledgement; one that runs ahead of all bytes says nothing of a hole yet.
    Sent,
    /// Their acknowledgement.
    Acknowledged,
    /// Nothing: packets can be dropped, or one side alone is seen.
    Nothing,
}

/// Hands out what is ready of one direction. Whether a hole was given up.
pub(super) fn deliver(
    half: &mut Half,
    direction: Direction,
    now: Timestamp,
    wait: Wait,
    shared: &mut StreamShared,
    sink: &mut dyn StreamSink,
) -> bool {
    let acked = half.within_reach(half.acked());
    let mut gap = false;
    if half.app_wanted() {
        let all = wait == Wait::Nothing || half.flags.contains(HalfFlags::ENDED);
        let limit = if all { half.within_reach(half.end()) } else { acked };
        while half.app < limit.max(acked) {
            half.bring_next_to_front(shared);
            let segments = half.segments_at(half.app);
            let ready = segments.map_or(&[][..], |segments| segments.read(half.app));
            let length = limit.saturating_sub(half.app).min(ready.len() as u64);
            let end = half.on_one_side(half.app, half.app + length);
            let length = end - half.app;
            if let Some(bytes) = ready.get(..length as usize).filter(|b| !b.is_empty()) {
                if let Some(segments) = segments {
                    segments.arrivals(half.app, end, &mut shared.arrivals);
                }
                if shared.arrivals.is_empty() {
                    shared.arrivals.push((half.app, now));
                }
                let readable_at = put_in_order(&mut shared.arrivals, half.readable_at());
                let to = recipients(half);
                match to {
                    Recipients::ZeekBeyondDepth => shared.account.skipped += length,
                    _ => shared.account.inspected += length,
                }
                let piece = Piece::Data { offset: half.app, bytes, arrivals: &shared.arrivals };
                sink.take(Delivery { direction, to, piece });
                half.app = end;
                if let Some(at) = readable_at {
                    half.note_readable(at);
                }
            } else if let Some(missing) = give_up(half, direction, wait, acked, sink) {
                half.pass_hole(now, half.app);
                if half.beyond_depth(half.app - missing) {
                    shared.account.skipped += missing;
                    continue;
                }
                shared.account.missing += missing;
                if !half.flags.contains(HalfFlags::APP_ASIDE) {
                    half.note_gap(missing);
                    shared.counters.reassembly_gap += 1;
                    gap = true;
                }
            } else {
                if acked > half.app {
                    half.note_hole(now, acked);
                }
                break;
            }
        }
    } else {
        half.segments.bring_to_front(half.raw, shared);
    }
    gap
}

/// Has bytes arrive no sooner than those before them, the last of which came at `before` where that matters. The
/// answer is when the last of these came, if that matters to what follows.
fn put_in_order(arrivals: &mut [(u64, Timestamp)], before: Option<Timestamp>) -> Option<Timestamp> {
    if before.is_none() && arrivals.is_sorted_by_key(|&(_, time)| time) {
        return None;
    }
    let mut latest = before.unwrap_or_default();
    for (_, time) in arrivals {
        latest = latest.max(*time);
        *time = latest;
    }
    Some(latest)
}

/// Gives up the hole at the front, as far as it was acknowledged; how wide it is, if there is one.
fn give_up(
    half: &mut Half,
    direction: Direction,
    wait: Wait,
    acked: u64,
    sink: &mut dyn StreamSink,
) -> Option<u64> {
    if acked <= half.app {
        return None;
    }
    let next = half.segments_at(half.app).and_then(|segments| segments.next_start(half.app));
    // What nothing came behind of may yet come; but not for so long that all behind it lies too far ahead.
    if wait != Wait::Acknowledged && next.is_none() && acked - half.app < MAX_AHEAD / 2 {
        return None;
    }
    let end = half.on_one_side(half.app, next.map_or(acked, |next| next.min(acked)));
    let length = end.saturating_sub(half.app);
    if length == 0 {
        return None;
    }
    let piece = Piece::Gap { offset: half.app, length };
    sink.take(Delivery { direction, to: recipients(half), piece });
    half.app = end;
    Some(length)
}

/// Answers who gets what is handed out next.
fn recipients(half: &Half) -> Recipients {
    if half.beyond_depth(half.app) { Recipients::ZeekBeyondDepth } else { Recipients::All }
}

/// Tells the sink, once, that no more comes.
pub(super) fn finish(half: &mut Half, direction: Direction, sink: &mut dyn StreamSink) {
    if half.flags.contains(HalfFlags::CLOSED) {
        return;
    }
    half.flags.insert(HalfFlags::CLOSED);
    if half.app_wanted() {
        if !half.flags.contains(HalfFlags::APP_ASIDE) {
            half.note_missing_end(half.within_depth(half.segments.end()).saturating_sub(half.app));
        }
        sink.take(Delivery::to_all(direction, Piece::End));
    }
}

impl TcpSession {
    /// Handles the bytes of a packet that fits the session, and those it acknowledges.
    pub(super) fn segment(&mut self, turn: &mut Turn<'_, '_>) {
        let (direction, inline) = (turn.direction, turn.settings.inline);
        if !turn.has(Tcp::RST) || inline || turn.settings.eager {
            self.hand_out(direction.opposite(), inline, turn);
        }
        if turn.payload_len() > 0 {
            self.take_in(turn);
        }
        if turn.has(Tcp::FIN) && !turn.has(Tcp::SYN) {
            self.take_note_of_fin(turn);
        }
        let immediate = inline || self.flags.contains(SessionFlags::ASYNC);
        if immediate || self.halves[direction].fin().is_some() {
            self.hand_out(direction, immediate, turn);
        }
    }

    fn hand_out(&mut self, direction: Direction, immediate: bool, turn: &mut Turn<'_, '_>) {
        let half = &mut self.halves[direction];
        let whole =
            !self.flags.contains(SessionFlags::MIDSTREAM) && !self.flags.contains(SessionFlags::ASYNC);
        let wait = match (immediate, turn.settings.eager && whole) {
            (true, _) => Wait::Nothing,
            (false, true) => Wait::Acknowledged,
            (false, false) => Wait::Sent,
        };
        if deliver(half, direction, turn.packet.time, wait, turn.shared, turn.sink) {
            turn.outcome.gap = true;
            turn.event(StreamEvent::ReassemblySeqGap);
        }
        let half = &mut self.halves[direction];
        let has_ended = || half.fin().is_some_and(|fin| half.within_reach(fin) <= half.app);
        if turn.settings.eager {
            if !half.flags.contains(HalfFlags::CLOSED) && has_ended() {
                finish(half, direction, turn.sink);
                turn.outcome.end_of_stream = true;
            }
        } else if turn.settings.tells_early && whole && !immediate && half.app_wanted() {
            let missing = half.within_reach(half.acked()).saturating_sub(half.app);
            if missing > 0 {
                let piece = Piece::Gap { offset: half.app, length: missing };
                turn.sink.take(Delivery { direction, to: Recipients::ZeekEarly, piece });
            }
            if !half.flags.contains(HalfFlags::CLOSED) && has_ended() {
                turn.sink.take(Delivery { direction, to: Recipients::ZeekEarly, piece: Piece::End });
            }
        }
    }

    /// Hands out all of both directions: the connection is over.
    ///
    /// After a RST only its sender's bytes are known to be final: the receiver's rest is handed out when the flow
    /// ends, except where acknowledgements are trusted as they come.
    pub(super) fn end(&mut self, turn: &mut Turn<'_, '_>) {
        let only_sender = turn.has(Tcp::RST) && !turn.settings.eager && !turn.settings.inline;
        for direction in Direction::BOTH {
            if only_sender && direction != turn.direction {
                continue;
            }
            self.halves[direction].flags.insert(HalfFlags::ENDED);
            self.hand_out(direction, false, turn);
            finish(&mut self.halves[direction], direction, turn.sink);
        }
        turn.outcome.end_of_stream = true;
    }

    fn take_note_of_fin(&mut self, turn: &Turn<'_, '_>) {
        self.halves[turn.direction].ends_at(Seq(turn.tcp.seq).plus(turn.payload_len()));
    }

    /// Puts the packet's payload into the stream, less what is urgent.
    fn take_in(&mut self, turn: &mut Turn<'_, '_>) {
        let payload = turn.packet.payload;
        let seq = Seq(turn.tcp.seq).plus(u32::from(turn.has(Tcp::SYN)));
        let urgent = match self.urgent(turn) {
            Urgent::None => return self.put(seq, payload, turn),
            Urgent::LeaveOut => return,
            Urgent::Byte(urgent) => urgent,
        };
        let (before, after) = payload.split_at(urgent.min(payload.len()));
        let after = after.get(1..).unwrap_or_default();
        if !before.is_empty() {
            self.put(seq, before, turn);
        }
        self.halves[turn.direction].take_out_urgent();
        turn.shared.counters.urgent_oob_data += 1;
        if !after.is_empty() {
            self.put(seq.plus(urgent as u32 + 1), after, turn);
        }
    }

    /// Returns the effect of the urgent pointer on the payload.
    fn urgent(&self, turn: &mut Turn<'_, '_>) -> Urgent {
        if !turn.has(Tcp::URG) || turn.tcp.urgent == 0 {
            return Urgent::None;
        }
        let half = &self.halves[turn.direction];
        let mut policy = turn.settings.urgent;
        if policy == UrgentPolicy::OutOfBand && half.urgent_bytes == MAX_URGENT_BYTES {
            policy = turn.settings.urgent_limit;
            turn.event(StreamEvent::ReassemblyUrgentLimitReached);
        }
        match policy {
            UrgentPolicy::Inline => Urgent::None,
            UrgentPolicy::Gap => Urgent::LeaveOut,
            UrgentPolicy::Drop => {
                turn.outcome.drop = Some(DropReason::StreamUrgent);
                Urgent::LeaveOut
            }
            UrgentPolicy::OutOfBand => {
                let again = Seq(turn.tcp.seq).before(half.last_ack) || turn.outcome.retransmission;
                let byte = usize::from(turn.tcp.urgent) - 1;
                if again || byte >= turn.packet.payload.len() { Urgent::None } else { Urgent::Byte(byte) }
            }
        }
    }

    /// Puts bytes at a sequence number into the stream.
    fn put(&mut self, seq: Seq, bytes: &[u8], turn: &mut Turn<'_, '_>) {
        let half = &mut self.halves[turn.direction];
        if !half.app_wanted() && !half.raw_wanted() {
            return;
        }
        let start = half.offset(seq);
        let end = start.saturating_add(bytes.len() as i64);
        if end <= half.segments.base() as i64 {
            if !half.is_aside() {
                turn.event(StreamEvent::ReassemblySegmentBeforeBaseSeq);
            }
            return;
        }
        let skipped = start.min(0).unsigned_abs();
        let bytes = bytes.get(skipped as usize..).unwrap_or_default();
        let start = start.max(0) as u64;
        let is_ahead = |front: u64| start > front.saturating_add(MAX_AHEAD);
        if is_ahead(half.within_depth(half.front())) && !half.is_aside() {
            turn.event(StreamEvent::ReassemblyInsertInvalid);
        }
        if is_ahead(half.front()) {
            return;
        }
        let within = half.within_depth(start + bytes.len() as u64).saturating_sub(start) as usize;
        if within < bytes.len() && !half.flags.contains(HalfFlags::DEPTH_REACHED) && !half.is_aside() {
            half.flags.insert(HalfFlags::DEPTH_REACHED);
            turn.shared.counters.stream_depth_reached += 1;
            turn.event(StreamEvent::ReassemblyDepthReached);
        }
        let (bytes, beyond) = bytes.split_at(within.min(bytes.len()));
        let time = turn.packet.time.max(turn.shared.now);
        if !bytes.is_empty() {
            let segment = Segment { offset: start, bytes, time };
            match half.is_aside() {
                true => half.keep_aside(segment, turn.settings, turn.shared),
                false => self.keep(segment, turn),
            }
        }
        if !beyond.is_empty() && turn.settings.tells_beyond {
            self.keep_beyond(Segment { offset: start + within as u64, bytes: beyond, time }, turn);
        }
    }

    /// Keeps a segment beyond the depth, if that is still of use; nothing else learns of it.
    fn keep_beyond(&mut self, segment: Segment<'_>, turn: &mut Turn<'_, '_>) {
        let (settings, shared) = (turn.settings, &mut *turn.shared);
        let half = &mut self.halves[turn.direction];
        let length = segment.bytes.len() as u64;
        let is_late = segment.offset + length <= half.app;
        if !half.app_wanted() || half.retains() || half.flags.contains(HalfFlags::BEYOND_OFF) || is_late {
            return;
        }
        let before = shared.counters.reassembly_memuse;
        let shared = shared.beyond();
        let free = settings.free_memory(before + shared.counters.reassembly_memuse);
        if half.fits_beyond(&segment, free) {
            half.keep_beyond(segment, settings.max_regions, shared);
        }
    }

    /// Keeps a segment, or hands it straight to the sink where that is possible.
    fn keep(&mut self, segment: Segment<'_>, turn: &mut Turn<'_, '_>) {
        let settings = turn.settings;
        let half = &mut self.halves[turn.direction];
        let end = segment.offset + segment.bytes.len() as u64;
        if settings.inline {
            half.rare_mut().latest = Some((segment.offset, end));
        }
        let direct =
            settings.inline && half.app_wanted() && segment.offset == half.app && end > half.segments.end();
        if direct && half.segments.end() <= half.app {
            let arrivals = &[(segment.offset, segment.time)];
            let piece = Piece::Data { offset: segment.offset, bytes: segment.bytes, arrivals };
            turn.sink.take(Delivery::to_all(turn.direction, piece));
            turn.shared.account.inspected += segment.bytes.len() as u64;
            half.app = end;
            turn.outcome.payload_added = true;
        }
        let free = settings.free_memory(turn.shared.counters.reassembly_memuse);
        if !half.segments.fits(&segment, free) {
            turn.shared.counters.segment_memcap_drop += 1;
            turn.shared.counters.insert_data_normal_fail += 1;
            turn.outcome.exception = Some(StreamException::ReassemblyMemcap);
            turn.event(StreamEvent::ReassemblyInsertMemcap);
            turn.event(StreamEvent::ReassemblyNoSegment);
            return;
        }
        if !half.segments.open_region(segment.offset, end, settings.max_regions, turn.shared) {
            turn.shared.counters.insert_data_normal_fail += 1;
            turn.event(StreamEvent::ReassemblyInsertLimit);
            turn.event(StreamEvent::ReassemblyNoSegment);
            return;
        }
        // Inline, what came first was let through, and nothing else is.
        let policy = if settings.inline { OverlapPolicy::First } else { half.policy };
        let inserted = half.segments.insert(segment, policy, half.front(), turn.shared);
        turn.shared.charge(&mut half.charged, half.segments.cost());
        if inserted.overlap {
            turn.shared.counters.overlap += 1;
        }
        if inserted.differs && settings.check_overlap {
            turn.shared.counters.overlap_diff_data += 1;
            turn.event(StreamEvent::ReassemblyOverlapDifferentData);
        }
        turn.outcome.differs |= inserted.differs;
        turn.outcome.payload_added = true;
    }

    /// Puts the bytes that the stream has at the place of a packet's `payload` over it, so that the
    /// receiver gets what was inspected. A payload with urgent data, which is not all part of the
    /// stream, stays as it is.
    pub fn normalise(&self, direction: Direction, tcp: &Tcp<'_>, payload: &mut [u8]) {
        if tcp.has(Tcp::URG) && tcp.urgent != 0 {
            return;
        }
        let half = &self.halves[direction];
        let start = half.offset(Seq(tcp.seq).plus(u32::from(tcp.has(Tcp::SYN))));
        half.segments.copy_over(start, payload);
    }
}
