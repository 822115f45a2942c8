//! DHCP (RFC 2131) for IPv4, with its options (RFC 2132).
//!
//! Each message is a transaction of its own; Zeek's log puts those of an exchange together. Limits: options of a
//! message ([`message::MAX_OPTIONS`]), messages that wait for the engine ([`parser::MAX_TRANSACTIONS`]), messages and
//! connections of an exchange ([`zeek::MAX_KINDS`], [`zeek::MAX_CONNECTIONS`]).

pub mod anomaly;
pub mod eve;
mod events;
pub mod fields;
pub mod message;
pub mod names;
pub mod parser;
pub mod probe;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Protocol, Transport};

/// The protocol.
pub static DHCP: Protocol = Protocol {
    transports: &[Transport::Udp],
    ports: &[67, 68],
    probe: Some(probe::probe),
    accepts_gaps: true,
    fields: fields::FIELDS,
    anomalies: anomaly::DhcpAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("dhcp", parser::configure)
};

#[cfg(test)]
mod tests;
