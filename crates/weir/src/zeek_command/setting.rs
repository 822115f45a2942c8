//! Settings of Zeek's scripts that can be given a value, and the configuration that stands for them.

use std::path::{Path, PathBuf};

use super::ZeekCommand;

/// Networks of the site.
const LOCAL_NETS: &str = "Site::local_nets";

/// Zones of the site's names.
const LOCAL_ZONES: &str = "Site::local_zones";

impl ZeekCommand {
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
                return Err(format!(
                    "{name} is a setting of Zeek's scripts that Weir does not have. zeek --help lists those \
                     it has."
                ));
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
    pub fn configuration(&self) -> String {
        let mut text = String::from("%YAML 1.1\n---\noutputs:\n  - zeek:\n      enabled: yes\n");
        text.push_str(if self.json { "      format: json\n" } else { "      format: tsv\n" });
        if let Some(timestamps) = self.timestamps {
            text.push_str(&format!("      timestamps: {timestamps}\n"));
        }
        let mut say = |key: &str, value: &str| text.push_str(&format!("      {key}: {value:?}\n"));
        if self.gzip > 0 {
            say("gzip", &self.gzip.to_string());
        }
        if let Some(extension) = &self.gzip_extension {
            say("gzip-extension", extension);
        }
        if let Some(interval) = &self.rotation {
            say("rotation-interval", interval);
        }
        if self.private_is_foreign {
            say("private-address-space-is-local", "no");
        }
        if let Some(folder) = self.extract_folder() {
            say("extract-prefix", &folder.to_string_lossy());
        }
        if let Some(limit) = self.extract.limit {
            say("extract-limit", &limit.to_string());
        }
        if self.extract.leaves_missing_out {
            say("extract-limit-includes-missing", "no");
        }
        for (key, items) in
            [("local-nets", &self.local_nets), ("local-zones", &self.local_zones), ("scripts", &self.scripts)]
        {
            if !items.is_empty() {
                text.push_str(&format!("      {key}:\n"));
                items.iter().for_each(|item| text.push_str(&format!("        - {item:?}\n")));
            }
        }
        if !self.timeouts.is_empty() {
            text.push_str("      timeouts:\n");
            for (name, time) in &self.timeouts {
                text.push_str(&format!("        {}: {time:?}\n", name.replace('_', "-")));
            }
        }
        text.push_str("stats:\n  enabled: no\nlogging:\n  default-log-level: error\n  outputs: []\n");
        text
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

    fn configured(arguments: &[&str]) -> Result<String, String> {
        ZeekCommand::parse(arguments.iter().map(|text| text.to_string()))
            .map(|command| command.configuration())
    }

    #[test]
    fn settings_become_a_configuration() {
        let text = configured(&["LogAscii::use_json=T"]).unwrap();
        assert!(text.contains("format: json") && !text.contains("gzip") && !text.contains("local"));
        let text = configured(&[
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
        for line in [
            "gzip: \"1\"",
            "gzip-extension: \"z\"",
            "rotation-interval: \"1hr\"",
            "extract-prefix: \"/var/files/\"",
            "extract-limit: \"1000\"",
            "extract-limit-includes-missing: \"no\"",
            "timeouts:\n        tcp-attempt-delay: \"1min\"\n        tcp-inactivity-timeout: \"60mins\"\n",
            "scripts:\n        - \"local\"\n        - \"misc/detect-traceroute\"\n",
            "private-address-space-is-local: \"no\"",
            "local-nets:\n        - \"192.0.2.0/24\"\n        - \"[2001:db8::]/32\"\n      local-zones",
            "local-zones:\n        - \"example.org\"\n        - \"example.net\"\n      scripts",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
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
