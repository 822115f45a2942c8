//! Patterns: regular expressions of Zeek's syntax, matched by automata that are built as they are needed.

mod set;
mod stream;
mod translate;

use std::cell::{OnceCell, RefCell};

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::hybrid::regex;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

pub use set::PatternSet;
pub use stream::{StreamPatterns, StreamState};
pub use translate::translate;

/// Most memory of an automaton's states; beyond it states are built again.
const CACHE: usize = 2 << 20;
/// Most memory of the machine behind an automaton.
const MACHINE: usize = 10 << 20;

/// A pattern.
#[derive(Debug)]
pub struct Pattern {
    /// The expression in Zeek's syntax.
    text: Box<str>,
    /// The expression in the syntax of the engine.
    translated: Box<str>,
    whole: OnceCell<Option<Machine>>,
    begin: OnceCell<Option<Machine>>,
    anywhere: OnceCell<Option<Machine>>,
    search: OnceCell<Option<(regex::Regex, RefCell<regex::Cache>)>>,
}

#[derive(Debug)]
struct Machine {
    automaton: DFA,
    cache: RefCell<Cache>,
}

impl Machine {
    fn new(expressions: &[String]) -> Option<Self> {
        let automaton = DFA::builder()
            .configure(
                DFA::config()
                    .match_kind(MatchKind::All)
                    .cache_capacity(CACHE)
                    .skip_cache_capacity_check(true)
                    .unicode_word_boundary(false),
            )
            .syntax(syntax::Config::new().unicode(false).utf8(false).nest_limit(200))
            .thompson(thompson())
            .build_many(expressions)
            .ok()?;
        let cache = RefCell::new(automaton.create_cache());
        Some(Self { automaton, cache })
    }

    /// Returns the end of the longest match that begins at `from`.
    fn longest(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut cache = self.cache.try_borrow_mut().ok()?;
        let input = Input::new(bytes).anchored(Anchored::Yes).range(from..);
        self.automaton.try_search_fwd(&mut cache, &input).ok().flatten().map(|found| found.offset())
    }

    fn is_match(&self, bytes: &[u8], anchored: Anchored) -> bool {
        let Ok(mut cache) = self.cache.try_borrow_mut() else { return false };
        let input = Input::new(bytes).anchored(anchored).earliest(true);
        self.automaton.try_search_fwd(&mut cache, &input).is_ok_and(|found| found.is_some())
    }
}

impl Pattern {
    /// Reads the text between slashes; `flags` are the letters behind it.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong with the expression.
    pub fn parse(text: &str, flags: &str) -> Result<Self, String> {
        let mut text = text.to_owned();
        for flag in flags.chars() {
            text = format!("(?{flag}:{text})");
        }
        let wrapped = format!("^?({text})$?");
        Self::build(&wrapped)
    }

    /// Makes a pattern of a complete expression, as [`Pattern::text`] shows it.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong with the expression.
    pub fn build(text: &str) -> Result<Self, String> {
        let translated = translate(text)?;
        let config = syntax::Config::new().unicode(false).utf8(false).nest_limit(200);
        syntax::parse_with(&translated, &config).map_err(|_| "the expression is not valid".to_owned())?;
        Ok(Self {
            text: text.into(),
            translated: translated.into(),
            whole: OnceCell::new(),
            begin: OnceCell::new(),
            anywhere: OnceCell::new(),
            search: OnceCell::new(),
        })
    }

    /// Returns the expression, without slashes.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the expression in the syntax of the engine.
    pub fn translated(&self) -> &str {
        &self.translated
    }

    /// Returns the pattern that matches where one of two does.
    ///
    /// # Errors
    ///
    /// A sentence, should the new pattern be too large.
    pub fn or(&self, other: &Self) -> Result<Self, String> {
        Self::build(&format!("({})|({})", self.text, other.text))
    }

    /// Returns the pattern that matches both, one behind the other.
    ///
    /// # Errors
    ///
    /// A sentence, should the new pattern be too large.
    pub fn then(&self, other: &Self) -> Result<Self, String> {
        Self::build(&format!("({})({})", self.text, other.text))
    }

    fn anchored(&self) -> Option<&Machine> {
        self.begin.get_or_init(|| Machine::new(&[format!("(?:{})", self.translated)])).as_ref()
    }

    /// Returns whether the pattern matches all of the bytes.
    pub fn matches(&self, bytes: &[u8]) -> bool {
        let machine = self.whole.get_or_init(|| Machine::new(&[format!("(?:{})\\z", self.translated)]));
        machine.as_ref().is_some_and(|machine| machine.is_match(bytes, Anchored::Yes))
    }

    /// Returns whether the pattern matches somewhere.
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        let machine = self.anywhere.get_or_init(|| Machine::new(&[format!("(?:{})", self.translated)]));
        machine.as_ref().is_some_and(|machine| machine.is_match(bytes, Anchored::No))
    }

    /// Returns the end of the longest match that begins at `from`.
    pub fn longest_at(&self, bytes: &[u8], from: usize) -> Option<usize> {
        self.anchored()?.longest(bytes, from)
    }

    /// Returns the end of the longest match that begins at `from`, where the text begins there for `^`.
    pub fn longest_from(&self, bytes: &[u8], from: usize) -> Option<usize> {
        self.longest_at(bytes.get(from..)?, 0).map(|length| from + length)
    }

    /// Returns whether `^` stands in the expression.
    pub fn has_begin(&self) -> bool {
        self.translated.split("(?:\\A)").skip(1).any(|rest| !rest.starts_with('?'))
    }

    /// Returns the first match that begins at `from` or behind it, the longest one there.
    pub fn find(&self, bytes: &[u8], from: usize) -> Option<(usize, usize)> {
        let search = self.search.get_or_init(|| {
            let expression = format!("(?:{})", self.translated);
            let built = regex::Regex::builder()
                .syntax(syntax::Config::new().unicode(false).utf8(false).nest_limit(200))
                .thompson(thompson())
                .dfa(DFA::config().cache_capacity(CACHE).skip_cache_capacity_check(true))
                .build(&expression)
                .ok()?;
            let cache = RefCell::new(built.create_cache());
            Some((built, cache))
        });
        let (search, cache) = search.as_ref()?;
        if from > bytes.len() {
            return None;
        }
        let mut cache = cache.try_borrow_mut().ok()?;
        let start = search.find_iter(&mut cache, Input::new(bytes).range(from..)).next()?.start();
        self.longest_at(bytes, start).map(|end| (start, end))
    }
}

fn thompson() -> regex_automata::nfa::thompson::Config {
    regex_automata::nfa::thompson::Config::new().utf8(false).nfa_size_limit(Some(MACHINE))
}
