//! DCE/RPC (C706): calls that nobody answers, fragments, contexts, holes.

use weir_base::Direction;

use super::{Attack, client_datagrams, client_sends, connection};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "dcerpc-udp-sequences",
        what: "datagrams of one activity, each with a new sequence: calls that wait",
        unit: "datagrams",
        size: 4000,
        write: |wire, count| client_datagrams(wire, 135, count, |number| datagram(number as u32)),
    },
    Attack {
        name: "dcerpc-requests",
        what: "calls on one connection that are never answered: calls that wait",
        unit: "calls",
        size: 4000,
        write: |wire, count| client_sends(wire, 135, count, |number| request(FIRST | LAST, number as u32)),
    },
    Attack {
        name: "dcerpc-fragments",
        what: "first fragments of ever new calls, and later ones of one: the search for a fragment's call",
        unit: "fragments",
        size: 4000,
        write: |wire, count| {
            client_sends(wire, 135, count, |number| match number % 2 {
                0 => request(FIRST, number as u32),
                _ => request(0, 0),
            });
        },
    },
    Attack {
        name: "dcerpc-alike",
        what: "calls that all have the same number: the search among them",
        unit: "calls",
        size: 4000,
        write: |wire, count| {
            client_sends(wire, 135, count.div_ceil(40), |_| request(FIRST | LAST, 7).repeat(40));
        },
    },
    Attack {
        name: "dcerpc-contexts",
        what: "binds of 20 contexts with one number, and calls in it: the contexts that each call keeps",
        unit: "calls",
        size: 16_000,
        write: |wire, count| {
            connection(wire, 135, |connection, wire| {
                for number in 0..20 {
                    connection.client(wire, &bind(number, 20));
                }
                for number in 0..count.div_ceil(40) {
                    let calls = (0..40).map(|call| request(FIRST | LAST, 100 + 40 * number as u32 + call));
                    connection.client(wire, &calls.collect::<Vec<_>>().concat());
                }
            });
        },
    },
    Attack {
        name: "dcerpc-gaps",
        what: "calls that wait, then more with a hole before each: what a hole ends",
        unit: "calls",
        size: 4000,
        write: |wire, count| {
            connection(wire, 135, |connection, wire| {
                for number in 0..1000 {
                    connection.client(wire, &request(FIRST, number));
                }
                for number in 0..count {
                    connection.loses(Direction::ToServer, 1);
                    connection.client(wire, &request(FIRST, 1000 + number as u32));
                    connection.acknowledges(wire, Direction::ToClient);
                }
            });
        },
    },
];

const FIRST: u8 = 1;
const LAST: u8 = 2;

/// A message of a connection.
fn message(kind: u8, flags: u8, number: u32, body: &[u8]) -> Vec<u8> {
    let head = [5, 0, kind, flags, 0x10, 0, 0, 0];
    let length = (16 + body.len() as u16).to_le_bytes();
    [&head[..], &length, &[0, 0], &number.to_le_bytes(), body].concat()
}

fn request(flags: u8, number: u32) -> Vec<u8> {
    message(0, flags, number, &[0; 8])
}

/// Offers contexts that have the number 0.
fn bind(number: u32, contexts: u8) -> Vec<u8> {
    let mut body = vec![0xb8, 0x10, 0xb8, 0x10, 0, 0, 0, 0, contexts, 0, 0, 0];
    for context in 0..contexts {
        body.extend([0, 0, 1, 0]);
        body.extend([context; 20]);
        body.extend([0; 20]);
    }
    message(11, FIRST | LAST, number, &body)
}

/// A request without data.
fn datagram(sequence: u32) -> Vec<u8> {
    let mut bytes = vec![4, 0, 0, 0, 0x10, 0, 0, 0];
    bytes.extend([0; 16]);
    bytes.extend([1; 16]);
    bytes.extend([2; 16]);
    bytes.extend([0, 0, 0, 0, 1, 0, 0, 0]);
    bytes.extend(sequence.to_le_bytes());
    bytes.extend([3, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0]);
    bytes
}
