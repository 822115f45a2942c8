//! Tells QUIC from other datagrams on its ports.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::header::{FIXED, Kind, LONG, Packet};

/// Shortest packet with a short header that is taken for one: the first byte, and an id of sixteen.
const LEAST_SHORT: usize = 17;

/// Whether a datagram begins with a packet of QUIC. That looks the same in both directions.
pub fn probe(_: Transport, _: Direction, bytes: &[u8]) -> Probe {
    let (Some(first), Some(packet)) = (bytes.first(), Packet::read(bytes)) else { return Probe::No };
    let is_marked = match packet.kind {
        Kind::Short => first & (LONG | FIXED) == FIXED && bytes.len() >= LEAST_SHORT,
        // Neither the lists of versions nor Google's earlier versions have the mark.
        Kind::VersionNegotiation => first & LONG != 0 && bytes.len() > packet.number_at,
        _ => first & FIXED != 0 || packet.version.google().is_some(),
    };
    if is_marked && packet.is_within(bytes.len()) { Probe::Yes } else { Probe::No }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams() {
        let initial = [&[0xc3, 0, 0, 0, 1, 8][..], &[7; 8], &[0, 0, 0x40, 20], &[9; 20]].concat();
        let short = [&[0x41][..], &[3; 20]].concat();
        let q43 = [&[0x0d][..], &[8; 8], b"Q043", &[1], &[0; 12], &[0xa0, 1]].concat();
        let list = [&[0x80, 0, 0, 0, 0, 0, 1, 9][..], &[0, 0, 0, 1]].concat();
        let cases: &[(&[u8], Probe)] = &[
            (&initial, Probe::Yes),
            (&initial[..30], Probe::No),
            (&[&initial[..], &[0; 9]].concat(), Probe::Yes),
            (&short, Probe::Yes),
            (&short[..16], Probe::No),
            (&q43, Probe::Yes),
            (&list, Probe::Yes),
            (&[0x83, 0, 0, 0, 1, 0, 0, 0, 0], Probe::No),
            (b"\x16\xfe\xfd\0\0\0\0\0\0\0\0\0\x20\x01 and so on, as DTLS", Probe::No),
            (b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", Probe::Yes),
            (b"", Probe::No),
        ];
        for (bytes, expected) in cases {
            for direction in Direction::BOTH {
                assert_eq!(probe(Transport::Udp, direction, bytes), *expected, "{bytes:02x?}");
            }
        }
    }
}
