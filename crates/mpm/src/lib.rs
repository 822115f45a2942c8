//! Matching of many literals, one literal, or one regular expression over bytes.
//!
//! - [`MultiMatcher`] finds every pattern of a set in one pass; the prefilter is built on it.
//! - [`SingleMatcher`] finds one literal, for the checks of a rule.
//! - [`Regex`] runs PCRE2 with its JIT and with limits on the work one match may do.
//!
//! All three are immutable once built and shared by workers; what changes while matching lives in a
//! [`MatchScratch`] or [`RegexScratch`], one of each per worker.

#![allow(unsafe_code)]

mod cache;
#[allow(clippy::indexing_slicing, reason = "its tables are built here, of a size that is known")]
mod engines;
#[allow(clippy::indexing_slicing, reason = "its tables are built here, of a size that is known")]
mod head;
#[allow(clippy::indexing_slicing, reason = "its tables are built here, of a size that is known")]
mod keys;
mod literal;
mod multi;
#[allow(clippy::indexing_slicing, reason = "its tables are built here, of a size that is known")]
mod pattern_set;
mod rarity;
mod regex;
mod runs;
mod scratch;
#[allow(clippy::indexing_slicing, reason = "its tables are built here, of a size that is known")]
mod seen;
mod shared;
mod single;

pub use cache::Cache;
pub use head::HeadMatcher;
pub use literal::Literal;
pub use multi::{Backend, BuildError, MultiMatcher};
pub use pattern_set::PatternSet;
pub use regex::{Captures, CompileError, MatchError, Regex, RegexLimits, RegexOptions, RegexScratch};
pub use scratch::MatchScratch;
pub use single::SingleMatcher;

/// Whether the system's Hyperscan or Vectorscan is built in.
pub const fn has_hyperscan() -> bool {
    cfg!(hyperscan)
}
