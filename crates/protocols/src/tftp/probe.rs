//! Tells TFTP from other datagrams on its port.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

/// Whether a datagram is as long as the shortest message, and its operation below 256.
pub fn probe(_: Transport, _: Direction, bytes: &[u8]) -> Probe {
    if matches!(bytes, [0, _, _, _, ..]) { Probe::Yes } else { Probe::No }
}
