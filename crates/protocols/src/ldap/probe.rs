//! Tells LDAP from other bytes, at its ports: by the first message.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::message::{Extent, MAX_MESSAGE, Message, extent};
use super::names::operation;

/// The first message is whole. Requests are the client's, answers the server's.
pub fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    let whole = match extent(bytes) {
        Extent::Short => return Probe::More,
        Extent::Of(length) if length <= MAX_MESSAGE => match bytes.get(..length) {
            Some(whole) => whole,
            None => return Probe::More,
        },
        Extent::Of(_) | Extent::Malformed => return Probe::No,
    };
    // Whether all of it is as it should be is seen when it is read.
    let Some(message) = Message::read(whole, true) else { return Probe::No };
    let sender_is_client = operation::is_request(message.operation);
    if sender_is_client == (direction == Direction::ToServer) { Probe::Yes } else { Probe::Reversed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        let unbind = b"\x30\x05\x02\x01\x01\x42\x00";
        let done = b"\x30\x0c\x02\x01\x01\x65\x07\x0a\x01\x00\x04\x00\x04\x00";
        let cases: &[(&[u8], Probe, Probe)] = &[
            (unbind, Probe::Yes, Probe::Reversed),
            (done, Probe::Reversed, Probe::Yes),
            (&[&unbind[..], b"more"].concat(), Probe::Yes, Probe::Reversed),
            (&done[..13], Probe::More, Probe::More),
            (b"\x30", Probe::More, Probe::More),
            (b"\x30\x84\xff\xff\xff\xff", Probe::No, Probe::No),
            (b"\x30\x80\x02\x01\x01\x42\x00", Probe::No, Probe::No),
            (b"\x30\x05\x02\x01\x01\x5d\x00", Probe::No, Probe::No),
            (b"\x30\x05\x02\x01\x01\x02\x00", Probe::No, Probe::No),
            (b"\x16\x03\x01", Probe::No, Probe::No),
        ];
        for (bytes, from_client, from_server) in cases {
            let found = Direction::BOTH.map(|direction| probe(Transport::Tcp, direction, bytes));
            assert_eq!(found, [*from_client, *from_server], "{bytes:02x?}");
        }
    }
}
