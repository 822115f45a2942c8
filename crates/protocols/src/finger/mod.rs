//! Finger (RFC 1288), which Zeek names at its port and writes no log of. Rules and records know nothing of it.
//!
//! Limit: the length of a line ([`parser::MAX_LINE`]); a longer one is none of Finger.

pub mod events;
mod parser;
mod zeek;

use weir_applayer::{Probe, Protocol, Transport};
use weir_base::Direction;

/// The protocol.
pub static FINGER: Protocol = Protocol {
    ports: &[79],
    probe: Some(probe),
    zeek: Some(&zeek::LOGS),
    ..Protocol::named("finger", parser::configure)
};

/// At its port, whatever begins as text does.
fn probe(_: Transport, _: Direction, bytes: &[u8]) -> Probe {
    match bytes.first() {
        None => Probe::More,
        Some(b'\t' | b'\r' | b'\n' | b' '..=b'~' | 0x80..) => Probe::Yes,
        Some(_) => Probe::No,
    }
}

#[cfg(test)]
mod tests;
