//! Findings of checks.

use weir_rules::{Diagnostic, Rule, Span, SyntaxError};

use crate::fix::Fix;
use crate::lints::Lint;

/// Severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The rule can be better.
    Hint,
    /// The rule or script loads, and is unlikely to do what it says, or costs much.
    Warning,
    /// The rule is not loaded, or the finding was denied.
    Error,
}

impl Severity {
    /// Every severity, the least first.
    pub const ALL: [Severity; 3] = [Severity::Hint, Severity::Warning, Severity::Error];

    /// The word.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Hint => "hint",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }

    /// The severity of that name, or of its plural.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| name.strip_suffix('s').unwrap_or(name) == severity.name())
    }
}

/// One finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Kind of finding.
    pub lint: &'static Lint,
    /// Severity, after the policy was applied.
    pub severity: Severity,
    /// The rule's number, where it has one.
    pub sid: Option<u32>,
    /// Where, what and the remedy.
    pub diagnostic: Diagnostic,
    /// Rewriting of the rule that keeps its meaning.
    pub fix: Option<Fix>,
}

impl Finding {
    /// A finding of a diagnostic.
    pub(crate) fn new(lint: &'static Lint, sid: Option<u32>, diagnostic: Diagnostic) -> Self {
        Self { lint, severity: lint.severity, sid, diagnostic, fix: None }
    }

    /// A finding at a place in a rule.
    pub(crate) fn at(lint: &'static Lint, rule: &Rule, span: Span, message: impl Into<String>) -> Self {
        Self::new(lint, sid_of(rule), rule.warning(SyntaxError::new(span, message)))
    }

    /// Adds a remedy.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.diagnostic.help = Some(help.into().into());
        self
    }

    /// Adds a fix.
    pub(crate) fn with_fix(mut self, fix: Option<Fix>) -> Self {
        self.fix = fix;
        self
    }

    /// The column after the last character of the place, on the line where it begins.
    pub fn end_column(&self) -> u32 {
        let span = self.diagnostic.span;
        let text = self.diagnostic.text.get(span.start..span.end).unwrap_or_default();
        let width = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        self.diagnostic.column.saturating_add(width.max(1))
    }
}

/// The number that a rule gives itself.
pub(crate) fn sid_of(rule: &Rule) -> Option<u32> {
    rule.option("sid")?.value.as_ref()?.trim().parse().ok()
}
