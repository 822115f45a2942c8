//! TCP as Zeek follows it: states of both ends, sizes by sequence numbers, what is odd.

use weir_base::Timestamp;
use weir_packet::Tcp;

use super::gaps::SeenBytes;
use super::history::{History, Repeated};
use super::sequence::{Position, TOO_LARGE_JUMP, distance};

/// How far one end is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum State {
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
#[derive(Clone, Debug, Default)]
pub(super) struct Endpoint {
    state: State,
    before: State,
    start: u32,
    last: Position,
    acknowledged: Position,
    retransmissions: Repeated,
    zero_windows: Repeated,
    gaps: Repeated,
    last_syn: u64,
    last_fin: u64,
    last_rst: u64,
    fin_position: Option<u64>,
    closed: bool,
    seen: SeenBytes,
    /// Everything before was acknowledged.
    trimmed: u64,
}

impl Endpoint {
    fn begin(&mut self, start: u32) {
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
    fn size(&self) -> u64 {
        let farthest = self.last.full().max(self.acknowledged.full());
        let size = farthest.saturating_sub(u64::from(self.start)).saturating_sub(1);
        if self.fin_position.is_some() { size.saturating_sub(1) } else { size }
    }

    /// The end's last state: one that was reset after both had closed stays closed.
    fn outcome(&self, peer: &Self) -> State {
        if self.state == State::Reset && self.has_closed() && peer.has_closed() {
            State::Closed
        } else {
            self.state
        }
    }

    fn has_closed(&self) -> bool {
        self.state == State::Closed || (self.state == State::Reset && self.before == State::Closed)
    }

    /// The handshake was complete before the end closed or was reset.
    fn was_established(&self) -> bool {
        match self.state {
            State::Established => true,
            State::Closed | State::Reset => self.before == State::Established,
            _ => false,
        }
    }
}

/// What is to be done about a connection after a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Closing {
    /// Nothing.
    Open,
    /// Both ends are done, or it was reset.
    Over,
}

/// What a segment acknowledged of a connection that both ends have agreed to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in super::super) enum Acknowledged {
    /// Nothing new.
    #[default]
    Nothing,
    /// Bytes that were captured.
    Seen,
    /// Bytes some of which were not.
    Missed,
}

/// A segment of which the addresses are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) originator: bool,
    /// It answers a SYN that was not seen, from who was taken for the originator.
    pub(super) unasked: bool,
    pub(super) seq: u32,
    pub(super) ack: u32,
    pub(super) flags: u8,
    pub(super) window: u16,
    /// Length of the payload on the wire.
    pub(super) length: u32,
    /// How much of it was captured.
    pub(super) captured: u32,
}

impl Segment {
    const fn has(&self, flags: u8) -> bool {
        self.flags & flags == flags
    }

    /// Length in sequence space.
    const fn sequence_length(&self) -> u32 {
        let payload = if self.has(Tcp::RST) { 0 } else { self.length };
        payload + self.has(Tcp::SYN) as u32 + self.has(Tcp::FIN) as u32
    }
}

/// Both ends.
#[derive(Clone, Debug, Default)]
pub(super) struct TcpConnection {
    originator: Endpoint,
    responder: Endpoint,
    /// The connection was met after its handshake.
    partial: bool,
    begun: bool,
    /// When the first SYN of an end came.
    pub(super) attempt: Option<Timestamp>,
    pub(super) missed: u64,
    /// What the last segment acknowledged.
    pub(super) acknowledged: Acknowledged,
}

impl TcpConnection {
    fn ends(&mut self, originator: bool) -> (&mut Endpoint, &mut Endpoint) {
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

    /// Both ends agreed to the connection, and neither has closed.
    pub(super) fn is_established(&self) -> bool {
        self.originator.state == State::Established && self.responder.state == State::Established
    }

    /// Bytes sent by each end.
    pub(super) fn sizes(&self) -> (u64, u64) {
        (self.originator.size(), self.responder.size())
    }

    /// `conn_state`
    pub(super) fn state_name(&self) -> &'static str {
        let (o, r) = (self.originator.outcome(&self.responder), self.responder.outcome(&self.originator));
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
                if r.never_spoke() {
                    "RSTOS0"
                } else {
                    "RSTO"
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

    /// Takes in a segment captured at `time`. `weird` is told what is odd.
    pub(super) fn segment(
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
        if segment.has(Tcp::SYN) && segment.length > 0 {
            weird("SYN_with_data");
        }
        self.initialise(segment, weird);
        let (end, _) = self.ends(segment.originator);
        let position = end.last.relative(segment.seq, end.start);
        if position.is_none() && !segment.has(Tcp::RST) {
            weird("TCP_seq_underflow_or_misorder");
        }
        let from = position.unwrap_or(0);
        self.write_history(segment, from, history);
        self.note_zero_window(segment, history);
        let advanced = self.update_last(segment, history);
        let closes = self.update_state(segment, time, advanced, weird);
        self.acknowledged = Acknowledged::Nothing;
        if segment.has(Tcp::ACK) {
            self.acknowledge(segment, history, weird);
        }
        if position.is_some() {
            self.take_data(segment, from);
        }
        self.close(segment.originator, closes)
    }

    /// Sets up the sequence spaces of ends that speak, or are spoken of, for the first time.
    fn initialise(&mut self, segment: &Segment, weird: &mut dyn FnMut(&'static str)) {
        let syn = segment.has(Tcp::SYN);
        let (end, _) = self.ends(segment.originator);
        match end.state {
            State::Inactive => {
                if syn {
                    end.begin(segment.seq);
                } else {
                    // As though a SYN had come before.
                    end.begin(segment.seq.wrapping_sub(1));
                    end.last = Position::at(segment.seq);
                }
            }
            State::SynSent | State::SynAckSent => {
                if syn && segment.seq != end.start {
                    weird("SYN_seq_jump");
                    end.begin(segment.seq);
                }
            }
            State::Established | State::Partial => {
                if syn {
                    if end.size() > 0 {
                        weird("SYN_inside_connection");
                    }
                    if segment.seq != end.start {
                        weird("SYN_seq_jump");
                        if end.size() == 0 {
                            end.begin(segment.seq);
                        }
                    }
                }
            }
            State::Reset => {
                if syn && end.before == State::Inactive {
                    // The RST before the SYN may have been somebody else's.
                    end.begin(segment.seq);
                }
            }
            State::Closed => {}
        }
    }

    fn write_history(&mut self, segment: &Segment, from: u64, history: &mut History) {
        let originator = segment.originator;
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
        if segment.flags & (Tcp::SYN | Tcp::FIN | Tcp::RST) == 0 {
            if segment.length > 0 {
                history.first(b'D', originator);
            } else if segment.has(Tcp::ACK) {
                history.first(b'A', originator);
            }
        }
    }

    /// Notes a window of zero, unless it no longer matters.
    fn note_zero_window(&mut self, segment: &Segment, history: &mut History) {
        let (end, peer) = self.ends(segment.originator);
        if segment.window == 0
            && !segment.has(Tcp::RST)
            && peer.state != State::Closed
            && end.state != State::Reset
        {
            history.repeated(&mut end.zero_windows, b'W', segment.originator);
        }
    }

    /// Moves the end's highest sequence number; how far.
    fn update_last(&mut self, segment: &Segment, history: &mut History) -> i32 {
        let (end, _) = self.ends(segment.originator);
        let last = segment.seq.wrapping_add(segment.sequence_length());
        let delta = distance(last, end.last.value);
        let jump = !(-TOO_LARGE_JUMP..=TOO_LARGE_JUMP).contains(&delta);
        if segment.flags & (Tcp::SYN | Tcp::RST) != 0 && jump {
            // More likely an attack or a fault than so much data: stay.
        } else if segment.has(Tcp::FIN) && end.last.value == end.start.wrapping_add(1) {
            end.last.advance(last);
        } else if end.state == State::Reset {
            // Nothing that comes after a RST is believed.
        } else if delta > 0 {
            end.last.advance(last);
        }
        // Data that a SYN carries will be sent again by those that do not know of fast open.
        if segment.length > 0 && (delta <= 0 || segment.has(Tcp::SYN)) && end.state != State::Reset {
            history.repeated(&mut end.retransmissions, b'T', segment.originator);
        }
        delta
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
        let (end, peer) = self.ends(segment.originator);
        let mut closes = false;
        if segment.has(Tcp::SYN) {
            attempt = true;
            match (segment.has(Tcp::ACK), peer.state) {
                (true, State::Inactive) => {
                    if segment.originator {
                        weird("connection_originator_SYN_ack");
                    }
                    let known = !segment.originator && !segment.unasked;
                    end.set(if known { State::Established } else { State::SynAckSent });
                }
                (true, _) => {
                    end.set(State::Established);
                    if peer.state != State::Partial
                        && peer.state != State::Reset
                        && peer.state != State::Closed
                    {
                        peer.set(State::Established);
                    }
                }
                (false, _) => end.set(State::SynSent),
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
            end.set(State::Partial);
        }
        if attempt && self.attempt.is_none() {
            self.attempt = Some(time);
        }
        closes
    }

    fn syn_sent(&mut self, segment: &Segment, weird: &mut dyn FnMut(&'static str)) -> bool {
        let (end, peer) = self.ends(segment.originator);
        let mut closes = false;
        let waiting = end.state == State::SynSent;
        if segment.has(Tcp::FIN) {
            if peer.state == State::Inactive || waiting && peer.state == State::SynSent {
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
            return true;
        }
        false
    }

    fn closed(&mut self, segment: &Segment, advanced: i32, weird: &mut dyn FnMut(&'static str)) -> bool {
        let (end, _) = self.ends(segment.originator);
        if segment.has(Tcp::SYN) {
            weird("SYN_after_close");
        }
        if segment.has(Tcp::RST) {
            end.set(State::Reset);
            return true;
        }
        if segment.has(Tcp::FIN) && advanced > 0 {
            weird("FIN_advanced_last_seq");
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

    fn acknowledge(&mut self, segment: &Segment, history: &mut History, weird: &mut dyn FnMut(&'static str)) {
        let partial = self.partial;
        let (end, peer) = self.ends(segment.originator);
        if peer.state == State::Inactive && !segment.has(Tcp::RST) {
            if segment.flags & (Tcp::SYN | Tcp::FIN) == 0 && end.state == State::SynSent {
                weird("possible_split_routing");
            }
            // What the silent end may have sent is not known: its space begins here.
            peer.begin(segment.ack.wrapping_sub(1));
        }
        let Some(position) = peer.acknowledged.relative(segment.ack, peer.start) else {
            if peer.state != State::Inactive {
                weird("TCP_ack_underflow_or_misorder");
            }
            return;
        };
        if segment.has(Tcp::RST) {
            return;
        }
        let delta = distance(segment.ack, peer.acknowledged.value);
        if delta > 0 && !(segment.ack == 0 && delta > TOO_LARGE_JUMP) {
            peer.acknowledged.advance(segment.ack);
        }
        let mut limit = position;
        if let Some(fin) = peer.fin_position {
            limit = limit.min(fin);
        }
        if limit <= 2 && partial {
            return;
        }
        let reported = end.was_established() && peer.was_established();
        let (mut missed, mut holes) = (0, false);
        while let Some(length) = peer.seen.next_hole(limit) {
            holes = true;
            if reported {
                history.repeated(&mut peer.gaps, b'G', !segment.originator);
                missed += length;
            }
        }
        let is_new = limit > peer.trimmed.max(1);
        peer.trimmed = peer.trimmed.max(limit);
        if is_new && end.state == State::Established && peer.state == State::Established {
            self.acknowledged = if holes { Acknowledged::Missed } else { Acknowledged::Seen };
        }
        self.missed += missed;
    }

    fn take_data(&mut self, segment: &Segment, from: u64) {
        let (end, _) = self.ends(segment.originator);
        if segment.has(Tcp::RST) {
            return;
        }
        let first = if segment.has(Tcp::SYN) { from + 1 } else { from };
        let after = first + u64::from(segment.length);
        if segment.has(Tcp::FIN) && end.fin_position.is_none() {
            end.fin_position = Some(after);
        }
        end.seen.add(first, first + u64::from(segment.captured));
    }

    /// Follows up on an end that closed.
    fn close(&mut self, originator: bool, closes: bool) -> Closing {
        let (end, peer) = self.ends(originator);
        if !closes {
            return Closing::Open;
        }
        end.closed = true;
        if end.state == State::Reset || peer.closed || peer.state == State::Inactive {
            Closing::Over
        } else {
            Closing::Open
        }
    }
}
