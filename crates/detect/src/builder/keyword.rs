//! Keywords: the contract between the rule compiler and each option.

use weir_rules::{RuleOption, SyntaxError};

use crate::builder::RuleBuilder;

/// Entry of the keyword reference.
#[derive(Clone, Copy, Debug)]
pub struct Doc {
    /// Syntax of the option.
    pub syntax: &'static str,
    /// Meaning, in a sentence or two.
    pub text: &'static str,
    /// A rule's option that uses it.
    pub example: &'static str,
}

/// One keyword that a field row cannot say, as a row of its family's table.
pub struct Keyword {
    /// Its name.
    pub name: &'static str,
    /// Other spellings.
    pub aliases: &'static [&'static str],
    /// For the reference.
    pub doc: Doc,
    /// Adds what the option means to the rule. The error's span is relative to the rule's text.
    pub compile: fn(&RuleOption, &mut RuleBuilder<'_>) -> Result<(), SyntaxError>,
}

impl Keyword {
    /// A keyword without other spellings; `words` are its syntax, its meaning and an example.
    pub const fn new(
        name: &'static str,
        words: [&'static str; 3],
        compile: fn(&RuleOption, &mut RuleBuilder<'_>) -> Result<(), SyntaxError>,
    ) -> Self {
        let [syntax, text, example] = words;
        Self { name, aliases: &[], doc: Doc { syntax, text, example }, compile }
    }

    /// Adds other spellings.
    pub const fn also(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Its name and its other spellings.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}
