//! Numbers that follow from a file of seeds, as those who compare runs know them from Zeek: ids by SipHash-2-4 (Aumasson
//! and Bernstein) of a pool and a counter, in base 62 from the last digit to the first.

/// The key of the hash, which the last numbers of a file of seeds are.
pub type SeedKey = [u64; 2];

/// Bits of the first part of an id; the second has 64.
const FIRST_BITS: u32 = 32;

const DIGITS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Appends the digits of an id: that of a pool, whose hashes are those of two numbers.
pub fn append_id(key: SeedKey, pool: u64, numbers: [u64; 2], out: &mut Vec<u8>) {
    let [first, second] = numbers.map(|number| hash(key, [pool, number]));
    digits(first >> (64 - FIRST_BITS), out);
    digits(second, out);
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
    // The last block is the length in bytes, as there is no rest.
    hash_blocks(key, [first, second, 16 << 56].into_iter())
}

/// SipHash-2-4 of bytes.
pub fn hash_bytes(key: SeedKey, bytes: &[u8]) -> u64 {
    let word = |part: &[u8]| part.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let (whole, rest) = bytes.as_chunks::<8>();
    let last = (bytes.len() as u64 & 0xff) << 56 | word(rest);
    hash_blocks(key, whole.iter().map(|part| u64::from_le_bytes(*part)).chain([last]))
}

fn hash_blocks(key: SeedKey, blocks: impl Iterator<Item = u64>) -> u64 {
    let mut state = State::new(key);
    for block in blocks {
        state.d ^= block;
        (0..2).for_each(|_| state.round());
        state.a ^= block;
    }
    state.c ^= 0xff;
    (0..4).for_each(|_| state.round());
    state.a ^ state.b ^ state.c ^ state.d
}

/// The 21 numbers of a file of seeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seeds {
    /// The first number.
    pub number: u64,
    /// The others, of 32 bits.
    pub words: [u64; 20],
}

impl Seeds {
    /// Returns the key of hashes: the last four words.
    pub const fn key(&self) -> SeedKey {
        let [.., a, b, c, d] = self.words;
        [a | b << 32, c | d << 32]
    }

    /// Returns the words before those of the key, in bytes.
    pub fn mark(&self) -> [u8; 64] {
        let mut mark = [0; 64];
        for (part, word) in mark.chunks_exact_mut(4).zip(self.words) {
            part.copy_from_slice(&(word as u32).to_le_bytes());
        }
        mark
    }
}

/// Returns what the text of a file of seeds says: a number on each line.
pub fn seeds(text: &str) -> Option<Seeds> {
    let numbers: Vec<u64> = text.split_ascii_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let (number, words) = numbers.get(..21)?.split_first()?;
    Some(Seeds { number: *number, words: words.try_into().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_its_authors() {
        // The vector of 16 bytes in the authors' test of SipHash-2-4.
        let word = |bytes: std::ops::Range<u8>| bytes.rev().fold(0, |word, byte| word << 8 | u64::from(byte));
        let key = [word(0..8), word(8..16)];
        assert_eq!(hash(key, [word(0..8), word(8..16)]), 0x3f2a_cc7f_57c2_9bdb);
        let bytes: Vec<u8> = (0..16).collect();
        assert_eq!(hash_bytes(key, &bytes), 0x3f2a_cc7f_57c2_9bdb);
        // The vector of 15 bytes.
        assert_eq!(hash_bytes(key, &bytes[..15]), 0xa129_ca61_49be_45e5);
    }

    #[test]
    fn texts_of_seeds() {
        let text: String = (0..21).map(|number| format!("{number}\n")).collect();
        let found = seeds(&text).unwrap();
        assert_eq!((found.number, found.key()), (0, [17 | 18 << 32, 19 | 20 << 32]));
        assert_eq!(found.mark()[..8], [1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!((seeds("1\n2"), seeds("x")), (None, None));
    }
}
