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

/// Readings of the specification of flows without ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// To the letter, as Zeek does: protocols without ports have none, and ICMP that is not answered is not turned
    /// around.
    Letter,
    /// That of EVE: ends are always put in order, and what has no ports has two that are zero, but for ESP's index.
    Eve,
}

/// Appends the id of a flow (`1:…`).
pub fn append(out: &mut Vec<u8>, key: &FlowKey, seed: u16, reading: Reading) {
    let (has_ports, one_way) = ports(key);
    let is_eve = reading == Reading::Eve;
    let pair = match key.protocol {
        // Only half of the index has room, in the place of the first port.
        ip_protocol::ESP if is_eve => (key.destination_port, 0),
        // A message that nothing answers has no type on the other side; its code is none.
        ip_protocol::ICMPV4 | ip_protocol::ICMPV6 if is_eve && one_way => (key.source_port, 0),
        _ => (key.source_port, key.destination_port),
    };
    let source = (octets(key.source), pair.0);
    let destination = (octets(key.destination), pair.1);
    let in_order = one_way && !is_eve || source <= destination;
    let (first, second) = if in_order { (source, destination) } else { (destination, source) };
    let mut hash = Sha1::new();
    hash.update(seed.to_be_bytes());
    hash.update(&first.0);
    hash.update(&second.0);
    hash.update([key.protocol, 0]);
    if has_ports || is_eve {
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

    fn key(ends: (&str, u16, &str, u16), protocol: u8) -> FlowKey {
        FlowKey {
            source: ends.0.parse().unwrap(),
            destination: ends.2.parse().unwrap(),
            source_port: ends.1,
            destination_port: ends.3,
            protocol,
            recursion: 0,
            vlan: Default::default(),
        }
    }

    fn id(key: &FlowKey, reading: Reading) -> String {
        let mut out = Vec::new();
        append(&mut out, key, 0, reading);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn known_ids() {
        // The vectors of the specification's baseline.
        let cases = [
            (("128.232.110.120", 34855, "66.35.250.204", 80), 6, "1:LQU9qZlK+B5F3KDmev6m5PMibrg="),
            (("192.168.1.52", 54585, "8.8.8.8", 53), 17, "1:d/FP5EW3wiY1vCndhwleRRKHowQ="),
            (("192.168.0.89", 8, "192.168.0.1", 0), 1, "1:X0snYXpgwiv9TZtqg64sgzUn6Dk="),
        ];
        for (ends, protocol, expected) in cases {
            let key = key(ends, protocol);
            for key in [key, key.reversed()] {
                for reading in [Reading::Letter, Reading::Eve] {
                    assert_eq!(id(&key, reading), expected);
                }
            }
        }
    }

    #[test]
    fn ids_of_flows_without_ports() {
        let cases = [
            (("190.0.0.1", 0, "190.0.0.14", 0x6e), ip_protocol::ESP, "1:XyNY+ERvHBnGnwnx06sygZGc3SI="),
            (
                ("2002:4637:d5d3::4637:d5d3", 0, "2001:4860:0:2001::68", 0),
                4,
                "1:05PQghA7ugMmjU7dD3VHuYb/9Rg=",
            ),
            (("fe80::dead", 137, "fe80::beef", 0), 58, "1:cnmX8dA6GiE9iUZ9d3Mp6HXwu40="),
            (("fe80::dead", 137, "fe80::beef", 4), 58, "1:cnmX8dA6GiE9iUZ9d3Mp6HXwu40="),
        ];
        for (ends, protocol, expected) in cases {
            let key = key(ends, protocol);
            assert_eq!(id(&key, Reading::Eve), expected, "{key:?}");
            assert_ne!(id(&key, Reading::Letter), expected, "{key:?}");
        }
    }
}
