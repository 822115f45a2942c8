//! Ends of a frame's flow, guessed from its first bytes before it is decoded.
//!
//! A guess for who wants to get ready for a packet: plain IP over Ethernet, with TCP or UDP. What a frame is,
//! the decoder says.

use std::net::IpAddr;

use weir_base::Reader;

use super::layers::ether_type;
use crate::flow_key::FlowKey;
use crate::header::{MAX_VLANS, VlanTags};
use crate::ip_protocol;
use crate::raw::{LinkType, RawPacket};

/// Bytes of an IPv6 header (RFC 8200, 3).
const IPV6_LENGTH: usize = 40;

/// The key of the flow that a frame is likely to belong to.
#[inline]
pub fn glance(raw: &RawPacket<'_>) -> Option<FlowKey> {
    let mut vlan = VlanTags::default();
    match raw.link {
        LinkType::ETHERNET => {
            let mut reader = Reader::new(raw.bytes.get(12..)?);
            let mut kind = reader.u16()?;
            for _ in 0..MAX_VLANS {
                if !matches!(kind, ether_type::VLAN | ether_type::PROVIDER_BRIDGE | ether_type::QINQ) {
                    break;
                }
                vlan.push(reader.u16()?);
                kind = reader.u16()?;
            }
            match kind {
                ether_type::IPV4 => ipv4(reader.rest(), vlan),
                ether_type::IPV6 => ipv6(reader.rest(), vlan),
                _ => None,
            }
        }
        LinkType::RAW | LinkType::IPV4 | LinkType::IPV6 => match raw.bytes.first()? >> 4 {
            4 => ipv4(raw.bytes, vlan),
            _ => ipv6(raw.bytes, vlan),
        },
        _ => None,
    }
}

fn ipv4(bytes: &[u8], vlan: VlanTags) -> Option<FlowKey> {
    let (&[first, _, _, _, _, _, f0, f1, _, protocol, _, _], rest) = bytes.split_first_chunk()?;
    let (source, rest): (&[u8; 4], _) = rest.split_first_chunk()?;
    let (destination, _) = rest.split_first_chunk::<4>()?;
    if u16::from_be_bytes([f0, f1]) & 0x3fff != 0 {
        return None;
    }
    let above = bytes.get(usize::from(first & 0x0f) * 4..)?;
    key((*source).into(), (*destination).into(), protocol, above, vlan)
}

fn ipv6(bytes: &[u8], vlan: VlanTags) -> Option<FlowKey> {
    let (header, above) = bytes.split_first_chunk::<IPV6_LENGTH>()?;
    let (source, rest): (&[u8; 16], _) = header.get(8..)?.split_first_chunk()?;
    let (destination, _) = rest.split_first_chunk::<16>()?;
    key((*source).into(), (*destination).into(), *header.get(6)?, above, vlan)
}

fn key(source: IpAddr, destination: IpAddr, protocol: u8, above: &[u8], vlan: VlanTags) -> Option<FlowKey> {
    if !matches!(protocol, ip_protocol::TCP | ip_protocol::UDP) {
        return None;
    }
    let mut ports = Reader::new(above);
    let (source_port, destination_port) = (ports.u16()?, ports.u16()?);
    Some(FlowKey { source, destination, source_port, destination_port, protocol, recursion: 0, vlan })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use weir_testkit::Frame;

    use super::*;
    use crate::decode::{Decoder, PacketList};

    fn raw(link: LinkType, bytes: &[u8]) -> RawPacket<'_> {
        RawPacket {
            number: 1,
            time: weir_base::Timestamp(0),
            link,
            wire_length: bytes.len() as u32,
            interface: 0,
            bytes,
        }
    }

    fn decoded(raw: &RawPacket<'_>) -> Option<FlowKey> {
        let mut list = PacketList::new();
        Decoder::default().decode(raw, &mut list);
        FlowKey::of(list.outer()?)
    }

    #[test]
    fn the_key_is_that_of_the_decoded_packet() {
        let v4 = |frame: Frame| frame.ip("10.0.0.1".parse().unwrap(), "192.0.2.7".parse().unwrap());
        let v6 = |frame: Frame| frame.ip("2001:db8::1".parse().unwrap(), "2001:db8::2".parse().unwrap());
        let told = [
            v4(Frame::ethernet()).tcp(1025, 80),
            v4(Frame::ethernet()).udp(1025, 53).payload(b"x"),
            v6(Frame::ethernet()).tcp(1025, 443),
            v4(Frame::ethernet().vlan(7)).tcp(1025, 80),
            v6(Frame::ethernet().vlan(7).vlan(8)).udp(5, 6),
        ];
        for frame in told {
            let bytes = frame.build();
            let raw = raw(LinkType::ETHERNET, &bytes);
            assert_eq!(glance(&raw), decoded(&raw));
            assert!(glance(&raw).is_some());
        }
        let untold = [
            v4(Frame::ethernet()).udp(1, 2).fragment(8, true).payload(b"12345678"),
            v4(Frame::ethernet()).protocol(47).payload(b"12345678"),
        ];
        for frame in untold {
            assert_eq!(glance(&raw(LinkType::ETHERNET, &frame.build())), None);
        }
    }

    proptest! {
        #[test]
        fn any_bytes(link in 0u16..300, bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let raw = raw(LinkType(link), &bytes);
            // A key has ports, so that there were as many bytes.
            prop_assert!(glance(&raw).is_none() || bytes.len() >= 24);
        }
    }
}
