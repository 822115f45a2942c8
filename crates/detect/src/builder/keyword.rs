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

/// One keyword that a field row cannot say.
pub trait Keyword: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Other spellings.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// For the reference.
    fn doc(&self) -> Doc;

    /// Adds what the option means to the rule. The error's span is relative to the rule's text.
    fn compile(&self, option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError>;
}

/// A keyword as one row of a table: a name and a function.
pub struct KeywordRow {
    /// Its name.
    pub name: &'static str,
    /// Other spellings.
    pub aliases: &'static [&'static str],
    /// For the reference.
    pub doc: Doc,
    /// Function behind [`Keyword::compile`].
    pub compile: fn(&RuleOption, &mut RuleBuilder<'_>) -> Result<(), SyntaxError>,
}

impl KeywordRow {
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
}

impl Keyword for KeywordRow {
    fn name(&self) -> &'static str {
        self.name
    }
    fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }
    fn doc(&self) -> Doc {
        self.doc
    }
    fn compile(&self, option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
        (self.compile)(option, rule)
    }
}
