//! SNMP over UDP: versions 1 (RFC 1157), 2c (RFC 1901, RFC 3416) and 3 (RFC 3412, RFC 3414).
//!
//! Each message is a transaction of its own. Limits: variables of a message ([`message::MAX_VARIABLES`]),
//! messages that wait for the engine ([`parser::MAX_TRANSACTIONS`]).

pub mod anomaly;
pub mod eve;
mod events;
pub mod fields;
pub mod message;
pub mod names;
pub mod parser;
pub mod pdu;
pub mod probe;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Protocol, Transport};

/// The protocol.
pub static SNMP: Protocol = Protocol {
    transports: &[Transport::Udp],
    ports: &[161, 162],
    probe: Some(probe::probe),
    accepts_gaps: true,
    fields: fields::FIELDS,
    anomalies: anomaly::SnmpAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("snmp", parser::configure)
};

#[cfg(test)]
mod tests;
