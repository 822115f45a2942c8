//! The checks on a rule that loads, by what they look at.

mod content;
mod deprecated;
mod prefilter;
mod scope;
mod self_description;
mod state;

pub(crate) use deprecated::deprecated;
pub(crate) use state::State;

use crate::finding::Finding;
use crate::subject::Subject;

/// A check on one rule.
pub(crate) type RuleCheck = fn(&Subject<'_>, &mut Vec<Finding>);

/// All checks on one rule.
pub(crate) const ALL: &[RuleCheck] = &[
    self_description::missing_parts,
    self_description::duplicate_options,
    prefilter::literal,
    content::relative_to_nothing,
    content::repeated,
    content::redundant_nocase,
    content::unused_variables,
    scope::both_directions,
    scope::raw_content,
    scope::any_port,
    scope::without_flow,
];

#[cfg(test)]
mod tests;
