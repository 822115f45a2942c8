//! The messages of associations (C706 12.6): their header, and what is read of their bodies.

use weir_base::{Direction, Reader};

use super::uuid::{Order, Uuid};

/// Bytes of the header.
pub const HEADER_LENGTH: usize = 16;

/// Bytes before the token of a proof.
const PROOF_LENGTH: usize = 8;

/// Bytes before the data of a call and of an answer: the hint of its length, the context, the operation or what is
/// reserved; and those of an object that a call names.
const CALL_LENGTH: usize = 8;
const UUID_LENGTH: usize = 16;

/// Bytes of a transfer syntax.
const SYNTAX_LENGTH: usize = 20;

/// Flags of the header.
pub mod flag {
    /// The first fragment.
    pub const FIRST: u8 = 1;
    /// The last fragment.
    pub const LAST: u8 = 2;
    /// An object is named.
    pub const OBJECT: u8 = 0x80;
}

/// Types of messages.
pub mod kind {
    /// A call.
    pub const REQUEST: u8 = 0;
    /// Response to a call.
    pub const RESPONSE: u8 = 2;
    /// Failure of a call.
    pub const FAULT: u8 = 3;
    /// Contexts are offered.
    pub const BIND: u8 = 11;
    /// They are accepted, each or not.
    pub const BIND_ACK: u8 = 12;
    /// There is no association.
    pub const BIND_NAK: u8 = 13;
    /// More contexts are offered.
    pub const ALTER_CONTEXT: u8 = 14;
    /// They are accepted, each or not.
    pub const ALTER_CONTEXT_RESPONSE: u8 = 15;
    /// The client's last word on who it is.
    pub const AUTH3: u8 = 16;
    /// The server asks the client to end the connection.
    pub const SHUTDOWN: u8 = 17;
    /// Request to send, for a connection through HTTP (MS-RPCH 2.2.3).
    pub const RTS: u8 = 20;

    /// Names as records show them.
    const NAMES: [&str; 21] = [
        "REQUEST",
        "PING",
        "RESPONSE",
        "FAULT",
        "WORKING",
        "NOCALL",
        "REJECT",
        "ACK",
        "CL_CANCEL",
        "FACK",
        "CANCEL_ACK",
        "BIND",
        "BINDACK",
        "BINDNAK",
        "ALTER_CONTEXT",
        "ALTER_CONTEXT_RESP",
        "AUTH3",
        "SHUTDOWN",
        "CO_CANCEL",
        "ORPHANED",
        "RTS",
    ];

    /// The name of a type.
    pub fn name(kind: u8) -> &'static str {
        NAMES.get(usize::from(kind)).copied().unwrap_or("UNKNOWN")
    }

    /// Whether a message of a type may say who sends it, not only prove that it is the same one as before.
    pub const fn makes_known(kind: u8) -> bool {
        matches!(kind, BIND | BIND_ACK | ALTER_CONTEXT..=AUTH3)
    }

    /// Whether messages of associations can be of a type.
    pub const fn is_of_associations(kind: u8) -> bool {
        matches!(kind, REQUEST | RESPONSE | FAULT | BIND..=RTS)
    }
}

/// The header of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// The minor version; the major one is 5.
    pub minor: u8,
    /// The type.
    pub kind: u8,
    /// See [`flag`].
    pub flags: u8,
    /// The byte order of numbers.
    pub order: Order,
    /// Bytes of the message, header included.
    pub length: usize,
    /// Bytes of the token that proves who sent the message, at its end.
    pub token: usize,
    /// The call.
    pub call: u32,
}

/// Bytes that are no header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed;

impl Header {
    /// Reads a header; none where bytes are missing.
    pub fn read(bytes: &[u8]) -> Result<Option<Self>, Malformed> {
        Self::fields(&mut Reader::new(bytes)).transpose()
    }

    fn fields(reader: &mut Reader<'_>) -> Option<Result<Self, Malformed>> {
        let [major, minor, kind, flags, representation, _, _, _] = reader.array()?;
        let order = Order::of(representation);
        let length = order.u16(reader)?;
        let token = order.u16(reader)?;
        let call = order.u32(reader)?;
        let header = Self { minor, kind, flags, order, length: length.into(), token: token.into(), call };
        let is_valid = major == 5 && minor <= 1 && header.length >= HEADER_LENGTH;
        Some(if is_valid { Ok(header) } else { Err(Malformed) })
    }

    /// Whether it is the first fragment.
    pub const fn is_first(self) -> bool {
        self.flags & flag::FIRST != 0
    }

    /// Whether it is the last fragment.
    pub const fn is_last(self) -> bool {
        self.flags & flag::LAST != 0
    }

    /// Returns the verifier of the message whose body this is (MS-RPCE 2.2.2.11), and what stands before it.
    pub fn verifier(self, body: &[u8]) -> (Option<Verifier>, &[u8]) {
        let before = self.token.checked_add(PROOF_LENGTH).and_then(|length| body.len().checked_sub(length));
        let parts = before.filter(|_| self.token > 0).and_then(|before| body.split_at_checked(before));
        let Some((before, verifier)) = parts else { return (None, body) };
        let mut reader = Reader::new(verifier);
        let mut read = || {
            let (kind, level) = (reader.u8()?, reader.u8()?);
            reader.skip(2)?;
            Some(Verifier { kind, level, context: self.order.u32(&mut reader)? })
        };
        (read(), before)
    }

    /// Returns the data of a call, or of what it came to, whose body this is.
    pub fn data(self, body: &[u8]) -> &[u8] {
        let head = match self.kind {
            kind::REQUEST if self.flags & flag::OBJECT != 0 => CALL_LENGTH + UUID_LENGTH,
            kind::REQUEST | kind::RESPONSE => CALL_LENGTH,
            _ => return &[],
        };
        body.get(head..).unwrap_or_default()
    }

    /// Returns the authentication of the message whose body this is (MS-RPCE 2.2.2.11): its type and token.
    pub fn proof(self, body: &[u8]) -> Option<(u8, &[u8])> {
        let (before, token) = body.split_at_checked(body.len().checked_sub(self.token)?)?;
        let &[kind, ..] = before.last_chunk::<PROOF_LENGTH>()?;
        (self.token > 0).then_some((kind, token))
    }

    /// Returns the direction of such a message.
    pub const fn direction(self) -> Direction {
        match self.kind {
            kind::RESPONSE
            | kind::FAULT
            | kind::BIND_ACK
            | kind::BIND_NAK
            | kind::ALTER_CONTEXT_RESPONSE
            | kind::SHUTDOWN => Direction::ToClient,
            _ => Direction::ToServer,
        }
    }
}

/// A verifier of who sent a message, without its token (MS-RPCE 2.2.2.11).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verifier {
    /// The kind of security.
    pub kind: u8,
    /// The level of protection.
    pub level: u8,
    /// The number of the security context.
    pub context: u32,
}

/// A context that a client offers: an interface by a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offer {
    /// The context's number.
    pub context: u16,
    /// The interface.
    pub interface: Uuid,
    /// The interface's version, major and minor.
    pub version: (u16, u16),
}

/// The contexts of a bind, or of a change of contexts.
pub fn offers(order: Order, body: &[u8]) -> Option<Vec<Offer>> {
    let mut reader = Reader::new(body);
    // The longest fragments, the group.
    reader.skip(8)?;
    let count = reader.u8()?;
    reader.skip(3)?;
    (0..count).map(|_| offer(order, &mut reader)).collect()
}

fn offer(order: Order, reader: &mut Reader<'_>) -> Option<Offer> {
    let context = order.u16(reader)?;
    let syntaxes = reader.u8()?;
    reader.skip(1)?;
    let interface = Uuid::read(reader, order)?;
    let version = (order.u16(reader)?, order.u16(reader)?);
    reader.skip(usize::from(syntaxes) * SYNTAX_LENGTH)?;
    Some(Offer { context, interface, version })
}

/// The answer to a bind, or to a change of contexts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer<'a> {
    /// The address at which the server goes on: a port or a pipe, as sent.
    pub address: &'a [u8],
    /// Results of the contexts, in the order of the offers.
    pub results: Vec<Decision>,
}

/// Result of the negotiation of a context, 0 where it is accepted, and the reason.
pub type Decision = (u16, u16);

impl<'a> Answer<'a> {
    /// Reads the body.
    pub fn read(order: Order, body: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(body);
        reader.skip(8)?;
        let length = order.u16(&mut reader)?;
        let address = reader.take(length.into())?;
        reader.skip(reader.position().next_multiple_of(4) - reader.position())?;
        let count = reader.u8()?;
        reader.skip(3)?;
        let result = |reader: &mut Reader<'_>| {
            let decision = (order.u16(reader)?, order.u16(reader)?);
            reader.skip(SYNTAX_LENGTH)?;
            Some(decision)
        };
        let results = (0..count).map(|_| result(&mut reader)).collect::<Option<_>>()?;
        Some(Self { address: address.strip_suffix(b"\0").unwrap_or(address), results })
    }
}

/// A call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request<'a> {
    /// The context.
    pub context: u16,
    /// The operation's number.
    pub operation: u16,
    /// The data.
    pub stub: &'a [u8],
}

impl<'a> Request<'a> {
    /// Reads the body.
    pub fn read(order: Order, body: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(body);
        reader.skip(4)?;
        let (context, operation) = (order.u16(&mut reader)?, order.u16(&mut reader)?);
        Some(Self { context, operation, stub: reader.rest() })
    }
}

/// The context of what a call came to.
pub fn response_context(order: Order, body: &[u8]) -> Option<u16> {
    let mut reader = Reader::new(body);
    reader.skip(4)?;
    order.u16(&mut reader)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let whole = b"\x05\x01\x0b\x03\x10\x00\x00\x00\x74\x00\x02\x00\x1b\x00\x00\x00";
        let header = Header {
            minor: 1,
            kind: kind::BIND,
            flags: flag::FIRST | flag::LAST,
            order: Order::Little,
            length: 0x74,
            token: 2,
            call: 0x1b,
        };
        assert_eq!(Header::read(whole), Ok(Some(header)));
        let big = b"\x05\x01\x0b\x03\x00\x00\x00\x00\x00\x74\x00\x02\x00\x00\x00\x1b";
        assert_eq!(Header::read(big), Ok(Some(Header { order: Order::Big, ..header })));
        assert_eq!(Header::read(&whole[..15]), Ok(None));
        for (place, value) in [(0, 4), (1, 2), (8, 15)] {
            let mut bytes = *whole;
            bytes[place] = value;
            assert_eq!(Header::read(&bytes), Err(Malformed), "{place}");
        }
    }

    #[test]
    fn data_and_verifiers() {
        let header = |kind, flags, token| Header {
            minor: 0,
            kind,
            flags,
            order: Order::Little,
            length: 0,
            token,
            call: 1,
        };
        let verified = b"headhead-stub-\x0a\x06\0\0\x07\0\0\0token";
        let verifier = Verifier { kind: 10, level: 6, context: 7 };
        type Case<'a> = (Header, &'a [u8], Option<Verifier>, &'a [u8]);
        let cases: &[Case<'_>] = &[
            (header(kind::REQUEST, 3, 5), verified, Some(verifier), b"-stub-"),
            (header(kind::RESPONSE, 3, 0), b"headheadstub", None, b"stub"),
            (header(kind::REQUEST, flag::OBJECT, 0), b"headheadobjectobjectobjestub", None, b"stub"),
            (header(kind::BIND, 3, 5), verified, Some(verifier), b""),
            (header(kind::RESPONSE, 3, 50), b"headheadstub", None, b"stub"),
            (header(kind::RESPONSE, 3, 0), b"head", None, b""),
        ];
        for (header, body, verifier, data) in cases {
            let (found, rest) = header.verifier(body);
            assert_eq!((found, header.data(rest)), (*verifier, *data), "{body:?}");
        }
    }

    #[test]
    fn names_of_types() {
        let cases = [(0, "REQUEST"), (15, "ALTER_CONTEXT_RESP"), (20, "RTS"), (21, "UNKNOWN")];
        for (kind, expected) in cases {
            assert_eq!(kind::name(kind), expected);
        }
    }

    #[test]
    fn addresses_are_aligned() {
        for address in ["", "1", "135", "\\PIPE\\a"] {
            let text = if address.is_empty() { Vec::new() } else { [address.as_bytes(), b"\0"].concat() };
            let mut body = [&[0; 8][..], &(text.len() as u16).to_le_bytes(), &text].concat();
            body.resize(body.len().next_multiple_of(4), 0xff);
            body.extend([1, 0, 0, 0, 2, 0, 1, 0]);
            body.extend([0; 20]);
            let expected = Answer { address: address.as_bytes(), results: vec![(2, 1)] };
            assert_eq!(Answer::read(Order::Little, &body), Some(expected), "{address}");
            body.pop();
            assert_eq!(Answer::read(Order::Little, &body), None, "{address}");
        }
    }
}
