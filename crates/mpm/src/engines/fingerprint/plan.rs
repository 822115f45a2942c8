//! Plans of a search: the keys, the bytes that each is looked for by, and the number of places.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use ahash::AHasher;

use super::Entry;
use super::lookup::{WIDTH_MAX, fingerprint};
use super::sieve::{SIEVE_MAX, Sieve};
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

/// Keys of this length and longer ones are alike.
const LONGEST: usize = 7;

/// Cost of comparing the keys of a fingerprint, in lookups.
const COMPARISON_COST: f64 = 12.0;
/// Least cost of a pass, per byte, in lookups.
const PASS_COST: f64 = 0.02;
/// Cost of a sieve, per byte and byte of a fingerprint, in lookups.
const SIEVE_COST: f64 = 0.06;
/// Cost of a place that a sieve lets through, in lookups: the processor did not expect it.
const PASSED_COST: f64 = 10.0;

/// Hits of a commonplace fingerprint of one byte, for each place; longer ones have a part of that.
const COMMONPLACE_HITS: f64 = 0.003;

/// Keys by their lengths, up to the length from which on all are alike.
struct ByLength<'k> {
    keys: Vec<Vec<&'k [u8]>>,
    fold: u32,
    /// Costs of the sieves that were tried, by width and lengths of keys.
    sieves: HashMap<(usize, usize, usize), Option<f64>, BuildHasherDefault<AHasher>>,
}

impl<'k> ByLength<'k> {
    fn new(keys: &[&'k [u8]], lengths: &[usize], fold: u32) -> Self {
        let mut by_length = vec![Vec::new(); LONGEST + 1];
        for (key, length) in keys.iter().zip(lengths).filter(|(key, _)| !key.is_empty()) {
            by_length[*length].push(*key);
        }
        Self { keys: by_length, fold, sieves: HashMap::default() }
    }

    /// Lookups per byte, comparisons counted in, or the least that they can be without a look at the keys. None if a key
    /// is too short for all shapes, or a shape is unused.
    fn cost(&mut self, shapes: &[Shape], accuracy: Accuracy) -> Option<Cost> {
        // First length of a shape's keys, and the one past the last.
        let mut members: Vec<Option<(usize, usize)>> = vec![None; shapes.len()];
        let lengths = self.keys.iter().enumerate().filter(|(_, keys)| !keys.is_empty());
        for (length, _) in lengths {
            let shape = shape_of(length, shapes)?;
            let lengths = &mut members[shapes.iter().position(|&other| other == shape)?];
            *lengths = Some((lengths.map_or(length, |(first, _)| first), length + 1));
        }
        let mut cost = Cost::default();
        for (&shape, lengths) in shapes.iter().zip(members) {
            let (from, to) = lengths?;
            let keys: usize = self.keys[from..to].iter().map(Vec::len).sum();
            let hits = keys as f64 * shape.stride as f64 * shape.expected_hits();
            let looked_up = (1.0 + hits * COMPARISON_COST) / shape.stride as f64;
            let may_be_sieved = shape.stride == 1
                && keys <= SIEVE_MAX
                // Long keys are better known by four bytes, as another choice of shapes has it.
                && (shape.width == WIDTH_MAX || to <= LONGEST);
            let sieved = match accuracy {
                _ if !may_be_sieved => None,
                Accuracy::AtLeast => Some(SIEVE_COST * shape.width as f64),
                Accuracy::Exact => self.cost_of_sieve(shape, (from, to)),
            };
            let of_pass = PASS_COST + sieved.map_or(looked_up, |sieved| looked_up.min(sieved));
            cost.all += of_pass;
            cost.of_short += if shape.width < WIDTH_MAX { of_pass } else { 0.0 };
        }
        Some(cost)
    }

    /// The cost of a sieve before the lookups of a pass, with what it leaves; none where it is too much.
    fn cost_of_sieve(&mut self, shape: Shape, (from, to): (usize, usize)) -> Option<f64> {
        let (lengths, fold) = (&self.keys[from..to], self.fold);
        *self.sieves.entry((shape.width, from, to)).or_insert_with(|| {
            let members = (0..).zip(lengths.iter().flatten().copied());
            let entries = choose_fingerprints(shape, fold, members);
            sieve(shape, fold, &entries).map(|sieve| cost_of_sieve(shape, &sieve, &entries))
        })
    }
}

/// Cost of a search, in lookups per byte.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::engines) struct Cost {
    pub(in crate::engines) all: f64,
    /// The part of keys that are known by fewer than four bytes, and so are met often.
    pub(in crate::engines) of_short: f64,
}

/// Accuracy of a cost.
#[derive(Clone, Copy)]
enum Accuracy {
    AtLeast,
    Exact,
}

/// Returns the cost of a sieve with the lookups and comparisons that it leaves, in lookups per byte. Commonplace
/// fingerprints are met more often than their bytes by themselves.
fn cost_of_sieve(shape: Shape, sieve: &Sieve, entries: &[Entry]) -> f64 {
    let is_commonplace = |entry: &&Entry| {
        let bytes = entry.fingerprint.to_le_bytes();
        bytes.get(..shape.width).is_some_and(rarity::is_commonplace)
    };
    let commonplace = entries.iter().filter(is_commonplace).count() as f64;
    let rate = sieve.rate() + commonplace * COMMONPLACE_HITS / shape.width as f64;
    SIEVE_COST * shape.width as f64 + rate * (PASSED_COST + COMPARISON_COST)
}

/// The sieve for a pass with these entries, where it costs less than looking all places up.
pub(super) fn sieve(shape: Shape, fold: u32, entries: &[Entry]) -> Option<Sieve> {
    if shape.stride > 1 || entries.len() > SIEVE_MAX {
        return None;
    }
    let sieve = Sieve::new(shape.width, fold, entries.iter().map(|entry| entry.fingerprint));
    (cost_of_sieve(shape, &sieve, entries) < 1.0).then_some(sieve)
}

/// A plan for a set of keys.
#[derive(Debug, Default)]
pub(in crate::engines) struct Plan {
    /// The shapes that together look for the keys at the least cost.
    pub(super) shapes: Vec<Shape>,
    pub(in crate::engines) cost: Cost,
    /// The length that each key counts as.
    lengths: Vec<usize>,
}

impl Plan {
    /// The plan for these keys, the empty ones left out.
    pub(super) fn new(keys: &[&[u8]], fold: u32) -> Self {
        let lengths = lengths(keys);
        let mut by_length = ByLength::new(keys, &lengths, fold);
        let subsets = (0u32..1 << SHAPES.len()).map(|subset| {
            let in_subset = |&(index, _): &(usize, &Shape)| subset & 1 << index != 0;
            SHAPES.iter().enumerate().filter(in_subset).map(|(_, &shape)| shape).collect::<Vec<Shape>>()
        });
        let at_least = |shapes: Vec<Shape>| Some((by_length.cost(&shapes, Accuracy::AtLeast)?.all, shapes));
        let mut subsets: Vec<(f64, Vec<Shape>)> = subsets.filter_map(at_least).collect();
        subsets.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let mut best: Option<(Cost, Vec<Shape>)> = None;
        for (at_least, shapes) in subsets {
            let least = best.as_ref().map_or(f64::INFINITY, |(least, _)| least.all);
            if at_least >= least {
                break;
            }
            if let Some(cost) = by_length.cost(&shapes, Accuracy::Exact)
                && cost.all < least
            {
                best = Some((cost, shapes));
            }
        }
        let (cost, shapes) = best.unwrap_or_default();
        Self { shapes, cost, lengths }
    }

    /// The shape for a key.
    pub(super) fn shape_of(&self, key: u32) -> Option<Shape> {
        shape_of(*self.lengths.get(key as usize)?, &self.shapes)
    }
}

/// Returns the length that each key counts as. A key of which each run of fingerprints has one that is commonplace, as
/// zeros and common words are, counts as one that is too short for such runs: it is known by one fingerprint then, and
/// needs one rare place only. Where these are too many for a sieve, each counts as long as it is.
fn lengths(keys: &[&[u8]]) -> Vec<usize> {
    let counted: Vec<usize> = keys.iter().map(|key| usable_length(key)).collect();
    let lengths: Vec<usize> = keys.iter().map(|key| key.len().min(LONGEST)).collect();
    let short = counted.iter().filter(|length| **length < LONGEST).count();
    if short <= SIEVE_MAX { counted } else { lengths }
}

/// Returns the length of the shortest key that has such runs of fingerprints that are not commonplace.
fn usable_length(key: &[u8]) -> usize {
    let length = key.len().min(LONGEST);
    let mut usable = 0;
    let mut run = 0;
    for window in key.windows(WIDTH_MAX) {
        run = if rarity::is_commonplace(window) { 0 } else { run + 1 };
        usable = usable.max(run);
        if usable + WIDTH_MAX > LONGEST {
            break;
        }
    }
    match usable {
        4.. => length,
        2.. => length.min(5),
        _ => length.min(4),
    }
}

/// The most desirable of `shapes` for a key that counts as so long.
fn shape_of(length: usize, shapes: &[Shape]) -> Option<Shape> {
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
    let mut offered: Vec<(u64, u32)> = Vec::new();
    for (key, bytes) in members {
        offered.clear();
        offered.extend(bytes.windows(shape.width).map(|window| {
            let fingerprint = fingerprint(window, shape.width, fold);
            let shared = sharers.get(&fingerprint).copied().unwrap_or(0);
            (u64::from(rarity::cost(window)) * (1 + shared), fingerprint)
        }));
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

    /// So many keys of a length, of any bytes.
    fn keys(length: usize, count: usize) -> Vec<Vec<u8>> {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as u8
        };
        (0..count).map(|_| (0..length).map(|_| next()).collect()).collect()
    }

    fn plan(keys: &[Vec<u8>]) -> Plan {
        Plan::new(&keys.iter().map(Vec::as_slice).collect::<Vec<_>>(), 0)
    }

    fn chosen(keys: &[Vec<u8>]) -> Vec<(usize, usize)> {
        plan(keys).shapes.iter().map(|shape| (shape.width, shape.stride)).collect()
    }

    #[test]
    fn shapes_suit_the_lengths() {
        let cases: [Case; 6] = [
            (&[], &[]),
            (&[7, 20, 9], &[(4, 4)]),
            (&[5, 20], &[(4, 2)]),
            (&[4], &[(3, 2)]),
            (&[1], &[(1, 1)]),
            (&[7, 2], &[(4, 4), (2, 1)]),
        ];
        for (lengths, expected) in cases {
            let all: Vec<_> = lengths.iter().flat_map(|&length| keys(length, SIEVE_MAX + 1)).collect();
            assert_eq!(chosen(&all), expected, "{lengths:?}");
        }
    }

    #[test]
    fn many_long_keys_are_not_slowed_by_a_few_short_ones() {
        let mut all = keys(12, 5_000);
        all.extend([keys(2, 1), keys(3, 1)].concat());
        let shapes = chosen(&all);
        assert!(shapes.contains(&(4, 4)) && shapes.len() == 2, "{shapes:?}");
    }

    #[test]
    fn short_keys_that_are_alike_are_sifted() {
        let alike: Vec<Vec<u8>> =
            (0x90..0xa0).flat_map(|second| [vec![b'x', second], vec![b'z', second]]).collect();
        let Plan { shapes, cost, .. } = plan(&alike);
        assert!(shapes == [Shape { width: 2, stride: 1 }] && cost.all < 0.5, "{shapes:?} at {cost:?}");
        let cost = plan(&keys(2, SIEVE_MAX)).cost;
        assert!(cost.of_short > 1.0, "{cost:?}");
    }

    #[test]
    fn keys_of_commonplace_parts_are_known_by_one_place() {
        for (key, expected) in [
            (&b"q#^~w%z"[..], 7),
            (b"\x00\x00\x00\x00\x00\x00\x00\x00", 4),
            (b"Mozilla/5.0", 4),
            (b"Mozilla/5.0 q#", 5),
            (b"Mozilla/5.0 q#^~w", 7),
            (b"abc", 3),
        ] {
            assert_eq!(usable_length(key), expected, "{key:?}");
        }
        let mut all = keys(12, 300);
        all.push(vec![0; 16]);
        assert_eq!(chosen(&all), [(4, 4), (2, 1)]);
    }
}
