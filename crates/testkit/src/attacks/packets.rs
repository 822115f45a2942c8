//! Packets beneath transport: packets in packets, stacks of headers, fragments, and the capture's clock.

use std::net::{IpAddr, Ipv4Addr};

use weir_base::Duration;

use super::Attack;
use crate::Frame;
use crate::wire::{CLIENT, SERVER};

/// Packets in packets of one frame, which are as many as a decoder reads.
const NESTED: u64 = 7;

/// Fragments of eight bytes that lie behind a hole.
const TINY: u64 = 180;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "tunnels-nested",
        what: "IP in IP in IP, as deep as is read, between ever new hosts: a flow for each header of a frame",
        unit: "packets",
        size: 4000,
        write: |wire, count| {
            for number in 0..count {
                let frame = nested(Frame::ethernet(), number, NESTED);
                wire.send(&frame.udp(1000, 2000));
            }
        },
    },
    Attack {
        name: "tunnels-gre",
        what: "GRE in GRE, as deep as is read, between ever new hosts",
        unit: "packets",
        size: 4000,
        write: |wire, count| {
            for number in 0..count {
                let mut frame = Frame::ethernet();
                for level in 0..NESTED / 2 {
                    let ends = number * NESTED + level;
                    frame = frame.ip(host(10, ends), host(172, ends)).gre();
                }
                wire.send(&frame.ip(host(10, number), SERVER).udp(1000, 2000));
            }
        },
    },
    Attack {
        name: "tunnels-teredo",
        what: "IPv6 in datagrams of ever new hosts to any port: what only Zeek's logs look into",
        unit: "packets",
        size: 30_000,
        write: |wire, count| {
            for number in 0..count {
                let frame = Frame::ethernet().ip(host(10, number), SERVER).udp(1000, 2000);
                let inner = Frame::bare().ipv6("2001:db8::1", "2001:db8::2").udp(1, 2).payload("x");
                wire.send(&frame.payload(inner.build()));
            }
        },
    },
    Attack {
        name: "protocols-unknown",
        what: "frames of ever other protocols that nothing knows: what scripts are told of, and what is counted of each",
        unit: "frames",
        size: 20_000,
        write: |wire, count| {
            for number in 0..count {
                let unknown = 0x9200 + (number / 2 % 0x6000) as u16;
                let frame = Frame::ethernet();
                wire.send(&match number % 6 {
                    0 | 2 => frame.ether_type(0x8100).payload([&[0, 7][..], &unknown.to_be_bytes()].concat()),
                    4 => frame
                        .ether_type(0x8864)
                        .payload([&[0x11, 0, 0, 7, 0, 2][..], &unknown.to_be_bytes()].concat()),
                    _ => frame.ether_type(unknown).payload("x"),
                });
            }
        },
    },
    Attack {
        name: "layers-labels",
        what: "MPLS labels, as many as fit",
        unit: "packets",
        size: 4000,
        write: |wire, count| {
            let labels = vec![1000; 340];
            let frame = Frame::ethernet().mpls(&labels).ip(CLIENT, SERVER).udp(1000, 2000);
            (0..count).for_each(|_| wire.send(&frame));
        },
    },
    Attack {
        name: "layers-extensions",
        what: "IPv6 with extension headers, as many as fit",
        unit: "packets",
        size: 4000,
        write: |wire, count| {
            let start = Frame::ethernet().ipv6("2001:db8::1", "2001:db8::2");
            let frame = (0..170).fold(start, |frame, _| frame.extension(60, &[0, 0x3e, 0, 0x3e, 0, 0x3e, 0]));
            let frame = frame.udp(1000, 2000);
            (0..count).for_each(|_| wire.send(&frame));
        },
    },
    Attack {
        name: "fragments-overlapping",
        what: "fragments of eight bytes with holes between them, then long ones over all of them: reassembly",
        unit: "packets",
        size: 8000,
        write: |wire, count| {
            for number in 0..count {
                let (datagram, step) = (number / (2 * TINY), number % (2 * TINY));
                let frame = Frame::ethernet().ip(CLIENT, SERVER).protocol(17).ip_id(datagram as u16);
                // The long ones begin one step before the one before, so that hosts take theirs.
                wire.send(&match step.checked_sub(TINY) {
                    None => frame.fragment((step * 16 + 3000) as u16, true).payload([1]),
                    Some(back) => frame.fragment((3000 - (back + 1) * 8) as u16, true).payload([2; 1440]),
                });
            }
        },
    },
    Attack {
        name: "fragments-kept",
        what: "datagrams that fragments make whole, then first fragments of others: the memory that is used again",
        unit: "datagrams",
        size: 500,
        write: |wire, count| {
            for number in 0..count {
                let frame = || Frame::ethernet().ip(host(10, number), SERVER).protocol(17);
                wire.send(&frame().ip_id(1).fragment(0, true).payload([0; 24]));
                for part in 0..8u16 {
                    let part = frame().ip_id(2).fragment(part * 8000, part < 7);
                    wire.send(&part.payload([0; 8000]));
                }
            }
        },
    },
    Attack {
        name: "fragments-nested",
        what: "datagrams of two fragments that carry packets in packets: what is whole, and a flow for each of its headers",
        unit: "datagrams",
        size: 3000,
        write: |wire, count| {
            for number in 0..count {
                let packets =
                    nested(Frame::bare(), number, NESTED - 2).udp(1000, 2000).payload([0; 8]).build();
                let (first, last) = packets.split_at(packets.len() / 16 * 8);
                let frame = || Frame::ethernet().ip(host(11, number), SERVER).protocol(4).ip_id(1);
                wire.send(&frame().fragment(0, true).payload(first));
                wire.send(&frame().fragment(first.len() as u16, false).payload(last));
            }
        },
    },
    Attack {
        name: "clock-seconds",
        what: "datagrams between ever new hosts, then more of them a second apart: what is done when the clock advances",
        unit: "packets",
        size: 20_000,
        write: |wire, count| {
            for number in 0..count {
                if number >= count / 2 {
                    wire.wait(Duration::from_secs(1));
                }
                wire.send(
                    &Frame::ethernet().ip(host(10, number), host(172, number)).udp(1024, 7701).payload("x"),
                );
            }
        },
    },
    Attack {
        name: "clock-minutes",
        what: "the same, some minutes apart",
        unit: "packets",
        size: 20_000,
        write: |wire, count| {
            for number in 0..count {
                if number >= count / 2 {
                    wire.wait(Duration::from_secs(200));
                }
                wire.send(
                    &Frame::ethernet()
                        .ip(host(10, number), host(172, number))
                        .ttl(3)
                        .udp(1024, 7701)
                        .payload("x"),
                );
            }
        },
    },
    Attack {
        name: "traces",
        what: "packets that live too short and routers that say so, between ever new hosts: routes that are traced",
        unit: "packets",
        size: 40_000,
        write: |wire, count| {
            for number in 0..count / 2 {
                let (source, destination) = (host(10, number), host(172, number));
                let probe = Frame::bare().ip(source, destination).ttl(1).udp(1000, 33_434).payload("x");
                wire.send(&Frame::ethernet().ip(source, destination).ttl(1).udp(1000, 33_434).payload("x"));
                wire.send(
                    &Frame::ethernet()
                        .ip(host(9, number), source)
                        .icmpv4(11, 0, [0; 4])
                        .payload(probe.build()),
                );
            }
        },
    },
];

/// The address of a host of a network of eight bits; there are 16 million of them.
fn host(network: u8, number: u64) -> IpAddr {
    let [.., a, b, c] = number.to_be_bytes();
    Ipv4Addr::new(network, a, b, c).into()
}

/// As many packets in packets as are asked for, each between hosts of its own.
fn nested(frame: Frame, number: u64, levels: u64) -> Frame {
    (0..levels).fold(frame, |frame, level| {
        let ends = number * NESTED + level;
        frame.ip(host(10, ends), host(172, ends))
    })
}
