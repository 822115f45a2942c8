//! The reference pages of the guide are made from the tables that run the engine. These tests hold
//! them up to date; with `UPDATE=1` in the environment they write them.

#![allow(clippy::expect_used)]

mod configuration;
mod findings;
mod keywords;
mod scripts;

use std::fs;
use std::path::Path;

/// Compares a page of the guide with what it should be, or writes it.
fn check(page: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, text).expect("the page can be written");
        return;
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "docs/{page} is not up to date: `make docs` writes it");
}

/// Text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Text in a cell that is shown as it is typed.
fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{}`", cell(text)) }
}

#[test]
fn the_findings_are_up_to_date() {
    check("findings.md", &findings::page());
}

#[test]
fn functions_of_scripts_are_up_to_date() {
    check("lua-functions.md", &scripts::page());
}

#[test]
fn keywords_are_up_to_date() {
    check("keywords.md", &keywords::page());
}

#[test]
fn the_configuration_reference_is_up_to_date() {
    check("configuration-reference.md", &configuration::page());
}

#[test]
fn every_type_of_a_protocol_is_described() {
    let page = include_str!("../../../../docs/outputs.md");
    let settings = weir_config::DEFAULT_CONFIGURATION;
    for log in weir_protocols::ALL.iter().filter_map(|protocol| protocol.eve) {
        let row = format!("| `{}`", log.event_type);
        assert!(page.lines().any(|line| line.starts_with(&row)), "docs/outputs.md has no row {row}");
        let is_entry = |line: &str| {
            let line = line.trim_start().trim_start_matches('#').trim_start();
            let entry = line.strip_prefix("- ").map(|entry| entry.trim_end_matches(':'));
            entry.is_some_and(|entry| log.entries().contains(&entry))
        };
        assert!(settings.lines().any(is_entry), "etc/suricata.yaml has no entry of {:?}", log.entries());
    }
}
