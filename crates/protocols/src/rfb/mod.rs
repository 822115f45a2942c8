//! RFB (RFC 6143), which VNC speaks, over TCP: the handshake of versions 3.3, 3.7 and 3.8.
//!
//! A flow is one transaction. What follows the handshake is not read, nor what authentication by other methods
//! than none and VNC's own says. Limits: the length of texts ([`message::MAX_TEXT`]).

pub mod anomaly;
pub mod eve;
pub mod fields;
pub mod message;
pub mod parser;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Hint, Protocol, Transport};
use weir_base::{Direction, PerDirection};

/// The protocol.
pub static RFB: Protocol = Protocol {
    name: "rfb",
    aliases: &[],
    eve_name: "rfb",
    zeek_service: "rfb",
    transports: &[Transport::Tcp],
    ports: &[5900, 5901, 5902, 5903, 5904, 5905, 5906, 5907, 5908, 5909],
    probe_any_port: false,
    // Both sides begin with their version.
    hints: &[Hint::starts(Direction::ToServer, b"RFB "), Hint::starts(Direction::ToClient, b"RFB ")],
    probe: None,
    first_speaker: None,
    accepts_gaps: false,
    states: PerDirection {
        to_server: &["request_started", "request_complete"],
        to_client: &["response_started", "response_complete"],
    },
    fields: fields::FIELDS,
    frames: &["pdu"],
    anomalies: anomaly::ANOMALIES,
    configure: parser::configure,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    scripts: &[],
};

#[cfg(test)]
mod tests;
