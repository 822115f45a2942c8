//! Tells MySQL from other protocols on its ports.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

/// Whether a server begins with its greeting, of version 9 or 10, and a client answers one.
pub fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    match (direction, bytes) {
        (Direction::ToClient, [_, _, _, 0, 9 | 10, ..]) | (Direction::ToServer, [_, _, _, 1, _, ..]) => {
            Probe::Yes
        }
        (_, [_, _, _, _, _, ..]) => Probe::No,
        _ => Probe::More,
    }
}
