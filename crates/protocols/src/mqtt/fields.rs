//! Fields of messages.

use weir_applayer::{Access, Field, FieldDirection, Progress, bytes, integer, list};

use super::checks;
use super::content::{Connect, Part, Payload, flag};
use super::header::{DUP, RETAIN, kind};
use super::transaction::MqttTransaction;

const fn field(name: &'static str, direction: FieldDirection, access: Access, doc: &'static str) -> Field {
    Field { name, aliases: &[], modifier: None, direction, ready_at: Progress(0), access, doc }
}

const BOTH: FieldDirection = FieldDirection::Both;
const UP: FieldDirection = FieldDirection::ToServer;

/// Names of flags of any message.
const FLAGS: &[(&str, u64)] = &[("dup", DUP as u64), ("retain", RETAIN as u64)];

/// A text of the CONNECT, where there is one and it is not empty.
fn connect(tx: &MqttTransaction, part: fn(&Connect) -> Option<Part>) -> Option<&[u8]> {
    let (connect, payload): (&Connect, &Payload) = tx.connect()?;
    filled(payload.bytes(part(connect)?))
}

fn filled(text: &[u8]) -> Option<&[u8]> {
    (!text.is_empty()).then_some(text)
}

const TYPE: Access = integer!(MqttTransaction, 8, kind::NAMES, |tx, _, index| {
    tx.messages.get(index).map(|message| message.header.kind.into())
});
const MESSAGE_FLAGS: Access = integer!(Flags, MqttTransaction, 8, FLAGS, |tx, _, index| {
    tx.messages.get(index).map(|message| u64::from(message.header.flags & (DUP | RETAIN)))
});
const CONNECT_FLAGS: Access = integer!(Flags, MqttTransaction, 8, flag::NAMES, |tx, _, index| {
    tx.connect().filter(|_| index == 0).map(|(connect, _)| connect.flags.into())
});
const VERSION: Access =
    integer!(MqttTransaction, 8, &[], |tx, _, index| (index == 0).then_some(tx.version.into()));
const REASON: Access = integer!(MqttTransaction, 8, &[], |tx, _, index| tx.reason(index).map(u64::from));
const CLIENT: Access = bytes!(MqttTransaction, |tx, _| connect(tx, |connect| Some(connect.client)));
const PROTOCOL: Access = bytes!(MqttTransaction, |tx, _| connect(tx, |connect| Some(connect.protocol)));
const USERNAME: Access = bytes!(MqttTransaction, |tx, _| connect(tx, |connect| connect.username));
const PASSWORD: Access = bytes!(MqttTransaction, |tx, _| connect(tx, |connect| connect.password));
const WILL_TOPIC: Access =
    bytes!(MqttTransaction, |tx, _| connect(tx, |connect| connect.will.map(|will| will.topic)));
const WILL_MESSAGE: Access =
    bytes!(MqttTransaction, |tx, _| connect(tx, |connect| connect.will.map(|will| will.message)));
const TOPIC: Access = bytes!(MqttTransaction, |tx, _| tx.publish().and_then(|(topic, _)| filled(topic)));
const MESSAGE: Access =
    bytes!(MqttTransaction, |tx, _| tx.publish().and_then(|(_, message)| filled(message)));
const SUBSCRIBED: Access = list!(MqttTransaction, |tx, _, index| tx.subscribed(index));
const UNSUBSCRIBED: Access = list!(MqttTransaction, |tx, _, index| tx.unsubscribed(index));

/// The rows.
pub const FIELDS: &[Field] = &[
    field("mqtt.type", BOTH, TYPE, "What a message is, as a number or by its name, such as `CONNECT`."),
    field(
        "mqtt.flags",
        UP,
        MESSAGE_FLAGS,
        "Flags of a message, as a number or by the names `dup` and `retain`.",
    ),
    field("mqtt.qos", UP, Access::Check(checks::qos), "The quality of service of a message: 0, 1 or 2."),
    field("mqtt.protocol_version", UP, VERSION, "The version of the protocol that the client speaks."),
    Field {
        aliases: &["mqtt.connack.return_code"],
        ..field("mqtt.reason_code", BOTH, REASON, "How it went, as an answer, DISCONNECT or AUTH says it.")
    },
    field(
        "mqtt.connack.session_present",
        BOTH,
        Access::Check(checks::session_present),
        "Whether the server knows of a session before, as CONNACK says it.",
    ),
    field("mqtt.connect.clientid", UP, CLIENT, "The client's name for itself, in CONNECT."),
    field(
        "mqtt.connect.flags",
        UP,
        CONNECT_FLAGS,
        "Flags of CONNECT, as a number or by the names `username`, `password`, `will`, `will_retain` and \
         `clean_session`.",
    ),
    field("mqtt.connect.password", UP, PASSWORD, "The password in CONNECT."),
    field(
        "mqtt.connect.protocol_string",
        UP,
        PROTOCOL,
        "The protocol's name in CONNECT: `MQTT` or `MQIsdp`.",
    ),
    field("mqtt.connect.username", UP, USERNAME, "The user's name in CONNECT."),
    field(
        "mqtt.connect.willmessage",
        UP,
        WILL_MESSAGE,
        "What CONNECT has published when the client is gone.",
    ),
    field("mqtt.connect.willtopic", UP, WILL_TOPIC, "Under which topic that is published."),
    field("mqtt.publish.message", BOTH, MESSAGE, "What PUBLISH publishes."),
    field("mqtt.publish.topic", BOTH, TOPIC, "Under which topic PUBLISH does."),
    field("mqtt.subscribe.topic", UP, SUBSCRIBED, "Each topic that SUBSCRIBE names."),
    field("mqtt.unsubscribe.topic", UP, UNSUBSCRIBED, "Each topic that UNSUBSCRIBE names."),
];
