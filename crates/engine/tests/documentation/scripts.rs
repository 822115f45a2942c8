//! The page of what scripts can ask.

use crate::{cell, code};

const HEAD: &str = "# Functions of scripts

Made from the tables that answer [scripts](lua.md). A name that begins with `:` is a method of the object that the
library's first function gives (`packet.get():payload()`).
";

const EARLIER: &str = "
## Names of earlier releases

Scripts for Suricata before release 8 call globals. They are known, too, in rules and in outputs; `SCFlowvarGet`,
`SCFlowintGet`, `SCByteVarGet` and their like take a number, from 0, in the list `flowvar`, `flowint` or `bytevar` that `init`
answers.

| function | gives |
|---|---|
";

/// The page.
pub(crate) fn page() -> String {
    let mut page = HEAD.to_owned();
    for library in weir_lua::reference(weir_protocols::ALL) {
        page += &format!("\n## `suricata.{}`\n\n| function | gives |\n|---|---|\n", library.name);
        for (name, doc) in &library.functions {
            page += &format!("| {} | {} |\n", code(name), cell(doc));
        }
    }
    page += EARLIER;
    for (name, answer) in weir_lua::earlier_names(weir_protocols::ALL) {
        page += &format!("| {} | {} |\n", code(name), cell(&answer));
    }
    page
}
