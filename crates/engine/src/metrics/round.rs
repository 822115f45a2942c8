//! Counters that all threads are asked for, and what is known beside them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded};
use weir_base::profile::{Layer, locks};
use weir_base::{CounterVisitor, Counters, Timestamp, cycles};
use weir_output::RecordCounts;
use weir_output::record::DetectEngine;

use super::catalog;
use super::text::{Kind, Metric, Metrics, Number};
use crate::memories::Bound;
use crate::stats::{Totals, is_absent, memory};

/// Longest wait for the counters of a thread; one that takes longer is not at work.
const ANSWERED_WITHIN: Duration = Duration::from_secs(2);

/// Meaning of the metric that tells of threads.
const UP: &str = "Whether the thread answers: 0 is one that hangs.";

/// Counters and times of a thread.
#[derive(Default)]
pub(crate) struct Answer {
    pub(crate) totals: Totals,
    /// Nanoseconds that each layer took so far, as far as that is measured.
    pub(crate) layers: Vec<(Layer, u64)>,
}

/// Where threads answer with their numbers.
pub(crate) type Answers = Sender<(usize, Answer)>;

/// A thread that can be asked for its counters.
pub(crate) struct Line {
    /// Its name.
    pub(crate) thread: String,
    /// The interface that it listens on.
    pub(crate) interface: String,
    /// Asks it; false where it has not heeded many earlier orders, or is gone.
    pub(crate) ask: Box<dyn Fn(&Answers) -> bool + Send>,
}

/// Facts that the thread that looks after the others knows.
#[derive(Clone, Default)]
pub(crate) struct Facts {
    /// Counters that threads share.
    pub(crate) shared: Totals,
    /// The rules in use.
    pub(crate) rules: Option<DetectEngine>,
    /// Bounds of memories.
    pub(crate) bounds: Vec<Bound>,
}

/// Facts that are told now and then.
pub(crate) type Told = Arc<Mutex<Facts>>;

/// The threads, and the round in which they are asked.
pub(super) struct Rounds {
    lines: Vec<Line>,
    /// By thread: it was asked, and has not answered yet.
    owing: Vec<bool>,
    /// By thread: its answer, where it came in this round.
    heard: BTreeMap<usize, Answer>,
    /// When this round ends, if one is on.
    until: Option<Instant>,
    answers: (Answers, Receiver<(usize, Answer)>),
    told: Told,
    records: RecordCounts,
    started: Timestamp,
}

impl Rounds {
    pub(super) fn new(lines: Vec<Line>, told: Told, records: RecordCounts, started: Timestamp) -> Self {
        // Each thread owes one answer at most.
        let answers = bounded(lines.len().max(1));
        let (owing, heard) = (vec![false; lines.len()], BTreeMap::new());
        Self { lines, owing, heard, until: None, answers, told, records, started }
    }

    /// Begins a round, if none is on.
    pub(super) fn begin(&mut self, now: Instant) {
        if self.until.is_some() {
            return;
        }
        self.until = Some(now + ANSWERED_WITHIN);
        self.heard.clear();
        for (line, owes) in self.lines.iter().zip(&mut self.owing) {
            // One that owes an answer yet is not given more to do.
            *owes = *owes || (line.ask)(&self.answers.0);
        }
    }

    /// Whether a round is on.
    pub(super) fn is_on(&self) -> bool {
        self.until.is_some()
    }

    /// Takes answers; whether the round ended now.
    pub(super) fn go_on(&mut self, now: Instant) -> bool {
        for (number, answer) in self.answers.1.try_iter() {
            self.owing.get_mut(number).into_iter().for_each(|owes| *owes = false);
            self.heard.insert(number, answer);
        }
        let is_over = self.until.is_some_and(|until| self.heard.len() == self.lines.len() || now >= until);
        if is_over {
            self.until = None;
        }
        is_over
    }

    /// Names of threads that did not answer in the last round.
    pub(super) fn silent(&self) -> impl Iterator<Item = &str> {
        let lines = self.lines.iter().enumerate();
        lines.filter(|(number, _)| !self.heard.contains_key(number)).map(|(_, line)| line.thread.as_str())
    }

    /// Returns what is known since the last round.
    pub(super) fn metrics(&self) -> Metrics {
        let facts = self.told.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut metrics = Metrics::default();
        let mut all = facts.shared.clone();
        count(&facts.shared, &[], &mut metrics);
        for (number, line) in self.lines.iter().enumerate() {
            let labels = [("thread", line.thread.as_str()), ("interface", line.interface.as_str())];
            let heard = self.heard.get(&number);
            let up = Metric::new("worker_up", Kind::Gauge, UP);
            metrics.add(&up, &labels, Number::Whole(heard.is_some().into()));
            if let Some(Answer { totals, layers }) = heard {
                count(totals, &labels, &mut metrics);
                tell_of_layers(layers, labels, &mut metrics);
                all.merge(totals);
            }
        }
        let gauge = |name, help| Metric::new(name, Kind::Gauge, help);
        let limit = gauge("memory_limit_bytes", "The most that a memory may take, where that is bounded.");
        let used = gauge("memory_used_bytes", "Bytes in use of the memories that have bounds.");
        for bound in facts.bounds.iter().filter(|bound| bound.bytes > 0) {
            let labels = [("memory", bound.memory.name())];
            metrics.add(&limit, &labels, Number::Whole(bound.bytes));
            metrics.add(&used, &labels, Number::Whole(bound.memory.used(&all)));
        }
        if let Some(rules) = facts.rules {
            tell_of_rules(&rules, &mut metrics);
        }
        tell_of_locks(&mut metrics);
        self.tell_of_program(&mut metrics);
        metrics
    }

    /// Adds what is known of logs and of the process.
    fn tell_of_program(&self, metrics: &mut Metrics) {
        let counter = |name, help| Metric::new(name, Kind::Counter, help);
        let written = counter("log_records_written", "Records that were written to logs.");
        metrics.add(&written, &[], Number::Whole(self.records.written()));
        let lost = counter("log_records_lost", "Records that could not be written to logs.");
        metrics.add(&lost, &[], Number::Whole(self.records.lost()));
        let gauge = |name, help| Metric::new(name, Kind::Gauge, help);
        for (name, field, help) in [
            ("process_resident_memory_bytes", "VmRSS:", "Memory of the process."),
            ("process_resident_memory_peak_bytes", "VmHWM:", "The most memory that the process had so far."),
        ] {
            metrics.add(&gauge(name, help), &[], Number::Whole(memory(field)));
        }
        let start = gauge("process_start_time_seconds", "When the program began to listen.");
        metrics.add(&start, &[], Number::Time(self.started));
        let build = Metric::new("build", Kind::Info, "The release.");
        metrics.add(&build, &[("version", env!("CARGO_PKG_VERSION"))], Number::Whole(1));
    }
}

/// Adds what a thread's layers took.
fn tell_of_layers(layers: &[(Layer, u64)], thread: [(&str, &str); 2], metrics: &mut Metrics) {
    let help = "Time that stages of packets took, estimated from those that were measured.";
    let metric = Metric::new("stage_seconds", Kind::Counter, help);
    let [name, interface] = thread;
    for (layer, nanoseconds) in layers {
        let labels = [name, interface, ("stage", layer.stage.name()), ("part", layer.name)];
        metrics.add(&metric, &labels, Number::Time(Timestamp(*nanoseconds)));
    }
}

/// Adds how often locks and queues of the program were taken and waited for.
fn tell_of_locks(metrics: &mut Metrics) {
    let counter = |name, help| Metric::new(name, Kind::Counter, help);
    let taken = counter("lock_taken", "Times that a lock or queue was taken.");
    let contended = counter("lock_contended", "Times that somebody waited for a lock or queue.");
    let waited = counter("lock_wait_seconds", "Time that was waited for a lock or queue.");
    for (name, _, waits) in locks::all() {
        let labels = [("lock", name)];
        metrics.add(&taken, &labels, Number::Whole(waits.taken));
        metrics.add(&contended, &labels, Number::Whole(waits.contended));
        let nanoseconds = waits.waited as f64 * 1e9 / cycles::per_second();
        metrics.add(&waited, &labels, Number::Time(Timestamp(nanoseconds as u64)));
    }
}

fn tell_of_rules(rules: &DetectEngine, metrics: &mut Metrics) {
    for (name, number, help) in [
        ("rules_loaded", rules.rules_loaded, "Rules in use."),
        ("rules_failed", rules.rules_failed, "Rules that cannot be used."),
        ("rules_skipped", rules.rules_skipped, "Rules that ask for what this release has not."),
    ] {
        metrics.add(&Metric::new(name, Kind::Gauge, help), &[], Number::Whole(number));
    }
    let loaded = "When the rules in use were loaded.";
    let loaded = Metric::new("rules_last_reload_timestamp_seconds", Kind::Gauge, loaded);
    metrics.add(&loaded, &[], Number::Time(rules.loaded_at));
}

/// Adds counters, but for those of parts that are not there.
fn count(totals: &Totals, labels: &[(&str, &str)], metrics: &mut Metrics) {
    let mut adding = Adding { labels, metrics };
    totals.visit(&mut adding);
}

/// Adds each counter that it is told.
struct Adding<'a> {
    labels: &'a [(&'a str, &'a str)],
    metrics: &'a mut Metrics,
}

impl CounterVisitor for Adding<'_> {
    fn counter(&mut self, name: &str, value: u64) {
        // Lost records are told beside those that were written.
        if is_absent(name) || name == "output.lost_records" {
            return;
        }
        let entry = catalog::entry(name);
        if value > 0 || !entry.may_be_left_out {
            let labels: Vec<(&str, &str)> = self.labels.iter().copied().chain(entry.labels).collect();
            self.metrics.add(&entry.metric, &labels, Number::Whole(value));
        }
    }
}
