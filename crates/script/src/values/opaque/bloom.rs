//! Bloom filters: basic ones, and ones that count.

use crate::types::TypeId;
use crate::values::{Key, Value};

/// Most cells of a filter.
const MOST_CELLS: u64 = 1 << 28;

/// A Bloom filter.
#[derive(Clone, Debug)]
pub struct Bloom {
    cells: Vec<u64>,
    hashes: u64,
    seed: u64,
    /// The highest count of a cell; one for basic filters.
    limit: u64,
    /// The type of the elements, known from the first one.
    pub element: Option<TypeId>,
}

impl Bloom {
    /// Returns an empty filter.
    pub fn new(hashes: u64, cells: u64, limit: u64, name: &[u8]) -> Self {
        let count = usize::try_from(cells.clamp(1, MOST_CELLS)).unwrap_or(1);
        let seed = Key::hash_of(&Value::string(name));
        Self { cells: vec![0; count], hashes: hashes.clamp(1, 64), seed, limit: limit.max(1), element: None }
    }

    /// Returns the number of hashes and cells for a rate of false positives.
    pub fn dimensions(rate: f64, capacity: u64) -> (u64, u64) {
        let capacity = capacity.max(1) as f64;
        let cells = (-capacity * rate.ln() / std::f64::consts::LN_2.powi(2)).ceil();
        let hashes = (cells / capacity * std::f64::consts::LN_2).round();
        (hashes.max(1.0) as u64, cells.max(1.0) as u64)
    }

    fn places(&self, value: &Value) -> impl Iterator<Item = usize> + use<> {
        let hash = Key::hash_of(value) ^ self.seed;
        let (one, two) = (hash, hash.rotate_left(32).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let count = self.cells.len().max(1) as u64;
        (0..self.hashes)
            .map(move |at| usize::try_from(one.wrapping_add(at.wrapping_mul(two)) % count).unwrap_or(0))
    }

    /// Adds an element.
    pub fn add(&mut self, value: &Value) {
        for place in self.places(value) {
            if let Some(cell) = self.cells.get_mut(place) {
                *cell = (*cell + 1).min(self.limit);
            }
        }
    }

    /// Takes an element away once; false where it is not there.
    pub fn remove(&mut self, value: &Value) -> bool {
        if self.count(value) == 0 {
            return false;
        }
        for place in self.places(value) {
            if let Some(cell) = self.cells.get_mut(place) {
                *cell = cell.saturating_sub(1);
            }
        }
        true
    }

    /// Returns whether the filter counts.
    pub fn is_counting(&self) -> bool {
        self.limit > 1
    }

    /// Returns how often an element was added, at most.
    pub fn count(&self, value: &Value) -> u64 {
        self.places(value).filter_map(|place| self.cells.get(place)).min().copied().unwrap_or(0)
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        self.cells.fill(0);
    }

    /// Returns a filter of what is in one or the other (or in both, with `both`); none where they do not fit.
    pub fn combined(&self, other: &Self, both: bool) -> Option<Self> {
        if self.cells.len() != other.cells.len() || self.hashes != other.hashes || self.seed != other.seed {
            return None;
        }
        let mut new = self.clone();
        for (cell, more) in new.cells.iter_mut().zip(&other.cells) {
            *cell = if both { (*cell).min(*more) } else { (*cell + more).min(self.limit) };
        }
        Some(new)
    }

    /// Returns a text that stands for the cells.
    pub fn state(&self) -> String {
        let sum = self.cells.iter().fold(0u64, |sum, cell| sum.rotate_left(5) ^ cell);
        format!("{sum:016x}")
    }
}
