//! Flows whose protocol is not settled at once.

use weir_base::Direction;

use super::Attack;
use crate::wire::{CLIENT, Connection, SERVER, Wire};

/// Bytes of a side that are held of a flow whose other side may yet tell, less a segment.
const HELD: u64 = 98_000;

/// Bytes of a side after which probes are asked no more.
const ASKED: u64 = 4096;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "recognition-bytewise",
        what: "connections that say nothing known, in segments of one byte: how often what waits is looked at",
        unit: "bytes",
        size: 10_000,
        write: |wire, count| {
            for number in 0..count.div_ceil(100) {
                let port = 20_000 + (number % 40_000) as u16;
                let mut connection = wire.connect_between((CLIENT, port).into(), (SERVER, 7777).into());
                connection.sends_bytewise(wire, Direction::ToServer, &[b'?'; 100]);
            }
        },
    },
    Attack {
        name: "recognition-long",
        what: "one connection that says nothing known for long, in segments of one byte",
        unit: "bytes",
        size: 10_000,
        write: |wire, count| {
            let mut connection = wire.connect((40_000, 7777));
            connection.sends_bytewise(wire, Direction::ToServer, &vec![b'x'; count as usize]);
        },
    },
    Attack {
        name: "recognition-datagrams",
        what: "datagrams of one flow that say nothing known: how often they are looked at",
        unit: "datagrams",
        size: 10_000,
        write: |wire, count| {
            (0..count).for_each(|_| wire.udp((40_000, 7777), Direction::ToServer, b"????"));
        },
    },
    Attack {
        name: "recognition-flows",
        what: "ever new flows of one datagram that says nothing known: what a flow costs",
        unit: "datagrams",
        size: 20_000,
        write: |wire, count| {
            for number in 0..count {
                let (client, server) = ((number & 0xffff) as u16, 1024 + (number >> 16) as u16);
                wire.udp((client, server), Direction::ToServer, b"????");
            }
        },
    },
    Attack {
        name: "recognition-held",
        what: "connections whose client says nothing known, and whose server says nothing: bytes that wait for it",
        unit: "connections",
        size: 20,
        write: |wire, count| {
            for number in 0..count {
                open(wire, number, 7777).client(wire, &[b'?'; HELD as usize]);
            }
        },
    },
    Attack {
        name: "recognition-held-bytewise",
        what: "connections whose client says nothing known byte by byte: what waits, and when each byte came",
        unit: "bytes",
        size: 100_000,
        write: |wire, count| {
            for first in (0..count).step_by(HELD as usize) {
                let bytes = vec![b'?'; HELD.min(count - first) as usize];
                open(wire, first / HELD, 7777).sends_bytewise(wire, Direction::ToServer, &bytes);
            }
        },
    },
    Attack {
        name: "recognition-undecided",
        what: "greetings that never end their line, byte by byte: how often probes are asked",
        unit: "bytes",
        size: 20_000,
        write: |wire, count| {
            for first in (0..count).step_by(ASKED as usize) {
                let greeting = [&b"220 a "[..], &vec![b'a'; ASKED.min(count - first) as usize]].concat();
                open(wire, first / ASKED, 25).sends_bytewise(wire, Direction::ToClient, &greeting);
            }
        },
    },
    Attack {
        name: "recognition-both-undecided",
        what: "clients that say nothing known for long, and greetings byte by byte: what one side says of the other",
        unit: "bytes",
        size: 20_000,
        write: |wire, count| {
            for first in (0..count).step_by(ASKED as usize) {
                let greeting = [&b"220 a "[..], &vec![b'a'; ASKED.min(count - first) as usize]].concat();
                let mut connection = open(wire, first / ASKED, 25);
                connection.client(wire, &[b'?'; ASKED as usize]);
                connection.sends_bytewise(wire, Direction::ToClient, &greeting);
            }
        },
    },
    Attack {
        name: "recognition-copied",
        what: "clients that say nothing known, then a long greeting that is one in the end: held bytes that are copied",
        unit: "connections",
        size: 200,
        write: |wire, count| {
            for number in 0..count {
                let mut connection = open(wire, number, 25);
                connection.client(wire, b"?");
                connection.server(wire, &[&b"220 a "[..], &[b'a'; 4000], b"\r\n"].concat());
                connection.client(wire, b"EHLO a\r\n");
            }
        },
    },
    Attack {
        name: "recognition-tunnels",
        what: "tunnels in tunnels whose answers have all come: bytes that are held and copied for each of them",
        unit: "connections",
        size: 100,
        write: |wire, count| {
            for number in 0..count {
                let mut connection = open(wire, number, 80);
                connection.client(wire, &b"CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(8));
                let rest = vec![b'x'; 40_000];
                connection.server(wire, &[&b"HTTP/1.1 200 OK\r\n\r\n".repeat(8)[..], &rest].concat());
            }
        },
    },
    Attack {
        name: "recognition-hints",
        what: "connections that begin like what protocols begin with and end otherwise, byte by byte: the matcher",
        unit: "connections",
        size: 1000,
        write: |wire, count| {
            for number in 0..count {
                let mut connection = open(wire, number, 7777);
                let beginning = BEGINNINGS[number as usize % BEGINNINGS.len()];
                connection.sends_bytewise(wire, Direction::ToServer, beginning);
                connection.sends_bytewise(wire, Direction::ToClient, beginning);
            }
        },
    },
    Attack {
        name: "recognition-hinted-datagrams",
        what: "flows of one datagram that is full of what protocols begin with: the matcher",
        unit: "datagrams",
        size: 2000,
        write: |wire, count| {
            let bytes: Vec<u8> = BEGINNINGS.concat().into_iter().cycle().take(1400).collect();
            for number in 0..count {
                let (client, server) = ((number & 0xffff) as u16, 1024 + (number >> 16) as u16);
                wire.udp((client, server), Direction::ToServer, &bytes);
            }
        },
    },
];

/// Beginnings of what protocols are found by, each but for its last byte.
const BEGINNINGS: &[&[u8]] = &[
    b"\x13BitTorrent protoco?",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r?",
    b"SSH?",
    b"RFB 00?",
    b"d1:ad2:id20?",
    b"CONNECT?",
    b"REGISTER sip?",
    b"HTTP/1?",
    b"\xffSMB\xfeSM?",
];

/// A connection of the client's port of this number.
fn open(wire: &mut Wire<'_>, number: u64, port: u16) -> Connection {
    wire.connect_between((CLIENT, 20_000 + (number % 40_000) as u16).into(), (SERVER, port).into())
}
