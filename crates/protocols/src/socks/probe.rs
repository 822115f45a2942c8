//! Tells SOCKS by what both sides say first.

use weir_applayer::{Probe, Transport};
use weir_base::{Direction, Reader};

use super::message::{self, Fault, Read};

/// First bytes of a request, or of a password, which clients may send along with their methods.
const NEXT: [u8; 2] = [5, 1];

/// Whether a side begins a handshake; the other one has to as well.
pub fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    let fits = match (direction, bytes.first()) {
        (_, None) => Err(Fault::Short),
        (Direction::ToServer, Some(4)) => message::request_of_4(&mut Reader::new(bytes)).map(|_| ()),
        (Direction::ToServer, _) => methods(bytes),
        (Direction::ToClient, Some(0)) => message::reply_of_4(&mut Reader::new(bytes)).map(|_| ()),
        (Direction::ToClient, _) => choice(bytes),
    };
    match fits {
        Ok(()) => Probe::Yes,
        Err(Fault::Short) => Probe::More,
        Err(Fault::Malformed) => Probe::No,
    }
}

fn methods(bytes: &[u8]) -> Read<()> {
    let mut reader = Reader::new(bytes);
    let offered = message::methods(&mut reader)?;
    is_plausible(offered.iter().all(|method| is_method(*method)), &reader)
}

fn choice(bytes: &[u8]) -> Read<()> {
    let mut reader = Reader::new(bytes);
    let chosen = message::choice(&mut reader)?;
    is_plausible(is_method(chosen), &reader)
}

fn is_plausible(is_well: bool, behind: &Reader<'_>) -> Read<()> {
    let goes_on = behind.peek().is_none_or(|next| NEXT.contains(&next));
    if is_well && goes_on { Ok(()) } else { Err(Fault::Malformed) }
}

/// Methods that are assigned, and those for private use (RFC 1928 3).
const fn is_method(method: u8) -> bool {
    matches!(method, 0..=9 | 0x80..)
}
