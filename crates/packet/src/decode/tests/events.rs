//! Every event of the table has a packet that raises it.

use super::damage::{ABOVE_IPV4, ABOVE_IPV6, FROM_THE_LINK};
use super::options::{IPV4_OPTIONS, TCP_OPTIONS};
use super::*;

/// Raised while fragments are put together; `defrag`'s tests have a case for each.
const OF_FRAGMENTS: &[&str] = &[
    "ipv4.frag_ignored",
    "ipv4.frag_overlap",
    "ipv4.frag_pkt_too_large",
    "ipv6.frag_ignored",
    "ipv6.frag_invalid_length",
    "ipv6.frag_overlap",
    "ipv6.frag_pkt_too_large",
];

/// Names that rules may use though no packet can raise them: an inner packet that turns out to be
/// none is as if it had not been looked at, a second ESP header cannot be told in what the first
/// encrypts, version 1 of GRE has no routing, and only a live capture by AF_PACKET tells of packets
/// that its ring had no room for.
const OUT_OF_REACH: &[&str] = &[
    "afpacket.trunc_pkt",
    "erspan.header_too_small",
    "erspan.too_many_vlan_layers",
    "erspan.unsupported_version",
    "gre.version1_malformed_sre_hdr",
    "ipv6.exthdr_dupl_eh",
];

#[test]
fn every_event_has_a_case() {
    let mut raised: Vec<&str> = vec!["too_many_layers", "vxlan_gpe.unknown_payload_type"];
    raised.extend(FROM_THE_LINK.iter().flat_map(|case| case.2));
    raised.extend(ABOVE_IPV4.iter().chain(ABOVE_IPV6).flat_map(|case| case.2));
    raised.extend(IPV4_OPTIONS.iter().flat_map(|case| case.1));
    raised.extend(TCP_OPTIONS.iter().flat_map(|case| case.1));
    for event in DecodeEvent::ALL {
        let name = event.name();
        let elsewhere = OF_FRAGMENTS.contains(&name) || OUT_OF_REACH.contains(&name) || event.is_retired();
        assert_ne!(raised.contains(&name), elsewhere, "{name}");
    }
}

#[test]
fn fragments_have_their_cases() {
    let tests = include_str!("../../defrag/tests.rs");
    for name in OF_FRAGMENTS {
        assert!(tests.contains(name), "{name}");
    }
}

#[test]
fn too_many_layers() {
    // A pseudowire in a pseudowire: each takes a layer of MPLS and one of Ethernet.
    let wire = "020000000001020000000002 8847 00010140 00000000";
    for (wires, expected) in [(7, &["ethernet.pkt_too_small"][..]), (9, &["too_many_layers"])] {
        let bytes = hex(&wire.repeat(wires));
        let (list, _) = decoded(LinkType::ETHERNET, &bytes);
        assert_eq!(events(list.outer().unwrap()), expected, "{wires}");
    }
}
