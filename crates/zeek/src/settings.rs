//! The entry `zeek` of `outputs`: how logs are written, and what scripts of Zeek's policy are
//! loaded beside the base ones.

use std::path::{Path, PathBuf};

use weir_applayer::zeek::Script;
use weir_base::Duration;
use weir_config::pipelines::Target;
use weir_config::settings::Section;
use weir_config::{ConfigError, ParquetSettings, PipelineSettings};
use weir_output::formats::zeek::{ZeekEncoding, ZeekFiles, ZeekTimes};
use weir_output::{HAS_KAFKA, HAS_PARQUET, without_kafka, without_parquet};

use crate::connection::timeouts::Timeouts;
use crate::files::extract::{ExtractSettings, Missing};
use crate::site::{Network, Site};

/// The level at which Zeek compresses where nothing is said.
const GZIP_LEVEL: u32 = 6;

/// The extension of compressed files where nothing is said.
const GZIP_EXTENSION: &str = "gz";

/// The key of the site's networks.
const LOCAL_NETS: &str = "local-nets";

/// The key of the zones of the site's names.
const LOCAL_ZONES: &str = "local-zones";

/// The key of the times that connections are waited for.
const TIMEOUTS: &str = "timeouts";

/// Keys about what is logged, wherever it goes.
const OF_ALL_PLACES: [&str; 10] = [
    "scripts",
    LOCAL_NETS,
    LOCAL_ZONES,
    "private-address-space-is-local",
    TIMEOUTS,
    "memcap",
    "extract-prefix",
    "extract-limit",
    "extract-limit-includes-missing",
    "extract-total-limit",
];

/// The form of a network.
pub const NETWORK_FORM: &str = "an address and the length of its prefix, as 192.0.2.0/24 or 2001:db8::/32";

/// The scripts by the names that Zeek loads them by, and whether its `local` loads them.
const SCRIPTS: [(&str, Script, bool); 34] = [
    ("protocols/conn/known-hosts", Script::KnownHosts, true),
    ("protocols/conn/known-services", Script::KnownServices, true),
    ("protocols/ssl/known-certs", Script::KnownCertificates, true),
    ("protocols/http/software", Script::HttpSoftware, true),
    ("protocols/ssh/software", Script::SshSoftware, true),
    ("protocols/ftp/software", Script::FtpSoftware, true),
    ("protocols/smtp/software", Script::SmtpSoftware, true),
    ("protocols/ftp/detect", Script::FtpDetection, true),
    ("protocols/dns/detect-external-names", Script::ExternalNames, true),
    ("protocols/ssh/detect-bruteforcing", Script::SshGuessing, true),
    ("misc/capture-loss", Script::CaptureLoss, true),
    ("misc/stats", Script::Stats, true),
    ("protocols/ssl/log-hostcerts-only", Script::HostCertificates, true),
    ("frameworks/files/hash-all-files", Script::Hashes, true),
    ("frameworks/files/extract-all-files", Script::ExtractedFiles, false),
    ("misc/detect-traceroute", Script::Traceroute, false),
    ("protocols/ssl/expiring-certs", Script::ExpiringCertificates, false),
    ("protocols/ssl/weak-keys", Script::WeakKeys, false),
    ("protocols/conn/vlan-logging", Script::Vlans, false),
    ("protocols/conn/mac-logging", Script::Macs, false),
    ("protocols/conn/pppoe-session-id-logging", Script::PppoeSessions, false),
    ("protocols/conn/community-id-logging", Script::CommunityIds, false),
    ("protocols/conn/ip-proto-name-logging", Script::ProtocolNames, false),
    ("frameworks/notice/community-id", Script::NoticeCommunityIds, false),
    ("protocols/http/header-names", Script::HeaderNames, false),
    ("protocols/http/var-extraction-uri", Script::UriVariables, false),
    ("protocols/http/var-extraction-cookies", Script::CookieVariables, false),
    ("protocols/dns/auth-addl", Script::OtherSections, false),
    ("protocols/dns/log-original-query-case", Script::OriginalQueries, false),
    ("protocols/dhcp/msg-orig", Script::MessageSenders, false),
    ("protocols/dhcp/software", Script::DhcpSoftware, false),
    ("protocols/dhcp/sub-opts", Script::RelayedOptions, false),
    (SERVER_SUBJECTS, Script::ServerSubjects, false),
    (CLIENT_SUBJECTS, Script::ClientSubjects, false),
];

/// Settings of scripts that add columns, as scripts do that are loaded.
const SERVER_SUBJECTS: &str = "SSL::log_include_server_certificate_subject_issuer";
const CLIENT_SUBJECTS: &str = "SSL::log_include_client_certificate_subject_issuer";

/// The script that writes JSON.
const JSON_LOGS: &str = "tuning/json-logs";

/// The script of a site, as Zeek installs it.
const LOCAL: &str = "local";

/// A set of scripts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Scripts(u64);

impl Default for Scripts {
    fn default() -> Self {
        Self(1 << Script::CertificateNames as u8)
    }
}

impl Scripts {
    pub(crate) const fn add(&mut self, script: Script) {
        self.0 |= 1 << script as u8;
    }

    /// Whether a script is loaded.
    #[inline]
    pub(crate) const fn has(self, script: Script) -> bool {
        self.0 & (1 << script as u8) != 0
    }
}

/// All that can be said of Zeek's logs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ZeekSettings {
    /// The form of the logs.
    pub files: ZeekFiles,
    /// Their forms at further places.
    pub(crate) beside: Vec<ZeekFiles>,
    pub(crate) scripts: Scripts,
    /// The networks and names that are local.
    pub(crate) site: Site,
    /// The times that connections are waited for.
    pub(crate) timeouts: Timeouts,
    /// Memory of connections, and of rows that wait.
    pub(crate) memcap: Memcap,
    /// The way in which files are extracted, where the script for it is loaded.
    pub(crate) extract: ExtractSettings,
}

/// Most bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Memcap(pub(crate) u64);

impl Default for Memcap {
    fn default() -> Self {
        Self(512 << 20)
    }
}

impl ZeekSettings {
    /// Reads an entry. `complain` is called with what cannot be used; nothing comes of an entry without a form.
    pub fn read(section: &Section<'_>, complain: &dyn Fn(String)) -> Result<Option<Self>, ConfigError> {
        let Some(files) = files(section, complain)? else { return Ok(None) };
        let mut settings = Self { files, ..Self::default() };
        match section.size("memcap", settings.memcap.0) {
            Ok(bytes) => settings.memcap = Memcap(if bytes == 0 { u64::MAX } else { bytes }),
            Err(error) => complain(error.to_string()),
        }
        settings.extract = extract(section, complain);
        settings.site = site(section, complain);
        settings.timeouts = timeouts(&section.section(TIMEOUTS), complain);
        for name in section.list("scripts") {
            if !settings.load(name) {
                complain(format!("zeek cannot load {name}: {}", loadable()));
            }
        }
        Ok(Some(settings))
    }

    /// Reads a further entry, which says where the same logs go, too.
    pub fn read_beside(
        &mut self,
        section: &Section<'_>,
        complain: &dyn Fn(String),
    ) -> Result<(), ConfigError> {
        for node in section.children().iter().filter_map(Section::node) {
            if OF_ALL_PLACES.contains(&node.name()) {
                complain(format!(
                    "{} of zeek ({}) is left out: it is about what is logged, which the first entry zeek says",
                    node.name(),
                    node.location()
                ));
            }
        }
        let Some(files) = files(section, complain)? else { return Ok(()) };
        let is_there = |other: &ZeekFiles| other.has_names_of(&files);
        if !std::iter::once(&self.files).chain(&self.beside).any(is_there) {
            self.beside.push(files);
        } else if let [_, second, ..] = section.children().as_slice() {
            let location = second.node().map(|node| format!(" ({})", node.location()));
            complain(format!(
                "An entry zeek{} is left out: an earlier one writes logs of the same names to the same folder",
                location.unwrap_or_default()
            ));
        }
        Ok(())
    }

    /// Has files written in this form; rows that are sent are sent besides.
    pub(crate) fn write_files(&mut self, encoding: ZeekEncoding) {
        if self.files.pipeline.is_some() {
            self.beside.push(std::mem::take(&mut self.files));
        }
        self.files.form.encoding = encoding;
    }

    /// The ways in which logs are written.
    pub(crate) fn places(&self) -> Vec<ZeekFiles> {
        std::iter::once(&self.files).chain(&self.beside).cloned().collect()
    }

    /// Where files are extracted to, below the folder of logs, and most bytes of all of them (zero for no limit); none
    /// where they are not.
    pub(crate) fn extracts_to(&self) -> Option<(&Path, u64)> {
        let ExtractSettings { folder, total_limit, .. } = &self.extract;
        self.scripts.has(Script::ExtractedFiles).then_some((&**folder, *total_limit))
    }

    /// Loads a script by its name; false where it is none of those that are known.
    pub(crate) fn load(&mut self, name: &str) -> bool {
        let name = name.strip_prefix("policy/").unwrap_or(name);
        let name = name.strip_suffix(".zeek").unwrap_or(name);
        let mut found = name == LOCAL;
        for (known, script, local) in SCRIPTS {
            if known == name || name == LOCAL && local {
                self.scripts.add(script);
                found = true;
            }
        }
        if name == JSON_LOGS {
            if self.files.form.encoding == ZeekEncoding::Tsv {
                self.files.form.encoding = ZeekEncoding::Json;
            }
            found = true;
        }
        found
    }
}

/// Reads how logs are written; nothing comes of it where this program cannot write them so.
fn files(section: &Section<'_>, complain: &dyn Fn(String)) -> Result<Option<ZeekFiles>, ConfigError> {
    let mut files = ZeekFiles { pipeline: PipelineSettings::of_zeek(section)?, ..ZeekFiles::default() };
    let target = files.pipeline.as_ref().map(|pipeline| &pipeline.target);
    if matches!(target, Some(Target::Kafka(_))) && !HAS_KAFKA {
        complain(without_kafka("zeek"));
        return Ok(None);
    }
    files.form.encoding = match section.text("format").unwrap_or("tsv") {
        _ if target.is_some() => ZeekEncoding::JsonWithPath,
        "tsv" => ZeekEncoding::Tsv,
        "json" => ZeekEncoding::Json,
        "parquet" if !HAS_PARQUET => {
            complain(without_parquet("zeek"));
            return Ok(None);
        }
        "parquet" => ZeekEncoding::Parquet,
        other => {
            complain(format!("zeek has no format {other} but tsv, json and parquet: its logs are left out"));
            return Ok(None);
        }
    };
    files.form.times = match (section.text("timestamps"), target) {
        // Indices take texts of this form for times, and numbers for numbers.
        (None, Some(Target::Http(_))) | (Some("iso8601"), _) => ZeekTimes::Iso8601,
        (None | Some("epoch"), _) => ZeekTimes::Epoch,
        (Some("millis"), _) => ZeekTimes::Millis,
        (Some(other), _) => {
            let known = "epoch, millis and iso8601: they are epoch";
            complain(format!("zeek has no timestamps {other} but {known}"));
            ZeekTimes::Epoch
        }
    };
    match ParquetSettings::read(section) {
        Ok(parquet) => files.parquet = parquet,
        Err(error) => complain(error.to_string()),
    }
    let level = match section.text("gzip").and_then(|text| text.parse().ok()) {
        Some(level @ 0..=9) => Some(level).filter(|level| *level > 0),
        _ => section.flag("gzip", false).then_some(GZIP_LEVEL),
    };
    let extension = section.text("gzip-extension").unwrap_or(GZIP_EXTENSION).trim_start_matches('.');
    files.gzip = level.map(|level| (level, extension.to_owned()));
    if let Some(text) = section.text("rotation-interval") {
        files.rotation = interval(text).filter(|interval| !interval.is_zero());
        if interval(text).is_none() {
            let form = "a number and sec, min, hr or day, as 1 hr: logs are not rotated";
            complain(format!("The rotation-interval of zeek is {form}"));
        }
    }
    Ok(Some(files))
}

/// Reads how files are extracted.
fn extract(section: &Section<'_>, complain: &dyn Fn(String)) -> ExtractSettings {
    let known = ExtractSettings::default();
    let size = |key: &str, default: u64| {
        section.size(key, default).unwrap_or_else(|error| {
            complain(error.to_string());
            default
        })
    };
    ExtractSettings {
        limit: size("extract-limit", known.limit),
        total_limit: size("extract-total-limit", known.total_limit),
        missing: match section.flag("extract-limit-includes-missing", true) {
            true => Missing::Counted,
            false => Missing::LeftOut,
        },
        folder: section.text("extract-prefix").map_or(known.folder, PathBuf::from),
    }
}

/// The networks of the site.
fn site(section: &Section<'_>, complain: &dyn Fn(String)) -> Site {
    let mut networks = Vec::new();
    for text in section.list(LOCAL_NETS) {
        match Network::parse(text) {
            Some(network) => networks.push(network),
            None => {
                let place = place(section, text).map(|place| format!(" ({place})")).unwrap_or_default();
                complain(format!(
                    "{text} in {LOCAL_NETS} of zeek{place} is left out: a network is {NETWORK_FORM}"
                ));
            }
        }
    }
    let site = Site::new(&networks, section.flag("private-address-space-is-local", true));
    site.with_zones(section.list(LOCAL_ZONES))
}

/// Reads how long connections are waited for.
fn timeouts(section: &Section<'_>, complain: &dyn Fn(String)) -> Timeouts {
    let mut timeouts = Timeouts::default();
    for node in section.children().iter().filter_map(Section::node) {
        let (name, text) = (node.name(), node.value().unwrap_or_default());
        match (timeouts.by_key(name), interval(text)) {
            (Some(known), Some(time)) => *known = time,
            (Some(_), None) => complain(format!(
                "The {name} of zeek ({}) is a number and sec, min, hr or day, as 5 min, not {text}: it is left as it is",
                node.location()
            )),
            (None, _) => {
                let names: Vec<String> = Timeouts::names().map(|name| name.replace('_', "-")).collect();
                let (place, names) = (node.location(), names.join(", "));
                complain(format!("zeek has no {name} ({place}) among its timeouts, which are {names}"));
            }
        }
    }
    timeouts
}

/// Whether there is a time of this name of Zeek's.
pub fn is_timeout(name: &str) -> bool {
    Timeouts::names().any(|known| known == name)
}

/// Where the network `text` is written.
fn place(section: &Section<'_>, text: &str) -> Option<String> {
    let list = section.section(LOCAL_NETS);
    let items = list.children();
    let item = items.iter().filter_map(Section::node).find(|item| item.value() == Some(text));
    item.or(list.node()).map(|node| node.location().to_string())
}

/// Whether a text names a network.
pub fn is_network(text: &str) -> bool {
    Network::parse(text).is_some()
}

/// Lists what can be loaded, in words.
pub fn loadable() -> String {
    let names: Vec<&str> = SCRIPTS.iter().map(|(name, ..)| *name).collect();
    format!("there are {LOCAL}, {JSON_LOGS}, {}", names.join(", "))
}

/// Whether there is a script of this name.
pub fn is_script(name: &str) -> bool {
    ZeekSettings::default().load(name)
}

/// A span of time as Zeek's scripts write it (`1hr`, `30 mins`, `1day`), or in seconds.
pub fn interval(text: &str) -> Option<Duration> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let scale = match unit.trim_start().trim_end_matches('s') {
        "" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" | "hr" => 3600.0,
        "d" | "day" => 86_400.0,
        "msec" => 1e-3,
        "usec" => 1e-6,
        _ => return None,
    };
    let seconds = number.parse::<f64>().ok()? * scale;
    (seconds < 1e9).then(|| Duration::from_micros((seconds * 1e6) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals() {
        for (text, seconds) in [
            ("1hr", Some(3600)),
            ("1 hr", Some(3600)),
            ("90 mins", Some(5400)),
            ("3600.0 secs", Some(3600)),
            ("0.5 days", Some(43_200)),
            ("0secs", Some(0)),
            ("3600", Some(3600)),
            ("1h", Some(3600)),
            ("hourly", None),
            ("", None),
            ("1 week", None),
        ] {
            assert_eq!(interval(text), seconds.map(Duration::from_secs), "{text}");
        }
    }

    #[test]
    fn scripts() {
        for (name, known) in [
            ("protocols/conn/known-hosts", true),
            ("policy/misc/stats.zeek", true),
            ("local", true),
            ("tuning/json-logs", true),
            ("protocols/ftp/detect-nothing", false),
            ("", false),
        ] {
            assert_eq!(is_script(name), known, "{name}");
        }
        let mut settings = ZeekSettings::default();
        assert!(settings.load(LOCAL));
        assert!(settings.scripts.has(Script::Stats) && !settings.scripts.has(Script::WeakKeys));
        assert!(loadable().contains("misc/capture-loss"));
    }
}
