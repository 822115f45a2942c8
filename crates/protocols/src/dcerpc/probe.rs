//! Tells DCE/RPC from other bytes.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::connectionless;
use super::pdu::{HEADER_LENGTH, Header, kind};

/// Bits of the data representation's first byte that are never set, and the highest second one (C706 14.1).
const NO_REPRESENTATION: u8 = 0xee;
const MAX_FLOAT: u8 = 3;

/// The versions, a type and the data representation; over UDP a client's call.
pub fn probe(transport: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    match transport {
        Transport::Tcp => message(direction, bytes),
        Transport::Udp if direction == Direction::ToServer => datagram(bytes),
        Transport::Udp => Probe::No,
    }
}

fn message(direction: Direction, bytes: &[u8]) -> Probe {
    let start = bytes.get(..2).unwrap_or(bytes);
    if !b"\x05\0".starts_with(start) {
        return Probe::No;
    }
    let Some(&[_, _, kind, _, first, second, ..]) = bytes.first_chunk::<HEADER_LENGTH>() else {
        return Probe::More;
    };
    let fits = kind::is_of_associations(kind) && is_representation(first, second);
    match Header::read(bytes) {
        Ok(Some(header)) if fits && header.direction() == direction => Probe::Yes,
        // An association that is met in its midst, taken the wrong way round.
        Ok(Some(_)) if fits => Probe::Reversed,
        _ => Probe::No,
    }
}

fn datagram(bytes: &[u8]) -> Probe {
    let is_call = bytes.len() >= connectionless::HEADER_LENGTH
        && matches!(bytes, [4, 0, _, flags, first, second, ..]
            if flags & 0xfc == 0 && is_representation(*first, *second));
    if is_call { Probe::Yes } else { Probe::No }
}

fn is_representation(first: u8, second: u8) -> bool {
    first & NO_REPRESENTATION == 0 && second <= MAX_FLOAT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        let (up, down) = (Direction::ToServer, Direction::ToClient);
        let bind = b"\x05\0\x0b\x03\x10\0\0\0\x48\0\0\0\x01\0\0\0";
        let answer = b"\x05\0\x0c\x03\x10\0\0\0\x3c\0\0\0\x01\0\0\0";
        let cases: &[(Direction, &[u8], Probe)] = &[
            (up, bind, Probe::Yes),
            (down, answer, Probe::Yes),
            (down, bind, Probe::Reversed),
            (up, &bind[..15], Probe::More),
            (down, b"\x05\0", Probe::More),
            (up, b"\x05\x01\x0b", Probe::No),
            // An answer of SOCKS.
            (down, b"\x05\0\x05\0\0\x01\x0a\0\0\x01\x04\x38HTTP", Probe::No),
            (up, b"\x05\0\x0b\x03\x12\0\0\0\x48\0\0\0\x01\0\0\0", Probe::No),
            (up, b"\x05\0\x0b\x03\x10\0\0\0\x0f\0\0\0\x01\0\0\0", Probe::No),
        ];
        for (direction, bytes, expected) in cases {
            assert_eq!(probe(Transport::Tcp, *direction, bytes), *expected, "{bytes:02x?}");
        }
        let mut call = [0; 80];
        call[..5].copy_from_slice(&[4, 0, 0x28, 0, 0x10]);
        assert_eq!(probe(Transport::Udp, up, &call), Probe::Yes);
        assert_eq!(probe(Transport::Udp, down, &call), Probe::No);
        assert_eq!(probe(Transport::Udp, up, &call[..79]), Probe::No);
        call[3] = 4;
        assert_eq!(probe(Transport::Udp, up, &call), Probe::No);
    }
}
