//! The program that shares packets of an interface out among the sockets of a group (`PACKET_FANOUT_CBPF`).
//!
//! It answers the hash by which packets of capture files are dealt out (`weir_packet::decode::dispatch`): of the two
//! addresses of a packet, or of those inside of one tunnel (GRE, VXLAN, GENEVE, IP in IP), or of those that an ICMP
//! error quotes. Tags, labels and PPPoE are stepped over; fragments have the addresses of their own header. So all
//! packets between two hosts are read by one thread, which the kernel's own hash does not do: it takes ports in, and
//! what is outermost.
//!
//! With a memory ([`Memory`]), a tunnel of which a fragment came goes by its outer addresses from then on, as its fragments
//! do: what it carries stays in order.
//!
//! Limits: two VLAN tags beside the one that the kernel takes off, three MPLS labels, one tunnel. What lies deeper, and
//! tunnels of other kinds, go by their outer addresses; what is no IP goes to the first thread.

use std::io;
use std::os::fd::OwnedFd;

use weir_packet::decode::dispatch::{SPREAD_FACTOR, SPREAD_SHIFTS};

use super::program::{Assembler, Instruction, Test};
use crate::sources::bpf::{self, MapKind, ProgramKind, classic};

/// Offsets at which a program reads facts about a packet, in place of its bytes.
const PROTOCOL: u32 = 0xffff_f000;
const PACKET_TYPE: u32 = 0xffff_f004;

/// Packet type of what this machine sends. Its link header is still there when the program runs.
const OUTGOING: u32 = 4;

const IPV4: u32 = 0x0800;
const IPV6: u32 = 0x86dd;
const VLAN: u32 = 0x8100;
const PROVIDER_BRIDGE: u32 = 0x88a8;
const MPLS: u32 = 0x8847;
const PPPOE: u32 = 0x8864;
const ETHERNET: u32 = 0x6558;

const UDP_LENGTH: u32 = 8;
/// The header of fragments of IPv6, by its number, and its length.
const FRAGMENT_HEADER: u32 = 44;
const FRAGMENT_LENGTH: u32 = 8;
const ETHERNET_LENGTH: u32 = 14;
const IPV4_LENGTH: u32 = 20;
const IPV6_LENGTH: u32 = 40;
/// VXLAN's, and GENEVE's without options.
const TUNNEL_LENGTH: u32 = 8;

/// Cells of the program: where the outer IP header begins, the hash so far, and what is kept for later.
const HEADER: u32 = 0;
const HASH: u32 = 1;
const KEPT: u32 = 2;
const KEPT_TOO: u32 = 3;
const PLACE: u32 = 4;

/// Ports of tunnels over UDP.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TunnelPorts {
    /// VXLAN.
    pub vxlan: Vec<u16>,
    /// GENEVE.
    pub geneve: Vec<u16>,
}

/// Most ports of one kind of tunnel that the program looks at.
pub(crate) const MAX_PORTS: usize = 16;

/// Whether a program remembers tunnels that came in fragments, which takes an extended one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// It does not.
    Without,
    /// It does.
    OfTunnels,
}

/// Labels of the two versions of an outer header.
struct Outer {
    hash: &'static str,
    version: u8,
    udp: &'static str,
    vxlan: &'static str,
    over_udp: &'static str,
    geneve: &'static str,
    ethernet: &'static str,
    gre: &'static str,
    four: &'static str,
    six: &'static str,
}

const OUTER_4: Outer = Outer {
    hash: "outer4",
    version: 4,
    udp: "udp4",
    vxlan: "vxlan4",
    over_udp: "over udp4",
    geneve: "geneve4",
    ethernet: "ethernet4",
    gre: "gre4",
    four: "four4",
    six: "six4",
};

const OUTER_6: Outer = Outer {
    hash: "outer6",
    version: 6,
    udp: "udp6",
    vxlan: "vxlan6",
    over_udp: "over udp6",
    geneve: "geneve6",
    ethernet: "ethernet6",
    gre: "gre6",
    four: "four6",
    six: "six6",
};

/// The program for an interface whose link header has so many bytes.
pub fn program(link_length: u32, ports: &TunnelPorts, memory: Memory) -> Vec<Instruction> {
    let mut p = Assembler::default();
    p.load(PACKET_TYPE);
    p.set_x(0);
    p.unless(Test::Equal, OUTGOING, "protocol");
    p.set_x(link_length);
    p.label("protocol");
    p.load(PROTOCOL);
    link(&mut p);
    p.label("mpls");
    for _ in 0..3 {
        p.byte(2);
        p.keep(KEPT);
        p.add(4);
        p.recall(KEPT);
        p.when(Test::AnyBit, 1, "any");
    }
    p.answer(0);
    p.label("pppoe");
    p.add(8);
    p.label("any");
    p.byte(0);
    p.shift_right(4);
    p.when(Test::Equal, 4, "ip4");
    p.when(Test::Equal, 6, "ip6");
    p.answer(0);
    outer_v4(&mut p, memory);
    carried(&mut p, &OUTER_4, ports, memory);
    p.label("ip6");
    p.store_x(HEADER);
    p.byte(6);
    protocols(&mut p, &OUTER_6);
    if memory == Memory::OfTunnels {
        p.when(Test::Equal, FRAGMENT_HEADER, "fragment6");
    }
    p.jump("hash6");
    carried(&mut p, &OUTER_6, ports, memory);
    if memory == Memory::OfTunnels {
        fragments_v4(&mut p, ports);
        fragments_v6(&mut p, ports);
    }
    hashes(&mut p);
    p.finish()
}

/// Follows the ethertype that was loaded, over tags.
fn link(p: &mut Assembler) {
    let follow = |p: &mut Assembler| {
        for (kind, label) in [(IPV4, "ip4"), (IPV6, "ip6"), (MPLS, "mpls"), (PPPOE, "pppoe")] {
            p.when(Test::Equal, kind, label);
        }
    };
    for tag in ["tag", "second tag"] {
        follow(p);
        p.when(Test::Equal, VLAN, tag);
        p.when(Test::Equal, PROVIDER_BRIDGE, tag);
        p.answer(0);
        p.label(tag);
        p.half(2);
        p.keep(KEPT);
        p.add(4);
        p.recall(KEPT);
    }
    follow(p);
    p.answer(0);
}

/// An outer IPv4 header: fragments go by it, ICMP errors by what they quote.
fn outer_v4(p: &mut Assembler, memory: Memory) {
    p.label("ip4");
    p.store_x(HEADER);
    p.half(6);
    p.when(Test::AnyBit, 0x3fff, if memory == Memory::OfTunnels { "fragment4" } else { "hash4" });
    p.byte(9);
    p.when(Test::Equal, 1, "icmp");
    protocols(p, &OUTER_4);
    p.jump("hash4");
    p.label("icmp");
    step_over_v4(p);
    p.guard(8 + IPV4_LENGTH, OUTER_4.hash);
    p.byte(0);
    p.unless(Test::Equal, 3, OUTER_4.hash);
    p.add(8);
    p.byte(0);
    p.shift_right(4);
    p.when(Test::Equal, 4, "hash4");
    p.jump(OUTER_4.hash);
}

/// Goes to where what the loaded protocol may carry is looked into.
fn protocols(p: &mut Assembler, outer: &Outer) {
    p.when(Test::Equal, 17, outer.udp);
    p.when(Test::Equal, 47, outer.gre);
    p.when(Test::Equal, 4, outer.four);
    p.when(Test::Equal, 41, outer.six);
}

/// Steps over the outer header.
fn step_over(p: &mut Assembler, outer: &Outer) {
    if outer.hash == OUTER_4.hash { step_over_v4(p) } else { p.add(IPV6_LENGTH) }
}

fn step_over_v4(p: &mut Assembler) {
    p.byte(0);
    p.and(0x0f);
    p.shift_left(2);
    p.add_to_x();
}

/// Notes tunnels of which a fragment comes. Of those over UDP only the first one shows the port.
fn fragments_v4(p: &mut Assembler, ports: &TunnelPorts) {
    p.label("fragment4");
    p.byte(9);
    directly_over_ip(p, "note4");
    p.unless(Test::Equal, 17, "hash4");
    p.half(6);
    p.when(Test::AnyBit, 0x1fff, "hash4");
    step_over_v4(p);
    p.guard(4, OUTER_4.hash);
    p.half(2);
    at_ports(p, ports, "note4");
    p.recall_x(HEADER);
    p.jump("hash4");
    p.label("note4");
    hash_of_outer(p, &OUTER_4);
    p.note();
    p.answer_a();
}

/// As [`fragments_v4`].
fn fragments_v6(p: &mut Assembler, ports: &TunnelPorts) {
    p.label("fragment6");
    p.guard(IPV6_LENGTH + FRAGMENT_LENGTH + 4, "hash6");
    p.byte(IPV6_LENGTH);
    directly_over_ip(p, "note6");
    p.unless(Test::Equal, 17, "hash6");
    p.half(IPV6_LENGTH + 2);
    p.when(Test::AnyBit, 0xfff8, "hash6");
    p.half(IPV6_LENGTH + FRAGMENT_LENGTH + 2);
    at_ports(p, ports, "note6");
    p.jump("hash6");
    p.label("note6");
    hash_of_outer(p, &OUTER_6);
    p.note();
    p.answer_a();
}

/// Goes on elsewhere where the loaded protocol is a tunnel over IP.
fn directly_over_ip(p: &mut Assembler, label: &'static str) {
    for protocol in [47, 4, 41] {
        p.when(Test::Equal, protocol, label);
    }
}

/// Goes on elsewhere where the loaded port is one of a tunnel.
fn at_ports(p: &mut Assembler, ports: &TunnelPorts, label: &'static str) {
    for ports in [&ports.geneve, &ports.vxlan] {
        for port in ports.iter().take(MAX_PORTS) {
            p.when(Test::Equal, (*port).into(), label);
        }
    }
}

/// A tunnel whose fragments came goes by its outer addresses.
fn known_tunnel(p: &mut Assembler, outer: &Outer, memory: Memory) {
    if memory == Memory::OfTunnels {
        p.store_x(PLACE);
        hash_of_outer(p, outer);
        p.ask();
        p.recall_x(PLACE);
    }
}

/// Loads the hash of the outer header's addresses; X is lost.
fn hash_of_outer(p: &mut Assembler, outer: &Outer) {
    p.recall_x(HEADER);
    if outer.version == 4 {
        fold_v4(p)
    } else {
        fold_v6(p)
    }
    spread(p);
}

/// Looks for an IP header behind an outer one.
fn carried(p: &mut Assembler, outer: &Outer, ports: &TunnelPorts, memory: Memory) {
    // It leads to what follows: programs jump forward only.
    gre(p, outer, memory);
    p.label(outer.udp);
    step_over(p, outer);
    p.guard(UDP_LENGTH + TUNNEL_LENGTH + ETHERNET_LENGTH + IPV4_LENGTH, outer.hash);
    p.half(2);
    for port in ports.geneve.iter().take(MAX_PORTS) {
        p.when(Test::Equal, (*port).into(), outer.geneve);
    }
    for port in ports.vxlan.iter().take(MAX_PORTS) {
        p.when(Test::Equal, (*port).into(), outer.vxlan);
    }
    p.jump(outer.hash);
    p.label(outer.geneve);
    known_tunnel(p, outer, memory);
    p.half(UDP_LENGTH + 2);
    p.unless(Test::Equal, ETHERNET, outer.hash);
    p.byte(UDP_LENGTH);
    p.and(0x3f);
    p.shift_left(2);
    p.add_to_x();
    p.jump(outer.over_udp);
    p.label(outer.vxlan);
    known_tunnel(p, outer, memory);
    p.label(outer.over_udp);
    p.add(UDP_LENGTH + TUNNEL_LENGTH);
    p.label(outer.ethernet);
    p.guard(ETHERNET_LENGTH + IPV4_LENGTH, outer.hash);
    p.half(12);
    p.keep(KEPT);
    p.add(ETHERNET_LENGTH);
    p.recall(KEPT);
    inner(p, outer);
    // One tag.
    p.unless(Test::Equal, VLAN, outer.hash);
    p.half(2);
    p.keep(KEPT);
    p.add(4);
    p.recall(KEPT);
    inner(p, outer);
    p.jump(outer.hash);
    p.label(outer.four);
    known_tunnel(p, outer, memory);
    step_over(p, outer);
    p.guard(IPV4_LENGTH, outer.hash);
    p.jump("hash4");
    p.label(outer.six);
    known_tunnel(p, outer, memory);
    step_over(p, outer);
    p.guard(IPV6_LENGTH, outer.hash);
    p.jump("hash6");
    p.label(outer.hash);
    p.recall_x(HEADER);
    p.jump(if outer.hash == OUTER_4.hash { "hash4" } else { "hash6" });
}

/// Goes on with the IP header of the loaded ethertype.
fn inner(p: &mut Assembler, outer: &Outer) {
    p.keep(KEPT);
    p.guard(IPV4_LENGTH, outer.hash);
    p.recall(KEPT);
    p.when(Test::Equal, IPV4, "hash4");
    p.when(Test::Equal, IPV6, "hash6");
}

fn gre(p: &mut Assembler, outer: &Outer, memory: Memory) {
    p.label(outer.gre);
    known_tunnel(p, outer, memory);
    step_over(p, outer);
    p.guard(4 + IPV4_LENGTH, outer.hash);
    p.half(2);
    p.keep(KEPT_TOO);
    p.half(0);
    p.keep(KEPT);
    // Routes, and versions other than 0.
    p.when(Test::AnyBit, 0x4007, outer.hash);
    p.add(4);
    for field in [0x8000, 0x2000, 0x1000] {
        p.recall(KEPT);
        p.add_where(field, 4);
    }
    p.recall(KEPT_TOO);
    p.when(Test::Equal, ETHERNET, outer.ethernet);
    inner(p, outer);
    p.jump(outer.hash);
}

/// Hashes the addresses of the header at hand.
fn hashes(p: &mut Assembler) {
    p.label("hash4");
    fold_v4(p);
    p.jump("spread");
    p.label("hash6");
    fold_v6(p);
    p.label("spread");
    spread(p);
    p.answer_a();
}

/// Loads the exclusive or of the addresses of the IPv4 header at X, which is lost.
fn fold_v4(p: &mut Assembler) {
    p.word(12);
    p.keep(HASH);
    p.word(16);
    p.xor_with(HASH);
}

/// As [`fold_v4`], of the words of IPv6.
fn fold_v6(p: &mut Assembler) {
    p.word(8);
    p.keep(HASH);
    for offset in (12..IPV6_LENGTH).step_by(4) {
        p.store_x(HEADER);
        p.word(offset);
        p.xor_with(HASH);
        p.keep(HASH);
        p.recall_x(HEADER);
    }
}

/// Spreads the bits of the accumulator; X is lost.
fn spread(p: &mut Assembler) {
    let [before, after, last] = SPREAD_SHIFTS;
    p.xor_shifted(before);
    p.multiply(SPREAD_FACTOR);
    p.xor_shifted(after);
    p.shift_right(last);
}

/// Loads the program with a memory for an interface whose link header has so many bytes.
pub fn load(link_length: u32, ports: &TunnelPorts) -> io::Result<OwnedFd> {
    let memory = bpf::make_map(MapKind::MappedArray, 8, classic::NOTED as u32)?;
    let program = classic::sharing(&program(link_length, ports, Memory::OfTunnels), &memory);
    bpf::load(ProgramKind::SocketFilter, &program.ok_or(io::ErrorKind::Unsupported)?)
}

#[cfg(test)]
mod tests {
    use weir_base::Timestamp;
    use weir_packet::decode::DecoderSettings;
    use weir_packet::decode::dispatch::Dispatcher;
    use weir_packet::defrag::DefragSettings;
    use weir_packet::{LinkType, RawPacket};
    use weir_testkit::{Frame, fragment_ipv4, fragment_ipv6};

    use super::super::program::testing::{Incoming, run};
    use super::*;
    use crate::sources::bpf::testing::run_on_frame;

    fn ports() -> TunnelPorts {
        TunnelPorts { vxlan: vec![4789], geneve: vec![6081] }
    }

    const A: &str = "10.0.0.1";
    const B: &str = "192.0.2.7";
    const C: &str = "2001:db8::5";
    const D: &str = "2001:db8:1::9";

    /// The hash by which a file's frame is dealt out: of the innermost packet.
    fn dealt(frame: &[u8]) -> u64 {
        let mut dispatcher = Dispatcher::new(DecoderSettings::default(), DefragSettings::default());
        let raw = RawPacket {
            number: 1,
            time: Timestamp::default(),
            link: LinkType::ETHERNET,
            wire_length: frame.len() as u32,
            interface: 0,
            bytes: frame,
        };
        match dispatcher.dispatch(&raw) {
            Some(only) => only.flow(),
            None => dispatcher.packets().first().expect("a packet").flow(),
        }
    }

    fn hashed(frame: &[u8], incoming: Incoming) -> u64 {
        run(&program(14, &ports(), Memory::Without), frame, incoming).into()
    }

    fn cases() -> Vec<(&'static str, Vec<u8>)> {
        let outer4 = || Frame::ethernet().ipv4("1.1.1.1", "2.2.2.2");
        let outer6 = || Frame::ethernet().ipv6("::1", "::2");
        let long = Frame::ethernet().ipv4(A, B).udp(1, 53).payload([7; 900]).build();
        let fragments = fragment_ipv4(&long[14..], 400);
        let ethernet = |kind: [u8; 2], packet: &[u8]| [&[2; 12], kind.as_slice(), packet].concat();
        let six = Frame::bare().ipv6(C, D).udp(1, 53).payload([7; 900]).build();
        let quoted = Frame::bare().ipv4(A, B).tcp(1, 2).build();
        vec![
            ("tcp", Frame::ethernet().ipv4(A, B).tcp(1, 2).build()),
            ("back, other ports", Frame::ethernet().ipv4(B, A).udp(3, 4).build()),
            ("six", Frame::ethernet().ipv6(C, D).tcp(1, 2).build()),
            ("six, back", Frame::ethernet().ipv6(D, C).udp(1, 2).build()),
            ("tag", Frame::ethernet().vlan(5).ipv4(A, B).tcp(1, 2).build()),
            ("tags", Frame::ethernet().tag(0x88a8, 5).vlan(6).ipv6(C, D).tcp(1, 2).build()),
            ("labels", Frame::ethernet().mpls(&[16, 17]).ipv4(A, B).tcp(1, 2).build()),
            ("label, six", Frame::ethernet().mpls(&[16]).ipv6(C, D).tcp(1, 2).build()),
            ("pppoe", Frame::ethernet().pppoe(1).ipv4(A, B).tcp(1, 2).build()),
            ("fragment", ethernet([8, 0], &fragments[0])),
            ("last fragment", ethernet([8, 0], fragments.last().expect("several"))),
            ("fragment of six", ethernet([0x86, 0xdd], &fragment_ipv6(&six, 400, 5)[1])),
            ("gre", outer4().gre().ipv4(A, B).tcp(1, 2).build()),
            ("gre with a key", outer4().gre_with_key(1, 2).ipv6(C, D).tcp(1, 2).build()),
            ("gre with frames", outer4().gre().inner_ethernet().ipv4(A, B).tcp(1, 2).build()),
            ("gre in six", outer6().gre().ipv4(A, B).tcp(1, 2).build()),
            ("four in four", outer4().ipv4(A, B).tcp(1, 2).build()),
            ("six in four", outer4().ipv6(C, D).tcp(1, 2).build()),
            ("four in six", outer6().ipv4(A, B).udp(1, 2).build()),
            ("six in six", outer6().ipv6(C, D).udp(1, 2).build()),
            ("vxlan", outer4().vxlan(7).ipv4(A, B).udp(1, 2).build()),
            ("vxlan with a tag", outer4().vxlan(7).vlan(6).ipv4(A, B).udp(1, 2).build()),
            ("vxlan in six", outer6().vxlan(7).ipv6(C, D).udp(1, 2).build()),
            ("geneve", outer4().geneve(7).ipv4(A, B).udp(1, 2).build()),
            ("geneve in six", outer6().geneve(7).ipv6(C, D).udp(1, 2).build()),
            ("echo", Frame::ethernet().ipv4(A, B).icmpv4(8, 0, [0; 4]).payload([1; 40]).build()),
            ("unreachable", outer4().icmpv4(3, 1, [0; 4]).payload(&quoted).build()),
            ("time exceeded", outer4().icmpv4(11, 0, [0; 4]).payload(&quoted).build()),
            ("vxlan's port, something else", outer4().udp(9, 4789).payload([1; 4]).build()),
            ("no ip", Frame::ethernet().ether_type(0x88cc).payload([1; 60]).build()),
        ]
    }

    #[test]
    fn live_packets_go_where_those_of_files_go() {
        for (name, frame) in cases() {
            for incoming in [Incoming::Received, Incoming::Sent] {
                assert_eq!(hashed(&frame, incoming), dealt(&frame), "{name} {incoming:?}");
            }
        }
    }

    #[test]
    fn all_jumps_lead_on() {
        for memory in [Memory::Without, Memory::OfTunnels] {
            all_is_reached(&program(14, &ports(), memory));
        }
    }

    fn all_is_reached(program: &[Instruction]) {
        assert!(program.len() < 4096);
        let mut reached = vec![false; program.len() + 1];
        reached[0] = true;
        for (at, instruction) in program.iter().enumerate() {
            assert!(reached[at], "nothing leads to {at}");
            match instruction.code {
                0x05 => reached[at + 1 + instruction.value as usize] = true,
                0x06 | 0x16 => {}
                code if code & 7 == 5 => {
                    for jump in [instruction.jump_true, instruction.jump_false] {
                        reached[at + 1 + usize::from(jump)] = true;
                    }
                }
                _ => reached[at + 1] = true,
            }
        }
    }

    #[test]
    fn short_frames_go_anywhere() {
        for (name, frame) in cases() {
            for end in 14..frame.len() {
                let hash = hashed(&frame[..end], Incoming::Received);
                assert!(hash < 1 << 29, "{name}");
            }
        }
    }

    /// The program with a memory, in the kernel; none where that is not allowed.
    fn loaded() -> Option<OwnedFd> {
        match load(14, &ports()) {
            Ok(program) => Some(program),
            Err(error) if error.raw_os_error() == Some(libc::EPERM) => {
                println!("skipped: programs are loaded by root");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn answer(program: &OwnedFd, frame: &[u8]) -> u64 {
        // The kernel runs it on frames of Ethernet of some length only.
        let frame = [frame, &[0; 30]].concat();
        run_on_frame(program, &frame).expect("a run").into()
    }

    #[test]
    fn the_kernel_answers_the_same_with_a_memory() {
        let Some(_) = loaded() else { return };
        for (name, frame) in cases() {
            let program = loaded().expect("a program");
            assert_eq!(answer(&program, &frame), dealt(&frame), "{name}");
        }
    }

    #[test]
    fn a_tunnel_in_fragments_goes_by_its_outer_addresses() {
        const O: &str = "198.51.100.1";
        const P: &str = "198.51.100.9";
        type Carried = fn(Frame) -> Frame;
        let four = || Frame::bare().ipv4(O, P);
        let six = || Frame::bare().ipv6(C, D);
        let kinds: [(&str, Carried); 5] = [
            ("gre", |outer| outer.gre().ipv4(A, B)),
            ("ip in ip", |outer| outer.ipv4(A, B)),
            ("six in ip", |outer| outer.ipv6("::1", "::2")),
            ("vxlan", |outer| outer.vxlan(7).ipv4(A, B)),
            ("geneve", |outer| outer.geneve(7).ipv4(A, B)),
        ];
        let Some(_) = loaded() else { return };
        for (name, carried) in kinds {
            for (version, outer) in [(4, four()), (6, six())] {
                let program = loaded().expect("a program");
                let kind: &[u8] = if version == 4 { &[8, 0] } else { &[0x86, 0xdd] };
                let ethernet = |packet: &[u8]| [&[2; 12], kind, packet].concat();
                let short = carried(outer.clone()).udp(1, 2).build();
                let long = carried(outer.clone()).udp(1, 2).payload([1; 900]).build();
                let by_outer = dealt(&ethernet(&outer.tcp(1, 2).build()));
                let by_inner = dealt(&ethernet(&short));
                assert_ne!(by_outer, by_inner);
                assert_eq!(answer(&program, &ethernet(&short)), by_inner, "{name} in {version}");
                let fragments = match version {
                    4 => fragment_ipv4(&long, 400),
                    _ => fragment_ipv6(&long, 400, 5),
                };
                for fragment in &fragments {
                    assert_eq!(answer(&program, &ethernet(fragment)), by_outer, "{name} in {version}");
                }
                assert_eq!(answer(&program, &ethernet(&short)), by_outer, "{name} in {version}");
            }
        }
    }

    #[test]
    fn other_fragments_say_nothing_of_tunnels() {
        let Some(program) = loaded() else { return };
        let ethernet = |packet: &[u8]| [&[2; 12], &[8, 0][..], packet].concat();
        let long = Frame::bare().ipv4(A, B).udp(1, 53).payload([7; 900]).build();
        for fragment in fragment_ipv4(&long, 400) {
            assert_eq!(answer(&program, &ethernet(&fragment)), dealt(&ethernet(&fragment)));
        }
        let tunnel = Frame::ethernet().ipv4(A, B).gre().ipv4("1.1.1.1", "2.2.2.2").tcp(1, 2).build();
        assert_eq!(answer(&program, &tunnel), dealt(&tunnel));
    }

    #[test]
    fn pairs_of_addresses_are_spread() {
        let program = program(14, &ports(), Memory::Without);
        let mut counts = [0u32; 4];
        for host in 0..1000u32 {
            let frame = Frame::ethernet()
                .ipv4(&format!("10.0.{}.{}", host / 250, host % 250), "192.0.2.1")
                .tcp(1, 2)
                .build();
            counts[run(&program, &frame, Incoming::Received) as usize % 4] += 1;
        }
        assert!(counts.iter().all(|count| (200..300).contains(count)), "{counts:?}");
    }
}
