//! Fields of messages.

use weir_applayer::{Access, Field, Progress, bytes, integer, list};

use super::checks;
use super::content::{Connect, Part, Payload, flag};
use super::header::{DUP, RETAIN, kind};
use super::transaction::MqttTransaction;

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
    Field::both("mqtt.type", Progress(0), TYPE)
        .doc("What a message is, as a number or by its name, such as `CONNECT`."),
    Field::to_server("mqtt.flags", Progress(0), MESSAGE_FLAGS)
        .doc("Flags of a message, as a number or by the names `dup` and `retain`."),
    Field::to_server("mqtt.qos", Progress(0), Access::Check(checks::qos))
        .doc("The quality of service of a message: 0, 1 or 2."),
    Field::to_server("mqtt.protocol_version", Progress(0), VERSION)
        .doc("The version of the protocol that the client speaks."),
    Field::both("mqtt.reason_code", Progress(0), REASON)
        .aliases(&["mqtt.connack.return_code"])
        .doc("How it went, as an answer, DISCONNECT or AUTH says it."),
    Field::both("mqtt.connack.session_present", Progress(0), Access::Check(checks::session_present))
        .doc("Whether the server knows of a session before, as CONNACK says it."),
    Field::to_server("mqtt.connect.clientid", Progress(0), CLIENT)
        .doc("The client's name for itself, in CONNECT."),
    Field::to_server("mqtt.connect.flags", Progress(0), CONNECT_FLAGS).doc(
        "Flags of CONNECT, as a number or by the names `username`, `password`, `will`, `will_retain` \
         and `clean_session`.",
    ),
    Field::to_server("mqtt.connect.password", Progress(0), PASSWORD).doc("The password in CONNECT."),
    Field::to_server("mqtt.connect.protocol_string", Progress(0), PROTOCOL)
        .doc("The protocol's name in CONNECT: `MQTT` or `MQIsdp`."),
    Field::to_server("mqtt.connect.username", Progress(0), USERNAME).doc("The user's name in CONNECT."),
    Field::to_server("mqtt.connect.willmessage", Progress(0), WILL_MESSAGE)
        .doc("What CONNECT has published when the client is gone."),
    Field::to_server("mqtt.connect.willtopic", Progress(0), WILL_TOPIC)
        .doc("Under which topic that is published."),
    Field::both("mqtt.publish.message", Progress(0), MESSAGE).doc("What PUBLISH publishes."),
    Field::both("mqtt.publish.topic", Progress(0), TOPIC).doc("Under which topic PUBLISH does."),
    Field::to_server("mqtt.subscribe.topic", Progress(0), SUBSCRIBED).doc("Each topic that SUBSCRIBE names."),
    Field::to_server("mqtt.unsubscribe.topic", Progress(0), UNSUBSCRIBED)
        .doc("Each topic that UNSUBSCRIBE names."),
];
