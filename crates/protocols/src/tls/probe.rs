//! Tells TLS and SSLv2 from other bytes.

use weir_applayer::{Hint, Probe, Transport};
use weir_base::Direction;

use super::record;
use super::sslv2;

/// Handshake messages that only a client, or only a server, sends first.
const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;

/// The start of a record, by version: the client begins with a handshake, while the server may refuse it
/// with an alert, or go on with data where the beginning is not there.
pub const HINTS: &[Hint] = &[
    Hint::starts(Direction::ToServer, b"\x16\x03\x00"),
    Hint::starts(Direction::ToServer, b"\x16\x03\x01"),
    Hint::starts(Direction::ToServer, b"\x16\x03\x02"),
    Hint::starts(Direction::ToServer, b"\x16\x03\x03"),
    Hint::starts(Direction::ToClient, b"\x16\x03\x00"),
    Hint::starts(Direction::ToClient, b"\x16\x03\x01"),
    Hint::starts(Direction::ToClient, b"\x16\x03\x02"),
    Hint::starts(Direction::ToClient, b"\x16\x03\x03"),
    Hint::starts(Direction::ToClient, b"\x15\x03\x00"),
    Hint::starts(Direction::ToClient, b"\x15\x03\x01"),
    Hint::starts(Direction::ToClient, b"\x15\x03\x02"),
    Hint::starts(Direction::ToClient, b"\x15\x03\x03"),
    Hint::starts(Direction::ToClient, b"\x17\x03\x00"),
    Hint::starts(Direction::ToClient, b"\x17\x03\x01"),
    Hint::starts(Direction::ToClient, b"\x17\x03\x02"),
    Hint::starts(Direction::ToClient, b"\x17\x03\x03"),
];

/// Whether `bytes` are TLS or SSLv2, and sent by the side that should send them.
pub fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    match bytes {
        [] => Probe::More,
        [first, ..] if first & 0x80 != 0 => sslv2_hello(direction, bytes),
        [record::HANDSHAKE] | [record::HANDSHAKE, 3] => Probe::More,
        [record::HANDSHAKE, 3, 0..=4, rest @ ..] => match rest {
            [_, _, CLIENT_HELLO, ..] if direction == Direction::ToClient => Probe::Reversed,
            [_, _, SERVER_HELLO, ..] if direction == Direction::ToServer => Probe::Reversed,
            [_, _, _, ..] => Probe::Yes,
            _ => Probe::More,
        },
        [record::ALERT | record::APPLICATION_DATA, 3, 0..=3, ..] if direction == Direction::ToClient => {
            Probe::Yes
        }
        _ => Probe::No,
    }
}

/// Whether a client's bytes are a record of handshake messages, the first one a hello (RFC 8446 5.1).
pub fn begins_handshake(bytes: &[u8]) -> bool {
    matches!(bytes, [record::HANDSHAKE, 3, 0..=4, _, _, CLIENT_HELLO, 0, ..])
}

fn sslv2_hello(direction: Direction, bytes: &[u8]) -> Probe {
    // Header, type, and what both hellos have: versions and lengths.
    const ENOUGH: usize = 13;
    let (Some(length), Some(&kind)) = (sslv2::record_length(bytes), bytes.get(sslv2::HEADER_LENGTH)) else {
        return if bytes.len() <= sslv2::HEADER_LENGTH { Probe::More } else { Probe::No };
    };
    let version_at = match kind {
        sslv2::message_type::CLIENT_HELLO => 3,
        sslv2::message_type::SERVER_HELLO => 5,
        _ => return Probe::No,
    };
    if length + sslv2::HEADER_LENGTH < ENOUGH {
        return Probe::No;
    }
    if bytes.len() < ENOUGH {
        return Probe::More;
    }
    let is_client = kind == sslv2::message_type::CLIENT_HELLO;
    let fits = match bytes.get(version_at..) {
        Some([0, 2, rest @ ..]) => lengths_fit(length, is_client, rest),
        Some([3, 0..=4, rest @ ..]) if is_client => lengths_fit(length, is_client, rest),
        _ => false,
    };
    match (fits, is_client == (direction == Direction::ToServer)) {
        (false, _) => Probe::No,
        (true, true) => Probe::Yes,
        (true, false) => Probe::Reversed,
    }
}

/// Whether the three lengths behind the version add up to the record's.
fn lengths_fit(record_length: usize, is_client: bool, lengths: &[u8]) -> bool {
    let fixed = if is_client { 9 } else { 11 };
    let sum: usize =
        lengths.as_chunks::<2>().0.iter().take(3).map(|pair| usize::from(u16::from_be_bytes(*pair))).sum();
    fixed + sum == record_length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tls_and_others() {
        let (up, down) = (Direction::ToServer, Direction::ToClient);
        let old = [&[0x80, 28, 1, 3, 1, 0, 3, 0, 0, 0, 16, 0, 0, 5][..], &[9; 16]].concat();
        let cases: [(Direction, &[u8], Probe); 10] = [
            (up, b"\x16\x03\x01\x00\x05\x01", Probe::Yes),
            (down, b"\x16\x03\x03\x00\x05\x02", Probe::Yes),
            (down, b"\x16\x03\x01\x00\x05\x01", Probe::Reversed),
            (up, b"\x16\x03\x03\x00\x05\x02", Probe::Reversed),
            (up, b"\x16\x03", Probe::More),
            (up, b"GET / HTTP/1.0", Probe::No),
            (up, &old, Probe::Yes),
            (down, &old, Probe::Reversed),
            (up, &old[..5], Probe::More),
            (up, b"\x80\x10\x01\x03\x01\x00\x00\x00\x00\x00\x00\x00\x00", Probe::No),
        ];
        for (direction, bytes, expected) in cases {
            assert_eq!(probe(Transport::Tcp, direction, bytes), expected, "{bytes:?}");
        }
    }
}
