//! The clock of packets, by which all that is due happens.

use weir_base::{Position, Timestamp};
use weir_packet::RawPacket;

use crate::worker::LastPacket;

/// The capture's clock: the latest time of all packets so far.
#[derive(Default)]
pub(crate) struct Clock {
    pub(crate) now: Timestamp,
    /// Number and time of the latest packet.
    pub(crate) number: u64,
    time: Timestamp,
    started: bool,
}

impl Clock {
    /// Takes a packet's time; whether another second begins with it.
    pub(crate) fn advance(&mut self, raw: &RawPacket<'_>) -> bool {
        (self.number, self.time) = (raw.number, raw.time);
        let before = self.now.seconds();
        self.now = self.now.max(raw.time);
        !std::mem::replace(&mut self.started, true) || self.now.seconds() > before
    }

    /// Takes the time without a packet; whether another second begins with it.
    pub(crate) fn idle(&mut self, now: Timestamp) -> bool {
        let before = self.now.seconds();
        self.now = self.now.max(now);
        !std::mem::replace(&mut self.started, true) || self.now.seconds() > before
    }

    /// The latest packet.
    pub(crate) fn last(&self) -> LastPacket {
        LastPacket { position: Position::new(self.now, self.number), time: self.time }
    }

    /// The position after the latest packet.
    pub(crate) fn after(&self) -> Position {
        Position::new(self.now, self.number + 1)
    }
}
