//! Records of the counters: every few seconds while a run lasts, and one at its end.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use weir_base::{Counters, Position, Timestamp};
use weir_output::StatsRecord;
use weir_output::record::{Counter, DetectEngine};

use crate::memories::{Bound, Memory};
use crate::metrics::Facts;
use crate::settings::EngineSettings;
use crate::stats::Totals;
use crate::worker::Worker;

/// Names of the threads that users of Suricata know, with how the names of their counters begin.
/// Any other prefix is the worker's.
const THREADS: &[(&str, &[&str])] = &[
    ("FM#01", &["flow.mgr.", "flow.spare", "flow.emerg_mode_", "memcap."]),
    ("FR#01", &["flow.recycler.", "flow.end.", "flow.active"]),
    (
        "Global",
        &[
            "app_layer.expectations",
            "defrag.memuse",
            "file_store.fs_errors",
            "file_store.open_files",
            "flow.memuse",
            "ftp.",
            "host.",
            "http.",
            "ippair.",
            "tcp.memuse",
            "tcp.reassembly_memuse",
        ],
    ),
];

/// Longest wait for the counters of all workers, where a client waits for them.
pub(crate) const ANSWERED_WITHIN: Duration = Duration::from_secs(1);

/// Workers whose counters are told.
pub(crate) trait Counted {
    /// The worker, where there is only one, on this thread.
    fn alone(&self) -> Option<&Worker>;

    /// Asks several workers for their counters. Each answers with its number.
    fn ask_for_totals(&mut self) -> Option<Receiver<(usize, Totals)>>;

    /// Has a record of counters written after all packets so far.
    fn write_statistics(&mut self, report: Report);
}

/// Writes records of the counters.
pub(crate) struct Statistics<'a> {
    settings: &'a EngineSettings,
    /// Names of the workers, as records show them.
    names: Vec<String>,
    /// Counters that all workers share, and those of other threads.
    shared: &'a [&'a dyn Counters],
    engines: Vec<DetectEngine>,
    bounds: [Bound; 4],
    started: Instant,
    /// When the next record is due; none where no records are wanted.
    due: Option<Instant>,
    /// Record that several workers were asked for.
    asked: Option<Asked>,
    /// The counters of all workers, and of each, at the last record.
    previous: Totals,
    previous_each: Vec<Totals>,
}

/// Workers that were asked for their counters, and the answers so far.
struct Asked {
    answers: Receiver<(usize, Totals)>,
    each: BTreeMap<usize, Totals>,
    workers: usize,
}

impl Asked {
    /// The counters of all workers in order, once all have answered.
    fn all(&mut self) -> Option<Vec<Totals>> {
        self.each.extend(self.answers.try_iter());
        let all = self.each.len() == self.workers;
        all.then(|| std::mem::take(&mut self.each).into_values().collect())
    }
}

impl<'a> Statistics<'a> {
    /// Begins to wait for the first record.
    pub(crate) fn new(
        settings: &'a EngineSettings,
        shared: &'a [&'a dyn Counters],
        engines: Vec<DetectEngine>,
        started: Instant,
    ) -> Self {
        let due = settings.stats.enabled.then(|| started + interval(settings));
        let (previous, previous_each) = (Totals::default(), Vec::new());
        let names = (1..=settings.workers).map(|number| format!("W#{number:02}")).collect();
        let bounds = Memory::ALL.map(|memory| Bound::of(memory, settings));
        Self { settings, names, shared, engines, bounds, started, due, asked: None, previous, previous_each }
    }

    /// The workers listen on these interfaces, each on one.
    pub(crate) fn name_interfaces<'n>(&mut self, interfaces: impl Iterator<Item = &'n str>) {
        let names = interfaces.enumerate().map(|(index, name)| format!("W#{:02}-{name}", index + 1));
        self.names = names.collect();
    }

    /// Returns what is known beside the counters of the workers.
    pub(crate) fn facts(&self) -> Facts {
        let mut shared = Totals::default();
        self.shared.iter().for_each(|counters| shared.add(*counters));
        Facts { shared, rules: self.all_rules(), bounds: self.bounds.to_vec() }
    }

    /// These rules are in use from now on.
    pub(crate) fn set_rules(&mut self, engines: Vec<DetectEngine>) {
        self.engines = engines;
    }

    /// The rules of all tenants together.
    fn all_rules(&self) -> Option<DetectEngine> {
        self.engines.iter().copied().reduce(|all, engine| DetectEngine {
            id: 0,
            loaded_at: all.loaded_at.max(engine.loaded_at),
            rules_loaded: all.rules_loaded + engine.rules_loaded,
            rules_failed: all.rules_failed + engine.rules_failed,
            rules_skipped: all.rules_skipped + engine.rules_skipped,
        })
    }

    /// A memory has this bound from now on.
    pub(crate) fn set_bound(&mut self, bound: Bound) {
        self.bounds.iter_mut().filter(|known| known.memory == bound.memory).for_each(|known| *known = bound);
    }

    /// Makes a record of counters beside those that are written; none where a worker does not tell its own in time.
    pub(crate) fn report_now(&self, crew: &mut impl Counted) -> Option<Report> {
        let each = totals_now(crew, self.settings.workers)?;
        Some(self.made(&each, self.sum(&each)))
    }

    /// To be called between packets: has a record written if one is due. Several workers are asked for
    /// their counters; the record is written once the last one came to the question.
    pub(crate) fn progress(&mut self, crew: &mut impl Counted) {
        if let Some(each) = self.asked.as_mut().and_then(Asked::all) {
            self.asked = None;
            crew.write_statistics(self.report(each));
        }
        let now = Instant::now();
        if self.due.is_none_or(|due| due > now) {
            return;
        }
        self.due = Some(now + interval(self.settings));
        if let Some(worker) = crew.alone() {
            let totals = worker.totals();
            crew.write_statistics(self.report(vec![totals]));
        } else if self.asked.is_none() {
            let workers = self.settings.workers;
            let asked = |answers| Asked { answers, each: BTreeMap::new(), workers };
            self.asked = crew.ask_for_totals().map(asked);
        }
    }

    /// The last record, with the counters of each worker, by the first of them; the capture's clock shows `now`.
    pub(crate) fn finish(mut self, each: Vec<Totals>, first: Option<&mut Worker>, now: Timestamp) {
        if self.due.is_none() {
            return;
        }
        let report = self.report(each);
        if let Some(first) = first {
            first.recorder().stats(Position::SUMS, now, &report.record());
        }
    }

    /// Makes the next record from the counters of each worker.
    fn report(&mut self, each: Vec<Totals>) -> Report {
        let totals = self.sum(&each);
        self.previous_each.resize(each.len(), Totals::default());
        let report = self.made(&each, totals.clone());
        (self.previous, self.previous_each) = (totals, each);
        report
    }

    /// The counters of all workers, and of what they share.
    fn sum(&self, each: &[Totals]) -> Totals {
        let mut totals = Totals::default();
        each.iter().for_each(|own| totals.merge(own));
        self.shared.iter().for_each(|shared| totals.add(*shared));
        totals.add_pressure(&self.bounds.map(|bound| (bound.memory.used(&totals), bound.bytes)));
        totals
    }

    fn made(&self, each: &[Totals], totals: Totals) -> Report {
        let stats = &self.settings.stats;
        let counters = totals.record(&self.previous, stats);
        let none = Totals::default();
        let before = self.previous_each.iter().chain(std::iter::repeat(&none));
        let own = each.iter().zip(before).map(|(own, before)| own.record(before, stats));
        let threads = threads(&self.names, own, &counters);
        let uptime_secs = self.started.elapsed().as_secs();
        Report { uptime_secs, totals: counters, threads, engines: self.engines.clone() }
    }
}

/// Asks so many workers for their counters and waits for them; none where one does not answer in time.
pub(crate) fn totals_now(crew: &mut impl Counted, workers: usize) -> Option<Vec<Totals>> {
    if let Some(worker) = crew.alone() {
        return Some(vec![worker.totals()]);
    }
    let answers = crew.ask_for_totals()?;
    let deadline = Instant::now() + ANSWERED_WITHIN;
    let mut each = BTreeMap::new();
    while each.len() < workers {
        let (number, totals) = answers.recv_deadline(deadline).ok()?;
        each.insert(number, totals);
    }
    Some(each.into_values().collect())
}

/// Time between two records.
fn interval(settings: &EngineSettings) -> Duration {
    Duration::from_secs(settings.stats.interval_secs.into())
}

/// Record of the counters.
pub(crate) struct Report {
    uptime_secs: u64,
    totals: Vec<Counter>,
    threads: Vec<(String, Vec<Counter>)>,
    engines: Vec<DetectEngine>,
}

impl Report {
    /// As outputs take it.
    pub(crate) fn record(&self) -> StatsRecord<'_> {
        StatsRecord {
            uptime_secs: self.uptime_secs,
            totals: &self.totals,
            threads: &self.threads,
            engines: &self.engines,
        }
    }
}

/// The counters of each thread: those of workers, and of the others that users know.
fn threads(
    names: &[String],
    workers: impl Iterator<Item = Vec<Counter>>,
    totals: &[Counter],
) -> Vec<(String, Vec<Counter>)> {
    let mut threads: Vec<(String, Vec<Counter>)> = Vec::new();
    for (name, mut own) in names.iter().zip(workers) {
        own.retain(|counter| thread_of(&counter.name).is_none());
        threads.push((name.clone(), own));
    }
    for (name, _) in THREADS {
        let own = totals.iter().filter(|counter| thread_of(&counter.name) == Some(*name));
        threads.push(((*name).to_owned(), own.cloned().collect()));
    }
    threads
}

/// The thread that is not a worker and has this counter.
fn thread_of(counter: &str) -> Option<&'static str> {
    let found = THREADS.iter().find(|(_, starts)| starts.iter().any(|start| counter.starts_with(start)));
    found.map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use weir_config::Settings;
    use weir_config::logging::LoggingSettings;
    use weir_testkit::{Frame, TestFolder, TimedFrame};

    use super::*;
    use crate::load::RuleFiles;
    use crate::log::EngineLog;
    use crate::{Engine, Inputs, RunOptions};

    const SETTINGS: &str = "%YAML 1.1\n---\nstats:\n  enabled: yes\noutputs:\n  - eve-log:\n      enabled: yes\n      \
        types:\n        - stats:\n            threads: yes\n";

    /// The counters of each record of a run with so many workers that writes one as often as it can:
    /// packets decoded by all, and by each worker.
    fn packets_told(workers: usize, capture: &std::path::Path) -> Vec<(u64, Vec<u64>)> {
        let logs = capture.with_extension(workers.to_string());
        std::fs::create_dir_all(&logs).expect("a folder for logs");
        let settings = Settings::from_text(SETTINGS.as_bytes(), "t", &[] as &[&str]).expect("settings");
        let logging = LoggingSettings::from_settings(&settings).expect("settings of the log");
        let (log, _) = EngineLog::open(&logging, &logs, 0, false);
        let options = RunOptions { workers, ..RunOptions::default() };
        let mut engine =
            Engine::new(settings, options, &RuleFiles::default(), &logs, Arc::new(log)).expect("an engine");
        Arc::make_mut(&mut engine.parts.settings).stats.interval_secs = 0;
        let inputs = Inputs::files(vec![capture.to_owned()]);
        engine.run(&inputs, &mut |_| {}).expect("a run");
        let eve = std::fs::read_to_string(logs.join("eve.json")).expect("records");
        eve.lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
            .filter(|record| record["event_type"] == "stats")
            .map(|record| {
                let packets = |of: &serde_json::Value| of["decoder"]["pkts"].as_u64().unwrap_or(0);
                let stats = &record["stats"];
                let each = (1..=workers).map(|n| packets(&stats["threads"][format!("W#{n:02}")]));
                (packets(stats), each.collect())
            })
            .collect()
    }

    #[test]
    fn records_come_while_several_workers_are_at_work() {
        const PACKETS: u64 = 20_000;
        let frames = (0..PACKETS).map(|number| {
            let client = format!("10.0.0.{}", number % 50);
            let frame = Frame::ethernet().ipv4(&client, "192.0.2.1").udp(1000, 9).payload("x");
            TimedFrame { time: Timestamp::new(1_700_000_000 + number / 1000, 0), bytes: frame.build() }
        });
        let folder = TestFolder::new("statistics");
        let capture = folder.join("input.pcap");
        std::fs::write(&capture, weir_testkit::pcap(1, &frames.collect::<Vec<_>>())).expect("a capture");
        for workers in [1, 3] {
            let told = packets_told(workers, &capture);
            assert!(told.len() > 1, "{workers} workers: {told:?}");
            assert!(told.is_sorted_by(|a, b| a.0 <= b.0), "{told:?}");
            assert_eq!(told.last().map(|record| record.0), Some(PACKETS));
            for (all, each) in &told {
                assert_eq!(each.iter().sum::<u64>(), *all, "{workers} workers: {each:?}");
            }
        }
    }

    #[test]
    fn each_counter_has_a_thread() {
        for (counter, thread) in [
            ("decoder.pkts", None),
            ("flow.total", None),
            ("flow.mgr.flows_checked", Some("FM#01")),
            ("flow.recycler.recycled", Some("FR#01")),
            ("tcp.memuse", Some("Global")),
            ("tcp.sessions", None),
        ] {
            assert_eq!(thread_of(counter), thread, "{counter}");
        }
        let counters =
            ["decoder.pkts", "tcp.memuse"].map(|name| Counter { name: name.into(), value: 1, previous: 0 });
        let split = threads(&["W#01".to_owned()], [counters.to_vec()].into_iter(), &counters);
        let lengths: Vec<(&str, usize)> =
            split.iter().map(|(name, own)| (name.as_str(), own.len())).collect();
        assert_eq!(lengths, [("W#01", 1), ("FM#01", 0), ("FR#01", 0), ("Global", 1)]);
    }
}
