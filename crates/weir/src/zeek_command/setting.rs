//! Settings of Zeek's scripts that can be given a value, and the configuration that stands for them.

use std::path::{Path, PathBuf};

use weir_config::{ConfigError, Settings};

use super::ZeekCommand;

/// The settings that Zeek's command line always stands for: its logs, and nothing beside them. Bodies are kept for scripts
/// alone, up to the limit that is given here.
const BASE: &[u8] =
    b"%YAML 1.1\n---\noutputs:\n  - zeek:\n      enabled: yes\nstats:\n  enabled: no\nlogging:\n  \
                      default-log-level: error\n  outputs: []\napp-layer:\n  protocols:\n    http:\n      libhtp:\n        \
                      default-config:\n          request-body-limit: 16 MiB\n          response-body-limit: 16 MiB\n";

/// Networks of the site.
const LOCAL_NETS: &str = "Site::local_nets";

/// Zones of the site's names.
const LOCAL_ZONES: &str = "Site::local_zones";

/// Returns the sentence about a setting that is none.
fn unknown(name: &str) -> String {
    format!("{name} is a setting of Zeek's scripts that Weir does not have. zeek --help lists those it has.")
}

impl ZeekCommand {
    /// Returns whether a setting is one of those that need no scripts.
    pub(super) fn knows(name: &str) -> bool {
        Self::default().set(name, "") != Err(unknown(name))
    }

    /// Gives a setting a value; a name that ends in `+` or `-` adds to it or takes from it.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let name = name.trim();
        let (name, change) = match name.strip_suffix(['+', '-']) {
            Some(rest) => match [LOCAL_NETS, LOCAL_ZONES].into_iter().find(|set| *set == rest.trim()) {
                Some(set) => (set, name.chars().last()),
                None => (name, None),
            },
            None => (name, None),
        };
        let value = value.trim().trim_matches('"');
        let truth = || match value {
            "T" => Ok(true),
            "F" => Ok(false),
            _ => Err(format!("{name} is T or F, not {value}.")),
        };
        match name {
            "LogAscii::use_json" => self.json = truth()?,
            "ignore_checksums" => self.ignore_checksums = truth()?,
            "Log::default_logdir" => self.folder = Some(value.into()),
            "LogAscii::gzip_level" => {
                self.gzip = match value.parse::<u8>() {
                    Ok(level @ 0..=9) => level,
                    _ => return Err(format!("{name} is a number up to 9, not {value}.")),
                }
            }
            "LogAscii::gzip_file_extension" => self.gzip_extension = Some(value.to_owned()),
            "Log::default_rotation_interval" => self.rotation = Some(interval(name, value)?),
            "FileExtract::prefix" => self.extract.folder = Some(value.into()),
            "FileExtract::default_limit" => {
                let limit =
                    value.parse().map_err(|_| format!("{name} is a number of bytes, not {value}."))?;
                self.extract.limit = Some(limit);
            }
            "FileExtract::default_limit_includes_missing" => self.extract.leaves_missing_out = !truth()?,
            _ if weir_zeek::is_timeout(name) => {
                let value = interval(name, value)?;
                self.timeouts.retain(|(known, _)| known != name);
                self.timeouts.push((name.to_owned(), value));
            }
            "LogAscii::json_timestamps" => {
                self.timestamps = Some(match value {
                    "JSON::TS_EPOCH" => "epoch",
                    "JSON::TS_MILLIS" | "JSON::TS_MILLIS_UNSIGNED" => "millis",
                    "JSON::TS_ISO8601" => "iso8601",
                    _ => {
                        return Err(format!(
                            "{name} is JSON::TS_EPOCH, JSON::TS_MILLIS or JSON::TS_ISO8601, not {value}."
                        ));
                    }
                });
            }
            "Site::private_address_space_is_local" => self.private_is_foreign = !truth()?,
            LOCAL_NETS => {
                let networks = members(value);
                if let Some(wrong) = networks.iter().find(|text| !weir_zeek::is_network(text)) {
                    return Err(format!(
                        "{wrong} is no network of {name}: that is {}.",
                        weir_zeek::NETWORK_FORM
                    ));
                }
                alter(&mut self.local_nets, networks, change);
            }
            LOCAL_ZONES => alter(&mut self.local_zones, members(value), change),
            _ => {
                return Err(unknown(name));
            }
        }
        Ok(())
    }

    /// Where files are extracted to if not below the folder of the logs: as Zeek has it, a path from the working folder on.
    fn extract_folder(&self) -> Option<PathBuf> {
        let asked = self.extract.folder.as_deref();
        let asked = asked.or(self.folder.as_ref().map(|_| Path::new("extract_files")))?;
        Some(std::path::absolute(asked).unwrap_or_else(|_| asked.to_owned()))
    }

    /// The configuration that stands for this.
    pub fn configuration(&self) -> Result<Settings, ConfigError> {
        let mut settings = Settings::from_text::<&str>(BASE, crate::ZEEK_NAME, &[])?;
        let mut set = |key: &str, value: &str| settings.set(&format!("outputs.0.zeek.{key}"), value);
        set("format", if self.json { "json" } else { "tsv" });
        let gzip = (self.gzip > 0).then(|| self.gzip.to_string());
        let folder = self.extract_folder().map(|folder| folder.to_string_lossy().into_owned());
        let limit = self.extract.limit.map(|limit| limit.to_string());
        let given = [
            ("timestamps", self.timestamps),
            ("gzip", gzip.as_deref()),
            ("gzip-extension", self.gzip_extension.as_deref()),
            ("rotation-interval", self.rotation.as_deref()),
            ("private-address-space-is-local", self.private_is_foreign.then_some("no")),
            ("extract-prefix", folder.as_deref()),
            ("extract-limit", limit.as_deref()),
            ("extract-limit-includes-missing", self.extract.leaves_missing_out.then_some("no")),
        ];
        for (key, value) in given {
            value.into_iter().for_each(|value| set(key, value));
        }
        for (key, items) in
            [("local-nets", &self.local_nets), ("local-zones", &self.local_zones), ("scripts", &self.scripts)]
        {
            (0..).zip(items).for_each(|(index, item): (usize, _)| set(&format!("{key}.{index}"), item));
        }
        for (name, time) in &self.timeouts {
            set(&format!("timeouts.{}", name.replace('_', "-")), time);
        }
        Ok(settings)
    }
}

/// A span of time as it was said, if it is one.
fn interval(name: &str, value: &str) -> Result<String, String> {
    match weir_zeek::interval(value) {
        Some(_) => Ok(value.to_owned()),
        None => Err(format!("{name} is a number and sec, min, hr or day, as 1hr, not {value}.")),
    }
}

/// The members of a set in braces, by commas, without quotes.
fn members(value: &str) -> Vec<String> {
    let inner = value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(value);
    let members = inner.split(',').map(|text| text.trim().trim_matches('"').to_owned());
    members.filter(|text| !text.is_empty()).collect()
}

/// Gives a set other members (`=`), adds some (`+=`), or takes some away (`-=`).
fn alter(set: &mut Vec<String>, mut members: Vec<String>, change: Option<char>) {
    match change {
        Some('-') => set.retain(|known| !members.contains(known)),
        Some(_) => set.append(&mut members),
        None => *set = members,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configured(arguments: &[&str]) -> Result<Settings, String> {
        let command = ZeekCommand::parse(arguments.iter().map(|text| text.to_string()))?;
        Ok(command.configuration().expect("it can be read"))
    }

    #[test]
    fn settings_become_a_configuration() {
        let settings = configured(&["LogAscii::use_json=T"]).unwrap();
        let zeek = settings.section("outputs.0.zeek");
        assert_eq!((zeek.text("format"), zeek.text("gzip")), (Some("json"), None));
        assert!(zeek.list("local-nets").is_empty());
        let settings = configured(&[
            "local",
            "misc/detect-traceroute",
            "LogAscii::gzip_level=1",
            "Log::default_rotation_interval=1hr",
            "LogAscii::gzip_file_extension=\"z\"",
            "Site::private_address_space_is_local=F",
            "Site::local_nets={10.0.0.0/8}",
            "Site::local_nets += { 192.0.2.0/24, [2001:db8::]/32, }",
            "Site::local_nets-={10.0.0.0/8}",
            "Site::local_zones+={\"example.org\", example.net}",
            "FileExtract::prefix=\"/var/files/\"",
            "FileExtract::default_limit=1000",
            "FileExtract::default_limit_includes_missing=F",
            "tcp_inactivity_timeout=1 hr",
            "tcp_attempt_delay = 1min",
            "tcp_inactivity_timeout=60mins",
        ])
        .unwrap();
        for (key, values) in [
            ("format", &["tsv"][..]),
            ("gzip", &["1"]),
            ("gzip-extension", &["z"]),
            ("rotation-interval", &["1hr"]),
            ("extract-prefix", &["/var/files/"]),
            ("extract-limit", &["1000"]),
            ("extract-limit-includes-missing", &["no"]),
            ("timeouts.tcp-attempt-delay", &["1min"]),
            ("timeouts.tcp-inactivity-timeout", &["60mins"]),
            ("scripts", &["local", "misc/detect-traceroute"]),
            ("private-address-space-is-local", &["no"]),
            ("local-nets", &["192.0.2.0/24", "[2001:db8::]/32"]),
            ("local-zones", &["example.org", "example.net"]),
        ] {
            assert_eq!(settings.section("outputs.0.zeek").list(key), values, "{key}");
        }
    }

    #[test]
    fn values_are_taken_as_they_are_written() {
        let settings = configured(&["FileExtract::prefix=/a: \"é\\u{1}\"/"]).unwrap();
        assert_eq!(settings.text("outputs.0.zeek.extract-prefix"), Some("/a: \"é\\u{1}\"/"));
    }

    #[test]
    fn values_that_cannot_be_used_are_answered() {
        for (text, expected) in [
            ("Log::default_rotation_interval=soon", "as 1hr"),
            ("Site::local_nets+={10.0.0.0/8, 10/8}", "10/8 is no network"),
            ("Site::local_admins+={\"a\"}", "Site::local_admins+ is a setting"),
            ("udp_inactivity_timeout=long", "as 1hr"),
            ("LogAscii::use_json=yes", "T or F"),
            ("LogAscii::gzip_level=12", "up to 9"),
            ("FileExtract::default_limit=1MB", "a number of bytes"),
            ("FileExtract::default_limit_includes_missing=no", "T or F"),
            ("LogAscii::json_timestamps=x", "JSON::TS_EPOCH"),
        ] {
            let answer = configured(&[text]).unwrap_err();
            assert!(answer.contains(expected), "{text}: {answer}");
        }
    }
}
