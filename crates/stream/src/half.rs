//! One direction of a connection: the sequence space of its sender, and its bytes.

use weir_base::Timestamp;

use crate::policy::OverlapPolicy;
use crate::sack::SackBlocks;
use crate::segments::Segments;
use crate::sequence::Seq;
use crate::shared::StreamShared;

/// Facts of one direction.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct HalfFlags(u16);

impl HalfFlags {
    /// The handshake's timestamp was zero.
    pub(crate) const ZERO_TIMESTAMP: Self = Self(1);
    /// The latest packet was a keep-alive.
    pub(crate) const KEEPALIVE: Self = Self(1 << 1);
    /// A RST came from this side.
    pub(crate) const RESET: Self = Self(1 << 2);
    /// Nobody wants the bytes any more, for the protocol parser.
    pub(crate) const APP_OFF: Self = Self(1 << 3);
    /// Nobody wants the bytes any more, for inspection of the stream.
    pub(crate) const RAW_OFF: Self = Self(1 << 4);
    /// The stream is longer than what is inspected.
    pub(crate) const DEPTH_REACHED: Self = Self(1 << 5);
    /// What there is is to be inspected now.
    pub(crate) const RAW_TRIGGER: Self = Self(1 << 6);
    /// The sink was told of the end.
    pub(crate) const CLOSED: Self = Self(1 << 7);
    /// All that came is to be handed out, acknowledged or not.
    pub(crate) const ENDED: Self = Self(1 << 8);
    /// A probe of the closed window carried a byte.
    pub(crate) const WINDOW_PROBE: Self = Self(1 << 9);

    pub(crate) const fn has(self, flag: Self) -> bool {
        self.0 & flag.0 == flag.0
    }

    pub(crate) const fn set(&mut self, flag: Self) {
        self.0 |= flag.0;
    }

    pub(crate) const fn clear(&mut self, flag: Self) {
        self.0 &= !flag.0;
    }

    /// Exchanges this flag between two sets.
    pub(crate) const fn exchange(self, one: &mut Self, other: &mut Self) {
        let differing = (one.0 ^ other.0) & self.0;
        one.0 ^= differing;
        other.0 ^= differing;
    }
}

/// See the module. "Sender" is the side whose bytes these are.
#[derive(Debug, Default)]
pub(crate) struct Half {
    /// Initial sequence number.
    pub(crate) isn: Seq,
    /// After the last byte seen in order or beyond.
    pub(crate) next_seq: Seq,
    /// What the other side acknowledged.
    pub(crate) last_ack: Seq,
    /// How far the sender may go.
    pub(crate) next_win: Seq,
    /// Window that the other side offers, scaled.
    pub(crate) window: u32,
    /// Scale of the windows that the other side offers.
    pub(crate) window_scale: u8,
    /// Latest timestamp of the sender.
    pub(crate) last_ts: u32,
    /// When that was captured.
    pub(crate) last_ts_time: Timestamp,
    pub(crate) flags: HalfFlags,
    /// How the other side treats overlaps.
    pub(crate) policy: OverlapPolicy,
    /// All TCP flags seen.
    pub(crate) tcp_flags: u8,
    pub(crate) sack: SackBlocks,
    /// A sequence number and its stream offset, moved along so that offsets outlive 2^31 bytes.
    reference: (Seq, u64),
    /// Where only this side is seen: its bytes before this are taken for acknowledged.
    presumed: u64,
    /// Urgent bytes taken out so far.
    pub(crate) urgent_bytes: u32,
    /// Offset of the FIN.
    pub(crate) fin: Option<u64>,
    pub(crate) segments: Segments,
    /// All before this was handed to the sink.
    pub(crate) app: u64,
    /// All before this was inspected as raw stream.
    pub(crate) raw: u64,
    /// Bytes from here on are kept for frames, whoever else is done with them.
    pub(crate) retained: Option<u64>,
    /// Where the latest segment kept begins and ends, until it was inspected inline.
    pub(crate) latest: Option<(u64, u64)>,
    /// The bytes around a segment that arrived beyond a hole, while they are inspected inline.
    pub(crate) around: Vec<u8>,
    /// The last bytes before `raw`, for patterns that lie across windows; without a hole.
    pub(crate) tail: Vec<u8>,
    /// How far bytes are reassembled, zero for no limit.
    pub(crate) depth: u64,
    pub(crate) gaps: u32,
    pub(crate) gap_bytes: u64,
    /// What the reassembly account holds for this direction.
    pub(crate) charged: u64,
}

impl Half {
    /// Begins the stream: the first byte has sequence number `isn + 1` and offset zero. Where it
    /// had begun before, with another opening, it goes on where that left off.
    pub(crate) fn begin(&mut self, isn: Seq) {
        let offset = self.app.max(self.raw);
        self.app = offset;
        self.raw = offset;
        self.presumed = 0;
        self.urgent_bytes = 0;
        self.fin = None;
        self.segments.restart(offset);
        self.tail.clear();
        self.isn = isn;
        self.next_seq = isn.plus(1);
        self.last_ack = isn.plus(1);
        self.next_win = isn.plus(1);
        self.reference = (isn.plus(1), offset);
    }

    /// The stream offset of `seq`; negative before the first byte.
    pub(crate) const fn offset(&self, seq: Seq) -> i64 {
        let (at, offset) = self.reference;
        (offset as i64).saturating_add(seq.distance(at) as i64).saturating_sub(self.urgent_bytes as i64)
    }

    /// The stream offset of what is acknowledged, or taken to be.
    pub(crate) fn acked(&self) -> u64 {
        let acked = (self.offset(self.last_ack).max(0) as u64).max(self.presumed);
        self.fin.map_or(acked, |fin| acked.min(fin))
    }

    /// The stream offset after the farthest byte that is part of the stream.
    pub(crate) fn end(&self) -> u64 {
        let end = self.segments.end();
        self.fin.map_or(end, |fin| end.min(fin))
    }

    /// Takes note of an acknowledgement, which was validated.
    pub(crate) fn acknowledge(&mut self, ack: Seq) {
        if ack.after(self.last_ack) {
            let (at, offset) = self.reference;
            self.reference = (ack, offset.saturating_add(ack.distance(at).max(0) as u64));
            self.last_ack = ack;
            self.sack.prune(ack);
            // Who acknowledges bytes past a FIN did not get that.
            if self.fin.is_some_and(|fin| self.offset(ack) > (fin as i64).saturating_add(1)) {
                self.fin = None;
            }
        }
    }

    /// Takes all bytes before `offset` for acknowledged.
    pub(crate) fn presume(&mut self, offset: u64) {
        self.presumed = self.presumed.max(offset);
    }

    /// Moves the edge of the window to where the other side now has it.
    pub(crate) fn widen(&mut self) {
        let edge = self.last_ack.plus(self.window).plus(self.sack.size());
        self.next_win = self.next_win.later(edge);
    }

    /// After the last byte seen, and the FIN if there was one.
    pub(crate) const fn end_seq(&self) -> Seq {
        if self.fin.is_some() { self.next_seq.plus(1) } else { self.next_seq }
    }

    /// Whether the parser still wants bytes.
    pub(crate) const fn app_wanted(&self) -> bool {
        !self.flags.has(HalfFlags::APP_OFF)
    }

    /// Whether raw inspection still wants bytes.
    pub(crate) const fn raw_wanted(&self) -> bool {
        !self.flags.has(HalfFlags::RAW_OFF)
    }

    /// Offset up to which all was handed out: there the front run begins to be of use.
    pub(crate) const fn front(&self) -> u64 {
        if self.app_wanted() { self.app } else { self.raw }
    }

    /// Forgets bytes that nobody waits for, and settles the account.
    pub(crate) fn prune(&mut self, keep_before: u64, shared: &mut StreamShared) {
        let app = if self.app_wanted() { self.app } else { u64::MAX };
        let raw = if self.raw_wanted() { self.raw.saturating_sub(keep_before) } else { u64::MAX };
        let base = app.min(raw).min(self.retained.unwrap_or(u64::MAX));
        if base == u64::MAX {
            self.segments.clear(shared);
        } else {
            self.segments.prune(base, shared);
        }
        shared.charge(&mut self.charged, self.segments.cost() + self.tail.capacity() as u64);
    }

    /// Raw inspection came as far as `up_to`; the last `keep` bytes before that stay.
    pub(crate) fn inspected(&mut self, up_to: u64, keep: usize) {
        let bytes = self.segments.read(self.raw);
        let length = up_to.saturating_sub(self.raw).min(bytes.len() as u64) as usize;
        let bytes = bytes.get(..length).unwrap_or_default();
        if keep == 0 {
            self.tail = Vec::new();
        } else {
            let bytes = bytes.get(length.saturating_sub(keep)..).unwrap_or_default();
            let over = (self.tail.len() + bytes.len()).saturating_sub(keep);
            self.tail.drain(..over.min(self.tail.len()));
            self.tail.extend_from_slice(bytes);
        }
        self.raw = self.raw.max(up_to);
    }

    /// Whether bytes at or past `offset` are beyond the depth.
    pub(crate) const fn beyond_depth(&self, offset: u64) -> bool {
        self.depth > 0 && offset >= self.depth
    }

    /// `offset`, or the depth where that is nearer.
    pub(crate) fn within_depth(&self, offset: u64) -> u64 {
        if self.depth > 0 { offset.min(self.depth) } else { offset }
    }
}
