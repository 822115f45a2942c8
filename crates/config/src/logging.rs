//! `logging`, what the engine says of itself, and `stats`, how it counts.

use crate::error::ConfigError;
use crate::settings::{Section, Settings};

/// Least level of messages that are logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum LogLevel {
    /// Failures that stop the engine or a part of it.
    Error,
    /// Conditions that are probably not meant.
    Warning,
    /// Messages that everyone wants to know.
    #[default]
    Notice,
    /// The steps of starting and stopping.
    Info,
    /// Figures on speed.
    Perf,
    /// Settings in use.
    Config,
    /// All.
    Debug,
}

const LEVELS: &[(&str, LogLevel)] = &[
    ("error", LogLevel::Error),
    ("warning", LogLevel::Warning),
    ("notice", LogLevel::Notice),
    ("info", LogLevel::Info),
    ("perf", LogLevel::Perf),
    ("config", LogLevel::Config),
    ("debug", LogLevel::Debug),
];

/// Where it is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogDestination {
    /// Standard output and error.
    Console,
    /// A file below the log folder.
    File {
        /// Its name.
        filename: String,
    },
    /// The system's log.
    Syslog {
        /// Facility by name.
        facility: String,
    },
}

/// One destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogOutput {
    /// Where.
    pub destination: LogDestination,
    /// In use.
    pub enabled: bool,
    /// Level, where other than `default-log-level`.
    pub level: Option<LogLevel>,
    /// The line's form, where other than `default-log-format`.
    pub format: Option<String>,
    /// JSON lines.
    pub json: bool,
}

/// `logging`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggingSettings {
    /// The zone that times of all logs are written in: `local`, or a name.
    pub time_zone: String,
    /// Default level.
    pub level: LogLevel,
    /// The line's form.
    pub format: Option<String>,
    /// Only lines that match this expression.
    pub filter: Option<String>,
    /// Destinations, in order.
    pub outputs: Vec<LogOutput>,
}

impl LoggingSettings {
    /// Reads `logging`. An unknown destination is warned of and left out; where none is named, it is
    /// the console.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let logging = settings.section("logging");
        let mut outputs = Vec::new();
        let named = logging.section("outputs");
        if named.node().is_none() {
            outputs.push(read(&named, LogDestination::Console)?);
        }
        for item in named.children() {
            let Some(output) = item.children().into_iter().next() else { continue };
            let kind = output.node().map(|node| node.name()).unwrap_or_default();
            let destination = match kind {
                "console" => LogDestination::Console,
                "file" => LogDestination::File {
                    filename: output.text("filename").unwrap_or("suricata.log").to_owned(),
                },
                "syslog" => LogDestination::Syslog {
                    facility: output.text("facility").unwrap_or("local5").to_owned(),
                },
                _ => {
                    let place = output.node().map(|node| node.location());
                    settings.warn("logging", format!("Invalid logging method: {kind}, ignoring"), place);
                    continue;
                }
            };
            outputs.push(read(&output, destination)?);
        }
        Ok(Self {
            time_zone: logging.text("time-zone").unwrap_or("local").to_owned(),
            level: logging.choice("default-log-level", LogLevel::Notice, LEVELS)?,
            format: logging.text("default-log-format").map(str::to_owned),
            filter: logging.text("default-output-filter").map(str::to_owned),
            outputs,
        })
    }
}

fn read(output: &Section<'_>, destination: LogDestination) -> Result<LogOutput, ConfigError> {
    let level = match output.text("level") {
        Some(_) => Some(output.choice("level", LogLevel::Notice, LEVELS)?),
        None => None,
    };
    Ok(LogOutput {
        destination,
        enabled: output.flag("enabled", true),
        level,
        format: output.text("format").map(str::to_owned),
        json: output.text("type").is_some_and(|text| text.eq_ignore_ascii_case("json")),
    })
}

/// `stats`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatsSettings {
    /// Counting is written anywhere at all.
    pub enabled: bool,
    /// Seconds between writings.
    pub interval_secs: u32,
    /// A counter for each decoder event.
    pub decoder_events: bool,
    /// Prefix of their names.
    pub decoder_events_prefix: String,
    /// A counter for each stream event.
    pub stream_events: bool,
    /// `exception-policy.global-stats`: counters of all policies together.
    pub exception_policy_global: bool,
    /// `exception-policy.per-app-proto-errors`: a counter for each protocol's errors.
    pub exception_policy_per_protocol: bool,
}

impl StatsSettings {
    /// Reads `stats`.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let stats = settings.section("stats");
        Ok(Self {
            enabled: stats.flag("enabled", true),
            interval_secs: stats.integer("interval", 8, 1..=u64::from(u32::MAX))? as u32,
            decoder_events: stats.flag("decoder-events", true),
            decoder_events_prefix: stats.text("decoder-events-prefix").unwrap_or("decoder.event").to_owned(),
            stream_events: stats.flag("stream-events", false),
            exception_policy_global: stats.flag("exception-policy.global-stats", true),
            exception_policy_per_protocol: stats.flag("exception-policy.per-app-proto-errors", false),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_logging() {
        let settings = Settings::built_in(&["logging.outputs.1.file.type=json"]).unwrap();
        let logging = LoggingSettings::from_settings(&settings).unwrap();
        assert_eq!(logging.level, LogLevel::Notice);
        let shown: Vec<_> =
            logging.outputs.iter().map(|output| (output.enabled, output.level, output.json)).collect();
        assert_eq!(shown, [(true, None, false), (true, Some(LogLevel::Info), true), (false, None, false)]);
        assert_eq!(
            logging.outputs[1].destination,
            LogDestination::File { filename: "suricata.log".to_owned() }
        );
    }

    #[test]
    fn the_console_where_nothing_is_named() {
        let outputs = |text: &str| {
            let settings = Settings::from_text::<&str>(text.as_bytes(), "t", &[]).unwrap();
            LoggingSettings::from_settings(&settings).unwrap().outputs.len()
        };
        assert_eq!(outputs("%YAML 1.1\n---\nvars:\n"), 1);
        assert_eq!(outputs("%YAML 1.1\n---\nlogging:\n  default-log-level: info\n"), 1);
        assert_eq!(
            outputs("%YAML 1.1\n---\nlogging:\n  outputs:\n    - nowhere:\n        enabled: yes\n"),
            0
        );
    }

    #[test]
    fn stats_and_errors() {
        let settings =
            Settings::from_text(b"", "t", &["stats.stream-events=true", "logging.default-log-level=loud"])
                .unwrap();
        let stats = StatsSettings::from_settings(&settings).unwrap();
        assert!(stats.enabled && stats.stream_events && stats.decoder_events && stats.interval_secs == 8);
        assert!(LoggingSettings::from_settings(&settings).is_err());
    }
}
