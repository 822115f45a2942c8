//! Tells SIP from other bytes.

use memchr::memchr;
use weir_applayer::{Hint, Probe, Transport};
use weir_base::Direction;

use super::start_line::StartLine;

/// Beginnings of responses; and of requests whose method HTTP's relatives have too. `OPTIONS` is HTTP's over TCP.
pub const HINTS: &[Hint] = &[
    Hint::starts(Direction::ToClient, b"SIP/2.0"),
    Hint::starts(Direction::ToServer, b"UPDATE sip:"),
    Hint::starts(Direction::ToServer, b"UPDATE sips:"),
];

/// Methods after which the end of the line is waited for (RFC 3261, 3262, 3265, 3311, 3428, 3515, 3903, 6086).
const METHODS: &[&[u8]] = &[
    b"REGISTER ",
    b"INVITE ",
    b"ACK ",
    b"BYE ",
    b"CANCEL ",
    b"UPDATE ",
    b"REFER ",
    b"PRACK ",
    b"SUBSCRIBE ",
    b"NOTIFY ",
    b"PUBLISH ",
    b"MESSAGE ",
    b"INFO ",
    b"OPTIONS ",
];

/// Beginnings of responses.
const RESPONSES: &[&[u8]] = &[b"SIP/2.0 "];

/// Whether bytes begin with the first line of a message in a direction.
pub fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    let beginnings = match direction {
        Direction::ToServer => METHODS,
        Direction::ToClient => RESPONSES,
    };
    let may_begin = |known: &&[u8]| known.iter().zip(bytes).all(|(known, byte)| known == byte);
    // Nearly all that is no SIP shows by its first byte.
    if !bytes.first().is_some_and(u8::is_ascii_uppercase) {
        return if bytes.is_empty() { Probe::More } else { Probe::No };
    }
    match memchr(b'\n', bytes).and_then(|end| bytes.get(..end)) {
        Some(line) => {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if StartLine::read(direction, line).is_some() { Probe::Yes } else { Probe::No }
        }
        None if beginnings.iter().any(may_begin) => Probe::More,
        None => Probe::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        let (up, down) = (Direction::ToServer, Direction::ToClient);
        let cases: &[(Direction, &str, Probe)] = &[
            (up, "INVITE sip:bob@b.example SIP/2.0\r\nVia: x", Probe::Yes),
            (up, "OWN sip:bob@b.example SIP/2.0\r\n", Probe::Yes),
            (up, "NOTIFY * HTTP/1.1\r\nHost: a\r\n", Probe::No),
            (up, "INVITE sip:bob", Probe::More),
            (up, "INV", Probe::More),
            (up, "", Probe::More),
            (up, "OWN sip:bob", Probe::No),
            (up, "SIP/2.0 200 OK\r\n", Probe::No),
            (up, "\r\n\r\n", Probe::No),
            (down, "SIP/2.0 200 OK\r\n", Probe::Yes),
            (down, "SIP/2", Probe::More),
            (down, "INVITE sip:bob@b.example SIP/2.0\r\n", Probe::No),
        ];
        for (direction, text, expected) in cases {
            assert_eq!(probe(Transport::Udp, *direction, text.as_bytes()), *expected, "{text:?}");
        }
    }
}
