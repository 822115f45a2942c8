//! Certificates that were logged: each gets a row once a day.

use std::collections::HashMap;

use ahash::RandomState;
use weir_base::{Duration, Timestamp};

/// Most certificates that are remembered; beyond, all are forgotten and logged again.
const MAX_KNOWN: usize = 1 << 16;

/// Time for which one is remembered.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The fingerprints of a worker.
#[derive(Debug)]
pub(crate) struct KnownCertificates {
    logged: HashMap<String, Timestamp, RandomState>,
}

impl Default for KnownCertificates {
    fn default() -> Self {
        Self { logged: HashMap::with_hasher(weir_base::keyed_hash()) }
    }
}

impl KnownCertificates {
    /// Whether one is to be logged; it counts as logged then.
    pub(crate) fn is_new(&mut self, fingerprint: &str, now: Timestamp) -> bool {
        if self.logged.get(fingerprint).is_some_and(|logged| now < logged.plus(DAY)) {
            return false;
        }
        if self.logged.len() >= MAX_KNOWN {
            self.logged.clear();
        }
        self.logged.insert(fingerprint.to_owned(), now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_a_day() {
        let mut known = KnownCertificates::default();
        let at = |seconds| Timestamp::new(seconds, 0);
        let told = [("a", 0), ("a", 10), ("b", 10), ("a", 86_399), ("a", 86_400), ("a", 86_401)]
            .map(|(name, seconds)| known.is_new(name, at(seconds)));
        assert_eq!(told, [true, false, true, false, true, false]);
    }
}
