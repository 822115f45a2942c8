//! EVE records of type `sip`.

use weir_applayer::{EveLog, LogDirection, eve};
use weir_base::JsonWriter;

use super::sdp::{Description, Line, Section};
use super::transaction::SipTransaction;

/// The record type.
pub static EVE: EveLog = EveLog::new("sip", LogDirection::Packet, |_| eve::writer(write));

fn write(tx: &SipTransaction, json: &mut JsonWriter<'_>) -> bool {
    let (keys, line) = if tx.is_request() {
        (["method", "uri", "version"], "request_line")
    } else {
        (["version", "code", "reason"], "response_line")
    };
    for (key, part) in keys.into_iter().zip(tx.head.parts()) {
        json.string(key, part);
    }
    json.string(line, tx.head.start_line());
    if let Some(description) = &tx.description {
        json.nested("sdp", |json| session(description, json));
    }
    true
}

fn session(description: &Description, json: &mut JsonWriter<'_>) {
    let section = description.session();
    let lines = |lines: &[(&str, Line)], json: &mut JsonWriter<'_>| {
        for &(key, line) in lines {
            json.optional_string(key, description.one(section, line));
        }
    };
    lines(
        &[
            ("origin", Line::Origin),
            ("session_name", Line::SessionName),
            ("session_info", Line::Info),
            ("uri", Line::Uri),
            ("email", Line::Email),
            ("phone_number", Line::PhoneNumber),
            ("connection_data", Line::ConnectionData),
        ],
        json,
    );
    json.some_strings("bandwidths", description.bandwidths(section));
    let mut times = description.times().peekable();
    if times.peek().is_some() {
        json.objects("time_descriptions", times, |json, (time, repeat)| {
            json.string("time", time);
            json.optional_string("repeat_time", repeat);
        });
    }
    lines(&[("timezone", Line::Timezone), ("encryption_key", Line::EncryptionKey)], json);
    json.some_strings("attributes", description.attributes(section));
    if !description.media().is_empty() {
        json.objects("media_descriptions", description.media(), |json, section| {
            medium(description, section, json);
        });
    }
}

fn medium(description: &Description, section: &Section, json: &mut JsonWriter<'_>) {
    json.optional_string("media", description.one(section, Line::Media));
    json.optional_string("media_info", description.one(section, Line::Info));
    json.some_strings("bandwidths", description.bandwidths(section));
    json.optional_string("connection_data", description.one(section, Line::ConnectionData));
    json.optional_string("encryption_key", description.one(section, Line::EncryptionKey));
    json.some_strings("attributes", description.attributes(section));
}
