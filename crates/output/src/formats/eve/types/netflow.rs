//! `netflow` records: one for each direction that was seen.

use weir_base::Direction;

use super::super::Log;
use super::super::header::{Head, Source, Subject};
use super::flow::tcp_flags;
use super::{RecordType, TypeWriter};
use crate::format::RecordKind;
use crate::record::{Record, RecordContext};
use weir_packet::ip_protocol;

/// The directions of flows that ended.
pub(super) static TYPE: RecordType = RecordType {
    name: "netflow",
    records: &[(RecordKind::FlowEnd, "netflow")],
    open: |_| Ok(Box::new(Netflow)),
};

struct Netflow;

impl TypeWriter for Netflow {
    fn write(&self, log: &mut Log<'_>, cx: &RecordContext<'_>, record: &Record<'_>) {
        let (Record::FlowEnd(record), Some(flow)) = (record, &cx.flow) else { return };
        let core = flow.core;
        for direction in Direction::BOTH {
            if direction == Direction::ToClient && core.packets[direction] == 0 {
                continue;
            }
            let (source, app) = match direction {
                Direction::ToServer => (Source::Client, flow.app.to_server),
                Direction::ToClient => (Source::Server, flow.app.to_client),
            };
            let mut head = Head::new("netflow", source);
            head.subject = Subject::OneWay;
            let without_packet = RecordContext { packet: None, ..*cx };
            log.line(&without_packet, &head, |eve, json| {
                json.string("app_proto", app.or(flow.app.protocol).unwrap_or("unknown"));
                json.object("netflow");
                json.unsigned("pkts", core.packets[direction]);
                json.unsigned("bytes", core.bytes[direction]);
                eve.past(json, "start", core.start);
                eve.time(json, "end", core.last);
                json.unsigned("age", core.age_seconds());
                json.unsigned("min_ttl", core.ttl_min[direction]);
                json.unsigned("max_ttl", core.ttl_max[direction]);
                json.optional_unsigned("tx_cnt", record.transactions.filter(|count| *count > 0));
                json.close_object();
                eve.common(&without_packet, None, source, json);
                if core.key.protocol == ip_protocol::TCP {
                    let flags = flow.tcp.unwrap_or_default().flags[direction];
                    json.object("tcp");
                    json.hex("tcp_flags", &[flags]);
                    tcp_flags(flags, json);
                    json.close_object();
                }
                true
            });
        }
    }
}
