//! `--engine-analysis`: what the engine made of each rule, for people who write rules.
//!
//! [`write_rule`] gives a line of `rules.json`, [`text`] the reports for people and [`groups`] the
//! rules by port. Everything is read from compiled signatures and from the options they came of;
//! nothing here takes part in inspection.

mod content;
mod dependencies;
mod engines;
pub mod groups;
mod matches;
mod names;
mod options;
mod rule;
mod subject;
pub mod text;
mod totals;

#[cfg(test)]
mod tests;

pub use dependencies::Dependencies;
pub use rule::write_rule;
pub use totals::{write_flowbits, write_patterns};
