//! Findings for people, for programs, and for the tools that read SARIF.

mod json;
mod sarif;
mod text;

pub use json::json;
pub use sarif::sarif;
pub use text::text;

use crate::finding::{Finding, Severity};

/// Returns the number of findings of a severity.
pub fn count(findings: &[Finding], severity: Severity) -> usize {
    findings.iter().filter(|finding| finding.severity == severity).count()
}
