//! `dpdk`: settings of cards that are taken from the system and read by DPDK.

use crate::error::ConfigError;
use crate::interfaces::{self, CARD_CHECKS, CardChecksums, MAX_THREADS};
use crate::node::Node;
use crate::settings::{Section, Settings};

/// The section.
const SECTION: &str = "dpdk";

/// Its list of cards.
const INTERFACES: &str = "dpdk.interfaces";

/// Largest packets of Ethernet that are taken, in bytes behind its header.
const LARGEST_MTU: u32 = 16_000;

/// Settings of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DpdkSettings {
    /// Its address at the bus (`0000:3b:00.0`), or the name of a device that `vdev` makes.
    pub interface: String,
    /// Threads, with a queue each; none for as many as there are cores and queues.
    pub threads: Option<u16>,
    /// The card takes in packets that are not for its address.
    pub promiscuous: bool,
    /// The card takes in packets to groups.
    pub multicast: bool,
    /// Which checksums are looked at.
    pub checksums: CardChecksums,
    /// Bytes of the largest packet behind its Ethernet header.
    pub mtu: u16,
    /// The card takes tags of VLANs off.
    pub strip_vlan: bool,
    /// Places for packets in each queue; none for what suits the card.
    pub descriptors: Option<u16>,
    /// Packets that there is memory for; none for what the queues need.
    pub pool_size: Option<u32>,
    /// Of these, packets that a thread keeps at hand; none for what suits their number.
    pub pool_cache: Option<u32>,
    /// Parts of a packet by which it finds its queue (`RTE_ETH_RSS_*`); none for its addresses.
    pub hash_functions: Option<u64>,
    /// Seconds that are waited for the link at the start.
    pub link_timeout: u16,
}

/// Returns the cards that the section names, in order.
pub fn names(settings: &Settings) -> Vec<String> {
    interfaces::names(settings, INTERFACES)
}

impl DpdkSettings {
    /// Those of a card.
    pub fn of(settings: &Settings, interface: &str) -> Result<Self, ConfigError> {
        let section = interfaces::entry_or_nothing(settings, INTERFACES, interface);
        if section.text("copy-mode").is_some_and(|mode| mode != "none") {
            let expected = "none: packets of DPDK are not forwarded. `copy-mode` of af-packet forwards those of cards that \
                            the system keeps";
            return Err(section.wrong("copy-mode", expected));
        }
        let number = |key, most| section.count(key, most);
        Ok(Self {
            interface: interface.to_owned(),
            threads: number("threads", MAX_THREADS)?.map(|count| count as u16),
            promiscuous: section.flag("promisc", true),
            multicast: section.flag("multicast", true),
            checksums: section.choice("checksum-checks", CardChecksums::Yes, CARD_CHECKS)?,
            mtu: section.integer("mtu", 1500, 68..=LARGEST_MTU.into())? as u16,
            strip_vlan: section.flag("vlan-strip-offload", false),
            descriptors: number("rx-descriptors", 32_768)?.map(|count| count as u16),
            pool_size: number("mempool-size", 1 << 26)?.map(|count| count as u32),
            pool_cache: number("mempool-cache-size", 512)?.map(|count| count as u32),
            hash_functions: hash_functions(&section)?,
            link_timeout: section.integer("linkup-timeout", 0, 0..=600)? as u16,
        })
    }
}

/// `rss-hash-functions`, a number that may be hexadecimal.
fn hash_functions(section: &Section<'_>) -> Result<Option<u64>, ConfigError> {
    const KEY: &str = "rss-hash-functions";
    let Some(text) = section.text(KEY).filter(|text| *text != "auto") else { return Ok(None) };
    let read = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    read.map(Some).map_err(|_| section.wrong(KEY, "auto, or a number such as 0x3afbc"))
}

/// Returns the arguments for DPDK's own environment (`eal-params`), as its command line has them.
///
/// A key of one letter is a short option. A list repeats its option, and one without a value has none.
pub fn environment(settings: &Settings) -> Vec<String> {
    let Some(parameters) = settings.lookup(&format!("{SECTION}.eal-params")) else { return Vec::new() };
    let mut arguments = Vec::new();
    for parameter in parameters.children() {
        let option = match parameter.name() {
            letter if letter.len() == 1 => format!("-{letter}"),
            name => format!("--{name}"),
        };
        let mut add = |value: Option<&str>| {
            arguments.push(option.clone());
            arguments.extend(value.filter(|value| !value.is_empty()).map(str::to_owned));
        };
        if parameter.is_sequence() {
            parameter.children().iter().map(Node::value).for_each(add);
        } else {
            add(parameter.value());
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Settings {
        let text = format!("%YAML 1.1\n---\ndpdk:\n{text}");
        Settings::from_text(text.as_bytes(), "t.yaml", &[] as &[&str]).expect("settings")
    }

    #[test]
    fn entries() {
        let usual = DpdkSettings {
            interface: "0000:3b:00.1".to_owned(),
            threads: None,
            promiscuous: true,
            multicast: true,
            checksums: CardChecksums::Yes,
            mtu: 1500,
            strip_vlan: false,
            descriptors: None,
            pool_size: None,
            pool_cache: None,
            hash_functions: None,
            link_timeout: 0,
        };
        let settings = read(
            "  interfaces:\n    - interface: 0000:3b:00.0\n      threads: 4\n      promisc: false\n      multicast: no\n      \
             checksum-checks: false\n      mtu: 9000\n      vlan-strip-offload: true\n      rx-descriptors: 4096\n      \
             mempool-size: 65535\n      mempool-cache-size: 257\n      rss-hash-functions: 0x3afbc\n      linkup-timeout: 5\n      \
             copy-mode: none\n    - interface: default\n      threads: auto\n      rss-hash-functions: auto\n",
        );
        assert_eq!(names(&settings), ["0000:3b:00.0"]);
        assert_eq!(DpdkSettings::of(&settings, "0000:3b:00.1").expect("valid"), usual);
        let own = DpdkSettings {
            interface: "0000:3b:00.0".to_owned(),
            threads: Some(4),
            promiscuous: false,
            multicast: false,
            checksums: CardChecksums::No,
            mtu: 9000,
            strip_vlan: true,
            descriptors: Some(4096),
            pool_size: Some(65_535),
            pool_cache: Some(257),
            hash_functions: Some(0x3_afbc),
            link_timeout: 5,
        };
        assert_eq!(DpdkSettings::of(&settings, "0000:3b:00.0").expect("valid"), own);
    }

    #[test]
    fn wrong_values_are_told() {
        for (key, value) in [
            ("threads", "none"),
            ("mtu", "20"),
            ("rx-descriptors", "many"),
            ("mempool-size", "-1"),
            ("mempool-cache-size", "1000"),
            ("rss-hash-functions", "0xxy"),
            ("linkup-timeout", "x"),
            ("copy-mode", "ips"),
            ("checksum-checks", "card"),
        ] {
            let settings = read(&format!("  interfaces:\n    - interface: a\n      {key}: {value}\n"));
            let error = DpdkSettings::of(&settings, "a").expect_err(key).to_string();
            assert!(error.contains(key), "{error}");
        }
    }

    #[test]
    fn the_environment_has_the_options_of_its_command_line() {
        let settings = read(
            "  eal-params:\n    proc-type: primary\n    no-huge:\n    m: 512\n    vdev: [\"net_pcap0,rx_pcap=a\", net_null0]\n",
        );
        let expected = [
            "--proc-type",
            "primary",
            "--no-huge",
            "-m",
            "512",
            "--vdev",
            "net_pcap0,rx_pcap=a",
            "--vdev",
            "net_null0",
        ];
        assert_eq!(environment(&settings), expected);
        assert!(environment(&read("  interfaces: []\n")).is_empty());
    }
}
