//! Objects of a message (IEEE 1815 4.2.2.7): their headers, and where their points are.

use weir_base::Reader;

use super::anomaly::Dnp3Anomaly;
use super::layout::{Layout, Prefix, layout, little_endian, read_point, required_prefix};
use super::settings::Settings;
use crate::span::Span;

/// An object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Object {
    /// Group.
    pub group: u8,
    /// Variation.
    pub variation: u8,
    /// Qualifier.
    pub qualifier: u8,
    /// The first point.
    pub start: u32,
    /// The last one.
    pub stop: u32,
    /// Number of points.
    pub count: u32,
    /// The points, and how many of them were read.
    points: Span,
    read: u32,
}

impl Object {
    /// Returns the code of the prefix before each point.
    pub const fn prefix_code(&self) -> u8 {
        self.qualifier >> 4 & 7
    }

    /// Returns the code of the points' range.
    pub const fn range_code(&self) -> u8 {
        self.qualifier & 0x0f
    }

    /// The points that were read, in the message's bytes: how many, and where they are.
    pub fn points(self, message: &[u8]) -> Option<(Layout, u32, &[u8])> {
        let layout = layout(self.group, self.variation)?;
        (self.read > 0).then(|| (layout, self.read, self.points.read(message)))
    }

    /// Bytes before each point, and whether they are its size rather than its index.
    pub const fn prefix(&self) -> (usize, bool) {
        match self.prefix_code() {
            1 => (1, false),
            2 => (2, false),
            3 => (4, false),
            4 => (1, true),
            5 => (2, true),
            6 => (4, true),
            _ => (0, false),
        }
    }

    /// Whether the points have the prefix that they must have.
    const fn is_prefixed(&self) -> bool {
        match required_prefix(self.group, self.variation) {
            Prefix::Any => true,
            Prefix::Size => self.prefix().1,
            Prefix::Size2 => self.prefix_code() == 5,
        }
    }
}

/// Objects, and what was wrong with the first one that is not understood: nothing follows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Objects {
    /// The objects.
    pub list: Vec<Object>,
    /// All that the message has were understood.
    pub complete: bool,
    /// Anomaly of the objects.
    pub anomaly: Option<Dnp3Anomaly>,
}

impl Objects {
    /// Reads what stands in a message from `start` on. `with_points`: the points are there, too.
    pub fn read(message: &[u8], start: usize, with_points: bool, limits: &Settings) -> Self {
        let mut objects = Self::default();
        let mut reader = Reader::new(message.get(start..).unwrap_or_default());
        let mut points = 0usize;
        while !reader.is_empty() {
            if objects.list.len() >= limits.max_objects {
                objects.anomaly = Some(Dnp3Anomaly::TooManyObjects);
                return objects;
            }
            let Some(mut object) = header(&mut reader) else { return objects };
            if range(&mut object, &mut reader).is_none() {
                objects.list.push(object);
                return objects;
            }
            if !with_points || object.variation == 0 || object.count == 0 {
                objects.list.push(object);
                continue;
            }
            points = points.saturating_add(usize::try_from(object.count).unwrap_or(usize::MAX));
            if points > limits.max_points {
                objects.list.push(object);
                objects.anomaly = Some(Dnp3Anomaly::TooManyPoints);
                return objects;
            }
            let before = reader.rest();
            let whole = points_of(&mut object, &mut reader).is_some();
            let found = before.get(..before.len() - reader.len()).unwrap_or_default();
            object.points = Span::of(message, found);
            objects.list.push(object);
            if !whole {
                objects.anomaly = Some(Dnp3Anomaly::UnknownObject);
                return objects;
            }
        }
        objects.complete = true;
        objects
    }
}

fn header(reader: &mut Reader<'_>) -> Option<Object> {
    Some(Object {
        group: reader.u8()?,
        variation: reader.u8()?,
        qualifier: reader.u8()?,
        start: 0,
        stop: 0,
        count: 0,
        points: Span::default(),
        read: 0,
    })
}

/// Reads which points of an object follow, or how many.
fn range(object: &mut Object, reader: &mut Reader<'_>) -> Option<()> {
    let range = object.range_code();
    match range {
        0 | 3 => (object.start, object.stop) = (reader.u8()?.into(), reader.u8()?.into()),
        1 | 4 => (object.start, object.stop) = (reader.u16_le()?.into(), reader.u16_le()?.into()),
        2 | 5 => (object.start, object.stop) = (reader.u32_le()?, reader.u32_le()?),
        6 => {}
        7 | 0x0b => object.count = reader.u8()?.into(),
        8 => object.count = reader.u16_le()?.into(),
        9 => object.count = reader.u32_le()?,
        _ => return None,
    }
    if range <= 5 {
        object.count = object.stop.wrapping_sub(object.start).wrapping_add(1);
    }
    Some(())
}

/// Reads the points of an object, as far as they are there; none where one is missing.
fn points_of(object: &mut Object, reader: &mut Reader<'_>) -> Option<()> {
    let layout = layout(object.group, object.variation)?;
    if !object.is_prefixed() {
        return None;
    }
    let (prefix, _) = object.prefix();
    match layout {
        Layout::Packed(_, bits) => {
            little_endian(reader, prefix)?;
            let per_byte = u32::from(8 / bits);
            // One byte more than eighths, be it needed or not.
            for _ in 0..=object.count / 8 {
                reader.u8()?;
                object.read = object.read.saturating_add(per_byte).min(object.count);
            }
        }
        Layout::Parts(parts) => {
            for _ in 0..object.count {
                let mut ahead = *reader;
                let size = u32::try_from(little_endian(&mut ahead, prefix)?).ok()?;
                read_point(parts, size, &mut ahead, |_, _| ())?;
                *reader = ahead;
                object.read += 1;
            }
        }
    }
    Some(())
}
