//! Weirds of packets, apart from their connections.

mod extension;
mod fragment;
mod link;
mod snap;
mod transport;

use std::borrow::Cow;
use std::net::IpAddr;

use weir_base::Reader;
use weir_packet::{DecodeEvent, Ip, LayerKind, Packet, Transport, checksum, ip_protocol};

pub(crate) use fragment::look_at_fragment;

/// Most 802.1Q tags that Zeek takes.
const MAX_TAGS: usize = 2;

const PPPOE_HEADER: usize = 6;

/// Two hosts, the sender first.
type Hosts = (IpAddr, IpAddr);

/// Something odd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Oddity {
    pub(crate) name: Cow<'static, str>,
    pub(crate) source: Option<&'static str>,
    pub(crate) addl: Option<Cow<'static, str>>,
    /// Hosts, where it is not the link's.
    pub(crate) hosts: Option<Hosts>,
}

impl Oddity {
    const fn plain(name: &'static str) -> Self {
        Self { name: Cow::Borrowed(name), source: None, addl: None, hosts: None }
    }

    fn of(name: &'static str, source: &'static str) -> Self {
        Self { source: Some(source), ..Self::plain(name) }
    }
}

/// Whether nothing is odd about a packet, as about nearly all of them.
#[inline]
pub(crate) fn is_plain(packet: &Packet<'_>) -> bool {
    packet.events.is_empty()
        && packet.vlan.as_slice().len() <= MAX_TAGS
        && packet.pppoe_session.is_none()
        && packet.ip.as_ref().map_or(packet.arp.is_some(), |ip| !may_be_tunnel(ip) && !is_extended(ip))
}

/// Whether it has extension headers, or those that end them.
const fn is_extended(ip: &Ip<'_>) -> bool {
    match ip {
        Ip::V4(_) => false,
        Ip::V6(v6) => {
            !v6.extensions.is_empty() || matches!(v6.next_header, ip_protocol::NONE | ip_protocol::MOBILITY)
        }
    }
}

/// Whether IP is directly inside.
const fn carries_ip(ip: &Ip<'_>) -> bool {
    matches!(ip.protocol(), ip_protocol::IPV4 | ip_protocol::IPV6)
}

/// Whether IP, or GRE, is directly inside.
const fn may_be_tunnel(ip: &Ip<'_>) -> bool {
    matches!(ip.protocol(), ip_protocol::IPV4 | ip_protocol::IPV6 | ip_protocol::GRE)
}

/// Reports the weirds of a packet.
pub(crate) fn look(packet: &Packet<'_>, tell: &mut dyn FnMut(Oddity)) {
    let has = |wanted| packet.events.iter().any(|event| event == wanted);
    match &packet.ip {
        Some(ip @ Ip::V6(v6)) if is_extended(ip) || has(DecodeEvent::IPV6_TRUNC_EXTHDR) => {
            extension::look(packet, v6, tell);
        }
        _ => {}
    }
    if let Some(ip) = packet.ip.as_ref().filter(|ip| carries_ip(ip) && !ip.is_fragment()) {
        inner(packet, ip).into_iter().for_each(&mut *tell);
    }
    if let Some(ip) = &packet.ip {
        transport::look(packet, ip).into_iter().for_each(&mut *tell);
    }
    if packet.recursion > 0 {
        return;
    }
    if packet.ip.is_none()
        && let Some(oddity) = link::look(packet)
    {
        return tell(oddity);
    }
    let tags = packet.vlan.as_slice().len();
    if tags > MAX_TAGS {
        let addl = Some("inner VLAN tag overwritten".into());
        tell(Oddity { addl, ..Oddity::of("triple_tagged_vlan_unsupported", "VLAN") });
    }
    if end_of_pppoe(packet).is_some_and(|end| end < packet.bytes.len()) {
        tell(Oddity::of("pppoe_extra_data_after_payload", "PPPOE"));
    }
    if has(DecodeEvent::IPV4_PKT_TOO_SMALL) || has(DecodeEvent::IPV6_PKT_TOO_SMALL) {
        tell(Oddity::of("truncated_IP", "IP"));
    }
    if has(DecodeEvent::IPV4_HLEN_TOO_SMALL) {
        tell(Oddity::of("IPv4_min_header_size", "IP"));
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
        tell(Oddity::of(name, "IP"));
    }
    if has(DecodeEvent::IPV6_TRUNC_EXTHDR) {
        tell(Oddity::of("invalid_IP_header_size", "IP"));
    }
    if (has(DecodeEvent::IPV4_WRONG_IP_VERSION) || has(DecodeEvent::IPV6_WRONG_IP_VERSION))
        && packet.behind_layers().first().is_some_and(|first| !matches!(first >> 4, 4 | 6))
    {
        tell(Oddity::of("unknown_ip_version", "IP"));
    }
    if has(DecodeEvent::TOO_MANY_LAYERS) {
        tell(Oddity::of("max_packet_analyzer_depth_exceeded", "ETHERNET"));
    }
}

/// The checksum of a packet's IP header is wrong.
pub(crate) fn wrong_ip_checksum(packet: &Packet<'_>) -> Oddity {
    Oddity { hosts: packet.source().zip(packet.destination()), ..Oddity::of("bad_IP_checksum", "IP") }
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
        tell(Oddity { hosts, ..Oddity::of("igmp_invalid_checksum", "IGMP") });
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
            tell(Oddity { hosts: packet.source().zip(packet.destination()), ..Oddity::of(name, source) });
        }
    }
}

/// The stated length of a datagram and that of what IP carries, where they differ.
#[inline]
pub(crate) fn mismatch(packet: &Packet<'_>) -> Option<(usize, usize)> {
    let ip = packet.ip.as_ref()?;
    let carried = match ip {
        // Left to the network card to fill in: what was captured is all there is.
        Ip::V4(v4) if v4.total_length == 0 => v4.payload.len(),
        Ip::V4(v4) => usize::from(v4.total_length).checked_sub(v4.header.len())?,
        Ip::V6(v6) => v6.payload.len(),
    };
    let stated = match &packet.transport {
        Transport::Udp(udp) => usize::from(udp.length),
        // More than there is.
        Transport::None if ip.protocol() == ip_protocol::UDP && !ip.is_fragment() => {
            let header = transport::payload(ip).get(4..8)?;
            usize::from(Reader::new(header).u16()?)
        }
        _ => return None,
    };
    (stated != carried).then_some((stated, carried))
}

/// Returns the weird of the packet that is directly inside of `packet`, which may be itself in a tunnel.
fn inner(packet: &Packet<'_>, ip: &Ip<'_>) -> Option<Oddity> {
    let bytes = transport::payload(ip);
    let version = if ip.protocol() == ip_protocol::IPV4 { 4 } else { 6 };
    let stated = |at: usize| bytes.get(at..).and_then(|bytes| Reader::new(bytes).u16()).map(usize::from);
    let is_other = bytes.first().is_some_and(|first| first >> 4 != version);
    let length = match version {
        4 => stated(2),
        _ => stated(4).map(|length| length + 40),
    };
    let name = match length {
        None if version == 6 => "truncated_inner_IP",
        _ if is_other || bytes.len() < 20 => "invalid_inner_IP_version",
        Some(length) if bytes.len() < length || bytes.len() < 40 && version == 6 => "truncated_inner_IP",
        Some(length) if bytes.len() > length => "inner_IP_payload_length_mismatch",
        _ => return None,
    };
    let name =
        if packet.recursion > 0 { Cow::Owned(format!("{name}_in_tunnel")) } else { Cow::Borrowed(name) };
    Some(Oddity { name, hosts: Some((ip.source(), ip.destination())), ..Oddity::of("", "IPTUNNEL") })
}

/// A packet lies in so many tunnels that it is not looked into for another one.
pub(crate) fn too_deep(packet: &Packet<'_>, source: &'static str) -> Oddity {
    const NAME: &str = "exceeded_tunnel_max_depth";
    let name = if packet.recursion > 0 { format!("{NAME}_in_tunnel") } else { NAME.to_owned() };
    let hosts = packet.source().zip(packet.destination());
    Oddity { name: Cow::Owned(name), hosts, ..Oddity::of("", source) }
}

/// Returns where ends what a PPPoE header says that a session carries (RFC 2516 4), in the packet.
fn end_of_pppoe(packet: &Packet<'_>) -> Option<usize> {
    let layer = packet.layers.as_slice().iter().find(|layer| layer.kind == LayerKind::Pppoe)?;
    let mut header = Reader::new(packet.bytes.get(layer.offset as usize..)?);
    header.skip(1)?;
    let is_session = header.u8()? == 0;
    header.skip(2)?;
    let length = usize::from(header.u16()?);
    is_session.then_some(layer.offset as usize + PPPOE_HEADER + length)
}

/// Returns how many bytes of an IP packet lie beyond what a PPPoE header in front of it says that it carries.
pub(crate) fn beyond_pppoe(packet: &Packet<'_>) -> usize {
    let Some(end) = packet.pppoe_session.and_then(|_| end_of_pppoe(packet)) else { return 0 };
    let (kind, length) = match &packet.ip {
        Some(Ip::V4(v4)) => (LayerKind::Ipv4, v4.header.len() + v4.payload.len()),
        Some(Ip::V6(v6)) => (LayerKind::Ipv6, v6.header.len() + usize::from(v6.payload_length)),
        None => return 0,
    };
    packet.layers.last(kind).map_or(0, |layer| (layer.offset as usize + length).saturating_sub(end))
}

/// A datagram of GENEVE of another version than there is.
pub(crate) fn other_geneve(packet: &Packet<'_>, version: u8) -> Oddity {
    let addl = Some(Cow::Owned(version.to_string()));
    let hosts = packet.source().zip(packet.destination());
    Oddity { hosts, addl, ..Oddity::of("geneve_invalid_version", "GENEVE") }
}

/// Returns the weird of an IP packet that was cut off.
fn truncated(packet: &Packet<'_>) -> Option<Oddity> {
    let bytes = packet.behind_layers();
    let mut reader = Reader::new(bytes);
    let first = reader.u8()?;
    let mut is_fragment = false;
    let (header, total, protocol, hosts) = if first >> 4 == 4 {
        reader.skip(1)?;
        let total = usize::from(reader.u16()?);
        reader.skip(2)?;
        // All but the flag that forbids fragments (RFC 791 3.1).
        is_fragment = reader.u16()? & 0x3fff != 0;
        reader.skip(1)?;
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
        return Some(Oddity::of("truncated_IP_len", "IP"));
    }
    if header > bytes.len() {
        return Some(Oddity::of("internally_truncated_header", "IP"));
    }
    if is_fragment {
        return Some(Oddity { hosts: Some(hosts), ..Oddity::of("incompletely_captured_fragment", "IP") });
    }
    let (least, source) = match protocol {
        ip_protocol::TCP => (20, "TCP"),
        ip_protocol::UDP => (8, "UDP"),
        ip_protocol::ICMPV4 | ip_protocol::ICMPV6 => (8, "ICMP"),
        _ => return None,
    };
    let is_cut = bytes.len() - header < least;
    is_cut.then(|| Oddity { hosts: Some(hosts), ..Oddity::of("internally_truncated_header", source) })
}

#[cfg(test)]
mod tests {
    use weir_base::Timestamp;
    use weir_packet::{Decoder, DecoderSettings, LinkType, PacketList, RawPacket};
    use weir_testkit::Frame;

    use super::*;

    /// Returns the weirds of a frame captured up to so many bytes, and whether they name hosts.
    fn odd(frame: &[u8], captured: usize) -> Vec<(Cow<'static, str>, bool)> {
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
        look(list.outer().unwrap(), &mut |oddity| found.push((oddity.name, oddity.hosts.is_some())));
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
            let expected: Vec<_> = expected.iter().map(|&(name, hosts)| (name.into(), hosts)).collect();
            assert_eq!(odd(frame, captured), expected, "{what}");
        }
    }

    #[test]
    fn bytes_beyond_what_pppoe_states() {
        let whole =
            Frame::ethernet().pppoe(1).ipv4("10.0.0.1", "10.0.0.2").tcp(1000, 80).payload(b"data").build();
        let padded = [&whole[..], &[0; 6]].concat();
        let mut shorter = whole.clone();
        shorter[19] -= 3;
        for (what, bytes, expected) in [("whole", whole, 0), ("padded", padded, 0), ("shorter", shorter, 3)] {
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
            assert_eq!(beyond_pppoe(list.outer().unwrap()), expected, "{what}");
        }
    }

    #[test]
    fn oddities_of_fragments_that_were_cut_and_of_short_headers() {
        let whole = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).payload([7; 100]).build();
        let with = |at: usize, value: u8| {
            let mut frame = whole.clone();
            frame[at] = value;
            frame
        };
        type Case<'a> = (&'a str, Vec<u8>, usize, &'a [(&'a str, bool)]);
        let cases: [Case<'_>; 3] = [
            ("more fragments, cut", with(20, 0x20), 60, &[("incompletely_captured_fragment", true)]),
            ("not to be cut, and cut", with(20, 0x40), 60, &[]),
            ("a header of twelve bytes", with(14, 0x43), whole.len(), &[("IPv4_min_header_size", false)]),
        ];
        for (what, frame, captured, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|&(name, hosts)| (name.into(), hosts)).collect();
            assert_eq!(odd(&frame, captured), expected, "{what}");
        }
    }

    #[test]
    fn oddities_of_what_ip_carries() {
        let v4 = Frame::bare().ipv4("10.0.0.3", "10.0.0.4").udp(1, 2).payload(b"data").build();
        let v6 = Frame::bare().ipv6("::3", "::4").udp(1, 2).payload(b"data").build();
        // IPv6 whose next header is that, around the bytes.
        let around = |next: u8, bytes: &[u8]| {
            let mut frame = Frame::bare().ipv6("::1", "::2").udp(1, 2).build();
            frame.truncate(40);
            frame[4..6].copy_from_slice(&(bytes.len() as u16).to_be_bytes());
            frame[6] = next;
            [&frame[..], bytes].concat()
        };
        let (in4, in6) = (ip_protocol::IPV4, ip_protocol::IPV6);
        let longer = [&v4[..], b"more"].concat();
        type Case<'a> = (&'a str, Vec<u8>, &'a [&'a str]);
        let cases: Vec<Case<'_>> = vec![
            ("IPv4", around(in4, &v4), &[]),
            ("IPv6", around(in6, &v6), &[]),
            ("IPv4 for IPv6", around(in6, &v4), &["invalid_inner_IP_version"]),
            ("IPv6 for IPv4", around(in4, &v6), &["invalid_inner_IP_version"]),
            ("IPv4, cut", around(in4, &v4[..v4.len() - 1]), &["truncated_inner_IP"]),
            ("IPv6, cut", around(in6, &v6[..44]), &["truncated_inner_IP"]),
            ("a header of IPv6, cut", around(in6, &v6[..3]), &["truncated_inner_IP"]),
            ("a header of IPv4, cut", around(in4, &v4[..19]), &["invalid_inner_IP_version"]),
            ("bytes behind", around(in4, &longer), &["inner_IP_payload_length_mismatch"]),
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
            look(list.outer().unwrap(), &mut |oddity| found.push(oddity.name));
            assert_eq!(found, expected, "{what}");
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
            let found: Vec<&str> = found.iter().map(AsRef::as_ref).collect();
            assert_eq!((&found[..], mismatch(packet)), (expected, lengths), "{what}");
        }
    }
}
