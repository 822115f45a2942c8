//! The page of keywords.

use std::collections::BTreeMap;
use std::fmt::Write;

use weir_engine::reference::{KeywordEntry, keywords};

use crate::{cell, code};

const HEAD: &str = "# Keywords

What rules can be written with, as `weir --list-keywords=all` tells it too. A keyword of Suricata 8 that is not
here is known by name, and a rule that has it is refused with a message that says so.
[Rules](rules.md) tells how rules are loaded and run.
";

/// The page.
pub fn page() -> String {
    let entries = keywords();
    let mut groups: BTreeMap<&str, Vec<&KeywordEntry>> = BTreeMap::new();
    for entry in &entries {
        groups.entry(&entry.protocol).or_default().push(entry);
    }
    let mut page = HEAD.to_owned();
    for (protocol, entries) in groups {
        let heading = if protocol.is_empty() { "For every protocol" } else { protocol };
        let _ = write!(page, "\n## {heading}\n\n| keyword | kind | written | meaning |\n|---|---|---|---|\n");
        for entry in entries {
            let _ = writeln!(
                page,
                "| {} | {} | {} | {} |",
                code(entry.name),
                entry.kind,
                code(&entry.syntax),
                cell(entry.text)
            );
        }
    }
    page
}
