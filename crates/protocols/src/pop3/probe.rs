//! Tells POP3 from other bytes.

use memchr::memchr2;
use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::command;

/// The shortest beginning that tells: a word of three letters and the end of its line.
const ENOUGH: usize = 5;

/// At POP3's port, a client begins with a command, and a server with how it is.
pub fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    if bytes.len() < ENOUGH {
        return Probe::More;
    }
    let is_known = match direction {
        Direction::ToServer => {
            let end = memchr2(b' ', b'\r', bytes);
            end.and_then(|end| bytes.get(..end)).is_some_and(|word| command::find(word).is_some())
        }
        Direction::ToClient => [&b"+OK"[..], b"-ERR"].iter().any(|status| {
            bytes.strip_prefix(*status).is_some_and(|rest| matches!(rest, [] | [b' ' | b'\r', ..]))
        }),
    };
    if is_known { Probe::Yes } else { Probe::No }
}
