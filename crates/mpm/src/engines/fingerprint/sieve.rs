//! A sieve before the lookups of a pass: it lets every place through that has a fingerprint, and few others.
//!
//! The fingerprints are dealt out to eight buckets. For each byte of a fingerprint two tables say which buckets have
//! one with this upper half, and which with this lower half; a shuffle looks up the halves of 32 bytes at once (as
//! Teddy does). Newer processors look up the six upper and the six lower bits of 64 bytes at once, which lets fewer
//! places through. Either takes a fraction of a lookup, and pays where the fingerprints are few or resemble each other,
//! as short keys often do.

use std::sync::LazyLock;

#[cfg(target_arch = "x86_64")]
use super::lookup::Instructions;
use super::lookup::{WIDTH_MAX, fingerprint};
use crate::rarity::frequency;

/// Buckets of fingerprints: the bits of a byte.
const BUCKETS: usize = 8;
/// Values of half a byte.
const HALVES: usize = 16;
/// Values of six bits.
const SIXES: usize = 64;
/// Places looked at together.
#[cfg(target_arch = "x86_64")]
const BLOCK: usize = 32;
/// Places looked at together where the processor has vectors of this size.
#[cfg(target_arch = "x86_64")]
const WIDE_BLOCK: usize = 64;

/// Most fingerprints that a sieve is tried for.
pub(super) const SIEVE_MAX: usize = 128;

/// The tables for one place of a fingerprint, by the lower and by the upper half of the byte there.
type Tables = ([u8; HALVES], [u8; HALVES]);
/// Tables for one place by the six lower and by the six upper bits of the byte, which share four.
type WideTables = ([u8; SIXES], [u8; SIXES]);

/// A sieve for fingerprints of some width.
#[derive(Debug)]
pub(super) struct Sieve {
    tables: [Tables; WIDTH_MAX],
    wide: Box<[WideTables; WIDTH_MAX]>,
    width: usize,
    fold: u32,
    rate: f64,
}

/// The halves of bytes that fingerprints have at one place, as bits.
#[derive(Debug, Clone, Copy, Default)]
struct Halves {
    low: u16,
    high: u16,
}

/// Fingerprints that share a bucket.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    halves: [Halves; WIDTH_MAX],
    /// Share of places that pass because of them, about.
    rate: f32,
}

impl Bucket {
    fn new(halves: [Halves; WIDTH_MAX], width: usize, shares: &Shares) -> Self {
        let rate = halves.iter().take(width).map(|halves| shares.about(*halves)).product();
        Self { halves, rate }
    }

    /// Whether a fingerprint has halves of this bucket at each place.
    fn holds(&self, fingerprint: &[u8; WIDTH_MAX], width: usize) -> bool {
        let mut places = self.halves.iter().zip(fingerprint).take(width);
        places.all(|(halves, byte)| halves.low >> (byte & 15) & 1 != 0 && halves.high >> (byte >> 4) & 1 != 0)
    }

    fn with(&self, other: &Self, width: usize, shares: &Shares) -> Self {
        let mut halves = self.halves;
        for (mine, theirs) in halves.iter_mut().zip(&other.halves) {
            mine.low |= theirs.low;
            mine.high |= theirs.high;
        }
        Self::new(halves, width, shares)
    }
}

/// Shares of bytes in traffic: half of it text, half of it any bytes.
struct Shares {
    /// By the upper and the lower half.
    exact: [[f32; HALVES]; HALVES],
    /// Of sets of lower halves, and of upper ones: each is the sum of two, of eight halves each.
    low: [[f32; 256]; 2],
    high: [[f32; 256]; 2],
}

impl Shares {
    /// Those of bytes over which `fold` is laid.
    fn new(fold: u8) -> Self {
        let all: f32 = (0..=u8::MAX).map(|byte| f32::from(frequency(byte))).sum();
        let mut exact = [[0.0; HALVES]; HALVES];
        for byte in 0..=u8::MAX {
            let share = (f32::from(frequency(byte)) / all + 1.0 / 256.0) / 2.0;
            let byte = byte | fold;
            exact[usize::from(byte >> 4)][usize::from(byte & 15)] += share;
        }
        let sums = |of_half: &dyn Fn(usize) -> f32| {
            [0, 8].map(|first| {
                std::array::from_fn(|set| {
                    (0..8).filter(|half| set >> half & 1 != 0).map(|half| of_half(first + half)).sum()
                })
            })
        };
        let low = sums(&|half| exact.iter().map(|row| row[half]).sum());
        let high = sums(&|half| exact[half].iter().sum());
        Self { exact, low, high }
    }

    /// Returns the share of bytes that have one of both halves, as if these had nothing to do with each other.
    #[inline]
    fn about(&self, halves: Halves) -> f32 {
        let sum = |sums: &[[f32; 256]; 2], set: u16| {
            let [first, second] = set.to_le_bytes();
            sums[0][usize::from(first)] + sums[1][usize::from(second)]
        };
        sum(&self.low, halves.low) * sum(&self.high, halves.high)
    }

    /// Returns the share of bytes that have one of both halves.
    fn of(&self, halves: Halves) -> f32 {
        let members = |set: u16| (0..HALVES).filter(move |half| set >> half & 1 != 0);
        members(halves.high).flat_map(|high| members(halves.low).map(move |low| self.exact[high][low])).sum()
    }
}

/// Shares of bytes as they are, and of those of which letters are in lower case.
static SHARES: LazyLock<[Shares; 2]> = LazyLock::new(|| [Shares::new(0), Shares::new(0x20)]);

/// Deals fingerprints out to buckets: those two come together that let the fewest places more through, again and again.
fn deal_out(distinct: &[[u8; WIDTH_MAX]], width: usize, shares: &Shares) -> Vec<Bucket> {
    let mut buckets: Vec<Bucket> = distinct
        .iter()
        .map(|bytes| {
            let halves = bytes.map(|byte| Halves { low: 1 << (byte & 15), high: 1 << (byte >> 4) });
            Bucket::new(halves, width, shares)
        })
        .collect();
    // For each bucket the one before it that it is best put together with, and what that costs.
    let nearest = |buckets: &[Bucket], of: usize| {
        let cost = |other: usize| {
            let (one, two) = (&buckets[of], &buckets[other]);
            one.with(two, width, shares).rate - one.rate - two.rate
        };
        (0..of).map(|other| (cost(other), other)).min_by(|one, two| one.0.total_cmp(&two.0))
    };
    let mut best: Vec<Option<(f32, usize)>> = (0..buckets.len()).map(|of| nearest(&buckets, of)).collect();
    while buckets.len() > BUCKETS {
        let pairs =
            best.iter().enumerate().filter_map(|(of, best)| best.map(|(cost, with)| (cost, of, with)));
        let Some((_, of, with)) = pairs.min_by(|one, two| one.0.total_cmp(&two.0)) else { break };
        buckets[with] = buckets[with].with(&buckets[of], width, shares);
        let last = buckets.len() - 1;
        buckets.swap_remove(of);
        best.swap_remove(of);
        for bucket in 0..buckets.len() {
            let is_stale = bucket == with
                || bucket == of
                || best[bucket].is_some_and(|(_, other)| other == of || other == with || other == last);
            if is_stale {
                best[bucket] = nearest(&buckets, bucket);
            } else if with < bucket {
                let cost = buckets[bucket].with(&buckets[with], width, shares).rate
                    - buckets[bucket].rate
                    - buckets[with].rate;
                if best[bucket].is_none_or(|(least, _)| cost < least) {
                    best[bucket] = Some((cost, with));
                }
            }
        }
    }
    buckets
}

impl Sieve {
    /// A sieve that lets these fingerprints through.
    pub(super) fn new(width: usize, fold: u32, fingerprints: impl Iterator<Item = u32>) -> Self {
        let mut distinct: Vec<[u8; WIDTH_MAX]> = fingerprints.map(u32::to_le_bytes).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let mut tables = [([0; HALVES], [0; HALVES]); WIDTH_MAX];
        let mut wide = Box::new([([0; SIXES], [0; SIXES]); WIDTH_MAX]);
        let shares = &SHARES[usize::from(fold != 0)];
        let mut rate = 0.0;
        let buckets = deal_out(&distinct, width, shares);
        for fingerprint in &distinct {
            let Some(bucket) = buckets.iter().position(|bucket| bucket.holds(fingerprint, width)) else {
                continue;
            };
            for ((low, high), byte) in wide.iter_mut().zip(fingerprint) {
                // Each byte of a text that is this one once `fold` is laid over it.
                for byte in [*byte, *byte & !(fold as u8)] {
                    low[usize::from(byte & 63)] |= 1 << bucket;
                    high[usize::from(byte >> 2)] |= 1 << bucket;
                }
            }
        }
        for (bucket, members) in buckets.into_iter().enumerate() {
            let shares = members.halves.iter().take(width).map(|halves| shares.of(*halves));
            rate += f64::from(shares.product::<f32>());
            for ((low, high), halves) in tables.iter_mut().zip(&members.halves) {
                for half in 0..HALVES {
                    low[half] |= u8::from(halves.low >> half & 1 != 0) << bucket;
                    // Of bytes as they are in the text.
                    let folded = half | (fold as u8 >> 4) as usize;
                    high[half] |= u8::from(halves.high >> folded & 1 != 0) << bucket;
                }
            }
        }
        Self { tables, wide, width, fold, rate }
    }

    /// Returns the share of places that it lets through, in traffic as far as that is known: half of it text, half of
    /// it any bytes.
    pub(super) fn rate(&self) -> f64 {
        self.rate
    }

    /// Calls `on_place` with places that have a fingerprint, and with some that have none, each with the fingerprint
    /// there; false where the processor lacks the instructions, and nothing was done.
    #[inline]
    pub(super) fn scan(&self, haystack: &[u8], on_place: &mut impl FnMut(usize, u32)) -> bool {
        #[cfg(target_arch = "x86_64")]
        if let Some(instructions) = Instructions::best() {
            // SAFETY: the processor has the instructions.
            unsafe { self.scan_by(instructions, haystack, on_place) };
            return true;
        }
        let _ = (haystack, on_place);
        false
    }

    /// # Safety
    ///
    /// The processor has the instructions.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    unsafe fn scan_by(
        &self,
        instructions: Instructions,
        haystack: &[u8],
        on_place: &mut impl FnMut(usize, u32),
    ) {
        // SAFETY: by the caller's promise.
        unsafe {
            match (instructions, self.width) {
                (Instructions::Avx512, 4) => self.scan_avx512::<4>(haystack, on_place),
                (Instructions::Avx512, 3) => self.scan_avx512::<3>(haystack, on_place),
                (Instructions::Avx512, 2) => self.scan_avx512::<2>(haystack, on_place),
                (Instructions::Avx512, _) => self.scan_avx512::<1>(haystack, on_place),
                (Instructions::Avx2, 4) => self.scan_avx2::<4>(haystack, on_place),
                (Instructions::Avx2, 3) => self.scan_avx2::<3>(haystack, on_place),
                (Instructions::Avx2, 2) => self.scan_avx2::<2>(haystack, on_place),
                (Instructions::Avx2, _) => self.scan_avx2::<1>(haystack, on_place),
            }
        }
    }

    /// # Safety
    ///
    /// The processor has AVX-512 with the instructions for bytes (BW, VBMI).
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn scan_avx512<const WIDTH: usize>(&self, haystack: &[u8], on_place: &mut impl FnMut(usize, u32)) {
        use std::arch::x86_64::*;

        // SAFETY: each table has 64 bytes.
        let load = |table: &[u8; SIXES]| unsafe { _mm512_loadu_si512(table.as_ptr().cast()) };
        let mut tables = [(_mm512_setzero_si512(), _mm512_setzero_si512()); WIDTH];
        for (loaded, (low, high)) in tables.iter_mut().zip(&*self.wide) {
            *loaded = (load(low), load(high));
        }
        let sift = |texts: [__m512i; WIDTH]| {
            let mut buckets = _mm512_set1_epi8(-1);
            for (&(low, high), text) in tables.iter().zip(texts) {
                // Six bits of each byte count: the lower ones as they are, the upper ones where the lower ones were.
                let low = _mm512_permutexvar_epi8(text, low);
                let high = _mm512_permutexvar_epi8(_mm512_srli_epi16::<2>(text), high);
                buckets = _mm512_ternarylogic_epi64::<0x80>(buckets, low, high);
            }
            _mm512_test_epi8_mask(buckets, buckets)
        };
        let mut hand_on = |from: usize, mut passed: u64| {
            while passed != 0 {
                let at = from + passed.trailing_zeros() as usize;
                passed &= passed - 1;
                on_place(at, fingerprint(&haystack[at..], WIDTH, self.fold));
            }
        };
        let Some(places) = (haystack.len() + 1).checked_sub(WIDTH) else { return };
        let mut place = 0;
        while place + WIDE_BLOCK <= places {
            let texts = std::array::from_fn(|offset| {
                // SAFETY: the fingerprints at a block of places are within the haystack.
                unsafe { _mm512_loadu_si512(haystack.as_ptr().add(place + offset).cast()) }
            });
            hand_on(place, sift(texts));
            place += WIDE_BLOCK;
        }
        if place < places {
            let rest = u64::MAX >> (WIDE_BLOCK - (places - place));
            let texts = std::array::from_fn(|offset| {
                // SAFETY: as above, since no byte beyond the fingerprints of the places that are left is read.
                unsafe { _mm512_maskz_loadu_epi8(rest, haystack.as_ptr().add(place + offset).cast()) }
            });
            hand_on(place, sift(texts) & rest);
        }
    }

    /// # Safety
    ///
    /// The processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn scan_avx2<const WIDTH: usize>(&self, haystack: &[u8], on_place: &mut impl FnMut(usize, u32)) {
        use std::arch::x86_64::*;

        // SAFETY: each table has 16 bytes.
        let load = |table: &[u8; HALVES]| unsafe {
            _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()))
        };
        let mut tables = [(_mm256_setzero_si256(), _mm256_setzero_si256()); WIDTH];
        for (loaded, (low, high)) in tables.iter_mut().zip(&self.tables) {
            *loaded = (load(low), load(high));
        }
        let half = _mm256_set1_epi8(15);
        let sift = |bytes: *const u8| {
            let mut buckets = _mm256_set1_epi8(-1);
            for (offset, &(low, high)) in tables.iter().enumerate() {
                // SAFETY: by those who call this, `BLOCK + WIDTH - 1` bytes can be read.
                let text = unsafe { _mm256_loadu_si256(bytes.add(offset).cast()) };
                let low = _mm256_shuffle_epi8(low, _mm256_and_si256(text, half));
                let high = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16::<4>(text), half));
                buckets = _mm256_and_si256(buckets, _mm256_and_si256(low, high));
            }
            !(_mm256_movemask_epi8(_mm256_cmpeq_epi8(buckets, _mm256_setzero_si256())) as u32)
        };
        let mut hand_on = |text: &[u8], from: usize, mut passed: u32| {
            while passed != 0 {
                let at = from + passed.trailing_zeros() as usize;
                passed &= passed - 1;
                on_place(at, fingerprint(&text[at..], WIDTH, self.fold));
            }
        };
        let Some(places) = (haystack.len() + 1).checked_sub(WIDTH) else { return };
        if places < BLOCK {
            let mut room = [0; BLOCK + WIDTH_MAX];
            room[..haystack.len()].copy_from_slice(haystack);
            // The room has a block and what a fingerprint reaches beyond it.
            let passed = sift(room.as_ptr());
            return hand_on(haystack, 0, passed & ((1 << places) - 1));
        }
        let mut place = 0;
        while place + BLOCK <= places {
            // SAFETY: the fingerprints at a block of places are within the haystack.
            let passed = sift(unsafe { haystack.as_ptr().add(place) });
            hand_on(haystack, place, passed);
            place += BLOCK;
        }
        if place < places {
            let last = places - BLOCK;
            // SAFETY: as above.
            let passed = sift(unsafe { haystack.as_ptr().add(last) });
            hand_on(haystack, last, passed & u32::MAX << (place - last));
        }
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "x86_64")]
    use super::super::lookup::tests::{available, haystack, some_fingerprints};
    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn no_fingerprint_is_held_back() {
        let haystack = haystack();
        for width in 1..=WIDTH_MAX {
            for fold in [0, 0x2020_2020] {
                let fingerprints = some_fingerprints(&haystack, width, fold);
                let sieve = Sieve::new(width, fold, fingerprints.iter().copied());
                let lengths = [0, 1, 2, 3, 4, 31, 32, 33, 35, 36, 37, 63, 64, 65, 67, 68, 69, 100, 999, 1000];
                for (length, instructions) in
                    lengths.into_iter().flat_map(|length| available().map(move |with| (length, with)))
                {
                    let mut passed = Vec::new();
                    // SAFETY: they are available.
                    unsafe {
                        sieve.scan_by(instructions, &haystack[..length], &mut |place, value| {
                            passed.push((place, value));
                        });
                    }
                    assert!(passed.is_sorted_by(|one, other| one.0 < other.0));
                    for (place, window) in haystack[..length].windows(width).enumerate() {
                        let value = fingerprint(window, width, fold);
                        let found = passed.binary_search_by_key(&place, |found| found.0);
                        assert!(
                            found.is_ok() || !fingerprints.contains(&value),
                            "{width} {fold} {length} {place}"
                        );
                        assert!(found.is_err() || passed[found.unwrap()].1 == value);
                    }
                    assert!(passed.iter().all(|(place, _)| place + width <= length));
                }
            }
        }
    }

    #[test]
    fn few_places_pass_where_fingerprints_are_alike() {
        let of = |texts: &[&[u8]], width| {
            Sieve::new(width, 0, texts.iter().map(|text| fingerprint(text, width, 0))).rate()
        };
        let alike =
            [b"x\x9c", b"x\x99", b"x\x95", b"y\x94", b"y\x9b", b"z\x99", b"{\x9e", b"{\x93"].map(|t| &t[..]);
        assert!(of(&alike, 2) < 0.001);
        assert!(of(&[b"a", b"e", b"t", b"o"], 1) > 0.02);
    }
}
