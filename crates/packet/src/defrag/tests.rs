//! Fragments in, packets out.

use super::*;
use crate::decode::{Decoder, DecoderSettings, PacketList};
use crate::header::Transport;
use crate::packet::Origin;
use crate::raw::{LinkType, RawPacket};
use assembly::MAX_PAYLOAD;
use proptest::prelude::*;
use std::net::IpAddr;
use weir_base::Duration;
use weir_testkit::{Frame, Random, fragment_ipv4, fragment_ipv6};

/// A decoder and a defragmenter with time.
struct Bench {
    decoder: Decoder,
    defrag: Defragmenter,
    time: Timestamp,
}

impl Bench {
    fn new(settings: DefragSettings) -> Self {
        let decoder = Decoder::new(DecoderSettings::default());
        Self { decoder, defrag: Defragmenter::new(settings), time: Timestamp::new(1000, 0) }
    }

    /// Pushes a bare IP packet; gives the events on it and what was put together.
    fn push(&mut self, bytes: &[u8]) -> (Vec<&'static str>, Option<Vec<u8>>) {
        let raw = RawPacket {
            number: 1,
            time: self.time,
            link: LinkType::RAW,
            wire_length: bytes.len() as u32,
            interface: 0,
            bytes,
        };
        let mut list = PacketList::new();
        self.decoder.decode(&raw, &mut list);
        let packet = list.iter_mut().next_back().unwrap();
        let whole = self.defrag.push(packet, self.decoder.event_counters());
        (packet.events.iter().map(DecodeEvent::name).collect(), whole.map(|whole| whole.bytes))
    }
}

fn datagram(payload: &[u8]) -> Vec<u8> {
    Frame::bare().ipv4("10.0.0.1", "10.0.0.2").ip_id(7).udp(1, 2).payload(payload).build()
}

fn datagram_v6(payload: &[u8]) -> Vec<u8> {
    Frame::bare().ipv6("::1", "::2").udp(1, 2).payload(payload).build()
}

#[test]
fn any_order_gives_the_packet() {
    let payload: Vec<u8> = (0..=255).cycle().take(3000).collect();
    for (whole, fragments) in [
        (datagram(&payload), fragment_ipv4(&datagram(&payload), 512)),
        (datagram_v6(&payload), fragment_ipv6(&datagram_v6(&payload), 512, 9)),
    ] {
        let mut random = Random::new(1);
        for _ in 0..50 {
            let mut order: Vec<usize> = (0..fragments.len()).collect();
            order.sort_by_cached_key(|_| random.number());
            let mut bench = Bench::new(DefragSettings::default());
            let last = order.pop().unwrap();
            for index in order {
                assert_eq!(bench.push(&fragments[index]), (vec![], None));
            }
            let (events, reassembled) = bench.push(&fragments[last]);
            assert_eq!((events, reassembled.as_deref()), (vec![], Some(&whole[..])));
            let counters = bench.defrag.counters();
            let of_both = counters.ipv4_reassembled + counters.ipv6_reassembled;
            assert_eq!((of_both, counters.memuse), (1, 0), "nothing is left behind");
        }
    }
}

#[test]
fn the_whole_packet_is_decoded() {
    let fragments = fragment_ipv4(&datagram(b"0123456789"), 8);
    let mut bench = Bench::new(DefragSettings::default());
    let mut whole = None;
    for fragment in &fragments {
        whole = bench.push(fragment).1;
    }
    let whole = whole.unwrap();
    let template_raw = RawPacket {
        number: 3,
        time: bench.time,
        link: LinkType::RAW,
        wire_length: 0,
        interface: 0,
        bytes: &fragments[0],
    };
    let mut list = PacketList::new();
    let template = Packet::empty(&template_raw);
    bench.decoder.decode_ip(&whole, &template, &mut list);
    let packet = list.outer().unwrap();
    assert_eq!((packet.origin, packet.payload), (Origin::Defrag, &b"0123456789"[..]));
    assert_eq!(checksum_verdicts(packet), (Some(true), Some(true)));
    let address = whole.as_ptr();
    bench.defrag.recycle(whole);
    let again = fragments.iter().filter_map(|fragment| bench.push(fragment).1).next().unwrap();
    assert!(again.as_ptr() == address || again.capacity() > 0, "buffers are used again");
}

fn checksum_verdicts(packet: &Packet<'_>) -> (Option<bool>, Option<bool>) {
    (crate::checksum::ipv4_valid(packet), crate::checksum::transport_valid(packet))
}

#[test]
fn ipv6_headers_before_the_fragment_header_stay() {
    let fragment = |offset: u16, more: u16, payload: &[u8]| {
        let word = (offset | more).to_be_bytes();
        Frame::bare()
            .ipv6("::1", "::2")
            .extension(0, &[0, 5, 2, 0, 0, 0, 0])
            .extension(44, &[0, word[0], word[1], 0, 0, 0, 1])
            .payload(payload)
            .build()
    };
    // The builder announces no next header before a plain payload; make it UDP.
    let announced = |mut bytes: Vec<u8>| {
        bytes[48] = 17;
        bytes
    };
    let mut bench = Bench::new(DefragSettings::default());
    assert_eq!(bench.push(&announced(fragment(0, 1, &[0, 1, 0, 2, 0, 12, 0, 0]))).1, None);
    let whole = bench.push(&announced(fragment(8, 0, b"data"))).1.unwrap();
    let template_raw = RawPacket {
        number: 1,
        time: bench.time,
        link: LinkType::RAW,
        wire_length: 0,
        interface: 0,
        bytes: &[],
    };
    let mut list = PacketList::new();
    bench.decoder.decode_ip(&whole, &Packet::empty(&template_raw), &mut list);
    let packet = list.outer().unwrap();
    assert!(matches!(packet.transport, Transport::Udp(_)));
    assert_eq!((packet.payload, whole[40]), (&b"data"[..], 17));
}

#[test]
fn what_differs_is_another_packet() {
    let first = |frame: Frame| frame.fragment(0, true).protocol(17).payload([1; 8]).build();
    let last = |frame: Frame| frame.fragment(8, false).protocol(17).payload([2; 8]).build();
    let frame = || Frame::bare().ipv4("10.0.0.1", "10.0.0.2").ip_id(7);
    for other in [
        Frame::bare().ipv4("10.0.0.1", "10.0.0.2").ip_id(8),
        Frame::bare().ipv4("10.0.0.1", "10.0.0.3").ip_id(7),
        Frame::bare().ipv4("10.0.0.2", "10.0.0.1").ip_id(7),
    ] {
        let mut bench = Bench::new(DefragSettings::default());
        assert_eq!(bench.push(&first(frame())).1, None);
        assert_eq!(bench.push(&last(other)).1, None);
        assert!(bench.push(&last(frame())).1.is_some());
    }
}

#[test]
fn odd_fragments() {
    let v4 = |offset: u16, more: bool, payload: Vec<u8>| {
        Frame::bare().ipv4("10.0.0.1", "10.0.0.2").fragment(offset, more).payload(payload).build()
    };
    let v6 = |word: u16, payload: Vec<u8>| {
        let word = word.to_be_bytes();
        Frame::bare()
            .ipv6("::1", "::2")
            .extension(44, &[0, word[0], word[1], 0, 0, 0, 1])
            .payload(payload)
            .build()
    };
    let cases: Vec<(Vec<Vec<u8>>, &[&str])> = vec![
        (vec![v4(0, true, vec![1; 16]), v4(8, true, vec![2; 16])], &["ipv4.frag_overlap"]),
        (vec![v4(65_528, false, vec![1; 8])], &["ipv4.frag_pkt_too_large"]),
        (vec![v4(8, true, vec![])], &[]),
        (vec![v6(1, vec![1; 16]), v6(9, vec![2; 16])], &["ipv6.frag_overlap"]),
        (vec![v6(65_528, vec![1; 8])], &["ipv6.frag_pkt_too_large"]),
        (vec![v6(1, vec![1; 9])], &["ipv6.frag_invalid_length"]),
    ];
    for (fragments, expected) in cases {
        let mut bench = Bench::new(DefragSettings::default());
        let mut events = Vec::new();
        for fragment in &fragments {
            let (found, whole) = bench.push(fragment);
            assert_eq!(whole, None);
            events.extend(found);
        }
        assert_eq!(events, expected);
        for event in expected.iter().filter_map(|name| DecodeEvent::by_name(name)) {
            assert_eq!(bench.decoder.counters().events.count(event), 1);
        }
    }
}

#[test]
fn a_packet_without_fragments_passes() {
    let mut bench = Bench::new(DefragSettings::default());
    assert_eq!(bench.push(&datagram(b"x")), (vec![], None));
    assert_eq!(bench.defrag.counters(), DefragCounters::default());
}

#[test]
fn fragments_are_waited_for_so_long() {
    let fragments = fragment_ipv4(&datagram(&[0; 16]), 16);
    let to_one_host = Network { address: "10.0.0.2".parse().unwrap(), prefix: 32 };
    for (timeouts, seconds, comes) in [
        (vec![], 59, true),
        (vec![], 61, false),
        (vec![(to_one_host, Duration::from_secs(100))], 61, true),
        (vec![(to_one_host, Duration::from_secs(10))], 11, false),
    ] {
        let mut bench = Bench::new(DefragSettings { timeouts, ..DefragSettings::default() });
        bench.push(&fragments[0]);
        bench.time = bench.time.plus(Duration::from_secs(seconds));
        assert_eq!(bench.push(&fragments[1]).1.is_some(), comes);
        assert_eq!(bench.defrag.counters().ipv4_timeouts, u64::from(!comes));
    }
}

#[test]
fn times_of_others_are_over_when_that_is_asked() {
    let mut bench = Bench::new(DefragSettings::default());
    bench.push(&first_of(1));
    bench.time = bench.time.plus(Duration::from_secs(30));
    bench.push(&first_of(2));
    bench.time = bench.time.plus(Duration::from_secs(31));
    bench.push(&first_of(3));
    let timeouts = |bench: &Bench| bench.defrag.counters().ipv4_timeouts;
    assert_eq!(timeouts(&bench), 0, "fragments of other packets change nothing");
    bench.defrag.expire(bench.time);
    assert_eq!(timeouts(&bench), 1);
    bench.defrag.expire(bench.time.plus(Duration::from_secs(61)));
    assert_eq!(timeouts(&bench), 3);
    assert_eq!(bench.defrag.counters().memuse, 0);
}

/// The first fragment of a packet with an identification of its own.
fn first_of(id: u16) -> Vec<u8> {
    Frame::bare().ipv4("10.0.0.1", "10.0.0.2").ip_id(id).fragment(0, true).payload([0; 64]).build()
}

#[test]
fn caps_hold() {
    let mut bench = Bench::new(DefragSettings { max_trackers: 10, ..DefragSettings::default() });
    for id in 0..100 {
        bench.push(&first_of(id));
    }
    let counters = bench.defrag.counters();
    assert_eq!((counters.max_trackers_reached, counters.tracker_hard_reuse), (90, 90));

    let mut bench = Bench::new(DefragSettings { max_fragments: 10, ..DefragSettings::default() });
    let events: Vec<_> = (0..12).flat_map(|id| bench.push(&first_of(id)).0).collect();
    assert_eq!(events, ["ipv4.frag_ignored"; 2]);
    assert_eq!(bench.defrag.counters().max_frags_reached, 2);

    let mut bench = Bench::new(DefragSettings { memcap: 10_000, ..DefragSettings::default() });
    for id in 0..1000 {
        bench.push(&first_of(id));
        assert!(bench.defrag.counters().memuse <= 10_000);
    }
    assert!(bench.defrag.counters().tracker_hard_reuse > 900);

    let mut bench = Bench::new(DefragSettings { memcap: 10, ..DefragSettings::default() });
    assert_eq!(bench.push(&first_of(1)).0, ["ipv4.frag_ignored"]);
    let v6 = Frame::bare().ipv6("::1", "::2").extension(44, &[0, 0, 1, 0, 0, 0, 1]).payload([0; 16]);
    assert_eq!(bench.push(&v6.build()).0, ["ipv6.frag_ignored"]);
    assert_eq!(bench.defrag.counters().memcap_drops, 2);
}

#[test]
fn policies_go_by_destination() {
    let network = |text: &str, prefix| Network { address: text.parse().unwrap(), prefix };
    let settings = DefragSettings {
        policies: vec![
            (network("0.0.0.0", 0), OverlapPolicy::Windows),
            (network("10.0.0.0", 8), OverlapPolicy::Linux),
            (network("10.1.0.0", 16), OverlapPolicy::Last),
            (network("2001:db8::", 32), OverlapPolicy::Solaris),
        ],
        ..DefragSettings::default()
    };
    let cases = [
        ("192.168.0.1", OverlapPolicy::Windows),
        ("10.0.0.1", OverlapPolicy::Linux),
        ("10.1.2.3", OverlapPolicy::Last),
        ("2001:db8::1", OverlapPolicy::Solaris),
        ("2001:db9::1", OverlapPolicy::Bsd),
    ];
    for (address, policy) in cases {
        assert_eq!(settings.policy_of(address.parse::<IpAddr>().unwrap()), policy, "{address}");
    }
    assert_eq!(OverlapPolicy::of_system("Vista"), Some(OverlapPolicy::Windows));
    assert_eq!(OverlapPolicy::of_system("amiga"), None);
}

#[test]
fn who_counts_where_two_overlap() {
    use OverlapPolicy::{Bsd, BsdRight, First, Last, Linux, Solaris, Windows};
    let earlier = Extent { start: 16, end: 32 };
    // The later fragment, and the policies by which it counts.
    let cases: &[(u32, u32, &[OverlapPolicy])] = &[
        (8, 24, &[Bsd, Linux, Last]),
        (8, 32, &[Bsd, Linux, Last, Solaris]),
        (8, 40, &[Bsd, Linux, Last, Solaris, Windows]),
        (16, 24, &[BsdRight, Linux, Last]),
        (16, 32, &[BsdRight, Linux, Last]),
        (16, 40, &[BsdRight, Linux, Last]),
        (24, 32, &[BsdRight, Last]),
        (24, 40, &[BsdRight, Last]),
    ];
    for &(start, end, winners) in cases {
        for policy in OverlapPolicy::ALL {
            let counts = policy.later_counts(earlier, Extent { start, end });
            assert_eq!(counts, winners.contains(&policy), "{policy:?} {start}..{end}");
            assert!(policy != First || !counts);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_packets_at_any_time(
        packets in proptest::collection::vec(
            (0u16..3, 0u16..16, any::<bool>(), 0usize..40, 0u64..100, any::<bool>()), 0..60),
    ) {
        let mut bench = Bench::new(DefragSettings { memcap: 4096, max_trackers: 2, max_fragments: 9, ..DefragSettings::default() });
        for (id, offset, more, length, seconds, is_v4) in packets {
            let word = ((offset * 8) | u16::from(more)).to_be_bytes();
            let frame = if is_v4 {
                Frame::bare().ipv4("10.0.0.1", "10.0.0.2").ip_id(id).fragment(offset * 8, more)
            } else {
                Frame::bare().ipv6("::1", "::2").extension(44, &[0, word[0], word[1], 0, 0, 0, id as u8])
            };
            bench.time = bench.time.plus(Duration::from_secs(seconds));
            let (_, whole) = bench.push(&frame.payload(vec![1; length]).build());
            if let Some(whole) = whole {
                prop_assert!(whole.len() <= MAX_PAYLOAD + 40);
                bench.defrag.recycle(whole);
            }
            prop_assert!(bench.defrag.counters().memuse <= 4096);
        }
    }
}

#[test]
fn memory_counts_rather_than_bytes() {
    let settings = DefragSettings { memcap: 1 << 20, ..DefragSettings::default() };
    let mut bench = Bench::new(settings);
    for number in 0..500u16 {
        let [high, low] = number.to_be_bytes();
        let fragment = |id, offset, more, payload: &[u8]| {
            let source = IpAddr::from([10, 1, high, low]);
            let frame = Frame::bare().ip(source, IpAddr::from([10, 0, 0, 2])).protocol(17).ip_id(id);
            frame.fragment(offset, more).payload(payload).build()
        };
        // A small one that stays where a large one was.
        bench.push(&fragment(1, 0, true, &[1; 24]));
        let parts = (0..8).filter_map(|part| bench.push(&fragment(2, part * 8000, part < 7, &[2; 8000])).1);
        let wholes: Vec<Vec<u8>> = parts.collect();
        assert_eq!(wholes.len(), 1);
        wholes.into_iter().for_each(|whole| bench.defrag.recycle(whole));
        let counters = bench.defrag.counters();
        assert!(counters.memuse <= 1 << 20 && counters.tracker_hard_reuse == 0, "{counters:?}");
        assert!(bench.defrag.pool.iter().map(Vec::capacity).sum::<usize>() <= MAX_POOLED * MAX_POOLED_BYTES);
    }
}

#[test]
fn fragments_that_do_not_fit_are_told_of() {
    let payload: Vec<u8> = (0..=255).cycle().take(600).collect();
    let fragments = fragment_ipv4(&datagram(&payload), 200);
    let mut other = fragments[0].clone();
    *other.last_mut().unwrap() ^= 1;
    // The second one, as though it were the last.
    let mut ended = fragments[1].clone();
    ended[6] &= !0x20;
    let misfit = |overlaps, differs, size| Misfit { overlaps, differs, size };
    for (what, pushed, expected) in [
        ("in order", [&fragments[0], &fragments[1]], misfit(false, false, false)),
        ("again", [&fragments[0], &fragments[0]], misfit(true, false, false)),
        ("otherwise", [&fragments[0], &other], misfit(true, true, false)),
        ("past the end", [&ended, &fragments[2]], misfit(false, false, true)),
        ("another end", [&fragments[fragments.len() - 1], &ended], misfit(false, false, true)),
    ] {
        let mut bench = Bench::new(DefragSettings::default());
        for bytes in pushed {
            bench.push(bytes);
        }
        assert_eq!(bench.defrag.misfit(), expected, "{what}");
    }
}

#[test]
fn what_was_held_back_is_known_until_nobody_waits_for_it() {
    let fragments = fragment_ipv4(&datagram(&[7; 900]), 400);
    let other = fragment_ipv4(
        &Frame::bare().ipv4("10.0.0.1", "10.0.0.2").ip_id(8).udp(1, 2).payload([7; 900]).build(),
        400,
    );
    let settings = DefragSettings { max_trackers: 2, ..DefragSettings::default() };
    let timeout = settings.timeout_of("10.0.0.2".parse().unwrap());
    let mut bench = Bench::new(settings);
    let refused = |bench: &mut Bench, bytes: &[u8], refuse: bool| {
        let raw = RawPacket {
            number: 1,
            time: bench.time,
            link: LinkType::RAW,
            wire_length: bytes.len() as u32,
            interface: 0,
            bytes,
        };
        let mut list = PacketList::new();
        bench.decoder.decode(&raw, &mut list);
        let packet = list.iter_mut().next_back().unwrap();
        if refuse {
            bench.defrag.refuse(packet);
        }
        bench.defrag.is_refused(packet)
    };
    assert!(!refused(&mut bench, &fragments[2], false));
    assert!(refused(&mut bench, &fragments[2], true));
    for (fragment, expected) in
        fragments.iter().map(|own| (own, true)).chain(other.iter().map(|own| (own, false)))
    {
        assert_eq!(refused(&mut bench, fragment, false), expected);
    }
    assert!(!refused(&mut bench, &datagram(b"whole"), false), "it is no fragment");
    bench.time = bench.time.plus(timeout);
    assert!(refused(&mut bench, &fragments[0], false));
    bench.time = bench.time.plus(Duration::from_secs(1));
    bench.defrag.expire(bench.time);
    assert!(!refused(&mut bench, &fragments[0], false));
    // No more than the settings say are kept.
    for id in [1, 2, 3] {
        let frame = Frame::bare().ipv4("10.0.0.1", "10.0.0.2").ip_id(id).udp(1, 2).payload([7; 900]).build();
        assert!(refused(&mut bench, &fragment_ipv4(&frame, 400)[0], true));
    }
    assert_eq!(bench.defrag.refused_count(), 2);
}
