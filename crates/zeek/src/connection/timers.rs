//! When connections are to be looked at.
//!
//! Most timers are moved back before their time comes, so the far ones wait unsorted, by the second; those of
//! the second at hand are in order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::num::NonZeroU32;

use weir_base::{Position, Timestamp};

/// When a connection is to be looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Timer {
    /// The moment, and the connection's first packet.
    pub(super) at: Position,
    /// Of several that began with one packet, the older one comes first.
    pub(super) order: u64,
    pub(super) slot: u32,
    pub(super) generation: NonZeroU32,
}

/// All timers of a table. A connection has one that holds; others are void and are met in passing.
#[derive(Debug, Default)]
pub(super) struct Timers {
    /// Those before the first second of `far`.
    near: BinaryHeap<Reverse<Timer>>,
    /// By second, each with the timers in it.
    far: BTreeMap<u64, Vec<Timer>>,
    /// Nothing is to be done before.
    next: Option<Timestamp>,
    /// All seconds before are in `near`.
    begun: u64,
    count: usize,
}

const fn second(time: Timestamp) -> u64 {
    time.0 / NANOSECONDS
}

const NANOSECONDS: u64 = 1_000_000_000;

impl Timers {
    /// Returns the number of timers.
    pub(super) const fn len(&self) -> usize {
        self.count
    }

    /// Whether there may be something to do at `now`.
    #[inline]
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        self.next.is_some_and(|next| next <= now)
    }

    pub(super) fn push(&mut self, timer: Timer) {
        self.count += 1;
        let second = second(timer.at.clock);
        if second < self.begun {
            self.near.push(Reverse(timer));
        } else {
            self.far.entry(second).or_default().push(timer);
        }
        self.next = Some(self.next.map_or(timer.at.clock, |next| next.min(timer.at.clock)));
    }

    /// The earliest one, if its time has come at `now`.
    pub(super) fn due(&mut self, now: Timestamp) -> Option<Timer> {
        while let Some(entry) = self.far.first_entry()
            && *entry.key() <= second(now)
        {
            self.begun = entry.key() + 1;
            self.near.extend(entry.remove().into_iter().map(Reverse));
        }
        let first = self.near.peek().map(|&Reverse(timer)| timer);
        let far = || self.far.first_key_value().map(|(second, _)| Timestamp(second * NANOSECONDS));
        self.next = first.map(|timer| timer.at.clock).or_else(far);
        first.filter(|timer| timer.at.clock <= now)
    }

    /// The earliest one, however far.
    pub(super) fn earliest(&mut self) -> Option<Timer> {
        let far = self.far.first_key_value().filter(|_| self.near.is_empty());
        let end = far.map_or(0, |(second, _)| Timestamp(second * NANOSECONDS).0);
        self.due(Timestamp(end));
        self.near.peek().map(|&Reverse(timer)| timer)
    }

    /// Takes the earliest one, which was shown.
    pub(super) fn pop(&mut self) {
        self.count -= usize::from(self.near.pop().is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_base::Place;

    fn timer(milliseconds: u64, order: u64) -> Timer {
        Timer {
            at: Position::at(Timestamp(milliseconds * 1_000_000), Place::new(order)),
            order,
            slot: 0,
            generation: NonZeroU32::MIN,
        }
    }

    #[test]
    fn they_come_in_order() {
        let mut timers = Timers::default();
        for (order, at) in [5_300, 700, 5_100, 900_000, 700, 6_000].into_iter().zip(0..) {
            timers.push(timer(order, at));
        }
        let mut seen = Vec::new();
        while let Some(next) = timers.earliest() {
            let before = Timestamp(next.at.clock.0 - 1);
            assert!(timers.is_due(next.at.clock) && timers.due(before).is_none() && !timers.is_due(before));
            assert_eq!(timers.due(next.at.clock), Some(next));
            timers.pop();
            seen.push((next.at.clock.0 / 1_000_000, next.order));
            if seen.len() == 3 {
                // Within the second that is under way, and behind all others.
                timers.push(timer(5_200, 6));
                timers.push(timer(1_000_000, 7));
                assert_eq!(timers.len(), 5);
            }
        }
        let expected = [
            (700, 1),
            (700, 4),
            (5_100, 2),
            (5_200, 6),
            (5_300, 0),
            (6_000, 5),
            (900_000, 3),
            (1_000_000, 7),
        ];
        assert_eq!(seen, expected);
        assert_eq!(timers.len(), 0);
    }
}
