//! Commands about limits of memories.

use std::sync::Arc;

use serde_json::{Value, json};
use weir_config::value::size;

use super::arguments::Arguments;
use super::{Answer, Context, Run};
use crate::memories::{Bound, Memory};

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

/// The memories among them whose limits can be changed.
const CHANGEABLE: &[(&str, Memory)] = &[
    ("stream", Memory::Stream),
    ("stream-reassembly", Memory::Reassembly),
    ("flow", Memory::Flow),
    ("defrag", Memory::Defrag),
];

const NOT_FOUND: &str = "Memcap value not found. Use 'memcap-list' to show all";

/// Writes a limit as users do.
fn text(bytes: u64) -> String {
    let units = [("gb", 30), ("mb", 20), ("kb", 10)];
    match units.iter().find(|(_, shift)| bytes > 0 && bytes.is_multiple_of(1 << shift)) {
        _ if bytes == 0 => "unlimited".to_owned(),
        Some((unit, shift)) => format!("{}{unit}", bytes >> shift),
        None => bytes.to_string(),
    }
}

/// The limit of a memory, as it is now.
fn limit(context: &Context<'_, '_>, (name, section, key, default): &(&str, &str, &str, u64)) -> u64 {
    match CHANGEABLE.iter().find(|(known, _)| known == name) {
        Some((_, memory)) => Bound::of(*memory, &context.engine.as_asked).bytes,
        None => context.engine.settings.section(section).size(key, *default).unwrap_or(*default),
    }
}

pub(super) fn memcap(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let name = arguments.text("config");
    let found = MEMCAPS.iter().find(|(known, ..)| *known == name).ok_or(NOT_FOUND)?;
    Ok(json!({"value": text(limit(context, found))}))
}

pub(super) fn memcaps(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    let all = MEMCAPS.iter().map(|memory| json!({"name": memory.0, "value": text(limit(context, memory))}));
    Ok(Value::Array(all.collect()))
}

/// Changes a limit: of those that listen at once, of captures that are handed in from the next one on.
pub(super) fn set_memcap(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let name = arguments.text("config");
    if !MEMCAPS.iter().any(|(known, ..)| *known == name) {
        return Err(NOT_FOUND.into());
    }
    let bytes = match arguments.text("memcap") {
        "unlimited" => 0,
        text => size(text).ok_or("error parsing memcap specified, value not changed")?,
    };
    let found = CHANGEABLE.iter().find(|(known, _)| *known == name);
    let (_, memory) =
        found.ok_or_else(|| format!("The memcap of '{name}' is that of the start: it cannot be changed"))?;
    if bytes == 0 && !memory.may_be_unlimited() {
        return Err(format!("Unlimited value is not allowed for '{name}'").into());
    }
    let bound = Bound { memory: *memory, bytes };
    if let Run::Live(live) = &mut context.run {
        let each = live.listeners.totals_now().ok_or("stats not yet synchronized")?;
        let used: u64 = each.iter().map(|totals| memory.used(totals)).sum();
        if bytes > 0 && bytes < used {
            let what = format!("memcap value specified for '{name}' is less than the memory in use");
            return Err(format!("{what}: {bytes} < {used}").into());
        }
        live.listeners.set_bound(bound);
        live.statistics.set_bound(bound);
    }
    bound.set(Arc::make_mut(&mut context.engine.as_asked));
    let told = if bytes == 0 { "(unlimited)".to_owned() } else { bytes.to_string() };
    context.engine.log.notice("unix-manager", &format!("memcap of {name}: {told}"));
    Ok(format!("memcap value for '{name}' updated: {told} ").into())
}
