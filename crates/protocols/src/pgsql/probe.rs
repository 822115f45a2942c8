//! Tells PostgreSQL from other bytes.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::message::{HEADER, Header, MAX_OPENING, opening};

/// At PostgreSQL's port, a client begins with a message that opens a connection, or is in the middle of one.
pub fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    match (direction, bytes) {
        (_, []) => Probe::More,
        (Direction::ToServer, [0, ..]) => opens(bytes),
        // The answer to a wish for encryption, or the beginning of a message.
        (Direction::ToClient, [b'N' | b'S' | b'G']) => Probe::Yes,
        // A length that is too small is known for what it is.
        (_, [_, 0, 0, 0, 0..=3, ..]) => {
            let is_known = Header::read(bytes).is_some_and(|header| header.is_known(direction));
            if is_known { Probe::Yes } else { Probe::No }
        }
        (_, [_, 0, ..]) => goes_on(direction, bytes),
        (_, [_]) => Probe::More,
        _ => Probe::No,
    }
}

fn opens(bytes: &[u8]) -> Probe {
    let [a, b, c, d, rest @ ..] = bytes else { return Probe::More };
    let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
    if !(opening::WISH_LENGTH..=MAX_OPENING).contains(&length) {
        return Probe::No;
    }
    let Some(code) = rest.first_chunk().copied().map(u32::from_be_bytes) else { return Probe::More };
    let is_wish = length == opening::WISH_LENGTH;
    let is_version = code >> 16 == opening::VERSION && length > opening::WISH_LENGTH;
    if is_version || is_wish || code == opening::CANCEL { Probe::Yes } else { Probe::No }
}

fn goes_on(direction: Direction, bytes: &[u8]) -> Probe {
    let Some(header) = Header::read(bytes) else {
        return if bytes.len() < HEADER { Probe::More } else { Probe::No };
    };
    let body = bytes.get(HEADER..).unwrap_or_default();
    if header.fits(direction, body) { Probe::Yes } else { Probe::No }
}

/// Whether a message may begin here, behind bytes that were not seen.
pub fn may_begin(direction: Direction, bytes: &[u8]) -> bool {
    bytes.len() >= HEADER && goes_on(direction, bytes) == Probe::Yes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        let (up, down) = (Direction::ToServer, Direction::ToClient);
        let cases: &[(Direction, &[u8], Probe)] = &[
            (up, b"\0\0\0\x08\x04\xd2\x16\x2f", Probe::Yes),
            (up, b"\0\0\0\x08\x04\xd2", Probe::More),
            (up, b"\0\0\0\x08\0\xff\0\xff", Probe::Yes),
            (up, b"\0\0\0\x10\x04\xd2\x16\x2e", Probe::Yes),
            (up, b"\0\0\0\x54\0\x03\0\0user\0", Probe::Yes),
            (up, b"\0\0\0\x54\0\x02\0\0", Probe::No),
            (up, b"\0\0\0\x04", Probe::No),
            (up, b"\0\x01\0\0", Probe::No),
            (up, b"Q\0\0\0\x0bselect", Probe::Yes),
            (up, b"Q\0\0\0", Probe::More),
            (up, b"Q\0\0\0\x01", Probe::Yes),
            (up, b"\x7f\0\0\0\x01", Probe::No),
            (up, b"GET / HTTP/1.0\r\n", Probe::No),
            (up, b"\x16\x03\x01", Probe::No),
            (down, b"N", Probe::Yes),
            (down, b"R\0\0\0\x08\0\0\0\0", Probe::Yes),
            (down, b"R\0\0\0\x04", Probe::No),
            (down, b"Z\0\0\0\x01\0\0", Probe::Yes),
            (down, b"E\0\0\0\x58SERROR\0", Probe::Yes),
            (down, b"220 ready\r\n", Probe::No),
            (down, b"Z\0\0\0\x05I", Probe::Yes),
            (down, b"D\0\0\0\x0a\0\x01\0\0\0\0", Probe::Yes),
            // MySQL's greeting: a length, a number, the version.
            (down, b"I\0\0\0\x0a5.7.1\0", Probe::No),
            (down, b"N\0\0\0\x0a8.0.1\0", Probe::No),
            (down, b"T\0\0\0\x0a8.0.1\0", Probe::No),
            (down, b"J\0\0\0\x0a", Probe::No),
        ];
        for (direction, bytes, expected) in cases {
            assert_eq!(probe(Transport::Tcp, *direction, bytes), *expected, "{bytes:?}");
        }
    }
}
