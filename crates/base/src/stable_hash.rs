//! HighwayHash of 128 bits (Alakuijala, Cox and Wassenberg, 2016) with one key for all runs, and the ids of files that
//! follow from it, as those who compare logs know them from Zeek.

/// SHA-256 of `Please change this value.`, in words: Zeek's key as long as nobody sets another one.
const KEY: [u64; 4] =
    [0xce59_9c82_4a26_2fc4, 0x871c_c2aa_6fc5_cd3a, 0x1c3a_4173_8a26_3980, 0x20b4_9d1c_2126_9960];

const FIRST: [u64; 4] =
    [0xdbe6_d5d5_fe4c_ce2f, 0xa409_3822_299f_31d0, 0x1319_8a2e_0370_7344, 0x243f_6a88_85a3_08d3];
const SECOND: [u64; 4] =
    [0x3bd3_9e10_cb0e_f593, 0xc0ac_f169_b5f1_8a8c, 0xbe54_66cf_34e9_0c6c, 0x4528_21e6_38d0_1377];

/// Bytes that are taken at a time.
const BLOCK: usize = 32;

/// Rounds behind the last byte.
const LAST_ROUNDS: usize = 6;

struct State {
    value: [[u64; 4]; 2],
    product: [[u64; 4]; 2],
}

/// Spreads the bytes of two words over two sums.
const fn spread(high: u64, low: u64) -> [u64; 2] {
    let [a, b, c, d, e, f, g, h] = low.to_le_bytes();
    let [i, j, k, l, m, n, o, p] = high.to_le_bytes();
    [u64::from_le_bytes([d, m, c, f, o, b, p, a]), u64::from_le_bytes([l, e, k, n, j, g, i, h])]
}

impl State {
    fn new(key: [u64; 4]) -> Self {
        let mut state = Self { value: [FIRST, SECOND], product: [FIRST, SECOND] };
        let [first, second] = &mut state.value;
        for ((first, second), key) in first.iter_mut().zip(second).zip(key) {
            *first ^= key;
            *second ^= key.rotate_left(32);
        }
        state
    }

    fn update(&mut self, words: [u64; 4]) {
        let ([v0, v1], [m0, m1]) = (&mut self.value, &mut self.product);
        let lanes = v0.iter_mut().zip(v1.iter_mut()).zip(m0.iter_mut().zip(m1.iter_mut())).zip(words);
        for (((v0, v1), (m0, m1)), word) in lanes {
            *v1 = v1.wrapping_add(*m0).wrapping_add(word);
            *m0 ^= (*v1 & 0xffff_ffff).wrapping_mul(*v0 >> 32);
            *v0 = v0.wrapping_add(*m1);
            *m1 ^= (*v0 & 0xffff_ffff).wrapping_mul(*v1 >> 32);
        }
        add_spread(v0, *v1);
        add_spread(v1, *v0);
    }

    fn block(&mut self, block: &[u8; BLOCK]) {
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(block.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        self.update(words);
    }

    /// Takes what is left behind the last block.
    fn rest(&mut self, rest: &[u8]) {
        let length = rest.len() as u64;
        let [v0, v1] = &mut self.value;
        for (v0, v1) in v0.iter_mut().zip(v1) {
            *v0 = v0.wrapping_add(length << 32 | length);
            let turned = |half: u64| u64::from((half as u32).rotate_left(length as u32));
            *v1 = turned(*v1) | turned(*v1 >> 32) << 32;
        }
        let mut block = [0; BLOCK];
        let whole = rest.len() & !3;
        let odd = rest.get(whole..).unwrap_or_default();
        block.iter_mut().zip(rest.get(..whole).unwrap_or_default()).for_each(|(to, from)| *to = *from);
        if rest.len() & 16 != 0 {
            let last = rest.get(rest.len() - 4..).unwrap_or_default();
            block.iter_mut().skip(BLOCK - 4).zip(last).for_each(|(to, from)| *to = *from);
        } else if let (Some(first), Some(middle), Some(last)) =
            (odd.first(), odd.get(odd.len() / 2), odd.last())
        {
            block.iter_mut().skip(16).zip([first, middle, last]).for_each(|(to, from)| *to = *from);
        }
        self.block(&block);
    }

    fn finish(mut self) -> [u64; 2] {
        for _ in 0..LAST_ROUNDS {
            let [[a, b, c, d], _] = self.value;
            self.update([c, d, a, b].map(|word| word.rotate_left(32)));
        }
        let ([[a, b, ..], [_, _, c, d]], [[e, f, ..], [_, _, g, h]]) = (self.value, self.product);
        [[a, e, c, g], [b, f, d, h]].map(|words| words.into_iter().fold(0, u64::wrapping_add))
    }
}

fn add_spread(sums: &mut [u64; 4], [a, b, c, d]: [u64; 4]) {
    let ([low, high], [third, fourth]) = (spread(b, a), spread(d, c));
    sums.iter_mut().zip([low, high, third, fourth]).for_each(|(sum, more)| *sum = sum.wrapping_add(more));
}

/// Returns the hash of bytes with a key.
pub fn hash(key: [u64; 4], bytes: &[u8]) -> [u64; 2] {
    let mut state = State::new(key);
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    blocks.iter().for_each(|block| state.block(block));
    if !rest.is_empty() {
        state.rest(rest);
    }
    state.finish()
}

const DIGITS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Appends a number in base 62, its last digit first.
pub fn digits(mut number: u64, out: &mut String) {
    loop {
        out.push(DIGITS.get((number % 62) as usize).map_or('0', |digit| char::from(*digit)));
        number /= 62;
        if number == 0 {
            return;
        }
    }
}

/// Returns the id of the file that a handle tells from others.
pub fn file_id(handle: &[u8]) -> String {
    let [first, second] = hash(KEY, handle);
    let mut id = String::from("F");
    digits(first >> 32, &mut id);
    digits(second, &mut id);
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_zeek() {
        let cases: [(&str, &str); 2] = [
            ("../input.log", "F0jzofqi9tYZw8TTd"),
            (
                "Analyzer::ANALYZER_HTTP1362692526.869344F11141.142.228.5:59856 > 192.150.187.43:80",
                "FMnxxt3xjVcWNS2141",
            ),
        ];
        for (handle, id) in cases {
            assert_eq!(file_id(handle.as_bytes()), id);
        }
    }

    #[test]
    fn every_length_has_a_hash_of_its_own() {
        let bytes = [b'a'; 100];
        let hashes: std::collections::HashSet<[u64; 2]> =
            (0..=bytes.len()).map(|length| hash(KEY, bytes.get(..length).unwrap_or_default())).collect();
        assert_eq!(hashes.len(), bytes.len() + 1);
    }
}
