//! Several patterns, matched at once: the indices of a table of patterns.

use std::rc::Rc;

use regex_automata::{Anchored, Input, PatternSet as Found};

use super::{Machine, Pattern};

/// The automaton for several patterns.
#[derive(Debug)]
pub struct PatternSet {
    machine: Option<Machine>,
    patterns: Vec<Rc<Pattern>>,
}

impl PatternSet {
    /// Makes the automaton.
    pub fn new(patterns: Vec<Rc<Pattern>>) -> Self {
        let expressions: Vec<String> =
            patterns.iter().map(|pattern| format!("(?:{})\\z", pattern.translated())).collect();
        Self { machine: Machine::new(&expressions), patterns }
    }

    /// Returns the places of the patterns that match all of the bytes.
    pub fn matching(&self, bytes: &[u8]) -> Vec<usize> {
        let Some(machine) = &self.machine else {
            let each = self.patterns.iter().enumerate();
            return each.filter(|(_, pattern)| pattern.matches(bytes)).map(|(place, _)| place).collect();
        };
        let Ok(mut cache) = machine.cache.try_borrow_mut() else { return Vec::new() };
        let mut found = Found::new(self.patterns.len());
        let input = Input::new(bytes).anchored(Anchored::Yes);
        let _ = machine.automaton.try_which_overlapping_matches(&mut cache, &input, &mut found);
        found.iter().map(|pattern| pattern.as_usize()).collect()
    }
}
