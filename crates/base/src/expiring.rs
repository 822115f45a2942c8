//! A map of entries that are over at some time: those that are make room for others, without a walk over
//! those that are not.
//!
//! Each entry is filed under the time at which it is over. One that lasts longer by then is filed anew, so that
//! an entry is looked at once for each time it was added or prolonged, whoever chooses the order.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};
use std::hash::Hash;

use ahash::RandomState;

use crate::keyed_hash;
use crate::steps;
use crate::time::Timestamp;

/// Filings beyond twice the number of entries that are put up with before void ones are thrown away.
const SLACK: usize = 64;

/// The map. It has no cap of its own: its owner asks for room with [`Expiring::expire`].
#[derive(Debug)]
pub struct Expiring<K, V> {
    /// Values, and when each is over.
    entries: HashMap<K, (V, Timestamp), RandomState>,
    /// Each entry at least once, at no later time than it is over; some are void.
    filed: BinaryHeap<Filed<K>>,
    /// Filings that were looked at.
    #[cfg(test)]
    looks: usize,
}

/// An entry is to be looked at; the earliest is the greatest.
#[derive(Debug)]
struct Filed<K> {
    at: Timestamp,
    key: K,
}

impl<K> Ord for Filed<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.at.cmp(&self.at)
    }
}

impl<K> PartialOrd for Filed<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> PartialEq for Filed<K> {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl<K> Eq for Filed<K> {}

impl<K, V> Default for Expiring<K, V> {
    fn default() -> Self {
        Self {
            entries: HashMap::with_hasher(keyed_hash()),
            filed: BinaryHeap::new(),
            #[cfg(test)]
            looks: 0,
        }
    }
}

impl<K: Copy + Eq + Hash, V> Expiring<K, V> {
    /// Number of entries, those that are over and were not removed yet among them.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether there is one of this key.
    pub fn has(&self, key: &K) -> bool {
        self.entries.contains_key(key)
    }

    /// The value of a key, and when it is over.
    pub fn get(&self, key: &K) -> Option<(&V, Timestamp)> {
        self.entries.get(key).map(|(value, over)| (value, *over))
    }

    /// Returns the value of a key, to change it.
    pub fn get_mut(&mut self, key: &K) -> Option<(&mut V, Timestamp)> {
        self.entries.get_mut(key).map(|(value, over)| (value, *over))
    }

    /// Adds an entry that is over at `over`, in place of one before.
    pub fn insert(&mut self, key: K, value: V, over: Timestamp) {
        let before = self.entries.insert(key, (value, over)).map(|(_, before)| before);
        self.file(key, over, before);
    }

    /// The value of a key, made where it is not there, which is over at `over` from now on.
    pub fn hold(&mut self, key: K, over: Timestamp, make: impl FnOnce() -> V) -> &mut V {
        let before = self.entries.get(&key).map(|(_, before)| *before);
        self.file(key, over, before);
        let (value, until) = self.entries.entry(key).or_insert_with(|| (make(), over));
        *until = over;
        value
    }

    /// Files an entry where it is not filed early enough.
    fn file(&mut self, key: K, over: Timestamp, before: Option<Timestamp>) {
        if before.is_none_or(|before| over < before) {
            self.filed.push(Filed { at: over, key });
            self.throw_away_void();
        }
    }

    /// Removes an entry.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let (value, _) = self.entries.remove(key)?;
        Some(value)
    }

    /// Removes all entries that are over at `now`, and hands out their values.
    pub fn expire(&mut self, now: Timestamp, mut give: impl FnMut(V)) {
        while let Some(filed) = self.filed.peek().filter(|filed| filed.at <= now) {
            steps::count(1);
            let key = filed.key;
            self.filed.pop();
            #[cfg(test)]
            {
                self.looks += 1;
            }
            match self.entries.get(&key) {
                Some(&(_, over)) if over > now => self.filed.push(Filed { at: over, key }),
                Some(_) => {
                    if let Some(value) = self.remove(&key) {
                        give(value);
                    }
                }
                None => {}
            }
        }
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.filed.clear();
    }

    /// Files all entries anew where most filings are of entries that were removed.
    fn throw_away_void(&mut self) {
        if self.filed.len() > 2 * self.entries.len() + SLACK {
            let filed = self.entries.iter().map(|(&key, &(_, at))| Filed { at, key });
            self.filed = filed.collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: u64) -> Timestamp {
        Timestamp::new(second, 0)
    }

    /// The keys that are over at `second`.
    fn expired(map: &mut Expiring<u32, u32>, second: u64) -> Vec<u32> {
        let mut keys = Vec::new();
        map.expire(at(second), |value| keys.push(value));
        keys.sort_unstable();
        keys
    }

    #[test]
    fn entries_are_over_when_they_were_said_to_be_last() {
        let mut map = Expiring::default();
        for (key, over) in [(1, 10), (2, 20), (3, 30), (4, 40), (5, 5)] {
            map.insert(key, key, at(over));
        }
        map.hold(1, at(35), || 0);
        map.hold(4, at(15), || 0);
        map.hold(6, at(20), || 6);
        map.remove(&5);
        map.insert(5, 5, at(50));
        for (second, expected) in
            [(9, vec![]), (15, vec![4]), (19, vec![]), (20, vec![2, 6]), (34, vec![3]), (50, vec![1, 5])]
        {
            assert_eq!(expired(&mut map, second), expected, "{second}");
        }
        assert!(map.is_empty() && map.filed.is_empty());
    }

    /// Full all the time, with one entry over whenever another one comes.
    #[test]
    fn room_is_found_without_a_walk() {
        const MOST: u32 = 4096;
        let mut map = Expiring::default();
        let mut most = 0;
        for number in 0..4 * MOST {
            map.expire(at(number.into()), |_| {});
            map.insert(number, number, at(u64::from(number) + u64::from(MOST)));
            // One that is never over, as it is prolonged again and again.
            map.hold(u32::MAX, at(u64::from(number) + 2), || 0);
            most = most.max(map.len());
        }
        assert_eq!(most, MOST as usize + 1);
        assert!(map.looks <= 3 * 4 * MOST as usize, "{}", map.looks);
    }

    #[test]
    fn what_comes_and_goes_leaves_nothing() {
        let mut map = Expiring::default();
        for number in 0..100_000_u64 {
            map.insert(1, (), at(1_000_000 - number));
            map.hold(1, at(500_000), || ());
            map.remove(&1);
            assert!(map.filed.len() <= SLACK + 2, "{number}");
        }
        assert!(!map.has(&1));
    }
}
