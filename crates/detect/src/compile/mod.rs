//! From a rule's text to a signature.

pub mod compilation;
mod consistency;
pub mod digits;
mod header;
mod heads;
mod notices;
mod prefilter;

use std::borrow::Cow;
use std::sync::Arc;

use weir_applayer::{Access, Transport};
use weir_rules::{
    Action, ActionScope, Diagnostic, Resolver, Rule, RuleInfo, RuleOption, ScopedAction, Spanned, SyntaxError,
};

pub use self::header::PACKET_PROTOCOLS;
use self::header::install_hook;
use self::prefilter::choose_prefilter;
use crate::builder::{Demands, Places, RuleBuilder, direction_of};
pub use crate::builder::{Environment, Failure, Reason, WhenAsked};
use crate::keywords;
use crate::keywords::requires::Unmet;
use crate::model::buffer::{Check, Number, find_last_hopes};
use crate::model::fields::FieldUse;
use crate::model::firewall::FirewallRule;
use crate::model::hook::Hook;
use crate::model::post::StoreCertificates;
use crate::model::signature::{
    Checks, CompiledRule, FieldRow, Head, Kind, LinkProtocol, OptionTrace, PacketProtocols, Reuse, Signature,
    Subjects, ValueMatch,
};

/// A compiled rule with what was worth telling about it. The signature's index is still its
/// position in load order.
#[derive(Debug)]
pub struct Compiled {
    /// The signature.
    pub signature: Signature,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// Options by the checks that they made.
    pub places: Places,
}

impl Compiled {
    /// What a rule was compiled to before.
    fn again(signature: Signature) -> Self {
        Self { signature, warnings: Vec::new(), places: Places::default() }
    }
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
        return Err(Failure { reason: Reason::Conflict, diagnostic });
    }
    scope(&rule.action).map_err(|error| {
        let diagnostic = Box::new(rule.error(error));
        Failure { reason: Reason::Conflict, diagnostic }
    })?;
    compile_rule(rule, environment, resolver, |_, _| Ok(None))
}

/// Refuses a scope that an action of detection cannot have.
fn scope(action: &ScopedAction) -> Result<(), SyntaxError> {
    let Some(scope) = action.scope else { return Ok(()) };
    let allowed: &[ActionScope] = match action.action {
        Action::Alert | Action::Accept => &[],
        Action::Config => &[ActionScope::Packet],
        _ => &[ActionScope::Packet, ActionScope::Flow],
    };
    if allowed.contains(&scope) {
        return Ok(());
    }
    let (word, name) = (scope.name(), action.action);
    let message = format!("invalid action scope '{word}' in action '{name}:{word}': {}", name.scopes());
    Err(SyntaxError::new(action.span, message))
}

/// Compiles one rule of the firewall.
pub fn compile_firewall(
    rule: &Rule,
    environment: &Environment,
    resolver: &mut Resolver<'_>,
) -> Result<Compiled, Failure> {
    compile_rule(rule, environment, resolver, |rule, hook| FirewallRule::new(rule, hook).map(Some))
}

/// Reads what a rule decides beside its alerts, where it is one of the firewall's.
type Decide = fn(&Rule, Option<Hook>) -> Result<Option<FirewallRule>, SyntaxError>;

fn compile_rule(
    rule: &Rule,
    environment: &Environment,
    resolver: &mut Resolver<'_>,
    decide: Decide,
) -> Result<Compiled, Failure> {
    let fail =
        |reason: Reason, error: SyntaxError| Failure { reason, diagnostic: Box::new(rule.error(error)) };
    keywords::requires::check(rule, environment).map_err(|unmet| match unmet {
        Unmet::Requirement(error) => fail(Reason::Requirement, error),
        Unmet::Syntax(error) => fail(Reason::Value("requires".into()), error),
    })?;
    let info = RuleInfo {
        action: rule.action.action,
        text: Arc::clone(rule.text()),
        file: Arc::clone(rule.file()),
        ..RuleInfo::default()
    };
    let head =
        header::head(rule, environment, resolver, decide).map_err(|(reason, error)| fail(reason, error))?;
    let mut builder = RuleBuilder::new(environment, info, head);
    builder.given.id =
        rule.option("sid").and_then(|sid| sid.value.as_ref()?.parse().ok()).unwrap_or_default();
    install_hook(&mut builder);
    let mut trace = OptionTrace::default();
    for (position, option) in rule.options.iter().enumerate() {
        let before = (builder.checks.packet.len(), builder.effects.post.len());
        builder.cursor.position = position;
        compile_option(option, &mut builder).map_err(|(reason, error)| fail(reason, error))?;
        let position = u16::try_from(position).unwrap_or(u16::MAX);
        if builder.checks.packet.len() > before.0 {
            trace.packet.push(position);
        }
        if builder.effects.post.len() > before.1 {
            trace.post.push(position);
        }
    }
    trace.subjects = builder.demands.subjects;
    if let Some(error) = builder.retired.take() {
        let strict = rule
            .options
            .iter()
            .find(|option| option.name.ends_with("event") && environment.strict.covers(&option.name));
        let reason = strict.map_or(Reason::Retired, |option| Reason::Value(option.name.to_string()));
        return Err(fail(reason, error));
    }
    if !builder.given.sid {
        let error = rule
            .protocol
            .name
            .error("Signature missing required value \"sid\".")
            .with_help("add `sid:1000001;`, with a number of your own");
        return Err(fail(Reason::Conflict, error));
    }
    let mut compiled = finish(rule, builder, trace).map_err(|error| fail(Reason::Conflict, error))?;
    compiled.signature.kind = compiled.signature.kind.with_addresses(rule, resolver);
    Ok(compiled)
}

fn compile_option(option: &RuleOption, builder: &mut RuleBuilder<'_>) -> Result<(), (Reason, SyntaxError)> {
    // Keywords may be written in any case.
    let written = option.name.as_str();
    let small = match written.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(written.to_ascii_lowercase()),
        false => Cow::Borrowed(written),
    };
    let name = &*small;
    let value = |error| (Reason::Value(name.to_owned()), error);
    // A keyword may share its name with a field of another kind (`tls.version` the check, `filesize`):
    // the keyword has the first word.
    if let Some(keyword) = keywords::find(name) {
        return (keyword.compile)(option, builder).map_err(value);
    }
    let environment = builder.environment;
    if let Some((kind, rows)) = environment.fields.find(name) {
        return field_option(option, kind, rows, builder).map_err(value);
    }
    if keywords::known::is_keyword(name) {
        let error = option.name.error(format!("The keyword `{name}` is not supported yet."));
        return Err((Reason::KeywordNotBuilt(name.to_owned()), error));
    }
    let mut error = option.name.error(format!("unknown rule keyword '{written}'."));
    if let Some(close) = keywords::known::closest(name, &environment.fields) {
        error = error.with_help(format!("did you mean `{close}`?"));
    }
    Err((Reason::UnknownKeyword(name.to_owned()), error))
}

/// An option that is a field of some protocols.
fn field_option(
    option: &RuleOption,
    kind: FieldUse,
    rows: &[FieldRow],
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
        FieldUse::Sticky => builder.select(option, canonical, rows, direction_of(option)?),
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
                    keywords::integer::parse(needed(option)?, bits, names, row.field.indexed)?
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
fn finish(rule: &Rule, mut builder: RuleBuilder<'_>, trace: OptionTrace) -> Result<Compiled, SyntaxError> {
    consistency::packet_with_stream(rule, &builder)?;
    consistency::check(rule, &builder)?;
    digits::settle(rule, &mut builder)?;
    consistency::frames(rule, &builder)?;
    finish_checks(&mut builder.cursor.decoded);
    builder.attach_decoded();
    finish_checks(&mut builder.checks.payload);
    for buffer in &mut builder.checks.buffers {
        finish_checks(&mut buffer.checks);
    }
    builder.order_packet_checks();
    consistency::packet_with_state(rule, &builder)?;
    consistency::hook_with_fields(rule, &builder)?;
    consistency::file_names(rule, &builder)?;
    consistency::settle_direction(rule, &mut builder)?;
    let RuleBuilder {
        info, mut head, mut checks, mut effects, demands, given, warnings, places, cursor, ..
    } = builder;
    checks.payload_in = payload_sources(&checks, &demands, &head.protocols);
    checks.wire_only = demands.subjects.contains(Subjects::PACKET);
    checks.variables = cursor.variable_count();
    if head.protocols.all_numbers() {
        for transport in head.app_protocols.iter().flat_map(|protocol| protocol.transports) {
            head.protocols.add(if *transport == Transport::Tcp { 6 } else { 17 });
        }
    }
    if effects.threshold.and_then(|t| t.unique_on).is_some_and(|u| u.is_port())
        && !head.protocols.all_have_ports()
    {
        let option = rule.option("detection_filter").map_or(&rule.protocol.name, |option| &option.name);
        return Err(option.error("`unique_on` counts ports: the rule must be on TCP, UDP or SCTP."));
    }
    head.hook = head.hook.or(demands.state.map(Hook::State));
    effects.no_alert |= !(given.alert || raises_alert(rule, head.firewall.is_some()));
    let kind = kind(&head, &checks, &demands);
    if let Some(span) = demands.needs_transaction.filter(|_| kind != Kind::Transaction) {
        return Err(SyntaxError::new(span, "The rule looks at no transaction that a bit could belong to.")
            .with_help(
                "name a state in the protocol field, as in `http1:request_line`, or look at a field",
            ));
    }
    let mut compiled = CompiledRule {
        reuse: match (demands.lists || !warnings.is_empty() || head.firewall.is_some(), demands.table) {
            (true, _) => Reuse::Never,
            (false, true) => Reuse::Successors,
            (false, false) => Reuse::Tenants,
        },
        info: Arc::new(info),
        checks,
        effects,
        prefilter: None,
        trace,
    };
    compiled.prefilter = choose_prefilter(&head, &compiled);
    let warnings = warnings.into_iter().map(|warning| rule.warning(warning)).collect();
    let signature = Signature::new(kind, Arc::new(head), Arc::new(compiled), rule.line());
    Ok(Compiled { signature, warnings, places })
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
        if let Check::Content(content) = check
            && content.starts_with
        {
            content.offset = Some(Number::Value(0));
            content.depth = Some(Number::Value(content.bytes.len() as i64).reach());
        }
        if let Check::Base64Decode(decode) = check {
            finish_checks(&mut decode.checks);
        }
    }
    find_last_hopes(checks);
}

/// Where the payload checks look.
fn payload_sources(checks: &Checks, demands: &Demands, packets: &PacketProtocols) -> Subjects {
    let asked = demands.subjects & (Subjects::PACKET | Subjects::STREAM);
    if packets.stream_only && !packets.packet_only {
        return Subjects::STREAM;
    }
    if packets.packet_only || !packets.has(6) {
        return Subjects::PACKET;
    }
    if !asked.is_empty() {
        return asked;
    }
    // A place in the packet, not in the stream, is meant where offset or depth is written.
    let anchored = checks.payload.iter().any(|check| match check {
        Check::Content(content) => content.offset.is_some() || content.depth.is_some(),
        _ => false,
    });
    let packets_too = anchored || demands.subjects.contains(Subjects::PACKET_TOO);
    if packets_too { Subjects::PACKET | Subjects::STREAM } else { Subjects::STREAM }
}

/// When a rule with these parts is looked at.
fn kind(head: &Head, checks: &Checks, demands: &Demands) -> Kind {
    if checks.has_frame_buffers() {
        return Kind::Frame;
    }
    if checks.has_transaction_buffers()
        || demands.subjects.contains(Subjects::TRANSACTION_EVENT)
        || head.state_hook().is_some()
    {
        return Kind::Transaction;
    }
    if checks.look_at_payload() {
        return match checks.payload_in {
            Subjects::STREAM => Kind::Stream,
            Subjects::PACKET => Kind::Packet,
            _ => Kind::PacketStream,
        };
    }
    if checks.packet.iter().any(|c| c.event().is_some()) && head.protocols.link == LinkProtocol::PacketHeader
    {
        return Kind::DecoderEvent;
    }
    if !head.app_protocols.is_empty() && demands.subjects.contains(Subjects::PACKET) {
        return Kind::Packet;
    }
    if !head.app_protocols.is_empty() {
        return Kind::Application;
    }
    let plain = !demands.subjects.contains(Subjects::MORE_THAN_ADDRESSES)
        && !head.flow.given
        && checks.buffers.is_empty();
    if plain && head.protocols.link == LinkProtocol::None && demands.protocols_asked.is_empty() {
        return Kind::IpOnly;
    }
    // Whether the flow is established changes from packet to packet.
    let of_flow =
        !demands.subjects.contains(Subjects::MORE_THAN_ADDRESSES) && head.flow.established.is_none();
    if !demands.protocols_asked.is_empty() && of_flow {
        return Kind::ProtocolOnly;
    }
    Kind::Packet
}
