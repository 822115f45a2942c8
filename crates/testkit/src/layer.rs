//! The layers a frame is made of, and how each writes itself around what it carries.

use std::net::IpAddr;

use crate::checksum;

/// One header, or a piece of payload.
#[derive(Clone, Debug)]
pub(crate) enum Layer {
    Ethernet { destination: [u8; 6], source: [u8; 6], ether_type: Option<u16> },
    Vlan { tpid: u16, id: u16 },
    Mpls { labels: Vec<u32> },
    PppoeSession { session: u16 },
    Ip { source: IpAddr, destination: IpAddr, fields: IpFields },
    Ipv6Extension { kind: u8, body: Vec<u8> },
    Tcp(TcpFields),
    Udp { source: u16, destination: u16, checksum: Option<u16> },
    Icmp { version: u8, kind: u8, code: u8, rest: [u8; 4] },
    Sctp { source: u16, destination: u16, tag: u32 },
    Gre { key: Option<u32>, sequence: Option<u32> },
    Vxlan { vni: u32 },
    Geneve { vni: u32 },
    Payload(Vec<u8>),
}

/// Fields of an IP header that can be set.
#[derive(Clone, Debug, Default)]
pub(crate) struct IpFields {
    pub(crate) ttl: Option<u8>,
    pub(crate) id: u16,
    pub(crate) tos: u8,
    pub(crate) flags_and_offset: u16,
    pub(crate) options: Vec<u8>,
    pub(crate) protocol: Option<u8>,
    pub(crate) checksum: Option<u16>,
}

/// Fields of a TCP header that can be set.
#[derive(Clone, Debug, Default)]
pub(crate) struct TcpFields {
    pub(crate) source: u16,
    pub(crate) destination: u16,
    pub(crate) seq: u32,
    pub(crate) ack: u32,
    pub(crate) flags: u8,
    pub(crate) window: u16,
    pub(crate) urgent: u16,
    pub(crate) options: Vec<u8>,
    pub(crate) checksum: Option<u16>,
}

/// The addresses that a transport checksum covers.
type Addresses = Option<(IpAddr, IpAddr)>;

impl Layer {
    /// This layer around `inner`; `next` is the layer that `inner` starts with and `addresses` are
    /// those of the IP header around this.
    pub(crate) fn wrap(&self, inner: &[u8], next: Option<&Layer>, addresses: Addresses) -> Vec<u8> {
        let mut out = Vec::with_capacity(inner.len() + 64);
        match self {
            Layer::Ethernet { destination, source, ether_type } => {
                out.extend(destination);
                out.extend(source);
                out.extend(ether_type.unwrap_or_else(|| ether_type_of(next)).to_be_bytes());
            }
            Layer::Vlan { id, .. } => {
                out.extend(id.to_be_bytes());
                out.extend(ether_type_of(next).to_be_bytes());
            }
            Layer::Mpls { labels } => {
                for (index, label) in labels.iter().enumerate() {
                    let bottom = u32::from(index + 1 == labels.len()) << 8;
                    out.extend((label << 12 | bottom | 64).to_be_bytes());
                }
            }
            Layer::PppoeSession { session } => {
                let protocol: u16 = if matches!(next, Some(Layer::Ip { source, .. }) if source.is_ipv6()) {
                    0x0057
                } else {
                    0x0021
                };
                out.extend([0x11, 0]);
                out.extend(session.to_be_bytes());
                out.extend((inner.len() as u16 + 2).to_be_bytes());
                out.extend(protocol.to_be_bytes());
            }
            Layer::Ip { source, destination, fields } => {
                let protocol = fields.protocol.unwrap_or_else(|| ip_protocol_of(next));
                out = fields.header(*source, *destination, protocol, inner.len());
            }
            Layer::Ipv6Extension { body, .. } => {
                out.push(ip_protocol_of(next));
                out.extend(body);
            }
            Layer::Tcp(fields) => return fields.segment(inner, addresses),
            Layer::Udp { source, destination, checksum } => {
                return udp(*source, *destination, *checksum, inner, addresses);
            }
            Layer::Icmp { version, kind, code, rest } => {
                out.extend([*kind, *code, 0, 0]);
                out.extend(rest);
                out.extend(inner);
                let sum = match (version, addresses) {
                    (6, Some((source, destination))) => checksum::transport(source, destination, 58, &out),
                    _ => checksum::internet(&[&out]),
                };
                out[2..4].copy_from_slice(&sum.to_be_bytes());
                return out;
            }
            Layer::Sctp { source, destination, tag } => {
                out.extend(source.to_be_bytes());
                out.extend(destination.to_be_bytes());
                out.extend(tag.to_be_bytes());
                out.extend([0; 4]);
                out.extend(inner);
                let sum = checksum::crc32c(&out);
                out[8..12].copy_from_slice(&sum.to_le_bytes());
                return out;
            }
            Layer::Gre { key, sequence } => {
                out.push(u8::from(key.is_some()) << 5 | u8::from(sequence.is_some()) << 4);
                out.push(0);
                out.extend(ether_type_of(next).to_be_bytes());
                out.extend(key.iter().chain(sequence).flat_map(|field| field.to_be_bytes()));
            }
            Layer::Vxlan { vni } => {
                out.extend([8, 0, 0, 0]);
                out.extend((vni << 8).to_be_bytes());
            }
            Layer::Geneve { vni } => {
                out.extend([0, 0]);
                out.extend(ether_type_of(next).to_be_bytes());
                out.extend((vni << 8).to_be_bytes());
            }
            Layer::Payload(bytes) => out.extend(bytes),
        }
        out.extend(inner);
        out
    }
}

impl IpFields {
    fn header(&self, source: IpAddr, destination: IpAddr, protocol: u8, inner: usize) -> Vec<u8> {
        let ttl = self.ttl.unwrap_or(64);
        let mut out = Vec::new();
        match (source, destination) {
            (IpAddr::V4(source), IpAddr::V4(destination)) => {
                assert!(self.options.len().is_multiple_of(4), "IPv4 options fill four bytes");
                let length = 20 + self.options.len();
                out.extend([0x40 | (length / 4) as u8, self.tos]);
                out.extend(((length + inner) as u16).to_be_bytes());
                out.extend(self.id.to_be_bytes());
                out.extend(self.flags_and_offset.to_be_bytes());
                out.extend([ttl, protocol, 0, 0]);
                out.extend(source.octets());
                out.extend(destination.octets());
                out.extend(&self.options);
                let sum = self.checksum.unwrap_or_else(|| checksum::internet(&[&out]));
                out[10..12].copy_from_slice(&sum.to_be_bytes());
            }
            (IpAddr::V6(source), IpAddr::V6(destination)) => {
                out.extend((0x6000_0000 | u32::from(self.tos) << 20).to_be_bytes());
                out.extend((inner as u16).to_be_bytes());
                out.extend([protocol, ttl]);
                out.extend(source.octets());
                out.extend(destination.octets());
            }
            _ => panic!("addresses of different versions: {source}, {destination}"),
        }
        out
    }
}

impl TcpFields {
    fn segment(&self, payload: &[u8], addresses: Addresses) -> Vec<u8> {
        let mut options = self.options.clone();
        options.resize(options.len().next_multiple_of(4), 1);
        let mut out = Vec::with_capacity(20 + options.len() + payload.len());
        out.extend(self.source.to_be_bytes());
        out.extend(self.destination.to_be_bytes());
        out.extend(self.seq.to_be_bytes());
        out.extend(self.ack.to_be_bytes());
        out.extend([(((20 + options.len()) / 4) << 4) as u8, self.flags]);
        out.extend(self.window.to_be_bytes());
        out.extend([0, 0]);
        out.extend(self.urgent.to_be_bytes());
        out.extend(options);
        out.extend(payload);
        let sum = self.checksum.unwrap_or_else(|| transport_checksum(6, &out, addresses));
        out[16..18].copy_from_slice(&sum.to_be_bytes());
        out
    }
}

fn udp(source: u16, destination: u16, checksum: Option<u16>, inner: &[u8], addresses: Addresses) -> Vec<u8> {
    let mut out = Vec::with_capacity(8 + inner.len());
    out.extend(source.to_be_bytes());
    out.extend(destination.to_be_bytes());
    out.extend((8 + inner.len() as u16).to_be_bytes());
    out.extend([0, 0]);
    out.extend(inner);
    let sum = checksum.unwrap_or_else(|| match transport_checksum(17, &out, addresses) {
        0 => 0xffff,
        sum => sum,
    });
    out[6..8].copy_from_slice(&sum.to_be_bytes());
    out
}

fn transport_checksum(protocol: u8, segment: &[u8], addresses: Addresses) -> u16 {
    addresses.map_or(0, |(source, destination)| checksum::transport(source, destination, protocol, segment))
}

/// The EtherType that announces a layer; transparent Ethernet for Ethernet itself.
fn ether_type_of(layer: Option<&Layer>) -> u16 {
    match layer {
        Some(Layer::Ip { source, .. }) if source.is_ipv4() => 0x0800,
        Some(Layer::Ip { .. }) => 0x86dd,
        Some(Layer::Vlan { tpid, .. }) => *tpid,
        Some(Layer::Mpls { .. }) => 0x8847,
        Some(Layer::PppoeSession { .. }) => 0x8864,
        Some(Layer::Ethernet { .. }) => 0x6558,
        _ => 0xffff,
    }
}

/// The IP protocol number that announces a layer.
fn ip_protocol_of(layer: Option<&Layer>) -> u8 {
    match layer {
        Some(Layer::Tcp(_)) => 6,
        Some(Layer::Udp { .. }) => 17,
        Some(Layer::Icmp { version: 6, .. }) => 58,
        Some(Layer::Icmp { .. }) => 1,
        Some(Layer::Sctp { .. }) => 132,
        Some(Layer::Gre { .. }) => 47,
        Some(Layer::Ip { source, .. }) if source.is_ipv4() => 4,
        Some(Layer::Ip { .. }) => 41,
        Some(Layer::Ipv6Extension { kind, .. }) => *kind,
        Some(Layer::Mpls { .. }) => 137,
        _ => 59,
    }
}
