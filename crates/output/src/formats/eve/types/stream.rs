//! `stream_tcp` records: a TCP packet, what it is to its connection, and both sides of that.

use weir_base::{Direction, JsonWriter};
use weir_stream::TcpSession;

use super::super::Log;
use super::super::header::{Head, Source};
use super::{RecordType, TypeWriter, drop};
use crate::format::RecordKind;
use crate::record::{Record, RecordContext, StreamRecord};

/// Packets of TCP connections.
pub(super) static TYPE: RecordType = RecordType {
    name: "stream",
    records: &[(RecordKind::Stream, "stream_tcp")],
    open: |entry| {
        Ok(Box::new(StreamPackets {
            all: entry.section.flag("all", false),
            event_set: entry.section.flag("event-set", false),
            state_update: entry.section.flag("state-update", false),
            spurious_retransmission: entry.section.flag("spurious-retransmission", false),
        }))
    },
};

/// Packets that have records.
struct StreamPackets {
    /// All of them.
    all: bool,
    /// Those with a stream event.
    event_set: bool,
    /// Those that change the connection's state.
    state_update: bool,
    /// Those that bring acknowledged data again.
    spurious_retransmission: bool,
}

impl TypeWriter for StreamPackets {
    fn write(&self, log: &mut Log<'_>, cx: &RecordContext<'_>, record: &Record<'_>) {
        let (Record::Stream(record), Some(packet)) = (record, cx.packet) else { return };
        let outcome = record.outcome;
        let wanted = self.all
            || self.event_set && !outcome.events.is_empty()
            || self.state_update && outcome.state_changed
            || self.spurious_retransmission && outcome.is_spurious_retransmission();
        if !wanted {
            return;
        }
        log.line(cx, &Head::new("stream_tcp", Source::Sender), |_, json| {
            json.string("direction", cx.direction.name());
            json.object("stream_tcp");
            json.object("packet");
            drop::headers(packet, json);
            words("flags", outcome.words(), json);
            json.close_object();
            session(record, json);
            json.some_strings(
                "events",
                outcome.events.iter().map(|event| format!("stream.{}", event.name())),
            );
            json.optional_string("reason", record.reason);
            json.close_object();
            true
        });
    }
}

fn session(record: &StreamRecord<'_>, json: &mut JsonWriter<'_>) {
    let session = record.session;
    json.object("session");
    json.string("state", session.state().name());
    if record.outcome.state_changed {
        json.string("pstate", session.previous_state().name());
    }
    json.nested("flags", |json| words("flags", session.words(), json));
    side("client", session, Direction::ToServer, json);
    side("server", session, Direction::ToClient, json);
    json.close_object();
}

fn side(key: &str, session: &TcpSession, direction: Direction, json: &mut JsonWriter<'_>) {
    let side = session.side(direction);
    json.object(key);
    json.unsigned("isn", side.isn);
    json.unsigned("next_seq", side.next_seq);
    json.unsigned("last_ack", side.last_ack);
    json.unsigned("next_win", side.next_win);
    if let Some((base, end)) = side.kept {
        json.unsigned("base_seq", base);
        json.unsigned("segs_right_edge", end);
    }
    json.unsigned("window", side.window);
    json.unsigned("wscale", side.scale);
    words("flags", side.words(), json);
    json.unsigned("seg_cnt", side.segments as u64);
    json.unsigned("sb_region_size", side.buffered);
    json.close_object();
}

fn words(key: &str, words: impl Iterator<Item = &'static str>, json: &mut JsonWriter<'_>) {
    json.strings(key, words);
}
