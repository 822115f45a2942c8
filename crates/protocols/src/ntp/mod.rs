//! NTP, versions 3 (RFC 1305) and 4 (RFC 5905).
//!
//! Each message is a transaction of its own. Zeek's log follows connections by itself, and knows older versions too.
//! Limits: messages that wait for the engine ([`parser::MAX_TRANSACTIONS`]).

pub mod anomaly;
pub mod eve;
pub mod fields;
pub mod message;
pub mod parser;
pub mod probe;
pub mod script;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Protocol, Transport};

/// The port of servers.
pub const PORT: u16 = 123;

/// The protocol.
pub static NTP: Protocol = Protocol {
    transports: &[Transport::Udp],
    ports: &[PORT],
    probe: Some(probe::probe),
    accepts_gaps: true,
    fields: fields::FIELDS,
    anomalies: anomaly::NtpAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    scripts: script::LIBRARIES,
    ..Protocol::named("ntp", parser::configure)
};

#[cfg(test)]
mod tests;
