//! What numbers say, as sentences.

use weir_base::profile::Stage;
use weir_base::profile::layers::LayerCosts;
use weir_base::profile::locks::Kind;

use super::{Profile, RuleEntry, layers, locks};
use crate::summary::grouped;

/// Share of all ticks from which on a rule is worth a sentence, in percent.
const WORTH_TELLING: f64 = 5.0;

/// Most sentences.
const MAX_FINDINGS: usize = 5;

/// Returns sentences about the rules that take most.
pub(super) fn of_rules(profile: &Profile) -> Vec<String> {
    let rules = &profile.rules;
    let mut dear: Vec<&RuleEntry> =
        rules.entries.iter().filter(|entry| rules.percent(entry) >= WORTH_TELLING).collect();
    dear.sort_by_key(|entry| std::cmp::Reverse(entry.cost.ticks()));
    dear.truncate(MAX_FINDINGS);
    dear.into_iter().map(|entry| of_rule(entry, rules.percent(entry))).collect()
}

fn of_rule(entry: &RuleEntry, percent: f64) -> String {
    let RuleEntry { sid, cost, searches, prefilter, .. } = entry;
    let share = format!("Rule {sid} takes {percent:.0} % of the time of rules");
    let looked = match (prefilter, *searches > cost.checks / 2) {
        (Some(literal), true) => format!(
            "its pcre runs {} times because `{literal}` is its prefilter, which has it looked at {} times",
            grouped(*searches),
            grouped(cost.checks)
        ),
        (Some(literal), false) => {
            format!("it is looked at {} times because `{literal}` is its prefilter", grouped(cost.checks))
        }
        (None, true) => format!(
            "its pcre runs {} times because no literal narrows where it is looked at",
            grouped(*searches)
        ),
        (None, false) => {
            format!("it is looked at {} times because no literal narrows that", grouped(cost.checks))
        }
    };
    let matched = match cost.matches {
        0 => "and never matches".to_owned(),
        1 => "and matches once".to_owned(),
        matches => format!("and matches {} times", grouped(matches)),
    };
    format!("{share}: {looked}, {matched}. `weir explain sid:{sid}` shows its steps.")
}

/// Share of all time from which on a layer is worth a sentence, in percent.
const DEAR_LAYER: f64 = 20.0;

/// Returns sentences about the layers that take most.
pub(super) fn of_layers(costs: &LayerCosts) -> Vec<String> {
    let (rows, all, units) = layers::sorted(costs);
    let mut found = Vec::new();
    for (layer, cost) in rows.iter().take(MAX_FINDINGS) {
        let share = cost.ticks as f64 * 100.0 / all.max(1) as f64;
        if share >= DEAR_LAYER {
            let name = layers::name(layer);
            let packets = cost.units as f64 * 100.0 / units.max(1) as f64;
            found.push(format!("{name} takes {share:.0} % of the time, in {packets:.0} % of the packets."));
        }
    }
    found.extend((layers::of_stage(costs, Stage::Detect) * 2 > all && all > 0).then(|| {
        "Rules take more than half of the time: `weir profile rules` says which, `weir profile prefilter` which \
         fields are searched."
            .to_owned()
    }));
    found
}

/// Returns sentences about what was waited for.
pub(super) fn of_locks(entries: &[locks::Entry], ticks_per_second: f64) -> Vec<String> {
    let waited = entries.iter().filter(|(_, _, waits)| waits.contended > 0).take(MAX_FINDINGS);
    let sentence = |(name, kind, waits): &locks::Entry| {
        let time = |ticks| locks::seconds(ticks, ticks_per_second);
        let who = match waits.most_by {
            0 => "other threads than workers".to_owned(),
            worker => format!("worker {worker}"),
        };
        let what = match kind {
            Kind::Lock => format!("The lock `{name}`"),
            Kind::Queue => format!("The queue `{name}`"),
            Kind::Order => format!("The {name}"),
        };
        format!(
            "{what} was waited for {} times of {}, for {} in all, most of it by {who} ({}).",
            grouped(waits.contended),
            grouped(waits.taken),
            time(waits.waited),
            time(waits.most)
        )
    };
    waited.map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::super::RuleProfile;
    use super::*;

    fn entry(sid: u32, checks: u64, matches: u64, searches: u64, prefilter: Option<&str>) -> RuleEntry {
        let mut entry =
            RuleEntry { sid, searches, prefilter: prefilter.map(str::to_owned), ..RuleEntry::default() };
        (0..checks).for_each(|check| entry.cost.add(10, check < matches));
        entry
    }

    #[test]
    fn rules_that_take_much_are_explained() {
        for (entry, expected) in [
            (
                entry(7, 40_000, 0, 40_000, Some("content:\"GET\"")),
                "its pcre runs 40,000 times because `content:\"GET\"` is its prefilter, which has it looked at 40,000 times, and never matches.",
            ),
            (
                entry(7, 1_000, 1, 0, Some("content:\"GET\"")),
                "it is looked at 1,000 times because `content:\"GET\"` is its prefilter, and matches once.",
            ),
            (
                entry(7, 10, 10, 10, None),
                "its pcre runs 10 times because no literal narrows where it is looked at, and matches 10 times.",
            ),
            (
                entry(7, 10, 2, 0, None),
                "it is looked at 10 times because no literal narrows that, and matches 2 times.",
            ),
        ] {
            let cheap = RuleEntry { sid: 8, ..RuleEntry::default() };
            let rules = RuleProfile { entries: vec![entry, cheap] };
            let found = of_rules(&Profile { rules, ..Profile::default() });
            let expected = format!(
                "Rule 7 takes 100 % of the time of rules: {expected} `weir explain sid:7` shows its steps."
            );
            assert_eq!(found, [expected]);
        }
    }
}
