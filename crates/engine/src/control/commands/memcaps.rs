//! Commands about limits of memories.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::{Answer, Context};

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

pub(super) fn memcap(context: &mut Context<'_, '_>, arguments: &Arguments<'_>) -> Answer {
    let name = arguments.text("config");
    let found = MEMCAPS.iter().find(|(known, ..)| *known == name);
    let (_, section, key, default) = found.ok_or("Memcap value not found. Use 'memcap-list' to show all")?;
    Ok(json!({"value": memcap_text(context, section, key, *default)}))
}

pub(super) fn memcaps(context: &mut Context<'_, '_>, _: &Arguments<'_>) -> Answer {
    let all = MEMCAPS.iter().map(|(name, section, key, default)| {
        json!({"name": name, "value": memcap_text(context, section, key, *default)})
    });
    Ok(Value::Array(all.collect()))
}
