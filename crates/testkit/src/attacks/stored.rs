//! Attacks on what is made of files: digests, words for what they are, and copies on disk. The rules are those of
//! `scripts/attacks/attacks.rules`, at ports of their own.

use super::{Attack, connection};
use crate::wire::Wire;

/// The port of servers of whose files rules ask what they are.
const DESCRIBED: u16 = 7706;

/// The port of servers whose files are kept for what is in packets.
const KEPT_FOR_PACKETS: u16 = 7707;

/// The port of servers of whose files rules ask for digests.
const DIGESTED: u16 = 7708;

/// The port of servers whose files rules keep for what is in them.
const KEPT: u16 = 7709;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "files-described",
        what: "very many small files: words for what they are",
        unit: "files",
        size: 500,
        write: |wire, count| responses(wire, DESCRIBED, count, |number| format!("{number:x}")),
    },
    Attack {
        name: "files-digested",
        what: "very many small files: three digests of each",
        unit: "files",
        size: 2000,
        write: |wire, count| responses(wire, DIGESTED, count, |number| format!("{number:x}")),
    },
    Attack {
        name: "files-kept",
        what: "very many small files that a rule keeps, each another one: files on disk",
        unit: "files",
        size: 500,
        write: |wire, count| responses(wire, KEPT, count, |number| format!("keep {number:x}")),
    },
    Attack {
        name: "files-kept-alike",
        what: "the same file very many times, which a rule keeps",
        unit: "files",
        size: 500,
        write: |wire, count| responses(wire, KEPT, count, |_| "keep".to_owned()),
    },
    Attack {
        name: "files-kept-for-packets",
        what: "requests that wait for an answer while each packet has a rule keep the files of the flow",
        unit: "requests",
        size: 2000,
        write: |wire, count| {
            connection(wire, KEPT_FOR_PACKETS, |connection, wire| {
                (0..count).for_each(|_| connection.client(wire, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
            });
        },
    },
    Attack {
        name: "files-compressed",
        what: "Flash files that say that they unpack to much: their set-up, and what is unpacked of each",
        unit: "files",
        size: 2000,
        write: |wire, count| {
            let length = SWF.len();
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
            let response = [head.as_bytes(), SWF].concat();
            connection(wire, DIGESTED, |connection, wire| {
                for _ in 0..count {
                    connection.client(wire, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                    connection.server(wire, &response);
                }
            });
        },
    },
];

/// A Flash file of version 9 (`CWS`) of 64 KiB of one letter, packed by zlib.
const SWF: &[u8] = b"CWS\x09\x08\0\x01\0x\xda\xed\xc1!\x01\0\0\0\x80\xa0\xc1\xfe\xef\x1e\x01\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0j27\x06F";

/// Requests on one connection, each answered by a file.
fn responses(wire: &mut Wire<'_>, port: u16, count: u64, file: impl Fn(u64) -> String) {
    connection(wire, port, |connection, wire| {
        for number in 0..count {
            connection.client(wire, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            let file = file(number);
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", file.len());
            connection.server(wire, (head + &file).as_bytes());
        }
    });
}
