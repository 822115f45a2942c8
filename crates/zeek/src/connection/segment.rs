//! A segment, and what it does to the sequence spaces of both ends: where they begin, how far they reach,
//! what is offered, acknowledged and missing.

use std::num::NonZeroU64;

use weir_base::Timestamp;
use weir_packet::Tcp;

use super::history::History;
use super::sequence::{Position, TOO_LARGE_JUMP, distance};
use super::tcp::{State, TcpConnection};

/// Largest window scale (RFC 7323 2.3).
pub(crate) const MAX_WINDOW_SCALE: u8 = 14;

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
    /// The window scale that a SYN asks for.
    pub(super) scale: Option<u8>,
    /// Length of the payload on the wire.
    pub(super) length: u32,
    /// Bytes of it that were captured.
    pub(super) captured: u32,
}

impl Segment {
    pub(super) const fn has(&self, flags: u8) -> bool {
        self.flags & flags == flags
    }

    /// Length in sequence space.
    const fn sequence_length(&self) -> u32 {
        let payload = if self.has(Tcp::RST) { 0 } else { self.length };
        payload + self.has(Tcp::SYN) as u32 + self.has(Tcp::FIN) as u32
    }
}

/// A segment that begins and ends nothing, and was captured whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextSegment {
    pub(super) time: Timestamp,
    pub(super) source_port: u16,
    pub(super) ip_length: u32,
    pub(super) seq: u32,
    pub(super) ack: u32,
    /// Never zero.
    pub(super) window: u16,
    /// Length of the payload.
    pub(super) length: u32,
}

/// Acknowledgement by a segment of a connection that both ends have agreed to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Acknowledged {
    /// Nothing new.
    #[default]
    Nothing,
    /// Bytes that were captured.
    Seen,
    /// Bytes some of which were not.
    Missed,
}

/// Receive window that an end offered, and its scale.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    size: u32,
    scale: u8,
    /// Where the end was when it offered this, and up to where it had acknowledged.
    seq: u32,
    ack: u32,
}

impl Window {
    /// Bytes that the end takes.
    pub(super) const fn size(self) -> u32 {
        self.size
    }

    /// Whether an offer takes back what was offered, by more than scaling cannot say.
    #[inline]
    const fn is_taken_back(self, ack: u32, size: u32) -> bool {
        let advance = distance(ack.wrapping_add(size), self.ack.wrapping_add(self.size));
        advance < 0 && advance.unsigned_abs() >= 1 << self.scale
    }

    /// Takes in what a segment offers, unless that is odd; it is not, where it is true.
    #[inline]
    pub(super) fn moves(&mut self, segment: &NextSegment) -> bool {
        if distance(segment.seq, self.seq) < 0 || distance(segment.ack, self.ack) < 0 {
            // An old offer.
            return true;
        }
        let size = u32::from(segment.window) << self.scale;
        if self.is_taken_back(segment.ack, size) {
            return false;
        }
        (self.size, self.seq, self.ack) = (size, segment.seq, segment.ack);
        true
    }
}

impl TcpConnection {
    /// Sets up the sequence spaces of ends that speak, or are spoken of, for the first time.
    pub(super) fn initialise(&mut self, segment: &Segment, weird: &mut dyn FnMut(&'static str)) {
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
                    }
                    // The connection may not have come about before, and this one begins it.
                    end.begin(segment.seq);
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

    /// Takes in what the end offers to take: a window of zero is noted unless it no longer matters, and one
    /// that takes back what was offered is odd, but for what scaling cannot say.
    pub(super) fn update_window(
        &mut self,
        segment: &Segment,
        history: &mut History,
        weird: &mut dyn FnMut(&'static str),
    ) {
        let (end, peer) = self.ends(segment.originator);
        let size = u32::from(segment.window) << end.window.scale;
        if size == 0 && !segment.has(Tcp::RST) && peer.state != State::Closed && end.state != State::Reset {
            history.repeated(&mut end.zero_windows, b'W', segment.originator);
        }
        let known = &mut end.window;
        if segment.flags & (Tcp::SYN | Tcp::FIN | Tcp::RST) != 0
            || matches!(end.state, State::Closed | State::Reset)
            || distance(segment.seq, known.seq) < 0
            || distance(segment.ack, known.ack) < 0
        {
            return;
        }
        if known.is_taken_back(segment.ack, size) {
            weird("window_recision");
        }
        *known = Window { size, seq: segment.seq, ack: segment.ack, ..*known };
    }

    /// A SYN says how windows are counted.
    pub(super) fn begin_window(&mut self, segment: &Segment) {
        let (end, peer) = self.ends(segment.originator);
        match segment.scale {
            Some(scale) => {
                end.window.scale = scale.min(MAX_WINDOW_SCALE);
                (end.window.seq, end.window.ack) = (segment.seq, segment.ack);
                (peer.window.seq, peer.window.ack) = (segment.ack, segment.seq);
            }
            None => {
                end.window.scale = 0;
                if segment.has(Tcp::ACK) {
                    peer.window.scale = 0;
                }
            }
        }
    }

    /// Moves the end's highest sequence number; how far.
    pub(super) fn update_last(&mut self, segment: &Segment, history: &mut History) -> i32 {
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

    pub(super) fn acknowledge(
        &mut self,
        segment: &Segment,
        history: &mut History,
        weird: &mut dyn FnMut(&'static str),
    ) {
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
            limit = limit.min(fin.get());
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

    pub(super) fn take_data(&mut self, segment: &Segment, from: u64) {
        let (end, _) = self.ends(segment.originator);
        let first = if segment.has(Tcp::SYN) { from + 1 } else { from };
        // What a RST carries is no part of the stream.
        let is_reset = segment.has(Tcp::RST);
        let after = if is_reset { first } else { first + u64::from(segment.length) };
        if segment.has(Tcp::FIN) && end.fin_position.is_none() {
            end.fin_position = NonZeroU64::new(after);
        }
        // Nothing is read of one that was not captured whole.
        if is_reset || segment.captured < segment.length {
            return;
        }
        end.seen.add(first, after);
    }
}
