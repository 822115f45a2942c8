//! Messages: the header, and what follows it by command (volume 2, 2-3 and 2-4).

use weir_base::{Reader, Timestamp};

use super::cip::{Cip, Message as CipMessage, segment};
use super::item::{Content, Identity, Item, Services};
use super::names::command;

/// Bytes of a header.
pub const HEADER: usize = 24;

/// Most items of a message.
pub const MAX_ITEMS: usize = 64;

/// A header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Command.
    pub command: u16,
    /// Bytes that follow.
    pub length: u16,
    /// The session.
    pub session: u32,
    /// Status.
    pub status: u32,
    /// Options; none are known.
    pub options: u32,
}

impl Header {
    /// Reads a header.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let (command, length) = (reader.u16_le()?, reader.u16_le()?);
        let (session, status) = (reader.u32_le()?, reader.u32_le()?);
        // What the sender has back.
        reader.skip(8)?;
        Some(Self { command, length, session, status, options: reader.u32_le()? })
    }

    /// Bytes of the message.
    pub fn whole(&self) -> usize {
        HEADER + usize::from(self.length)
    }
}

/// Payload after a header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Payload {
    /// The version of the protocol, and options, of a session that begins.
    Session(u16, u16),
    /// Data for objects, or from them.
    Data(Vec<Item>),
    /// Devices, and their services.
    List(Vec<Item>),
    /// Anything else, or nothing.
    Other,
}

/// Values of services that rules compare.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Values {
    /// Classes of objects that are asked.
    pub classes: Vec<u32>,
    /// Objects that are.
    pub instances: Vec<u32>,
    /// Attributes that are asked for, or set.
    pub attributes: Vec<u32>,
    /// General statuses.
    pub statuses: Vec<u8>,
    /// More of that, where it is a number.
    pub extended: Vec<u16>,
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The header.
    pub header: Header,
    /// Payload after it.
    pub payload: Payload,
    /// Payload does not fit the command.
    pub invalid: bool,
    /// Values of its services that rules compare.
    pub values: Values,
    /// When it was captured.
    pub time: Timestamp,
}

impl Message {
    /// Reads a message that is all there, and nothing else.
    pub fn read(header: Header, bytes: &[u8], time: Timestamp) -> Self {
        let mut reader = Reader::new(bytes.get(HEADER..).unwrap_or_default());
        let payload = match header.command {
            command::REGISTER_SESSION => session(&mut reader),
            command::LIST_SERVICES | command::LIST_INTERFACES | command::LIST_IDENTITY
                if header.length > 0 =>
            {
                items(&mut reader, HEADER).map(Payload::List)
            }
            command::SEND_RR_DATA | command::SEND_UNIT_DATA => data(&mut reader),
            _ => Some(Payload::Other),
        };
        let invalid = payload.is_none();
        let mut message = Self {
            header,
            payload: payload.unwrap_or(Payload::Other),
            invalid,
            values: Values::default(),
            time,
        };
        let mut values = Values::default();
        message.services().flat_map(|(cip, ..)| cip.all()).for_each(|cip| values.add(cip));
        message.values = values;
        message
    }

    /// Its items.
    pub fn items(&self) -> &[Item] {
        match &self.payload {
            Payload::Data(items) | Payload::List(items) => items,
            _ => &[],
        }
    }

    /// Its services, where they stand in the message, and their lengths.
    pub fn services(&self) -> impl Iterator<Item = (&Cip, usize, usize)> {
        let items = match &self.payload {
            Payload::Data(items) => items.as_slice(),
            _ => &[],
        };
        items.iter().filter_map(Item::service)
    }

    /// Returns the identity that a device states.
    pub fn identity(&self) -> Option<&Identity> {
        match &self.items().first()?.content {
            Content::Identity(identity) if self.header.command == command::LIST_IDENTITY => Some(identity),
            _ => None,
        }
    }

    /// Returns the services that a device offers.
    pub fn offered(&self) -> Option<&Services> {
        match &self.items().first()?.content {
            Content::Services(services) if self.header.command == command::LIST_SERVICES => Some(services),
            _ => None,
        }
    }

    /// The version of the protocol, where the message says it.
    pub fn protocol_version(&self) -> Option<u16> {
        match self.payload {
            Payload::Session(version, _) => Some(version),
            _ => {
                let identity = self.identity().map(|identity| identity.protocol_version);
                identity.or(self.offered().map(|services| services.protocol_version))
            }
        }
    }

    /// Whether it may be the response to `request`.
    pub fn answers(&self, request: &Self) -> bool {
        let (ours, theirs) = (&self.header, &request.header);
        // A session has its number from the response.
        let same = ours.command == theirs.command
            && (ours.session == theirs.session || ours.command == command::REGISTER_SESSION);
        let sequence = |message: &Self| match &message.items().get(1)?.content {
            Content::Data { sequence, .. } => *sequence,
            _ => None,
        };
        same && match (&request.payload, &self.payload) {
            (Payload::Data(_), Payload::Data(_)) => match (sequence(request), sequence(self)) {
                (Some(asked), Some(answered)) => asked == answered,
                _ => true,
            },
            (Payload::Data(_), _) | (_, Payload::Data(_)) => false,
            _ => true,
        }
    }
}

impl Values {
    fn add(&mut self, cip: &Cip) {
        self.classes.extend(cip.segments(segment::CLASS));
        self.instances.extend(cip.segments(segment::INSTANCE));
        self.attributes.extend(cip.attributes());
        if let CipMessage::Response { status, extended } = &cip.message {
            self.statuses.push(*status);
            if let [low, high] = **extended {
                self.extended.push(u16::from_le_bytes([low, high]));
            }
        }
    }
}

fn session(reader: &mut Reader<'_>) -> Option<Payload> {
    Some(Payload::Session(reader.u16_le()?, reader.u16_le()?))
}

fn data(reader: &mut Reader<'_>) -> Option<Payload> {
    // The interface, and how long it may take.
    reader.skip(6)?;
    items(reader, HEADER + 6).map(Payload::Data)
}

/// Items whose count stands at `start` of the message.
fn items(reader: &mut Reader<'_>, start: usize) -> Option<Vec<Item>> {
    let before = reader.len();
    let count = usize::from(reader.u16_le()?);
    if count > MAX_ITEMS {
        return None;
    }
    let mut items = Vec::with_capacity(count);
    for _ in 0..count {
        let start = start + before - reader.len();
        items.push(Item::read(reader, start)?);
    }
    Some(items)
}
