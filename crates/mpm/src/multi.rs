//! The multi-pattern matcher.
//!
//! # Choice of engine
//!
//! GB/s of one core at random literals of 4 to 20 bytes, 30 % of them in any case, half words, half mixed bytes,
//! over a mixture of words, HTTP heads and binary runs, in buffers of 64 / 1,024 / 16,384 bytes
//! (`benches/matchers.rs`; an EPYC with AVX-512 shared with other work, Hyperscan 5.4.0):
//!
//! | literals | memmem | Teddy | double array | fingerprint | Hyperscan |
//! |---|---|---|---|---|---|
//! | 1 | 3.3 / 19.1 / 22.3 | 3.1 / 10.8 / 10.2 | 1.2 / 1.6 / 1.6 | 2.6 / 14.3 / 16.4 | 2.4 / 17.9 / 27.2 |
//! | 2 | 2.4 / 12.5 / 14.6 | 2.9 / 10.8 / 11.0 | 1.2 / 1.6 / 1.6 | 2.6 / 10.0 / 9.7 | 1.4 / 10.3 / 11.8 |
//! | 8 | 0.6 / 1.1 / 1.2 | 2.1 / 7.8 / 7.3 | 1.1 / 1.3 / 1.4 | 2.9 / 10.1 / 9.8 | 1.2 / 8.9 / 10.9 |
//! | 16 | 0.4 / 1.2 / 1.3 | 1.7 / 7.2 / 6.2 | 1.0 / 1.3 / 1.3 | 2.8 / 10.3 / 9.6 | 1.1 / 5.0 / 5.5 |
//! | 32 | | 1.0 / 2.4 / 2.1 | 1.0 / 1.0 / 1.2 | 2.8 / 7.3 / 7.1 | 1.0 / 3.2 / 3.6 |
//! | 64 | | 0.6 / 1.7 / 1.6 | 0.9 / 1.3 / 1.3 | 1.9 / 3.1 / 3.1 | 0.8 / 2.0 / 2.2 |
//! | 128 | | | 0.7 / 1.0 / 0.9 | 1.5 / 3.0 / 2.9 | 1.1 / 3.6 / 4.1 |
//! | 500 | | | 0.4 / 0.4 / 0.4 | 1.0 / 1.6 / 1.6 | 0.9 / 2.6 / 3.0 |
//! | 2,000 | | | 0.2 / 0.3 / 0.2 | 0.9 / 1.4 / 1.4 | 0.6 / 1.3 / 1.4 |
//! | 20,000 | | | 0.1 / 0.1 / 0.1 | 0.6 / 0.9 / 0.9 | 0.4 / 0.5 / 0.5 |
//!
//! Building 20,000 literals takes 12 ms by fingerprint and 480 ms by Hyperscan, and over real payloads the literals of real
//! rules are found as quickly by the former even where these are some hundreds. Hence [`Backend::Auto`]: memmem up to 2 literals,
//! fingerprints for the rest. Literals of one to three bytes are met so often that fingerprints lose their
//! point, unless they are few or alike; a set that holds too many of them goes to Teddy, to Hyperscan, or else to the double
//! array.

use std::sync::Arc;

use crate::engines::AnyEngine;
use crate::keys::Keys;
use crate::runs::Pieces;
use crate::shared;
use crate::{Cache, Literal, MatchScratch, PatternSet};

/// Algorithm of a [`MultiMatcher`]. Every back end finds the same patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Backend {
    /// The quickest for the size of the set.
    Auto,
    /// One substring search after another; any set, sensible for very few literals.
    Memmem,
    /// Vector comparison of the first bytes; up to some tens of literals, and only on processors that have
    /// the instructions.
    Teddy,
    /// Aho-Corasick as a double array; any set, on any processor.
    DoubleArray,
    /// Hashes of a few rare bytes of each literal; any set, on any processor.
    Fingerprint,
    /// The system's Hyperscan or Vectorscan, where the build found a usable one.
    Hyperscan,
}

/// Reasons that a set of literals cannot be made into a matcher.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A literal without bytes would match everywhere.
    #[error("the literal of pattern {id} is empty")]
    EmptyLiteral {
        /// The pattern it was given for.
        id: u32,
    },
    /// The literals together exceed what an engine can address.
    #[error("the literals are {bytes} bytes long together, more than {limit}")]
    TooLong {
        /// The sum of their lengths.
        bytes: usize,
        /// The most there may be.
        limit: usize,
    },
    /// The back end asked for is missing from this build or processor, or cannot take this set.
    #[error("the {backend:?} matcher cannot be used: {reason}")]
    Unavailable {
        /// The back end asked for.
        backend: Backend,
        /// Reason.
        reason: String,
    },
}

/// The most bytes the literals of one matcher may have together.
const LITERAL_BYTES_MAX: usize = 1 << 28;

/// Finds all patterns of a set in one pass over a buffer. Immutable and shared by workers.
#[derive(Debug)]
pub struct MultiMatcher {
    keys: Keys,
    engine: Arc<AnyEngine>,
    /// Length of the longest literal, if all count wherever they lie.
    longest_anywhere: Option<usize>,
}

impl MultiMatcher {
    /// Builds a matcher. An empty set of literals is one that finds nothing.
    pub fn build(literals: Vec<Literal>, backend: Backend) -> Result<Self, BuildError> {
        Self::build_with(literals, backend, None)
    }

    /// Builds a matcher; parts that take long to build are taken from `cache`, or put there.
    pub fn build_with(
        literals: Vec<Literal>,
        backend: Backend,
        cache: Option<&Cache>,
    ) -> Result<Self, BuildError> {
        if let Some(literal) = literals.iter().find(|literal| literal.bytes.is_empty()) {
            return Err(BuildError::EmptyLiteral { id: literal.id });
        }
        let bytes = literals.iter().map(|literal| literal.bytes.len()).sum();
        if bytes > LITERAL_BYTES_MAX {
            return Err(BuildError::TooLong { bytes, limit: LITERAL_BYTES_MAX });
        }
        let keys = Keys::new(&literals);
        let engine = shared::engine(&keys, backend, || AnyEngine::build(&keys, backend, cache))?;
        let longest_anywhere = keys.longest_anywhere();
        Ok(Self { keys, engine, longest_anywhere })
    }

    /// Reports every pattern that occurs, with the offset one past an occurrence. A pattern is reported at
    /// least once; the occurrences after its first may or may not be.
    pub fn find(&self, haystack: &[u8], scratch: &mut MatchScratch, on_match: &mut dyn FnMut(u32, usize)) {
        self.engine.scan(&self.keys, haystack, scratch, &mut |key, end| {
            for &id in self.keys.patterns_at(key, end) {
                on_match(id, end);
            }
        });
    }

    /// Adds every pattern that occurs to `found`, which may hold the findings of earlier scans.
    pub fn find_set(&self, haystack: &[u8], scratch: &mut MatchScratch, found: &mut PatternSet) {
        let Some(longest) = self.longest_anywhere else {
            return self.scan_for_set(haystack, scratch, found);
        };
        for piece in Pieces::of(haystack, longest) {
            self.scan_for_set(piece, scratch, found);
        }
    }

    /// As [`find_set`](Self::find_set), where the haystack begins at `offset` of what the windows of literals count in.
    pub(crate) fn find_from(
        &self,
        haystack: &[u8],
        offset: usize,
        scratch: &mut MatchScratch,
        found: &mut PatternSet,
    ) {
        self.engine.scan(&self.keys, haystack, scratch, &mut |key, end| {
            for &id in self.keys.patterns_at(key, end + offset) {
                found.insert(id);
            }
        });
    }

    fn scan_for_set(&self, haystack: &[u8], scratch: &mut MatchScratch, found: &mut PatternSet) {
        self.engine.scan(&self.keys, haystack, scratch, &mut |key, end| {
            for &id in self.keys.patterns_at(key, end) {
                found.insert(id);
            }
        });
    }

    /// The back end in use; never [`Backend::Auto`].
    pub fn backend(&self) -> Backend {
        self.engine.backend()
    }

    /// One past the largest pattern id, the bound to give [`PatternSet::reserve`].
    pub fn id_bound(&self) -> u32 {
        self.keys.id_bound()
    }

    /// The bytes the matcher occupies, about.
    pub fn memory(&self) -> usize {
        self.keys.memory() + self.engine.memory()
    }

    #[cfg(test)]
    pub(crate) const fn engine(&self) -> &Arc<AnyEngine> {
        &self.engine
    }

    pub(crate) fn grow_scratch(&self, scratch: &mut MatchScratch) {
        self.engine.grow_scratch(&self.keys, scratch);
    }
}
