//! `pcap`: settings of interfaces that are listened on by libpcap.

use crate::error::ConfigError;
use crate::interfaces::{self, CARD_CHECKS, CardChecksums, MAX_THREADS};
use crate::settings::{Section, Settings};

/// The section.
const SECTION: &str = "pcap";

/// Size of the buffer of all interfaces, before what their entries say.
const COMMON_BUFFER: &str = "pcap.buffer-size";

/// Longest buffer in bytes: libpcap counts them with 31 bits.
const LONGEST_BUFFER: u64 = (1 << 31) - 1;

/// Longest packet that libpcap takes whole.
pub const LONGEST_PACKET: u32 = 262_144;

/// Settings of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PcapSettings {
    /// Its name.
    pub interface: String,
    /// Bytes of the buffer; none for the usual ones.
    pub buffer_size: Option<u32>,
    /// The filter, in the language of tcpdump.
    pub filter: Option<String>,
    /// Which checksums are looked at.
    pub checksums: CardChecksums,
    /// Threads that are asked for.
    pub threads: Option<u64>,
    /// The interface takes in packets that are not for its address.
    pub promiscuous: bool,
    /// Bytes of a packet that are taken.
    pub snapshot_length: u32,
}

impl PcapSettings {
    /// Those of an interface.
    pub fn of(settings: &Settings, interface: &str) -> Result<Self, ConfigError> {
        let section = interfaces::entry_or_nothing(settings, SECTION, interface);
        let common = settings.section(SECTION);
        let of = if settings.text(COMMON_BUFFER).is_some() { &common } else { &section };
        Ok(Self {
            interface: interface.to_owned(),
            buffer_size: buffer_size(of)?,
            filter: section.packet_filter(),
            checksums: section.choice("checksum-checks", CardChecksums::Auto, CARD_CHECKS)?,
            threads: section.count("threads", MAX_THREADS)?,
            promiscuous: section.flag("promisc", true),
            snapshot_length: section.integer("snaplen", LONGEST_PACKET.into(), 1..=LONGEST_PACKET.into())?
                as u32,
        })
    }
}

fn buffer_size(section: &Section<'_>) -> Result<Option<u32>, ConfigError> {
    match section.size("buffer-size", 0)? {
        0 => Ok(None),
        bytes if bytes <= LONGEST_BUFFER => Ok(u32::try_from(bytes).ok()),
        _ => Err(section.wrong("buffer-size", "a size below 2gb")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRIES: &str = "%YAML 1.1\n---\npcap:\n  - interface: eth1\n    buffer-size: 1mb\n    \
        bpf-filter: port 53\n    checksum-checks: yes\n    threads: 2\n    promisc: no\n    snaplen: 96\n  \
        - interface: default\n    checksum-checks: no\n";

    fn read(text: &str, overrides: &[&str], interface: &str) -> Result<PcapSettings, ConfigError> {
        PcapSettings::of(&Settings::from_text(text.as_bytes(), "t.yaml", overrides)?, interface)
    }

    #[test]
    fn entries() {
        let usual = PcapSettings {
            interface: "lo".to_owned(),
            buffer_size: None,
            filter: None,
            checksums: CardChecksums::Auto,
            threads: None,
            promiscuous: true,
            snapshot_length: LONGEST_PACKET,
        };
        assert_eq!(read("%YAML 1.1\n---\na: b\n", &[], "lo").expect("defaults"), usual);
        let own = PcapSettings {
            interface: "eth1".to_owned(),
            buffer_size: Some(1 << 20),
            filter: Some("port 53".to_owned()),
            checksums: CardChecksums::Yes,
            threads: Some(2),
            promiscuous: false,
            snapshot_length: 96,
        };
        assert_eq!(read(ENTRIES, &[], "eth1").expect("valid"), own);
        let common = read(ENTRIES, &["pcap.buffer-size=3mb"], "eth1").expect("valid");
        assert_eq!(common, PcapSettings { buffer_size: Some(3 << 20), ..own });
        assert_eq!(
            read(ENTRIES, &[], "lo").expect("valid"),
            PcapSettings { checksums: CardChecksums::No, ..usual }
        );
    }

    #[test]
    fn wrong_values_are_told() {
        for (key, value) in [
            ("threads", "0"),
            ("buffer-size", "2gb"),
            ("buffer-size", "much"),
            ("snaplen", "0"),
            ("snaplen", "262145"),
            ("checksum-checks", "kernel"),
        ] {
            let text = format!("%YAML 1.1\n---\npcap:\n  - interface: e\n    {key}: {value}\n");
            let error = read(&text, &[], "e").expect_err(key).to_string();
            assert!(error.contains(key), "{error}");
        }
    }
}
