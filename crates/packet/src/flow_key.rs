//! Key of a flow's packets.

use std::net::IpAddr;

use crate::header::{Icmp, Transport, VlanTags};
use crate::packet::Packet;

/// Protocol, addresses, ports, VLANs and tunnel depth, as the packet has them: source first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct FlowKey {
    /// Source address.
    pub source: IpAddr,
    /// Destination address.
    pub destination: IpAddr,
    /// Source port; for ICMP the type.
    pub source_port: u16,
    /// Destination port; for ICMP the type of the answer or the code.
    pub destination_port: u16,
    /// IP protocol number.
    pub protocol: u8,
    /// Tunnel depth.
    pub recursion: u8,
    /// 802.1Q tags.
    pub vlan: VlanTags,
}

impl FlowKey {
    /// The key of a packet; none where it has no IP header or is a fragment.
    #[inline]
    pub fn of(packet: &Packet<'_>) -> Option<Self> {
        let ip = packet.ip.as_ref()?;
        if ip.is_fragment() {
            return None;
        }
        let (source_port, destination_port) = match &packet.transport {
            Transport::Icmpv4(icmp) => icmp_ports(icmp, ICMPV4_PAIRS),
            Transport::Icmpv6(icmp) => icmp_ports(icmp, ICMPV6_PAIRS),
            Transport::Esp { spi } => ((spi >> 16) as u16, *spi as u16),
            other => other.ports().unwrap_or((0, 0)),
        };
        Some(Self {
            source: ip.source(),
            destination: ip.destination(),
            source_port,
            destination_port,
            protocol: ip.protocol(),
            recursion: packet.recursion,
            vlan: packet.vlan,
        })
    }

    /// The key of a packet that travels the other way.
    #[must_use]
    pub const fn reversed(&self) -> Self {
        Self {
            source: self.destination,
            destination: self.source,
            source_port: self.destination_port,
            destination_port: self.source_port,
            ..*self
        }
    }
}

/// Request and reply types of ICMP (RFC 792, RFC 950).
const ICMPV4_PAIRS: &[(u8, u8)] = &[(8, 0), (13, 14), (15, 16), (17, 18), (10, 9)];

/// Request and reply types of ICMPv6 (RFC 4443, RFC 4861, RFC 2710).
const ICMPV6_PAIRS: &[(u8, u8)] = &[(128, 129), (133, 134), (135, 136), (130, 131), (139, 140), (144, 145)];

/// The pseudo ports of an ICMP message: its type, and the type that answers it.
fn icmp_ports(icmp: &Icmp<'_>, pairs: &[(u8, u8)]) -> (u16, u16) {
    let answer = pairs.iter().find_map(|&(request, reply)| {
        if icmp.kind == request {
            Some(reply)
        } else if icmp.kind == reply {
            Some(request)
        } else {
            None
        }
    });
    (u16::from(icmp.kind), u16::from(answer.unwrap_or(icmp.code)))
}
