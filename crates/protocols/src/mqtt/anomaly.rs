//! Anomalies of a conversation.

use weir_applayer::Anomaly;

/// One thing that is wrong. The discriminants index [`ANOMALIES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum MqttAnomaly {
    /// A CONNACK that no CONNECT asked for.
    MissingConnect,
    /// A PUBACK, PUBREC, PUBREL or PUBCOMP of nothing that was published.
    MissingPublish,
    /// A SUBACK that no SUBSCRIBE asked for.
    MissingSubscribe,
    /// An UNSUBACK that no UNSUBSCRIBE asked for.
    MissingUnsubscribe,
    /// A CONNECT in a session.
    DoubleConnect,
    /// A message before the session.
    UnintroducedMessage,
    /// A quality of service that there is not.
    InvalidQosLevel,
    /// A message that waits for an answer has no number: none that can be read is without.
    MissingMsgId,
    /// A type of message that there is not.
    UnassignedMsgType,
    /// Too much waits for an answer: the oldest one waits no more.
    TooManyTransactions,
    /// Bytes that make no sense.
    MalformedTraffic,
}

/// Names of [`MqttAnomaly`] for rules and records.
pub const ANOMALIES: &[&str] = &[
    "missing_connect",
    "missing_publish",
    "missing_subscribe",
    "missing_unsubscribe",
    "double_connect",
    "unintroduced_message",
    "invalid_qos_level",
    "missing_msg_id",
    "unassigned_msg_type",
    "too_many_transactions",
    "malformed_traffic",
];

impl From<MqttAnomaly> for Anomaly {
    fn from(anomaly: MqttAnomaly) -> Self {
        Anomaly(anomaly as u8)
    }
}
