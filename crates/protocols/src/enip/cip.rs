//! CIP: services that are asked of objects, and what became of them (volume 1, 2-4).

use weir_base::Reader;

/// Most services of one packet. They may not overlap, either: each byte of a packet is read once.
pub const MAX_PARTS: usize = 1024;

/// Set in the service of a response.
const RESPONSE: u8 = 0x80;

/// Services that are looked into.
pub mod service {
    /// Attributes are asked for.
    pub const GET_ATTRIBUTE_LIST: u8 = 3;
    /// Attributes are set.
    pub const SET_ATTRIBUTE_LIST: u8 = 4;
    /// Several services.
    pub const MULTIPLE: u8 = 10;
}

/// Kinds of segments of a path, without how their values are written.
pub mod segment {
    /// A class of objects.
    pub const CLASS: u8 = 0x20;
    /// One object.
    pub const INSTANCE: u8 = 0x24;
    /// One of its attributes.
    pub const ATTRIBUTE: u8 = 0x30;
    /// A key, which is no number.
    pub(super) const SPECIAL: u8 = 0x34;
}

/// A logical segment of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Its first byte.
    pub tag: u8,
    /// The number of what it leads to.
    pub value: u32,
}

impl Segment {
    /// Its kind, by [`segment`].
    pub const fn kind(self) -> u8 {
        self.tag & 0xfc
    }
}

/// Request or response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// A request.
    Request {
        /// The way to what is asked, as far as its segments are logical ones.
        path: Vec<Segment>,
        /// Attributes that are asked for, or the first one that is set.
        attributes: Vec<u16>,
    },
    /// A response.
    Response {
        /// General status.
        status: u8,
        /// More of that.
        extended: Vec<u8>,
    },
}

/// A service, asked for or answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cip {
    /// The service.
    pub service: u8,
    /// Request or response.
    pub message: Message,
    /// Services that it consists of.
    pub parts: Vec<Part>,
}

/// A service that is part of another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Where it begins in the other one.
    pub start: usize,
    /// Bytes of it that are understood.
    pub length: usize,
    /// The service; it has no parts.
    pub cip: Cip,
}

impl Cip {
    /// Reads a service.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let mut cip = Self::alone(&mut reader)?;
        if cip.service == service::MULTIPLE {
            cip.parts = parts(bytes, reader.position())?;
        }
        Some(cip)
    }

    /// Reads a service without its parts.
    fn alone(reader: &mut Reader<'_>) -> Option<Self> {
        let first = reader.u8()?;
        let service = first & !RESPONSE;
        let message = if first & RESPONSE == 0 { request(reader, service)? } else { response(reader)? };
        Some(Self { service, message, parts: Vec::new() })
    }

    /// The service and those that it consists of.
    pub fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.parts.iter().map(|part| &part.cip))
    }

    /// Values of segments of a kind.
    pub fn segments(&self, kind: u8) -> impl Iterator<Item = u32> {
        let path = match &self.message {
            Message::Request { path, .. } => path.as_slice(),
            Message::Response { .. } => &[],
        };
        path.iter().filter(move |segment| segment.kind() == kind).map(|segment| segment.value)
    }

    /// Attributes that are asked for, or set.
    pub fn attributes(&self) -> impl Iterator<Item = u32> {
        let listed = match &self.message {
            Message::Request { attributes, .. } => attributes.as_slice(),
            Message::Response { .. } => &[],
        };
        self.segments(segment::ATTRIBUTE).chain(listed.iter().map(|attribute| u32::from(*attribute)))
    }
}

fn request(reader: &mut Reader<'_>, service: u8) -> Option<Message> {
    let words = usize::from(reader.u8()?);
    let mut path = reader.sub(2 * words)?;
    let mut segments = Vec::new();
    while let Some(segment) = logical_segment(&mut path) {
        segments.push(segment);
    }
    let mut attributes = Vec::new();
    if matches!(service, service::GET_ATTRIBUTE_LIST | service::SET_ATTRIBUTE_LIST) {
        let count = usize::from(reader.u16_le()?);
        // What follows an attribute that is set is as long as its class says.
        let count = if service == service::SET_ATTRIBUTE_LIST { count.min(1) } else { count };
        let mut list = reader.sub(2 * count)?;
        while let Some(attribute) = list.u16_le() {
            attributes.push(attribute);
        }
    }
    Some(Message::Request { path: segments, attributes })
}

/// A logical segment; nothing where another kind of segment follows.
fn logical_segment(path: &mut Reader<'_>) -> Option<Segment> {
    let tag = path.u8()?;
    let segment = Segment { tag, value: 0 };
    if tag >> 5 != 1 || segment.kind() == segment::SPECIAL {
        return None;
    }
    let value = match tag & 3 {
        0 => path.u8()?.into(),
        form @ (1 | 2) => {
            path.skip(1)?;
            if form == 1 { path.u16_le()?.into() } else { path.u32_le()? }
        }
        _ => return None,
    };
    Some(Segment { value, ..segment })
}

fn response(reader: &mut Reader<'_>) -> Option<Message> {
    reader.skip(1)?;
    let status = reader.u8()?;
    let words = usize::from(reader.u8()?);
    Some(Message::Response { status, extended: reader.take(2 * words)?.to_vec() })
}

/// Services of a packet, whose places follow `start`.
fn parts(bytes: &[u8], start: usize) -> Option<Vec<Part>> {
    let data = bytes.get(start..)?;
    let mut reader = Reader::new(data);
    let count = usize::from(reader.u16_le()?);
    if count > MAX_PARTS {
        return None;
    }
    let mut left = data.len();
    let mut parts = Vec::with_capacity(count);
    for _ in 0..count {
        let offset = usize::from(reader.u16_le()?);
        let mut inner = Reader::new(data.get(offset..)?);
        let cip = Cip::alone(&mut inner)?;
        let length = inner.position();
        left = left.checked_sub(length)?;
        parts.push(Part { start: start + offset, length, cip });
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts at these places behind their count.
    fn multiple(places: &[u16], parts: &[u8]) -> Vec<u8> {
        let mut bytes = vec![service::MULTIPLE, 0];
        bytes.extend((places.len() as u16).to_le_bytes());
        bytes.extend(places.iter().flat_map(|place| place.to_le_bytes()));
        bytes.extend(parts);
        bytes
    }

    #[test]
    fn requests() {
        // A path with values of one, two and four bytes, and a segment that is no logical one.
        let path = b"\x20\x06\x25\x00\x01\x02\x32\x00\x04\x03\x02\x01\x91\x02ab";
        let bytes = [&[0x0e, path.len() as u8 / 2][..], path].concat();
        let cip = Cip::read(&bytes).unwrap();
        assert_eq!(cip.segments(segment::CLASS).collect::<Vec<_>>(), [6]);
        assert_eq!(cip.segments(segment::INSTANCE).collect::<Vec<_>>(), [0x201]);
        assert_eq!(cip.attributes().collect::<Vec<_>>(), [0x0102_0304]);
        let list = Cip::read(b"\x03\x01\x20\x01\x02\0\x05\0\x06\0").unwrap();
        assert_eq!(list.attributes().collect::<Vec<_>>(), [5, 6]);
        let set = Cip::read(b"\x04\x01\x20\x01\x02\0\x05\0\x06\0").unwrap();
        assert_eq!(set.attributes().collect::<Vec<_>>(), [5]);
        assert_eq!(Cip::read(b"\x03\x01\x20\x01\x03\0\x05\0\x06\0"), None);
        assert_eq!(Cip::read(b"\x03\x02\x20\x01"), None);
    }

    #[test]
    fn responses() {
        let Message::Response { status, extended } =
            Cip::read(b"\x8e\0\x01\x01\x07\x01more").unwrap().message
        else {
            panic!("no response");
        };
        assert_eq!((status, &*extended), (1, &b"\x07\x01"[..]));
        assert_eq!(Cip::read(b"\x8e\0\x01\x02\x07\x01"), None);
    }

    #[test]
    fn packets() {
        let get = b"\x0e\x02\x20\x01\x24\x01";
        let cip = Cip::read(&multiple(&[6, 12], &[&get[..], get].concat())).unwrap();
        let places: Vec<_> = cip.parts.iter().map(|part| (part.start, part.length)).collect();
        assert_eq!((places, cip.all().count()), (vec![(8, 6), (14, 6)], 3));
        assert_eq!(Cip::read(&multiple(&[6, 99], get)), None, "outside");
        assert_eq!(Cip::read(&multiple(&[8, 8, 8], get)), None, "overlapping");
        let inner = Cip::read(&multiple(&[4], &multiple(&[4], get))).unwrap();
        assert!(inner.parts.iter().all(|part| part.cip.parts.is_empty()));
        assert_eq!(Cip::read(&multiple(&[0; MAX_PARTS + 1], get)), None);
    }
}
