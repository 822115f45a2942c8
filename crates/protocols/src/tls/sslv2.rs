//! SSLv2, which clients of TLS once used for their first hello. "The SSL Protocol", section 1.1 and
//! 2.5; RFC 5246 appendix E.2. Only records with the header of two bytes are distinguished from TLS.

use weir_base::Reader;

use super::version::Version;

/// Length of the header.
pub const HEADER_LENGTH: usize = 2;

/// Length of a cipher kind.
const KIND_LENGTH: usize = 3;

/// Message types.
pub mod message_type {
    #![allow(missing_docs, reason = "the names of the specification")]
    pub const ERROR: u8 = 0;
    pub const CLIENT_HELLO: u8 = 1;
    pub const CLIENT_MASTER_KEY: u8 = 2;
    pub const SERVER_HELLO: u8 = 4;
    pub const CLIENT_CERTIFICATE: u8 = 8;
}

/// The length of the record that `bytes` start with, if it has a header of two bytes.
pub fn record_length(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [high, low, ..] if high & 0x80 != 0 => Some(usize::from(high & 0x7f) << 8 | usize::from(*low)),
        _ => None,
    }
}

/// A client's hello.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientHello {
    /// The highest version it speaks, SSLv2 or any later.
    pub version: Version,
    /// The session to resume; may be empty.
    pub session_id: Vec<u8>,
    /// Random bytes.
    pub challenge: Vec<u8>,
}

impl ClientHello {
    /// Reads the message behind its type.
    pub fn read(body: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(body);
        let version = Version(reader.u16()?);
        let [kinds, session, challenge] = [reader.u16()?, reader.u16()?, reader.u16()?].map(usize::from);
        reader.skip(kinds)?;
        let session_id = reader.take(session)?.to_vec();
        let challenge = reader.take(challenge)?.to_vec();
        let is_known = version == Version::SSL2 || (0x0300..=0x0304).contains(&version.0);
        (is_known && kinds % KIND_LENGTH == 0 && kinds > 0).then_some(Self { version, session_id, challenge })
    }
}

/// A server's hello.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerHello {
    /// Its certificate; empty when a session is resumed.
    pub certificate: Vec<u8>,
    /// The cipher kinds it offers.
    pub kinds: Vec<u32>,
    /// The session is one of before.
    pub resumed: bool,
}

impl ServerHello {
    /// Reads the message behind its type.
    pub fn read(body: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(body);
        let resumed = reader.u8()? != 0;
        // The certificate's type.
        reader.skip(1)?;
        if Version(reader.u16()?) != Version::SSL2 {
            return None;
        }
        let [certificate, kinds, connection] = [reader.u16()?, reader.u16()?, reader.u16()?].map(usize::from);
        let certificate = reader.take(certificate)?.to_vec();
        let mut kind_reader = reader.sub(kinds)?;
        reader.skip(connection)?;
        let kinds = std::iter::from_fn(|| kind_reader.u24()).collect();
        Some(Self { certificate, kinds, resumed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hellos() {
        let body = [&[3, 1, 0, 3, 0, 0, 0, 16, 0, 0, 5][..], &[9; 16]].concat();
        let hello = ClientHello::read(&body).unwrap();
        assert_eq!((hello.version, hello.challenge.len()), (Version::TLS10, 16));
        assert_eq!(ClientHello::read(&body[..20]), None);
        let body = [&[0, 1, 0, 2, 0, 2, 0, 3, 0, 1][..], b"DE", &[7, 0, 0xc0], &[5]].concat();
        let expected = ServerHello { certificate: b"DE".to_vec(), kinds: vec![0x07_00c0], resumed: false };
        assert_eq!(ServerHello::read(&body), Some(expected));
        assert_eq!(record_length(&[0x80, 0x2e]), Some(0x2e));
        assert_eq!(record_length(&[0x16, 3]), None);
    }
}
