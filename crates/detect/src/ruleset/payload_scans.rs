//! The scans for the literals of rules on payloads, by what decides that a rule can match at all: most rules are on one
//! protocol, or on few ports of servers. Their literals are looked for where the flow speaks that protocol, or the
//! server's port is one of those; anywhere else the rule's head would refuse the packet.

use std::collections::HashMap;

use weir_applayer::Protocol;
use weir_base::Direction;
use weir_mpm::{BuildError, Literal, MatchScratch, MultiMatcher, PatternSet};
use weir_rules::RuleHash;

use super::address_index::Segments;
use super::matchers::{Matchers, build_each};
use super::payload_scan::PayloadScan;
use crate::model::head::Head;
use crate::model::signature::{Signature, SignatureIndex};
use crate::model::view::PacketFacts;

/// Rules on more ports than this are looked for at all of them.
const FEW_PORTS: u32 = 1024;

/// So are rules on more ranges of ports than this: each port of a list has a matcher of its own to build.
const FEW_RANGES: usize = 8;

/// The literals of a protocol and those of all protocols are looked for together where these are not more times as many.
const TOGETHER: usize = 4;

/// The literals of one group of rules, looked for in payloads or in windows of a stream.
#[derive(Debug, Default)]
pub struct PayloadScans {
    /// Rules on any protocol and on many ports.
    general: Option<PayloadScan>,
    protocols: Vec<OfProtocol>,
    /// First of each range of ports of servers, ascending.
    ports: Vec<u16>,
    /// The number of the scan for the rules on each of these ranges, from one on; zero where there are none.
    scans: Vec<u32>,
    /// Rules on few ports.
    of_ports: Vec<PayloadScan>,
    /// Bytes of the longest literal that can lie before the border of two windows.
    pub reach: usize,
}

/// Rules on a protocol and on many ports.
#[derive(Debug)]
struct OfProtocol {
    protocol: &'static Protocol,
    scan: PayloadScan,
    extent: Extent,
}

/// Rules whose literals are looked for together with those on a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// None.
    Own,
    /// Those on any protocol.
    WithGeneral,
}

impl PayloadScans {
    /// Adds the rules that the packet's head admits and whose literal is in `bytes`, which begin at `offset` of the
    /// payload or stream. Few others are added, too.
    pub(crate) fn find(
        &self,
        facts: &PacketFacts<'_>,
        (bytes, offset): (&[u8], u64),
        scratch: &mut MatchScratch,
        found: &mut PatternSet,
    ) {
        let of_protocol = facts
            .protocol
            .protocol
            .and_then(|spoken| self.protocols.iter().find(|of| *of.protocol == *spoken));
        let general = self.general.as_ref().filter(|_| of_protocol.is_none_or(|of| of.extent == Extent::Own));
        let port = match facts.direction {
            Direction::ToServer => facts.packet.destination_port(),
            Direction::ToClient => facts.packet.source_port(),
        };
        let of_port = port.and_then(|port| self.of_port(port));
        for scan in general.into_iter().chain(of_protocol.map(|of| &of.scan)).chain(of_port) {
            scan.find(bytes, offset, scratch, found);
        }
    }

    fn of_port(&self, port: u16) -> Option<&PayloadScan> {
        let range = self.ports.partition_point(|first| *first <= port).checked_sub(1)?;
        self.of_ports.get(self.scans.get(range)?.checked_sub(1)? as usize)
    }

    /// Returns the matchers that need scratch.
    pub(crate) fn matchers(&self) -> impl Iterator<Item = &MultiMatcher> {
        let of_protocols = self.protocols.iter().map(|of| &of.scan);
        self.general.iter().chain(of_protocols).chain(&self.of_ports).flat_map(PayloadScan::matchers)
    }
}

/// The rules of a group with their literals, those that are looked for together beside each other.
#[derive(Default)]
pub(super) struct PayloadParts {
    general: Vec<Literal>,
    protocols: Vec<(&'static Protocol, Extent, Vec<Literal>)>,
    ports: Vec<u16>,
    scans: Vec<u32>,
    of_ports: Vec<Vec<Literal>>,
    reach: usize,
}

impl PayloadParts {
    /// Deals out rules on packets in one direction, in their order.
    pub(super) fn new(rules: &[(&Signature, Literal)], direction: Direction) -> Self {
        let longest = rules.iter().map(|(_, literal)| literal.bytes.len()).max().unwrap_or(0);
        let mut parts = Self { reach: longest.saturating_sub(1), ..Self::default() };
        let mut ranges = Vec::new();
        for (rule, _) in rules {
            let ports = server_ports(&rule.head, direction).unwrap_or_default();
            ranges.extend(ports.iter().map(|&(low, high)| (low, high, rule.index)));
        }
        let segments = Segments::new(ranges);
        parts.add_ports(rules, &segments);
        for (rule, literal) in rules {
            if server_ports(&rule.head, direction).is_none() || segments.is_wide(rule.index) {
                parts.add(&rule.head, literal);
            }
        }
        for (_, extent, literals) in &mut parts.protocols {
            if parts.general.len() <= TOGETHER * literals.len() {
                *extent = Extent::WithGeneral;
                literals.extend_from_slice(&parts.general);
            }
        }
        parts
    }

    /// Adds the literals of each set of rules that some ports have.
    fn add_ports(&mut self, rules: &[(&Signature, Literal)], segments: &Segments<u16>) {
        let literal = |index: &SignatureIndex| {
            let at = rules.binary_search_by_key(index, |(rule, _)| rule.index).ok()?;
            rules.get(at).map(|(_, literal)| literal.clone())
        };
        let mut known: HashMap<Vec<SignatureIndex>, u32, RuleHash> = HashMap::default();
        for (first, on_port) in segments.lists() {
            let mut set = on_port.to_vec();
            set.sort_unstable();
            set.dedup();
            let number = match known.get(&set) {
                _ if set.is_empty() => 0,
                Some(number) => *number,
                None => {
                    self.of_ports.push(set.iter().filter_map(literal).collect());
                    let number = self.of_ports.len() as u32;
                    known.insert(set, number);
                    number
                }
            };
            self.ports.push(first);
            self.scans.push(number);
        }
    }

    /// Adds a rule on many ports.
    fn add(&mut self, head: &Head, literal: &Literal) {
        if head.app_protocols.is_empty() {
            self.general.push(literal.clone());
        }
        for &protocol in &head.app_protocols {
            match self.protocols.iter_mut().find(|(other, ..)| *other == protocol) {
                Some((.., literals)) => literals.push(literal.clone()),
                None => self.protocols.push((protocol, Extent::Own, vec![literal.clone()])),
            }
        }
    }

    /// Takes out all lists of literals, in the order in which [`finish`](Self::finish) takes their scans.
    fn take_literals(&mut self) -> Vec<Vec<Literal>> {
        let mut all = vec![std::mem::take(&mut self.general)];
        all.extend(self.protocols.iter_mut().map(|(.., literals)| std::mem::take(literals)));
        all.append(&mut self.of_ports);
        all
    }

    fn finish(self, mut scans: impl Iterator<Item = Option<PayloadScan>>) -> PayloadScans {
        let general = scans.next().flatten();
        let protocols = self.protocols.into_iter().filter_map(|(protocol, extent, _)| {
            let scan = scans.next().flatten()?;
            Some(OfProtocol { protocol, scan, extent })
        });
        let protocols = protocols.collect();
        PayloadScans {
            general,
            protocols,
            ports: self.ports,
            scans: self.scans,
            of_ports: scans.flatten().collect(),
            reach: self.reach,
        }
    }
}

/// The ports of the server that a rule is on, where they are few and in few ranges.
fn server_ports(head: &Head, direction: Direction) -> Option<&[(u16, u16)]> {
    if head.is_both_ways() || head.is_transactional() {
        return None;
    }
    let ports = match direction {
        Direction::ToServer => head.destination.ports.ranges(),
        Direction::ToClient => head.source.ports.ranges(),
    };
    let count: u32 = ports.iter().map(|(low, high)| u32::from(high - low) + 1).sum();
    (count <= FEW_PORTS && ports.len() <= FEW_RANGES).then_some(ports)
}

/// Makes the scans of all groups, on several threads.
pub(super) fn build_scans(
    mut groups: Vec<PayloadParts>,
    matchers: Matchers<'_>,
) -> Result<Vec<PayloadScans>, BuildError> {
    let literals: Vec<Vec<Vec<Literal>>> = groups.iter_mut().map(PayloadParts::take_literals).collect();
    let counts: Vec<usize> = literals.iter().map(Vec::len).collect();
    let scans =
        build_each(literals.into_iter().flatten().collect(), |literals| PayloadScan::new(literals, matchers));
    let mut scans = scans.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter();
    let finish = |(group, count): (PayloadParts, usize)| group.finish(scans.by_ref().take(count));
    Ok(groups.into_iter().zip(counts).map(finish).collect())
}

#[cfg(test)]
mod tests {
    use weir_packet::{Packet, Tcp, Transport};
    use weir_rules::{Resolver, RuleReader, VariableMap};

    use super::*;
    use crate::FieldCatalogue;
    use crate::compile::Environment;
    use crate::compile::compilation::{Compilation, DEFAULT_ACTION_ORDER};
    use crate::keywords::tests::HTTP;
    use crate::keywords::tests::packets::tcp_packet;
    use crate::model::view::FlowProtocol;
    use crate::ruleset::{PacketClass, Ruleset};

    const RULES: &str = "alert tcp any any -> any any (content:\"general\"; sid:1;)\n\
        alert tcp any any -> any 80 (content:\"eighty\"; sid:2;)\n\
        alert tcp any any -> any [80,8080:8090] (content:\"either\"; sid:3;)\n\
        alert tcp any any -> any !80 (content:\"another\"; sid:4;)\n\
        alert tcp any any <> any 80 (content:\"both ways\"; sid:5;)\n\
        alert http any any -> any any (flow:to_server; content:\"spoken\"; sid:6;)\n\
        alert http any any -> any 80 (flow:to_server; content:\"spoken there\"; sid:7;)\n\
        alert tcp any 80 -> any any (content:\"from eighty\"; sid:8;)\n\
        alert tcp any any -> any 1024: (content:\"high\"; sid:9;)\n\
        alert tcp any any -> any [1,3,5,7,9,11,13,15,443] (content:\"listed\"; sid:10;)\n";

    fn ruleset() -> Ruleset {
        let environment = Environment::bare(FieldCatalogue::new(&[&HTTP]));
        let names = VariableMap::default();
        let mut resolver = Resolver::new(&names);
        let mut compilation = Compilation::new(&environment, &mut resolver);
        RuleReader::new(RULES.as_bytes(), "a.rules").for_each(|rule| compilation.add(&rule));
        let loaded = compilation.finish(None, &DEFAULT_ACTION_ORDER).unwrap();
        assert_eq!(loaded.failures.len(), 0, "{:?}", loaded.failures);
        loaded.ruleset
    }

    #[test]
    fn literals_are_looked_for_where_their_rules_can_match() {
        let ruleset = ruleset();
        let text = b"general eighty either another both ways spoken there from eighty high listed";
        for (direction, (from, to), speaks_http, expected) in [
            (Direction::ToServer, (2000, 80), false, &[1, 2, 3, 4, 5, 7, 8, 9, 10][..]),
            (Direction::ToServer, (2000, 80), true, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
            (Direction::ToServer, (2000, 8085), true, &[1, 3, 4, 5, 6, 8, 9, 10]),
            (Direction::ToServer, (2000, 443), false, &[1, 4, 5, 8, 9, 10]),
            (Direction::ToServer, (2000, 79), false, &[1, 4, 5, 8, 9, 10]),
            (Direction::ToServer, (2000, 8091), false, &[1, 4, 5, 8, 9, 10]),
            // Rules that say nothing of the direction of the flow are looked at in both.
            (Direction::ToClient, (80, 2000), false, &[1, 2, 3, 4, 5, 8, 9, 10]),
            (Direction::ToClient, (443, 2000), true, &[1, 2, 3, 4, 5, 9, 10]),
        ] {
            let tcp = Tcp { source_port: from, destination_port: to, ..Tcp::default() };
            let packet = Packet { transport: Transport::Tcp(tcp), ..tcp_packet() };
            let facts = PacketFacts {
                protocol: FlowProtocol { protocol: speaks_http.then_some(&HTTP), ..FlowProtocol::default() },
                ..PacketFacts::bare(&packet, direction)
            };
            let scans = &ruleset.packets(PacketClass::Tcp, direction).unwrap().alone;
            let mut found = PatternSet::new();
            scans.find(&facts, (text, 0), &mut ruleset.match_scratch(), &mut found);
            let mut sids: Vec<u32> = found
                .as_slice()
                .iter()
                .map(|index| ruleset.signature(SignatureIndex(*index)).unwrap().info.sid)
                .collect();
            sids.sort_unstable();
            // Those of a head that admits the packet are all found; others may be found, too.
            let admitted: Vec<u32> = ruleset
                .signatures()
                .iter()
                .filter(|rule| rule.directions()[direction] && rule.head.admits(&facts))
                .map(|rule| rule.info.sid)
                .collect();
            assert!(
                admitted.iter().all(|sid| sids.contains(sid)),
                "{from} to {to}: {admitted:?} of {sids:?}"
            );
            assert_eq!(sids, expected, "{from} to {to}");
        }
    }
}
