//! Events of DNP3 for scripts: messages, headers of objects, and values of points, as Zeek reads them.

use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::{EventValue, Reader};

use super::layout::{self, Layout, little_endian};
use super::transaction::Dnp3Transaction;

const HEADER_BLOCK: usize = 0;
const REQUEST_HEADER: usize = 1;
const RESPONSE_HEADER: usize = 2;
const OBJECT_HEADER: usize = 3;
const PREFIX: usize = 4;
const DATA: usize = 5;
const ATTRIBUTE: usize = 6;
const CROB: usize = 7;
const PCB: usize = 8;
const FILE: usize = 9;
const DEBUG: usize = 10;
/// The first event of those of [`POINTS`].
const OF_POINTS: usize = 11;

/// Parts of a point whose event has them one by one: a flag, a number of so many bytes, the same with a sign, a time.
#[derive(Clone, Copy)]
enum Part {
    Flag,
    Number(usize),
    Signed(usize),
    Time,
}

use Part::{Flag, Number, Signed, Time};

/// Types of objects with an event of their points, in the order of the events.
const POINTS: [(u16, &[Part]); 40] = [
    (0x1401, &[Flag, Number(4)]),
    (0x1402, &[Flag, Number(2)]),
    (0x1405, &[Number(4)]),
    (0x1406, &[Number(2)]),
    (0x1501, &[Flag, Number(4)]),
    (0x1502, &[Flag, Number(2)]),
    (0x1505, &[Flag, Number(4), Time]),
    (0x1506, &[Flag, Number(2), Time]),
    (0x1509, &[Number(4)]),
    (0x150a, &[Number(2)]),
    (0x1e01, &[Flag, Signed(4)]),
    (0x1e02, &[Flag, Signed(2)]),
    (0x1e03, &[Signed(4)]),
    (0x1e04, &[Signed(2)]),
    (0x1e05, &[Flag, Number(4)]),
    (0x1e06, &[Flag, Number(4), Number(4)]),
    (0x1f01, &[Flag, Signed(4)]),
    (0x1f02, &[Flag, Signed(2)]),
    (0x1f03, &[Flag, Signed(4), Time]),
    (0x1f04, &[Flag, Signed(2), Time]),
    (0x1f05, &[Signed(4)]),
    (0x1f06, &[Signed(2)]),
    (0x1f07, &[Flag, Number(4)]),
    (0x1f08, &[Flag, Number(4), Number(4)]),
    (0x2001, &[Flag, Signed(4)]),
    (0x2002, &[Flag, Signed(2)]),
    (0x2003, &[Flag, Signed(4), Time]),
    (0x2004, &[Flag, Signed(2), Time]),
    (0x2005, &[Flag, Number(4)]),
    (0x2006, &[Flag, Number(4), Number(4)]),
    (0x2007, &[Flag, Number(4), Time]),
    (0x2008, &[Flag, Number(4), Number(4), Time]),
    (0x2101, &[Flag, Signed(4)]),
    (0x2102, &[Flag, Signed(2)]),
    (0x2103, &[Flag, Signed(4), Time]),
    (0x2104, &[Flag, Signed(2), Time]),
    (0x2105, &[Flag, Number(4)]),
    (0x2106, &[Flag, Number(4), Number(4)]),
    (0x2107, &[Flag, Number(4), Time]),
    (0x2108, &[Flag, Number(4), Number(4), Time]),
];

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/dnp3/main",
    bodies: None,
    names: &[
        "dnp3_header_block",
        "dnp3_application_request_header",
        "dnp3_application_response_header",
        "dnp3_object_header",
        "dnp3_object_prefix",
        "dnp3_response_data_object",
        "dnp3_attribute_common",
        "dnp3_crob",
        "dnp3_pcb",
        "dnp3_file_transport",
        "dnp3_debug_byte",
        "dnp3_counter_32wFlag",
        "dnp3_counter_16wFlag",
        "dnp3_counter_32woFlag",
        "dnp3_counter_16woFlag",
        "dnp3_frozen_counter_32wFlag",
        "dnp3_frozen_counter_16wFlag",
        "dnp3_frozen_counter_32wFlagTime",
        "dnp3_frozen_counter_16wFlagTime",
        "dnp3_frozen_counter_32woFlag",
        "dnp3_frozen_counter_16woFlag",
        "dnp3_analog_input_32wFlag",
        "dnp3_analog_input_16wFlag",
        "dnp3_analog_input_32woFlag",
        "dnp3_analog_input_16woFlag",
        "dnp3_analog_input_SPwFlag",
        "dnp3_analog_input_DPwFlag",
        "dnp3_frozen_analog_input_32wFlag",
        "dnp3_frozen_analog_input_16wFlag",
        "dnp3_frozen_analog_input_32wTime",
        "dnp3_frozen_analog_input_16wTime",
        "dnp3_frozen_analog_input_32woFlag",
        "dnp3_frozen_analog_input_16woFlag",
        "dnp3_frozen_analog_input_SPwFlag",
        "dnp3_frozen_analog_input_DPwFlag",
        "dnp3_analog_input_event_32woTime",
        "dnp3_analog_input_event_16woTime",
        "dnp3_analog_input_event_32wTime",
        "dnp3_analog_input_event_16wTime",
        "dnp3_analog_input_event_SPwoTime",
        "dnp3_analog_input_event_DPwoTime",
        "dnp3_analog_input_event_SPwTime",
        "dnp3_analog_input_event_DPwTime",
        "dnp3_frozen_analog_input_event_32woTime",
        "dnp3_frozen_analog_input_event_16woTime",
        "dnp3_frozen_analog_input_event_32wTime",
        "dnp3_frozen_analog_input_event_16wTime",
        "dnp3_frozen_analog_input_event_SPwoTime",
        "dnp3_frozen_analog_input_event_DPwoTime",
        "dnp3_frozen_analog_input_event_SPwTime",
        "dnp3_frozen_analog_input_event_DPwTime",
    ],
    open: || Box::new(Dnp3Raiser),
};

/// Functions of requests that have no objects, and those of responses that have some (IEEE 1815 4.4).
const WITHOUT_OBJECTS: [u8; 7] = [0x00, 0x0d, 0x0e, 0x0f, 0x13, 0x17, 0x18];
const LAST_REQUEST: u8 = 0x21;
const RESPONSES: std::ops::RangeInclusive<u8> = 0x81..=0x83;

/// Groups of objects that requests bring values of.
const BROUGHT: [u8; 7] = [0x0c, 0x32, 0x33, 0x34, 0x46, 0x50, 0x78];

/// The value of points that are no single byte.
const NO_VALUE: u64 = 0xff;

#[derive(Debug)]
struct Dnp3Raiser;

impl EventRaiser for Dnp3Raiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        if let Some(tx) = news.of::<Dnp3Transaction>().filter(|tx| news.complete && tx.whole) {
            let link = [tx.link.length.into(), tx.link.control.into()];
            let ends = [tx.link.destination.into(), tx.link.source.into()];
            message(&tx.data, tx.is_request(), (link, ends), &mut |event, values| {
                let is_orig = EventValue::Bool(tx.is_request());
                let mut arguments = vec![EventValue::Connection, is_orig];
                arguments.extend_from_slice(values);
                sink.raise(event, &arguments);
            });
        }
    }
}

/// Takes an event's number, and its values behind the connection and the direction.
pub(super) type Raise<'r> = dyn FnMut(usize, &[EventValue<'_>]) + 'r;

/// Raises the events of a message; the link's length and control, and the ends.
pub(super) fn message(
    data: &[u8],
    is_request: bool,
    (link, ends): ([EventValue<'_>; 2], [EventValue<'_>; 2]),
    raise: &mut Raise<'_>,
) {
    let ([length, control], [destination, source]) = (link, ends);
    raise(HEADER_BLOCK, &[length, control, destination, source]);
    // What does not fit its format has no event.
    let _ = application(data, is_request, raise);
}

fn application(data: &[u8], is_request: bool, raise: &mut Raise<'_>) -> Option<()> {
    let mut reader = Reader::new(data);
    let (control, function) = (reader.u8()?, reader.u8()?);
    if is_request {
        raise(REQUEST_HEADER, &[control.into(), function.into()]);
        if WITHOUT_OBJECTS.contains(&function) || function > LAST_REQUEST {
            return Some(());
        }
    } else {
        let indications = reader.u16()?;
        raise(RESPONSE_HEADER, &[control.into(), function.into(), indications.into()]);
        if !RESPONSES.contains(&function) {
            raise(DEBUG, &[EventValue::String(reader.rest())]);
            return Some(());
        }
    }
    while !reader.is_empty() {
        objects(&mut reader, is_request, raise)?;
    }
    Some(())
}

/// A header of objects (IEEE 1815 4.2.2.7), and their points.
fn objects(reader: &mut Reader<'_>, is_request: bool, raise: &mut Raise<'_>) -> Option<()> {
    let (kind, qualifier) = (reader.u16()?, reader.u8()?);
    let (count, low, high): (u64, u64, u64) = match qualifier & 0xf {
        0 => range(reader.u8()?.into(), reader.u8()?.into()),
        1 => range(reader.u16_le()?.into(), reader.u16_le()?.into()),
        2 => range(reader.u32_le()?.into(), reader.u32_le()?.into()),
        3 => (0, reader.u8()?.into(), reader.u8()?.into()),
        4 => (0, reader.u16()?.into(), reader.u16()?.into()),
        5 => (0, reader.u32()?.into(), reader.u32()?.into()),
        6 => (0, 0xffff, 0xffff),
        7 | 0xb => {
            let count = u64::from(reader.u8()?);
            (count, count, 0)
        }
        8 => {
            let count = reader.u16()?;
            (count.swap_bytes().into(), count.into(), 0)
        }
        9 => {
            let count = reader.u32()?;
            (count.swap_bytes().into(), count.into(), 0)
        }
        _ => {
            reader.take(reader.len())?;
            (0, 0, 0)
        }
    };
    let head = [u64::from(kind), qualifier.into(), count, low, high].map(EventValue::Count);
    raise(OBJECT_HEADER, &head);
    let [group, _] = kind.to_be_bytes();
    if is_request && !BROUGHT.contains(&group) {
        return Some(());
    }
    let is_packed = matches!(kind, 0x0101 | 0x0301 | 0x0a01 | 0x0c03);
    let points = if is_packed { count.div_ceil(8) } else { count };
    for _ in 0..points {
        if reader.is_empty() {
            return None;
        }
        let size = prefix(qualifier, reader)?;
        raise(PREFIX, &[EventValue::Count(size)]);
        let value = point(kind, size, reader, raise)?;
        if !is_request {
            raise(DATA, &[EventValue::Count(value)]);
        }
    }
    Some(())
}

/// A range's number of points, its first and its last.
const fn range(low: u64, high: u64) -> (u64, u64, u64) {
    ((high + 1).saturating_sub(low), low, high)
}

/// The number before a point: its index or its size.
fn prefix(qualifier: u8, reader: &mut Reader<'_>) -> Option<u64> {
    let width = match qualifier >> 4 {
        1 | 4 => 1,
        2 | 5 => 2,
        3 | 6 => 4,
        _ => return Some(0),
    };
    little_endian(reader, width)
}

/// Reads a point and raises its event, where it has one; its value.
fn point(kind: u16, size: u64, reader: &mut Reader<'_>, raise: &mut Raise<'_>) -> Option<u64> {
    if let Some((place, (_, parts))) = POINTS.iter().enumerate().find(|(_, (known, _))| *known == kind) {
        let mut values = Vec::new();
        for part in *parts {
            let value = match part {
                Flag => reader.u8()?.into(),
                Number(width) => little_endian(reader, *width)?,
                Signed(width) => signed(little_endian(reader, *width)?, *width),
                Time => little_endian(reader, 6)?,
            };
            values.push(EventValue::Count(value));
        }
        raise(OF_POINTS + place, &values);
        return Some(NO_VALUE);
    }
    match kind {
        0x00d3..=0x00ff => {
            let (code, length) = (reader.u8()?, reader.u8()?);
            let text = EventValue::String(reader.take(length.into())?);
            raise(ATTRIBUTE, &[code.into(), length.into(), text]);
        }
        0x0c01 | 0x0c02 => {
            let (control, count) = (reader.u8()?, reader.u8()?);
            let (on, off, status) = (reader.u32_le()?, reader.u32_le()?, reader.u8()?);
            let values = [control.into(), count.into(), on.into(), off.into(), status.into()];
            raise(if kind == 0x0c01 { CROB } else { PCB }, &values);
        }
        0x4605 => {
            let (handle, block) = (reader.u32_le()?, reader.u32_le()?);
            let content = reader.take(usize::try_from(size.checked_sub(8)?).ok()?)?;
            raise(FILE, &[handle.into(), block.into(), EventValue::String(content)]);
        }
        0x0101 | 0x0301 | 0x0a01 | 0x0c03 => return reader.u8().map(u64::from),
        _ => return other(kind, size, reader),
    }
    Some(NO_VALUE)
}

/// Passes over a point without an event; its value, where it is a byte.
fn other(kind: u16, size: u64, reader: &mut Reader<'_>) -> Option<u64> {
    let [group, variation] = kind.to_be_bytes();
    let Some(Layout::Parts(parts)) = layout::layout(group, variation) else { return None };
    let before = reader.rest();
    layout::read_point(parts, u32::try_from(size).ok()?, reader, |_, _| {})?;
    match before.len() - reader.len() {
        1 => before.first().map(|byte| u64::from(*byte)),
        _ => Some(NO_VALUE),
    }
}

/// A number as Zeek counts it: those below zero are very large.
const fn signed(value: u64, width: usize) -> u64 {
    match width {
        2 => value as u16 as i16 as i64 as u64,
        _ => value as u32 as i32 as i64 as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raised(data: &[u8], is_request: bool) -> Vec<String> {
        let mut all = Vec::new();
        let none = [EventValue::Count(0); 2];
        message(data, is_request, (none, none), &mut |event, values| {
            let numbers = values.iter().map(|value| match value {
                EventValue::Count(number) => number.to_string(),
                _ => "-".to_owned(),
            });
            all.push(format!("{} {}", &EVENTS.names[event][5..], numbers.collect::<Vec<_>>().join(" ")));
        });
        all.remove(0);
        all
    }

    #[test]
    fn points_of_messages() {
        assert_eq!(EVENTS.names.len(), OF_POINTS + POINTS.len());
        let read = b"\xc8\x01\x3c\x02\x06\x3c\x01\x06";
        let expected = [
            "application_request_header 200 1",
            "object_header 15362 6 0 65535 65535",
            "object_header 15361 6 0 65535 65535",
        ];
        assert_eq!(raised(read, true), expected);
        let response = b"\xc8\x81\0\0\x1e\x02\0\x03\x03\x01\xff\xff\x01\x01\0\0\x08\x81";
        let expected = [
            "application_response_header 200 129 0",
            "object_header 7682 0 1 3 3",
            "object_prefix 0",
            "analog_input_16wFlag 1 18446744073709551615",
            "response_data_object 255",
            "object_header 257 0 9 0 8",
            "object_prefix 0",
            "response_data_object 129",
        ];
        assert_eq!(raised(response, false), expected);
    }
}
