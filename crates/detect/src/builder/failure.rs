//! Rules that are not loaded, and why.

use weir_rules::Diagnostic;

/// Reasons that a rule was not loaded; the summary counts by them.
#[derive(Clone, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The text is not a rule.
    Syntax,
    /// A keyword that nobody knows.
    UnknownKeyword(String),
    /// A documented keyword that is not built yet.
    KeywordNotBuilt(String),
    /// A protocol that nobody knows, or that is not built yet.
    Protocol(String),
    /// A keyword's value.
    Value(String),
    /// Parts that do not go together.
    Conflict,
    /// The signature id is already in use.
    Duplicate,
    /// A requirement (`requires`) is not met: the rule is left out, which is no error.
    Requirement,
    /// It looks at an event that is not there: the rule is left out, which is no error.
    Retired,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Syntax => f.write_str("not a rule"),
            Reason::UnknownKeyword(name) => write!(f, "unknown keyword {name}"),
            Reason::KeywordNotBuilt(name) => write!(f, "keyword {name} not supported yet"),
            Reason::Protocol(name) => write!(f, "protocol {name} not supported yet"),
            Reason::Value(name) => write!(f, "value of {name}"),
            Reason::Conflict => f.write_str("parts that exclude each other"),
            Reason::Duplicate => f.write_str("duplicate signature id"),
            Reason::Requirement => f.write_str("requirement not met"),
            Reason::Retired => f.write_str("event not there"),
        }
    }
}

/// A rule that was not loaded.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Reason, for counting.
    pub reason: Reason,
    /// Reason, for people.
    pub diagnostic: Box<Diagnostic>,
}
