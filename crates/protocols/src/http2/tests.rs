//! Frames built here, through the parser, to fields, files and EVE records.

use proptest::prelude::*;
use serde_json::json;
use weir_applayer::Outcome;
use weir_applayer::waiting::MAX_LIVE;
use weir_base::Direction;

use super::HTTP2;
use super::frame::{END_HEADERS, END_STREAM, PADDED, WITH_PRIORITY, kind};
use super::parser::MAX_HELD;
use super::probe::PREFACE;
use super::transaction::{Http2Transaction, MAX_VALUES};
use crate::testing::{Conversation, DOWN, Settings, UP, led_in_any_pieces, same_in_any_pieces};

pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// A header block of fields that are written out.
fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, value) in fields {
        bytes.push(0);
        for text in [name, value] {
            assert!(text.len() < 127);
            bytes.push(text.len() as u8);
            bytes.extend(text.as_bytes());
        }
    }
    bytes
}

pub(crate) fn headers(flags: u8, stream: u32, fields: &[(&str, &str)]) -> Vec<u8> {
    frame(kind::HEADERS, flags | END_HEADERS, stream, &block(fields))
}

const GET: &[(&str, &str)] = &[
    (":method", "GET"),
    (":path", "/a/b.txt?c"),
    (":scheme", "http"),
    (":authority", "me@Host.Example:3000"),
    ("user-agent", "tester"),
    ("cookie", "a=1"),
    ("cookie", "b=2"),
];

const OK: &[(&str, &str)] = &[(":status", "200"), ("server", "maker"), ("content-length", "11")];

fn talk(pieces: &[(Direction, Vec<u8>)]) -> Conversation {
    Conversation::of(&HTTP2, &Settings(&[]), pieces)
}

fn exchange() -> Vec<(Direction, Vec<u8>)> {
    vec![
        (UP, [PREFACE, &frame(kind::SETTINGS, 0, 0, b"\0\x03\0\0\0\x64\0\x02\0\0\0\0")].concat()),
        (DOWN, frame(kind::SETTINGS, 0, 0, b"\0\x09\0\0\0\x01")),
        (UP, headers(END_STREAM, 1, GET)),
        (DOWN, headers(0, 1, OK)),
        (DOWN, frame(kind::DATA, 0, 1, b"hello ")),
        (DOWN, frame(kind::DATA, PADDED | END_STREAM, 1, b"\x03world\0\0\0")),
        (UP, frame(kind::GOAWAY, 0, 0, b"\0\0\0\x01\0\0\0\x02")),
    ]
}

#[test]
fn an_exchange() {
    let conversation = same_in_any_pieces(|| Conversation::new(&HTTP2, &Settings(&[])), &exchange());
    assert_eq!(conversation.ids(), [0, 1, 2, 3]);
    for id in 0..4 {
        assert!(conversation.is_complete(id), "{id}");
        assert!(id == 2 || conversation.anomalies(id).is_empty(), "{id}");
    }
    assert_eq!(conversation.anomalies(2), ["userinfo_in_uri"]);
    let cases: &[(&str, Direction, &[&str])] = &[
        ("http.method", UP, &["GET"]),
        ("http.request_line", UP, &["GET /a/b.txt?c HTTP/2\r\n"]),
        ("http.stat_msg", DOWN, &[""]),
        ("http.response_line", DOWN, &["HTTP/2 200\r\n"]),
        ("http.uri", UP, &["/a/b.txt?c"]),
        ("http.host", UP, &["host.example"]),
        ("http.host.raw", UP, &["me@Host.Example:3000"]),
        ("http.user_agent", UP, &["tester"]),
        ("http.cookie", UP, &["a=1, b=2"]),
        ("http.protocol", DOWN, &["HTTP/2"]),
        ("http.stat_code", DOWN, &["200"]),
        ("http.referer", UP, &[]),
        ("http.response_header", DOWN, &[":status: 200", "server: maker", "content-length: 11"]),
        ("http.header", DOWN, &[":status: 200\r\nserver: maker\r\ncontent-length: 11\r\n"]),
        ("http.header_names", DOWN, &["\r\n:status\r\nserver\r\ncontent-length\r\n\r\n"]),
        ("http2.header_name", DOWN, &[":status", "server", "content-length"]),
        ("http2.frametype", DOWN, &["0", "1"]),
    ];
    for (name, direction, expected) in cases {
        assert_eq!(conversation.values(2, name, *direction), *expected, "{name}");
    }
    assert_eq!(conversation.values(3, "http2.errorcode", UP), ["2"]);
    let files = &conversation.tx::<Http2Transaction>(2).meta.files;
    let told: Vec<_> = files.iter().map(|file| (&file.name[..], file.size, file.state.name())).collect();
    assert_eq!(told, [(&b"/a/b.txt?c"[..], 11, "CLOSED")]);
    assert_eq!(files[0].content.bytes().1, b"hello world");
}

#[test]
fn records() {
    let conversation = talk(&exchange());
    let setting = |name: &str, value: u32| json!({"settings_id": name, "settings_value": value});
    let stream = |stream: u32, request, response| json!({"stream_id": stream, "request": request, "response": response});
    let settings = json!([setting("SETTINGSMAXCONCURRENTSTREAMS", 100), setting("SETTINGSENABLEPUSH", 0)]);
    let first = json!({"version": "2", "http2": stream(0, json!({"settings": settings}), json!({}))});
    assert_eq!(conversation.eve(0, &Settings(&[])).unwrap(), first);
    let error =
        json!({"version": "2", "http2": stream(0, json!({"error_code": "INTERNALERROR"}), json!({}))});
    assert_eq!(conversation.eve(3, &Settings(&[])).unwrap(), error);
    let record = conversation.eve(2, &Settings(&[])).unwrap();
    for (key, expected) in [
        ("http_method", json!("GET")),
        ("url", json!("/a/b.txt?c")),
        ("hostname", json!("me@Host.Example:3000")),
        ("http_user_agent", json!("tester")),
        ("length", json!(11)),
        ("status", json!(200)),
        ("version", json!("2")),
        ("http2", stream(1, json!({}), json!({}))),
    ] {
        assert_eq!(record[key], expected, "{key}");
    }
    assert_eq!(record["response_headers"][0], json!({"name": ":status", "value": "200"}));
    assert_eq!(record["request_headers"].as_array().unwrap().len(), 7);
}

/// Anomalies of all transactions after frames that the client sends.
fn anomalies(settings: &[(&str, &str)], frames: &[Vec<u8>]) -> String {
    let mut conversation = Conversation::new(&HTTP2, &Settings(settings));
    conversation.push(UP, PREFACE);
    for frame in frames {
        conversation.push(UP, frame);
    }
    let ids = conversation.ids().into_iter();
    ids.flat_map(|id| conversation.anomalies(id)).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_wrong() {
    type Case<'a> = (&'a [(&'a str, &'a str)], Vec<Vec<u8>>, &'a str);
    let whole = block(GET);
    let (first, second) = whole.split_at(20);
    let cases: &[Case<'_>] = &[
        (&[], vec![frame(kind::DATA, 0, 0, b"x")], "data_stream_zero"),
        (&[], vec![frame(kind::RST_STREAM, 0, 1, b"x")], "invalid_frame_length"),
        (&[], vec![frame(kind::WINDOW_UPDATE, 0, 1, b"12345")], "invalid_frame_length"),
        (&[], vec![frame(kind::SETTINGS, 0, 0, b"12345")], "invalid_frame_length"),
        (&[], vec![frame(kind::GOAWAY, 0, 0, b"12345")], "invalid_frame_length"),
        (&[], vec![frame(kind::HEADERS, PADDED, 1, b"\x09")], "invalid_frame_data"),
        (&[], vec![frame(kind::HEADERS, WITH_PRIORITY, 1, b"1234")], "invalid_frame_data"),
        (&[], vec![frame(kind::DATA, PADDED, 1, b"\x09abc")], "invalid_frame_data"),
        (&[], vec![frame(kind::CONTINUATION, 0, 1, b"")], "invalid_frame_data"),
        (
            &[],
            vec![frame(kind::HEADERS, END_HEADERS, 1, b"\xff\xff\xff\xff\xff\xff")],
            "header_integer_overflow",
        ),
        (&[], vec![frame(kind::HEADERS, END_HEADERS, 1, b"\x80")], "invalid_header"),
        (&[], vec![frame(kind::HEADERS, END_HEADERS, 1, b"\x00\x09")], "extra_header_data"),
        (&[], vec![headers(0, 1, &[(":authority", "a"), ("host", "b")])], "authority_host_mismatch"),
        // What is said later is not compared.
        (&[], vec![headers(0, 1, &[(":authority", "a")]), headers(0, 1, &[("host", "b")])], ""),
        (&[], vec![headers(END_STREAM, 1, &[]), headers(0, 1, &[])], "stream_id_reuse"),
        (&[("max-streams", "1")], vec![headers(0, 1, &[]), headers(0, 3, &[])], "too_many_streams"),
        (
            &[("max-reassembly-size", "30")],
            vec![frame(kind::HEADERS, 0, 1, first), frame(kind::CONTINUATION, END_HEADERS, 1, second)],
            "reassembly_limit_reached extra_header_data",
        ),
        (
            &[],
            vec![
                headers(0, 1, &[("content-encoding", "gzip")]),
                frame(kind::DATA, END_STREAM, 1, b"plain text"),
            ],
            "failed_decompression",
        ),
        (
            &[],
            vec![headers(0, 1, &[("content-range", "bytes 9-3/20")]), frame(kind::DATA, 0, 1, b"x")],
            "invalid_range",
        ),
    ];
    for (settings, frames, expected) in cases {
        assert_eq!(anomalies(settings, frames), *expected, "{frames:02x?}");
    }
}

#[test]
fn blocks_in_several_frames() {
    let whole = block(GET);
    let mut pieces = vec![(UP, PREFACE.to_vec())];
    let mut chunks = whole.chunks(10).peekable();
    let mut kind = kind::HEADERS;
    while let Some(chunk) = chunks.next() {
        let flags = if chunks.peek().is_none() { END_HEADERS } else { 0 };
        pieces.push((UP, frame(std::mem::replace(&mut kind, kind::CONTINUATION), flags, 1, chunk)));
    }
    let conversation = talk(&pieces);
    assert_eq!(conversation.ids(), [0]);
    assert_eq!(conversation.values(0, "http.uri", UP), ["/a/b.txt?c"]);
}

#[test]
fn frames_of_stream_0_are_over_at_once() {
    for odd in [
        frame(kind::DATA, 0, 0, b"x"),
        frame(kind::HEADERS, WITH_PRIORITY, 0, b"1234"),
        frame(kind::HEADERS, 0, 0, b"\x82"),
        frame(kind::PUSH_PROMISE, END_HEADERS, 1, b"\0\0\0\0\x82"),
        frame(kind::GOAWAY, 0, 0, b"")[..9].to_vec(),
        b"\xff\0\0\x06\0\0\0\0\0".to_vec(),
    ] {
        let conversation = talk(&[(UP, PREFACE.to_vec()), (UP, odd.clone())]);
        assert!(conversation.is_complete(0), "{odd:02x?}");
    }
}

#[test]
fn a_block_of_what_is_forgotten_is_read_for_the_table() {
    let (first, second) = b"\x40\x01a\x01b".split_at(2);
    let mut conversation = talk(&[(UP, PREFACE.to_vec()), (UP, frame(kind::HEADERS, 0, 1, first))]);
    conversation.parser.free(0);
    conversation.push(UP, &frame(kind::CONTINUATION, END_HEADERS, 1, second));
    conversation.push(UP, &frame(kind::HEADERS, END_HEADERS, 3, b"\xbe"));
    assert_eq!(conversation.values(2, "http2.header", UP), ["a: b"]);
}

#[test]
fn frames_of_a_side_of_a_stream() {
    for (texts, anomalies) in
        [(&[("max-frames", "2")][..], &["too_many_frames"][..]), (&[("max-frames", "3")], &[]), (&[], &[])]
    {
        let request = headers(0, 1, &[(":method", "GET"), (":path", "/"), (":authority", "a.example")]);
        let windows = frame(kind::WINDOW_UPDATE, 0, 1, &[0, 0, 0, 9]).repeat(2);
        let said = [PREFACE, &request, &windows].concat();
        let found = Conversation::of(&HTTP2, &Settings(texts), &[(UP, said), (DOWN, headers(0, 1, OK))]);
        assert_eq!(found.anomalies(0), anomalies, "{texts:?}");
    }
}

#[test]
fn streams_that_are_open_hold_so_much() {
    let block = [0x82; MAX_VALUES];
    let streams = (1..200).map(|stream| frame(kind::HEADERS, END_HEADERS, stream, &block));
    let mut conversation = talk(&[(UP, PREFACE.to_vec())]);
    for stream in streams {
        conversation.push(UP, &stream);
    }
    let open = |conversation: &Conversation| {
        let ids = conversation.ids().into_iter().filter(|&id| !conversation.is_complete(id));
        ids.map(|id| conversation.tx::<Http2Transaction>(id).size()).collect::<Vec<_>>()
    };
    let sizes = open(&conversation);
    assert!(sizes.len() > 10 && sizes.iter().sum::<usize>() <= MAX_HELD, "{sizes:?}");
    assert!(sizes.iter().sum::<usize>() + sizes[0] > MAX_HELD, "no more is given up than needs to be");
    assert_eq!(conversation.anomalies(0), ["too_many_streams"]);
    // What is over makes room.
    for stream in 1..200 {
        conversation.push(UP, &frame(kind::RST_STREAM, 0, stream, &[0; 4]));
        conversation.push(UP, &frame(kind::HEADERS, END_HEADERS | END_STREAM, 1000 + stream, &block));
        conversation.push(DOWN, &frame(kind::HEADERS, END_HEADERS | END_STREAM, 1000 + stream, &block));
    }
    let ids = conversation.ids().into_iter().skip(300);
    assert!(ids.map(|id| conversation.anomalies(id)).all(|anomalies| anomalies.is_empty()));
}

#[test]
fn compressed_bodies_that_are_open_hold_so_much() {
    let mut conversation = talk(&[(UP, PREFACE.to_vec())]);
    for stream in 1..2000 {
        conversation.push(DOWN, &headers(0, stream, &[("content-encoding", "gzip")]));
        conversation.push(DOWN, &frame(kind::DATA, 0, stream, b"\x1f\x8b"));
    }
    let open = conversation.ids().into_iter().filter(|&id| !conversation.is_complete(id)).count();
    assert!((500..1100).contains(&open), "{open}");
}

#[test]
fn frames_that_come_at_once_are_bounded() {
    let mut bytes = frame(kind::SETTINGS, 0, 0, b"").repeat(MAX_LIVE);
    bytes.extend(frame(kind::HEADERS, END_HEADERS, 1, b"\x40\x01a\x01b"));
    let mut conversation = talk(&[(UP, PREFACE.to_vec()), (UP, bytes)]);
    assert_eq!(conversation.ids().len(), MAX_LIVE);
    assert_eq!(conversation.anomalies(MAX_LIVE as u64 - 1), ["too_many_streams"]);
    (0..MAX_LIVE as u64).for_each(|id| conversation.parser.free(id));
    conversation.push(UP, &frame(kind::HEADERS, END_HEADERS, 3, b"\xbe"));
    assert_eq!(conversation.values(MAX_LIVE as u64, "http2.header", UP), ["a: b"]);
}

#[test]
fn gaps_within_a_body_are_gaps_of_the_file() {
    let mut conversation = talk(&[(UP, PREFACE.to_vec()), (UP, headers(0, 1, GET))]);
    let data = frame(kind::DATA, END_STREAM, 1, &[b'x'; 100]);
    conversation.push(UP, &data[..29]);
    assert_eq!(conversation.gap(UP, 50), Outcome::Ok);
    conversation.push(UP, &data[79..]);
    let file = &conversation.tx::<Http2Transaction>(0).meta.files[0];
    assert_eq!((file.size, file.missing, file.state.name()), (50, 50, "TRUNCATED"));
    assert_eq!(conversation.gap(UP, 1), Outcome::Error, "the next frame is lost");
}

#[test]
fn a_reset_ends_both_sides() {
    let reset = frame(kind::RST_STREAM, 0, 1, b"\0\0\0\x08");
    let conversation = talk(&[(UP, PREFACE.to_vec()), (UP, headers(0, 1, GET)), (DOWN, reset)]);
    assert!(conversation.is_complete(0));
    let record = conversation.eve(0, &Settings(&[])).unwrap();
    assert_eq!(record["http2"]["response"], json!({"error_code": "CANCEL"}));
}

proptest! {
    #[test]
    fn any_bytes_are_read(frames in prop::collection::vec((0..11_u8, any::<u8>(), 0..4_u32, prop::collection::vec(any::<u8>(), 0..40)), 0..20), up in any::<bool>()) {
        let bytes: Vec<u8> = frames.iter().flat_map(|(kind, flags, stream, payload)| frame(*kind, *flags, *stream, payload)).collect();
        let direction = if up { UP } else { DOWN };
        let pieces = [(UP, PREFACE.to_vec()), (direction, bytes)];
        led_in_any_pieces(|| Conversation::new(&HTTP2, &Settings(&[])), &pieces)?;
    }
}
