//! `frame` records, and the frame that an alert shows.

use weir_base::{Direction, JsonWriter};

use super::header::{Head, Source};
use super::{RecordWriter, packet};
use crate::outlet::Outlets;
use crate::record::{FrameRecord, RecordContext};

impl RecordWriter<'_> {
    pub(super) fn frame(&mut self, cx: &RecordContext<'_>, record: &FrameRecord<'_>, out: &mut Outlets) {
        let Some(limit) = self.plan.frame else { return };
        self.line(cx, &Head::new("frame", Source::Sender), out, |eve, json| {
            json.string("app_proto", record.frame.protocol.eve_name);
            eve.frame_object(cx, record, limit, json);
            true
        });
    }

    /// `frame`, with at most `limit` bytes of payload.
    pub(super) fn frame_object(
        &mut self,
        cx: &RecordContext<'_>,
        record: &FrameRecord<'_>,
        limit: u32,
        json: &mut JsonWriter<'_>,
    ) {
        let frame = record.frame;
        let end = frame.end().unwrap_or(record.progress);
        json.object("frame");
        json.string("type", frame.name());
        json.unsigned("id", frame.id.0);
        json.string("direction", direction_name(cx.direction));
        if record.in_stream {
            json.unsigned("stream_offset", frame.offset);
        }
        json.unsigned("length", end.saturating_sub(frame.offset));
        // One byte of the configured buffer stays unused.
        gather(record, end, (limit as usize).saturating_sub(1), &mut self.pen.payload);
        packet::base64(json, "payload", &self.pen.payload);
        self.pen.write_printable("payload_printable", json);
        json.boolean("complete", frame.is_complete(record.progress));
        if let Some(id) = frame.transaction {
            json.unsigned("tx_id", id);
        }
        json.close_object();
    }
}

/// The spelling of frames, which is not that of other records.
const fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::ToServer => "toserver",
        Direction::ToClient => "toclient",
    }
}

/// The frame's bytes before `end`, with a note in place of what is missing.
fn gather(record: &FrameRecord<'_>, end: u64, limit: usize, out: &mut Vec<u8>) {
    out.clear();
    let mut position = record.frame.offset;
    record.bytes.pieces(position, &mut |offset, bytes| {
        let Some(room) = end.checked_sub(offset).filter(|room| *room > 0) else { return false };
        missing(offset.saturating_sub(position), limit, out);
        let bytes = usize::try_from(room).ok().and_then(|room| bytes.get(..room)).unwrap_or(bytes);
        position = offset.saturating_add(bytes.len() as u64);
        let room = limit.saturating_sub(out.len());
        out.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        out.len() < limit
    });
    if record.frame.is_complete(record.progress) && out.len() < limit {
        missing(end.saturating_sub(position), limit, out);
    }
}

fn missing(length: u64, limit: usize, out: &mut Vec<u8>) {
    if length > 0 {
        let note = format!("[{length} bytes missing]");
        let room = limit.saturating_sub(out.len());
        out.extend_from_slice(note.as_bytes().get(..room).unwrap_or(note.as_bytes()));
    }
}
