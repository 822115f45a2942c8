//! LDAP (RFC 4511) over TCP, with StartTLS, and over UDP (CLDAP, RFC 1798).
//!
//! A request and the messages that answer it are a transaction. Limits: the length of a message
//! ([`message::MAX_MESSAGE`]), what is read of one ([`content::MAX_PARTS`], [`filter::MAX_DEPTH`]), the answers of a
//! request ([`transaction::MAX_RESPONSES`]), the transactions that wait for an answer (`max-tx`) and their bytes
//! ([`parser::MAX_HELD`]).

pub mod anomaly;
pub mod content;
pub mod eve;
mod events;
pub mod fields;
pub mod filter;
pub mod message;
pub mod names;
pub mod parser;
pub mod probe;
pub mod sasl;
pub mod transaction;
pub mod zeek;

use weir_applayer::{AnyPort, Protocol, Transport};

/// The protocol.
pub static LDAP: Protocol = Protocol {
    zeek_service: "ldap_tcp",
    transports: &[Transport::Tcp, Transport::Udp],
    ports: &[389, 3268],
    any_port: AnyPort::BothSidesForZeek,
    probe: Some(probe::probe),
    accepts_gaps: true,
    fields: fields::FIELDS,
    frames: parser::FRAMES,
    anomalies: anomaly::LdapAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("ldap", parser::configure)
};

#[cfg(test)]
mod tests;
