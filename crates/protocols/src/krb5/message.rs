//! Messages (RFC 4120 5.4, 5.9): what is asked of the key distribution centre, what it answers, and errors.

use weir_base::time::Civil;
use weir_base::{Reader, Timestamp};

use super::certificate;
use crate::ber::{self, tag};
use crate::span::Span;

/// Most parts of a name that are kept.
pub const MAX_PARTS: usize = 64;

/// Kinds of messages, by number.
pub mod kind {
    /// A client asks for a ticket by which to ask for others.
    pub const AS_REQ: u8 = 10;
    /// It gets that.
    pub const AS_REP: u8 = 11;
    /// A client asks for a ticket for a service.
    pub const TGS_REQ: u8 = 12;
    /// It gets that.
    pub const TGS_REP: u8 = 13;
    /// A client shows a ticket to a service.
    pub const AP_REQ: u8 = 14;
    /// The service accepts it.
    pub const AP_REP: u8 = 15;
    /// Data with a checksum.
    pub const SAFE: u8 = 20;
    /// Data that is encrypted.
    pub const PRIV: u8 = 21;
    /// Tickets that are handed on.
    pub const CRED: u8 = 22;
    /// A request failed.
    pub const ERROR: u8 = 30;
}

/// The version of all of them.
const VERSION: i64 = 5;

/// The tag of a ticket, and what the tag of a message has beside its number.
pub(super) const TICKET: u8 = 0x61;
const APPLICATION: u8 = 0x60;

/// Bits of a part's tag beside its number: context-specific, constructed (X.690 8.1.2).
const PART: u8 = 0xa0;

/// The kind of a message that begins with this tag; none where no message does.
pub const fn kind_of(tag: u8) -> Option<u8> {
    if tag & 0xe0 == APPLICATION { Some(tag & 0x1f) } else { None }
}

/// The name of a user or of a service.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Principal(Vec<Span>);

/// Options of a request beside the service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wishes {
    /// The ticket may be used from elsewhere.
    pub forwardable: bool,
    /// The ticket can be renewed.
    pub renewable: bool,
    /// From when it is to be valid.
    pub from: Option<Timestamp>,
    /// Until when.
    pub till: Option<Timestamp>,
}

/// Fields that only one kind of messages has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// A request.
    Request(Wishes),
    /// An answer, by the types of encryption of what is for the client, and of the ticket.
    Reply {
        /// Of what is for the client.
        encryption: i32,
        /// Of the ticket.
        ticket: i32,
    },
    /// An error.
    Error {
        /// Its number.
        code: i32,
        /// Text of the error (`e-text`).
        text: Option<Span>,
    },
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    text: Vec<u8>,
    /// Its kind: [`kind`].
    pub kind: u8,
    /// The client.
    pub client: Option<Principal>,
    /// The realm: in requests the service's, in answers and errors the client's.
    pub realm: Option<Span>,
    /// The service.
    pub service: Option<Principal>,
    /// A certificate, where the client or the server shows who it is by one (RFC 4556).
    pub certificate: Option<Span>,
    /// Fields of its kind.
    pub content: Content,
}

/// Whether a message of this kind is read.
pub const fn is_read(kind: u8) -> bool {
    matches!(kind, kind::AS_REQ | kind::AS_REP | kind::TGS_REQ | kind::TGS_REP | kind::ERROR)
}

/// Whether only scripts hear of messages of this kind.
pub const fn is_heard(kind: u8) -> bool {
    matches!(kind, kind::AP_REQ | kind::AP_REP | kind::SAFE | kind::PRIV | kind::CRED)
}

/// The parts of a sequence, by number, in order; the numbers only go up.
pub(super) struct Parts<'a> {
    reader: Reader<'a>,
    next: Option<(u8, &'a [u8])>,
}

impl<'a> Parts<'a> {
    /// Of the sequence that `bytes` begin with.
    pub(super) fn of(bytes: &'a [u8]) -> Option<Self> {
        let mut parts =
            Self { reader: Reader::new(ber::tagged(&mut Reader::new(bytes), tag::SEQUENCE)?), next: None };
        parts.step();
        Some(parts)
    }

    /// Of the sequence that `bytes` begin with; none where there is no sequence.
    pub(super) fn within(bytes: &'a [u8]) -> Self {
        Self::of(bytes).unwrap_or(Self { reader: Reader::new(&[]), next: None })
    }

    fn step(&mut self) {
        let part = ber::element(&mut self.reader);
        self.next = part.and_then(|(tag, content)| Some((tag.checked_sub(PART)?, content)));
    }

    /// The content of the part with this number, where there is one. Those before are passed over.
    pub(super) fn part(&mut self, number: u8) -> Option<&'a [u8]> {
        while let Some((found, content)) = self.next.filter(|(found, _)| *found <= number) {
            self.step();
            if found == number {
                return Some(content);
            }
        }
        None
    }

    pub(super) fn integer(&mut self, number: u8) -> Option<i64> {
        ber::integer(&mut Reader::new(self.part(number)?))
    }
}

/// The texts of a message, one behind the other.
#[derive(Default)]
struct Texts(Vec<u8>);

impl Texts {
    fn keep(&mut self, text: &[u8]) -> Span {
        let start = self.0.len();
        self.0.extend_from_slice(text);
        Span::new(start, self.0.len())
    }

    /// The text that an element holds, whatever kind of text that is.
    fn string(&mut self, element: &[u8]) -> Option<Span> {
        let (_, text) = ber::element(&mut Reader::new(element))?;
        Some(self.keep(text))
    }

    fn principal(&mut self, bytes: &[u8]) -> Option<Principal> {
        let list = Parts::of(bytes)?.part(1)?;
        let mut reader = Reader::new(ber::tagged(&mut Reader::new(list), tag::SEQUENCE)?);
        let mut parts = Vec::new();
        while !reader.is_empty() && parts.len() < MAX_PARTS {
            let (_, text) = ber::element(&mut reader)?;
            parts.push(self.keep(text));
        }
        Some(Principal(parts))
    }
}

impl Message {
    /// Reads a message of a kind that is read ([`is_read`]).
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (tag, content) = ber::element(&mut Reader::new(bytes))?;
        let kind = kind_of(tag)?;
        let mut parts = Parts::of(content)?;
        let is_request = matches!(kind, kind::AS_REQ | kind::TGS_REQ);
        let first = u8::from(is_request);
        if parts.integer(first)? != VERSION || parts.integer(first + 1)? != i64::from(kind) {
            return None;
        }
        let message = Self {
            text: Vec::new(),
            kind,
            client: None,
            realm: None,
            service: None,
            certificate: None,
            content: Content::Error { code: 0, text: None },
        };
        let mut texts = Texts::default();
        let message = match kind {
            _ if is_request => message.request(&mut parts, &mut texts),
            kind::AS_REP | kind::TGS_REP => message.reply(&mut parts, &mut texts),
            kind::ERROR => message.error(&mut parts, &mut texts),
            _ => None,
        }?;
        Some(Self { text: texts.0, ..message })
    }

    /// RFC 4120 5.4.1.
    fn request(mut self, parts: &mut Parts<'_>, texts: &mut Texts) -> Option<Self> {
        let hints = parts.part(3);
        self.certificate = hints.and_then(certificate::of_client).map(|found| texts.keep(found));
        let mut body = Parts::of(parts.part(4)?)?;
        let options = ber::tagged(&mut Reader::new(body.part(0)?), BIT_STRING)?;
        self.client = body.part(1).and_then(|name| texts.principal(name));
        self.realm = Some(texts.string(body.part(2)?)?);
        self.service = body.part(3).and_then(|name| texts.principal(name));
        let from = body.part(4).and_then(time);
        let till = body.part(5).and_then(time);
        // The bits stand behind how many of the last byte are none.
        let has = |bit: usize| options.get(1 + bit / 8).is_some_and(|byte| byte & (0x80 >> (bit % 8)) != 0);
        self.content = Content::Request(Wishes { forwardable: has(1), renewable: has(8), from, till });
        Some(self)
    }

    /// RFC 4120 5.4.2.
    fn reply(mut self, parts: &mut Parts<'_>, texts: &mut Texts) -> Option<Self> {
        let hints = parts.part(2);
        self.certificate = hints.and_then(certificate::of_server).map(|found| texts.keep(found));
        self.realm = Some(texts.string(parts.part(3)?)?);
        self.client = Some(texts.principal(parts.part(4)?)?);
        let mut ticket = Parts::of(ber::tagged(&mut Reader::new(parts.part(5)?), TICKET)?)?;
        self.service = Some(texts.principal(ticket.part(2)?)?);
        let ticket = encryption(ticket.part(3)?)?;
        self.content = Content::Reply { encryption: encryption(parts.part(6)?)?, ticket };
        Some(self)
    }

    /// RFC 4120 5.9.1.
    fn error(mut self, parts: &mut Parts<'_>, texts: &mut Texts) -> Option<Self> {
        let code = i32::try_from(parts.integer(6)?).ok()?;
        self.realm = parts.part(7).and_then(|realm| texts.string(realm));
        self.client = parts.part(8).and_then(|name| texts.principal(name));
        self.service = Some(texts.principal(parts.part(10)?)?);
        let text = parts.part(11).and_then(|text| texts.string(text));
        self.content = Content::Error { code, text };
        Some(self)
    }

    /// Bytes of memory that it takes beside itself.
    pub fn memory(&self) -> usize {
        let names = [&self.client, &self.service].into_iter().flatten();
        self.text.capacity() + names.map(|name| name.0.capacity() * size_of::<Span>()).sum::<usize>()
    }

    /// Returns the bytes of a span.
    pub fn at(&self, place: Span) -> &[u8] {
        place.read(&self.text)
    }

    /// A part of the client's name.
    pub fn client_part(&self, index: usize) -> Option<&[u8]> {
        self.client.as_ref()?.0.get(index).map(|part| self.at(*part))
    }

    /// A part of the service's name.
    pub fn service_part(&self, index: usize) -> Option<&[u8]> {
        self.service.as_ref()?.0.get(index).map(|part| self.at(*part))
    }

    /// A name as users write it, its parts with a stroke between them.
    pub fn name(&self, principal: &Principal) -> Vec<u8> {
        let parts: Vec<&[u8]> = principal.0.iter().map(|part| self.at(*part)).collect();
        parts.join(&b'/')
    }
}

/// BIT STRING
pub(super) const BIT_STRING: u8 = 0x03;

/// The type of encryption of what is encrypted (RFC 4120 5.2.9).
fn encryption(bytes: &[u8]) -> Option<i32> {
    i32::try_from(Parts::of(bytes)?.integer(0)?).ok()
}

/// A moment, `20150119225421Z`.
pub(super) fn time(element: &[u8]) -> Option<Timestamp> {
    let (_, text) = ber::element(&mut Reader::new(element))?;
    let mut reader = Reader::new(text);
    let mut number = |digits| {
        let text = reader.take(digits)?;
        text.iter()
            .try_fold(0u16, |value, byte| Some(value * 10 + u16::from((*byte as char).to_digit(10)? as u8)))
    };
    let year = number(4)?;
    let mut next = || u8::try_from(number(2)?).ok();
    let moment = Civil {
        year: i64::from(year),
        month: next()?.clamp(1, 12),
        day: next()?,
        hour: next()?,
        minute: next()?,
        second: next()?,
    };
    Some(Timestamp::new(u64::try_from(moment.to_seconds()).ok()?, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        let cases: &[(&[u8], Option<u64>)] = &[
            (b"\x18\x0f20150119225421Z", Some(1_421_708_061)),
            (b"\x18\x0f19700101000000Z", Some(0)),
            (b"\x18\x0f20150101000060Z", Some(1_420_070_460)),
            (b"\x18\x0f19691231000000Z", None),
            (b"\x18\x0f2015011922542xZ", None),
            (b"\x18\x042015", None),
            (b"", None),
        ];
        for (element, expected) in cases {
            assert_eq!(time(element).map(Timestamp::seconds), *expected, "{element:02x?}");
        }
        assert!(time(b"\x18\x0f99999999999999Z").is_some());
    }
}
