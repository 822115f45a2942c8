//! Measurements that clients of the control socket begin and end, and what came of them.

use std::sync::{Mutex, PoisonError};

use weir_base::profile::{Aspect, Rate};
use weir_config::ProfilingSettings;

use super::{ProfilePlan, RuleProfile};

/// State of what clients have measured.
#[derive(Debug, Default)]
pub(crate) struct ProfileSwitch(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The command that was given last.
    asked: Option<Asked>,
    /// Rules of runs and rulesets that are over.
    rules: RuleProfile,
}

/// A command about profiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asked {
    /// To begin.
    Start,
    /// To end.
    Stop,
}

impl ProfileSwitch {
    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes note of a command. What was measured before is forgotten where it begins anew.
    pub(crate) fn set(&self, asked: Asked) {
        self.with(|state| {
            state.asked = Some(asked);
            if asked == Asked::Start {
                state.rules = RuleProfile::default();
            }
        });
    }

    /// Returns the plan as clients changed it.
    pub(crate) fn amend(&self, plan: ProfilePlan, settings: &ProfilingSettings) -> ProfilePlan {
        match self.with(|state| state.asked) {
            None => plan,
            Some(Asked::Stop) => ProfilePlan { rate: Rate::Off, ..plan },
            Some(Asked::Start) => {
                let rate = settings.sample_rate.map_or(Rate::SAMPLED, Rate::OneIn);
                ProfilePlan { rate, aspects: plan.aspects.with(Aspect::Rules), ..plan }
            }
        }
    }

    /// Keeps what rules cost that are gone, or in a run that is over.
    pub(crate) fn keep(&self, rules: &RuleProfile) {
        self.with(|state| state.rules.merge(rules));
    }

    /// Returns what rules cost that are gone.
    pub(crate) fn kept(&self) -> RuleProfile {
        self.with(|state| state.rules.clone())
    }
}

#[cfg(test)]
mod tests {
    use weir_base::profile::Aspects;
    use weir_config::Settings;

    use super::*;
    use crate::profile::RuleEntry;

    #[test]
    fn clients_begin_and_end_measuring() {
        let settings = Settings::built_in::<&str>(&[]).unwrap();
        let settings = ProfilingSettings::from_settings(&settings).unwrap();
        let (switch, plan) = (ProfileSwitch::default(), ProfilePlan::default());
        assert_eq!(switch.amend(plan, &settings), plan);
        switch.keep(&RuleProfile { entries: vec![RuleEntry::default()] });
        assert_eq!(switch.kept().entries.len(), 1);
        switch.set(Asked::Start);
        let begun = switch.amend(plan, &settings);
        assert_eq!((begun.rate, begun.aspects), (Rate::SAMPLED, Aspects::of(Aspect::Rules)));
        assert!(switch.kept().entries.is_empty());
        switch.set(Asked::Stop);
        assert_eq!(switch.amend(begun, &settings).rate, Rate::Off);
    }
}
