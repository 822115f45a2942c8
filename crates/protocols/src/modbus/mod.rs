//! Modbus over TCP (Modbus Application Protocol 1.1b, Modbus Messaging on TCP/IP 1.0b).
//!
//! A request and its response are a transaction. Limits: the length of a message ([`message::MAX_LENGTH`]), the
//! requests that wait for a response ([`parser::MAX_WAITING`]; from `request-flood` on there is an event), those that
//! one is compared with ([`parser::MAX_ALIKE`]).

pub mod anomaly;
pub mod checks;
pub mod eve;
pub mod fields;
pub mod function;
pub mod message;
pub mod parser;
pub mod probe;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Protocol, Transport};
use weir_base::PerDirection;

/// The protocol.
pub static MODBUS: Protocol = Protocol {
    name: "modbus",
    aliases: &[],
    eve_name: "modbus",
    zeek_service: "modbus",
    transports: &[Transport::Tcp],
    ports: &[502],
    probe_any_port: false,
    hints: &[],
    probe: Some(probe::probe),
    first_speaker: None,
    accepts_gaps: true,
    states: PerDirection {
        to_server: &["request_started", "request_complete"],
        to_client: &["response_started", "response_complete"],
    },
    fields: fields::FIELDS,
    frames: &[],
    anomalies: anomaly::ANOMALIES,
    configure: parser::configure,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    scripts: &[],
};

#[cfg(test)]
mod tests;
