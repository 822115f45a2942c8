//! Metadata of a rule: its message, ids and references.

use weir_rules::RuleOption;

use crate::finding::Finding;
use crate::lints;
use crate::subject::Subject;

/// Options that may stand once.
const ONCE: &[&str] = &["gid", "priority", "target", "detection_filter", "threshold", "dsize"];

/// Options of which each may stand several times, but not with the same value.
const DISTINCT: &[&str] =
    &["reference", "flowbits", "flowint", "xbits", "hostbits", "metadata", "flags", "app-layer-event"];

/// Message, revision and class.
pub(super) fn missing_parts(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let rule = subject.rule;
    let place = rule.option("sid").map_or(rule.protocol.name.span(), |option| option.span);
    let info = &subject.compiled.signature.info;
    if info.msg.is_empty() && !subject.compiled.signature.effects.no_alert {
        findings.push(
            Finding::at(&lints::RULE_WITHOUT_MSG, rule, place, "The rule has no message.")
                .help("add `msg:\"…\";`"),
        );
    }
    if rule.option("rev").is_none() {
        findings.push(
            Finding::at(&lints::RULE_WITHOUT_REV, rule, place, "The rule has no revision.")
                .help("add `rev:1;`, and raise it with each change"),
        );
    }
    if rule.option("classtype").is_none() && rule.option("priority").is_none() {
        findings.push(
            Finding::at(&lints::RULE_WITHOUT_CLASSTYPE, rule, place, "The rule has no class.")
                .help("add `classtype:…;`, with a class of classification.config"),
        );
    }
}

/// Finds options that are given twice.
pub(super) fn duplicate_options(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let options = &subject.rule.options;
    let value = |option: &RuleOption| option.value.as_ref().map(|value| value.as_str().to_owned());
    for (position, option) in options.iter().enumerate() {
        let name = option.name.as_str();
        let earlier = options.get(..position).unwrap_or_default();
        let same_name = || earlier.iter().any(|other| other.name == name);
        let same = || earlier.iter().any(|other| other.name == name && value(other) == value(option));
        let message = if ONCE.contains(&name) && same_name() {
            format!("`{name}` stands twice in the rule; only one of them counts.")
        } else if DISTINCT.contains(&name) && same() {
            format!("The rule says `{}` twice.", text_of(subject, option))
        } else {
            continue;
        };
        findings.push(
            Finding::at(&lints::DUPLICATE_OPTION, subject.rule, option.span, message).help("leave one out"),
        );
    }
}

fn text_of(subject: &Subject<'_>, option: &RuleOption) -> String {
    subject.rule.text().get(option.span.start..option.span.end).unwrap_or_default().to_owned()
}
