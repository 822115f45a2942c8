//! The fixed header of a message (5.0, 2.1): what it is, its flags, and how much follows.

use weir_base::Reader;

/// Types of messages (5.0, 2.1.2).
pub mod kind {
    /// Type of no message (reserved).
    pub const UNASSIGNED: u8 = 0;
    /// A client opens a session.
    pub const CONNECT: u8 = 1;
    /// The answer.
    pub const CONNACK: u8 = 2;
    /// Something is published.
    pub const PUBLISH: u8 = 3;
    /// It came, once at least.
    pub const PUBACK: u8 = 4;
    /// It came; the first answer of three.
    pub const PUBREC: u8 = 5;
    /// It may be handed on.
    pub const PUBREL: u8 = 6;
    /// It was.
    pub const PUBCOMP: u8 = 7;
    /// A client subscribes to topics.
    pub const SUBSCRIBE: u8 = 8;
    /// The answer.
    pub const SUBACK: u8 = 9;
    /// It does no longer.
    pub const UNSUBSCRIBE: u8 = 10;
    /// The answer.
    pub const UNSUBACK: u8 = 11;
    /// A client asks whether the server is there.
    pub const PINGREQ: u8 = 12;
    /// The answer.
    pub const PINGRESP: u8 = 13;
    /// The session ends.
    pub const DISCONNECT: u8 = 14;
    /// More is to be said of who the client is (5.0).
    pub const AUTH: u8 = 15;

    /// Names.
    pub const NAMES: &[(&str, u64)] = &[
        ("UNASSIGNED", UNASSIGNED as u64),
        ("CONNECT", CONNECT as u64),
        ("CONNACK", CONNACK as u64),
        ("PUBLISH", PUBLISH as u64),
        ("PUBACK", PUBACK as u64),
        ("PUBREC", PUBREC as u64),
        ("PUBREL", PUBREL as u64),
        ("PUBCOMP", PUBCOMP as u64),
        ("SUBSCRIBE", SUBSCRIBE as u64),
        ("SUBACK", SUBACK as u64),
        ("UNSUBSCRIBE", UNSUBSCRIBE as u64),
        ("UNSUBACK", UNSUBACK as u64),
        ("PINGREQ", PINGREQ as u64),
        ("PINGRESP", PINGRESP as u64),
        ("DISCONNECT", DISCONNECT as u64),
        ("AUTH", AUTH as u64),
    ];
}

/// Bytes of the longest header.
pub const MAX_HEADER: usize = 5;

/// Bytes of the longest number of variable length (5.0, 1.5.5).
const MAX_VARIABLE: u32 = 4;

/// Duplicate delivery.
pub const DUP: u8 = 0x08;
/// The server keeps what is published.
pub const RETAIN: u8 = 0x01;

/// The header of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// Type: one of [`kind`].
    pub kind: u8,
    /// The lower bits of the first byte.
    pub flags: u8,
    /// Bytes that follow.
    pub remaining: u32,
    /// Bytes of the header itself.
    pub size: u8,
}

/// Reasons that there is no header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoHeader {
    /// Bytes are missing.
    Short,
    /// The length makes no sense.
    Malformed,
}

impl Header {
    /// Reads a header.
    pub fn read(bytes: &[u8]) -> Result<Self, NoHeader> {
        let mut reader = Reader::new(bytes);
        let first = reader.u8().ok_or(NoHeader::Short)?;
        let remaining = variable(&mut reader)?;
        Ok(Self { kind: first >> 4, flags: first & 0x0f, remaining, size: reader.position() as u8 })
    }

    /// Bytes of the whole message.
    pub fn length(&self) -> usize {
        usize::from(self.size) + self.remaining as usize
    }

    /// The quality of service (5.0, 4.3).
    pub const fn qos(&self) -> u8 {
        self.flags >> 1 & 3
    }

    /// Returns whether this is a duplicate delivery.
    pub const fn dup(&self) -> bool {
        self.flags & DUP != 0
    }

    /// The server keeps what is published.
    pub const fn retain(&self) -> bool {
        self.flags & RETAIN != 0
    }
}

/// A number of variable length (5.0, 1.5.5).
pub fn variable(reader: &mut Reader<'_>) -> Result<u32, NoHeader> {
    let mut value = 0;
    for index in 0..MAX_VARIABLE {
        let byte = reader.u8().ok_or(NoHeader::Short)?;
        value |= u32::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(NoHeader::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let header = |kind, flags, remaining, size| Ok(Header { kind, flags, remaining, size });
        let cases: &[(&[u8], Result<Header, NoHeader>)] = &[
            (b"", Err(NoHeader::Short)),
            (b"\x10", Err(NoHeader::Short)),
            (b"\x10\x00", header(kind::CONNECT, 0, 0, 2)),
            (b"\x3b\x80", Err(NoHeader::Short)),
            (b"\x3b\x80\x01", header(kind::PUBLISH, 0x0b, 128, 3)),
            (b"\xff\xff\xff\xff\x7f", header(kind::AUTH, 0x0f, 268_435_455, 5)),
            (b"\x10\xff\xff\xff\x80", Err(NoHeader::Malformed)),
        ];
        for (bytes, expected) in cases {
            assert_eq!(Header::read(bytes), *expected, "{bytes:02x?}");
        }
        let Ok(header) = Header::read(b"\x3b\x80\x01") else { panic!("it is whole") };
        assert_eq!((header.qos(), header.dup(), header.retain(), header.length()), (1, true, true, 131));
    }
}
