//! Yes-or-no facts of a flow.

use weir_base::Direction;

bitflags::bitflags! {
    /// A set of flags.
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Hash)]
    pub struct FlowFlags: u32 {
        /// A packet travelled to the server.
        const TO_SERVER_SEEN = 1;
        /// A packet travelled to the client.
        const TO_CLIENT_SEEN = 1 << 1;
        /// All packets are to be dropped.
        const ACTION_DROP = 1 << 2;
        /// A pass rule matched: nothing more is inspected.
        const ACTION_PASS = 1 << 3;
        /// A firewall rule accepted the flow.
        const ACTION_ACCEPT = 1 << 4;
        /// A rule alerted.
        const ALERTED = 1 << 5;
        /// Payloads are not inspected.
        const NO_PAYLOAD_INSPECTION = 1 << 7;
        /// The flow was ended early because memory was short.
        const EMERGENCY = 1 << 8;
        /// Bypassed by the engine.
        const LOCAL_BYPASS = 1 << 9;
        /// Bypassed by the capture.
        const CAPTURE_BYPASS = 1 << 10;
        /// Client and server were exchanged since the flow began.
        const SWAPPED = 1 << 11;
        /// A packet was seen by another worker than the flow's.
        const WRONG_THREAD = 1 << 12;
        /// Much data to the server in short time.
        const ELEPHANT_TO_SERVER = 1 << 13;
        /// Much data to the client in short time.
        const ELEPHANT_TO_CLIENT = 1 << 14;
        /// Ended because its 5-tuple was used again.
        const REUSED = 1 << 15;
        /// Protocol detection to the server is over.
        const PROTOCOL_DETECTED_TO_SERVER = 1 << 16;
        /// Protocol detection to the client is over.
        const PROTOCOL_DETECTED_TO_CLIENT = 1 << 17;
        /// Rules without protocol, port or payload were evaluated to the server.
        const IP_ONLY_TO_SERVER = 1 << 19;
        /// Rules without protocol, port or payload were evaluated to the client.
        const IP_ONLY_TO_CLIENT = 1 << 20;
        /// An exception policy drops all packets.
        const EXCEPTION_DROP = 1 << 22;
        /// The firewall drops all packets.
        const FIREWALL_DROP = 1 << 23;
        /// A packet to the server was left out of the stream, for its checksum.
        const LEFT_OUT_TO_SERVER = 1 << 24;
        /// A packet to the client was left out of the stream, for its checksum.
        const LEFT_OUT_TO_CLIENT = 1 << 25;
        /// Begun between the ends of a flow that was dropped; the server has not agreed to it yet.
        const AFTER_DROP = 1 << 26;
    }
}

impl FlowFlags {
    /// Of a direction, that a packet was left out of its stream.
    pub const fn left_out(direction: Direction) -> Self {
        match direction {
            Direction::ToServer => Self::LEFT_OUT_TO_SERVER,
            Direction::ToClient => Self::LEFT_OUT_TO_CLIENT,
        }
    }

    /// Exchanges the bits `a` and `b`.
    pub(crate) fn exchange(&mut self, a: Self, b: Self) {
        let (had_a, had_b) = (self.intersects(a), self.intersects(b));
        self.set(a, had_b);
        self.set(b, had_a);
    }
}
