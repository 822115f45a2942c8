//! Messages: the version, who sends it, and the PDU, which version 3 may encrypt.

use weir_base::Reader;

use super::pdu::{Pdu, Variable};
use crate::ber::{self, tag};
use crate::span::Span;

/// Most variables that are read of a message.
pub const MAX_VARIABLES: usize = 4096;

/// The flag of version 3 that says that the PDU is encrypted.
const ENCRYPTED: u8 = 0x02;

/// The number of the user-based security model (RFC 3414).
const USER_BASED: i64 = 3;

/// Sender of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sender {
    /// Community, in versions 1 and 2c.
    Community(Span),
    /// A user, in version 3.
    User(Span),
    /// That is said by a model of security that is not read.
    Unknown,
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    text: Box<[u8]>,
    /// The version as users count them: 1, 2 (2c) or 3.
    pub version: u32,
    /// Sender.
    pub sender: Sender,
    /// PDU; none where it is encrypted.
    pub pdu: Option<Pdu>,
    /// Every number is one of 32 bits without a sign. Messages with others are Zeek's alone.
    pub fits: bool,
}

/// The next number, which is noted if it is none of 32 bits without a sign.
pub fn number(reader: &mut Reader<'_>, fits: &mut bool) -> Option<i64> {
    let number = ber::integer(reader)?;
    *fits &= u32::try_from(number).is_ok();
    Some(number)
}

/// The version of a message, as users count them, and what follows that.
pub fn version(bytes: &[u8]) -> Option<(u32, Reader<'_>)> {
    let mut reader = Reader::new(ber::tagged(&mut Reader::new(bytes), tag::SEQUENCE)?);
    let version = match ber::integer(&mut reader)? {
        0 => 1,
        1 => 2,
        3 => 3,
        _ => return None,
    };
    Some((version, reader))
}

impl Message {
    /// Reads a datagram.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (version, mut reader) = version(bytes)?;
        let mut fits = true;
        let (sender, pdu) = if version == 3 {
            secured(bytes, &mut reader, &mut fits)?
        } else {
            let community = ber::tagged(&mut reader, tag::OCTET_STRING)?;
            let pdu = Pdu::read(bytes, reader.rest(), &mut fits)?;
            (Sender::Community(Span::of(bytes, community)), Some(pdu))
        };
        Some(Self { text: bytes.into(), version, sender, pdu, fits })
    }

    /// The word that the sender knows.
    pub fn community(&self) -> Option<&[u8]> {
        match self.sender {
            Sender::Community(name) => Some(name.read(&self.text)),
            _ => None,
        }
    }

    /// The user who sends it.
    pub fn user(&self) -> Option<&[u8]> {
        match self.sender {
            Sender::User(name) => Some(name.read(&self.text)),
            _ => None,
        }
    }

    /// The variables that it is about.
    pub fn variables(&self) -> &[Variable] {
        self.pdu.as_ref().map_or(&[], |pdu| &pdu.variables)
    }

    /// Bytes of memory that it takes beside itself.
    pub fn memory(&self) -> usize {
        self.text.len() + size_of_val(self.variables())
    }

    /// The message as it was sent.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the bytes of a span.
    pub fn at(&self, place: Span) -> &[u8] {
        place.read(&self.text)
    }
}

/// The rest of a message of version 3 (RFC 3412 6).
fn secured(bytes: &[u8], reader: &mut Reader<'_>, fits: &mut bool) -> Option<(Sender, Option<Pdu>)> {
    let mut header = Reader::new(ber::tagged(reader, tag::SEQUENCE)?);
    let _id = number(&mut header, fits)?;
    let _max_size = number(&mut header, fits)?;
    let flags = *ber::tagged(&mut header, tag::OCTET_STRING)?.first()?;
    let model = number(&mut header, fits)?;
    let parameters = ber::tagged(reader, tag::OCTET_STRING)?;
    let sender =
        if model == USER_BASED { Sender::User(user(bytes, parameters, fits)?) } else { Sender::Unknown };
    if flags & ENCRYPTED != 0 {
        ber::tagged(reader, tag::OCTET_STRING)?;
        return Some((sender, None));
    }
    let mut scope = Reader::new(ber::tagged(reader, tag::SEQUENCE)?);
    let _engine = ber::tagged(&mut scope, tag::OCTET_STRING)?;
    let _context = ber::tagged(&mut scope, tag::OCTET_STRING)?;
    Some((sender, Some(Pdu::read(bytes, scope.rest(), fits)?)))
}

/// The user in the parameters of the user-based model (RFC 3414 2.4).
fn user(bytes: &[u8], parameters: &[u8], fits: &mut bool) -> Option<Span> {
    let mut reader = Reader::new(ber::tagged(&mut Reader::new(parameters), tag::SEQUENCE)?);
    let _engine = ber::tagged(&mut reader, tag::OCTET_STRING)?;
    let _boots = number(&mut reader, fits)?;
    let _time = number(&mut reader, fits)?;
    Some(Span::of(bytes, ber::tagged(&mut reader, tag::OCTET_STRING)?))
}
