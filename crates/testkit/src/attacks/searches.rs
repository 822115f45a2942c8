//! Attacks on how rules search: expressions, contents and numbers that depend on each other, transforms, scripts. The
//! rules are those of `scripts/attacks/attacks.rules`, at ports of their own.

use weir_base::Direction;

use super::{Attack, client_datagrams, client_sends, connection};
use crate::wire::Wire;

/// The port whose streams rules search with effort.
const SEARCHED: u16 = 7702;

/// The port of datagrams of which rules capture parts.
const CAPTURED: u16 = 7703;

/// The port of datagrams in which rules decode and calculate.
const CALCULATED: u16 = 7704;

/// The port of datagrams that rules show to a script.
const SCRIPTED: u16 = 7705;

/// The port of datagrams in which expressions follow contents.
const RELATIVE: u16 = 7710;

/// The port of datagrams in which expressions that may begin with a line follow contents.
const LINES: u16 = 7712;

/// The port of datagrams in which rules look for ASN.1.
const NESTED: u16 = 7711;

/// The port of datagrams in which rules look for padding.
const PADDED: u16 = 7713;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "rules-expressions",
        what: "what an expression with repeats in repeats almost finds: its steps up to the limit, again and again",
        unit: "segments",
        size: 500,
        write: |wire, count| client_sends(wire, SEARCHED, count, |_| b"a".repeat(1400)),
    },
    Attack {
        name: "rules-runs",
        what: "what an expression runs to the end of from each place, and back: its limit is for each of them",
        unit: "segments",
        size: 500,
        write: |wire, count| {
            let segment = [&b"k".repeat(1398)[..], b"zy"].concat();
            client_sends(wire, SEARCHED, count, |_| segment.clone());
        },
    },
    Attack {
        name: "rules-contents",
        what: "contents that depend on each other, all but the last of which are there many times over",
        unit: "segments",
        size: 500,
        write: |wire, count| client_sends(wire, SEARCHED, count, |_| b"\x04kl".repeat(460)),
    },
    Attack {
        name: "rules-padding",
        what: "padding that rules look for, and that is too short for its middle to be left out",
        unit: "packets",
        size: 2000,
        write: |wire, count| {
            let packet = [&[0; 120][..], b"k"].concat().repeat(11);
            client_datagrams(wire, PADDED, count, |_| packet.clone());
        },
    },
    Attack {
        name: "rules-periods",
        what: "two bytes in turn that rules look for: no run, and something is found at each place",
        unit: "packets",
        size: 2000,
        write: |wire, count| client_datagrams(wire, PADDED, count, |_| b"k\0".repeat(700)),
    },
    Attack {
        name: "rules-relative-runs",
        what: "the same, from each place at which a content is found",
        unit: "packets",
        size: 100,
        write: |wire, count| {
            let packet = [&b"k".repeat(1398)[..], b"zy"].concat();
            client_datagrams(wire, RELATIVE, count, |_| packet.clone());
        },
    },
    Attack {
        name: "rules-multiline",
        what: "the same for an expression of which a part begins with a line: what is known of places before helps little",
        unit: "packets",
        size: 100,
        write: |wire, count| {
            let packet = [&b"k".repeat(1398)[..], b"xy"].concat();
            client_datagrams(wire, LINES, count, |_| packet.clone());
        },
    },
    Attack {
        name: "rules-captures",
        what: "what an expression captures from each place on, for a content that never follows",
        unit: "packets",
        size: 500,
        write: |wire, count| client_datagrams(wire, CAPTURED, count, |_| b"k".repeat(1400)),
    },
    Attack {
        name: "rules-base64",
        what: "base64 that is decoded from each place on",
        unit: "packets",
        size: 500,
        write: |wire, count| client_datagrams(wire, CALCULATED, count, |_| b"k".repeat(1400)),
    },
    Attack {
        name: "rules-jumps",
        what: "numbers that lead from one to the next and back, from each place on",
        unit: "packets",
        size: 500,
        write: |wire, count| client_datagrams(wire, CALCULATED, count, |_| b"k\x01\x02\x03".repeat(350)),
    },
    Attack {
        name: "rules-elements",
        what: "elements of ASN.1 within each other, which are read from each place on",
        unit: "packets",
        size: 500,
        write: |wire, count| client_datagrams(wire, NESTED, count, |_| b"\x30\x80".repeat(700)),
    },
    Attack {
        name: "rules-scripts",
        what: "what a script's pattern almost finds: its steps up to the limit for each packet",
        unit: "packets",
        size: 100,
        write: |wire, count| client_datagrams(wire, SCRIPTED, count, |_| b"a".repeat(1400)),
    },
    Attack {
        name: "rules-small-scripts",
        what: "packets of a byte that are shown to a script: what calling it takes",
        unit: "packets",
        size: 4000,
        write: |wire, count| client_datagrams(wire, SCRIPTED, count, |_| b"a".to_vec()),
    },
    Attack {
        name: "rules-bodies",
        what: "a body in small segments: what transforms and contents do again for each of them",
        unit: "segments",
        size: 4000,
        write: |wire, count| bodies(wire, b"kklk".to_vec(), count),
    },
    Attack {
        name: "rules-encoded-bodies",
        what: "a body of base64 and escapes in small segments: what transforms do again for each of them",
        unit: "segments",
        size: 4000,
        write: |wire, count| bodies(wire, b"%41 \t++".to_vec(), count),
    },
    Attack {
        name: "rules-compressed-bodies",
        what: "bodies that unpack to much: what a transform makes of them",
        unit: "bodies",
        size: 1000,
        write: |wire, count| {
            connection(wire, 80, |connection, wire| {
                for _ in 0..count {
                    let head =
                        format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n", GZIP.len());
                    connection.client(wire, &[head.as_bytes(), GZIP].concat());
                    connection.server(wire, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                }
            });
        },
    },
];

/// 64 KiB of one letter (RFC 1952).
const GZIP: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\xed\xc1!\x01\0\0\0\x80\xa0\xc1\xfe\xef\x1e\x01\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0j\xfb\xfd,\xfb\0\0\x01\0";

/// A request whose body comes in so many segments of this.
fn bodies(wire: &mut Wire<'_>, segment: Vec<u8>, count: u64) {
    connection(wire, 80, |connection, wire| {
        let length = segment.len() as u64 * count;
        let head = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n");
        connection.client(wire, head.as_bytes());
        (0..count).for_each(|_| connection.sends(wire, Direction::ToServer, &segment));
    });
}
