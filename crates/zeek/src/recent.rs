//! Value that one connection leaves for another between two hosts: both are on the same worker, and no other
//! host has a say in it.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

use ahash::RandomState;

/// Most that are remembered of a worker; the oldest are forgotten first.
const MOST: usize = 4096;

/// A responder, and the two hosts, the lower one first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Pair {
    server: (IpAddr, u16),
    hosts: [IpAddr; 2],
}

impl Pair {
    /// At a responder, between these.
    pub(crate) fn new(server: (IpAddr, u16), [one, other]: [IpAddr; 2]) -> Self {
        Self { server, hosts: [one.min(other), one.max(other)] }
    }
}

/// The latest of these.
#[derive(Debug)]
pub(crate) struct Recent<T> {
    known: HashMap<Pair, (T, u64), RandomState>,
    /// In the order in which they came, each with its number; some were taken, or replaced.
    order: VecDeque<(Pair, u64)>,
    count: u64,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        let known = HashMap::with_hasher(weir_base::keyed_hash());
        Self { known, order: VecDeque::new(), count: 0 }
    }
}

impl<T> Recent<T> {
    /// Remembers one, in place of one before.
    pub(crate) fn insert(&mut self, pair: Pair, value: T) {
        self.count += 1;
        self.known.insert(pair, (value, self.count));
        self.order.push_back((pair, self.count));
        let is_known = |known: &HashMap<_, (T, u64), _>, (pair, number): (Pair, u64)| {
            known.get(&pair).is_some_and(|(_, current)| *current == number)
        };
        while self.known.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            if is_known(&self.known, oldest) {
                self.known.remove(&oldest.0);
            }
        }
        // At least half of them are not known any more.
        if self.order.len() > 2 * MOST {
            self.order.retain(|&entry| is_known(&self.known, entry));
        }
    }

    /// Takes the value that was left.
    pub(crate) fn take(&mut self, pair: Pair) -> Option<T> {
        if self.known.is_empty() {
            return None;
        }
        self.known.remove(&pair).map(|(value, _)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(host: u8, port: u16) -> Pair {
        let server = IpAddr::from([10, 0, 0, 1]);
        Pair::new((server, port), [IpAddr::from([10, 0, 0, host]), server])
    }

    #[test]
    fn the_newest_is_taken_once() {
        let mut recent = Recent::default();
        recent.insert(pair(2, 20), "first");
        recent.insert(pair(2, 20), "second");
        recent.insert(pair(3, 20), "of another host");
        assert_eq!(
            [2, 2, 4, 3].map(|host| recent.take(pair(host, 20))),
            [Some("second"), None, None, Some("of another host")]
        );
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let (mut recent, last) = (Recent::default(), MOST as u16);
        (1..=last).for_each(|port| recent.insert(pair(2, port), port));
        // What is left again is the newest.
        recent.insert(pair(2, 1), 1);
        recent.insert(pair(2, last + 1), last + 1);
        let taken = [1, 2, 3, last + 1].map(|port| recent.take(pair(2, port)));
        assert_eq!(taken, [Some(1), None, Some(3), Some(last + 1)]);
    }

    #[test]
    fn those_that_were_taken_make_no_other_forgotten() {
        let mut recent = Recent::default();
        recent.insert(pair(2, 1), 0);
        for number in 1..10 * MOST {
            recent.insert(pair(3, 20), number);
            assert_eq!(recent.take(pair(3, 20)), Some(number));
            assert!(recent.order.len() <= 2 * MOST);
        }
        assert_eq!(recent.take(pair(2, 1)), Some(0));
    }
}
