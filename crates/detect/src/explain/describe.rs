//! The options of a rule, as written, for each of its checks.

use std::collections::HashMap;
use std::net::IpAddr;

use weir_base::Direction;
use weir_packet::Packet;
use weir_rules::Rule;

use crate::model::buffer::Check;
use crate::model::fields::FieldCatalogue;
use crate::model::places::{List, Places};
use crate::model::signature::{HeaderPart, Signature, SignatureIndex};
use crate::model::view::PacketFacts;

/// A rule that is followed.
#[derive(Debug)]
pub struct Subject {
    /// The rule.
    pub(super) signature: SignatureIndex,
    /// Its number.
    pub(super) sid: u32,
    /// Its message.
    pub(super) message: String,
    /// Its text.
    pub(super) text: String,
    /// The protocol of its header.
    protocol: String,
    /// The addresses and ports of its header.
    ends: String,
    /// The options of its checks on packets and flows.
    packet: Vec<String>,
    /// The options of its other checks, by the check's address.
    checks: HashMap<usize, String>,
    /// The options that name its buffers.
    pub(super) buffers: Vec<String>,
}

/// Key that tells one check from another.
fn key(check: &Check) -> usize {
    std::ptr::from_ref(check) as usize
}

impl Subject {
    /// The rule `signature` of a ruleset, whose text compiles with these `places`.
    pub fn new(signature: &Signature, rule: &Rule, places: &Places, fields: &FieldCatalogue) -> Self {
        let option = |position: usize| rule.options.get(position).map_or("", |o| text_of(rule, o.span));
        let mut checks = HashMap::new();
        let mut decoded: &[Check] = &[];
        let lists = signature.checks.lists();
        for check in lists.flatten() {
            if let Check::Base64Decode(decode) = check {
                decoded = &decode.checks;
            }
        }
        for (list, index, position) in &places.checks {
            let list: &[Check] = match list {
                List::Payload => &signature.checks.payload,
                List::Buffer(buffer) => signature.checks.buffers.get(*buffer).map_or(&[], |b| &b.checks),
                List::Decoded => decoded,
            };
            if let Some(check) = list.get(*index) {
                checks.insert(key(check), with_modifiers(rule, *position, fields));
            }
        }
        Self {
            signature: signature.index,
            sid: signature.info.sid,
            message: signature.info.msg.to_string(),
            text: rule.text().to_string(),
            protocol: rule.protocol.name.to_string(),
            ends: format!(
                "{} {} {} {} {}",
                rule.source,
                rule.source_ports,
                rule.direction.sign(),
                rule.destination,
                rule.destination_ports
            ),
            packet: places.packet.iter().map(|position| option(*position).to_owned()).collect(),
            checks,
            buffers: places.buffers.iter().map(|position| option(*position).to_owned()).collect(),
        }
    }

    /// The option of a check on packets or flows.
    pub(super) fn packet_check(&self, index: usize) -> &str {
        self.packet.get(index).map_or("a check on the packet", String::as_str)
    }

    /// The option of a check on bytes.
    pub(super) fn check(&self, check: &Check) -> &str {
        self.checks.get(&key(check)).map_or("a check", String::as_str)
    }
}

fn text_of(rule: &Rule, span: weir_rules::Span) -> &str {
    rule.text().get(span.start..span.end).unwrap_or_default()
}

/// An option with those that modify it.
fn with_modifiers(rule: &Rule, position: usize, fields: &FieldCatalogue) -> String {
    let Some(first) = rule.options.get(position) else { return String::new() };
    let mut text = text_of(rule, first.span).to_owned();
    if !matches!(first.name.as_str(), "content" | "uricontent") {
        return text;
    }
    for option in rule.options.iter().skip(position + 1).take_while(|o| fields.modifies_content(&o.name)) {
        text.push_str("; ");
        text.push_str(text_of(rule, option.span));
    }
    text
}

impl Subject {
    /// A part of the header: what the rule asks and what the packet has. None where the rule asks nothing.
    pub(super) fn header_part(
        &self,
        part: HeaderPart,
        signature: &Signature,
        facts: &PacketFacts<'_>,
    ) -> Option<(String, String)> {
        let packet = facts.packet;
        let flow = &signature.head.flow;
        let way = |direction| if direction == Direction::ToServer { "to_server" } else { "to_client" };
        Some(match part {
            HeaderPart::Protocol => (format!("protocol {}", self.protocol), protocol_of(packet)),
            HeaderPart::Application => {
                if signature.head.app_protocols.is_empty() {
                    return None;
                }
                let names: Vec<&str> = signature.head.app_protocols.iter().map(|p| p.name).collect();
                let spoken = facts.protocol.protocol;
                let found = spoken.map_or("not known (yet)", |p| p.name);
                (format!("application protocol {}", names.join(", ")), format!("the flow's is {found}"))
            }
            HeaderPart::Direction => {
                let wanted = flow.direction.filter(|_| !signature.head.is_transactional())?;
                let found = match facts.flow {
                    Some(_) => format!("the packet goes {}", way(facts.direction)),
                    None => "the packet belongs to no flow".to_owned(),
                };
                (format!("flow:{}", way(wanted)), found)
            }
            HeaderPart::Established => {
                let word = if flow.established? { "established" } else { "not_established" };
                let is = if facts.established { "is" } else { "is not" };
                (format!("flow:{word}"), format!("the flow {is} established"))
            }
            HeaderPart::Fragment => {
                let word = if flow.fragment? { "only_frag" } else { "no_frag" };
                let is = if packet.is_fragment() { "is" } else { "is not" };
                (format!("flow:{word}"), format!("the packet {is} a fragment"))
            }
            HeaderPart::Ends => (self.ends.clone(), ends(packet)),
        })
    }
}

fn protocol_of(packet: &Packet<'_>) -> String {
    match packet.ip_protocol() {
        Some(6) => "the packet is TCP".to_owned(),
        Some(17) => "the packet is UDP".to_owned(),
        Some(1 | 58) => "the packet is ICMP".to_owned(),
        Some(number) => format!("the packet's IP protocol is {number}"),
        None if packet.arp.is_some() => "the packet is ARP".to_owned(),
        None => "the packet has no IP header".to_owned(),
    }
}

/// Addresses and ports of a packet.
pub(super) fn ends(packet: &Packet<'_>) -> String {
    let side = |address: Option<IpAddr>, port: Option<u16>| match (address, port) {
        (Some(IpAddr::V6(address)), Some(port)) => format!("[{address}]:{port}"),
        (Some(address), Some(port)) => format!("{address}:{port}"),
        (Some(address), None) => address.to_string(),
        (None, _) => "?".to_owned(),
    };
    let source = side(packet.source(), packet.source_port());
    format!("{source} -> {}", side(packet.destination(), packet.destination_port()))
}
