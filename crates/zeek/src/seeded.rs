//! Ids that follow from a file of seeds, as those who compare runs know them from Zeek: SipHash-2-4 (Aumasson and
//! Bernstein) of a counter, in base 62 from the last digit to the first. Only one worker can count.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::identifier::Id;

/// The key of the hash, which the last bytes of a file of seeds are.
pub type SeedKey = [u64; 2];

/// The pool that ids of connections are of.
const POOL: u64 = 1;

/// Bits of the first part of an id; the second has 64.
const FIRST_BITS: u32 = 32;

const DIGITS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Gives ids one after another.
#[derive(Debug)]
pub(crate) struct SeededIds {
    key: SeedKey,
    given: AtomicU64,
}

impl SeededIds {
    pub(crate) const fn new(key: SeedKey) -> Self {
        Self { key, given: AtomicU64::new(0) }
    }

    /// Returns the next id of a connection.
    pub(crate) fn next(&self) -> Id {
        let number = || hash(self.key, [POOL, self.given.fetch_add(1, Ordering::Relaxed) + 1]);
        let (first, second) = (number() >> (64 - FIRST_BITS), number());
        let mut text = vec![b'C'];
        digits(first, &mut text);
        digits(second, &mut text);
        Id::of_text(&text)
    }
}

/// Appends a number, its last digit first.
fn digits(mut number: u64, out: &mut Vec<u8>) {
    loop {
        out.push(DIGITS.get((number % 62) as usize).copied().unwrap_or(b'0'));
        number /= 62;
        if number == 0 {
            return;
        }
    }
}

/// The state of the hash.
struct State {
    a: u64,
    b: u64,
    c: u64,
    d: u64,
}

impl State {
    const fn new([low, high]: SeedKey) -> Self {
        Self {
            a: low ^ 0x736f_6d65_7073_6575,
            b: high ^ 0x646f_7261_6e64_6f6d,
            c: low ^ 0x6c79_6765_6e65_7261,
            d: high ^ 0x7465_6462_7974_6573,
        }
    }

    const fn round(&mut self) {
        self.a = self.a.wrapping_add(self.b);
        self.b = self.b.rotate_left(13) ^ self.a;
        self.a = self.a.rotate_left(32);
        self.c = self.c.wrapping_add(self.d);
        self.d = self.d.rotate_left(16) ^ self.c;
        self.a = self.a.wrapping_add(self.d);
        self.d = self.d.rotate_left(21) ^ self.a;
        self.c = self.c.wrapping_add(self.b);
        self.b = self.b.rotate_left(17) ^ self.c;
        self.c = self.c.rotate_left(32);
    }
}

/// SipHash-2-4 of two words.
fn hash(key: SeedKey, [first, second]: [u64; 2]) -> u64 {
    let mut state = State::new(key);
    // The last block is the length in bytes, as there is no rest.
    for block in [first, second, 16 << 56] {
        state.d ^= block;
        (0..2).for_each(|_| state.round());
        state.a ^= block;
    }
    state.c ^= 0xff;
    (0..4).for_each(|_| state.round());
    state.a ^ state.b ^ state.c ^ state.d
}

/// Returns the key in the text of a file of seeds: a number on each line, the first one for other things.
pub fn seed_key(text: &str) -> Option<SeedKey> {
    let numbers: Vec<u64> = text.split_ascii_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    // One number, and then twenty words of 32 bits, of which the last four are the key.
    let [.., a, b, c, d] = numbers.get(1..21)? else { return None };
    Some([a | b << 32, c | d << 32])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_its_authors() {
        // The vector of 16 bytes in the authors' test of SipHash-2-4.
        let word = |bytes: std::ops::Range<u8>| bytes.rev().fold(0, |word, byte| word << 8 | u64::from(byte));
        assert_eq!(hash([word(0..8), word(8..16)], [word(0..8), word(8..16)]), 0x3f2a_cc7f_57c2_9bdb);
    }

    #[test]
    fn ids_follow_from_the_key() {
        let text: String = (0..21).map(|number| format!("{number}\n")).collect();
        let key = seed_key(&text).unwrap();
        assert_eq!(key, [17 | 18 << 32, 19 | 20 << 32]);
        let (one, other) = (SeededIds::new(key), SeededIds::new(key));
        let (first, second) = (one.next(), one.next());
        assert_ne!(first, second);
        assert_eq!((other.next(), other.next()), (first, second));
        assert!(seed_key("1\n2").is_none() && seed_key("x").is_none());
    }
}
