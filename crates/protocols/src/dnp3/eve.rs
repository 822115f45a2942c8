//! EVE records of type `dnp3`.

use std::io::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use weir_applayer::{Endpoints, EveLog, EveWriter, LogDirection, Transaction, downcast};
use weir_base::{JsonWriter, Reader};

use super::layout::{Layout, Part, Value, little_endian, read_point};
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
    let Some((layout, count, points)) = object.points(message) else { return };
    json.array("points");
    match layout {
        Layout::Packed(name, bits) => write_packed(object, (name, bits), (count, points), json),
        Layout::Parts(parts) => write_points(object, parts, (count, points), json),
    }
    json.close_array();
}

/// Opens a point with what stands before it, by its place among the object's.
fn open_point(object: &Object, prefix: u64, place: u32, json: &mut JsonWriter<'_>) {
    let (prefix_length, is_size) = object.prefix();
    json.open_object();
    json.unsigned("prefix", prefix);
    let counted = u64::from(object.start.wrapping_add(place));
    json.unsigned("index", if prefix_length > 0 && !is_size { prefix } else { counted });
    if is_size {
        json.unsigned("size", prefix);
    }
}

fn write_packed(
    object: &Object,
    (name, bits): (&str, u8),
    (count, points): (u32, &[u8]),
    json: &mut JsonWriter<'_>,
) {
    let mut reader = Reader::new(points);
    // All have the one that stands before the first.
    let prefix = little_endian(&mut reader, object.prefix().0).unwrap_or_default();
    let states = reader.rest().iter().flat_map(|byte| (0..8 / bits).map(move |place| byte >> (place * bits)));
    for (place, state) in (0..count).zip(states) {
        open_point(object, prefix, place, json);
        json.unsigned(name, state & ((1 << bits) - 1));
        json.close_object();
    }
}

fn write_points(object: &Object, parts: &[Part], (count, points): (u32, &[u8]), json: &mut JsonWriter<'_>) {
    let mut reader = Reader::new(points);
    for place in 0..count {
        let prefix = little_endian(&mut reader, object.prefix().0).unwrap_or_default();
        open_point(object, prefix, place, json);
        let size = u32::try_from(prefix).unwrap_or(u32::MAX);
        // They were read before.
        _ = read_point(parts, size, &mut reader, |part, value| write_part(part, value, json));
        json.close_object();
    }
}

fn write_part(part: Part, value: Value<'_>, json: &mut JsonWriter<'_>) {
    let value = match (part, value) {
        (Part::Bytes(name, _), Value::Bytes(bytes)) => return json.string(name, STANDARD.encode(bytes)),
        // It ends with its first zero.
        (Part::Text(name, _), Value::Bytes(text)) => {
            return json.string(name, text.split(|&byte| byte == 0).next().unwrap_or_default());
        }
        (_, Value::Bytes(_)) => return,
        (_, Value::Number(value)) => value,
    };
    match part {
        Part::Bits(names) => {
            let mut left = value;
            for (name, bits) in names {
                json.unsigned(name, left & ((1 << bits) - 1));
                left >>= bits;
            }
        }
        Part::Unsigned(name, _) => json.unsigned(name, value),
        // Numbers below zero are shown as those of eight bytes that have the same bits.
        Part::Signed(name, 2) => json.unsigned(name, i64::from(value as u16 as i16) as u64),
        Part::Signed(name, _) => json.unsigned(name, i64::from(value as u32 as i32) as u64),
        Part::Float(name, 4) => write_float(name, f32::from_bits(value as u32).into(), json),
        Part::Float(name, _) => write_float(name, f64::from_bits(value), json),
        Part::Text(..) | Part::Bytes(..) => {}
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
