//! Findings in scripts of Zeek's language, of which what reads scripts tells.

use weir_rules::Diagnostic;

use crate::finding::{Finding, Severity};
use crate::lints::{SCRIPT_COST, SCRIPT_DOUBT, SCRIPT_FAULT};

/// Kinds of findings in scripts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScriptFinding {
    /// The scripts cannot be run.
    Fault,
    /// Something is out of date, not used, or cannot happen.
    Doubt,
    /// A handler that decides what a run costs.
    Cost,
}

/// Returns the finding of a kind on a line (from 1) of a file, of which `text` is the text.
pub fn script_finding(kind: ScriptFinding, file: &str, line: u32, text: &str, message: String) -> Finding {
    let lint = match kind {
        ScriptFinding::Fault => &SCRIPT_FAULT,
        ScriptFinding::Doubt => &SCRIPT_DOUBT,
        ScriptFinding::Cost => &SCRIPT_COST,
    };
    let severity = match lint.severity {
        Severity::Error => weir_rules::Severity::Error,
        Severity::Warning | Severity::Hint => weir_rules::Severity::Warning,
    };
    Finding::new(lint, None, Diagnostic::of_line(file, line, text, severity, message))
}
