//! POP3 (RFC 1939) with its extensions (RFC 2449), up to where TLS begins.
//!
//! A command and its answer are a transaction; so is the server's greeting. Mails are passed over. Limits: what is
//! kept of a line ([`parser::MAX_LINE`]), of its arguments ([`command::MAX_ARGUMENTS`]) and of an answer of several lines ([`transaction::MAX_DATA`]), commands
//! that wait for an answer (`max-tx`), transactions that come at once ([`weir_applayer::waiting::MAX_LIVE`]).

pub mod anomaly;
pub mod command;
pub mod eve;
mod events;
pub mod parser;
pub mod probe;
mod records;
pub mod transaction;
mod zeek;

use weir_applayer::{AnyPort, Protocol};

/// The protocol.
pub static POP3: Protocol = Protocol {
    ports: &[110],
    any_port: AnyPort::BothSidesForZeek,
    probe: Some(probe::probe),
    accepts_gaps: true,
    anomalies: anomaly::Pop3Anomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("pop3", parser::configure)
};

#[cfg(test)]
mod tests;
