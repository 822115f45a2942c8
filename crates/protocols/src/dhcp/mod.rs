//! DHCP (RFC 2131) for IPv4, with its options (RFC 2132).
//!
//! Each message is a transaction of its own; Zeek's log puts those of an exchange together. Limits: options of a
//! message ([`message::MAX_OPTIONS`]), messages that wait for the engine ([`parser::MAX_TRANSACTIONS`]), messages and
//! connections of an exchange ([`zeek::MAX_KINDS`], [`zeek::MAX_CONNECTIONS`]).

pub mod anomaly;
pub mod eve;
pub mod fields;
pub mod message;
pub mod names;
pub mod parser;
pub mod probe;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Protocol, Transport};
use weir_base::PerDirection;

/// The protocol.
pub static DHCP: Protocol = Protocol {
    name: "dhcp",
    aliases: &[],
    eve_name: "dhcp",
    zeek_service: "dhcp",
    transports: &[Transport::Udp],
    ports: &[67, 68],
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
