//! A packet as connections look at it.

use std::net::IpAddr;

use weir_base::Timestamp;
use weir_packet::{FlowKey, Ip, Packet, Tcp, Transport, ip_protocol};

use super::key::{Key, Vlans};
use super::segment::NextSegment;
use super::{damaged, mobile, truncated};
use crate::policy::odd_packet;

/// Length of the fixed IPv6 header, which its payload length leaves out.
/// Length of IPv6's fragment header.
const FRAGMENT_HEADER: u32 = 8;
const IPV6_HEADER: u32 = 40;
/// Length of the header that every ICMP message has.
const ICMP_HEADER: u32 = 8;
/// Length of a UDP header.
const UDP_HEADER: u32 = 8;

/// Payload of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    /// A segment.
    Tcp {
        seq: u32,
        ack: u32,
        flags: u8,
        window: u16,
        /// The window scale of its options.
        scale: Option<u8>,
        /// Length of the payload as sent.
        length: u32,
        /// Bytes of it that were captured.
        captured: u32,
    },
    /// A datagram of so many bytes.
    Udp(u32),
    /// A message with so many bytes after its header.
    Icmp(u32),
    /// A segment whose header is as long as none, with these flags. It begins a connection, and counts for nothing.
    Headless(u8),
    /// Anything else.
    Other,
}

/// The facts of a packet that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PacketView {
    pub(crate) time: Timestamp,
    /// Source.
    pub(crate) source: (IpAddr, u16),
    /// Destination.
    pub(crate) destination: (IpAddr, u16),
    /// The number of what carries it.
    pub(crate) protocol: u8,
    /// It has no answer: a connection of its own for each direction.
    pub(super) one_way: bool,
    /// Length of the IP packet as its header states it.
    pub(crate) ip_length: u32,
    pub(crate) payload: Payload,
    /// Its connection is the one of all packets of its flow, as long as that connection lives.
    pub(crate) belongs_to_flow: bool,
    /// The payload is an answer by its own words, from the very port that is asked.
    pub(super) answer: bool,
    /// Its VLANs, where connections of different ones are kept apart.
    pub(super) vlans: Vlans,
}

/// A datagram of a conversation that is under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextDatagram {
    pub(super) time: Timestamp,
    pub(super) source: (IpAddr, u16),
    pub(super) ip_length: u32,
    /// Length of the payload as its header states it.
    pub(super) length: u32,
}

/// Ends and what else is in a packet, before the rest of its view is known.
struct Parts {
    source: (IpAddr, u16),
    destination: (IpAddr, u16),
    payload: Payload,
    /// It has no answer: a connection of its own for each direction.
    one_way: bool,
}

impl PacketView {
    /// The view of a packet that belongs to a connection.
    #[inline]
    pub(crate) fn of(packet: &Packet<'_>) -> Option<Self> {
        let Some(ip) = packet.ip.as_ref() else { return truncated::view(packet) };
        if ip.is_fragment() {
            return None;
        }
        let (ip_length, above_ip) = lengths(ip, packet);
        let parts = match &packet.transport {
            Transport::Tcp(tcp) => {
                let length = above_ip.saturating_sub(tcp.header.len() as u32);
                let (seq, ack, flags, window) = (tcp.seq, tcp.ack, tcp.flags, tcp.window);
                let scale = tcp.options.window_scale;
                let captured = match packet.pppoe_session {
                    Some(_) => length.saturating_sub(odd_packet::beyond_pppoe(packet) as u32),
                    None => length,
                };
                Parts {
                    source: (ip.source(), tcp.source_port),
                    destination: (ip.destination(), tcp.destination_port),
                    payload: Payload::Tcp { seq, ack, flags, window, scale, length, captured },
                    one_way: false,
                }
            }
            Transport::Udp(udp) => Parts {
                source: (ip.source(), udp.source_port),
                destination: (ip.destination(), udp.destination_port),
                payload: Payload::Udp(u32::from(udp.length).saturating_sub(UDP_HEADER)),
                one_way: false,
            },
            other => other_parts(packet, other, above_ip)?,
        };
        let Parts { mut source, mut destination, payload, one_way } = parts;
        let mut belongs_to_flow = matches!(packet.transport, Transport::Tcp(_) | Transport::Udp(_));
        if let Some(ends) = mobile::ends(ip) {
            (source.0, destination.0) = ends;
            belongs_to_flow = false;
        }
        Some(Self {
            time: in_micros(packet.time),
            source,
            destination,
            protocol: ip.protocol(),
            one_way,
            ip_length,
            payload,
            belongs_to_flow,
            answer: source.1 == destination.1 && is_answer(packet, source.1),
            vlans: Vlans::default(),
        })
    }

    /// Returns the segment of a packet of TCP directly over IP, as nearly all are.
    #[inline]
    pub(crate) fn next_segment(packet: &Packet<'_>) -> Option<NextSegment> {
        let (Some(ip), Transport::Tcp(tcp)) = (packet.ip.as_ref(), &packet.transport) else { return None };
        if tcp.flags & (Tcp::SYN | Tcp::FIN | Tcp::RST | Tcp::ACK) != Tcp::ACK || tcp.window == 0 {
            return None;
        }
        if ip.is_fragment() || mobile::ends(ip).is_some() {
            return None;
        }
        let (ip_length, above_ip) = lengths(ip, packet);
        Some(NextSegment {
            time: in_micros(packet.time),
            source_port: tcp.source_port,
            ip_length,
            seq: tcp.seq,
            ack: tcp.ack,
            window: tcp.window,
            length: above_ip.saturating_sub(tcp.header.len() as u32),
        })
    }

    /// Returns the datagram of a packet of UDP directly over IP.
    #[inline]
    pub(crate) fn next_datagram(packet: &Packet<'_>) -> Option<NextDatagram> {
        let (Some(ip), Transport::Udp(udp)) = (packet.ip.as_ref(), &packet.transport) else { return None };
        if ip.is_fragment() || mobile::ends(ip).is_some() {
            return None;
        }
        Some(NextDatagram {
            time: in_micros(packet.time),
            source: (ip.source(), udp.source_port),
            ip_length: lengths(ip, packet).0,
            length: u32::from(udp.length).saturating_sub(UDP_HEADER),
        })
    }

    /// Returns it with the VLANs of its packet, where connections of different ones are kept apart.
    #[inline]
    pub(crate) fn kept_apart(mut self, packet: &Packet<'_>, by_vlan: bool) -> Self {
        if by_vlan {
            self.vlans = Vlans::of(packet.vlan);
        }
        self
    }

    /// Whether its flow's connection is its own.
    pub(crate) const fn is_of_flow(&self) -> bool {
        self.belongs_to_flow
    }

    /// Returns the key of its connection.
    #[inline]
    pub(crate) fn key(&self) -> Key {
        Key::new(self.source, self.destination, self.protocol, self.one_way).within(self.vlans)
    }

    /// The key by which flows are named.
    pub(crate) fn flow_key(&self) -> FlowKey {
        FlowKey {
            source: self.source.0,
            destination: self.destination.0,
            source_port: self.source.1,
            destination_port: self.destination.1,
            protocol: self.protocol,
            recursion: 0,
            vlan: Default::default(),
        }
    }

    /// The two ends, the lower address first.
    pub(crate) fn hosts(&self) -> [IpAddr; 2] {
        let (one, other) = (self.source.0, self.destination.0);
        [one.min(other), one.max(other)]
    }
}

/// Zeek knows no nanoseconds.
pub(super) const fn in_micros(time: Timestamp) -> Timestamp {
    Timestamp(time.0 - time.0 % 1000)
}

/// Ports of DNS and its kin.
const DNS_PORTS: [u16; 4] = [53, 137, 5353, 5355];
const NTP_PORT: u16 = 123;
/// The oldest version of NTP that is understood.
const NTP_VERSION: u8 = 3;

/// Whether a port is one of DNS or its kin.
pub(super) fn is_dns(port: u16) -> bool {
    DNS_PORTS.contains(&port)
}

/// The parts of a packet that is neither TCP nor UDP.
fn other_parts(packet: &Packet<'_>, transport: &Transport<'_>, above_ip: u32) -> Option<Parts> {
    if let Some((payload, ports)) = damaged::payload(packet) {
        let (source, destination) = ((packet.source()?, ports.0), (packet.destination()?, ports.1));
        return Some(Parts { source, destination, payload, one_way: false });
    }
    let key = FlowKey::of(packet)?;
    let (payload, ports, one_way) = match transport {
        Transport::Icmpv4(icmp) | Transport::Icmpv6(icmp) => {
            let payload = Payload::Icmp(above_ip.saturating_sub(ICMP_HEADER));
            let answered = match transport {
                Transport::Icmpv4(_) => matches!(icmp.kind, 0 | 8 | 9 | 10 | 13..=18),
                _ => matches!(icmp.kind, 128 | 129 | 130 | 131 | 133 | 134 | 135 | 136 | 144 | 145),
            };
            (payload, (key.source_port, key.destination_port), !answered)
        }
        // Their headers were too damaged to be read, or they are no connections.
        _ if matches!(
            key.protocol,
            ip_protocol::TCP
                | ip_protocol::UDP
                | ip_protocol::ICMPV4
                | ip_protocol::ICMPV6
                | ip_protocol::IGMP
                | ip_protocol::IPV4
                | ip_protocol::IPV6
                | ip_protocol::GRE
                | ip_protocol::ESP
                | ip_protocol::AH
                | ip_protocol::NONE
                | ip_protocol::MOBILITY
        ) =>
        {
            return None;
        }
        // An extension header that was cut off.
        _ if packet.ip.as_ref().is_some_and(|ip| mobile::is_extension(ip, key.protocol)) => return None,
        _ => (Payload::Other, (0, 0), false),
    };
    Some(Parts { source: (key.source, ports.0), destination: (key.destination, ports.1), payload, one_way })
}

/// Whether a datagram between two `port`s of the same service says that it is an answer.
fn is_answer(packet: &Packet<'_>, port: u16) -> bool {
    if !matches!(packet.transport, Transport::Udp(_)) {
        return false;
    }
    match packet.payload {
        [_, _, flags, ..] if is_dns(port) => {
            // What goes to a group is nobody's answer.
            flags & 0x80 != 0 && !packet.destination().is_some_and(|address| address.is_multicast())
        }
        // Mode 4: a server.
        [first, ..] if port == NTP_PORT => first & 7 == 4 && (first >> 3) & 7 >= NTP_VERSION,
        _ => false,
    }
}

/// Length of the IP packet, and of what is above IP and its extension headers.
fn lengths(ip: &Ip<'_>, packet: &Packet<'_>) -> (u32, u32) {
    match ip {
        Ip::V4(v4) => {
            let above = match v4.total_length {
                // Left to the network card to fill in: what was captured is all there is.
                0 => v4.payload.len() as u32,
                stated => u32::from(stated).saturating_sub(v4.header.len() as u32),
            };
            (v4.total_length.into(), above)
        }
        Ip::V6(v6) => {
            let total = match v6.payload_length {
                0 => packet.bytes.len() as u32,
                stated => u32::from(stated) + IPV6_HEADER,
            };
            let above = total.saturating_sub(IPV6_HEADER + v6.extensions.len() as u32);
            // A fragment that is all of its datagram is put together without its header (RFC 6946 4).
            let fragment = if v6.fragment.is_some() && !ip.is_fragment() { FRAGMENT_HEADER } else { 0 };
            (total.saturating_sub(fragment), above)
        }
    }
}
