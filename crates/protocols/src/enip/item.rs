//! Items of the common packet format (volume 2, 2-6).

use weir_base::Reader;

use super::cip::Cip;

/// Kinds of items that are looked into.
mod kind {
    pub(super) const IDENTITY: u16 = 0x0c;
    pub(super) const CONNECTED: u16 = 0xb1;
    pub(super) const UNCONNECTED: u16 = 0xb2;
    pub(super) const SERVICES: u16 = 0x100;
}

/// Bytes before an item's content.
pub const HEADER: usize = 4;

/// Identity of a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The version of the protocol.
    pub protocol_version: u16,
    /// The vendor.
    pub vendor: u16,
    /// The kind of device.
    pub device_type: u16,
    /// The product.
    pub product_code: u16,
    /// Its revision: major and minor.
    pub revision: (u8, u8),
    /// Its status.
    pub status: u16,
    /// Its serial number.
    pub serial: u32,
    /// The product's name.
    pub product_name: Vec<u8>,
    /// State of the device.
    pub state: u8,
}

/// Services of a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Services {
    /// The version of the protocol.
    pub protocol_version: u16,
    /// Capability flags.
    pub capabilities: u16,
    /// The name, with what fills it up.
    pub name: Vec<u8>,
}

/// Content of an item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// Identity of a device.
    Identity(Box<Identity>),
    /// Services of the device.
    Services(Services),
    /// A service.
    Data {
        /// Sequence number in the connection, where there is one.
        sequence: Option<u16>,
        /// The service.
        cip: Cip,
    },
    /// Anything else.
    Other,
}

/// An item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// Where it begins in the message.
    pub start: usize,
    /// The length of its content.
    pub length: u16,
    /// Content.
    pub content: Content,
}

impl Item {
    /// Reads an item that begins at `start` of the message.
    pub fn read(reader: &mut Reader<'_>, start: usize) -> Option<Self> {
        let (kind, length) = (reader.u16_le()?, reader.u16_le()?);
        let mut data = reader.sub(length.into())?;
        let content = match kind {
            kind::IDENTITY => Content::Identity(Box::new(identity(&mut data)?)),
            kind::SERVICES => Content::Services(services(&mut data)?),
            kind::CONNECTED => {
                let sequence = Some(data.u16_le()?);
                Content::Data { sequence, cip: Cip::read(data.rest())? }
            }
            kind::UNCONNECTED => Content::Data { sequence: None, cip: Cip::read(data.rest())? },
            _ => Content::Other,
        };
        Some(Self { start, length, content })
    }

    /// Where its service stands in the message, and how long it is, with all that the item holds of it.
    pub fn service(&self) -> Option<(&Cip, usize, usize)> {
        let Content::Data { sequence, cip } = &self.content else { return None };
        let before = if sequence.is_some() { 2 } else { 0 };
        Some((cip, self.start + HEADER + before, usize::from(self.length) - before))
    }
}

fn identity(data: &mut Reader<'_>) -> Option<Identity> {
    let protocol_version = data.u16_le()?;
    // Its address.
    data.skip(16)?;
    Some(Identity {
        protocol_version,
        vendor: data.u16_le()?,
        device_type: data.u16_le()?,
        product_code: data.u16_le()?,
        revision: (data.u8()?, data.u8()?),
        status: data.u16_le()?,
        serial: data.u32_le()?,
        product_name: {
            let length = data.u8()?;
            data.take(length.into())?.to_vec()
        },
        state: data.u8()?,
    })
}

fn services(data: &mut Reader<'_>) -> Option<Services> {
    Some(Services {
        protocol_version: data.u16_le()?,
        capabilities: data.u16_le()?,
        name: data.take(16)?.to_vec(),
    })
}
