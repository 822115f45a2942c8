//! Bits that rules share: set by some, asked for by others.

use std::collections::HashSet;

use weir_rules::{Rule, Span};

use crate::finding::Finding;
use crate::lints::{self, Lint};

/// Keywords on bits, each with names of its own.
const KEYWORDS: &[&str] = &["flowbits", "xbits", "hostbits"];

/// The first rule that sets, or asks for, a bit.
struct Use {
    rule: Rule,
    span: Span,
}

/// Uses of bits by all rules.
#[derive(Default)]
pub(crate) struct State {
    set: HashSet<(&'static str, String)>,
    tested: HashSet<(&'static str, String)>,
    /// Each option that asks for one of some bits to be set.
    wants: Vec<(&'static str, Vec<String>, Use)>,
    /// The first option that sets a bit, in the order of the rules.
    sets: Vec<(&'static str, String, Use)>,
}

impl State {
    /// Notes what a rule does with bits; rules that do not load count too.
    pub(crate) fn note(&mut self, rule: &Rule) {
        for option in &rule.options {
            let Some(&keyword) = KEYWORDS.iter().find(|keyword| option.name == **keyword) else { continue };
            let Some(value) = &option.value else { continue };
            let text = value.trim_matches('"');
            let items: Vec<&str> = text.split(',').map(str::trim).collect();
            let (Some(command), Some(names)) = (items.first(), items.get(1)) else { continue };
            let names: Vec<String> = names.split('|').map(|name| name.trim().to_owned()).collect();
            let here = || Use { rule: rule.clone(), span: option.span };
            match *command {
                "isset" => {
                    self.tested.extend(names.iter().map(|name| (keyword, name.clone())));
                    self.wants.push((keyword, names, here()));
                }
                "isnotset" => self.tested.extend(names.into_iter().map(|name| (keyword, name))),
                "set" | "toggle" => {
                    for name in names {
                        if self.set.insert((keyword, name.clone())) {
                            self.sets.push((keyword, name, here()));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Finds bits that are never set, and bits that are never checked.
    pub(crate) fn findings(self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let finding = |lint: &'static Lint, place: &Use, message: String| {
            Finding::at(lint, &place.rule, place.span, message)
        };
        for (keyword, names, place) in &self.wants {
            if names.iter().any(|name| self.set.contains(&(*keyword, name.clone()))) {
                continue;
            }
            let message = format!("No rule that is checked here sets `{}`.", names.join("|"));
            findings.push(
                finding(&lints::FLOWBIT_NEVER_SET, place, message)
                    .help("check it together with the file whose rules set the bit, or enable those rules"),
            );
        }
        for (keyword, name, place) in &self.sets {
            if self.tested.contains(&(*keyword, name.clone())) {
                continue;
            }
            let message = format!("No rule that is checked here asks for `{name}`.");
            findings.push(finding(&lints::FLOWBIT_NEVER_TESTED, place, message));
        }
        findings
    }
}
