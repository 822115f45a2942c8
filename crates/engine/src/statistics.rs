//! Records of the counters: every few seconds while a run lasts, and one at its end.

use std::time::{Duration, Instant};

use weir_base::{Position, Timestamp};
use weir_output::StatsRecord;
use weir_output::record::{Counter, DetectEngine};

use crate::crew::Crew;
use crate::settings::EngineSettings;
use crate::stats::Totals;
use crate::worker::Worker;

/// Names of the threads that users of Suricata know, with how the names of their counters begin.
/// What none of them has is the worker's.
const THREADS: &[(&str, &[&str])] = &[
    ("FM#01", &["flow.mgr.", "flow.spare", "flow.emerg_mode_", "memcap."]),
    ("FR#01", &["flow.recycler.", "flow.end.", "flow.active"]),
    (
        "Global",
        &[
            "app_layer.expectations",
            "defrag.memuse",
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

/// Writes records of the counters.
pub(crate) struct Statistics<'a> {
    settings: &'a EngineSettings,
    engine: DetectEngine,
    started: Instant,
    /// When the next record is due; none where no records are wanted.
    due: Option<Instant>,
    previous: Totals,
}

impl<'a> Statistics<'a> {
    /// Begins to wait for the first record.
    pub(crate) fn new(settings: &'a EngineSettings, engine: DetectEngine, started: Instant) -> Self {
        let mut statistics = Self { settings, engine, started, due: None, previous: Totals::default() };
        if settings.stats.enabled {
            statistics.due = Some(started + statistics.interval());
        }
        statistics
    }

    fn interval(&self) -> Duration {
        Duration::from_secs(self.settings.stats.interval_secs.into())
    }

    /// To be called between packets: writes a record if one is due. Several workers count by
    /// themselves until the end, where their counters are put together.
    pub(crate) fn progress(&mut self, crew: &mut Crew) {
        let now = Instant::now();
        if self.due.is_some_and(|due| due <= now) {
            self.due = Some(now + self.interval());
            if let Some((worker, position)) = crew.alone() {
                self.write(std::slice::from_mut(worker), position, position.clock);
            }
        }
    }

    /// The last record; the capture's clock shows `now`.
    pub(crate) fn finish(mut self, workers: &mut [Worker], now: Timestamp) {
        if self.due.is_some() {
            self.write(workers, Position::SUMS, now);
        }
    }

    fn write(&mut self, workers: &mut [Worker], position: Position, now: Timestamp) {
        let each: Vec<Totals> = workers.iter().map(|worker| worker.totals()).collect();
        let mut totals = Totals::default();
        each.iter().for_each(|own| totals.merge(own));
        totals.add_pressure(&[
            (totals.value("tcp.memuse"), self.settings.stream.memcap),
            (totals.value("tcp.reassembly_memuse"), self.settings.stream.reassembly_memcap),
            (totals.value("flow.memuse"), self.settings.flow.memcap),
            (totals.value("defrag.memuse"), self.settings.defrag.memcap as u64),
        ]);
        let counters = totals.record(&self.previous, &self.settings.stats);
        // What came before is known of a worker that is alone.
        let before = if each.len() == 1 { std::mem::take(&mut self.previous) } else { Totals::default() };
        let own = each.iter().map(|own| own.record(&before, &self.settings.stats));
        let record = StatsRecord {
            uptime_secs: self.started.elapsed().as_secs(),
            totals: &counters,
            threads: &threads(own, &counters),
            engines: &[self.engine],
        };
        if let Some(first) = workers.first_mut() {
            first.recorder().stats(position, now, &record);
        }
        self.previous = totals;
    }
}

/// The counters of each thread: those of workers, and of the others that users know.
fn threads(workers: impl Iterator<Item = Vec<Counter>>, totals: &[Counter]) -> Vec<(String, Vec<Counter>)> {
    let mut threads: Vec<(String, Vec<Counter>)> = Vec::new();
    for (number, mut own) in workers.enumerate() {
        own.retain(|counter| thread_of(&counter.name).is_none());
        threads.push((format!("W#{:02}", number + 1), own));
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
    use super::*;

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
        let split = threads([counters.to_vec()].into_iter(), &counters);
        let lengths: Vec<(&str, usize)> =
            split.iter().map(|(name, own)| (name.as_str(), own.len())).collect();
        assert_eq!(lengths, [("W#01", 1), ("FM#01", 0), ("FR#01", 0), ("Global", 1)]);
    }
}
