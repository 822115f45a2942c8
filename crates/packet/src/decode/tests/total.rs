//! Any bytes give a result.

use super::*;
use crate::flow_key::FlowKey;
use proptest::prelude::*;
use weir_testkit::Frame;

const LINKS: &[LinkType] = &[
    LinkType::NULL,
    LinkType::ETHERNET,
    LinkType::PPP,
    LinkType::PPP_HDLC,
    LinkType::RAW_BSD,
    LinkType::RAW_OPENBSD,
    LinkType::RAW,
    LinkType::CISCO_HDLC,
    LinkType::IEEE802_11,
    LinkType::LOOP,
    LinkType::LINUX_SLL,
    LinkType::IEEE802_11_RADIOTAP,
    LinkType::IPV4,
    LinkType::IPV6,
    LinkType::NFLOG,
    LinkType::LINUX_SLL2,
    LinkType(9999),
];

/// Checks the properties of every packet, whatever the bytes.
fn check(link: LinkType, bytes: &[u8]) {
    let (list, decoder) = decoded(link, bytes);
    assert_eq!(decoder.counters().packets.pkts, 1);
    let outer = list.outer().expect("there is always an outer packet");
    assert_eq!(outer.bytes.len(), bytes.len());
    for packet in &list {
        for layer in packet.layers.as_slice() {
            let end = layer.offset as usize + layer.length as usize;
            assert!(end <= packet.bytes.len(), "{:?} lies outside", layer);
        }
        assert!(packet.payload.len() <= packet.bytes.len());
        if packet.events.iter().any(|event| event.invalidates() && event != DecodeEvent::TCP_OPT_INVALID_LEN)
        {
            let sctp_or_icmp = packet.events.contains(DecodeEvent::ICMPV4_PKT_TOO_SMALL);
            assert!(packet.invalid || sctp_or_icmp);
        }
        let _ = FlowKey::of(packet);
    }
}

fn samples() -> Vec<Vec<u8>> {
    let outer = || Frame::ethernet().vlan(1).ipv4("10.0.0.1", "10.0.0.2");
    let inner = |frame: Frame| {
        frame.ipv4("10.1.0.1", "10.1.0.2").tcp(1, 2).tcp_options(&[2, 4, 5, 0xb4]).payload(b"data")
    };
    vec![
        inner(outer()).build(),
        inner(outer().gre_with_key(1, 2)).build(),
        inner(outer().vxlan(1)).build(),
        inner(outer().geneve(1)).build(),
        inner(outer().udp(1, 4790).payload(hex("0c00000300000100")).inner_ethernet()).build(),
        inner(Frame::ethernet().mpls(&[20, 30])).build(),
        inner(Frame::ethernet().pppoe(1)).build(),
        outer()
            .ip_options(&hex("07070400 00000000 44080500 00000000"))
            .icmpv4(3, 1, [0; 4])
            .payload(outer().udp(1, 2).build())
            .build(),
        Frame::ethernet()
            .ipv6("::1", "::2")
            .extension(0, &hex("00 050200000100"))
            .extension(60, &hex("00 0104 00000000"))
            .extension(44, &hex("00 0000 00000001"))
            .udp(3544, 3544)
            .payload(Frame::bare().ipv6("::3", "::4").icmpv6(128, 0, [0; 4]).build())
            .build(),
        outer().sctp(1, 2, 3).payload(hex("01000008 00000000 0000 0005 aa")).build(),
        Frame::ethernet()
            .ether_type(0x0806)
            .payload(hex("00010800060400010200000000aa0a0000010200000000bb0a000002"))
            .build(),
        Frame::ethernet()
            .ether_type(0x894f)
            .payload(hex("0fc6010100000100 00000000000000000000000000000000"))
            .payload(outer().build())
            .build(),
    ]
}

#[test]
fn every_length_of_every_sample() {
    for sample in samples() {
        for length in 0..=sample.len() {
            check(LinkType::ETHERNET, &sample[..length]);
            for &link in LINKS {
                check(link, &sample[length..]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for &link in LINKS {
            check(link, &bytes);
        }
    }

    #[test]
    fn samples_with_changed_bytes(
        sample in 0..samples().len(),
        changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = samples().swap_remove(sample);
        for (position, value) in changes {
            let index = position % bytes.len();
            bytes[index] = value;
        }
        check(LinkType::ETHERNET, &bytes);
    }
}
