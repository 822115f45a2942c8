//! Tells RDP from other bytes, at its port: by the version of TPKT.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::packet::VERSION;

/// The first byte is the version.
pub fn probe(_: Transport, _: Direction, bytes: &[u8]) -> Probe {
    match bytes {
        [VERSION, ..] => Probe::Yes,
        [] => Probe::More,
        _ => Probe::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        for (bytes, expected) in
            [(&b"\x03\0\0"[..], Probe::Yes), (b"\x16\x03\x01", Probe::No), (b"", Probe::More)]
        {
            assert_eq!(probe(Transport::Tcp, Direction::ToServer, bytes), expected);
        }
    }
}
