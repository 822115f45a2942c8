//! The cost of each rule, by its place in the ruleset.

use weir_base::profile::Cost;

use crate::state::SignatureIndex;

/// Cost of one rule.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RuleCost {
    /// Inspections.
    pub cost: Cost,
    /// Searches of its regular expressions.
    pub searches: u64,
}

/// Costs of a ruleset's rules.
#[derive(Clone, Debug, Default)]
pub struct RuleCosts(Vec<RuleCost>);

impl RuleCosts {
    /// A table for so many rules. The system gives memory for those that are looked at.
    pub fn new(rules: usize) -> Self {
        Self(vec![RuleCost::default(); rules])
    }

    /// Adds an inspection.
    pub(crate) fn add(&mut self, rule: SignatureIndex, ticks: u64, is_match: bool, searches: u64) {
        if let Some(own) = self.0.get_mut(rule.0 as usize) {
            own.cost.add(ticks, is_match);
            own.searches += searches;
        }
    }

    /// Adds the inspections of another worker.
    pub fn merge(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), RuleCost::default());
        }
        for (own, other) in self.0.iter_mut().zip(&other.0).filter(|(_, other)| other.cost.checks > 0) {
            own.cost.merge(&other.cost);
            own.searches += other.searches;
        }
    }

    /// Returns the rules that were looked at.
    pub fn inspected(&self) -> impl Iterator<Item = (SignatureIndex, &RuleCost)> {
        let rules = self.0.iter().enumerate().filter(|(_, rule)| rule.cost.checks > 0);
        rules.map(|(place, rule)| (SignatureIndex(place as u32), rule))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_added_up_by_place() {
        let (mut all, mut one) = (RuleCosts::new(3), RuleCosts::new(3));
        one.add(SignatureIndex(1), 10, false, 2);
        one.add(SignatureIndex(1), 30, true, 1);
        one.add(SignatureIndex(9), 30, true, 1);
        all.merge(&one);
        all.merge(&one);
        let seen: Vec<_> =
            all.inspected().map(|(index, rule)| (index.0, rule.cost.ticks(), rule.searches)).collect();
        assert_eq!(seen, [(1, 80, 6)]);
        assert_eq!(
            all.inspected().next().map(|(_, rule)| (rule.cost.checks, rule.cost.matches)),
            Some((4, 2))
        );
    }
}
