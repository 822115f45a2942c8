//! The packet as checks see it.

use weir_applayer::{FlowEvent, Protocol};
use weir_base::Direction;
use weir_flow::FlowCore;
use weir_packet::Packet;

use crate::state::{FlowDetect, NameId};

/// Facts of a packet and its flow: the same for all rules.
#[derive(Clone, Copy)]
pub struct PacketFacts<'a> {
    /// The packet.
    pub packet: &'a Packet<'a>,
    /// Direction in its flow; to the server where it has none.
    pub direction: Direction,
    /// Its flow.
    pub flow: Option<&'a FlowCore>,
    /// The flow is established, as `flow:established` means it.
    pub established: bool,
    /// The protocol found in each direction, and the flow's.
    pub protocol: FlowProtocol,
    /// Names of stream events of this packet.
    pub stream_events: &'a [&'static str],
    /// Events of the application layer that belong to no transaction.
    pub app_events: &'a [FlowEvent],
    /// Bytes that the client and the server have sent so far, as `stream_size` counts: by the
    /// sequence numbers.
    pub stream_sizes: (u64, u64),
}

impl<'a> PacketFacts<'a> {
    /// A packet of which nothing else is known.
    pub fn bare(packet: &'a Packet<'a>, direction: Direction) -> Self {
        Self {
            packet,
            direction,
            flow: None,
            established: false,
            protocol: FlowProtocol::default(),
            stream_events: &[],
            app_events: &[],
            stream_sizes: (0, 0),
        }
    }
}

/// A packet as the checks of one rule see it.
pub struct PacketView<'a> {
    /// The packet and its flow.
    pub facts: &'a PacketFacts<'a>,
    /// The transaction that the rule is looked at in.
    pub transaction: Option<u64>,
    /// Captures of expressions of earlier rules from this packet.
    pub packet_variables: &'a [(NameId, Vec<u8>)],
    /// State that earlier packets left behind for rules.
    pub state: Option<&'a FlowDetect>,
}

/// The application protocol of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowProtocol {
    /// The protocol.
    pub protocol: Option<&'static Protocol>,
    /// Protocol that the bytes to the server were found to be of.
    pub to_server: Option<&'static Protocol>,
    /// Protocol that the bytes to the client were found to be of.
    pub to_client: Option<&'static Protocol>,
    /// The protocol before a change (STARTTLS, CONNECT).
    pub original: Option<&'static Protocol>,
    /// Detection gave up: the protocol is unknown for good, to the server and to the client.
    pub failed: (bool, bool),
}
