//! Findings with the line, a caret under the word, the reason and the remedy.

use weir_rules::{Colour, diagnostic::Title};

use crate::finding::Finding;

/// One finding as several lines.
pub fn text(finding: &Finding, colour: Colour) -> String {
    let title = Title { word: finding.severity.name(), name: finding.lint.name, why: finding.lint.why };
    let mut text = finding.diagnostic.render_as(&title, colour);
    if finding.fix.is_some() {
        text.push_str("\n  = `weir check --fix` rewrites it");
    }
    text
}
