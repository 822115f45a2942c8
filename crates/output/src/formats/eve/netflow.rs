//! `netflow` records: one for each direction that was seen.

use weir_base::Direction;

use super::RecordWriter;
use super::flow::tcp_flags;
use super::header::{Head, Source};
use crate::outlet::Outlets;
use crate::record::{FlowEndRecord, RecordContext};

const PROTOCOL_TCP: u8 = 6;

impl RecordWriter<'_> {
    pub(super) fn netflow(&mut self, cx: &RecordContext<'_>, record: &FlowEndRecord<'_>, out: &mut Outlets) {
        let Some(flow) = &cx.flow else { return };
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
            head.of_flow = true;
            let without_packet = RecordContext { packet: None, ..*cx };
            self.line(&without_packet, &head, out, |eve, json| {
                if let Some(app) = app.or(flow.app.protocol) {
                    json.string("app_proto", app);
                }
                json.object("netflow");
                json.unsigned("pkts", core.packets[direction]);
                json.unsigned("bytes", core.bytes[direction]);
                eve.past(json, "start", core.start);
                eve.time(json, "end", core.last);
                json.unsigned("age", core.age_seconds());
                json.unsigned("min_ttl", core.ttl_min[direction]);
                json.unsigned("max_ttl", core.ttl_max[direction]);
                if let Some(transactions) = record.transactions.filter(|count| *count > 0) {
                    json.unsigned("tx_cnt", transactions);
                }
                json.close_object();
                eve.common(&without_packet, None, source, json);
                if core.key.protocol == PROTOCOL_TCP {
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
