//! `af-packet`: settings of interfaces that are listened on.

use crate::af_xdp::XdpMode;
use crate::error::ConfigError;
use crate::interfaces::{self, MAX_THREADS};
use crate::settings::{Section, Settings};

/// The section.
const SECTION: &str = "af-packet";

/// Bytes of a block of a ring, unless the configuration says otherwise.
pub const BLOCK_SIZE: u32 = 128 << 10;

/// Longest time until a block that is not full is handed out, in milliseconds.
pub const BLOCK_TIMEOUT: u32 = 10;

/// Ways in which the kernel shares the packets of an interface out among threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClusterType {
    /// All packets between two addresses to one thread, also within tunnels.
    #[default]
    Flow,
    /// By the processor that took the packet from the card.
    Cpu,
    /// By the card's queue.
    Queue,
    /// To each in turn.
    RoundRobin,
    /// To any.
    Random,
}

/// `cluster-type`, by its words.
const CLUSTERS: &[(&str, ClusterType)] = &[
    ("cluster_flow", ClusterType::Flow),
    ("cluster_cpu", ClusterType::Cpu),
    ("cluster_qm", ClusterType::Queue),
    ("cluster_round_robin", ClusterType::RoundRobin),
    ("cluster_random", ClusterType::Random),
    ("cluster_rollover", ClusterType::Flow),
    ("cluster_ebpf", ClusterType::Flow),
];

/// Words of `cluster-type` that stand for another one.
const REPLACED: &[&str] = &["cluster_rollover", "cluster_ebpf"];

/// Which checksums are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChecksumChecks {
    /// Those of all packets but of the ones whose checksum the kernel has not filled in yet.
    #[default]
    Kernel,
    /// Those of all packets.
    Yes,
    /// None.
    No,
}

/// `checksum-checks`, by its words. What `auto` finds out by statistics the kernel says.
const CHECKS: &[(&str, ChecksumChecks)] = &[
    ("kernel", ChecksumChecks::Kernel),
    ("auto", ChecksumChecks::Kernel),
    ("yes", ChecksumChecks::Yes),
    ("true", ChecksumChecks::Yes),
    ("no", ChecksumChecks::No),
    ("false", ChecksumChecks::No),
];

/// The clock that packets have their times from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// The system's.
    #[default]
    System,
    /// The card's, where it tells a time.
    Card,
}

/// What is done with packets beside inspecting them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CopyMode {
    /// Nothing.
    #[default]
    None,
    /// Those that are not dropped are sent by the other interface.
    Ips,
    /// All are sent by the other interface.
    Tap,
}

/// `copy-mode`, by its words.
const COPY_MODES: &[(&str, CopyMode)] =
    &[("none", CopyMode::None), ("ips", CopyMode::Ips), ("tap", CopyMode::Tap)];

/// `xdp-mode`, by its words. Cards that run programs themselves are treated as any other one.
const XDP_MODES: &[(&str, XdpMode)] =
    &[("soft", XdpMode::Kernel), ("driver", XdpMode::Driver), ("hw", XdpMode::Driver)];

/// Settings without effect, and the reason.
const UNUSED: &[(&str, &str)] = &[
    (
        "ebpf-filter-file",
        "programs of others are not loaded; filters are written as bpf-filter, and bypass needs none",
    ),
    ("ebpf-lb-file", "cluster_flow shares packets out by a program of Weir's own"),
    (
        "xdp-filter-file",
        "programs of others are not loaded; with bypass and xdp-mode one of Weir's own drops packets",
    ),
    ("xdp-cpu-redirect", "cluster_flow shares packets out, and threads are bound by cpu-affinity"),
    ("pinned-maps", "the table of bypassed flows ends with the program"),
    ("pinned-maps-name", "the table of bypassed flows ends with the program"),
    ("use-percpu-hash", "the table of bypassed flows is one for all processors"),
    ("no-percpu-hash", "the table of bypassed flows is one for all processors"),
];

/// Settings of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AfPacketSettings {
    /// Its name.
    pub interface: String,
    /// Threads; none for one on each core.
    pub threads: Option<u16>,
    /// Number by which sockets share the load; none where the kernel may choose it.
    pub cluster_id: Option<u16>,
    /// The way of sharing.
    pub cluster: ClusterType,
    /// The kernel puts fragments together before it shares packets out: for other ways than [`ClusterType::Flow`].
    pub defrag: bool,
    /// Packets of the ring of a thread; none for a size by the interface's speed.
    pub ring_size: Option<u32>,
    /// Bytes of a block.
    pub block_size: u32,
    /// Milliseconds until a block that is not full is handed out.
    pub block_timeout: u32,
    /// The ring is locked in memory.
    pub locked: bool,
    /// The interface takes in packets that are not for its address.
    pub promiscuous: bool,
    /// The clock that packets have their times from.
    pub times: Times,
    /// Which checksums are looked at.
    pub checksums: ChecksumChecks,
    /// The filter, in the language of tcpdump.
    pub filter: Option<String>,
    /// What is done with packets beside inspecting them.
    pub copy_mode: CopyMode,
    /// The interface that sends them then.
    pub copy_interface: Option<String>,
    /// The kernel drops what follows of bypassed flows.
    pub bypass: bool,
    /// It does so before the system sees packets, too, at this place.
    pub xdp: Option<XdpMode>,
}

impl AfPacketSettings {
    /// Those of an interface.
    pub fn of(settings: &Settings, interface: &str) -> Result<Self, ConfigError> {
        Self::from_section(&interfaces::entry_or_nothing(settings, SECTION, interface), interface)
    }

    /// Warns of settings of an interface that are not used.
    pub fn warn_of_unused(settings: &Settings, interface: &str) {
        interfaces::entry(settings, SECTION, interface).iter().for_each(warn_of_unused);
    }

    fn from_section(section: &Section<'_>, interface: &str) -> Result<Self, ConfigError> {
        let block_size = section.size32("block-size", BLOCK_SIZE)?;
        if !block_size.is_power_of_two() || !(4096..=1 << 28).contains(&block_size) {
            return Err(section.wrong("block-size", "a power of two from 4096 on"));
        }
        Ok(Self {
            interface: interface.to_owned(),
            threads: section.count("threads", MAX_THREADS)?.and_then(|count| u16::try_from(count).ok()),
            cluster_id: section.count("cluster-id", u16::MAX.into())?.and_then(|id| u16::try_from(id).ok()),
            cluster: section.choice("cluster-type", ClusterType::Flow, CLUSTERS)?,
            defrag: section.flag("defrag", true),
            ring_size: section.count("ring-size", 1 << 24)?.and_then(|packets| u32::try_from(packets).ok()),
            block_size,
            block_timeout: section.integer("block-timeout", BLOCK_TIMEOUT.into(), 1..=10_000)? as u32,
            locked: section.flag("mmap-locked", false),
            promiscuous: !section.flag("disable-promisc", false),
            // Few cards' clocks are set, so that theirs are asked for.
            times: if section.flag("disable-hwtimestamp", true) { Times::System } else { Times::Card },
            checksums: section.choice("checksum-checks", ChecksumChecks::Kernel, CHECKS)?,
            filter: section.packet_filter(),
            copy_mode: section.choice("copy-mode", CopyMode::None, COPY_MODES)?,
            copy_interface: section.text("copy-iface").map(str::to_owned),
            bypass: section.flag("bypass", false),
            xdp: match section.text("xdp-mode") {
                None => None,
                Some(_) => Some(section.choice("xdp-mode", XdpMode::Kernel, XDP_MODES)?),
            },
        })
    }
}

fn warn_of_unused(section: &Section<'_>) {
    let warn = |message: String| section.settings().warn("af-packet", message, None);
    for (key, reason) in UNUSED {
        if section.text(key).is_some() {
            warn(format!("{}.{key} is not used: {reason}.", section.path()));
        }
    }
    let bypasses = section.flag("bypass", false);
    if bypasses && section.text("copy-mode").is_some_and(|mode| mode != "none") {
        warn(format!(
            "{}.bypass is not used: bypassed flows are forwarded, which the program does.",
            section.path()
        ));
    }
    if section.text("xdp-mode").is_some() && !bypasses {
        warn(format!("{}.xdp-mode is not used: it is for `bypass: yes`.", section.path()));
    }
    if section.text("xdp-mode") == Some("hw") {
        warn(format!("{}.xdp-mode: the program runs in the driver, not in the card.", section.path()));
    }
    if let Some(word) = section.text("cluster-type").filter(|word| REPLACED.contains(word)) {
        warn(format!("cluster-type {word} is not used: cluster_flow takes its place."));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRIES: &str = "%YAML 1.1\n---\naf-packet:\n  - interface: eth1\n    threads: 3\n    cluster-id: 7\n    \
        cluster-type: cluster_qm\n    bpf-filter: \"port 53\"\n    checksum-checks: auto\n  - interface: default\n    \
        threads: auto\n    disable-promisc: yes\n    block-size: 1mb\n  - interface: eth2\n    ring-size: 5000\n    \
        cluster-type: cluster_ebpf\n    copy-mode: ips\n    copy-iface: eth3\n    ebpf-lb-file: x\n";

    fn read(text: &str, interface: &str) -> Result<(AfPacketSettings, usize), ConfigError> {
        let settings = Settings::from_text(text.as_bytes(), "t.yaml", &[] as &[&str])?;
        let read = AfPacketSettings::of(&settings, interface)?;
        AfPacketSettings::warn_of_unused(&settings, interface);
        Ok((read, settings.take_warnings().len()))
    }

    #[test]
    fn an_entry_counts_alone() {
        let none = read("%YAML 1.1\n---\na: b\n", "lo").expect("defaults").0;
        assert_eq!((none.threads, none.promiscuous, none.block_size), (None, true, BLOCK_SIZE));
        let own = read(ENTRIES, "eth1").expect("valid").0;
        assert_eq!(
            own,
            AfPacketSettings {
                interface: "eth1".to_owned(),
                threads: Some(3),
                cluster_id: Some(7),
                cluster: ClusterType::Queue,
                filter: Some("port 53".to_owned()),
                ..none.clone()
            }
        );
        let other = read(ENTRIES, "eth9").expect("valid").0;
        let expected = AfPacketSettings {
            interface: "eth9".to_owned(),
            promiscuous: false,
            block_size: 1 << 20,
            ..none
        };
        assert_eq!(other, expected);
    }

    #[test]
    fn what_is_not_used_is_told() {
        let (settings, warnings) = read(ENTRIES, "eth2").expect("valid");
        assert_eq!((settings.ring_size, settings.cluster, warnings), (Some(5000), ClusterType::Flow, 2));
        assert_eq!((settings.copy_mode, settings.copy_interface.as_deref()), (CopyMode::Ips, Some("eth3")));
    }

    #[test]
    fn bypass_is_the_kernels_where_it_is_asked_for() {
        let entry = |keys: &str| format!("%YAML 1.1\n---\naf-packet:\n  - interface: e\n    {keys}\n");
        for (keys, bypass, xdp, warnings) in [
            ("threads: 1", false, None, 0),
            ("bypass: yes", true, None, 0),
            ("bypass: yes\n    xdp-mode: soft", true, Some(XdpMode::Kernel), 0),
            ("bypass: yes\n    xdp-mode: driver\n    use-percpu-hash: yes", true, Some(XdpMode::Driver), 1),
            ("bypass: yes\n    xdp-mode: hw\n    xdp-filter-file: x", true, Some(XdpMode::Driver), 2),
            ("xdp-mode: soft", false, Some(XdpMode::Kernel), 1),
            ("bypass: yes\n    copy-mode: ips", true, None, 1),
        ] {
            let (read, told) = read(&entry(keys), "e").expect(keys);
            assert_eq!((read.bypass, read.xdp, told), (bypass, xdp, warnings), "{keys}");
        }
    }

    #[test]
    fn interfaces_are_those_with_an_entry() {
        let settings = Settings::from_text::<&str>(ENTRIES.as_bytes(), "t", &[]).expect("valid");
        assert_eq!(interfaces::names(&settings, SECTION), ["eth1", "eth2"]);
    }

    #[test]
    fn wrong_values_are_told() {
        for (key, value) in [
            ("threads", "0"),
            ("cluster-id", "70000"),
            ("cluster-type", "some"),
            ("block-size", "5000"),
            ("block-timeout", "0"),
            ("checksum-checks", "maybe"),
            ("copy-mode", "bridge"),
            ("xdp-mode", "fast"),
        ] {
            let text = format!("%YAML 1.1\n---\naf-packet:\n  - interface: e\n    {key}: {value}\n");
            let error = read(&text, "e").expect_err(key).to_string();
            assert!(error.contains(key), "{error}");
        }
    }
}
