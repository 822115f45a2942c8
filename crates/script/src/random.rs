//! Random numbers, from a seed where one is given.

use std::hash::{BuildHasher, RandomState};

/// A generator (xorshift64*, Vigna 2016).
#[derive(Debug)]
pub struct Random {
    state: u64,
}

impl Default for Random {
    fn default() -> Self {
        Self::seeded(RandomState::new().hash_one(1))
    }
}

impl Random {
    /// Returns a generator that gives the same numbers for the same seed.
    pub fn seeded(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }

    /// Begins anew.
    pub fn seed(&mut self, seed: u64) {
        *self = Self::seeded(seed.wrapping_add(0x5851_f42d_4c95_7f2d));
    }

    /// Returns the next number.
    pub fn next(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below a limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 11) % limit.max(1)
    }
}
