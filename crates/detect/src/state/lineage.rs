//! Lineage: which rule of a ruleset is which of those before it.
//!
//! Rules are loaded anew while flows go on that earlier ones have looked at. State that belongs to a position in a
//! ruleset is taken over with the flow's next packet, by the generation that it is of.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::SignatureIndex;

/// Most earlier generations that are known; marks of single rules in flows that slept for longer are forgotten.
pub const KEPT_GENERATIONS: usize = 8;

/// Stands for a rule that is not there any more.
const GONE: u32 = u32::MAX;

/// Place of a ruleset among those that came before it.
#[derive(Clone, Debug, Default)]
pub struct Lineage {
    generation: u16,
    /// By rule of an earlier generation, the latest one first: the same rule of this one.
    earlier: VecDeque<Vec<u32>>,
}

/// A ruleset whose place another one takes.
#[derive(Clone, Debug, Default)]
pub struct Predecessor {
    /// Its place among those before it.
    pub lineage: Lineage,
    /// The texts of its rules, by which they are known, in order.
    pub texts: Vec<Arc<str>>,
}

impl Lineage {
    /// The lineage of rules with these texts that take the place of others.
    pub(crate) fn after<'a>(
        predecessor: &Predecessor,
        successors: impl Iterator<Item = &'a Arc<str>>,
    ) -> Self {
        let before = &predecessor.lineage;
        let own: HashMap<&str, u32> = successors.map(|text| &**text).zip(0..).collect();
        let place = |text: &Arc<str>| own.get(&**text).copied().unwrap_or(GONE);
        let latest: Vec<u32> = predecessor.texts.iter().map(place).collect();
        let through = |earlier: &Vec<u32>| {
            let own = |&rule: &u32| latest.get(rule as usize).copied().unwrap_or(GONE);
            earlier.iter().map(own).collect()
        };
        let older = before.earlier.iter().take(KEPT_GENERATIONS - 1).map(through).collect::<Vec<_>>();
        let mut earlier = VecDeque::from(older);
        earlier.push_front(latest);
        Self { generation: before.generation.wrapping_add(1), earlier }
    }

    /// Number of this generation; it wraps.
    pub const fn generation(&self) -> u16 {
        self.generation
    }

    /// The rule of this generation that is the same as one of an earlier generation.
    pub fn successor(&self, generation: u16, rule: SignatureIndex) -> Option<SignatureIndex> {
        let age = self.generation.wrapping_sub(generation);
        let own = self.earlier.get(usize::from(age.checked_sub(1)?))?.get(rule.0 as usize)?;
        (*own != GONE).then_some(SignatureIndex(*own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(before: &Lineage, rules: &str, successors: &str) -> Lineage {
        let texts =
            |rules: &str| rules.chars().map(|text| text.to_string().into()).collect::<Vec<Arc<str>>>();
        let predecessor = Predecessor { lineage: before.clone(), texts: texts(rules) };
        Lineage::after(&predecessor, texts(successors).iter())
    }

    #[test]
    fn a_rule_is_found_through_generations() {
        let first = Lineage::default();
        let second = after(&first, "abc", "cxb");
        let third = after(&second, "cxb", "bya");
        // The lineage, the generation of a rule and its place there, and its place now.
        for (lineage, generation, rule, expected) in [
            (&second, 0, 0, None),
            (&second, 0, 1, Some(2)),
            (&second, 0, 2, Some(0)),
            (&second, 0, 3, None),
            (&third, 1, 2, Some(0)),
            (&third, 1, 1, None),
            (&third, 0, 1, Some(0)),
            // A rule that was gone in between is another one.
            (&third, 0, 0, None),
            (&third, 7, 0, None),
        ] {
            let found = lineage.successor(generation, SignatureIndex(rule));
            assert_eq!(found, expected.map(SignatureIndex), "{generation} {rule}");
        }
    }

    #[test]
    fn so_many_generations_are_known() {
        let mut lineage = Lineage { generation: u16::MAX - 3, earlier: VecDeque::new() };
        let first = lineage.generation();
        for age in 1..=KEPT_GENERATIONS as u16 + 1 {
            lineage = after(&lineage, "a", "a");
            let kept = usize::from(age) <= KEPT_GENERATIONS;
            assert_eq!(lineage.successor(first, SignatureIndex(0)).is_some(), kept, "{age}");
        }
        assert_eq!(lineage.generation(), first.wrapping_add(KEPT_GENERATIONS as u16 + 1));
    }
}
