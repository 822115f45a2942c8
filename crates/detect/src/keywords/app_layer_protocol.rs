//! `app-layer-protocol`: what detection found the flow to speak.
//!
//! A rule that nothing else decides is looked at once per direction, when detection is done there; one
//! with other conditions on packets is looked at with each of them.

use weir_applayer::Protocol;
use weir_base::Direction;
use weir_rules::value::comma_list;
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use crate::builder::keyword::Keyword;
use crate::builder::{ProtocolMode, RuleBuilder};
use crate::model::signature::{Cost, PacketCheck};
use crate::model::view::{FlowProtocol, PacketView};

/// Most protocols of one option.
const MAX_PROTOCOLS: usize = 32;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[Keyword::new(
    "app-layer-protocol",
    [
        "app-layer-protocol:[!]<protocol>[|<protocol>…][,<mode>][,exact];",
        "The protocol found in the packet's direction, or as the mode says: direction, to_server, to_client, \
         either, final, original. `failed` and `unknown` are protocols too. A rule without other conditions on \
         packets is looked at once per direction, when detection is done there.",
        "app-layer-protocol:!tls,final;",
    ],
    compile,
)];

/// Finding of detection on a direction or on the flow.
#[derive(Clone, Copy)]
enum Finding {
    /// Nothing yet.
    Unknown,
    /// It gave up.
    Failed,
    /// A protocol.
    Known(&'static Protocol),
}

/// The check.
#[derive(Debug, Default)]
struct SpokenProtocol {
    negated: bool,
    mode: Option<ProtocolMode>,
    failed: bool,
    unknown: bool,
    protocols: Vec<&'static Protocol>,
}

impl PacketCheck for SpokenProtocol {
    fn cost(&self) -> Cost {
        Cost::Protocol
    }

    fn matches(&self, view: &PacketView<'_>) -> bool {
        if view.facts.flow.is_none() {
            return false;
        }
        let (first, second) = self.findings(&view.facts.protocol, view.facts.direction);
        let findings = std::iter::once(first).chain(second);
        if self.negated {
            // Nothing is said of what is not known yet.
            let mut known = findings.filter(|f| !matches!(f, Finding::Unknown)).peekable();
            known.peek().is_some() && known.all(|finding| !self.holds(finding))
        } else {
            findings.into_iter().any(|finding| self.holds(finding))
        }
    }

    fn ip_only(&self) -> bool {
        // Not in the way of a rule that is decided by the protocol alone, once that is settled; what is
        // not known yet has to be asked for before.
        !self.unknown
    }
}

impl SpokenProtocol {
    fn holds(&self, finding: Finding) -> bool {
        match finding {
            Finding::Unknown => self.unknown,
            Finding::Failed => self.failed,
            Finding::Known(found) => self.protocols.iter().any(|wanted| **wanted == *found),
        }
    }

    fn findings(&self, flow: &FlowProtocol, direction: Direction) -> (Finding, Option<Finding>) {
        let of = |protocol: Option<&'static Protocol>, failed: bool| match protocol {
            Some(protocol) => Finding::Known(protocol),
            None if failed => Finding::Failed,
            None => Finding::Unknown,
        };
        let to_server = of(flow.to_server, flow.failed.0);
        let to_client = of(flow.to_client, flow.failed.1);
        match (self.mode.unwrap_or(ProtocolMode::Direction), direction) {
            (ProtocolMode::ToServer, _) | (ProtocolMode::Direction, Direction::ToServer) => (to_server, None),
            (ProtocolMode::ToClient, _) | (ProtocolMode::Direction, Direction::ToClient) => (to_client, None),
            (ProtocolMode::Either, _) => (to_server, Some(to_client)),
            (ProtocolMode::Final, _) => (of(flow.protocol, flow.failed.0 && flow.failed.1), None),
            (ProtocolMode::Original, _) => (of(flow.original, false), None),
        }
    }
}

fn compile(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let argument = option.argument(true, Quotes::Optional)?;
    let mut items = comma_list(&argument.text).into_iter();
    let Some(names) = items.next() else {
        return Err(argument.text.error("`app-layer-protocol` names no protocol."));
    };
    let mut check = SpokenProtocol { negated: argument.negated, ..SpokenProtocol::default() };
    let mut exact = false;
    for item in items {
        match ProtocolMode::from_name(&item) {
            Some(mode) if check.mode.is_none() => check.mode = Some(mode),
            None if item == "exact" && !exact => exact = true,
            _ => {
                return Err(item.error(format!("`{item}` is no mode, or one too many.")).with_help(
                    "modes are direction, to_server, to_client, either, final, original; and `exact`",
                ));
            }
        }
    }
    for name in names.split('|').map(str::trim) {
        add(&mut check, rule, &names, name, exact)?;
    }
    if !rule.head.app_protocols.is_empty() {
        return Err(names.error("The rule is about a protocol already, by its header or its buffers."));
    }
    let asked = (check.mode.unwrap_or(ProtocolMode::Direction), check.negated, names.to_ascii_lowercase());
    let repeats = |before: &(ProtocolMode, bool, String)| !(before.1 && asked.1) || before.2 == asked.2;
    if rule.demands.protocols_asked.iter().any(|before| before.0 == asked.0 && repeats(before)) {
        return Err(names
            .error("The rule asks for the same finding twice.")
            .with_help("join protocols, as in `tls|http`; only negated ones may stand beside each other"));
    }
    rule.demands.protocols_asked.push(asked);
    rule.push_packet_check(check);
    Ok(())
}

fn add(
    check: &mut SpokenProtocol,
    rule: &mut RuleBuilder<'_>,
    names: &Spanned,
    name: &str,
    exact: bool,
) -> Result<(), SyntaxError> {
    match name {
        "failed" => check.failed = true,
        "unknown" if check.negated => {
            return Err(names.error("`unknown` cannot be negated."));
        }
        "unknown" => check.unknown = true,
        _ => {
            let catalogue = &rule.environment.fields;
            let mut found = catalogue.protocols_named(name);
            if exact {
                found.retain(|protocol| protocol.name.eq_ignore_ascii_case(name));
            }
            if found.is_empty() && !super::known::is_protocol(name) {
                return Err(names.error(format!("There is no protocol `{name}`.")));
            }
            if found.is_empty() {
                let message =
                    format!("The protocol `{name}` is not supported yet: no flow is found to speak it.");
                rule.warn(names.error(message));
            }
            if check.protocols.len() + found.len() > MAX_PROTOCOLS {
                return Err(names.error(format!("At most {MAX_PROTOCOLS} protocols can be named.")));
            }
            check.protocols.extend(found);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{compiled, signature};
    use super::*;

    #[test]
    fn options_that_contradict_each_other() {
        for (options, holds) in [
            ("app-layer-protocol:http; app-layer-protocol:tls;", false),
            ("app-layer-protocol:http; app-layer-protocol:!tls;", false),
            ("app-layer-protocol:!http; app-layer-protocol:!tls;", true),
            ("app-layer-protocol:!http; app-layer-protocol:!http;", false),
            ("app-layer-protocol:http,original; app-layer-protocol:tls,final;", true),
            ("app-layer-protocol:http,to_server; app-layer-protocol:tls,toserver;", false),
            ("http.uri; content:\"a\"; app-layer-protocol:http;", false),
        ] {
            assert_eq!(compiled(options).is_ok(), holds, "{options}");
        }
        assert_eq!(signature("app-layer-protocol:http,either;").checks.packet.len(), 1);
    }

    #[test]
    fn findings_by_mode() {
        let flow = FlowProtocol { failed: (true, false), ..FlowProtocol::default() };
        for (mode, direction, failed, unknown) in [
            (None, Direction::ToServer, true, false),
            (None, Direction::ToClient, false, true),
            (Some(ProtocolMode::ToServer), Direction::ToClient, true, false),
            (Some(ProtocolMode::Either), Direction::ToClient, true, true),
            (Some(ProtocolMode::Final), Direction::ToClient, false, true),
            (Some(ProtocolMode::Original), Direction::ToClient, false, true),
        ] {
            let check = SpokenProtocol { mode, ..SpokenProtocol::default() };
            let (first, second) = check.findings(&flow, direction);
            let all = [Some(first), second];
            let any = |wanted: fn(&Finding) -> bool| all.iter().flatten().any(wanted);
            assert_eq!(any(|f| matches!(f, Finding::Failed)), failed, "{mode:?} {direction:?}");
            assert_eq!(any(|f| matches!(f, Finding::Unknown)), unknown, "{mode:?} {direction:?}");
        }
    }
}
