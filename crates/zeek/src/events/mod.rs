//! Events of traffic for scripts: what the observer of the traffic raises itself, and how those of protocols get to
//! whoever runs the scripts.
//!
//! An event is a message to the outlet of events ([`weir_base::event`]), at the position of what caused it, so that
//! scripts get the events of all workers in one order. An event that no script handles costs the look-up of its number.

mod arp;
mod extensions;
mod gtp;
mod icmp;
mod igmp;
mod mld;
mod packet;
mod payload;
mod row;
mod tcp;
mod tunnels;

use std::collections::{HashMap, HashSet};

use weir_applayer::zeek::EventTable;
use weir_applayer::{Protocol, ZeekConnection, ZeekStream};
use weir_base::event::{
    self, CLOCK, ConnectionState, EndState, FORGET, PACKET, PayloadExtent, ScriptSettings,
};
use weir_base::{EventValue, Position, Timestamp};
use weir_output::outlet::{MessageTaker, OutletId, Outlets};

use weir_packet::{Ip, Packet, Transport};

use crate::connection::{Connection, PacketView};
use crate::policy::inventory;
use crate::rows::{Rows, protocol};

pub use payload::StreamPiece;
pub(crate) use tcp::{Before, repeated};
pub(crate) use tunnels::{carried, changed as tunnel_changed, datagram};

macro_rules! own {
    ($($(#[$doc:meta])* $variant:ident $name:literal)*) => {
        /// An event that the observer raises itself.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(crate) enum Own {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        /// Their names, in order.
        const NAMES: &[&str] = &[$($name),*];
    };
}

own! {
    NewConnection "new_connection"
    NewConnectionContents "new_connection_contents"
    ConnStats "conn_stats"
    ContentGap "content_gap"
    UdpSessionDone "udp_session_done"
    Retransmission "tcp_rexmit"
    ConnectionStateRemove "connection_state_remove"
    SuccessfulRemove "successful_connection_remove"
    Established "connection_established"
    Attempt "connection_attempt"
    Rejected "connection_rejected"
    Reset "connection_reset"
    Finished "connection_finished"
    HalfFinished "connection_half_finished"
    Pending "connection_pending"
    Timeout "connection_timeout"
    Reused "connection_reused"
    Partial "partial_connection"
    SynPacket "connection_SYN_packet"
    FirstAck "connection_first_ACK"
    Eof "connection_EOF"
    Flipped "connection_flipped"
    FlowLabel "connection_flow_label_changed"
    MultipleRetransmissions "tcp_multiple_retransmissions"
    MultipleZeroWindows "tcp_multiple_zero_windows"
    MultipleGaps "tcp_multiple_gap"
    MultipleChecksums "tcp_multiple_checksum_errors"
    TcpPacket "tcp_packet"
    TcpOption "tcp_option"
    TcpOptions "tcp_options"
    NewPacket "new_packet"
    Counted "weir_packet_counted"
    RawPacket "raw_packet"
    ArpRequest "arp_request"
    ArpReply "arp_reply"
    BadArp "bad_arp"
    IgmpMessage "IGMP::message"
    IgmpQuery "IGMP::membership_query"
    IgmpReportV1 "IGMP::membership_report_v1"
    IgmpReportV2 "IGMP::membership_report_v2"
    IgmpReportV3 "IGMP::membership_report_v3"
    IgmpLeave "IGMP::leave_group"
    ExtensionHeaders "ipv6_ext_headers"
    EspPacket "esp_packet"
    MobileMessage "mobile_ipv6_message"
    TunnelChanged "tunnel_changed"
    VxlanPacket "vxlan_packet"
    GenevePacket "geneve_packet"
    NewTeredoState "new_teredo_state"
    TeredoPacket "teredo_packet"
    TeredoAuthentication "teredo_authentication"
    TeredoOrigin "teredo_origin_indication"
    TeredoBubble "teredo_bubble"
    NewGtpState "new_gtpv1_state"
    GtpMessage "gtpv1_message"
    GtpPacket "gtpv1_g_pdu_packet"
    GtpCreateRequest "gtpv1_create_pdp_ctx_request"
    GtpCreateResponse "gtpv1_create_pdp_ctx_response"
    GtpUpdateRequest "gtpv1_update_pdp_ctx_request"
    GtpUpdateResponse "gtpv1_update_pdp_ctx_response"
    GtpDeleteRequest "gtpv1_delete_pdp_ctx_request"
    GtpDeleteResponse "gtpv1_delete_pdp_ctx_response"
    PacketContents "packet_contents"
    UdpRequest "udp_request"
    UdpReply "udp_reply"
    UdpMultipleChecksums "udp_multiple_checksum_errors"
    IcmpSent "icmp_sent"
    IcmpSentPayload "icmp_sent_payload"
    IcmpEchoRequest "icmp_echo_request"
    IcmpEchoReply "icmp_echo_reply"
    IcmpErrorMessage "icmp_error_message"
    IcmpUnreachable "icmp_unreachable"
    IcmpTimeExceeded "icmp_time_exceeded"
    IcmpPacketTooBig "icmp_packet_too_big"
    IcmpParameterProblem "icmp_parameter_problem"
    IcmpRouterSolicitation "icmp_router_solicitation"
    IcmpRouterAdvertisement "icmp_router_advertisement"
    IcmpNeighborSolicitation "icmp_neighbor_solicitation"
    IcmpNeighborAdvertisement "icmp_neighbor_advertisement"
    IcmpRedirect "icmp_redirect"
    MldReportV1 "icmpv6_mld_report_v1"
    MldReportV2 "icmpv6_mld_report_v2"
    MldDoneV1 "icmpv6_mld_done_v1"
    ConnWeird "conn_weird"
    FlowWeird "flow_weird"
    NetWeird "net_weird"
    AnalyzerConfirmation "analyzer_confirmation_info"
    AnalyzerViolation "analyzer_violation_info"
}

/// Events that each packet of a connection may cause.
const OF_EACH_PACKET: [Own; 18] = [
    Own::ContentGap,
    Own::TcpOptions,
    Own::Counted,
    Own::ConnStats,
    Own::Retransmission,
    Own::ExtensionHeaders,
    Own::FirstAck,
    Own::TcpPacket,
    Own::TcpOption,
    Own::NewPacket,
    Own::PacketContents,
    Own::UdpRequest,
    Own::UdpReply,
    Own::FlowLabel,
    Own::MultipleRetransmissions,
    Own::MultipleZeroWindows,
    Own::MultipleGaps,
    Own::MultipleChecksums,
];

/// How often scripts hear of the capture's clock when nothing else happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pace {
    /// Each second of the capture.
    #[default]
    EachSecond,
    /// With each packet: scripts wait for something.
    EachPacket,
}

/// What scripts ask for.
#[derive(Clone, Debug)]
pub struct EventSettings {
    /// Numbers of the functions of events that scripts handle, by the names of the events.
    pub functions: HashMap<String, u32>,
    /// The scripts that are loaded, by Zeek's names: only their protocols are read.
    pub loaded: HashSet<String>,
    /// Logs that scripts make from events in place of the engine, by their names.
    pub logs: HashSet<String>,
    /// Logs whose rows go through scripts, by their names.
    pub rows: HashSet<String>,
    /// Who takes events.
    pub taker: MessageTaker,
    /// Settings of protocols.
    pub settings: ScriptSettings,
    /// How often the clock is told.
    pub pace: Pace,
    /// The payload of each connection that signatures are matched against, where there are any.
    pub payload: Option<PayloadExtent>,
    /// Scripts look at whole packets.
    pub packets: bool,
    /// Scripts follow files: they get what comes of each.
    pub files: bool,
}

/// The events that are raised.
#[derive(Debug)]
pub(crate) struct Events {
    outlet: OutletId,
    own: Box<[Option<u32>]>,
    /// All that scripts handle, by name.
    functions: HashMap<String, u32>,
    protocols: Vec<(&'static EventTable, Box<[Option<u32>]>)>,
    /// Each packet of a connection is to be looked at.
    pub(crate) each_packet: bool,
    pub(crate) pace: Pace,
    /// The payload of each connection that signatures are matched against.
    payload: Option<PayloadExtent>,
    /// Scripts look at whole packets.
    packets: bool,
    /// Settings of protocols.
    pub(crate) settings: ScriptSettings,
    /// Logs whose rows go through scripts.
    rows: HashSet<String>,
    /// Scripts follow files.
    pub(crate) files: bool,
}

impl Events {
    /// Those of the observer and of protocols that scripts handle.
    pub(crate) fn new(settings: &EventSettings, protocols: &[&'static Protocol], outlet: OutletId) -> Self {
        let number = |name: &&str| settings.functions.get(*name).copied();
        let own: Box<[Option<u32>]> = NAMES.iter().map(number).collect();
        let tables = protocols.iter().filter_map(|protocol| protocol.zeek?.events);
        let mut all: Vec<(&'static EventTable, Box<[Option<u32>]>)> = Vec::new();
        for table in tables.filter(|table| settings.loaded.contains(table.package)) {
            if all.iter().any(|(known, _)| std::ptr::eq(*known, table)) {
                continue;
            }
            let numbers: Box<[Option<u32>]> = table.names.iter().map(number).collect();
            if numbers.iter().any(Option::is_some) {
                all.push((table, numbers));
            }
        }
        let has = |event: &Own| own.get(*event as usize).copied().flatten().is_some();
        let (pace, payload, packets) = (settings.pace, settings.payload, settings.packets);
        let each_packet = payload.is_some() || OF_EACH_PACKET.iter().any(has);
        let functions = settings.functions.clone();
        let files = settings.files;
        let (rows, settings) = (settings.rows.clone(), settings.settings.clone());
        Self {
            outlet,
            own,
            functions,
            protocols: all,
            each_packet,
            pace,
            payload,
            packets,
            settings,
            rows,
            files,
        }
    }

    /// Returns whether the rows of a log go through scripts.
    pub(crate) fn takes_rows_of(&self, stream: &ZeekStream) -> bool {
        self.rows.contains(stream.name)
    }

    /// Returns the number of an event's function, where scripts handle it.
    #[inline]
    pub(crate) fn number(&self, event: Own) -> Option<u32> {
        self.own.get(event as usize).copied().flatten()
    }

    /// Returns the number of the function of an event that a logger raises, where scripts handle it.
    pub(crate) fn of_logger(&self, event: &str) -> Option<u32> {
        self.functions.get(event).copied()
    }

    /// Returns the numbers of a protocol's events, where scripts handle any.
    pub(crate) fn of(&self, table: &'static EventTable) -> Option<&[Option<u32>]> {
        let known = self.protocols.iter().find(|(known, _)| std::ptr::eq(*known, table));
        known.map(|(_, numbers)| &**numbers)
    }

    /// Returns whether scripts handle events of any protocol.
    pub(crate) fn has_protocols(&self) -> bool {
        !self.protocols.is_empty()
    }

    /// Returns whether scripts handle an event that has bodies.
    pub(crate) fn has_bodies(&self) -> bool {
        self.protocols.iter().any(|(table, numbers)| {
            table.bodies.and_then(|event| numbers.get(event)).copied().flatten().is_some()
        })
    }

    /// Sends an event.
    pub(crate) fn send(
        &self,
        out: &mut Outlets,
        position: Position,
        function: u32,
        arguments: &[EventValue<'_>],
        connection: Option<&ConnectionState<'_>>,
    ) {
        self.send_of(out, position, None, function, arguments, connection);
    }

    /// Sends an event of bytes that were captured before, where that is told.
    pub(crate) fn send_of(
        &self,
        out: &mut Outlets,
        position: Position,
        captured: Option<Timestamp>,
        function: u32,
        arguments: &[EventValue<'_>],
        connection: Option<&ConnectionState<'_>>,
    ) {
        let at = moment(position, captured);
        out.message(self.outlet, position, |bytes| {
            event::write(bytes, at, function, arguments, connection);
            true
        });
    }
}

/// Returns the time and the packet of a message at a position, of bytes that may have been captured before.
fn moment(position: Position, captured: Option<Timestamp>) -> (Timestamp, u64) {
    let captured = captured.filter(|_| !position.is_at_end());
    (captured.unwrap_or(position.clock), position.place.packet())
}

impl Rows<'_> {
    /// Returns whether scripts handle any event.
    #[inline]
    pub(crate) fn has_events(&self) -> bool {
        self.plan.events.is_some()
    }

    /// Returns whether scripts handle an event.
    #[inline]
    pub(crate) fn handles(&self, event: Own) -> bool {
        self.plan.events.as_ref().is_some_and(|events| events.number(event).is_some())
    }

    /// Raises an event, where scripts handle it.
    pub(crate) fn raise(
        &mut self,
        event: Own,
        connection: Option<&Connection>,
        arguments: &[EventValue<'_>],
    ) {
        let Some(events) = &self.plan.events else { return };
        let Some(number) = events.number(event) else { return };
        let state = connection.map(Connection::observed);
        events.send(self.out, self.position, number, arguments, state.as_ref());
    }

    /// Raises an event of a connection that is known by its rows alone.
    pub(crate) fn raise_of(
        &mut self,
        event: Own,
        connection: Option<&ZeekConnection<'_>>,
        arguments: &[EventValue<'_>],
    ) {
        let Some(events) = &self.plan.events else { return };
        let Some(number) = events.number(event) else { return };
        let state = connection.map(known);
        events.send(self.out, self.position, number, arguments, state.as_ref());
    }

    /// Raises the event of an oddity.
    pub(crate) fn raise_weird(
        &mut self,
        connection: Option<&ZeekConnection<'_>>,
        name: &str,
        addl: Option<&str>,
        source: Option<&str>,
    ) {
        let [name, addl, source] = [name, addl.unwrap_or(""), source.unwrap_or("")].map(EventValue::text);
        match connection {
            None => self.raise_of(Own::NetWeird, None, &[name, addl, source]),
            Some(found) if found.uid.is_empty() => {
                let ends = found.endpoints;
                let hosts = [ends.client, ends.server].map(EventValue::Addr);
                let [client, server] = hosts;
                self.raise_of(Own::FlowWeird, None, &[name, client, server, addl, source]);
            }
            found => self.raise_of(Own::ConnWeird, found, &[name, EventValue::Connection, addl, source]),
        }
    }

    /// Raises the event of a protocol that a connection was found to speak.
    pub(crate) fn raise_confirmation(&mut self, connection: &Connection, service: &str) {
        if !self.handles(Own::AnalyzerConfirmation) {
            return;
        }
        let tag = analyzer_tag("Analyzer", service);
        let number = connection.services.iter().position(|known| *known == service).unwrap_or(0) as u64;
        let info = [EventValue::Connection, EventValue::Unset, EventValue::Count(number + 1)];
        let arguments = [EventValue::Enum(&tag), EventValue::Record(&info)];
        self.raise(Own::AnalyzerConfirmation, Some(connection), &arguments);
    }

    /// Tells scripts of the clock.
    pub(crate) fn tell_clock(&mut self) {
        if let Some(events) = &self.plan.events {
            events.send(self.out, self.position, CLOCK, &[], None);
        }
    }

    /// Tells scripts that a connection is over.
    pub(crate) fn forget(&mut self, connection: &Connection) {
        if let Some(events) = &self.plan.events {
            let uid = EventValue::String(connection.uid.as_bytes());
            events.send(self.out, self.position, FORGET, &[uid], None);
        }
    }
}

/// The full name of an analyzer's tag.
pub(crate) fn analyzer_tag(module: &str, name: &str) -> String {
    let name = name.to_ascii_uppercase().replace('-', "_");
    format!("{module}::ANALYZER_{name}")
}

/// Raises what is raised for each captured packet.
pub(crate) fn captured(packet: &Packet<'_>, rows: &mut Rows<'_>) {
    let Some(events) = &rows.plan.events else { return };
    if events.packets {
        let position = rows.position;
        packet::raw_fields(packet, |fields| {
            let arguments = [
                EventValue::Time(packet.time),
                EventValue::Count(packet.wire_length.into()),
                EventValue::Count(packet.link.0.into()),
                EventValue::String(packet.bytes),
                fields,
            ];
            events.send(rows.out, position, PACKET, &arguments, None);
        });
    } else if events.pace == Pace::EachPacket {
        rows.tell_clock();
    }
    if rows.handles(Own::RawPacket) {
        packet::raw_fields(packet, |fields| rows.raise(Own::RawPacket, None, &[fields]));
    }
}

/// Raises the events of a packet that belongs to no connection, by itself.
pub(crate) fn unconnected(packet: &Packet<'_>, rows: &mut Rows<'_>) {
    arp::look(packet, rows);
    igmp::look(packet, rows);
    extensions::look(packet, rows);
}

/// Raises what is raised before a packet counts; the state of a connection of TCP, to be compared with what is behind.
pub(crate) fn before(
    connection: &mut Connection,
    view: &PacketView,
    packet: &Packet<'_>,
    rows: &mut Rows<'_>,
) -> Option<Before> {
    if let Some(Ip::V6(ip)) = &packet.ip {
        let originator = connection.is_originator(view);
        if let Some(old) = connection.flow_label(originator, ip.flow_label) {
            let [old, new] = [old, ip.flow_label].map(|label| EventValue::Count(label.into()));
            let arguments = [EventValue::Connection, EventValue::Bool(originator), old, new];
            rows.raise(Own::FlowLabel, Some(connection), &arguments);
        }
    }
    if rows.handles(Own::ExtensionHeaders) && extensions::has_any(packet) {
        packet::fields(packet, |fields| {
            rows.raise(Own::ExtensionHeaders, Some(connection), &[EventValue::Connection, fields]);
        });
    }
    if rows.handles(Own::NewPacket) {
        packet::fields(packet, |fields| {
            rows.raise(Own::NewPacket, Some(connection), &[EventValue::Connection, fields]);
        });
    }
    Before::of(connection, connection.is_originator(view), packet, rows)
}

/// Raises what a packet of the originator, or of the responder, caused; `was_flipped` says who was the originator before.
pub(crate) fn after(
    connection: &mut Connection,
    before: Option<Before>,
    (originator, was_flipped): (bool, bool),
    packet: &Packet<'_>,
    rows: &mut Rows<'_>,
) {
    if connection.flipped != was_flipped {
        rows.raise(Own::Flipped, Some(connection), &[EventValue::Connection]);
    }
    rows.raise(Own::Counted, Some(connection), &[EventValue::Connection]);
    payload::packet(connection, originator, packet, rows);
    match &packet.transport {
        Transport::Tcp(_) => {
            if let Some(before) = before {
                before.raise(connection, originator, packet, rows);
            }
            tcp::packet(connection, originator, packet, rows);
            tcp::count(connection, originator, packet, rows);
        }
        Transport::Udp(_) => {
            let event = if originator { Own::UdpRequest } else { Own::UdpReply };
            rows.raise(event, Some(connection), &[EventValue::Connection]);
        }
        Transport::Icmpv4(_) | Transport::Icmpv6(_) => icmp::message(connection, packet, rows),
        _ => {}
    }
    if rows.handles(Own::PacketContents) && !packet.payload.is_empty() {
        let arguments = [EventValue::Connection, EventValue::String(packet.payload)];
        rows.raise(Own::PacketContents, Some(connection), &arguments);
    }
}

/// Returns what is known of a connection by its rows alone.
pub(crate) fn known<'a>(connection: &ZeekConnection<'a>) -> ConnectionState<'a> {
    let ends = connection.endpoints;
    let end = |address, port| EndState {
        address,
        port,
        size: 0,
        state: 0,
        packets: 0,
        ip_bytes: 0,
        flow_label: 0,
        link: None,
    };
    ConnectionState {
        uid: connection.uid,
        ends: [end(ends.client, ends.client_port), end(ends.server, ends.server_port)],
        protocol: protocol(ends),
        start: connection.start,
        duration: 0,
        history: b"",
        services: &[],
        vlans: [None; 2],
        tunnels: &[],
        is_whole: false,
    }
}

/// Reason that a connection ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// Nobody answered the originator.
    Attempt,
    /// Nothing came for too long.
    Silence,
    /// Both ends closed, or another connection began.
    Closed,
    /// The capture ended.
    Capture,
}

/// The place of UDP among the transports.
const UDP: usize = 1;

/// Raises the events of a connection's end.
pub(crate) fn end(ended: &Connection, rows: &mut Rows<'_>) {
    if !rows.has_events() {
        return;
    }
    let now = if rows.position.is_at_end() { None } else { Some(rows.position.clock) };
    tcp::stats(ended, rows);
    if ended.carrier_index() == Some(UDP) && ended.services.iter().any(|name| inventory::has_sessions(name)) {
        rows.raise(Own::UdpSessionDone, Some(ended), &[EventValue::Connection]);
    }
    let event = match ended.ending(now, &rows.plan.timeouts) {
        Ending::Attempt => Some(Own::Attempt),
        Ending::Silence => Some(Own::Timeout),
        Ending::Capture if ended.is_pending() => Some(Own::Pending),
        Ending::Capture | Ending::Closed => None,
    };
    if let Some(event) = event {
        rows.raise(event, Some(ended), &[EventValue::Connection]);
    }
    rows.raise(Own::ConnectionStateRemove, Some(ended), &[EventValue::Connection]);
    // The time to wait for an answer is over with the capture.
    if event == Some(Own::Pending) && ended.is_attempt() {
        rows.raise(Own::Attempt, Some(ended), &[EventValue::Connection]);
    }
    if ended.was_successful() {
        rows.raise(Own::SuccessfulRemove, Some(ended), &[EventValue::Connection]);
    }
    rows.forget(ended);
}

/// Returns a text of addresses of the link, as `02:00:00:00:00:01`.
pub(crate) fn link_text(mac: [u8; 6]) -> Vec<u8> {
    mac.map(|byte| format!("{byte:02x}")).join(":").into_bytes()
}
