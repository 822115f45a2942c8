//! EVE records of type `dnp3`.

use std::io::Write as _;

use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Transaction, downcast};
use weir_base::{JsonWriter, Reader};

use super::layout::{Layout, Part};
use super::names::{INDICATIONS, UNSOLICITED_RESPONSE};
use super::object::Object;
use super::transaction::Dnp3Transaction;

/// The record type.
pub static EVE: EveLog = EveLog::new("dnp3", LogDirection::Flow, |_| Box::new(Dnp3Writer));

#[derive(Debug)]
struct Dnp3Writer;

impl EveWriter for Dnp3Writer {
    fn write(&self, transaction: &dyn Transaction, _: &Endpoints, json: &mut JsonWriter<'_>) -> bool {
        let Some(tx) = downcast::<Dnp3Transaction>(transaction) else { return false };
        let kind = match (tx.is_request(), tx.function()) {
            (true, _) => "request",
            (false, UNSOLICITED_RESPONSE) => "unsolicited_response",
            (false, _) => "response",
        };
        json.string("type", kind);
        write_link(tx, json);
        json.nested("application", |json| write_application(tx, json));
        if let Some(indications) = tx.indications() {
            json.object("iin");
            let set = INDICATIONS.iter().filter(|(_, flag)| indications & flag != 0);
            json.some_strings("indicators", set.map(|(name, _)| name));
            json.close_object();
        }
        true
    }

    fn logs(&self, transaction: &dyn Transaction) -> bool {
        downcast::<Dnp3Transaction>(transaction).is_some_and(|tx| tx.whole)
    }
}

fn write_link(tx: &Dnp3Transaction, json: &mut JsonWriter<'_>) {
    let control = tx.link.control;
    json.object("control");
    for (key, bit) in [("dir", 0x80), ("pri", 0x40), ("fcb", 0x20), ("fcv", 0x10)] {
        json.boolean(key, control & bit != 0);
    }
    json.unsigned("function_code", tx.link.function());
    json.close_object();
    json.unsigned("src", tx.link.source);
    json.unsigned("dst", tx.link.destination);
}

fn write_application(tx: &Dnp3Transaction, json: &mut JsonWriter<'_>) {
    let control = tx.control();
    json.object("control");
    for (key, bit) in [("fir", 0x80), ("fin", 0x40), ("con", 0x20), ("uns", 0x10)] {
        json.boolean(key, control & bit != 0);
    }
    json.unsigned("sequence", control & 0x0f);
    json.close_object();
    json.unsigned("function_code", tx.function());
    if !tx.objects.list.is_empty() {
        json.objects("objects", &tx.objects.list, |json, object| {
            write_object(object, &tx.data, json);
        });
    }
    json.boolean("complete", tx.objects.complete);
}

/// Writes the members of an object.
pub(super) fn write_object(object: &Object, message: &[u8], json: &mut JsonWriter<'_>) {
    json.unsigned("group", object.group);
    json.unsigned("variation", object.variation);
    json.unsigned("qualifier", object.qualifier);
    json.unsigned("prefix_code", object.prefix_code());
    json.unsigned("range_code", object.range_code());
    json.unsigned("start", object.start);
    json.unsigned("stop", object.stop);
    json.unsigned("count", object.count);
    let Some((layout, points)) = object.points(message) else { return };
    json.array("points");
    match layout {
        Layout::Packed(bits) => write_packed(object, bits, points, json),
        Layout::Parts(parts) => write_points(object, parts, points, json),
    }
    json.close_array();
}

fn write_packed(object: &Object, bits: u8, points: &[u8], json: &mut JsonWriter<'_>) {
    let per_byte = 8 / bits;
    let states = points.iter().flat_map(|byte| (0..per_byte).map(move |place| byte >> (place * bits)));
    for (index, state) in (object.start..).zip(states).take(object.count as usize) {
        json.open_object();
        json.unsigned("prefix", 0u8);
        json.unsigned("index", index);
        json.unsigned("state", state & ((1 << bits) - 1));
        json.close_object();
    }
}

fn write_points(object: &Object, parts: &[Part], points: &[u8], json: &mut JsonWriter<'_>) {
    let (prefix_length, is_size) = object.prefix().unwrap_or_default();
    let mut reader = Reader::new(points);
    for number in 0..object.count {
        let prefix = little_endian(&mut reader, prefix_length);
        json.open_object();
        json.unsigned("prefix", prefix);
        let counted = u64::from(object.start) + u64::from(number);
        json.unsigned("index", if prefix_length > 0 && !is_size { prefix } else { counted });
        if is_size {
            json.unsigned("size", prefix);
        }
        parts.iter().for_each(|part| write_part(*part, &mut reader, json));
        json.close_object();
    }
}

fn write_part(part: Part, reader: &mut Reader<'_>, json: &mut JsonWriter<'_>) {
    let length = part.length();
    let value = little_endian(reader, length);
    match part {
        Part::Bits(names) => {
            let mut left = value;
            for (name, bits) in names {
                json.unsigned(name, left & ((1 << bits) - 1));
                left >>= bits;
            }
        }
        Part::Unsigned(name, _) => json.unsigned(name, value),
        Part::Signed(name, 2) => json.signed(name, value as u16 as i16),
        Part::Signed(name, _) => json.signed(name, value as u32 as i32),
        Part::Float(name, 4) => write_float(name, f32::from_bits(value as u32).into(), json),
        Part::Float(name, _) => write_float(name, f64::from_bits(value), json),
    }
}

/// A fraction; nothing stands for what is none.
fn write_float(name: &str, value: f64, json: &mut JsonWriter<'_>) {
    if value.is_finite() {
        // Writing to memory does not fail.
        json.raw(name, |out| _ = write!(out, "{value:?}"));
    } else {
        json.null(name);
    }
}

fn little_endian(reader: &mut Reader<'_>, length: usize) -> u64 {
    let bytes = reader.take(length).unwrap_or_default();
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}
