//! `nflog`: groups of the firewall's log, which are listened on by libpcap.

use crate::error::ConfigError;
use crate::interfaces::CardChecksums;
use crate::libpcap::{LONGEST_PACKET, PcapSettings};
use crate::settings::{Section, Settings};

/// The section.
const SECTION: &str = "nflog";

/// The entry of groups without one of their own.
const DEFAULT: &str = "default";

/// The groups that the section names, in order.
pub fn groups(settings: &Settings) -> Vec<String> {
    let mut groups: Vec<String> = Vec::new();
    for entry in settings.section(SECTION).children() {
        match entry.text("group") {
            Some(DEFAULT) | None => {}
            Some(group) if groups.iter().any(|known| known == group) => {}
            Some(group) => groups.push(group.to_owned()),
        }
    }
    groups
}

/// Returns the settings by which libpcap listens on a group.
pub fn settings_of(settings: &Settings, group: &str) -> Result<PcapSettings, ConfigError> {
    let section = settings.section(SECTION);
    let number = group.parse().ok().filter(|number: &u16| *number > 0);
    let Some(number) = number else {
        return Err(section.wrong("group", &format!("a number from 1 to {} ('{group}' is none)", u16::MAX)));
    };
    let entries = section.children();
    let entry = |name: &str| entries.iter().find(|entry| entry.text("group") == Some(name));
    let entry = entry(group).or_else(|| entry(DEFAULT));
    let size = |key, most: u32| -> Result<Option<u32>, ConfigError> {
        let size = entry.map_or(Ok(0), |entry: &Section<'_>| entry.size(key, 0))?;
        Ok(u32::try_from(size).ok().filter(|size| *size > 0).map(|size| size.min(most)))
    };
    Ok(PcapSettings {
        interface: format!("nflog:{number}"),
        buffer_size: size("buffer-size", i32::MAX as u32)?,
        filter: None,
        // What this machine sends has its checksums filled in later.
        checksums: CardChecksums::Auto,
        threads: None,
        promiscuous: false,
        snapshot_length: size("max-size", LONGEST_PACKET)?.unwrap_or(LONGEST_PACKET),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_entries() {
        let text = "%YAML 1.1\n---\nnflog:\n  - group: 5\n    buffer-size: 65536\n  - group: default\n    max-size: 96\n";
        let settings = Settings::from_text(text.as_bytes(), "t.yaml", &[] as &[&str]).expect("settings");
        assert_eq!(groups(&settings), ["5"]);
        for (group, buffer, length) in [("5", Some(65_536), LONGEST_PACKET), ("7", None, 96)] {
            let read = settings_of(&settings, group).expect("valid");
            let expected = (format!("nflog:{group}"), buffer, length);
            assert_eq!((read.interface, read.buffer_size, read.snapshot_length), expected);
        }
        for group in ["0", "eth0", "70000"] {
            let error = settings_of(&settings, group).expect_err("no group").to_string();
            assert!(error.contains("from 1 to 65535") && error.contains(group), "{error}");
        }
    }
}
