//! Packets: TPKT (ITU-T T.123, 8), and X.224 in them (ITU-T X.224, 13).

use weir_base::Reader;

/// The version of TPKT.
pub const VERSION: u8 = 3;

/// Bytes of TPKT before what it carries.
const HEADER: usize = 4;

/// Type of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packet<'a> {
    /// A connection is asked for; with what else is said.
    Request(&'a [u8]),
    /// It is confirmed; with what else is said.
    Confirm(&'a [u8]),
    /// Data.
    Data(&'a [u8]),
    /// Anything else.
    Other,
}

/// Kind of the first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beginning<'a> {
    /// Too short; at least this many bytes are needed.
    Short(usize),
    /// A packet, and its length.
    Packet(Packet<'a>, usize),
    /// No packet.
    Malformed,
}

/// Reads what `bytes` begin with.
pub fn read(bytes: &[u8]) -> Beginning<'_> {
    let [first, rest @ ..] = bytes else { return Beginning::Short(HEADER) };
    if *first != VERSION {
        return Beginning::Malformed;
    }
    let [_, high, low, ..] = rest else { return Beginning::Short(HEADER) };
    let length = usize::from(u16::from_be_bytes([*high, *low]));
    if length < HEADER {
        return Beginning::Malformed;
    }
    match bytes.get(HEADER..length) {
        Some(inner) => Beginning::Packet(transport(inner).unwrap_or(Packet::Other), length),
        None => Beginning::Short(length),
    }
}

fn transport(bytes: &[u8]) -> Option<Packet<'_>> {
    let mut reader = Reader::new(bytes);
    let length = usize::from(reader.u8()?);
    let mut header = reader.sub(length)?;
    let kind = header.u8()?;
    if kind == 0xf0 && length == 2 {
        // Only what is in one piece is looked into.
        return (header.u8()? == 0x80).then(|| Packet::Data(reader.rest()));
    }
    // Where from, where to: nothing is connected yet. And class 0, without options.
    let (to, _, class) = (header.u16()?, header.u16()?, header.u8()?);
    match (kind, to, class) {
        (0xe0 | 0xe1, 0, 0) => Some(Packet::Request(header.rest())),
        (0xd0 | 0xd1, 0, 0) => Some(Packet::Confirm(header.rest())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings() {
        let cases: &[(&[u8], Beginning<'_>)] = &[
            (b"\x03\0\0\x0d\x08\xe0\0\0\0\0\0ab", Beginning::Packet(Packet::Request(b"ab"), 13)),
            (b"\x03\0\0\x0b\x06\xd0\0\0\x12\x34\0more", Beginning::Packet(Packet::Confirm(b""), 11)),
            (b"\x03\0\0\x09\x02\xf0\x80ab", Beginning::Packet(Packet::Data(b"ab"), 9)),
            (b"\x03\0\0\x09\x02\xf0\x00ab", Beginning::Packet(Packet::Other, 9)),
            (b"\x03\0\0\x0b\x06\xd0\0\0\x12\x34\x40", Beginning::Packet(Packet::Other, 11)),
            (b"\x03\0\0\x0b\x06\xd0", Beginning::Short(11)),
            (b"\x03\0", Beginning::Short(4)),
            (b"\x03\0\0\x03", Beginning::Malformed),
            (b"\x16", Beginning::Malformed),
        ];
        for (bytes, expected) in cases {
            assert_eq!(read(bytes), *expected, "{bytes:02x?}");
        }
    }
}
