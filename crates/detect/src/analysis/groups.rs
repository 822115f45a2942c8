//! `rule_group.json`: which rules are considered for which ports, by protocol and direction.
//!
//! The ports are cut wherever the rules change. Ranges with the same rules share a group; the ports
//! given priority come first, then the ranges with the most rules. Where there are more groups than
//! asked for, what is left is one group for all ports.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use weir_base::{Direction, JsonWriter};
use weir_rules::PortSet;

use super::rule::buffer_name;
use super::subject::Subject;
use crate::model::signature::{Kind, Signature};

/// Ports of TCP with priority where the configuration names none.
pub const TCP_PRIORITY_PORTS: &str = "53, 80, 139, 443, 445, 1433, 3306, 3389, 6666, 6667, 8080";
/// Ports of UDP with priority where the configuration names none.
pub const UDP_PRIORITY_PORTS: &str = "53, 135, 5060";

/// Settings of the grouping of rules and of its report.
#[derive(Clone, Debug)]
pub struct GroupSettings {
    /// Most groups of rules on what clients send.
    pub to_server: usize,
    /// Most groups of rules on what servers send.
    pub to_client: usize,
    /// Ports of TCP with priority.
    pub tcp_ports: String,
    /// Ports of UDP with priority.
    pub udp_ports: String,
    /// The rules of each group are listed.
    pub rules: bool,
    /// The literals of each group are counted.
    pub literals: bool,
}

/// A range of ports with its rules.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PortRange {
    low: u16,
    high: u16,
    /// Tells sets of rules apart.
    identity: u64,
    rules: usize,
    priority: bool,
}

/// A range with the number of its group.
#[derive(Debug, PartialEq, Eq)]
struct Assigned {
    low: u16,
    high: u16,
    group: usize,
}

/// The groups of one protocol and direction.
struct Grouping<'a> {
    ranges: Vec<Assigned>,
    groups: Vec<Vec<&'a Signature>>,
}

/// Appends all groups as one JSON object.
pub fn write(signatures: &[Signature], settings: &GroupSettings, out: &mut Vec<u8>) {
    let mut json = JsonWriter::new(out);
    json.open_object();
    let protocols = [("tcp", 6, &settings.tcp_ports), ("udp", 17, &settings.udp_ports)];
    for (name, number, priority) in protocols {
        json.object(name);
        let priority = priority_ports(priority);
        let sides = [
            ("toserver", Direction::ToServer, settings.to_server),
            ("toclient", Direction::ToClient, settings.to_client),
        ];
        for (side, direction, most) in sides {
            let rules = eligible(signatures, number, direction);
            json.array(side);
            write_grouping(&mut json, &group(&rules, &priority, most), settings);
            json.close_array();
        }
        json.close_object();
    }
    json.close_object();
}

/// A rule with the ports that decide its group.
type Member<'a> = (&'a Signature, Vec<&'a PortSet>);

/// Rules that are looked at packet by packet, with the server's ports.
fn eligible(signatures: &[Signature], protocol: u8, direction: Direction) -> Vec<Member<'_>> {
    let apart = |kind| matches!(kind, Kind::IpOnly | Kind::ProtocolOnly | Kind::DecoderEvent);
    let wanted = signatures.iter().filter(|signature| {
        signature.head.protocols.has(protocol) && !apart(signature.kind) && signature.directions()[direction]
    });
    wanted
        .map(|signature| {
            let sides = match direction {
                Direction::ToServer => [&signature.head.destination, &signature.head.source],
                Direction::ToClient => [&signature.head.source, &signature.head.destination],
            };
            let count = if signature.head.is_both_ways() { 2 } else { 1 };
            (signature, sides.into_iter().take(count).map(|side| &*side.ports).collect())
        })
        .collect()
}

/// Single ports and ranges of a list such as `53, 80:90`.
fn priority_ports(text: &str) -> Vec<(u16, u16)> {
    let items = text.trim_matches(['[', ']']).split(',').map(str::trim);
    items
        .filter_map(|item| {
            let (low, high) = item.split_once(':').unwrap_or((item, item));
            Some((low.trim().parse().ok()?, high.trim().parse().ok()?))
        })
        .collect()
}

fn group<'a>(rules: &[Member<'a>], priority: &[(u16, u16)], most: usize) -> Grouping<'a> {
    let mut ranges = cut(rules, priority);
    ranges.sort_by_key(|range| (std::cmp::Reverse(range.priority), std::cmp::Reverse(range.rules)));
    let mut numbers: HashMap<u64, usize> = HashMap::new();
    let mut grouping = Grouping { ranges: Vec::new(), groups: Vec::new() };
    let mut rest: BTreeSet<usize> = BTreeSet::new();
    for range in ranges {
        let members = || rules.iter().enumerate().filter(move |(_, (_, ports))| holds(ports, range.low));
        let number = match numbers.get(&range.identity) {
            Some(number) => *number,
            None if numbers.len() < most => {
                numbers.insert(range.identity, numbers.len());
                grouping.groups.push(members().map(|(_, (signature, _))| *signature).collect());
                numbers.len() - 1
            }
            None => {
                rest.extend(members().map(|(position, _)| position));
                continue;
            }
        };
        grouping.ranges.push(Assigned { low: range.low, high: range.high, group: number });
    }
    if !rest.is_empty() {
        grouping.ranges.push(Assigned { low: 0, high: u16::MAX, group: grouping.groups.len() });
        grouping.groups.push(rest.iter().filter_map(|at| rules.get(*at)).map(|(rule, _)| *rule).collect());
    }
    grouping
}

fn holds(ports: &[&PortSet], port: u16) -> bool {
    ports.iter().any(|set| set.contains(port))
}

/// Cuts the ports wherever the rules change. A set of rules is told by the sum of numbers that stand
/// for its members, so that a set need not be built for each range.
fn cut(rules: &[Member<'_>], priority: &[(u16, u16)]) -> Vec<PortRange> {
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    // At each port: the sum of numbers, and the count of rules, that begin and that ended there.
    let mut changes: std::collections::BTreeMap<u32, (u64, i64)> = std::collections::BTreeMap::new();
    for (position, (_, sets)) in rules.iter().enumerate() {
        let number = hasher.hash_one(position);
        let ranges: Vec<(u16, u16)> = sets.iter().flat_map(|set| set.ranges().iter().copied()).collect();
        for (low, high) in weir_rules::network::RangeSet::from_ranges(ranges).ranges().iter().copied() {
            let begin = changes.entry(u32::from(low)).or_default();
            *begin = (begin.0.wrapping_add(number), begin.1 + 1);
            let end = changes.entry(u32::from(high) + 1).or_default();
            *end = (end.0.wrapping_sub(number), end.1 - 1);
        }
    }
    let mut found: Vec<PortRange> = Vec::new();
    let (mut identity, mut count) = (0u64, 0i64);
    let mut changes = changes.into_iter().peekable();
    while let Some((low, (number, difference))) = changes.next() {
        identity = identity.wrapping_add(number);
        count += difference;
        let Some((next, _)) = changes.peek() else { break };
        let (Ok(low), Ok(high)) = (u16::try_from(low), u16::try_from(next - 1)) else { break };
        if count <= 0 {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.identity == identity && u32::from(last.high) + 1 == u32::from(low) => {
                last.high = high
            }
            _ => found.push(PortRange { low, high, identity, rules: count as usize, priority: false }),
        }
    }
    for range in &mut found {
        range.priority = priority.contains(&(range.low, range.high));
    }
    found
}

fn write_grouping(json: &mut JsonWriter<'_>, grouping: &Grouping<'_>, settings: &GroupSettings) {
    for range in &grouping.ranges {
        json.open_object();
        json.unsigned("port", range.low);
        json.unsigned("port2", range.high);
        json.object("rulegroup");
        json.unsigned("id", range.group as u64);
        if let Some(rules) = grouping.groups.get(range.group) {
            write_group(json, rules, settings);
        }
        json.close_object();
        json.close_object();
    }
}

fn write_group(json: &mut JsonWriter<'_>, rules: &[&Signature], settings: &GroupSettings) {
    if settings.rules {
        json.array("rules");
        for rule in rules {
            json.open_object();
            json.unsigned("sig_id", rule.info.sid);
            json.close_object();
        }
        json.close_array();
    }
    let mut literals: Vec<(Cow<'_, str>, Vec<u64>)> = Vec::new();
    let (mut negated, mut without) = (0u64, 0u64);
    for rule in rules {
        let subject = Subject::new(rule);
        let literal = subject.literal();
        let Some((literal, content)) = literal.as_ref().and_then(|l| Some((l, subject.content(l)?))) else {
            without += 1;
            continue;
        };
        negated += u64::from(content.negated);
        let name = buffer_name(&subject, literal);
        let length = content.prefilter_bytes().len() as u64;
        match literals.iter_mut().find(|(known, _)| *known == name) {
            Some((_, lengths)) => lengths.push(length),
            None => literals.push((name, vec![length])),
        }
    }
    json.object("stats");
    json.unsigned("total", rules.len() as u64);
    json.object("types");
    json.unsigned("mpm", literals.iter().map(|(_, lengths)| lengths.len() as u64).sum::<u64>());
    json.unsigned("non_mpm", without);
    json.unsigned("negated_mpm", negated);
    json.close_object();
    if settings.literals {
        write_literals(json, &literals);
    }
    json.close_object();
}

/// The literals of a group, by buffer: how many, and how long.
fn write_literals(json: &mut JsonWriter<'_>, literals: &[(Cow<'_, str>, Vec<u64>)]) {
    json.object("mpm");
    for (name, lengths) in literals {
        json.object(name);
        let total = lengths.len() as u64;
        json.unsigned("total", total);
        json.unsigned("avg_strength", lengths.iter().sum::<u64>() / total.max(1));
        json.unsigned("min_strength", lengths.iter().copied().min().unwrap_or(0));
        json.unsigned("max_strength", lengths.iter().copied().max().unwrap_or(0));
        json.array("sizes");
        for size in lengths.iter().copied().collect::<BTreeSet<u64>>() {
            json.open_object();
            json.unsigned("size", size);
            json.unsigned("count", lengths.iter().filter(|length| **length == size).count() as u64);
            json.close_object();
        }
        json.close_array();
        json.close_object();
    }
    json.close_object();
}
