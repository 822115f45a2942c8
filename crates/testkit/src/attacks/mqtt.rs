//! MQTT (3.1.1): what is published and subscribed without an answer, and long messages.

use weir_base::Direction;

use super::bytes::sized;
use super::{Attack, connection};
use crate::wire::Wire;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "mqtt-publish",
        what: "messages that are to be acknowledged and never are: transactions that wait",
        unit: "messages",
        size: 4000,
        write: |wire, count| {
            after_connect(wire, count, |id| message(0x32, &[sized(b"a/b"), id, vec![7]].concat()))
        },
    },
    Attack {
        name: "mqtt-subscribe",
        what: "subscriptions that are never acknowledged: transactions and rows of Zeek's log that wait",
        unit: "messages",
        size: 4000,
        write: |wire, count| {
            after_connect(wire, count, |id| message(0x82, &[id, sized(b"a/#"), vec![1]].concat()))
        },
    },
    Attack {
        name: "mqtt-pings",
        what: "messages of two bytes, many in a segment: what each transaction costs",
        unit: "messages",
        size: 20_000,
        write: |wire, count| {
            connection(wire, 1883, |connection, wire| {
                connection.client(wire, &connect());
                (0..count.div_ceil(700)).for_each(|_| connection.client(wire, &b"\xc0\0".repeat(700)));
            });
        },
    },
    Attack {
        name: "mqtt-topics",
        what: "a subscription of very many topics of no bytes: what is kept of each",
        unit: "topics",
        size: 40_000,
        write: |wire, count| {
            connection(wire, 1883, |connection, wire| {
                connection.client(wire, &connect());
                for number in 0..count.div_ceil(2000) {
                    let topics = [0, 0, 0].repeat(2000);
                    connection.client(
                        wire,
                        &message(0x82, &[&(number as u16).to_be_bytes()[..], &topics].concat()),
                    );
                }
            });
        },
    },
    Attack {
        name: "mqtt-released",
        what: "PUBREC again and again to one message: the messages that a transaction keeps",
        unit: "messages",
        size: 4000,
        write: |wire, count| {
            connection(wire, 1883, |connection, wire| {
                connection.client(wire, &connect());
                for number in 0..count {
                    if number % 31 == 0 {
                        connection.client(wire, &message(0x34, &[sized(b"a"), vec![0, 7]].concat()));
                    }
                    connection.server(wire, &message(0x50, &[0, 7]));
                }
            });
        },
    },
    Attack {
        name: "mqtt-bytewise",
        what: "a long message in segments of one byte: how often what waits is read",
        unit: "bytes",
        size: 10_000,
        write: |wire, count| {
            connection(wire, 1883, |connection, wire| {
                connection.client(wire, &connect());
                let text = message(0x30, &[sized(b"a"), vec![7; count as usize]].concat());
                connection.sends_bytewise(wire, Direction::ToServer, &text);
            });
        },
    },
];

/// A connection with one message for each of `count` ids.
fn after_connect(wire: &mut Wire<'_>, count: u64, message: impl Fn(Vec<u8>) -> Vec<u8>) {
    connection(wire, 1883, |connection, wire| {
        connection.client(wire, &connect());
        connection.server(wire, b"\x20\x02\0\0");
        for number in 0..count {
            connection.client(wire, &message((number as u16 | 1).to_be_bytes().to_vec()));
        }
    });
}

/// A message: its first byte, its length, seven bits in a byte, and what follows.
fn message(first: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    let mut left = body.len();
    loop {
        let more = if left >= 0x80 { 0x80 } else { 0 };
        bytes.push(more | (left & 0x7f) as u8);
        left >>= 7;
        if left == 0 {
            return [&bytes, body].concat();
        }
    }
}

fn connect() -> Vec<u8> {
    message(0x10, &[sized(b"MQTT"), vec![4, 2, 0, 60], sized(b"client")].concat())
}
