//! `drop` records.

use weir_base::JsonWriter;
use weir_packet::{Ip, Packet, Tcp, Transport};

use super::super::Log;
use super::super::header::{self, Head, Source};
use super::{RecordType, TypeWriter, alert};
use crate::format::RecordKind;
use crate::record::{Record, RecordContext};

/// Packets that were dropped, or would have been.
pub(super) static TYPE: RecordType = RecordType {
    name: "drop",
    records: &[(RecordKind::Drop, "drop")],
    open: |entry| {
        Ok(Box::new(Drops {
            alerts: entry.section.flag("alerts", false),
            all_packets: entry.section.choice("flows", false, &[("start", false), ("all", true)])?,
            verdict: entry.section.flag("verdict", false),
        }))
    },
};

struct Drops {
    /// The alert that dropped the packet.
    alerts: bool,
    /// Every packet of a flow, rather than the first of each direction.
    all_packets: bool,
    /// Fate of the packet.
    verdict: bool,
}

impl TypeWriter for Drops {
    fn write(&self, log: &mut Log<'_>, cx: &RecordContext<'_>, record: &Record<'_>) {
        let (Record::Drop(record), Some(packet)) = (record, cx.packet) else { return };
        if record.repeated && !self.all_packets {
            return;
        }
        let head = Head::new("drop", Source::Sender);
        let addresses = header::Addresses::of(cx, Source::Sender);
        log.line(cx, &head, |eve, json| {
            json.object("drop");
            headers(packet, json);
            json.string("reason", record.reason);
            json.close_object();
            if self.verdict {
                alert::verdict(packet, &record.verdict, eve.plan.environment.inline, json);
            }
            if let Some(flow) = &cx.flow {
                header::app_protocols(&flow.app, json);
                json.string("direction", cx.direction.name());
            }
            if self.alerts
                && let Some((raised, rule)) = record.alert
            {
                let action = alert::action_name(raised, true, eve.plan.environment.inline);
                let engine = alert::engine(raised, &eve.plan.environment);
                let facts = alert::RuleFacts {
                    rule,
                    tenant: cx.tenant,
                    engine,
                    action,
                    addresses,
                    xff: None,
                    metadata: None,
                    contexts: &[],
                };
                alert::object(&facts, json);
            }
            true
        });
    }
}

/// The fields of a packet's headers.
pub(super) fn headers(packet: &Packet<'_>, json: &mut JsonWriter<'_>) {
    match &packet.ip {
        Some(Ip::V4(ip)) => {
            json.unsigned("len", ip.total_length);
            json.unsigned("tos", ip.tos);
            json.unsigned("ttl", ip.ttl);
            json.unsigned("ipid", ip.id);
        }
        Some(Ip::V6(ip)) => {
            json.unsigned("len", ip.payload_length);
            json.unsigned("tc", ip.traffic_class);
            json.unsigned("hoplimit", ip.hop_limit);
            json.unsigned("flowlbl", ip.flow_label);
        }
        None => {}
    }
    match &packet.transport {
        Transport::Tcp(tcp) => {
            json.unsigned("tcpseq", tcp.seq);
            json.unsigned("tcpack", tcp.ack);
            json.unsigned("tcpwin", tcp.window);
            let flags = [
                ("syn", Tcp::SYN),
                ("ack", Tcp::ACK),
                ("psh", Tcp::PSH),
                ("rst", Tcp::RST),
                ("urg", Tcp::URG),
                ("fin", Tcp::FIN),
            ];
            for (key, flag) in flags {
                json.boolean(key, tcp.has(flag));
            }
            json.unsigned("tcpres", tcp.reserved);
            json.unsigned("tcpurgp", tcp.urgent);
        }
        Transport::Udp(udp) => json.unsigned("udplen", udp.length),
        Transport::Icmpv4(icmp) | Transport::Icmpv6(icmp) => {
            if let (Some(id), Some(seq)) = (icmp.id, icmp.seq) {
                json.unsigned("icmp_id", id);
                json.unsigned("icmp_seq", seq);
            }
        }
        _ => {}
    }
}
