//! Weirds of what IP carries: headers that are cut off, and those of GRE that are none.

use std::borrow::Cow;

use weir_base::Reader;
use weir_packet::{Ip, Packet, Transport, ip_protocol};

use super::Oddity;

const TCP_LENGTH: usize = 20;
const UDP_LENGTH: usize = 8;
const ICMP_LENGTH: usize = 8;
const ETHERNET_LENGTH: usize = 14;

/// Bits of GRE's first word (RFC 1701, RFC 2637).
const CHECKSUM: u16 = 0x8000;
const ROUTING: u16 = 0x4000;
const KEY: u16 = 0x2000;
const SEQUENCE: u16 = 0x1000;
const ACKNOWLEDGEMENT: u16 = 0x0080;
const RESERVED: u16 = 0x0078;
const VERSION: u16 = 0x0007;

/// What GRE carries.
const TRANSPARENT_ETHERNET: u16 = 0x6558;
const PPP: u16 = 0x880b;
const ERSPAN: u16 = 0x88be;
const ERSPAN_III: u16 = 0x22eb;
const PPP_IPV4: u16 = 0x0021;
const PPP_IPV6: u16 = 0x0057;

/// Returns the weird of the header above IP, if that is no whole one.
pub(super) fn look(packet: &Packet<'_>, ip: &Ip<'_>) -> Option<Oddity> {
    if ip.is_fragment() {
        return None;
    }
    let (payload, behind) = (payload(ip), packet.behind_layers());
    let (name, source, addl) = match (ip.protocol(), &packet.transport) {
        (ip_protocol::TCP, Transport::None) => cut(payload, behind, TCP_LENGTH, "TCP")?,
        (ip_protocol::UDP, Transport::None) => cut(payload, behind, UDP_LENGTH, "UDP")?,
        (ip_protocol::ICMPV4 | ip_protocol::ICMPV6, Transport::None) => {
            cut(payload, behind, ICMP_LENGTH, "ICMP")?
        }
        (ip_protocol::GRE, _) => {
            let (name, addl) = gre(payload)?;
            (name, "GRE", addl)
        }
        _ => return None,
    };
    let name =
        if packet.recursion > 0 { Cow::Owned(format!("{name}_in_tunnel")) } else { Cow::Borrowed(name) };
    let addl = addl.map(Cow::Owned);
    Some(Oddity { name, addl, hosts: Some((ip.source(), ip.destination())), ..Oddity::of("", source) })
}

/// Bytes above IP and its extension headers.
pub(super) const fn payload<'a>(ip: &Ip<'a>) -> &'a [u8] {
    match ip {
        Ip::V4(v4) => v4.payload,
        Ip::V6(v6) => v6.payload,
    }
}

type Found = (&'static str, &'static str, Option<String>);

/// A header of which less is there than it takes at least. Where IP states nothing above its own, what is `behind` it
/// in the frame counts.
fn cut(payload: &[u8], behind: &[u8], length: usize, source: &'static str) -> Option<Found> {
    match (payload.len(), behind.len()) {
        (0, there) if there < length => Some(("internally_truncated_header", source, None)),
        (1.., _) if payload.len() < length => Some(("truncated_header", source, None)),
        _ => None,
    }
}

/// Returns the weird of a GRE header, and what it is about.
fn gre(bytes: &[u8]) -> Option<(&'static str, Option<String>)> {
    const TRUNCATED: (&str, Option<String>) = ("truncated_GRE", None);
    let mut reader = Reader::new(bytes);
    let (Some(flags), Some(protocol)) = (reader.u16(), reader.u16()) else { return Some(TRUNCATED) };
    let fields = [CHECKSUM, KEY, SEQUENCE, ACKNOWLEDGEMENT].map(|bit| usize::from(flags & bit != 0) * 4);
    let length = 4 + fields.iter().sum::<usize>();
    let least = match flags & VERSION {
        0 => match inside(protocol, flags, bytes.get(length..).unwrap_or_default()) {
            Some(least) => length + least,
            None => return Some(TRUNCATED),
        },
        1 if protocol != PPP => return Some(("egre_protocol_type", Some(format!("proto={protocol}")))),
        1 => length + 4,
        version => return Some(("unknown_gre_version", Some(format!("version={version}")))),
    };
    if flags & ROUTING != 0 {
        return Some(("gre_routing", None));
    }
    if flags & RESERVED != 0 {
        return Some(("unknown_gre_flags", None));
    }
    if bytes.len() < least {
        return Some(TRUNCATED);
    }
    let carried = bytes.get(length + 2..).and_then(|bytes| Reader::new(bytes).u16());
    let is_ip = matches!(carried, Some(PPP_IPV4 | PPP_IPV6));
    (flags & VERSION == 1 && !is_ip).then_some(("non_ip_packet_in_encap", None))
}

/// Returns the length of the headers that a type announces, unless they are cut off.
fn inside(protocol: u16, flags: u16, bytes: &[u8]) -> Option<usize> {
    let (more_than, least) = match protocol {
        TRANSPARENT_ETHERNET => (ETHERNET_LENGTH, ETHERNET_LENGTH),
        ERSPAN if flags & SEQUENCE != 0 => (ETHERNET_LENGTH, ETHERNET_LENGTH + 8),
        ERSPAN => (ETHERNET_LENGTH, ETHERNET_LENGTH),
        ERSPAN_III => {
            // The last bit of its header announces another.
            let more = if bytes.get(11).is_some_and(|last| last & 1 == 1) { 8 } else { 0 };
            (ETHERNET_LENGTH + 12 + more, ETHERNET_LENGTH + 12 + more)
        }
        _ => return Some(0),
    };
    (bytes.len() > more_than && bytes.len() >= least).then_some(least)
}

#[cfg(test)]
mod tests {
    use weir_base::Timestamp;
    use weir_packet::{Decoder, DecoderSettings, LinkType, PacketList, RawPacket};
    use weir_testkit::Frame;

    use super::*;

    #[test]
    fn oddities_of_headers_above_ip() {
        let carrying = |protocol: u8, bytes: &[u8]| {
            Frame::bare().ipv4("10.0.0.1", "10.0.0.2").protocol(protocol).payload(bytes).build()
        };
        let inner = carrying(17, b"\0\x01\0\x02\0\x08\0\0");
        let gre = |head: &[u8], inner: &[u8]| carrying(47, &[head, inner].concat());
        type Case<'a> = (&'a str, Vec<u8>, &'a [(&'a str, Option<&'a str>)]);
        let cases: Vec<Case<'_>> = vec![
            ("TCP", carrying(6, &[0; 19]), &[("truncated_header", None)]),
            ("no TCP", carrying(6, b""), &[("internally_truncated_header", None)]),
            ("UDP", carrying(17, &[0; 7]), &[("truncated_header", None)]),
            ("UDP, whole", carrying(17, b"\0\x01\0\x02\0\x08\0\0"), &[]),
            ("ICMP", carrying(1, &[8; 5]), &[("truncated_header", None)]),
            ("GRE, cut", carrying(47, b"\0\0\x08"), &[("truncated_GRE", None)]),
            ("GRE around IPv4", gre(b"\0\0\x08\0", &inner), &[]),
            ("GRE, version 2", gre(b"\0\x02\x08\0", &inner), &[("unknown_gre_version", Some("version=2"))]),
            ("with a route", gre(b"\x40\0\x08\0\0\0\0\0\0\0\0\0", &inner), &[("gre_routing", None)]),
            ("with other flags", gre(b"\0\x10\x08\0", &inner), &[("unknown_gre_flags", None)]),
            ("its key cut", gre(b"\x20\0\x08\0\0\0", b""), &[("truncated_GRE", None)]),
            ("around Ethernet, cut", gre(b"\0\0\x65\x58", &[0; 14]), &[("truncated_GRE", None)]),
            ("around ERSPAN, cut", gre(b"\x10\0\x88\xbe\0\0\0\0", &[0; 21]), &[("truncated_GRE", None)]),
            (
                "PPTP around PPP's own",
                gre(b"\x20\x01\x88\x0b\0\x04\0\0\xff\x03\xc0\x21", &[1, 1]),
                &[("non_ip_packet_in_encap", None)],
            ),
            (
                "PPTP around others",
                gre(b"\x20\x01\x08\0\0\0\0\0", &inner),
                &[("egre_protocol_type", Some("proto=2048"))],
            ),
        ];
        for (what, bytes, expected) in cases {
            let raw = RawPacket {
                number: 1,
                time: Timestamp(1),
                link: LinkType::RAW,
                wire_length: bytes.len() as u32,
                interface: 0,
                bytes: &bytes,
            };
            let mut list = PacketList::new();
            Decoder::new(DecoderSettings::default()).decode(&raw, &mut list);
            let mut found = Vec::new();
            super::super::look(list.outer().unwrap(), &mut |oddity| {
                assert!(oddity.hosts.is_some(), "{what}");
                found.push((oddity.name.into_owned(), oddity.addl.map(Cow::into_owned)));
            });
            let found: Vec<_> = found.iter().map(|(name, addl)| (name.as_str(), addl.as_deref())).collect();
            assert_eq!(found, expected, "{what}");
        }
    }
}
