//! Tells SMB from other bytes.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::nbss::{HEADER_LENGTH, Header, MAGIC_LENGTH, Version, find_message};
use super::{one, two};

/// Bytes of the shortest message, with what stands before it.
const MIN_LENGTH: usize = HEADER_LENGTH + one::HEADER_LENGTH;

/// Longest message of the session service that may come before the first one of SMB.
const MAX_BEFORE: usize = 256;

/// A message of SMB behind its length; a message of the session service before it; or, where a connection is met in
/// its midst, a message somewhere.
pub(super) fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    let Some(header) = Header::read(bytes) else { return Probe::More };
    let body = bytes.get(HEADER_LENGTH..).unwrap_or_default();
    if let Some(version) = Version::of(body).filter(|_| header.is_valid()) {
        return message(direction, version, bytes.len(), body);
    }
    if header.is_valid() && header.length >= MAGIC_LENGTH && body.len() < MAGIC_LENGTH {
        return Probe::More;
    }
    if header.is_valid() && !header.is_message() && header.length < MAX_BEFORE {
        let next = body.get(header.length..).unwrap_or_default();
        let Some(magic) = next.get(HEADER_LENGTH..HEADER_LENGTH + MAGIC_LENGTH) else {
            return if bytes.len() > MIN_LENGTH { Probe::No } else { Probe::More };
        };
        if Version::of(magic).is_some() {
            return Probe::Yes;
        }
    }
    let found = find_message(bytes).and_then(|place| bytes.get(place + HEADER_LENGTH..));
    match found.map(|body| (body, Version::of(body))) {
        Some((body, Some(version))) => message(direction, version, bytes.len(), body),
        _ => Probe::No,
    }
}

/// Classifies a message that begins with `body`, where there are `count` bytes in all.
fn message(direction: Direction, version: Version, count: usize, body: &[u8]) -> Probe {
    if count < MIN_LENGTH {
        return Probe::More;
    }
    let sender = match version {
        Version::One => one::Record::read(body, body.len()).map(|record| record.direction()),
        Version::Two => two::Record::read(body, usize::MAX).map(|record| record.direction()),
        Version::Encrypted | Version::Compressed => None,
    };
    if sender.is_some_and(|sender| sender != direction) { Probe::ReversedUnseen } else { Probe::Yes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        let (up, down) = (Direction::ToServer, Direction::ToClient);
        let message = |magic: u8, flags: &[(usize, u8)]| {
            let mut bytes = vec![0, 0, 0, 64, magic, b'S', b'M', b'B'];
            bytes.resize(68, 0);
            flags.iter().for_each(|(place, value)| bytes[*place] = *value);
            bytes
        };
        let two = message(0xfe, &[]);
        let answer = message(0xfe, &[(20, 1)]);
        let one = message(0xff, &[(13, 0x80)]);
        let session = [&b"\x81\0\0\x02ab"[..], &two].concat();
        let middle = [&b"rest of a message"[..], &answer].concat();
        let cases: &[(Direction, &[u8], Probe)] = &[
            (up, &two, Probe::Yes),
            (down, &two, Probe::ReversedUnseen),
            (down, &answer, Probe::Yes),
            (up, &one, Probe::ReversedUnseen),
            (up, &message(0xfd, &[]), Probe::Yes),
            (up, &two[..3], Probe::More),
            (up, &two[..7], Probe::More),
            (up, &two[..20], Probe::More),
            (up, &session, Probe::Yes),
            (up, &session[..7], Probe::More),
            (up, b"\x81\0\0\x20ab", Probe::More),
            (up, &[&b"\x81\0\0\x20"[..], &[b'a'; 33]].concat(), Probe::No),
            (down, &middle, Probe::Yes),
            (down, b"\x82\0\0\0", Probe::More),
            (up, b"GET / HTTP/1.1\r\n", Probe::No),
            (up, b"\0\0\0\x40\xfdSMC", Probe::No),
        ];
        for (direction, bytes, expected) in cases {
            assert_eq!(probe(Transport::Tcp, *direction, bytes), *expected, "{bytes:02x?}");
        }
    }
}
