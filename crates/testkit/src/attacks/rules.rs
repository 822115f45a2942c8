//! Attacks on what rules keep: bits, counts, tags and numbers of hosts and of flows, datasets. The rules are those of
//! `scripts/attacks/attacks.rules`, at ports of their own.

use std::net::{IpAddr, Ipv4Addr};

use super::{Attack, connection};
use crate::Frame;
use crate::wire::SERVER;

/// The port whose packets rules keep something of.
const KEPT: u16 = 7701;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "rules-hosts",
        what: "datagrams of ever new hosts: bits, counts and tags of hosts, beyond what their tables hold",
        unit: "packets",
        size: 60_000,
        write: |wire, count| {
            for number in 0..count {
                let [.., a, b, c] = number.to_be_bytes();
                let client = IpAddr::from(Ipv4Addr::new(10, a, b, c));
                wire.send(&Frame::ethernet().ip(client, SERVER).udp(1024, KEPT).payload("x"));
            }
        },
    },
    Attack {
        name: "rules-ports",
        what: "datagrams of one host from ever new ports: the different values that a count tells apart",
        unit: "packets",
        size: 30_000,
        write: |wire, count| {
            let client = IpAddr::from(Ipv4Addr::new(10, 0, 0, 1));
            for number in 0..count {
                wire.send(&Frame::ethernet().ip(client, SERVER).udp(number as u16, KEPT).payload("x"));
            }
        },
    },
    Attack {
        name: "rules-datasets",
        what: "requests to ever new long names: values that a rule adds to a dataset, beyond its memory",
        unit: "requests",
        size: 4000,
        write: |wire, count| {
            connection(wire, 80, |connection, wire| {
                for number in 0..count {
                    let request = format!("GET / HTTP/1.1\r\nHost: {number:0200}\r\n\r\n");
                    connection.client(wire, request.as_bytes());
                    connection.server(wire, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                }
            });
        },
    },
    Attack {
        name: "rules-flows",
        what: "datagrams of one host in ever new flows, a few in each: what rules keep of flows",
        unit: "packets",
        size: 30_000,
        write: |wire, count| {
            let server = |flow: u64| IpAddr::from(Ipv4Addr::from(0xac10_0000 | (flow >> 14) as u32));
            for number in 0..count {
                let flow = number / 3;
                let port = 1024 + (flow & 0x3fff) as u16;
                let client = IpAddr::from(Ipv4Addr::new(10, 0, 0, 1));
                wire.send(&Frame::ethernet().ip(client, server(flow)).udp(port, KEPT).payload("x"));
            }
        },
    },
];
