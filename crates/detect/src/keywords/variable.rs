//! `flowvar`, `pktvar`: what expressions of earlier rules captured.

use weir_mpm::SingleMatcher;
use weir_rules::value::parse_pattern;
use weir_rules::{Quotes, RuleOption, Span, SyntaxError};

use crate::builder::RuleBuilder;
use crate::builder::keyword::Keyword;
use crate::model::signature::{Cost, PacketCheck};
use crate::model::view::PacketView;
use crate::state::NameId;
use crate::state::names::NameKind;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[
    Keyword::new(
        "flowvar",
        [
            "flowvar:<name>,[!]\"<part>\";",
            "What `pcre` captured into this variable of the flow has this in it.",
            "flowvar:user,\"admin\";",
        ],
        |option, rule| {
            rule.effects.state_use.others.1 = true;
            variable(option, rule, NameKind::FlowVariable)
        },
    ),
    Keyword::new(
        "pktvar",
        [
            "pktvar:<name>,[!]\"<part>\";",
            "What `pcre` of an earlier rule captured from this packet has this in it.",
            "pktvar:user,\"admin\";",
        ],
        |option, rule| {
            rule.effects.state_use.others.1 = true;
            variable(option, rule, NameKind::PacketVariable)
        },
    ),
];

struct VariableCheck {
    kind: NameKind,
    name: NameId,
    part: SingleMatcher,
    negated: bool,
}

impl PacketCheck for VariableCheck {
    fn cost(&self) -> Cost {
        Cost::Flow
    }

    fn matches(&self, view: &PacketView<'_>) -> bool {
        let variables = match self.kind {
            NameKind::FlowVariable => view.state.map_or(&[][..], |state| state.variables()),
            _ => view.packet_variables,
        };
        let value = variables.iter().find(|(name, _)| *name == self.name).map(|(_, value)| value);
        value.is_some_and(|value| self.part.find_at(value, 0, value.len()).is_some() != self.negated)
    }
}

fn variable(option: &RuleOption, rule: &mut RuleBuilder<'_>, kind: NameKind) -> Result<(), SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let Some(comma) = text.find(',') else {
        return Err(text
            .error("A name and what its value has in it are needed.")
            .with_help(format!("write `{}:name,\"part\";`", option.name)));
    };
    let name = text.slice(Span::new(0, comma)).trimmed();
    let mut part = text.slice(Span::new(comma + 1, text.len())).trimmed();
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(name.error("The variable has no name."));
    }
    let negated = part.starts_with('!');
    if negated {
        part = part.slice(Span::new(1, part.len())).trimmed();
    }
    if part.len() >= 2 && part.starts_with('"') && part.ends_with('"') {
        part = part.slice(Span::new(1, part.len() - 1));
    }
    let bytes = parse_pattern(&part).map_err(|error| part.locate(error))?;
    let name = rule.name(kind, &name);
    rule.push_packet_check(VariableCheck { kind, name, part: SingleMatcher::new(&bytes, false), negated });
    Ok(())
}
