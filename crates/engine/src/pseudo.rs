//! Packets that no capture held: made so that what a flow gathered is inspected and logged when it
//! ends.

use std::net::IpAddr;

use weir_base::Direction;
use weir_flow::FlowCore;
use weir_packet::header::{Ipv4Options, TcpOptions};
use weir_packet::{Ip, Ipv4, Ipv6, Origin, Packet, RawPacket, Tcp, Transport, Udp};

use crate::worker::Moment;

/// A packet of `flow` in `direction` without payload, which is made at `moment` and has its time.
pub fn packet(flow: &FlowCore, direction: Direction, moment: &Moment, origin: Origin) -> Packet<'static> {
    let key = match direction {
        Direction::ToServer => flow.key,
        Direction::ToClient => flow.key.reversed(),
    };
    let raw = RawPacket {
        number: 0,
        time: moment.time,
        link: moment.link,
        wire_length: 0,
        interface: flow.interface,
        bytes: &[],
    };
    let mut packet = Packet::empty(&raw);
    packet.origin = origin;
    packet.recursion = key.recursion;
    packet.vlan = key.vlan;
    packet.ip = ip(key.source, key.destination, key.protocol);
    packet.transport = match key.protocol {
        6 => Transport::Tcp(Tcp {
            source_port: key.source_port,
            destination_port: key.destination_port,
            flags: Tcp::ACK,
            options: TcpOptions::default(),
            ..Tcp::default()
        }),
        17 => Transport::Udp(Udp {
            source_port: key.source_port,
            destination_port: key.destination_port,
            ..Udp::default()
        }),
        _ => Transport::None,
    };
    packet
}

fn ip(source: IpAddr, destination: IpAddr, protocol: u8) -> Option<Ip<'static>> {
    match (source, destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => Some(Ip::V4(Ipv4 {
            header: &[],
            payload: &[],
            source,
            destination,
            protocol,
            ttl: 64,
            tos: 0,
            id: 0,
            total_length: 40,
            reserved_flag: false,
            dont_fragment: false,
            more_fragments: false,
            fragment_offset: 0,
            options: Ipv4Options::default(),
        })),
        (IpAddr::V6(source), IpAddr::V6(destination)) => Some(Ip::V6(Ipv6 {
            header: &[],
            extensions: &[],
            payload: &[],
            source,
            destination,
            next_header: protocol,
            protocol,
            hop_limit: 64,
            traffic_class: 0,
            flow_label: 0,
            payload_length: 20,
            fragment: None,
        })),
        _ => None,
    }
}
