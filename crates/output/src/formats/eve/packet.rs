//! The packet itself, in Base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use weir_base::JsonWriter;
use weir_packet::{Ip, LinkType, Origin, Packet, Transport, checksum, ip_protocol};

/// Link types by the numbers and names that capture libraries give them on Linux.
const LINK_TYPES: &[(LinkType, u16, &str)] = &[
    (LinkType::NULL, 0, "NULL"),
    (LinkType::ETHERNET, 1, "EN10MB"),
    (LinkType::PPP, 9, "PPP"),
    (LinkType::RAW_BSD, 12, "RAW"),
    (LinkType::RAW_OPENBSD, 14, "RAW"),
    (LinkType::RAW, 12, "RAW"),
    (LinkType::PPP_HDLC, 50, "PPP_SERIAL"),
    (LinkType::CISCO_HDLC, 104, "C_HDLC"),
    (LinkType::IEEE802_11, 105, "IEEE802_11"),
    (LinkType::LOOP, 108, "LOOP"),
    (LinkType::LINUX_SLL, 113, "LINUX_SLL"),
    (LinkType::IEEE802_11_RADIOTAP, 127, "IEEE802_11_RADIO"),
    (LinkType::IPV4, 228, "IPv4"),
    (LinkType::IPV6, 229, "IPv6"),
    (LinkType::NFLOG, 239, "NFLOG"),
    (LinkType::LINUX_SLL2, 276, "LINUX_SLL2"),
];

/// `"key": "<base64>"`
pub(super) fn base64(json: &mut JsonWriter<'_>, key: &str, bytes: &[u8]) {
    json.text(key, |out| {
        let start = out.len();
        let room = bytes.len().div_ceil(3) * 4;
        out.resize(start + room, 0);
        let written = out.get_mut(start..).map_or(0, |slot| STANDARD.encode_slice(bytes, slot).unwrap_or(0));
        out.truncate(start + written);
    });
}

/// The bytes that Suricata gives a packet of TCP that is made at the end of its flow: headers alone, without flags.
fn made(packet: &Packet<'_>) -> Vec<u8> {
    const HOPS: u8 = 64;
    const WINDOW: [u8; 2] = [10, 0];
    let (Some(ip), Transport::Tcp(tcp)) = (&packet.ip, &packet.transport) else { return Vec::new() };
    let mut segment = Vec::new();
    for port in [tcp.source_port, tcp.destination_port] {
        segment.extend(port.to_be_bytes());
    }
    segment.extend(tcp.seq.to_be_bytes());
    segment.extend([0, 0, 0, 0, 5 << 4, 0]);
    segment.extend(WINDOW);
    let [high, low] = checksum::tcp(ip, &[&segment[..], &[0; 4]].concat()).to_be_bytes();
    segment.extend([high, low, 0, 0]);
    let mut bytes = match ip {
        Ip::V4(ip) => {
            let before = [0x45, 0, 0, 40, 0, 0, 0, 0, HOPS, ip_protocol::TCP];
            let ends = [ip.source.octets(), ip.destination.octets()].concat();
            let checksum = checksum::internet(&[&before[..], &ends].concat()).to_be_bytes();
            [&before[..], &checksum, &ends].concat()
        }
        Ip::V6(ip) => {
            let before = [0x60, 0, 0, 0, 0, 20, ip_protocol::TCP, HOPS];
            [&before[..], &ip.source.octets(), &ip.destination.octets()].concat()
        }
    };
    bytes.extend(segment);
    bytes
}

/// `packet` and `packet_info`; at most `limit` bytes.
pub(super) fn write(packet: &Packet<'_>, limit: usize, json: &mut JsonWriter<'_>) {
    let made = if packet.origin == Origin::FlowTimeout { made(packet) } else { Vec::new() };
    let bytes = if made.is_empty() { packet.bytes } else { &made };
    base64(json, "packet", bytes.get(..limit).unwrap_or(bytes));
    json.object("packet_info");
    match LINK_TYPES.iter().find(|(link, _, _)| *link == packet.link) {
        Some((_, number, name)) => {
            json.unsigned("linktype", *number);
            json.string("linktype_name", *name);
        }
        None => json.unsigned("linktype", packet.link.0),
    }
    json.close_object();
}

#[cfg(test)]
mod tests {
    use weir_base::Timestamp;
    use weir_packet::{Ipv4, RawPacket, Tcp};

    use super::*;

    #[test]
    fn a_packet_that_is_made_has_headers() {
        let raw = RawPacket {
            number: 0,
            time: Timestamp::default(),
            link: LinkType::ETHERNET,
            wire_length: 0,
            interface: 0,
            bytes: &[],
        };
        let ip = Ipv4 {
            header: &[],
            payload: &[],
            source: [147, 32, 80, 40].into(),
            destination: [147, 32, 80, 37].into(),
            protocol: ip_protocol::TCP,
            ttl: 64,
            tos: 0,
            id: 0,
            total_length: 40,
            reserved_flag: false,
            dont_fragment: false,
            more_fragments: false,
            fragment_offset: 0,
            options: Default::default(),
        };
        let tcp = Tcp { source_port: 38344, destination_port: 902, seq: 0x3b00_6c41, ..Tcp::default() };
        let mut packet =
            Packet { ip: Some(Ip::V4(ip)), transport: Transport::Tcp(tcp), ..Packet::empty(&raw) };
        packet.origin = Origin::FlowTimeout;
        let expected = "45000028000000004006b442932050289320502595c803863b006c410000000050000a009ec60000";
        let hex = |bytes: Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(hex(made(&packet)), expected);
        packet.transport = Transport::None;
        assert_eq!(hex(made(&packet)), "");
    }
}
