//! LDAP (RFC 4511) over TCP, with StartTLS, and over UDP (CLDAP, RFC 1798).
//!
//! A request and the messages that answer it are a transaction. Limits: the length of a message
//! ([`message::MAX_MESSAGE`]), what is read of one ([`content::MAX_PARTS`], [`filter::MAX_DEPTH`]), the answers of a
//! request ([`transaction::MAX_RESPONSES`]), the transactions that wait for an answer (`max-tx`) and their bytes
//! ([`parser::MAX_HELD`]).

pub mod anomaly;
pub mod content;
pub mod eve;
pub mod fields;
pub mod filter;
pub mod message;
pub mod names;
pub mod parser;
pub mod probe;
pub mod sasl;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Protocol, Transport};
use weir_base::PerDirection;

/// The protocol.
pub static LDAP: Protocol = Protocol {
    name: "ldap",
    aliases: &[],
    eve_name: "ldap",
    zeek_service: "ldap_tcp",
    transports: &[Transport::Tcp, Transport::Udp],
    ports: &[389, 3268],
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
    frames: parser::FRAMES,
    anomalies: anomaly::ANOMALIES,
    configure: parser::configure,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    scripts: &[],
};

#[cfg(test)]
mod tests;
