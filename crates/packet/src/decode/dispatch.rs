//! Which worker a packet goes to, told from its first bytes.
//!
//! All packets between two addresses go to one worker, whichever way they travel: every flow is then
//! whole there, and so are the fragments of its datagrams, the flows that other flows between the two
//! announce, and what tunnels between them carry. Only the outermost IP header is looked at.
//!
//! An ICMP error belongs to the flow of the packet that it quotes, which may be one between other
//! addresses; both are told.

use std::net::IpAddr;

use weir_base::Reader;

use super::layers::{ether_type, ip_protocol};
use super::{Decoder, DecoderSettings, PacketList};
use crate::header::{MAX_VLANS, Transport};
use crate::packet::Packet;
use crate::raw::{LinkType, RawPacket};

const ICMP_LENGTH: usize = 8;
const IPV6_LENGTH: usize = 40;

/// Whom a packet concerns, as hashes of pairs of addresses; zero where there is no IP header.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Dispatch {
    /// The two ends of the outermost IP header.
    pub ends: u64,
    /// The two ends of the packet that an ICMP error quotes.
    pub quoted: Option<u64>,
}

/// The share of `hash` among so many workers.
pub const fn share(hash: u64, workers: usize) -> usize {
    (((hash >> 32) * workers as u64) >> 32) as usize
}

/// Tells whom packets concern.
#[derive(Debug)]
pub struct Dispatcher {
    /// For what comes in other wrappings than the usual ones.
    decoder: Decoder,
    room: Option<PacketList<'static>>,
}

impl Dispatcher {
    /// One that understands what a decoder with these settings does.
    pub fn new(settings: DecoderSettings) -> Self {
        Self { decoder: Decoder::new(settings), room: None }
    }

    /// Whom a packet concerns.
    pub fn dispatch(&mut self, packet: &RawPacket<'_>) -> Dispatch {
        plain(packet.link, packet.bytes).unwrap_or_else(|| self.decoded(packet))
    }

    fn decoded(&mut self, raw: &RawPacket<'_>) -> Dispatch {
        let mut list: PacketList<'_> = self.room.take().unwrap_or_default().recycle();
        self.decoder.decode(raw, &mut list);
        let dispatch = list.outer().and_then(of_packet).unwrap_or_default();
        self.room = Some(list.recycle());
        dispatch
    }
}

fn of_packet(packet: &Packet<'_>) -> Option<Dispatch> {
    let quoted = match &packet.transport {
        Transport::Icmpv4(icmp) | Transport::Icmpv6(icmp) => icmp.embedded,
        _ => None,
    };
    Some(Dispatch {
        ends: pair(packet.source()?, packet.destination()?),
        quoted: quoted.map(|quoted| pair(quoted.source, quoted.destination)),
    })
}

/// Reads what nearly all packets are: IP, in Ethernet with or without VLAN tags, or bare.
fn plain(kind: LinkType, bytes: &[u8]) -> Option<Dispatch> {
    match kind {
        LinkType::ETHERNET => network(be16(bytes, 12)?, bytes.get(14..)?),
        LinkType::LINUX_SLL => network(be16(bytes, 14)?, bytes.get(16..)?),
        LinkType::RAW | LinkType::IPV4 | LinkType::IPV6 => ip(bytes),
        _ => None,
    }
}

/// Steps over tags to the IP header.
fn network(mut kind: u16, mut bytes: &[u8]) -> Option<Dispatch> {
    for _ in 0..=MAX_VLANS {
        match kind {
            ether_type::IPV4 | ether_type::IPV6 => return ip(bytes),
            ether_type::VLAN | ether_type::PROVIDER_BRIDGE | ether_type::QINQ => {
                (kind, bytes) = (be16(bytes, 2)?, bytes.get(4..)?);
            }
            _ => return None,
        }
    }
    None
}

fn ip(bytes: &[u8]) -> Option<Dispatch> {
    match bytes.first()? >> 4 {
        4 => ipv4(bytes),
        6 => ipv6(bytes),
        _ => None,
    }
}

fn ipv4(bytes: &[u8]) -> Option<Dispatch> {
    let ends = ends_v4(bytes)?;
    let is_fragment = be16(bytes, 6)? & 0x3fff != 0;
    let quoted = || {
        let whole = bytes.get(..usize::from(be16(bytes, 2)?)).unwrap_or(bytes);
        let icmp = whole.get(usize::from(bytes.first()? & 0x0f) * 4..)?;
        let is_error = *bytes.get(9)? == ip_protocol::ICMPV4 && matches!(icmp.first()?, 3 | 4 | 5 | 11 | 12);
        let inner =
            icmp.get(ICMP_LENGTH..).filter(|inner| is_error && inner.first().is_some_and(|b| b >> 4 == 4))?;
        ends_v4(inner)
    };
    Some(Dispatch { ends, quoted: if is_fragment { None } else { quoted() } })
}

fn ipv6(bytes: &[u8]) -> Option<Dispatch> {
    let ends = ends_v6(bytes)?;
    let quoted = || {
        let icmp = bytes.get(IPV6_LENGTH..)?;
        let is_error = *bytes.get(6)? == ip_protocol::ICMPV6 && matches!(icmp.first()?, 1..=4);
        let inner =
            icmp.get(ICMP_LENGTH..).filter(|inner| is_error && inner.first().is_some_and(|b| b >> 4 == 6))?;
        ends_v6(inner)
    };
    Some(Dispatch { ends, quoted: quoted() })
}

fn ends_v4(header: &[u8]) -> Option<u64> {
    let mut reader = Reader::new(header.get(12..20)?);
    Some(pair(v4(reader.array()?), v4(reader.array()?)))
}

fn ends_v6(header: &[u8]) -> Option<u64> {
    let mut reader = Reader::new(header.get(8..IPV6_LENGTH)?);
    Some(pair(v6(reader.array()?), v6(reader.array()?)))
}

fn v4(bytes: [u8; 4]) -> IpAddr {
    IpAddr::from(bytes)
}

fn v6(bytes: [u8; 16]) -> IpAddr {
    IpAddr::from(bytes)
}

/// The hash of two addresses in either order.
fn pair(one: IpAddr, other: IpAddr) -> u64 {
    let number = |address| match address {
        IpAddr::V4(v4) => u128::from(v4.to_bits()),
        IpAddr::V6(v6) => v6.to_bits(),
    };
    mix(number(one)).wrapping_add(mix(number(other)))
}

/// Folds an address and spreads its bits (the finish of splitmix64).
fn mix(address: u128) -> u64 {
    let mut mixed = ((address >> 64) as u64).rotate_left(23) ^ address as u64 ^ 0x9e37_79b9_7f4a_7c15;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|pair| u16::from_be_bytes(*pair))
}

#[cfg(test)]
mod tests {
    use weir_base::Timestamp;
    use weir_testkit::Frame;

    use super::*;

    fn of(link: LinkType, bytes: &[u8]) -> Dispatch {
        let wire_length = bytes.len() as u32;
        Dispatcher::new(DecoderSettings::default()).dispatch(&RawPacket {
            number: 1,
            time: Timestamp::default(),
            link,
            wire_length,
            interface: 0,
            bytes,
        })
    }

    const A: &str = "10.0.0.1";
    const B: &str = "192.0.2.7";

    #[test]
    fn both_ways_and_all_wrappings_of_two_ends_are_one() {
        let there = of(LinkType::ETHERNET, &Frame::ethernet().ipv4(A, B).tcp(1, 2).build());
        assert_ne!(there.ends, 0);
        let inner = Frame::ethernet().ipv4(B, A).tcp(2, 1).build();
        let fabric_path =
            Frame::ethernet().ether_type(0x8903).payload([&[0, 0], inner.as_slice()].concat()).build();
        let cases: [(&str, LinkType, Vec<u8>); 9] = [
            ("fabric path", LinkType::ETHERNET, fabric_path),
            ("back", LinkType::ETHERNET, Frame::ethernet().ipv4(B, A).tcp(2, 1).build()),
            ("other ports", LinkType::ETHERNET, Frame::ethernet().ipv4(A, B).udp(9, 9).build()),
            ("fragment", LinkType::ETHERNET, Frame::ethernet().ipv4(A, B).fragment(64, true).build()),
            ("tags", LinkType::ETHERNET, Frame::ethernet().vlan(5).vlan(6).ipv4(A, B).tcp(1, 2).build()),
            ("labels", LinkType::ETHERNET, Frame::ethernet().mpls(&[16, 17]).ipv4(A, B).tcp(1, 2).build()),
            ("pppoe", LinkType::ETHERNET, Frame::ethernet().pppoe(1).ipv4(B, A).tcp(1, 2).build()),
            ("raw", LinkType::RAW, Frame::bare().ipv4(A, B).tcp(1, 2).build()),
            (
                "tunnel",
                LinkType::RAW,
                Frame::bare().ipv4(A, B).gre().ipv4("1.1.1.1", "2.2.2.2").tcp(1, 2).build(),
            ),
        ];
        for (name, link, bytes) in cases {
            assert_eq!(of(link, &bytes), there, "{name}");
        }
        let six = |a, b| of(LinkType::ETHERNET, &Frame::ethernet().ipv6(a, b).tcp(1, 2).build());
        assert_eq!(six("2001:db8::1", "2001:db8::2"), six("2001:db8::2", "2001:db8::1"));
        assert_ne!(six("2001:db8::1", "2001:db8::2"), six("2001:db8::1", "2001:db8::3"));
    }

    #[test]
    fn errors_tell_of_the_packet_they_quote() {
        let lost = Frame::bare().ipv4(A, B).tcp(1, 2).build();
        let router = "203.0.113.1";
        let error = Frame::ethernet().ipv4(router, A).icmpv4(3, 1, [0; 4]).payload(&lost).build();
        let found = of(LinkType::ETHERNET, &error);
        assert_eq!(found.quoted, Some(of(LinkType::RAW, &lost).ends));
        assert_ne!(found.quoted, Some(found.ends));
        let echo = Frame::ethernet().ipv4(router, A).icmpv4(8, 0, [0; 4]).payload(&lost).build();
        assert_eq!(of(LinkType::ETHERNET, &echo).quoted, None);
    }

    #[test]
    fn anything_has_an_answer() {
        let frame =
            Frame::ethernet().vlan(1).ipv6("::1", "::2").icmpv6(1, 0, [0; 4]).payload([0x60; 60]).build();
        for link in [0, 1, 9, 50, 101, 104, 105, 108, 113, 228, 229, 276] {
            for length in 0..=frame.len() {
                let dispatch = of(LinkType(link), &frame[..length]);
                for workers in 1..9 {
                    assert!(share(dispatch.ends, workers) < workers);
                }
            }
        }
        assert_eq!([share(0, 4), share(u64::MAX, 4), share(1 << 63, 4)], [0, 3, 2]);
    }
}
