//! Packets inside packets.

use super::*;
use crate::decode::MAX_PACKETS;
use crate::header::Transport;
use crate::packet::Origin;
use weir_testkit::Frame;

/// Origin, recursion and payload of each packet, in order.
fn summary<'l>(list: &'l PacketList<'_>) -> Vec<(Origin, u8, &'l [u8])> {
    list.iter().map(|packet| (packet.origin, packet.recursion, packet.payload)).collect()
}

#[test]
fn inner_packets_come_first() {
    let outer = || Frame::ethernet().vlan(3).ipv4("10.0.0.1", "10.0.0.2");
    let inner = |frame: Frame| frame.ipv4("192.168.0.1", "192.168.0.2").udp(7, 9).payload(b"inner");
    let cases = [
        (inner(outer()), Origin::Ipv4Tunnel),
        (inner(outer().gre()), Origin::Gre),
        (inner(outer().gre_with_key(1, 2)), Origin::Gre),
        (inner(outer().gre().inner_ethernet()), Origin::Gre),
        (inner(outer().vxlan(5)), Origin::Vxlan),
        (inner(outer().geneve(5)), Origin::Geneve),
        (inner(Frame::ethernet().ipv6("::1", "::2")), Origin::Ipv6Tunnel),
        (outer().ipv6("::3", "::4").udp(7, 9).payload(b"inner"), Origin::Ipv4Tunnel),
        (
            Frame::bare().inner_ethernet().ipv6("::1", "::2").ipv6("::3", "::4").udp(7, 9).payload(b"inner"),
            Origin::Ipv6Tunnel,
        ),
    ];
    for (frame, origin) in cases {
        let bytes = frame.build();
        let (list, _) = decoded(LinkType::ETHERNET, &bytes);
        assert_eq!(list.len(), 2, "{origin:?}");
        assert_eq!(summary(&list)[0], (origin, 1, &b"inner"[..]));
        let (first, last) = (&list.as_slice()[0], list.outer().unwrap());
        assert_eq!((last.origin, last.recursion), (Origin::Wire, 0));
        assert!(last.skip_payload && !first.skip_payload);
        assert_eq!((first.number, first.time, first.link), (7, last.time, LinkType::RAW));
        assert!(first.vlan.as_slice().is_empty(), "an inner packet has the tags inside the tunnel");
    }
}

#[test]
fn tunnels_within_tunnels() {
    let bytes = Frame::ethernet()
        .ipv4("10.0.0.1", "10.0.0.2")
        .vxlan(1)
        .vlan(44)
        .ipv6("::1", "::2")
        .gre()
        .ipv4("10.1.0.1", "10.1.0.2")
        .udp(1, 2)
        .payload(b"deep")
        .build();
    let (list, decoder) = decoded(LinkType::ETHERNET, &bytes);
    let origins: Vec<(Origin, u8)> = list.iter().map(|p| (p.origin, p.recursion)).collect();
    assert_eq!(origins, [(Origin::Gre, 2), (Origin::Vxlan, 1), (Origin::Wire, 0)]);
    assert_eq!(list.as_slice()[1].vlan.as_slice(), [44]);
    let counters = &decoder.counters().packets;
    assert_eq!((counters.pkts, counters.vxlan, counters.gre, counters.ipv4, counters.udp), (1, 1, 1, 2, 2));
}

#[test]
fn erspan_has_its_own_vlan() {
    let frame = Frame::ethernet().ipv4("10.1.0.1", "10.1.0.2").udp(1, 2).payload(b"x").build();
    let outer = || Frame::bare().ipv4("10.0.0.1", "10.0.0.2").protocol(47);
    let second = [hex("1000 88be 00000001 1017 0000 00000000"), frame.clone()].concat();
    let bytes = outer().payload(second).build();
    let (list, decoder) = decoded(LinkType::RAW, &bytes);
    assert_eq!(list.as_slice()[0].vlan.as_slice(), [0x17]);
    assert_eq!((list.len(), decoder.counters().packets.erspan), (2, 1));

    let bytes = outer().payload([hex("0000 88be"), frame.clone()].concat()).build();
    let (list, _) = decoded(LinkType::RAW, &bytes);
    assert_eq!(summary(&list)[0], (Origin::Gre, 1, &b"x"[..]));

    let bytes = outer().payload([hex("1000 88be 00000001 2017 0000 00000000"), frame].concat()).build();
    let (list, _) = decoded(LinkType::RAW, &bytes);
    assert_eq!(list.len(), 1, "type III is not read");
}

#[test]
fn pptp_carries_ppp() {
    let ip = Frame::bare().ipv4("10.1.0.1", "10.1.0.2").udp(1, 2).payload(b"x").build();
    let gre = [hex("3081 880b 0020 0001 00000001 00000002 ff030021"), ip].concat();
    let bytes = Frame::bare().ipv4("10.0.0.1", "10.0.0.2").protocol(47).payload(gre).build();
    let (list, decoder) = decoded(LinkType::RAW, &bytes);
    assert_eq!((summary(&list)[0], decoder.counters().packets.ppp), ((Origin::Gre, 1, &b"x"[..]), 1));
    // Link control and what is nothing are no packets there.
    for kind in ["c021", "4243"] {
        let gre = hex(&format!("3081 880b 0008 0001 00000001 00000002 ff03{kind}01010004"));
        let bytes = Frame::bare().ipv4("10.0.0.1", "10.0.0.2").protocol(47).payload(gre).build();
        let (list, _) = decoded(LinkType::RAW, &bytes);
        assert_eq!(list.len(), 1, "{kind}");
    }
}

#[test]
fn teredo_takes_only_what_fits() {
    let ip6 = Frame::bare().ipv6("::1", "::2").udp(1, 2).payload(b"x").build();
    let datagram =
        |payload: Vec<u8>| Frame::bare().ipv4("10.0.0.1", "10.0.0.2").udp(3544, 9).payload(payload).build();
    let cases = [
        (ip6.clone(), 2),
        ([hex("0000 1234 01020304"), ip6.clone()].concat(), 2),
        ([ip6.clone(), vec![0]].concat(), 1),
        ([hex("0001 1234 01020304"), ip6.clone()].concat(), 1),
        (ip6[..39].to_vec(), 1),
    ];
    for (payload, packets) in cases {
        let bytes = datagram(payload.clone());
        let (list, _) = decoded(LinkType::RAW, &bytes);
        assert_eq!(list.len(), packets, "{payload:02x?}");
        let outer = list.outer().unwrap();
        assert!(outer.events.is_empty());
        assert_eq!((outer.payload, outer.skip_payload), (&payload[..], packets == 2));
    }
}

#[test]
fn user_packets_of_mobile_networks_and_l2tp() {
    let ip = Frame::bare().ipv4("10.1.0.1", "10.1.0.2").udp(1, 2).payload(b"x").build();
    let gtp = |flags: u8, extra: &[u8]| {
        let length = ((extra.len() + ip.len()) as u16).to_be_bytes();
        let head = [flags, 0xff, length[0], length[1], 0, 0, 0, 1];
        Frame::bare()
            .ipv4("10.0.0.1", "10.0.0.2")
            .udp(2152, 2152)
            .payload(head)
            .payload(extra)
            .payload(&ip)
            .build()
    };
    let ppp = [hex("0002 0001 0001 ff030021"), ip.clone()].concat();
    let cases = [
        gtp(0x30, &[]),
        gtp(0x32, &[0, 1, 0, 0]),
        gtp(0x34, &[0, 0, 0, 0x85, 1, 0x10, 0x09, 0]),
        Frame::bare().ipv4("10.0.0.1", "10.0.0.2").udp(1701, 1701).payload(ppp).build(),
    ];
    for bytes in cases {
        let (list, _) = decoded(LinkType::RAW, &bytes);
        assert_eq!(summary(&list)[0], (Origin::OtherTunnel, 1, &b"x"[..]), "{bytes:02x?}");
        let mut decoder = Decoder::new(DecoderSettings::default());
        let mut list = PacketList::new();
        decoder.decode(&raw(LinkType::RAW, &bytes), &mut list);
        assert_eq!(list.len(), 1, "off unless asked for");
    }
}

#[test]
fn what_is_no_vxlan_stays_a_datagram() {
    let inner = Frame::ethernet().ipv4("10.1.0.1", "10.1.0.2").udp(1, 2).build();
    let datagram = |head: &str| {
        let payload = [hex(head), inner.clone()].concat();
        Frame::bare().ipv4("10.0.0.1", "10.0.0.2").udp(1, 4789).payload(payload).build()
    };
    for (head, packets) in [("08000000 00000100", 2), ("00000000 00000100", 1), ("08000100 00000100", 1)] {
        let bytes = datagram(head);
        let (list, _) = decoded(LinkType::RAW, &bytes);
        assert_eq!(list.len(), packets, "{head}");
    }
    let bytes = datagram("08000100 00000100");
    let mut decoder =
        Decoder::new(DecoderSettings { vxlan_strict_reserved_bits: false, ..DecoderSettings::default() });
    let mut list = PacketList::new();
    decoder.decode(&raw(LinkType::RAW, &bytes), &mut list);
    assert_eq!(list.len(), 2);

    let unknown =
        Frame::bare().ipv4("10.0.0.1", "10.0.0.2").vxlan(1).ether_type(0x1234).payload(b"x").build();
    let (list, _) = decoded(LinkType::RAW, &unknown);
    assert_eq!(events(list.outer().unwrap()), ["vxlan.unknown_payload_type"]);
}

#[test]
fn vxlan_gpe_says_what_it_carries() {
    let ip = || Frame::bare().ipv4("10.1.0.1", "10.1.0.2").udp(1, 2).payload(b"x");
    let (v4, v6) = (ip().build(), Frame::bare().ipv6("::1", "::2").udp(1, 2).payload(b"x").build());
    let ethernet = [hex("020000000001 020000000002 0800"), v4.clone()].concat();
    let nsh = [hex("0006 01 01 00000001 00000000 00000000 00000000 00000000"), v4.clone()].concat();
    let mpls = [hex("00010140"), v4.clone()].concat();
    let inner = |kinds: &[LayerKind]| kinds.to_vec();
    let cases: [(&str, &[u8], Vec<LayerKind>); 11] = [
        ("0c000001 00000100", &v4, inner(&[LayerKind::Ipv4, LayerKind::Udp])),
        ("04000001 00000000", &v4, inner(&[LayerKind::Ipv4, LayerKind::Udp])),
        ("0e000002 00000100", &v6, inner(&[LayerKind::Ipv6, LayerKind::Udp])),
        ("0c000003 00000100", &ethernet, inner(&[LayerKind::Ethernet, LayerKind::Ipv4, LayerKind::Udp])),
        ("0c000004 00000100", &nsh, inner(&[LayerKind::Nsh, LayerKind::Ipv4, LayerKind::Udp])),
        ("0c000005 00000100", &mpls, inner(&[LayerKind::Mpls, LayerKind::Ipv4, LayerKind::Udp])),
        ("0d000001 00000100", &v4, Vec::new()),
        ("0c000080 00000100", &v4, Vec::new()),
        ("1c000001 00000100", &v4, Vec::new()),
        ("8c000001 00000100", &v4, Vec::new()),
        ("0c010001 00000100", &v4, Vec::new()),
    ];
    let datagram =
        |payload: Vec<u8>| Frame::bare().ipv4("10.0.0.1", "10.0.0.2").udp(1, 4790).payload(payload).build();
    for (head, body, expected) in cases {
        let bytes = datagram([hex(head).as_slice(), body].concat());
        let (list, _) = decoded(LinkType::RAW, &bytes);
        let found = list.iter().find(|packet| packet.origin == Origin::VxlanGpe);
        assert_eq!(found.map(kinds).unwrap_or_default(), expected, "{head}");
        assert_eq!(found.map(|packet| (packet.recursion, packet.payload)), found.map(|_| (1, &b"x"[..])));
        let shim = head.starts_with("0c000080").then_some("vxlan_gpe.unknown_payload_type");
        assert_eq!(events(list.outer().unwrap()), Vec::from_iter(shim), "{head}");
        assert!(!list.outer().unwrap().invalid);
    }
    // Without the flag for a next protocol it is VXLAN.
    let bytes = datagram([hex("08000000 00000100"), ethernet].concat());
    let (list, _) = decoded(LinkType::RAW, &bytes);
    assert_eq!(list.as_slice()[0].origin, Origin::Vxlan);
    let off = DecoderSettings { vxlan_gpe_ports: Vec::new(), ..settings() };
    assert_eq!(decoded_by(off, LinkType::RAW, &bytes).0.len(), 1);
}

#[test]
fn packets_in_tunnels_are_counted_by_depth() {
    let nested = |tunnels: usize| {
        let frame = (0..=tunnels).fold(Frame::bare(), |frame, _| frame.ipv4("10.0.0.1", "10.0.0.2"));
        frame.udp(1, 2).payload(b"x").build()
    };
    let settings = DecoderSettings { max_layers: 32, ..settings() };
    for (tunnels, expected) in
        [(0, vec![]), (1, vec![("depth_1", 1)]), (3, vec![("depth_1", 1), ("depth_2", 1), ("depth_3", 1)])]
    {
        let (_, decoder) = decoded_by(settings.clone(), LinkType::RAW, &nested(tunnels));
        assert_eq!(depths(&decoder), owned(&expected), "{tunnels}");
    }
    let (_, decoder) = decoded_by(settings, LinkType::RAW, &nested(10));
    let found = depths(&decoder);
    assert_eq!((found.len(), found.last()), (9, Some(&("deeper".to_owned(), 2))));
}

/// The counters of packets in tunnels that are not zero.
fn depths(decoder: &Decoder) -> Vec<(String, u64)> {
    let named =
        |(name, count): (String, u64)| Some((name.strip_prefix("decoder.tunnel.")?.to_owned(), count));
    counts(decoder).into_iter().filter(|(_, count)| *count > 0).filter_map(named).collect()
}

fn owned(counts: &[(&str, u64)]) -> Vec<(String, u64)> {
    counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

#[test]
fn a_damaged_inner_packet_is_none() {
    let bytes = Frame::bare().ipv4("10.0.0.1", "10.0.0.2").protocol(4).payload(b"junk").build();
    let (list, _) = decoded(LinkType::RAW, &bytes);
    assert_eq!((list.len(), events(list.outer().unwrap())), (1, vec![]));
    assert!(!list.outer().unwrap().skip_payload);
}

#[test]
fn layers_are_limited() {
    let mut frame = Frame::bare();
    for _ in 0..40 {
        frame = frame.ipv4("10.0.0.1", "10.0.0.2");
    }
    let bytes = frame.udp(1, 2).build();
    let (list, decoder) = decoded(LinkType::RAW, &bytes);
    assert!(list.len() <= 15, "{}", list.len());
    let raised = list.iter().filter(|p| p.events.contains(DecodeEvent::TOO_MANY_LAYERS)).count();
    assert_eq!((raised, decoder.counters().events.count(DecodeEvent::TOO_MANY_LAYERS)), (1, 1));
    assert!(list.iter().all(|p| !matches!(p.transport, Transport::Udp(_))));
}

#[test]
fn packets_are_limited_from_the_inside() {
    let frame = (0..60).fold(Frame::bare(), |frame, _| frame.ipv4("10.0.0.1", "10.0.0.2"));
    let bytes = frame.udp(1, 2).build();
    let settings = DecoderSettings { max_layers: 255, ..settings() };
    let (list, decoder) = decoded_by(settings, LinkType::RAW, &bytes);
    let recursions: Vec<u8> = list.iter().map(|packet| packet.recursion).collect();
    assert_eq!(recursions, Vec::from_iter((0..MAX_PACKETS as u8).rev()));
    assert_eq!(decoder.counters().events.count(DecodeEvent::TOO_MANY_LAYERS), 1);
}

#[test]
fn tunnels_of_zeeks_logs() {
    let (less, settings) = (
        DecoderSettings { notes_more: true, ..DecoderSettings::default() },
        DecoderSettings::default().widened(),
    );
    let ip6 = Frame::bare().ipv6("::1", "::2").udp(1, 2).payload(b"x").build();
    let ip4 = Frame::bare().ipv4("10.1.0.1", "10.1.0.2").udp(1, 2).payload(b"x").build();
    let datagram = |port: u16, payload: Vec<u8>| {
        Frame::bare().ipv4("10.0.0.1", "10.0.0.2").udp(9, port).payload(payload).build()
    };
    // A packet that carries nothing, and bytes after it.
    let mut bubble = ip6[..40].to_vec();
    (bubble[4], bubble[5], bubble[6]) = (0, 0, 59);
    bubble.extend(b"1234");
    let gre = |header: &str, payload: &[u8]| {
        let mut bytes = Frame::bare().ipv4("10.0.0.1", "10.0.0.2").udp(0, 0).payload(b"").build();
        bytes.truncate(20);
        bytes.extend([hex(header), payload.to_vec()].concat());
        let length = (bytes.len() as u16).to_be_bytes();
        (bytes[2], bytes[3], bytes[9]) = (length[0], length[1], 47);
        bytes
    };
    let ethernet = [hex("020000000001 020000000002 0800"), ip4.clone()].concat();
    let snap = [hex("aaaa03000000 0800"), ip4.clone()].concat();
    let cases = [
        (
            "teredo with an authentication",
            datagram(40000, [hex("0001 0000 0102030405060708 00"), ip6.clone()].concat()),
        ),
        ("a bubble", datagram(40000, bubble)),
        (
            "gtp",
            datagram(
                2123,
                [hex("30ff"), (ip4.len() as u16).to_be_bytes().to_vec(), hex("00000001"), ip4.clone()]
                    .concat(),
            ),
        ),
        ("ayiya", datagram(5072, [hex("0110 0129 00000000 07 01020304"), ip6].concat())),
        ("erspan iii", gre("0000 22eb 2001000000000000 00000000", &ethernet)),
        ("erspan iii with more", gre("0000 22eb 2001000000000000 00000001 0000000000000000", &ethernet)),
        ("802.11", gre("0000 8200 0800 0000 020000000001 020000000002 020000000003 0000", &snap)),
    ];
    for (name, bytes) in cases {
        let (list, _) = decoded_by(settings.clone(), LinkType::RAW, &bytes);
        assert_eq!(list.len(), 2, "{name}");
        let (shipped, decoder) = decoded_by(less.clone(), LinkType::RAW, &bytes);
        assert_eq!(shipped.len(), 1, "{name}: only where it is asked for");
        assert!(decoder.may_hold_more(), "{name}: which is noted");
        assert!(list.outer().unwrap().is_same(shipped.outer().unwrap()), "{name}");
        assert!(!list.as_slice()[0].is_same(shipped.outer().unwrap()), "{name}");
    }
    let framed =
        [hex("020000000001 020000000002"), (snap.len() as u16).to_be_bytes().to_vec(), snap].concat();
    let mut list = PacketList::new();
    Decoder::new(settings).decode(&raw(LinkType::ETHERNET, &framed), &mut list);
    assert!(list.outer().unwrap().ip.is_some());
}
