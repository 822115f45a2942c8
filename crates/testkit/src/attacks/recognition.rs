//! Flows whose protocol is not settled at once.

use weir_base::Direction;

use super::Attack;
use crate::wire::{CLIENT, SERVER};

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
];
