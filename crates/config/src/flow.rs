//! `flow`, `flow-timeouts`, `vlan`, `host`, `ippair` and `defrag`: the tables.

use crate::error::ConfigError;
use crate::host_os::Prefix;
use crate::settings::{Section, Settings};

/// Seconds without a packet until a flow ends, by its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Seen one way.
    pub new: u32,
    /// Seen both ways.
    pub established: u32,
    /// Ended by its protocol.
    pub closed: u32,
    /// Shed.
    pub bypassed: u32,
}

/// Timeouts in normal times and while the flow table is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeoutPair {
    /// Normal times.
    pub normal: Timeouts,
    /// While memory is short.
    pub emergency: Timeouts,
}

/// Timeouts by protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowTimeouts {
    /// TCP.
    pub tcp: TimeoutPair,
    /// UDP.
    pub udp: TimeoutPair,
    /// ICMP and ICMPv6.
    pub icmp: TimeoutPair,
    /// All else.
    pub other: TimeoutPair,
}

const OTHER: TimeoutPair = TimeoutPair {
    normal: Timeouts { new: 30, established: 300, closed: 0, bypassed: 100 },
    emergency: Timeouts { new: 10, established: 100, closed: 0, bypassed: 50 },
};
const TCP: TimeoutPair = TimeoutPair {
    normal: Timeouts { new: 30, established: 300, closed: 10, bypassed: 100 },
    emergency: Timeouts { new: 10, established: 100, closed: 5, bypassed: 50 },
};

impl TimeoutPair {
    fn read(section: &Section<'_>, default: Self) -> Result<Self, ConfigError> {
        let of = |prefix: &str, default: Timeouts| -> Result<Timeouts, ConfigError> {
            let seconds = |key: &str, default: u32| section.integer32(&format!("{prefix}{key}"), default);
            Ok(Timeouts {
                new: seconds("new", default.new)?,
                established: seconds("established", default.established)?,
                closed: seconds("closed", default.closed)?,
                bypassed: seconds("bypassed", default.bypassed)?,
            })
        };
        Ok(Self { normal: of("", default.normal)?, emergency: of("emergency-", default.emergency)? })
    }
}

/// A hash table's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSettings {
    /// Bytes.
    pub memcap: u64,
    /// Rows.
    pub hash_size: u32,
    /// Entries preallocated.
    pub prealloc: u32,
}

impl TableSettings {
    fn read(section: &Section<'_>, default: Self) -> Result<Self, ConfigError> {
        Ok(Self {
            memcap: section.size("memcap", default.memcap)?,
            hash_size: section.integer("hash-size", default.hash_size.into(), 1..=u64::from(u32::MAX))?
                as u32,
            prealloc: match section.text("prealloc") {
                Some(text) if crate::value::is_false(text) => 0,
                Some(text) if crate::value::integer(text).is_none() => default.prealloc,
                _ => section.integer32("prealloc", default.prealloc)?,
            },
        })
    }

    /// `host`: state kept for addresses.
    pub fn hosts(settings: &Settings) -> Result<Self, ConfigError> {
        Self::read(&settings.section("host"), Self { memcap: 32 << 20, hash_size: 4096, prealloc: 1000 })
    }

    /// `detect.thresholds`: state kept for rules' thresholds.
    pub fn thresholds(settings: &Settings) -> Result<Self, ConfigError> {
        Self::read(
            &settings.section("detect.thresholds"),
            Self { memcap: 16 << 20, hash_size: 16_384, prealloc: 0 },
        )
    }
}

/// Flows with more bytes than this in an interval are elephants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateTracking {
    /// Bytes.
    pub bytes: u64,
    /// Seconds.
    pub interval_secs: u32,
    /// They are bypassed.
    pub bypass: bool,
}

/// `flow` and what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowSettings {
    /// The table.
    pub table: TableSettings,
    /// Per cent of flows that must be free before an emergency ends.
    pub emergency_recovery: u8,
    /// Timeouts.
    pub timeouts: FlowTimeouts,
    /// VLAN tags tell flows apart.
    pub vlan_tracking: bool,
    /// Elephant flows; `None` where they are not looked for.
    pub rate_tracking: Option<RateTracking>,
}

impl FlowSettings {
    /// Reads `flow`, `flow-timeouts` and `vlan`.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let flow = settings.section("flow");
        let timeouts = settings.section("flow-timeouts");
        let other = TimeoutPair::read(&timeouts.section("default"), OTHER)?;
        let rate = flow.section("rate-tracking");
        Ok(Self {
            table: TableSettings::read(
                &flow,
                TableSettings { memcap: 32 << 20, hash_size: 65_536, prealloc: 10_000 },
            )?,
            emergency_recovery: flow.integer("emergency-recovery", 30, 1..=100)? as u8,
            timeouts: FlowTimeouts {
                tcp: TimeoutPair::read(&timeouts.section("tcp"), TCP)?,
                udp: TimeoutPair::read(&timeouts.section("udp"), OTHER)?,
                icmp: TimeoutPair::read(&timeouts.section("icmp"), OTHER)?,
                other,
            },
            vlan_tracking: settings.section("vlan").flag("use-for-tracking", true),
            rate_tracking: match rate.node() {
                Some(node) if !node.children().is_empty() => Some(RateTracking {
                    bytes: rate.size("bytes", 1 << 30)?,
                    interval_secs: rate.integer32("interval", 10)?,
                    bypass: rate.flag("bypass", false),
                }),
                _ => None,
            },
        })
    }
}

/// `defrag`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefragSettings {
    /// Bytes.
    pub memcap: u64,
    /// Rows.
    pub hash_size: u32,
    /// Packets in pieces followed at a time.
    pub trackers: u32,
    /// Pieces kept at a time.
    pub max_frags: u32,
    /// Preallocated at the start.
    pub prealloc: bool,
    /// Seconds until an unfinished packet is given up.
    pub timeout_secs: u32,
    /// Timeouts for parts of the network, in the order of the file.
    pub host_timeouts: Vec<(Prefix, u32)>,
}

/// Longest defragmentation timeout, in seconds.
const MAX_DEFRAG_TIMEOUT: u64 = 60 * 60 * 24;

impl DefragSettings {
    /// Reads `defrag`.
    pub fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
        let defrag = settings.section("defrag");
        let mut host_timeouts = Vec::new();
        for entry in defrag.section("host-config").children() {
            let Some(host) = entry.children().into_iter().next() else { continue };
            let timeout = host.integer("timeout", 60, 1..=MAX_DEFRAG_TIMEOUT)? as u32;
            for text in host.list("address") {
                let prefix = Prefix::parse(text)
                    .ok_or_else(|| host.wrong("address", "a list of addresses or networks"))?;
                host_timeouts.push((prefix, timeout));
            }
        }
        Ok(Self {
            memcap: defrag.size("memcap", 32 << 20)?,
            hash_size: defrag.integer("hash-size", 4096, 1..=u64::from(u32::MAX))? as u32,
            trackers: defrag.integer32("trackers", 1000)?,
            max_frags: defrag.integer32("max-frags", 65_535)?,
            prealloc: defrag.flag("prealloc", true),
            timeout_secs: defrag.integer("timeout", 60, 1..=MAX_DEFRAG_TIMEOUT)? as u32,
            host_timeouts,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_come_from_the_file_or_the_defaults() {
        let shipped = FlowSettings::from_settings(&Settings::built_in::<&str>(&[]).unwrap()).unwrap();
        assert_eq!(
            shipped.timeouts.tcp.normal,
            Timeouts { new: 60, established: 600, closed: 60, bypassed: 100 }
        );
        assert_eq!(
            shipped.timeouts.tcp.emergency,
            Timeouts { new: 5, established: 100, closed: 10, bypassed: 50 }
        );
        assert_eq!(shipped.table.memcap, 128 << 20);
        assert_eq!(shipped.rate_tracking, None);
        let changed = Settings::from_text(b"", "t", &["flow-timeouts.udp.new=7"]).unwrap();
        let changed = FlowSettings::from_settings(&changed).unwrap();
        assert_eq!(changed.timeouts.udp.normal.new, 7);
        assert_eq!(changed.timeouts.udp.normal.established, 300);
    }

    #[test]
    fn defrag_timeouts_of_networks() {
        let text = b"%YAML 1.1\n---\ndefrag:\n  timeout: 60\n  host-config:\n    - dmz:\n        timeout: 30\n        address: [192.168.1.0/24, \"::1\"]\n    - all:\n        timeout: 45\n        address:\n          - 192.168.0.0/16\n";
        let defrag =
            DefragSettings::from_settings(&Settings::from_text::<&str>(text, "t", &[]).unwrap()).unwrap();
        let timeouts: Vec<u32> = defrag.host_timeouts.iter().map(|(_, timeout)| *timeout).collect();
        assert_eq!((defrag.timeout_secs, timeouts), (60, vec![30, 30, 45]));
    }

    #[test]
    fn invalid_tables_are_refused() {
        for argument in [
            "flow.memcap=lots",
            "flow.hash-size=0",
            "flow.emergency-recovery=101",
            "flow-timeouts.tcp.new=soon",
        ] {
            let settings = Settings::from_text(b"", "t", &[argument]).unwrap();
            assert!(FlowSettings::from_settings(&settings).is_err(), "{argument}");
        }
    }
}
