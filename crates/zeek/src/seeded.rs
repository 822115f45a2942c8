//! Ids of connections that follow from a file of seeds. Only one worker can count.

use std::sync::atomic::{AtomicU64, Ordering};

use weir_base::seeds;
pub use weir_base::seeds::SeedKey;

use crate::identifier::Id;

/// The pool that ids of connections are of.
const POOL: u64 = 1;

/// Gives ids one after another.
#[derive(Debug)]
pub(crate) struct SeededIds {
    key: SeedKey,
    given: AtomicU64,
}

impl SeededIds {
    pub(crate) const fn new(key: SeedKey) -> Self {
        Self { key, given: AtomicU64::new(0) }
    }

    /// Returns the next id of a connection.
    pub(crate) fn next(&self) -> Id {
        let number = || self.given.fetch_add(1, Ordering::Relaxed) + 1;
        let mut text = vec![b'C'];
        let numbers = [number(), number()];
        seeds::append_id(self.key, POOL, numbers, &mut text);
        Id::of_text(&text)
    }
}

/// Returns the key in the text of a file of seeds.
pub fn seed_key(text: &str) -> Option<SeedKey> {
    seeds::seeds(text).map(|seeds| seeds.key())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_from_the_key() {
        let text: String = (0..21).map(|number| format!("{number}\n")).collect();
        let key = seed_key(&text).unwrap();
        let (one, other) = (SeededIds::new(key), SeededIds::new(key));
        let (first, second) = (one.next(), one.next());
        assert_ne!(first, second);
        assert_eq!((other.next(), other.next()), (first, second));
    }
}
