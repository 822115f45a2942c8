//! NTP, versions 3 (RFC 1305) and 4 (RFC 5905).
//!
//! Each message is a transaction of its own. Zeek's log follows connections by itself, and knows older versions too.
//! Limits: messages that wait for the engine ([`parser::MAX_TRANSACTIONS`]).

pub mod anomaly;
pub mod eve;
pub mod fields;
pub mod message;
pub mod parser;
pub mod probe;
pub mod script;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Protocol, Transport};
use weir_base::PerDirection;

/// The port of servers.
pub const PORT: u16 = 123;

/// The protocol.
pub static NTP: Protocol = Protocol {
    name: "ntp",
    aliases: &[],
    eve_name: "ntp",
    zeek_service: "ntp",
    transports: &[Transport::Udp],
    ports: &[PORT],
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
    scripts: script::LIBRARIES,
};

#[cfg(test)]
mod tests;
