//! TCP as Zeek follows it: states of both ends, sizes by sequence numbers, what is odd.

use std::num::NonZeroU64;

use weir_base::Timestamp;
use weir_packet::Tcp;

use super::gaps::SeenBytes;
use super::history::{History, Repeated};
use super::segment::{Acknowledged, NextSegment, Segment, Window};
use super::sequence::{Position, distance};

/// State of one end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum State {
    /// It has not sent anything.
    #[default]
    Inactive,
    /// It sent a SYN.
    SynSent,
    /// It sent a SYN/ACK that nobody asked for.
    SynAckSent,
    /// It spoke without a SYN.
    Partial,
    /// The handshake is complete.
    Established,
    /// It sent a FIN.
    Closed,
    /// It sent a RST.
    Reset,
}

impl State {
    const fn never_spoke(self) -> bool {
        matches!(self, State::Inactive | State::Partial)
    }
}

/// One end.
///
/// It is flat: these are the variables of one end's sequence space and history, moved by each segment.
#[derive(Clone, Debug, Default)]
pub(super) struct Endpoint {
    pub(super) state: State,
    pub(super) before: State,
    pub(super) start: u32,
    pub(super) last: Position,
    pub(super) acknowledged: Position,
    pub(super) window: Window,
    pub(super) retransmissions: Repeated,
    pub(super) zero_windows: Repeated,
    pub(super) gaps: Repeated,
    last_syn: u64,
    last_fin: u64,
    last_rst: u64,
    pub(super) fin_position: Option<NonZeroU64>,
    pub(super) closed: bool,
    /// It is to count as closed once nothing waits to be acknowledged or delivered.
    closing: bool,
    pub(super) seen: SeenBytes,
    /// Everything before was acknowledged.
    pub(super) trimmed: u64,
    /// From here on some of what it sent was counted only, if any.
    pub(super) passed_from: Option<NonZeroU64>,
}

impl Endpoint {
    pub(super) fn begin(&mut self, start: u32) {
        self.start = start;
        self.last = Position::at(start);
        self.acknowledged = Position::at(start);
    }

    fn set(&mut self, state: State) {
        if self.state != state {
            self.before = self.state;
            self.state = state;
        }
    }

    /// Bytes sent, by the farther of what was sent and what was acknowledged, without SYN and FIN.
    pub(super) fn size(&self) -> u64 {
        let farthest = self.last.full().max(self.acknowledged.full());
        let size = farthest.saturating_sub(u64::from(self.start)).saturating_sub(1);
        if self.fin_position.is_some() { size.saturating_sub(1) } else { size }
    }

    /// Whether something is to come before the end of the connection: of what it sent a part is missing, or
    /// what its `peer` sent is not acknowledged.
    fn has_pending(&self, peer: &Self) -> bool {
        let last = self.last.full().saturating_sub(u64::from(self.start));
        let delivered = self.seen.contiguous();
        let missing = delivered < last.saturating_sub(1);
        missing || self.state != State::Reset && peer.seen.reaches_beyond(peer.trimmed)
    }

    /// Counts it as closed if it is to be and nothing is pending; whether the connection is over with it.
    fn finish(&mut self, peer: &Self) -> bool {
        if !self.closing || self.has_pending(peer) {
            return false;
        }
        self.closing = false;
        let was_closed = std::mem::replace(&mut self.closed, true);
        !was_closed && (self.state == State::Reset || peer.closed || peer.state == State::Inactive)
    }

    /// Whether a sequence number is one that it sent.
    fn sent(&self, seq: u32) -> bool {
        distance(seq, self.start) >= 0 && distance(self.last.value, seq) >= 0
    }

    /// The handshake was complete before the end closed or was reset.
    pub(super) fn was_established(&self) -> bool {
        match self.state {
            State::Established => true,
            State::Closed | State::Reset => self.before == State::Established,
            _ => false,
        }
    }
}

/// Action on a connection after a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Closing {
    /// Nothing.
    Open,
    /// Both ends are done, or it was reset.
    Over,
}

/// Both ends.
#[derive(Clone, Debug, Default)]
pub(super) struct TcpConnection {
    pub(super) originator: Endpoint,
    pub(super) responder: Endpoint,
    /// The connection was met after its handshake.
    pub(super) partial: bool,
    begun: bool,
    /// When the first SYN of an end came.
    pub(super) attempt: Option<Timestamp>,
    pub(super) missed: u64,
    /// Acknowledgement by the last segment.
    pub(super) acknowledged: Acknowledged,
}

impl TcpConnection {
    pub(super) fn ends(&mut self, originator: bool) -> (&mut Endpoint, &mut Endpoint) {
        if originator {
            (&mut self.originator, &mut self.responder)
        } else {
            (&mut self.responder, &mut self.originator)
        }
    }

    /// Whether the last packet still moves the connection's end.
    pub(super) const fn counts_time(&self) -> bool {
        !self.originator.closed || !self.responder.closed
    }

    /// Nobody answered the originator.
    pub(super) fn is_attempt(&self) -> bool {
        matches!(self.originator.state, State::SynSent | State::SynAckSent)
            && self.responder.state == State::Inactive
    }

    /// The responder sent a SYN+ACK that nobody had asked for, and nobody went on.
    pub(super) fn has_only_answered(&self) -> bool {
        self.responder.state == State::SynAckSent && self.originator.state == State::Inactive
    }

    /// Makes the originator the responder.
    pub(super) fn exchange_ends(&mut self) {
        std::mem::swap(&mut self.originator, &mut self.responder);
    }

    /// Both ends agreed to the connection, and neither has closed.
    pub(super) fn is_established(&self) -> bool {
        self.originator.state == State::Established && self.responder.state == State::Established
    }

    /// An end was reset.
    pub(super) fn is_reset(&self) -> bool {
        self.originator.state == State::Reset || self.responder.state == State::Reset
    }

    /// Bytes sent by each end.
    pub(super) fn sizes(&self) -> (u64, u64) {
        (self.originator.size(), self.responder.size())
    }

    /// `conn_state`, which depends on the `history` where the originator gave up.
    pub(super) fn state_name(&self, history: &[u8]) -> &'static str {
        let (o, r) = (self.originator.state, self.responder.state);
        match (o, r) {
            (State::SynSent | State::SynAckSent, State::Reset) => "REJ",
            (State::Reset, State::Reset) if self.sizes() == (0, 0) => "REJ",
            (_, State::Reset) => {
                if o.never_spoke() {
                    "RSTRH"
                } else {
                    "RSTR"
                }
            }
            (State::Reset, _) => {
                if !r.never_spoke() {
                    "RSTO"
                } else if gave_up(history) {
                    "RSTOS0"
                } else {
                    "OTH"
                }
            }
            (State::Closed, State::Closed) => "SF",
            (State::Closed, _) => {
                if r.never_spoke() {
                    "SH"
                } else {
                    "S2"
                }
            }
            (_, State::Closed) => {
                if o.never_spoke() {
                    "SHR"
                } else {
                    "S3"
                }
            }
            (State::SynSent, State::Inactive) => "S0",
            (State::Established, State::Established) => "S1",
            _ => "OTH",
        }
    }

    /// Takes in a segment of the kind that nearly all are: both ends spoke, it is the next one of its
    /// sender, begins and ends nothing, and acknowledges nothing that is missing. False where it is none;
    /// nothing was done then, and [`Self::follow`] is to be called.
    #[inline]
    pub(super) fn goes_on(&mut self, segment: &NextSegment, originator: bool, history: &mut History) -> bool {
        let partial = self.partial;
        let (end, peer) = self.ends(originator);
        let spoke = |state| matches!(state, State::Established | State::Partial);
        if !spoke(end.state)
            || !spoke(peer.state)
            || peer.fin_position.is_some()
            || segment.seq != end.last.value
        {
            return false;
        }
        let (Some(from), Some(acknowledged)) =
            (end.last.near(segment.seq, end.start), peer.acknowledged.near(segment.ack, peer.start))
        else {
            return false;
        };
        if !peer.seen.is_contiguous_to(acknowledged) || !end.window.moves(segment) {
            return false;
        }
        if segment.length > 0 {
            history.first(b'D', originator);
            end.last.advance(segment.seq.wrapping_add(segment.length));
            end.seen.add(from, from + u64::from(segment.length));
        } else {
            history.first(b'A', originator);
        }
        peer.acknowledged.value = segment.ack;
        let is_told = !(acknowledged <= 2 && partial);
        let is_new = is_told && acknowledged > peer.trimmed.max(1);
        if is_told {
            peer.trimmed = peer.trimmed.max(acknowledged);
        }
        let agreed = end.state == State::Established && peer.state == State::Established;
        self.acknowledged = if is_new && agreed { Acknowledged::Seen } else { Acknowledged::Nothing };
        true
    }

    /// Takes in a segment captured at `time`, whatever it is. `weird` is called with its weirds.
    pub(super) fn follow(
        &mut self,
        segment: &Segment,
        time: Timestamp,
        history: &mut History,
        weird: &mut dyn FnMut(&'static str),
    ) -> Closing {
        if !self.begun {
            self.begun = true;
            self.partial =
                if segment.originator { !segment.has(Tcp::SYN) } else { !segment.has(Tcp::SYN | Tcp::ACK) };
        }
        if segment.captured < segment.length {
            weird("truncated_tcp_payload");
        }
        self.initialise(segment, weird);
        self.settle(segment);
        let (end, _) = self.ends(segment.originator);
        let position = end.last.relative(segment.seq, end.start);
        if position.is_none() && !segment.has(Tcp::RST) {
            weird("TCP_seq_underflow_or_misorder");
        }
        let from = position.unwrap_or(0);
        self.write_history(segment, from, history);
        self.update_window(segment, history, weird);
        if segment.has(Tcp::SYN) {
            self.begin_window(segment);
            for (flags, name) in [(Tcp::RST, "TCP_christmas"), (Tcp::URG, "baroque_SYN")] {
                if segment.has(flags) {
                    weird(name);
                }
            }
            if segment.length > 0 {
                weird("SYN_with_data");
            }
        }
        let advanced = self.update_last(segment, history);
        let closes = self.update_state(segment, time, advanced, weird);
        self.acknowledged = Acknowledged::Nothing;
        if segment.has(Tcp::ACK) {
            self.acknowledge(segment, history, weird);
        }
        if position.is_some() {
            self.take_data(segment, from);
        }
        self.close(segment, closes)
    }

    fn write_history(&mut self, segment: &Segment, from: u64, history: &mut History) {
        let originator = segment.originator;
        let flags = segment.flags & (Tcp::SYN | Tcp::FIN | Tcp::RST);
        if flags.count_ones() > 1 {
            let contradicts = segment.has(Tcp::FIN | Tcp::RST);
            history.first(if contradicts { b'I' } else { b'Q' }, originator);
            return;
        }
        let (end, _) = self.ends(originator);
        let mut marked = |flag: u8, letter: u8, position: u64, last: &mut u64| {
            if !segment.has(flag) {
                return;
            }
            if !history.first(letter, originator) && *last != position {
                history.add(letter, originator);
            }
            *last = position;
        };
        let syn = if segment.has(Tcp::ACK) { b'H' } else { b'S' };
        marked(Tcp::SYN, syn, from, &mut end.last_syn);
        let fin = from.wrapping_add(u64::from(segment.length));
        marked(Tcp::FIN, b'F', fin, &mut end.last_fin);
        marked(Tcp::RST, b'R', from, &mut end.last_rst);
        // A segment that begins or ends the connection shows only that, whatever data it carries.
        if flags == 0 {
            if segment.length > 0 {
                history.first(b'D', originator);
            } else if segment.has(Tcp::ACK) {
                history.first(b'A', originator);
            }
        }
    }

    /// Moves the states; whether the end closed.
    fn update_state(
        &mut self,
        segment: &Segment,
        time: Timestamp,
        advanced: i32,
        weird: &mut dyn FnMut(&'static str),
    ) -> bool {
        let state = self.ends(segment.originator).0.state;
        match state {
            State::Inactive => self.inactive(segment, time, weird),
            State::SynSent | State::SynAckSent => self.syn_sent(segment, weird),
            State::Established | State::Partial => self.established(segment, weird),
            State::Closed => self.closed(segment, advanced, weird),
            State::Reset => self.reset(segment, weird),
        }
    }

    fn inactive(&mut self, segment: &Segment, time: Timestamp, weird: &mut dyn FnMut(&'static str)) -> bool {
        let mut attempt = false;
        let mut whole = false;
        let (end, peer) = self.ends(segment.originator);
        let mut closes = false;
        if segment.has(Tcp::SYN) {
            attempt = true;
            match (segment.originator, segment.has(Tcp::ACK)) {
                (true, true) => {
                    weird("connection_originator_SYN_ack");
                    end.set(State::SynAckSent);
                }
                (true, false) => end.set(State::SynSent),
                (false, true) if segment.unasked && peer.state == State::Inactive => {
                    end.set(State::SynAckSent);
                }
                (false, false) if peer.state == State::SynAckSent => end.set(State::SynSent),
                (false, answers) => {
                    let asked = !matches!(peer.state, State::Inactive | State::Partial);
                    if !answers {
                        weird("simultaneous_open");
                    } else if asked && !peer.sent(segment.ack) {
                        weird("bad_SYN_ack");
                    }
                    if peer.state == State::SynSent {
                        peer.set(State::Established);
                    }
                    end.set(State::Established);
                }
            }
        }
        if segment.has(Tcp::FIN) {
            end.set(State::Closed);
            closes = true;
        }
        if segment.has(Tcp::RST) {
            end.set(State::Reset);
            closes = true;
        }
        if end.state == State::Inactive {
            if !segment.originator && segment.length == 0 && peer.state == State::SynSent {
                // Some acknowledge a SYN before they answer it.
            } else if segment.has(Tcp::ACK) && peer.state == State::Established {
                // Of the handshake, only the first SYN was missed.
                end.set(State::Established);
                whole = true;
            } else {
                end.set(State::Partial);
            }
        }
        self.partial &= !whole;
        if attempt && self.attempt.is_none() {
            self.attempt = Some(time);
        }
        closes
    }

    fn syn_sent(&mut self, segment: &Segment, weird: &mut dyn FnMut(&'static str)) -> bool {
        let (end, peer) = self.ends(segment.originator);
        let mut closes = false;
        if segment.has(Tcp::SYN) {
            let alone = segment.flags & (Tcp::FIN | Tcp::RST) == 0;
            match (segment.originator, segment.has(Tcp::ACK)) {
                (true, true) if alone && end.state == State::SynSent => weird("repeated_SYN_with_ack"),
                (false, false) if end.state == State::SynAckSent => weird("repeated_SYN_reply_wo_ack"),
                _ => {}
            }
        }
        if segment.has(Tcp::FIN) {
            if matches!(peer.state, State::Inactive | State::SynSent) {
                weird("inappropriate_FIN");
            }
            end.set(State::Closed);
            closes = true;
        }
        if segment.has(Tcp::RST) {
            end.set(State::Reset);
            closes = true;
        } else if segment.length > 0 {
            weird("data_before_established");
        }
        closes
    }

    fn established(&mut self, segment: &Segment, weird: &mut dyn FnMut(&'static str)) -> bool {
        let (end, peer) = self.ends(segment.originator);
        if segment.has(Tcp::SYN)
            && !segment.has(Tcp::ACK)
            && end.state == State::Partial
            && peer.state == State::Inactive
        {
            weird("SYN_after_partial");
            end.set(State::SynSent);
        }
        if segment.has(Tcp::RST) {
            end.set(State::Reset);
            return true;
        }
        if segment.has(Tcp::FIN) {
            end.set(State::Closed);
            if peer.state == State::Reset && peer.before == State::Closed {
                // It ended as it should, for all the RST behind its FIN.
                peer.set(State::Closed);
            }
            return true;
        }
        false
    }

    fn closed(&mut self, segment: &Segment, advanced: i32, weird: &mut dyn FnMut(&'static str)) -> bool {
        let (end, peer) = self.ends(segment.originator);
        if segment.has(Tcp::SYN) {
            weird("SYN_after_close");
        }
        if segment.has(Tcp::FIN) && advanced > 0 {
            weird("FIN_advanced_last_seq");
        }
        // Where both ends have closed, a RST changes nothing.
        if segment.has(Tcp::RST) && peer.state != State::Closed {
            end.set(State::Reset);
            return true;
        }
        false
    }

    fn reset(&mut self, segment: &Segment, weird: &mut dyn FnMut(&'static str)) -> bool {
        if segment.has(Tcp::SYN) {
            weird("SYN_after_reset");
        }
        if segment.has(Tcp::FIN) {
            weird("FIN_after_reset");
        }
        if segment.length > 0 && !segment.has(Tcp::RST) {
            weird("data_after_reset");
        }
        false
    }

    /// Follows up on an end that closed with a segment, and on ends that count as closed with what it
    /// acknowledges.
    fn close(&mut self, segment: &Segment, closes: bool) -> Closing {
        let (end, peer) = self.ends(segment.originator);
        end.closing |= closes;
        let peer_is_over = segment.has(Tcp::ACK) && peer.finish(end);
        if end.finish(peer) || peer_is_over { Closing::Over } else { Closing::Open }
    }
}

/// Whether a RST followed a SYN with nothing between that would make a connection of it.
fn gave_up(history: &[u8]) -> bool {
    let Some(asked) = history.strip_prefix(b"^").unwrap_or(history).strip_prefix(b"S") else { return false };
    let before = asked.iter().position(|&letter| letter == b'R').and_then(|end| asked.get(..end));
    before.is_some_and(|before| !before.iter().any(|letter| b"HAFGIQ".contains(letter)))
}
