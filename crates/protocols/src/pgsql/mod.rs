//! PostgreSQL: version 3 of the protocol between its clients and servers ("Frontend/Backend Protocol" in
//! PostgreSQL's manual), over TCP.
//!
//! What a client asks is a transaction, with all that the server answers: the wish for TLS, the beginning of a
//! session, each turn of the authentication, a query, a copy to the server, the wish to cancel, the end. Of the
//! extended query protocol nothing is read. Limits: what is kept of a message ([`message`]) and of an answer
//! ([`answer`]), transactions at a time (`max-tx`).

pub mod anomaly;
pub mod answer;
pub mod eve;
pub mod fields;
pub mod message;
pub mod parser;
pub mod probe;
pub mod request;
pub mod settings;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Protocol, Transport};
use weir_base::PerDirection;

/// The protocol.
pub static PGSQL: Protocol = Protocol {
    name: "pgsql",
    aliases: &[],
    eve_name: "pgsql",
    zeek_service: "postgresql",
    transports: &[Transport::Tcp],
    ports: &[5432],
    probe_any_port: false,
    hints: probe::HINTS,
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
