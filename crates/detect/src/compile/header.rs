//! The header before a rule's options: its protocol with a hook, its addresses and ports.

use weir_applayer::{Protocol, Transport};
use weir_rules::{Resolver, Rule, SyntaxError};

use super::{Decide, Environment, Reason};
use crate::builder::RuleBuilder;
use crate::keywords;
use crate::model::hook::{FlowStart, Hook, PacketHook, packet_hook, state_hook};
use crate::model::signature::{FlowRequirement, Head, LinkProtocol, PacketProtocols, Side, Subjects};

/// Words of the protocol field beside application protocols.
pub const PACKET_PROTOCOLS: &[&str] = &[
    "ah",
    "arp",
    "esp",
    "ether",
    "icmp",
    "icmpv4",
    "icmpv6",
    "igmp",
    "ip",
    "ip4",
    "ip6",
    "ipv4",
    "ipv6",
    "pkthdr",
    "sctp",
    "tcp",
    "tcp-pkt",
    "tcp-stream",
    "udp",
];

/// Reads the head of a rule.
pub(super) fn head(
    rule: &Rule,
    environment: &Environment,
    resolver: &mut Resolver<'_>,
    decide: Decide,
) -> Result<Head, (Reason, SyntaxError)> {
    let HeaderProtocol { packets, app, hook } = header_protocol(rule, environment)?;
    let decides = decide(rule, hook).map_err(|error| (Reason::Conflict, error))?;
    let mut side = |addresses, ports| {
        Side::resolved(addresses, ports, resolver).map_err(|error| (Reason::Value("address".into()), error))
    };
    Ok(Head {
        action: rule.action.action,
        scope: rule.action.scope,
        hook,
        firewall: decides.map(Box::new),
        protocols: packets,
        app_protocols: app,
        source: side(&rule.source, &rule.source_ports)?,
        destination: side(&rule.destination, &rule.destination_ports)?,
        direction: rule.direction,
        flow: FlowRequirement::default(),
    })
}

/// Meaning of the protocol field.
struct HeaderProtocol {
    packets: PacketProtocols,
    app: Vec<&'static Protocol>,
    hook: Option<Hook>,
}

/// Adds what the rule's hook means, whatever its options.
pub(super) fn install_hook(builder: &mut RuleBuilder<'_>) {
    match builder.head.hook {
        Some(Hook::State(state)) => builder.head.flow.direction = Some(state.direction),
        Some(Hook::Packet(hook)) => {
            builder.demands.subjects.insert(Subjects::MORE_THAN_ADDRESSES);
            if hook == PacketHook::FlowStart {
                builder.push_packet_check(FlowStart);
            }
        }
        None => {}
    }
}

fn header_protocol(rule: &Rule, environment: &Environment) -> Result<HeaderProtocol, (Reason, SyntaxError)> {
    let name = rule.protocol.name.to_ascii_lowercase();
    let mut packets = PacketProtocols::default();
    match name.as_str() {
        "ip" | "ipv4" | "ip4" | "ipv6" | "ip6" => {
            packets.ip_version = match name.as_str() {
                "ipv4" | "ip4" => 4,
                "ipv6" | "ip6" => 6,
                _ => 0,
            };
        }
        "tcp" => packets.add(6),
        "tcp-pkt" => {
            packets.add(6);
            packets.packet_only = true;
        }
        "tcp-stream" => {
            packets.add(6);
            packets.stream_only = true;
        }
        "udp" => packets.add(17),
        "icmp" => {
            packets.add(1);
            packets.add(58);
        }
        "icmpv4" => packets.add(1),
        "icmpv6" => packets.add(58),
        "igmp" => packets.add(2),
        "sctp" => packets.add(132),
        "esp" => packets.add(50),
        "ah" => packets.add(51),
        "pkthdr" => packets.link = LinkProtocol::PacketHeader,
        "arp" => packets.link = LinkProtocol::Arp,
        "ether" => packets.link = LinkProtocol::Ethernet,
        _ => return app_protocol(rule, environment, packets),
    }
    let hook = match &rule.protocol.hook {
        Some(word) => {
            Some(packet_hook(&name, word).map_err(|error| (Reason::Value("rule hook".into()), error))?)
        }
        None => None,
    };
    Ok(HeaderProtocol { packets, app: Vec::new(), hook: hook.map(Hook::Packet) })
}

fn app_protocol(
    rule: &Rule,
    environment: &Environment,
    mut packets: PacketProtocols,
) -> Result<HeaderProtocol, (Reason, SyntaxError)> {
    let name = &rule.protocol.name;
    let mut app = environment.fields.protocols_named(name);
    if app.is_empty() {
        let known = keywords::known::is_protocol(name);
        let mut error = name.error(format!(
            "protocol \"{name}\" cannot be used in a signature.  Either detection for this protocol is not yet \
             supported OR detection has been disabled for protocol through the yaml option \
             app-layer.protocols.{name}.detection-enabled"
        ));
        if let Some(close) = keywords::known::closest_protocol(name).filter(|_| !known) {
            error = error.with_help(format!("did you mean `{close}`?"));
        }
        return Err((Reason::Protocol(name.to_ascii_lowercase()), error));
    }
    let mut hook = None;
    if let Some(word) = &rule.protocol.hook {
        let (state, bearers) =
            state_hook(&app, word).map_err(|error| (Reason::Value("rule hook".into()), error))?;
        (hook, app) = (Some(Hook::State(state)), bearers);
    }
    for protocol in &app {
        for transport in protocol.transports {
            packets.add(match transport {
                Transport::Tcp => 6,
                Transport::Udp => 17,
            });
        }
    }
    Ok(HeaderProtocol { packets, app, hook })
}
