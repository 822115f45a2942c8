//! The logs of costs: opened, written and closed when a run ends, or when rules are exchanged.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use weir_base::profile::Aspect;
use weir_config::{ProfileLog, ProfilingSettings, RuleSort};

use super::{Profile, ProfilePlan, RuleProfile, groups, keywords, locks, packets, prefilters, slow, units};
use crate::run::wall_clock;

/// Writes the logs of a run.
pub(crate) struct Logs<'a> {
    pub(crate) settings: &'a ProfilingSettings,
    pub(crate) folder: &'a Path,
    /// What there are logs of.
    pub(crate) plan: ProfilePlan,
}

impl Logs<'_> {
    /// Writes all logs of a run; the answer is a sentence for each that cannot be written.
    pub(crate) fn write(&self, profile: &Profile) -> Vec<String> {
        let mut problems = Vec::new();
        if self.plan.logged.has(Aspect::Rules) {
            problems.extend(self.write_rules(&profile.rules));
        }
        let now = wall_clock();
        let settings = self.settings;
        let mut text = String::new();
        if self.plan.logged.has(Aspect::Keywords) {
            keywords::write_text(&profile.detect.keywords, profile.factor(Aspect::Keywords), now, &mut text);
            problems.extend(self.put(&settings.keywords, std::mem::take(&mut text).as_bytes()));
        }
        if self.plan.logged.has(Aspect::Prefilters) {
            let factor = profile.factor(Aspect::Prefilters);
            prefilters::write_text(&profile.detect.prefilters, factor, now, &mut text);
            problems.extend(self.put(&settings.prefilter, std::mem::take(&mut text).as_bytes()));
        }
        if self.plan.logged.has(Aspect::Groups) {
            let (costs, factor) = (&profile.detect.groups, profile.factor(Aspect::Groups));
            let mut bytes = Vec::new();
            match settings.rulegroups.json {
                true => groups::write_log_json(costs, factor, now, &mut bytes),
                false => {
                    groups::write_text(costs, factor, now, &mut text);
                    bytes = std::mem::take(&mut text).into_bytes();
                }
            }
            problems.extend(self.put(&settings.rulegroups.log, &bytes));
        }
        if self.plan.logged.has(Aspect::Layers) {
            packets::write_text(&profile.layers, profile.factor(Aspect::Layers), &mut text);
            problems.extend(self.put(&settings.packets, std::mem::take(&mut text).as_bytes()));
        }
        if self.plan.keeps_units {
            problems.extend(self.put(&settings.packets_csv, units::csv(&profile.units).as_bytes()));
            problems.extend(units::problem(&profile.units));
        }
        if settings.locks.enabled {
            locks::write_log(&profile.locks, &mut text);
            problems.extend(self.put(&settings.locks, text.as_bytes()));
        }
        if self.plan.writes_slow {
            problems.extend(self.write_slow(profile));
        }
        problems
    }

    /// Writes the packets that took long.
    pub(crate) fn write_slow(&self, profile: &Profile) -> Option<String> {
        let log = ProfileLog { enabled: true, filename: slow::FILE.to_owned(), append: false };
        self.put(&log, &slow::capture(&profile.slow, profile.ticks_per_second))
    }

    /// Writes that of rules.
    pub(crate) fn write_rules(&self, rules: &RuleProfile) -> Option<String> {
        self.put(&self.settings.rules.log, &rule_log(rules, self.settings))
    }

    /// Writes into a log; the answer is why that cannot be.
    fn put(&self, log: &ProfileLog, text: &[u8]) -> Option<String> {
        let path: PathBuf = self.folder.join(&log.filename);
        let mut options = OpenOptions::new();
        options.create(true).write(true);
        match log.append {
            true => options.append(true),
            false => options.truncate(true),
        };
        let written = options.open(&path).and_then(|mut file| file.write_all(text));
        let error = written.err()?;
        Some(format!("The profile {} cannot be written: {error}.", path.display()))
    }
}

/// Returns `rule_perf.log`: all orders, or the one that is set.
fn rule_log(rules: &RuleProfile, settings: &ProfilingSettings) -> Vec<u8> {
    let now = wall_clock();
    let own = &settings.rules;
    let mut out = Vec::new();
    for sort in RuleSort::ALL.into_iter().filter(|sort| own.sort.is_none_or(|only| only == *sort)) {
        if own.json {
            rules.write_json(sort, own.limit, now, &mut out);
            out.push(b'\n');
        } else {
            let mut text = String::new();
            rules.write_text(sort, own.limit, now, &mut text);
            out.extend_from_slice(text.as_bytes());
        }
    }
    out
}
