//! Every keyword of the tables: a rule that fires on the traffic here, one that is the same but for a
//! near miss and stays silent, and one with a malformed argument that is refused by name.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod rows;
mod traffic;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_config::Settings;
use weir_engine::load::RuleFiles;
use weir_engine::log::EngineLog;
use weir_engine::reference::keywords;
use weir_engine::{Engine, Inputs, RunOptions};

use rows::{BEFORE, ELSEWHERE, Row};

/// The rule with the number of a row: twice its position for the match, one more for the near miss.
fn rule(row: &Row, options: &str, sid: usize) -> String {
    let header = if row.header.contains(' ') {
        row.header.to_owned()
    } else {
        format!("{} any any -> any any", row.header)
    };
    let message = if row.keyword == "msg" { "" } else { "msg:\"m\"; " };
    format!("alert {header} ({message}{options} sid:{sid};)")
}

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder for the test");
    path
}

/// An engine with these rules, and the messages of those that it refused.
fn engine(folder: &Path, rules: &str) -> Engine {
    fs::write(folder.join("my.rules"), rules).expect("rules");
    traffic::lists(folder);
    let place = folder.display();
    let settings = Settings::built_in(&[
        format!("default-data-dir={place}"),
        format!("reputation-categories-file={place}/categories.txt"),
        format!("default-reputation-path={place}"),
        "reputation-files.0=hosts.txt".to_owned(),
        "packet-alert-max=1000".to_owned(),
        "security.lua.allow-rules=yes".to_owned(),
        format!("default-rule-path={place}"),
        "flow.rate-tracking.bytes=300".to_owned(),
        "flow.rate-tracking.interval=10".to_owned(),
        "stats.enabled=no".to_owned(),
        "app-layer.protocols.pgsql.enabled=yes".to_owned(),
        "app-layer.protocols.modbus.enabled=yes".to_owned(),
        "app-layer.protocols.enip.enabled=yes".to_owned(),
        "app-layer.protocols.dnp3.enabled=yes".to_owned(),
    ])
    .expect("settings");
    let files = RuleFiles {
        only: vec![folder.join("my.rules").to_string_lossy().into_owned()],
        ..RuleFiles::default()
    };
    let log = Arc::new(EngineLog::silent());
    Engine::new(settings, RunOptions::default(), &files, folder, log).expect("an engine")
}

#[test]
fn every_keyword_has_a_row() {
    let rows: BTreeSet<&str> = rows::all().map(|row| row.keyword).collect();
    let known = keywords();
    let missing: Vec<&str> = known
        .iter()
        .map(|keyword| keyword.name)
        .filter(|name| !rows.contains(name) && !ELSEWHERE.contains(name))
        .collect();
    assert!(missing.is_empty(), "no rows in crates/engine/tests/keywords/rows for {missing:?}");
    for row in rows::all() {
        assert!(known.iter().any(|keyword| keyword.name == row.keyword), "{} is no keyword", row.keyword);
    }
}

#[test]
fn matches_and_near_misses() {
    let folder = folder("keywords_matches");
    let mut rules = format!("{}\n", BEFORE.join("\n"));
    for (position, row) in rows::all().enumerate() {
        for (options, sid) in [(row.hit, 2 * position + 2), (row.miss, 2 * position + 3)] {
            if !options.is_empty() {
                let _ = writeln!(rules, "{}", rule(row, options, sid));
            }
        }
    }
    let engine = engine(&folder, &rules);
    let refused: Vec<String> = engine.rules().failures.iter().map(|f| format!("{f}: {}", f.text)).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    let paths = traffic::captures(&folder);
    let summary = engine.run(&Inputs::files(paths), &mut |_| {}).expect("a run");
    let fired: BTreeSet<usize> = summary.alerts.iter().map(|alert| alert.rule.sid as usize).collect();
    let mut wrong = Vec::new();
    for (position, row) in rows::all().enumerate() {
        if !row.silent && !row.hit.is_empty() && !fired.contains(&(2 * position + 2)) {
            wrong.push(format!("{}: `{}` does not fire", row.keyword, row.hit));
        }
        if row.silent && fired.contains(&(2 * position + 2)) {
            wrong.push(format!("{}: `{}` raises an alert", row.keyword, row.hit));
        }
        if fired.contains(&(2 * position + 3)) {
            wrong.push(format!("{}: `{}` fires", row.keyword, row.miss));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn malformed_arguments_are_refused() {
    let folder = folder("keywords_malformed");
    let mut rules = String::new();
    for (position, row) in rows::all().enumerate() {
        let _ = writeln!(rules, "{}", rule(row, row.bad, position + 1));
    }
    let engine = engine(&folder, &rules);
    let refused: BTreeSet<u32> = engine.rules().failures.iter().map(|failure| failure.line).collect();
    let taken: Vec<String> = rows::all()
        .zip(1u32..)
        .filter(|(_, line)| !refused.contains(line))
        .map(|(row, _)| format!("{}: `{}` is taken", row.keyword, row.bad))
        .collect();
    assert!(taken.is_empty(), "{taken:#?}");
}
