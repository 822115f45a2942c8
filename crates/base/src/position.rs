//! Where something stands in a run, the same for any number of workers.

use crate::Timestamp;

/// Bits of a place that are left to the rank.
const RANK_BITS: u32 = 8;

/// Deepest packet of a frame that has a rank of its own.
const MAX_DEPTH: u8 = 31;

/// A packet of the capture and a rank among all that it causes: several workers may have a part in a
/// frame that carries others, and what they make of it is to be in order, too.
///
/// The ranks follow how one worker goes about a frame: first the connections of its packets are
/// counted, from the outermost one on, then the packets are processed, from the innermost one on: those first that
/// are read for Zeek's logs alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Place(u64);

impl Place {
    /// The packet with this number, from 1; before all of what several workers do with it.
    pub const fn new(packet: u64) -> Self {
        Self(packet << RANK_BITS)
    }

    /// Before all that the packet with this number causes, and after all that others did: where workers meet.
    pub const fn before(packet: u64) -> Self {
        Self((packet << RANK_BITS).saturating_sub(1))
    }

    /// Where the connection is counted of the packet inside of so many others.
    pub const fn counted(packet: u64, depth: u8) -> Self {
        Self::ranked(packet, depth_within(depth))
    }

    /// Where the packet inside of so many others is processed that is read for Zeek's logs alone.
    pub const fn zeek_only(packet: u64, depth: u8) -> Self {
        Self::ranked(packet, MAX_DEPTH + 1 + 2 * (MAX_DEPTH - depth_within(depth)))
    }

    /// Where the packet inside of so many others is processed.
    pub const fn processed(packet: u64, depth: u8) -> Self {
        Self::ranked(packet, 3 * (MAX_DEPTH + 1) + 2 * (MAX_DEPTH - depth_within(depth)))
    }

    /// Where what is over as soon as the packet of this place is counted ends: after all that the packet causes.
    #[must_use]
    pub const fn overdue(self) -> Self {
        let rank = (self.0 & ((1 << RANK_BITS) - 1)) as u8;
        Self::ranked(self.packet(), 5 * (MAX_DEPTH + 1) + depth_within(rank))
    }

    /// Where a fragment is processed in place of a whole packet: after that which it completes.
    #[must_use]
    pub const fn of_fragment(self) -> Self {
        Self(self.0 + 1)
    }

    const fn ranked(packet: u64, rank: u8) -> Self {
        Self(packet << RANK_BITS | rank as u64)
    }

    /// The number of the packet.
    pub const fn packet(self) -> u64 {
        self.0 >> RANK_BITS
    }

    pub(crate) const fn bits(self) -> u64 {
        self.0
    }

    pub(crate) const fn of_bits(bits: u64) -> Self {
        Self(bits)
    }
}

const fn depth_within(depth: u8) -> u8 {
    if depth < MAX_DEPTH { depth } else { MAX_DEPTH }
}

/// A place in the order of all that happens in a run: first by time, then by packet.
///
/// The time is the clock of the capture, the latest time of all packets so far, so that positions
/// never go back. What a packet causes stands at that clock and the packet's number; a connection
/// that ends because its time is over stands at the moment of that and the place of its first
/// packet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Position {
    /// The capture's clock.
    pub clock: Timestamp,
    /// The packet.
    pub place: Place,
}

impl Position {
    /// After everything else.
    pub const END: Self = Self::at_end(Place(u64::MAX));

    /// After all flows and connections, where only sums are left to be told.
    pub const SUMS: Self = Self::at_end(Place(u64::MAX - 1));

    /// Where the packet with this number stands.
    pub const fn new(clock: Timestamp, packet: u64) -> Self {
        Self::at(clock, Place::new(packet))
    }

    /// A position.
    pub const fn at(clock: Timestamp, place: Place) -> Self {
        Self { clock, place }
    }

    /// Where a flow ends that the end of the capture ends: by its first packet.
    pub const fn at_end(first: Place) -> Self {
        Self { clock: Timestamp(u64::MAX), place: first }
    }

    /// Where Zeek's connection ends that the end of the capture ends: after all flows, which may have
    /// more to say of it.
    pub const fn at_close(first: Place) -> Self {
        Self::at_end(Place(first.0 | 1 << 63))
    }

    /// Whether the end of the capture causes what stands here, not a moment of its clock.
    pub const fn is_at_end(self) -> bool {
        self.clock.0 == u64::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_follow_how_a_frame_is_gone_about() {
        let order = [
            Place::new(7),
            Place::counted(7, 1),
            Place::counted(7, 2),
            Place::counted(7, 200),
            Place::zeek_only(7, 200),
            Place::zeek_only(7, 1),
            Place::zeek_only(7, 1).of_fragment(),
            Place::zeek_only(7, 0),
            Place::zeek_only(7, 0).of_fragment(),
            Place::processed(7, 200),
            Place::processed(7, 2),
            Place::processed(7, 1),
            Place::processed(7, 1).of_fragment(),
            Place::processed(7, 0),
            Place::processed(7, 0).of_fragment(),
            Place::counted(7, 0).overdue(),
            Place::counted(7, 2).overdue(),
            Place::before(8),
            Place::new(8),
        ];
        assert!(order.is_sorted() && order.windows(2).all(|pair| pair[0] != pair[1]), "{order:?}");
        assert_eq!(order.map(Place::packet), order.map(|place| if place == Place::new(8) { 8 } else { 7 }));
        assert_eq!(Place::counted(7, 0), Place::new(7));
        assert_eq!(Place::before(0), Place::new(0));
        assert!(Position::at_close(Place::new(1)) > Position::at_end(Place::new(1 << 50)));
        assert!(Position::SUMS > Position::at_close(Place::new(1 << 50)));
    }
}
