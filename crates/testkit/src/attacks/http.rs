//! HTTP/1: connections with much that is open, bodies that take long to set up, and what is read again for each byte.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use weir_base::Direction;

use super::Attack;
use crate::wire::{Connection, SERVER, Wire};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "http-files",
        what: "a file in each response of one connection: what is remembered of files",
        unit: "files",
        size: 2000,
        write: files,
    },
    Attack {
        name: "http-forms",
        what: "forms of 250 files each on one connection, none of them answered: what is remembered of files",
        unit: "files",
        size: 2500,
        write: |wire, files| unanswered_forms(&mut open(wire, 0), wire, files),
    },
    Attack {
        name: "http-open-files",
        what: "the same, then a form that goes on in small packets: all files for each packet",
        unit: "files",
        size: 2500,
        write: open_files,
    },
    Attack {
        name: "http-lzma",
        what: "bodies that begin like LZMA with the largest tables (lzma-enabled): a decompressor's set-up",
        unit: "bodies",
        size: 1000,
        write: |wire, count| bodies(wire, count, "lzma", LZMA),
    },
    Attack {
        name: "http-gzip",
        what: "small compressed bodies: a decompressor's set-up",
        unit: "bodies",
        size: 4000,
        write: |wire, count| bodies(wire, count, "gzip, gzip", GZIP),
    },
    Attack {
        name: "http-brotli",
        what: "small bodies that announce the largest window: a decompressor's set-up",
        unit: "bodies",
        size: 4000,
        write: |wire, count| bodies(wire, count, "br", BROTLI),
    },
    Attack {
        name: "http-ranges",
        what: "ranges of one file from its end to its begin: what waits for its turn",
        unit: "ranges",
        size: 2500,
        write: ranges,
    },
    Attack {
        name: "http-ranged-files",
        what: "a range of another file in each response: files that wait for their next part",
        unit: "files",
        size: 5000,
        write: ranged_files,
    },
    Attack {
        name: "http-pipelines",
        what: "connections with 500 requests each that nobody answers: memory of transactions",
        unit: "connections",
        size: 250,
        write: pipelines,
    },
    Attack {
        name: "http-bytes",
        what: "a header field of 17,000 bytes in segments of one byte: a field is read again for each of them",
        unit: "bytes",
        size: 17_000,
        write: bytes,
    },
    Attack {
        name: "http-fields",
        what: "requests of 1000 header fields with names alike: the search for a field of the same name",
        unit: "requests",
        size: 40,
        write: fields,
    },
    Attack {
        name: "http-names",
        what: "requests of 1000 header fields whose names differ at their end, in a bit that makes the case of letters",
        unit: "requests",
        size: 10,
        write: names,
    },
    Attack {
        name: "http-returns",
        what: "requests of 1000 header fields whose lines end at a carriage return alone: the reading for Zeek's logs",
        unit: "requests",
        size: 40,
        write: returns,
    },
    Attack {
        name: "http-folds",
        what: "a header field of 17,000 bytes, folded behind carriage returns, in segments of one byte: it is read again",
        unit: "bytes",
        size: 17_000,
        write: folds,
    },
    Attack {
        name: "http-chunks",
        what: "a body in chunks of one byte",
        unit: "bytes",
        size: 50_000,
        write: chunks,
    },
    Attack {
        name: "http-parts",
        what: "a body of entities within 100 others, then lines that may be a boundary of each of them",
        unit: "lines",
        size: 100_000,
        write: parts,
    },
];

/// An LZMA header of which the tables of literals take 6 MB, and the first byte of data (the format of LZMA alone:
/// properties 9 * (5 * pb + lp) + lc, with lc 8 and lp 4; dictionary; size).
const LZMA: &[u8] = b"\x2c\0\0\x01\0\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
/// A gzip header, and a stored block of `abc` (RFC 1951 3.2.4).
const GZIP: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x01\x03\0\xfc\xffabc";
/// A window of 16 MB (RFC 7932 9.1), a metablock of 16 MB without compression, and its first bytes.
const BROTLI: &[u8] = b"\xcf\xff\xff\xffabc";
/// Files of a form; there may be 256.
const FORM: u64 = 250;
/// Requests of a connection that wait; there may be 512.
const PIPELINE: u64 = 500;

/// A connection of the client of this number.
fn open(wire: &mut Wire<'_>, number: u64) -> Connection {
    let address = IpAddr::V4(Ipv4Addr::from(0x0a00_0000 | (number / 50_000) as u32));
    let client = SocketAddr::new(address, 10_000 + (number % 50_000) as u16);
    wire.connect_between(client, (SERVER, 80).into())
}

fn files(wire: &mut Wire<'_>, count: u64) {
    let mut connection = open(wire, 0);
    for number in 0..count {
        let request = format!("GET /{number} HTTP/1.1\r\nHost: a\r\n\r\n");
        connection.client(wire, request.as_bytes());
        connection.server(wire, b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
    }
}

/// The head of a form of `length` bytes.
fn form_head(length: usize) -> String {
    let of_type = "Content-Type: multipart/form-data; boundary=x";
    format!("POST / HTTP/1.1\r\nHost: a\r\n{of_type}\r\nContent-Length: {length}\r\n\r\n")
}

/// The parts of a form with so many files.
fn form(files: u64) -> String {
    let part = |number| format!("--x\r\nContent-Disposition: a; filename={number}\r\n\r\nab\r\n");
    (0..files).map(part).collect()
}

fn unanswered_forms(connection: &mut Connection, wire: &mut Wire<'_>, files: u64) {
    for number in 0..files.div_ceil(FORM) {
        let body = form((files - number * FORM).min(FORM)) + "--x--\r\n";
        connection.client(wire, (form_head(body.len()) + &body).as_bytes());
    }
}

fn open_files(wire: &mut Wire<'_>, files: u64) {
    let mut connection = open(wire, 0);
    unanswered_forms(&mut connection, wire, files);
    let body = form(1);
    connection.client(wire, (form_head(body.len() + files as usize) + &body).as_bytes());
    for _ in 0..files {
        connection.client(wire, b"a");
    }
}

fn bodies(wire: &mut Wire<'_>, count: u64, encoding: &str, body: &[u8]) {
    let mut connection = open(wire, 0);
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {}\r\n\r\n", body.len());
    let response = [head.as_bytes(), body].concat();
    for _ in 0..count.div_ceil(10) {
        connection.client(wire, "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(10).as_bytes());
        connection.server(wire, &response.repeat(10));
    }
}

fn ranged_files(wire: &mut Wire<'_>, count: u64) {
    let mut connection = open(wire, 0);
    for number in 0..count {
        let request = format!("GET /{number} HTTP/1.1\r\nHost: a\r\nRange: bytes=0-2\r\n\r\n");
        connection.client(wire, request.as_bytes());
        let response =
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-2/10\r\nContent-Length: 3\r\n\r\nabc";
        connection.server(wire, response.as_bytes());
    }
}

fn ranges(wire: &mut Wire<'_>, count: u64) {
    let mut connection = open(wire, 0);
    const LENGTH: u64 = 100;
    let body = "a".repeat(LENGTH as usize);
    for number in (0..count).rev() {
        let (start, end) = (number * LENGTH, (number + 1) * LENGTH - 1);
        connection.client(wire, b"GET /file HTTP/1.1\r\nHost: a\r\n\r\n");
        let range = format!("Content-Range: bytes {start}-{end}/{}", count * LENGTH);
        let head = format!("HTTP/1.1 206 Partial Content\r\n{range}\r\nContent-Length: {LENGTH}\r\n\r\n");
        connection.server(wire, (head + &body).as_bytes());
    }
}

fn pipelines(wire: &mut Wire<'_>, count: u64) {
    let requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(PIPELINE as usize);
    for number in 0..count {
        open(wire, number).client(wire, requests.as_bytes());
    }
}

fn bytes(wire: &mut Wire<'_>, count: u64) {
    bytewise_field(wire, count, b"a");
}

fn folds(wire: &mut Wire<'_>, count: u64) {
    bytewise_field(wire, count, b"a:\r ");
}

/// Header fields without end of these bytes again and again, so many in all, in segments of one byte.
fn bytewise_field(wire: &mut Wire<'_>, count: u64, part: &[u8]) {
    const FIELD: usize = 17_000;
    let mut left = count as usize;
    for number in 0..count.div_ceil(FIELD as u64) {
        let mut connection = open(wire, number);
        connection.client(wire, b"GET / HTTP/1.1\r\n");
        let field: Vec<u8> = part.iter().cycle().copied().take(left.min(FIELD)).collect();
        connection.sends_bytewise(wire, Direction::ToServer, &field);
        left = left.saturating_sub(FIELD);
    }
}

fn returns(wire: &mut Wire<'_>, count: u64) {
    requests(wire, count, &(0..1000).map(|number| format!("a{number:03}:\r")).collect::<String>());
}

fn fields(wire: &mut Wire<'_>, count: u64) {
    requests(wire, count, &(0..1000).map(|number| format!("a{number:03}:\r\n")).collect::<String>());
}

fn names(wire: &mut Wire<'_>, count: u64) {
    let end = |number: u32| (0..10).map(move |bit| if number >> bit & 1 == 0 { '@' } else { '`' });
    let field = |number: u32| format!("{}{}:\r\n", "a".repeat(54), end(number).collect::<String>());
    requests(wire, count, &(0..1000).map(field).collect::<String>());
}

/// Requests with these header fields.
fn requests(wire: &mut Wire<'_>, count: u64, fields: &str) {
    let mut connection = open(wire, 0);
    let request = format!("GET / HTTP/1.1\r\n{fields}\r\n");
    for _ in 0..count {
        connection.client(wire, request.as_bytes());
        connection.server(wire, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
}

fn chunks(wire: &mut Wire<'_>, count: u64) {
    let mut connection = open(wire, 0);
    connection.client(wire, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    connection.server(wire, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for _ in 0..count.div_ceil(200) {
        connection.server(wire, &b"1\r\na\r\n".repeat(200));
    }
}

fn parts(wire: &mut Wire<'_>, count: u64) {
    let mut connection = open(wire, 0);
    connection.client(wire, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/mixed; boundary=b0\r\n");
    connection.client(wire, b"Transfer-Encoding: chunked\r\n\r\n");
    let nested =
        |depth| format!("--b{depth}\r\nContent-Type: multipart/mixed; boundary=b{}\r\n\r\n", depth + 1);
    let head: String = (0..98).map(nested).collect();
    let lines = "--\r\n".repeat(200);
    for piece in [&head].into_iter().chain((0..count.div_ceil(200)).map(|_| &lines)) {
        connection.client(wire, format!("{:x}\r\n{piece}\r\n", piece.len()).as_bytes());
    }
}
