//! Tells DNP3 from other bytes, at any port: by the header of the first frame and its checksum.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::link::{HEADER, Header, START};

/// The header is one of a frame, whose sender says whether it is the master.
pub fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    if !START.starts_with(bytes.get(..2).unwrap_or(bytes)) {
        return Probe::No;
    }
    match Header::read(bytes) {
        None if bytes.len() < HEADER => Probe::More,
        Some((header, true)) if header.whole().is_some() => {
            let from_client = direction == Direction::ToServer;
            if header.is_from_master() == from_client { Probe::Yes } else { Probe::Reversed }
        }
        _ => Probe::No,
    }
}

#[cfg(test)]
mod tests {
    use super::super::link::checksum;
    use super::*;

    #[test]
    fn beginnings() {
        let header = |control: u8, length: u8| {
            let mut bytes = vec![5, 0x64, length, control, 1, 0, 2, 0];
            bytes.extend(checksum(&bytes).to_le_bytes());
            bytes
        };
        for (bytes, from_client, from_server) in [
            (header(0xc4, 8), Probe::Yes, Probe::Reversed),
            (header(0x44, 8), Probe::Reversed, Probe::Yes),
            (header(0xc4, 4), Probe::No, Probe::No),
            (b"\x05\x64\x08\xc4\x01\0\x02\0\0\0".to_vec(), Probe::No, Probe::No),
            (b"\x05\x64\x08".to_vec(), Probe::More, Probe::More),
            (b"\x05".to_vec(), Probe::More, Probe::More),
            (b"\x05\x65".to_vec(), Probe::No, Probe::No),
        ] {
            let found = Direction::BOTH.map(|direction| probe(Transport::Tcp, direction, &bytes));
            assert_eq!(found, [from_client, from_server], "{bytes:02x?}");
        }
    }
}
