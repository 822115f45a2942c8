//! Refusals by the parser and the compiler, by kind.

use weir_detect::compile::Environment;
use weir_detect::keywords::known;
use weir_detect::{Failure, Reason};
use weir_rules::{Diagnostic, Rule, Severity};

use crate::finding::{Finding, sid_of};
use crate::lints::{self, Lint};

/// Makes a finding of the parser's message.
pub(crate) fn of_text(diagnostic: Diagnostic) -> Finding {
    let message = diagnostic.message.as_str();
    let lint = if message.contains("no terminating \";\"") {
        &lints::MISSING_SEMICOLON
    } else if message.contains("begins with a space") {
        &lints::LEADING_SPACE
    } else if message.contains("does not end with `)`") {
        &lints::MISSING_PARENTHESIS
    } else if diagnostic.severity == Severity::Warning {
        &lints::OTHER_WARNING
    } else {
        &lints::NOT_A_RULE
    };
    Finding::new(lint, None, diagnostic)
}

/// Makes a finding of the compiler's refusal.
pub(crate) fn of_rule(rule: &Rule, failure: Failure, environment: &Environment) -> Finding {
    Finding::new(kind(&failure, environment), sid_of(rule), *failure.diagnostic)
}

fn kind(failure: &Failure, environment: &Environment) -> &'static Lint {
    let message = failure.diagnostic.message.as_str();
    let says = |words: &str| message.contains(words);
    match &failure.reason {
        Reason::Syntax => &lints::NOT_A_RULE,
        Reason::UnknownKeyword(_) => &lints::UNKNOWN_KEYWORD,
        Reason::KeywordNotBuilt(_) if says("hook") => &lints::UNSUPPORTED_PROTOCOL,
        Reason::KeywordNotBuilt(_) => &lints::UNSUPPORTED_KEYWORD,
        Reason::Protocol(name) if known::is_protocol(name) => &lints::UNSUPPORTED_PROTOCOL,
        Reason::Protocol(_) => &lints::UNKNOWN_PROTOCOL,
        Reason::Value(name) if name == "address" => &lints::BAD_ADDRESS,
        Reason::Value(_) if says("possible missing semicolon") => &lints::UNESCAPED_SEMICOLON,
        Reason::Value(name)
            if ["there is none before it", "preceding content", "without a content context"]
                .into_iter()
                .any(says)
                && environment.fields.modifies_content(name) =>
        {
            &lints::MODIFIER_WITHOUT_CONTENT
        }
        Reason::Value(name) if name == "within" && says("less than the content length") => {
            &lints::UNREACHABLE_WITHIN
        }
        Reason::Value(name) if name == "flow" && says("contradicts") => &lints::CONTRADICTORY_FLOW,
        Reason::Value(_) if says("only once") || says("only one") || says("2 or more") => {
            &lints::DUPLICATE_OPTION
        }
        Reason::Value(_) => &lints::BAD_VALUE,
        Reason::Conflict if says("missing required value \"sid\"") => &lints::RULE_WITHOUT_SID,
        Reason::Conflict if says("exceeds dsize") || says("exceeds bsize") => &lints::UNREACHABLE_CONTENT,
        Reason::Conflict if says("uppercase characters") || says("incompatible with") => {
            &lints::CASE_NEVER_MATCHES
        }
        Reason::Conflict if says("combines packet specific") => &lints::DSIZE_WITH_STREAM,
        Reason::Conflict if says("conflicting directions") => &lints::CONTRADICTORY_FLOW,
        Reason::Conflict => &lints::CONTRADICTORY_PARTS,
        Reason::Duplicate => &lints::DUPLICATE_SID,
        Reason::Requirement => &lints::REQUIREMENT_NOT_MET,
        Reason::Retired => &lints::RETIRED_EVENT,
    }
}

/// Makes a finding of a compiler's warning.
pub(crate) fn of_warning(rule: &Rule, warning: Diagnostic) -> Finding {
    let message = warning.message.as_str();
    let lint = if message.starts_with("unknown classtype") {
        &lints::UNKNOWN_CLASSTYPE
    } else if message.starts_with("unknown reference") {
        &lints::UNKNOWN_REFERENCE
    } else if message.contains("stands twice") {
        &lints::DUPLICATE_OPTION
    } else {
        &lints::OTHER_WARNING
    };
    Finding::new(lint, sid_of(rule), warning)
}
