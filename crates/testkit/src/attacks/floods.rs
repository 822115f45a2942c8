//! Floods of packets, fragments, bytes and connections: on the flow table, reassembly and their memory caps.

use std::net::{IpAddr, Ipv4Addr};

use super::Attack;
use crate::conversation::SEGMENT_SIZE;
use crate::wire::{CLIENT, SERVER, Wire};
use crate::{Frame, Random, tcp_flags};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "syn",
        what: "SYNs from random addresses to one server: the flow table",
        unit: "packets",
        size: 100_000,
        write: syn,
    },
    Attack {
        name: "fragments",
        what: "IPv4 fragments, some overlapping, of datagrams that are never whole: reassembly",
        unit: "packets",
        size: 100_000,
        write: fragments,
    },
    Attack {
        name: "stream",
        what: "one TCP connection that carries a lot: the stream's depth and memory",
        unit: "bytes",
        size: 10_000_000,
        write: |wire, size| stream(wire, size, None),
    },
    Attack {
        name: "holes",
        what: "the same, with every hundredth segment missing for good: the list of segments",
        unit: "bytes",
        size: 10_000_000,
        write: |wire, size| stream(wire, size, Some(HOLE_EVERY)),
    },
    Attack {
        name: "flows",
        what: "TCP connections that are all open at once: the flow table and what hangs on a flow",
        unit: "connections",
        size: 50_000,
        write: flows,
    },
];

/// Data bytes of a fragment; divides by eight.
const FRAGMENT_SIZE: u16 = 64;
/// One segment in so many is missing from a stream with holes.
const HOLE_EVERY: u64 = 100;

fn syn(wire: &mut Wire<'_>, count: u64) {
    let mut random = Random::new(1);
    for _ in 0..count {
        let (client, port, seq) = (random_address(&mut random), random.number(), random.number());
        let syn = Frame::ethernet().ip(client, SERVER).tcp(port as u16 | 1024, 80);
        wire.send(&syn.seq(seq as u32).flags(tcp_flags::SYN));
    }
}

fn fragments(wire: &mut Wire<'_>, count: u64) {
    let mut random = Random::new(2);
    let data = random.bytes(usize::from(FRAGMENT_SIZE));
    let mut sent = 0;
    while sent < count {
        let (client, id) = (random_address(&mut random), random.number() as u16);
        // From one fragment to many, with holes and overlaps, and never the last one.
        for _ in 0..=random.below(12) {
            let offset = random.below(64) as u16 * 8;
            let frame = Frame::ethernet().ip(client, SERVER).protocol(17).ip_id(id);
            wire.send(&frame.fragment(offset, true).payload(&data));
            sent += 1;
        }
    }
}

fn stream(wire: &mut Wire<'_>, bytes: u64, hole_every: Option<u64>) {
    let to_server = || Frame::ethernet().ip(CLIENT, SERVER).tcp(40_000, 9999);
    let to_client = || Frame::ethernet().ip(SERVER, CLIENT).tcp(9999, 40_000);
    wire.send(&to_server().seq(0).ack(0).flags(tcp_flags::SYN));
    wire.send(&to_client().seq(0).ack(1).flags(tcp_flags::SYN | tcp_flags::ACK));
    wire.send(&to_server().seq(1).ack(1));
    let data = Random::new(3).bytes(SEGMENT_SIZE);
    for segment in 0..bytes / SEGMENT_SIZE as u64 {
        let seq = (1 + segment * SEGMENT_SIZE as u64) as u32;
        if hole_every.is_none_or(|every| segment % every != 1) {
            wire.send(&to_server().seq(seq).ack(1).payload(&data));
        }
        if segment % 2 == 1 {
            wire.send(&to_client().seq(1).ack(seq.wrapping_add(SEGMENT_SIZE as u32)));
        }
    }
}

fn flows(wire: &mut Wire<'_>, count: u64) {
    let mut random = Random::new(4);
    for flow in 0..count {
        let client = IpAddr::V4(Ipv4Addr::from(0x0a00_0000 | (flow >> 4) as u32));
        let port = 20_000 + (flow & 15) as u16;
        let (theirs, ours) = (random.number() as u32, random.number() as u32);
        let to_server = || Frame::ethernet().ip(client, SERVER).tcp(port, 80).seq(theirs.wrapping_add(1));
        let to_client = || Frame::ethernet().ip(SERVER, client).tcp(80, port).seq(ours);
        wire.send(&to_server().seq(theirs).ack(0).flags(tcp_flags::SYN));
        wire.send(&to_client().ack(theirs.wrapping_add(1)).flags(tcp_flags::SYN | tcp_flags::ACK));
        wire.send(&to_server().ack(ours.wrapping_add(1)));
    }
}

fn random_address(random: &mut Random) -> IpAddr {
    IpAddr::V4(Ipv4Addr::from(random.number() as u32 | 0x0100_0000))
}
