//! Views of the headers a packet can have. Fields are in host byte order.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Ethernet II (IEEE 802.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ethernet {
    /// Destination address.
    pub destination: [u8; 6],
    /// Source address.
    pub source: [u8; 6],
    /// Type of what follows, or a length.
    pub ether_type: u16,
}

/// Most 802.1Q tags kept.
pub const MAX_VLANS: usize = 3;

/// 802.1Q tags, outermost first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VlanTags {
    ids: [u16; MAX_VLANS],
    count: u8,
}

impl VlanTags {
    /// Adds a tag's 12-bit identifier; false where there are already [`MAX_VLANS`].
    pub fn push(&mut self, id: u16) -> bool {
        match self.ids.get_mut(usize::from(self.count)) {
            Some(slot) => {
                *slot = id & 0x0fff;
                self.count += 1;
                true
            }
            None => false,
        }
    }

    /// The identifiers, outermost first.
    pub fn as_slice(&self) -> &[u16] {
        self.ids.get(..usize::from(self.count)).unwrap_or_default()
    }
}

/// ARP for IPv4 over Ethernet (RFC 826).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arp<'a> {
    /// Hardware type.
    pub hardware_type: u16,
    /// Protocol type.
    pub protocol_type: u16,
    /// 1 request, 2 reply, 3 RARP request, …
    pub operation: u16,
    /// The whole ARP packet.
    pub bytes: &'a [u8],
    /// Sender hardware address.
    pub source_mac: [u8; 6],
    /// Sender protocol address.
    pub source: Ipv4Addr,
    /// Target hardware address.
    pub destination_mac: [u8; 6],
    /// Target protocol address.
    pub destination: Ipv4Addr,
}

/// IP of either version.
#[derive(Clone, Copy, Debug)]
pub enum Ip<'a> {
    /// RFC 791.
    V4(Ipv4<'a>),
    /// RFC 8200.
    V6(Ipv6<'a>),
}

impl Ip<'_> {
    /// Source address.
    pub fn source(&self) -> IpAddr {
        match self {
            Ip::V4(ip) => IpAddr::V4(ip.source),
            Ip::V6(ip) => IpAddr::V6(ip.source),
        }
    }

    /// Destination address.
    pub fn destination(&self) -> IpAddr {
        match self {
            Ip::V4(ip) => IpAddr::V4(ip.destination),
            Ip::V6(ip) => IpAddr::V6(ip.destination),
        }
    }

    /// Protocol number of what IP and its extension headers carry.
    pub const fn protocol(&self) -> u8 {
        match self {
            Ip::V4(ip) => ip.protocol,
            Ip::V6(ip) => ip.protocol,
        }
    }

    /// Time to live or hop limit.
    pub const fn ttl(&self) -> u8 {
        match self {
            Ip::V4(ip) => ip.ttl,
            Ip::V6(ip) => ip.hop_limit,
        }
    }

    /// Whether the packet is one of several fragments.
    pub fn is_fragment(&self) -> bool {
        match self {
            Ip::V4(ip) => ip.more_fragments || ip.fragment_offset > 0,
            Ip::V6(ip) => ip.fragment.is_some_and(|f| f.more || f.offset > 0),
        }
    }

    /// Whether this is IPv4.
    pub const fn is_v4(&self) -> bool {
        matches!(self, Ip::V4(_))
    }
}

/// IPv4 (RFC 791).
///
/// It has a field for each field of the header.
#[derive(Clone, Copy, Debug)]
pub struct Ipv4<'a> {
    /// The header with its options.
    pub header: &'a [u8],
    /// Bytes after the header, cut to the total length.
    pub payload: &'a [u8],
    /// Source address.
    pub source: Ipv4Addr,
    /// Destination address.
    pub destination: Ipv4Addr,
    /// Protocol number.
    pub protocol: u8,
    /// Time to live.
    pub ttl: u8,
    /// Type of service.
    pub tos: u8,
    /// Identification.
    pub id: u16,
    /// Total length as the header states it, in bytes.
    pub total_length: u16,
    /// The reserved flag.
    pub reserved_flag: bool,
    /// Don't fragment.
    pub dont_fragment: bool,
    /// More fragments follow.
    pub more_fragments: bool,
    /// Offset of this fragment in bytes.
    pub fragment_offset: u16,
    /// Options seen: bit `n` for the option whose number is `n` in [`Ipv4Options`].
    pub options: Ipv4Options,
}

/// IPv4 options of a header, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ipv4Options(pub u16);

impl Ipv4Options {
    /// Record route.
    pub const RR: u16 = 1;
    /// Loose source route.
    pub const LSRR: u16 = 1 << 1;
    /// End of list.
    pub const EOL: u16 = 1 << 2;
    /// No operation.
    pub const NOP: u16 = 1 << 3;
    /// Timestamp.
    pub const TS: u16 = 1 << 4;
    /// Basic security.
    pub const SEC: u16 = 1 << 5;
    /// Extended security.
    pub const ESEC: u16 = 1 << 6;
    /// Strict source route.
    pub const SSRR: u16 = 1 << 7;
    /// Stream identifier.
    pub const SATID: u16 = 1 << 8;
    /// Quick start.
    pub const QS: u16 = 1 << 9;
    /// Commercial security.
    pub const CIPSO: u16 = 1 << 10;
    /// Router alert.
    pub const RTRALT: u16 = 1 << 11;
}

/// IPv6 with its extension headers (RFC 8200).
#[derive(Clone, Copy, Debug)]
pub struct Ipv6<'a> {
    /// The fixed header of 40 bytes.
    pub header: &'a [u8],
    /// The extension headers.
    pub extensions: &'a [u8],
    /// Bytes after the extension headers, cut to the payload length.
    pub payload: &'a [u8],
    /// Source address.
    pub source: Ipv6Addr,
    /// Destination address.
    pub destination: Ipv6Addr,
    /// Next header of the fixed header.
    pub next_header: u8,
    /// Protocol number after the extension headers.
    pub protocol: u8,
    /// Hop limit.
    pub hop_limit: u8,
    /// Traffic class.
    pub traffic_class: u8,
    /// Flow label, 20 bits.
    pub flow_label: u32,
    /// Payload length as the header states it, in bytes.
    pub payload_length: u16,
    /// The fragment header.
    pub fragment: Option<Ipv6Fragment>,
}

/// IPv6 fragment header (RFC 8200, 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv6Fragment {
    /// Offset in bytes.
    pub offset: u16,
    /// More fragments follow.
    pub more: bool,
    /// Identification.
    pub id: u32,
    /// Next header.
    pub next_header: u8,
    /// Where the fragment header starts in [`Ipv6::extensions`].
    pub header_offset: u16,
    /// Where, from the start of the IPv6 header, the next-header byte stands that announces it.
    pub previous_next_header: u16,
}

/// Transport header of a packet.
#[derive(Clone, Copy, Debug, Default)]
pub enum Transport<'a> {
    /// Nothing that was read: no IP, a fragment, an unknown protocol, or damage.
    #[default]
    None,
    /// RFC 9293.
    Tcp(Tcp<'a>),
    /// RFC 768.
    Udp(Udp<'a>),
    /// RFC 792.
    Icmpv4(Icmp<'a>),
    /// RFC 4443.
    Icmpv6(Icmp<'a>),
    /// RFC 9260.
    Sctp(Sctp<'a>),
    /// RFC 3376.
    Igmp(&'a [u8]),
    /// RFC 4303.
    Esp {
        /// Security parameters index.
        spi: u32,
    },
}

impl Transport<'_> {
    /// Whether the bytes behind its header are a payload as rules and records know it.
    pub const fn carries_payload(&self) -> bool {
        !matches!(self, Self::None | Self::Igmp(_))
    }

    /// Source and destination port.
    pub const fn ports(&self) -> Option<(u16, u16)> {
        match self {
            Transport::Tcp(t) => Some((t.source_port, t.destination_port)),
            Transport::Udp(u) => Some((u.source_port, u.destination_port)),
            Transport::Sctp(s) => Some((s.source_port, s.destination_port)),
            _ => None,
        }
    }
}

/// TCP (RFC 9293).
#[derive(Clone, Copy, Debug, Default)]
pub struct Tcp<'a> {
    /// The header with its options.
    pub header: &'a [u8],
    /// Source port.
    pub source_port: u16,
    /// Destination port.
    pub destination_port: u16,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgement number.
    pub ack: u32,
    /// FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32, ECE 64, CWR 128.
    pub flags: u8,
    /// The four bits beside the header length.
    pub reserved: u8,
    /// Window as sent, not scaled.
    pub window: u16,
    /// Checksum as sent.
    pub checksum: u16,
    /// Urgent pointer.
    pub urgent: u16,
    /// The options that matter.
    pub options: TcpOptions<'a>,
}

impl Tcp<'_> {
    /// No more data from the sender.
    pub const FIN: u8 = 0x01;
    /// Synchronise sequence numbers.
    pub const SYN: u8 = 0x02;
    /// Reset.
    pub const RST: u8 = 0x04;
    /// Push.
    pub const PSH: u8 = 0x08;
    /// The acknowledgement field is significant.
    pub const ACK: u8 = 0x10;
    /// The urgent pointer is significant.
    pub const URG: u8 = 0x20;
    /// Congestion echo.
    pub const ECE: u8 = 0x40;
    /// Congestion window reduced.
    pub const CWR: u8 = 0x80;

    /// Whether all of `flags` are set.
    pub const fn has(&self, flags: u8) -> bool {
        self.flags & flags == flags
    }
}

/// TCP options (RFC 9293 3.2, RFC 7323, RFC 2018, RFC 7413).
#[derive(Clone, Copy, Debug, Default)]
pub struct TcpOptions<'a> {
    /// Maximum segment size.
    pub mss: Option<u16>,
    /// Window scale as sent.
    pub window_scale: Option<u8>,
    /// Selective acknowledgement permitted.
    pub sack_permitted: bool,
    /// The blocks of a selective acknowledgement, eight bytes each.
    pub sack: &'a [u8],
    /// Timestamp value and echo reply.
    pub timestamp: Option<(u32, u32)>,
    /// Fast-open cookie; empty for a request.
    pub fast_open: Option<&'a [u8]>,
}

/// UDP (RFC 768).
#[derive(Clone, Copy, Debug, Default)]
pub struct Udp<'a> {
    /// The header of eight bytes.
    pub header: &'a [u8],
    /// Source port.
    pub source_port: u16,
    /// Destination port.
    pub destination_port: u16,
    /// Length as sent.
    pub length: u16,
    /// Checksum as sent; zero for none.
    pub checksum: u16,
}

/// ICMP of either version.
#[derive(Clone, Copy, Debug, Default)]
pub struct Icmp<'a> {
    /// The header.
    pub header: &'a [u8],
    /// Type.
    pub kind: u8,
    /// Code.
    pub code: u8,
    /// Checksum as sent.
    pub checksum: u16,
    /// Identifier, for those types that have one.
    pub id: Option<u16>,
    /// Sequence number, for those types that have one.
    pub seq: Option<u16>,
    /// Maximum transmission unit of a packet-too-big message (ICMPv6).
    pub mtu: Option<u32>,
    /// The flow that an error message speaks of.
    pub embedded: Option<Embedded>,
}

/// The start of the packet that an ICMP error quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Embedded {
    /// Its source address.
    pub source: IpAddr,
    /// Its destination address.
    pub destination: IpAddr,
    /// Its protocol number.
    pub protocol: u8,
    /// Its source port, zero where there is none.
    pub source_port: u16,
    /// Its destination port, zero where there is none.
    pub destination_port: u16,
}

/// SCTP (RFC 9260).
#[derive(Clone, Copy, Debug, Default)]
pub struct Sctp<'a> {
    /// The common header of twelve bytes.
    pub header: &'a [u8],
    /// Source port.
    pub source_port: u16,
    /// Destination port.
    pub destination_port: u16,
    /// Verification tag.
    pub verification_tag: u32,
    /// The chunks.
    pub chunks: &'a [u8],
}
