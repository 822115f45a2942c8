//! Functions of what a single process without a broker lacks: they answer as Zeek does where the thing is switched off.

use std::rc::Rc;

use crate::builtins::{Builtin, argument, row, text};
use crate::types::TypeId;
use crate::values::{Port, Value, VectorValue};
use crate::vm::{Engine, Outcome};

fn no(_: &mut Engine, _: &[Value]) -> Outcome<Value> {
    Ok(Value::Bool(false))
}

fn yes(_: &mut Engine, _: &[Value]) -> Outcome<Value> {
    Ok(Value::Bool(true))
}

fn zero(_: &mut Engine, _: &[Value]) -> Outcome<Value> {
    Ok(Value::Count(0))
}

fn nothing(_: &mut Engine, _: &[Value]) -> Outcome<Value> {
    Ok(Value::Unset)
}

fn empty(_: &mut Engine, _: &[Value]) -> Outcome<Value> {
    Ok(Value::string(""))
}

/// Answers with an empty container or a record of defaults of the declared type.
fn blank(engine: &mut Engine, _: &[Value]) -> Outcome<Value> {
    let name = engine.current_text().split('(').next().unwrap_or_default().trim().to_owned();
    let result = engine
        .program
        .function_named(&name)
        .and_then(|number| engine.program.functions.get(number as usize))
        .and_then(|function| engine.program.types.signature(function.ty))
        .map_or(TypeId::ANY, |signature| signature.result);
    Ok(engine.empty_value(result).unwrap_or_default())
}

/// Returns a record of statistics in which nothing was counted.
fn record(engine: &mut Engine, name: &str) -> Outcome<Value> {
    let answer = engine.record_of(name, &[]);
    let Value::Record(record) = &answer else { return Ok(answer) };
    let declared = engine.types().record(record.ty);
    let fields: Vec<(usize, TypeId)> = declared
        .into_iter()
        .flat_map(|declared| declared.fields.iter().map(|field| field.ty).enumerate())
        .collect();
    for (place, ty) in fields {
        let zero = match ty {
            TypeId::COUNT => Value::Count(0),
            TypeId::INTERVAL => Value::Interval(0.0),
            TypeId::DOUBLE => Value::Double(0.0),
            TypeId::TIME => Value::Time(0.0),
            _ => continue,
        };
        if !record.get(place).is_set() {
            record.set(place, zero);
        }
    }
    Ok(answer)
}

fn topic(engine: &mut Engine, prefix: &str, name: &str) -> Outcome<Value> {
    let prefix = engine.global(prefix).map(|value| value.text()).unwrap_or_default();
    Ok(Value::string(format!("{prefix}{name}")))
}

/// Returns an event with its arguments, as it would be published.
fn made_event(engine: &mut Engine, arguments: &[Value], ty: &str) -> Outcome<Value> {
    let Some((event, given)) = arguments.split_first() else { return Ok(Value::Unset) };
    if ty == "Broker::Event" {
        let name = Value::string(event.text());
        return Ok(engine.record_of(ty, &[("name", name)]));
    }
    let any = engine.program.types.vector(TypeId::ANY);
    let given = Value::Vector(Rc::new(VectorValue::new(any, given.to_vec())));
    Ok(engine.record_of(ty, &[("ev", event.clone()), ("args", given)]))
}

/// Built-in functions.
pub const ROWS: &[Builtin] = &[
    row("Broker::publish", "(va_args: any): bool", no),
    row("Cluster::publish", "(va_args: any): bool", no),
    row("Cluster::publish_hrw", "(va_args: any): bool", no),
    row("Cluster::publish_rr", "(va_args: any): bool", no),
    row("Cluster::make_event", "", |e, a| made_event(e, a, "Cluster::Event")),
    row("Broker::make_event", "", |e, a| made_event(e, a, "Broker::Event")),
    row("have_spicy", "(): bool", no),
    row("have_spicy_analyzers", "(): bool", no),
    row("Cluster::is_enabled", "", no),
    row("Cluster::init", "", no),
    row("Cluster::listen_websocket", "", no),
    row("Cluster::__listen_websocket", "", no),
    row("Cluster::Backend::__init", "", no),
    row("Cluster::subscribe", "", yes),
    row("Cluster::__subscribe", "", yes),
    row("Cluster::unsubscribe", "", yes),
    row("Cluster::__unsubscribe", "", yes),
    row("Cluster::log", "", nothing),
    row("Cluster::get_node_count", "", zero),
    row("Cluster::get_active_node_count", "", zero),
    row("Cluster::node_id", "", empty),
    row("Cluster::node_topic", "", |e, a| topic(e, "Cluster::node_topic_prefix", &text(a, 0))),
    row("Cluster::nodeid_topic", "", |e, a| topic(e, "Cluster::nodeid_topic_prefix", &text(a, 0))),
    row("Cluster::hrw_topic", "", empty),
    row("Cluster::rr_topic", "", empty),
    row("Cluster::rr_log_topic", "", empty),
    row("Cluster::publish_table", "", no),
    row("Cluster::__publish_table", "", no),
    row("Cluster::local_node_type", "", |e, _| Ok(e.program.enum_named("Cluster::NONE").unwrap_or_default())),
    row("Cluster::local_node_metrics_port", "", |_, _| {
        Ok(Port::parse("0/unknown").map_or(Value::Unset, Value::Port))
    }),
    row("Broker::listen", "", |_, _| Ok(Port::parse("0/unknown").map_or(Value::Unset, Value::Port))),
    row("Broker::peer", "", no),
    row("Broker::unpeer", "", no),
    row("Broker::is_outbound_peering", "", no),
    row("Broker::peers", "", |e, _| {
        let ty = e.program.type_named("Broker::PeerInfos").unwrap_or(TypeId::ANY);
        Ok(Value::Vector(Rc::new(VectorValue::new(ty, Vec::new()))))
    }),
    row("Broker::peering_stats", "", blank),
    row("Broker::node_id", "", empty),
    row("Broker::flush_logs", "", zero),
    row("Broker::__flush_logs", "", zero),
    row("Broker::forward", "", yes),
    row("Broker::subscribe", "", yes),
    row("Broker::unsubscribe", "", yes),
    row("Broker::publish_id", "", no),
    row("Broker::default_log_topic", "", |e, a| {
        let path = text(a, 1);
        topic(e, "Broker::default_log_topic_prefix", &path)
    }),
    row("Broker::log_topic", "", |e, a| {
        let path = text(a, 1);
        topic(e, "Broker::default_log_topic_prefix", &path)
    }),
    row("Supervisor::is_supervisor", "", no),
    row("Supervisor::__is_supervisor", "", no),
    row("Supervisor::is_supervised", "", no),
    row("Supervisor::__is_supervised", "", no),
    row("Supervisor::create", "", empty),
    row("Supervisor::__create", "", empty),
    row("Supervisor::destroy", "", no),
    row("Supervisor::__destroy", "", no),
    row("Supervisor::restart", "", no),
    row("Supervisor::__restart", "", no),
    row("Supervisor::status", "", |e, _| record(e, "Supervisor::Status")),
    row("Supervisor::__status", "", |e, _| record(e, "Supervisor::Status")),
    row("Supervisor::stem_pid", "", |_, _| Ok(Value::Int(-1))),
    row("Supervisor::__stem_pid", "", |_, _| Ok(Value::Int(-1))),
    row("PacketFilter::install", "", no),
    row("PacketFilter::register_filter_plugin", "", nothing),
    row("PacketFilter::exclude", "", no),
    row("PacketFilter::exclude_for", "", no),
    row("PacketFilter::remove_exclude", "", no),
    row("PacketFilter::combine_filters", "", |_, a| {
        Ok(Value::string(combine(&text(a, 0), &text(a, 1), &text(a, 2))))
    }),
    row("PacketFilter::port_to_bpf", "", |_, a| {
        let Value::Port(port) = argument(a, 0) else { return Ok(Value::string("")) };
        let word = port.word();
        let known = matches!(word, "tcp" | "udp");
        Ok(Value::string(if known { format!("{word} and port {}", port.number) } else { word.to_owned() }))
    }),
    row("PacketFilter::sampling_filter", "", |_, a| {
        let (parts, own) = (crate::builtins::count(a, 0), crate::builtins::count(a, 1));
        let sum = "(ip[14:2]+ip[18:2])";
        Ok(Value::string(format!("ip and ({sum} - ({parts}*({sum}/{parts})) == {own})")))
    }),
    row("get_broker_stats", "", |e, _| record(e, "BrokerStats")),
    row("get_conn_stats", "", |e, _| record(e, "ConnStats")),
    row("get_dns_stats", "", |e, _| record(e, "DNSStats")),
    row("get_file_analysis_stats", "", |e, _| record(e, "FileAnalysisStats")),
    row("get_gap_stats", "", |e, _| record(e, "GapStats")),
    row("get_matcher_stats", "", |e, _| record(e, "MatcherStats")),
    row("get_proc_stats", "", |e, _| record(e, "ProcStats")),
    row("get_reassembler_stats", "", |e, _| record(e, "ReassemblerStats")),
    row("get_reporter_stats", "", |e, _| record(e, "ReporterStats")),
    row("get_thread_stats", "", |e, _| record(e, "ThreadStats")),
    row("get_timer_stats", "", |e, _| record(e, "TimerStats")),
    row("get_event_stats", "", |e, _| record(e, "EventStats")),
    row("Spicy::resource_usage", "", |e, _| record(e, "Spicy::ResourceUsage")),
    row("Telemetry::counter_inc", "", yes),
    row("Telemetry::counter_set", "", yes),
    row("Telemetry::counter_family_inc", "", yes),
    row("Telemetry::counter_family_set", "", yes),
    row("Telemetry::gauge_inc", "", yes),
    row("Telemetry::gauge_dec", "", yes),
    row("Telemetry::gauge_set", "", yes),
    row("Telemetry::gauge_family_inc", "", yes),
    row("Telemetry::gauge_family_dec", "", yes),
    row("Telemetry::gauge_family_set", "", yes),
    row("Telemetry::histogram_observe", "", yes),
    row("Telemetry::histogram_family_observe", "", yes),
    row("Telemetry::listen_prometheus", "", no),
    row("Telemetry::counter_with", "", blank),
    row("Telemetry::gauge_with", "", blank),
    row("Telemetry::histogram_with", "", blank),
    row("Telemetry::register_counter_family", "", blank),
    row("Telemetry::register_gauge_family", "", blank),
    row("Telemetry::register_histogram_family", "", blank),
    row("Telemetry::collect_metrics", "", blank),
    row("Telemetry::collect_histogram_metrics", "", blank),
    // What is known of a tunnel ends with its connection.
    row("PacketAnalyzer::GTPV1::remove_gtpv1_connection", "", yes),
    row("PacketAnalyzer::TEREDO::remove_teredo_connection", "", yes),
    row("dump_rule_stats", "", yes),
    row("match_signatures", "", no),
    row("get_identifier_comments", "", empty),
    row("get_identifier_declaring_script", "", empty),
    row("get_package_readme", "", empty),
    row("get_record_field_comments", "", empty),
    row("get_record_field_declaring_script", "", empty),
    row("get_script_comments", "", empty),
];

/// Joins two filters of packets; one that is empty does not count.
fn combine(left: &str, operator: &str, right: &str) -> String {
    match (left.is_empty(), right.is_empty()) {
        (true, _) => right.to_owned(),
        (_, true) => left.to_owned(),
        _ => format!("({left}) {operator} ({right})"),
    }
}
