//! Rates: `threshold`, `detection_filter`, and the lines of threshold.config.
//!
//! Counts are kept by rule and by what the rule tracks; the table has a cap, and an entry whose
//! time is over makes room first. The values that `unique_on` tells apart have a cap of their own.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use ahash::RandomState;
use weir_base::profile::locks::Lock;
use weir_base::{Duration, Expiring, Timestamp};
use weir_packet::Packet;
use weir_rules::side::{NewAction, Track};

use super::RuleId;

/// Most counts kept; one whose time is over makes room.
pub const MAX_ENTRIES: usize = 1 << 18;

/// Most values distinguished (`unique_on`), of all counts; a further one is not counted.
pub const MAX_VALUES: usize = 1 << 20;

/// Parts of the table, each with its lock.
const SHARDS: usize = 64;

/// Ways to thin out alerts.
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
    /// Way to thin out.
    pub rate: Rate,
    /// Counted by what.
    pub track: Track,
    /// Number of matches.
    pub count: u32,
    /// In what time.
    pub span: Duration,
    /// Of what the different values are counted, in place of the matches.
    pub unique_on: Option<UniqueOn>,
}

/// Part of a packet that `unique_on` tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UniqueOn {
    /// The port of the sender.
    SourcePort,
    /// The port of the receiver.
    DestinationPort,
    /// The address of the sender.
    Source,
    /// The address of the receiver.
    Destination,
}

impl UniqueOn {
    /// Its name in rules.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "src_port" => Self::SourcePort,
            "dst_port" => Self::DestinationPort,
            "src_ip" => Self::Source,
            "dst_ip" => Self::Destination,
            _ => return None,
        })
    }

    /// Whether only packets with ports have it.
    pub fn is_port(self) -> bool {
        matches!(self, Self::SourcePort | Self::DestinationPort)
    }

    /// A packet's value, as a number.
    pub fn value(self, packet: &Packet<'_>) -> Option<u128> {
        let bits = |address| match address {
            IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
            IpAddr::V6(address) => address.to_bits(),
        };
        match self {
            Self::SourcePort => packet.source_port().map(u128::from),
            Self::DestinationPort => packet.destination_port().map(u128::from),
            Self::Source => packet.source().map(bits),
            Self::Destination => packet.destination().map(bits),
        }
    }
}

/// A match to be counted.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence {
    /// When.
    pub now: Timestamp,
    /// Part of packets that the rule tells apart.
    pub value: Option<u128>,
    /// Another value may be kept.
    pub room: bool,
}

/// `rate_filter`: another action once a rate is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateFilter {
    /// Counted by what.
    pub track: Track,
    /// Number of matches.
    pub count: u32,
    /// In what time.
    pub span: Duration,
    /// The action from then on.
    pub action: NewAction,
    /// For how long; zero for as long as the rate holds.
    pub timeout: Duration,
}

/// Verdict on a match.
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
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    start: Timestamp,
    count: u32,
    next: u32,
    until: Timestamp,
    /// The different values of matches, where those are counted.
    values: Option<BTreeSet<u128>>,
}

impl Tracker {
    /// Counts a match and says what becomes of it.
    pub fn count(&mut self, threshold: &Threshold, occurrence: Occurrence) -> Verdict {
        let now = occurrence.now;
        if threshold.unique_on.is_some() {
            return self.count_distinct(threshold, occurrence);
        }
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

    /// Returns what becomes of a match at a moment, no matter how many others come before it: none where one more
    /// changes that. `latest` is the latest time of any packet so far; a match of an earlier packet is in the window,
    /// too.
    pub fn decided(&self, threshold: &Threshold, latest: Timestamp) -> Option<Verdict> {
        let is_over = latest.since(self.start) > threshold.span;
        let enough = threshold.count as usize;
        let full = match threshold.unique_on {
            Some(_) => self.values_kept() > enough,
            None => self.count > 0 && self.count >= threshold.count,
        };
        let verdict = match threshold.rate {
            _ if is_over || !full => return None,
            Rate::Limit | Rate::Both => Verdict::Silent,
            Rate::DetectionFilter => Verdict::Alert,
            Rate::Threshold | Rate::Backoff { .. } => return None,
        };
        Some(verdict)
    }

    /// Counts different values: more than one too many need not be distinguished.
    fn count_distinct(&mut self, threshold: &Threshold, occurrence: Occurrence) -> Verdict {
        if self.values.is_none() || occurrence.now.since(self.start) > threshold.span {
            self.start = occurrence.now;
            self.values = None;
        }
        let values = self.values.get_or_insert_default();
        let enough = |values: &BTreeSet<u128>| values.len() as u64 > u64::from(threshold.count);
        if let Some(value) = occurrence.value.filter(|_| occurrence.room && !enough(values)) {
            values.insert(value);
        }
        if enough(values) { Verdict::Alert } else { Verdict::Nothing }
    }

    /// Whether a match had this value.
    pub fn has(&self, value: u128) -> bool {
        self.values.as_ref().is_some_and(|values| values.contains(&value))
    }

    /// Returns how many different values are kept.
    fn values_kept(&self) -> usize {
        self.values.as_ref().map_or(0, BTreeSet::len)
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

    /// Returns whether the new action applies at a moment, no matter how many matches come before.
    pub fn is_reached(&self, latest: Timestamp) -> bool {
        self.until > latest
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

/// Key by which matches are counted together.
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

/// Purpose of a count, besides its key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Purpose {
    /// The rule's threshold.
    Threshold,
    /// The rule's rate filter.
    RateFilter,
}

/// Owner of a count.
type CountKey = (RuleId, Purpose, TrackKey);

/// A part of the table.
type Shard = Expiring<CountKey, Tracker>;

/// The counts that flows of all workers share. Only rules that matched are counted, so that a lock
/// for each is cheap.
#[derive(Debug)]
pub struct ThresholdTable {
    /// Says in which part a count lies.
    hasher: RandomState,
    shards: Vec<Lock<Shard>>,
    /// Different values kept in all parts.
    values: AtomicUsize,
    max_values: usize,
}

impl Default for ThresholdTable {
    fn default() -> Self {
        Self::with_values(MAX_VALUES)
    }
}

impl ThresholdTable {
    fn with_values(max_values: usize) -> Self {
        // Rules notice which part is full: each count lies in the same one in each run.
        let hasher = RandomState::with_seeds(0x5745_4952, 0x7261_7465, 1, 2);
        let shards = (0..SHARDS).map(|_| Lock::new("thresholds", Shard::default())).collect();
        Self { shards, hasher, values: AtomicUsize::new(0), max_values }
    }

    /// Returns what `then` makes of the tracker of a key, made where it is not there, and of whether it may keep
    /// another value; `span` is how long it lives unused. An error where the table is full of live entries: the answer
    /// is that of a match which is the first of its key, and nothing is kept. A match that is `decided` changes nothing,
    /// so that it makes no difference whether it is counted here or [looked up](Self::decided) before.
    pub fn with_tracker<R>(
        &self,
        (rule, purpose): (RuleId, Purpose),
        key: TrackKey,
        now: Timestamp,
        span: Duration,
        decided: impl FnOnce(&Tracker, Timestamp) -> Option<R>,
        then: impl FnOnce(&mut Tracker, bool) -> R,
    ) -> Result<R, R> {
        let key = (rule, purpose, key);
        let Some(shard) = self.shards.get(self.hasher.hash_one(key) as usize % SHARDS) else {
            return Err(then(&mut Tracker::default(), false));
        };
        let mut shard = shard.lock();
        if let Some(answer) = shard.get(&key).and_then(|(tracker, _)| decided(tracker, now)) {
            return Ok(answer);
        }
        if shard.len() >= MAX_ENTRIES / SHARDS && !shard.has(&key) {
            self.free(&mut shard, now);
            if shard.len() >= MAX_ENTRIES / SHARDS {
                return Err(then(&mut Tracker::default(), false));
            }
        }
        if !self.has_room() {
            self.free(&mut shard, now);
        }
        let tracker = shard.hold(key, now.plus(span), Tracker::default);
        let before = tracker.values_kept();
        let answer = then(tracker, self.has_room());
        let after = tracker.values_kept();
        if after >= before {
            self.values.fetch_add(after - before, Ordering::Relaxed);
        } else {
            self.values.fetch_sub(before - after, Ordering::Relaxed);
        }
        Ok(answer)
    }

    /// Returns what `read` finds decided in the tracker of a key.
    pub fn decided<R>(
        &self,
        (rule, purpose): (RuleId, Purpose),
        key: TrackKey,
        read: impl FnOnce(&Tracker) -> Option<R>,
    ) -> Option<R> {
        let key = (rule, purpose, key);
        let shard = self.shards.get(self.hasher.hash_one(key) as usize % SHARDS)?.lock();
        shard.get(&key).and_then(|(tracker, _)| read(tracker))
    }

    /// Forgets all counts.
    pub fn forget(&self) {
        for shard in &self.shards {
            *shard.lock() = Shard::default();
        }
        self.values.store(0, Ordering::Relaxed);
    }

    fn has_room(&self) -> bool {
        self.values.load(Ordering::Relaxed) < self.max_values
    }

    /// Forgets what is over.
    fn free(&self, shard: &mut Shard, now: Timestamp) {
        let mut values = 0;
        shard.expire(now, |tracker| values += tracker.values_kept());
        self.values.fetch_sub(values, Ordering::Relaxed);
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
            let threshold = threshold(rate, count, None);
            let mut tracker = Tracker::default();
            let found: Vec<Verdict> = (0..expected.len())
                .map(|second| tracker.count(&threshold, at(second as u64, None)))
                .collect();
            assert_eq!(found, expected, "{rate:?}");
        }
    }

    fn threshold(rate: Rate, count: u32, unique_on: Option<UniqueOn>) -> Threshold {
        Threshold { rate, track: Track::Source, count, span: Duration::from_secs(4), unique_on }
    }

    fn at(second: u64, value: Option<u128>) -> Occurrence {
        Occurrence { now: Timestamp::new(1000 + second, 0), value, room: true }
    }

    /// A count, the values of matches, and what becomes of them.
    type Case<'a> = (u32, &'a [Option<u128>], &'a [Verdict]);

    #[test]
    fn different_values() {
        use Verdict::{Alert as A, Nothing as N};
        // A match each second with this value; the time is four seconds.
        let cases: [Case; 4] = [
            (1, &[Some(7), Some(7), Some(8), Some(7), None], &[N, N, A, A, A]),
            (2, &[Some(1), Some(2), Some(1), None, Some(2)], &[N, N, N, N, N]),
            // The sixth begins another window, with its own value alone.
            (1, &[Some(1), Some(2), Some(3), Some(4), Some(5), Some(1), Some(2)], &[N, A, A, A, A, N, A]),
            (1, &[None, None, Some(1), Some(2)], &[N, N, N, A]),
        ];
        for (count, values, expected) in cases {
            let threshold = threshold(Rate::DetectionFilter, count, Some(UniqueOn::DestinationPort));
            let mut tracker = Tracker::default();
            let found: Vec<Verdict> = values
                .iter()
                .zip(0..)
                .map(|(value, second)| tracker.count(&threshold, at(second, *value)))
                .collect();
            assert_eq!(found, expected, "{count} {values:?}");
            assert!(tracker.values_kept() <= count as usize + 1);
        }
    }

    #[test]
    fn values_have_a_cap_of_their_own() {
        let table = ThresholdTable::with_values(2);
        let threshold = threshold(Rate::DetectionFilter, 9, Some(UniqueOn::SourcePort));
        let keep = |rule: u32, second: u64, value: u128| {
            let wanted = (RuleId { gid: 1, sid: rule }, Purpose::Threshold);
            let now = Timestamp::new(1000 + second, 0);
            let decided = |_: &Tracker, _| None;
            table.with_tracker(wanted, TrackKey::Rule, now, threshold.span, decided, |tracker, room| {
                tracker.count(&threshold, Occurrence { now, value: Some(value), room });
                tracker.has(value)
            })
        };
        // The rule, the second, the value, and whether it is kept.
        for (rule, second, value, kept) in [
            (1, 0, 1, true),
            (1, 0, 1, true),
            (1, 0, 2, true),
            (1, 1, 3, false),
            (1, 9, 4, true),
            (1, 9, 5, true),
            (1, 9, 6, false),
        ] {
            assert_eq!(keep(rule, second, value), Ok(kept), "{rule} {second} {value}");
        }
    }

    #[test]
    fn a_match_without_room_counts_as_the_first_of_its_key() {
        let now = Timestamp::new(1000, 0);
        // What is said of the first match of an address that there is no room for.
        for (rate, count, expected) in [
            (Rate::Limit, 1, Verdict::Alert),
            (Rate::Threshold, 1, Verdict::Alert),
            (Rate::Threshold, 10, Verdict::Nothing),
            (Rate::Both, 10, Verdict::Nothing),
            (Rate::DetectionFilter, 10, Verdict::Nothing),
        ] {
            let (table, threshold) = (ThresholdTable::default(), threshold(rate, count, None));
            let wanted = (RuleId { gid: 1, sid: 1 }, Purpose::Threshold);
            let count = |address: u32| {
                let key = TrackKey::Address(IpAddr::from(address.to_be_bytes()));
                let decided = |tracker: &Tracker, at| tracker.decided(&threshold, at);
                table.with_tracker(wanted, key, now, threshold.span, decided, |tracker, room| {
                    tracker.count(&threshold, Occurrence { now, value: None, room })
                })
            };
            let refused = (0..MAX_ENTRIES as u32 * 2).map(count).find_map(Result::err);
            assert_eq!(refused, Some(expected), "{rate:?}");
        }
    }

    /// A match of which a worker says without waiting for others what becomes of it: they change nothing, in whatever
    /// order times come.
    #[test]
    fn what_is_decided_stays_so() {
        let mut random = 7_u32;
        let mut below = |end: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % end
        };
        let rates = [
            Rate::Limit,
            Rate::Threshold,
            Rate::Both,
            Rate::DetectionFilter,
            Rate::Backoff { multiplier: 2 },
        ];
        for (rate, unique_on) in rates
            .map(|rate| (rate, None))
            .into_iter()
            .chain([(Rate::DetectionFilter, Some(UniqueOn::SourcePort))])
        {
            let (mut foretold, mut latest) = (0, Timestamp::default());
            for count in 1..4 {
                let threshold = threshold(rate, count, unique_on);
                let mut states = vec![Tracker::default()];
                for second in 0..400_u32 {
                    // Some packets are dated up to three seconds back.
                    let mut now = at(u64::from(second + 3 - below(4)) / 2, Some(below(3).into()));
                    now.value = now.value.filter(|_| unique_on.is_some());
                    latest = latest.max(now.now);
                    let mut tracker = states.last().unwrap().clone();
                    let verdict = tracker.count(&threshold, now);
                    for earlier in states.iter().rev().take(9) {
                        let decided = earlier.decided(&threshold, latest);
                        foretold += usize::from(decided.is_some());
                        assert!(
                            decided.is_none_or(|decided| decided == verdict),
                            "{rate:?} {count} {second}"
                        );
                    }
                    states.push(tracker);
                }
            }
            let is_ever = !matches!(rate, Rate::Threshold | Rate::Backoff { .. });
            assert_eq!(foretold > 0, is_ever, "{rate:?}: {foretold} of all were foretold");
        }
    }
}
