//! `frame` records, and the frame that an alert shows.

use weir_base::{Direction, JsonWriter};

use super::super::header::{Head, Source};
use super::super::{Log, RecordWriter, packet};
use super::{RecordType, TypeWriter, payload_buffer_size};
use crate::format::RecordKind;
use crate::record::{FrameRecord, Record, RecordContext};

/// Frames of protocols.
pub(super) static TYPE: RecordType = RecordType {
    name: "frame",
    records: &[(RecordKind::Frame, "frame")],
    open: |entry| Ok(Box::new(Frames { payload_buffer_size: payload_buffer_size(&entry.section) })),
};

struct Frames {
    /// Bytes of payload.
    payload_buffer_size: u32,
}

impl TypeWriter for Frames {
    fn write(&self, log: &mut Log<'_>, cx: &RecordContext<'_>, record: &Record<'_>) {
        let Record::Frame(record) = record else { return };
        log.line(cx, &Head::new("frame", Source::Sender), |eve, json| {
            json.string("app_proto", record.frame.protocol.eve_name);
            eve.frame_object(cx, record, self.payload_buffer_size, json);
            true
        });
    }
}

impl RecordWriter<'_> {
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
        json.printable("payload_printable", &self.pen.payload);
        json.boolean("complete", frame.is_complete(record.progress));
        json.optional_unsigned("tx_id", frame.transaction);
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

/// The frame's bytes before `end`, with a note in place of what is missing where later bytes are known.
fn gather(record: &FrameRecord<'_>, end: u64, limit: usize, out: &mut Vec<u8>) {
    out.clear();
    let mut position = record.frame.offset;
    record.bytes.pieces(position, &mut |offset, bytes| {
        // Bytes behind the frame show a hole at its end, too.
        let known = offset.min(end);
        missing(known.saturating_sub(position), limit, out);
        position = position.max(known);
        let Some(room) = end.checked_sub(offset).filter(|room| *room > 0) else { return false };
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

#[cfg(test)]
mod tests {
    use weir_applayer::{Frame, FrameBytes, FrameId, FrameKind, Protocol, factory};

    use super::*;

    static WEB: Protocol = Protocol::named("web", |_| factory(|_| unreachable!("no parser is opened")));

    /// Bytes of a stream, with their places.
    struct Kept(&'static [(u64, &'static [u8])]);

    impl FrameBytes for Kept {
        fn pieces(&self, _: u64, visit: &mut dyn FnMut(u64, &[u8]) -> bool) {
            self.0.iter().all(|(offset, bytes)| visit(*offset, bytes));
        }
    }

    #[test]
    fn holes_are_told_of() {
        // The frame is bytes 10 to 20. What is kept, how far the stream is, the payload.
        type Case = (&'static [(u64, &'static [u8])], u64, &'static str);
        let cases: [Case; 7] = [
            (&[(10, b"0123456789")], 20, "0123456789"),
            (&[(10, b"0123456789abc")], 23, "0123456789"),
            (&[(10, b"0123")], 14, "0123"),
            (&[(10, b"0123")], 20, "0123[6 bytes missing]"),
            (&[(10, b"01"), (16, b"6789ab")], 22, "01[4 bytes missing]6789"),
            (&[(10, b"0123"), (20, b"next")], 14, "0123[6 bytes missing]"),
            (&[(10, b"0123"), (30, b"later")], 14, "0123[6 bytes missing]"),
        ];
        for (kept, progress, expected) in cases {
            let frame = Frame {
                id: FrameId(1),
                protocol: &WEB,
                kind: FrameKind(0),
                offset: 10,
                length: Some(10),
                transaction: None,
                inspected: 0,
                ended: false,
                logged: false,
            };
            let record = FrameRecord { frame: &frame, in_stream: true, progress, bytes: &Kept(kept) };
            let mut payload = Vec::new();
            gather(&record, 20, 99, &mut payload);
            assert_eq!(String::from_utf8_lossy(&payload), expected, "{kept:?} {progress}");
        }
    }
}
