//! QUIC over UDP: versions 1 (RFC 9000, RFC 9001) and 2 (RFC 9369), their drafts from 22 on, and Google's
//! versions up to 46, whose handshake is not encrypted. What is read is what both sides say in packets whose
//! keys anyone can derive.
//!
//! Each packet with a long header is a transaction of its own. Limits: packets of a datagram and
//! transactions that wait ([`parser`]), the length and the gaps of a handshake ([`crypto`]).

pub mod anomaly;
pub mod crypto;
pub mod eve;
pub mod events;
pub mod extension;
pub mod fields;
pub mod frames;
pub mod google;
pub mod header;
pub mod keys;
pub mod parser;
pub mod probe;
pub mod script;
pub mod settings;
pub mod transaction;
pub mod version;
pub mod zeek;

use weir_applayer::{Protocol, Transport};

/// The protocol.
pub static QUIC: Protocol = Protocol {
    transports: &[Transport::Udp],
    ports: &[443, 80],
    probe: Some(probe::probe),
    accepts_gaps: true,
    fields: fields::FIELDS,
    anomalies: anomaly::QuicAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    scripts: script::LIBRARIES,
    ..Protocol::named("quic", parser::configure)
};

#[cfg(test)]
mod tests;
