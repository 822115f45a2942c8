//! Counters of all rooms under the names that users graph.

use std::collections::BTreeMap;

use weir_base::{CounterVisitor, Counters};
use weir_config::StatsSettings;
use weir_output::FlowMacs;
use weir_output::record::Counter;

/// Prefix of the counters of decoder events, before the configuration renames them.
const DECODER_EVENT: &str = "decoder.event.";

weir_base::counters! {
    /// Packets of flows that rules or settings let go by.
    pub struct BypassCounters {
        /// Packets.
        packets => "flow_bypassed.local_pkts",
        /// Their bytes.
        bytes => "flow_bypassed.local_bytes",
        /// Packets that the capture itself let by.
        capture_packets => "flow_bypassed.local_capture_pkts",
        /// Their bytes.
        capture_bytes => "flow_bypassed.local_capture_bytes",
        /// Flows that the capture let by and that ended.
        closed => "flow_bypassed.closed",
        /// Packets that never reached the engine.
        unseen_packets => "flow_bypassed.pkts",
        /// Their bytes.
        unseen_bytes => "flow_bypassed.bytes",
        /// Flows of IPv4 that the capture was to let by, and did.
        shunted_ipv4 => "flow_bypassed.capture_ipv4",
        /// Those of IPv6.
        shunted_ipv6 => "flow_bypassed.capture_ipv6",
        /// Flows of IPv4 for which it had no room.
        refused_ipv4 => "flow_bypassed.capture_full_ipv4",
        /// Those of IPv6.
        refused_ipv6 => "flow_bypassed.capture_full_ipv6",
        /// Flows of IPv4 that it lets by.
        open_ipv4 => "flow_bypassed.capture_open_ipv4",
        /// Those of IPv6.
        open_ipv6 => "flow_bypassed.capture_open_ipv6",
    }
}

weir_base::counters! {
    /// Link-layer addresses of flows, where outputs show them.
    pub struct MacCounters {
        /// Most of one flow's client.
        source => "decoder.max_mac_addrs_src",
        /// Most of one flow's server.
        destination => "decoder.max_mac_addrs_dst",
    }
}

impl MacCounters {
    /// Takes note of a flow's addresses.
    pub fn note(&mut self, macs: &FlowMacs) {
        self.source = self.source.max(macs.source().len() as u64);
        self.destination = self.destination.max(macs.destination().len() as u64);
    }
}

/// Counters of parts that Weir does not have: preallocated flows, queues between threads, memory of
/// single protocols and of tables by address. They are zero, and there because dashboards ask for
/// them.
pub struct AbsentCounters;

const ABSENT: &[&str] = &[
    "flow.get_used_eval_busy",
    "flow.mgr.flows_evicted_needs_work",
    "flow.mgr.flows_timeout_inuse",
    "flow.mgr.full_hash_pass",
    "flow.mgr.rows_maxlen",
    "flow.mgr.rows_per_sec",
    "flow.recycler.queue_avg",
    "flow.recycler.queue_max",
    "flow.spare",
    "flow.wrk.flows_injected",
    "flow.wrk.flows_injected_max",
    "flow.wrk.spare_sync",
    "flow.wrk.spare_sync_avg",
    "flow.wrk.spare_sync_empty",
    "flow.wrk.spare_sync_incomplete",
    "ftp.memcap",
    "ftp.memuse",
    "host.memcap",
    "host.memuse",
    "ippair.memcap",
    "ippair.memuse",
    "tcp.insert_list_fail",
];

/// Whether a counter is of a part that is not there.
pub(crate) fn is_absent(counter: &str) -> bool {
    ABSENT.binary_search(&counter).is_ok()
}

impl Counters for AbsentCounters {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        ABSENT.iter().for_each(|name| visitor.counter(name, 0));
    }
}

/// Counters that tell the most there was of something.
const MAXIMA: [&str; 3] = ["decoder.max_mac_addrs_dst", "decoder.max_mac_addrs_src", "decoder.max_pkt_size"];

/// Counters by dotted name, summed over workers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    values: BTreeMap<String, u64>,
}

impl Totals {
    /// Adds all counters of a room.
    pub fn add(&mut self, counters: &dyn Counters) {
        counters.visit(self);
    }

    /// Adds the counters of another worker.
    pub fn merge(&mut self, other: &Totals) {
        for (name, value) in &other.values {
            match self.values.get_mut(name) {
                Some(most) if MAXIMA.contains(&name.as_str()) => *most = (*most).max(*value),
                _ => self.counter(name, *value),
            }
        }
        let mean = self.value("decoder.bytes").checked_div(self.value("decoder.pkts"));
        if let Some(shown) = self.values.get_mut("decoder.avg_pkt_size") {
            *shown = mean.unwrap_or(0);
        }
    }

    /// The counter of this name; zero where it was not counted.
    pub fn value(&self, name: &str) -> u64 {
        self.values.get(name).copied().unwrap_or(0)
    }

    /// Counters whose names begin with `prefix` and that are not zero, without the prefix, the
    /// largest first.
    pub fn largest(&self, prefix: &str) -> Vec<(String, u64)> {
        let mut found: Vec<(String, u64)> = self
            .values
            .iter()
            .filter(|(_, value)| **value > 0)
            .filter_map(|(name, value)| Some((name.strip_prefix(prefix)?.to_owned(), *value)))
            .collect();
        found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found
    }

    /// Returns the counters whose names end so, by name.
    pub(crate) fn ending_with(&self, end: &str) -> impl Iterator<Item = (&str, u64)> {
        let own = self.values.iter().filter(move |(name, _)| name.ends_with(end));
        own.map(|(name, value)| (name.as_str(), *value))
    }

    /// The counters as a record has them: those of `settings`, under its names. `previous` are
    /// those of the record before.
    pub fn record(&self, previous: &Totals, settings: &StatsSettings) -> Vec<Counter> {
        let mut counters: Vec<Counter> = self
            .values
            .iter()
            .filter_map(|(name, value)| {
                let shown = match name.strip_prefix(DECODER_EVENT) {
                    Some(_) if !settings.decoder_events => return None,
                    Some(event) => format!("{}.{event}", settings.decoder_events_prefix),
                    None => name.clone(),
                };
                Some(Counter { name: shown, value: *value, previous: previous.value(name) })
            })
            .collect();
        counters.sort_by(|a, b| a.name.cmp(&b.name));
        counters
    }

    /// Adds `memcap.pressure`: how full the fullest of the bounded memories is, in percent.
    /// `memories` are bytes in use and bytes allowed, zero for no bound.
    pub fn add_pressure(&mut self, memories: &[(u64, u64)]) {
        let pressure = memories.iter().filter_map(|(used, cap)| (used * 100).checked_div(*cap)).max();
        for name in ["memcap.pressure", "memcap.pressure_max"] {
            self.counter(name, pressure.unwrap_or(0));
        }
    }
}

impl Counters for Totals {
    fn visit(&self, visitor: &mut dyn CounterVisitor) {
        self.values.iter().for_each(|(name, value)| visitor.counter(name, *value));
    }
}

impl CounterVisitor for Totals {
    fn counter(&mut self, name: &str, value: u64) {
        match self.values.get_mut(name) {
            Some(sum) => *sum += value,
            None => {
                self.values.insert(name.to_owned(), value);
            }
        }
    }
}

/// Returns what was odd or could not be decoded, the most frequent first.
pub(crate) fn damage(totals: &Totals) -> Vec<(String, u64)> {
    let mut damage = totals.largest("decoder.event.");
    let too_deep = totals.value("decoder.too_many_layers");
    damage.extend((too_deep > 0).then(|| ("too_many_layers".to_owned(), too_deep)));
    damage.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    damage
}

/// Percentage of TCP packets that may have a wrong checksum without a warning.
const DOUBTFUL: u64 = 5;

/// That so many packets were left out for their checksums that these are probably not to be believed.
pub(crate) fn doubtful_checksums(totals: &Totals) -> Option<String> {
    let (all, wrong) = tcp_checksums(totals);
    (wrong.saturating_mul(100) > all.saturating_mul(DOUBTFUL)).then(|| {
        format!(
            "{wrong} of {all} TCP packets have a wrong checksum and were left out. Captures of sending hosts are \
             full of these, as network cards fill checksums in later: -k none (of zeek: -C) reads them all."
        )
    })
}

/// TCP packets, and those of them that were left out for a wrong checksum.
pub(crate) fn tcp_checksums(totals: &Totals) -> (u64, u64) {
    (totals.value("decoder.tcp"), totals.value("tcp.invalid_checksum"))
}

/// Most memory that the process has used so far, in bytes; zero where the system does not tell.
pub fn peak_memory() -> u64 {
    memory("VmHWM:")
}

/// A field of what the system tells of the memory of the process, in bytes; zero where it does not tell.
pub(crate) fn memory(field: &str) -> u64 {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return 0 };
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let kilobytes =
        line.and_then(|rest| rest.trim().strip_suffix("kB")).and_then(|n| n.trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_summed_by_name() {
        let mut totals = Totals::default();
        totals.counter("decoder.pkts", 2);
        totals.counter("decoder.pkts", 3);
        totals.counter("decoder.event.a.b", 1);
        totals.counter("decoder.event.c.d", 4);
        assert_eq!(totals.value("decoder.pkts"), 5);
        assert_eq!(totals.largest("decoder.event."), [("c.d".to_owned(), 4), ("a.b".to_owned(), 1)]);
    }

    #[test]
    fn workers_are_put_together() {
        let worker = |packets, bytes, most| {
            let mut totals = Totals::default();
            for (name, value) in [
                ("decoder.pkts", packets),
                ("decoder.bytes", bytes),
                ("decoder.avg_pkt_size", bytes / packets),
                ("decoder.max_pkt_size", most),
            ] {
                totals.counter(name, value);
            }
            totals
        };
        let mut totals = Totals::default();
        totals.merge(&worker(3, 300, 150));
        totals.merge(&worker(1, 900, 900));
        let found = ["pkts", "bytes", "avg_pkt_size", "max_pkt_size"]
            .map(|name| totals.value(&format!("decoder.{name}")));
        assert_eq!(found, [4, 1200, 300, 900]);
    }

    #[test]
    fn what_is_not_there_is_zero() {
        let mut totals = Totals::default();
        totals.add(&AbsentCounters);
        let shown = totals.record(&Totals::default(), &settings(&[]));
        assert_eq!(shown.len(), ABSENT.len());
        assert!(ABSENT.is_sorted() && is_absent("flow.spare") && !is_absent("flow.total"));
        assert!(shown.iter().all(|counter| counter.value == 0));
    }

    fn settings(options: &[&str]) -> StatsSettings {
        StatsSettings::from_settings(&weir_config::Settings::built_in(options).unwrap()).unwrap()
    }

    #[test]
    fn decoder_events_have_the_configured_name() {
        let mut totals = Totals::default();
        totals.counter("decoder.event.ipv4.trunc_pkt", 2);
        totals.counter("decoder.pkts", 3);
        for (options, expected) in [
            (&[][..], vec!["decoder.event.ipv4.trunc_pkt", "decoder.pkts"]),
            (&["stats.decoder-events=no"], vec!["decoder.pkts"]),
            (&["stats.decoder-events-prefix=decoder"], vec!["decoder.ipv4.trunc_pkt", "decoder.pkts"]),
        ] {
            let record = totals.record(&Totals::default(), &settings(options));
            let names: Vec<&str> = record.iter().map(|counter| counter.name.as_str()).collect();
            assert_eq!(names, expected, "{options:?}");
        }
    }

    #[test]
    fn pressure_is_that_of_the_fullest() {
        let mut totals = Totals::default();
        totals.add_pressure(&[(10, 100), (30, 60), (7, 0)]);
        assert_eq!(totals.value("memcap.pressure"), 50);
    }
}
