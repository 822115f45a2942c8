//! A frame, described from the outside in and written with right lengths, types and checksums.

use std::net::IpAddr;

use crate::layer::{IpFields, Layer, TcpFields};

/// TCP flags.
pub mod tcp_flags {
    /// No more data.
    pub const FIN: u8 = 0x01;
    /// Synchronise.
    pub const SYN: u8 = 0x02;
    /// Reset.
    pub const RST: u8 = 0x04;
    /// Push.
    pub const PSH: u8 = 0x08;
    /// Acknowledgement.
    pub const ACK: u8 = 0x10;
    /// Urgent.
    pub const URG: u8 = 0x20;
}

/// The address of the sending machine unless another is asked for.
pub const SOURCE_MAC: [u8; 6] = [0x02, 0, 0, 0, 0, 0x01];
/// The address of the receiving machine unless another is asked for.
pub const DESTINATION_MAC: [u8; 6] = [0x02, 0, 0, 0, 0, 0x02];

const IP_MORE_FRAGMENTS: u16 = 0x2000;

/// A frame to be built. Each layer's method adds a layer inside the last; a field's method sets the
/// innermost layer that has the field.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    layers: Vec<Layer>,
}

impl Frame {
    /// A frame without a link layer.
    pub fn bare() -> Self {
        Self::default()
    }

    /// An Ethernet frame.
    pub fn ethernet() -> Self {
        Self::bare().inner_ethernet()
    }

    fn with(mut self, layer: Layer) -> Self {
        self.layers.push(layer);
        self
    }

    /// An Ethernet header inside what is there (for tunnels).
    pub fn inner_ethernet(self) -> Self {
        self.with(Layer::Ethernet { destination: DESTINATION_MAC, source: SOURCE_MAC, ether_type: None })
    }

    /// Sets the addresses of the innermost Ethernet header.
    pub fn macs(self, source: [u8; 6], destination: [u8; 6]) -> Self {
        self.set(|layer| match layer {
            Layer::Ethernet { destination: d, source: s, .. } => {
                (*s, *d) = (source, destination);
                true
            }
            _ => false,
        })
    }

    /// Sets the type of the innermost Ethernet header, whatever follows.
    pub fn ether_type(self, value: u16) -> Self {
        self.set(|layer| match layer {
            Layer::Ethernet { ether_type, .. } => {
                *ether_type = Some(value);
                true
            }
            _ => false,
        })
    }

    /// An 802.1Q tag.
    pub fn vlan(self, id: u16) -> Self {
        self.tag(0x8100, id)
    }

    /// A VLAN tag announced by the EtherType `tpid`.
    pub fn tag(self, tpid: u16, id: u16) -> Self {
        self.with(Layer::Vlan { tpid, id })
    }

    /// MPLS labels, outermost first.
    pub fn mpls(self, labels: &[u32]) -> Self {
        self.with(Layer::Mpls { labels: labels.to_vec() })
    }

    /// A PPPoE session header with PPP.
    pub fn pppoe(self, session: u16) -> Self {
        self.with(Layer::PppoeSession { session })
    }

    /// An IP header of the version that the addresses are of.
    pub fn ip(self, source: IpAddr, destination: IpAddr) -> Self {
        self.with(Layer::Ip { source, destination, fields: IpFields::default() })
    }

    /// An IPv4 header.
    pub fn ipv4(self, source: &str, destination: &str) -> Self {
        self.ip(address(source), address(destination))
    }

    /// An IPv6 header.
    pub fn ipv6(self, source: &str, destination: &str) -> Self {
        self.ip(address(source), address(destination))
    }

    /// An IPv6 extension header: its number, and its bytes after the next-header byte.
    pub fn extension(self, kind: u8, body: &[u8]) -> Self {
        self.with(Layer::Ipv6Extension { kind, body: body.to_vec() })
    }

    /// A TCP header with flag ACK.
    pub fn tcp(self, source: u16, destination: u16) -> Self {
        let fields =
            TcpFields { source, destination, flags: tcp_flags::ACK, window: 65_535, ..TcpFields::default() };
        self.with(Layer::Tcp(fields))
    }

    /// A UDP header.
    pub fn udp(self, source: u16, destination: u16) -> Self {
        self.with(Layer::Udp { source, destination, checksum: None })
    }

    /// An ICMP header; `rest` is what stands between checksum and data.
    pub fn icmpv4(self, kind: u8, code: u8, rest: [u8; 4]) -> Self {
        self.with(Layer::Icmp { version: 4, kind, code, rest })
    }

    /// An ICMPv6 header; `rest` is what stands between checksum and data.
    pub fn icmpv6(self, kind: u8, code: u8, rest: [u8; 4]) -> Self {
        self.with(Layer::Icmp { version: 6, kind, code, rest })
    }

    /// An SCTP common header.
    pub fn sctp(self, source: u16, destination: u16, tag: u32) -> Self {
        self.with(Layer::Sctp { source, destination, tag })
    }

    /// A GRE header of version 0.
    pub fn gre(self) -> Self {
        self.with(Layer::Gre { key: None, sequence: None })
    }

    /// A GRE header of version 0 with a key and a sequence number.
    pub fn gre_with_key(self, key: u32, sequence: u32) -> Self {
        self.with(Layer::Gre { key: Some(key), sequence: Some(sequence) })
    }

    /// UDP to port 4789 and a VXLAN header with an inner Ethernet header.
    pub fn vxlan(self, vni: u32) -> Self {
        self.udp(50_000, 4789).with(Layer::Vxlan { vni }).inner_ethernet()
    }

    /// UDP to port 6081 and a GENEVE header with an inner Ethernet header.
    pub fn geneve(self, vni: u32) -> Self {
        self.udp(50_000, 6081).with(Layer::Geneve { vni }).inner_ethernet()
    }

    /// Bytes as they are.
    pub fn payload(self, bytes: impl AsRef<[u8]>) -> Self {
        self.with(Layer::Payload(bytes.as_ref().to_vec()))
    }

    /// Sets the innermost layer for which `change` says that it has the field.
    fn set(mut self, mut change: impl FnMut(&mut Layer) -> bool) -> Self {
        assert!(self.layers.iter_mut().rev().any(&mut change), "no layer has the field");
        self
    }

    fn set_ip(self, change: impl Fn(&mut IpFields)) -> Self {
        self.set(|layer| match layer {
            Layer::Ip { fields, .. } => {
                change(fields);
                true
            }
            _ => false,
        })
    }

    fn set_tcp(self, change: impl Fn(&mut TcpFields)) -> Self {
        self.set(|layer| match layer {
            Layer::Tcp(fields) => {
                change(fields);
                true
            }
            _ => false,
        })
    }

    /// Time to live or hop limit.
    pub fn ttl(self, ttl: u8) -> Self {
        self.set_ip(|ip| ip.ttl = Some(ttl))
    }

    /// Identification of IPv4.
    pub fn ip_id(self, id: u16) -> Self {
        self.set_ip(|ip| ip.id = id)
    }

    /// Type of service or traffic class.
    pub fn tos(self, tos: u8) -> Self {
        self.set_ip(|ip| ip.tos = tos)
    }

    /// Protocol number, whatever follows.
    pub fn protocol(self, protocol: u8) -> Self {
        self.set_ip(|ip| ip.protocol = Some(protocol))
    }

    /// Flags and fragment offset of IPv4 as they stand in the header.
    pub fn flags_and_offset(self, value: u16) -> Self {
        self.set_ip(|ip| ip.flags_and_offset = value)
    }

    /// Makes an IPv4 fragment; the offset is in bytes and divides by eight.
    pub fn fragment(self, offset: u16, more: bool) -> Self {
        self.flags_and_offset((offset / 8) | if more { IP_MORE_FRAGMENTS } else { 0 })
    }

    /// IPv4 options; a multiple of four bytes.
    pub fn ip_options(self, options: &[u8]) -> Self {
        self.set_ip(|ip| ip.options = options.to_vec())
    }

    /// The header checksum of IPv4, right or wrong.
    pub fn ip_checksum(self, checksum: u16) -> Self {
        self.set_ip(|ip| ip.checksum = Some(checksum))
    }

    /// Sequence number.
    pub fn seq(self, seq: u32) -> Self {
        self.set_tcp(|tcp| tcp.seq = seq)
    }

    /// Acknowledgement number.
    pub fn ack(self, ack: u32) -> Self {
        self.set_tcp(|tcp| tcp.ack = ack)
    }

    /// TCP flags.
    pub fn flags(self, flags: u8) -> Self {
        self.set_tcp(|tcp| tcp.flags = flags)
    }

    /// TCP window.
    pub fn window(self, window: u16) -> Self {
        self.set_tcp(|tcp| tcp.window = window)
    }

    /// Urgent pointer.
    pub fn urgent(self, urgent: u16) -> Self {
        self.set_tcp(|tcp| tcp.urgent = urgent)
    }

    /// TCP options; padded with no-operations.
    pub fn tcp_options(self, options: &[u8]) -> Self {
        self.set_tcp(|tcp| tcp.options = options.to_vec())
    }

    /// The checksum of TCP or UDP, right or wrong.
    pub fn transport_checksum(self, value: u16) -> Self {
        self.set(|layer| match layer {
            Layer::Tcp(TcpFields { checksum, .. }) | Layer::Udp { checksum, .. } => {
                *checksum = Some(value);
                true
            }
            _ => false,
        })
    }

    /// The bytes.
    pub fn build(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for index in (0..self.layers.len()).rev() {
            let addresses = self.layers[..index].iter().rev().find_map(|layer| match layer {
                Layer::Ip { source, destination, .. } => Some((*source, *destination)),
                _ => None,
            });
            bytes = self.layers[index].wrap(&bytes, self.layers.get(index + 1), addresses);
        }
        bytes
    }
}

/// An address from its text.
pub(crate) fn address(text: &str) -> IpAddr {
    text.parse().unwrap_or_else(|_| panic!("not an address: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checksum;

    #[test]
    fn an_ipv4_header_sums_to_zero() {
        let bytes = Frame::bare().ipv4("10.0.0.1", "10.0.0.2").ttl(9).udp(1, 2).payload(b"odd").build();
        assert_eq!(bytes.len(), 31);
        assert_eq!(bytes[8], 9);
        assert_eq!(checksum::internet(&[&bytes[..20]]), 0);
        assert_eq!(checksum::transport(address("10.0.0.1"), address("10.0.0.2"), 17, &bytes[20..]), 0);
    }

    #[test]
    fn types_follow_from_what_is_inside() {
        let bytes = Frame::ethernet().vlan(5).ipv6("::1", "::2").icmpv6(128, 0, [0; 4]).build();
        assert_eq!(bytes[12..18], [0x81, 0, 0, 5, 0x86, 0xdd]);
        assert_eq!(bytes[18 + 6], 58);
    }
}
