//! Profiles as `weir profile` prints them.

use serde_json::{Value, json};
use weir_base::JsonWriter;
use weir_base::profile::Aspect;
use weir_config::RuleSort;

use super::{Profile, RuleProfile, findings, groups, keywords, layers, locks, packets, prefilters, slow};
use crate::run::wall_clock;

/// Extent of what is printed.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Order of rules.
    pub sort: RuleSort,
    /// Most rows.
    pub limit: usize,
    /// Each worker is shown, too.
    pub by_worker: bool,
}

impl Profile {
    /// Returns what was measured, in a sentence.
    fn measured(&self) -> String {
        let billions = self.ticks_per_second / 1e9;
        let share = match self.rate.period() {
            0 | 1 => "Each packet was measured.".to_owned(),
            period => format!("One packet in {period} was measured; sums are for all."),
        };
        format!("{share} A second has {billions:.2} billion ticks.\n")
    }

    /// Returns the profile of rules.
    pub fn rules_text(&self, extent: &Extent) -> String {
        let mut text = format!("{}\n", self.measured());
        let now = wall_clock();
        self.rules.write_text(extent.sort, extent.limit, now, &mut text);
        if extent.by_worker {
            for (number, rules) in (1..).zip(&self.rules_by_worker) {
                text.push_str(&format!("Worker {number}\n\n"));
                rules.write_text(extent.sort, extent.limit, now, &mut text);
            }
        }
        add_findings(&findings::of_rules(self), &mut text);
        text
    }

    /// Returns the profile of rules as an object.
    pub fn rules_json(&self, extent: &Extent) -> String {
        self.json(&findings::of_rules(self), |json| {
            self.write_rules(&self.rules, extent, "profile", json);
            if extent.by_worker {
                json.array("workers");
                for rules in &self.rules_by_worker {
                    json.open_object();
                    self.write_rules(rules, extent, "profile", json);
                    json.close_object();
                }
                json.close_array();
            }
        })
    }

    /// Returns the rules, stages, locks and queues that cost most, so many of each.
    pub(crate) fn summary(&self, limit: usize) -> Value {
        let rules = self.rules.sorted(RuleSort::Ticks, limit).into_iter().map(|entry| {
            json!({
                "sid": entry.sid,
                "gid": entry.gid,
                "rev": entry.rev,
                "msg": entry.msg,
                "percent": self.rules.percent(entry),
                "ticks": entry.cost.ticks(),
                "checks": entry.cost.checks,
                "matches": entry.cost.matches,
                "ticks_avg": entry.cost.average(),
            })
        });
        let (layers, ticks, _) = layers::sorted(&self.layers);
        let layers = layers.iter().take(limit).map(|(layer, cost)| {
            json!({
                "name": layers::name(layer),
                "percent": cost.ticks as f64 * 100.0 / ticks.max(1) as f64,
                "ticks": cost.ticks * self.factor(Aspect::Layers),
            })
        });
        let locks = self.locks.iter().take(limit).map(|(name, _, waits)| {
            json!({
                "name": name,
                "taken": waits.taken,
                "contended": waits.contended,
                "seconds_waited": waits.waited as f64 / self.ticks_per_second.max(1.0),
                "seconds_longest": waits.longest as f64 / self.ticks_per_second.max(1.0),
                "longest_by_worker": waits.longest_by,
            })
        });
        let findings = [findings::of_rules(self), findings::of_layers(&self.layers)].concat();
        json!({
            "ticks_per_second": self.ticks_per_second as u64,
            "rules": rules.collect::<Vec<Value>>(),
            "layers": layers.collect::<Vec<Value>>(),
            "locks": locks.collect::<Vec<Value>>(),
            "findings": findings,
        })
    }

    /// Returns the profile of keywords.
    pub fn keywords_text(&self) -> String {
        let mut text = self.measured();
        keywords::write_text(&self.detect.keywords, self.factor(Aspect::Keywords), wall_clock(), &mut text);
        text
    }

    /// Returns the profile of keywords as an object.
    pub fn keywords_json(&self) -> String {
        let factor = self.factor(Aspect::Keywords);
        self.json(&[], |json| keywords::write_json(&self.detect.keywords, factor, json))
    }

    /// Returns the profile of searches for literals.
    pub fn prefilter_text(&self) -> String {
        let mut text = self.measured();
        let factor = self.factor(Aspect::Prefilters);
        prefilters::write_text(&self.detect.prefilters, factor, wall_clock(), &mut text);
        text
    }

    /// Returns the profile of searches for literals as an object.
    pub fn prefilter_json(&self) -> String {
        let factor = self.factor(Aspect::Prefilters);
        self.json(&[], |json| prefilters::write_json(&self.detect.prefilters, factor, json))
    }

    /// Returns the profile of groups of rules.
    pub fn groups_text(&self) -> String {
        let mut text = self.measured();
        groups::write_text(&self.detect.groups, self.factor(Aspect::Groups), wall_clock(), &mut text);
        text
    }

    /// Returns the profile of groups of rules as an object.
    pub fn groups_json(&self) -> String {
        let factor = self.factor(Aspect::Groups);
        self.json(&[], |json| groups::write_json(&self.detect.groups, factor, json))
    }

    /// Returns the profile of packets.
    pub fn packets_text(&self) -> String {
        let mut text = self.measured();
        packets::write_text(&self.layers, self.factor(Aspect::Layers), &mut text);
        text
    }

    /// Returns the profile of packets as an object.
    pub fn packets_json(&self) -> String {
        let factor = self.factor(Aspect::Layers);
        self.json(&[], |json| packets::write_json(&self.layers, factor, json))
    }

    /// Returns the profile of stages.
    pub fn layers_text(&self, extent: &Extent) -> String {
        let mut text = format!("{}\n", self.measured());
        layers::write_text(&self.layers, self.factor(Aspect::Layers), extent.limit, &mut text);
        add_findings(&findings::of_layers(&self.layers), &mut text);
        text
    }

    /// Returns the profile of stages as an object.
    pub fn layers_json(&self) -> String {
        let factor = self.factor(Aspect::Layers);
        self.json(&findings::of_layers(&self.layers), |json| layers::write_json(&self.layers, factor, json))
    }

    /// Returns the packets that took long.
    pub fn slow_text(&self, extent: &Extent) -> String {
        let mut text = String::new();
        slow::write_text(&self.slow, self.ticks_per_second, extent.limit, &mut text);
        text
    }

    /// Returns the packets that took long as an object.
    pub fn slow_json(&self) -> String {
        self.json(&[], |json| slow::write_json(&self.slow, self.ticks_per_second, json))
    }

    /// Returns the profile of locks and queues.
    pub fn locks_text(&self) -> String {
        let mut text = String::new();
        locks::write_text(&self.locks, self.ticks_per_second, &mut text);
        add_findings(&findings::of_locks(&self.locks, self.ticks_per_second), &mut text);
        text
    }

    /// Returns the profile of locks and queues as an object.
    pub fn locks_json(&self) -> String {
        let findings = findings::of_locks(&self.locks, self.ticks_per_second);
        self.json(&findings, |json| locks::write_json(&self.locks, json))
    }

    fn write_rules(&self, rules: &RuleProfile, extent: &Extent, key: &str, json: &mut JsonWriter<'_>) {
        json.raw(key, |out| rules.write_json(extent.sort, extent.limit, wall_clock(), out));
    }

    /// Returns an object of what was measured, what `write` adds, and what was found.
    fn json(&self, findings: &[String], write: impl FnOnce(&mut JsonWriter<'_>)) -> String {
        let mut out = Vec::new();
        let mut json = JsonWriter::new(&mut out);
        json.open_object();
        json.unsigned("measured_one_in", self.rate.period());
        json.unsigned("ticks_per_second", self.ticks_per_second as u64);
        write(&mut json);
        json.strings("findings", findings);
        json.close_object();
        out.push(b'\n');
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// Appends what was found.
fn add_findings(findings: &[String], text: &mut String) {
    if findings.is_empty() {
        return;
    }
    text.push_str("\nFindings\n");
    for finding in findings {
        text.push_str(&weir_base::wrap(&format!("  {finding}"), 2));
        text.push('\n');
    }
}
