//! Where something stands in a run, the same for any number of workers.

use crate::Timestamp;

/// A place in the order of all that happens in a run: first by time, then by packet.
///
/// The time is the clock of the capture, the latest time of all packets so far, so that positions
/// never go back. What a packet causes stands at that clock and the packet's number; a connection
/// that ends because its time is over stands at the moment of that and the number of its first
/// packet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Position {
    /// The capture's clock.
    pub clock: Timestamp,
    /// Number of the packet, from 1.
    pub packet: u64,
}

impl Position {
    /// After everything else.
    pub const END: Self = Self::at_end(u64::MAX);

    /// A place.
    pub const fn new(clock: Timestamp, packet: u64) -> Self {
        Self { clock, packet }
    }

    /// Where a flow ends that the end of the capture ends: by its first packet.
    pub const fn at_end(first_packet: u64) -> Self {
        Self { clock: Timestamp(u64::MAX), packet: first_packet }
    }

    /// Where Zeek's connection ends that the end of the capture ends: after all flows, which may have
    /// more to say of it.
    pub const fn at_close(first_packet: u64) -> Self {
        Self::at_end(first_packet | 1 << 63)
    }

    /// Whether the end of the capture causes what stands here, not a moment of its clock.
    pub const fn is_at_end(self) -> bool {
        self.clock.0 == u64::MAX
    }

    /// After all flows and connections, where only sums are left to be told.
    pub const SUMS: Self = Self::at_end(u64::MAX - 1);
}
