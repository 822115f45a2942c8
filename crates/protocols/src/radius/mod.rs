//! RADIUS (RFC 2865) as Zeek's log reads it: who is to be let in at port 1812, and whether that was so. Rules know
//! nothing of it.
//!
//! As in Zeek, a message is the whole datagram, whatever length it states. Limits: none are needed, for a
//! connection keeps the first value of each column, of 253 bytes at most.

pub mod zeek;

use weir_base::Reader;

/// Kinds of messages (RFC 2865 3).
mod kind {
    pub const REQUEST: u8 = 1;
    pub const ACCEPT: u8 = 2;
    pub const REJECT: u8 = 3;
    pub const CHALLENGE: u8 = 11;
}

/// Attributes, by number (RFC 2865 5, RFC 2868 3.3, RFC 2869 5.11).
mod attribute {
    pub const USER_NAME: u8 = 1;
    pub const FRAMED_ADDRESS: u8 = 8;
    pub const REPLY_MESSAGE: u8 = 18;
    pub const CALLING_STATION: u8 = 31;
    pub const TUNNEL_CLIENT: u8 = 66;
    pub const CONNECT_INFO: u8 = 77;
}

/// Bytes before the attributes: kind, number, length, and what proves that an answer is the server's.
const HEAD: usize = 20;

/// A message.
#[derive(Clone, Copy, Debug)]
struct Message<'a> {
    kind: u8,
    attributes: &'a [u8],
}

impl<'a> Message<'a> {
    fn read(payload: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(payload.get(HEAD..)?);
        while !reader.is_empty() {
            next(&mut reader)?;
        }
        Some(Self { kind: *payload.first()?, attributes: payload.get(HEAD..)? })
    }

    /// The value of the first attribute with this number.
    fn attribute(self, wanted: u8) -> Option<&'a [u8]> {
        let mut reader = Reader::new(self.attributes);
        std::iter::from_fn(|| next(&mut reader)).find(|(number, _)| *number == wanted).map(|(_, value)| value)
    }
}

/// The next attribute: its number, and its value.
fn next<'a>(reader: &mut Reader<'a>) -> Option<(u8, &'a [u8])> {
    let number = reader.u8()?;
    let length = usize::from(reader.u8()?);
    Some((number, reader.take(length.checked_sub(2)?)?))
}
