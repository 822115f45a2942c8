//! Streams with DNS messages, through the parser of HTTP/2, to fields and EVE records.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use weir_applayer::{Access, either_message};
use weir_base::Direction;

use crate::dns::message::tests::{build, record};
use crate::dns::transaction::DnsTransaction;
use crate::http2::HTTP2;
use crate::http2::dns::{MAX_MESSAGE, MAX_PARAMETER};
use crate::http2::frame::{END_STREAM, kind};
use crate::http2::probe::PREFACE;
use crate::http2::tests::{frame, headers};
use crate::testing::{Conversation, DOWN, Settings, UP, same_in_any_pieces};

const MESSAGE: &str = "application/dns-message";

fn request() -> Vec<u8> {
    build(7, 0x0100, b"\x04weir\x04test\0", 1, [&[], &[], &[]])
}

fn response() -> Vec<u8> {
    build(7, 0x8180, b"\x04weir\x04test\0", 1, [&[record(1, 60, &[192, 0, 2, 1])], &[], &[]])
}

fn post(stream: u32) -> Vec<u8> {
    headers(0, stream, &[(":method", "POST"), (":path", "/dns-query"), ("content-type", MESSAGE)])
}

fn get(stream: u32, path: &str) -> Vec<u8> {
    headers(END_STREAM, stream, &[(":method", "GET"), (":path", path), ("accept", MESSAGE)])
}

fn ok(stream: u32) -> Vec<u8> {
    headers(0, stream, &[(":status", "200"), ("content-type", MESSAGE)])
}

fn data(flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    frame(kind::DATA, flags, stream, payload)
}

fn target(message: &[u8]) -> String {
    format!("/dns-query?dns={}", URL_SAFE_NO_PAD.encode(message))
}

fn exchange() -> Vec<(Direction, Vec<u8>)> {
    let (request, response) = (request(), response());
    let (first, rest) = response.split_at(20);
    vec![
        (UP, [PREFACE, &post(1), &data(END_STREAM, 1, &request)].concat()),
        (DOWN, [ok(1), data(0, 1, first), data(END_STREAM, 1, rest)].concat()),
    ]
}

fn event(conversation: &Conversation, id: u64, options: &[(&str, &str)]) -> Value {
    serde_json::from_str(&conversation.record(id, &Settings(options)).unwrap()).unwrap()
}

fn carries(conversation: &Conversation, id: u64) -> bool {
    either_message::<DnsTransaction>(conversation.transaction(id)).is_some()
}

#[test]
fn an_exchange() {
    let conversation = same_in_any_pieces(|| Conversation::new(&HTTP2, &Settings(&[])), &exchange());
    assert_eq!(conversation.parser.protocol().name, "doh2");
    assert!(conversation.is_complete(0) && conversation.anomalies(0).is_empty());
    let cases: &[(&str, Direction, &[&str])] = &[
        ("http.uri", UP, &["/dns-query"]),
        ("http.stat_code", DOWN, &["200"]),
        ("http2.frametype", UP, &["0", "1"]),
        ("dns.query", UP, &["weir.test"]),
        ("dns.queries.rrname", DOWN, &["weir.test"]),
        ("dns.answers.rrname", DOWN, &["weir.test"]),
        ("dns.rrtype", UP, &["1"]),
        ("dns.rcode", DOWN, &["0"]),
    ];
    for (name, direction, expected) in cases {
        assert_eq!(conversation.values(0, name, *direction), *expected, "{name}");
    }
}

#[test]
fn records() {
    let conversation = Conversation::of(&HTTP2, &Settings(&[]), &exchange());
    let whole = event(&conversation, 0, &[]);
    assert_eq!(whole["http"]["url"], "/dns-query");
    assert_eq!(whole["http"]["http2"]["stream_id"], 1);
    for (key, expected) in [
        ("version", json!(3)),
        ("type", json!("response")),
        ("tx_id", json!(0)),
        ("id", json!(7)),
        ("rcode", json!("NOERROR")),
        ("queries", json!([{"rrname": "weir.test", "rrtype": "A"}])),
        ("grouped", json!({"A": ["192.0.2.1"]})),
    ] {
        assert_eq!(whole["dns"][key], expected, "{key}");
    }
    for options in [&[("responses", "no")][..], &[("types.0", "MX")]] {
        let without = event(&conversation, 0, options);
        assert!(without.get("dns").is_none() && without.get("http").is_some(), "{options:?}");
    }
    let asked = Conversation::of(&HTTP2, &Settings(&[]), &exchange()[..1]);
    assert_eq!(event(&asked, 0, &[])["dns"]["type"], "request");
}

#[test]
fn where_messages_are_looked_for() {
    let (request, response) = (request(), response());
    let json = headers(0, 1, &[(":method", "POST"), ("content-type", "application/dns-json")]);
    let cases: &[(&str, Direction, Vec<u8>, bool)] = &[
        ("a target", UP, get(1, &target(&request)), true),
        ("a target whose parameter is a response", UP, get(1, &target(&response)), false),
        (
            "a target that nobody says is one",
            UP,
            headers(END_STREAM, 1, &[(":path", &target(&request))]),
            false,
        ),
        ("a body", UP, [post(1), data(END_STREAM, 1, &request)].concat(), true),
        ("a body of another type", UP, [json, data(END_STREAM, 1, &request)].concat(), false),
        ("a body without an end", UP, [post(1), data(0, 1, &request)].concat(), false),
        ("a body that is too short", UP, [post(1), data(END_STREAM, 1, &request[..14])].concat(), false),
        ("a body without bytes", UP, [post(1), data(END_STREAM, 1, b"")].concat(), false),
        ("a response", DOWN, [ok(1), data(END_STREAM, 1, &response)].concat(), true),
        ("a response that asks", DOWN, [ok(1), data(END_STREAM, 1, &request)].concat(), false),
    ];
    for (what, direction, bytes, expected) in cases {
        for (settings, expected) in [(&[][..], *expected), (&[("doh2.enabled", "no")], false)] {
            let mut conversation = Conversation::new(&HTTP2, &Settings(settings));
            conversation.push(UP, PREFACE);
            conversation.push(*direction, bytes);
            assert_eq!(carries(&conversation, 0), expected, "{what} {settings:?}");
            let name = if expected { "doh2" } else { "http2" };
            assert_eq!(conversation.parser.protocol().name, name, "{what} {settings:?}");
        }
    }
}

#[test]
fn a_body_may_end_with_its_connection_but_have_no_gap() {
    for (gap, expected) in [(0, true), (4, false)] {
        let mut conversation = Conversation::new(&HTTP2, &Settings(&[]));
        conversation.push(UP, &[PREFACE, &post(1), &frame(kind::DATA, 0, 1, &request())[..20]].concat());
        if gap > 0 {
            conversation.call(|parser, cx| parser.gap(cx, UP, gap));
        }
        conversation.push(UP, &frame(kind::DATA, 0, 1, &request())[20 + gap as usize..]);
        assert!(!carries(&conversation, 0));
        conversation.call(|parser, cx| parser.close(cx, UP));
        assert_eq!(carries(&conversation, 0), expected, "{gap}");
    }
}

#[test]
fn what_is_too_long() {
    let body = |up: bool, size: usize| {
        let mut bytes = if up { post(1) } else { ok(1) };
        for piece in vec![0; size].chunks(1 << 14) {
            bytes.extend(data(0, 1, piece));
        }
        bytes.extend(data(END_STREAM, 1, b""));
        bytes
    };
    let in_target = |size: usize| {
        let fields = [(":path", format!("/?dns={}", "A".repeat(size))), ("accept", MESSAGE.to_owned())];
        let mut block = Vec::new();
        for (name, value) in &fields {
            block.extend([0, name.len() as u8]);
            block.extend(name.as_bytes());
            match value.len().checked_sub(127) {
                Some(rest) => block.extend([127, rest as u8 & 127 | 128, (rest >> 7) as u8]),
                None => block.push(value.len() as u8),
            }
            block.extend(value.as_bytes());
        }
        frame(kind::HEADERS, END_STREAM | crate::http2::frame::END_HEADERS, 1, &block)
    };
    let cases: &[(Direction, Vec<u8>, &[&str])] = &[
        (UP, body(true, MAX_MESSAGE), &[]),
        (UP, body(true, MAX_MESSAGE + 1), &["dns_request_too_long"]),
        (DOWN, body(false, MAX_MESSAGE + 1), &["dns_response_too_long"]),
        (UP, in_target(MAX_PARAMETER), &[]),
        (UP, in_target(MAX_PARAMETER + 1), &["dns_request_too_long"]),
    ];
    for (direction, bytes, expected) in cases {
        let mut conversation = Conversation::new(&HTTP2, &Settings(&[]));
        conversation.push(UP, PREFACE);
        conversation.push(*direction, bytes);
        assert_eq!(conversation.anomalies(0), *expected, "{} bytes", bytes.len());
    }
}

#[test]
fn what_messages_take_is_counted() {
    // Each record has the same long name, by a pointer.
    let name = [[b"\x3f".as_slice(), &[b'a'; 63]].concat().repeat(15), vec![0]].concat();
    let message = build(1, 0x0100, &name, 1, [&vec![record(1, 0, b""); 5000], &[], &[]]);
    assert!(message.len() <= MAX_MESSAGE);
    let mut conversation = Conversation::new(&HTTP2, &Settings(&[]));
    conversation.push(UP, PREFACE);
    for stream in 0..20 {
        conversation.push(UP, &post(1 + 2 * stream));
        for piece in message.chunks(1 << 14) {
            conversation.push(UP, &data(0, 1 + 2 * stream, piece));
        }
        conversation.push(UP, &data(END_STREAM, 1 + 2 * stream, b""));
    }
    let open = conversation.ids().into_iter().filter(|&id| !conversation.is_complete(id)).count();
    assert!((1..8).contains(&open), "{open}");
}

#[test]
fn fields_of_both_protocols() {
    for field in super::DOH2.fields {
        let is_dns = field.name.starts_with("dns.");
        let bearer = if is_dns { &crate::dns::DNS } else { &HTTP2 };
        let own = bearer.fields.iter().filter(|other| other.name == field.name);
        assert!(own.clone().any(|other| other.direction == field.direction), "{}", field.name);
        assert!(
            !is_dns || matches!(field.access, Access::List(_) | Access::Integer { .. }),
            "{}",
            field.name
        );
    }
}
