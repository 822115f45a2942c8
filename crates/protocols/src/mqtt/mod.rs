//! MQTT over TCP: 3.1, 3.1.1 (OASIS, 2014) and 5.0 (OASIS, 2019).
//!
//! A request of a side and the messages that answer it are a transaction. Limits: the length of a message that
//! is read (`max-msg-length`), the transactions that wait for an answer (`max-tx`, and the bytes of them:
//! [`parser::MAX_HELD`]) and the messages of one (`max-messages`).

pub mod anomaly;
pub mod checks;
pub mod content;
pub mod eve;
mod events;
pub mod fields;
pub mod frame;
pub mod header;
pub mod parser;
pub mod probe;
pub mod property;
pub mod settings;
pub mod transaction;
pub mod zeek;

use weir_applayer::Protocol;

/// The protocol.
pub static MQTT: Protocol = Protocol {
    ports: &[1883],
    probe: Some(probe::probe),
    fields: fields::FIELDS,
    frames: frame::NAMES,
    anomalies: anomaly::MqttAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("mqtt", parser::configure)
};

#[cfg(test)]
mod tests;
