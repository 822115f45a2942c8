//! From a rule's text to a signature.

pub mod compilation;
mod consistency;
mod header;
mod notices;
mod prefilter;

use std::sync::Arc;

use weir_applayer::{Access, Transport};
use weir_base::Direction;
use weir_rules::{
    Action, Diagnostic, Resolver, Rule, RuleDirection, RuleInfo, RuleOption, Spanned, SyntaxError,
};

pub use self::header::PACKET_PROTOCOLS;
use self::header::{HeaderProtocol, header_protocol, install_hook, side};
use self::prefilter::choose_prefilter;
pub use crate::builder::{Environment, Failure, Reason, WhenAsked};
use crate::builder::{Places, RuleBuilder};
use crate::keywords;
use crate::keywords::requires::Unmet;
use crate::model::buffer::{Check, Number, find_last_hopes};
use crate::model::fields::FieldUse;
use crate::model::firewall::FirewallRule;
use crate::model::hook::Hook;
use crate::model::post::StoreCertificates;
use crate::model::signature::{
    Kind, LinkProtocol, OptionTrace, PacketProtocols, Side, Signature, SignatureIndex, Target, ValueMatch,
};
use consistency::covers;

/// A compiled rule with what was worth telling about it. The signature's index is still its
/// position in load order.
#[derive(Debug)]
pub struct Compiled {
    /// The signature.
    pub signature: Signature,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// Which option made what.
    pub places: Places,
}

/// Compiles one rule of detection.
pub fn compile(
    rule: &Rule,
    environment: &Environment,
    resolver: &mut Resolver<'_>,
) -> Result<Compiled, Failure> {
    if let Some(accept) =
        std::iter::once(&rule.action).chain(&rule.further_actions).find(|a| a.action == Action::Accept)
    {
        let error = SyntaxError::new(accept.span, "The action `accept` is for rules of the firewall.")
            .with_help("write `pass` here, or load the rule's file with --firewall-rules-exclusive");
        let diagnostic = Box::new(rule.error(error));
        return Err(Failure { reason: Reason::Conflict, diagnostic, firewall: false });
    }
    compile_rule(rule, environment, resolver, false)
}

/// Compiles one rule of the firewall.
pub fn compile_firewall(
    rule: &Rule,
    environment: &Environment,
    resolver: &mut Resolver<'_>,
) -> Result<Compiled, Failure> {
    compile_rule(rule, environment, resolver, true)
}

fn compile_rule(
    rule: &Rule,
    environment: &Environment,
    resolver: &mut Resolver<'_>,
    firewall: bool,
) -> Result<Compiled, Failure> {
    let fail = |reason: Reason, error: SyntaxError| Failure {
        reason,
        diagnostic: Box::new(rule.error(error)),
        firewall,
    };
    keywords::requires::check(rule, environment).map_err(|unmet| match unmet {
        Unmet::Requirement(error) => fail(Reason::Requirement, error),
        Unmet::Syntax(error) => fail(Reason::Value("requires".into()), error),
    })?;
    let info = RuleInfo {
        action: rule.action.action,
        text: Arc::clone(rule.text()),
        file: Arc::clone(rule.file()),
        line: rule.line(),
        ..RuleInfo::default()
    };
    let mut builder = RuleBuilder::new(environment, info);
    builder.rule_id = rule.option("sid").and_then(|sid| sid.value.as_ref()?.parse().ok()).unwrap_or_default();
    let header = header_protocol(rule, environment).map_err(|(reason, error)| fail(reason, error))?;
    let decides = match firewall {
        true => Some(FirewallRule::new(rule, header.hook).map_err(|error| fail(Reason::Conflict, error))?),
        false => None,
    };
    builder.app_protocols = (!header.app.is_empty()).then(|| header.app.clone());
    install_hook(header.hook, &mut builder);
    let source = side(&rule.source, &rule.source_ports, resolver)
        .map_err(|e| fail(Reason::Value("address".into()), e))?;
    let destination = side(&rule.destination, &rule.destination_ports, resolver)
        .map_err(|e| fail(Reason::Value("address".into()), e))?;
    let mut trace = OptionTrace::default();
    for (position, option) in rule.options.iter().enumerate() {
        let before = (builder.packet_checks.len(), builder.post.len());
        builder.position = position;
        compile_option(option, &mut builder).map_err(|(reason, error)| fail(reason, error))?;
        let position = u16::try_from(position).unwrap_or(u16::MAX);
        if builder.packet_checks.len() > before.0 {
            trace.packet.push(position);
        }
        if builder.post.len() > before.1 {
            trace.post.push(position);
        }
    }
    (trace.wants_packet, trace.wants_stream) = (builder.wants_packet, builder.wants_stream);
    if let Some(error) = builder.retired.take() {
        let strict = rule
            .options
            .iter()
            .find(|option| option.name.ends_with("event") && environment.strict.covers(&option.name));
        let reason = strict.map_or(Reason::Retired, |option| Reason::Value(option.name.to_string()));
        return Err(fail(reason, error));
    }
    if !builder.has_sid {
        let error = rule
            .protocol
            .name
            .error("The rule has no signature id.")
            .with_help("add `sid:1000001;`, with a number of your own");
        return Err(fail(Reason::Conflict, error));
    }
    let mut compiled = finish(rule, builder, header, (source, destination), firewall)
        .map_err(|error| fail(Reason::Conflict, error))?;
    compiled.signature.trace = trace;
    compiled.signature.firewall = decides.map(Box::new);
    // The index by addresses holds no negated ones.
    if compiled.signature.kind == Kind::IpOnly
        && (resolver.negates(&rule.source) || resolver.negates(&rule.destination))
    {
        compiled.signature.kind = Kind::LikeIpOnly;
    }
    Ok(compiled)
}

fn compile_option(option: &RuleOption, builder: &mut RuleBuilder<'_>) -> Result<(), (Reason, SyntaxError)> {
    let name = option.name.as_str();
    let value = |error| (Reason::Value(name.to_owned()), error);
    // A keyword may share its name with a field of another kind (`tls.version` the check, `filesize`):
    // the keyword has the first word.
    if let Some(keyword) = keywords::find(name) {
        return keyword.compile(option, builder).map_err(value);
    }
    let environment = builder.environment;
    if let Some((kind, rows)) = environment.fields.find(name) {
        return field_option(option, kind, rows, builder).map_err(value);
    }
    if keywords::known::is_keyword(name) {
        let error = option.name.error(format!("The keyword `{name}` is not supported yet."));
        return Err((Reason::KeywordNotBuilt(name.to_owned()), error));
    }
    let mut error = option.name.error(format!("There is no keyword `{name}`."));
    if let Some(close) = keywords::known::closest(name, &environment.fields) {
        error = error.with_help(format!("did you mean `{close}`?"));
    }
    Err((Reason::UnknownKeyword(name.to_owned()), error))
}

/// An option that is a field of some protocols.
fn field_option(
    option: &RuleOption,
    kind: FieldUse,
    rows: &[crate::model::signature::FieldRow],
    builder: &mut RuleBuilder<'_>,
) -> Result<(), SyntaxError> {
    let canonical = rows.first().map_or("", |row| row.field.name);
    if let Some(off) =
        builder.environment.switched_off.iter().find(|feature| canonical.starts_with(**feature))
    {
        let error =
            option.name.error(format!("`{canonical}` needs the feature {off}, which is switched off."));
        return Err(error.with_help(format!("set app-layer.protocols.tls.{off}-fingerprints to auto or yes")));
    }
    match kind {
        FieldUse::Sticky => {
            // A rule on both directions of a transaction may say which one is meant.
            let direction = match option.value.as_ref().map(|value| value.as_str()) {
                Some("to_server") => Some(Direction::ToServer),
                Some("to_client") => Some(Direction::ToClient),
                _ => {
                    option.no_argument()?;
                    None
                }
            };
            builder.select(option, canonical, rows, direction)
        }
        FieldUse::Modifier => {
            option.no_argument()?;
            builder.move_last_content(option, rows)
        }
        FieldUse::Value => {
            let Some(row) = rows.first() else { return Ok(()) };
            let text = option.value.as_ref().map(|v| v.as_str());
            let value = match row.field.access {
                Access::Check(parse) => {
                    let check = parse(text).map_err(|message| match &option.value {
                        Some(value) => value.error(message),
                        None => option.error(message),
                    })?;
                    if check.stores_certificates() {
                        builder.push_post(StoreCertificates);
                    }
                    ValueMatch::Check(Arc::from(check))
                }
                Access::Integer { bits, names, .. } => {
                    keywords::integer::parse(needed(option)?, bits, names)?
                }
                Access::Flags { bits, names, .. } => {
                    keywords::integer::parse_flags(needed(option)?, bits, names)?
                }
                _ => return Ok(()),
            };
            builder.push_value(option, canonical, rows, value)
        }
    }
}

/// The value of a keyword that does not stand alone.
fn needed(option: &RuleOption) -> Result<&Spanned, SyntaxError> {
    option.value.as_ref().ok_or_else(|| option.malformed())
}

/// Ties the parts together once all options are read.
fn finish(
    rule: &Rule,
    mut builder: RuleBuilder<'_>,
    header: HeaderProtocol,
    (source, destination): (Side, Side),
    firewall: bool,
) -> Result<Compiled, SyntaxError> {
    let transactional = rule.direction == RuleDirection::Transaction;
    consistency::check(rule, &builder)?;
    let over = |number| header.packets.link == LinkProtocol::None && header.packets.has(number);
    consistency::frames(rule, &builder, over(6), over(17))?;
    finish_checks(&mut builder.decoded);
    builder.attach_decoded();
    finish_checks(&mut builder.payload);
    for buffer in &mut builder.buffers {
        finish_checks(&mut buffer.checks);
    }
    packet_with_state(rule, &builder)?;
    hook_with_fields(rule, header.hook, &builder)?;
    settle_direction(rule, &mut builder, transactional)?;
    let (wants_packet, wants_stream) = payload_sources(&builder, &header.packets);
    let app_protocols = builder.app_protocols.take().unwrap_or_default();
    let mut packets = header.packets;
    if header.app.is_empty() && !app_protocols.is_empty() && packets.all_numbers() && !packets.any {
        for protocol in &app_protocols {
            for transport in protocol.transports {
                packets.add(if *transport == Transport::Tcp { 6 } else { 17 });
            }
        }
    }
    if builder.threshold.and_then(|t| t.unique_on).is_some_and(|u| u.is_port()) && !packets.all_have_ports() {
        let option = rule.option("detection_filter").map_or(&rule.protocol.name, |option| &option.name);
        return Err(option.error("`unique_on` counts ports: the rule must be on TCP, UDP or SCTP."));
    }
    let mut signature = Signature {
        index: SignatureIndex(0),
        state_rank: builder.state_use.rank(),
        action: rule.action.action,
        scope: rule.action.scope,
        kind: Kind::Packet,
        hook: header.hook.or(builder.script_state.map(Hook::State)),
        firewall: None,
        protocols: packets,
        app_protocols,
        source,
        destination,
        both_ways: rule.direction == RuleDirection::BothWays,
        transactional,
        flow: builder.flow,
        packet_checks: std::mem::take(&mut builder.packet_checks),
        payload: std::mem::take(&mut builder.payload),
        wants_packet,
        wants_stream,
        wire_only: builder.wants_packet,
        buffers: std::mem::take(&mut builder.buffers),
        scripts: std::mem::take(&mut builder.scripts),
        post: std::mem::take(&mut builder.post),
        threshold: builder.threshold,
        shares: builder.shares,
        sets: std::mem::take(&mut builder.sets),
        no_alert: builder.no_alert || !(builder.alert || raises_alert(rule, firewall)),
        prefilter: None,
        variables: builder.variable_count(),
        trace: OptionTrace::default(),
        info: Arc::new(std::mem::take(&mut builder.info)),
    };
    signature.kind = kind(&signature, &builder);
    if let Some(span) = builder.needs_transaction.filter(|_| signature.kind != Kind::Transaction) {
        return Err(SyntaxError::new(span, "The rule looks at no transaction that a bit could belong to.")
            .with_help(
                "name a state in the protocol field, as in `http1:request_line`, or look at a field",
            ));
    }
    signature.prefilter = choose_prefilter(&signature);
    let warnings = builder.warnings.drain(..).map(|warning| rule.warning(warning)).collect();
    Ok(Compiled { signature, warnings, places: std::mem::take(&mut builder.places) })
}

/// Whether the rule's actions alone raise an alert. What the firewall drops raises none by itself.
fn raises_alert(rule: &Rule, firewall: bool) -> bool {
    let mut actions = std::iter::once(&rule.action).chain(&rule.further_actions);
    actions.any(|scoped| match scoped.action {
        Action::Alert => true,
        Action::Drop => !firewall,
        action => !firewall && action.is_reject(),
    })
}

/// Settles where contents may lie, and tells each check whether the next one is relative to it.
fn finish_checks(checks: &mut [Check]) {
    let mut next_is_relative = false;
    for check in checks.iter_mut().rev() {
        let followed = std::mem::replace(&mut next_is_relative, check.is_relative());
        check.set_followed(followed);
        if let Check::Content(content) = check {
            let length = content.bytes.len() as i64;
            if content.starts_with {
                content.offset = Some(Number::Value(0));
                content.depth = Some(Number::Value(length));
            }
            // A depth shorter than the literal means its length.
            if let Some(Number::Value(depth)) = content.depth {
                content.depth = Some(Number::Value(depth.max(length)));
            }
        }
        if let Check::Base64Decode(decode) = check {
            finish_checks(&mut decode.checks);
        }
    }
    find_last_hopes(checks);
}

/// Refuses a check on a single packet's header beside fields of transactions, which no one packet
/// carries.
fn packet_with_state(rule: &Rule, builder: &RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let field = builder.buffers.iter().find(|buffer| !matches!(buffer.target, Target::Packet(_)));
    match field {
        Some(field) if builder.wants_packet => Err(rule.protocol.name.error(format!(
            "Signature combines packet specific matches (like dsize, flags, ttl) with stream / state matching \
             by matching on app layer proto: `{}` is no part of a single packet.",
            field.name
        ))),
        _ => Ok(()),
    }
}

/// Refuses fields of transactions in a hook of packets, where no transaction is looked at.
fn hook_with_fields(rule: &Rule, hook: Option<Hook>, builder: &RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let (Some(hook), Some(word)) = (hook, &rule.protocol.hook) else { return Ok(()) };
    if builder.buffers.iter().any(|buffer| matches!(buffer.target, Target::Frame(_))) {
        return Err(word.error("Frames are looked at when they are there, not in a hook."));
    }
    let Hook::Packet(hook) = hook else { return Ok(()) };
    let field = builder.buffers.iter().find(|buffer| matches!(buffer.target, Target::Transaction(_)));
    match field {
        Some(field) => Err(word
            .error(format!(
                "`{}` is no part of a packet: it cannot be looked at in `{}`.",
                field.name,
                hook.name()
            ))
            .with_help(
                "name a state of the protocol in the rule's protocol field, as in `http1:request_line`",
            )),
        None => Ok(()),
    }
}

/// Makes the rule's direction agree with its buffers and drops the rows of the other direction.
fn settle_direction(
    rule: &Rule,
    builder: &mut RuleBuilder<'_>,
    transactional: bool,
) -> Result<(), SyntaxError> {
    if transactional {
        return consistency::both_directions(rule, builder);
    }
    if builder.flow.direction.is_none() {
        let only_server = builder.buffers.iter().find(|b| !covers(b, Direction::ToClient));
        let only_client = builder.buffers.iter().find(|b| !covers(b, Direction::ToServer));
        match (only_server, only_client) {
            (Some(request), Some(response)) => {
                let message = format!(
                    "rule {} mixes keywords with conflicting directions: `{}` is sent by the client, `{}` by the \
                     server",
                    builder.info.sid, request.name, response.name
                );
                return Err(rule
                    .protocol
                    .name
                    .error(message)
                    .with_help("write two rules that share a flowbit, or use `=>` as the direction"));
            }
            (Some(_), None) => builder.flow.direction = Some(Direction::ToServer),
            (None, Some(_)) => builder.flow.direction = Some(Direction::ToClient),
            (None, None) => {}
        }
    }
    let Some(direction) = builder.flow.direction else { return Ok(()) };
    if let Some(buffer) = builder.buffers.iter().find(|b| !covers(b, direction)) {
        let name = buffer.name;
        let way = if direction == Direction::ToServer { "to_server" } else { "to_client" };
        return Err(rule.protocol.name.error(format!(
            "rule {} mixes keywords with conflicting directions: `{name}` is never filled in the direction that \
             the rule asks for (flow:{way}).",
            builder.info.sid
        )));
    }
    for buffer in &mut builder.buffers {
        if let Target::Transaction(rows) = &mut buffer.target {
            rows.retain(|row| row.field.direction.covers(direction));
        }
    }
    Ok(())
}

/// Whether the payload checks look at packets and at the stream.
fn payload_sources(builder: &RuleBuilder<'_>, packets: &PacketProtocols) -> (bool, bool) {
    if packets.packet_only {
        return (true, false);
    }
    if packets.stream_only {
        return (false, true);
    }
    let tcp = packets.has(6);
    if !tcp {
        return (true, false);
    }
    if builder.wants_packet || builder.wants_stream {
        return (builder.wants_packet, builder.wants_stream);
    }
    // A place in the packet, not in the stream, is meant where offset or depth is written.
    let anchored = builder.payload.iter().any(|check| match check {
        Check::Content(content) => content.offset.is_some() || content.depth.is_some(),
        _ => false,
    });
    (anchored || builder.packets_too, true)
}

fn kind(signature: &Signature, builder: &RuleBuilder<'_>) -> Kind {
    if signature.has_frame_buffers() {
        return Kind::Frame;
    }
    if signature.has_transaction_buffers() || builder.transaction_event || signature.state_hook().is_some() {
        return Kind::Transaction;
    }
    if signature.looks_at_payload() {
        return match (signature.wants_packet, signature.wants_stream) {
            (true, true) => Kind::PacketStream,
            (false, true) => Kind::Stream,
            _ => Kind::Packet,
        };
    }
    if signature.packet_checks.iter().any(|c| c.event())
        && signature.protocols.link == LinkProtocol::PacketHeader
    {
        return Kind::DecoderEvent;
    }
    if !signature.app_protocols.is_empty() && builder.wants_packet {
        return Kind::Packet;
    }
    if !signature.app_protocols.is_empty() {
        return Kind::Application;
    }
    let plain = !builder.needs_packets && !signature.flow.given && signature.buffers.is_empty();
    if plain && signature.protocols.link == LinkProtocol::None && builder.protocols_asked.is_empty() {
        return Kind::IpOnly;
    }
    // Whether the flow is established changes from packet to packet.
    let of_flow = !builder.needs_packets && signature.flow.established.is_none();
    if !builder.protocols_asked.is_empty() && of_flow {
        return Kind::ProtocolOnly;
    }
    Kind::Packet
}
