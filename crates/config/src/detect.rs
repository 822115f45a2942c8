//! `detect` and the settings of rules: files, limits, variables of matching.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::ConfigError;
use crate::flow::TableSettings;
use crate::settings::{Section, Settings};

/// Where rule files lie without `default-rule-path`.
const DEFAULT_RULE_FOLDER: &str = "/etc/suricata/rules";

/// Where compiled matchers are kept without `detect.sgh-mpm-caching-path`.
const DEFAULT_MPM_CACHE: &str = "/var/lib/suricata/cache/sgh";

/// Seconds after which those not used are removed, without `detect.sgh-mpm-caching-max-age`.
const DEFAULT_MPM_CACHE_AGE: u64 = 7 * 86_400;

/// An action, for `action-order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Let through.
    Pass,
    /// Drop.
    Drop,
    /// Drop and tell the sender.
    Reject,
    /// Tell.
    Alert,
}

/// The order without a setting.
pub const DEFAULT_ACTION_ORDER: [Action; 4] = [Action::Pass, Action::Drop, Action::Reject, Action::Alert];

/// Grouping of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DetectProfile {
    /// Little memory.
    Low,
    /// In between.
    #[default]
    Medium,
    /// More memory, more speed.
    High,
    /// As `custom-values` say.
    Custom,
}

/// `detect`, `pcre` and what else steers matching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectSettings {
    /// Grouping of rules.
    pub profile: DetectProfile,
    /// Groups towards the client.
    pub toclient_groups: u16,
    /// Groups towards the server.
    pub toserver_groups: u16,
    /// `sgh-mpm-context`: one matcher for all (`single`), each its own (`full`), or `auto`.
    pub mpm_context: String,
    /// `sgh-mpm-caching`: where compiled matchers are kept.
    pub mpm_cache: Option<MpmCache>,
    /// `mpm-algo`.
    pub mpm_algorithm: String,
    /// `spm-algo`.
    pub spm_algorithm: String,
    /// Most steps of content matching for one rule and packet.
    pub recursion_limit: u32,
    /// More keywords than patterns narrow the candidates.
    pub prefilter_auto: bool,
    /// Ports of TCP with groups of their own, as written.
    pub tcp_priority_ports: Option<String>,
    /// Ports of UDP with groups of their own.
    pub udp_priority_ports: Option<String>,
    /// Load rules after capture has begun.
    pub delayed: bool,
    /// Name a transaction in alerts of rules without one.
    pub guess_applayer_tx: bool,
    /// Transactions logged with an alert of the stream.
    pub stream_tx_log_limit: u8,
    /// State of thresholds.
    pub thresholds: TableSettings,
    /// Most alerts of one packet.
    pub packet_alert_max: u16,
    /// PCRE's limit of steps; 0 for PCRE's own.
    pub pcre_match_limit: u32,
    /// PCRE's limit of depth; 0 for PCRE's own.
    pub pcre_recursion_limit: u32,
    /// Most ASN.1 frames.
    pub asn1_max_frames: u16,
    /// Actions, strongest first.
    pub action_order: [Action; 4],
    /// Scripts in rules.
    pub lua: LuaSettings,
    /// Log rules past the prefilter where there are this many.
    pub inspect_logging_threshold: Option<u32>,
}

/// `security.lua`: scripts in rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LuaSettings {
    /// Rules may have scripts.
    pub allow_rules: bool,
    /// Most bytes that a script holds; 0 for no limit.
    pub max_bytes: u64,
    /// Most instructions of one call; 0 for no limit.
    pub max_instructions: u64,
    /// Scripts may call every function of the language.
    pub allow_restricted_functions: bool,
}

impl LuaSettings {
    fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let lua = settings.section("security.lua");
        Ok(Self {
            allow_rules: lua.flag("allow-rules", true),
            max_bytes: lua.size("max-bytes", 500_000)?,
            max_instructions: lua.integer("max-instructions", 500_000, 0..=u64::MAX)?,
            allow_restricted_functions: lua.flag("allow-restricted-functions", false),
        })
    }
}

/// Compiled matchers on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MpmCache {
    /// `sgh-mpm-caching-path`.
    pub folder: PathBuf,
    /// `sgh-mpm-caching-max-age`: what was not used for so long is removed; none for never.
    pub max_age: Option<Duration>,
}

impl MpmCache {
    fn from_section(detect: &Section<'_>) -> Result<Option<Self>, ConfigError> {
        if !detect.flag("sgh-mpm-caching", true) {
            return Ok(None);
        }
        let folder = PathBuf::from(detect.text("sgh-mpm-caching-path").unwrap_or(DEFAULT_MPM_CACHE));
        let seconds = detect.seconds("sgh-mpm-caching-max-age", DEFAULT_MPM_CACHE_AGE)?;
        let max_age = (seconds > 0).then(|| Duration::from_secs(seconds));
        Ok(Some(Self { folder, max_age }))
    }
}

impl DetectSettings {
    /// Reads `detect` and its neighbours at the top level.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let (root, detect) = (settings.section(""), settings.section("detect"));
        let profiles = [
            ("low", DetectProfile::Low),
            ("medium", DetectProfile::Medium),
            ("high", DetectProfile::High),
            ("custom", DetectProfile::Custom),
        ];
        let profile = detect.choice("profile", DetectProfile::Medium, &profiles)?;
        let (toclient, toserver) = match profile {
            DetectProfile::Low => (15, 25),
            DetectProfile::Medium => (20, 40),
            DetectProfile::High => (75, 75),
            DetectProfile::Custom => (20, 40),
        };
        let custom = profile == DetectProfile::Custom;
        let groups = |key: &str, preset: u64| match custom {
            true => detect.integer(key, preset, 1..=65_535),
            false => Ok(preset),
        };
        let ports = |key: &str, older: &str| {
            let text = detect.text(&format!("grouping.{key}"));
            text.or_else(|| detect.text(&format!("grouping.{older}"))).map(str::to_owned)
        };
        let word = |key: &str| root.text(key).unwrap_or("auto").to_owned();
        Ok(Self {
            profile,
            toclient_groups: groups("custom-values.toclient-groups", toclient)? as u16,
            toserver_groups: groups("custom-values.toserver-groups", toserver)? as u16,
            mpm_context: detect.text("sgh-mpm-context").unwrap_or("auto").to_owned(),
            mpm_cache: MpmCache::from_section(&detect)?,
            mpm_algorithm: word("mpm-algo"),
            spm_algorithm: word("spm-algo"),
            recursion_limit: match detect.integer32("inspection-recursion-limit", 3000)? {
                0 => 3000,
                limit => limit,
            },
            prefilter_auto: detect.choice("prefilter.default", false, &[("mpm", false), ("auto", true)])?,
            tcp_priority_ports: ports("tcp-priority-ports", "tcp-whitelist"),
            udp_priority_ports: ports("udp-priority-ports", "udp-whitelist"),
            delayed: detect.flag("delayed-detect", false),
            guess_applayer_tx: detect.flag("guess-applayer-tx", false),
            stream_tx_log_limit: detect.integer("stream-tx-log-limit", 4, 0..=255)? as u8,
            thresholds: TableSettings::thresholds(settings)?,
            packet_alert_max: root.lenient("detect", "packet-alert-max", 15, |text| {
                text.parse::<u16>().ok().filter(|most| *most > 0)
            }),
            pcre_match_limit: root.integer32("pcre.match-limit", 3500)?,
            pcre_recursion_limit: root.integer32("pcre.match-limit-recursion", 1500)?,
            asn1_max_frames: root.integer("asn1-max-frames", 256, 0..=65_535)? as u16,
            action_order: action_order(settings)?,
            lua: LuaSettings::from_settings(settings)?,
            inspect_logging_threshold: match detect.text("profiling.inspect-logging-threshold") {
                Some(_) => Some(detect.integer32("profiling.inspect-logging-threshold", 0)?),
                None => None,
            },
        })
    }
}

fn action_order(settings: &Settings) -> Result<[Action; 4], ConfigError> {
    let root = settings.section("");
    let names = root.list("action-order");
    if names.is_empty() {
        return Ok(DEFAULT_ACTION_ORDER);
    }
    let wrong = || root.wrong("action-order", "an order of all of pass, drop, reject and alert, each once");
    let mut order = Vec::new();
    for name in names {
        let action = match name.to_ascii_lowercase().as_str() {
            "pass" => Action::Pass,
            "drop" => Action::Drop,
            "reject" => Action::Reject,
            "alert" => Action::Alert,
            _ => return Err(wrong()),
        };
        if order.contains(&action) {
            return Err(wrong());
        }
        order.push(action);
    }
    order.try_into().map_err(|_| wrong())
}

/// The files that rules and their words come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSettings {
    /// The folder of rule files without a full path.
    pub folder: PathBuf,
    /// Rule files as written; `*` and `?` stand for any letters.
    pub files: Vec<String>,
    /// Classes; `None` for the built-in ones.
    pub classification_file: Option<PathBuf>,
    /// References; `None` for the built-in ones.
    pub reference_file: Option<PathBuf>,
    /// Limits and exceptions.
    pub threshold_file: Option<PathBuf>,
    /// IP reputation: categories.
    pub reputation_categories: Option<PathBuf>,
    /// IP reputation: lists, with their folder.
    pub reputation_files: Vec<PathBuf>,
}

impl RuleSettings {
    /// Reads the file settings at the top level.
    pub fn from_settings(settings: &Settings) -> Self {
        let root = settings.section("");
        let file = |key: &str| root.text(key).map(PathBuf::from);
        let folder = Path::new(root.text("default-reputation-path").unwrap_or_default()).to_owned();
        Self {
            folder: root.text("default-rule-path").unwrap_or(DEFAULT_RULE_FOLDER).into(),
            files: root.list("rule-files").into_iter().map(str::to_owned).collect(),
            classification_file: file("classification-file"),
            reference_file: file("reference-config-file"),
            threshold_file: file("threshold-file"),
            reputation_categories: file("reputation-categories-file"),
            reputation_files: root
                .list("reputation-files")
                .into_iter()
                .map(|name| folder.join(name))
                .collect(),
        }
    }

    /// The full path of a rule file.
    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }
}

/// `datasets`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetSettings {
    /// Bytes of a set without its own limit.
    pub memcap: u64,
    /// Rows of a set without its own number.
    pub hash_size: u32,
    /// Most rows of a set.
    pub single_hash_size_limit: u32,
    /// Most rows of all sets.
    pub total_hash_size_limit: u32,
    /// Rules may have sets written.
    pub rules_may_write: bool,
    /// Rules may name files outside the rules folder.
    pub rules_may_use_absolute_paths: bool,
}

impl DatasetSettings {
    /// Reads `datasets`.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let datasets = settings.section("datasets");
        Ok(Self {
            memcap: datasets.size("defaults.memcap", 100 << 20)?,
            hash_size: datasets.integer32("defaults.hashsize", 4096)?,
            single_hash_size_limit: datasets.integer32("limits.single-hashsize", 65_536)?,
            total_hash_size_limit: datasets.integer32("limits.total-hashsizes", 16_777_216)?,
            rules_may_write: datasets.flag("rules.allow-write", true),
            rules_may_use_absolute_paths: datasets.flag("rules.allow-absolute-filenames", false),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_without_room_for_an_alert_has_the_default() {
        for (word, expected) in [("0", 15), ("-1", 15), ("70000", 15), ("1", 1), ("300", 300)] {
            let settings = Settings::built_in(&[format!("packet-alert-max={word}")]).unwrap();
            let detect = DetectSettings::from_settings(&settings).unwrap();
            assert_eq!(detect.packet_alert_max, expected, "{word}");
            let said: Vec<String> =
                settings.take_warnings().iter().map(|warning| format!("{warning:?}")).collect();
            let is_told = said
                .iter()
                .any(|text| text.contains("Invalid value") && text.contains(" for packet-alert-max,"));
            assert_eq!(is_told, word != "1" && word != "300", "{word}: {said:?}");
        }
    }

    #[test]
    fn limits_of_datasets() {
        let settings = Settings::built_in::<&str>(&[]).unwrap();
        let datasets = DatasetSettings::from_settings(&settings).unwrap();
        assert_eq!(
            (datasets.single_hash_size_limit, datasets.total_hash_size_limit, datasets.hash_size),
            (65_536, 16_777_216, 4096)
        );
    }

    #[test]
    fn shipped_detect() {
        let settings = Settings::built_in(&["security.lua.allow-rules=true", "packet-alert-max=32"]).unwrap();
        let detect = DetectSettings::from_settings(&settings).unwrap();
        assert_eq!(
            (detect.profile, detect.pcre_match_limit, detect.pcre_recursion_limit),
            (DetectProfile::Medium, 3500, 1500)
        );
        assert!(detect.lua.allow_rules && !detect.prefilter_auto);
        assert_eq!((detect.packet_alert_max, detect.action_order), (32, DEFAULT_ACTION_ORDER));
    }

    #[test]
    fn orders_of_actions() {
        use Action::*;
        for (text, expected) in [
            ("[alert, drop, reject, pass]", Some([Alert, Drop, Reject, Pass])),
            ("[pass, alert, drop, reject]", Some([Pass, Alert, Drop, Reject])),
            ("[pass, alert, drop]", None),
            ("[pass, alert, drop, drop]", None),
            ("[pass, alert, drop, log]", None),
        ] {
            let settings = Settings::from_text(b"", "t", &[format!("action-order={text}")]).unwrap();
            assert_eq!(action_order(&settings).ok(), expected, "{text}");
        }
    }

    #[test]
    fn files_and_folders() {
        for arguments in [
            ["reputation-files=a.list", "default-reputation-path=/x"],
            ["reputation-files.0=a.list", "default-reputation-path=/x"],
        ] {
            let rules = RuleSettings::from_settings(&Settings::from_text(b"", "t", &arguments).unwrap());
            assert_eq!(rules.reputation_files, [PathBuf::from("/x/a.list")]);
        }
        let shipped = RuleSettings::from_settings(&Settings::built_in(&["default-rule-path=/r"]).unwrap());
        assert_eq!(shipped.files, ["suricata.rules"]);
        assert_eq!(shipped.path("a.rules"), PathBuf::from("/r/a.rules"));
        assert_eq!(shipped.threshold_file, None);
    }
}
