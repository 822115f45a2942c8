//! Yes-or-no facts of a flow.

use weir_base::Direction;

/// A set of flags.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Hash)]
pub struct FlowFlags(pub u32);

impl FlowFlags {
    /// A packet travelled to the server.
    pub const TO_SERVER_SEEN: Self = Self(1);
    /// A packet travelled to the client.
    pub const TO_CLIENT_SEEN: Self = Self(1 << 1);
    /// All packets are to be dropped.
    pub const ACTION_DROP: Self = Self(1 << 2);
    /// A pass rule matched: nothing more is inspected.
    pub const ACTION_PASS: Self = Self(1 << 3);
    /// A firewall rule accepted the flow.
    pub const ACTION_ACCEPT: Self = Self(1 << 4);
    /// A rule alerted.
    pub const ALERTED: Self = Self(1 << 5);
    /// Payloads are not inspected.
    pub const NO_PAYLOAD_INSPECTION: Self = Self(1 << 7);
    /// The flow was ended early because memory was short.
    pub const EMERGENCY: Self = Self(1 << 8);
    /// Bypassed by the engine.
    pub const LOCAL_BYPASS: Self = Self(1 << 9);
    /// Bypassed by the capture.
    pub const CAPTURE_BYPASS: Self = Self(1 << 10);
    /// Client and server were exchanged since the flow began.
    pub const SWAPPED: Self = Self(1 << 11);
    /// A packet was seen by another worker than the flow's.
    pub const WRONG_THREAD: Self = Self(1 << 12);
    /// Much data to the server in short time.
    pub const ELEPHANT_TO_SERVER: Self = Self(1 << 13);
    /// Much data to the client in short time.
    pub const ELEPHANT_TO_CLIENT: Self = Self(1 << 14);
    /// Ended because its 5-tuple was used again.
    pub const REUSED: Self = Self(1 << 15);
    /// Protocol detection to the server is over.
    pub const PROTOCOL_DETECTED_TO_SERVER: Self = Self(1 << 16);
    /// Protocol detection to the client is over.
    pub const PROTOCOL_DETECTED_TO_CLIENT: Self = Self(1 << 17);
    /// Rules without protocol, port or payload were evaluated to the server.
    pub const IP_ONLY_TO_SERVER: Self = Self(1 << 19);
    /// Rules without protocol, port or payload were evaluated to the client.
    pub const IP_ONLY_TO_CLIENT: Self = Self(1 << 20);
    /// An exception policy drops all packets.
    pub const EXCEPTION_DROP: Self = Self(1 << 22);
    /// The firewall drops all packets.
    pub const FIREWALL_DROP: Self = Self(1 << 23);
    /// A packet to the server was left out of the stream, for its checksum.
    pub const LEFT_OUT_TO_SERVER: Self = Self(1 << 24);
    /// A packet to the client was left out of the stream, for its checksum.
    pub const LEFT_OUT_TO_CLIENT: Self = Self(1 << 25);

    /// Of a direction, that a packet was left out of its stream.
    pub const fn left_out(direction: Direction) -> Self {
        match direction {
            Direction::ToServer => Self::LEFT_OUT_TO_SERVER,
            Direction::ToClient => Self::LEFT_OUT_TO_CLIENT,
        }
    }

    /// Whether all of `flags` are set.
    pub const fn has(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Whether any of `flags` is set.
    pub const fn any(self, flags: Self) -> bool {
        self.0 & flags.0 != 0
    }

    /// Sets `flags`.
    pub const fn set(&mut self, flags: Self) {
        self.0 |= flags.0;
    }

    /// Clears `flags`.
    pub const fn clear(&mut self, flags: Self) {
        self.0 &= !flags.0;
    }

    /// Exchanges the bits `a` and `b`.
    pub(crate) const fn exchange(&mut self, a: Self, b: Self) {
        let (had_a, had_b) = (self.any(a), self.any(b));
        self.clear(a);
        self.clear(b);
        if had_a {
            self.set(b);
        }
        if had_b {
            self.set(a);
        }
    }
}

impl std::ops::BitOr for FlowFlags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
