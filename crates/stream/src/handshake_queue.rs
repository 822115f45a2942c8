//! SYNs and SYN/ACKs that differ from those seen before.
//!
//! Until the handshake is complete nobody can tell which of several different SYNs or SYN/ACKs the
//! other end took; each is remembered, and the answer chooses. Bounded by the settings.

use weir_base::Timestamp;
use weir_packet::{Packet, Tcp};

use crate::sequence::Seq;

/// Fields of a SYN or SYN/ACK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Opening {
    pub(crate) seq: Seq,
    pub(crate) ack: Seq,
    pub(crate) window: u32,
    pub(crate) window_scale: Option<u8>,
    pub(crate) timestamp: Option<u32>,
    pub(crate) sack: bool,
    /// Payload of a fast-open SYN.
    pub(crate) payload: u32,
    pub(crate) fast_open: bool,
    pub(crate) time: Timestamp,
}

impl Opening {
    pub(crate) fn of(packet: &Packet<'_>, tcp: &Tcp<'_>) -> Self {
        Self {
            seq: Seq(tcp.seq),
            ack: Seq(tcp.ack),
            window: u32::from(tcp.window),
            window_scale: tcp.options.window_scale.map(|scale| scale.min(MAX_WINDOW_SCALE)),
            timestamp: tcp.options.timestamp.map(|(value, _)| value),
            sack: tcp.options.sack_permitted,
            payload: packet.payload.len() as u32,
            fast_open: tcp.options.fast_open.is_some(),
            time: packet.time,
        }
    }

    const fn timestamp_value(&self) -> u32 {
        match self.timestamp {
            Some(value) => value,
            None => 0,
        }
    }

    /// Whether a SYN/ACK with this acknowledgement and timestamp echo answers this SYN.
    pub(crate) fn is_answered_by(&self, ack: Seq, echo: Option<u32>) -> bool {
        let after = self.seq.plus(1);
        let right_ack = ack == after || self.fast_open && ack == after.plus(self.payload);
        right_ack && echo.is_none_or(|echo| echoes(self.timestamp, echo))
    }

    /// Whether both open the connection in the same way.
    const fn same(&self, other: &Self) -> bool {
        self.seq.0 == other.seq.0
            && self.ack.0 == other.ack.0
            && self.window == other.window
            && self.payload == other.payload
            && self.timestamp.is_some() == other.timestamp.is_some()
            && self.timestamp_value() == other.timestamp_value()
    }
}

/// Whether `echo` can be the echo of a SYN's timestamp. Zero echoes nothing, and what a server
/// echoes to a client without timestamps does not matter.
pub(crate) fn echoes(timestamp: Option<u32>, echo: u32) -> bool {
    timestamp.is_none_or(|value| value == 0 || echo == 0 || echo == value)
}

/// Largest window scale (RFC 7323, 2.3).
pub(crate) const MAX_WINDOW_SCALE: u8 = 14;

/// Openings by one side, in the order seen.
#[derive(Debug, Default)]
pub(crate) struct OpeningQueue(Vec<Opening>);

impl OpeningQueue {
    /// Remembers an opening unless it is known; false where there are `limit` already.
    pub(crate) fn add(&mut self, opening: Opening, limit: u8) -> bool {
        if self.0.iter().any(|known| known.same(&opening)) {
            return true;
        }
        if self.0.len() >= usize::from(limit) {
            return false;
        }
        self.0.push(opening);
        true
    }

    /// Remembers an opening unless it is known, in place of the oldest where there are `limit`
    /// already; false in that case.
    pub(crate) fn add_for_oldest(&mut self, opening: Opening, limit: u8) -> bool {
        if self.add(opening, limit) {
            return true;
        }
        if !self.0.is_empty() {
            self.0.remove(0);
            self.0.push(opening);
        }
        false
    }

    /// The first opening for which `is_meant` holds.
    pub(crate) fn find(&self, is_meant: impl Fn(&Opening) -> bool) -> Option<Opening> {
        self.0.iter().find(|o| is_meant(o)).copied()
    }
}

/// Both sides' openings.
#[derive(Debug, Default)]
pub(crate) struct Openings {
    pub(crate) syns: OpeningQueue,
    pub(crate) synacks: OpeningQueue,
}
