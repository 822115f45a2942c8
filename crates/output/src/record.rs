//! Records: what happened, with everything a format may want to say of it, borrowed.

use std::sync::Arc;

use weir_applayer::{Endpoints, File, Frame, FrameBytes, Parser, Protocol, Transaction};
use weir_base::{Direction, PerDirection, Position, Timestamp};
use weir_detect::names::NameList;
use weir_detect::state::NameId;
use weir_detect::{Alert, AlertContext, FlowDetect};
use weir_flow::FlowCore;
use weir_packet::Packet;
use weir_rules::RuleInfo;
use weir_stream::{StreamOutcome, TcpSession};

use crate::format::RecordKind;

/// Something that happened.
#[derive(Clone, Copy)]
pub enum Record<'a> {
    /// A rule matched.
    Alert(AlertRecord<'a>),
    /// A packet was dropped, or would have been.
    Drop(DropRecord<'a>),
    /// A transaction is to be logged.
    Transaction(TransactionRecord<'a>),
    /// A file ended.
    File(FileRecord<'a>),
    /// Something was odd.
    Anomaly(AnomalyRecord<'a>),
    /// A flow ended.
    FlowEnd(FlowEndRecord<'a>),
    /// Counters are to be written.
    Stats(StatsRecord<'a>),
    /// A packet that `tag` asked for.
    TaggedPacket,
    /// An ARP packet.
    Arp,
    /// A packet of a TCP connection.
    Stream(StreamRecord<'a>),
    /// A frame of a protocol.
    Frame(FrameRecord<'a>),
    /// A piece of a stream or body.
    Data(DataRecord<'a>),
    /// A packet of IP goes by.
    Packet,
}

impl Record<'_> {
    /// Returns the kind.
    pub const fn kind(&self) -> RecordKind {
        match self {
            Record::Alert(_) => RecordKind::Alert,
            Record::Drop(_) => RecordKind::Drop,
            Record::Transaction(_) => RecordKind::Transaction,
            Record::File(_) => RecordKind::File,
            Record::Anomaly(AnomalyRecord::Decode { .. }) => RecordKind::DecodeAnomaly,
            Record::Anomaly(AnomalyRecord::Stream { .. }) => RecordKind::StreamAnomaly,
            Record::Anomaly(AnomalyRecord::Application { .. }) => RecordKind::ApplicationAnomaly,
            Record::FlowEnd(_) => RecordKind::FlowEnd,
            Record::Stats(_) => RecordKind::Stats,
            Record::TaggedPacket => RecordKind::TaggedPacket,
            Record::Arp => RecordKind::Arp,
            Record::Packet => RecordKind::Packet,
            Record::Stream(_) => RecordKind::Stream,
            Record::Frame(_) => RecordKind::Frame,
            Record::Data(DataRecord { transaction: None, .. }) => RecordKind::StreamData,
            Record::Data(DataRecord { transaction: Some(_), .. }) => RecordKind::BodyData,
        }
    }
}

/// A piece of a stream of TCP, or of a transaction's body.
#[derive(Clone, Copy, Debug)]
pub struct DataRecord<'a> {
    /// Direction.
    pub direction: Direction,
    /// The transaction whose body it is of.
    pub transaction: Option<u64>,
    /// The bytes; none of an end that came alone.
    pub bytes: &'a [u8],
    /// Place of the piece.
    pub place: DataPlace,
}

/// Place of a piece in its stream or body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataPlace {
    /// The first piece.
    First,
    /// One after others, before others.
    Between,
    /// The last piece.
    Last,
    /// The first piece and the last.
    Only,
}

impl DataPlace {
    /// The place of a piece that begins at `start`, and after which the stream goes on or is `complete`.
    pub const fn of(start: u64, complete: bool) -> Self {
        match (start, complete) {
            (0, false) => Self::First,
            (0, true) => Self::Only,
            (_, false) => Self::Between,
            (_, true) => Self::Last,
        }
    }

    /// Whether nothing came before.
    pub const fn is_first(self) -> bool {
        matches!(self, Self::First | Self::Only)
    }

    /// Whether nothing comes behind it.
    pub const fn is_last(self) -> bool {
        matches!(self, Self::Last | Self::Only)
    }
}

/// The circumstances of a record.
#[derive(Clone, Copy)]
pub struct RecordContext<'a> {
    /// Where the record stands; orders records of all workers.
    pub position: Position,
    /// The worker's packet time.
    pub now: Timestamp,
    /// The packet.
    pub packet: Option<&'a Packet<'a>>,
    /// The outermost packet, where `packet` came out of a tunnel.
    pub root: Option<&'a Packet<'a>>,
    /// Direction of the packet in its flow.
    pub direction: Direction,
    /// The flow.
    pub flow: Option<FlowView<'a>>,
    /// Names of flowbits, integers and variables.
    pub names: Option<&'a NameList>,
    /// Variables that rules captured from the packet.
    pub packet_variables: &'a [(NameId, Vec<u8>)],
    /// Name of the live interface.
    pub interface: Option<&'a str>,
    /// Facts about the capture being read.
    pub capture: Option<&'a CaptureFacts>,
    /// The tenant whose rules look at the packet or flow; zero where it has none.
    pub tenant: u32,
}

impl<'a> RecordContext<'a> {
    /// A context without packet and flow.
    pub const fn at(position: Position, now: Timestamp) -> Self {
        Self {
            position,
            now,
            packet: None,
            root: None,
            direction: Direction::ToServer,
            flow: None,
            names: None,
            packet_variables: &[],
            interface: None,
            capture: None,
            tenant: 0,
        }
    }

    /// The transaction with this id of the flow's parser.
    pub fn transaction(&self, id: u64) -> Option<&'a dyn Transaction> {
        self.flow.and_then(|flow| flow.parser)?.transaction(id)
    }
}

/// Facts on the capture that a packet is from, for records.
#[derive(Clone, Debug)]
pub struct CaptureFacts {
    /// Path of the file.
    pub file: Arc<str>,
    /// The latest comment on a packet: its number and the text.
    pub comment: Option<(u64, Box<[u8]>)>,
}

impl CaptureFacts {
    /// A capture without comments so far.
    pub const fn of(file: Arc<str>) -> Self {
        Self { file, comment: None }
    }

    /// The comment on the packet of this number.
    pub fn comment_on(&self, packet: u64) -> Option<&[u8]> {
        self.comment.as_ref().filter(|(number, _)| *number == packet).map(|(_, text)| &**text)
    }
}

/// A flow as records see it.
#[derive(Clone, Copy)]
pub struct FlowView<'a> {
    /// Key, times, counts and state.
    pub core: &'a FlowCore,
    /// Flowbits, integers and variables.
    pub detect: Option<&'a FlowDetect>,
    /// Names of the application protocols found.
    pub app: AppProtocols,
    /// The parser.
    pub parser: Option<&'a dyn Parser>,
    /// TCP's part.
    pub tcp: Option<TcpSummary>,
    /// Link-layer addresses seen.
    pub macs: Option<&'a FlowMacs>,
    /// Its uid in Zeek's logs.
    pub zeek_uid: Option<&'a [u8]>,
}

impl FlowView<'_> {
    /// The two ends as protocols know them.
    pub fn endpoints(&self) -> Endpoints {
        let key = &self.core.key;
        let transport = match key.protocol {
            17 => weir_applayer::Transport::Udp,
            _ => weir_applayer::Transport::Tcp,
        };
        Endpoints {
            client: key.source,
            client_port: key.source_port,
            server: key.destination,
            server_port: key.destination_port,
            transport,
        }
    }

    /// The parser's protocol.
    pub fn protocol(&self) -> Option<&'static Protocol> {
        self.parser.map(Parser::protocol)
    }
}

/// The application protocols of a flow, by the names EVE knows them by; `failed` where detection
/// gave up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AppProtocols {
    /// The flow's protocol.
    pub protocol: Option<&'static str>,
    /// Findings of detection to the server.
    pub to_server: Option<&'static str>,
    /// Findings of detection to the client.
    pub to_client: Option<&'static str>,
    /// The protocol before an upgrade.
    pub original: Option<&'static str>,
    /// The protocol that an upgrade announced.
    pub expected: Option<&'static str>,
}

/// Facts on a TCP session for its flow record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpSummary {
    /// State by its EVE name; none of a connection that was not followed from its handshake on.
    pub state: Option<&'static str>,
    /// All flags seen, by sender.
    pub flags: PerDirection<u8>,
    /// Whether data is missing.
    pub gap: PerDirection<bool>,
    /// Most regions that a direction's buffer had at once.
    pub max_regions: PerDirection<u16>,
}

/// Most link-layer addresses kept of each side of a flow.
pub const MAX_MACS: usize = 10;

/// Link-layer addresses of a flow, in the order seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowMacs {
    source: Vec<[u8; 6]>,
    destination: Vec<[u8; 6]>,
}

impl FlowMacs {
    /// Adds those of a packet that travels in `direction`.
    pub fn add(&mut self, packet: &Packet<'_>, direction: Direction) {
        let Some(ethernet) = &packet.ethernet else { return };
        let (client, server) = match direction {
            Direction::ToServer => (ethernet.source, ethernet.destination),
            Direction::ToClient => (ethernet.destination, ethernet.source),
        };
        for (list, address) in [(&mut self.source, client), (&mut self.destination, server)] {
            if list.len() < MAX_MACS && !list.contains(&address) {
                list.push(address);
            }
        }
    }

    /// Client and server were exchanged.
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.source, &mut self.destination);
    }

    /// The client's side.
    pub fn source(&self) -> &[[u8; 6]] {
        &self.source
    }

    /// The server's side.
    pub fn destination(&self) -> &[[u8; 6]] {
        &self.destination
    }
}

/// A rule that matched.
#[derive(Clone, Copy)]
pub struct AlertRecord<'a> {
    /// The match.
    pub alert: &'a Alert,
    /// The rule.
    pub rule: &'a RuleInfo,
    /// The packet was in fact dropped.
    pub dropped: bool,
    /// The alert's transaction was guessed: the rule matched in the stream.
    pub tx_guessed: bool,
    /// The verdict on the packet.
    pub verdict: Verdict,
    /// The reassembled stream, for alerts on it.
    pub stream: Option<&'a dyn StreamPayload>,
    /// The frame that the rule matched in.
    pub frame: Option<FrameRecord<'a>>,
    /// Contexts that datasets have of the values that the rule found in them.
    pub contexts: &'a [AlertContext],
}

/// A frame of a protocol.
#[derive(Clone, Copy)]
pub struct FrameRecord<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// It lies in a stream, not in a datagram.
    pub in_stream: bool,
    /// All bytes before this came, or were given up.
    pub progress: u64,
    /// The bytes it lies in.
    pub bytes: &'a dyn FrameBytes,
}

/// A piece of a reassembled stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadPiece<'a> {
    /// Bytes.
    Data(&'a [u8]),
    /// So many bytes are missing.
    Gap(u64),
}

/// Shows the reassembled bytes that are still kept.
pub trait StreamPayload {
    /// Calls `visit` with the pieces of `direction` in order, until it answers false.
    fn pieces(&self, direction: Direction, visit: &mut dyn FnMut(PayloadPiece<'_>) -> bool);
}

/// The verdict on a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum VerdictAction {
    /// It went on and raised an alert.
    #[default]
    Alert,
    /// A pass rule let it go.
    Pass,
    /// It was dropped.
    Drop,
    /// A firewall rule let it go.
    Accept,
}

impl VerdictAction {
    /// The value of `verdict.action`.
    pub const fn name(self) -> &'static str {
        match self {
            VerdictAction::Alert => "alert",
            VerdictAction::Pass => "pass",
            VerdictAction::Drop => "drop",
            VerdictAction::Accept => "accept",
        }
    }
}

/// To whom a reset or unreachable message went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RejectTarget {
    /// The packet's sender.
    Client,
    /// Its receiver.
    Server,
    /// Both.
    Both,
}

impl RejectTarget {
    /// The value of `verdict.reject-target`.
    pub const fn name(self) -> &'static str {
        match self {
            RejectTarget::Client => "to_client",
            RejectTarget::Server => "to_server",
            RejectTarget::Both => "both",
        }
    }
}

/// The verdict on a packet, in full.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// The action.
    pub action: VerdictAction,
    /// A message was sent to refuse it.
    pub reject: Option<RejectTarget>,
}

/// A packet that was dropped.
#[derive(Clone, Copy)]
pub struct DropRecord<'a> {
    /// Reason, in the words of drop records (`rules`, `flow drop`, `stream error`).
    pub reason: &'a str,
    /// The alert of the rule that asked for it.
    pub alert: Option<(&'a Alert, &'a RuleInfo)>,
    /// The verdict on it.
    pub verdict: Verdict,
    /// The direction of the flow had its drop record before.
    pub repeated: bool,
}

/// A packet of a TCP connection.
#[derive(Clone, Copy)]
pub struct StreamRecord<'a> {
    /// The connection, after the packet.
    pub session: &'a TcpSession,
    /// The outcome of the packet.
    pub outcome: &'a StreamOutcome,
    /// Reason that it was dropped, if it was.
    pub reason: Option<&'static str>,
}

/// A transaction to be logged.
#[derive(Clone, Copy)]
pub struct TransactionRecord<'a> {
    /// Its protocol.
    pub protocol: &'static Protocol,
    /// The transaction.
    pub transaction: &'a dyn Transaction,
}

/// A file that ended.
#[derive(Clone, Copy)]
pub struct FileRecord<'a> {
    /// The file.
    pub file: &'a File,
    /// Its protocol.
    pub protocol: &'static Protocol,
    /// The transaction that carries it.
    pub transaction: &'a dyn Transaction,
}

/// An oddity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnomalyRecord<'a> {
    /// A packet breaks its format.
    Decode {
        /// The word of rules (`ipv4.trunc_pkt`).
        event: &'a str,
    },
    /// A segment breaks TCP.
    Stream {
        /// The word of rules (`pkt_invalid_ack`).
        event: &'a str,
    },
    /// A message breaks its protocol, or the protocol was not recognised.
    Application {
        /// `proto_detect`, `proto_parser` or `parser`.
        layer: &'a str,
        /// Name of the event.
        event: &'a str,
        /// The transaction, where it belongs to one.
        transaction: Option<u64>,
    },
}

/// A flow that ended; the flow itself is in the context.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowEndRecord<'a> {
    /// Exception policies that were applied: target and policy by name.
    pub exception_policies: &'a [(&'a str, &'a str)],
    /// Transactions made, where a parser was there.
    pub transactions: Option<u64>,
    /// Packets and bytes that went by while bypassed.
    pub bypassed: Option<PerDirection<(u64, u64)>>,
}

/// One counter by its dotted name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Dotted name (`decoder.pkts`).
    pub name: String,
    /// Value.
    pub value: u64,
    /// Value when statistics were written before.
    pub previous: u64,
}

/// Counters to be written.
#[derive(Clone, Copy)]
pub struct StatsRecord<'a> {
    /// Seconds since the start.
    pub uptime_secs: u64,
    /// Counters of all threads together, sorted by name.
    pub totals: &'a [Counter],
    /// Counters of each thread, sorted by name.
    pub threads: &'a [(String, Vec<Counter>)],
    /// The rules in use, of each detection engine.
    pub engines: &'a [DetectEngine],
}

/// A detection engine and its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DetectEngine {
    /// Its tenant; zero without tenants.
    pub id: u32,
    /// When its rules were loaded.
    pub loaded_at: Timestamp,
    /// Rules in use.
    pub rules_loaded: u64,
    /// Rules that cannot be used.
    pub rules_failed: u64,
    /// Rules that ask for what this release has not.
    pub rules_skipped: u64,
}
