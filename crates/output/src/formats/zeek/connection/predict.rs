//! Header prediction (Van Jacobson, 4BSD TCP header prediction, 1990): where both ends speak and nothing is
//! missing, the next segment of either is known but for its length. What such a segment changes fits one line of
//! a processor's cache, and is written back to its connection when anything else comes.

use std::num::NonZeroU32;

use weir_base::Timestamp;

use super::history::History;
use super::segment::{NextSegment, Window};
use super::sequence::distance;
use super::tcp::{Endpoint, State};
use super::{Announced, Carrier, Connection, Known};

/// Most bytes that an end sends within one prediction, and reaches before it, so that nothing passes 32 bits.
const MAX_BYTES: u32 = 1 << 30;

/// It sent no data before.
const DATA: u8 = 1;
/// It sent no segment without data before.
const BARE: u8 = 2;
/// Its payloads may show a service.
const LOOK: u8 = 4;
/// What it offers seems older than none at all, and is passed over.
const NO_OFFER: u8 = 8;

/// What is expected of one end, and what it sent since.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    /// The sequence number of its next segment.
    next: u32,
    /// The one of its last segment.
    before: u32,
    /// Up to where its peer acknowledged.
    acknowledged: u32,
    /// Up to where it takes what its peer sends.
    offer: u32,
    /// Bytes of its packets, by their IP headers.
    bytes: u32,
    packets: u16,
    /// Of its window.
    scale: u8,
    /// [`DATA`], [`BARE`], [`LOOK`], [`NO_OFFER`].
    flags: u8,
}

/// What is expected of a connection.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(super) struct Prediction {
    /// The connection's; none where nothing is expected.
    generation: Option<NonZeroU32>,
    /// By which its ends are told apart.
    originator_port: u16,
    /// Both ends agreed to the connection.
    agreed: bool,
    /// Time of the last packet.
    last: Timestamp,
    /// The originator and the responder.
    ends: [End; 2],
}

impl Prediction {
    /// Whether it is of the connection of that generation.
    #[inline]
    pub(super) fn is_of(&self, generation: NonZeroU32) -> bool {
        self.generation == Some(generation)
    }

    /// Counts in a segment, if it is the expected one.
    #[inline]
    pub(super) fn takes(&mut self, segment: &NextSegment) -> Option<Taken> {
        let originator = segment.source_port == self.originator_port;
        let [one, other] = &mut self.ends;
        let (end, peer) = if originator { (one, other) } else { (other, one) };
        let concerned = if segment.length > 0 { DATA | LOOK } else { BARE };
        let (next, wraps) = end.next.overflowing_add(segment.length);
        let offer = segment.ack.wrapping_add(u32::from(segment.window) << end.scale);
        let advance = distance(offer, end.offer);
        let taken_back = advance < 0 && advance.unsigned_abs() >= 1 << end.scale && end.flags & NO_OFFER == 0;
        let acknowledges = segment.ack.wrapping_sub(peer.acknowledged);
        if segment.seq != end.next
            || acknowledges > peer.next.wrapping_sub(peer.acknowledged)
            || taken_back
            || wraps
            || segment.time < self.last
            || end.bytes > MAX_BYTES
            || end.packets == u16::MAX
        {
            return None;
        }
        end.packets += 1;
        end.bytes += segment.ip_length;
        end.before = segment.seq;
        end.next = next;
        end.offer = offer;
        peer.acknowledged = segment.ack;
        self.last = segment.time;
        Some(Taken { originator, acknowledges: acknowledges > 0 && self.agreed, news: end.flags & concerned })
    }

    /// An end showed what it had not before.
    fn shown(&mut self, originator: bool, news: u8, may_show: bool) {
        let [one, other] = &mut self.ends;
        let end = if originator { one } else { other };
        end.flags &= !news;
        if may_show {
            end.flags |= LOOK;
        }
    }
}

/// A segment that was as expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Taken {
    pub(in super::super) originator: bool,
    /// It acknowledges anything new of a connection that both ends agreed to.
    pub(super) acknowledges: bool,
    /// What it shows for the first time, or may show.
    news: u8,
}

impl Taken {
    /// Whether its connection is to be told of it.
    #[inline]
    pub(super) fn is_news(&self) -> bool {
        self.news != 0
    }
}

impl End {
    /// What is expected of an end that speaks and of which nothing is missing, if that can be said; `partial`: the
    /// handshake was not seen.
    fn of(end: &Endpoint, peer: &Endpoint, partial: bool) -> Option<Self> {
        if !matches!(end.state, State::Established | State::Partial) || end.fin_position.is_some() {
            return None;
        }
        let reach = end.last.near(end.last.value, end.start)?;
        let acknowledged = end.acknowledged.near(end.acknowledged.value, end.start)?;
        let window = end.window;
        // Without a wrap, this does not change.
        let no_offer = (window.seq, window.ack) == (0, 0)
            && (distance(end.last.value, 0) < 0 || distance(peer.acknowledged.value, 0) < 0);
        let expected = reach < u64::from(MAX_BYTES)
            && end.seen.is_whole_to(reach)
            && (1 + u64::from(partial)..=reach).contains(&acknowledged)
            && end.trimmed.max(1) == acknowledged
            && (no_offer
                || window.ack == peer.acknowledged.value && distance(end.last.value, window.seq) >= 0);
        expected.then_some(Self {
            next: end.last.value,
            before: window.seq,
            acknowledged: end.acknowledged.value,
            offer: window.ack.wrapping_add(window.size),
            scale: window.scale,
            flags: if no_offer { NO_OFFER } else { 0 },
            ..Self::default()
        })
    }

    /// Writes back what came of it, where `peer` is what came of the other end.
    fn settle(&self, peer: &Self, end: &mut Endpoint) {
        end.last.value = self.next;
        end.seen.add_next(u64::from(self.next.wrapping_sub(end.start)));
        end.acknowledged.value = self.acknowledged;
        let acknowledged = u64::from(self.acknowledged.wrapping_sub(end.start));
        if acknowledged > 1 {
            end.trimmed = acknowledged;
        }
        if self.flags & NO_OFFER == 0 {
            let size = self.offer.wrapping_sub(peer.acknowledged);
            end.window = Window { size, scale: self.scale, seq: self.before, ack: peer.acknowledged };
        }
    }
}

/// The kinds of segments that show something new of an end.
fn new_to(history: &History, originator: bool) -> u8 {
    let kind = |letter, kind| if history.has(letter, originator) { 0 } else { kind };
    kind(b'D', DATA) | kind(b'A', BARE)
}

impl Connection {
    /// What is expected of it, if that can be said, for the connection of that generation.
    pub(super) fn predict(&self, generation: NonZeroU32) -> Option<Prediction> {
        let Carrier::Tcp(tcp) = &self.carrier else { return None };
        let (one, other) = (&tcp.originator, &tcp.responder);
        let mut ends = [End::of(one, other, tcp.partial)?, End::of(other, one, tcp.partial)?];
        if self.originator.1 == self.responder.1 {
            return None;
        }
        for (end, originator) in ends.iter_mut().zip([true, false]) {
            end.flags |= new_to(&self.history, originator);
            if self.may_show(originator) {
                end.flags |= LOOK;
            }
        }
        Some(Prediction {
            generation: Some(generation),
            originator_port: self.originator.1,
            agreed: tcp.is_established(),
            last: self.touched,
            ends,
        })
    }

    /// Notes what an expected segment with this payload shows that was not shown before; answers the connection
    /// that it announces.
    pub(super) fn note(
        &mut self,
        prediction: &mut Prediction,
        taken: Taken,
        known: &Known,
        payload: &[u8],
    ) -> Option<Announced> {
        for (kind, letter) in [(DATA, b'D'), (BARE, b'A')] {
            if taken.news & kind != 0 {
                self.history.first(letter, taken.originator);
            }
        }
        let announced = self.recognise(known, taken.originator, payload);
        prediction.shown(taken.originator, taken.news, self.may_show(taken.originator));
        announced
    }

    /// Writes back what came of a prediction, which is over.
    pub(super) fn settle(&mut self, prediction: &mut Prediction) {
        prediction.generation = None;
        let Carrier::Tcp(tcp) = &mut self.carrier else { return };
        let [one, other] = &prediction.ends;
        if one.packets == 0 && other.packets == 0 {
            return;
        }
        one.settle(other, &mut tcp.originator);
        other.settle(one, &mut tcp.responder);
        for (side, end) in self.sides.iter_mut().zip(&prediction.ends) {
            side.packets += u64::from(end.packets);
            side.ip_bytes += u64::from(end.bytes);
        }
        (self.touched, self.last) = (prediction.last, prediction.last);
    }
}
