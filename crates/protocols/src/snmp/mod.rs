//! SNMP over UDP: versions 1 (RFC 1157), 2c (RFC 1901, RFC 3416) and 3 (RFC 3412, RFC 3414).
//!
//! Each message is a transaction of its own. Limits: variables of a message ([`message::MAX_VARIABLES`]),
//! messages that wait for the engine ([`parser::MAX_TRANSACTIONS`]).

pub mod anomaly;
pub mod eve;
pub mod fields;
pub mod message;
pub mod names;
pub mod parser;
pub mod pdu;
pub mod probe;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Protocol, Transport};
use weir_base::PerDirection;

/// The protocol.
pub static SNMP: Protocol = Protocol {
    name: "snmp",
    aliases: &[],
    eve_name: "snmp",
    zeek_service: "snmp",
    transports: &[Transport::Udp],
    ports: &[161, 162],
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
