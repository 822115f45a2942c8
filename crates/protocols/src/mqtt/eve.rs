//! EVE records of type `mqtt`: an object for each message of a transaction.

use std::borrow::Cow;

use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Options, Transaction, downcast};
use weir_base::{JsonWriter, hex};

use super::content::{Connect, Content, Part, Payload, flag};
use super::header::kind;
use super::property::Property;
use super::transaction::{Message, MqttTransaction};

/// The record type.
pub static EVE: EveLog = EveLog::new("mqtt", LogDirection::Transaction, configure);

/// Bytes of a text that are shown, where nothing is said.
const TEXT_SHOWN: u64 = 1024;

#[derive(Debug)]
struct MqttWriter {
    passwords: bool,
    /// Bytes of a text that are shown, and of all topics of a message together.
    shown: usize,
}

fn configure(options: &dyn Options) -> Box<dyn EveWriter> {
    let shown = options.size("string-log-limit", TEXT_SHOWN);
    Box::new(MqttWriter {
        passwords: options.flag("passwords", true),
        shown: usize::try_from(shown).unwrap_or(usize::MAX),
    })
}

impl EveWriter for MqttWriter {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<MqttTransaction>(transaction) else { return false };
        for message in &tx.messages {
            if let Some(key) = key(message.header.kind) {
                json.nested(key, |json| self.message(message, json));
            }
        }
        true
    }
}

/// The name of a message's object.
const fn key(kind: u8) -> Option<&'static str> {
    Some(match kind {
        kind::CONNECT => "connect",
        kind::CONNACK => "connack",
        kind::PUBLISH => "publish",
        kind::PUBACK => "puback",
        kind::PUBREC => "pubrec",
        kind::PUBREL => "pubrel",
        kind::PUBCOMP => "pubcomp",
        kind::SUBSCRIBE => "subscribe",
        kind::SUBACK => "suback",
        kind::UNSUBSCRIBE => "unsubscribe",
        kind::UNSUBACK => "unsuback",
        kind::PINGREQ => "pingreq",
        kind::PINGRESP => "pingresp",
        kind::DISCONNECT => "disconnect",
        kind::AUTH => "auth",
        _ => return None,
    })
}

impl MqttWriter {
    fn message(&self, message: &Message, json: &mut JsonWriter<'_>) {
        let Message { header, payload, .. } = message;
        json.unsigned("qos", header.qos());
        json.boolean("retain", header.retain());
        json.boolean("dup", header.dup());
        match &payload.content {
            Content::Connect(connect) => self.connect(connect, payload, json),
            Content::Connack { session_present, return_code, properties } => {
                json.boolean("session_present", *session_present);
                json.unsigned("return_code", *return_code);
                self.properties(payload, *properties, json);
            }
            Content::Publish { topic, id, properties, message } => {
                self.text("topic", payload.bytes(*topic), json);
                json.optional_unsigned("message_id", *id);
                self.bytes("message", payload.bytes(*message), json);
                self.properties(payload, *properties, json);
            }
            Content::Acknowledgement { id, reason, properties } => {
                json.unsigned("message_id", *id);
                self.reason(*reason, payload, *properties, json);
            }
            Content::Subscribe { id, properties, topics } => {
                json.unsigned("message_id", *id);
                json.array("topics");
                let shown = topics.iter().map(|subscription| (subscription.topic, Some(subscription.qos)));
                self.topics(payload, shown, json);
                json.close_array();
                self.properties(payload, *properties, json);
            }
            Content::Unsubscribe { id, topics } => {
                json.unsigned("message_id", *id);
                json.array("topics");
                self.topics(payload, topics.iter().map(|topic| (*topic, None)), json);
                json.close_array();
            }
            Content::Granted { id, codes } => {
                json.unsigned("message_id", *id);
                codes_of(header.kind, payload.bytes(*codes), json);
            }
            Content::Reason { reason, properties } => self.reason(*reason, payload, *properties, json),
            Content::Truncated => {
                json.boolean("truncated", true);
                json.unsigned("skipped_length", header.length() as u64);
            }
            Content::Nothing => {}
        }
    }

    fn connect(&self, connect: &Connect, payload: &Payload, json: &mut JsonWriter<'_>) {
        self.text("protocol_string", payload.bytes(connect.protocol), json);
        json.unsigned("protocol_version", connect.version);
        self.text("client_id", payload.bytes(connect.client), json);
        json.object("flags");
        for (name, bit) in flag::NAMES {
            json.boolean(name, u64::from(connect.flags) & bit != 0);
        }
        json.close_object();
        if let Some(username) = connect.username {
            self.text("username", payload.bytes(username), json);
        }
        if let Some(password) = connect.password.filter(|_| self.passwords) {
            self.bytes("password", payload.bytes(password), json);
        }
        if let Some(will) = connect.will {
            json.object("will");
            self.text("topic", payload.bytes(will.topic), json);
            self.bytes("message", payload.bytes(will.message), json);
            self.properties(payload, will.properties, json);
            json.close_object();
        }
        self.properties(payload, connect.properties, json);
    }

    fn reason(&self, reason: Option<u8>, payload: &Payload, properties: Part, json: &mut JsonWriter<'_>) {
        json.optional_unsigned("reason_code", reason);
        self.properties(payload, properties, json);
    }

    /// As many of the topics as are shown, the last one perhaps cut.
    fn topics(
        &self,
        payload: &Payload,
        topics: impl Iterator<Item = (Part, Option<u8>)>,
        json: &mut JsonWriter<'_>,
    ) {
        let mut left = self.shown;
        for (topic, qos) in topics {
            if left == 0 {
                break;
            }
            let topic = String::from_utf8_lossy(payload.bytes(topic));
            let shown = cut(topic.as_bytes(), left);
            match qos {
                Some(qos) => {
                    json.open_object();
                    json.string("topic", &*shown);
                    json.unsigned("qos", qos);
                    json.close_object();
                }
                None => json.push_string(&*shown),
            }
            left = left.saturating_sub(topic.len());
        }
    }

    fn properties(&self, payload: &Payload, part: Part, json: &mut JsonWriter<'_>) {
        if part.is_empty() {
            return;
        }
        json.object("properties");
        for property in payload.properties(part) {
            match property {
                Property::Number(name, number) => json.unsigned(name, number),
                Property::Text(name, text) => self.text(name, text, json),
                Property::Binary(name, bytes) => self.bytes(name, bytes, json),
                Property::User(name, text) => self.text(&String::from_utf8_lossy(name), text, json),
                Property::Unknown => {}
            }
        }
        json.close_object();
    }

    /// Text: what is not UTF-8 in it is replaced.
    fn text(&self, key: &str, text: &[u8], json: &mut JsonWriter<'_>) {
        self.bytes(key, String::from_utf8_lossy(text).as_bytes(), json);
    }

    /// Any bytes: where they are not UTF-8 as a whole, each that is not ASCII stands for itself.
    fn bytes(&self, key: &str, bytes: &[u8], json: &mut JsonWriter<'_>) {
        let shown = cut(bytes, self.shown);
        if std::str::from_utf8(&shown).is_ok() {
            return json.string(key, &*shown);
        }
        let mut escaped = Vec::with_capacity(shown.len());
        for byte in shown.iter() {
            match byte {
                0x80.. => {
                    escaped.extend_from_slice(b"\\x");
                    escaped.extend_from_slice(&hex::digits(*byte));
                }
                _ => escaped.push(*byte),
            }
        }
        json.string(key, escaped);
    }
}

/// Writes the reason code of each topic.
fn codes_of(kind: u8, codes: &[u8], json: &mut JsonWriter<'_>) {
    let key = if kind == kind::SUBACK { "qos_granted" } else { "reason_codes" };
    if kind != kind::SUBACK && codes.is_empty() {
        return;
    }
    json.array(key);
    for code in codes {
        json.push_unsigned(*code);
    }
    json.close_array();
}

/// The first `most` bytes, and how many follow them.
fn cut(bytes: &[u8], most: usize) -> Cow<'_, [u8]> {
    match bytes.split_at_checked(most) {
        Some((shown, left)) if !left.is_empty() => {
            Cow::Owned([shown, format!("[truncated {} additional bytes]", left.len()).as_bytes()].concat())
        }
        _ => Cow::Borrowed(bytes),
    }
}
