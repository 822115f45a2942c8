//! Tells SSH from other bytes.

use weir_applayer::{Hint, Probe, Transport};
use weir_base::Direction;

use super::banner::{self, MAX_BEFORE};

/// Both sides begin with their version.
pub const HINTS: &[Hint] =
    &[Hint::starts(Direction::ToServer, b"SSH-"), Hint::starts(Direction::ToClient, b"SSH-")];

/// A server may say something else before (RFC 4253 4.2), in lines.
pub fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    if direction == Direction::ToServer {
        return if banner::may_begin(bytes) { Probe::More } else { Probe::No };
    }
    let mut rest = bytes;
    while !banner::may_begin(rest) {
        match banner::first_line(rest) {
            Some((line, length)) if is_text(line) => rest = rest.get(length..).unwrap_or_default(),
            None if is_text(rest) && bytes.len() < MAX_BEFORE => return Probe::More,
            _ => return Probe::No,
        }
    }
    if rest.len() < banner::START.len() { Probe::More } else { Probe::Yes }
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte >= b' ' || matches!(byte, b'\t' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        let (up, down) = (Direction::ToServer, Direction::ToClient);
        let cases: &[(Direction, &[u8], Probe)] = &[
            (down, b"SSH-2.0-x\r\n", Probe::Yes),
            (down, b"Go away\r\nor not\r\nSSH-2.0-x\r\n", Probe::Yes),
            (down, b"Go away\r\n", Probe::More),
            (down, b"Go aw", Probe::More),
            (down, b"\0\0\r\nSSH-2.0-x\r\n", Probe::No),
            (down, &[b'a'; MAX_BEFORE], Probe::No),
            (up, b"Go away\r\nSSH-2.0-x\r\n", Probe::No),
            (up, b"SS", Probe::More),
        ];
        for (direction, bytes, expected) in cases {
            assert_eq!(probe(Transport::Tcp, *direction, bytes), *expected, "{bytes:?}");
        }
    }
}
