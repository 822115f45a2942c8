//! Community ID, version 1: a name for a flow that tools agree on.

use std::net::IpAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest, Sha1};
use weir_packet::{FlowKey, ip_protocol};

/// Types of ICMP that ask and answer: for these the pair of types stands for the ports.
const ICMP_PAIRS: [(u16, u16); 10] =
    [(8, 0), (0, 8), (13, 14), (14, 13), (15, 16), (16, 15), (17, 18), (18, 17), (10, 9), (9, 10)];

/// Pairs of ICMPv6 types.
const ICMPV6_PAIRS: [(u16, u16); 10] = [
    (128, 129),
    (129, 128),
    (133, 134),
    (134, 133),
    (135, 136),
    (136, 135),
    (130, 131),
    (131, 130),
    (144, 145),
    (145, 144),
];

/// Appends the id of a flow (`1:…`).
pub fn append(out: &mut Vec<u8>, key: &FlowKey, seed: u16) {
    let (ports, one_way) = ports(key);
    let source = (octets(key.source), key.source_port);
    let destination = (octets(key.destination), key.destination_port);
    let (first, second) =
        if one_way || source <= destination { (source, destination) } else { (destination, source) };
    let mut hash = Sha1::new();
    hash.update(seed.to_be_bytes());
    hash.update(&first.0);
    hash.update(&second.0);
    hash.update([key.protocol, 0]);
    if ports {
        hash.update(first.1.to_be_bytes());
        hash.update(second.1.to_be_bytes());
    }
    out.extend_from_slice(b"1:");
    out.extend_from_slice(STANDARD.encode(hash.finalize()).as_bytes());
}

/// Whether the flow has ports, and whether it cannot be turned around.
fn ports(key: &FlowKey) -> (bool, bool) {
    let pair = (key.source_port, key.destination_port);
    match key.protocol {
        ip_protocol::TCP | ip_protocol::UDP | ip_protocol::SCTP => (true, false),
        ip_protocol::ICMPV4 => (true, !ICMP_PAIRS.contains(&pair)),
        ip_protocol::ICMPV6 => (true, !ICMPV6_PAIRS.contains(&pair)),
        _ => (false, false),
    }
}

fn octets(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(v4) => v4.octets().to_vec(),
        IpAddr::V6(v6) => v6.octets().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_ids() {
        // The vectors of the specification's baseline.
        let cases = [
            ("128.232.110.120", 34855, "66.35.250.204", 80, 6, "1:LQU9qZlK+B5F3KDmev6m5PMibrg="),
            ("192.168.1.52", 54585, "8.8.8.8", 53, 17, "1:d/FP5EW3wiY1vCndhwleRRKHowQ="),
            ("192.168.0.89", 8, "192.168.0.1", 0, 1, "1:X0snYXpgwiv9TZtqg64sgzUn6Dk="),
        ];
        for (source, source_port, destination, destination_port, protocol, expected) in cases {
            let key = FlowKey {
                source: source.parse().unwrap(),
                destination: destination.parse().unwrap(),
                source_port,
                destination_port,
                protocol,
                recursion: 0,
                vlan: Default::default(),
            };
            for key in [key, key.reversed()] {
                let mut out = Vec::new();
                append(&mut out, &key, 0);
                assert_eq!(String::from_utf8(out).unwrap(), expected);
            }
        }
    }
}
