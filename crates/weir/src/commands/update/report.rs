//! What an update did: a table for people, an object for programs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};
use weir_update::Complaint;
use weir_update::changes::{Changes, Item};
use weir_update::fetch::Origin;
use weir_update::index::Index;
use weir_update::job::{Gathered, Given};
use weir_update::set::{Edited, RuleSet};
use weir_update::store::RULES;

use crate::commands::ctl::safe;
use crate::{EXIT_DAMAGED_INPUT, EXIT_LOST_RECORDS, EXIT_REFUSED};

/// Rows of a list, unless all are asked for.
const SHOWN: usize = 10;
/// Reasons shown why a set is refused.
const SHOWN_REFUSALS: usize = 20;
/// Letters of a message in a table.
const MESSAGE_WIDTH: usize = 90;

/// How an update ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The new set is in use.
    Replaced,
    /// The set in use is the newest.
    Same,
    /// Nothing was to be changed.
    Shown,
    /// The set before is in use.
    RolledBack,
    /// The set in use stays.
    Refused,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Self::Replaced => "replaced",
            Self::Same => "same",
            Self::Shown => "shown",
            Self::RolledBack => "rolled-back",
            Self::Refused => "refused",
        }
    }
}

/// What there is to tell.
#[derive(Default)]
pub struct Report {
    /// The set.
    pub set: RuleSet,
    /// Differences from the one before.
    pub changes: Changes,
    /// What could not be used.
    pub complaints: Vec<Complaint>,
    /// Sources that gave nothing.
    pub missing: Vec<Complaint>,
    /// Why the set is refused.
    pub refusals: Vec<String>,
    /// The answer of the running program, where it was asked.
    pub reload: Option<Result<(), String>>,
    beside: BTreeMap<String, Vec<u8>>,
    sources: Vec<Given>,
    edited: Option<Edited>,
}

impl Report {
    /// Of a set that could be in use.
    pub fn of(gathered: Gathered) -> Self {
        let Gathered { set, beside, sources, edited, complaints, missing } = gathered;
        Self { set, beside, sources, edited: Some(edited), complaints, missing, ..Self::default() }
    }

    /// Of a set that was in use before.
    pub fn of_previous(set: RuleSet, changes: Changes) -> Self {
        Self { set, changes, ..Self::default() }
    }

    /// The files of the set, rules last.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let beside = self.beside.iter().map(|(name, bytes)| (name.clone(), bytes.clone()));
        beside.chain([(RULES.to_owned(), self.set.text().into_bytes())]).collect()
    }

    /// The exit code.
    pub fn code(&self, outcome: Outcome) -> u8 {
        match (outcome, &self.reload) {
            (Outcome::Refused, _) => EXIT_REFUSED,
            (_, Some(Err(_))) => EXIT_LOST_RECORDS,
            _ if !self.complaints.is_empty() => EXIT_DAMAGED_INPUT,
            _ => 0,
        }
    }

    /// One JSON object on a line.
    pub fn json(&self, outcome: Outcome, path: &Path) -> String {
        let sources: Vec<Value> = self.sources.iter().map(source_json).collect();
        let edited = self.edited.map(|edited| {
            json!({
                "disabled": edited.disabled, "enabled": edited.enabled, "modified": edited.modified,
                "dropped": edited.dropped, "enabled-for-flowbits": edited.for_bits,
            })
        });
        let texts = |list: &[Complaint]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let reload = self.reload.as_ref().map(|answer| match answer {
            Ok(()) => json!({"done": true}),
            Err(why) => json!({"done": false, "reason": why}),
        });
        let object = json!({
            "outcome": outcome.name(),
            "file": path.to_string_lossy(),
            "rules": {"total": self.set.rules().len(), "enabled": self.set.enabled()},
            "sources": sources,
            "edits": edited,
            "changes": self.changes.json(),
            "left-out": texts(&self.complaints),
            "refused": self.refusals,
            "reload": reload,
        });
        format!("{object}\n")
    }

    /// Lines for people.
    pub fn text(&self, outcome: Outcome, path: &Path, all: bool, coloured: bool) -> String {
        let mut out = String::new();
        let width = self.sources.iter().map(|given| given.name.chars().count()).max().unwrap_or(0);
        for given in &self.sources {
            let (files, rules) = (some(given.files, "file"), some(given.rules, "rule"));
            let name = safe(&given.name);
            let _ = writeln!(out, "{name:width$}  {files:>10}  {rules:>13}  {}", origin(&given.origin));
        }
        if let Some(edited) = self.edited {
            let parts = [
                (edited.disabled, "disabled"),
                (edited.enabled, "enabled"),
                (edited.modified, "modified"),
                (edited.dropped, "made to drop"),
                (edited.for_bits, "enabled because others need their flowbits"),
            ];
            let parts: Vec<String> = parts
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, what)| format!("{count} {what}"))
                .collect();
            if !parts.is_empty() {
                let _ = writeln!(out, "Of these {}.", parts.join(", "));
            }
        }
        if outcome != Outcome::Refused {
            self.changes.lists().iter().for_each(|(name, list)| rows(name, list, all, coloured, &mut out));
        }
        self.write_end(outcome, path, all, &mut out);
        out
    }

    fn write_end(&self, outcome: Outcome, path: &Path, all: bool, out: &mut String) {
        let path = path.display();
        let rules = format!("{}, {} enabled", some(self.set.rules().len(), "rule"), self.set.enabled());
        let _ = match outcome {
            Outcome::Replaced => writeln!(out, "{path} is new: {rules}."),
            Outcome::Same => writeln!(out, "{path} is up to date: {rules}."),
            Outcome::Shown => writeln!(out, "{path} would be new: {rules}."),
            Outcome::RolledBack => writeln!(out, "{path} is the set before again: {rules}."),
            Outcome::Refused => {
                let shown = if all { self.refusals.len() } else { SHOWN_REFUSALS };
                self.refusals.iter().take(shown).for_each(|why| {
                    let _ = writeln!(out, "{}", safe(why));
                });
                if self.refusals.len() > shown {
                    let _ = writeln!(out, "… and {} more (--all shows them)", self.refusals.len() - shown);
                }
                let remedy = match self.missing.is_empty() && !self.set.rules().is_empty() {
                    true => " --leave-out disables rules that cannot be loaded.",
                    false => "",
                };
                writeln!(out, "Nothing was changed: {path} stays as it is.{remedy}")
            }
        };
        let _ = match &self.reload {
            None => Ok(()),
            Some(Ok(())) => writeln!(out, "The running program has loaded it."),
            Some(Err(why)) => writeln!(out, "The running program has not loaded it: {}", safe(why)),
        };
    }
}

fn source_json(given: &Given) -> Value {
    let (origin, reason) = match &given.origin {
        Origin::Network => ("network", None),
        Origin::Cache => ("cache", None),
        Origin::Stale(why) => ("stale", Some(why)),
        Origin::Local => ("local", None),
    };
    json!({"name": given.name, "files": given.files, "rules": given.rules, "origin": origin, "reason": reason})
}

fn origin(origin: &Origin) -> &'static str {
    match origin {
        Origin::Network => "loaded",
        Origin::Cache => "as loaded before",
        Origin::Stale(_) => "as loaded before, for it cannot be loaded now",
        Origin::Local => "of this machine",
    }
}

fn some(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The rows of a list of changes.
fn rows(name: &str, list: &[Item], all: bool, coloured: bool, out: &mut String) {
    if list.is_empty() {
        return;
    }
    let (bold, plain) = if coloured { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
    let _ = writeln!(out, "{bold}{} {name}{plain}", some(list.len(), "rule"));
    let shown = if all { list.len() } else { SHOWN };
    for item in list.iter().take(shown) {
        let message: String = safe(&item.message).chars().take(MESSAGE_WIDTH).collect();
        let _ = writeln!(out, "  {:>10} rev {:<5} {message}", item.id.to_string(), item.revision);
    }
    if list.len() > shown {
        let _ = writeln!(out, "  … and {} more (--all shows them)", list.len() - shown);
    }
}

/// The sources of an index.
pub fn sources(index: &Index, as_json: bool) -> String {
    let sources = index.sources.values();
    if as_json {
        let list: Vec<Value> = sources
            .map(|source| {
                let parameters: Vec<&str> = source.parameters.iter().map(|(name, _)| name.as_str()).collect();
                json!({
                    "name": source.name, "summary": source.summary, "vendor": source.vendor,
                    "license": source.license, "url": source.url, "parameters": parameters,
                    "subscribe-url": source.subscribe_url, "obsolete": source.obsolete,
                })
            })
            .collect();
        return format!("{}\n", Value::from(list));
    }
    let mut out = String::new();
    let width = index.sources.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    for source in sources {
        let mut line = format!("{:width$}  {} ({})", source.name, source.summary, source.license);
        for (name, _) in &source.parameters {
            let _ = write!(line, "; needs {name}");
        }
        if let Some(why) = &source.obsolete {
            let _ = write!(line, "; obsolete: {why}");
        }
        let _ = writeln!(out, "{}", safe(&line));
    }
    out
}
