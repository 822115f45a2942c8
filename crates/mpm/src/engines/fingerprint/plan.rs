//! Plans of a search: the keys, the bytes that each is looked for by, and the number of places.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use ahash::AHasher;

use super::Entry;
use super::lookup::fingerprint;
use crate::rarity;

/// The fingerprints of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Bytes of a fingerprint.
    pub(super) width: usize,
    /// Every so many places are looked up.
    pub(super) stride: usize,
}

impl Shape {
    /// The shortest key that has `stride` fingerprints.
    const fn shortest_key(self) -> usize {
        self.width + self.stride - 1
    }

    /// Returns the expected hits of one fingerprint, for each place looked up.
    const fn expected_hits(self) -> f64 {
        match self.width {
            1 => 0.03,
            2 => 0.002,
            3 => 0.000_2,
            _ => 0.000_02,
        }
    }
}

/// The shapes there are, the more desirable for a key first.
const SHAPES: [Shape; 7] = [
    Shape { width: 4, stride: 4 },
    Shape { width: 4, stride: 2 },
    Shape { width: 4, stride: 1 },
    Shape { width: 3, stride: 2 },
    Shape { width: 3, stride: 1 },
    Shape { width: 2, stride: 1 },
    Shape { width: 1, stride: 1 },
];

/// Cost of comparing the keys of a fingerprint, in lookups.
const COMPARISON_COST: f64 = 12.0;
/// Least cost of a pass, per byte, in lookups.
const PASS_COST: f64 = 0.02;

/// The shapes that together look for keys of these lengths at the least cost, and that cost in lookups per
/// byte.
pub(super) fn choose_shapes(lengths: impl Iterator<Item = usize>) -> (Vec<Shape>, f64) {
    let longest = SHAPES.iter().map(|shape| shape.shortest_key()).max().unwrap_or(0);
    let mut keys_by_length = vec![0u32; longest + 1];
    for length in lengths {
        keys_by_length[length.min(longest)] += 1;
    }
    let subsets = (0u32..1 << SHAPES.len()).map(|subset| {
        let in_subset = |&(index, _): &(usize, &Shape)| subset & 1 << index != 0;
        SHAPES.iter().enumerate().filter(in_subset).map(|(_, &shape)| shape).collect::<Vec<Shape>>()
    });
    subsets
        .filter_map(|shapes| cost(&shapes, &keys_by_length).map(|cost| (shapes, cost)))
        .min_by(|(_, a), (_, b)| a.total_cmp(b))
        .unwrap_or_default()
}

/// Lookups per byte, comparisons counted in. None if a key is too short for all shapes, or a shape is unused.
fn cost(shapes: &[Shape], keys_by_length: &[u32]) -> Option<f64> {
    let mut members = vec![0u32; shapes.len()];
    for (length, &keys) in keys_by_length.iter().enumerate().filter(|&(_, &keys)| keys > 0) {
        let shape = shape_of(length, shapes)?;
        members[shapes.iter().position(|&other| other == shape)?] += keys;
    }
    if members.contains(&0) {
        return None;
    }
    let of_pass = |(shape, &keys): (&Shape, &u32)| {
        let hits = f64::from(keys) * shape.stride as f64 * shape.expected_hits();
        PASS_COST + (1.0 + hits * COMPARISON_COST) / shape.stride as f64
    };
    Some(shapes.iter().zip(&members).map(of_pass).sum())
}

/// The most desirable of `shapes` for a key.
pub(super) fn shape_of(length: usize, shapes: &[Shape]) -> Option<Shape> {
    shapes.iter().copied().find(|shape| length >= shape.shortest_key())
}

/// Gives each key the fingerprints that are rarest in traffic, those of earlier keys counted in.
pub(super) fn choose_fingerprints<'k>(
    shape: Shape,
    fold: u32,
    members: impl Iterator<Item = (u32, &'k [u8])>,
) -> Vec<Entry> {
    let mut sharers = HashMap::<u32, u64, BuildHasherDefault<AHasher>>::default();
    let mut entries = Vec::new();
    for (key, bytes) in members {
        let offered: Vec<(u64, u32)> = bytes
            .windows(shape.width)
            .map(|window| {
                let fingerprint = fingerprint(window, shape.width, fold);
                let shared = sharers.get(&fingerprint).copied().unwrap_or(0);
                (u64::from(rarity::cost(window)) * (1 + shared), fingerprint)
            })
            .collect();
        let cheapest = offered
            .windows(shape.stride)
            .zip(0u32..)
            .min_by_key(|(run, _)| run.iter().map(|&(cost, _)| cost).sum::<u64>());
        let Some((run, start)) = cheapest else { continue };
        for (&(_, fingerprint), offset) in run.iter().zip(start..) {
            *sharers.entry(fingerprint).or_insert(0) += 1;
            entries.push(Entry::new(fingerprint, key, offset, bytes, fold));
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths, and the width and stride of each shape expected.
    type Case = (&'static [usize], &'static [(usize, usize)]);

    #[test]
    fn shapes_suit_the_lengths() {
        let cases: [Case; 6] = [
            (&[], &[]),
            (&[7, 20, 9], &[(4, 4)]),
            (&[5, 20], &[(4, 2)]),
            (&[4, 4], &[(3, 2)]),
            (&[1], &[(1, 1)]),
            (&[7, 2], &[(2, 1)]),
        ];
        for (lengths, expected) in cases {
            let (shapes, _) = choose_shapes(lengths.iter().copied());
            let shapes: Vec<_> = shapes.iter().map(|shape| (shape.width, shape.stride)).collect();
            assert_eq!(shapes, expected, "{lengths:?}");
        }
    }

    #[test]
    fn many_long_keys_are_not_slowed_by_a_few_short_ones() {
        let lengths = std::iter::repeat_n(12, 5_000).chain([2, 3]);
        let (shapes, _) = choose_shapes(lengths);
        assert!(shapes.contains(&Shape { width: 4, stride: 4 }) && shapes.len() == 2);
    }
}
