//! Sticky buffers of packets: headers and addresses.

use weir_packet::{Ip, LayerKind, Packet, Transport};
use weir_rules::{RuleOption, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::signature::{PacketAccess, PacketField, Subjects};

/// Length of a DATA chunk's header (RFC 9260 section 3.3.1).
const DATA_HEADER: usize = 16;

/// The type of a DATA chunk.
const DATA_CHUNK: u8 = 0;

/// Headers that only packets of one IP protocol have.
const CARRIED: &[(&str, u8)] = &[("tcp.hdr", 6), ("udp.hdr", 17), ("icmpv4.hdr", 1), ("icmpv6.hdr", 58)];

/// Length of the fixed IPv6 header.
const IPV6_HEADER: usize = 40;

macro_rules! buffers {
    ($($constant:ident $name:literal $what:literal $example:literal $read:expr;)*) => {
        $(
            static $constant: PacketField = PacketField { name: $name, read: PacketAccess::One($read), doc: $what };
        )*

        /// The family's keywords.
        pub const KEYWORDS: &[Keyword] = &[
            $(Keyword::new(
                $name,
                [concat!($name, ";"), concat!("Sticky buffer: ", $what), concat!($name, "; ", $example)],
                |option, rule| select(option, rule, &$constant),
            ),)*
            Keyword::new(
                "sctp.chunk_data",
                [
                    "sctp.chunk_data;",
                    "Sticky buffer: what a DATA chunk of an SCTP packet carries; each by itself.",
                    "sctp.chunk_data; content:\"test\";",
                ],
                |option, rule| select(option, rule, &SCTP_CHUNK_DATA),
            ),
        ];
    };
}

buffers! {
    ETHERNET_HEADER "ether.hdr" "the Ethernet header." "content:\"|08 06|\"; offset:12;" ethernet_header;
    IPV4_HEADER "ipv4.hdr" "the IPv4 header with its options." "content:\"|06|\"; offset:9; depth:1;" ipv4_header;
    IPV6_HEADER_FIELD "ipv6.hdr" "the IPv6 header with its extension headers." "content:\"|06|\"; offset:6; depth:1;"
        ipv6_header;
    SOURCE "ip.src" "the source address, 4 or 16 bytes." "content:\"|0a 00 00 01|\";" source;
    DESTINATION "ip.dst" "the destination address, 4 or 16 bytes." "content:\"|0a 00 00 01|\";" destination;
    TCP_HEADER "tcp.hdr" "the TCP header with its options." "content:\"|02 04|\"; offset:20;" tcp_header;
    UDP_HEADER "udp.hdr" "the UDP header." "content:\"|00 08|\"; offset:4; depth:2;" udp_header;
    ICMPV4_HEADER "icmpv4.hdr" "the ICMP header." "content:\"|08 00|\"; startswith;" icmpv4_header;
    ICMPV6_HEADER "icmpv6.hdr" "the ICMPv6 header." "content:\"|80 00|\"; startswith;" icmpv6_header;
    IGMP_HEADER "igmp.hdr" "the IGMP message." "content:\"|16|\"; startswith;" igmp_header;
    SCTP_HEADER "sctp.hdr" "the common header of SCTP." "content:\"|00 00 00 00|\"; offset:4;" sctp_header;
}

static SCTP_CHUNK_DATA: PacketField = PacketField {
    name: "sctp.chunk_data",
    read: PacketAccess::Several(sctp_chunk_data),
    doc: "what a DATA chunk carries.",
};

fn select(
    option: &RuleOption,
    rule: &mut RuleBuilder<'_>,
    field: &'static PacketField,
) -> Result<(), SyntaxError> {
    option.no_argument()?;
    if let Some((_, number)) = CARRIED.iter().find(|(name, _)| *name == field.name) {
        rule.needs_protocol(option, *number)?;
    }
    rule.demands.subjects.insert(Subjects::PACKET);
    rule.select_packet(option, field)
}

fn ethernet_header<'p>(packet: &'p Packet<'_>) -> Option<&'p [u8]> {
    let layer = packet.layers.as_slice().iter().find(|layer| layer.kind == LayerKind::Ethernet)?;
    slice(packet, layer.offset as usize, layer.length as usize)
}

fn slice<'p>(packet: &'p Packet<'_>, offset: usize, length: usize) -> Option<&'p [u8]> {
    packet.bytes.get(offset..offset.checked_add(length)?)
}

fn ipv4_header<'p>(packet: &'p Packet<'_>) -> Option<&'p [u8]> {
    match &packet.ip {
        Some(Ip::V4(ip)) => Some(ip.header),
        _ => None,
    }
}

fn ipv6_header<'p>(packet: &'p Packet<'_>) -> Option<&'p [u8]> {
    match &packet.ip {
        Some(Ip::V6(ip)) if ip.extensions.is_empty() => Some(ip.header),
        Some(Ip::V6(ip)) => {
            let layer = packet.layers.last(LayerKind::Ipv6)?;
            slice(packet, layer.offset as usize, IPV6_HEADER + ip.extensions.len())
        }
        _ => None,
    }
}

fn source<'p>(packet: &'p Packet<'_>) -> Option<&'p [u8]> {
    match packet.ip.as_ref()? {
        Ip::V4(ip) => ip.header.get(12..16),
        Ip::V6(ip) => ip.header.get(8..24),
    }
}

fn destination<'p>(packet: &'p Packet<'_>) -> Option<&'p [u8]> {
    match packet.ip.as_ref()? {
        Ip::V4(ip) => ip.header.get(16..20),
        Ip::V6(ip) => ip.header.get(24..40),
    }
}

fn tcp_header<'p>(packet: &'p Packet<'_>) -> Option<&'p [u8]> {
    packet.tcp().map(|tcp| tcp.header)
}

fn udp_header<'p>(packet: &'p Packet<'_>) -> Option<&'p [u8]> {
    match &packet.transport {
        Transport::Udp(udp) => Some(udp.header),
        _ => None,
    }
}

fn icmpv4_header<'p>(packet: &'p Packet<'_>) -> Option<&'p [u8]> {
    match &packet.transport {
        Transport::Icmpv4(icmp) => Some(icmp.header),
        _ => None,
    }
}

fn icmpv6_header<'p>(packet: &'p Packet<'_>) -> Option<&'p [u8]> {
    match &packet.transport {
        Transport::Icmpv6(icmp) => Some(icmp.header),
        _ => None,
    }
}

fn igmp_header<'p>(packet: &'p Packet<'_>) -> Option<&'p [u8]> {
    match packet.transport {
        Transport::Igmp(message) => Some(message),
        _ => None,
    }
}

fn sctp_header<'p>(packet: &'p Packet<'_>) -> Option<&'p [u8]> {
    match &packet.transport {
        Transport::Sctp(sctp) => Some(sctp.header),
        _ => None,
    }
}

/// The user data of the DATA chunk with this position among those of its packet.
fn sctp_chunk_data<'p>(packet: &'p Packet<'_>, index: usize) -> Option<&'p [u8]> {
    let Transport::Sctp(sctp) = &packet.transport else { return None };
    let data = super::transport::chunks(sctp.chunks).filter(|chunk| chunk.first() == Some(&DATA_CHUNK));
    data.filter_map(|chunk| chunk.get(DATA_HEADER..)).nth(index)
}
