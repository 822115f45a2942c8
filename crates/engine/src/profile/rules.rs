//! What rules cost: their profile, and `rule_perf.log` in its two forms.

use std::collections::BTreeMap;

use weir_base::profile::{Aspect, Cost};
use weir_base::{JsonWriter, Timestamp};
use weir_config::RuleSort;
use weir_detect::signature::PrefilterPlace;
use weir_detect::{Ruleset, Signature};

use super::table::{dashes, row, rule};
use crate::worker::measuring::Measured;

/// Most bytes of a literal that are shown.
const SHOWN: usize = 24;

/// Names of the columns, with their widths in rows.
const COLUMNS: [(&str, usize); 12] = [
    ("Num", 8),
    ("Rule", 12),
    ("Gid", 8),
    ("Rev", 8),
    ("Ticks", 12),
    ("%", 6),
    ("Checks", 8),
    ("Matches", 8),
    ("Max Ticks", 11),
    ("Avg Ticks", 11),
    ("Avg Match", 11),
    ("Avg No Match", 11),
];

/// Width of the last column's dashes, which are wider than the column.
const LAST_DASHES: usize = 14;

/// What one rule cost.
#[derive(Clone, Debug, Default)]
pub struct RuleEntry {
    /// Signature id.
    pub sid: u32,
    /// Generator id.
    pub gid: u32,
    /// Revision.
    pub rev: u32,
    /// Message.
    pub msg: String,
    /// Inspections.
    pub cost: Cost,
    /// Searches of its regular expressions.
    pub searches: u64,
    /// The literal that has it looked at, as rules write it; none where nothing narrows it.
    pub prefilter: Option<String>,
}

/// What rules cost.
#[derive(Clone, Debug, Default)]
pub struct RuleProfile {
    /// Rules that were looked at, in order of their numbers.
    pub entries: Vec<RuleEntry>,
}

impl RuleProfile {
    /// Returns the rules that a worker measured, with what they stand for.
    pub(crate) fn of(worker: &Measured) -> Self {
        let factor = worker.sampler.factor(Aspect::Rules);
        let mut all = Self::default();
        for (_, ruleset, profile) in &worker.detect {
            all.merge(&Self::of_ruleset(ruleset, profile, factor));
        }
        all
    }

    fn of_ruleset(ruleset: &Ruleset, profile: &weir_detect::DetectProfile, factor: u64) -> Self {
        let entries = profile.rules.inspected().filter_map(|(index, rule)| {
            let signature = ruleset.signature(index)?;
            let info = &signature.info;
            Some(RuleEntry {
                sid: info.sid,
                gid: info.gid,
                rev: info.rev,
                msg: info.msg.to_string(),
                cost: rule.cost.times(factor),
                searches: rule.searches * factor,
                prefilter: literal(signature),
            })
        });
        let mut profile = Self::default();
        profile.merge(&Self { entries: entries.collect() });
        profile
    }

    /// Adds the rules of another worker, tenant or run.
    pub(crate) fn merge(&mut self, other: &Self) {
        let key = |entry: &RuleEntry| (entry.gid, entry.sid, entry.rev);
        let mut all: BTreeMap<_, RuleEntry> =
            std::mem::take(&mut self.entries).into_iter().map(|entry| (key(&entry), entry)).collect();
        for entry in &other.entries {
            match all.get_mut(&key(entry)) {
                Some(known) => {
                    known.cost.merge(&entry.cost);
                    known.searches += entry.searches;
                }
                None => {
                    all.insert(key(entry), entry.clone());
                }
            }
        }
        self.entries = all.into_values().collect();
    }

    /// Returns the ticks of all rules.
    pub fn ticks(&self) -> u64 {
        self.entries.iter().map(|entry| entry.cost.ticks()).sum()
    }

    /// Returns the share of a rule in the ticks of all, in percent.
    pub fn percent(&self, entry: &RuleEntry) -> f64 {
        entry.cost.ticks() as f64 * 100.0 / self.ticks().max(1) as f64
    }

    /// Returns the first rules in an order, the most first.
    pub fn sorted(&self, sort: RuleSort, limit: usize) -> Vec<&RuleEntry> {
        let mut sorted: Vec<&RuleEntry> = self.entries.iter().collect();
        sorted.sort_by(|one, other| measure(&other.cost, sort).total_cmp(&measure(&one.cost, sort)));
        sorted.truncate(limit);
        sorted
    }

    /// Appends the table in an order.
    pub fn write_text(&self, sort: RuleSort, limit: usize, now: Timestamp, out: &mut String) {
        rule(out, 74);
        out.push_str(&format!("  Date: {}. Sorted by: {}.\n", date(now), sort.description()));
        rule(out, 74);
        row(out, 3, COLUMNS);
        let last = COLUMNS.len() - 1;
        let width =
            |(place, (_, width)): (usize, &(&str, usize))| if place == last { LAST_DASHES } else { *width };
        dashes(out, COLUMNS.iter().enumerate().map(width));
        for (number, entry) in (1..).zip(self.sorted(sort, limit)) {
            let cost = &entry.cost;
            let cells: [String; 12] = [
                format!("{number}"),
                entry.sid.to_string(),
                entry.gid.to_string(),
                entry.rev.to_string(),
                cost.ticks().to_string(),
                format!("{:.2}", self.percent(entry)),
                cost.checks.to_string(),
                cost.matches.to_string(),
                cost.max.to_string(),
                format!("{:.2}", cost.average()),
                format!("{:.2}", cost.average_match()),
                format!("{:.2}", cost.average_no_match()),
            ];
            row(out, 2, cells.into_iter().zip(COLUMNS.map(|(_, width)| width)));
        }
        out.push('\n');
    }

    /// Appends the object of an order.
    pub fn write_json(&self, sort: RuleSort, limit: usize, now: Timestamp, out: &mut Vec<u8>) {
        let mut json = JsonWriter::new(out);
        json.open_object();
        json.string("timestamp", now.iso8601());
        json.string("sort", sort.description());
        json.array("rules");
        for entry in self.sorted(sort, limit) {
            let cost = &entry.cost;
            json.open_object();
            for (name, number) in [
                ("signature_id", u64::from(entry.sid)),
                ("gid", u64::from(entry.gid)),
                ("rev", u64::from(entry.rev)),
                ("checks", cost.checks),
                ("matches", cost.matches),
                ("ticks_total", cost.ticks()),
                ("ticks_max", cost.max),
                ("ticks_avg", cost.average() as u64),
                ("ticks_avg_match", cost.average_match() as u64),
                ("ticks_avg_nomatch", cost.average_no_match() as u64),
                ("percent", self.percent(entry) as u64),
            ] {
                json.unsigned(name, number);
            }
            json.close_object();
        }
        json.close_array();
        json.close_object();
    }
}

/// Returns what an order goes by.
fn measure(cost: &Cost, sort: RuleSort) -> f64 {
    match sort {
        RuleSort::Ticks => cost.ticks() as f64,
        RuleSort::AverageTicks => cost.average(),
        RuleSort::AverageMatch => cost.average_match(),
        RuleSort::AverageNoMatch => cost.average_no_match(),
        RuleSort::Checks => cost.checks as f64,
        RuleSort::Matches => cost.matches as f64,
        RuleSort::MaxTicks => cost.max as f64,
    }
}

/// Returns the literal of a rule's prefilter, with where it is looked for.
fn literal(signature: &Signature) -> Option<String> {
    let content = signature.prefilter_content()?;
    let bytes = content.prefilter_bytes();
    let shown = bytes.get(..SHOWN).unwrap_or(bytes);
    let cut = if shown.len() < bytes.len() { "…" } else { "" };
    let text = shown.iter().map(|byte| match byte {
        b' '..=b'~' if !b"\"|;:\\".contains(byte) => char::from(*byte).to_string(),
        byte => format!("|{byte:02x}|"),
    });
    let text: String = text.collect::<String>().replace("||", " ");
    let place = match signature.prefilter.as_ref()?.place {
        PrefilterPlace::Payload => String::new(),
        PrefilterPlace::Buffer(_) => format!("{}; ", signature.prefilter_buffer()?.name),
    };
    Some(format!("{place}content:\"{text}{cut}\""))
}

/// `9/5/2013 -- 14:59:58`
pub(super) fn date(now: Timestamp) -> String {
    let civil = now.local().civil;
    format!(
        "{}/{}/{:04} -- {:02}:{:02}:{:02}",
        civil.month, civil.day, civil.year, civil.hour, civil.minute, civil.second
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(sid: u32, costs: &[(u64, bool)]) -> RuleEntry {
        let mut entry = RuleEntry { sid, gid: 1, rev: 2, ..RuleEntry::default() };
        costs.iter().for_each(|(ticks, is_match)| entry.cost.add(*ticks, *is_match));
        entry
    }

    fn profile() -> RuleProfile {
        let entries = vec![
            entry(1, &[(100, false), (300, true)]),
            entry(2, &[(500, false)]),
            entry(3, &[(20, false), (40, false), (40, false)]),
        ];
        RuleProfile { entries }
    }

    #[test]
    fn rules_are_sorted_by_each_measure() {
        for (sort, expected) in [
            (RuleSort::Ticks, [2, 1, 3]),
            (RuleSort::AverageTicks, [2, 1, 3]),
            (RuleSort::AverageMatch, [1, 2, 3]),
            (RuleSort::AverageNoMatch, [2, 1, 3]),
            (RuleSort::Checks, [3, 1, 2]),
            (RuleSort::Matches, [1, 2, 3]),
            (RuleSort::MaxTicks, [2, 1, 3]),
        ] {
            let profile = profile();
            let sids: Vec<u32> = profile.sorted(sort, 9).iter().map(|entry| entry.sid).collect();
            assert_eq!(sids, expected, "{sort:?}");
            assert_eq!(profile.sorted(sort, 1).len(), 1);
        }
    }

    #[test]
    fn the_table_has_the_form_of_the_log() {
        let mut text = String::new();
        profile().write_text(RuleSort::Ticks, 2, Timestamp::new(0, 0), &mut text);
        let lines: Vec<&str> = text.lines().collect();
        let [first, date, second, names, dashes, two, one, end] = lines.try_into().unwrap();
        assert!(first == second && first.trim().len() == 74 && end.is_empty());
        assert!(date.starts_with("  Date: 1/1/1970 -- ") && date.ends_with(". Sorted by: ticks."), "{date}");
        assert_eq!(
            names,
            "   Num      Rule         Gid      Rev      Ticks        %      Checks   Matches  Max Ticks   Avg Ticks   Avg Match   Avg No Match"
        );
        assert_eq!(
            dashes,
            "  -------- ------------ -------- -------- ------------ ------ -------- -------- ----------- ----------- ----------- -------------- "
        );
        assert_eq!(
            two,
            "  1        2            1        2        500          50.00  1        0        500         500.00      0.00        500.00     "
        );
        assert_eq!(
            one,
            "  2        1            1        2        400          40.00  2        1        300         200.00      300.00      100.00     "
        );
    }

    #[test]
    fn the_object_has_the_form_of_the_log() {
        let mut out = Vec::new();
        profile().write_json(RuleSort::Matches, 1, Timestamp::new(0, 0), &mut out);
        let object: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let expected = serde_json::json!([{
            "signature_id": 1, "gid": 1, "rev": 2, "checks": 2, "matches": 1, "ticks_total": 400, "ticks_max": 300,
            "ticks_avg": 200, "ticks_avg_match": 300, "ticks_avg_nomatch": 100, "percent": 40,
        }]);
        assert_eq!((&object["sort"], &object["rules"]), (&"number of matches".into(), &expected));
        assert!(object["timestamp"].as_str().is_some_and(|time| time.len() > 20));
    }

    #[test]
    fn workers_are_added_up() {
        let mut all = profile();
        all.merge(&profile());
        all.merge(&RuleProfile { entries: vec![entry(9, &[(1, false)])] });
        assert_eq!((all.entries.len(), all.ticks()), (4, 2001));
        assert_eq!(all.entries.iter().map(|entry| entry.sid).collect::<Vec<_>>(), [1, 2, 3, 9]);
    }
}
