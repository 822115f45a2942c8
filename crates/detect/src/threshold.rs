//! Rates: `threshold`, `detection_filter`, and the lines of threshold.config.
//!
//! Counts are kept by rule and by what the rule tracks; the table has a cap, and an entry whose
//! time is over makes room first.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use ahash::RandomState;
use hashbrown::HashMap;
use weir_base::{Duration, Timestamp};
use weir_rules::side::{NewAction, Track};

use crate::signature::SignatureIndex;

/// Most counts kept; one whose time is over makes room.
pub const MAX_ENTRIES: usize = 1 << 18;

/// Parts of the table, each with its lock.
const SHARDS: usize = 64;

/// How alerts are thinned out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rate {
    /// At most `count` alerts in the time.
    Limit,
    /// An alert for every `count` matches in the time.
    Threshold,
    /// One alert in the time, after `count` matches.
    Both,
    /// Alerts after `count` matches, then after that many times `multiplier`, and so on.
    Backoff {
        /// By how much the count grows.
        multiplier: u32,
    },
    /// `detection_filter`: alerts once there were more than `count` matches in the time.
    DetectionFilter,
}

/// One rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Threshold {
    /// How.
    pub rate: Rate,
    /// Counted by what.
    pub track: Track,
    /// How many.
    pub count: u32,
    /// In what time.
    pub span: Duration,
}

/// `rate_filter`: another action once a rate is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateFilter {
    /// Counted by what.
    pub track: Track,
    /// How many matches.
    pub count: u32,
    /// In what time.
    pub span: Duration,
    /// The action from then on.
    pub action: NewAction,
    /// For how long; zero for as long as the rate holds.
    pub timeout: Duration,
}

/// What becomes of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// An alert.
    Alert,
    /// The rule's action, without an alert.
    Silent,
    /// Nothing.
    Nothing,
}

/// Matches counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tracker {
    start: Timestamp,
    count: u32,
    next: u32,
    until: Timestamp,
}

impl Tracker {
    /// Counts a match at `now` and says what becomes of it.
    pub fn count(&mut self, threshold: &Threshold, now: Timestamp) -> Verdict {
        let fresh = self.count == 0;
        if let Rate::Backoff { multiplier } = threshold.rate {
            return self.backoff(threshold.count, multiplier);
        }
        if fresh || now.since(self.start) > threshold.span {
            self.start = now;
            self.count = 0;
        }
        self.count = self.count.saturating_add(1);
        match threshold.rate {
            Rate::Limit if self.count <= threshold.count => Verdict::Alert,
            Rate::Limit => Verdict::Silent,
            Rate::Threshold if self.count >= threshold.count => {
                self.count = 0;
                Verdict::Alert
            }
            Rate::Both if self.count == threshold.count => Verdict::Alert,
            Rate::Both if self.count > threshold.count => Verdict::Silent,
            Rate::DetectionFilter if self.count > threshold.count => Verdict::Alert,
            _ => Verdict::Nothing,
        }
    }

    fn backoff(&mut self, count: u32, multiplier: u32) -> Verdict {
        if self.next == 0 {
            self.next = count;
        }
        self.count = self.count.saturating_add(1);
        if self.count == self.next {
            self.next = self.next.saturating_mul(multiplier.max(1));
            return Verdict::Alert;
        }
        Verdict::Silent
    }

    /// Counts a match for a rate filter; true where the new action applies.
    pub fn rate_reached(&mut self, filter: &RateFilter, now: Timestamp) -> bool {
        if self.until > now {
            return true;
        }
        if self.count == 0 || now.since(self.start) > filter.span {
            self.start = now;
            self.count = 0;
            self.until = Timestamp::default();
        }
        self.count = self.count.saturating_add(1);
        if self.count > filter.count {
            self.until = now.plus(filter.timeout);
            return true;
        }
        false
    }
}

/// Whose matches are counted together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TrackKey {
    /// One address.
    Address(IpAddr),
    /// A pair, the lower address first.
    Pair(IpAddr, IpAddr),
    /// All of the rule's.
    Rule,
}

impl TrackKey {
    /// The key of a packet between two addresses; none for tracking by flow, which keeps its own.
    pub fn of(track: Track, source: IpAddr, destination: IpAddr) -> Option<Self> {
        match track {
            Track::Source => Some(TrackKey::Address(source)),
            Track::Destination => Some(TrackKey::Address(destination)),
            Track::Both => Some(TrackKey::Pair(source.min(destination), source.max(destination))),
            Track::Rule => Some(TrackKey::Rule),
            Track::Flow => None,
        }
    }
}

/// What a count belongs to besides its key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Purpose {
    /// The rule's threshold.
    Threshold,
    /// The rule's rate filter.
    RateFilter,
}

/// What a count belongs to.
type CountKey = (SignatureIndex, Purpose, TrackKey);

/// A part of the table: counts, and when each is over.
type Shard = HashMap<CountKey, (Tracker, Timestamp), RandomState>;

/// The counts that flows of all workers share. Only rules that matched are counted, so that a lock
/// for each is cheap.
#[derive(Debug)]
pub struct ThresholdTable {
    hasher: RandomState,
    shards: Vec<Mutex<Shard>>,
}

impl Default for ThresholdTable {
    fn default() -> Self {
        // Fixed seeds: nothing a worker does depends on chance.
        let hasher = RandomState::with_seeds(0x5745_4952, 0x7261_7465, 1, 2);
        let shard = || Mutex::new(Shard::with_hasher(hasher.clone()));
        Self { shards: (0..SHARDS).map(|_| shard()).collect(), hasher }
    }
}

impl ThresholdTable {
    /// What `then` makes of the tracker of a key, made where it is not there; `span` is how long it
    /// lives unused. None where the table is full of live entries.
    pub fn with_tracker<R>(
        &self,
        (signature, purpose): (SignatureIndex, Purpose),
        key: TrackKey,
        now: Timestamp,
        span: Duration,
        then: impl FnOnce(&mut Tracker) -> R,
    ) -> Option<R> {
        let key = (signature, purpose, key);
        let shard = self.shards.get(self.hasher.hash_one(key) as usize % SHARDS)?;
        let mut entries = shard.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= MAX_ENTRIES / SHARDS && !entries.contains_key(&key) {
            entries.retain(|_, (_, expires)| *expires > now);
            if entries.len() >= MAX_ENTRIES / SHARDS {
                return None;
            }
        }
        let entry = entries.entry(key).or_default();
        entry.1 = now.plus(span);
        Some(then(&mut entry.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates() {
        use Verdict::{Alert as A, Nothing as N, Silent as S};
        // A match each second; the time is four seconds.
        let cases: [(Rate, u32, &[Verdict]); 5] = [
            (Rate::Limit, 2, &[A, A, S, S, S, A, A, S]),
            (Rate::Threshold, 3, &[N, N, A, N, N, A, N, N]),
            (Rate::Both, 2, &[N, A, S, S, S, N, A, S]),
            (Rate::DetectionFilter, 2, &[N, N, A, A, A, N, N, A]),
            (Rate::Backoff { multiplier: 2 }, 2, &[S, A, S, A, S, S, S, A]),
        ];
        for (rate, count, expected) in cases {
            let threshold = Threshold { rate, track: Track::Source, count, span: Duration::from_secs(4) };
            let mut tracker = Tracker::default();
            let found: Vec<Verdict> = (0..expected.len())
                .map(|second| tracker.count(&threshold, Timestamp::new(1000 + second as u64, 0)))
                .collect();
            assert_eq!(found, expected, "{rate:?}");
        }
    }
}
