//! Attacks on what rules keep and on how they look: tables by address, datasets, expressions and contents that go
//! back. The rules are those of `scripts/attacks.rules`, at ports of their own.

use std::net::{IpAddr, Ipv4Addr};

use super::{Attack, client_sends, connection};
use crate::Frame;
use crate::wire::SERVER;

/// The port whose packets rules keep something of.
const KEPT: u16 = 7701;

/// The port whose streams rules search with effort.
const SEARCHED: u16 = 7702;

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
        name: "rules-expressions",
        what: "what an expression with repeats in repeats almost finds: its steps up to the limit, again and again",
        unit: "segments",
        size: 500,
        write: |wire, count| client_sends(wire, SEARCHED, count, |_| b"a".repeat(1400)),
    },
    Attack {
        name: "rules-contents",
        what: "contents that depend on each other, all but the last of which are there many times over",
        unit: "segments",
        size: 500,
        write: |wire, count| client_sends(wire, SEARCHED, count, |_| b"\x04kl".repeat(460)),
    },
];
