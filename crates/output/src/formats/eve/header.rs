//! Common head and tail of every record.

use std::net::IpAddr;

use weir_base::{Direction, JsonWriter, Timestamp};
use weir_packet::{Origin, Packet, Transport, ip_protocol};

use super::RecordWriter;
use crate::record::{AppProtocols, FlowView, RecordContext};
use crate::{address, community_id, protocol_number};

/// Whether records of an IP protocol show ports.
pub(super) const fn has_ports(protocol: u8) -> bool {
    matches!(protocol, ip_protocol::TCP | ip_protocol::UDP | ip_protocol::SCTP)
}

/// End whose address comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// The packet's sender.
    Sender,
    /// The flow's client.
    Client,
    /// The flow's server.
    Server,
}

/// The two ends of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Addresses {
    pub(super) source: IpAddr,
    pub(super) destination: IpAddr,
    pub(super) source_port: u16,
    pub(super) destination_port: u16,
    pub(super) protocol: u8,
}

impl Addresses {
    /// The ends of a packet as it travels.
    pub(super) fn of_packet(packet: &Packet<'_>) -> Option<Self> {
        let ip = packet.ip.as_ref()?;
        let (source_port, destination_port) = packet.transport.ports().unwrap_or((0, 0));
        Some(Self {
            source: ip.source(),
            destination: ip.destination(),
            source_port,
            destination_port,
            protocol: ip.protocol(),
        })
    }

    /// The ends of a flow, the client first.
    pub(super) fn of_flow(flow: &FlowView<'_>) -> Self {
        let key = &flow.core.key;
        Self {
            source: key.source,
            destination: key.destination,
            source_port: key.source_port,
            destination_port: key.destination_port,
            protocol: key.protocol,
        }
    }

    const fn reversed(self) -> Self {
        Self {
            source: self.destination,
            destination: self.source,
            source_port: self.destination_port,
            destination_port: self.source_port,
            protocol: self.protocol,
        }
    }

    /// The ends in the order of a record.
    pub(super) fn of(cx: &RecordContext<'_>, source: Source) -> Option<Self> {
        let to_client = cx.direction == Direction::ToClient;
        if let Some(packet) = cx.packet.and_then(Self::of_packet) {
            let turned = cx.flow.is_some()
                && match source {
                    Source::Sender => false,
                    Source::Client => to_client,
                    Source::Server => !to_client,
                };
            return Some(if turned { packet.reversed() } else { packet });
        }
        let flow = Self::of_flow(cx.flow.as_ref()?);
        let turned = match source {
            Source::Sender => cx.packet.is_some() && to_client,
            Source::Client => false,
            Source::Server => true,
        };
        Some(if turned { flow.reversed() } else { flow })
    }

    /// `src_ip`, `src_port`, `dest_ip`, `dest_port`; the ports where the protocol has some.
    pub(super) fn write(&self, json: &mut JsonWriter<'_>) {
        self.append(has_ports(self.protocol), json);
    }

    /// Writes the ends with ports of 0 where the protocol has none.
    pub(super) fn write_all(&self, json: &mut JsonWriter<'_>) {
        self.append(true, json);
    }

    fn append(&self, ports: bool, json: &mut JsonWriter<'_>) {
        json.text("src_ip", |out| address::append_full(out, self.source));
        if ports {
            json.unsigned("src_port", self.source_port);
        }
        json.text("dest_ip", |out| address::append_full(out, self.destination));
        if ports {
            json.unsigned("dest_port", self.destination_port);
        }
    }
}

/// Subjects of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Subject {
    /// A packet, or a transaction at a packet.
    Packet,
    /// A flow as a whole.
    Flow,
    /// One direction of a flow, from the record's source.
    OneWay,
}

/// Parts of a header in which records differ.
pub(super) struct Head<'a> {
    pub(super) event_type: &'a str,
    pub(super) source: Source,
    /// Addresses other than the packet's or flow's.
    pub(super) addresses: Option<Addresses>,
    pub(super) transaction: Option<u64>,
    pub(super) subject: Subject,
}

impl<'a> Head<'a> {
    pub(super) const fn new(event_type: &'a str, source: Source) -> Self {
        Self { event_type, source, addresses: None, transaction: None, subject: Subject::Packet }
    }
}

impl RecordWriter<'_> {
    /// Opens the record and writes its header.
    pub(super) fn open(&mut self, cx: &RecordContext<'_>, head: &Head<'_>, json: &mut JsonWriter<'_>) {
        let packet = cx.packet.filter(|_| head.subject == Subject::Packet);
        let time = packet.map_or(cx.now, |packet| packet.time);
        json.open_object();
        self.time(json, "timestamp", time);
        if let Some(flow) = &cx.flow {
            json.unsigned("flow_id", flow.core.id.0);
        }
        if let Some(interface) = cx.interface {
            json.string("in_iface", interface);
        }
        if let Some(packet) = packet
            && self.plan.environment.offline
            && matches!(packet.origin, Origin::Wire | Origin::StreamFlush)
            && packet.number != 0
        {
            json.unsigned("pcap_cnt", packet.number);
            if self.plan.packet_comment
                && let Some(comment) = cx.capture.and_then(|capture| capture.comment_on(packet.number))
            {
                json.string("pcap_comment", comment);
            }
        }
        json.string("event_type", head.event_type);
        vlan(cx, packet, json);
        if let Some(addresses) = head.addresses.or_else(|| Addresses::of(cx, head.source)) {
            addresses.write(json);
            if head.subject == Subject::Flow {
                ip_version(addresses.source, json);
            }
            json.text("proto", |out| protocol_number::append(out, addresses.protocol));
            match packet {
                Some(packet) => packet_kind(packet, json),
                None => flow_kind(cx, head, addresses.protocol, json),
            }
            if head.subject == Subject::Packet {
                ip_version(addresses.source, json);
            }
        }
        if let Some(packet) = packet {
            json.string("pkt_src", packet.origin.name());
        }
        if let Some(transaction) = head.transaction {
            json.unsigned("tx_id", transaction);
        }
        if head.subject == Subject::Packet {
            self.common(cx, packet, head.source, json);
        }
        if self.plan.version {
            json.string("suricata_version", &self.plan.environment.version);
        }
    }

    /// Writes the fields that options add to every record.
    pub(super) fn common(
        &mut self,
        cx: &RecordContext<'_>,
        packet: Option<&Packet<'_>>,
        source: Source,
        json: &mut JsonWriter<'_>,
    ) {
        if self.plan.metadata {
            super::metadata::write(cx, json);
        }
        if self.plan.ethernet {
            match packet {
                Some(packet) => packet_macs(cx, packet, source, json),
                None => flow_macs(cx, source, json),
            }
        }
        if let (Some(seed), Some(flow)) = (self.plan.community_id, &cx.flow) {
            let id = flow.core.id;
            if self.pen.community.as_ref().is_none_or(|(known, _)| *known != id) {
                let mut text = Vec::new();
                community_id::append(&mut text, &flow.core.key, seed, community_id::Reading::Eve);
                self.pen.community = Some((id, text));
            }
            if let Some((_, text)) = &self.pen.community {
                json.text("community_id", |out| out.extend_from_slice(text));
            }
        }
        if cx.tenant != 0 && cx.flow.is_some() {
            json.unsigned("tenant_id", cx.tenant);
        }
        if let Some(uid) = cx.flow.and_then(|flow| flow.zeek_uid).filter(|_| self.plan.zeek_uid) {
            json.text("zeek_uid", |out| out.extend_from_slice(uid));
        }
    }

    /// Ends the record.
    pub(super) fn close(&mut self, cx: &RecordContext<'_>, json: &mut JsonWriter<'_>) {
        if self.plan.capture_file
            && let Some(capture) = cx.capture
        {
            json.string("pcap_filename", &*capture.file);
        }
        json.optional_string("host", self.plan.sensor_name.as_ref());
        json.close_object();
    }

    /// A moment of the present.
    pub(super) fn time(&mut self, json: &mut JsonWriter<'_>, key: &str, time: Timestamp) {
        json.text(key, |out| self.pen.time.iso(out, time));
    }

    /// A moment of the past.
    pub(super) fn past(&mut self, json: &mut JsonWriter<'_>, key: &str, time: Timestamp) {
        json.text(key, |out| self.pen.start.iso(out, time));
    }
}

fn vlan(cx: &RecordContext<'_>, packet: Option<&Packet<'_>>, json: &mut JsonWriter<'_>) {
    let tags = match (packet, &cx.flow) {
        (Some(packet), _) if !packet.is_pseudo() => packet.vlan,
        (_, Some(flow)) => flow.core.vlan(),
        (Some(packet), None) => packet.vlan,
        (None, None) => return,
    };
    if !tags.as_slice().is_empty() {
        json.array("vlan");
        for tag in tags.as_slice() {
            json.push_unsigned(*tag);
        }
        json.close_array();
    }
}

fn ip_version(address: IpAddr, json: &mut JsonWriter<'_>) {
    json.unsigned("ip_v", if address.is_ipv4() { 4u8 } else { 6u8 });
}

fn packet_kind(packet: &Packet<'_>, json: &mut JsonWriter<'_>) {
    match &packet.transport {
        Transport::Icmpv4(icmp) | Transport::Icmpv6(icmp) => {
            json.unsigned("icmp_type", icmp.kind);
            json.unsigned("icmp_code", icmp.code);
        }
        Transport::Esp { spi } => json.unsigned("spi", *spi),
        _ => {}
    }
}

fn flow_kind(cx: &RecordContext<'_>, head: &Head<'_>, protocol: u8, json: &mut JsonWriter<'_>) {
    let Some(flow) = &cx.flow else { return };
    match protocol {
        ip_protocol::ICMPV4 | ip_protocol::ICMPV6 => {
            let (first, second) = match head.source {
                Source::Server => (flow.core.icmp.to_client, flow.core.icmp.to_server),
                _ => (flow.core.icmp.to_server, flow.core.icmp.to_client),
            };
            if let Some(icmp) = first {
                json.unsigned("icmp_type", icmp.kind);
                json.unsigned("icmp_code", icmp.code);
            }
            if let Some(icmp) = second.filter(|_| head.subject != Subject::OneWay) {
                json.unsigned("response_icmp_type", icmp.kind);
                json.unsigned("response_icmp_code", icmp.code);
            }
        }
        50 => {
            let key = &flow.core.key;
            json.unsigned("spi", u32::from(key.source_port) << 16 | u32::from(key.destination_port));
        }
        _ => {}
    }
}

fn mac(out: &mut Vec<u8>, address: &[u8; 6]) {
    weir_base::hex::append_separated(out, address, b':');
}

fn packet_macs(cx: &RecordContext<'_>, packet: &Packet<'_>, source: Source, json: &mut JsonWriter<'_>) {
    let Some(ethernet) = &packet.ethernet else {
        return pseudo_macs(cx, json);
    };
    let turned = cx.flow.is_some()
        && match source {
            Source::Sender => false,
            Source::Client => cx.direction == Direction::ToClient,
            Source::Server => cx.direction == Direction::ToServer,
        };
    let (from, to) = if turned {
        (&ethernet.destination, &ethernet.source)
    } else {
        (&ethernet.source, &ethernet.destination)
    };
    json.object("ether");
    json.unsigned("ether_type", ethernet.ether_type);
    json.text("src_mac", |out| mac(out, from));
    json.text("dest_mac", |out| mac(out, to));
    json.close_object();
}

/// The first addresses of a flow, the client's as source, for packets that were never on the wire.
fn pseudo_macs(cx: &RecordContext<'_>, json: &mut JsonWriter<'_>) {
    let Some(macs) = cx.flow.and_then(|flow| flow.macs) else { return };
    let first = [("src_mac", macs.source().first()), ("dest_mac", macs.destination().first())];
    if first.iter().any(|(_, address)| address.is_some()) {
        json.object("ether");
        for (key, address) in first {
            if let Some(address) = address {
                json.text(key, |out| mac(out, address));
            }
        }
        json.close_object();
    }
}

fn flow_macs(cx: &RecordContext<'_>, source: Source, json: &mut JsonWriter<'_>) {
    let Some(macs) = cx.flow.and_then(|flow| flow.macs) else { return };
    let (from, to) = match source {
        Source::Server => (macs.destination(), macs.source()),
        _ => (macs.source(), macs.destination()),
    };
    if from.is_empty() && to.is_empty() {
        return;
    }
    json.object("ether");
    for (key, list) in [("dest_macs", to), ("src_macs", from)] {
        json.array(key);
        for address in list {
            json.push_text(|out| mac(out, address));
        }
        json.close_array();
    }
    json.close_object();
}

/// `app_proto` and what differs from it.
pub(super) fn app_protocols(app: &AppProtocols, json: &mut JsonWriter<'_>) {
    let Some(protocol) = app.protocol else {
        return;
    };
    json.string("app_proto", protocol);
    let others = [
        ("app_proto_ts", app.to_server),
        ("app_proto_tc", app.to_client),
        ("app_proto_orig", app.original),
        ("app_proto_expected", app.expected),
    ];
    for (key, name) in others {
        json.optional_string(key, name.filter(|name| *name != protocol));
    }
}
