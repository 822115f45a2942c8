//! Rule text in the Suricata language, taken apart: every rule becomes a [`Rule`] whose parts know
//! where they stand in the text, or a [`Diagnostic`] that says what is wrong, where, and what to do.
//!
//! This crate knows the *shape* of the language and not one keyword. It holds
//!
//! - [`parse_rules`]: a rule file to rules and diagnostics; one broken rule never harms another;
//! - [`network`]: address and port expressions, variables, and the sorted sets they stand for;
//! - [`value`]: the small grammars that keywords share (patterns, lists, numbers, comparisons);
//! - [`side`]: classification.config, reference.config and threshold.config;
//! - [`RuleInfo`]: what alerts and outputs say about a rule once it is compiled.
//!
//! Everything is total: any bytes give rules and diagnostics, never a panic.

pub mod diagnostic;
pub mod info;
mod lines;
pub mod network;
mod parse;
pub mod rule;
pub mod side;
pub mod text;
pub mod value;

pub use diagnostic::{Colour, Diagnostic, Severity, SyntaxError};
pub use info::{Classtype, Metadata, Reference, RuleInfo, Target};
pub use network::{AddressSet, PortSet, Resolver, VariableMap, Variables};
pub use parse::{RuleFile, RuleReader, parse_rule, parse_rules};
pub use rule::{
    Action, ActionScope, Argument, Protocol, Quotes, Rule, RuleDirection, RuleOption, ScopedAction,
};
pub use text::{Origin, Span, Spanned};

/// Hashing for tables that rules alone fill: quick, and the same in every run.
pub type RuleHash = std::hash::BuildHasherDefault<ahash::AHasher>;
