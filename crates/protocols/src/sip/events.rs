//! Events of SIP for scripts (RFC 3261): first lines, header fields, and where bodies begin and end.

use weir_applayer::ZeekSink;
use weir_base::{Direction, EventValue};

/// Most header fields of a message that scripts are shown together.
const MAX_FIELDS: usize = 512;

const ALL_HEADERS: &str = "sip_all_headers";

/// Raises the event of a message's first line.
pub(super) fn first_line(direction: Direction, line: &[u8], sink: &mut dyn ZeekSink) {
    let text = line.trim_ascii_start();
    let mut words = text.splitn(3, |byte| *byte == b' ');
    let [first, second, third] = [(); 3].map(|()| words.next().unwrap_or_default());
    let c = EventValue::Connection;
    if direction == Direction::ToServer {
        let version = third.trim_ascii();
        let version = version.strip_prefix(b"SIP/").unwrap_or(version);
        let [method, uri, version] = [first, second, version].map(EventValue::String);
        return sink.raise("sip_request", &[c, method, uri, version]);
    }
    let version = first.strip_prefix(b"SIP/").unwrap_or(first);
    let digits = second.iter().take_while(|byte| byte.is_ascii_digit()).take(9);
    let code = digits.fold(0, |code: u64, digit| code * 10 + u64::from(digit - b'0'));
    let [version, reason] = [version, third].map(EventValue::String);
    sink.raise("sip_reply", &[c, version, EventValue::Count(code), reason]);
}

/// Raises the event of a header field, and keeps it where scripts are told of all of them.
pub(super) fn field(
    direction: Direction,
    line: &[u8],
    fields: &mut Vec<(Vec<u8>, Vec<u8>)>,
    sink: &mut dyn ZeekSink,
) {
    let all = sink.handles(ALL_HEADERS);
    if !all && !sink.handles("sip_header") {
        return;
    }
    let Some(colon) = memchr::memchr(b':', line) else { return };
    let name = line.get(..colon).unwrap_or_default().trim_ascii().to_ascii_uppercase();
    let value = line.get(colon + 1..).unwrap_or_default().trim_ascii();
    let is_orig = EventValue::Bool(direction == Direction::ToServer);
    let [shown, text] = [&name[..], value].map(EventValue::String);
    sink.raise("sip_header", &[EventValue::Connection, is_orig, shown, text]);
    if all && fields.len() < MAX_FIELDS {
        fields.push((name, value.to_vec()));
    }
}

/// Raises the events of the end of a message's head.
pub(super) fn fields(direction: Direction, fields: &[(Vec<u8>, Vec<u8>)], sink: &mut dyn ZeekSink) {
    let is_orig = EventValue::Bool(direction == Direction::ToServer);
    if sink.handles(ALL_HEADERS) {
        let records: Vec<[EventValue<'_>; 3]> =
            fields.iter().map(|(name, value)| [name.into(), name.into(), value.into()]).collect();
        let table: Vec<EventValue<'_>> = records
            .iter()
            .enumerate()
            .flat_map(|(place, record)| [(place + 1).into(), EventValue::Record(record)])
            .collect();
        sink.raise(ALL_HEADERS, &[EventValue::Connection, is_orig, EventValue::Table(&table)]);
    }
    sink.raise("sip_begin_entity", &[EventValue::Connection, is_orig]);
}

/// Raises the event of the end of a message.
pub(super) fn end(direction: Direction, sink: &mut dyn ZeekSink) {
    let is_orig = EventValue::Bool(direction == Direction::ToServer);
    sink.raise("sip_end_entity", &[EventValue::Connection, is_orig]);
}
