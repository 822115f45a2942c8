//! What rules cost a worker: by rule, by keyword and buffer, by search for literals, by group of rules.
//!
//! A worker fills tables of its own while it inspects what its sampler chose ([`weir_base::profile`]); they are added up
//! where somebody asks, or at the end.

mod groups;
mod keywords;
mod prefilters;
mod rules;

pub(crate) use groups::LookedUp;
pub use groups::{GroupCost, GroupCosts, GroupName};
pub use keywords::{KeywordCost, KeywordCosts, PACKET_CHECKS};
pub use prefilters::{PrefilterCost, PrefilterCosts};
pub use rules::{RuleCost, RuleCosts};

/// All that was measured of one ruleset by one worker, or by several.
#[derive(Clone, Debug, Default)]
pub struct DetectProfile {
    /// By rule.
    pub rules: RuleCosts,
    /// By buffer and keyword.
    pub keywords: KeywordCosts,
    /// By search.
    pub prefilters: PrefilterCosts,
    /// By group.
    pub groups: GroupCosts,
    /// Searches since a group was last looked up.
    pub(crate) searches: u64,
}

impl DetectProfile {
    /// Tables for so many rules.
    pub fn new(rules: usize) -> Self {
        Self { rules: RuleCosts::new(rules), ..Self::default() }
    }

    /// Adds what was measured of other rules: all but the rules themselves.
    pub fn merge_shared(&mut self, other: &Self) {
        self.keywords.merge(&other.keywords);
        self.prefilters.merge(&other.prefilters);
        self.groups.merge(&other.groups);
    }

    /// Adds what another worker measured of the same rules.
    pub fn merge(&mut self, other: &Self) {
        self.rules.merge(&other.rules);
        self.merge_shared(other);
    }
}
