//! EVE records of type `sip`.

use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Transaction, downcast};
use weir_base::JsonWriter;

use super::sdp::{Description, Line, Section};
use super::transaction::SipTransaction;

/// The record type.
pub static EVE: EveLog = EveLog::new("sip", LogDirection::Packet, |_| Box::new(SipWriter));

#[derive(Debug)]
struct SipWriter;

impl EveWriter for SipWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<SipTransaction>(transaction) else { return false };
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
            json.object("sdp");
            session(description, json);
            json.close_object();
        }
        true
    }
}

fn session(description: &Description, json: &mut JsonWriter<'_>) {
    let section = description.session();
    let lines = |lines: &[(&str, Line)], json: &mut JsonWriter<'_>| {
        for &(key, line) in lines {
            one(key, description.one(section, line), json);
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
    many("bandwidths", description.bandwidths(section), json);
    let mut times = description.times().peekable();
    if times.peek().is_some() {
        json.array("time_descriptions");
        for (time, repeat) in times {
            json.open_object();
            json.string("time", time);
            one("repeat_time", repeat, json);
            json.close_object();
        }
        json.close_array();
    }
    lines(&[("timezone", Line::Timezone), ("encryption_key", Line::EncryptionKey)], json);
    many("attributes", description.attributes(section), json);
    if !description.media().is_empty() {
        json.array("media_descriptions");
        for section in description.media() {
            json.open_object();
            medium(description, section, json);
            json.close_object();
        }
        json.close_array();
    }
}

fn medium(description: &Description, section: &Section, json: &mut JsonWriter<'_>) {
    one("media", description.one(section, Line::Media), json);
    one("media_info", description.one(section, Line::Info), json);
    many("bandwidths", description.bandwidths(section), json);
    one("connection_data", description.one(section, Line::ConnectionData), json);
    one("encryption_key", description.one(section, Line::EncryptionKey), json);
    many("attributes", description.attributes(section), json);
}

fn one(key: &str, value: Option<&[u8]>, json: &mut JsonWriter<'_>) {
    if let Some(value) = value {
        json.string(key, value);
    }
}

fn many<'a>(key: &str, values: impl Iterator<Item = &'a [u8]>, json: &mut JsonWriter<'_>) {
    let mut values = values.peekable();
    if values.peek().is_some() {
        json.array(key);
        values.for_each(|value| json.push_string(value));
        json.close_array();
    }
}
