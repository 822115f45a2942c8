//! Kerberos 5 (RFC 4120) between clients and a key distribution centre, over UDP, and over TCP behind a length.
//!
//! Each message of an exchange, and each error, is a transaction of its own. Limits: the length of a message
//! ([`parser::MAX_MESSAGE`]), the parts of a name ([`message::MAX_PARTS`]), what is looked through for a certificate
//! ([`certificate::MAX_HINTS`]), messages that wait for the engine ([`parser::MAX_TRANSACTIONS`]).

pub mod anomaly;
pub mod certificate;
pub mod checks;
pub mod eve;
pub(crate) mod events;
pub mod fields;
pub mod message;
pub mod names;
pub mod parser;
pub mod probe;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Protocol, Transport};

/// The protocol.
pub static KRB5: Protocol = Protocol {
    zeek_service: "krb",
    transports: &[Transport::Tcp, Transport::Udp],
    ports: &[88],
    probe: Some(probe::probe),
    fields: fields::FIELDS,
    anomalies: anomaly::Krb5Anomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("krb5", parser::configure)
};

#[cfg(test)]
mod tests;
