//! MQTT over TCP: 3.1, 3.1.1 (OASIS, 2014) and 5.0 (OASIS, 2019).
//!
//! What a side asks for and the messages that answer it are a transaction. Limits: the length of a message that
//! is read (`max-msg-length`), the transactions that wait for an answer (`max-tx`, and the bytes of them:
//! [`parser::MAX_HELD`]) and the messages of one ([`transaction::MAX_MESSAGES`]).

pub mod anomaly;
pub mod checks;
pub mod content;
pub mod eve;
pub mod fields;
pub mod frame;
pub mod header;
pub mod parser;
pub mod probe;
pub mod property;
pub mod settings;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Protocol, Transport};
use weir_base::PerDirection;

/// The protocol.
pub static MQTT: Protocol = Protocol {
    name: "mqtt",
    aliases: &[],
    eve_name: "mqtt",
    zeek_service: "mqtt",
    transports: &[Transport::Tcp],
    ports: &[1883],
    probe_any_port: false,
    hints: &[],
    probe: Some(probe::probe),
    first_speaker: None,
    accepts_gaps: false,
    states: PerDirection {
        to_server: &["request_started", "request_complete"],
        to_client: &["response_started", "response_complete"],
    },
    fields: fields::FIELDS,
    frames: frame::NAMES,
    anomalies: anomaly::ANOMALIES,
    configure: parser::configure,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    scripts: &[],
};

#[cfg(test)]
mod tests;
