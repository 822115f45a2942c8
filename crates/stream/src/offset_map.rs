//! A map by stream offset that is nearly always small.
//!
//! In a stream whose segments come in order there are a few entries at a time. They lie in a short
//! sorted list that keeps its memory, so that a packet allocates nothing. Past [`LISTED`] entries,
//! where holes abound, they move to a tree.

use std::collections::{BTreeMap, VecDeque};

/// Most entries of the list.
pub(crate) const LISTED: usize = 64;

/// Entries that an empty list keeps memory for.
const KEPT: usize = 8;

/// See the module. While there is a tree it has all entries.
#[derive(Debug)]
pub(crate) struct OffsetMap<T> {
    /// By ascending offset.
    list: VecDeque<(u64, T)>,
    tree: Option<BTreeMap<u64, T>>,
}

impl<T> Default for OffsetMap<T> {
    fn default() -> Self {
        Self { list: VecDeque::new(), tree: None }
    }
}

impl<T> OffsetMap<T> {
    /// Returns the number of entries.
    pub(crate) fn len(&self) -> usize {
        self.tree.as_ref().map_or(self.list.len(), |tree| tree.len())
    }

    /// Returns the number of entries that memory is held for, but for that of a few.
    pub(crate) fn room(&self) -> usize {
        self.list.capacity().saturating_sub(KEPT).max(self.len())
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all, and keeps memory for a few.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.list.shrink_to(KEPT);
        self.tree = None;
    }

    /// Adds an entry, or replaces that at the same offset.
    pub(crate) fn insert(&mut self, offset: u64, value: T) {
        if let Some(tree) = &mut self.tree {
            tree.insert(offset, value);
            return;
        }
        let place = self.place_from(offset);
        let room = self.list.len() < LISTED;
        match self.list.get_mut(place) {
            Some((at, old)) if *at == offset => *old = value,
            _ if room => self.list.insert(place, (offset, value)),
            _ => {
                let mut tree: BTreeMap<u64, T> = self.list.drain(..).collect();
                tree.insert(offset, value);
                self.tree = Some(tree);
            }
        }
    }

    /// Takes out the entry at `offset`.
    pub(crate) fn remove(&mut self, offset: u64) -> Option<T> {
        match &mut self.tree {
            Some(tree) => {
                let removed = tree.remove(&offset);
                self.fell_tree();
                removed
            }
            None => {
                let place = self.place_from(offset);
                self.list.get(place).filter(|(at, _)| *at == offset)?;
                self.list.remove(place).map(|(_, value)| value)
            }
        }
    }

    /// Takes out the first entry.
    pub(crate) fn pop_first(&mut self) -> Option<(u64, T)> {
        match &mut self.tree {
            Some(tree) => {
                let first = tree.pop_first();
                self.fell_tree();
                first
            }
            None => self.list.pop_front(),
        }
    }

    /// The first entry.
    pub(crate) fn first_mut(&mut self) -> Option<(u64, &mut T)> {
        match &mut self.tree {
            Some(tree) => tree.iter_mut().next().map(|(&at, value)| (at, value)),
            None => self.list.front_mut().map(|(at, value)| (*at, value)),
        }
    }

    /// The entry at `offset`.
    pub(crate) fn at(&self, offset: u64) -> Option<&T> {
        self.covering(offset).filter(|&(at, _)| at == offset).map(|(_, value)| value)
    }

    /// The last entry before `offset`.
    pub(crate) fn before(&self, offset: u64) -> Option<(u64, &T)> {
        self.covering(offset.checked_sub(1)?)
    }

    /// The last entry at or before `offset`.
    pub(crate) fn covering(&self, offset: u64) -> Option<(u64, &T)> {
        match &self.tree {
            Some(tree) => tree.range(..=offset).next_back().map(|(&at, value)| (at, value)),
            None => {
                let place = self.place_after(offset).checked_sub(1)?;
                self.list.get(place).map(|(at, value)| (*at, value))
            }
        }
    }

    /// Returns the covering entry, to change it.
    pub(crate) fn covering_mut(&mut self, offset: u64) -> Option<(u64, &mut T)> {
        let place = self.place_after(offset);
        match &mut self.tree {
            Some(tree) => tree.range_mut(..=offset).next_back().map(|(&at, value)| (at, value)),
            None => self.list.get_mut(place.checked_sub(1)?).map(|(at, value)| (*at, value)),
        }
    }

    /// The entries from `offset` on, in order.
    pub(crate) fn from(&self, offset: u64) -> impl Iterator<Item = (u64, &T)> {
        let listed = self.list.range(self.place_from(offset)..).map(|(at, value)| (*at, value));
        let in_tree = self.tree.iter().flat_map(move |tree| tree.range(offset..));
        listed.chain(in_tree.map(|(&at, value)| (at, value)))
    }

    /// Calls `visit` with the entries of `start..end` in order, and before them with the last one before `start`.
    pub(crate) fn each_around(&self, start: u64, end: u64, mut visit: impl FnMut(u64, &T)) {
        match &self.tree {
            Some(tree) => {
                let first = tree.range(..start).next_back().map_or(start, |(&at, _)| at);
                tree.range(first..end).for_each(|(&at, value)| visit(at, value));
            }
            None => {
                let first = self.place_from(start).saturating_sub(1);
                let listed = self.list.range(first..).take_while(|&&(at, _)| at < end);
                listed.for_each(|(at, value)| visit(*at, value));
            }
        }
    }

    /// The entries at or before `offset`, the nearest first.
    pub(crate) fn back_from(&self, offset: u64) -> impl Iterator<Item = (u64, &T)> {
        let listed = self.list.range(..self.place_after(offset)).rev().map(|(at, value)| (*at, value));
        let in_tree = self.tree.iter().flat_map(move |tree| tree.range(..=offset).rev());
        listed.chain(in_tree.map(|(&at, value)| (at, value)))
    }

    /// An empty tree makes way for the list.
    fn fell_tree(&mut self) {
        if self.tree.as_ref().is_some_and(|tree| tree.is_empty()) {
            self.tree = None;
        }
    }

    /// Where in the list the first entry at or past `offset` is.
    fn place_from(&self, offset: u64) -> usize {
        // What is looked for is nearly always at the end.
        match self.list.back() {
            Some((last, _)) if *last >= offset => self.list.partition_point(|(at, _)| *at < offset),
            _ => self.list.len(),
        }
    }

    /// Where in the list the first entry past `offset` is.
    fn place_after(&self, offset: u64) -> usize {
        match self.list.back() {
            Some((last, _)) if *last > offset => self.list.partition_point(|(at, _)| *at <= offset),
            _ => self.list.len(),
        }
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
            12 => (0..200u64).prop_map(Step::Insert),
            4 => (0..200u64).prop_map(Step::Remove),
            2 => Just(Step::PopFirst),
            1 => Just(Step::Clear),
        ]
    }

    proptest! {
        #[test]
        fn as_a_tree(steps in proptest::collection::vec(step(), 0..400)) {
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
                for at in [0, 7, 90, 199, 200, u64::MAX] {
                    let plain = |(at, value): (&u64, &usize)| (*at, *value);
                    let ours = |(at, value): (u64, &usize)| (at, *value);
                    prop_assert_eq!(map.at(at), tree.get(&at));
                    prop_assert_eq!(map.before(at).map(ours), tree.range(..at).next_back().map(plain));
                    prop_assert_eq!(map.covering(at).map(ours), tree.range(..=at).next_back().map(plain));
                    prop_assert!(map.from(at).map(ours).eq(tree.range(at..).map(plain)));
                    let mut around = Vec::new();
                    map.each_around(at, at.saturating_add(50), |at, value| around.push((at, *value)));
                    let first = tree.range(..at).next_back().map_or(at, |(&before, _)| before);
                    prop_assert!(around.into_iter().eq(tree.range(first..at.saturating_add(50)).map(plain)));
                    prop_assert!(map.back_from(at).map(ours).eq(tree.range(..=at).rev().map(plain)));
                    let wanted = tree.range(..=at).next_back().map(plain);
                    prop_assert_eq!(map.covering_mut(at).map(|(at, value)| (at, *value)), wanted);
                }
            }
        }
    }
}
