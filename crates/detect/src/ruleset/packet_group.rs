//! Rules on packets and on the stream, grouped by class of packet and direction.

use weir_base::{Direction, PerDirection};
use weir_mpm::{BuildError, Literal};

use super::head_index::HeadIndex;
use super::matchers::Matchers;
use super::payload_scan::payload_literal;
use super::payload_scans::{PayloadParts, PayloadScans, build_scans};
use crate::model::signature::{Kind, LinkProtocol, Signature, Subjects};

/// Kinds of packets that rules are grouped by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketClass {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// ICMP of either version.
    Icmp,
    /// Another IP protocol.
    OtherIp,
    /// No IP header that could be read.
    NoIp,
}

impl PacketClass {
    /// All of them.
    pub const ALL: [PacketClass; 5] =
        [PacketClass::Tcp, PacketClass::Udp, PacketClass::Icmp, PacketClass::OtherIp, PacketClass::NoIp];

    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            PacketClass::Tcp => "tcp",
            PacketClass::Udp => "udp",
            PacketClass::Icmp => "icmp",
            PacketClass::OtherIp => "ip",
            PacketClass::NoIp => "pkthdr",
        }
    }

    /// The class of an IP protocol number.
    pub const fn of(protocol: Option<u8>) -> Self {
        match protocol {
            Some(6) => PacketClass::Tcp,
            Some(17) => PacketClass::Udp,
            Some(1 | 58) => PacketClass::Icmp,
            Some(_) => PacketClass::OtherIp,
            None => PacketClass::NoIp,
        }
    }

    /// Whether a signature can match packets of this class.
    pub(crate) fn admits(self, signature: &Signature) -> bool {
        let protocols = &signature.head.protocols;
        match protocols.link {
            LinkProtocol::PacketHeader | LinkProtocol::Ethernet => return true,
            LinkProtocol::Arp => return self == PacketClass::NoIp,
            LinkProtocol::None => {}
        }
        match self {
            PacketClass::Tcp => protocols.has(6),
            PacketClass::Udp => protocols.has(17),
            PacketClass::Icmp => protocols.has(1) || protocols.has(58),
            PacketClass::OtherIp => {
                let [first, others @ ..] = protocols.numbers;
                let of_other_classes = 1 << 1 | 1 << 6 | 1 << 17 | 1 << 58;
                protocols.all_numbers() || first & !of_other_classes != 0 || others != [0; 3]
            }
            PacketClass::NoIp => false,
        }
    }
}

/// Rules on packets of one class and direction.
#[derive(Debug, Default)]
pub struct PacketGroup {
    /// Rules that no literal narrows: looked at for each packet with their ports or addresses.
    pub always: HeadIndex,
    /// Rules that the flow's protocol alone decides: looked at once it is settled what the direction speaks.
    pub on_protocol: HeadIndex,
    /// Some rule looks at the reassembled stream, narrowed by a literal in it or not.
    pub looks_at_stream: bool,
    /// Literals in payloads that are part of a stream, of rules on packets.
    pub payload: PayloadScans,
    /// Literals in the reassembled stream.
    pub stream: PayloadScans,
    /// Literals in payloads by themselves, of rules on either.
    pub alone: PayloadScans,
}

/// Parts of a [`PacketGroup`] before it is built.
#[derive(Default)]
struct PacketParts<'s> {
    always: Vec<&'s Signature>,
    on_protocol: Vec<&'s Signature>,
    looks_at_stream: bool,
    payload: Vec<(&'s Signature, Literal)>,
    stream: Vec<(&'s Signature, Literal)>,
    alone: Vec<(&'s Signature, Literal)>,
}

impl<'s> PacketParts<'s> {
    /// Adds a rule, which `literal` narrows, or else another buffer's literal.
    fn add(&mut self, signature: &'s Signature, class: PacketClass, literal: Option<&Literal>) {
        let on_stream = class == PacketClass::Tcp && signature.checks.payload_in.contains(Subjects::STREAM);
        self.looks_at_stream |= on_stream && signature.checks.look_at_payload();
        let Some(literal) = literal else {
            let narrowed = signature.prefilter_buffer().is_some();
            match signature.kind {
                Kind::Transaction | Kind::Frame => {}
                Kind::ProtocolOnly => self.on_protocol.push(signature),
                _ if narrowed => {}
                _ => self.always.push(signature),
            }
            return;
        };
        self.alone.push((signature, literal.clone()));
        if class == PacketClass::Tcp && signature.checks.payload_in.contains(Subjects::PACKET) {
            self.payload.push((signature, literal.clone()));
        }
        if on_stream {
            self.stream.push((signature, literal.clone()));
        }
    }
}

/// The groups of rules on packets, by class.
pub(super) fn packet_groups(
    signatures: &[&Signature],
    matchers: Matchers<'_>,
) -> Result<Vec<PerDirection<PacketGroup>>, BuildError> {
    let mut classes = PacketClass::ALL.map(|class| (class, PerDirection::<PacketParts<'_>>::default()));
    for &signature in signatures.iter().filter(|signature| !signature.kind.is_address_only()) {
        let literal = signature.is_narrowed_in_payload().then(|| payload_literal(signature)).flatten();
        let directions = signature.directions();
        for (class, parts) in &mut classes {
            if class.admits(signature) {
                for direction in Direction::BOTH {
                    if directions[direction] || *class == PacketClass::NoIp {
                        parts[direction].add(signature, *class, literal.as_ref());
                    }
                }
            }
        }
    }
    let mut groups = Vec::new();
    for (_, parts) in &classes {
        for direction in Direction::BOTH {
            let PacketParts { payload, stream, alone, .. } = &parts[direction];
            groups.extend([payload, stream, alone].map(|rules| PayloadParts::new(rules, direction)));
        }
    }
    let mut scans = build_scans(groups, matchers)?.into_iter();
    let mut group = |parts: PacketParts<'_>| PacketGroup {
        always: HeadIndex::new(parts.always.into_iter()),
        on_protocol: HeadIndex::new(parts.on_protocol.into_iter()),
        looks_at_stream: parts.looks_at_stream,
        payload: scans.next().unwrap_or_default(),
        stream: scans.next().unwrap_or_default(),
        alone: scans.next().unwrap_or_default(),
    };
    let pair = |(_, PerDirection { to_server, to_client })| PerDirection {
        to_server: group(to_server),
        to_client: group(to_client),
    };
    Ok(classes.into_iter().map(pair).collect())
}
