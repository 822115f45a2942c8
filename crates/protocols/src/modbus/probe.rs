//! Tells Modbus from other bytes, at its port: by the first message.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::function;
use super::message::{Beginning, Message};

/// The first message is whole, and nothing is wrong with what is the same in requests and responses. Zeek's logs have it
/// whatever its function; rules and records want one that has a name.
pub fn probe(_: Transport, _: Direction, bytes: &[u8]) -> Probe {
    match Message::read(bytes, None, false) {
        Beginning::Short(_) => Probe::More,
        Beginning::Message(message, _) if message.errors == 0 => match function::name(message.code()) {
            Some(_) => Probe::EitherWay,
            None => Probe::ForZeek,
        },
        Beginning::Message(..) => Probe::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        for (bytes, expected) in [
            (&b"\0\x01\0\0\0\x06\x01\x01\0\0\0\x01"[..], Probe::EitherWay),
            (b"\0\x01\0\0\0\x06\x01\x01\0\0\0", Probe::More),
            (b"\0\x01\0\0\0\x06\x01\0\0\0\0\x01", Probe::ForZeek),
            (b"\0\x01\0\0\0\x03\x01\x80\x01", Probe::ForZeek),
            (b"\0\x01\0\0", Probe::More),
            (b"\0\x01\0\x01\0\x02\x01\x01", Probe::No),
            (b"\0\x01\0\0\0\x01\x01", Probe::No),
            (b"\0\x01\0\0\0\xff\x01\x01", Probe::No),
            (b"\0\x01\0\0\0\x03\x01\x81\x02", Probe::EitherWay),
            (b"\0\x01\0\0\0\x03\x01\x81\x7f", Probe::No),
            (b"GET / HTTP/1.1\r\n", Probe::No),
        ] {
            assert_eq!(probe(Transport::Tcp, Direction::ToServer, bytes), expected, "{bytes:02x?}");
        }
    }
}
