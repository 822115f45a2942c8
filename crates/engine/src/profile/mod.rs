//! What a run costs, by rule, keyword, search, group, packet, stage and lock: gathered from the workers, and written as
//! logs, tables and sentences.
//!
//! The logs have the form of those that Suricata's profiling builds write. Numbers are sums over all packets: where one
//! in so many was measured, they are those of what was measured, times so many.

mod findings;
mod groups;
mod keywords;
mod layers;
mod locks;
mod logs;
mod packets;
mod prefilters;
mod report;
mod rules;
mod run;
mod slow;
mod switch;
mod table;
mod units;

use weir_base::cycles;
use weir_base::profile::layers::LayerCosts;
use weir_base::profile::{Aspect, Aspects, Rate, Sampler, Units};
use weir_config::ProfilingSettings;
use weir_detect::DetectProfile;

pub use report::Extent;
pub use rules::{RuleEntry, RuleProfile};

pub(crate) use logs::Logs;
pub(crate) use switch::{Asked, ProfileSwitch};

use crate::worker::measuring::Measured;
use crate::worker::slow::Slow;

/// Microseconds that are long for packets of interfaces, where nothing else is said.
const SLOW_US: u32 = 3000;

/// What is to be measured, whatever the configuration says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProfileChoice {
    /// Aspects.
    pub aspects: Aspects,
    /// Share of the packets.
    pub rate: Rate,
    /// Packets that take longer are kept, in microseconds; 0: none are.
    pub slow_us: u32,
}

/// What a run measures, and what it writes logs of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ProfilePlan {
    pub(crate) rate: Rate,
    pub(crate) aspects: Aspects,
    /// Those of them of which logs are written.
    pub(crate) logged: Aspects,
    /// Packets that take longer are kept, in microseconds; 0: none are.
    pub(crate) slow_us: u32,
    /// They are written, too.
    pub(crate) writes_slow: bool,
    /// Costs of each measured packet are kept, and written.
    pub(crate) keeps_units: bool,
}

impl ProfilePlan {
    /// The plan of a run with these settings.
    pub(crate) fn new(settings: &ProfilingSettings, choice: Option<ProfileChoice>, is_live: bool) -> Self {
        let mut logged = Aspects::NONE;
        for (aspect, log, is_active) in [
            (Aspect::Rules, &settings.rules.log, settings.rules.active),
            (Aspect::Keywords, &settings.keywords, false),
            (Aspect::Prefilters, &settings.prefilter, false),
            (Aspect::Groups, &settings.rulegroups.log, false),
            (Aspect::Layers, &settings.packets, false),
        ] {
            let of_choice = choice.is_some_and(|choice| choice.aspects.has(aspect));
            if log.enabled && (is_active || settings.active || of_choice) {
                logged = logged.with(aspect);
            }
        }
        let all = Aspect::ALL.into_iter().fold(Aspects::NONE, Aspects::with);
        let aspects = match choice {
            Some(choice) => choice.aspects.or(logged),
            None if is_live && settings.live => all,
            None => logged,
        };
        // What was searched belongs to the group that it was searched for.
        let aspects = if aspects.has(Aspect::Groups) { aspects.with(Aspect::Prefilters) } else { aspects };
        let rate = match (choice, settings.sample_rate) {
            _ if aspects.is_empty() => Rate::Off,
            (Some(choice), _) => choice.rate,
            (None, Some(period)) => Rate::OneIn(period),
            (None, None) => Rate::SAMPLED,
        };
        let slow_asked = choice.map(|choice| choice.slow_us).or(settings.slow_us);
        let of_live = if is_live && settings.live { SLOW_US } else { 0 };
        let slow_us = slow_asked.unwrap_or(of_live);
        Self {
            rate,
            aspects,
            logged,
            slow_us,
            writes_slow: slow_asked.is_some() && slow_us > 0,
            keeps_units: logged.has(Aspect::Layers) && settings.packets_csv.enabled,
        }
    }
}

/// Costs of a run.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Share of the packets that was measured.
    pub rate: Rate,
    /// Ticks of a second.
    pub ticks_per_second: f64,
    /// Rules.
    pub rules: RuleProfile,
    /// Rules as each worker had them.
    pub rules_by_worker: Vec<RuleProfile>,
    /// What was measured of keywords, searches and groups.
    detect: DetectProfile,
    /// What was measured of stages.
    layers: LayerCosts,
    /// Locks and queues, of the whole program.
    locks: Vec<locks::Entry>,
    /// Says what was measured stands for.
    sampler: Sampler,
    /// Costs of each packet, by worker, where they are kept.
    units: Vec<Units>,
    /// Packets that took long, by worker.
    slow: Vec<(usize, Vec<Slow>)>,
}

impl Profile {
    /// Adds up what workers measured.
    pub(crate) fn of(workers: &[Measured]) -> Self {
        let rate = workers.first().map(|worker| worker.sampler.rate()).unwrap_or_default();
        let rules_by_worker: Vec<RuleProfile> = workers.iter().map(RuleProfile::of).collect();
        let mut rules = RuleProfile::default();
        rules_by_worker.iter().for_each(|own| rules.merge(own));
        let mut detect = DetectProfile::default();
        workers.iter().flat_map(|worker| &worker.detect).for_each(|(_, _, own)| detect.merge_shared(own));
        let mut layers = LayerCosts::default();
        workers.iter().for_each(|worker| layers.merge(&worker.layers));
        let sampler = workers.first().map(|worker| worker.sampler.clone()).unwrap_or_default();
        Self {
            rate,
            ticks_per_second: cycles::per_second(),
            rules,
            rules_by_worker,
            detect,
            layers,
            locks: weir_base::profile::locks::all(),
            sampler,
            units: workers.iter().filter_map(|worker| worker.units.as_deref().cloned()).collect(),
            slow: (1..).zip(workers.iter().map(|worker| worker.slow.clone())).collect(),
        }
    }

    /// Returns the packets that a measured one stands for.
    pub(crate) fn factor(&self, aspect: Aspect) -> u64 {
        self.sampler.factor(aspect)
    }
}

#[cfg(test)]
mod tests {
    use weir_config::Settings;

    use super::*;

    #[test]
    fn what_is_measured_depends_on_settings_run_and_command() {
        let all = Aspect::ALL.into_iter().fold(Aspects::NONE, Aspects::with);
        let rules = Aspects::of(Aspect::Rules);
        let choice =
            ProfileChoice { aspects: Aspects::of(Aspect::Keywords), rate: Rate::OneIn(1), slow_us: 0 };
        for (lines, choice, is_live, rate, aspects, logged) in [
            ("live: yes", None, false, Rate::Off, Aspects::NONE, Aspects::NONE),
            ("live: yes", None, true, Rate::SAMPLED, all, Aspects::NONE),
            ("live: no", None, true, Rate::Off, Aspects::NONE, Aspects::NONE),
            ("rules:\n    active: yes", None, false, Rate::SAMPLED, rules, rules),
            ("sample-rate: 1\n  rules:\n    active: yes", None, true, Rate::OneIn(1), all, rules),
            (
                "rules:\n    enabled: no\n    active: yes",
                None,
                false,
                Rate::Off,
                Aspects::NONE,
                Aspects::NONE,
            ),
            ("active: yes", None, false, Rate::SAMPLED, all, all),
            ("live: yes", Some(choice), true, Rate::OneIn(1), choice.aspects, choice.aspects),
        ] {
            let text = format!("%YAML 1.1\n---\nprofiling:\n  {lines}\n");
            let settings = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).unwrap();
            let settings = ProfilingSettings::from_settings(&settings).unwrap();
            let plan = ProfilePlan::new(&settings, choice, is_live);
            let is_watched = choice.is_none() && is_live && settings.live;
            assert_eq!((plan.slow_us, plan.writes_slow), (if is_watched { SLOW_US } else { 0 }, false));
            assert_eq!((plan.rate, plan.aspects, plan.logged), (rate, aspects, logged), "{lines}");
        }
    }
}
