//! Counters of all rooms under the names that users graph.

use std::collections::BTreeMap;

use weir_base::{CounterVisitor, Counters};
use weir_output::record::Counter;

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

    /// The counters as a record has them; `previous` are those of the record before.
    pub fn record(&self, previous: &Totals) -> Vec<Counter> {
        self.values
            .iter()
            .map(|(name, value)| Counter {
                name: name.clone(),
                value: *value,
                previous: previous.value(name),
            })
            .collect()
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

/// Most memory that the process has used so far, in bytes; zero where the system does not tell.
pub fn peak_memory() -> u64 {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return 0 };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
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
}
