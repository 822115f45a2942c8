//! Events of PostgreSQL for scripts: what each side says, a message each.

use weir_applayer::zeek::{EventRaiser, EventSink, EventTable};
use weir_applayer::{HeardMessage, event_names};
use weir_base::{Direction, EventValue, Reader};

use super::message::{backend, frontend, method, opening, text, texts};

event_names! {
    /// Their names.
    const NAMES;
    SSL_REQUEST = "PostgreSQL::ssl_request",
    SSL_REPLY = "PostgreSQL::ssl_reply",
    STARTUP_PARAMETER = "PostgreSQL::startup_parameter",
    STARTUP = "PostgreSQL::startup_message",
    AUTHENTICATION_REQUEST = "PostgreSQL::authentication_request",
    AUTHENTICATION_RESPONSE = "PostgreSQL::authentication_response",
    AUTHENTICATION_OK = "PostgreSQL::authentication_ok",
    TERMINATE = "PostgreSQL::terminate",
    QUERY = "PostgreSQL::simple_query",
    ROW = "PostgreSQL::data_row",
    READY = "PostgreSQL::ready_for_query",
    NOTICE = "PostgreSQL::notice_response",
    NOTICE_FIELD = "PostgreSQL::notice_response_identified_field",
    ERROR = "PostgreSQL::error_response",
    ERROR_FIELD = "PostgreSQL::error_response_identified_field",
    PARAMETER = "PostgreSQL::parameter_status",
    KEY_DATA = "PostgreSQL::backend_key_data",
    OTHER = "PostgreSQL::not_implemented",
}

/// The events.
pub static EVENTS: EventTable = EventTable {
    package: "base/protocols/postgresql/main",
    bodies: None,
    names: NAMES,
    open: || Box::new(PostgresRaiser),
};

/// Kind of a message that a connection begins with, which has no letter.
pub const OPENING: u8 = 0;
/// Kind of the answer to a wish for TLS.
pub const ENCRYPTION: u8 = 1;

/// Most parameters of a session, and fields of an error, that have events.
const MAX_PARTS: usize = 256;

#[derive(Debug)]
struct PostgresRaiser;

impl EventRaiser for PostgresRaiser {
    fn heard(&mut self, messages: Vec<HeardMessage>, sink: &mut dyn EventSink) {
        for message in messages {
            // What does not fit its format has no event.
            let _ = match (message.direction, message.kind) {
                (_, OPENING) => begin(&message.bytes, sink),
                (_, ENCRYPTION) => {
                    sink.raise(SSL_REPLY, &[EventValue::Connection, EventValue::String(&message.bytes)]);
                    None
                }
                (Direction::ToServer, kind) => request(kind, &message.bytes, sink),
                (Direction::ToClient, kind) => answer(kind, &message.bytes, sink),
            };
        }
    }
}

fn begin(message: &[u8], sink: &mut dyn EventSink) -> Option<()> {
    let c = EventValue::Connection;
    let mut reader = Reader::new(message);
    reader.skip(4)?;
    let version = reader.u32()?;
    if version == opening::SSL {
        sink.raise(SSL_REQUEST, &[c]);
        return Some(());
    }
    if version >> 16 != opening::VERSION {
        return None;
    }
    let mut words = texts(reader.rest());
    for _ in 0..MAX_PARTS {
        let (Some(name), Some(value)) = (words.next(), words.next()) else { break };
        if name.is_empty() {
            break;
        }
        sink.raise(STARTUP_PARAMETER, &[c, EventValue::String(name), EventValue::String(value)]);
    }
    sink.raise(STARTUP, &[c, (version >> 16).into(), (version & 0xffff).into()]);
    Some(())
}

fn request(kind: u8, body: &[u8], sink: &mut dyn EventSink) -> Option<()> {
    let c = EventValue::Connection;
    match kind {
        frontend::QUERY => sink.raise(QUERY, &[c, EventValue::String(text(body))]),
        frontend::PASSWORD => sink.raise(AUTHENTICATION_RESPONSE, &[c, EventValue::String(body)]),
        frontend::TERMINATE => sink.raise(TERMINATE, &[c]),
        _ => other(true, kind, body, sink),
    }
    Some(())
}

fn answer(kind: u8, body: &[u8], sink: &mut dyn EventSink) -> Option<()> {
    let c = EventValue::Connection;
    let mut reader = Reader::new(body);
    match kind {
        backend::AUTHENTICATION => match reader.u32()? {
            method::OK => sink.raise(AUTHENTICATION_OK, &[c]),
            identifier => {
                let data = EventValue::String(reader.rest());
                sink.raise(AUTHENTICATION_REQUEST, &[c, identifier.into(), data]);
            }
        },
        backend::PARAMETER_STATUS => {
            let mut words = texts(body);
            let (name, value) = (words.next()?, words.next()?);
            sink.raise(PARAMETER, &[c, EventValue::String(name), EventValue::String(value)]);
        }
        backend::KEY_DATA => {
            let (process, key) = (reader.u32()?, reader.u32()?);
            sink.raise(KEY_DATA, &[c, process.into(), key.into()]);
        }
        backend::ERROR => fault(body, [ERROR_FIELD, ERROR], sink),
        backend::NOTICE => fault(body, [NOTICE_FIELD, NOTICE], sink),
        backend::DATA_ROW => sink.raise(ROW, &[c, reader.u16()?.into()]),
        backend::READY => sink.raise(READY, &[c, EventValue::String(body.get(..1)?)]),
        _ => other(false, kind, body, sink),
    }
    Some(())
}

/// An error or a notice, each of whose fields has an event of its own before that of the whole.
fn fault(body: &[u8], [of_field, of_all]: [usize; 2], sink: &mut dyn EventSink) {
    for field in texts(body).take_while(|field| !field.is_empty()).take(MAX_PARTS) {
        let (code, value) = field.split_at_checked(1).unwrap_or_default();
        sink.raise(of_field, &[EventValue::Connection, EventValue::String(code), EventValue::String(value)]);
    }
    sink.raise(of_all, &[EventValue::Connection]);
}

fn other(is_orig: bool, kind: u8, body: &[u8], sink: &mut dyn EventSink) {
    let arguments =
        [EventValue::Connection, is_orig.into(), EventValue::String(&[kind]), EventValue::String(body)];
    sink.raise(OTHER, &arguments);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{DOWN, Events, UP};
    use weir_base::Timestamp;

    #[test]
    fn messages() {
        let begins = b"\0\0\0\x12\0\x03\0\x01user\0me\0\0";
        type Case<'a> = (Direction, u8, &'a [u8], &'a [&'a str]);
        let cases: [Case<'_>; 14] = [
            (UP, OPENING, b"\0\0\0\x08\x04\xd2\x16\x2f", &["PostgreSQL::ssl_request c"]),
            (DOWN, ENCRYPTION, b"N", &["PostgreSQL::ssl_reply c N"]),
            (
                UP,
                OPENING,
                begins,
                &["PostgreSQL::startup_parameter c user me", "PostgreSQL::startup_message c 3 1"],
            ),
            (DOWN, b'R', b"\0\0\0\x05salt", &["PostgreSQL::authentication_request c 5 salt"]),
            (UP, b'p', b"md5\0", &["PostgreSQL::authentication_response c md5\\x00"]),
            (DOWN, b'R', b"\0\0\0\0", &["PostgreSQL::authentication_ok c"]),
            (DOWN, b'S', b"a\0b\0", &["PostgreSQL::parameter_status c a b"]),
            (DOWN, b'K', b"\0\0\0\x01\0\0\0\x02", &["PostgreSQL::backend_key_data c 1 2"]),
            (UP, b'Q', b"select 1\0", &["PostgreSQL::simple_query c select 1"]),
            (DOWN, b'D', b"\0\x02", &["PostgreSQL::data_row c 2"]),
            (
                DOWN,
                b'E',
                b"SERROR\0Mno\0\0",
                &[
                    "PostgreSQL::error_response_identified_field c S ERROR",
                    "PostgreSQL::error_response_identified_field c M no",
                    "PostgreSQL::error_response c",
                ],
            ),
            (DOWN, b'Z', b"I", &["PostgreSQL::ready_for_query c I"]),
            (UP, b'P', b"x", &["PostgreSQL::not_implemented c T P x"]),
            (DOWN, b'K', b"\0", &[]),
        ];
        for (direction, kind, bytes, expected) in cases {
            let mut sink = Events::new(NAMES);
            let message = HeardMessage { direction, time: Timestamp(1), kind, bytes: bytes.into() };
            PostgresRaiser.heard(vec![message], &mut sink);
            assert_eq!(sink.raised, expected, "{bytes:?}");
        }
    }
}
