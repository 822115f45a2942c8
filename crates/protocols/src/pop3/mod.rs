//! POP3 (RFC 1939) with its extensions (RFC 2449), up to where TLS begins.
//!
//! A command and its answer are a transaction; so is the server's greeting. Mails are passed over. Limits: what is
//! kept of a line ([`parser::MAX_LINE`]) and of an answer of several lines ([`transaction::MAX_DATA`]), commands
//! that wait for an answer (`max-tx`), transactions that come at once ([`weir_applayer::waiting::MAX_LIVE`]).

pub mod anomaly;
pub mod command;
pub mod eve;
pub mod parser;
pub mod probe;
pub mod transaction;

use weir_applayer::{Protocol, Transport};
use weir_base::PerDirection;

/// The protocol.
pub static POP3: Protocol = Protocol {
    name: "pop3",
    aliases: &[],
    eve_name: "pop3",
    zeek_service: "pop3",
    transports: &[Transport::Tcp],
    ports: &[110],
    probe_any_port: false,
    hints: &[],
    probe: Some(probe::probe),
    first_speaker: None,
    accepts_gaps: true,
    states: PerDirection {
        to_server: &["request_started", "request_complete"],
        to_client: &["response_started", "response_complete"],
    },
    fields: &[],
    frames: &[],
    anomalies: anomaly::ANOMALIES,
    configure: parser::configure,
    eve: Some(&eve::EVE),
    zeek: None,
    scripts: &[],
};

#[cfg(test)]
mod tests;
