//! A packet on its way through a worker, with what one stage knows and the next one needs.

use weir_base::{Direction, Position, Timestamp};
use weir_capture::Checksums;
use weir_flow::{FlowState, PacketKey};
use weir_output::RecordContext;
use weir_packet::{LinkType, Packet, checksum};
use weir_zeek::ConnectionId;

use super::{Rest, Worker};

/// Outcome of the packets of a frame that are a worker's.
pub(super) struct Processed {
    /// The last one of them is dropped.
    pub(super) dropped: bool,
    /// Where that stands.
    pub(super) position: Position,
}

/// Place and cause of all that is made while one packet is processed, or one flow ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// Where records stand.
    pub(crate) position: Position,
    /// Number of the packet that brings them about.
    pub(crate) number: u64,
    /// Time of that packet.
    pub(crate) time: Timestamp,
    /// Link type of its frame.
    pub(crate) link: LinkType,
}

/// The last packet of a capture.
#[derive(Clone, Copy, Debug)]
pub struct LastPacket {
    /// Where it stands.
    pub position: Position,
    /// Its time, which is before that of an earlier one where the capture is not in order.
    pub time: Timestamp,
}

/// Zeek's connection of a packet.
#[derive(Clone, Copy)]
pub(super) enum Connection {
    /// It was counted in with the frame that the packet is of; none where it has no connection.
    Found(Option<ConnectionId>),
    /// It is counted in with its flow at hand, which knows its connection.
    ToBeFound,
}

/// A packet among those of its frame.
pub(super) struct InFrame<'a> {
    /// The packet that carries it, where it is inside of one.
    pub(super) root: Option<&'a Packet<'a>>,
    pub(super) connection: Connection,
    /// Its key in the flow table, if known.
    pub(super) key: Option<PacketKey>,
    /// It is a fragment for which there is no memory.
    pub(super) refused: bool,
}

/// A packet on its way through its flow, and what is known of it.
pub(crate) struct PacketContext<'a> {
    pub(crate) packet: &'a Packet<'a>,
    /// The packet that carries it, where it is inside of one.
    pub(crate) root: Option<&'a Packet<'a>>,
    pub(crate) direction: Direction,
    /// Both sides of the flow were seen before.
    pub(crate) established: bool,
    /// Zeek's connection of the packet.
    pub(crate) connection: Option<ConnectionId>,
    /// Its checksum is wrong, and that matters to somebody.
    pub(crate) corrupt: bool,
    pub(crate) moment: Moment,
}

impl<'a> PacketContext<'a> {
    /// A packet that no capture held.
    pub(crate) fn pseudo(packet: &'a Packet<'a>, direction: Direction, moment: &Moment) -> Self {
        Self {
            packet,
            root: None,
            direction,
            established: true,
            connection: None,
            corrupt: false,
            moment: *moment,
        }
    }

    /// The context of its records.
    pub(crate) fn record(&self) -> RecordContext<'a> {
        RecordContext {
            packet: Some(self.packet),
            root: self.root,
            direction: self.direction,
            ..RecordContext::at(self.moment.position, self.packet.time)
        }
    }
}

/// Outcome of a packet in its flow.
pub(crate) enum FlowStep {
    /// It was processed; the flow's state changes to this.
    Done(Option<FlowState>),
    /// It belongs to a new connection between the same ends; nothing was done.
    Reused,
}

impl Worker {
    /// Returns the number of flows that are open.
    pub fn open_flows(&self) -> u64 {
        self.flows.len() as u64
    }
}

impl Rest {
    /// Whether the packet's checksum is wrong, where checksums are looked at and somebody asks: the stream, and
    /// Zeek's logs of any packet.
    #[inline]
    pub(super) fn is_corrupt(&self, packet: &Packet<'_>) -> bool {
        let asked = packet.tcp().is_some() || self.recorder.zeek.is_some();
        let looked_at = self.settings.checksums && self.checksums == Checksums::Filled;
        looked_at
            && asked
            && self
                .recorder
                .is_corrupt(packet)
                .unwrap_or_else(|| checksum::transport_valid(packet) == Some(false))
    }
}
