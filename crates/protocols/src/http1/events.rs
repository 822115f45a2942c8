//! Events of HTTP for scripts, a row each, raised when what they tell of is there.
//!
//! Fields of a header are told of when the whole header is there; bodies in pieces, as they were read. Limits:
//! [`MAX_FIELDS`] fields of a message, [`MAX_PIECE`] bytes of a piece, and the part of a body that is kept for rules.

use smallvec::SmallVec;
use weir_applayer::HeardMessage;
use weir_applayer::zeek::{EventRaiser, EventSink, EventTable, News};
use weir_base::{Direction, EventValue, Timestamp};

use super::entities::heard;
use super::octets::{head, run, tail, trim};
use super::sent::Sent;
use super::transaction::{COMPLETE, HEADERS, HttpTransaction, LINE, Message};
use super::zeek::{response_version, text, version_of};

/// Most fields of a message that are told of.
const MAX_FIELDS: usize = 4096;

/// Most bytes of a body that one event has.
const MAX_PIECE: usize = 1 << 16;

const REQUEST: usize = 0;
const REPLY: usize = 1;
const HEADER: usize = 2;
const ALL_HEADERS: usize = 3;
const CONTENT_TYPE: usize = 4;
const BEGIN_ENTITY: usize = 5;
const END_ENTITY: usize = 6;
const MESSAGE_DONE: usize = 7;
const UPGRADE: usize = 8;
const STATS: usize = 9;
const ENTITY_DATA: usize = 10;

/// The events.
pub(super) static EVENTS: EventTable = EventTable {
    package: "base/protocols/http/main",
    bodies: Some(ENTITY_DATA),
    names: &[
        "http_request",
        "http_reply",
        "http_header",
        "http_all_headers",
        "http_content_type",
        "http_begin_entity",
        "http_end_entity",
        "http_message_done",
        "http_connection_upgrade",
        "http_stats",
        "http_entity_data",
    ],
    open: || Box::<HttpRaiser>::default(),
};

/// What scripts know of one message.
#[derive(Clone, Debug, Default)]
struct Told {
    line: bool,
    /// Fields of the header.
    fields: Option<usize>,
    /// Bytes of the body.
    body: u64,
    done: bool,
    began: Timestamp,
    /// Lines of the header of a part that is not over.
    lines: Vec<Box<[u8]>>,
}

/// A transaction that is under way.
#[derive(Clone, Debug, Default)]
struct Live {
    id: u64,
    request: Told,
    reply: Told,
    interim: bool,
}

#[derive(Debug, Default)]
struct HttpRaiser {
    live: SmallVec<[Live; 2]>,
    requests: u64,
    replies: u64,
    versions: [f64; 2],
    has_ended: bool,
}

impl EventRaiser for HttpRaiser {
    fn transaction(&mut self, news: News<'_>, sink: &mut dyn EventSink) {
        let Some(tx) = news.of::<HttpTransaction>() else { return };
        let place = self.live.iter().position(|live| live.id == tx.meta.id);
        let mut live =
            place.map_or(Live { id: tx.meta.id, ..Live::default() }, |place| self.live.swap_remove(place));
        self.request(tx, &mut live.request, news.complete, sink);
        self.reply(tx, &mut live, news.complete, sink);
        if !news.complete {
            self.live.push(live);
        }
    }

    fn end(&mut self, sink: &mut dyn EventSink) {
        if std::mem::replace(&mut self.has_ended, true) || self.requests + self.replies == 0 {
            return;
        }
        let [request, reply] = self.versions;
        let stats = [
            EventValue::Count(self.requests),
            EventValue::Count(self.replies),
            EventValue::Double(request),
            EventValue::Double(reply),
        ];
        sink.raise(STATS, &[EventValue::Connection, EventValue::Record(&stats)]);
    }
}

/// A version as a number.
fn number(version: &[u8]) -> f64 {
    std::str::from_utf8(version).ok().and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

impl HttpRaiser {
    fn request(&mut self, tx: &HttpTransaction, told: &mut Told, complete: bool, sink: &mut dyn EventSink) {
        if !tx.has_request || tx.refused == Some(Direction::ToServer) {
            return;
        }
        if !told.line && (tx.meta.progress[Direction::ToServer] >= LINE || complete) {
            told.line = true;
            let asked = tx.request_time();
            sink.captured_at(asked);
            told.began = asked;
            let target = tx.target().unwrap_or_default();
            let unescaped = text::unescape(target);
            let version = match tx.request.protocol() {
                Some(protocol) if !tx.is_version_0_9 => version_of(protocol),
                _ => b"0.9",
            };
            self.requests += 1;
            self.versions[0] = number(version);
            let arguments = [
                EventValue::Connection,
                EventValue::String(tx.method_text().unwrap_or_default()),
                EventValue::String(target),
                EventValue::String(&unescaped),
                EventValue::String(version),
            ];
            sink.raise(REQUEST, &arguments);
            sink.raise(BEGIN_ENTITY, &[EventValue::Connection, EventValue::Bool(true)]);
        }
        message(tx, Direction::ToServer, told, complete, sink);
        sink.captured_at(Timestamp::default());
    }

    fn reply(&mut self, tx: &HttpTransaction, live: &mut Live, complete: bool, sink: &mut dyn EventSink) {
        if tx.refused == Some(Direction::ToClient) {
            return;
        }
        if let Some((code, reason)) = &tx.interim
            && !std::mem::replace(&mut live.interim, true)
        {
            self.replies += 1;
            let version = response_version(tx).unwrap_or(b"1.1").to_vec();
            status(&version, *code, reason, sink);
            let mut told = Told { line: true, fields: Some(0), began: sink.now(), ..Told::default() };
            finish(None, Direction::ToClient, &mut told, true, sink);
        }
        if !tx.has_status_line {
            return;
        }
        if !live.reply.line && (tx.meta.progress[Direction::ToClient] >= LINE || complete) {
            live.reply.line = true;
            sink.captured_at(tx.meta.first_seen.to_client);
            live.reply.began = tx.meta.first_seen.to_client;
            let is_empty = tx.response.line.len() > tx.status_range.end;
            let reason = tx.reason().unwrap_or(if is_empty { b"" } else { b"<empty>" });
            let version = response_version(tx).unwrap_or(b"0.9");
            self.replies += 1;
            self.versions[1] = number(version);
            status(version, tx.status.unwrap_or(0), reason, sink);
        }
        message(tx, Direction::ToClient, &mut live.reply, complete, sink);
        if tx.status == Some(101) && live.reply.done && sink.wants(UPGRADE) {
            let protocol = tx.response.headers.last(b"upgrade").unwrap_or_default();
            sink.raise(UPGRADE, &[EventValue::Connection, EventValue::String(&protocol)]);
        }
        sink.captured_at(Timestamp::default());
    }
}

fn status(version: &[u8], code: u16, reason: &[u8], sink: &mut dyn EventSink) {
    let arguments = [
        EventValue::Connection,
        EventValue::String(version),
        EventValue::Count(code.into()),
        EventValue::String(reason),
    ];
    sink.raise(REPLY, &arguments);
    sink.raise(BEGIN_ENTITY, &[EventValue::Connection, EventValue::Bool(false)]);
}

/// Tells of header and end of one side, as far as they are there.
fn message(
    tx: &HttpTransaction,
    direction: Direction,
    told: &mut Told,
    complete: bool,
    sink: &mut dyn EventSink,
) {
    let message = tx.message(direction);
    let progress = tx.meta.progress[direction];
    if told.line && told.fields.is_none() && (progress >= HEADERS || complete) {
        told.fields = Some(fields(message, direction, sink));
    }
    let parts = message.entities.as_ref().and_then(|entities| entities.take_parts());
    match parts.filter(|_| told.fields.is_some() && !told.done) {
        Some(heard) => parts_within(&heard, direction, told, sink),
        None if told.fields.is_some() && !told.done && sink.wants(ENTITY_DATA) => {
            body(message, direction, told, sink);
        }
        None => {}
    }
    if told.line && !told.done && (progress >= COMPLETE || complete) {
        sink.captured_at(tx.meta.last_seen[direction]);
        finish(Some(message), direction, told, progress >= COMPLETE, sink);
    }
}

/// Tells of what is new of the entities within a body.
fn parts_within(parts: &[HeardMessage], direction: Direction, told: &mut Told, sink: &mut dyn EventSink) {
    let c = EventValue::Connection;
    let is_orig = EventValue::Bool(direction == Direction::ToServer);
    for part in parts {
        match part.kind {
            heard::BEGIN => {
                told.lines.clear();
                sink.raise(BEGIN_ENTITY, &[c, is_orig]);
            }
            heard::FIELD if told.lines.len() < MAX_FIELDS => told.lines.push(part.bytes.clone()),
            heard::HEADER => {
                let lines = std::mem::take(&mut told.lines);
                let fields: Vec<Sent<'_>> = lines.iter().filter_map(|line| field(line)).collect();
                header_fields(&fields, direction, sink);
                let is_type = |field: &&Sent<'_>| field.name.eq_ignore_ascii_case(b"content-type");
                let ty = fields.iter().rfind(is_type).map(|field| &*field.value);
                header(&fields, ty, direction, sink);
            }
            heard::CONTENT => {
                for piece in part.bytes.chunks(MAX_PIECE) {
                    let arguments = [c, is_orig, piece.len().into(), EventValue::String(piece)];
                    sink.raise(ENTITY_DATA, &arguments);
                }
            }
            heard::END => sink.raise(END_ENTITY, &[c, is_orig]),
            _ => {}
        }
    }
}

/// Returns the field that a line of a part's header is.
fn field(line: &[u8]) -> Option<Sent<'_>> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    Some(Sent {
        start: 0,
        name: trim(head(line, colon)),
        value: trim(tail(line, colon + 1)).into(),
        folded: false,
    })
}

/// Tells of what is new of a body.
fn body(message: &Message, direction: Direction, told: &mut Told, sink: &mut dyn EventSink) {
    let (start, bytes) = message.body.bytes();
    let known = usize::try_from(told.body.saturating_sub(start)).unwrap_or(usize::MAX);
    for piece in bytes.get(known..).unwrap_or_default().chunks(MAX_PIECE) {
        let is_orig = EventValue::Bool(direction == Direction::ToServer);
        let arguments = [EventValue::Connection, is_orig, piece.len().into(), EventValue::String(piece)];
        sink.raise(ENTITY_DATA, &arguments);
    }
    told.body = told.body.max(message.body.end());
}

/// Tells of the fields of a header; their number.
fn fields(message: &Message, direction: Direction, sink: &mut dyn EventSink) -> usize {
    let fields: Vec<Sent<'_>> = message.headers.sent().take(MAX_FIELDS).collect();
    header_fields(&fields, direction, sink);
    let ty = message.headers.last(b"content-type");
    header(&fields, ty.as_deref(), direction, sink);
    fields.len()
}

/// Tells of the header of an entity, which is of a type, as a whole.
fn header(fields: &[Sent<'_>], ty: Option<&[u8]>, direction: Direction, sink: &mut dyn EventSink) {
    let is_orig = EventValue::Bool(direction == Direction::ToServer);
    if sink.wants(ALL_HEADERS) {
        let uppers: Vec<Vec<u8>> = fields.iter().map(|field| field.name.to_ascii_uppercase()).collect();
        let records: Vec<[EventValue<'_>; 3]> = fields
            .iter()
            .zip(&uppers)
            .map(|(field, upper)| [field.name.into(), upper.into(), EventValue::String(&field.value)])
            .collect();
        let mut list = Vec::with_capacity(records.len() * 2);
        for (record, number) in records.iter().zip(1_u64..) {
            list.extend([EventValue::Count(number), EventValue::Record(record)]);
        }
        sink.raise(ALL_HEADERS, &[EventValue::Connection, is_orig, EventValue::Table(&list)]);
    }
    if sink.wants(CONTENT_TYPE) {
        let (main, sub) = content_type(ty.unwrap_or(b"text/plain"));
        let arguments =
            [EventValue::Connection, is_orig, EventValue::String(&main), EventValue::String(&sub)];
        sink.raise(CONTENT_TYPE, &arguments);
    }
}

fn header_fields(fields: &[Sent<'_>], direction: Direction, sink: &mut dyn EventSink) {
    if !sink.wants(HEADER) {
        return;
    }
    for field in fields {
        let upper = field.name.to_ascii_uppercase();
        let arguments = [
            EventValue::Connection,
            EventValue::Bool(direction == Direction::ToServer),
            EventValue::String(field.name),
            EventValue::String(&upper),
            EventValue::String(&field.value),
        ];
        sink.raise(HEADER, &arguments);
    }
}

/// The two parts of a media type, in capitals.
fn content_type(value: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let end = run(value, |byte| byte != b';');
    let ty = trim(head(value, end));
    let slash = run(ty, |byte| byte != b'/');
    let (main, sub) = (trim(head(ty, slash)), trim(tail(ty, slash + 1)));
    (main.to_ascii_uppercase(), sub.to_ascii_uppercase())
}

/// Bytes of the lines of a header, without their ends.
fn header_length(raw: &[u8]) -> u64 {
    raw.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line).len() as u64).sum()
}

/// Tells that a message is over.
fn finish(
    message: Option<&Message>,
    direction: Direction,
    told: &mut Told,
    is_whole: bool,
    sink: &mut dyn EventSink,
) {
    told.done = true;
    if let (Some(known), Some(message)) = (told.fields, message) {
        let trailers: Vec<Sent<'_>> = message.headers.sent().take(MAX_FIELDS).skip(known).collect();
        header_fields(&trailers, direction, sink);
    }
    let is_orig = EventValue::Bool(direction == Direction::ToServer);
    sink.raise(END_ENTITY, &[EventValue::Connection, is_orig]);
    let reason = if is_whole { "message ends normally" } else { "message interrupted when connection done" };
    let stat = [
        EventValue::Time(told.began),
        EventValue::Bool(!is_whole),
        EventValue::text(reason),
        EventValue::Count(message.map_or(0, Message::length)),
        EventValue::Count(message.map_or(0, |message| message.missing_length)),
        EventValue::Count(message.map_or(0, |message| header_length(message.headers.raw()))),
    ];
    sink.raise(MESSAGE_DONE, &[EventValue::Connection, is_orig, EventValue::Record(&stat)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_content() {
        for (value, expected) in [
            (&b"text/html; charset=x"[..], (&b"TEXT"[..], &b"HTML"[..])),
            (b" image / Png", (b"IMAGE", b"PNG")),
            (b"odd", (b"ODD", b"")),
        ] {
            let (main, sub) = content_type(value);
            assert_eq!((&main[..], &sub[..]), expected);
        }
        assert_eq!(header_length(b"A: b\r\nC: d\r\n\r\n"), 8);
    }
}
