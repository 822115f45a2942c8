//! A map by stream offset that is nearly always small.
//!
//! In a stream whose segments come in order there are a few entries at a time. They lie in a short
//! sorted list that keeps its memory, so that a packet allocates nothing. Past [`LISTED`] entries,
//! where holes abound, there are more lists, one behind the other: entries are passed over in order
//! nearly as cheaply as those of a slice, and each is found and put in by the logarithm of their number.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound::{Excluded, Unbounded};

/// Most entries of a list.
pub(crate) const LISTED: usize = 64;

/// Entries that an empty map keeps memory for.
const KEPT: usize = 8;

/// Entries by ascending offset.
type List<T> = VecDeque<(u64, T)>;

/// See the module.
#[derive(Debug)]
pub(crate) struct OffsetMap<T> {
    /// The first entries; empty only where the map is.
    front: List<T>,
    /// The other lists, none of them empty, by offsets that none of their entries and all of those before them are below.
    others: BTreeMap<u64, List<T>>,
    /// Number of entries.
    count: usize,
}

impl<T> Default for OffsetMap<T> {
    fn default() -> Self {
        Self { front: List::new(), others: BTreeMap::new(), count: 0 }
    }
}

impl<T> OffsetMap<T> {
    /// Returns the number of entries.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Returns the number of entries that memory is held for, but for that of a few.
    pub(crate) fn room(&self) -> usize {
        self.front.capacity().saturating_sub(KEPT).max(self.front.len()) + self.others.len() * LISTED
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Forgets all, and keeps memory for a few.
    pub(crate) fn clear(&mut self) {
        self.front.clear();
        self.front.shrink_to(KEPT);
        self.others.clear();
        self.count = 0;
    }

    /// Adds an entry, or replaces that at the same offset.
    pub(crate) fn insert(&mut self, offset: u64, value: T) {
        let list = self.list_mut(offset);
        let place = place_from(list, offset);
        if let Some((_, old)) = list.get_mut(place).filter(|(at, _)| *at == offset) {
            *old = value;
            return;
        }
        if list.len() < LISTED {
            list.insert(place, (offset, value));
        } else if place == LISTED {
            // Lists of entries that come in order are full. Of those that come in the opposite order, too.
            let mut next = self.take_next(offset, LISTED - 1).unwrap_or_default();
            next.push_front((offset, value));
            self.others.insert(offset, next);
        } else {
            let mut upper = list.split_off(LISTED / 2);
            match place.checked_sub(LISTED / 2) {
                Some(place) => upper.insert(place, (offset, value)),
                None => list.insert(place, (offset, value)),
            }
            let first = upper.front().map_or(offset, |&(at, _)| at);
            self.others.insert(first, upper);
        }
        self.count += 1;
    }

    /// Takes out the entry at `offset`.
    pub(crate) fn remove(&mut self, offset: u64) -> Option<T> {
        let list = self.list_mut(offset);
        let place = place_from(list, offset);
        list.get(place).filter(|(at, _)| *at == offset)?;
        let (_, value) = list.remove(place)?;
        let short = list.len() < LISTED / 4;
        self.count -= 1;
        if short {
            self.tidy(offset);
        }
        Some(value)
    }

    /// Takes out the first entry.
    pub(crate) fn pop_first(&mut self) -> Option<(u64, T)> {
        let first = self.front.pop_front()?;
        self.count -= 1;
        if self.front.is_empty() {
            self.tidy(first.0);
        }
        Some(first)
    }

    /// The first entry.
    pub(crate) fn first_mut(&mut self) -> Option<(u64, &mut T)> {
        self.front.front_mut().map(|(at, value)| (*at, value))
    }

    /// The entry at `offset`.
    pub(crate) fn at(&self, offset: u64) -> Option<&T> {
        self.covering(offset).filter(|&(at, _)| at == offset).map(|(_, value)| value)
    }

    /// The last entry before `offset`.
    pub(crate) fn before(&self, offset: u64) -> Option<(u64, &T)> {
        self.covering(offset.checked_sub(1)?)
    }

    /// Whether no entry lies past `offset`.
    #[inline]
    pub(crate) fn ends_by(&self, offset: u64) -> bool {
        self.others.is_empty() && self.front.back().is_none_or(|&(last, _)| last <= offset)
    }

    /// The last entry at or before `offset`.
    #[inline]
    pub(crate) fn covering(&self, offset: u64) -> Option<(u64, &T)> {
        // It is nearly always the last of all.
        if self.ends_by(offset) {
            return self.front.back().map(|(at, value)| (*at, value));
        }
        self.covering_within(offset)
    }

    /// The last entry at or before `offset`, where others follow it.
    fn covering_within(&self, offset: u64) -> Option<(u64, &T)> {
        let list = self.list(offset);
        match place_after(list, offset).checked_sub(1) {
            Some(place) => list.get(place).map(|(at, value)| (*at, value)),
            None if self.others.is_empty() => None,
            None => self.back_from(offset).next(),
        }
    }

    /// Returns the covering entry, to change it.
    pub(crate) fn covering_mut(&mut self, offset: u64) -> Option<(u64, &mut T)> {
        let (at, _) = self.covering(offset)?;
        let list = self.list_mut(at);
        let place = place_from(list, at);
        list.get_mut(place).map(|(at, value)| (*at, value))
    }

    /// The entries from `offset` on, in order.
    pub(crate) fn from(&self, offset: u64) -> impl Iterator<Item = (u64, &T)> {
        let within = move |list: &'_ List<T>| place_from(list, offset)..;
        let in_others = self.others_from(offset).flat_map(move |list| list.range(within(list)));
        self.front.range(within(&self.front)).chain(in_others).map(|(at, value)| (*at, value))
    }

    /// The entries of `start..end` in order, and before them the last one before `start`: as slices, since an iterator
    /// would test at each entry which part of which list it is in.
    pub(crate) fn slices_around(&self, start: u64, end: u64) -> impl Iterator<Item = &[(u64, T)]> {
        let start = self.before(start).map_or(start, |(at, _)| at);
        let place = |part: &[(u64, T)], offset: u64| part.partition_point(|&(at, _)| at < offset);
        let lists = [&self.front]
            .into_iter()
            .chain(self.others_from(start))
            .take_while(move |list| begins_before(list, end));
        let parts = lists.flat_map(|list| <[_; 2]>::from(list.as_slices()));
        parts.map(move |part| part.get(place(part, start)..place(part, end)).unwrap_or_default())
    }

    /// The entries at or before `offset`, the nearest first.
    pub(crate) fn back_from(&self, offset: u64) -> impl Iterator<Item = (u64, &T)> {
        let lists = self.others.range(..=offset).rev().map(|(_, list)| list).chain([&self.front]);
        let within = move |list: &'_ List<T>| ..place_after(list, offset);
        lists.flat_map(move |list| list.range(within(list)).rev()).map(|(at, value)| (*at, value))
    }

    /// The offset under which the list is kept that an entry at `offset` is in, but for the front.
    fn first_of(&self, offset: u64) -> Option<u64> {
        if self.others.is_empty() {
            return None;
        }
        self.others.range(..=offset).next_back().map(|(&from, _)| from)
    }

    /// The list that an entry at `offset` is in, if there is one.
    fn list(&self, offset: u64) -> &List<T> {
        if self.others.is_empty() {
            return &self.front;
        }
        self.others.range(..=offset).next_back().map_or(&self.front, |(_, list)| list)
    }

    /// Returns that list, to change it.
    fn list_mut(&mut self, offset: u64) -> &mut List<T> {
        if self.others.is_empty() {
            return &mut self.front;
        }
        self.others.range_mut(..=offset).next_back().map_or(&mut self.front, |(_, list)| list)
    }

    /// The other lists that have entries from `offset` on.
    fn others_from(&self, offset: u64) -> impl Iterator<Item = &List<T>> {
        self.others.range(self.first_of(offset).unwrap_or(0)..).map(|(_, list)| list)
    }

    /// Gives up the list that `offset` belongs to where it is empty, or puts it and the next one, or that before it,
    /// together where they fill no more than half a list.
    fn tidy(&mut self, offset: u64) {
        let own = self.others.range(..=offset).next_back().map(|(&from, list)| (from, list.len()));
        if let Some((from, 0)) = own {
            self.others.remove(&from);
            return;
        }
        let length = own.map_or(self.front.len(), |(_, length)| length);
        let room = if length == 0 { LISTED } else { (LISTED / 2).saturating_sub(length) };
        if let Some(mut next) = self.take_next(offset, room) {
            self.list_mut(offset).append(&mut next);
        } else if let Some(before) = own.and_then(|(from, _)| from.checked_sub(1))
            && self.list_mut(before).len() <= room
            && let Some(mut list) = self.take_next(before, LISTED)
        {
            self.list_mut(before).append(&mut list);
        }
    }

    /// Takes out the list behind that of `offset`, where it has no more than `most` entries.
    fn take_next(&mut self, offset: u64, most: usize) -> Option<List<T>> {
        let own = self.others.range(..=offset).next_back().map(|(&from, _)| from);
        let (&next, list) = self.others.range((own.map_or(Unbounded, Excluded), Unbounded)).next()?;
        if list.len() > most { None } else { self.others.remove(&next) }
    }
}

fn begins_before<T>(list: &List<T>, end: u64) -> bool {
    list.front().is_some_and(|&(first, _)| first < end)
}

/// Where in the list the first entry at or past `offset` is.
fn place_from<T>(list: &List<T>, offset: u64) -> usize {
    // What is looked for is nearly always at the end.
    match list.back() {
        Some((last, _)) if *last >= offset => list.partition_point(|(at, _)| *at < offset),
        _ => list.len(),
    }
}

/// Where in the list the first entry past `offset` is.
fn place_after<T>(list: &List<T>, offset: u64) -> usize {
    match list.back() {
        Some((last, _)) if *last > offset => list.partition_point(|(at, _)| *at <= offset),
        _ => list.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Step {
        Insert(u64),
        Remove(u64),
        PopFirst,
        Clear,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            // Some hundred entries before all are forgotten.
            300 => (0..400u64).prop_map(Step::Insert),
            120 => (0..400u64).prop_map(Step::Remove),
            40 => Just(Step::PopFirst),
            1 => Just(Step::Clear),
        ]
    }

    #[test]
    fn lists_are_not_sparse() {
        let full = LISTED as u64;
        let orders: [Vec<u64>; 4] = [
            (0..5000).collect(),
            (0..5000).rev().collect(),
            // The others before a list that is full, the last one first.
            (0..full).chain((full..5000).rev()).collect(),
            (0..5000).map(|number| number * 7919 % 5000).collect(),
        ];
        for order in orders {
            let mut map = OffsetMap::default();
            order.iter().for_each(|&at| map.insert(at, ()));
            assert_eq!(map.len(), 5000);
            assert!(map.room() <= 3 * map.len(), "{} of {}", map.room(), map.len());
            // As many are left as may lie one in a list.
            (0..5000).filter(|at| at % 50 != 0).for_each(|at| _ = map.remove(at));
            assert!(map.room() <= 8 * map.len() + LISTED, "{} of {}", map.room(), map.len());
        }
    }

    proptest! {
        #[test]
        fn as_a_tree(steps in proptest::collection::vec(step(), 0..1200)) {
            let (mut map, mut tree) = (OffsetMap::default(), BTreeMap::new());
            for (count, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Insert(at) => {
                        map.insert(at, count);
                        tree.insert(at, count);
                    }
                    Step::Remove(at) => prop_assert_eq!(map.remove(at), tree.remove(&at)),
                    Step::PopFirst => prop_assert_eq!(map.pop_first(), tree.pop_first()),
                    Step::Clear => {
                        map.clear();
                        tree.clear();
                    }
                }
                prop_assert_eq!((map.len(), map.is_empty()), (tree.len(), tree.is_empty()));
                prop_assert_eq!(map.first_mut().map(|(at, v)| (at, *v)), tree.iter().next().map(|(a, v)| (*a, *v)));
                if count % 16 != 0 {
                    continue;
                }
                for at in [0, 7, 90, 199, 200, 391, u64::MAX] {
                    let plain = |(at, value): (&u64, &usize)| (*at, *value);
                    let ours = |(at, value): (u64, &usize)| (at, *value);
                    prop_assert_eq!(map.at(at), tree.get(&at));
                    prop_assert_eq!(map.before(at).map(ours), tree.range(..at).next_back().map(plain));
                    prop_assert_eq!(map.covering(at).map(ours), tree.range(..=at).next_back().map(plain));
                    prop_assert!(map.from(at).map(ours).eq(tree.range(at..).map(plain)));
                    let around = map.slices_around(at, at.saturating_add(50)).flatten().copied();
                    let first = tree.range(..at).next_back().map_or(at, |(&before, _)| before);
                    prop_assert!(around.eq(tree.range(first..at.saturating_add(50)).map(plain)));
                    prop_assert!(map.back_from(at).map(ours).eq(tree.range(..=at).rev().map(plain)));
                    let wanted = tree.range(..=at).next_back().map(plain);
                    prop_assert_eq!(map.covering_mut(at).map(|(at, value)| (at, *value)), wanted);
                }
            }
        }
    }
}
