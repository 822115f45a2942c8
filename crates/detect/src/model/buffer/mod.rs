//! Checks on one buffer: what the options between two sticky buffers compile to, in the order
//! written, because many are relative to where the one before matched.

pub mod base64;
pub mod bytes;
pub mod content;
pub mod regex;

use std::sync::Arc;

use weir_mpm::RegexScratch;

use crate::model::alert::{AlertContext, MAX_CONTEXTS};

pub use base64::{Base64Decode, Base64Mode};
pub use bytes::{ByteExtract, ByteJump, ByteMath, ByteTest, IsDataAt};
pub use content::Content;
pub use regex::RegexCheck;

/// Most byte variables (`byte_extract`, `byte_math`) of one rule.
pub const MAX_VARIABLES: usize = 64;

/// Most buffers whose entropy is kept of one packet's inspection.
const MAX_ENTROPIES: usize = 64;

/// A number in an option: written out, or the byte variable of that slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number<T = i64> {
    /// As written.
    Value(T),
    /// Value that an earlier option put into this slot.
    Variable(u8),
}

/// A number of a content's place, which is within a mebibyte: there are many, in half the room.
pub type Reach = Number<i32>;

impl<T: Into<i64>> Number<T> {
    /// Its value now.
    #[inline]
    pub fn value(self, variables: &[u64; MAX_VARIABLES]) -> i64 {
        match self {
            Number::Value(value) => value.into(),
            Number::Variable(slot) => {
                variables.get(usize::from(slot)).map_or(0, |&v| i64::try_from(v).unwrap_or(i64::MAX))
            }
        }
    }
}

impl Number {
    /// Its value as 64 bits without a sign, for comparisons and calculations.
    #[inline]
    pub fn bits(self, variables: &[u64; MAX_VARIABLES]) -> u64 {
        match self {
            Number::Value(value) => value as u64,
            Number::Variable(slot) => variables.get(usize::from(slot)).copied().unwrap_or(0),
        }
    }

    /// Returns the number in less room; the nearest one where it does not fit.
    pub fn reach(self) -> Reach {
        match self {
            Number::Value(value) => {
                Number::Value(value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32)
            }
            Number::Variable(slot) => Number::Variable(slot),
        }
    }
}

/// A buffer and what is known of its place.
#[derive(Clone, Copy, Debug)]
pub struct Buffer<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Position of the first byte in the body or stream it is a window of; 0 for a whole buffer.
    pub offset: u64,
    /// Whether the buffer ends here: no later inspection will see more.
    pub ends: bool,
    /// Whether numbers in it are little-endian by the protocol's own word (DCE/RPC).
    pub little_endian: bool,
}

impl<'a> Buffer<'a> {
    /// A buffer that is whole.
    pub const fn whole(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0, ends: true, little_endian: false }
    }
}

/// The upper bound that a check sets, in bytes, as rules are compared with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Longest {
    /// `bsize`: of the buffer, for the contents in it together.
    Buffer {
        /// Lower bound of a range, as written.
        least: Option<u64>,
        /// Upper bound, as written.
        most: u64,
    },
    /// `urilen`: of the buffer, for each content in it alone.
    Content(u64),
}

/// A check on a buffer that leaves where the match before ended as it is (`bsize`, `dataset`, `asn1`).
pub trait BufferCheck: Send + Sync {
    /// Whether the buffer passes.
    fn matches(&self, buffer: &Buffer<'_>) -> bool;

    /// Whether it passes where the match before ended at `previous`.
    fn matches_behind(&self, buffer: &Buffer<'_>, previous: usize) -> bool {
        let _ = previous;
        self.matches(buffer)
    }

    /// Whether it passes; may leave something in `scratch` for the rule's alert.
    fn holds(&self, buffer: &Buffer<'_>, previous: usize, scratch: &mut BufferScratch) -> bool {
        let _ = scratch;
        self.matches_behind(buffer, previous)
    }

    /// Whether it is relative to the match before.
    fn is_relative(&self) -> bool {
        false
    }

    /// The most bytes that can pass; none where the check sets no upper bound.
    fn longest(&self) -> Option<Longest> {
        None
    }

    /// The keyword's name.
    fn name(&self) -> &'static str;
}

/// One check.
pub enum Check {
    /// `content`
    Content(Box<Content>),
    /// `pcre`
    Regex(Box<RegexCheck>),
    /// `isdataat`
    IsDataAt(IsDataAt),
    /// `byte_test`
    ByteTest(Box<ByteTest>),
    /// `byte_jump`
    ByteJump(Box<ByteJump>),
    /// `byte_extract`
    ByteExtract(Box<ByteExtract>),
    /// `byte_math`
    ByteMath(Box<ByteMath>),
    /// `base64_decode`, with the checks of `base64_data`
    Base64Decode(Box<Base64Decode>),
    /// A check on the whole buffer.
    Whole(Box<dyn BufferCheck>),
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Check::Content(content) => content.fmt(f),
            Check::Regex(_) => f.write_str("Regex"),
            Check::IsDataAt(check) => check.fmt(f),
            Check::ByteTest(check) => check.fmt(f),
            Check::ByteJump(check) => check.fmt(f),
            Check::ByteExtract(check) => check.fmt(f),
            Check::ByteMath(check) => check.fmt(f),
            Check::Base64Decode(check) => check.fmt(f),
            Check::Whole(_) => f.write_str("Whole"),
        }
    }
}

impl Check {
    /// Returns the name of its keyword.
    pub fn keyword(&self) -> &'static str {
        match self {
            Check::Content(_) => "content",
            Check::Regex(_) => "pcre",
            Check::IsDataAt(_) => "isdataat",
            Check::ByteTest(_) => "byte_test",
            Check::ByteJump(_) => "byte_jump",
            Check::ByteExtract(_) => "byte_extract",
            Check::ByteMath(_) => "byte_math",
            Check::Base64Decode(_) => "base64_decode",
            Check::Whole(check) => check.name(),
        }
    }

    /// Whether the check starts where the one before it matched.
    pub fn is_relative(&self) -> bool {
        match self {
            Check::Content(content) => content.is_relative(),
            Check::Regex(regex) => regex.relative,
            Check::IsDataAt(check) => check.relative,
            Check::ByteTest(check) => check.relative,
            Check::ByteJump(check) => check.relative,
            Check::ByteExtract(check) => check.relative,
            Check::ByteMath(check) => check.relative,
            Check::Base64Decode(check) => check.relative,
            Check::Whole(check) => check.is_relative(),
        }
    }

    /// Whether the rule does not match where this one fails, although it is relative.
    pub(crate) fn is_last_hope(&self) -> bool {
        matches!(self, Check::Content(content) if content.last_hope)
    }

    /// Whether a later check is relative to where this one is found, so that each place of it is tried.
    #[inline]
    pub(crate) fn has_followers(&self) -> bool {
        match self {
            Check::Content(content) => content.followed && !content.negated,
            Check::Regex(regex) => regex.followed && !regex.negated,
            _ => false,
        }
    }

    /// Tells the check whether a later one is relative to it.
    pub(crate) fn set_followed(&mut self, followed: bool) {
        match self {
            Check::Content(content) => content.followed = followed,
            Check::Regex(regex) => regex.followed = followed,
            _ => {}
        }
    }
}

/// Tells the contents of which nothing is to be hoped once they are not found. In a chain of contents each is tried from
/// the first place of the one before on: a content that may lie anywhere behind that has then been looked for in all
/// that other places would leave of the buffer. That does not hold where anything else moves along, or numbers are read.
pub(crate) fn find_last_hopes(checks: &mut [Check]) {
    let mut in_chain = true;
    for check in checks {
        in_chain = match check {
            Check::Content(content) if !content.has_fixed_window() => false,
            Check::Content(content) => {
                content.last_hope = in_chain && !content.negated && content.is_open_ended();
                in_chain
            }
            _ => false,
        };
    }
}

/// Scratch that a worker's inspections change; one per worker.
pub struct BufferScratch {
    /// For regular expressions.
    pub regex: RegexScratch,
    /// Byte variables of the rule being inspected.
    pub variables: [u64; MAX_VARIABLES],
    /// Steps left of the rule being inspected (`detect.inspection-recursion-limit`).
    pub steps: u32,
    /// Bytes that `base64_decode` made.
    pub decoded: Vec<u8>,
    /// Searches of regular expressions in the inspection at hand.
    pub(crate) searches: u32,
    /// Searches of regular expressions until now.
    pub(crate) all_searches: u64,
    /// Expressions not found in the inspection at hand, and from which place of the buffer on.
    pub(crate) absent: Vec<(usize, usize)>,
    /// Where the groups of the last one lie.
    pub(crate) groups: Vec<regex::Group>,
    /// Values that regular expressions captured for flow and packet variables: variable, bytes.
    pub captured: Vec<(u32, Vec<u8>)>,
    /// Places of the payload whose bytes the rule replaces, if it matches.
    pub replaced: Vec<(usize, Arc<[u8]>)>,
    /// Contexts that sets give for the values that the rule found in them.
    pub contexts: Vec<AlertContext>,
    /// Entropies that were calculated, by the numbers of their names, until the packet's inspection ends.
    pub entropies: Vec<(u32, f64)>,
    /// Values that found no room in a set since this was asked for.
    pub datasets_full: u64,
    /// Inspections that ran out of steps since this was asked for.
    pub out_of_steps: u64,
    /// Searches of expressions that took more than they may since this was asked for.
    pub unanswered: u64,
}

impl BufferScratch {
    /// Another rule is looked at: what the one before found is forgotten.
    #[inline]
    pub fn begin(&mut self) {
        self.captured.clear();
        self.replaced.clear();
        self.contexts.clear();
    }

    /// Keeps the entropy of a buffer, in place of what was kept under that name.
    pub fn keep_entropy(&mut self, name: u32, value: f64) {
        if let Some((_, kept)) = self.entropies.iter_mut().find(|(known, _)| *known == name) {
            *kept = value;
        } else if self.entropies.len() < MAX_ENTROPIES {
            self.entropies.push((name, value));
        }
    }

    /// Keeps what a set says of a value, in place of what was kept under that key.
    pub fn keep_context(&mut self, context: AlertContext) {
        if let Some(kept) = self.contexts.iter_mut().find(|kept| kept.key == context.key) {
            *kept = context;
        } else if self.contexts.len() < MAX_CONTEXTS {
            self.contexts.push(context);
        }
    }
}

impl Default for BufferScratch {
    fn default() -> Self {
        Self {
            regex: RegexScratch::new(),
            variables: [0; MAX_VARIABLES],
            steps: 0,
            decoded: Vec::new(),
            searches: 0,
            all_searches: 0,
            absent: Vec::new(),
            groups: Vec::new(),
            captured: Vec::new(),
            replaced: Vec::new(),
            contexts: Vec::new(),
            entropies: Vec::new(),
            datasets_full: 0,
            out_of_steps: 0,
            unanswered: 0,
        }
    }
}
