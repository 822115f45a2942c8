//! Says why a rule fired or did not: a run without outputs, with a recorder switched into inspection.

use std::sync::Arc;

use weir_detect::Ruleset;
use weir_detect::compile::{compile, compile_firewall};
use weir_detect::explain::{Recording, Selection, Subject};
use weir_detect::signature::Signature;
use weir_output::{LogWriter, Order};
use weir_rules::{Resolver, parse_rule};

use crate::crew::{Crew, WorkerFailed};
use crate::load::{COMMAND_LINE, rule_environment};
use crate::progress::Progress;
use crate::reading::Reading;
use crate::run::{Engine, EngineError, Inputs};
use crate::worker::Worker;
use crate::worker::recorder::Recorder;

/// Rule that is explained.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// The rule that is no file's.
    Text,
    /// The rule of that file at that line.
    Place(String, u32),
    /// The rules with this number.
    Sid(u32),
}

impl Wanted {
    fn means(&self, signature: &Signature) -> bool {
        let info = &signature.info;
        match self {
            Wanted::Text => &*info.file == COMMAND_LINE,
            Wanted::Place(file, line) => *file == *info.file && *line == signature.line,
            Wanted::Sid(sid) => *sid == info.sid,
        }
    }
}

impl Engine {
    /// Reads the inputs to their end, and tells what inspection did with the rules wanted. None where
    /// no such rule was loaded. The second value are sentences about input that could not be read.
    pub fn explain(
        mut self,
        inputs: &Inputs,
        wanted: &Wanted,
        selection: Selection,
    ) -> Result<(Option<Recording>, Vec<String>), EngineError> {
        let subjects = self.subjects(wanted);
        if subjects.is_empty() {
            return Ok((None, Vec::new()));
        }
        // The rule that is explained is one of those of the command line.
        self.parts.tenants = None;
        let writer = LogWriter::start(Vec::new(), 1, Order::Packet, |_| ())?;
        let names = Arc::new(self.parts.ruleset.names.clone());
        let recorder = Recorder::new(Vec::new(), writer.outlets(0), names, None, false);
        let describes = self.parts.ruleset.uses("file.magic");
        self.parts.files.describe = describes;
        let magic = self.magic(describes);
        let mut worker = Worker::new(&self.parts, recorder, None, magic, weir_base::Turn::alone());
        worker.inspector().explain(Recording::new(subjects, selection));
        let mut crew = Crew::new(vec![worker], &self.parts.settings, &None).map_err(EngineError::Thread)?;
        let mut no_progress = |_: &Progress<'_>| ();
        let mut reading =
            Reading::new(&mut crew, None, &mut no_progress, &self.log, (&self.requests, &|| ()));
        reading.all(inputs.source.open_in_turn(&inputs.request), inputs.files);
        let (read_any, problems) = (reading.intake.read_any, reading.intake.problems);
        if !read_any && let Some(first) = problems.first() {
            return Err(EngineError::Input(first.clone()));
        }
        let (mut workers, _) = crew.finish().map_err(|WorkerFailed| EngineError::Worker)?;
        let recording = workers.first_mut().and_then(|worker| worker.inspector().take_recording());
        writer.finish();
        Ok((recording, problems))
    }

    /// The rules wanted, each with the options behind its checks: they are compiled once more for that.
    fn subjects(&self, wanted: &Wanted) -> Vec<Subject> {
        let ruleset: &Ruleset = &self.parts.ruleset;
        let (environment, variables) =
            rule_environment(&self.settings, &self.parts.settings.detect, &self.log);
        let mut resolver = Resolver::new(&variables);
        let found = ruleset.signatures().iter().filter(|signature| wanted.means(signature));
        found
            .filter_map(|signature| {
                let (rule, _) = parse_rule(&signature.info.text, &signature.info.file, 1).ok()?;
                let compiled = match signature.head.firewall {
                    Some(_) => compile_firewall(&rule, &environment, &mut resolver),
                    None => compile(&rule, &environment, &mut resolver),
                };
                let compiled = compiled.ok()?;
                Some(Subject::new(signature, &rule, &compiled.places, &environment.fields))
            })
            .collect()
    }
}
