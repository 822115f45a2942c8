//! Rows on their way to their files.

use std::borrow::Cow;

use smallvec::SmallVec;
use weir_applayer::zeek::Script;
use weir_applayer::zeek::column::Text;
use weir_applayer::{Endpoints, ZeekConnection, ZeekStream, ZeekValue};
use weir_base::{Duration, EventValue, Position, Timestamp};
use weir_output::community_id::Reading;
use weir_output::known::Claim;
use weir_output::outlet::{OutletId, Outlets};
use weir_output::protocol_number;
use weir_output::sinks::file_store::Command;
use weir_packet::FlowKey;
use weir_packet::header::VlanTags;

use crate::connection::Connection;
use crate::events::{self, Own};
use crate::limits::{self, Cut};
use crate::notice::Notice;
use crate::plan::Plan;
use crate::streams::{self, AnalyzerRow, ConnRow, PacketFilterRow, ReporterRow, WeirdRow};

/// Name of the writer in rows (`peer`).
pub(crate) const PEER: &[u8] = b"zeek";

/// Most bytes of what a protocol failed at.
const MAX_FAILURE_DATA: usize = 40;

/// The filter that takes all packets.
const ANY_PACKET: &str = "ip or not ip";

/// Oddities that are worth a notice.
const NOTICED: [&str; 3] = ["FIN_storm", "successful_RPC_reply_to_invalid_request", "SYN_after_partial"];

/// Weirds that are logged once a day for each originator.
const ONCE_FOR_AN_ORIGINATOR: [&str; 22] = [
    "bad_ICMP_checksum",
    "bad_IP_checksum",
    "bad_RPC",
    "bad_TCP_checksum",
    "bad_UDP_checksum",
    "connection_originator_SYN_ack",
    "DNS_label_forward_compress_offset",
    "DNS_label_len_gt_name_len",
    "DNS_label_len_gt_pkt",
    "DNS_label_too_long",
    "excess_RPC",
    "excessively_small_fragment",
    "fragment_inconsistency",
    "fragment_overlap",
    "fragment_size_inconsistency",
    "originator_RPC_reply",
    "partial_RPC",
    "responder_RPC_call",
    "SSH_max_packet_length_exceeded",
    "SSH_max_string_length_exceeded",
    "SYN_with_data",
    "UDP_datagram_length_mismatch",
];

/// For how long any other oddity between two ends is not repeated.
const WEIRD_REPEATS: Duration = Duration::from_secs(10 * 60);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// First time of Zeek's clock: only connections begin earlier.
const FIRST: Timestamp = Timestamp(1_000_000_000);

/// The time of a row.
pub(crate) fn shown(stream: &ZeekStream, ts: Timestamp) -> Timestamp {
    if std::ptr::eq(stream, &streams::CONN) { ts } else { ts.max(FIRST) }
}

/// Level of a message in `reporter`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Level {
    /// All was read, but perhaps not as it should be.
    Warning,
    /// Something went wrong.
    Error,
}

/// Kind of an analyzer that found no more what it reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AnalyzerKind {
    /// Of packets, as those of tunnels.
    Packet,
    /// Of a connection's protocol.
    Protocol,
}

impl AnalyzerKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Packet => "packet",
            Self::Protocol => "protocol",
        }
    }
}

/// Where rows of the packet at hand go.
pub(crate) struct Rows<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) out: &'a mut Outlets,
    pub(crate) position: Position,
    /// When the bytes were captured that rows and events tell of, where that was before the packet at hand: streams are
    /// read once they are acknowledged. Scripts see this time.
    pub(crate) captured: Option<Timestamp>,
}

impl Rows<'_> {
    /// Zeek's clock, which the time of a packet that was captured late does not turn back.
    pub(crate) const fn now(&self) -> Timestamp {
        self.position.clock
    }

    /// Writes a row.
    pub(crate) fn row(
        &mut self,
        stream: &ZeekStream,
        connection: Option<&ZeekConnection<'_>>,
        ts: Timestamp,
        values: &[ZeekValue<'_>],
    ) {
        let ts = shown(stream, ts);
        match self.plan.taker_of(stream) {
            Some(events) => self.out.message(events.outlet(), self.position, |out| {
                events.row(out, (self.position, self.captured), (self.plan, stream), connection, ts, values)
            }),
            None => {
                let cut = self.cut(stream, ts, values);
                let kept = cut.as_ref().map(Cut::values);
                let values = kept.as_deref().unwrap_or(values);
                self.plan.logs.row((self.out, self.position), stream, connection, ts, values);
            }
        }
    }

    /// Cuts a row that is too long, and tells of it.
    fn cut<'v>(&mut self, stream: &ZeekStream, ts: Timestamp, values: &[ZeekValue<'v>]) -> Option<Cut<'v>> {
        let cut = limits::cut(stream, values)?;
        // The clock stands nowhere once the capture has ended.
        let now = if self.position.is_at_end() { ts } else { self.now() };
        for oddity in &cut.oddities {
            self.weird(None, now, oddity, Some(&limits::name(stream)), None);
        }
        Some(cut)
    }

    /// Has the store of extracted files do something.
    pub(crate) fn store(&mut self, outlet: OutletId, command: &Command<'_>) {
        self.out.line(outlet, self.position, |line| {
            command.write(line);
            true
        });
    }

    /// Writes a row if what it claims is new.
    pub(crate) fn news(
        &mut self,
        stream: &ZeekStream,
        connection: Option<&ZeekConnection<'_>>,
        ts: Timestamp,
        claim: Claim,
        values: &[ZeekValue<'_>],
    ) {
        let ts = shown(stream, ts);
        match self.plan.taker_of(stream) {
            Some(events) => {
                let claim = claim.within(stream.name);
                self.out.news_message(events.outlet(), self.position, claim, |out| {
                    events.row(
                        out,
                        (self.position, self.captured),
                        (self.plan, stream),
                        connection,
                        ts,
                        values,
                    );
                });
            }
            None => {
                let cut = self.cut(stream, ts, values);
                let kept = cut.as_ref().map(Cut::values);
                let values = kept.as_deref().unwrap_or(values);
                self.plan.logs.news((self.out, self.position), stream, connection, ts, claim, values);
            }
        }
    }

    /// A row of `weird`, unless there was the same one a while ago, and one of `notice` where the oddity
    /// is worth it.
    pub(crate) fn weird(
        &mut self,
        connection: Option<&ZeekConnection<'_>>,
        ts: Timestamp,
        name: &str,
        addl: Option<&str>,
        source: Option<&str>,
    ) {
        if self.has_events() {
            self.raise_weird(connection, name, addl, source);
        }
        let noticed = NOTICED.contains(&name);
        let row = WeirdRow {
            name: name.into(),
            addl: addl.into(),
            notice: noticed.into(),
            peer: PEER.into(),
            source: source.into(),
        };
        let ends = connection.map(|connection| connection.endpoints);
        let claim = if noticed || ONCE_FOR_AN_ORIGINATOR.contains(&name) {
            Claim::new((name, ends.map(|ends| ends.client)), DAY)
        } else {
            let side = |ends: &Endpoints| (ends.client, ends.client_port, ends.server, ends.server_port);
            Claim::new((name, ends.map(side)), WEIRD_REPEATS)
        };
        if noticed {
            let once = Some(claim.clone());
            let notice = Notice { sub: addl, claim: once, ..Notice::new("Weird::Activity", name) };
            self.notice(connection, ts, notice);
        }
        self.news(&streams::WEIRD, connection, ts, claim, &row.values());
    }

    /// The row of `packet_filter`.
    pub(crate) fn packet_filter(&mut self, ts: Timestamp) {
        let filter = self.plan.filter.as_deref().unwrap_or(ANY_PACKET).to_owned();
        let row = PacketFilterRow {
            node: PEER.into(),
            filter: filter.as_str().into(),
            init: true.into(),
            success: true.into(),
            failure_reason: Text::UNSET,
        };
        self.row(&streams::PACKET_FILTER, None, ts, &row.values());
    }

    /// A row of `reporter`: something about the run.
    pub(crate) fn report(&mut self, ts: Timestamp, level: Level, message: &str) {
        let level = match level {
            Level::Warning => "Reporter::WARNING",
            Level::Error => "Reporter::ERROR",
        };
        let row = ReporterRow { level: level.into(), message: message.into(), location: "".into() };
        self.row(&streams::REPORTER, None, ts, &row.values());
    }

    /// A row of `analyzer`: a connection does not speak the protocol that it began with, or carries no tunnel.
    pub(crate) fn violation(
        &mut self,
        kind: AnalyzerKind,
        connection: &ZeekConnection<'_>,
        ts: Timestamp,
        analyzer: &str,
        reason: &str,
        data: Option<&[u8]>,
    ) {
        if self.handles(Own::AnalyzerViolation) {
            let module = if kind == AnalyzerKind::Packet { "PacketAnalyzer" } else { "Analyzer" };
            let tag = events::analyzer_tag(module, analyzer);
            let info = [
                EventValue::text(reason),
                EventValue::Connection,
                EventValue::Unset,
                EventValue::Unset,
                EventValue::bytes(data),
            ];
            let arguments = [EventValue::Enum(&tag), EventValue::Record(&info)];
            self.raise_of(Own::AnalyzerViolation, Some(connection), &arguments);
        }
        let ends = connection.endpoints;
        let row = AnalyzerRow {
            analyzer_kind: kind.name().into(),
            analyzer_name: analyzer.into(),
            uid: connection.uid.into(),
            fuid: Text::UNSET,
            id_orig_h: ends.client.into(),
            id_orig_p: ends.client_port.into(),
            id_resp_h: ends.server.into(),
            id_resp_p: ends.server_port.into(),
            proto: transport(ends).into(),
            failure_reason: reason.into(),
            failure_data: data.map(|data| data.get(..MAX_FAILURE_DATA).unwrap_or(data)).into(),
        };
        self.row(&streams::ANALYZER, None, ts, &row.values());
    }

    /// A row of `conn`.
    pub(crate) fn connection(&mut self, ended: &Connection) {
        let identity = ended.identity();
        let connection = identity.view();
        let service: Cow<'_, str> = match &*ended.services {
            [] => "".into(),
            [only] => (*only).into(),
            several => several.join(",").into(),
        };
        let duration = ended.duration();
        let (sent, received) = ended.sizes();
        let lasts = !duration.is_zero();
        let parents: SmallVec<[_; 1]> =
            ended.parents().iter().map(|uid| ZeekValue::String(uid.as_bytes())).collect();
        let scripts = self.plan.scripts;
        let is_loaded = |script| scripts.has(script);
        let link = ended.link();
        let tag =
            |place: usize| link.and_then(|link| link.vlan.as_slice().get(place).copied()).map(i64::from);
        let macs = link.filter(|_| is_loaded(Script::Macs)).and_then(|link| link.macs);
        // To scripts, an address of zeros is none.
        let is_told = |mac: &[u8; 6]| *mac != [0; 6] || !self.has_events();
        let macs = macs.map(|macs| macs.map(|mac| Some(mac).filter(is_told).map(mac_text)));
        let [orig_mac, resp_mac] = [0, 1].map(|side| macs.as_ref().and_then(|macs| macs.get(side)?.as_ref()));
        let community =
            is_loaded(Script::CommunityIds).then(|| community_id(&identity.endpoints, ended.protocol()));
        let protocol =
            is_loaded(Script::ProtocolNames).then(|| protocol_number::name(ended.protocol())).flatten();
        let protocol = protocol.map(str::to_ascii_lowercase);
        let [orig, resp] = &ended.sides;
        let row = ConnRow {
            proto: ended.transport().into(),
            service: Some(&*service).filter(|service| !service.is_empty()).into(),
            duration: lasts.then_some(duration).into(),
            orig_bytes: lasts.then_some(sent).into(),
            resp_bytes: lasts.then_some(received).into(),
            conn_state: ended.state().into(),
            local_orig: self.plan.site.is_local(ended.originator().0).into(),
            local_resp: self.plan.site.is_local(ended.responder().0).into(),
            missed_bytes: ended.missed().into(),
            history: Some(ended.history()).filter(|history| !history.is_empty()).into(),
            orig_pkts: orig.packets.into(),
            orig_ip_bytes: orig.ip_bytes.into(),
            resp_pkts: resp.packets.into(),
            resp_ip_bytes: resp.ip_bytes.into(),
            tunnel_parents: Some(&*parents).filter(|parents| !parents.is_empty()).into(),
            ip_proto: ended.protocol().into(),
            vlan: tag(0).into(),
            inner_vlan: tag(1).into(),
            orig_l2_addr: orig_mac.into(),
            resp_l2_addr: resp_mac.into(),
            pppoe_session_id: link.and_then(|link| link.pppoe_session).map(i64::from).into(),
            community_id: community.as_ref().into(),
            ip_proto_name: protocol.as_ref().into(),
        };
        self.row(&streams::CONN, Some(&connection), ended.start, &row.values(is_loaded));
    }
}

/// `02:00:00:00:00:01`
fn mac_text(mac: [u8; 6]) -> Vec<u8> {
    mac.map(|byte| format!("{byte:02x}")).join(":").into_bytes()
}

/// The Community ID of two ends.
pub(crate) fn community_id(ends: &Endpoints, protocol: u8) -> Vec<u8> {
    let key = FlowKey {
        source: ends.client,
        destination: ends.server,
        source_port: ends.client_port,
        destination_port: ends.server_port,
        protocol,
        recursion: 0,
        vlan: VlanTags::default(),
    };
    let mut id = Vec::new();
    weir_output::community_id::append(&mut id, &key, 0, Reading::Letter);
    id
}

/// Returns the transport's number (IANA protocol numbers).
pub(crate) const fn protocol(ends: &Endpoints) -> u8 {
    match ends.transport {
        weir_applayer::Transport::Udp => 17,
        weir_applayer::Transport::Tcp => 6,
    }
}

/// Returns the transport's name.
pub(crate) const fn transport(ends: &Endpoints) -> &'static [u8] {
    match ends.transport {
        weir_applayer::Transport::Udp => b"udp",
        weir_applayer::Transport::Tcp => b"tcp",
    }
}
