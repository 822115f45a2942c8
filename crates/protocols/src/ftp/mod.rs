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
pub mod events;
pub mod fields;
pub mod line;
mod nvt;
pub mod parser;
mod path;
pub mod probe;
pub mod settings;
pub mod transaction;
pub mod zeek;

use weir_applayer::{AnyPort, Protocol, Review};

pub use data::FTP_DATA;

/// The protocol of the control connection.
pub static FTP: Protocol = Protocol {
    ports: &[21],
    any_port: AnyPort::BothSidesForZeek,
    hints: probe::HINTS,
    probe: Some(probe::probe),
    fields: fields::FIELDS,
    review: Review::Own,
    anomalies: anomaly::FtpAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("ftp", parser::configure)
};

#[cfg(test)]
mod tests;
