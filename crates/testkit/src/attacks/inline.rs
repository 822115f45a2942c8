//! Attacks on an engine that stands between networks: verdicts on packets that it holds back, refuses or changes. The rules are those of `scripts/attacks/inline.rules`, at ports of their own.

use std::net::{IpAddr, Ipv4Addr};

use super::{Attack, connection};
use crate::wire::{CLIENT, SERVER, Wire};
use crate::{Frame, tcp_flags};

/// Ports of packets that are held back, refused, and changed, and of connections that are dropped.
const DROPPED: u16 = 7710;
const REFUSED: u16 = 7711;
const CHANGED: u16 = 7712;
const ENDED: u16 = 7713;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "inline-fragments",
        what: "datagrams in fragments, each held back once it is whole, and then its end again: datagrams that are kept back",
        unit: "datagrams",
        size: 6000,
        write: |wire, count| (0..count).for_each(|number| fragments(wire, host(number), 1)),
    },
    Attack {
        name: "inline-fragments-numbers",
        what: "the same between two hosts, as often as there are numbers of datagrams",
        unit: "datagrams",
        size: 6000,
        write: |wire, count| (0..count).for_each(|number| fragments(wire, host(0), number as u16)),
    },
    Attack {
        name: "inline-refused",
        what: "datagrams of ever new hosts that are refused: an answer to each side for each",
        unit: "packets",
        size: 30_000,
        write: |wire, count| {
            for number in 0..count {
                wire.send(&Frame::ethernet().ip(host(number), SERVER).udp(1024, REFUSED).payload("refused"));
            }
        },
    },
    Attack {
        name: "inline-refused-segments",
        what: "segments of one connection that are refused, each with what follows",
        unit: "segments",
        size: 30_000,
        write: |wire, count| {
            connection(wire, REFUSED, |connection, wire| {
                (0..count).for_each(|_| connection.client(wire, b"refused"));
            });
        },
    },
    Attack {
        name: "inline-changed",
        what: "datagrams full of what a rule puts other bytes in place of",
        unit: "packets",
        size: 3000,
        write: |wire, count| {
            let payload = "change me. ".repeat(130);
            for number in 0..count {
                let frame = Frame::ethernet().ip(host(number), SERVER).udp(1024, CHANGED);
                wire.send(&frame.payload(&payload));
            }
        },
    },
    Attack {
        name: "inline-changed-segments",
        what: "a stream in small segments, each of which is changed",
        unit: "segments",
        size: 30_000,
        write: |wire, count| {
            connection(wire, CHANGED, |connection, wire| {
                (0..count).for_each(|_| connection.client(wire, b"change me. "));
            });
        },
    },
    Attack {
        name: "inline-begun",
        what: "SYNs between the ports of a connection that was dropped, each with another number: a flow for each",
        unit: "packets",
        size: 30_000,
        write: |wire, count| {
            begin(wire, 0);
            for number in 1..count as u32 {
                wire.send(&to_server(number * 1000).ack(0).flags(tcp_flags::SYN));
                wire.send(&to_server(1001).payload("again"));
            }
        },
    },
    Attack {
        name: "inline-begun-dropped",
        what: "connections between the same ports, each dropped for its first data: a flow for each",
        unit: "connections",
        size: 6000,
        write: |wire, count| (0..count as u32).for_each(|number| begin(wire, number)),
    },
];

/// Begins a connection that is dropped, between the same ports each time.
fn begin(wire: &mut Wire<'_>, number: u32) {
    let start = number * 1000;
    let answer = Frame::ethernet().ip(SERVER, CLIENT).tcp(ENDED, 40_000).seq(start).ack(start + 1);
    wire.send(&to_server(start).ack(0).flags(tcp_flags::SYN));
    wire.send(&answer.flags(tcp_flags::SYN | tcp_flags::ACK));
    wire.send(&to_server(start + 1).ack(start + 1));
    wire.send(&to_server(start + 1).ack(start + 1).payload("end this"));
}

fn to_server(seq: u32) -> Frame {
    Frame::ethernet().ip(CLIENT, SERVER).tcp(40_000, ENDED).seq(seq).ack(1)
}

/// Sends a datagram in two fragments, and the second one twice more.
fn fragments(wire: &mut Wire<'_>, from: IpAddr, id: u16) {
    let datagram = Frame::bare().ip(from, SERVER).udp(1024, DROPPED).payload("held back, held back.").build();
    // The header of IP goes before each fragment.
    let (first, last) = datagram.get(20..).unwrap_or_default().split_at(16);
    let frame = || Frame::ethernet().ip(from, SERVER).protocol(17).ip_id(id);
    wire.send(&frame().fragment(0, true).payload(first));
    (0..3).for_each(|_| wire.send(&frame().fragment(16, false).payload(last)));
}

/// An address of 10.0.0.0/8.
fn host(number: u64) -> IpAddr {
    let [.., a, b, c] = number.to_be_bytes();
    IpAddr::from(Ipv4Addr::new(10, a, b, c))
}
