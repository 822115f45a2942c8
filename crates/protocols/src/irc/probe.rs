//! Tells IRC from other protocols on its ports.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::message::is_known;

/// Most bytes that are waited for.
const MAX_WORD: usize = 20;

/// Whether a side begins with a command, or a server with who it is.
pub fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    let text = bytes.trim_ascii_start();
    let end = text.iter().position(|byte| !byte.is_ascii_alphabetic());
    let word = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    if is_known(word) && end.is_some() || direction == Direction::ToClient && text.starts_with(b":") {
        Probe::Yes
    } else if end.is_none() && bytes.len() < MAX_WORD {
        Probe::More
    } else {
        Probe::No
    }
}
