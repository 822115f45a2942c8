//! Packets for the tests of this crate, built from their fields.

use std::net::{IpAddr, Ipv4Addr};

use weir_base::Timestamp;
use weir_packet::{FlowKey, Icmp, Ip, Ipv4, LinkType, Packet, RawPacket, Tcp, Transport, Udp, ip_protocol};

/// Packet of a test.
pub(crate) struct Made {
    source: Ipv4Addr,
    destination: Ipv4Addr,
    protocol: u8,
    transport: Transport<'static>,
}

fn v4(text: &str) -> Ipv4Addr {
    match text.parse::<IpAddr>().unwrap() {
        IpAddr::V4(address) => address,
        IpAddr::V6(_) => panic!("IPv4 only"),
    }
}

pub(crate) fn tcp(source: &str, source_port: u16, destination: &str, destination_port: u16) -> Made {
    let tcp = Tcp { source_port, destination_port, flags: Tcp::SYN, ..Tcp::default() };
    Made { source: v4(source), destination: v4(destination), protocol: 6, transport: Transport::Tcp(tcp) }
}

pub(crate) fn udp(source: &str, source_port: u16, destination: &str, destination_port: u16) -> Made {
    let udp = Udp { source_port, destination_port, ..Udp::default() };
    Made { source: v4(source), destination: v4(destination), protocol: 17, transport: Transport::Udp(udp) }
}

pub(crate) fn icmp(source: &str, destination: &str, icmp: Icmp<'static>) -> Made {
    Made { source: v4(source), destination: v4(destination), protocol: 1, transport: Transport::Icmpv4(icmp) }
}

/// IPv4 in IPv4.
pub(crate) fn tunnel(source: &str, destination: &str) -> Made {
    let (source, destination) = (v4(source), v4(destination));
    Made { source, destination, protocol: ip_protocol::IPV4, transport: Transport::None }
}

impl Made {
    /// The packet with this number at this second.
    pub(crate) fn packet(&self, number: u64, second: u64) -> Packet<'static> {
        static BYTES: [u8; 60] = [0; 60];
        let raw = RawPacket {
            number,
            time: Timestamp::new(second, 0),
            link: LinkType::RAW,
            wire_length: 60,
            interface: 0,
            bytes: &BYTES,
        };
        let ip = Ipv4 {
            header: &[],
            payload: &[],
            source: self.source,
            destination: self.destination,
            protocol: self.protocol,
            ttl: 64,
            tos: 0,
            id: 0,
            total_length: 60,
            reserved_flag: false,
            dont_fragment: false,
            more_fragments: false,
            fragment_offset: 0,
            options: Default::default(),
        };
        Packet { ip: Some(Ip::V4(ip)), transport: self.transport, ..Packet::empty(&raw) }
    }
}

pub(crate) fn key(packet: &Packet<'_>) -> FlowKey {
    FlowKey::of(packet).unwrap()
}
