//! `profiling`: what of the cost of rules and packets is measured, and the logs that tell of it.

use crate::error::ConfigError;
use crate::settings::{Section, Settings};

/// Most rules of a log where no limit is set, and at most.
const MAX_LIMIT: u64 = u32::MAX as u64;

/// Orders of the rules in their log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleSort {
    /// By all ticks.
    Ticks,
    /// By ticks of an inspection.
    AverageTicks,
    /// By those of one that matched.
    AverageMatch,
    /// By those of one that did not.
    AverageNoMatch,
    /// By inspections.
    Checks,
    /// By matches.
    Matches,
    /// By ticks of the longest inspection.
    MaxTicks,
}

impl RuleSort {
    /// All of them, in the order in which the log has them.
    pub const ALL: [Self; 7] = [
        Self::Ticks,
        Self::AverageTicks,
        Self::AverageMatch,
        Self::AverageNoMatch,
        Self::Checks,
        Self::Matches,
        Self::MaxTicks,
    ];

    /// Returns the word for it in the configuration.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ticks => "ticks",
            Self::AverageTicks => "avgticks",
            Self::AverageMatch => "avgticks_match",
            Self::AverageNoMatch => "avgticks_no_match",
            Self::Checks => "checks",
            Self::Matches => "matches",
            Self::MaxTicks => "maxticks",
        }
    }

    /// Returns the words for it in logs.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Ticks => "ticks",
            Self::AverageTicks => "average ticks",
            Self::AverageMatch => "average ticks (match)",
            Self::AverageNoMatch => "average ticks (no match)",
            Self::Checks => "number of checks",
            Self::Matches => "number of matches",
            Self::MaxTicks => "max ticks",
        }
    }
}

/// One log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileLog {
    /// It is written where this is measured.
    pub enabled: bool,
    /// Its name, in the folder for logs unless it is a path from the root.
    pub filename: String,
    /// What is there stays.
    pub append: bool,
}

impl ProfileLog {
    fn read(section: &Section<'_>, filename: &str, enabled: bool) -> Self {
        Self {
            enabled: section.flag("enabled", enabled),
            filename: section.text("filename").unwrap_or(filename).to_owned(),
            append: section.flag("append", true),
        }
    }
}

/// `profiling.rules`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleProfiling {
    /// The log.
    pub log: ProfileLog,
    /// Rules are measured from the start, not only once the control socket asks for it.
    pub active: bool,
    /// Order of the log; none: it has all of them, one after the other.
    pub sort: Option<RuleSort>,
    /// Most rules in each order.
    pub limit: usize,
    /// Objects in place of tables.
    pub json: bool,
}

/// `profiling.rulegroups`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupProfiling {
    /// The log.
    pub log: ProfileLog,
    /// An object in place of a table.
    pub json: bool,
}

/// `profiling`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfilingSettings {
    /// One packet in so many is measured; none: as many as cost little.
    pub sample_rate: Option<u32>,
    /// All that has a log enabled is measured from the start.
    pub active: bool,
    /// Interfaces are measured all the time, for the control socket.
    pub live: bool,
    /// Packets that take longer are kept, in microseconds; 0: none are; none: as the run has it.
    pub slow_us: Option<u32>,
    /// Rules.
    pub rules: RuleProfiling,
    /// Keywords.
    pub keywords: ProfileLog,
    /// Searches for literals.
    pub prefilter: ProfileLog,
    /// Groups of rules.
    pub rulegroups: GroupProfiling,
    /// Packets.
    pub packets: ProfileLog,
    /// Each measured packet by itself.
    pub packets_csv: ProfileLog,
    /// Locks.
    pub locks: ProfileLog,
}

impl ProfilingSettings {
    /// Reads them.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let section = settings.section("profiling");
        let of = |key: &str| section.section(key);
        let rules = of("rules");
        let sorts = RuleSort::ALL.map(|sort| (sort.word(), Some(sort)));
        let sample_rate = section.integer("sample-rate", 0, 0..=u64::from(u32::MAX))? as u32;
        Ok(Self {
            sample_rate: Some(sample_rate).filter(|rate| *rate > 0),
            active: section.flag("active", false),
            live: section.flag("live", true),
            slow_us: match section.text("slow-us") {
                Some(_) => Some(section.integer32("slow-us", 0)?),
                None => None,
            },
            rules: RuleProfiling {
                log: ProfileLog::read(&rules, "rule_perf.log", true),
                active: rules.flag("active", false),
                sort: rules.choice("sort", None, &sorts)?,
                limit: rules.integer("limit", MAX_LIMIT, 0..=MAX_LIMIT)? as usize,
                json: rules.flag("json", true),
            },
            keywords: ProfileLog::read(&of("keywords"), "keyword_perf.log", true),
            prefilter: ProfileLog::read(&of("prefilter"), "prefilter_perf.log", true),
            rulegroups: GroupProfiling {
                log: ProfileLog::read(&of("rulegroups"), "rule_group_perf.log", true),
                json: of("rulegroups").flag("json", false),
            },
            packets: ProfileLog::read(&of("packets"), "packet_stats.log", true),
            packets_csv: ProfileLog {
                append: false,
                ..ProfileLog::read(&of("packets").section("csv"), "packet_stats.csv", false)
            },
            locks: ProfileLog::read(&of("locks"), "lock_stats.log", false),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &str) -> Result<ProfilingSettings, String> {
        let text = format!("%YAML 1.1\n---\nprofiling:\n  {}\n", lines.replace('\n', "\n  "));
        let settings = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).unwrap();
        ProfilingSettings::from_settings(&settings).map_err(|error| error.to_string())
    }

    #[test]
    fn the_manual_s_settings_are_read() {
        let read = |lines: &str| read(lines).unwrap();
        let silent = read("live: yes");
        assert_eq!((silent.sample_rate, silent.rules.sort, silent.rules.json), (None, None, true));
        assert_eq!((silent.rules.active, silent.active, silent.locks.enabled), (false, false, false));
        assert_eq!((silent.slow_us, read("slow-us: 0").slow_us), (None, Some(0)));
        assert_eq!(silent.rules.log.filename, "rule_perf.log");
        let asked = read(
            "sample-rate: 1024\nrules:\n  active: yes\n  sort: avgticks\n  limit: 100\n  json: no\n  append: no\nlocks:\n  enabled: yes\n  filename: /a/b",
        );
        assert_eq!((asked.sample_rate, asked.rules.limit), (Some(1024), 100));
        assert_eq!((asked.rules.sort, asked.rules.json), (Some(RuleSort::AverageTicks), false));
        assert!(asked.rules.active && !asked.rules.log.append && asked.locks.enabled);
        assert_eq!(asked.locks.filename, "/a/b");
        assert!(!asked.packets_csv.enabled);
        let each = read("packets:\n  csv:\n    enabled: yes").packets_csv;
        let csv = ProfileLog { enabled: true, filename: "packet_stats.csv".to_owned(), append: false };
        assert_eq!(each, csv);
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        for (lines, words) in [
            ("rules:\n  sort: speed", "one of ticks, avgticks"),
            ("rules:\n  limit: many", "a whole number"),
            ("sample-rate: -1", "a whole number"),
            ("slow-us: never", "a whole number"),
        ] {
            let error = read(lines).unwrap_err();
            assert!(error.contains(words), "{lines}: {error}");
        }
    }
}
