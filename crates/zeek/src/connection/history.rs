//! `history`: a letter for each kind of packet, capital for the originator's.

use smallvec::SmallVec;

/// Letters kept at most; a connection that goes on and on repeats itself.
const MAX_LETTERS: usize = 512;

/// Base of the counts at which a repeated letter is shown: 1, 10, 100, … times.
const SCALE: u32 = 10;

/// The letters so far.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    letters: SmallVec<[u8; 16]>,
    /// Letters that each side has shown, as bits by their place in the alphabet.
    seen: [u32; 2],
}

/// A letter that is shown ever more seldom.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Repeated {
    count: u32,
}

impl Repeated {
    /// Counts one more; whether so many are shown.
    const fn shows(&mut self) -> bool {
        self.count = self.count.saturating_add(1);
        let shown = self.count.ilog(SCALE);
        self.count == SCALE.pow(shown)
    }
}

impl History {
    /// The letters, as they are written.
    pub(super) fn letters(&self) -> &[u8] {
        &self.letters
    }

    /// Client and server changed places before anything was seen.
    pub(super) fn flipped(&mut self) {
        self.add(b'^', true);
    }

    /// Client and server have their first places again, with what they did.
    pub(super) fn unflipped(&mut self) {
        self.seen.reverse();
        self.letters.retain(|letter| *letter != b'^');
        self.letters.iter_mut().for_each(|letter| *letter ^= 0x20);
    }

    /// Adds a letter (given as a capital).
    pub(super) fn add(&mut self, letter: u8, originator: bool) {
        if self.letters.len() < MAX_LETTERS {
            let shown = if originator { letter } else { letter.to_ascii_lowercase() };
            self.letters.push(shown);
        }
    }

    /// Adds a letter the first time a side shows it; whether it was the first time.
    #[inline]
    pub(super) fn first(&mut self, letter: u8, originator: bool) -> bool {
        let bit = 1 << (letter.wrapping_sub(b'A') & 31);
        let Some(seen) = self.seen.get_mut(usize::from(!originator)) else { return false };
        if *seen & bit != 0 {
            return false;
        }
        *seen |= bit;
        self.add(letter, originator);
        true
    }

    /// Counts a letter, and adds it at each power of ten.
    pub(super) fn repeated(&mut self, counter: &mut Repeated, letter: u8, originator: bool) {
        if counter.shows() {
            self.add(letter, originator);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters() {
        let mut history = History::default();
        let mut counter = Repeated::default();
        assert!(history.first(b'S', true));
        assert!(history.first(b'S', false));
        assert!(!history.first(b'S', true));
        for _ in 0..100 {
            history.repeated(&mut counter, b'T', false);
        }
        assert_eq!(history.letters(), b"Ssttt");
        history.flipped();
        history.unflipped();
        assert_eq!(history.letters(), b"sSTTT");
    }
}
