//! Recordings of live runs, and their repetition.
//!
//! A run that is recorded writes its records by position, as those of files, not as they come; workers come one at a time
//! to what they share, and the order is noted. So a run that repeats it writes the same bytes, but for records of the
//! counters, which the wall's clock brings about.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_base::{Sequence, Turn};
use weir_capture::sources::recording;
use weir_capture::{Recording, Source};
use weir_detect::Ruleset;
use weir_output::Order;

use crate::load::RuleFiles;
use crate::reading::Opened;
use crate::run::{Engine, EngineError, Inputs};

/// Module of log lines.
pub(crate) const MODULE: &str = "recording";

/// Sentence about a repetition that went otherwise.
pub(crate) const STRAYED: &str = "The workers did not come to what they share in the order of the recording: records of \
    thresholds, bits of hosts and datasets may differ. Settings, rules or the program are others.";

/// The mark before rules of a file.
const FILE_MARK: &str = "# file: ";

/// Returns the file with the rules of a recording that were exchanged for the `number`-th time, of those at its start
/// for 0.
pub fn recorded_rules(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("rules-{number}.rules"))
}

/// A rule file's name and its rules, for each that a file of a recording holds.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let marked = text.split(FILE_MARK).skip(1);
    marked.filter_map(|part| part.split_once('\n'))
}

/// Writes the rules of detection, each behind the name of its file.
fn save_rules(folder: &Path, number: u32, ruleset: &Ruleset) -> std::io::Result<()> {
    let mut text = String::new();
    let mut file = "";
    for signature in ruleset.signatures().iter().filter(|signature| signature.head.firewall.is_none()) {
        let info = &signature.info;
        if *info.file != *file || text.is_empty() {
            file = &info.file;
            let _ = writeln!(text, "{FILE_MARK}{file}");
        }
        let _ = writeln!(text, "{}", info.text);
    }
    std::fs::write(recorded_rules(folder, number), text)
}

/// Returns in which order the records of a run are written.
pub(crate) fn order(opened: Option<&Opened>) -> Order {
    match opened {
        Some(opened) if opened.sequence.is_none() => Order::Arrival,
        _ => Order::Packet,
    }
}

/// Returns the turns of so many workers.
pub(crate) fn turns(count: usize, opened: Option<&Opened>) -> Vec<Turn> {
    match opened {
        Some(Opened { sequence: Some(sequence), .. }) => Turn::in_sequence(count, sequence),
        Some(_) => Turn::unordered(count),
        None if count > 1 => Turn::of(count),
        None => vec![Turn::alone()],
    }
}

impl Engine {
    /// Opens a recording, all of whose threads are there.
    pub(crate) fn open_recording(
        &mut self,
        inputs: &Inputs,
        sources: Vec<Box<dyn Source>>,
    ) -> Result<Opened, EngineError> {
        if self.parts.tenants.is_some() {
            let what = "A recording is repeated without tenants, for it was made without them.";
            return Err(EngineError::Tenants(format!("{what} Set multi-detect.enabled to no.")));
        }
        let folder = inputs.request.names.first().cloned().unwrap_or_default();
        let order = recording::turns(&folder).map_err(|error| EngineError::Input(error.to_string()))?;
        let sequence = Some(Arc::new(Sequence::given(sources.len(), order)));
        self.repeats = Some(folder);
        Ok(Opened { kind: inputs.source, sources, control: None, metrics: None, sequence, recording: None })
    }

    /// The folder of the recording that is made, if one is.
    pub fn recording(&self) -> Option<PathBuf> {
        self.options.record.clone()
    }

    /// Begins a recording of what was opened, if one is asked for.
    pub(crate) fn begin_recording(&self, opened: &mut Opened) -> Result<(), EngineError> {
        let Some(folder) = &self.options.record else { return Ok(()) };
        let sequence = Arc::new(Sequence::noted(opened.sources.len()));
        let log = Arc::clone(&self.log);
        let report = move |sentence: &str| log.problem(MODULE, sentence);
        let recording = Recording::begin(folder, &opened.sources, &sequence, report)
            .map_err(|error| EngineError::Input(format!("{error} Name another folder with --record.")))?;
        self.record_rules();
        (opened.sequence, opened.recording) = (Some(sequence), Some(recording));
        Ok(())
    }

    /// Adds the rules in force to the recording, if there is one.
    pub(crate) fn record_rules(&self) {
        let Some(folder) = &self.options.record else { return };
        if let Err(error) = save_rules(folder, self.rules_number, &self.parts.ruleset) {
            let file = recorded_rules(folder, self.rules_number);
            let what = format!("The rules cannot be recorded in {}: {error}.", file.display());
            self.log.problem(MODULE, &what);
        }
    }

    /// Has the rules of this number, of the recording that is repeated, take the place of those of the command line.
    pub(crate) fn take_recorded_rules(&mut self, number: u32) {
        if let Some(folder) = &self.repeats {
            let recorded = Some(recorded_rules(folder, number));
            self.rule_files = RuleFiles { recorded, ..self.rule_files.clone() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_stand_behind_the_names_of_their_files() {
        let text = "# file: a.rules\none\ntwo\n# file: \n# file: /b c.rules\nthree\n";
        let expected = [("a.rules", "one\ntwo\n"), ("", ""), ("/b c.rules", "three\n")];
        assert_eq!(parts(text).collect::<Vec<_>>(), expected);
        assert_eq!(parts("").count(), 0);
    }
}
