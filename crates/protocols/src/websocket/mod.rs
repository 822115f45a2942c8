//! WebSocket (RFC 6455), which a connection speaks once HTTP/1 changed to it, with compressed messages
//! (RFC 7692).
//!
//! Each frame is a transaction of one direction; the last one of a message has all of it. Limits: what is
//! kept of a frame, of a message and of what a compressed one holds (`max-payload-size`), work on compressed
//! messages ([`inflate`]), frames at a time ([`parser::MAX_TRANSACTIONS`]).

pub mod anomaly;
pub mod eve;
mod events;
pub mod fields;
pub mod frame;
pub mod handshake;
pub mod inflate;
pub mod message;
pub mod parser;
pub mod settings;
pub mod transaction;
pub mod zeek;

use weir_applayer::{Probe, Protocol, Transport};
use weir_base::Direction;

/// The protocol.
pub static WEBSOCKET: Protocol = Protocol {
    probe: Some(probe),
    fields: fields::FIELDS,
    frames: frame::NAMES,
    anomalies: anomaly::WebSocketAnomaly::NAMES,
    eve: Some(&eve::EVE),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("websocket", parser::configure)
};

/// Asked only where HTTP said that WebSocket follows: no extension uses two of the reserved bits.
fn probe(_: Transport, _: Direction, bytes: &[u8]) -> Probe {
    match bytes.first() {
        Some(first) if first & frame::RESERVED == 0 => Probe::Yes,
        Some(_) => Probe::No,
        None => Probe::More,
    }
}

#[cfg(test)]
mod tests;
