//! The header of a TLS record, RFC 8446 section 5.1.

use weir_base::Reader;

use super::version::Version;

/// Length of the header.
pub const HEADER_LENGTH: usize = 5;

/// Longest content, with what encryption may add in TLS 1.2.
pub const MAX_LENGTH: usize = (1 << 14) + 2048;

/// Content types.
pub const CHANGE_CIPHER_SPEC: u8 = 20;
/// An alert.
pub const ALERT: u8 = 21;
/// Handshake messages.
pub const HANDSHAKE: u8 = 22;
/// Data, or anything under TLS 1.3's encryption.
pub const APPLICATION_DATA: u8 = 23;
/// A heartbeat, RFC 6520.
pub const HEARTBEAT: u8 = 24;

/// The level of an alert that ends the conversation.
pub const FATAL: u8 = 2;

/// A header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The content's type.
    pub kind: u8,
    /// The record's version, which need not be the conversation's.
    pub version: Version,
    /// The content's length.
    pub length: usize,
}

impl Header {
    /// Reads the header that `bytes` start with.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        Some(Self { kind: reader.u8()?, version: Version(reader.u16()?), length: usize::from(reader.u16()?) })
    }
}
