//! A map of bounded size: where there is no room, what was not used for the longest time goes.

use std::collections::BTreeMap;

#[derive(Debug)]
pub(super) struct Cache<K, V> {
    most: usize,
    /// Counts uses.
    uses: u64,
    entries: BTreeMap<K, (u64, V)>,
    /// Keys by their last use.
    by_use: BTreeMap<u64, K>,
}

impl<K: Ord + Clone, V> Cache<K, V> {
    /// A map of at most so many entries.
    pub(super) fn new(most: usize) -> Self {
        Self { most: most.max(1), uses: 0, entries: BTreeMap::new(), by_use: BTreeMap::new() }
    }

    /// Adds an entry, in place of one with the same key.
    pub(super) fn insert(&mut self, key: K, value: V) {
        self.remove(&key);
        if self.entries.len() >= self.most
            && let Some((_, oldest)) = self.by_use.pop_first()
        {
            self.entries.remove(&oldest);
        }
        self.uses += 1;
        self.by_use.insert(self.uses, key.clone());
        self.entries.insert(key, (self.uses, value));
    }

    /// The value of a key, which is used thereby.
    pub(super) fn get(&mut self, key: &K) -> Option<&mut V> {
        let (used, value) = self.entries.get_mut(key)?;
        self.uses += 1;
        self.by_use.remove(used);
        self.by_use.insert(self.uses, key.clone());
        *used = self.uses;
        Some(value)
    }

    /// All values, to be looked at.
    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.values().map(|(_, value)| value)
    }

    /// All values, by their keys.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.values_mut().map(|(_, value)| value)
    }

    /// Takes an entry out.
    pub(super) fn remove(&mut self, key: &K) -> Option<V> {
        let (used, value) = self.entries.remove(key)?;
        self.by_use.remove(&used);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_used_goes() {
        let mut cache = Cache::new(2);
        cache.insert(1, "one");
        cache.insert(2, "two");
        assert_eq!(cache.get(&1), Some(&mut "one"));
        cache.insert(3, "three");
        assert_eq!([1, 2].map(|key| cache.get(&key).copied()), [Some("one"), None], "used last, and not");
        cache.insert(1, "uno");
        cache.insert(4, "four");
        assert_eq!([1, 3, 4].map(|key| cache.get(&key).copied()), [Some("uno"), None, Some("four")]);
        assert_eq!((cache.remove(&1), cache.remove(&1)), (Some("uno"), None));
        assert_eq!((cache.entries.len(), cache.by_use.len()), (1, 1));
    }
}
