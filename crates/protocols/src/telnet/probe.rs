//! Tells Telnet from other bytes.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

/// Text and commands may be anything: what is at its port and nothing else is Telnet.
pub fn probe(_: Transport, _: Direction, bytes: &[u8]) -> Probe {
    if bytes.len() > 1 { Probe::Yes } else { Probe::More }
}
