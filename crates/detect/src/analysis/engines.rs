//! In which order the buffers of a rule are inspected.

use weir_applayer::Protocol;
use weir_base::{Direction, JsonWriter};

use super::matches::{Notes, write_buffer, write_checks};
use super::names;
use super::subject::{Literal, Subject};
use crate::model::signature::{BufferMatch, FrameRow, PrefilterPlace, Target};
use crate::model::transform::Transform;

/// One inspection of a buffer, for one protocol in one direction; or of the stream.
struct Engine<'a> {
    buffer: Option<&'a BufferMatch>,
    place: PrefilterPlace,
    direction: Direction,
    protocol: Option<&'static Protocol>,
    progress: u8,
    is_mpm: bool,
}

/// The inspections of a rule on transactions: the buffer that the prefilter looks at comes first, the
/// others by the state from which they are ready, the stream last.
fn engines<'a>(subject: &Subject<'a>, literal: Option<&Literal>) -> Vec<Engine<'a>> {
    let mut engines = Vec::new();
    for (index, buffer) in subject.transaction_buffers() {
        let place = PrefilterPlace::Buffer(index);
        let is_mpm = subject.literal_in(literal, &place).is_some();
        for direction in Direction::BOTH {
            for engine in rows(subject, buffer, &place, direction, is_mpm) {
                insert(&mut engines, engine);
            }
        }
    }
    if !subject.signature.checks.payload.is_empty() {
        stream(subject, literal, &mut engines);
    }
    engines
}

fn rows<'a>(
    subject: &Subject<'a>,
    buffer: &'a BufferMatch,
    place: &PrefilterPlace,
    direction: Direction,
    is_mpm: bool,
) -> Vec<Engine<'a>> {
    let Target::Transaction(rows) = &buffer.target else { return Vec::new() };
    let admitted = &subject.signature.head.app_protocols;
    if !subject.signature.directions()[direction] || buffer.direction.is_some_and(|only| only != direction) {
        return Vec::new();
    }
    rows.iter()
        .filter(|row| row.field.direction.covers(direction))
        .filter(|row| admitted.is_empty() || admitted.iter().any(|p| **p == *row.protocol))
        // Carried protocols are left out where any version of HTTP is meant.
        .filter(|row| row.protocol.carries.is_none() || !names::is_any_http(admitted))
        .map(|row| Engine {
            buffer: Some(buffer),
            place: place.clone(),
            direction,
            protocol: Some(row.protocol),
            progress: row.field.ready_at.0,
            is_mpm,
        })
        .collect()
}

fn insert<'a>(engines: &mut Vec<Engine<'a>>, engine: Engine<'a>) {
    let first_is_later = engines.first().is_some_and(|head| !head.is_mpm && head.progress > engine.progress);
    if engine.is_mpm || first_is_later || engines.is_empty() {
        engines.insert(0, engine);
        return;
    }
    let later = engines.iter().skip(1).position(|other| other.progress > engine.progress);
    let at = later.map_or(engines.len(), |position| position + 1);
    engines.insert(at, engine);
}

fn stream<'a>(subject: &Subject<'a>, literal: Option<&Literal>, engines: &mut Vec<Engine<'a>>) {
    let is_mpm = subject.literal_in(literal, &PrefilterPlace::Payload).is_some();
    for direction in Direction::BOTH.into_iter().filter(|d| subject.signature.directions()[*d]) {
        let place = PrefilterPlace::Payload;
        let engine = Engine { buffer: None, place, direction, protocol: None, progress: 0, is_mpm };
        match is_mpm {
            true => engines.insert(0, engine),
            false => engines.push(engine),
        }
    }
}

/// The array `engines`.
pub(super) fn write(
    json: &mut JsonWriter<'_>,
    subject: &Subject<'_>,
    literal: Option<&Literal>,
    notes: &mut Notes,
) {
    json.array("engines");
    for engine in engines(subject, literal) {
        json.open_object();
        json.string("name", engine.buffer.map_or("stream", |buffer| names::buffer(buffer.name)));
        let direction = match engine.direction {
            Direction::ToServer => "toserver",
            Direction::ToClient => "toclient",
        };
        json.string("direction", direction);
        json.boolean("is_mpm", engine.is_mpm);
        json.string("app_proto", engine.protocol.map_or("unknown", names::protocol));
        json.unsigned("progress", engine.progress);
        let mpm = subject.literal_in(literal, &engine.place);
        if let Some(buffer) = engine.buffer {
            write_transforms(json, &buffer.transforms);
        }
        json.array("matches");
        match engine.buffer {
            Some(buffer) => write_buffer(json, buffer, mpm, notes),
            None => write_checks(json, &subject.signature.checks.payload, mpm, notes),
        }
        json.close_array();
        json.close_object();
    }
    json.close_array();
}

/// The array `frame_engines`.
pub(super) fn write_frame_engines(
    json: &mut JsonWriter<'_>,
    subject: &Subject<'_>,
    literal: Option<&Literal>,
    notes: &mut Notes,
) {
    json.array("frame_engines");
    for (index, buffer) in subject.frame_buffers() {
        let mpm = subject.literal_in(literal, &PrefilterPlace::Buffer(index));
        json.open_object();
        json.string("name", frame_name(buffer));
        json.boolean("is_mpm", mpm.is_some());
        write_transforms(json, &buffer.transforms);
        json.array("matches");
        write_buffer(json, buffer, mpm, notes);
        json.close_array();
        json.close_object();
    }
    json.close_array();
}

/// The protocol and the kind of the frames that a buffer is of.
pub(super) fn frame_name(buffer: &BufferMatch) -> String {
    let protocol = match &buffer.target {
        Target::Frame(rows) => rows.first().map(|FrameRow { protocol, .. }| protocol.name),
        Target::Packet(_) | Target::Transaction(_) => None,
    };
    format!("{}.{}", protocol.unwrap_or_default(), buffer.name)
}

/// The array `pkt_engines`: buffers of packets, the payload, and checks on packets.
pub(super) fn write_packet_engines(
    json: &mut JsonWriter<'_>,
    subject: &Subject<'_>,
    literal: Option<&Literal>,
    notes: &mut Notes,
) {
    json.array("pkt_engines");
    for (index, buffer) in subject.packet_buffers() {
        let mpm = subject.literal_in(literal, &PrefilterPlace::Buffer(index));
        json.open_object();
        json.string("name", names::buffer(buffer.name));
        json.boolean("is_mpm", mpm.is_some());
        write_transforms(json, &buffer.transforms);
        json.array("matches");
        write_buffer(json, buffer, mpm, notes);
        json.close_array();
        json.close_object();
    }
    if !subject.is_transactional() && !subject.signature.checks.payload.is_empty() {
        let mpm = subject.literal_in(literal, &PrefilterPlace::Payload);
        write_packet_engine(json, "payload", mpm.is_some());
    }
    if !subject.packet_options().is_empty() {
        write_packet_engine(json, "packet", false);
    }
    json.close_array();
}

fn write_packet_engine(json: &mut JsonWriter<'_>, name: &str, is_mpm: bool) {
    json.open_object();
    json.string("name", name);
    json.boolean("is_mpm", is_mpm);
    json.close_object();
}

fn write_transforms(json: &mut JsonWriter<'_>, transforms: &[Transform]) {
    if transforms.is_empty() {
        return;
    }
    json.array("transforms");
    for transform in transforms {
        let (name, options) = transform.name.split_once(':').unwrap_or((&transform.name, ""));
        json.open_object();
        json.string("name", name);
        if !options.is_empty() {
            json.string("options", options.trim_matches('"'));
        }
        json.close_object();
    }
    json.close_array();
}
