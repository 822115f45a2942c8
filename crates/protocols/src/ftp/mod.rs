//! FTP (RFC 959, RFC 2428, RFC 4217): the control connection, and the connections for data that it agrees on.
//!
//! A command and its replies are a transaction; what a server says by itself is one, too. Limits: the length of
//! a line and the number of transactions that are open (both are settings), and [`transaction::MAX_REPLIES`].

pub mod address;
pub mod anomaly;
pub mod checks;
pub mod command;
pub mod data;
pub mod eve;
pub mod fields;
pub mod line;
pub mod parser;
mod path;
pub mod probe;
pub mod settings;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Protocol, Transport};
use weir_base::PerDirection;

pub use data::FTP_DATA;

/// The protocol of the control connection.
pub static FTP: Protocol = Protocol {
    name: "ftp",
    aliases: &[],
    eve_name: "ftp",
    zeek_service: "ftp",
    transports: &[Transport::Tcp],
    ports: &[21],
    probe_any_port: false,
    hints: probe::HINTS,
    probe: Some(probe::probe),
    first_speaker: None,
    accepts_gaps: false,
    states: PerDirection { to_server: transaction::REQUEST_STATES, to_client: transaction::RESPONSE_STATES },
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
