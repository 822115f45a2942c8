//! The set of pattern ids that one or more scans found.

/// Distinct pattern ids in the order found: a bitmap to keep them distinct, a list to walk and clear them.
#[derive(Debug, Clone, Default)]
pub struct PatternSet {
    bitmap: Vec<u64>,
    found: Vec<u32>,
}

impl PatternSet {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty set with room for the ids below `bound`.
    pub fn with_bound(bound: u32) -> Self {
        let mut set = Self::new();
        set.reserve(bound);
        set
    }

    /// Makes room for the ids below `bound`, so that inserting them does not allocate the bitmap anew.
    pub fn reserve(&mut self, bound: u32) {
        let words = (bound as usize).div_ceil(64);
        if words > self.bitmap.len() {
            self.bitmap.resize(words, 0);
        }
    }

    /// Adds `id`; false when it was there already.
    #[inline]
    pub fn insert(&mut self, id: u32) -> bool {
        let word = (id / 64) as usize;
        if word >= self.bitmap.len() {
            self.bitmap.resize(word + 1, 0);
        }
        let mask = 1 << (id % 64);
        if self.bitmap[word] & mask != 0 {
            return false;
        }
        self.bitmap[word] |= mask;
        self.found.push(id);
        true
    }

    /// Whether `id` was added.
    #[inline]
    pub fn contains(&self, id: u32) -> bool {
        self.bitmap.get((id / 64) as usize).is_some_and(|word| word & (1 << (id % 64)) != 0)
    }

    /// The ids in the order they were added.
    pub fn as_slice(&self) -> &[u32] {
        &self.found
    }

    /// The number of distinct ids.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Empties the set at the cost of what it holds, not of what it could hold.
    pub fn clear(&mut self) {
        for &id in &self.found {
            self.bitmap[(id / 64) as usize] = 0;
        }
        self.found.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_each_id_once_in_order() {
        let mut set = PatternSet::with_bound(10);
        let fresh: Vec<bool> = [7, 500, 7, 0, 500].into_iter().map(|id| set.insert(id)).collect();
        assert_eq!(fresh, [true, true, false, true, false]);
        assert_eq!(set.as_slice(), [7, 500, 0]);
        assert!(set.contains(500) && !set.contains(501) && !set.contains(u32::MAX));
    }

    #[test]
    fn clear_forgets_everything() {
        let mut set = PatternSet::new();
        for id in 0..200 {
            set.insert(id);
        }
        set.clear();
        assert!(set.is_empty() && !(0..200).any(|id| set.contains(id)));
        assert!(set.insert(63));
        assert_eq!(set.len(), 1);
    }
}
