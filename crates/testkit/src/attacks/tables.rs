//! Attacks on tables beside the parsers: of flows, Zeek's connections, tunnels, what is known of a site, fragments
//! and segments.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use weir_base::Duration;

use super::Attack;
use super::dns::query;
use crate::wire::{CLIENT, SERVER, Wire};
use crate::{Frame, tcp_flags};

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "flows-chosen-addresses",
        what: "addresses chosen so that a hash with a known seed is the same for all: one place of the flow table",
        unit: "packets",
        size: 10_000,
        write: |wire, count| {
            for number in 0..count {
                let prefix = 0x2001_0db8_0000_0000 | u128::from(number as u32);
                let client = Ipv6Addr::from_bits(prefix << 64 | 0xa076_1d64_78bd_642f);
                let server = Ipv6Addr::from_bits((0x3fff << 112) | 1);
                wire.send(&Frame::ethernet().ip(client.into(), server.into()).udp(1024, 9999));
            }
        },
    },
    Attack {
        name: "flows-udp-hosts",
        what: "datagrams between ever new hosts: flows, Zeek's connections, the traffic of hosts",
        unit: "packets",
        size: 60_000,
        write: |wire, count| {
            (0..count).for_each(|number| {
                wire.send(&Frame::ethernet().ip(host(10, number), host(172, number)).udp(1024, 9999))
            });
        },
    },
    Attack {
        name: "flows-dns",
        what: "DNS queries, each in a flow of its own: what a flow with a parser costs",
        unit: "queries",
        size: 100_000,
        write: |wire, count| {
            for number in 0..count {
                let frame = Frame::ethernet().ip(host(10, number), SERVER).udp(1024, 53);
                wire.send(&frame.payload(query(number)));
            }
        },
    },
    Attack {
        name: "flows-dns-answered",
        what: "DNS queries, each in a flow of its own, and their answers: what a flow keeps when nothing is under way",
        unit: "queries",
        size: 60_000,
        write: |wire, count| {
            for number in 0..count {
                let (client, query) = (host(10, number), query(number));
                let answer = [&query[..2], &[0x81, 0x80], &query[4..]].concat();
                wire.send(&Frame::ethernet().ip(client, SERVER).udp(1024, 53).payload(query));
                wire.send(&Frame::ethernet().ip(SERVER, client).udp(53, 1024).payload(answer));
            }
        },
    },
    Attack {
        name: "flows-syn-data",
        what: "SYNs with data from ever new hosts: what is kept of connections that are not established",
        unit: "packets",
        size: 60_000,
        write: |wire, count| {
            for number in 0..count {
                let frame = Frame::ethernet().ip(host(10, number), SERVER).tcp(1024, 80).seq(100).ack(0);
                wire.send(&frame.flags(tcp_flags::SYN).payload("GET / HTTP/1.1\r\n\r\n"));
            }
        },
    },
    Attack {
        name: "flows-fin",
        what: "connections whose both sides end with their first data, which nobody acknowledges: what a flow keeps",
        unit: "connections",
        size: 25_000,
        write: |wire, count| (0..count).for_each(|number| fin(wire, number)),
    },
    Attack {
        name: "tunnels-ip",
        what: "IP in IP between ever new hosts: tunnels and what is inside",
        unit: "packets",
        size: 40_000,
        write: |wire, count| {
            for number in 0..count {
                let outer = Frame::ethernet().ip(host(10, number), SERVER);
                wire.send(&outer.ip(host(11, number), host(12, number)).udp(1000, 2000).payload("hi"));
            }
        },
    },
    Attack {
        name: "tunnels-vxlan",
        what: "VXLAN between ever new hosts: connections that carry others",
        unit: "packets",
        size: 40_000,
        write: |wire, count| {
            for number in 0..count {
                let outer = Frame::ethernet().ip(host(10, number), SERVER).udp(1000, 4789).vxlan(1);
                let inner = outer.inner_ethernet().ip(host(11, number), host(12, number));
                wire.send(&inner.udp(1000, 2000).payload("hi"));
            }
        },
    },
    Attack {
        name: "known-services",
        what: "answers of ever new hosts, as many in a day as the site's inventory holds: room that is made for each",
        unit: "hosts",
        size: 100_000,
        write: |wire, count| {
            for number in 0..count {
                // A day, shared among a few less than 2^18: one is over with each that comes.
                wire.wait(Duration::from_micros(329_588));
                let (client, server) = (host(172, 7), host(10, number));
                wire.send(&Frame::ethernet().ip(client, server).udp(1024, 9999).payload("?"));
                wire.send(&Frame::ethernet().ip(server, client).udp(9999, 1024).payload("!"));
            }
        },
    },
    Attack {
        name: "fragments-first",
        what: "first fragments of datagrams of which no more comes: reassembly",
        unit: "packets",
        size: 60_000,
        write: |wire, count| {
            for number in 0..count {
                let frame = Frame::ethernet().ip(host(10, number), SERVER).protocol(17).ip_id(number as u16);
                wire.send(&frame.fragment(0, true).payload([0; 24]));
            }
        },
    },
    Attack {
        name: "segments-overlapping",
        what: "segments behind a hole that overlap each other, each with other bytes: the list of segments",
        unit: "packets",
        size: 60_000,
        write: |wire, count| {
            segments(wire, count, |number| (number * 3 % 30_000, [number as u8; 40].to_vec()));
        },
    },
    Attack {
        name: "segments-reversed",
        what: "segments of one byte behind a hole, each before the one that came last: the list of segments",
        unit: "packets",
        size: 60_000,
        write: |wire, count| segments(wire, count, |number| (60_000 - number * 2 % 60_000, vec![b'x'])),
    },
];

/// The address of a host of a network of eight bits; there are 16 million of them.
fn host(network: u8, number: u64) -> IpAddr {
    let [.., a, b, c] = number.to_be_bytes();
    Ipv4Addr::new(network, a, b, c).into()
}

fn fin(wire: &mut Wire<'_>, number: u64) {
    let (request, answer) =
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let client = host(10, number);
    let to_server = |seq: u32, ack: u32| Frame::ethernet().ip(client, SERVER).tcp(1024, 80).seq(seq).ack(ack);
    let to_client = |seq: u32, ack: u32| Frame::ethernet().ip(SERVER, client).tcp(80, 1024).seq(seq).ack(ack);
    let end = tcp_flags::FIN | tcp_flags::ACK;
    wire.send(&to_server(100, 0).flags(tcp_flags::SYN));
    wire.send(&to_client(500, 101).flags(tcp_flags::SYN | tcp_flags::ACK));
    wire.send(&to_server(101, 501).flags(end).payload(request));
    wire.send(&to_client(501, 102 + request.len() as u32).flags(end).payload(answer));
}

/// One connection with a hole, and behind that segments: each so far behind it, with these bytes.
fn segments(wire: &mut Wire<'_>, count: u64, segment: impl Fn(u64) -> (u64, Vec<u8>)) {
    let to_server = || Frame::ethernet().ip(CLIENT, SERVER).tcp(40_000, 9999);
    wire.send(&to_server().seq(0).ack(0).flags(tcp_flags::SYN));
    let answer = Frame::ethernet().ip(SERVER, CLIENT).tcp(9999, 40_000).seq(0).ack(1);
    wire.send(&answer.flags(tcp_flags::SYN | tcp_flags::ACK));
    wire.send(&to_server().seq(1).ack(1));
    for number in 0..count {
        let (behind, bytes) = segment(number);
        wire.send(&to_server().seq(2 + behind as u32).ack(1).payload(bytes));
    }
}
