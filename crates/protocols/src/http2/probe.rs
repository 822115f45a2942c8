//! Recognising HTTP/2: the client's preface, the server's settings.

use weir_applayer::{Probe, Transport};
use weir_base::Direction;

use super::frame::{Header, kind};

/// Connection preface of a client (RFC 9113 3.4).
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Its first line, which distinguishes it from HTTP/1.
pub const PREFACE_LINE: &[u8] = b"PRI * HTTP/2.0\r\n";

/// Longest frame before settings say something else (RFC 9113 4.2).
const FIRST_FRAME: u32 = 16_384;

/// Bytes of a setting.
const SETTING: u32 = 6;

/// Values of each byte in the header of a server's first frame, where it is one of settings.
const FIRST_HEADER: [fn(u8) -> bool; Header::SIZE] = [
    |byte| byte == 0,
    |byte| u32::from(byte) <= FIRST_FRAME >> 8,
    |_| true,
    |byte| byte == kind::SETTINGS,
    |byte| byte & 0xfe == 0,
    |byte| byte == 0,
    |byte| byte == 0,
    |byte| byte == 0,
    |byte| byte == 0,
];

/// Both sides begin with a frame of settings; a client says the preface before it. Settings alone are little
/// to go by: the client has the last word.
pub fn probe(_: Transport, direction: Direction, bytes: &[u8]) -> Probe {
    if direction == Direction::ToServer {
        let length = bytes.len().min(PREFACE.len());
        return match bytes.get(..length) == PREFACE.get(..length) {
            true if length == PREFACE.len() => Probe::Yes,
            true => Probe::More,
            false => Probe::No,
        };
    }
    if !bytes.iter().zip(FIRST_HEADER).all(|(byte, may_be)| may_be(*byte)) {
        return Probe::No;
    }
    match Header::read(bytes) {
        None => Probe::More,
        Some(header) if header.length.is_multiple_of(SETTING) && header.length <= FIRST_FRAME => {
            Probe::Likely
        }
        Some(_) => Probe::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        let (up, down) = (Direction::ToServer, Direction::ToClient);
        let cases: &[(Direction, &[u8], Probe)] = &[
            (up, PREFACE, Probe::Yes),
            (up, b"PRI * HT", Probe::More),
            (up, b"PRI * HTTP/1.0\r\n", Probe::No),
            (up, b"", Probe::More),
            (down, b"\0\0\x06\x04\0\0\0\0\0", Probe::Likely),
            (down, b"\0\0\0\x04\x01\0\0\0\0\0", Probe::Likely),
            (down, b"\0\0\x05\x04\0\0\0\0\0", Probe::No),
            (down, b"\0\0\x06\x05", Probe::No),
            (down, b"\0\0\x06\x04\0\0\0\0", Probe::More),
            (down, b"\0\0\x06\x04\x02\0\0\0\0", Probe::No),
            (down, b"\0\0\x06\x04\0\x80\0\0\0", Probe::No),
            (down, b"\0\0\x06\x04\0\0\0\0\x01", Probe::No),
            (down, b"\0\x80\x06\x04\0\0\0\0\0", Probe::No),
            (down, b"\0\0\x06\x01\0\0\0\0\0", Probe::No),
        ];
        for (direction, bytes, expected) in cases {
            assert_eq!(probe(Transport::Tcp, *direction, bytes), *expected, "{bytes:02x?}");
        }
    }
}
