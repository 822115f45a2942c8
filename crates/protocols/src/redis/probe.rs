//! Tells Redis from other protocols on its port.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

/// Whether a client begins with an array or a word, and a server with a value.
pub fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    let Some(&first) = bytes.first() else { return Probe::More };
    let fits = match direction {
        Direction::ToServer => first == b'*' || first.is_ascii_alphabetic(),
        Direction::ToClient => b"+-:$*_#,(!=%~>|".contains(&first),
    };
    if fits { Probe::Yes } else { Probe::No }
}
