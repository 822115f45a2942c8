//! Keys that can lie at one place only, known by their first bytes.

use super::lookup::{WIDTH_MAX, fingerprint};
use super::plan::Shape;
use super::{Entry, Pass, fold_of};
use crate::keys::Keys;

/// So many passes over so many keys are worth a table before them.
const MANY_PASSES: usize = 2;
const MANY_KEYS: usize = 32;

/// Bits of a word.
const WORD: usize = u64::BITS as usize;

/// Keys by the place where they begin and the bytes that they are known by.
#[derive(Debug)]
pub(crate) struct Prefixes {
    /// Keys at the very start, as nearly all are.
    first: Vec<Pass>,
    /// The first two bytes that these have: a bit for each pair, the second byte the lower part of its number. Most
    /// texts are done with a look at it. Empty where there is too little for that to pay.
    pairs: Box<[u64]>,
    others: Vec<Group>,
}

/// Keys that begin at one place.
#[derive(Debug)]
struct Group {
    start: usize,
    pass: Pass,
}

impl Prefixes {
    /// The keys, each of which lies where its window begins.
    pub(crate) fn build(keys: &Keys) -> Self {
        let fold = fold_of(keys);
        let mut members: Vec<((usize, usize), Entry)> = keys
            .iter()
            .map(|(index, key, bytes)| {
                let width = bytes.len().min(WIDTH_MAX);
                let entry = Entry::new(fingerprint(bytes, width, fold), index, 0, bytes, fold);
                ((key.window(usize::MAX).0, width), entry)
            })
            .collect();
        members.sort_by_key(|(place, _)| *place);
        let groups = members.chunk_by(|(one, _), (other, _)| one == other).filter_map(|group| {
            let (start, width) = group.first()?.0;
            let entries = group.iter().map(|(_, entry)| *entry).collect();
            Some(Group { start, pass: Pass::new(Shape { width, stride: 1 }, fold, entries) })
        });
        let (first, others): (Vec<Group>, Vec<Group>) = groups.partition(|group| group.start == 0);
        let pays = first.len() >= MANY_PASSES && keys.len() >= MANY_KEYS;
        let pairs = if pays { pairs(keys) } else { Box::default() };
        Self { first: first.into_iter().map(|group| group.pass).collect(), pairs, others }
    }

    /// Calls `on_key` with each key that lies in `bytes`, which begin at `offset` of what the windows count in.
    #[inline]
    pub(crate) fn find(&self, keys: &Keys, bytes: &[u8], offset: usize, mut on_key: impl FnMut(u32)) {
        if offset == 0 && self.has_pair(bytes) {
            for pass in &self.first {
                pass.look_up(keys, bytes, 0, &mut on_key);
            }
        }
        for Group { start, pass } in &self.others {
            let Some(place) = start.checked_sub(offset) else { continue };
            pass.look_up(keys, bytes, place, &mut on_key);
        }
    }

    /// Whether a key may begin as a text does.
    #[inline]
    fn has_pair(&self, text: &[u8]) -> bool {
        let Some(pair) = text.first_chunk() else { return !text.is_empty() };
        let pair = usize::from(u16::from_be_bytes(*pair));
        self.pairs.get(pair / WORD).is_none_or(|word| word >> (pair % WORD) & 1 != 0)
    }
}

/// The first two bytes of the keys at the start, as [`Prefixes::pairs`] has them.
fn pairs(keys: &Keys) -> Box<[u64]> {
    let mut pairs = vec![0; (1 << 16) / WORD].into_boxed_slice();
    for (_, key, bytes) in keys.iter().filter(|(_, key, _)| key.window(usize::MAX).0 == 0) {
        for one in forms(bytes.first(), key.nocase) {
            for two in forms(bytes.get(1), key.nocase) {
                let pair = usize::from(u16::from_be_bytes([one, two]));
                pairs[pair / WORD] |= 1 << (pair % WORD);
            }
        }
    }
    pairs
}

/// The bytes that a byte of a key stands for; all where the key has none there.
fn forms(byte: Option<&u8>, nocase: bool) -> Vec<u8> {
    match byte {
        Some(byte) if nocase && byte.is_ascii_alphabetic() => vec![*byte, byte ^ 0x20],
        Some(byte) => vec![*byte],
        None => (0..=u8::MAX).collect(),
    }
}
