//! The internet key exchange over UDP: version 1 (RFC 2408, RFC 2409) and version 2 (RFC 7296).
//!
//! Each message is a transaction of its own, with what both sides have agreed upon so far. Messages to port 4500, which
//! stand behind four zeros there, are not read. Limits: payloads of a message ([`payload::MAX_PAYLOADS`]), transforms
//! of a message and their attributes ([`version1::MAX_TRANSFORMS`], [`attribute::MAX_ATTRIBUTES`],
//! [`version2::MAX_TRANSFORMS`]), messages that wait for the engine ([`parser::MAX_TRANSACTIONS`]).

pub mod anomaly;
pub mod attribute;
pub mod checks;
pub mod eve;
pub mod fields;
pub mod header;
pub mod names;
pub mod parser;
pub mod payload;
pub mod probe;
pub mod transaction;
pub mod version1;
pub mod version2;

use weir_applayer::{Protocol, Transport};

/// The protocol.
pub static IKE: Protocol = Protocol {
    aliases: &["ikev2"],
    zeek_service: "",
    transports: &[Transport::Udp],
    ports: &[500],
    probe: Some(probe::probe),
    accepts_gaps: true,
    fields: fields::FIELDS,
    anomalies: anomaly::IkeAnomaly::NAMES,
    eve: Some(&eve::EVE),
    ..Protocol::named("ike", parser::configure)
};

#[cfg(test)]
mod tests;
