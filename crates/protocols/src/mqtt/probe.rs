//! Tells MQTT from other bytes, at its port: by the header of the first message.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::header::{Header, NoHeader, kind};

/// The highest quality of service.
const MAX_QOS: u8 = 2;

/// Either side's first message has a type and a quality of service that there are.
pub fn probe(_: Transport, _: Direction, bytes: &[u8]) -> Probe {
    match Header::read(bytes) {
        Ok(header) if header.kind != kind::UNASSIGNED && header.qos() <= MAX_QOS => Probe::Yes,
        Err(NoHeader::Short) => Probe::More,
        Ok(_) | Err(NoHeader::Malformed) => Probe::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        let cases: &[(&[u8], Probe)] = &[
            (b"\x10\x2f\x00\x04MQTT", Probe::Yes),
            (b"\x20\x02", Probe::Yes),
            (b"\xf0\x00", Probe::Yes),
            (b"\x10", Probe::More),
            (b"\x10\x80", Probe::More),
            (b"", Probe::More),
            (b"\x00\x02", Probe::No),
            (b"\x36\x02", Probe::No),
            (b"\x10\xff\xff\xff\xff", Probe::No),
        ];
        for (bytes, expected) in cases {
            for direction in Direction::BOTH {
                assert_eq!(probe(Transport::Tcp, direction, bytes), *expected, "{bytes:02x?}");
            }
        }
    }
}
