//! Texts without the middle of their runs: where one byte is repeated for long, as in padding and empty disk blocks,
//! each place has the same literals, and a matcher that reports them at each place takes ten times as long as over words.

/// Bytes between two places that are looked at: a run is found by the first of these that lies in it.
const STRIDE: usize = 128;

/// Bytes at such a place that are alike in a run.
const PROBE: usize = 32;

/// Pieces of a text that together have every literal of the text, if none is longer than `longest`.
///
/// A literal that reaches into the middle of a run, farther than its own length from both ends, lies within the run, and so
/// occurs at its start, too. Pieces overlap nowhere. Takes time in proportion to the text.
pub(crate) struct Pieces<'t> {
    text: &'t [u8],
    longest: usize,
    /// First byte of the next piece.
    start: usize,
}

impl<'t> Pieces<'t> {
    /// The pieces of `text`, one at least.
    pub(crate) fn of(text: &'t [u8], longest: usize) -> Self {
        Self { text, longest, start: 0 }
    }

    /// The next run from `from` on of whose middle something can be left out.
    fn next_run(&self, from: usize) -> Option<std::ops::Range<usize>> {
        let least = 2 * self.longest + STRIDE;
        let mut at = from;
        while at + PROBE <= self.text.len() && self.text.len() - from >= least {
            let probe = &self.text[at..at + PROBE];
            let byte = probe[0];
            if byte != probe[PROBE - 1] || byte != probe[PROBE / 2] || !is_run(probe, byte) {
                at += STRIDE;
                continue;
            }
            let before = self.text[from..at].iter().rev().take_while(|other| **other == byte).count();
            let end = at + PROBE + run_length(&self.text[at + PROBE..], byte);
            if end - (at - before) >= least {
                return Some(at - before..end);
            }
            at = end;
        }
        None
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        if self.start > 0 && self.start >= self.text.len() {
            return None;
        }
        let start = self.start;
        match self.next_run(start) {
            Some(run) => {
                self.start = run.end - self.longest;
                Some(&self.text[start..run.start + self.longest])
            }
            None => {
                self.start = self.text.len().max(1);
                Some(&self.text[start..])
            }
        }
    }
}

/// Whether a text is one byte over and over.
fn is_run(text: &[u8], byte: u8) -> bool {
    text.iter().fold(0, |differing, other| differing | (other ^ byte)) == 0
}

/// The number of bytes at the start of a text that are this one.
fn run_length(text: &[u8], byte: u8) -> usize {
    let whole = text.chunks_exact(PROBE).take_while(|chunk| is_run(chunk, byte)).count() * PROBE;
    whole + text[whole..].iter().take_while(|other| **other == byte).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &[u8], longest: usize) -> Vec<(usize, usize)> {
        let offset = |piece: &[u8]| piece.as_ptr().addr() - text.as_ptr().addr();
        Pieces::of(text, longest).map(|piece| (offset(piece), offset(piece) + piece.len())).collect()
    }

    #[test]
    fn the_middle_of_runs_is_left_out() {
        let run = |length: usize| vec![0; length];
        let words: Vec<u8> = (1..=250).cycle().take(300).collect();
        for (text, longest, expected) in [
            (vec![], 4, vec![(0, 0)]),
            (run(100), 4, vec![(0, 100)]),
            (run(135), 4, vec![(0, 135)]),
            (run(136), 4, vec![(0, 4), (132, 136)]),
            (run(10_000), 20, vec![(0, 20), (9_980, 10_000)]),
            (words.clone(), 4, vec![(0, 300)]),
            ([words.clone(), run(1000), words.clone()].concat(), 10, vec![(0, 310), (1290, 1600)]),
            ([run(500), vec![1], run(500)].concat(), 10, vec![(0, 10), (490, 511), (991, 1001)]),
            ([run(500), vec![1; 500]].concat(), 10, vec![(0, 10), (490, 510), (990, 1000)]),
            // Too short to leave something out, and a run behind it.
            ([vec![1; 140], run(300)].concat(), 20, vec![(0, 160), (420, 440)]),
        ] {
            assert_eq!(pieces(&text, longest), expected, "{} bytes, {longest}", text.len());
        }
    }

    #[test]
    fn each_literal_of_a_text_is_in_a_piece() {
        // Runs of three bytes with lengths around those at which something changes.
        let mut state = 1_u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        for _ in 0..200 {
            let mut text = Vec::new();
            while text.len() < 1500 {
                let length = [next(5), 60 + next(10), 128 + next(40), 400][next(4) as usize];
                text.extend(std::iter::repeat_n(next(3) as u8, length as usize));
            }
            for longest in [1, 2, 5, 17, 90] {
                let kept: std::collections::HashSet<&[u8]> =
                    Pieces::of(&text, longest).flat_map(|piece| piece.windows(longest)).collect();
                for literal in text.windows(longest) {
                    assert!(kept.contains(literal), "{longest}: {literal:?}");
                }
            }
        }
    }
}
