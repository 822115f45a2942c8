//! Content of a message behind its header (5.0, 3), by its type.
//!
//! A message keeps its bytes once; its texts are parts of them. Before 5.0 there are no properties and few
//! reasons.

use weir_base::Reader;

use super::header::{Header, kind, variable};
use super::property::{Property, properties};

/// The version that has properties and reasons.
const WITH_PROPERTIES: u8 = 5;

/// A reason that need not be said: success.
const SUCCESS: u8 = 0;

/// Flags of CONNECT (5.0, 3.1.2.3).
pub mod flag {
    /// There is a name.
    pub const USERNAME: u8 = 0x80;
    /// There is a password.
    pub const PASSWORD: u8 = 0x40;
    /// The server keeps the will.
    pub const WILL_RETAIN: u8 = 0x20;
    /// There is a will: what is published when the client is gone.
    pub const WILL: u8 = 0x04;
    /// Nothing is known of a session before.
    pub const CLEAN_SESSION: u8 = 0x02;

    /// Names.
    pub const NAMES: &[(&str, u64)] = &[
        ("username", USERNAME as u64),
        ("password", PASSWORD as u64),
        ("will_retain", WILL_RETAIN as u64),
        ("will", WILL as u64),
        ("clean_session", CLEAN_SESSION as u64),
    ];
}

/// Where a part of a message's bytes is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Part {
    start: u32,
    end: u32,
}

/// Payload and variable header of CONNECT.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Connect {
    /// The protocol's name.
    pub protocol: Part,
    /// Its version.
    pub version: u8,
    /// Connect flags.
    pub flags: u8,
    /// Seconds without a message after which the client is gone.
    pub keep_alive: u16,
    /// Properties.
    pub properties: Part,
    /// The client's name for itself.
    pub client: Part,
    /// The will.
    pub will: Option<Will>,
    /// The user.
    pub username: Option<Part>,
    /// Password.
    pub password: Option<Part>,
}

/// Will message, published when the client is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Will {
    /// Properties.
    pub properties: Part,
    /// Under which topic.
    pub topic: Part,
    /// Payload.
    pub message: Part,
}

/// A topic that a client subscribes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subscription {
    /// Its name or pattern.
    pub topic: Part,
    /// With what quality of service.
    pub qos: u8,
}

/// Content of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// CONNECT
    Connect(Box<Connect>),
    /// CONNACK
    Connack {
        /// The server knows of a session before.
        session_present: bool,
        /// Whether it takes the client, and why not.
        return_code: u8,
        /// Properties.
        properties: Part,
    },
    /// PUBLISH
    Publish {
        /// Under which topic.
        topic: Part,
        /// Its number, where it is answered.
        id: Option<u16>,
        /// Properties.
        properties: Part,
        /// Application message.
        message: Part,
    },
    /// PUBACK, PUBREC, PUBREL, PUBCOMP
    Acknowledgement {
        /// The number of what it is about.
        id: u16,
        /// Reason code (5.0).
        reason: Option<u8>,
        /// Properties.
        properties: Part,
    },
    /// SUBSCRIBE
    Subscribe {
        /// Its number.
        id: u16,
        /// Properties.
        properties: Part,
        /// The topics.
        topics: Vec<Subscription>,
    },
    /// SUBACK, UNSUBACK
    Granted {
        /// The number of what it answers.
        id: u16,
        /// Of each topic, how it went.
        codes: Part,
    },
    /// UNSUBSCRIBE
    Unsubscribe {
        /// Its number.
        id: u16,
        /// The topics.
        topics: Vec<Part>,
    },
    /// DISCONNECT, AUTH
    Reason {
        /// Reason code (5.0).
        reason: Option<u8>,
        /// Properties.
        properties: Part,
    },
    /// PINGREQ, PINGRESP, and what no message is.
    Nothing,
    /// Too long to be read.
    Truncated,
}

impl Content {
    /// Reads what follows a header. `strict`: what follows the last topic that makes sense is wrong.
    pub fn read(header: &Header, version: u8, strict: bool, bytes: &[u8]) -> Option<Self> {
        let has_properties = version == WITH_PROPERTIES;
        let mut body = Body { reader: Reader::new(bytes), strict };
        Some(match header.kind {
            kind::CONNECT => Content::Connect(Box::new(body.connect()?)),
            kind::CONNACK => {
                let [flags, return_code] = body.reader.array()?;
                let properties = body.properties(has_properties)?;
                Content::Connack { session_present: flags & 1 != 0, return_code, properties }
            }
            kind::PUBLISH => {
                let topic = body.text()?;
                let id = if header.qos() > 0 { Some(body.reader.u16()?) } else { None };
                let properties = body.properties(has_properties)?;
                Content::Publish { topic, id, properties, message: body.rest() }
            }
            kind::PUBACK | kind::PUBREC | kind::PUBREL | kind::PUBCOMP => {
                let id = body.reader.u16()?;
                let (reason, properties) = body.reason(version)?;
                Content::Acknowledgement { id, reason, properties }
            }
            kind::SUBSCRIBE => {
                let id = body.reader.u16()?;
                let properties = body.properties(has_properties)?;
                let topics = body.list(Body::subscription)?;
                (strict || !topics.is_empty()).then_some(Content::Subscribe { id, properties, topics })?
            }
            kind::SUBACK | kind::UNSUBACK => {
                let id = body.reader.u16()?;
                body.properties(has_properties)?;
                Content::Granted { id, codes: body.rest() }
            }
            kind::UNSUBSCRIBE => {
                let id = body.reader.u16()?;
                body.properties(has_properties)?;
                Content::Unsubscribe { id, topics: body.list(Body::text)? }
            }
            kind::DISCONNECT => {
                let (reason, properties) = body.reason(version)?;
                // Rules and records know one that stands alone as success, whatever it is.
                let reason = if header.remaining == 1 { reason.map(|_| SUCCESS) } else { reason };
                Content::Reason { reason, properties }
            }
            kind::AUTH if !strict => {
                let reason = Some(body.reader.u8()?);
                Content::Reason { reason, properties: body.properties(true)? }
            }
            _ => Content::Nothing,
        })
    }
}

impl Part {
    /// The part of these bytes.
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        bytes.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// Whether nothing is in it.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// Bytes after a header, as far as they are read.
struct Body<'a> {
    reader: Reader<'a>,
    strict: bool,
}

impl Body<'_> {
    /// The next `length` bytes.
    fn part(&mut self, length: usize) -> Option<Part> {
        let start = self.reader.position() as u32;
        self.reader.skip(length)?;
        Some(Part { start, end: self.reader.position() as u32 })
    }

    /// Returns the rest.
    fn rest(&mut self) -> Part {
        let length = self.reader.len();
        self.part(length).unwrap_or_default()
    }

    /// Text, with its length before it (5.0, 1.5.4).
    fn text(&mut self) -> Option<Part> {
        let length = self.reader.u16()?;
        self.part(length.into())
    }

    /// Properties, with their length before them, where there are any.
    fn properties(&mut self, expected: bool) -> Option<Part> {
        if !expected {
            return Some(Part::default());
        }
        let length = variable(&mut self.reader).ok()? as usize;
        let make_sense = properties(self.reader.rest().get(..length)?).all(|found| found.is_some());
        if make_sense { self.part(length) } else { None }
    }

    /// Reads a reason code, and properties, both of which may be left out at the end.
    fn reason(&mut self, version: u8) -> Option<(Option<u8>, Part)> {
        if version < WITH_PROPERTIES {
            return Some((None, Part::default()));
        }
        let reason = if self.reader.is_empty() { SUCCESS } else { self.reader.u8()? };
        let properties = self.properties(!self.reader.is_empty())?;
        Some((Some(reason), properties))
    }

    fn connect(&mut self) -> Option<Connect> {
        let protocol = self.text()?;
        let [version, flags, high, low] = self.reader.array::<4>()?;
        let keep_alive = u16::from_be_bytes([high, low]);
        // Zeek knows no properties.
        let has_properties = version == WITH_PROPERTIES && !self.strict;
        let properties = self.properties(has_properties)?;
        let client = self.text()?;
        let will = if flags & flag::WILL != 0 { Some(self.will(has_properties)?) } else { None };
        let username = if flags & flag::USERNAME != 0 { Some(self.text()?) } else { None };
        let password = if flags & flag::PASSWORD != 0 { Some(self.text()?) } else { None };
        Some(Connect { protocol, version, flags, keep_alive, properties, client, will, username, password })
    }

    fn will(&mut self, has_properties: bool) -> Option<Will> {
        let properties = self.properties(has_properties)?;
        Some(Will { properties, topic: self.text()?, message: self.text()? })
    }

    fn subscription(&mut self) -> Option<Subscription> {
        Some(Subscription { topic: self.text()?, qos: self.reader.u8()? })
    }

    /// Reads items with `read` until the end.
    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut list = Vec::new();
        while !self.reader.is_empty() {
            match read(self) {
                Some(entry) => list.push(entry),
                None if self.strict => return None,
                None => break,
            }
        }
        Some(list)
    }
}

/// A message, as it was sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Payload {
    bytes: Box<[u8]>,
    /// Content.
    pub content: Content,
}

impl Payload {
    /// Reads what follows a header; `strict` as for [`Content::read`].
    pub fn read(header: &Header, version: u8, strict: bool, bytes: &[u8]) -> Option<Self> {
        Some(Self { content: Content::read(header, version, strict, bytes)?, bytes: bytes.into() })
    }

    /// That of a message that is too long to be read.
    pub fn truncated() -> Self {
        Self { bytes: Box::default(), content: Content::Truncated }
    }

    /// A part of it.
    pub fn bytes(&self, part: Part) -> &[u8] {
        part.of(&self.bytes)
    }

    /// The properties that are a part of it.
    pub fn properties(&self, part: Part) -> impl Iterator<Item = Property<'_>> {
        properties(self.bytes(part)).flatten()
    }

    /// Returns its length in bytes.
    pub const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing is in it.
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the reason codes of all topics.
    pub fn reasons(&self) -> &[u8] {
        match &self.content {
            Content::Connack { return_code, .. } => std::slice::from_ref(return_code),
            Content::Acknowledgement { reason: Some(reason), .. }
            | Content::Reason { reason: Some(reason), .. } => std::slice::from_ref(reason),
            Content::Granted { codes, .. } => self.bytes(*codes),
            _ => &[],
        }
    }

    /// The number that an answer names, or is named by.
    pub const fn id(&self) -> Option<u16> {
        match self.content {
            Content::Publish { id, .. } => id,
            Content::Acknowledgement { id, .. }
            | Content::Subscribe { id, .. }
            | Content::Granted { id, .. }
            | Content::Unsubscribe { id, .. } => Some(id),
            _ => None,
        }
    }
}
