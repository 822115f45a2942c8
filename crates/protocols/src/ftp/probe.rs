//! Tells FTP from other bytes.

use memchr::memchr;
use weir_applayer::{Hint, HintReaders, Probe, Transport};
use weir_base::Direction;

use super::command::Command;

const fn literal(direction: Direction, literal: &'static [u8]) -> Hint {
    Hint { nocase: true, ..Hint::starts(direction, literal) }
}

/// A command that POP3 has, too.
const fn shared(command: &'static [u8]) -> Hint {
    Hint { unless: Some("pop3"), tells: HintReaders::Records, ..Hint::starts(Direction::ToServer, command) }
}

/// Lines that FTP begins with.
pub const HINTS: &[Hint] = &[
    literal(Direction::ToServer, b"FEAT"),
    literal(Direction::ToServer, b"PORT "),
    shared(b"USER "),
    shared(b"PASS "),
    literal(Direction::ToClient, b"220 ("),
];

/// Longest word of a command.
const LONGEST: usize = 9;

/// At FTP's port, a client's first line is a command, and a server's begins with a code. To Zeek a client may begin with
/// lines that are none.
pub fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    let line = memchr(b'\n', bytes).and_then(|end| bytes.get(..end));
    match (direction, line) {
        (Direction::ToServer, Some(line)) if Command::read(line).is_some() => Probe::Yes,
        (Direction::ToServer, Some(_)) if has_command(bytes) => Probe::ForZeek,
        (Direction::ToServer, None) if bytes.len() > LONGEST && Command::read(bytes).is_some() => Probe::Yes,
        (Direction::ToServer, None) if bytes.len() <= LONGEST && bytes.iter().all(is_of_words) => Probe::More,
        (Direction::ToClient, _) => {
            match bytes {
                [a, b, c, b' ' | b'-', ..] if [a, b, c].into_iter().all(u8::is_ascii_digit) => {
                    if line.is_some() { Probe::Yes } else { Probe::More }
                }
                [..] if bytes.len() < 4 && bytes.iter().all(u8::is_ascii_digit) => Probe::More,
                _ => Probe::No,
            }
        }
        _ => Probe::No,
    }
}

/// Whether any line is a command.
fn has_command(bytes: &[u8]) -> bool {
    bytes.split(|&byte| byte == b'\n').any(|line| Command::read(line.trim_ascii_end()).is_some())
}

fn is_of_words(byte: &u8) -> bool {
    byte.is_ascii_alphabetic() || *byte == b' '
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        let (up, down) = (Direction::ToServer, Direction::ToClient);
        let cases: &[(Direction, &[u8], Probe)] = &[
            (up, b"USER bob\r\n", Probe::Yes),
            (up, b"user bobby", Probe::Yes),
            (up, b"PASV\r\n", Probe::Yes),
            (up, b"US", Probe::More),
            (up, b"GET / HTTP/1.0\r\n", Probe::No),
            (up, b"\x01\x02\n\nSIZE a\r\n", Probe::ForZeek),
            (up, b"\x01\nsize\ta", Probe::ForZeek),
            (up, b"\x01\nsizes", Probe::No),
            (down, b"220 ready\r\n", Probe::Yes),
            (down, b"220-ready\r\n220 now\r\n", Probe::Yes),
            (down, b"220 rea", Probe::More),
            (down, b"+OK\r\n", Probe::No),
        ];
        for (direction, bytes, expected) in cases {
            assert_eq!(probe(Transport::Tcp, *direction, bytes), *expected, "{bytes:?}");
        }
    }
}
