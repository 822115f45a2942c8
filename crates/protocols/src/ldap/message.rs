//! Messages (RFC 4511 4.1.1): a number by which answers find what they answer, what is asked or answered, and
//! controls.

use weir_base::Reader;

use super::content::{Content, MAX_PARTS};
use super::names::operation;
use crate::ber::{self, tag};
use crate::span::Span;

/// Longest message that is read.
pub const MAX_MESSAGE: usize = weir_applayer::session::PENDING_MAX;

/// The tag of controls.
const CONTROLS: u8 = 0xa0;

/// The bits of a tag that say what an operation's is like, and the two forms of that.
const CLASS: u8 = 0xe0;
const PRIMITIVE: u8 = 0x40;
const CONSTRUCTED: u8 = 0x60;

/// Extent of a message of which there is a beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// There is too little to tell.
    Short,
    /// It is none.
    Malformed,
    /// So many bytes.
    Of(usize),
}

/// Returns the extent of a message that begins here.
pub fn extent(bytes: &[u8]) -> Extent {
    let mut reader = Reader::new(bytes);
    match reader.u8() {
        None => return Extent::Short,
        Some(tag::SEQUENCE) => {}
        Some(_) => return Extent::Malformed,
    }
    let length = match reader.u8() {
        None => return Extent::Short,
        Some(short @ 0..=0x7f) => Some(u32::from(short)),
        Some(0x81) => reader.u8().map(u32::from),
        Some(0x82) => reader.u16().map(u32::from),
        Some(0x83) => reader.u24(),
        Some(0x84) => reader.u32(),
        Some(_) => return Extent::Malformed,
    };
    length.map_or(Extent::Short, |length| Extent::Of(reader.position().saturating_add(length as usize)))
}

/// More that is said of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Control {
    /// Its object identifier, as text.
    pub kind: Span,
    /// Criticality: a server that does not know it is not to act.
    pub is_critical: bool,
    /// Its value.
    pub value: Option<Span>,
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    text: Box<[u8]>,
    /// The number of the request.
    pub id: u32,
    /// The operation: [`operation`].
    pub operation: u8,
    /// Content.
    pub content: Content,
    /// The controls, where there are any.
    pub controls: Option<Vec<Control>>,
}

impl Message {
    /// Reads a message that is whole. With `leniently` texts may be any bytes, and some operations may say
    /// anything.
    pub fn read(bytes: &[u8], leniently: bool) -> Option<Self> {
        Self::read_as(bytes, leniently, true)
    }

    /// Reads a message that is whole, of which Zeek's logs alone tell: leniently, and of entries found nothing but
    /// that there is one.
    pub fn read_for_logs(bytes: &[u8]) -> Option<Self> {
        Self::read_as(bytes, true, false)
    }

    /// Reads a message of which perhaps only the beginning is there, for scripts.
    pub(super) fn read_beginning(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        if ber::enter(&mut reader)? != tag::SEQUENCE {
            return None;
        }
        let id = number(ber::tagged(&mut reader, tag::INTEGER)?)?;
        let (tag, body) = ber::beginning(&mut reader)?;
        let operation = tag & !CLASS;
        let content = Content::read_beginning(bytes, operation, body)?;
        Some(Self { text: bytes.into(), id, operation, content, controls: None })
    }

    fn read_as(bytes: &[u8], leniently: bool, entries: bool) -> Option<Self> {
        let mut reader = Reader::new(ber::tagged(&mut Reader::new(bytes), tag::SEQUENCE)?);
        let id = number(ber::tagged(&mut reader, tag::INTEGER)?)?;
        let (tag, body) = ber::element(&mut reader)?;
        if !matches!(tag & CLASS, PRIMITIVE | CONSTRUCTED) {
            return None;
        }
        let operation = tag & !CLASS;
        if operation == operation::SEARCH_RESULT_ENTRY && !entries {
            return Some(Self { text: [].into(), id, operation, content: Content::Nothing, controls: None });
        }
        let content = match Content::read(bytes, operation, body, leniently) {
            None if leniently && operation::is_opaque(operation) => Content::Nothing,
            content => content?,
        };
        let controls = controls(bytes, &mut reader);
        Some(Self { text: bytes.into(), id, operation, content, controls })
    }

    /// Returns the bytes of a span.
    pub fn at(&self, place: Span) -> &[u8] {
        place.read(&self.text)
    }

    /// Bytes of it.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether it has no bytes, which none has that was read.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// The content of an integer that fits 32 bits and is not below zero.
pub(super) fn number(content: &[u8]) -> Option<u32> {
    ber::signed(content).and_then(|value| u32::try_from(value).ok())
}

/// The next element, a truth value.
pub(super) fn boolean(reader: &mut Reader<'_>) -> Option<bool> {
    match ber::tagged(reader, TAG_BOOLEAN)? {
        [value] => Some(*value != 0),
        _ => None,
    }
}

/// BOOLEAN
const TAG_BOOLEAN: u8 = 0x01;

fn controls(bytes: &[u8], reader: &mut Reader<'_>) -> Option<Vec<Control>> {
    let mut reader = Reader::new(ber::tagged(reader, CONTROLS)?);
    let mut controls = Vec::new();
    while controls.len() < MAX_PARTS
        && let Some(control) = control(bytes, &mut reader)
    {
        controls.push(control);
    }
    Some(controls)
}

fn control(bytes: &[u8], reader: &mut Reader<'_>) -> Option<Control> {
    let mut reader = Reader::new(ber::tagged(reader, tag::SEQUENCE)?);
    let kind = Span::of(bytes, ber::tagged(&mut reader, tag::OCTET_STRING)?);
    let is_critical = reader.peek() == Some(TAG_BOOLEAN) && boolean(&mut reader)?;
    let value = ber::tagged(&mut reader, tag::OCTET_STRING).map(|value| Span::of(bytes, value));
    Some(Control { kind, is_critical, value })
}
