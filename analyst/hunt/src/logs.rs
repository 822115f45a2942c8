//! Captures as logs: all that the engine can tell of them, to be asked about.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use serde_json::Value;

use crate::engine::{self, Ending};

/// Reasons that are named at most.
const REASONS: usize = 3;

/// Captures, and which of their records are wanted.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The program that reads captures.
    pub engine: PathBuf,
    /// Captures, which are read as one.
    pub captures: Vec<PathBuf>,
    /// Rule files.
    pub rules: Vec<PathBuf>,
    /// Settings of the program, as `KEY=VALUE`.
    pub settings: Vec<String>,
    /// Folder that the logs go to.
    pub folder: PathBuf,
    /// EVE is wanted.
    pub eve: bool,
    /// Zeek's logs are wanted.
    pub zeek: bool,
}

/// Has the engine read captures into a folder. Returns sentences about input that it could not read and rules that it could
/// not load; none where it was stopped.
pub fn read(reading: &Reading, stop: &AtomicBool) -> Result<Option<Vec<String>>, String> {
    let mut command = Command::new(&reading.engine);
    command.args(["--summary=json", "-l"]).arg(&reading.folder);
    if reading.zeek {
        command.arg("--zeek-logs");
    }
    // Rules alone would have EVE written, and Zeek's logs alone would not.
    let eve = if reading.eve { "yes" } else { "no" };
    command.args(["--set", &format!("outputs.eve-log.enabled={eve}")]);
    command.args(["--set", "outputs.eve-log.community-id=yes", "--set", "outputs.fast.enabled=no"]);
    for path in &reading.captures {
        command.arg("-r").arg(path);
    }
    for path in &reading.rules {
        command.arg("-S").arg(path);
    }
    for value in &reading.settings {
        command.arg("--set").arg(value);
    }
    let Ending::Done(output) = engine::run(&mut command, stop)? else { return Ok(None) };
    let lines = output.said.lines().filter(|line| !line.trim().is_empty());
    let mut sentences: Vec<String> =
        lines.map(|line| line.strip_prefix("weir: ").unwrap_or(line).to_owned()).collect();
    sentences.extend(failed_rules(&output.result));
    Ok(Some(sentences))
}

/// A sentence about rules that are not among those of the run, by its summary.
fn failed_rules(summary: &str) -> Option<String> {
    let summary: Value = serde_json::from_str(summary).ok()?;
    let failed = summary.get("rules")?.get("failed")?.as_object()?;
    let rules: u64 = failed.values().filter_map(Value::as_u64).sum();
    let reasons: Vec<&str> = failed.keys().take(REASONS).map(String::as_str).collect();
    let more = if failed.len() > REASONS { ", …" } else { "" };
    (rules > 0).then(|| format!("{rules} rules could not be loaded ({}{more}).", reasons.join(", ")))
}
