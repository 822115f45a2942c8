//! The program that drops packets of flows that are in the table, and counts them.
//!
//! It is the filter of packet sockets, or stands at an interface (XDP) before the system sees packets; both are the same but
//! for the functions that load bytes. It steps over what the program that shares packets out does
//! (`sources/af_packet/fanout.rs`): three VLAN tags, three MPLS labels, PPPoE, and one tunnel (GRE, VXLAN, GENEVE, IP in
//! IP). All else goes on to the workers: fragments, IPv6 with extension headers, deeper tunnels, other protocols than TCP,
//! UDP and SCTP. So do segments with SYN, FIN or RST, from which the workers know how a connection ended. What may be a
//! tunnel is never dropped for its outer flow.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::AtomicU64;

use weir_packet::ip_protocol::{IPV4 as IN_IPV4, IPV6 as IN_IPV6, SCTP, TCP, UDP};

use super::key::{DEPTH_SHIFT, PROTOCOL_SHIFT, TAGGED, Tracking, VERSION_SHIFT, WORDS};
use super::table::{BUCKET, BUCKET_SHIFT, BUCKETS, ENTRY, HashKey, MARKED, Shunt, WAYS, Words};
use crate::sources::af_packet::fanout::TunnelPorts;
use crate::sources::af_packet::program::Instruction as ClassicInstruction;
use crate::sources::bpf::assembler::{Assembler, Instruction, Operation, Register, Test, Width};
use crate::sources::bpf::mapped::Mapped;
use crate::sources::bpf::{self, ProgramKind, classic};
use Operation::{Add, And, Multiply, Or, Set, ShiftLeft, ShiftRight, Subtract, Xor};
use Register::{R0, R1, R2, R3, R4, R6, R7, R8, R9, R10};
use Width::{Byte, Double, Half, Word};

/// Functions of the kernel.
const LOOK_UP: i32 = 1;
const LOAD_OF_SOCKET: i32 = 26;
const LENGTH_AT_XDP: i32 = 188;
const LOAD_AT_XDP: i32 = 189;

/// Fates of packets at XDP.
const XDP_DROP: i32 = 1;
const XDP_PASS: i32 = 2;

/// Facts about a packet of a socket (`struct __sk_buff`).
const LENGTH: i16 = 0;
const TAG_IS_BESIDE: i16 = 20;
const TAG: i16 = 24;

const ETHER_IPV4: i32 = 0x0800;
const ETHER_IPV6: i32 = 0x86dd;
const VLAN: i32 = 0x8100;
const PROVIDER_BRIDGE: i32 = 0x88a8;
const QINQ: i32 = 0x9100;
const MPLS: i32 = 0x8847;
const PPPOE: i32 = 0x8864;
const ETHERNET: i32 = 0x6558;
const GRE: u8 = 47;

/// Flags of TCP at which a segment goes on: FIN, SYN, RST.
const ENDS_AND_BEGINNINGS: i32 = 0x07;

/// Places on the stack: the key, the bucket's number, bytes of the packet, and facts about it.
const KEY: i16 = -(WORDS as i16) * 8;
const PORTS: i16 = KEY + 32;
const TAGS: i16 = KEY + 40;
const BUCKET_NUMBER: i16 = KEY - 8;
const BYTES: i16 = BUCKET_NUMBER - 40;
/// Counts that a packet adds to its flow.
const COUNTED: i16 = BYTES - 8;
const IP_BYTES: i16 = COUNTED - 8;
const PAYLOAD: i16 = IP_BYTES - 8;
/// Where the outer IP packet ends.
const OUTER_END: i16 = PAYLOAD - 8;

/// Where packets begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beginning {
    /// With an Ethernet header.
    Ethernet,
    /// With an IP header.
    Ip,
}

/// Facts on an interface that its program depends on.
#[derive(Clone, Debug)]
pub struct Interface<'a> {
    /// Where packets begin.
    pub beginning: Beginning,
    /// Where tunnels are.
    pub tunnels: &'a TunnelPorts,
    /// Marks that tell flows apart.
    pub tracking: Tracking,
    /// Filter of the socket, which comes first.
    pub filter: &'a [ClassicInstruction],
}

impl Words for Mapped {
    fn words(&self) -> &[AtomicU64] {
        Mapped::words(self)
    }
}

/// A table, and the map that programs know it by.
pub struct Made {
    /// The table.
    pub shunt: Shunt,
    map: OwnedFd,
    hash: HashKey,
}

impl Made {
    /// Makes an empty table.
    pub fn new() -> io::Result<Self> {
        let (map, memory) = Mapped::make(BUCKET, BUCKETS)?;
        let hash = HashKey::drawn();
        Ok(Self { shunt: Shunt::new(Box::new(memory), hash), map, hash })
    }

    /// Loads a program that drops what is in the table.
    pub fn load(&self, kind: ProgramKind, interface: &Interface<'_>) -> io::Result<OwnedFd> {
        let program = program(&self.map, self.hash, kind, interface);
        let program = program.ok_or_else(|| io::Error::other("the filter cannot be part of the program"))?;
        bpf::load(kind, &program)
    }
}

/// Depths at which IP headers are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Outer,
    Inner,
}

impl Level {
    fn label(self, name: &str) -> String {
        format!("{name} {}", if self == Level::Outer { "outer" } else { "inner" })
    }
}

struct Writer<'a> {
    p: Assembler,
    kind: ProgramKind,
    interface: &'a Interface<'a>,
}

fn program(
    map: &OwnedFd,
    hash: HashKey,
    kind: ProgramKind,
    interface: &Interface<'_>,
) -> Option<Vec<Instruction>> {
    let mut writer = Writer { p: Assembler::default(), kind, interface };
    writer.p.by(Set, R6, R1);
    if kind == ProgramKind::SocketFilter
        && !interface.filter.is_empty()
        && !classic::append(&mut writer.p, interface.filter)
    {
        return None;
    }
    writer.facts();
    writer.link();
    writer.ip_headers(Level::Outer);
    writer.tunnels();
    writer.ip_headers(Level::Inner);
    writer.transports();
    writer.look_up(map, hash);
    let (drop, pass) = match kind {
        ProgramKind::SocketFilter => (0, -1),
        ProgramKind::Xdp => (XDP_DROP, XDP_PASS),
    };
    let p = &mut writer.p;
    p.with(Set, R0, drop);
    p.exit();
    p.label("pass");
    p.with(Set, R0, pass);
    p.exit();
    writer.p.finish()
}

/// R6 has what the program was given, R7 the place in the packet, R8 what comes there, R9 the tags.
impl Writer<'_> {
    /// Loads bytes at R7 to the stack; where there are fewer, the packet goes on.
    fn bytes(&mut self, length: i32) {
        let p = &mut self.p;
        p.by(Set, R1, R6);
        p.by(Set, R2, R7);
        p.by(Set, R3, R10);
        p.with(Add, R3, BYTES.into());
        p.with(Set, R4, length);
        p.call(if self.kind == ProgramKind::Xdp { LOAD_AT_XDP } else { LOAD_OF_SOCKET });
        p.when(R0, Test::Differ, 0, "pass");
    }

    /// Takes 16 bits of the loaded bytes.
    fn half(&mut self, to: Register, at: i16) {
        self.p.load(Half, to, R10, BYTES + at);
        self.p.network_half(to);
    }

    /// Clears the key, and learns length and the tag that lies beside the packet.
    fn facts(&mut self) {
        let p = &mut self.p;
        p.with(Set, R7, 0);
        p.with(Set, R9, 0);
        for word in 0..WORDS as i16 {
            p.store(Double, R10, KEY + word * 8, R7);
        }
        if self.kind == ProgramKind::Xdp {
            p.by(Set, R1, R6);
            p.call(LENGTH_AT_XDP);
            p.store(Double, R10, COUNTED, R0);
            return;
        }
        p.load(Word, R0, R6, LENGTH);
        p.load(Word, R1, R6, TAG_IS_BESIDE);
        p.when(R1, Test::Equal, 0, "no tag beside");
        // It is put back before anybody counts.
        p.with(Add, R0, 4);
        if self.interface.tracking.tags {
            p.load(Word, R9, R6, TAG);
            p.with(And, R9, 0x0fff);
            p.with(Or, R9, TAGGED.into());
        }
        p.label("no tag beside");
        p.store(Double, R10, COUNTED, R0);
    }

    /// Follows the link layer to an IP header.
    fn link(&mut self) {
        if self.interface.beginning == Beginning::Ethernet {
            self.ethernet();
            self.network();
        }
        self.p.label("any ip");
        self.bytes(1);
        self.p.load(Byte, R0, R10, BYTES);
        self.p.with(ShiftRight, R0, 4);
        self.p.when(R0, Test::Equal, 4, Level::Outer.label("ipv4"));
        self.p.when(R0, Test::Equal, 6, Level::Outer.label("ipv6"));
        self.p.jump("pass");
    }

    /// Reads a header of Ethernet at R7.
    fn ethernet(&mut self) {
        self.bytes(14);
        self.half(R8, 12);
        self.p.with(Add, R7, 14);
    }

    /// Follows tags, labels and PPPoE to an IP header.
    fn network(&mut self) {
        for tag in ["first tag", "second tag"] {
            self.tag(tag);
        }
        let p = &mut self.p;
        p.when(R8, Test::Equal, ETHER_IPV4, Level::Outer.label("ipv4"));
        p.when(R8, Test::Equal, ETHER_IPV6, Level::Outer.label("ipv6"));
        p.when(R8, Test::Equal, PPPOE, "pppoe");
        p.when(R8, Test::Equal, MPLS, "labels");
        p.jump("pass");
        p.label("labels");
        for _ in 0..3 {
            self.bytes(4);
            self.p.with(Add, R7, 4);
            self.p.load(Byte, R0, R10, BYTES + 2);
            self.p.when(R0, Test::AnyBit, 1, "any ip");
        }
        self.p.jump("pass");
        self.p.label("pppoe");
        self.bytes(8);
        self.p.with(Add, R7, 8);
        self.half(R0, 6);
        self.p.when(R0, Test::Equal, 0x0021, Level::Outer.label("ipv4"));
        self.p.when(R0, Test::Equal, 0x0057, Level::Outer.label("ipv6"));
        self.p.jump("pass");
    }

    /// Steps over a tag, if one is there.
    fn tag(&mut self, name: &str) {
        for kind in [VLAN, PROVIDER_BRIDGE, QINQ] {
            self.p.when(R8, Test::Equal, kind, name);
        }
        self.p.jump(format!("no {name}"));
        self.p.label(name);
        self.bytes(4);
        self.half(R8, 2);
        self.p.with(Add, R7, 4);
        if self.interface.tracking.tags {
            self.half(R0, 0);
            let p = &mut self.p;
            p.with(And, R0, 0x0fff);
            p.with(Or, R0, TAGGED.into());
            p.with(ShiftLeft, R9, 16);
            p.by(Or, R9, R0);
        }
        self.p.label(format!("no {name}"));
    }

    /// Reads the IP header at R7: addresses to the key, the protocol to R8; R7 moves behind it.
    fn ip_headers(&mut self, level: Level) {
        self.p.label(level.label("ipv4"));
        self.bytes(20);
        let p = &mut self.p;
        p.load(Byte, R1, R10, BYTES);
        p.by(Set, R2, R1);
        p.with(ShiftRight, R2, 4);
        p.when(R2, Test::Differ, 4, "pass");
        self.half(R2, 6);
        let p = &mut self.p;
        // Fragments.
        p.when(R2, Test::AnyBit, 0x3fff, "pass");
        p.with(Set, R0, 0);
        p.load(Word, R2, R10, BYTES + 12);
        p.load(Word, R3, R10, BYTES + 16);
        for (word, register) in [R2, R0, R3, R0].into_iter().zip([0, 8, 16, 24]).map(|(r, w)| (w, r)) {
            p.store(Double, R10, KEY + word, register);
        }
        p.load(Byte, R8, R10, BYTES + 9);
        self.half(R2, 2);
        let p = &mut self.p;
        p.with(And, R1, 0x0f);
        p.with(ShiftLeft, R1, 2);
        p.with(Set, R3, 4);
        self.behind_header(level);
        self.p.jump(level.label("protocol"));
        self.p.label(level.label("ipv6"));
        self.bytes(40);
        let p = &mut self.p;
        p.load(Byte, R1, R10, BYTES);
        p.with(ShiftRight, R1, 4);
        p.when(R1, Test::Differ, 6, "pass");
        for word in [0, 8, 16, 24] {
            p.load(Double, R0, R10, BYTES + 8 + word);
            p.store(Double, R10, KEY + word, R0);
        }
        p.load(Byte, R8, R10, BYTES + 6);
        self.half(R2, 4);
        let p = &mut self.p;
        p.with(Add, R2, 40);
        p.with(Set, R1, 40);
        p.with(Set, R3, 6);
        self.behind_header(level);
        self.p.label(level.label("protocol"));
        self.protocols(level);
    }

    /// Keeps the lengths of an IP packet in R2 and of its header in R1, and its version in R3.
    fn behind_header(&mut self, level: Level) {
        let p = &mut self.p;
        p.store(Double, R10, IP_BYTES, R2);
        p.by(Set, R0, R2);
        p.by(Subtract, R0, R1);
        p.store(Double, R10, PAYLOAD, R0);
        if level == Level::Outer {
            p.by(Add, R2, R7);
            p.store(Double, R10, OUTER_END, R2);
        }
        p.by(Add, R7, R1);
        p.with(ShiftLeft, R3, VERSION_SHIFT as i32);
        p.store(Double, R10, PORTS, R3);
    }

    fn protocols(&mut self, level: Level) {
        let p = &mut self.p;
        if level == Level::Outer {
            p.when(R8, Test::Equal, UDP.into(), "outer udp");
            p.when(R8, Test::Equal, GRE.into(), "gre");
            p.when(R8, Test::Equal, IN_IPV4.into(), "ipv4 in ip");
            p.when(R8, Test::Equal, IN_IPV6.into(), "ipv6 in ip");
        }
        for protocol in [TCP, UDP, SCTP] {
            p.when(R8, Test::Equal, protocol.into(), "transport");
        }
        p.jump("pass");
    }

    /// Looks for an IP header in a tunnel, at R7.
    fn tunnels(&mut self) {
        self.p.label("outer udp");
        self.bytes(8);
        self.half(R0, 2);
        let ports = self.interface.tunnels.clone();
        for (ports, label) in [(&ports.geneve, "geneve"), (&ports.vxlan, "vxlan")] {
            for port in ports.iter().take(crate::sources::af_packet::fanout::MAX_PORTS) {
                self.p.when(R0, Test::Equal, (*port).into(), label);
            }
        }
        self.p.jump("transport");
        self.gre();
        self.p.label("geneve");
        self.p.with(Add, R7, 8);
        self.bytes(4);
        self.half(R0, 2);
        self.p.when(R0, Test::Differ, ETHERNET, "pass");
        let p = &mut self.p;
        p.load(Byte, R0, R10, BYTES);
        p.with(And, R0, 0x3f);
        p.with(ShiftLeft, R0, 2);
        p.by(Add, R7, R0);
        p.with(Add, R7, 8);
        p.jump("inner ethernet");
        p.label("vxlan");
        p.with(Add, R7, 16);
        self.ethernet();
        // Packets in VXLAN are counted from behind the header of Ethernet.
        self.inside();
        self.p.jump("inner type");
        self.p.label("inner ethernet");
        self.inside();
        self.ethernet();
        self.p.label("inner type");
        self.tag("inner tag");
        self.p.when(R8, Test::Equal, ETHER_IPV4, Level::Inner.label("ipv4"));
        self.p.when(R8, Test::Equal, ETHER_IPV6, Level::Inner.label("ipv6"));
        self.p.jump("pass");
        for (label, to) in [("ipv4 in ip", "ipv4"), ("ipv6 in ip", "ipv6")] {
            self.p.label(label);
            self.inside();
            self.p.jump(Level::Inner.label(to));
        }
    }

    fn gre(&mut self) {
        self.p.label("gre");
        self.bytes(4);
        self.half(R8, 0);
        // Routes, and versions other than 0.
        self.p.when(R8, Test::AnyBit, 0x4007, "pass");
        self.p.with(Add, R7, 4);
        for (field, behind) in [(0x8000, "sum"), (0x2000, "key"), (0x1000, "sequence")] {
            let p = &mut self.p;
            p.by(Set, R0, R8);
            p.with(And, R0, field);
            p.when(R0, Test::Equal, 0, format!("no {behind}"));
            p.with(Add, R7, 4);
            p.label(format!("no {behind}"));
        }
        self.half(R8, 2);
        let p = &mut self.p;
        p.when(R8, Test::Equal, ETHERNET, "inner ethernet");
        p.when(R8, Test::Equal, ETHER_IPV4, "ipv4 in ip");
        p.when(R8, Test::Equal, ETHER_IPV6, "ipv6 in ip");
        p.jump("pass");
    }

    /// A packet in a tunnel begins at R7: it has tags of its own, and counts from there.
    fn inside(&mut self) {
        let p = &mut self.p;
        p.load(Double, R0, R10, OUTER_END);
        p.by(Subtract, R0, R7);
        p.when(R0, Test::Negative, 0, "pass");
        p.store(Double, R10, COUNTED, R0);
        p.with(Set, R9, 0);
        // Its depth, until the IP header clears the word: kept with the tags.
        if self.interface.tracking.tunnels {
            p.with(Set, R0, 1);
            p.store(Double, R10, TAGS, R0);
        }
    }

    /// Takes the ports, and what lies behind the header of the transport.
    fn transports(&mut self) {
        self.p.label("transport");
        self.bytes(8);
        let p = &mut self.p;
        p.load(Word, R1, R10, BYTES);
        p.load(Double, R2, R10, PORTS);
        p.by(Or, R2, R1);
        p.by(Set, R1, R8);
        p.with(ShiftLeft, R1, PROTOCOL_SHIFT as i32);
        p.by(Or, R2, R1);
        p.load(Double, R1, R10, TAGS);
        p.with(ShiftLeft, R1, DEPTH_SHIFT as i32);
        p.by(Or, R2, R1);
        p.store(Double, R10, PORTS, R2);
        p.store(Double, R10, TAGS, R9);
        p.when(R8, Test::Equal, TCP.into(), "tcp");
        p.with(Set, R0, 0);
        p.when(R8, Test::Equal, SCTP.into(), "payload");
        self.half(R0, 4);
        self.p.with(Subtract, R0, 8);
        self.p.jump("payload");
        self.p.label("tcp");
        self.bytes(14);
        let p = &mut self.p;
        p.load(Byte, R1, R10, BYTES + 13);
        p.when(R1, Test::AnyBit, ENDS_AND_BEGINNINGS, "pass");
        p.load(Byte, R1, R10, BYTES + 12);
        p.with(ShiftRight, R1, 4);
        p.with(ShiftLeft, R1, 2);
        p.load(Double, R0, R10, PAYLOAD);
        p.by(Subtract, R0, R1);
        p.label("payload");
        p.when(R0, Test::Negative, 0, "pass");
        p.store(Double, R10, PAYLOAD, R0);
    }

    /// Looks the key up, and counts the packet where it is found.
    fn look_up(&mut self, map: &OwnedFd, hash: HashKey) {
        let p = &mut self.p;
        p.set_wide(R0, hash.seed);
        p.set_wide(R2, hash.factor);
        for word in 0..WORDS as i16 {
            p.load(Double, R1, R10, KEY + word * 8);
            p.by(Xor, R0, R1);
            p.by(Multiply, R0, R2);
            p.by(Set, R1, R0);
            p.with(ShiftRight, R1, 32);
            p.by(Xor, R0, R1);
        }
        p.with(Or, R0, MARKED as i32);
        p.by(Set, R7, R0);
        p.with(ShiftRight, R0, BUCKET_SHIFT as i32);
        p.with(And, R0, BUCKETS as i32 - 1);
        p.store(Word, R10, BUCKET_NUMBER, R0);
        p.set_map(R1, map);
        p.by(Set, R2, R10);
        p.with(Add, R2, BUCKET_NUMBER.into());
        p.call(LOOK_UP);
        p.when(R0, Test::Equal, 0, "pass");
        for way in 0..WAYS {
            p.load(Double, R1, R0, (way * 8) as i16);
            p.when_by(R1, Test::Equal, R7, format!("way {way}"));
        }
        p.jump("pass");
        for way in 0..WAYS {
            p.label(format!("way {way}"));
            p.with(Add, R0, ((WAYS + way * ENTRY) * 8) as i32);
            p.jump("entry");
        }
        p.label("entry");
        for word in 0..WORDS as i16 {
            p.load(Double, R1, R0, word * 8);
            p.load(Double, R2, R10, KEY + word * 8);
            p.when_by(R1, Test::Differ, R2, "pass");
        }
        p.with(Set, R1, 1);
        p.add_at_once(R0, WORDS as i16 * 8, R1);
        for (place, count) in [COUNTED, IP_BYTES, PAYLOAD].into_iter().zip(1..) {
            p.load(Double, R1, R10, place);
            p.add_at_once(R0, (WORDS as i16 + count) * 8, R1);
        }
    }
}

#[cfg(test)]
mod tests;
