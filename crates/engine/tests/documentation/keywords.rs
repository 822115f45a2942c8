//! The page of keywords.

use std::collections::BTreeMap;
use std::fmt::Write;

use weir_config::{DetectSettings, Settings};
use weir_detect::compile::compile;
use weir_engine::load::rule_environment;
use weir_engine::log::EngineLog;
use weir_engine::reference::{KeywordEntry, keywords};
use weir_rules::{Resolver, parse_rule};

use crate::{cell, code};

const HEAD: &str = "# Keywords

Keywords of rules, as `weir list keywords` and `weir list keyword NAME` show them too. A keyword of Suricata 8 that is
missing here is known by name, and a rule that has it is refused with a message that says so.
[Rules](rules.md) describes how rules are loaded and run.
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
        for entry in &entries {
            let _ = writeln!(
                page,
                "| {} | {} | {} | {} |",
                code(entry.name),
                entry.kind,
                code(&entry.syntax),
                cell(entry.text)
            );
        }
        for entry in entries {
            section(entry, &mut page);
        }
    }
    page
}

/// All there is to tell of one keyword.
fn section(entry: &KeywordEntry, page: &mut String) {
    let _ = write!(page, "\n### {}\n\n{}\n\n", entry.name, entry.text);
    for (name, text) in entry.facts() {
        let text = if matches!(name, "written" | "also" | "example") { code(&text) } else { cell(&text) };
        let _ = writeln!(page, "- {name}: {text}");
    }
}

/// The headers that an example may need.
const HEADERS: &[&str] = &[
    "ip any any -> any any",
    "tcp any any -> any any",
    "http any any -> any any",
    "tls any any -> any any",
    "dns any any -> any any",
    "arp any any -> any any",
    "pkthdr any any -> any any",
];

/// What may have to stand before an example.
const CONTEXTS: &[&str] = &[
    "",
    "content:\"first\"; ",
    "http.uri; ",
    "flow:to_server; ",
    "content:\"QUJD\"; base64_decode:relative; ",
];

/// Keywords whose examples name a file, a database or a library that may not be there.
const NEED_MORE: &[&str] = &[
    "datarep",
    "dataset",
    "file.magic",
    "filemagic",
    "filemd5",
    "filesha1",
    "filesha256",
    "geoip",
    "iprep",
    "lua",
    "luaxform",
];

#[test]
fn every_example_is_a_rule() {
    let settings = Settings::built_in::<&str>(&[]).expect("the built-in settings");
    let detect = DetectSettings::from_settings(&settings).expect("the built-in settings");
    let (environment, variables) = rule_environment(&settings, &detect, &EngineLog::silent());
    let mut resolver = Resolver::new(&variables);
    let mut loads = |text: &str| {
        let rule = parse_rule(text, "", 1);
        rule.is_ok_and(|(rule, _)| compile(&rule, &environment, &mut resolver).is_ok())
    };
    for entry in keywords().iter().filter(|entry| !NEED_MORE.contains(&entry.name)) {
        let msg = if entry.name == "msg" { "" } else { "msg:\"m\"; " };
        let sid = if entry.name == "sid" { "" } else { " sid:1;" };
        let rule =
            |header: &str, context: &str| format!("alert {header} ({msg}{context}{}{sid})", entry.example);
        let found = HEADERS.iter().any(|header| CONTEXTS.iter().any(|context| loads(&rule(header, context))));
        assert!(found, "{}: `{}` loads in no rule", entry.name, entry.example);
    }
}

#[test]
fn every_keyword_says_since_when() {
    for entry in keywords() {
        assert!(
            !entry.text.is_empty() && !entry.since.is_empty() && !entry.example.is_empty(),
            "{}",
            entry.name
        );
    }
    for name in weir_detect::keywords::notes::names() {
        assert!(keywords().iter().any(|entry| entry.name == name), "{name} has notes and is no keyword");
    }
}
