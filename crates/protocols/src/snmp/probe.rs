//! Tells SNMP from other datagrams on its ports.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::message;

/// Whether a datagram begins as a message does. That looks the same in both directions.
pub fn probe(_: Transport, _: Direction, bytes: &[u8]) -> Probe {
    if message::version(bytes).is_some() { Probe::Yes } else { Probe::No }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams() {
        let cases: &[(&[u8], Probe)] = &[
            (b"\x30\x05\x02\x01\x00\x04\x00", Probe::Yes),
            (b"\x30\x05\x02\x01\x01\x04\x00", Probe::Yes),
            (b"\x30\x05\x02\x01\x03\x04\x00", Probe::Yes),
            (b"\x30\x05\x02\x01\x02\x04\x00", Probe::No),
            (b"\x30\x09\x02\x01\x01\x04\x00", Probe::No),
            (b"\x31\x05\x02\x01\x01\x04\x00", Probe::No),
            (b"", Probe::No),
        ];
        for (bytes, expected) in cases {
            assert_eq!(probe(Transport::Udp, Direction::ToServer, bytes), *expected, "{bytes:02x?}");
        }
    }
}
