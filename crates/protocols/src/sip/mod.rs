//! SIP over UDP and TCP (RFC 3261), and the sessions that its messages describe with SDP (RFC 8866).
//!
//! Each message is a transaction of its own: the client's are requests, the server's responses; what comes
//! the other way round is not read. Limits: the length of a message's head ([`message::MAX_HEAD`]), how much of
//! a body is waited for ([`parser::MAX_BODY`]), values of header fields ([`message::MAX_VALUES`]), lines of a
//! description ([`sdp::MAX_LINES`]), messages that wait for the engine ([`parser::MAX_TRANSACTIONS`]).

pub mod anomaly;
pub mod eve;
mod events;
pub mod fields;
pub mod frames;
pub mod message;
pub mod parser;
pub mod probe;
pub mod sdp;
pub mod sdp_line;
pub mod start_line;
pub mod transaction;
pub mod zeek;

use weir_applayer::{AnyPort, Protocol, Transport};

/// The protocol.
pub static SIP: Protocol = Protocol {
    transports: &[Transport::Udp, Transport::Tcp],
    ports: &[5060, 5061],
    any_port: AnyPort::OneSide,
    hints: probe::HINTS,
    probe: Some(probe::probe),
    accepts_gaps: true,
    fields: fields::FIELDS,
    frames: frames::NAMES,
    anomalies: anomaly::SipAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("sip", parser::configure)
};

#[cfg(test)]
mod tests;
