//! DNS: queries that nobody answers, and names that are written many times over.

use weir_base::Direction;

use super::bytes::sized;
use super::{Attack, client_datagrams, client_sends};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "dns-queries",
        what: "queries on one UDP flow that are never answered: rows of Zeek's log that wait for an answer",
        unit: "queries",
        size: 20_000,
        write: |wire, count| client_datagrams(wire, 53, count, query),
    },
    Attack {
        name: "dns-stream",
        what: "the same over TCP, many in a segment",
        unit: "queries",
        size: 20_000,
        write: |wire, count| {
            client_sends(wire, 53, count.div_ceil(30), |number| {
                (0..30).flat_map(|one| sized(&query(30 * number + one))).collect()
            });
        },
    },
    Attack {
        name: "dns-alike",
        what: "queries that all have one id, and no answer: what Zeek's log remembers of an id",
        unit: "queries",
        size: 20_000,
        write: |wire, count| client_datagrams(wire, 53, count, |_| query(7)),
    },
    Attack {
        name: "dns-pointers",
        what: "answers of twelve bytes that point to a name of 255: what is written of each",
        unit: "answers",
        size: 10_000,
        write: |wire, count| {
            let message = pointing();
            (0..count.div_ceil(100)).for_each(|number| {
                if number % 8 == 0 {
                    wire.udp((40_000, 53), Direction::ToServer, &query(7));
                }
                wire.udp((40_000, 53), Direction::ToClient, &message);
            });
        },
    },
    Attack {
        name: "dns-questions",
        what: "queries of very many questions: what is kept and written of each",
        unit: "questions",
        size: 10_000,
        write: |wire, count| {
            client_datagrams(wire, 53, count.div_ceil(200), |_| {
                let mut message = b"\0\x07\x01\0\0\xc8\0\0\0\0\0\0".to_vec();
                message.extend(b"\x01a\0\0\x01\0\x01".repeat(200));
                message
            });
        },
    },
    Attack {
        name: "dns-updates",
        what: "changes of a zone with very many conditions and deletions: what scripts are told of each",
        unit: "records",
        size: 10_000,
        write: |wire, count| client_datagrams(wire, 53, count.div_ceil(100), update),
    },
];

/// A change of a zone (RFC 2136) of fifty conditions and fifty deletions.
fn update(number: u64) -> Vec<u8> {
    let mut out = (number as u16).to_be_bytes().to_vec();
    out.extend(b"\x28\0\0\x01\0\x32\0\x32\0\0\x04zone\0\0\x06\0\x01");
    out.extend(b"\xc0\x0c\0\xff\0\xff\0\0\0\0\0\0".repeat(100));
    out
}

/// A query for an address, whose id and name depend on `number`.
pub(super) fn query(number: u64) -> Vec<u8> {
    let mut out = (number as u16).to_be_bytes().to_vec();
    out.extend([1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    let label = format!("host{number:08}");
    out.push(label.len() as u8);
    out.extend(label.as_bytes());
    out.extend(b"\x07example\x03com\0\0\x01\0\x01");
    out
}

/// A response of a hundred aliases, all to the question's name, which is as long as names are.
fn pointing() -> Vec<u8> {
    let mut message = b"\0\x07\x81\x80\0\x01\0\x64\0\0\0\0".to_vec();
    message.extend(b"\x01a".repeat(126));
    message.extend(b"\0\0\x05\0\x01");
    message.extend(b"\xc0\x0c\0\x05\0\x01\0\0\0\0\0\x02\xc0\x0c".repeat(100));
    message
}
