//! EVE records of type `http` with `version` 2.

use weir_applayer::{EveLog, LogDirection, eve};
use weir_base::{Direction, JsonWriter};

use super::frame::ERRORS;
use super::hpack::Item;
use super::setting;
use super::transaction::{Http2Transaction, Message};

/// The record type.
pub static EVE: EveLog =
    EveLog { other_entries: &["http2"], ..EveLog::new("http", LogDirection::Flow, |_| eve::writer(write)) };

/// Writes the object of a stream, where there is anything to say of it.
pub(super) fn write(tx: &Http2Transaction, json: &mut JsonWriter<'_>) -> bool {
    let (request, response) = (&tx.messages.to_server, &tx.messages.to_client);
    if ![request, response].into_iter().any(has_news) {
        return false;
    }
    json.string("version", "2");
    write_headers(json, "request_headers", request);
    write_headers(json, "response_headers", response);
    write_common(tx, json);
    json.object("http2");
    json.unsigned("stream_id", tx.stream);
    for (key, message) in [("request", request), ("response", response)] {
        json.nested(key, |json| write_frames(message, json));
    }
    json.close_object();
    true
}

/// Whether a side said something that records show.
fn has_news(message: &Message) -> bool {
    message.has_headers
        || message.controls().is_some_and(|controls| {
            !controls.settings.is_empty() || !controls.errors.is_empty() || !controls.priorities.is_empty()
        })
}

fn write_headers(json: &mut JsonWriter<'_>, key: &str, message: &Message) {
    if !message.has_headers {
        return;
    }
    json.array(key);
    let mut asides = message.asides().iter().peekable();
    for (index, field) in message.fields.iter().enumerate() {
        while let Some((_, item)) = asides.next_if(|(before, _)| *before <= index) {
            write_aside(item, json);
        }
        json.open_object();
        json.string("name", &*field.name);
        json.string("value", &*field.value);
        json.close_object();
    }
    for (_, item) in asides {
        write_aside(item, json);
    }
    json.close_array();
}

fn write_aside(item: &Item, json: &mut JsonWriter<'_>) {
    json.open_object();
    match item {
        Item::SizeUpdate(size) => json.unsigned("table_size_update", *size),
        Item::Wrong(error) => json.string("error", error.name()),
        Item::Field(_) => {}
    }
    json.close_object();
}

/// Writes the keys of HTTP/1's records. A pushed request is in what the server says.
fn write_common(tx: &Http2Transaction, json: &mut JsonWriter<'_>) {
    let last = |name: &[u8]| {
        let sides = [Direction::ToClient, Direction::ToServer].into_iter();
        sides.filter_map(|direction| tx.messages[direction].values(name).last()).next()
    };
    let host = last(b"host").or_else(|| last(b":authority"));
    for (key, value) in [
        ("http_method", last(b":method")),
        ("url", last(b":path")),
        ("hostname", host),
        ("http_user_agent", last(b"user-agent")),
    ] {
        json.optional_string(key, value);
    }
    for (key, name) in [("length", &b"content-length"[..]), ("status", b":status")] {
        let number = last(name).and_then(|value| std::str::from_utf8(value).ok()?.parse::<u64>().ok());
        json.optional_unsigned(key, number);
    }
}

/// A name as records have it: `NO_ERROR` is `NOERROR`.
fn without_lines(name: &str) -> String {
    name.replace('_', "")
}

fn write_frames(message: &Message, json: &mut JsonWriter<'_>) {
    let Some(controls) = message.controls() else { return };
    if !controls.settings.is_empty() {
        json.array("settings");
        for (number, value) in &controls.settings {
            let known = setting::NAMES.iter().find(|(_, known)| known == number);
            let name = known.map_or_else(|| format!("SETTINGS{number}"), |(name, _)| without_lines(name));
            json.open_object();
            json.string("settings_id", name);
            json.unsigned("settings_value", *value);
            json.close_object();
        }
        json.close_array();
    }
    if let Some(&error) = controls.errors.first() {
        let known = ERRORS.iter().find(|(_, number)| *number == u64::from(error));
        json.string("error_code", known.map_or_else(|| error.to_string(), |(name, _)| without_lines(name)));
    }
    json.optional_unsigned("priority", controls.priorities.first().copied());
    if controls.errors.len() > 1 {
        json.string("has_multiple", "error_code");
    } else if controls.priorities.len() > 1 {
        json.string("has_multiple", "priority");
    }
}
