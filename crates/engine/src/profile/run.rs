//! What a run measures, and what becomes of it at its end, or when rules are exchanged.

use weir_base::profile::Aspect;

use super::{Logs, Profile, ProfilePlan};
use crate::run::Engine;
use crate::worker::Worker;
use crate::worker::measuring::Measured;

impl Engine {
    /// Returns what a run measures.
    pub(crate) fn profile_plan(&self, is_live: bool) -> ProfilePlan {
        let settings = &self.parts.settings.profiling;
        self.profiling.amend(ProfilePlan::new(settings, self.options.profile, is_live), settings)
    }

    /// Has workers measure what the run is to measure; the answer is what that is.
    pub(crate) fn begin_measuring(&self, workers: &mut [Worker], is_live: bool) -> ProfilePlan {
        let plan = self.profile_plan(is_live);
        for worker in workers {
            worker.begin_measuring(plan.rate, plan.aspects);
            worker.watch_slow(plan.slow_us);
            if plan.keeps_units {
                worker.keep_units();
            }
        }
        plan
    }

    /// Adds up what workers measured and writes the logs of it. The answer is the costs, where a log or the command line
    /// asked for them.
    pub(crate) fn write_profile(&self, plan: ProfilePlan, workers: &[Worker]) -> Option<Box<Profile>> {
        let is_asked = self.options.profile.is_some()
            || !plan.logged.is_empty()
            || plan.writes_slow
            || self.parts.settings.profiling.locks.enabled;
        if plan.aspects.is_empty() && !is_asked {
            return None;
        }
        let measured: Vec<Measured> = workers.iter().map(Worker::measured).collect();
        let profile = Profile::of(&measured);
        self.profiling.keep(&profile.rules);
        let logs = self.profile_logs(plan);
        logs.write(&profile).iter().for_each(|sentence| self.log.error("profiling", sentence));
        is_asked.then(|| Box::new(profile))
    }

    /// Tells of what rules cost that have been exchanged for others.
    pub(crate) fn tell_former_rules(&self, former: &[Measured]) {
        if former.is_empty() {
            return;
        }
        let rules = Profile::of(former).rules;
        self.profiling.keep(&rules);
        let plan = self.profile_plan(true);
        if plan.logged.has(Aspect::Rules) {
            let problem = self.profile_logs(plan).write_rules(&rules);
            problem.iter().for_each(|sentence| self.log.error("profiling", sentence));
        }
    }

    /// The logs of what is measured.
    pub(crate) fn profile_logs(&self, plan: ProfilePlan) -> Logs<'_> {
        Logs { settings: &self.parts.settings.profiling, folder: &self.log_folder, plan }
    }
}
