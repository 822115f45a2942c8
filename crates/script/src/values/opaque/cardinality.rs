//! How many different values there were, estimated in constant memory (HyperLogLog, Flajolet and others, 2007).

use crate::types::TypeId;
use crate::values::{Key, Value};

/// An estimator.
#[derive(Clone, Debug)]
pub struct Cardinality {
    registers: Vec<u8>,
    bits: u32,
    /// The type of the elements, known from the first one.
    pub element: Option<TypeId>,
}

impl Cardinality {
    /// Returns an estimator of this relative error, which holds with this confidence.
    pub fn new(error: f64, confidence: f64) -> Self {
        let spread =
            if confidence >= 1.0 { 1.0 } else { 1.04 / error.max(0.001) * confidence.clamp(0.1, 3.0) };
        let wanted = (1.04 / error.clamp(0.001, 1.0)).powi(2).max(spread);
        let bits = (wanted.log2().ceil() as u32).clamp(4, 18);
        Self { registers: vec![0; 1 << bits], bits, element: None }
    }

    /// Adds a value.
    pub fn add(&mut self, value: &Value) {
        let hash = Key::hash_of(value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = hash ^ (hash >> 29);
        let place = usize::try_from(hash >> (64 - self.bits)).unwrap_or(0);
        let rank = u8::try_from((hash << self.bits).leading_zeros().min(64 - self.bits) + 1).unwrap_or(64);
        if let Some(register) = self.registers.get_mut(place) {
            *register = (*register).max(rank);
        }
    }

    /// Adds all that the other has seen; false where they do not fit.
    pub fn merge(&mut self, other: &Self) -> bool {
        if self.bits != other.bits {
            return false;
        }
        for (own, more) in self.registers.iter_mut().zip(&other.registers) {
            *own = (*own).max(*more);
        }
        true
    }

    /// Returns the estimate.
    pub fn estimate(&self) -> f64 {
        let count = self.registers.len() as f64;
        let sum: f64 = self.registers.iter().map(|rank| 2f64.powi(-i32::from(*rank))).sum();
        let alpha = 0.7213 / (1.0 + 1.079 / count);
        let raw = alpha * count * count / sum;
        let empty = self.registers.iter().filter(|rank| **rank == 0).count();
        if raw <= 2.5 * count && empty > 0 { count * (count / empty as f64).ln() } else { raw }
    }
}
