//! The page of what `weir check` finds.

use std::fmt::Write;

use weir_lint::LINTS;

use crate::{cell, code};

const HEAD: &str = "# Findings

Findings of `weir check` in rules. Errors keep a rule from loading; warnings are likely mistakes, or high cost;
hints are possible improvements, and are shown with `--level hint`. `--deny NAME` makes a
finding an error, `--allow NAME` leaves it out. [Rules](rules.md#checking-rules) describes checking.

| name | severity | finding | why it matters |
|---|---|---|---|
";

/// The page.
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    for lint in LINTS {
        let (summary, why) = (cell(lint.summary), cell(lint.why));
        let _ = writeln!(page, "| {} | {} | {summary} | {why} |", code(lint.name), lint.severity.name());
    }
    page
}
