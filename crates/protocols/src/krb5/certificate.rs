//! Certificates that clients and servers show in place of a password (PKINIT, RFC 4556 3.2), in signed messages
//! (RFC 5652 5.1). Of those that come together the first one is taken, which is the signer's own.

use weir_base::Reader;

use crate::ber::{self, tag};

/// Most hints of a message that are looked at (RFC 4120 5.2.7: `padata`).
pub const MAX_HINTS: usize = 32;

/// Kinds of hints: the client's signed request and the server's signed answer.
const CLIENT: i64 = 16;
const SERVER: i64 = 17;

/// The tags of parts.
const PART_0: u8 = 0xa0;
const PART_1: u8 = 0xa1;
const PART_2: u8 = 0xa2;

/// The tag of octets that stand for a part.
const OCTETS_0: u8 = 0x80;

/// Returns the client's certificate; empty where it authenticates without one.
pub fn of_client(hints: &[u8]) -> Option<&[u8]> {
    let request = hint(hints, CLIENT)?;
    signer(ber::tagged(&mut sequence(request)?, OCTETS_0)?)
}

/// Returns the server's certificate.
pub fn of_server(hints: &[u8]) -> Option<&[u8]> {
    let answer = ber::tagged(&mut Reader::new(hint(hints, SERVER)?), PART_0)?;
    signer(ber::tagged(&mut sequence(answer)?, OCTETS_0)?)
}

fn sequence(bytes: &[u8]) -> Option<Reader<'_>> {
    ber::tagged(&mut Reader::new(bytes), tag::SEQUENCE).map(Reader::new)
}

/// The value of the first hint of this kind.
fn hint(hints: &[u8], wanted: i64) -> Option<&[u8]> {
    let mut reader = sequence(hints)?;
    for _ in 0..MAX_HINTS {
        let mut hint = Reader::new(ber::tagged(&mut reader, tag::SEQUENCE)?);
        let kind = ber::integer(&mut Reader::new(ber::tagged(&mut hint, PART_1)?))?;
        let value = ber::tagged(&mut hint, PART_2)?;
        if kind == wanted {
            return ber::tagged(&mut Reader::new(value), tag::OCTET_STRING);
        }
    }
    None
}

/// The first certificate of a signed message; empty where it has none.
fn signer(message: &[u8]) -> Option<&[u8]> {
    let mut message = sequence(message)?;
    let _kind = ber::tagged(&mut message, tag::OBJECT_IDENTIFIER)?;
    let mut signed = sequence(ber::tagged(&mut message, PART_0)?)?;
    let _version = ber::integer(&mut signed)?;
    let _digests = ber::element(&mut signed)?;
    let _content = ber::element(&mut signed)?;
    let Some(certificates) = ber::tagged(&mut signed, PART_0) else { return Some(&[]) };
    // The certificate is its element as a whole.
    let mut reader = Reader::new(certificates);
    ber::tagged(&mut reader, tag::SEQUENCE)?;
    certificates.get(..reader.position())
}
