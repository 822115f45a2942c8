use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use weir_base::Timestamp;
use weir_packet::decode::{Decoder, DecoderSettings, PacketList};
use weir_packet::{FlowKey, LinkType, RawPacket, Transport};
use weir_testkit::{Frame, fragment_ipv4, fragment_ipv6};

use super::super::{Counts, ShuntKey};
use super::*;
use crate::sources::af_packet::program as classic_program;
use crate::sources::bpf::testing::{attach, run_on_frame};

const A: &str = "10.0.0.1";
const B: &str = "192.0.2.7";
const C: &str = "2001:db8::5";
const D: &str = "2001:db8:1::9";

fn tunnels() -> TunnelPorts {
    TunnelPorts { vxlan: vec![4789], geneve: vec![6081] }
}

const ALL: Tracking = Tracking { tags: true, tunnels: true };
const NONE: Tracking = Tracking { tags: false, tunnels: false };

/// A table and its programs; none, with a line, where the system grants none.
fn made(
    beginning: Beginning,
    tracking: Tracking,
    filter: &[ClassicInstruction],
) -> Option<(Made, OwnedFd, OwnedFd)> {
    let tunnels = tunnels();
    let interface = Interface { beginning, tunnels: &tunnels, tracking, filter };
    match Made::new() {
        Ok(table) => {
            let at_socket =
                table.load(ProgramKind::SocketFilter, &interface).expect("the kernel takes the filter");
            let at_xdp = table.load(ProgramKind::Xdp, &interface).expect("the kernel takes the program");
            Some((table, at_socket, at_xdp))
        }
        Err(error) => {
            println!("skipped: programs in the kernel need root ({error})");
            None
        }
    }
}

/// Outcome of both programs for a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Dropped,
    GoesOn,
}

fn at_xdp(program: &OwnedFd, frame: &[u8]) -> Verdict {
    match run_on_frame(program, frame).expect("a run").cast_signed() {
        XDP_DROP => Verdict::Dropped,
        answer => {
            assert_eq!(answer, XDP_PASS);
            Verdict::GoesOn
        }
    }
}

/// Sockets of the system's own datagrams run filters, too.
fn at_socket(program: &OwnedFd, frame: &[u8]) -> Verdict {
    let (sender, receiver) = UnixDatagram::pair().expect("sockets");
    attach(&receiver, program).expect("the filter is attached");
    receiver.set_read_timeout(Some(Duration::from_millis(1))).expect("a timeout");
    sender.send(frame).expect("a frame is sent");
    let mut room = vec![0; 1 << 16];
    match receiver.recv(&mut room) {
        Ok(length) => {
            assert_eq!(length, frame.len(), "all of it goes on");
            Verdict::GoesOn
        }
        Err(_) => Verdict::Dropped,
    }
}

/// The keys of a frame's packets, innermost first, and what counting each adds.
fn packets(link: LinkType, frame: &[u8]) -> Vec<(FlowKey, Counts)> {
    let raw = RawPacket {
        number: 1,
        time: Timestamp::default(),
        link,
        wire_length: frame.len() as u32,
        interface: 0,
        bytes: frame,
    };
    let mut list = PacketList::new();
    Decoder::new(DecoderSettings::default()).decode(&raw, &mut list);
    let counted = |packet: &weir_packet::Packet<'_>| {
        let key = FlowKey::of(packet)?;
        let below: u64 = packet.below_ip().into();
        let ip_bytes = match packet.ip.as_ref()? {
            weir_packet::Ip::V4(four) => u64::from(four.total_length),
            weir_packet::Ip::V6(six) => u64::from(six.payload_length) + 40,
        };
        let payload = match &packet.transport {
            Transport::Tcp(_) | Transport::Udp(_) => packet.payload.len() as u64,
            _ => 0,
        };
        assert!(packet.counted_length() >= below);
        Some((key, Counts { packets: 1, bytes: packet.counted_length(), ip_bytes, payload }))
    };
    list.iter().filter_map(counted).collect()
}

fn outer() -> Frame {
    Frame::ethernet().ipv4("1.1.1.1", "2.2.2.2")
}

/// Frames with a flow each that is dropped once it is in the table.
fn flows() -> Vec<(&'static str, Vec<u8>)> {
    let tcp = |frame: Frame| frame.tcp(1025, 443).flags(0x10).payload([7; 90]).build();
    let udp = |frame: Frame| frame.udp(1025, 443).payload([7; 90]).build();
    let plain = || Frame::ethernet().ipv4(A, B);
    let mut padded = udp(plain());
    padded.extend([0; 9]);
    vec![
        ("tcp", tcp(plain())),
        ("udp", udp(plain())),
        ("sctp", plain().sctp(1025, 443, 1).payload([7; 90]).build()),
        ("six, tcp", tcp(Frame::ethernet().ipv6(C, D))),
        ("six, udp", udp(Frame::ethernet().ipv6(C, D))),
        ("padding", padded),
        ("options", tcp(plain().ip_options(&[1, 1, 1, 0]))),
        (
            "options of tcp",
            plain().tcp(1025, 443).flags(0x18).tcp_options(&[1, 1, 1, 1]).payload([7; 90]).build(),
        ),
        ("tag", tcp(Frame::ethernet().vlan(5).ipv4(A, B))),
        ("tag of zero", tcp(Frame::ethernet().vlan(0).ipv4(A, B))),
        ("tags", udp(Frame::ethernet().tag(0x88a8, 5).vlan(6).ipv6(C, D))),
        ("labels", tcp(Frame::ethernet().mpls(&[16, 17]).ipv4(A, B))),
        ("label, six", udp(Frame::ethernet().mpls(&[16]).ipv6(C, D))),
        ("pppoe", tcp(Frame::ethernet().pppoe(1).ipv4(A, B))),
        ("gre", tcp(outer().gre().ipv4(A, B))),
        ("gre with a key", udp(outer().gre_with_key(1, 2).ipv6(C, D))),
        ("gre with frames", tcp(outer().gre().inner_ethernet().ipv4(A, B))),
        ("gre in six", tcp(Frame::ethernet().ipv6("::1", "::2").gre().ipv4(A, B))),
        ("four in four", tcp(outer().ipv4(A, B))),
        ("six in four", udp(outer().ipv6(C, D))),
        ("four in six", tcp(Frame::ethernet().ipv6("::1", "::2").ipv4(A, B))),
        ("vxlan", udp(outer().vxlan(7).ipv4(A, B))),
        ("vxlan with a tag", tcp(outer().vxlan(7).vlan(6).ipv4(A, B))),
        ("tag around vxlan", tcp(Frame::ethernet().vlan(9).ipv4("1.1.1.1", "2.2.2.2").vxlan(7).ipv4(A, B))),
        ("geneve", udp(outer().geneve(7).ipv4(A, B))),
        ("geneve in six", tcp(Frame::ethernet().ipv6("::1", "::2").geneve(7).ipv6(C, D))),
    ]
}

#[test]
fn packets_of_flows_in_the_table_are_dropped_and_counted() {
    let Some((table, socket, xdp)) = made(Beginning::Ethernet, ALL, &[]) else { return };
    for (name, frame) in flows() {
        let verdicts = || (at_socket(&socket, &frame), at_xdp(&xdp, &frame));
        assert_eq!(verdicts(), (Verdict::GoesOn, Verdict::GoesOn), "{name}");
        let (key, one) = *packets(LinkType::ETHERNET, &frame).first().expect("a packet");
        let key = ShuntKey::of(&key).expect("a key");
        let place = table.shunt.add(&key).expect("room");
        assert_eq!(verdicts(), (Verdict::Dropped, Verdict::Dropped), "{name}");
        let twice =
            Counts { packets: 2, bytes: 2 * one.bytes, ip_bytes: 2 * one.ip_bytes, payload: 2 * one.payload };
        assert_eq!(table.shunt.counts(&place), twice, "{name}");
        table.shunt.take_out(&place);
        assert_eq!(verdicts(), (Verdict::GoesOn, Verdict::GoesOn), "{name}");
        table.shunt.give_back(place);
    }
}

#[test]
fn a_flow_is_dropped_alone() {
    let Some((table, socket, xdp)) = made(Beginning::Ethernet, ALL, &[]) else { return };
    let all = flows();
    for (index, (name, frame)) in all.iter().enumerate() {
        let key = packets(LinkType::ETHERNET, frame).first().map(|(key, _)| *key).expect("a packet");
        let place = table.shunt.add(&ShuntKey::of(&key).expect("a key")).expect("room");
        for (other_index, (other, frame)) in all.iter().enumerate() {
            let own = packets(LinkType::ETHERNET, frame).first().map(|(key, _)| *key);
            let expected = if own == Some(key) { Verdict::Dropped } else { Verdict::GoesOn };
            assert!(index != other_index || expected == Verdict::Dropped);
            assert_eq!(
                (at_socket(&socket, frame), at_xdp(&xdp, frame)),
                (expected, expected),
                "{name}: {other}"
            );
        }
        table.shunt.take_out(&place);
        table.shunt.give_back(place);
    }
}

#[test]
fn what_workers_need_goes_on() {
    let Some((table, socket, xdp)) = made(Beginning::Ethernet, ALL, &[]) else { return };
    let tcp = |flags: u8| Frame::ethernet().ipv4(A, B).tcp(1025, 443).flags(flags).payload([7; 90]);
    let mut keys = packets(LinkType::ETHERNET, &tcp(0x10).build());
    keys.extend(
        packets(LinkType::ETHERNET, &outer().vxlan(7).ipv4(A, B).udp(1, 2).payload([1; 20]).build()).pop(),
    );
    let places: Vec<_> =
        keys.iter().map(|(key, _)| table.shunt.add(&ShuntKey::of(key).expect("a key"))).collect();
    assert!(places.iter().all(Result::is_ok));
    let ethernet = |kind: [u8; 2], packet: &[u8]| [&[2; 12], kind.as_slice(), packet].concat();
    let whole = tcp(0x10).payload([7; 900]).build();
    let six = Frame::bare().ipv6(C, D).udp(1, 53).payload([7; 900]).build();
    for (name, frame) in [
        ("fin", tcp(0x11).build()),
        ("syn", tcp(0x02).build()),
        ("rst", tcp(0x14).build()),
        ("fragment", ethernet([8, 0], &fragment_ipv4(&whole[14..], 400)[1])),
        ("fragment of six", ethernet([0x86, 0xdd], &fragment_ipv6(&six, 400, 5)[0])),
        ("extension", Frame::ethernet().ipv6(C, D).extension(60, &[0; 6]).tcp(1025, 443).flags(0x10).build()),
        ("back", Frame::ethernet().ipv4(B, A).tcp(443, 1025).flags(0x10).build()),
        ("another port", Frame::ethernet().ipv4(A, B).tcp(1026, 443).flags(0x10).build()),
        ("another protocol", Frame::ethernet().ipv4(A, B).udp(1025, 443).payload([1; 40]).build()),
        ("a tag", Frame::ethernet().vlan(1).ipv4(A, B).tcp(1025, 443).flags(0x10).build()),
        ("in a tunnel", outer().gre().ipv4(A, B).tcp(1025, 443).flags(0x10).build()),
        (
            "two tunnels",
            outer().gre().ipv4("3.3.3.3", "4.4.4.4").gre().ipv4(A, B).tcp(1025, 443).flags(0x10).build(),
        ),
        ("outer flow of a tunnel", outer().vxlan(7).ipv4(A, B).udp(3, 4).payload([1; 20]).build()),
        ("echo", Frame::ethernet().ipv4(A, B).icmpv4(8, 0, [0; 4]).payload([1; 40]).build()),
        ("no ip", Frame::ethernet().ether_type(0x88cc).payload([1; 60]).build()),
    ] {
        assert_eq!(
            (at_socket(&socket, &frame), at_xdp(&xdp, &frame)),
            (Verdict::GoesOn, Verdict::GoesOn),
            "{name}"
        );
    }
    let counted: u64 = places.iter().flatten().map(|place| table.shunt.counts(place).packets).sum();
    assert_eq!(counted, 0);
}

#[test]
fn frames_that_break_off_go_on() {
    let Some((table, socket, _)) = made(Beginning::Ethernet, ALL, &[]) else { return };
    for (name, frame) in flows() {
        let (key, _) = *packets(LinkType::ETHERNET, &frame).first().expect("a packet");
        let place = table.shunt.add(&ShuntKey::of(&key).expect("a key")).expect("room");
        // Before the end of all headers.
        for end in (1..frame.len().saturating_sub(110)).step_by(3) {
            assert_eq!(at_socket(&socket, &frame[..end]), Verdict::GoesOn, "{name} {end}");
        }
        table.shunt.take_out(&place);
        table.shunt.give_back(place);
    }
}

#[test]
fn flows_are_told_apart_as_configured() {
    let Some((table, socket, _)) = made(Beginning::Ethernet, NONE, &[]) else { return };
    let tcp = |frame: Frame| frame.ipv4(A, B).tcp(1025, 443).flags(0x10).payload([7; 90]).build();
    let (key, _) = packets(LinkType::ETHERNET, &tcp(Frame::ethernet()))[0];
    table.shunt.add(&ShuntKey::of(&key).expect("a key")).expect("room");
    for frame in [tcp(Frame::ethernet()), tcp(Frame::ethernet().vlan(5)), tcp(outer().gre())] {
        assert_eq!(at_socket(&socket, &frame), Verdict::Dropped);
    }
}

#[test]
fn packets_may_begin_with_ip() {
    let Some((table, socket, _)) = made(Beginning::Ip, ALL, &[]) else { return };
    for frame in [
        Frame::bare().ipv4(A, B),
        Frame::bare().ipv6(C, D),
        Frame::bare().ipv4("1.1.1.1", "2.2.2.2").gre().ipv4(A, B),
    ] {
        let frame = frame.tcp(1025, 443).flags(0x10).payload([7; 90]).build();
        assert_eq!(at_socket(&socket, &frame), Verdict::GoesOn);
        let (key, one) = packets(LinkType::RAW, &frame)[0];
        let place = table.shunt.add(&ShuntKey::of(&key).expect("a key")).expect("room");
        assert_eq!(at_socket(&socket, &frame), Verdict::Dropped);
        assert_eq!(table.shunt.counts(&place), one);
    }
}

#[test]
fn the_filter_comes_first() {
    let filters = [
        ("port 53", [true, false, false, true, false]),
        ("not port 53", [false, true, true, false, true]),
        ("tcp[13] & 16 != 0", [false, true, false, false, false]),
        ("greater 200", [false, false, true, false, false]),
        ("src net 10.0.0.0/8 or ip6", [true, true, true, true, false]),
        ("udp[8:2] = 0x0707 and ip[0] & 0xf > 4", [true, false, true, false, false]),
        ("ip[8] * 2 - 1 > 100 && len < 5000", [true, true, true, false, true]),
    ];
    let frames = [
        Frame::ethernet().ipv4(A, B).udp(1025, 53).payload([7; 20]).build(),
        Frame::ethernet().ipv4(A, B).tcp(1025, 443).flags(0x10).build(),
        Frame::ethernet().ipv4(A, B).udp(1025, 443).payload([7; 300]).build(),
        Frame::ethernet().ipv6(C, D).udp(1025, 53).payload([7; 20]).build(),
        Frame::ethernet().ipv4(B, A).udp(1025, 443).payload([1; 20]).build(),
    ];
    for (filter, expected) in filters {
        let mut compiled = crate::PacketFilter::new(filter);
        let classic = classic_program::of_filter(compiled.program(LinkType::ETHERNET).expect("a filter"));
        let Some((table, socket, _)) = made(Beginning::Ethernet, ALL, &classic) else { return };
        for (frame, expected) in frames.iter().zip(expected) {
            let takes = at_socket(&socket, frame) == Verdict::GoesOn;
            assert_eq!(takes, expected, "{filter}");
            let (key, _) = packets(LinkType::ETHERNET, frame)[0];
            let place = table.shunt.add(&ShuntKey::of(&key).expect("a key")).expect("room");
            assert_eq!(at_socket(&socket, frame), Verdict::Dropped, "{filter}");
            assert_eq!(table.shunt.counts(&place).packets, u64::from(expected), "{filter}");
        }
    }
}
