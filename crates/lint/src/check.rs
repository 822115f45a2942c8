//! All checks over a set of rule files.

use std::collections::HashMap;

use weir_detect::compile::{Environment, compile};
use weir_rules::{Diagnostic, Resolver, Rule, parse_rule, parse_rules};

use crate::checks::{self, State};
use crate::finding::{Finding, sid_of};
use crate::fix;
use crate::lints;
use crate::refusal;
use crate::subject::Subject;

/// A rule file.
#[derive(Clone, Debug)]
pub struct RuleText {
    /// Its name.
    pub file: String,
    /// Text of the rules.
    pub text: Vec<u8>,
}

/// Result of checking.
#[derive(Debug, Default)]
pub struct Checked {
    /// Number of rules, those that cannot be read left out.
    pub rules: usize,
    /// The findings, by file, line and column.
    pub findings: Vec<Finding>,
}

/// Checks rule files that are loaded together.
pub fn check(files: &[RuleText], environment: &Environment, resolver: &mut Resolver<'_>) -> Checked {
    let mut checked = Checked::default();
    let mut state = State::default();
    let mut sids: HashMap<(u32, u32), String> = HashMap::new();
    for file in files {
        let parsed = parse_rules(&file.text, &file.file);
        let first = checked.findings.len();
        for diagnostic in parsed.diagnostics {
            checked.findings.push(text_finding(diagnostic, environment, resolver));
        }
        checked.rules += parsed.rules.len();
        for rule in &parsed.rules {
            state.note(rule);
            if let Some(sid) = sid_of(rule) {
                duplicates(rule, sid, &mut sids, &mut checked.findings);
            }
            check_rule(rule, environment, resolver, &mut checked.findings);
        }
        sort(checked.findings.get_mut(first..).unwrap_or_default());
    }
    checked.findings.extend(state.findings());
    let order: HashMap<&str, usize> = files.iter().enumerate().map(|(n, f)| (f.file.as_str(), n)).collect();
    checked.findings.sort_by_key(|finding| {
        let diagnostic = &finding.diagnostic;
        (order.get(&*diagnostic.file).copied(), diagnostic.line, diagnostic.column)
    });
    checked
}

fn sort(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| (finding.diagnostic.line, finding.diagnostic.column));
}

/// All that can be said of one rule without the others.
pub(crate) fn check_rule(
    rule: &Rule,
    environment: &Environment,
    resolver: &mut Resolver<'_>,
    findings: &mut Vec<Finding>,
) {
    let mut compiled = match compile(rule, environment, resolver) {
        Ok(compiled) => compiled,
        Err(failure) => {
            let finding = refusal::of_rule(rule, failure, environment);
            let fix = match finding.lint.name {
                "unescaped-semicolon" => fix::escape_semicolons(rule, environment, resolver),
                _ => None,
            };
            findings.push(finding.with_fix(fix));
            return;
        }
    };
    for warning in std::mem::take(&mut compiled.warnings) {
        findings.push(refusal::of_warning(rule, warning));
    }
    let subject = Subject { rule, compiled: &compiled, environment };
    for check in checks::ALL {
        check(&subject, findings);
    }
    if let Some(finding) = checks::deprecated(&subject, resolver) {
        findings.push(finding);
    }
}

/// Makes the finding of the parser's message on a line, with a fix where one makes a rule of it.
pub(crate) fn text_finding(
    diagnostic: Diagnostic,
    environment: &Environment,
    resolver: &mut Resolver<'_>,
) -> Finding {
    let finding = refusal::of_text(diagnostic);
    let lint = finding.lint.name;
    let fix = fix::of_text(lint, &finding.diagnostic).filter(|fix| {
        let text = fix.apply(&finding.diagnostic.text);
        let parsed = parse_rule(&text, "", 1);
        parsed.is_ok_and(|(rule, _)| compile(&rule, environment, resolver).is_ok())
    });
    finding.with_fix(fix)
}

fn duplicates(rule: &Rule, sid: u32, sids: &mut HashMap<(u32, u32), String>, findings: &mut Vec<Finding>) {
    let gid = rule.option("gid").and_then(|gid| gid.value.as_ref()?.trim().parse().ok()).unwrap_or(1);
    let place = format!("{}:{}", rule.file(), rule.line());
    match sids.entry((gid, sid)) {
        std::collections::hash_map::Entry::Occupied(first) => {
            let span = rule.option("sid").map_or(rule.protocol.name.span(), |option| option.span);
            let message = format!("The signature id {sid} is in use already, at {}.", first.get());
            findings.push(
                Finding::at(&lints::DUPLICATE_SID, rule, span, message)
                    .help("give the rule an id of its own"),
            );
        }
        std::collections::hash_map::Entry::Vacant(slot) => {
            slot.insert(place);
        }
    }
}
