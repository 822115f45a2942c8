//! Sound packets: their layers and fields.

use super::*;
use crate::header::{Ip, Transport};
use crate::ip_protocol;
use crate::packet::Origin;
use LayerKind as L;
use weir_testkit::{Frame, tcp_flags};

#[test]
fn tcp_over_ipv4() {
    let bytes = Frame::ethernet()
        .vlan(100)
        .tag(0x88a8, 200)
        .ipv4("10.0.0.1", "10.0.0.2")
        .ttl(33)
        .ip_id(77)
        .tcp(1234, 80)
        .seq(10)
        .ack(20)
        .flags(tcp_flags::SYN | tcp_flags::ACK)
        .tcp_options(&hex("020405b4 0402 080a 00000001 00000002 030307"))
        .payload(b"data")
        .build();
    let (list, decoder) = decoded(LinkType::ETHERNET, &bytes);
    assert_eq!(list.len(), 1);
    let packet = list.outer().unwrap();
    assert_eq!(kinds(packet), [L::Ethernet, L::Vlan, L::Vlan, L::Ipv4, L::Tcp]);
    assert_eq!(packet.layers.last(L::Ipv4).unwrap().offset, 22);
    assert_eq!(packet.vlan.as_slice(), [100, 200]);
    assert_eq!((packet.number, packet.time.0, packet.interface), (7, 5, 2));
    assert_eq!(packet.ethernet.unwrap().ether_type, 0x8100);
    assert!(packet.events.is_empty() && !packet.invalid);
    assert_eq!(packet.payload, b"data");
    let Some(Ip::V4(ip)) = packet.ip else { panic!("no IPv4") };
    assert_eq!((ip.ttl, ip.id, ip.protocol, ip.header.len()), (33, 77, 6, 20));
    let tcp = packet.tcp().unwrap();
    assert_eq!((tcp.source_port, tcp.destination_port, tcp.seq, tcp.ack), (1234, 80, 10, 20));
    assert!(tcp.has(tcp_flags::SYN | tcp_flags::ACK) && !tcp.has(tcp_flags::FIN));
    let options = tcp.options;
    assert_eq!((options.mss, options.window_scale, options.timestamp), (Some(1460), Some(7), Some((1, 2))));
    assert!(options.sack_permitted);
    let counters = &decoder.counters().packets;
    assert_eq!(
        (counters.pkts, counters.bytes, counters.max_pkt_size),
        (1, bytes.len() as u64, bytes.len() as u64)
    );
    assert_eq!(
        (counters.ethernet, counters.vlan, counters.vlan_qinq, counters.ipv4, counters.tcp),
        (1, 1, 1, 1, 1)
    );
}

#[test]
fn bytes_after_the_datagram_are_no_payload() {
    let mut bytes = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).payload(b"abc").build();
    bytes.resize(60, 0);
    let (list, _) = decoded(LinkType::ETHERNET, &bytes);
    assert_eq!(list.outer().unwrap().payload, b"abc");
    assert_eq!(list.outer().unwrap().source_port(), Some(1));
}

#[test]
fn every_link_type_leads_to_ip() {
    let ip = Frame::bare().ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).payload(b"x").build();
    let ip6 = Frame::bare().ipv6("fe80::1", "fe80::2").udp(1, 2).payload(b"x").build();
    let cases: &[(LinkType, &str, &[u8], &[LayerKind])] = &[
        (LinkType::RAW, "", &ip, &[L::Ipv4, L::Udp]),
        (LinkType::RAW_BSD, "", &ip6, &[L::Ipv6, L::Udp]),
        (LinkType::RAW_OPENBSD, "", &ip, &[L::Ipv4, L::Udp]),
        (LinkType::IPV4, "", &ip, &[L::Ipv4, L::Udp]),
        (LinkType::IPV6, "", &ip6, &[L::Ipv6, L::Udp]),
        (LinkType::NULL, "02000000", &ip, &[L::Null, L::Ipv4, L::Udp]),
        (LinkType::NULL, "00000002", &ip, &[L::Null, L::Ipv4, L::Udp]),
        (LinkType::NULL, "1e000000", &ip6, &[L::Null, L::Ipv6, L::Udp]),
        (LinkType::LOOP, "00000018", &ip6, &[L::Null, L::Ipv6, L::Udp]),
        (LinkType::PPP, "ff030021", &ip, &[L::Ppp, L::Ipv4, L::Udp]),
        (LinkType::PPP, "0021", &ip, &[L::Ppp, L::Ipv4, L::Udp]),
        (LinkType::PPP, "21", &ip, &[L::Ppp, L::Ipv4, L::Udp]),
        (LinkType::PPP_HDLC, "ff030057", &ip6, &[L::Ppp, L::Ipv6, L::Udp]),
        (LinkType::CISCO_HDLC, "0f000800", &ip, &[L::Chdlc, L::Ipv4, L::Udp]),
        (LinkType::LINUX_SLL, "0000 0001 0006 020000000001 0000 86dd", &ip6, &[L::Sll, L::Ipv6, L::Udp]),
        (
            LinkType::LINUX_SLL2,
            "0800 0000 00000001 0001 00 06 0200000000010000",
            &ip,
            &[L::Sll2, L::Ipv4, L::Udp],
        ),
        (LinkType::NFLOG, "02000000 0800 0100 0800 0000 2100 0900", &ip, &[L::Raw, L::Ipv4, L::Udp]),
        (
            LinkType::IEEE802_11,
            "0801 0000 020000000001 020000000002 020000000003 0000 aaaa03000000 0800",
            &ip,
            &[L::Ieee80211, L::Snap, L::Ipv4, L::Udp],
        ),
        (
            LinkType::IEEE802_11_RADIOTAP,
            "0000 0800 00000000 8801 0000 020000000001 020000000002 020000000003 0000 0000 aaaa03000000 86dd",
            &ip6,
            &[L::Ieee80211, L::Snap, L::Ipv6, L::Udp],
        ),
    ];
    for (link, head, ip, layers) in cases {
        let mut bytes = hex(head);
        bytes.extend_from_slice(ip);
        let (list, _) = decoded(*link, &bytes);
        let packet = list.outer().unwrap();
        assert_eq!(kinds(packet), *layers, "{link:?} {head}");
        assert_eq!((packet.payload, events(packet)), (&b"x"[..], vec![]), "{link:?} {head}");
    }
    let (list, _) = decoded(LinkType(9999), &ip);
    assert!(
        list.outer().unwrap().ip.is_none(),
        "a link type that is not known gives a packet without layers"
    );
}

#[test]
fn tags_and_labels_between_ethernet_and_ip() {
    let ip = Frame::bare().ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).payload(b"x").build();
    let cases: &[(u16, &str, &[LayerKind])] = &[
        (0x8847, "00010140", &[L::Mpls]),
        (0x8848, "00010040 00000140", &[L::Mpls]),
        (0x88e7, "00000000 020000000001 020000000002 0800", &[L::Pbb]),
        (0x8926, "80010002 0800", &[L::VnTag]),
        (0x893f, "000000010000 0800", &[L::ETag]),
        (0x8864, "11 00 0007 001f 0021", &[L::Pppoe]),
        (0x8864, "11 00 0007 001f 21", &[L::Pppoe]),
        (0x8903, "0000 020000000001 020000000002 0800", &[L::Ethernet]),
        (0x894f, "0fc6 01 01 00000100 00000000000000000000000000000000", &[L::Nsh]),
        (0x894f, "0fc2 02 01 00000100", &[L::Nsh]),
        (0x9100, "0005 0800", &[L::Vlan]),
    ];
    for (ether_type, head, layers) in cases {
        let mut inner = hex(head);
        inner.extend_from_slice(&ip);
        let bytes = Frame::ethernet().ether_type(*ether_type).payload(&inner).build();
        let (list, _) = decoded(LinkType::ETHERNET, &bytes);
        let packet = list.outer().unwrap();
        let expected = [&[L::Ethernet], *layers, &[L::Ipv4, L::Udp]].concat();
        assert_eq!((kinds(packet), events(packet)), (expected, vec![]), "{ether_type:04x}");
    }
    let bytes = Frame::ethernet().pppoe(7).ipv6("::1", "::2").udp(1, 2).build();
    let (list, _) = decoded(LinkType::ETHERNET, &bytes);
    assert_eq!(list.outer().unwrap().pppoe_session, Some(7));
}

#[test]
fn ethernet_over_an_mpls_pseudo_wire() {
    let inner = Frame::ethernet().ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).build();
    let bytes = Frame::ethernet().mpls(&[16, 17]).payload([0; 4]).payload(inner).build();
    let (list, _) = decoded(LinkType::ETHERNET, &bytes);
    assert_eq!(kinds(list.outer().unwrap()), [L::Ethernet, L::Mpls, L::Ethernet, L::Ipv4, L::Udp]);
}

#[test]
fn arp_over_ethernet() {
    let body = hex("0001 0800 06 04 0002 0200000000aa 0a000001 0200000000bb 0a000002");
    let bytes = Frame::ethernet().ether_type(0x0806).payload(&body).build();
    let (list, decoder) = decoded(LinkType::ETHERNET, &bytes);
    let arp = list.outer().unwrap().arp.unwrap();
    assert_eq!((arp.operation, arp.source.to_string()), (2, "10.0.0.1".to_string()));
    assert_eq!((arp.destination_mac, arp.destination.octets()), ([2, 0, 0, 0, 0, 0xbb], [10, 0, 0, 2]));
    assert_eq!(decoder.counters().packets.arp, 1);
}

#[test]
fn icmp_errors_quote_the_flow() {
    let quoted = Frame::bare().ipv4("10.0.0.2", "10.0.0.1").udp(53, 1234).build();
    let bytes = Frame::bare().ipv4("10.0.0.1", "10.0.0.2").icmpv4(3, 3, [0; 4]).payload(&quoted).build();
    let (list, _) = decoded(LinkType::RAW, &bytes);
    let Transport::Icmpv4(icmp) = list.outer().unwrap().transport else { panic!("no ICMP") };
    let embedded = icmp.embedded.unwrap();
    assert_eq!((embedded.protocol, embedded.source_port, embedded.destination_port), (17, 53, 1234));
    assert_eq!(embedded.source.to_string(), "10.0.0.2");

    let quoted = Frame::bare().ipv6("::5", "::6").tcp(80, 4000).build();
    let bytes = Frame::bare().ipv6("::6", "::5").icmpv6(2, 0, [0, 0, 5, 0]).payload(&quoted).build();
    let (list, _) = decoded(LinkType::RAW, &bytes);
    let Transport::Icmpv6(icmp) = list.outer().unwrap().transport else { panic!("no ICMPv6") };
    assert_eq!((icmp.mtu, icmp.embedded.unwrap().destination_port), (Some(1280), 4000));
}

#[test]
fn icmp_queries_have_an_identifier() {
    let bytes =
        Frame::bare().ipv4("10.0.0.1", "10.0.0.2").icmpv4(8, 0, [1, 2, 3, 4]).payload(b"ping").build();
    let (list, _) = decoded(LinkType::RAW, &bytes);
    let Transport::Icmpv4(icmp) = list.outer().unwrap().transport else { panic!("no ICMP") };
    assert_eq!((icmp.id, icmp.seq, icmp.header.len()), (Some(0x0102), Some(0x0304), 8));
    assert_eq!(list.outer().unwrap().payload, b"ping");
}

#[test]
fn payloads_of_icmpv6() {
    let body = b"0123456789abcdef";
    for (kind, code, expected) in [
        (1, 0, &body[..]),
        (2, 0, body),
        (128, 0, body),
        (129, 0, body),
        (128, 1, b"\x01\x02\x03\x0401234567"),
        (143, 0, b"\x01\x02\x03\x0401234567"),
        (135, 0, b"\x01\x02\x03\x0401234567"),
        (200, 0, b"\x01\x02\x03\x0401234567"),
    ] {
        let bytes = Frame::bare().ipv6("::6", "::5").icmpv6(kind, code, [1, 2, 3, 4]).payload(body).build();
        let (list, _) = decoded(LinkType::RAW, &bytes);
        assert_eq!(list.outer().unwrap().payload, expected, "type {kind}, code {code}");
    }
    let bytes = Frame::bare().ipv6("::6", "::5").icmpv6(143, 0, [1, 2, 3, 4]).payload(b"012").build();
    assert_eq!(decoded(LinkType::RAW, &bytes).0.outer().unwrap().payload, b"");
}

#[test]
fn other_transports() {
    let bytes = Frame::bare().ipv4("10.0.0.1", "10.0.0.2").sctp(5, 6, 9).payload(hex("03000004")).build();
    let (list, _) = decoded(LinkType::RAW, &bytes);
    let packet = list.outer().unwrap();
    let Transport::Sctp(sctp) = packet.transport else { panic!("no SCTP") };
    assert_eq!((sctp.verification_tag, sctp.chunks.len(), events(packet)), (9, 4, vec![]));

    let bytes =
        Frame::bare().ipv4("10.0.0.1", "10.0.0.2").protocol(50).payload([1, 2, 3, 4, 0, 0, 0, 0, 9]).build();
    let (list, _) = decoded(LinkType::RAW, &bytes);
    let packet = list.outer().unwrap();
    assert!(matches!(packet.transport, Transport::Esp { spi: 0x0102_0304 }));
    assert!(packet.skip_payload && packet.payload == [9]);

    let bytes =
        Frame::bare().ipv4("10.0.0.1", "224.0.0.1").protocol(2).payload([0x11, 0, 0, 0, 0, 0, 0, 0]).build();
    let (list, _) = decoded(LinkType::RAW, &bytes);
    assert!(matches!(list.outer().unwrap().transport, Transport::Igmp(message) if message.len() == 8));

    let bytes = Frame::bare().ipv4("10.0.0.1", "10.0.0.2").protocol(89).payload(b"ospf").build();
    let (list, _) = decoded(LinkType::RAW, &bytes);
    assert!(matches!(list.outer().unwrap().transport, Transport::None));
    assert_eq!(list.outer().unwrap().payload, b"ospf");
}

#[test]
fn fragments_are_left_to_be_put_together() {
    let bytes =
        Frame::bare().ipv4("10.0.0.1", "10.0.0.2").fragment(0, true).udp(1, 2).payload([0; 8]).build();
    let (list, decoder) = decoded(LinkType::RAW, &bytes);
    let packet = list.outer().unwrap();
    assert!(packet.is_fragment() && packet.payload.is_empty());
    assert!(matches!(packet.transport, Transport::None));
    assert_eq!(decoder.counters().packets.udp, 0);

    let header = hex("00 0009 aabbccdd"); // offset 8, more
    let bytes = Frame::bare().ipv6("::1", "::2").extension(44, &header).udp(1, 2).build();
    let (list, _) = decoded(LinkType::RAW, &bytes);
    let Some(Ip::V6(ip)) = list.outer().unwrap().ip else { panic!("no IPv6") };
    let fragment = ip.fragment.unwrap();
    assert_eq!((fragment.offset, fragment.more, fragment.id), (8, true, 0xaabb_ccdd));
    assert_eq!(
        (fragment.header_offset, fragment.previous_next_header, ip.protocol),
        (0, 6, ip_protocol::FRAGMENT)
    );
    assert!(list.outer().unwrap().is_fragment());
}

#[test]
fn ipv6_extensions_lead_to_the_transport() {
    let bytes = Frame::bare()
        .ipv6("::1", "::2")
        .extension(0, &hex("00 0502 0000 00 00"))
        .extension(43, &hex("00 0200 00000000"))
        .extension(51, &hex("01 0000 00000001 00000001"))
        .tcp(1, 2)
        .payload(b"x")
        .build();
    let (list, _) = decoded(LinkType::RAW, &bytes);
    let packet = list.outer().unwrap();
    let Some(Ip::V6(ip)) = packet.ip else { panic!("no IPv6") };
    assert_eq!((ip.next_header, ip.protocol, ip.extensions.len()), (0, 6, 28));
    assert_eq!((kinds(packet), events(packet)), (vec![L::Ipv6, L::Ah, L::Tcp], vec![]));
    assert_eq!(packet.payload, b"x");
}

#[test]
fn a_whole_packet_from_fragments() {
    let outer =
        Frame::ethernet().vlan(9).ipv4("10.0.0.1", "10.0.0.2").fragment(8, false).payload(b"rest").build();
    let (list, mut decoder) = decoded(LinkType::ETHERNET, &outer);
    let whole = Frame::bare().ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).payload(b"all").build();
    let mut inner = PacketList::new();
    decoder.decode_ip(&whole, list.outer().unwrap(), &mut inner);
    let packet = inner.outer().unwrap();
    assert_eq!((packet.origin, packet.number, packet.recursion), (Origin::Defrag, 7, 0));
    assert_eq!((packet.vlan.as_slice(), packet.payload), (&[9][..], &b"all"[..]));
    assert_eq!(packet.counted_length(), whole.len() as u64 + 18, "with the headers in front of the fragment");
    assert_eq!(decoder.counters().packets.pkts, 1, "it was not captured");
}

#[test]
fn a_list_keeps_its_room() {
    let bytes = Frame::bare().ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).build();
    let (list, _) = decoded(LinkType::RAW, &bytes);
    let mut list = list.recycle();
    assert!(list.is_empty());
    Decoder::new(settings()).decode(&raw(LinkType::RAW, &bytes), &mut list);
    assert_eq!(list.iter().count(), 1);
}
