//! The most frequent values in constant memory (Metwally and others, Space-Saving, 2005).

use std::collections::VecDeque;

use hashbrown::HashTable;

use crate::types::TypeId;
use crate::values::{Key, Value};

#[derive(Clone, Debug)]
struct Element {
    value: Value,
    count: u64,
    epsilon: u64,
}

/// The most frequent values.
#[derive(Clone, Debug)]
pub struct TopK {
    size: usize,
    /// All that is tracked; places are reused.
    elements: Vec<Element>,
    places: HashTable<usize>,
    /// Places of elements by count, each in the order in which they came to it.
    buckets: std::collections::BTreeMap<u64, VecDeque<usize>>,
    /// The type of the elements, known from the first one.
    pub element: Option<TypeId>,
    pruned: bool,
}

impl TopK {
    /// Tracks `size` values.
    pub fn new(size: u64) -> Self {
        Self {
            size: usize::try_from(size.min(1 << 20)).unwrap_or(0),
            elements: Vec::new(),
            places: HashTable::new(),
            buckets: std::collections::BTreeMap::new(),
            element: None,
            pruned: false,
        }
    }

    fn place(&self, value: &Value) -> Option<usize> {
        let is_meant =
            |place: &usize| self.elements.get(*place).is_some_and(|known| Key::equals(&known.value, value));
        self.places.find(Key::hash_of(value), is_meant).copied()
    }

    fn leave(&mut self, place: usize, count: u64) {
        if let Some(bucket) = self.buckets.get_mut(&count) {
            bucket.retain(|known| *known != place);
            if bucket.is_empty() {
                self.buckets.remove(&count);
            }
        }
    }

    fn raise(&mut self, place: usize, by: u64) {
        let Some(element) = self.elements.get_mut(place) else { return };
        let old = element.count;
        element.count += by;
        let new = element.count;
        self.leave(place, old);
        self.buckets.entry(new).or_default().push_back(place);
    }

    fn track(&mut self, element: Element) {
        let hash = Key::hash_of(&element.value);
        let place = self.elements.len();
        self.buckets.entry(element.count).or_default().push_back(place);
        self.elements.push(element);
        let Self { elements, places, .. } = self;
        places.insert_unique(hash, place, |place| {
            elements.get(*place).map_or(0, |known| Key::hash_of(&known.value))
        });
    }

    /// Counts a value.
    pub fn add(&mut self, value: &Value) {
        if let Some(place) = self.place(value) {
            self.raise(place, 1);
        } else if self.elements.len() < self.size {
            self.track(Element { value: Key::new(value).0, count: 1, epsilon: 0 });
        } else if let Some((count, place)) =
            self.buckets.first_key_value().and_then(|(c, b)| Some((*c, *b.front()?)))
        {
            self.forget(place);
            if let Some(element) = self.elements.get_mut(place) {
                element.value = Key::new(value).0;
                element.epsilon = count;
            }
            let Self { elements, places, .. } = self;
            places.insert_unique(Key::hash_of(value), place, |place| {
                elements.get(*place).map_or(0, |known| Key::hash_of(&known.value))
            });
            self.raise(place, 1);
        }
    }

    fn forget(&mut self, place: usize) {
        let Some(element) = self.elements.get(place) else { return };
        let hash = Key::hash_of(&element.value);
        if let Ok(found) = self.places.find_entry(hash, |known| *known == place) {
            found.remove();
        }
    }

    /// Returns the `k` most frequent values, and more where the last ones are equally frequent.
    pub fn top(&self, k: u64) -> Vec<Value> {
        let mut out = Vec::new();
        for bucket in self.buckets.values().rev() {
            if out.len() as u64 >= k {
                break;
            }
            out.extend(
                bucket.iter().filter_map(|place| self.elements.get(*place)).map(|known| known.value.clone()),
            );
        }
        out
    }

    /// Returns how often a value was seen, at most.
    pub fn count(&self, value: &Value) -> Option<u64> {
        self.elements.get(self.place(value)?).map(|known| known.count)
    }

    /// Returns by how much the count of a value can be too high.
    pub fn epsilon(&self, value: &Value) -> Option<u64> {
        self.elements.get(self.place(value)?).map(|known| known.epsilon)
    }

    /// Returns how many values are tracked.
    pub fn size(&self) -> u64 {
        self.size as u64
    }

    /// Returns the sum of all counts.
    pub fn sum(&self) -> u64 {
        self.elements.iter().map(|known| known.count).sum()
    }

    /// Returns whether values were lost to a merge, so that the sum says nothing.
    pub fn is_pruned(&self) -> bool {
        self.pruned
    }

    /// Adds what the other has seen; with `prune`, only the most frequent values stay.
    pub fn merge(&mut self, other: &Self, prune: bool) {
        for element in other.buckets.values().flatten().filter_map(|place| other.elements.get(*place)) {
            if let Some(place) = self.place(&element.value) {
                self.raise(place, element.count);
                if let Some(own) = self.elements.get_mut(place) {
                    own.epsilon += element.epsilon;
                }
            } else {
                self.track(element.clone());
            }
        }
        if !prune {
            self.size = self.size.max(self.elements.len());
            return;
        }
        let mut kept: Vec<Element> =
            self.buckets.values().flatten().filter_map(|place| self.elements.get(*place)).cloned().collect();
        let beyond = kept.len().saturating_sub(self.size);
        self.pruned |= beyond > 0;
        kept.drain(..beyond);
        self.elements.clear();
        self.places.clear();
        self.buckets.clear();
        for element in kept {
            self.track(element);
        }
    }
}
