//! Random numbers, from seeds where they are given.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use weir_base::seeds::{SeedKey, Seeds, append_id};

/// The pools that scripts' ids are of: those without a number, and those of scripts' own numbers from this on.
const POOL: u64 = 2;
const OWN_POOLS: u64 = 10;

/// Most pools that are counted.
const MOST_POOLS: usize = 1 << 16;

/// The modulus and the factor of the numbers that scripts draw (Park and Miller 1988).
const MODULUS: u64 = 0x7fff_ffff;
const FACTOR: u64 = 16_807;

/// A generator (xorshift64*, Vigna 2016), one whose numbers scripts know, and ids.
#[derive(Debug)]
pub struct Random {
    state: u64,
    drawn: u64,
    key: SeedKey,
    given: HashMap<u64, u64>,
    /// What keyed hashes are marked with.
    mark: [u8; 64],
}

impl Default for Random {
    fn default() -> Self {
        let hasher = RandomState::new();
        let number = |which: u8| hasher.hash_one(which);
        let mut mark = [0; 64];
        for (part, which) in mark.chunks_exact_mut(8).zip(5u8..) {
            part.copy_from_slice(&number(which).to_le_bytes());
        }
        Self { drawn: number(2), key: [number(3), number(4)], mark, ..Self::seeded(number(1)) }
    }
}

impl Random {
    /// Returns a generator that gives the same numbers for the same seed.
    pub fn seeded(seed: u64) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self { state, drawn: seed, key: [seed, !seed], given: HashMap::new(), mark: [0; 64] }
    }

    /// Begins anew with what a file of seeds says.
    pub fn take_seeds(&mut self, seeds: &Seeds) {
        *self = Self { key: seeds.key(), mark: seeds.mark(), ..Self::seeded(seeds.number) };
    }

    /// Returns what keyed hashes are marked with.
    pub const fn mark(&self) -> &[u8; 64] {
        &self.mark
    }

    /// Begins anew to draw numbers.
    pub fn seed(&mut self, seed: u64) {
        self.drawn = seed;
    }

    /// Draws a number below a limit.
    pub fn draw(&mut self, limit: u64) -> u64 {
        let drawn = self.drawn_next();
        (limit as f64 * (drawn as f64 / (MODULUS as f64 + 1.0))) as u64
    }

    /// Draws 32 bits.
    pub fn word(&mut self) -> u32 {
        let [high, low] = [(); 2].map(|()| self.drawn_next() as u16);
        u32::from(high) << 16 | u32::from(low)
    }

    fn drawn_next(&mut self) -> u64 {
        // Zero would stay.
        let state = if self.drawn == 0 { 1 } else { self.drawn };
        let (quotient, rest) = (MODULUS / FACTOR, MODULUS % FACTOR);
        let up = FACTOR * (state % quotient);
        let down = rest.saturating_mul(state / quotient);
        self.drawn = if up > down { up - down } else { (up + MODULUS).wrapping_sub(down) };
        self.drawn
    }

    /// Appends the next id of a pool; none for that of ids without one.
    pub fn append_id(&mut self, pool: Option<u64>, out: &mut Vec<u8>) {
        let pool = pool.map_or(POOL, |own| own.wrapping_add(OWN_POOLS));
        if self.given.len() >= MOST_POOLS {
            self.given.clear();
            self.key = [self.next(), self.next()];
        }
        let given = self.given.entry(pool).or_default();
        let numbers = [*given + 1, *given + 2];
        *given += 2;
        append_id(self.key, pool, numbers, out);
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

#[cfg(test)]
mod tests {
    use super::{Random, Seeds};

    #[test]
    fn drawn_numbers_and_ids_follow_from_the_seed() {
        let mut random = Random::default();
        for (seed, numbers) in [(575, [4, 634, 473]), (0, [0, 131, 755])] {
            random.seed(seed);
            assert_eq!([(); 3].map(|()| random.draw(1000)), numbers, "{seed}");
        }
        let id = |random: &mut Random, pool| {
            let mut out = Vec::new();
            random.append_id(pool, &mut out);
            out
        };
        let (mut one, mut other) = (Random::default(), Random::default());
        let seeds = Seeds { number: 7, words: [5; 20] };
        one.take_seeds(&seeds);
        other.take_seeds(&seeds);
        assert_eq!(one.mark(), other.mark());
        let first = [None, Some(4), None].map(|pool| id(&mut one, pool));
        assert_eq!(first, [None, Some(4), None].map(|pool| id(&mut other, pool)));
        assert!(first[0] != first[2] && first[0] != first[1]);
    }
}
