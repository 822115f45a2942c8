//! Weirds of packets, apart from their connections.

mod fragment;

use std::net::IpAddr;

use weir_base::Reader;
use weir_packet::{DecodeEvent, Ip, LayerKind, Origin, Packet, Transport, checksum, ip_protocol};

use crate::connection::{PacketView, mobile};

pub(crate) use fragment::look_at_fragment;

/// Most 802.1Q tags that Zeek takes.
const MAX_TAGS: usize = 2;

const PPPOE_HEADER: usize = 6;

/// Two hosts, the sender first.
type Hosts = (IpAddr, IpAddr);

/// Something odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Oddity {
    pub(crate) name: &'static str,
    pub(crate) source: Option<&'static str>,
    pub(crate) addl: Option<&'static str>,
    /// Hosts, where it is not the link's.
    pub(crate) hosts: Option<Hosts>,
}

const fn of_link(name: &'static str, source: &'static str) -> Oddity {
    Oddity { name, source: Some(source), addl: None, hosts: None }
}

/// Whether nothing is odd about a packet, as about nearly all of them.
#[inline]
pub(crate) fn is_plain(packet: &Packet<'_>) -> bool {
    packet.events.is_empty()
        && packet.vlan.as_slice().len() <= MAX_TAGS
        && packet.pppoe_session.is_none()
        && !is_extended(packet)
}

/// Whether it has extension headers.
fn is_extended(packet: &Packet<'_>) -> bool {
    matches!(&packet.ip, Some(Ip::V6(v6)) if !v6.extensions.is_empty())
}

/// Reports the weirds of a packet, which `outer` carries if it does not stand alone.
pub(crate) fn look(packet: &Packet<'_>, outer: Option<&Packet<'_>>, tell: &mut dyn FnMut(Oddity)) {
    let tags = packet.vlan.as_slice().len();
    if let Some(ip) = packet.ip.as_ref().filter(|_| is_extended(packet)) {
        mobile::oddities(ip, &mut |name, source| {
            tell(Oddity { name, source: None, addl: None, hosts: Some((source, ip.destination())) });
        });
    }
    let has = |wanted| packet.events.iter().any(|event| event == wanted);
    if has(DecodeEvent::IPV6_RH_TYPE_0)
        && let Some(view) = PacketView::of(packet)
    {
        let hosts = Some((view.source.0, view.destination.0));
        tell(Oddity { name: "routing0_hdr", source: None, addl: None, hosts });
    }
    if packet.recursion > 0 {
        outer.and_then(|outer| inner(packet, outer)).into_iter().for_each(tell);
        return;
    }
    if tags > MAX_TAGS {
        let addl = Some("inner VLAN tag overwritten");
        tell(Oddity { addl, ..of_link("triple_tagged_vlan_unsupported", "VLAN") });
    }
    if has_data_after_pppoe(packet) {
        tell(of_link("pppoe_extra_data_after_payload", "PPPOE"));
    }
    if has(DecodeEvent::ETHERNET_PKT_TOO_SMALL) {
        tell(of_link("truncated_ethernet_frame", "ETHERNET"));
    }
    if has(DecodeEvent::IPV4_PKT_TOO_SMALL) || has(DecodeEvent::IPV6_PKT_TOO_SMALL) {
        tell(of_link("truncated_IP", "IP"));
    }
    if has(DecodeEvent::IPV4_TRUNC_PKT) || has(DecodeEvent::IPV6_TRUNC_PKT) {
        truncated(packet).into_iter().for_each(&mut *tell);
    }
    if has(DecodeEvent::IPV4_IPLEN_SMALLER_THAN_HLEN) {
        let stated = match &packet.ip {
            Some(Ip::V4(v4)) => Some(v4.total_length),
            _ => packet.behind_layers().get(2..).and_then(|bytes| Reader::new(bytes).u16()),
        };
        let name = if stated == Some(0) { "ip_hdr_len_zero" } else { "invalid_IP_header_size" };
        tell(of_link(name, "IP"));
    }
    if has(DecodeEvent::IPV6_TRUNC_EXTHDR) {
        tell(of_link("invalid_IP_header_size", "IP"));
    }
    if (has(DecodeEvent::IPV4_WRONG_IP_VERSION) || has(DecodeEvent::IPV6_WRONG_IP_VERSION))
        && packet.behind_layers().first().is_some_and(|first| !matches!(first >> 4, 4 | 6))
    {
        tell(of_link("unknown_ip_version", "IP"));
    }
    if has(DecodeEvent::TOO_MANY_LAYERS) {
        tell(of_link("max_packet_analyzer_depth_exceeded", "ETHERNET"));
    }
}

/// The checksum of a packet's IP header is wrong.
pub(crate) fn wrong_ip_checksum(packet: &Packet<'_>) -> Oddity {
    Oddity { hosts: packet.source().zip(packet.destination()), ..of_link("bad_IP_checksum", "IP") }
}

/// Whether the checksum above IP is wrong. That of a datagram with VXLAN inside does not matter (RFC 7348, 5).
pub(crate) fn is_corrupt(packet: &Packet<'_>) -> bool {
    checksum::transport_valid(packet) == Some(false) && packet.layers.last(LayerKind::Vxlan).is_none()
}

/// Reports the weirds of a packet that is part of no connection.
pub(crate) fn look_at_unconnected(packet: &Packet<'_>, tell: &mut dyn FnMut(Oddity)) {
    if let Transport::Igmp(message) = packet.transport
        && checksum::internet(message) != 0
    {
        let hosts = packet.source().zip(packet.destination());
        tell(Oddity { hosts, ..of_link("igmp_invalid_checksum", "IGMP") });
    }
}

/// Reports a datagram that is an empty tunnel packet, apart from its connection.
pub(crate) fn look_at_datagram(packet: &Packet<'_>, tell: &mut dyn FnMut(Oddity)) {
    const EMPTY: [(LayerKind, &str, &str); 3] = [
        (LayerKind::Geneve, "geneve_empty_packet", "GENEVE"),
        (LayerKind::Vxlan, "vxlan_empty_packet", "VXLAN"),
        (LayerKind::Ayiya, "ayiya_empty_packet", "AYIYA"),
    ];
    for (kind, name, source) in EMPTY {
        if packet.layers.last(kind).is_some_and(|layer| layer.length as usize == packet.payload.len()) {
            tell(Oddity { hosts: packet.source().zip(packet.destination()), ..of_link(name, source) });
        }
    }
}

/// The stated length of a datagram and that of what IP carries, where they differ.
#[inline]
pub(crate) fn mismatch(packet: &Packet<'_>) -> Option<(usize, usize)> {
    let Transport::Udp(udp) = &packet.transport else { return None };
    let carried = match packet.ip.as_ref()? {
        Ip::V4(v4) => usize::from(v4.total_length).checked_sub(v4.header.len())?,
        Ip::V6(v6) => v6.payload.len(),
    };
    let stated = usize::from(udp.length);
    (stated != carried).then_some((stated, carried))
}

/// Returns the weird of a packet that should not be directly inside IP.
fn inner(packet: &Packet<'_>, outer: &Packet<'_>) -> Option<Oddity> {
    if !matches!(packet.origin, Origin::Ipv4Tunnel | Origin::Ipv6Tunnel) {
        return None;
    }
    let is_version =
        |event| [DecodeEvent::IPV4_WRONG_IP_VERSION, DecodeEvent::IPV6_WRONG_IP_VERSION].contains(&event);
    let is_cut = |event| {
        [
            DecodeEvent::IPV4_PKT_TOO_SMALL,
            DecodeEvent::IPV6_PKT_TOO_SMALL,
            DecodeEvent::IPV4_TRUNC_PKT,
            DecodeEvent::IPV6_TRUNC_PKT,
        ]
        .contains(&event)
    };
    let name = packet.events.iter().find_map(|event| match event {
        _ if is_version(event) => Some("invalid_inner_IP_version"),
        _ if is_cut(event) => Some("truncated_inner_IP"),
        _ => None,
    })?;
    let hosts = outer.source().zip(outer.destination());
    Some(Oddity { hosts, ..of_link(name, "IPTUNNEL") })
}

/// Whether bytes follow what a PPPoE header says that it carries (RFC 2516 4).
fn has_data_after_pppoe(packet: &Packet<'_>) -> bool {
    let layer = packet.layers.as_slice().iter().find(|layer| layer.kind == LayerKind::Pppoe);
    let header = layer.and_then(|layer| packet.bytes.get(layer.offset as usize..));
    let is_session = |header: &[u8]| header.get(1) == Some(&0);
    header.filter(|header| is_session(header)).is_some_and(|header| {
        let length = header.get(4..).and_then(|bytes| Reader::new(bytes).u16()).unwrap_or(u16::MAX);
        usize::from(length) + PPPOE_HEADER < header.len()
    })
}

/// Returns the weird of an IP packet that was cut off.
fn truncated(packet: &Packet<'_>) -> Option<Oddity> {
    let bytes = packet.behind_layers();
    let mut reader = Reader::new(bytes);
    let first = reader.u8()?;
    let (header, total, protocol, hosts) = if first >> 4 == 4 {
        reader.skip(1)?;
        let total = usize::from(reader.u16()?);
        reader.skip(5)?;
        let protocol = reader.u8()?;
        reader.skip(2)?;
        let hosts = (IpAddr::from(reader.array::<4>()?), IpAddr::from(reader.array::<4>()?));
        (usize::from(first & 0x0f) * 4, total, protocol, hosts)
    } else {
        reader.skip(3)?;
        let above = usize::from(reader.u16()?);
        let protocol = reader.u8()?;
        reader.skip(1)?;
        let hosts = (IpAddr::from(reader.array::<16>()?), IpAddr::from(reader.array::<16>()?));
        (40, above + 40, protocol, hosts)
    };
    let below = packet.bytes.len() - bytes.len();
    if below + total > packet.wire_length as usize {
        return Some(of_link("truncated_IP_len", "IP"));
    }
    if header > bytes.len() {
        return Some(of_link("internally_truncated_header", "IP"));
    }
    let (least, source) = match protocol {
        ip_protocol::TCP => (20, "TCP"),
        ip_protocol::UDP => (8, "UDP"),
        ip_protocol::ICMPV4 | ip_protocol::ICMPV6 => (8, "ICMP"),
        _ => return None,
    };
    let is_cut = bytes.len() - header < least;
    is_cut.then(|| Oddity { hosts: Some(hosts), ..of_link("internally_truncated_header", source) })
}

#[cfg(test)]
mod tests {
    use weir_base::Timestamp;
    use weir_packet::{Decoder, DecoderSettings, LinkType, PacketList, RawPacket};
    use weir_testkit::Frame;

    use super::*;

    /// Returns the weirds of a frame captured up to so many bytes, and whether they name hosts.
    fn odd(frame: &[u8], captured: usize) -> Vec<(&'static str, bool)> {
        let raw = RawPacket {
            number: 1,
            time: Timestamp(1),
            link: LinkType::ETHERNET,
            wire_length: frame.len() as u32,
            interface: 0,
            bytes: &frame[..captured],
        };
        let mut list = PacketList::new();
        Decoder::new(DecoderSettings::default()).decode(&raw, &mut list);
        let mut found = Vec::new();
        look(list.outer().unwrap(), None, &mut |oddity| found.push((oddity.name, oddity.hosts.is_some())));
        found
    }

    #[test]
    fn oddities_of_packets() {
        let tcp = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").tcp(1000, 80).payload(b"data").build();
        let tagged = |count: u16| {
            let tags = (0..count).fold(Frame::ethernet(), |frame, tag| frame.vlan(tag + 1));
            tags.ipv4("10.0.0.1", "10.0.0.2").tcp(1000, 80).build()
        };
        let (two, three) = (tagged(2), tagged(3));
        let pppoe = Frame::ethernet().pppoe(1).ipv4("10.0.0.1", "10.0.0.2").tcp(1000, 80).build();
        let padded = [&pppoe[..], &[0; 6]].concat();
        let mut unstated = tcp.clone();
        unstated[16..18].fill(0);
        let mut longer = tcp.clone();
        longer[16] = 1;
        type Case<'a> = (&'a str, &'a [u8], usize, &'a [(&'a str, bool)]);
        let cases: Vec<Case<'_>> = vec![
            ("whole", &tcp, tcp.len(), &[]),
            ("frame cut", &tcp, 10, &[("truncated_ethernet_frame", false)]),
            ("IP header cut", &tcp, 30, &[("truncated_IP", false)]),
            ("TCP header cut", &tcp, 40, &[("internally_truncated_header", true)]),
            ("payload cut", &tcp, 56, &[]),
            ("never so long", &longer, longer.len(), &[("truncated_IP_len", false)]),
            ("no length", &unstated, unstated.len(), &[("ip_hdr_len_zero", false)]),
            ("two tags", &two, two.len(), &[]),
            ("three tags", &three, three.len(), &[("triple_tagged_vlan_unsupported", false)]),
            ("PPPoE", &pppoe, pppoe.len(), &[]),
            ("padded PPPoE", &padded, padded.len(), &[("pppoe_extra_data_after_payload", false)]),
        ];
        for (what, frame, captured, expected) in cases {
            assert_eq!(odd(frame, captured), expected, "{what}");
        }
    }

    #[test]
    fn oddities_of_datagrams() {
        let datagram = |port: u16, payload: &[u8]| {
            Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(1000, port).payload(payload).build()
        };
        let geneve = b"\x00\x00\x65\x58\x00\x00\x01\x00";
        let mut shorter = datagram(9, b"four");
        // The length that UDP states.
        shorter[39] -= 1;
        type Case<'a> = (&'a str, Vec<u8>, &'a [&'a str], Option<(usize, usize)>);
        let cases: [Case<'_>; 3] = [
            ("plain", datagram(9, b"four"), &[], None),
            ("a tunnel that carries nothing", datagram(6081, geneve), &["geneve_empty_packet"], None),
            ("bytes behind the datagram", shorter, &[], Some((11, 12))),
        ];
        for (what, bytes, expected, lengths) in cases {
            let raw = RawPacket {
                number: 1,
                time: Timestamp(1),
                link: LinkType::ETHERNET,
                wire_length: bytes.len() as u32,
                interface: 0,
                bytes: &bytes,
            };
            let mut list = PacketList::new();
            Decoder::new(DecoderSettings::default()).decode(&raw, &mut list);
            let packet = list.outer().unwrap();
            let mut found = Vec::new();
            look_at_datagram(packet, &mut |oddity| found.push(oddity.name));
            assert_eq!((&found[..], mismatch(packet)), (expected, lengths), "{what}");
        }
    }
}
