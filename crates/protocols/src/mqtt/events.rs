//! Events of MQTT for scripts, an event for each message by its kind.

use std::collections::BTreeMap;

use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::{Direction, EventValue};

use super::content::{Connect, Content, Payload, flag};
use super::header::kind;
use super::transaction::{Message, MqttTransaction};

/// The events stand by the number of their kind.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/mqtt/main",
    bodies: None,
    names: &[
        "",
        "mqtt_connect",
        "mqtt_connack",
        "mqtt_publish",
        "mqtt_puback",
        "mqtt_pubrec",
        "mqtt_pubrel",
        "mqtt_pubcomp",
        "mqtt_subscribe",
        "mqtt_suback",
        "mqtt_unsubscribe",
        "mqtt_unsuback",
        "mqtt_pingreq",
        "mqtt_pingresp",
        "mqtt_disconnect",
    ],
    open: || Box::<MqttRaiser>::default(),
};

/// The setting of how much of what is published is shown, and its value where none is set.
pub(super) const MOST_SHOWN: &str = "MQTT::max_payload_size";
pub(super) const PAYLOAD_SHOWN: u64 = 100;

#[derive(Debug, Default)]
struct MqttRaiser {
    /// Messages of transactions that go on of which scripts know.
    told: BTreeMap<u64, usize>,
}

impl EventRaiser for MqttRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<MqttTransaction>() else { return };
        let told = self.told.remove(&tx.meta.id).unwrap_or_default();
        for message in tx.messages.iter().skip(told) {
            raise(message, sink);
        }
        if !news.complete {
            self.told.insert(tx.meta.id, tx.messages.len());
        }
    }
}

fn raise(message: &Message, sink: &mut dyn EventSink) {
    let event = usize::from(message.header.kind);
    if !sink.wants(event) {
        return;
    }
    let (c, is_orig) = (EventValue::Connection, EventValue::Bool(message.direction == Direction::ToServer));
    let payload = &message.payload;
    match &payload.content {
        Content::Connect(connect) => sink.raise(event, &[c, EventValue::Record(&opened(connect, payload))]),
        Content::Connack { session_present, return_code, .. } => {
            let fields = [(*return_code).into(), EventValue::Bool(*session_present)];
            sink.raise(event, &[c, EventValue::Record(&fields)]);
        }
        Content::Publish { topic, id, message: published, .. } => {
            let most = sink.count(MOST_SHOWN).unwrap_or(PAYLOAD_SHOWN);
            let published = payload.bytes(*published);
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            let fields = [
                EventValue::Bool(message.header.dup()),
                message.header.qos().into(),
                EventValue::Bool(message.header.retain()),
                EventValue::String(payload.bytes(*topic)),
                EventValue::String(published.get(..most).unwrap_or(published)),
                published.len().into(),
            ];
            let id = EventValue::Count(id.unwrap_or(0).into());
            sink.raise(event, &[c, is_orig, id, EventValue::Record(&fields)]);
        }
        Content::Acknowledgement { id, .. } => sink.raise(event, &[c, is_orig, (*id).into()]),
        Content::Subscribe { id, topics, .. } => {
            let (names, levels): (Vec<_>, Vec<_>) = topics
                .iter()
                .map(|found| (EventValue::String(payload.bytes(found.topic)), EventValue::from(found.qos)))
                .unzip();
            sink.raise(event, &[c, (*id).into(), EventValue::List(&names), EventValue::List(&levels)]);
        }
        Content::Unsubscribe { id, topics } => {
            let names: Vec<_> =
                topics.iter().map(|topic| EventValue::String(payload.bytes(*topic))).collect();
            sink.raise(event, &[c, (*id).into(), EventValue::List(&names)]);
        }
        Content::Granted { id, codes } if message.header.kind == kind::SUBACK => {
            let first = payload.bytes(*codes).first().copied().unwrap_or(0);
            sink.raise(event, &[c, (*id).into(), first.into()]);
        }
        Content::Granted { id, .. } => sink.raise(event, &[c, (*id).into()]),
        Content::Reason { .. } | Content::Nothing => sink.raise(event, &[c]),
        Content::Truncated => {}
    }
}

fn opened<'a>(connect: &Connect, payload: &'a Payload) -> [EventValue<'a>; 11] {
    let text = |part| EventValue::String(payload.bytes(part));
    let optional = |part: Option<_>| part.map_or(EventValue::Unset, text);
    let has = |flag| EventValue::Bool(connect.flags & flag != 0);
    [
        text(connect.protocol),
        connect.version.into(),
        text(connect.client),
        EventValue::Interval(connect.keep_alive.into()),
        has(flag::CLEAN_SESSION),
        has(flag::WILL_RETAIN),
        (connect.flags >> 3 & 3).into(),
        optional(connect.will.map(|will| will.topic)),
        optional(connect.will.map(|will| will.message)),
        optional(connect.username),
        optional(connect.password),
    ]
}
