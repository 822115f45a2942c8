//! Several patterns, matched over a stream that comes in pieces: each match begins at the stream's first byte, and any byte
//! may be a dot, as signatures have it.
//!
//! A state is the set of places in the patterns that the bytes so far lead to, so that it outlives the cache of transitions
//! between sets. Limits: [`MOST_SETS`] sets in the cache, which begins anew when it is full.

use std::collections::HashMap;
use std::rc::Rc;

use regex_automata::nfa::thompson::{NFA, State, WhichCaptures};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;

use super::thompson;

/// Most sets of places that the cache keeps.
const MOST_SETS: usize = 4096;

/// A transition that is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// Patterns for streams.
#[derive(Debug)]
pub struct StreamPatterns {
    nfa: NFA,
    sets: Vec<Cached>,
    numbers: HashMap<Rc<[StateID]>, u32>,
    /// How often the cache began anew.
    generation: u64,
    seen: Vec<bool>,
}

#[derive(Debug)]
struct Cached {
    places: Rc<[StateID]>,
    /// Patterns that match here.
    matches: Rc<[usize]>,
    /// The next set, for each class of bytes.
    next: Box<[u32]>,
}

/// How far a stream has come.
#[derive(Clone, Debug)]
pub struct StreamState {
    places: Rc<[StateID]>,
    number: u32,
    generation: u64,
}

impl StreamPatterns {
    /// Compiles expressions in the engine's syntax ([`super::translate`]).
    ///
    /// # Errors
    ///
    /// A sentence, where they are too large together.
    pub fn new(expressions: &[String]) -> Result<Self, String> {
        let nfa = NFA::compiler()
            .syntax(
                syntax::Config::new().unicode(false).utf8(false).nest_limit(200).dot_matches_new_line(true),
            )
            .configure(thompson().which_captures(WhichCaptures::None))
            .build_many(expressions)
            .map_err(|_| "the patterns are too large".to_owned())?;
        let seen = vec![false; nfa.states().len()];
        Ok(Self { nfa, sets: Vec::new(), numbers: HashMap::new(), generation: 0, seen })
    }

    /// Returns the state before the first byte. `found` takes the patterns that match already.
    pub fn begin(&mut self, found: &mut dyn FnMut(usize, usize)) -> StreamState {
        let mut places = Vec::new();
        self.follow(self.nfa.start_anchored(), true, false, &mut places);
        let (number, places) = self.intern(places);
        self.tell(number, 0, found);
        StreamState { places, number, generation: self.generation }
    }

    /// Goes on with bytes. `found` takes patterns that match, and the number of bytes of this piece up to the match's end; it
    /// may hear of one more than once.
    pub fn feed(&mut self, state: &mut StreamState, bytes: &[u8], found: &mut dyn FnMut(usize, usize)) {
        for (byte, end) in bytes.iter().zip(1..) {
            if state.places.is_empty() {
                return;
            }
            self.renew(state);
            let next = self.step(state.number, *byte);
            if next != state.number || state.generation != self.generation {
                state.number = next;
                state.generation = self.generation;
                state.places = self.places(next);
                self.tell(next, end, found);
            }
        }
    }

    /// Returns the patterns that match because the stream ends.
    pub fn end(&mut self, state: &StreamState) -> Vec<usize> {
        let mut places = Vec::new();
        for place in state.places.iter() {
            self.follow(*place, false, true, &mut places);
        }
        self.seen.fill(false);
        self.matches(&places)
    }

    /// Finds the state's set again, should the cache have begun anew.
    fn renew(&mut self, state: &mut StreamState) {
        if state.generation != self.generation {
            let (number, places) = self.intern(state.places.to_vec());
            *state = StreamState { places, number, generation: self.generation };
        }
    }

    fn places(&self, number: u32) -> Rc<[StateID]> {
        self.sets.get(number as usize).map_or_else(|| Rc::from([]), |set| set.places.clone())
    }

    fn tell(&self, number: u32, end: usize, found: &mut dyn FnMut(usize, usize)) {
        let matches = self.sets.get(number as usize).map(|set| &*set.matches).unwrap_or_default();
        matches.iter().for_each(|pattern| found(*pattern, end));
    }

    /// Returns the number of the set that follows one.
    fn step(&mut self, number: u32, byte: u8) -> u32 {
        let class = usize::from(self.nfa.byte_classes().get(byte));
        let Some(set) = self.sets.get(number as usize) else { return number };
        if let Some(known) = set.next.get(class).copied().filter(|known| *known != UNKNOWN) {
            return known;
        }
        let places = set.places.clone();
        let mut after = Vec::new();
        for place in places.iter() {
            let next = match self.nfa.state(*place) {
                State::ByteRange { trans } if trans.matches_byte(byte) => Some(trans.next),
                State::Sparse(sparse) => sparse.matches_byte(byte),
                State::Dense(dense) => dense.matches_byte(byte),
                _ => None,
            };
            if let Some(next) = next {
                self.follow(next, false, false, &mut after);
            }
        }
        let generation = self.generation;
        let (next, _) = self.intern(after);
        if generation == self.generation
            && let Some(slot) = self.sets.get_mut(number as usize).and_then(|set| set.next.get_mut(class))
        {
            *slot = next;
        }
        next
    }

    /// Adds a place and all that follow it without a byte.
    fn follow(&mut self, from: StateID, at_start: bool, at_end: bool, into: &mut Vec<StateID>) {
        let mut stack = vec![from];
        while let Some(place) = stack.pop() {
            match self.seen.get_mut(place.as_usize()) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            match self.nfa.state(place) {
                State::Union { alternates } => stack.extend(alternates.iter().rev().copied()),
                State::BinaryUnion { alt1, alt2 } => stack.extend([*alt2, *alt1]),
                State::Capture { next, .. } => stack.push(*next),
                State::Look { look: Look::Start, next } => stack.extend(at_start.then_some(*next)),
                State::Look { look: Look::End, next } if at_end => stack.push(*next),
                State::Fail => {}
                _ => into.push(place),
            }
        }
    }

    fn matches(&self, places: &[StateID]) -> Vec<usize> {
        let matched = places.iter().filter_map(|place| match self.nfa.state(*place) {
            State::Match { pattern_id } => Some(pattern_id.as_usize()),
            _ => None,
        });
        matched.collect()
    }

    fn intern(&mut self, mut places: Vec<StateID>) -> (u32, Rc<[StateID]>) {
        // `follow` marked what it saw.
        self.seen.fill(false);
        places.sort_unstable();
        places.dedup();
        if let Some((known, number)) = self.numbers.get_key_value(&*places) {
            return (*number, known.clone());
        }
        if self.sets.len() >= MOST_SETS {
            self.sets.clear();
            self.numbers.clear();
            self.generation += 1;
        }
        let matches = self.matches(&places).into();
        let places: Rc<[StateID]> = places.into();
        let number = u32::try_from(self.sets.len()).unwrap_or(0);
        let next = vec![UNKNOWN; self.nfa.byte_classes().alphabet_len()].into();
        self.sets.push(Cached { places: places.clone(), matches, next });
        self.numbers.insert(places.clone(), number);
        (number, places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_match_as_one() {
        // Patterns, pieces, and for each match: the pattern, the piece, the end within it.
        type Case = (&'static [&'static str], &'static [&'static [u8]], &'static [(usize, usize, usize)]);
        let cases: [Case; 6] = [
            (&["GET", ".*root"], &[b"GET /", b"root x"], &[(0, 0, 3), (1, 1, 4)]),
            (&["^GE", "T"], &[b"GET"], &[(0, 0, 2)]),
            (&["a.*b"], &[b"a\n", b"\nb"], &[(0, 1, 2)]),
            (&["^$", "^abc$"], &[], &[(0, 0, 0)]),
            (&["^abc$"], &[b"a", b"bc"], &[(0, 2, 0)]),
            (&["^abc$"], &[b"a", b"bcd"], &[]),
        ];
        for (patterns, pieces, expected) in cases {
            let translated: Vec<String> =
                patterns.iter().map(|pattern| super::super::translate(pattern).unwrap()).collect();
            let mut machine = StreamPatterns::new(&translated).unwrap();
            let mut found: Vec<(usize, usize, usize)> = Vec::new();
            let mut note = |pattern: usize, piece: usize, end: usize| {
                if !found.iter().any(|(known, ..)| *known == pattern) {
                    found.push((pattern, piece, end));
                }
            };
            let mut state = machine.begin(&mut |pattern, end| note(pattern, 0, end));
            for (piece, number) in pieces.iter().zip(0..) {
                machine.feed(&mut state, piece, &mut |pattern, end| note(pattern, number, end));
            }
            for pattern in machine.end(&state) {
                note(pattern, pieces.len(), 0);
            }
            assert_eq!(found, expected, "{patterns:?}");
        }
    }

    #[test]
    fn states_outlive_the_cache() {
        let expression = super::super::translate(".*a.{12}b").unwrap();
        let mut machine = StreamPatterns::new(&[expression]).unwrap();
        let mut state = machine.begin(&mut |_, _| ());
        let mut first = machine.begin(&mut |_, _| ());
        machine.feed(&mut first, b"a", &mut |_, _| ());
        // Each arrangement of the last twelve bytes is a set of its own.
        let mut mixed = 1_u32;
        let bytes: Vec<u8> = (0..60_000)
            .map(|_| {
                mixed = mixed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if mixed >> 31 == 0 { b'a' } else { b'c' }
            })
            .collect();
        machine.feed(&mut state, &bytes, &mut |_, _| ());
        assert!(machine.generation > 0 && machine.sets.len() <= MOST_SETS);
        let mut found = false;
        machine.feed(&mut first, b"cccccccccccccb", &mut |_, _| found = true);
        assert!(!found);
        machine.feed(&mut state, b"accccccccccccb", &mut |_, _| found = true);
        assert!(found);
    }
}
