//! Hashed fingerprints, for sets of any size.
//!
//! A fingerprint is up to four neighbouring bytes of a key. At every place of the haystack, or at every
//! second or fourth, the bytes there are hashed and looked up in a bitmap; where the bit is set, the keys with
//! that fingerprint are compared. The bitmap is sparse, and small enough for the nearer caches, so that
//! the cost per byte hardly depends on the number of keys.
//!
//! A key that is looked for at every fourth place has four fingerprints, one byte apart: one of them comes to
//! lie at such a place wherever the key occurs. Which of its bytes a key is known by is chosen by what is
//! rare in traffic and shared with few other keys. Long keys can be looked for at fewer places than short
//! ones, so there may be several passes over the haystack; [`plan`] chooses them.
//!
//! When any key ignores case, letters are folded by setting the bit 0x20 of all bytes, which takes one
//! operation; that it also confuses a few other bytes costs some vain comparisons only.

mod lookup;
mod plan;
mod prefixes;
mod sieve;

pub(crate) use prefixes::Prefixes;

use lookup::Bitmap;
use plan::{Plan, Shape};
use sieve::Sieve;

use super::Engine;
use crate::MatchScratch;
use crate::keys::Keys;
use crate::seen::Seen;

/// The passes over a haystack, each for some of the keys.
#[derive(Debug)]
pub(crate) struct Fingerprint {
    passes: Vec<Pass>,
    singles: Vec<Single>,
}

/// A key of one byte, which is met so often that it is looked for by itself, up to its first place.
#[derive(Debug, Clone, Copy)]
struct Single {
    key: u32,
    byte: u8,
    /// The byte in the other case, or the same.
    other: u8,
}

/// Most keys of one byte that are looked for one after another.
const SINGLES_MAX: usize = 16;
/// Cost of looking for one of them, in lookups per byte.
const SINGLE_COST: f64 = 0.03;

/// The keys with fingerprints of one shape.
#[derive(Debug)]
struct Pass {
    shape: Shape,
    fold: u32,
    /// The sieve that leaves over the places to look up, where one pays.
    sieve: Option<Sieve>,
    bitmap: Bitmap,
    /// Places in the bitmap are `1 << bucket_shift` to the bucket; bucket `b` holds
    /// `entries[bucket_starts[b]..bucket_starts[b + 1]]`.
    bucket_shift: u32,
    bucket_starts: Box<[u32]>,
    entries: Box<[Entry]>,
}

/// One fingerprint of one key.
#[derive(Debug, Clone, Copy)]
struct Entry {
    fingerprint: u32,
    key: u32,
    /// Where in the key the fingerprint lies.
    offset: u32,
    /// Where in the key the checked bytes lie.
    check_offset: u32,
    /// Up to eight bytes of the key, folded, looked at before the whole; and the bits that count.
    check: u64,
    check_mask: u64,
}

impl Entry {
    /// An entry that checks the start of the key, or its end if the fingerprint lies at the start.
    fn new(fingerprint: u32, key: u32, offset: u32, bytes: &[u8], fold: u32) -> Self {
        let end = bytes.len().saturating_sub(CHECKED);
        let check_offset = if (offset as usize) < CHECKED { end } else { 0 };
        let mut checked = [0; CHECKED];
        let length = bytes.len().min(CHECKED);
        checked[..length].copy_from_slice(&bytes[check_offset..check_offset + length]);
        let check_mask = u64::MAX >> (8 * (CHECKED - length));
        let check = (u64::from_le_bytes(checked) | repeat(fold)) & check_mask;
        Self { fingerprint, key, offset, check_offset: check_offset as u32, check, check_mask }
    }
}

/// The bytes looked at before a key is compared as a whole.
const CHECKED: usize = 8;

fn repeat(fold: u32) -> u64 {
    u64::from(fold) << 32 | u64::from(fold)
}

/// The bits that are set in all bytes before they are compared: that of letters in lower case, where a key ignores case.
fn fold_of(keys: &Keys) -> u32 {
    if keys.iter().any(|(_, key, _)| key.nocase) { 0x2020_2020 } else { 0 }
}

impl Fingerprint {
    /// A plan of the search for keys, which says what it costs.
    pub(super) fn plan(keys: &Keys) -> Plan {
        let singles = singles(keys);
        let mut all: Vec<&[u8]> = keys.iter().map(|(_, _, bytes)| bytes).collect();
        for single in &singles {
            all[single.key as usize] = &[];
        }
        let mut plan = Plan::new(&all, fold_of(keys));
        plan.cost.all += singles.len() as f64 * SINGLE_COST;
        plan
    }

    /// The engine for keys by their plan.
    pub(super) fn by_plan(keys: &Keys, plan: &Plan) -> Self {
        let fold = fold_of(keys);
        let passes = plan
            .shapes
            .iter()
            .map(|&shape| {
                let members = keys
                    .iter()
                    .filter(|(index, ..)| plan.shape_of(*index) == Some(shape))
                    .map(|(index, _, bytes)| (index, bytes));
                Pass::new(shape, fold, plan::choose_fingerprints(shape, fold, members))
            })
            .collect();
        Self { passes, singles: singles(keys) }
    }
}

/// The keys of one byte that need not be found more than once; none where they are too many.
fn singles(keys: &Keys) -> Vec<Single> {
    let of_one_byte = keys.iter().filter(|(_, key, _)| key.len() == 1 && !key.is_windowed());
    let singles: Vec<Single> = of_one_byte
        .filter_map(|(key, how, bytes)| {
            let byte = *bytes.first()?;
            let other = if how.nocase { byte.to_ascii_uppercase() } else { byte };
            Some(Single { key, byte, other })
        })
        .collect();
    if singles.len() > SINGLES_MAX { Vec::new() } else { singles }
}

impl Engine for Fingerprint {
    fn build(keys: &Keys) -> Result<Self, String> {
        Ok(Self::by_plan(keys, &Self::plan(keys)))
    }

    fn scan<F: FnMut(u32, usize)>(
        &self,
        keys: &Keys,
        haystack: &[u8],
        scratch: &mut MatchScratch,
        on_key: &mut F,
    ) {
        for single in &self.singles {
            if let Some(place) = memchr::memchr2(single.byte, single.other, haystack) {
                on_key(single.key, place + 1);
            }
        }
        let mut seen = scratch.seen.begin(keys.len());
        for pass in &self.passes {
            pass.scan(haystack, |place, fingerprint| {
                pass.compare(keys, haystack, place, fingerprint, &mut seen, on_key);
            });
        }
    }

    fn grow_scratch(&self, keys: &Keys, scratch: &mut MatchScratch) {
        scratch.seen.begin(keys.len());
    }

    fn memory(&self) -> usize {
        self.passes
            .iter()
            .map(|pass| {
                pass.bitmap.memory() + size_of_val(&*pass.bucket_starts) + size_of_val(&*pass.entries)
            })
            .sum()
    }
}

impl Pass {
    fn new(shape: Shape, fold: u32, mut entries: Vec<Entry>) -> Self {
        let bitmap = Bitmap::new(shape.width, fold, entries.iter().map(|entry| entry.fingerprint));
        let bucket_bits = (entries.len() * 2).next_power_of_two().ilog2().min(bitmap.bits());
        let bucket_shift = bitmap.bits() - bucket_bits;
        let bucket_of = |entry: &Entry| bitmap.hash(entry.fingerprint) >> bucket_shift;
        let mut bucket_starts = vec![0; (1 << bucket_bits) + 1];
        for entry in &entries {
            bucket_starts[bucket_of(entry) + 1] += 1;
        }
        for bucket in 1..bucket_starts.len() {
            bucket_starts[bucket] += bucket_starts[bucket - 1];
        }
        entries.sort_by_key(|entry| (bucket_of(entry), entry.fingerprint));
        let sieve = plan::sieve(shape, fold, &entries);
        let (bucket_starts, entries) = (bucket_starts.into_boxed_slice(), entries.into_boxed_slice());
        Self { shape, fold, sieve, bitmap, bucket_shift, bucket_starts, entries }
    }

    /// Calls `on_hit` with places where there may be a fingerprint, and with what is there.
    #[inline]
    fn scan(&self, haystack: &[u8], mut on_hit: impl FnMut(usize, u32)) {
        let sifted = self.sieve.as_ref().is_some_and(|sieve| {
            sieve.scan(haystack, &mut |place, fingerprint| {
                if self.bitmap.has(fingerprint) {
                    on_hit(place, fingerprint);
                }
            })
        });
        if !sifted {
            self.bitmap.scan(self.shape.stride, haystack, on_hit);
        }
    }

    /// Calls `on_key` with each key that begins at a place.
    #[inline]
    fn look_up(&self, keys: &Keys, haystack: &[u8], place: usize, on_key: &mut impl FnMut(u32)) {
        let Some(bytes) = haystack.get(place..).filter(|bytes| bytes.len() >= self.shape.width) else {
            return;
        };
        let fingerprint = lookup::fingerprint(bytes, self.shape.width, self.fold);
        if !self.bitmap.has(fingerprint) {
            return;
        }
        for entry in self.with_hash(fingerprint) {
            if entry.fingerprint == fingerprint && keys.occurs_at(entry.key, haystack, place) {
                on_key(entry.key);
            }
        }
    }

    /// The entries in the bucket of a fingerprint.
    #[inline]
    fn with_hash(&self, fingerprint: u32) -> &[Entry] {
        let bucket = self.bitmap.hash(fingerprint) >> self.bucket_shift;
        &self.entries[self.bucket_starts[bucket] as usize..self.bucket_starts[bucket + 1] as usize]
    }

    /// Compares the keys that have this fingerprint at this place.
    #[inline]
    fn compare<F: FnMut(u32, usize)>(
        &self,
        keys: &Keys,
        haystack: &[u8],
        place: usize,
        fingerprint: u32,
        seen: &mut Seen<'_>,
        on_key: &mut F,
    ) {
        for entry in self.with_hash(fingerprint) {
            if entry.fingerprint != fingerprint || seen.contains(entry.key) {
                continue;
            }
            let Some(start) = place.checked_sub(entry.offset as usize) else { continue };
            let checked = haystack.get(start + entry.check_offset as usize..).and_then(<[u8]>::first_chunk);
            // Too near the end of the haystack to read eight bytes, the whole key is compared at once.
            if checked.is_some_and(|&bytes| {
                (u64::from_le_bytes(bytes) | repeat(self.fold)) & entry.check_mask != entry.check
            }) {
                continue;
            }
            if keys.occurs_at(entry.key, haystack, start) {
                if !keys.key(entry.key).is_windowed() {
                    seen.insert(entry.key);
                }
                on_key(entry.key, start + keys.key(entry.key).len());
            }
        }
    }
}
