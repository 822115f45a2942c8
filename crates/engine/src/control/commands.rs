//! The commands of the control socket.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Map, Value, json};
use weir_base::Duration;
use weir_detect::dataset::{Addition, DataKind, Dataset};
use weir_detect::names::{NameId, NameKind};
use weir_detect::state::shared_bits::Owner;
use weir_output::record::DetectEngine;
use weir_output::timestamp::TimeWriter;

use super::counters;
use super::dialogue::{Answer, Reply, Request};
use crate::live::Listeners;
use crate::reload::Reloads;
use crate::run::{Engine, wall_clock};
use crate::statistics::Statistics;
use crate::stats::Totals;

/// Version that clients look for before they send commands.
const VERSION: &str = "8.0.7 RELEASE";

/// Most rules that are named of those that cannot be used.
const MAX_FAILED: usize = 21;

/// Parts of a run that commands are about.
pub(crate) struct Context<'a, 's> {
    pub(crate) engine: &'a mut Engine,
    pub(crate) reopen: &'a dyn Fn(),
    pub(crate) listeners: &'a mut Listeners,
    pub(crate) statistics: &'a mut Statistics<'s>,
    pub(crate) reloads: &'a mut Reloads,
}

/// A command. Those with arguments are not answered without an object of them.
struct Command {
    name: &'static str,
    /// Names of its arguments, which are texts; those that end in [`INTEGER`] are integers.
    arguments: &'static [&'static str],
    answer: fn(&mut Context<'_, '_>, &[&str]) -> Answer,
}

/// End of the name of an argument that is an integer.
const INTEGER: &str = ":int";

const COMMANDS: &[Command] = &[
    Command { name: "shutdown", arguments: &[], answer: shutdown },
    Command { name: "command-list", arguments: &[], answer: list },
    Command { name: "help", arguments: &[], answer: list },
    Command { name: "version", arguments: &[], answer: |_, _| Ok(VERSION.into()) },
    Command { name: "uptime", arguments: &[], answer: |context, _| Ok(context.statistics.uptime().into()) },
    Command { name: "running-mode", arguments: &[], answer: |_, _| Ok("workers".into()) },
    Command { name: "capture-mode", arguments: &[], answer: |_, _| Ok("AF_PACKET_DEV".into()) },
    Command { name: "conf-get", arguments: &["variable"], answer: setting },
    Command { name: "dump-counters", arguments: &[], answer: all_counters },
    Command { name: "reopen-log-files", arguments: &[], answer: reopen },
    Command { name: "reload-rules", arguments: &[], answer: reload },
    Command { name: "ruleset-reload-rules", arguments: &[], answer: reload },
    Command { name: "ruleset-reload-nonblocking", arguments: &[], answer: begin_reload },
    Command { name: "ruleset-stats", arguments: &[], answer: rule_counts },
    Command { name: "ruleset-failed-rules", arguments: &[], answer: failed_rules },
    Command { name: "ruleset-reload-time", arguments: &[], answer: load_time },
    Command { name: "memcap-show", arguments: &["config"], answer: memcap },
    Command { name: "memcap-list", arguments: &[], answer: memcaps },
    Command { name: "dataset-add", arguments: &["setname", "settype", "datavalue"], answer: add_data },
    Command { name: "dataset-remove", arguments: &["setname", "settype", "datavalue"], answer: remove_data },
    Command { name: "dataset-lookup", arguments: &["setname", "settype", "datavalue"], answer: find_data },
    Command { name: "dataset-clear", arguments: &["setname", "settype"], answer: clear_data },
    Command { name: "dataset-dump", arguments: &[], answer: save_data },
    Command { name: "add-hostbit", arguments: &["ipaddress", "hostbit", "expire:int"], answer: add_host_bit },
    Command { name: "remove-hostbit", arguments: &["ipaddress", "hostbit"], answer: remove_host_bit },
    Command { name: "list-hostbit", arguments: &["ipaddress"], answer: host_bits },
    Command { name: "iface-stat", arguments: &["iface"], answer: interface_counts },
    Command { name: "iface-list", arguments: &[], answer: interfaces },
    Command { name: "iface-bypassed-stat", arguments: &[], answer: bypassed },
    Command { name: "ebpf-bypassed-stat", arguments: &[], answer: bypassed },
];

/// Answers a request.
pub(crate) fn answer(request: &Request, context: &mut Context<'_, '_>) -> Reply {
    let Some(command) = COMMANDS.iter().find(|command| command.name == request.command) else {
        return Reply::Answer(Err("Unknown command".into()));
    };
    if command.arguments.is_empty() {
        return Reply::Answer((command.answer)(context, &[]));
    }
    let Some(given) = &request.arguments else { return Reply::HangUp };
    let mut texts = Vec::new();
    for argument in command.arguments {
        let (name, kind) = match argument.strip_suffix(INTEGER) {
            Some(name) => (name, "an integer"),
            None => (*argument, "a string"),
        };
        match given.get(name) {
            Some(Value::String(text)) if name == *argument => texts.push(text.clone()),
            Some(value) if name != *argument && value.is_i64() => texts.push(value.to_string()),
            _ => return Reply::Answer(Err(format!("{name} is not {kind}").into())),
        }
    }
    let arguments: Vec<&str> = texts.iter().map(String::as_str).collect();
    Reply::Answer((command.answer)(context, &arguments))
}

fn shutdown(context: &mut Context<'_, '_>, _: &[&str]) -> Answer {
    context.engine.requests.stop.store(true, Ordering::Relaxed);
    Ok("Closing Suricata".into())
}

fn list(_: &mut Context<'_, '_>, _: &[&str]) -> Answer {
    let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
    Ok(json!({"count": names.len(), "commands": names}))
}

fn setting(context: &mut Context<'_, '_>, arguments: &[&str]) -> Answer {
    let [name] = arguments else { return Err(Value::Null) };
    match context.engine.settings.lookup(name) {
        None => Err("Unable to get value".into()),
        Some(node) => node.value().map(Value::from).ok_or_else(|| "No string value".into()),
    }
}

fn all_counters(context: &mut Context<'_, '_>, _: &[&str]) -> Answer {
    if !context.statistics.are_kept() {
        return Err("stats are disabled in the config".into());
    }
    let each = totals(context).ok_or("stats not yet synchronized")?;
    Ok(counters::object(&context.statistics.report_now(each).record()))
}

/// The counters of each thread; none where one does not answer in time.
fn totals(context: &mut Context<'_, '_>) -> Option<Vec<Totals>> {
    context.listeners.totals_now()
}

fn reopen(context: &mut Context<'_, '_>, _: &[&str]) -> Answer {
    context.engine.log.reopen();
    (context.reopen)();
    context.engine.log.notice("suricata", "logs are opened anew");
    Ok("done".into())
}

/// Begins to load rules again.
fn begin_reload(context: &mut Context<'_, '_>, _: &[&str]) -> Answer {
    if context.reloads.is_under_way() {
        return Err("Reload already in progress".into());
    }
    context.reloads.begin(context.engine)?;
    Ok("done".into())
}

/// Loads rules again, and waits until all workers have them.
fn reload(context: &mut Context<'_, '_>, arguments: &[&str]) -> Answer {
    let begun = begin_reload(context, arguments)?;
    context.reloads.finish(context.engine, context.listeners, context.statistics)?;
    Ok(begun)
}

fn rule_counts(context: &mut Context<'_, '_>, _: &[&str]) -> Answer {
    let DetectEngine { id, rules_loaded, rules_failed, rules_skipped, .. } = context.engine.detect_engine();
    let counts =
        [("rules_loaded", rules_loaded), ("rules_failed", rules_failed), ("rules_skipped", rules_skipped)];
    let mut engine: Map<String, Value> =
        counts.map(|(name, count)| (name.to_owned(), count.into())).into_iter().collect();
    engine.insert("id".to_owned(), id.into());
    Ok(json!([engine]))
}

fn failed_rules(context: &mut Context<'_, '_>, _: &[&str]) -> Answer {
    let failures = context.engine.rules().failures.iter().take(MAX_FAILED);
    let described = failures.map(|failure| {
        json!({
            "tenant_id": 0,
            "rule": &*failure.text,
            "filename": &*failure.file,
            "line": failure.line,
            "error": failure.message,
        })
    });
    Ok(Value::Array(described.collect()))
}

fn load_time(context: &mut Context<'_, '_>, _: &[&str]) -> Answer {
    let mut text = Vec::new();
    let DetectEngine { id, loaded_at, .. } = context.engine.detect_engine();
    TimeWriter::default().iso(&mut text, loaded_at);
    Ok(json!([{"id": id, "last_reload": String::from_utf8_lossy(&text)}]))
}

/// Memories by their names here: the section and the key of their limit, and the limit where none is written.
const MEMCAPS: &[(&str, &str, &str, u64)] = &[
    ("stream", "stream", "memcap", 64 << 20),
    ("stream-reassembly", "stream.reassembly", "memcap", 256 << 20),
    ("flow", "flow", "memcap", 128 << 20),
    ("applayer-proto-http", "app-layer.protocols.http", "memcap", 0),
    ("applayer-proto-http-byterange", "app-layer.protocols.http.byterange", "memcap", 100 << 20),
    ("defrag", "defrag", "memcap", 32 << 20),
    ("ippair", "ippair", "memcap", 16 << 20),
    ("host", "host", "memcap", 32 << 20),
    ("ftp", "app-layer.protocols.ftp", "memcap", 0),
];

fn memcap_text(context: &Context<'_, '_>, section: &str, key: &str, default: u64) -> String {
    let bytes = context.engine.settings.section(section).size(key, default).unwrap_or(default);
    let units = [("gb", 30), ("mb", 20), ("kb", 10)];
    match units.iter().find(|(_, shift)| bytes > 0 && bytes.is_multiple_of(1 << shift)) {
        _ if bytes == 0 => "unlimited".to_owned(),
        Some((unit, shift)) => format!("{}{unit}", bytes >> shift),
        None => bytes.to_string(),
    }
}

fn memcap(context: &mut Context<'_, '_>, arguments: &[&str]) -> Answer {
    let [name] = arguments else { return Err(Value::Null) };
    let found = MEMCAPS.iter().find(|(known, ..)| known == name);
    let (_, section, key, default) = found.ok_or("Memcap value not found. Use 'memcap-list' to show all")?;
    Ok(json!({"value": memcap_text(context, section, key, *default)}))
}

fn memcaps(context: &mut Context<'_, '_>, _: &[&str]) -> Answer {
    let all = MEMCAPS.iter().map(|(name, section, key, default)| {
        json!({"name": name, "value": memcap_text(context, section, key, *default)})
    });
    Ok(Value::Array(all.collect()))
}

/// The set that two arguments name.
fn set(context: &Context<'_, '_>, name: &str, kind: &str) -> Result<Arc<Dataset>, Value> {
    let kind = DataKind::named(kind).ok_or("unknown settype")?;
    context.engine.ruleset().datasets.named(name, kind).ok_or_else(|| "set not found or wrong type".into())
}

fn add_data(context: &mut Context<'_, '_>, arguments: &[&str]) -> Answer {
    let [name, kind, text] = arguments else { return Err(Value::Null) };
    let set = set(context, name, kind)?;
    let value = set.read(text).map_err(|_| "failed to add data")?;
    if set.find(&value).is_some() {
        return Ok("data already in set".into());
    }
    match set.add(&value, 0) {
        Addition::New => Ok("data added".into()),
        Addition::Refused | Addition::NoRoom => Err("failed to add data".into()),
    }
}

fn remove_data(context: &mut Context<'_, '_>, arguments: &[&str]) -> Answer {
    let [name, kind, text] = arguments else { return Err(Value::Null) };
    let set = set(context, name, kind)?;
    let value = set.read(text).map_err(|_| "failed to remove data")?;
    if set.remove(&value) { Ok("data removed".into()) } else { Err("failed to remove data".into()) }
}

fn find_data(context: &mut Context<'_, '_>, arguments: &[&str]) -> Answer {
    let [name, kind, text] = arguments else { return Err(Value::Null) };
    let set = set(context, name, kind)?;
    let value = set.read(text).map_err(|_| "item not found in set")?;
    if set.find(&value).is_some() {
        Ok("item found in set".into())
    } else {
        Err("item not found in set".into())
    }
}

fn clear_data(context: &mut Context<'_, '_>, arguments: &[&str]) -> Answer {
    let [name, kind] = arguments else { return Err(Value::Null) };
    set(context, name, kind)?.clear();
    Ok("dataset cleared".into())
}

fn save_data(context: &mut Context<'_, '_>, _: &[&str]) -> Answer {
    for sentence in context.engine.ruleset().datasets.save() {
        context.engine.log.error("datasets", &sentence);
    }
    Ok("datasets dump done".into())
}

/// The bits of an address, which rules may set as well.
fn owner(address: &str) -> Result<Owner, Value> {
    address.parse().map(Owner::Address).map_err(|_| "invalid ipaddress value".into())
}

/// A bit that some rule knows.
fn host_bit(context: &Context<'_, '_>, name: &str) -> Result<NameId, Value> {
    let rules = context.engine.ruleset();
    let known = rules.names.iter().find(|(_, kind, known)| *kind == NameKind::HostBit && *known == name);
    known.map(|(id, ..)| id).ok_or_else(|| "hostbit not found".into())
}

fn add_host_bit(context: &mut Context<'_, '_>, arguments: &[&str]) -> Answer {
    let [address, name, seconds] = arguments else { return Err(Value::Null) };
    let (owner, bit) = (owner(address)?, host_bit(context, name)?);
    let seconds: u64 = seconds.parse().map_err(|_| "expire is below zero")?;
    let bits = context.engine.ruleset().name_table.shared_bits();
    match bits.set(bit, owner, wall_clock(), Duration::from_secs(seconds)) {
        true => Ok("hostbit added".into()),
        false => Err("there are too many hostbits".into()),
    }
}

fn remove_host_bit(context: &mut Context<'_, '_>, arguments: &[&str]) -> Answer {
    let [address, name] = arguments else { return Err(Value::Null) };
    let (owner, bit) = (owner(address)?, host_bit(context, name)?);
    let bits = context.engine.ruleset().name_table.shared_bits();
    if !bits.is_set(bit, owner, wall_clock()) {
        return Err("host not found".into());
    }
    bits.clear(bit, owner);
    Ok("hostbit removed".into())
}

/// The bits of an address, with the seconds that they have left.
fn host_bits(context: &mut Context<'_, '_>, arguments: &[&str]) -> Answer {
    let [address] = arguments else { return Err(Value::Null) };
    let owner = owner(address)?;
    let (rules, now) = (context.engine.ruleset(), wall_clock());
    let bits = rules.name_table.shared_bits();
    let kept = rules.names.iter().filter(|(_, kind, _)| *kind == NameKind::HostBit);
    let set: Vec<Value> = kept
        .filter_map(|(id, _, name)| {
            let left = bits.time_left(id, owner, now)?;
            Some(json!({"name": name, "expire": left.as_secs()}))
        })
        .collect();
    Ok(json!({"count": set.len(), "hostbits": set}))
}

fn interfaces(context: &mut Context<'_, '_>, _: &[&str]) -> Answer {
    let names = context.listeners.interface_names();
    Ok(json!({"count": names.len(), "ifaces": names}))
}

fn interface_counts(context: &mut Context<'_, '_>, arguments: &[&str]) -> Answer {
    let [name] = arguments else { return Err(Value::Null) };
    if !context.listeners.interface_names().iter().any(|known| known == name) {
        return Err("Iface does not exist".into());
    }
    let each = totals(context).ok_or("stats not yet synchronized")?;
    let mut of_interface = Totals::default();
    let own = context.listeners.interfaces().zip(&each).filter(|(interface, _)| interface == name);
    own.for_each(|(_, totals)| of_interface.merge(totals));
    Ok(json!({
        "pkts": of_interface.value("capture.kernel_packets"),
        "invalid-checksums": of_interface.value("tcp.invalid_checksum"),
        "drop": of_interface.value("capture.kernel_drops"),
        "bypassed": of_interface.value("flow_bypassed.local_capture_pkts"),
    }))
}

fn bypassed(_: &mut Context<'_, '_>, _: &[&str]) -> Answer {
    Err("Bypass not enabled".into())
}
