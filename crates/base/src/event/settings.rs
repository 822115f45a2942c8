//! Settings of scripts that change what the engine reads and logs of protocols.

use std::collections::{HashMap, HashSet};

/// Settings of scripts by their full names, in the forms that protocols ask for.
#[derive(Clone, Debug, Default)]
pub struct ScriptSettings {
    /// Those that are true.
    pub switches: HashSet<String>,
    /// Those that are numbers.
    pub counts: HashMap<String, u64>,
    /// Those that are sets of words.
    pub words: HashMap<String, HashSet<Vec<u8>>>,
    /// Those that are values of enumerations, by the names of the values.
    pub choices: HashMap<String, String>,
    /// Ports of UDP, and the seconds after which each conversation with a server there is over, from its beginning on.
    pub sessions: Vec<(u16, f64)>,
}

impl ScriptSettings {
    /// Returns whether a setting is true.
    pub fn is_set(&self, name: &str) -> bool {
        self.switches.contains(name)
    }

    /// Returns a number that is set.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.counts.get(name).copied()
    }

    /// Returns the name of the value of an enumeration.
    pub fn choice(&self, name: &str) -> Option<&str> {
        self.choices.get(name).map(String::as_str)
    }

    /// Returns the words of a set.
    pub fn words(&self, name: &str) -> Option<&HashSet<Vec<u8>>> {
        self.words.get(name)
    }
}
