//! Verdict of the stream engine on a packet.

use crate::event::StreamEvent;

/// Most events kept of one packet; later ones are counted only.
pub const MAX_EVENTS: usize = 16;

/// The events of one packet, in the order found, each once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamEvents {
    events: [Option<StreamEvent>; MAX_EVENTS],
}

impl StreamEvents {
    /// Adds an event, unless it is there already or the list is full; whether it was added.
    pub fn push(&mut self, event: StreamEvent) -> bool {
        for slot in &mut self.events {
            match slot {
                Some(present) if *present == event => return false,
                Some(_) => {}
                None => {
                    *slot = Some(event);
                    return true;
                }
            }
        }
        false
    }

    /// The events, in the order found.
    pub fn iter(&self) -> impl Iterator<Item = StreamEvent> + '_ {
        self.events.iter().map_while(|e| *e)
    }

    /// Whether nothing was odd.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Whether `event` was found.
    pub fn contains(&self, event: StreamEvent) -> bool {
        self.iter().any(|e| e == event)
    }
}

/// Reasons that a packet is to be dropped when inline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DropReason {
    /// It does not fit its session.
    StreamError,
    /// Its urgent data is not allowed.
    StreamUrgent,
    /// Its segment could not be kept.
    StreamReassembly,
}

impl DropReason {
    /// The word of drop records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::StreamError => "stream error",
            Self::StreamUrgent => "stream urgent",
            Self::StreamReassembly => "stream reassembly",
        }
    }
}

/// A situation for which an exception policy decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamException {
    /// The session was met after its handshake, picked up or not.
    Midstream,
    /// No memory for the session.
    SessionMemcap,
    /// No memory for the segment.
    ReassemblyMemcap,
}

/// Outcome of a packet.
///
/// It has a field for each thing that a segment can bring about; nearly all stay at their defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamOutcome {
    /// Events of the packet.
    pub events: StreamEvents,
    /// The handshake is complete (or the session was picked up), this packet included.
    pub established: bool,
    /// The session's state or phase changed with this packet.
    pub state_changed: bool,
    /// The packet begins another connection with the same addresses and ports. Nothing was done
    /// with it: take a new flow and session, and hand it to that.
    pub reused: bool,
    /// The packet's payload became part of the stream, so that inspecting the stream inspects it.
    pub payload_added: bool,
    /// The packet does not fit the session; its payload is not to be inspected as the session's.
    pub invalid: bool,
    /// The packet's sender turned out to be the server: exchange the flow's client and server.
    /// The session has done so already, and what the sink was given in this packet goes by the new
    /// directions; nothing was given before it.
    pub flip: bool,
    /// Data that was acknowledged before was sent again.
    pub retransmission: bool,
    /// To see whether the other side lives.
    pub keepalive: bool,
    /// The answer to that.
    pub keepalive_answer: bool,
    /// One byte into a closed window.
    pub window_probe: bool,
    /// Bytes that were not seen are acknowledged.
    pub acks_unseen: bool,
    /// Bytes of the payload differ from those that were seen before at their place. Inline the
    /// packet is to be made to agree ([`crate::TcpSession::normalise`]).
    pub differs: bool,
    /// A missing piece was given up in this packet.
    pub gap: bool,
    /// The packet ended the session or one direction of it.
    pub end_of_stream: bool,
    /// Nobody wants more of either direction, and settings say to bypass then.
    pub bypass: bool,
    /// Drop the packet when inline.
    pub drop: Option<DropReason>,
    /// Ask the exception policy.
    pub exception: Option<StreamException>,
}

impl StreamOutcome {
    /// Whether data was sent again although its acknowledgement was seen.
    pub fn is_spurious_retransmission(&self) -> bool {
        self.events.contains(StreamEvent::PacketSpuriousRetransmission)
    }

    /// Returns the packet's roles in its connection, in the words of `stream_tcp` records.
    pub fn words(&self) -> impl Iterator<Item = &'static str> {
        let probe_acked = self.events.contains(StreamEvent::EstablishedAckOfZeroWindowProbe);
        [
            (self.events.contains(StreamEvent::PacketRetransmission), "retransmission"),
            (self.is_spurious_retransmission(), "spurious_retransmission"),
            (self.keepalive, "keepalive"),
            (self.keepalive_answer, "keepalive_ack"),
            (!self.events.is_empty(), "event_set"),
            (self.state_changed, "state_update"),
            (self.acks_unseen, "ack_unseen_data"),
            (self.window_probe, "zero_window_probe"),
            (probe_acked, "zero_window_probe_ack"),
        ]
        .into_iter()
        .filter_map(|(holds, word)| holds.then_some(word))
    }
}
