//! Aho-Corasick as a double array, by the daachorse crate. The automaton knows one case only: when any key
//! ignores case, it holds all keys in lower case and reads the haystack in lower case, and a key that minds
//! its case is compared with the haystack itself once the automaton has found it.

use std::collections::HashMap;

use daachorse::DoubleArrayAhoCorasick;

use super::Engine;
use crate::MatchScratch;
use crate::keys::Keys;

/// The automaton's values number the groups of keys that look the same to it.
#[derive(Debug)]
pub(crate) struct DoubleArray {
    automaton: Option<Box<Automaton>>,
    folds: bool,
    /// The keys of group `g` are `members[group_ends[g - 1]..group_ends[g]]`.
    group_ends: Vec<u32>,
    members: Vec<u32>,
}

struct Automaton(DoubleArrayAhoCorasick<u32>);

impl std::fmt::Debug for Automaton {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Automaton").field("states", &self.0.num_states()).finish()
    }
}

impl DoubleArray {
    fn group(&self, group: u32) -> &[u32] {
        let group = group as usize;
        let start = group.checked_sub(1).map_or(0, |before| self.group_ends[before] as usize);
        &self.members[start..self.group_ends[group] as usize]
    }
}

impl Engine for DoubleArray {
    fn build(keys: &Keys) -> Result<Self, String> {
        let folds = keys.iter().any(|(_, key, _)| key.nocase);
        let mut groups: Vec<(Vec<u8>, Vec<u32>)> = Vec::new();
        let mut known = HashMap::new();
        for (index, _, bytes) in keys.iter() {
            let seen = if folds { bytes.to_ascii_lowercase() } else { bytes.to_vec() };
            let group = *known.entry(seen.clone()).or_insert_with(|| {
                groups.push((seen, Vec::new()));
                groups.len() - 1
            });
            groups[group].1.push(index);
        }
        let mut group_ends = Vec::with_capacity(groups.len());
        let mut members = Vec::with_capacity(keys.len());
        for (_, group) in &groups {
            members.extend_from_slice(group);
            group_ends.push(members.len() as u32);
        }
        let automaton = if groups.is_empty() {
            None
        } else {
            let patterns = groups.iter().map(|(bytes, _)| bytes).zip(0..);
            let built = DoubleArrayAhoCorasick::with_values(patterns).map_err(|error| error.to_string())?;
            Some(Box::new(Automaton(built)))
        };
        Ok(Self { automaton, folds, group_ends, members })
    }

    fn scan<F: FnMut(u32, usize)>(
        &self,
        keys: &Keys,
        haystack: &[u8],
        scratch: &mut MatchScratch,
        on_key: &mut F,
    ) {
        let Some(automaton) = &self.automaton else { return };
        if !self.folds {
            for found in automaton.0.find_overlapping_iter(haystack) {
                self.group(found.value()).iter().for_each(|&key| on_key(key, found.end()));
            }
            return;
        }
        scratch.fold(haystack);
        for found in automaton.0.find_overlapping_iter(&scratch.folded) {
            for &key in self.group(found.value()) {
                if keys.key(key).nocase || keys.occurs_at(key, haystack, found.start()) {
                    on_key(key, found.end());
                }
            }
        }
    }

    fn memory(&self) -> usize {
        self.automaton.as_ref().map_or(0, |automaton| automaton.0.heap_bytes())
            + (self.group_ends.len() + self.members.len()) * size_of::<u32>()
    }
}
