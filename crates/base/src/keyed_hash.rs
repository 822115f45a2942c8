//! Hashes that nobody can foresee who sends the packets.
//!
//! A table whose hash is known can be filled with keys that all fall into one place, so that each look-up
//! becomes a search. The key is drawn once for each process. It decides where things lie in memory, never what
//! is written: nothing may depend on the order in which such a table is walked.

use std::hash::{BuildHasher, RandomState as SystemRandom};
use std::sync::OnceLock;

use ahash::RandomState;

/// The process's way of hashing, for tables of what comes from the network.
pub fn keyed_hash() -> RandomState {
    static KEYED: OnceLock<RandomState> = OnceLock::new();
    KEYED
        .get_or_init(|| {
            let random = SystemRandom::new();
            let [a, b, c, d] = [0_u64, 1, 2, 3].map(|number| random.hash_one(number));
            RandomState::with_seeds(a, b, c, d)
        })
        .clone()
}

/// A number that is drawn once for each process, for hashes of our own.
pub fn hash_seed() -> u64 {
    keyed_hash().hash_one(0_u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_one_key() {
        assert_eq!(hash_seed(), hash_seed());
        assert_eq!(keyed_hash().hash_one("a"), keyed_hash().hash_one("a"));
        let known = RandomState::with_seeds(0, 0, 0, 0);
        assert_ne!(keyed_hash().hash_one("a"), known.hash_one("a"));
    }
}
