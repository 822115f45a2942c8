//! Names of topics, keys and indices: with `%{log}` for the log of a record, and where they have times with `%Y`, `%m`, `%d`
//! and `%H` for that of the record.

use weir_config::Records;
use weir_config::pipelines::LOG;

use super::lines::{hour_of, kind_of};

/// Conversions of a time, and their places in `2026-11-29T20`.
const TIMES: [(&str, std::ops::Range<usize>); 4] =
    [("%Y", 0..4), ("%m", 5..7), ("%d", 8..10), ("%H", 11..13)];

/// Whether names have conversions of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Times {
    Converted,
    AsTheyStand,
}

/// A name, and what it is for the latest record.
#[derive(Debug)]
pub(super) struct Naming {
    pattern: String,
    records: Records,
    has_log: bool,
    has_time: bool,
    log: String,
    hour: String,
    name: String,
}

impl Naming {
    pub(super) fn new(pattern: &str, records: Records, times: Times) -> Self {
        Self {
            pattern: pattern.to_owned(),
            records,
            has_log: records == Records::Zeek && pattern.contains(LOG),
            has_time: times == Times::Converted && TIMES.iter().any(|(time, _)| pattern.contains(time)),
            log: String::new(),
            hour: String::new(),
            name: pattern.to_owned(),
        }
    }

    /// The name, where it is the same for all records.
    #[cfg(feature = "kafka")]
    pub(super) fn fixed(&self) -> Option<&str> {
        (!self.has_log && !self.has_time).then_some(&self.name)
    }

    /// The name for a record; what the record does not say is as in the one before.
    pub(super) fn of(&mut self, line: &[u8]) -> &str {
        let mut has_changed = false;
        if self.has_log
            && let Some(log) = kind_of(self.records, line).filter(|log| *log != self.log)
        {
            log.clone_into(&mut self.log);
            has_changed = true;
        }
        if self.has_time
            && let Some(hour) = hour_of(self.records, line).filter(|hour| **hour != self.hour)
        {
            self.hour = hour.into_owned();
            has_changed = true;
        }
        if has_changed {
            self.make();
        }
        &self.name
    }

    fn make(&mut self) {
        self.name = self.pattern.clone();
        if self.has_time {
            for (conversion, range) in TIMES {
                self.name = self.name.replace(conversion, self.hour.get(range).unwrap_or_default());
            }
        }
        if self.has_log {
            self.name = self.name.replace(LOG, &self.log);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_by_time_and_log() {
        let eve = ["2026-11-29T20:00:01.1+0000", "2026-11-30T01:00:01.1+0000"]
            .map(|time| format!(r#"{{"timestamp":"{time}","event_type":"dns"}}"#));
        let zeek = [
            ("conn", "1700000000.000005"),
            ("dns", "1700000000000"),
            ("dns", r#""2023-11-15T00:00:00.000000Z""#),
        ]
        .map(|(log, time)| format!(r#"{{"_path":"{log}","ts":{time},"uid":"C"}}"#));
        let none = r#"{"no":"time"}"#.to_owned();
        let lines = |lines: &[String]| lines.iter().chain([&none]).cloned().collect::<Vec<_>>();
        for (pattern, records, times, lines, expected) in [
            (
                "eve-%Y.%m.%d-%H",
                Records::Eve,
                Times::Converted,
                lines(&eve),
                &["eve-2026.11.29-20", "eve-2026.11.30-01", "eve-2026.11.30-01"][..],
            ),
            ("eve-%{log}", Records::Eve, Times::Converted, lines(&eve), &["eve-%{log}"; 3]),
            (
                "zeek-%{log}-%Y.%m.%d",
                Records::Zeek,
                Times::Converted,
                lines(&zeek),
                &[
                    "zeek-conn-2023.11.14",
                    "zeek-dns-2023.11.14",
                    "zeek-dns-2023.11.15",
                    "zeek-dns-2023.11.15",
                ],
            ),
            (
                "%{log}:%Y",
                Records::Zeek,
                Times::AsTheyStand,
                lines(&zeek),
                &["conn:%Y", "dns:%Y", "dns:%Y", "dns:%Y"],
            ),
            ("zeek", Records::Zeek, Times::Converted, lines(&zeek), &["zeek"; 4]),
        ] {
            let mut naming = Naming::new(pattern, records, times);
            let names: Vec<String> = lines.iter().map(|line| naming.of(line.as_bytes()).to_owned()).collect();
            assert_eq!(names, expected, "{pattern}");
        }
    }
}
