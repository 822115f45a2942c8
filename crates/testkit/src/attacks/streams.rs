//! TCP beneath the parsers: handshakes, segments in every disorder, acknowledgements, and the stream as rules see it.

use std::net::{IpAddr, Ipv4Addr};

use weir_base::Direction;

use super::{Attack, connection};
use crate::wire::{CLIENT, SERVER, Wire};
use crate::{Frame, tcp_flags};

/// Bytes that lie behind a hole in segments of one byte each, before longer ones cover them.
const PIECES: u32 = 1200;

/// Bytes of a segment that covers them: as many more as there are places where it may begin.
const COVER: u32 = 1460;

/// Bytes in which rounds begin, each somewhere else: soon there is hardly a place where none did.
const REGION: u32 = 2000;

/// Segments of a byte that are scattered before others fill what lies between them; a power of two.
const SCATTERED: u32 = 1024;

/// Bytes of one side that wait for their acknowledgement: less than a window.
const UNACKNOWLEDGED: usize = 60_000;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "segments-replaced",
        what: "segments of one byte behind a hole, then long ones over all of them: each begins before the one before",
        unit: "rounds",
        size: 32,
        write: |wire, count| {
            open(wire);
            for round in 0..count as u32 {
                let start = 2 + COVER + round * COVER % REGION;
                (0..PIECES).for_each(|at| wire.send(&to_server(start + at).payload([b'a'])));
                (1..COVER - PIECES)
                    .for_each(|before| wire.send(&to_server(start - before).payload([b'b'; COVER as usize])));
            }
        },
    },
    Attack {
        name: "segments-repeated",
        what: "segments of one byte behind a hole, then long ones over all of them, all at the same place",
        unit: "packets",
        size: 6000,
        write: |wire, count| {
            open(wire);
            (0..COVER).for_each(|at| wire.send(&to_server(2 + at).payload([b'a'])));
            (0..count).for_each(|_| wire.send(&to_server(2).payload([b'b'; COVER as usize])));
        },
    },
    Attack {
        name: "segments-filled",
        what: "segments of one byte, the last one first, until none is missing; then their acknowledgement",
        unit: "packets",
        size: 20_000,
        write: |wire, count| {
            open(wire);
            let mut next = 1;
            for block in (0..count).step_by(2000) {
                let length = (count - block).min(2000) as u32;
                (0..length).rev().for_each(|at| wire.send(&to_server(next + at).payload([b'x'])));
                next += length;
                wire.send(&to_client(next));
            }
        },
    },
    Attack {
        name: "segments-late",
        what: "requests in segments of one byte, very many of which are acknowledged at once: when each came",
        unit: "bytes",
        size: 20_000,
        write: |wire, count| {
            open(wire);
            let request = b"GET / HTTP/1.1\r\n\r\n";
            let bytes: Vec<u8> = request.iter().copied().cycle().take(count as usize).collect();
            let mut next = 1;
            for waiting in bytes.chunks(UNACKNOWLEDGED) {
                for byte in waiting.chunks(1) {
                    wire.send(&to_server(next).payload(byte));
                    next += 1;
                }
                wire.send(&to_client(next));
            }
        },
    },
    Attack {
        name: "segments-urgent",
        what: "segments with a byte of urgent data in each: what is taken out of the stream",
        unit: "packets",
        size: 20_000,
        write: |wire, count| {
            open(wire);
            for number in 0..count as u32 {
                let frame = to_server(1 + number * 3).flags(tcp_flags::ACK | tcp_flags::URG).urgent(2);
                wire.send(&frame.payload("xxx"));
                wire.send(&to_client(4 + number * 3));
            }
        },
    },
    Attack {
        name: "segments-kept",
        what: "connections with a byte that is never acknowledged, behind many that were: the memory of what is kept",
        unit: "connections",
        size: 250,
        write: |wire, count| {
            for number in 0..count {
                let mut connection = wire.connect_between((host(number), 1024).into(), (SERVER, 9999).into());
                (0..40).for_each(|_| {
                    connection.segment(wire, Direction::ToServer, tcp_flags::ACK, &[b'x'; COVER as usize]);
                });
                connection.acknowledges(wire, Direction::ToClient);
                connection.segment(wire, Direction::ToServer, tcp_flags::ACK, b"x");
            }
        },
    },
    Attack {
        name: "segments-selected",
        what: "acknowledgements of four blocks beyond a hole each, all different: the list of blocks",
        unit: "packets",
        size: 30_000,
        write: |wire, count| {
            let permitted = [4, 2, 1, 1];
            wire.send(&to_server(0).ack(0).flags(tcp_flags::SYN).tcp_options(&permitted));
            let answer = to_client(1).seq(0).flags(tcp_flags::SYN | tcp_flags::ACK);
            wire.send(&answer.tcp_options(&permitted));
            wire.send(&to_server(1));
            (0..100).for_each(|number| wire.send(&to_server(100 + number * 600).payload([b'x'; 600])));
            for number in 0..count as u32 {
                let block = |index: u32| {
                    let left = 200 + (number * 4 + index) * 7 % 50_000;
                    [left.to_be_bytes(), (left + 3).to_be_bytes()].concat()
                };
                let options = [vec![1, 1, 5, 34], (0..4).flat_map(block).collect()].concat();
                wire.send(&to_client(1).tcp_options(&options));
            }
        },
    },
    Attack {
        name: "handshake-answers",
        what: "SYNs and answers to them, all different, on one connection: those that are remembered",
        unit: "packets",
        size: 40_000,
        write: |wire, count| {
            wire.send(&to_server(0).ack(0).flags(tcp_flags::SYN));
            for number in 0..count as u32 {
                let answer = match number % 2 {
                    0 => to_client(1).seq(number * 77).flags(tcp_flags::SYN | tcp_flags::ACK),
                    _ => to_server(number * 99).ack(0).flags(tcp_flags::SYN),
                };
                wire.send(&answer);
            }
        },
    },
    Attack {
        name: "handshake-repeated",
        what: "SYNs of ever new hosts, with several different answers to each: what is kept before a connection is made",
        unit: "packets",
        size: 60_000,
        write: |wire, count| {
            for number in 0..count {
                let (client, step) = (host(number / 6), (number % 6) as u32);
                let syn = Frame::ethernet().ip(client, SERVER).tcp(1024, 80).seq(7).ack(0);
                let answer = Frame::ethernet().ip(SERVER, client).tcp(80, 1024).seq(step * 1000).ack(8);
                wire.send(&match step {
                    0 => syn.flags(tcp_flags::SYN),
                    _ => answer.flags(tcp_flags::SYN | tcp_flags::ACK),
                });
            }
        },
    },
    Attack {
        name: "stream-windows",
        what: "short requests that are acknowledged one by one, of which a rule waits for more: what is looked at anew",
        unit: "requests",
        size: 10_000,
        write: |wire, count| {
            connection(wire, 7702, |connection, wire| {
                for number in 0..count {
                    let path = if number % 64 == 0 { "kl\x02kaa" } else { "aaaaaa" };
                    connection.client(wire, format!("GET /{path} HTTP/1.1\r\n\r\n").as_bytes());
                    connection.acknowledges(wire, Direction::ToClient);
                }
            });
        },
    },
    Attack {
        name: "stream-messages",
        what: "MQTT: messages that are acknowledged one by one, each of which has rules look at the stream",
        unit: "messages",
        size: 10_000,
        write: |wire, count| {
            connection(wire, 7702, |connection, wire| {
                connection.client(wire, b"\x10\x0d\0\x04MQTT\x04\x02\0\x3c\0\x01a");
                connection.server(wire, b"\x20\x02\0\0");
                for number in 0..count {
                    let text = if number % 64 == 0 { b"kl\x02kaa" } else { b"aaaaaa" };
                    connection.client(wire, &[&b"\x30\x09\0\x01a"[..], text].concat());
                    connection.acknowledges(wire, Direction::ToClient);
                }
            });
        },
    },
    Attack {
        name: "segments-scattered",
        what: "every other byte in a segment of its own, in disorder, then what lies between: lists that split and join",
        unit: "packets",
        size: 20_000,
        write: |wire, count| {
            open(wire);
            let bits = SCATTERED.trailing_zeros();
            let places = || (0..SCATTERED).map(|at| at.reverse_bits() >> (u32::BITS - bits));
            for round in 0..count.div_ceil(2 * u64::from(SCATTERED)) as u32 {
                let start = 1 + round * 2 * SCATTERED;
                places().for_each(|at| wire.send(&to_server(start + 2 * at + 1).payload("x")));
                places().for_each(|at| wire.send(&to_server(start + 2 * at).payload("x")));
                wire.send(&to_client(start + 2 * SCATTERED));
            }
        },
    },
];

fn host(number: u64) -> IpAddr {
    let [.., a, b, c] = number.to_be_bytes();
    Ipv4Addr::new(10, a, b, c).into()
}

fn to_server(seq: u32) -> Frame {
    Frame::ethernet().ip(CLIENT, SERVER).tcp(40_000, 9999).seq(seq).ack(1)
}

fn to_client(ack: u32) -> Frame {
    Frame::ethernet().ip(SERVER, CLIENT).tcp(9999, 40_000).seq(1).ack(ack)
}

fn open(wire: &mut Wire<'_>) {
    wire.send(&to_server(0).ack(0).flags(tcp_flags::SYN));
    wire.send(&to_client(1).seq(0).flags(tcp_flags::SYN | tcp_flags::ACK));
    wire.send(&to_server(1));
}
