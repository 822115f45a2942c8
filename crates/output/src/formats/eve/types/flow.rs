//! `flow` records, and the `flow` object of alerts.

use weir_base::JsonWriter;
use weir_flow::{FlowCore, FlowFlags, FlowState};
use weir_packet::{Tcp, ip_protocol};

use super::super::header::{self, Head, Source, Subject};
use super::super::{Log, RecordWriter};
use super::{RecordType, TypeWriter};
use crate::format::RecordKind;
use crate::record::{FlowEndRecord, FlowView, Record, RecordContext};

/// Flows that ended.
pub(super) static TYPE: RecordType =
    RecordType { name: "flow", records: &[(RecordKind::FlowEnd, "flow")], open: |_| Ok(Box::new(Flows)) };

struct Flows;

impl TypeWriter for Flows {
    fn write(&self, log: &mut Log<'_>, cx: &RecordContext<'_>, record: &Record<'_>) {
        let (Record::FlowEnd(record), Some(flow)) = (record, &cx.flow) else { return };
        let mut head = Head::new("flow", Source::Client);
        head.subject = Subject::Flow;
        head.addresses = Some(header::Addresses::of_flow(flow));
        log.line(cx, &head, |eve, json| {
            header::app_protocols(&flow.app, json);
            json.object("flow");
            eve.flow_counts(flow.core, json);
            eve.time(json, "end", flow.core.last);
            json.unsigned("age", flow.core.age_seconds());
            if flow.core.flags.contains(FlowFlags::EMERGENCY) {
                json.boolean("emergency", true);
            }
            state(flow.core, record, json);
            json.string("reason", flow.core.end_reason.map_or("unknown", |reason| reason.name()));
            json.boolean("alerted", flow.core.flags.contains(FlowFlags::ALERTED));
            if flow.core.flags.contains(FlowFlags::WRONG_THREAD) {
                json.boolean("wrong_thread", true);
            }
            json.optional_string("action", action(flow.core.flags));
            exception_policies(record, json);
            json.optional_unsigned("tx_cnt", record.transactions.filter(|count| *count > 0));
            json.close_object();
            eve.common(cx, None, Source::Client, json);
            if flow.core.key.protocol == ip_protocol::TCP {
                tcp(flow, json);
            }
            true
        });
    }
}

impl RecordWriter<'_> {
    /// Packets, bytes and start, in an object that is open.
    pub(super) fn flow_counts(&mut self, core: &FlowCore, json: &mut JsonWriter<'_>) {
        json.unsigned("pkts_toserver", core.packets.to_server);
        json.unsigned("pkts_toclient", core.packets.to_client);
        json.unsigned("bytes_toserver", core.bytes.to_server);
        json.unsigned("bytes_toclient", core.bytes.to_client);
        if core.is_elephant() {
            json.boolean("elephant", true);
        }
        self.past(json, "start", core.start);
    }
}

fn state(core: &FlowCore, record: &FlowEndRecord<'_>, json: &mut JsonWriter<'_>) {
    json.string("state", core.state().name());
    if core.state() != FlowState::Bypassed {
        return;
    }
    if core.flags.contains(FlowFlags::CAPTURE_BYPASS) {
        json.string("bypass", "capture");
        let Some(counts) = record.bypassed else { return };
        json.object("bypassed");
        json.unsigned("pkts_toserver", counts.to_server.0);
        json.unsigned("pkts_toclient", counts.to_client.0);
        json.unsigned("bytes_toserver", counts.to_server.1);
        json.unsigned("bytes_toclient", counts.to_client.1);
        json.close_object();
    } else {
        json.string("bypass", "local");
    }
}

fn action(flags: FlowFlags) -> Option<&'static str> {
    [(FlowFlags::ACTION_DROP, "drop"), (FlowFlags::ACTION_ACCEPT, "accept"), (FlowFlags::ACTION_PASS, "pass")]
        .into_iter()
        .find(|(flag, _)| flags.contains(*flag))
        .map(|(_, name)| name)
}

fn exception_policies(record: &FlowEndRecord<'_>, json: &mut JsonWriter<'_>) {
    if record.exception_policies.is_empty() {
        return;
    }
    json.objects("exception_policy", record.exception_policies, |json, (target, policy)| {
        json.string("target", target);
        json.string("policy", policy);
    });
}

/// A key for each flag that is set.
pub(super) fn tcp_flags(flags: u8, json: &mut JsonWriter<'_>) {
    let names = [
        ("syn", Tcp::SYN),
        ("fin", Tcp::FIN),
        ("rst", Tcp::RST),
        ("psh", Tcp::PSH),
        ("ack", Tcp::ACK),
        ("urg", Tcp::URG),
        ("ecn", Tcp::ECE),
        ("cwr", Tcp::CWR),
    ];
    for (key, flag) in names {
        if flags & flag != 0 {
            json.boolean(key, true);
        }
    }
}

fn tcp(flow: &FlowView<'_>, json: &mut JsonWriter<'_>) {
    let session = flow.tcp.unwrap_or_default();
    let all = session.flags.to_server | session.flags.to_client;
    json.object("tcp");
    json.hex("tcp_flags", &[all]);
    json.hex("tcp_flags_ts", &[session.flags.to_server]);
    json.hex("tcp_flags_tc", &[session.flags.to_client]);
    tcp_flags(all, json);
    if let Some(state) = session.state {
        json.string("state", state);
        if session.gap.to_server {
            json.boolean("ts_gap", true);
        }
        if session.gap.to_client {
            json.boolean("tc_gap", true);
        }
        json.unsigned("ts_max_regions", session.max_regions.to_server);
        json.unsigned("tc_max_regions", session.max_regions.to_client);
    }
    json.close_object();
}
