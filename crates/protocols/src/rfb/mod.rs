//! RFB (RFC 6143), which VNC speaks, over TCP: the handshake of versions 3.3, 3.7 and 3.8.
//!
//! A flow is one transaction. What follows the handshake is not read, nor what authentication by other methods
//! than none and VNC's own says. Limits: the length of texts ([`message::MAX_TEXT`]).

pub mod anomaly;
pub mod eve;
mod events;
pub mod fields;
pub mod message;
pub mod parser;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Hint, Protocol};
use weir_base::Direction;

/// The protocol.
pub static RFB: Protocol = Protocol {
    ports: &[5900, 5901, 5902, 5903, 5904, 5905, 5906, 5907, 5908, 5909],
    // Both sides begin with their version.
    hints: &[Hint::starts(Direction::ToServer, b"RFB "), Hint::starts(Direction::ToClient, b"RFB ")],
    fields: fields::FIELDS,
    frames: &["pdu"],
    anomalies: anomaly::RfbAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("rfb", parser::configure)
};

#[cfg(test)]
mod tests;
