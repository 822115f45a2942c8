//! The bitmap of fingerprint hashes, and the loops that look a haystack up in it.
//!
//! It is a Bloom filter of two bits, both in one word, so that a lookup reads memory once.

#[cfg(target_arch = "x86_64")]
use std::mem::MaybeUninit;

/// The longest fingerprint.
pub(super) const WIDTH_MAX: usize = 4;
/// Places looked up before their hits are handled.
const BLOCK: usize = 8;
/// Bits of bitmap for each fingerprint, and the bounds of the bitmap's size, as powers of two.
const BITS_PER_FINGERPRINT: usize = 32;
const BITS_MIN: u32 = 12;
const BITS_MAX: u32 = 20;
/// Hits gathered before they are handed on, so that the lookups are not interrupted by each.
const HITS: usize = 64;
/// Places looked up together where the processor has vectors of this size.
#[cfg(target_arch = "x86_64")]
const WIDE_BLOCK: usize = 16;
/// Knuth's multiplicative hash.
const MULTIPLIER: u32 = 0x9e37_79b1;
/// Where in the product the numbers of the two bits lie, below the bits that choose the word.
const FIRST_BIT: u32 = 12;
const SECOND_BIT: u32 = 7;

/// Instructions for vectors.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instructions {
    Avx2,
    Avx512,
}

#[cfg(target_arch = "x86_64")]
impl Instructions {
    /// The best that the processor has. Of those with vectors of 64 bytes only the ones that look up six bits: earlier
    /// ones run slower while they use such vectors.
    pub(super) fn best() -> Option<Self> {
        if is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("bmi2")
        {
            Some(Self::Avx512)
        } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
            Some(Self::Avx2)
        } else {
            None
        }
    }
}

/// A set of fingerprint hashes, and how fingerprints are taken from bytes.
#[derive(Debug)]
pub(super) struct Bitmap {
    words: Box<[u32]>,
    /// The hash bits that are dropped; the others number the bits in `words`.
    shift: u32,
    width: usize,
    fold: u32,
}

/// The fingerprint of the first `width` bytes, as a little-endian number; bytes that are missing are zero.
#[inline(always)]
pub(super) fn fingerprint(bytes: &[u8], width: usize, fold: u32) -> u32 {
    let four = match bytes.first_chunk() {
        Some(&four) => four,
        None => {
            let mut four = [0; WIDTH_MAX];
            four[..bytes.len()].copy_from_slice(bytes);
            four
        }
    };
    (u32::from_le_bytes(four) | fold) & mask(width)
}

/// The bits of a fingerprint of `width` bytes.
const fn mask(width: usize) -> u32 {
    u32::MAX >> (8 * (WIDTH_MAX - width))
}

/// The two bits of a fingerprint in its word: their numbers are bits of the product that do not choose the
/// word.
#[inline(always)]
fn bits_of(fingerprint: u32) -> u32 {
    let product = fingerprint.wrapping_mul(MULTIPLIER);
    1 << (product >> FIRST_BIT & 31) | 1 << (product >> SECOND_BIT & 31)
}

impl Bitmap {
    pub(super) fn new(width: usize, fold: u32, fingerprints: impl ExactSizeIterator<Item = u32>) -> Self {
        let bits = (fingerprints.len() * BITS_PER_FINGERPRINT).next_power_of_two().ilog2();
        let bits = bits.clamp(BITS_MIN, BITS_MAX);
        let words = vec![0; 1 << (bits - 5)].into_boxed_slice();
        let mut bitmap = Self { words, shift: 32 - bits, width, fold };
        for fingerprint in fingerprints {
            bitmap.words[bitmap.word_of(fingerprint)] |= bits_of(fingerprint);
        }
        bitmap
    }

    /// The number of bits, as a power of two.
    pub(super) fn bits(&self) -> u32 {
        32 - self.shift
    }

    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.words)
    }

    /// A number below two to the power of [`Self::bits`].
    #[inline(always)]
    pub(super) fn hash(&self, fingerprint: u32) -> usize {
        (fingerprint.wrapping_mul(MULTIPLIER) >> self.shift) as usize
    }

    #[inline(always)]
    fn word_of(&self, fingerprint: u32) -> usize {
        self.hash(fingerprint) / 32
    }

    #[inline(always)]
    pub(super) fn has(&self, fingerprint: u32) -> bool {
        !self.words[self.word_of(fingerprint)] & bits_of(fingerprint) == 0
    }

    /// Calls `on_hit` with those places at multiples of `stride`, and the fingerprints there, whose bits are
    /// set.
    #[inline]
    pub(super) fn scan(&self, stride: usize, haystack: &[u8], on_hit: impl FnMut(usize, u32)) {
        #[cfg(target_arch = "x86_64")]
        if let Some(instructions) = Instructions::best() {
            // SAFETY: the processor has the instructions.
            return unsafe { self.scan_by(instructions, stride, haystack, on_hit) };
        }
        self.scan_from(0, stride, haystack, on_hit);
    }

    /// # Safety
    ///
    /// The processor has the instructions.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    unsafe fn scan_by(
        &self,
        instructions: Instructions,
        stride: usize,
        haystack: &[u8],
        mut on_hit: impl FnMut(usize, u32),
    ) {
        let is_wide = instructions == Instructions::Avx512 && u32::try_from(haystack.len()).is_ok();
        // SAFETY: by the caller's promise; those that have AVX-512 have AVX2.
        let rest = unsafe {
            match (is_wide, stride) {
                (true, 4) => return self.scan_avx512::<4>(haystack, &mut on_hit),
                (true, 2) => return self.scan_avx512::<2>(haystack, &mut on_hit),
                (true, _) => return self.scan_avx512::<1>(haystack, &mut on_hit),
                (false, 4) => self.scan_avx2::<4>(haystack, &mut on_hit),
                (false, 2) => self.scan_avx2::<2>(haystack, &mut on_hit),
                (false, _) => self.scan_avx2::<1>(haystack, &mut on_hit),
            }
        };
        self.scan_from(rest, stride, haystack, on_hit);
    }

    /// Looks up one place after another, from `place` on.
    #[inline(always)]
    fn scan_from(
        &self,
        mut place: usize,
        stride: usize,
        haystack: &[u8],
        mut on_hit: impl FnMut(usize, u32),
    ) {
        while let Some(bytes) = haystack.get(place..).filter(|bytes| bytes.len() >= self.width) {
            let fingerprint = fingerprint(bytes, self.width, self.fold);
            if self.has(fingerprint) {
                on_hit(place, fingerprint);
            }
            place += stride;
        }
    }

    /// Looks up sixteen places at a time, up to the end.
    ///
    /// # Safety
    ///
    /// The processor has AVX-512 with the instructions for bytes (BW, VBMI).
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,bmi2,popcnt")]
    unsafe fn scan_avx512<const STRIDE: usize>(&self, haystack: &[u8], on_hit: &mut impl FnMut(usize, u32)) {
        use std::arch::x86_64::*;

        // The bytes of the windows, and the places of these.
        let windows: [u8; 4 * WIDE_BLOCK] = std::array::from_fn(|byte| (byte / 4 * STRIDE + byte % 4) as u8);
        let places: [u32; WIDE_BLOCK] = std::array::from_fn(|window| (window * STRIDE) as u32);
        // SAFETY: both have 64 bytes.
        let (windows, places) = unsafe {
            (_mm512_loadu_si512(windows.as_ptr().cast()), _mm512_loadu_si512(places.as_ptr().cast()))
        };
        let fold = _mm512_set1_epi32(self.fold as i32);
        let mask = _mm512_set1_epi32(mask(self.width) as i32);
        let multiplier = _mm512_set1_epi32(MULTIPLIER as i32);
        let word_shift = _mm_cvtsi32_si128(self.shift as i32 + 5);
        let words = self.words.as_ptr().cast::<i32>();
        let mut hits = [[0_u32; HITS + WIDE_BLOCK]; 2];
        let mut hit_count = 0;
        let mut place = 0;
        while let Some(rest) = (haystack.len() - place).checked_sub(self.width) {
            // SAFETY: no more is read than there is.
            let bytes = unsafe {
                let bytes = haystack.as_ptr().add(place).cast();
                match haystack.len() - place {
                    length @ 0..64 => _mm512_maskz_loadu_epi8((1 << length) - 1, bytes),
                    _ => _mm512_loadu_si512(bytes.cast()),
                }
            };
            let bytes = if STRIDE == 4 { bytes } else { _mm512_permutexvar_epi8(windows, bytes) };
            let fingerprints = _mm512_and_si512(_mm512_or_si512(bytes, fold), mask);
            let product = _mm512_mullo_epi32(fingerprints, multiplier);
            // SAFETY: by the definition of `shift` the index is below the number of words.
            let word = unsafe { _mm512_i32gather_epi32::<4>(_mm512_srl_epi32(product, word_shift), words) };
            // Five bits of each number count.
            let first = _mm512_rorv_epi32(word, _mm512_srli_epi32::<FIRST_BIT>(product));
            let second = _mm512_rorv_epi32(word, _mm512_srli_epi32::<SECOND_BIT>(product));
            let both = _mm512_and_si512(first, second);
            let mut lanes = _mm512_test_epi32_mask(both, _mm512_set1_epi32(1));
            lanes &= (u64::MAX >> (63 - (rest / STRIDE).min(63))) as u16;
            if lanes != 0 {
                let at = _mm512_add_epi32(places, _mm512_set1_epi32(place as i32));
                for (hits, values) in hits.iter_mut().zip([at, fingerprints]) {
                    let values = _mm512_maskz_compress_epi32(lanes, values);
                    // SAFETY: there is room for a block behind the hits that were not handed on.
                    unsafe { _mm512_storeu_si512(hits.as_mut_ptr().add(hit_count).cast(), values) };
                }
                hit_count += lanes.count_ones() as usize;
                if hit_count >= HITS {
                    hand_on_both(&hits, hit_count, on_hit);
                    hit_count = 0;
                }
            }
            place += WIDE_BLOCK * STRIDE;
            if place > haystack.len() {
                break;
            }
        }
        hand_on_both(&hits, hit_count, on_hit);
    }

    /// Looks up eight places at a time while there are as many bytes as are read, and returns the place to go
    /// on from.
    ///
    /// # Safety
    ///
    /// The processor has AVX2 and BMI2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi2")]
    unsafe fn scan_avx2<const STRIDE: usize>(
        &self,
        haystack: &[u8],
        on_hit: &mut impl FnMut(usize, u32),
    ) -> usize {
        use std::arch::x86_64::*;

        let fold = _mm256_set1_epi32(self.fold as i32);
        let mask = _mm256_set1_epi32(mask(self.width) as i32);
        let multiplier = _mm256_set1_epi32(MULTIPLIER as i32);
        let word_shift = _mm_cvtsi32_si128(self.shift as i32 + 5);
        let low_five = _mm256_set1_epi32(31);
        let words = self.words.as_ptr().cast::<i32>();
        let mut hits = [const { MaybeUninit::<(usize, u32)>::uninit() }; HITS];
        let mut hit_count = 0;
        let mut place = 0;
        while place + window_bytes(STRIDE) <= haystack.len() {
            // SAFETY: as many bytes from `place` as are read are within the haystack.
            let bytes = unsafe { eight_windows::<STRIDE>(haystack.as_ptr().add(place)) };
            let fingerprints = _mm256_and_si256(_mm256_or_si256(bytes, fold), mask);
            let product = _mm256_mullo_epi32(fingerprints, multiplier);
            // SAFETY: by the definition of `shift` the index is below the number of words.
            let word = unsafe { _mm256_i32gather_epi32::<4>(words, _mm256_srl_epi32(product, word_shift)) };
            let first = _mm256_and_si256(_mm256_srli_epi32::<{ FIRST_BIT as i32 }>(product), low_five);
            let second = _mm256_and_si256(_mm256_srli_epi32::<{ SECOND_BIT as i32 }>(product), low_five);
            let both = _mm256_and_si256(_mm256_srlv_epi32(word, first), _mm256_srlv_epi32(word, second));
            let set = _mm256_castsi256_ps(_mm256_slli_epi32::<31>(both));
            let mut lanes = _mm256_movemask_ps(set) as u32;
            if lanes != 0 {
                let mut values = [0u32; BLOCK];
                // SAFETY: `values` has room for 32 bytes.
                unsafe { _mm256_storeu_si256(values.as_mut_ptr().cast(), fingerprints) };
                while lanes != 0 {
                    let index = lanes.trailing_zeros() as usize;
                    lanes &= lanes - 1;
                    hits[hit_count].write((place + index * STRIDE, values[index]));
                    hit_count += 1;
                }
                if hit_count > HITS - BLOCK {
                    // SAFETY: so many were written since the count was last zero.
                    unsafe { hand_on(&hits[..hit_count], on_hit) };
                    hit_count = 0;
                }
            }
            place += BLOCK * STRIDE;
        }
        // SAFETY: as above.
        unsafe { hand_on(&hits[..hit_count], on_hit) };
        place
    }
}

/// Calls `on_hit` with the first of the places and fingerprints.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn hand_on_both(
    [places, fingerprints]: &[[u32; HITS + WIDE_BLOCK]; 2],
    count: usize,
    on_hit: &mut impl FnMut(usize, u32),
) {
    for (place, fingerprint) in places.iter().zip(fingerprints).take(count) {
        on_hit(*place as usize, *fingerprint);
    }
}

/// Calls `on_hit` with each of `hits`.
///
/// # Safety
///
/// All of them are initialised.
#[cfg(target_arch = "x86_64")]
unsafe fn hand_on(hits: &[MaybeUninit<(usize, u32)>], on_hit: &mut impl FnMut(usize, u32)) {
    for hit in hits {
        // SAFETY: by the caller's promise.
        let (place, fingerprint) = unsafe { hit.assume_init() };
        on_hit(place, fingerprint);
    }
}

/// The bytes that [`eight_windows`] reads.
#[cfg(target_arch = "x86_64")]
const fn window_bytes(stride: usize) -> usize {
    match stride {
        4 => 32,
        2 => 24,
        _ => 20,
    }
}

/// The four bytes at each of eight places that are `STRIDE` bytes apart.
///
/// # Safety
///
/// The processor has AVX2, and [`window_bytes`] bytes can be read.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn eight_windows<const STRIDE: usize>(bytes: *const u8) -> std::arch::x86_64::__m256i {
    use std::arch::x86_64::*;

    // SAFETY: the reads end 32, 24 and 20 bytes from `bytes`, which is what `window_bytes` says.
    unsafe {
        let halves = |second: usize| {
            let low = _mm_loadu_si128(bytes.cast());
            let high = _mm_loadu_si128(bytes.add(second).cast());
            _mm256_set_m128i(high, low)
        };
        match STRIDE {
            4 => _mm256_loadu_si256(bytes.cast()),
            2 => {
                let order = _mm_setr_epi8(0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7, 8, 9);
                _mm256_shuffle_epi8(halves(8), _mm256_broadcastsi128_si256(order))
            }
            _ => {
                let order = _mm_setr_epi8(0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6);
                _mm256_shuffle_epi8(halves(4), _mm256_broadcastsi128_si256(order))
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A text of many bytes, in no order.
    pub(in super::super) fn haystack() -> Vec<u8> {
        (0..1000u32).map(|index| (index * index / 7 % 251) as u8).collect()
    }

    /// Instructions that this processor has.
    #[cfg(target_arch = "x86_64")]
    pub(in super::super) fn available() -> impl Iterator<Item = Instructions> {
        let best = Instructions::best();
        [Instructions::Avx2, Instructions::Avx512]
            .into_iter()
            .filter(move |instructions| best == Some(*instructions) || best == Some(Instructions::Avx512))
    }

    /// The fingerprints at each 31st place of a text.
    pub(in super::super) fn some_fingerprints(text: &[u8], width: usize, fold: u32) -> Vec<u32> {
        text.windows(width).step_by(31).map(|window| fingerprint(window, width, fold)).collect()
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn vectors_hit_the_places_that_single_lookups_hit() {
        let haystack = haystack();
        for (width, stride) in [(4, 4), (4, 2), (4, 1), (3, 2), (3, 1), (2, 1), (1, 1)] {
            for fold in [0, 0x2020_2020] {
                let fingerprints = some_fingerprints(&haystack, width, fold);
                let bitmap = Bitmap::new(width, fold, fingerprints.iter().copied());
                for length in [0, 1, 3, 4, 19, 20, 31, 32, 33, 63, 64, 65, 67, 68, 100, 999, 1000] {
                    let mut single = Vec::new();
                    bitmap.scan_from(0, stride, &haystack[..length], |place, value| {
                        single.push((place, value));
                    });
                    for instructions in available() {
                        let mut vectors = Vec::new();
                        let on_hit = |place, value| vectors.push((place, value));
                        // SAFETY: they are available.
                        unsafe { bitmap.scan_by(instructions, stride, &haystack[..length], on_hit) };
                        assert_eq!(vectors, single, "{instructions:?}: {width}, {stride}, {length}");
                    }
                    let places = (0..(length + 1).saturating_sub(width)).step_by(stride);
                    let wanted = places.filter(|place| place % 31 == 0).count();
                    assert!(single.len() >= wanted);
                }
            }
        }
    }
}
