//! Header of both versions (RFC 2408 3.1, RFC 7296 3.1).

use weir_base::Reader;

/// The length of a header.
pub const HEADER_LENGTH: usize = 28;

/// In version 1: the payloads are encrypted.
const ENCRYPTED: u8 = 0x01;

/// In version 2: who began the association sends it.
const INITIATOR: u8 = 0x08;

/// A header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// The number that the initiator gave.
    pub initiator: u64,
    /// The number that the responder gave; zero before it has.
    pub responder: u64,
    /// Type of the first payload.
    pub next: u8,
    /// The version.
    pub major: u8,
    /// The version's second part.
    pub minor: u8,
    /// Exchange type.
    pub exchange: u8,
    /// Flags.
    pub flags: u8,
    /// The number of the message.
    pub message_id: u32,
    /// The length of the message.
    pub length: u32,
}

impl Header {
    /// Reads it.
    pub fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let (initiator, responder, next, version) =
            (reader.u64()?, reader.u64()?, reader.u8()?, reader.u8()?);
        Some(Self {
            initiator,
            responder,
            next,
            major: version >> 4,
            minor: version & 0x0f,
            exchange: reader.u8()?,
            flags: reader.u8()?,
            message_id: reader.u32()?,
            length: reader.u32()?,
        })
    }

    /// The payloads of version 1 are encrypted.
    pub const fn is_encrypted(&self) -> bool {
        self.flags & ENCRYPTED != 0
    }

    /// The initiator of the association of version 2 sends it.
    pub const fn is_of_initiator(&self) -> bool {
        self.flags & INITIATOR != 0
    }
}
