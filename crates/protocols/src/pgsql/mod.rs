//! PostgreSQL: version 3 of the protocol between its clients and servers ("Frontend/Backend Protocol" in
//! PostgreSQL's manual), over TCP.
//!
//! Requests of a client are transactions, with all that the server answers: the wish for TLS, the beginning of a
//! session, each turn of the authentication, a query, a copy to the server, the wish to cancel, the end. Of the
//! extended query protocol nothing is read. Limits: what is kept of a message ([`message`]) and of an answer
//! ([`answer`]), transactions at a time (`max-tx`).

pub mod anomaly;
pub mod answer;
pub mod eve;
pub mod events;
pub mod fields;
pub mod message;
pub mod parser;
pub mod probe;
pub mod request;
pub mod settings;
pub mod transaction;
pub mod zeek;

use weir_applayer::{AnyPort, Protocol};

/// The protocol.
pub static PGSQL: Protocol = Protocol {
    zeek_service: "postgresql",
    ports: &[5432],
    any_port: AnyPort::BothSidesForZeek,
    probe: Some(probe::probe),
    accepts_gaps: true,
    fields: fields::FIELDS,
    anomalies: anomaly::PgsqlAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("pgsql", parser::configure)
};

#[cfg(test)]
mod tests;
