//! The binary packets of SSH (RFC 4253 6), before they are encrypted.

use weir_base::Reader;

/// Bytes of the length, the padding's length and the message's number.
pub const HEADER_LENGTH: usize = 6;

/// Bytes of the length.
pub(super) const LENGTH_LENGTH: usize = 4;

/// Bytes of the header that the length covers: the padding's length and the message's number.
const COVERED: u32 = 2;

/// Longest message that is read whole.
pub const MAX_MESSAGE: usize = 65_535;

/// Numbers of messages (RFC 4250 4.1).
pub mod message {
    /// A side's algorithms.
    pub const KEXINIT: u8 = 20;
    /// New keys are in use after it.
    pub const NEWKEYS: u8 = 21;
    /// The server's key when keys are exchanged with RSA (RFC 4432).
    pub const RSA_PUBLIC_KEY: u8 = 30;
    /// The server's part of the key exchange; where groups are exchanged (RFC 4419), the group.
    pub const KEX_REPLY: u8 = 31;
    /// The server's part where groups are exchanged.
    pub const GROUP_EXCHANGE_REPLY: u8 = 33;
    /// What only some ways of exchanging keys have a meaning for (RFC 4250 4.1.2).
    pub const EXCHANGE: std::ops::RangeInclusive<u8> = 30..=49;
}

/// The header of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Bytes behind the header, padding included.
    pub length: usize,
    /// The message's number.
    pub message: u8,
}

/// A packet too short for its header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed;

impl Header {
    /// Reads a header; none where bytes are missing.
    pub fn read(bytes: &[u8]) -> Result<Option<Self>, Malformed> {
        let mut reader = Reader::new(bytes);
        let Some(length) = reader.u32() else { return Ok(None) };
        let length = length.checked_sub(COVERED).ok_or(Malformed)?;
        let Some([_, message]) = reader.array() else { return Ok(None) };
        Ok(Some(Self { length: usize::try_from(length).unwrap_or(usize::MAX - HEADER_LENGTH), message }))
    }

    /// Bytes of the packet.
    pub const fn whole(self) -> usize {
        self.length.saturating_add(HEADER_LENGTH)
    }
}

/// Returns the number of bytes needed to read more than `bytes`.
pub const fn needed(bytes: &[u8]) -> usize {
    if bytes.len() < LENGTH_LENGTH { LENGTH_LENGTH } else { HEADER_LENGTH }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        type Case<'a> = (&'a [u8], Result<Option<Header>, Malformed>);
        let cases: &[Case<'_>] = &[
            (&[0, 0, 0, 12, 10, 21, 0], Ok(Some(Header { length: 10, message: 21 }))),
            (&[0, 0, 0, 2, 0, 21], Ok(Some(Header { length: 0, message: 21 }))),
            (&[0, 0, 0, 12, 10], Ok(None)),
            (&[0, 0, 0], Ok(None)),
            (&[0, 0, 0, 1], Err(Malformed)),
            (&[0, 0, 0, 0, 0, 0], Err(Malformed)),
        ];
        for (bytes, expected) in cases {
            assert_eq!(Header::read(bytes), *expected, "{bytes:?}");
        }
    }
}
