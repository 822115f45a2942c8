//! Collections by ascending id: a set of ids, and a map from ids to values.
//!
//! Ids are given out in ascending order and mostly taken back in the same order. Both collections are as
//! quick as a plain queue then, and stay so, amortised, where an attacker chooses the order.

use std::collections::VecDeque;

use smallvec::SmallVec;

use crate::steps;

/// Ids, each once, handed out in ascending order.
///
/// Adding one costs constant time, amortised but for the sorting: `n` ids in any order cost `n log n`.
#[derive(Clone, Debug, Default)]
pub struct IdSet {
    ids: SmallVec<[u64; 2]>,
    /// Ids came in another order, or more than once.
    unsorted: bool,
}

impl IdSet {
    /// Adds an id.
    #[inline]
    pub fn insert(&mut self, id: u64) {
        self.insert_among(id, |_| true);
    }

    /// Adds an id. Where that takes more memory, ids are first removed of which `is_wanted` does not hold.
    #[inline]
    pub fn insert_among(&mut self, id: u64, is_wanted: impl FnMut(u64) -> bool) {
        steps::count(1);
        if self.ids.last() == Some(&id) {
            return;
        }
        if self.ids.len() == self.ids.capacity() {
            self.make_room(is_wanted);
        }
        self.unsorted |= self.ids.last().is_some_and(|last| *last > id);
        self.ids.push(id);
    }

    /// Adds all ids of another set, and empties that one.
    #[inline]
    pub fn append(&mut self, other: &mut Self) {
        if other.ids.is_empty() {
            return;
        }
        if self.ids.is_empty() {
            std::mem::swap(self, other);
        }
        other.ids.drain(..).for_each(|id| self.insert(id));
        other.unsorted = false;
    }

    /// Removes what is there twice or not wanted; where most stay, there will be room for as many again.
    #[cold]
    fn make_room(&mut self, mut is_wanted: impl FnMut(u64) -> bool) {
        self.sort();
        self.ids.retain(|id| is_wanted(*id));
        if self.ids.len() > self.ids.capacity() / 2 {
            self.ids.reserve(self.ids.capacity());
        }
    }

    /// Removes an id where there are few; of more it may stay.
    pub fn forget(&mut self, id: u64) {
        if !self.ids.spilled() {
            self.ids.retain(|known| *known != id);
        }
    }

    /// Removes all ids; their memory stays.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.unsorted = false;
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The ids in ascending order.
    pub fn sorted(&mut self) -> &[u64] {
        self.sort();
        &self.ids
    }

    /// The ids in the order of their `key`, equal ones in ascending order.
    pub fn sorted_by_key<K: Ord>(&mut self, mut key: impl FnMut(u64) -> K) -> &[u64] {
        self.sort();
        // Mostly they are in that order, which is found with one look at each.
        if self.ids.len() > 1 && !self.ids.iter().is_sorted_by_key(|&id| key(id)) {
            // In place: what a stable sort, or one that keeps the keys, would allocate is more than a key costs.
            self.ids.sort_unstable_by_key(|&id| (key(id), id));
            self.unsorted = true;
        }
        &self.ids
    }

    fn sort(&mut self) {
        if std::mem::take(&mut self.unsorted) {
            // They are mostly some ascending runs, which a stable sort merges.
            steps::count(self.ids.len());
            self.ids.sort();
            self.ids.dedup();
        }
    }
}

/// Values by id, in ascending order of ids.
///
/// An id beyond all others is added, and any removed, in constant time, amortised: a value that goes out of
/// the middle leaves a hole, and the holes are closed before they outnumber the values.
#[derive(Clone, Debug)]
pub struct IdMap<T> {
    /// By ascending id. The first and the last are no holes.
    slots: VecDeque<(u64, Option<T>)>,
    holes: usize,
}

/// So many holes are left alone, however few values there are.
const FEW_HOLES: usize = 16;

/// Room for more values than this is given back once there is none left.
const MUCH_ROOM: usize = 32;

/// And room that takes as many bytes: of flows that go on without any value there are many.
const MUCH_MEMORY: usize = 256;

impl<T> Default for IdMap<T> {
    fn default() -> Self {
        Self { slots: VecDeque::new(), holes: 0 }
    }
}

impl<T> IdMap<T> {
    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.slots.len() - self.holes
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Bytes of memory that it has for values.
    pub fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<(u64, Option<T>)>()
    }

    /// Where the id is, or is to be put in.
    #[inline]
    fn place(&self, id: u64) -> Result<usize, usize> {
        steps::count(1);
        let (Some((first, _)), Some((last, _))) = (self.slots.front(), self.slots.back()) else {
            return Err(0);
        };
        // Ids ascend, mostly without one left out before or behind this one.
        let is_at = |place: usize| self.slots.get(place).is_some_and(|(found, _)| *found == id);
        let after_first = usize::try_from(id.wrapping_sub(*first)).unwrap_or(usize::MAX);
        if is_at(after_first) {
            return Ok(after_first);
        }
        if id > *last {
            return Err(self.slots.len());
        }
        let before_last = usize::try_from(*last - id).unwrap_or(usize::MAX).saturating_add(1);
        match self.slots.len().checked_sub(before_last) {
            Some(place) if is_at(place) => Ok(place),
            _ => self.slots.binary_search_by_key(&id, |(found, _)| *found),
        }
    }

    /// The value of an id.
    #[inline]
    pub fn get(&self, id: u64) -> Option<&T> {
        self.slots.get(self.place(id).ok()?)?.1.as_ref()
    }

    /// The value of an id, to be changed.
    #[inline]
    pub fn get_mut(&mut self, id: u64) -> Option<&mut T> {
        let place = self.place(id).ok()?;
        self.slots.get_mut(place)?.1.as_mut()
    }

    /// The value of an id, made where there is none.
    #[inline]
    pub fn entry(&mut self, id: u64, make: impl FnOnce() -> T) -> &mut T {
        self.slot(id).get_or_insert_with(make)
    }

    /// Gives an id a value, in place of the one that it may have.
    #[inline]
    pub fn insert(&mut self, id: u64, value: T) -> &mut T {
        self.slot(id).insert(value)
    }

    /// The slot of an id, which is to be filled.
    #[inline]
    fn slot(&mut self, id: u64) -> &mut Option<T> {
        let place = match self.place(id) {
            Ok(place) => place,
            Err(place) => {
                self.holes += 1;
                // Most have one at a time.
                if self.slots.capacity() == 0 {
                    self.slots.reserve_exact(1);
                }
                if place == self.slots.len() {
                    self.slots.push_back((id, None));
                } else {
                    self.slots.insert(place, (id, None));
                }
                place
            }
        };
        #[allow(clippy::indexing_slicing, reason = "the slot is there or was inserted in the lines before")]
        let slot = &mut self.slots[place].1;
        self.holes -= usize::from(slot.is_none());
        slot
    }

    /// Removes the value of an id; answers whether there was one.
    pub fn remove(&mut self, id: u64) -> bool {
        let Ok(place) = self.place(id) else { return false };
        let Some((_, value @ Some(_))) = self.slots.get_mut(place) else { return false };
        *value = None;
        self.holes += 1;
        // A hole has nothing to drop, and is not moved for that.
        while self.slots.front().is_some_and(|(_, value)| value.is_none()) {
            std::mem::forget(self.slots.pop_front());
            self.holes -= 1;
        }
        while self.slots.back().is_some_and(|(_, value)| value.is_none()) {
            std::mem::forget(self.slots.pop_back());
            self.holes -= 1;
        }
        if self.holes > FEW_HOLES && self.holes > self.slots.len() / 2 {
            self.slots.retain(|(_, value)| value.is_some());
            self.holes = 0;
        }
        if self.slots.is_empty() && (self.slots.capacity() > MUCH_ROOM || self.memory() >= MUCH_MEMORY) {
            self.slots = VecDeque::new();
        }
        true
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.holes = 0;
    }

    /// The first value whose id is at least `id`.
    pub fn next_from(&self, id: u64) -> Option<(u64, &T)> {
        let (Ok(place) | Err(place)) = self.place(id);
        self.slots.range(place..).find_map(|(id, value)| Some((*id, value.as_ref()?)))
    }

    /// The value of the highest id, to be changed, and the id.
    pub fn last_mut(&mut self) -> Option<(u64, &mut T)> {
        self.slots.back_mut().and_then(|(id, value)| Some((*id, value.as_mut()?)))
    }

    /// The values and their ids.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        steps::count(self.slots.len());
        self.slots.iter().filter_map(|(id, value)| Some((*id, value.as_ref()?)))
    }

    /// The values and their ids, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u64, &mut T)> {
        steps::count(self.slots.len());
        self.slots.iter_mut().filter_map(|(id, value)| Some((*id, value.as_mut()?)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{IdMap, IdSet};

    #[test]
    fn a_set_hands_out_each_id_once_in_order() {
        let cases: [(&[u64], &[u64]); 5] = [
            (&[], &[]),
            (&[1, 1, 2, 2, 9], &[1, 2, 9]),
            (&[3, 2, 1, 3, 2, 1, 3], &[1, 2, 3]),
            (&[5, 6, 5, 6, 5, 6, 7], &[5, 6, 7]),
            (&[9, 0], &[0, 9]),
        ];
        for (added, expected) in cases {
            let mut set = IdSet::default();
            added.iter().for_each(|&id| set.insert(id));
            assert_eq!(set.sorted(), expected, "{added:?}");
            let mut other = IdSet::default();
            other.insert(4);
            other.append(&mut set);
            let mut joined = expected.to_vec();
            joined.push(4);
            joined.sort_unstable();
            assert_eq!((other.sorted(), set.is_empty()), (&joined[..], true), "{added:?}");
        }
    }

    #[test]
    fn a_set_hands_out_its_ids_in_another_order() {
        let mut set = IdSet::default();
        [3, 1, 2, 1, 5].into_iter().for_each(|id| set.insert(id));
        assert_eq!(set.sorted_by_key(|id| 9 - id / 2), [5, 2, 3, 1]);
        set.insert(1);
        set.insert(4);
        assert_eq!(set.sorted(), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_set_does_not_grow_by_ids_that_it_has() {
        let mut set = IdSet::default();
        for round in 0..10_000 {
            set.insert(round % 7);
        }
        assert!(set.ids.capacity() <= 32, "{}", set.ids.capacity());
        for round in 0..10_000 {
            set.insert_among(round, |id| id + 7 > round);
        }
        assert!(set.ids.capacity() <= 32, "{}", set.ids.capacity());
    }

    /// Random additions and removals, compared with a tree.
    #[test]
    fn a_map_is_as_a_tree() {
        let mut state = 1_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let (mut map, mut tree) = (IdMap::default(), BTreeMap::new());
        let mut next = 0;
        for step in 0..20_000_u64 {
            match random(5) {
                0 | 1 => {
                    next += 1 + random(3) / 2;
                    *map.entry(next, || 0) += step;
                    *tree.entry(next).or_insert(0) += step;
                }
                2 => {
                    let id = random(next + 2);
                    *map.entry(id, || 0) += step;
                    *tree.entry(id).or_insert(0) += step;
                }
                _ => {
                    let id = next.saturating_sub(random(60));
                    assert_eq!(map.remove(id), tree.remove(&id).is_some(), "{id}");
                }
            }
            let id = random(next + 3);
            assert_eq!(map.get(id), tree.get(&id));
            assert_eq!(map.get_mut(id), tree.get_mut(&id));
            let following = tree.range(id..).next().map(|(id, value)| (*id, value));
            assert_eq!(map.next_from(id), following);
            assert_eq!(map.last_mut(), tree.iter_mut().next_back().map(|(id, value)| (*id, value)));
            assert_eq!((map.len(), map.is_empty()), (tree.len(), tree.is_empty()));
        }
        assert!(map.iter().eq(tree.iter().map(|(id, value)| (*id, value))));
        assert!(map.iter_mut().map(|(id, _)| id).eq(tree.keys().copied()));
    }

    /// The holes that values leave in the middle are closed.
    #[test]
    fn holes_are_closed() {
        let mut map = IdMap::default();
        for id in 0..10_000 {
            map.entry(id, || id);
        }
        for id in 1..9_999 {
            map.remove(id);
            assert!(map.slots.len() <= 2 * map.len() + super::FEW_HOLES + 1);
        }
        assert_eq!(map.iter().map(|(id, _)| id).collect::<Vec<_>>(), [0, 9_999]);
        assert_eq!((map.remove(0), map.remove(9_999), map.slots.capacity()), (true, true, 0));
    }

    /// A flow's only transaction takes no more memory than that of one, and none that is large once it is gone.
    #[test]
    fn one_at_a_time_takes_the_room_of_one() {
        let (mut large, mut small) = (IdMap::default(), IdMap::default());
        for id in 0..100 {
            large.entry(id, || [id; 64]);
            small.entry(id, || id);
            assert_eq!((large.slots.capacity(), small.slots.capacity()), (1, 1));
            large.remove(id);
            small.remove(id);
            assert_eq!((large.slots.capacity(), small.slots.capacity()), (0, 1));
        }
    }

    #[test]
    fn ids_among_few_are_forgotten() {
        let mut ids = IdSet::default();
        [3, 5].into_iter().for_each(|id| ids.insert(id));
        ids.forget(3);
        assert_eq!(ids.sorted(), [5]);
        ids.forget(5);
        assert!(ids.is_empty());
        (0..100).for_each(|id| ids.insert(id));
        ids.forget(7);
        assert_eq!(ids.sorted().len(), 100);
    }

    #[test]
    fn memory_of_many_is_given_back() {
        let mut map = IdMap::default();
        for id in 0..1000 {
            map.entry(id, || id);
        }
        assert!(map.memory() >= 1000 * 16);
        (0..1000).for_each(|id| assert!(map.remove(id)));
        assert_eq!(map.memory(), 0);
    }
}
