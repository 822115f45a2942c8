//! Damaged packets: which events they raise, and whether they become invalid.

use super::*;
use weir_testkit::Frame;

/// Bytes of an IPv4 header, a total length of 28, the protocol given.
const UDP_HEAD: &str = "4500001c 00000000 40110000 0a000001 0a000002";

/// Link type, bytes, events, whether the packet is invalid.
pub(super) const FROM_THE_LINK: &[(LinkType, &str, &[&str], bool)] = &[
    (LinkType::ETHERNET, "0200", &["ethernet.pkt_too_small"], true),
    (LinkType::ETHERNET, "020000000001020000000002 1234 00", &["ethernet.unknown_ethertype"], false),
    (LinkType::ETHERNET, "020000000001020000000002 0026 4242", &["ethernet.unknown_ethertype"], false),
    (LinkType::ETHERNET, "020000000001020000000002 8100 0001", &["vlan.header_too_small"], true),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 8100 0001 1234",
        &["ethernet.unknown_ethertype", "vlan.unknown_type"],
        true,
    ),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 8100 0001 8100 0002 8100 0003 8100 0004 0800",
        &["vlan.too_many_layers"],
        false,
    ),
    (LinkType::ETHERNET, "020000000001020000000002 8926 0001", &["vntag.header_too_small"], true),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 8926 00010002 1234",
        &["ethernet.unknown_ethertype", "vntag.unknown_type"],
        true,
    ),
    (LinkType::ETHERNET, "020000000001020000000002 893f 0001", &["etag.header_too_small"], true),
    (LinkType::ETHERNET, "020000000001020000000002 88e7 0001", &["ieee8021ah.header_too_small"], true),
    (LinkType::ETHERNET, "020000000001020000000002 8903 00", &["dce.pkt_too_small"], true),
    (LinkType::ETHERNET, "020000000001020000000002 8847 0001", &["mpls.header_too_small"], true),
    (LinkType::ETHERNET, "020000000001020000000002 8847 00010140 45", &["mpls.pkt_too_small"], true),
    (LinkType::ETHERNET, "020000000001020000000002 8847 00001140", &["mpls.bad_label_router_alert"], false),
    (LinkType::ETHERNET, "020000000001020000000002 8847 00003140", &["mpls.bad_label_implicit_null"], false),
    (LinkType::ETHERNET, "020000000001020000000002 8847 00007140", &["mpls.bad_label_reserved"], false),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 8847 00010140 90000000",
        &["mpls.unknown_payload_type"],
        false,
    ),
    (LinkType::ETHERNET, "020000000001020000000002 8863 1109", &["pppoe.pkt_too_small"], true),
    (LinkType::ETHERNET, "020000000001020000000002 8863 11010000 0000", &["pppoe.wrong_code"], true),
    (LinkType::ETHERNET, "020000000001020000000002 8863 11090000 0009 00", &["pppoe.malformed_tags"], true),
    (LinkType::ETHERNET, "020000000001020000000002 8863 11090000 0004 01010000", &[], false),
    (LinkType::ETHERNET, "020000000001020000000002 8864 11000001 0002", &["pppoe.pkt_too_small"], true),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 8864 11000001 0002 0021 45",
        &["ppp.ip4_pkt_too_small"],
        true,
    ),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 8864 11000001 0002 0057 60",
        &["ppp.ip6_pkt_too_small"],
        true,
    ),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 8864 11000001 0002 002f 45",
        &["ppp.vju_pkt_too_small"],
        true,
    ),
    (LinkType::ETHERNET, "020000000001020000000002 8864 11000001 0002 c021 45", &[], false),
    (LinkType::ETHERNET, "020000000001020000000002 8864 11000001 0002 1234 45", &["ppp.wrong_type"], true),
    (LinkType::ETHERNET, "020000000001020000000002 0806 0001 0800", &["arp.pkt_too_small"], true),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 0806 0006 0800 06 04 0001 00",
        &["arp.unsupported_hardware"],
        true,
    ),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 0806 0001 0801 06 04 0001",
        &["arp.unsupported_protocol"],
        true,
    ),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 0806 0001 0800 06 04 0001",
        &["arp.unsupported_pkt"],
        true,
    ),
    (LinkType::ETHERNET, "020000000001020000000002 894f 0fc6", &["nsh.header_too_small"], true),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 894f 4fc6010100000100",
        &["nsh.unsupported_version"],
        false,
    ),
    (LinkType::ETHERNET, "020000000001020000000002 894f 0fc6010100000100", &["nsh.bad_header_length"], true),
    (LinkType::ETHERNET, "020000000001020000000002 894f 0fc2000100000100", &["nsh.reserved_type"], false),
    (LinkType::ETHERNET, "020000000001020000000002 894f 0fc2030100000100", &["nsh.unsupported_type"], false),
    (LinkType::ETHERNET, "020000000001020000000002 894f 0fc202070000010000", &["nsh.unknown_payload"], false),
    (LinkType::LINUX_SLL, "0000", &["sll.pkt_too_small"], true),
    (LinkType::LINUX_SLL2, "0000", &["sll2.pkt_too_small"], true),
    (LinkType::NULL, "0000", &["ltnull.pkt_too_small"], true),
    (LinkType::NULL, "ff000000", &["ltnull.unsupported_type"], false),
    (LinkType::CISCO_HDLC, "0f00", &["chdlc.pkt_too_small"], true),
    (LinkType::PPP, "ff03", &["ppp.pkt_too_small"], true),
    (LinkType::PPP, "ff03c021 01", &["ppp.unsup_proto"], false),
    (LinkType::PPP, "ff0300ff 01", &["ppp.wrong_type"], true),
    (LinkType::IEEE802_11, "08", &["ieee80211.pkt_too_small"], true),
    (
        LinkType::IEEE802_11,
        "0801 0000 020000000001 020000000002 020000000003 0000 aaaa03000000 888e 0103",
        &[],
        false,
    ),
    (LinkType::RAW, "45", &["ipv4.pkt_too_small"], true),
    (LinkType::RAW, "5500001c 00000000 40110000 0a000001 0a000002", &["ipraw.invalid_ip_version"], false),
    (LinkType::RAW, "4400001c 00000000 40110000 0a000001 0a000002", &["ipv4.hlen_too_small"], true),
    (LinkType::RAW, "45000013 00000000 40110000 0a000001 0a000002", &["ipv4.iplen_smaller_than_hlen"], true),
    (LinkType::RAW, "4500001d 00000000 40110000 0a000001 0a000002", &["ipv4.trunc_pkt"], true),
    (LinkType::RAW, "45000014 00000000 403a0000 0a000001 0a000002", &["ipv4.icmpv6"], true),
    (LinkType::RAW, "45000014 00000000 40110000 0a000001 0a000002", &["udp.pkt_too_small"], true),
    (LinkType::RAW, "45000014 00000000 40060000 0a000001 0a000002", &["tcp.pkt_too_small"], true),
    (LinkType::RAW, "45000014 00000000 40840000 0a000001 0a000002", &["sctp.pkt_too_small"], true),
    (LinkType::RAW, "45000014 00000000 40010000 0a000001 0a000002", &["icmpv4.pkt_too_small"], true),
    (LinkType::RAW, "45000014 00000000 40020000 0a000001 0a000002", &["igmp.pkt_too_small"], true),
    (LinkType::RAW, "45000014 00000000 40320000 0a000001 0a000002", &["esp.pkt_too_small"], true),
    (LinkType::RAW, "45000014 00000000 402f0000 0a000001 0a000002", &["gre.pkt_too_small"], true),
    (LinkType::RAW, "60000000 0000 11 40", &["ipv4.pkt_too_small"], true),
    (LinkType::RAW, "60000000 0001 11 40 00000000 00000000 00000000", &["ipv6.pkt_too_small"], true),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 0806 0001 0800 05 04 0001 0000000000000000000000000000000000000000",
        &["arp.invalid_hardware_size"],
        true,
    ),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 0806 0001 0800 06 05 0001 0000000000000000000000000000000000000000",
        &["arp.invalid_protocol_size"],
        true,
    ),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 0806 0001 0800 06 04 0007 0000000000000000000000000000000000000000",
        &["arp.unsupported_opcode"],
        true,
    ),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 893f 000000000000 1234",
        &["ethernet.unknown_ethertype", "etag.unknown_type"],
        true,
    ),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 0800 55000014 00000000 40110000 0a000001 0a000002",
        &["ipv4.wrong_ip_version"],
        true,
    ),
    (
        LinkType::ETHERNET,
        "020000000001020000000002 86dd 40000000 0000 3b 40 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000",
        &["ipv6.wrong_ip_version"],
        true,
    ),
    (
        LinkType::RAW,
        "60000000 0010 3b 40 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000",
        &["ipv6.trunc_pkt"],
        true,
    ),
    (
        LinkType::RAW,
        "45000024 00000000 40110000 0a000001 0a000002 000117c1 00100000 00001234 00000100",
        &["geneve.unknown_payload_type"],
        true,
    ),
    (
        LinkType::RAW,
        "45000032 00000000 40110000 0a000001 0a000002 000112b5 001e0000 08000000 00000100 020000000001 020000000002 1234",
        &["vxlan.unknown_payload_type"],
        true,
    ),
];

#[test]
fn damage_raises_events() {
    for (link, bytes, expected, invalid) in FROM_THE_LINK {
        let bytes = hex(bytes);
        let (list, decoder) = decoded(*link, &bytes);
        let packet = list.outer().unwrap();
        assert_eq!((events(packet).as_slice(), packet.invalid), (*expected, *invalid), "{bytes:02x?}");
        assert_eq!(decoder.counters().packets.invalid, u64::from(*invalid));
        for event in packet.events.iter() {
            assert_eq!(decoder.counters().events.count(event), 1);
        }
    }
}

#[test]
fn packets_of_no_stated_length() {
    let bytes = hex("45000000 00000000 40110000 0a000001 0a000002 0001 0002 000a 0000 6869");
    for (unstated_length, payload) in [(false, &b""[..]), (true, b"hi")] {
        let (list, _) = decoded_by(DecoderSettings { unstated_length, ..settings() }, LinkType::RAW, &bytes);
        let packet = list.outer().unwrap();
        assert_eq!(events(packet), ["ipv4.iplen_smaller_than_hlen"]);
        assert_eq!((packet.invalid, packet.payload), (!unstated_length, payload));
    }
}

/// Protocol, what IPv4 carries, events, whether the packet is invalid.
pub(super) const ABOVE_IPV4: &[(u8, &str, &[&str], bool)] = &[
    (17, "0001 0002 0007 0000", &["udp.len_invalid"], true),
    (17, "0001 0002 0009 0000", &["udp.pkt_too_small"], true),
    (17, "0001 0002 0008 0000 00", &[], false),
    (6, "0001 0002 00000000 00000000 60 00 0000 0000 0000", &["tcp.hlen_too_small"], true),
    (6, "0001 0002 00000000 00000000 40 00 0000 0000 0000", &["tcp.invalid_optlen"], true),
    (1, "63 00 0000 00000000", &["icmpv4.unknown_type"], false),
    (1, "0a 00 0000 00000000", &["icmpv4.unknown_type"], false),
    (1, "08 01 0000 00000000", &["icmpv4.unknown_code"], false),
    (1, "03 10 0000 00000000", &["icmpv4.unknown_code"], false),
    (1, "03 03 0000 00000000 45", &["icmpv4.ipv4_trunc_pkt"], true),
    (
        1,
        "03 03 0000 00000000 65000000 00000000 00000000 00000000 00000000",
        &["icmpv4.ipv4_unknown_ver"],
        true,
    ),
    (1, "0d 00 0000 00000000", &["icmpv4.pkt_too_small"], false),
    (1, "09 00 0000 0102 0000 0a", &["icmpv4.pkt_too_small"], false),
    (47, "0002 0800", &["gre.wrong_version"], true),
    (47, "0100 0800", &["gre.version0_recur"], true),
    (47, "0008 0800", &["gre.version0_flags"], true),
    (47, "2000 0800", &["gre.version0_hdr_too_big"], true),
    (47, "4000 0800 00000000 0001", &["gre.version0_malformed_sre_hdr"], true),
    (47, "8001 880b", &["gre.version1_chksum"], true),
    (47, "4001 880b", &["gre.version1_route"], true),
    (47, "0801 880b", &["gre.version1_ssr"], true),
    (47, "0101 880b", &["gre.version1_recur"], true),
    (47, "0009 880b", &["gre.version1_flags"], true),
    (47, "2001 0800", &["gre.version1_wrong_protocol"], true),
    (47, "0001 880b", &["gre.version1_no_key"], true),
    (47, "2001 880b", &["gre.version1_hdr_too_big"], true),
    (132, "0001 0002 00000001 00000000 00", &["sctp.chunk_too_small"], false),
    (132, "0001 0002 00000001 00000000 00000009", &["sctp.chunk_len_invalid"], false),
    (132, "0001 0002 00000000 00000000 00000004", &["sctp.data_with_zero_vtag"], false),
    (
        132,
        "0001 0002 00000001 00000000 01000004 03000004",
        &["sctp.init_chunk_bundled", "sctp.init_with_non_zero_vtag"],
        false,
    ),
    (
        132,
        "0001 0002 00000001 00000000 00000004 00000004 00000004 00000004 00000004 00000004 00000004 00000004 00000004",
        &["sctp.too_many_data_chunks"],
        false,
    ),
    (
        132,
        "0001 0002 00000001 00000000 03000004 03000004 03000004 03000004 03000004 03000004 03000004 03000004 03000004 \
         03000004 03000004 03000004 03000004 03000004 03000004 03000004 03000004",
        &["sctp.too_many_chunks"],
        false,
    ),
];

#[test]
fn damage_above_ip() {
    for (protocol, payload, expected, invalid) in ABOVE_IPV4 {
        let bytes =
            Frame::bare().ipv4("10.0.0.1", "10.0.0.2").protocol(*protocol).payload(hex(payload)).build();
        let (list, _) = decoded(LinkType::RAW, &bytes);
        let packet = list.outer().unwrap();
        assert_eq!(
            (events(packet).as_slice(), packet.invalid),
            (*expected, *invalid),
            "{protocol} {payload}"
        );
        assert!(packet.ip.is_some(), "the IP header stays");
    }
}

/// Next header, what IPv6 carries, events, whether the packet is invalid.
pub(super) const ABOVE_IPV6: &[(u8, &str, &[&str], bool)] = &[
    (99, "00", &["ipv6.unknown_next_header"], false),
    (1, "0800000000000000", &["ipv6.icmpv4"], false),
    (59, "00", &["ipv6.data_after_none_header"], false),
    (59, "", &[], false),
    (0, "3b", &["ipv6.trunc_exthdr"], true),
    (0, "3b01 0000 00000000", &["ipv6.trunc_exthdr"], true),
    (0, "3b00 0104 00000000", &["ipv6.hopopts_only_padding"], false),
    (0, "3b00 0100 0502 0000 ", &["ipv6.zero_len_padn"], false),
    (0, "3b00 2504 00000000", &["ipv6.hopopts_unknown_opt"], false),
    (0, "3b00 2505 00000000", &["ipv6.exthdr_invalid_optlen"], false),
    (0, "3b00 0501 00 0101 00", &["ipv6.exthdr_invalid_optlen"], false),
    (60, "3b00 2504 00000000", &["ipv6.dstopts_unknown_opt"], false),
    (60, "3b00 0000 00000000", &["ipv6.dstopts_only_padding"], false),
    (
        60,
        "3c00 2504 00000000 3c00 2504 00000000 3b00 2504 00000000",
        &["ipv6.dstopts_unknown_opt", "ipv6.dstopts_unknown_opt", "ipv6.exthdr_dupl_dh"],
        false,
    ),
    (0, "0000 2504 00000000 3b00 2504 00000000", &["ipv6.hopopts_unknown_opt", "ipv6.exthdr_dupl_hh"], false),
    (43, "3b00 0000 00000000", &["ipv6.rh_type_0"], false),
    (43, "2b00 0200 00000000 3b00 0200 00000000", &["ipv6.exthdr_dupl_rh"], false),
    (44, "3b00 0000 00000001", &["ipv6.exthdr_useless_fh"], false),
    (44, "3b01 0008 00000001", &["ipv6.fh_non_zero_reserved_field"], false),
    (44, "2c00 0000 00000001 3b00 0000 00000001", &["ipv6.exthdr_useless_fh", "ipv6.exthdr_dupl_fh"], false),
    (51, "3b01 0001 00000000 00000000", &["ipv6.exthdr_ah_res_not_null"], false),
    (51, "3301 0000 00000000 00000000 3b01 0000 00000000 00000000", &["ipv6.exthdr_dupl_ah"], false),
    (4, "45", &["ipv6.ipv4_in_ipv6_too_small"], true),
    (4, "65000014 00000000 40110000 0a000001 0a000002", &["ipv6.ipv4_in_ipv6_wrong_version"], true),
    (41, "60", &["ipv6.ipv6_in_ipv6_too_small"], true),
    (58, "80", &["icmpv6.pkt_too_small"], true),
    (58, "8001 0000 00000000", &["icmpv6.unknown_code"], false),
    (58, "ff00 0000 00000000", &["icmpv6.unknown_type"], false),
    (58, "0a00 0000 00000000", &["icmpv6.unassigned_type"], false),
    (58, "c800 0000 00000000", &["icmpv6.experimentation_type"], false),
    (58, "8200 0000 00000000", &["icmpv6.mld_message_with_invalid_hl"], false),
    (58, "0100 0000 00000000 60", &["icmpv6.ipv6_trunc_pkt"], true),
    (
        41,
        "40000000 0000 3b 40 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000",
        &["ipv6.ipv6_in_ipv6_wrong_version"],
        true,
    ),
    (
        58,
        "0100 0000 00000000 40000000 0000 3b 40 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000",
        &["icmpv6.ipv6_unknown_version"],
        true,
    ),
];

#[test]
fn damage_above_ipv6() {
    for (next_header, payload, expected, invalid) in ABOVE_IPV6 {
        let bytes = Frame::bare().ipv6("::1", "::2").protocol(*next_header).payload(hex(payload)).build();
        let (list, _) = decoded(LinkType::RAW, &bytes);
        let packet = list.outer().unwrap();
        assert_eq!(
            (events(packet).as_slice(), packet.invalid),
            (*expected, *invalid),
            "{next_header} {payload}"
        );
    }
}

#[test]
fn the_length_on_the_wire_is_not_what_counts() {
    let mut bytes = hex(UDP_HEAD);
    bytes.extend(hex("0001 0002 0008 0000"));
    let mut decoder = Decoder::new(settings());
    let mut list = PacketList::new();
    let captured = RawPacket { wire_length: 1500, ..raw(LinkType::RAW, &bytes) };
    decoder.decode(&captured, &mut list);
    assert!(list.outer().unwrap().events.is_empty());
    assert_eq!(decoder.counters().packets.bytes, 28);
}
