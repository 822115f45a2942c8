//! Tells DHCP from other datagrams on its ports.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::message::{REPLY, REQUEST, has_head};

/// Whether a datagram is a message; clients and servers may send to each other's port.
pub fn probe(_: Transport, _: Direction, bytes: &[u8]) -> Probe {
    let known = matches!(bytes.first(), Some(&(REQUEST | REPLY)));
    if known && has_head(bytes) { Probe::Yes } else { Probe::No }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams() {
        let mut whole = vec![0; 241];
        whole[0] = 1;
        whole[236..240].copy_from_slice(b"\x63\x82\x53\x63");
        let altered = |index: usize, byte: u8| {
            let mut bytes = whole.clone();
            bytes[index] = byte;
            bytes
        };
        let cases = [
            (whole.clone(), Probe::Yes),
            (altered(0, 2), Probe::Yes),
            (altered(0, 3), Probe::No),
            (altered(239, 0), Probe::No),
            (whole[..239].to_vec(), Probe::No),
            (Vec::new(), Probe::No),
        ];
        for (bytes, expected) in cases {
            assert_eq!(probe(Transport::Udp, Direction::ToServer, &bytes), expected, "{bytes:02x?}");
        }
    }
}
