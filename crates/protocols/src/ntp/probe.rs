//! Tells NTP from other datagrams on its port.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::message::Message;

/// Whether a datagram is a message. That looks the same in both directions.
pub fn probe(_: Transport, _: Direction, bytes: &[u8]) -> Probe {
    if Message::read_current(bytes).is_some() { Probe::Yes } else { Probe::No }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams() {
        let message = |first: u8, length: usize| {
            let mut bytes = vec![0; length];
            bytes.iter_mut().take(1).for_each(|byte| *byte = first);
            bytes
        };
        let cases = [
            (message(0x1b, 48), Probe::Yes),
            (message(0xe3, 48), Probe::Yes),
            (message(0x24, 68), Probe::Yes),
            (message(0x23, 47), Probe::No),
            (message(0x13, 48), Probe::No),
            (message(0x2b, 48), Probe::No),
            (Vec::new(), Probe::No),
        ];
        for (bytes, expected) in cases {
            assert_eq!(probe(Transport::Udp, Direction::ToServer, &bytes), expected, "{bytes:02x?}");
        }
    }
}
