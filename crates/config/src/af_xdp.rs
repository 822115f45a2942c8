//! `af-xdp`: settings of interfaces that are listened on by sockets of AF_XDP.

use crate::error::ConfigError;
use crate::interfaces::{self, CARD_CHECKS, CardChecksums, MAX_THREADS};
use crate::settings::Settings;

/// The section.
const SECTION: &str = "af-xdp";

/// Places at which packets are taken from an interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum XdpMode {
    /// The driver, where it can, else the kernel.
    #[default]
    Either,
    /// The driver.
    Driver,
    /// The kernel, for any driver.
    Kernel,
}

/// `force-xdp-mode`, by its words.
const XDP_MODES: &[(&str, XdpMode)] =
    &[("none", XdpMode::Either), ("drv", XdpMode::Driver), ("skb", XdpMode::Kernel)];

/// Ways in which packets come into memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BindMode {
    /// By the card itself, where it can, else copied.
    #[default]
    Either,
    /// By the card itself.
    ZeroCopy,
    /// Copied by the kernel.
    Copy,
}

/// `force-bind-mode`, by its words.
const BIND_MODES: &[(&str, BindMode)] = &[
    ("none", BindMode::Either),
    ("zero", BindMode::ZeroCopy),
    ("zerocopy", BindMode::ZeroCopy),
    ("copy", BindMode::Copy),
];

/// Polling of the card by the thread that reads, in place of interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusyPoll {
    /// Microseconds of a poll.
    pub time: u32,
    /// Packets of a poll.
    pub budget: u32,
    /// Nanoseconds until the kernel looks for packets that nobody polled.
    pub flush_timeout: u32,
    /// Polls without a packet until interrupts are let in again.
    pub deferred_interrupts: u32,
}

/// Settings of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AfXdpSettings {
    /// Its name.
    pub interface: String,
    /// Threads; none for one for each queue.
    pub threads: Option<u16>,
    /// The interface takes in packets that are not for its address.
    pub promiscuous: bool,
    /// The place at which packets are taken.
    pub mode: XdpMode,
    /// The way in which they come into memory.
    pub bind: BindMode,
    /// Chunks of memory may lie anywhere, in huge pages.
    pub unaligned: bool,
    /// Polling; none where the card interrupts.
    pub busy_poll: Option<BusyPoll>,
    /// Which checksums are looked at.
    pub checksums: CardChecksums,
}

impl AfXdpSettings {
    /// Those of an interface.
    pub fn of(settings: &Settings, interface: &str) -> Result<Self, ConfigError> {
        let section = interfaces::entry_or_nothing(settings, SECTION, interface);
        let threads = section.count("threads", MAX_THREADS)?;
        let number = |key: &str, default: u64, most: u32| {
            section.integer(key, default, 0..=most.into()).map(|value| value as u32)
        };
        let busy_poll = BusyPoll {
            time: number("busy-poll-time", 20, 1_000_000)?,
            budget: number("busy-poll-budget", 64, u16::MAX.into())?,
            flush_timeout: number("gro-flush-timeout", 2_000_000, 1_000_000_000)?,
            deferred_interrupts: number("napi-defer-hard-irq", 2, i32::MAX as u32)?,
        };
        Ok(Self {
            interface: interface.to_owned(),
            threads: threads.and_then(|count| u16::try_from(count).ok()),
            promiscuous: !section.flag("disable-promisc", false),
            mode: section.choice("force-xdp-mode", XdpMode::Either, XDP_MODES)?,
            bind: section.choice("force-bind-mode", BindMode::Either, BIND_MODES)?,
            unaligned: section.flag("mem-unaligned", false),
            busy_poll: section.flag("enable-busy-poll", true).then_some(busy_poll),
            checksums: section.choice("checksum-checks", CardChecksums::Auto, CARD_CHECKS)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRIES: &str = "%YAML 1.1\n---\naf-xdp:\n  - interface: eth1\n    threads: 3\n    \
        disable-promisc: yes\n    force-xdp-mode: drv\n    force-bind-mode: zero\n    mem-unaligned: yes\n    \
        busy-poll-time: 30\n    busy-poll-budget: 128\n    gro-flush-timeout: 1000\n    napi-defer-hard-irq: 0\n    \
        checksum-checks: yes\n  - interface: default\n    threads: auto\n    enable-busy-poll: no\n";

    fn read(text: &str, interface: &str) -> Result<AfXdpSettings, ConfigError> {
        AfXdpSettings::of(&Settings::from_text(text.as_bytes(), "t.yaml", &[] as &[&str])?, interface)
    }

    #[test]
    fn entries() {
        let usual = AfXdpSettings {
            interface: "lo".to_owned(),
            threads: None,
            promiscuous: true,
            mode: XdpMode::Either,
            bind: BindMode::Either,
            unaligned: false,
            busy_poll: Some(BusyPoll {
                time: 20,
                budget: 64,
                flush_timeout: 2_000_000,
                deferred_interrupts: 2,
            }),
            checksums: CardChecksums::Auto,
        };
        assert_eq!(read("%YAML 1.1\n---\na: b\n", "lo").expect("defaults"), usual);
        let own = AfXdpSettings {
            interface: "eth1".to_owned(),
            threads: Some(3),
            promiscuous: false,
            mode: XdpMode::Driver,
            bind: BindMode::ZeroCopy,
            unaligned: true,
            busy_poll: Some(BusyPoll { time: 30, budget: 128, flush_timeout: 1000, deferred_interrupts: 0 }),
            checksums: CardChecksums::Yes,
        };
        assert_eq!(read(ENTRIES, "eth1").expect("valid"), own);
        assert_eq!(read(ENTRIES, "lo").expect("valid"), AfXdpSettings { busy_poll: None, ..usual });
    }

    #[test]
    fn wrong_values_are_told() {
        for (key, value) in [
            ("threads", "0"),
            ("force-xdp-mode", "hw"),
            ("force-bind-mode", "fast"),
            ("busy-poll-time", "long"),
            ("busy-poll-budget", "70000"),
            ("gro-flush-timeout", "-1"),
            ("napi-defer-hard-irq", "x"),
            ("checksum-checks", "kernel"),
        ] {
            let text = format!("%YAML 1.1\n---\naf-xdp:\n  - interface: e\n    {key}: {value}\n");
            let error = read(&text, "e").expect_err(key).to_string();
            assert!(error.contains(key), "{error}");
        }
    }
}
