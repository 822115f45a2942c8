//! Policy: lints that are allowed and denied.

use crate::finding::{Finding, Severity};
use crate::lints::named;

/// A name that is no finding's and no severity's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownName(pub String);

impl std::fmt::Display for UnknownName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "There is no finding {}. `weir list findings` lists them all.", self.0)
    }
}

/// Findings that are dropped, and findings that count as errors.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    allowed: Vec<&'static str>,
    denied: Vec<&'static str>,
    denied_severities: Vec<Severity>,
}

impl Policy {
    /// The policy of names; `deny` takes severities too (`warnings`).
    pub fn new(allow: &[String], deny: &[String]) -> Result<Self, UnknownName> {
        let unknown = |name: &String| UnknownName(name.clone());
        let mut policy = Self::default();
        for name in allow {
            policy.allowed.push(named(name).ok_or_else(|| unknown(name))?.name);
        }
        for name in deny {
            match (named(name), Severity::named(name)) {
                (Some(lint), _) => policy.denied.push(lint.name),
                (None, Some(severity)) => policy.denied_severities.push(severity),
                (None, None) => return Err(unknown(name)),
            }
        }
        Ok(policy)
    }

    /// Drops what is allowed and raises what is denied. What is denied by its name stays, even if it is
    /// allowed too.
    pub fn apply(&self, findings: &mut Vec<Finding>) {
        findings.retain_mut(|finding| {
            let name = finding.lint.name;
            let denied = self.denied.contains(&name);
            if denied || self.denied_severities.contains(&finding.severity) {
                finding.severity = Severity::Error;
            }
            denied || !self.allowed.contains(&name)
        });
    }
}
