//! Content of messages (RFC 4511 4.2 to 4.13).

use smallvec::SmallVec;
use weir_base::Reader;

use super::filter;
use super::message::{boolean, number};
use super::names::operation;
use crate::ber::{self, tag};
use crate::span::Span;

/// Most attributes, values, controls and the like that are read of a message.
pub const MAX_PARTS: usize = 16_384;

/// ENUMERATED
const ENUMERATED: u8 = 0x0a;

/// SET
const SET: u8 = 0x31;

/// The highest version.
const MAX_VERSION: u32 = 127;

/// Result of a request (`LDAPResult`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The code.
    pub code: u32,
    /// The last object that was found.
    pub matched: Span,
    /// Diagnostic message of the server.
    pub message: Span,
}

/// An attribute and its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: Span,
    /// Its values: most have one.
    pub values: SmallVec<[Span; 2]>,
}

/// Authentication of a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Authentication {
    /// By a password.
    Simple(Span),
    /// By a mechanism, with what that needs.
    Sasl(Span, Option<Span>),
    /// Any other way, by its tag's number.
    Other(u8),
}

/// A search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Search {
    /// Where it begins.
    pub base: Span,
    /// Scope of the search.
    pub scope: u32,
    /// Aliases that are followed (`derefAliases`).
    pub aliases: u32,
    /// Most entries that are wanted.
    pub size_limit: u32,
    /// Most seconds that it may take.
    pub time_limit: u32,
    /// Attributes are wanted without values.
    pub types_only: bool,
    /// Filter: the element.
    pub filter: Span,
    /// The attributes that are wanted.
    pub attributes: Vec<Span>,
}

/// Content of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// Nothing, or nothing that is read.
    Nothing,
    /// A client says who it is.
    Bind {
        /// The version of the protocol.
        version: u8,
        /// The client's name.
        name: Span,
        /// Authentication.
        authentication: Authentication,
    },
    /// Result of a request.
    Result {
        /// Result.
        outcome: Outcome,
        /// SASL credentials of the server.
        credentials: Option<Span>,
        /// The name of what is answered.
        name: Option<Span>,
        /// Value of the response.
        value: Option<Span>,
    },
    /// A search begins.
    Search(Box<Search>),
    /// An entry: one that was found, or one to add.
    Entry {
        /// Its name.
        name: Span,
        /// Its attributes.
        attributes: Vec<Attribute>,
    },
    /// Where else to search.
    Reference(Vec<Span>),
    /// An entry is to change.
    Modify {
        /// Its name.
        object: Span,
        /// Changes: the operation, and the attribute.
        changes: Vec<(u32, Attribute)>,
    },
    /// An entry is to go.
    Delete(Span),
    /// An entry is to be named otherwise.
    ModifyDn {
        /// Its name.
        entry: Span,
        /// The last part of the new one.
        new_rdn: Span,
        /// The old one is to go.
        delete_old: bool,
        /// Where it is to be.
        new_superior: Option<Span>,
    },
    /// Whether an entry has a value.
    Compare {
        /// Its name.
        entry: Span,
        /// The attribute.
        attribute: Span,
        /// The value.
        value: Span,
    },
    /// The answer to a request is not wanted any more.
    Abandon(u32),
    /// An operation of a later standard, or a part of its answer.
    Extended {
        /// Its name.
        name: Option<Span>,
        /// Value of the request.
        value: Option<Span>,
    },
}

impl Content {
    /// Reads the `body` of an operation, which is a part of `whole`.
    pub(super) fn read(whole: &[u8], kind: u8, body: &[u8], leniently: bool) -> Option<Self> {
        Body { whole, reader: Reader::new(body), leniently, left: MAX_PARTS }.read(kind)
    }

    /// Reads the `body` of an operation of which perhaps only the beginning is there: leniently, and of what may be long the
    /// name alone.
    pub(super) fn read_beginning(whole: &[u8], kind: u8, body: &[u8]) -> Option<Self> {
        let mut body = Body { whole, reader: Reader::new(body), leniently: true, left: MAX_PARTS };
        match kind {
            operation::SEARCH_RESULT_ENTRY => {
                Some(Self::Entry { name: body.text()?, attributes: Vec::new() })
            }
            operation::MODIFY_REQUEST => Some(Self::Modify { object: body.text()?, changes: Vec::new() }),
            _ if operation::is_opaque(kind) => Some(body.read(kind).unwrap_or(Self::Nothing)),
            _ => body.read(kind),
        }
    }
}

/// Reads a body.
struct Body<'a> {
    whole: &'a [u8],
    reader: Reader<'a>,
    leniently: bool,
    /// Parts that may yet be read.
    left: usize,
}

impl<'a> Body<'a> {
    fn read(mut self, kind: u8) -> Option<Content> {
        Some(match kind {
            operation::BIND_REQUEST => self.bind()?,
            operation::UNBIND_REQUEST => Content::Nothing,
            operation::SEARCH_REQUEST => Content::Search(Box::new(self.search()?)),
            operation::SEARCH_RESULT_ENTRY | operation::ADD_REQUEST => {
                Content::Entry { name: self.text()?, attributes: self.attributes()? }
            }
            operation::SEARCH_RESULT_REFERENCE => {
                let mut places = vec![self.text()?];
                while let Some(place) = self.part(Self::text) {
                    places.push(place);
                }
                Content::Reference(places)
            }
            operation::MODIFY_REQUEST => Content::Modify { object: self.text()?, changes: self.changes()? },
            operation::DEL_REQUEST => Content::Delete(self.checked(self.reader.rest())?),
            operation::MOD_DN_REQUEST => Content::ModifyDn {
                entry: self.text()?,
                new_rdn: self.text()?,
                delete_old: boolean(&mut self.reader)?,
                new_superior: self.optional_text(0)?,
            },
            operation::COMPARE_REQUEST => {
                let entry = self.text()?;
                let mut pair = self.inside(tag::SEQUENCE)?;
                Content::Compare { entry, attribute: pair.text()?, value: pair.octets()? }
            }
            operation::ABANDON_REQUEST => Content::Abandon(number(self.reader.rest())?),
            operation::EXTENDED_REQUEST => {
                Content::Extended { name: Some(self.optional_text(0)??), value: self.optional(1) }
            }
            operation::INTERMEDIATE_RESPONSE => {
                Content::Extended { name: self.optional_text(0)?, value: self.optional(1) }
            }
            kind if operation::is_result(kind) => self.result(kind)?,
            _ => return None,
        })
    }

    fn bind(&mut self) -> Option<Content> {
        let version = number(ber::tagged(&mut self.reader, tag::INTEGER)?)?;
        let version = u8::try_from(version).ok().filter(|_| version <= MAX_VERSION)?;
        let name = self.text()?;
        let (tag, content) = ber::element(&mut self.reader)?;
        let authentication = match tag & 0x1f {
            0 => Authentication::Simple(Span::of(self.whole, content)),
            3 => {
                let mut sasl = self.of(content);
                Authentication::Sasl(sasl.text()?, sasl.octets())
            }
            other if self.leniently => Authentication::Other(other),
            _ => return None,
        };
        Some(Content::Bind { version, name, authentication })
    }

    fn search(&mut self) -> Option<Search> {
        let base = self.text()?;
        let scope = self.enumerated()?;
        let aliases = self.enumerated()?;
        let size_limit = number(ber::tagged(&mut self.reader, tag::INTEGER)?)?;
        let time_limit = number(ber::tagged(&mut self.reader, tag::INTEGER)?)?;
        let types_only = boolean(&mut self.reader)?;
        let from = self.reader.rest();
        ber::element(&mut self.reader)?;
        let filter = from.get(..from.len().saturating_sub(self.reader.len()))?;
        if !self.leniently && !filter::is_filter(filter) {
            return None;
        }
        let mut names = self.inside(tag::SEQUENCE)?;
        let mut attributes = Vec::new();
        while let Some(name) = names.part(Self::text) {
            attributes.push(name);
        }
        let filter = Span::of(self.whole, filter);
        Some(Search { base, scope, aliases, size_limit, time_limit, types_only, filter, attributes })
    }

    fn result(&mut self, kind: u8) -> Option<Content> {
        let outcome = Outcome { code: self.enumerated()?, matched: self.text()?, message: self.text()? };
        if self.reader.peek() == Some(REFERRAL) {
            ber::element(&mut self.reader)?;
        }
        let (mut credentials, mut name, mut value) = (None, None, None);
        match kind {
            operation::BIND_RESPONSE => credentials = self.optional(7),
            operation::EXTENDED_RESPONSE => {
                name = self.optional_text(10)?;
                value = self.optional(11);
            }
            _ => {}
        }
        Some(Content::Result { outcome, credentials, name, value })
    }

    fn changes(&mut self) -> Option<Vec<(u32, Attribute)>> {
        let mut list = self.inside(tag::SEQUENCE)?;
        let change = |list: &mut Self| {
            let mut change = list.inside(tag::SEQUENCE)?;
            let kind = change.enumerated()?;
            let attribute = change.attribute()?;
            list.left = change.left;
            Some((kind, attribute))
        };
        let mut changes = vec![list.part(change)?];
        while let Some(change) = list.part(change) {
            changes.push(change);
        }
        Some(changes)
    }

    fn attributes(&mut self) -> Option<Vec<Attribute>> {
        let mut list = self.inside(tag::SEQUENCE)?;
        let mut attributes = Vec::new();
        while let Some(attribute) = list.part(Self::attribute) {
            attributes.push(attribute);
        }
        Some(attributes)
    }

    fn attribute(&mut self) -> Option<Attribute> {
        let mut pair = self.inside(tag::SEQUENCE)?;
        let name = pair.text()?;
        let mut set = pair.inside(SET)?;
        let mut values = SmallVec::new();
        while let Some(value) = set.part(Self::octets) {
            values.push(value);
        }
        self.left = set.left;
        Some(Attribute { name, values })
    }

    /// One part of many: none where too many were read.
    fn part<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        read(self)
    }

    fn of(&self, content: &'a [u8]) -> Self {
        Self { reader: Reader::new(content), ..*self }
    }

    /// Returns the content of the next element.
    fn inside(&mut self, wanted: u8) -> Option<Self> {
        let content = ber::tagged(&mut self.reader, wanted)?;
        Some(self.of(content))
    }

    fn octets(&mut self) -> Option<Span> {
        Some(Span::of(self.whole, ber::tagged(&mut self.reader, tag::OCTET_STRING)?))
    }

    fn text(&mut self) -> Option<Span> {
        let text = ber::tagged(&mut self.reader, tag::OCTET_STRING)?;
        self.checked(text)
    }

    fn checked(&self, text: &[u8]) -> Option<Span> {
        (self.leniently || std::str::from_utf8(text).is_ok()).then(|| Span::of(self.whole, text))
    }

    fn enumerated(&mut self) -> Option<u32> {
        number(ber::tagged(&mut self.reader, ENUMERATED)?)
    }

    /// The next element, if it has this number in its context.
    fn optional(&mut self, number: u8) -> Option<Span> {
        let content = self.optional_content(number)?;
        Some(Span::of(self.whole, content))
    }

    /// Reads an optional text, which is none of other bytes.
    fn optional_text(&mut self, number: u8) -> Option<Option<Span>> {
        match self.optional_content(number) {
            Some(content) => self.checked(content).map(Some),
            None => Some(None),
        }
    }

    fn optional_content(&mut self, number: u8) -> Option<&'a [u8]> {
        self.reader.peek().filter(|tag| tag & !CONSTRUCTED == CONTEXT | number)?;
        ber::element(&mut self.reader).map(|(_, content)| content)
    }
}

/// The class of tags whose numbers have their meaning by context.
const CONTEXT: u8 = 0x80;

/// The bit of tags of what has elements inside.
const CONSTRUCTED: u8 = 0x20;

/// The tag of where else a request may be made.
const REFERRAL: u8 = 0xa3;
