//! DNP3 over TCP (IEEE 1815-2012).
//!
//! Each message of the application layer is a transaction of its own, put together from the frames of the link
//! layer that carry it. Limits: a message ([`parser::MAX_MESSAGE`]), its objects ([`object::MAX_OBJECTS`]) and
//! their points ([`object::MAX_POINTS`]), the messages that wait for the engine ([`parser::MAX_TRANSACTIONS`]).

pub mod anomaly;
pub mod checks;
pub mod eve;
pub mod fields;
pub mod layout;
pub mod link;
pub mod names;
pub mod object;
pub mod parser;
pub mod probe;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Protocol, Transport};
use weir_base::PerDirection;

/// The protocol.
pub static DNP3: Protocol = Protocol {
    name: "dnp3",
    aliases: &[],
    eve_name: "dnp3",
    zeek_service: "dnp3_tcp",
    transports: &[Transport::Tcp],
    ports: &[20000],
    probe_any_port: true,
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
