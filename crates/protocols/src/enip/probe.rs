//! Tells EtherNet/IP from other bytes, at its port: by the first header.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::message::{HEADER, Header};
use super::names::{command, status_name};

/// The header is one of a known command and status, and has no length that its command never has.
pub fn probe(transport: Transport, _: Direction, bytes: &[u8]) -> Probe {
    match Header::read(bytes) {
        Some(header) if is_known(&header) => Probe::EitherWay,
        None if transport == Transport::Tcp && bytes.len() < HEADER => Probe::More,
        _ => Probe::No,
    }
}

/// Whether a message can begin so.
pub fn is_known(header: &Header) -> bool {
    let fits = match header.command {
        command::NOP => header.options == 0,
        command::REGISTER_SESSION => header.length == 4,
        command::UNREGISTER_SESSION => matches!(header.length, 0 | 4),
        command => command::name(command).is_some(),
    };
    fits && status_name(header.status).is_some()
}

/// Where a message seems to begin behind bytes that are missing: where a header is known that has no options, and
/// is none of those that say nothing, which zeros are, too.
pub fn search(bytes: &[u8]) -> Option<usize> {
    bytes.windows(HEADER).position(|window| {
        Header::read(window)
            .is_some_and(|header| header.command != command::NOP && header.options == 0 && is_known(&header))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(command: u8, length: u8, status: u8, options: u8) -> Vec<u8> {
        let mut bytes = vec![command, 0, length, 0, 1, 2, 3, 4, status, 0, 0, 0];
        bytes.extend([0; 8]);
        bytes.extend([options, 0, 0, 0]);
        bytes
    }

    #[test]
    fn messages_behind_other_bytes() {
        for (before, found) in
            [(&b""[..], Some(0)), (b"end", Some(3)), (&[0; 50], Some(50)), (b"\x63\0", Some(2))]
        {
            let bytes = [before, &header(0x63, 0, 0, 0)].concat();
            assert_eq!(search(&bytes), found, "{before:02x?}");
            assert_eq!(search(&bytes[..bytes.len() - 1]), None);
        }
        for no_beginning in [header(0, 0, 0, 0), header(0x63, 0, 0, 1), header(0x62, 0, 0, 0)] {
            assert_eq!(search(&no_beginning), None, "{no_beginning:02x?}");
        }
    }

    #[test]
    fn beginnings() {
        for (bytes, expected) in [
            (header(0x63, 0, 0, 0), Probe::EitherWay),
            (header(0x6f, 200, 0x64, 1), Probe::EitherWay),
            (header(0x65, 4, 0, 0), Probe::EitherWay),
            (header(0x65, 5, 0, 0), Probe::No),
            (header(0x66, 2, 0, 0), Probe::No),
            (header(0, 2, 0, 0), Probe::EitherWay),
            (header(0, 2, 0, 1), Probe::No),
            (header(0x62, 0, 0, 0), Probe::No),
            (header(0x63, 0, 9, 0), Probe::No),
        ] {
            assert_eq!(probe(Transport::Udp, Direction::ToServer, &bytes), expected, "{bytes:02x?}");
            let short = &bytes[..23];
            assert_eq!(probe(Transport::Tcp, Direction::ToClient, short), Probe::More);
            assert_eq!(probe(Transport::Udp, Direction::ToClient, short), Probe::No);
        }
    }
}
