//! Metrics that counters become: those of this table, and for all others what their names say.

use std::borrow::Cow;

use super::text::{Kind, Metric};

/// A known counter.
struct Known {
    counter: &'static str,
    /// The metric's name.
    name: &'static str,
    kind: Kind,
    help: &'static str,
}

const fn counter(counter: &'static str, name: &'static str, help: &'static str) -> Known {
    Known { counter, name, kind: Kind::Counter, help }
}

const fn gauge(counter: &'static str, name: &'static str, help: &'static str) -> Known {
    Known { counter, name, kind: Kind::Gauge, help }
}

const KNOWN: &[Known] = &[
    counter("capture.kernel_packets", "capture_kernel_packets", "Packets that the kernel or the card saw."),
    counter("capture.kernel_drops", "capture_kernel_drops", "Packets that were lost before they were read."),
    counter(
        "capture.handed",
        "capture_handed",
        "Packets that a thread handed over to the one they belong to.",
    ),
    counter(
        "capture.handed_lost",
        "capture_handed_lost",
        "Packets that were lost on the way to another thread.",
    ),
    counter("decoder.pkts", "decoder_packets", "Packets that were decoded."),
    counter("decoder.bytes", "decoder_bytes", "Bytes of the packets that were decoded."),
    counter("decoder.invalid", "decoder_invalid", "Packets with a damaged header."),
    gauge("decoder.avg_pkt_size", "decoder_packet_size_average", "Mean size of a packet in bytes."),
    gauge("decoder.max_pkt_size", "decoder_packet_size_largest", "Size of the largest packet in bytes."),
    gauge(
        "decoder.max_mac_addrs_src",
        "decoder_mac_addresses_of_client",
        "Most MAC addresses of a flow's client.",
    ),
    gauge(
        "decoder.max_mac_addrs_dst",
        "decoder_mac_addresses_of_server",
        "Most MAC addresses of a flow's server.",
    ),
    counter("detect.alert", "alerts", "Alerts of rules."),
    counter("detect.alerts_suppressed", "alerts_suppressed", "Alerts that thresholds kept back."),
    counter("detect.alert_queue_overflow", "alerts_left_out", "Alerts of packets that raised too many."),
    counter("flow.total", "flows", "Flows that were begun."),
    gauge("flow.active", "flows_open", "Flows that are open."),
    counter("flow.memcap", "flow_memcap_reached", "Packets for whose flows the memory did not suffice."),
    gauge(
        "flow_bypassed.capture_open_ipv4",
        "flow_bypassed_capture_open_ipv4",
        "Flows of IPv4 of which the kernel drops what follows.",
    ),
    gauge(
        "flow_bypassed.capture_open_ipv6",
        "flow_bypassed_capture_open_ipv6",
        "Flows of IPv6 of which the kernel drops what follows.",
    ),
    gauge("tcp.active_sessions", "tcp_sessions_open", "TCP connections that are open."),
    counter("tcp.sessions", "tcp_sessions", "TCP connections that were begun."),
    counter("tcp.reassembly_gap", "tcp_reassembly_gaps", "Gaps in TCP streams, for segments that were lost."),
    counter("tcp.invalid_checksum", "tcp_invalid_checksum", "TCP packets with a wrong checksum."),
    gauge("file_store.open_files", "file_store_open_files", "Files that are being stored."),
    counter("app_layer.flow.failed_tcp", "app_layer_failed_tcp_flows", "TCP flows of no known protocol."),
    counter("app_layer.flow.failed_udp", "app_layer_failed_udp_flows", "UDP flows of no known protocol."),
    gauge("app_layer.expectations", "app_layer_expectations", "Connections that others announced."),
];

/// Counters with names below one of these become one metric, with labels for the rest of the name.
struct Group {
    prefix: &'static str,
    name: &'static str,
    labels: &'static [&'static str],
    help: &'static str,
    /// Those that are zero are left out, for there are hundreds.
    is_large: bool,
}

const GROUPS: &[Group] = &[
    Group {
        prefix: "decoder.event.",
        name: "decoder_events",
        labels: &["event"],
        help: "Events of the decoder, of streams and of protocols; those that never came are left out.",
        is_large: true,
    },
    Group {
        prefix: "app_layer.flow.",
        name: "app_layer_flows",
        labels: &["protocol"],
        help: "Flows by protocol.",
        is_large: false,
    },
    Group {
        prefix: "app_layer.tx.",
        name: "app_layer_transactions",
        labels: &["protocol"],
        help: "Transactions by protocol.",
        is_large: false,
    },
    Group {
        prefix: "app_layer.error.",
        name: "app_layer_errors",
        labels: &["protocol", "kind"],
        help: "Failures of parsers by protocol; those that never came are left out.",
        is_large: true,
    },
    Group {
        prefix: "ips.drop_reason.",
        name: "ips_drops",
        labels: &["reason"],
        help: "Packets that were dropped, by reason.",
        is_large: false,
    },
    Group {
        prefix: "firewall.drop_reason.",
        name: "firewall_drops",
        labels: &["reason"],
        help: "Packets that the firewall dropped, by reason.",
        is_large: false,
    },
    Group {
        prefix: "flow.end.state.",
        name: "flows_ended",
        labels: &["state"],
        help: "Flows that ended, by state.",
        is_large: false,
    },
    Group {
        prefix: "output.pipelines.",
        name: "pipeline_events",
        labels: &["pipeline", "kind"],
        help: "Records sent, sent again, spooled, lost and refused, connections made again and damaged files of spools, by target.",
        is_large: false,
    },
    Group {
        prefix: "flow.end.tcp_state.",
        name: "tcp_flows_ended",
        labels: &["state"],
        help: "TCP flows that ended, by state of the connection.",
        is_large: false,
    },
];

/// Last words of counters that rise and fall.
const GAUGES: [&str; 5] = ["memuse", "pressure", "avg", "max", "active"];

/// The metric of a counter, with the names and values of its labels.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Entry<'a> {
    pub(super) metric: Metric,
    pub(super) labels: Vec<(&'static str, &'a str)>,
    /// It is left out while it is zero.
    pub(super) may_be_left_out: bool,
}

/// Returns the metric of a counter.
pub(super) fn entry(name: &str) -> Entry<'_> {
    if let Some(known) = KNOWN.iter().find(|known| known.counter == name) {
        let metric = Metric::new(known.name, known.kind, known.help);
        return Entry { metric, labels: Vec::new(), may_be_left_out: false };
    }
    for group in GROUPS {
        let Some(rest) = name.strip_prefix(group.prefix) else { continue };
        let labels = match (group.labels, rest.rsplit_once('.')) {
            ([label], _) => vec![(*label, rest)],
            ([first, second], Some((before, after))) => vec![(*first, before), (*second, after)],
            _ => continue,
        };
        let metric = Metric::new(group.name, Kind::Counter, group.help);
        return Entry { metric, labels, may_be_left_out: group.is_large };
    }
    let metric = Metric {
        name: Cow::Owned(named(name)),
        kind: kind(name),
        help: Cow::Owned(format!("Counter {name} of records of statistics.")),
    };
    Entry { metric, labels: Vec::new(), may_be_left_out: false }
}

/// The kind that a counter's name tells.
fn kind(name: &str) -> Kind {
    let last = name.rsplit(['.', '_']).next();
    if last.is_some_and(|word| GAUGES.contains(&word)) { Kind::Gauge } else { Kind::Counter }
}

/// A counter's name as that of a metric, without its suffix.
fn named(name: &str) -> String {
    let words: Vec<String> = name
        .split(['.', '_'])
        .filter(|word| !word.is_empty())
        .map(|word| match word {
            "pkts" => "packets".to_owned(),
            "pkt" => "packet".to_owned(),
            "memuse" => "memuse_bytes".to_owned(),
            word => word.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect(),
        })
        .collect();
    let name = words.join("_");
    name.strip_suffix("_total").map(str::to_owned).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_become_metrics() {
        for (counter, name, kind, labels) in [
            ("decoder.pkts", "decoder_packets", Kind::Counter, &[][..]),
            ("capture.kernel_drops", "capture_kernel_drops", Kind::Counter, &[]),
            ("tcp.memuse", "tcp_memuse_bytes", Kind::Gauge, &[]),
            ("tcp.reassembly_memuse", "tcp_reassembly_memuse_bytes", Kind::Gauge, &[]),
            ("flow.wrk.flows_evicted_pkt_inject", "flow_wrk_flows_evicted_packet_inject", Kind::Counter, &[]),
            ("capture.afpacket.busy_loop_avg", "capture_afpacket_busy_loop_avg", Kind::Gauge, &[]),
            ("defrag.max_frags_reached", "defrag_max_frags_reached", Kind::Counter, &[]),
            ("a-b.ä.total", "a_b__", Kind::Counter, &[]),
            ("decoder.event.ipv4.trunc_pkt", "decoder_events", Kind::Counter, &[("event", "ipv4.trunc_pkt")]),
            ("app_layer.tx.dns", "app_layer_transactions", Kind::Counter, &[("protocol", "dns")]),
            ("app_layer.flow.failed_tcp", "app_layer_failed_tcp_flows", Kind::Counter, &[]),
            (
                "app_layer.error.exception_policy.tls.gap",
                "app_layer_errors",
                Kind::Counter,
                &[("protocol", "exception_policy.tls"), ("kind", "gap")],
            ),
        ] {
            let entry = entry(counter);
            assert_eq!((&*entry.metric.name, entry.metric.kind), (name, kind), "{counter}");
            assert_eq!(entry.labels, labels, "{counter}");
        }
    }
}
