//! The head of a rule, and which packets it admits.

use std::net::IpAddr;
use std::sync::Arc;

use weir_applayer::Protocol;
use weir_base::Direction;
use weir_packet::Packet;
use weir_rules::{Action, ActionScope, AddressSet, PortSet, Resolver, RuleDirection, Spanned, SyntaxError};

use super::firewall::FirewallRule;
use super::hook::{Hook, StateHook};
use super::view::PacketFacts;

/// Packets that a rule's protocol field admits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct PacketProtocols {
    /// The rule wants a header version: 4, 6, or 0 for either.
    pub ip_version: u8,
    /// Admitted IP protocol numbers, as bits; empty for all.
    pub numbers: [u64; 4],
    /// Packets only, not the reassembled stream (`tcp-pkt`).
    pub packet_only: bool,
    /// The reassembled stream only (`tcp-stream`).
    pub stream_only: bool,
    /// Packets without an IP header are admitted: ARP, Ethernet (`arp`, `ether`, `pkthdr`).
    pub link: LinkProtocol,
}

/// A protocol field that speaks of what lies below IP.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum LinkProtocol {
    /// It does not.
    #[default]
    None,
    /// `arp`
    Arp,
    /// `ether`
    Ethernet,
    /// `pkthdr`: any packet, however damaged.
    PacketHeader,
}

impl PacketProtocols {
    /// Admits an IP protocol number.
    pub fn add(&mut self, number: u8) {
        if let Some(word) = self.numbers.get_mut(usize::from(number >> 6)) {
            *word |= 1 << (number & 63);
        }
    }

    /// Whether every IP protocol is admitted.
    pub fn all_numbers(&self) -> bool {
        self.numbers == [0; 4]
    }

    /// Whether all packets admitted have ports: those of TCP, UDP and SCTP.
    pub fn all_have_ports(&self) -> bool {
        let others = |numbers: [u64; 4]| {
            let [tcp_udp, second, sctp, last] = numbers;
            [tcp_udp & !(1 << 6 | 1 << 17), second, sctp & !(1 << (132 - 128)), last]
        };
        !self.all_numbers() && others(self.numbers) == [0; 4]
    }

    /// Whether an IP protocol number is admitted.
    pub fn has(&self, number: u8) -> bool {
        self.all_numbers()
            || self.numbers.get(usize::from(number >> 6)).is_some_and(|word| word & (1 << (number & 63)) != 0)
    }

    /// Whether the packet is admitted.
    pub fn admits(&self, packet: &Packet<'_>) -> bool {
        match self.link {
            LinkProtocol::PacketHeader => return true,
            LinkProtocol::Arp => return packet.arp.is_some(),
            LinkProtocol::Ethernet => return packet.ethernet.is_some(),
            LinkProtocol::None => {}
        }
        let Some(ip) = &packet.ip else { return false };
        match self.ip_version {
            4 if !ip.is_v4() => return false,
            6 if ip.is_v4() => return false,
            _ => {}
        }
        self.has(ip.protocol())
    }
}

/// One side of a rule's header.
#[derive(Clone, Debug)]
pub struct Side {
    /// Addresses.
    pub addresses: Arc<AddressSet>,
    /// Ports.
    pub ports: Arc<PortSet>,
    /// Every address is meant: known without a look at the set.
    any_address: bool,
    /// Every port is meant.
    any_port: bool,
}

impl Side {
    /// A side with these addresses and ports.
    pub fn new(addresses: Arc<AddressSet>, ports: Arc<PortSet>) -> Self {
        let (any_address, any_port) = (addresses.is_any(), ports.is_any());
        Self { addresses, ports, any_address, any_port }
    }

    /// The side that a rule names.
    pub(crate) fn resolved(
        addresses: &Spanned,
        ports: &Spanned,
        resolver: &mut Resolver<'_>,
    ) -> Result<Self, SyntaxError> {
        Ok(Self::new(
            resolver.addresses(addresses).map_err(|error| addresses.locate(error))?,
            resolver.ports(ports).map_err(|error| ports.locate(error))?,
        ))
    }

    /// Whether the side means an address, which a packet need not have.
    #[inline]
    pub fn has_address(&self, address: Option<IpAddr>) -> bool {
        self.any_address || address.is_some_and(|address| self.addresses.contains(address))
    }

    /// Whether the side means a port, which a packet need not have.
    #[inline]
    pub fn has_port(&self, port: Option<u16>) -> bool {
        self.any_port || port.is_some_and(|port| self.ports.contains(port))
    }
}

/// Requirements of `flow`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct FlowRequirement {
    /// `to_server` or `to_client`.
    pub direction: Option<Direction>,
    /// `established` (true) or `not_established` (false).
    pub established: Option<bool>,
    /// `no_frag` (false) or `only_frag` (true).
    pub fragment: Option<bool>,
    /// `only_stream` (true) or `no_stream` (false).
    pub stream: Option<bool>,
    /// `stateless`
    pub stateless: bool,
    /// The option is there.
    pub given: bool,
}

/// Parts of a rule's header and `flow`, in the order in which they are compared with a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeaderPart {
    /// The protocol of the packet.
    Protocol,
    /// The protocol of the flow.
    Application,
    /// The direction in the flow.
    Direction,
    /// Whether the flow is established.
    Established,
    /// Whether the packet is a fragment.
    Fragment,
    /// Addresses and ports.
    Ends,
}

impl HeaderPart {
    /// All of them.
    pub const ALL: [HeaderPart; 6] = [
        HeaderPart::Protocol,
        HeaderPart::Application,
        HeaderPart::Direction,
        HeaderPart::Established,
        HeaderPart::Fragment,
        HeaderPart::Ends,
    ];
}

/// The head of a rule: all that decides, without a look at bytes, whether it is for a packet; and its action.
pub struct Head {
    /// Action that it takes.
    pub action: Action,
    /// To what it does it.
    pub scope: Option<ActionScope>,
    /// Where its protocol field says that it is looked at.
    pub hook: Option<Hook>,
    /// Decision that it takes as a rule of the firewall.
    pub firewall: Option<Box<FirewallRule>>,
    /// Packets admitted.
    pub protocols: PacketProtocols,
    /// Application protocols admitted; empty for all.
    pub app_protocols: Vec<&'static Protocol>,
    /// Source side.
    pub source: Side,
    /// Destination side.
    pub destination: Side,
    /// The ways it is looked at between its sides.
    pub direction: RuleDirection,
    /// Requirements of `flow`.
    pub flow: FlowRequirement,
}

impl Head {
    /// `=>`: whether it looks at both directions of a transaction.
    #[inline]
    pub fn is_transactional(&self) -> bool {
        self.direction == RuleDirection::Transaction
    }

    /// `<>`: whether its sides may be the other way round, packet by packet.
    #[inline]
    pub fn is_both_ways(&self) -> bool {
        self.direction == RuleDirection::BothWays
    }

    /// The state of transactions in which alone the rule is looked at.
    #[inline]
    pub fn state_hook(&self) -> Option<StateHook> {
        self.hook?.state()
    }

    /// Whether a flow of `protocol` can match.
    pub fn admits_protocol(&self, protocol: Option<&Protocol>) -> bool {
        self.app_protocols.is_empty()
            || protocol.is_some_and(|found| self.app_protocols.iter().any(|p| **p == *found))
    }

    /// Whether the rule's header and `flow` admit the packet.
    #[inline]
    pub(crate) fn admits(&self, facts: &PacketFacts<'_>) -> bool {
        self.miss(facts).is_none()
    }

    /// The first part of the rule's header and `flow` that does not admit the packet.
    pub(crate) fn miss(&self, facts: &PacketFacts<'_>) -> Option<HeaderPart> {
        let packet = facts.packet;
        if !self.protocols.admits(packet) {
            return Some(HeaderPart::Protocol);
        }
        if !self.admits_protocol(facts.protocol.protocol) {
            return Some(HeaderPart::Application);
        }
        let wanted = &self.flow;
        if wanted.given || wanted.direction.is_some() {
            if let Some(direction) = wanted.direction
                && !self.is_transactional()
                && (facts.flow.is_none() || direction != facts.direction)
            {
                return Some(HeaderPart::Direction);
            }
            if wanted.established.is_some_and(|established| established != facts.established) {
                return Some(HeaderPart::Established);
            }
            if wanted.fragment.is_some_and(|fragment| fragment != packet.is_fragment()) {
                return Some(HeaderPart::Fragment);
            }
        }
        (!self.ends_match(packet, facts.direction)).then_some(HeaderPart::Ends)
    }

    /// Whether addresses and ports are the rule's.
    fn ends_match(&self, packet: &Packet<'_>, direction: Direction) -> bool {
        let (source, destination) = (&self.source, &self.destination);
        // A rule on both directions of a transaction is written from the client's side.
        if self.is_transactional() && direction == Direction::ToClient {
            return one_way(destination, source, packet);
        }
        one_way(source, destination, packet) || self.is_both_ways() && one_way(destination, source, packet)
    }
}

fn one_way(source: &Side, destination: &Side, packet: &Packet<'_>) -> bool {
    if !destination.has_port(packet.destination_port()) || !source.has_port(packet.source_port()) {
        return false;
    }
    let [from, to] = addresses(packet);
    source.has_address(from) && destination.has_address(to)
}

/// Returns the addresses that rules hold a packet to, source and destination: those of IP, else of ARP.
#[inline]
pub fn addresses(packet: &Packet<'_>) -> [Option<IpAddr>; 2] {
    let arp = packet.arp.as_ref();
    let source = packet.source().or_else(|| arp.map(|arp| arp.source.into()));
    let destination = packet.destination().or_else(|| arp.map(|arp| arp.destination.into()));
    [source, destination]
}
