//! Counts for a run's summary, gathered by each worker and merged at the end.

use std::collections::HashMap;
use std::collections::btree_map::{BTreeMap, Entry};
use std::net::IpAddr;
use std::sync::Arc;

use weir_base::Timestamp;
use weir_rules::RuleInfo;

use crate::accounts::Accounts;

/// Most addresses whose traffic is counted by itself; later ones are counted together.
pub const MAX_TALKERS: usize = 65_536;

/// One example of a rule's alerts.
#[derive(Clone, Debug)]
pub struct AlertExample {
    /// Position in the capture.
    pub packet: u64,
    /// When.
    pub time: Timestamp,
    /// Source address and port.
    pub source: Option<(IpAddr, u16)>,
    /// Destination address and port.
    pub destination: Option<(IpAddr, u16)>,
}

/// A rule that raised alerts.
#[derive(Clone, Debug)]
pub struct RuleAlerts {
    /// The rule.
    pub rule: Arc<RuleInfo>,
    /// The tenant that has it; zero where none has.
    pub tenant: u32,
    /// Number of its alerts.
    pub count: u64,
    /// The first of them.
    pub example: AlertExample,
}

impl RuleAlerts {
    fn add(&mut self, theirs: Self) {
        self.count += theirs.count;
        if theirs.example.packet < self.example.packet {
            self.example = theirs.example;
        }
    }
}

/// Traffic of an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Flows.
    pub flows: u64,
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Traffic {
    fn add(&mut self, other: &Traffic) {
        self.flows += other.flows;
        self.packets += other.packets;
        self.bytes += other.bytes;
    }
}

/// Counts of one run.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Packets of the capture.
    pub packets: u64,
    /// Their lengths on the wire.
    pub bytes: u64,
    /// Time of the earliest packet.
    pub first: Option<Timestamp>,
    /// Time of the latest packet.
    pub last: Option<Timestamp>,
    /// Alerts by tenant, generator and signature id of their rule.
    pub alerts: BTreeMap<(u32, u32, u32), RuleAlerts>,
    /// Flows by application protocol; those that are not known by transport.
    pub protocols: BTreeMap<String, Traffic>,
    /// Traffic by address.
    pub talkers: HashMap<IpAddr, Traffic>,
    /// Traffic of addresses that were one too many.
    pub other_talkers: Traffic,
    /// Packets, flows and bytes, and what became of them.
    pub accounts: Accounts,
}

impl Tally {
    /// Counts a packet of the capture.
    pub fn packet(&mut self, time: Timestamp, length: u32) {
        self.packets += 1;
        self.bytes += u64::from(length);
        self.first = Some(self.first.map_or(time, |first| first.min(time)));
        self.last = Some(self.last.map_or(time, |last| last.max(time)));
    }

    /// Counts an alert of a tenant's rule, or of one that none has.
    pub fn alert(&mut self, rule: &Arc<RuleInfo>, tenant: u32, example: impl FnOnce() -> AlertExample) {
        let new = || RuleAlerts { rule: Arc::clone(rule), tenant, count: 0, example: example() };
        self.alerts.entry((tenant, rule.gid, rule.sid)).or_insert_with(new).count += 1;
    }

    /// Counts a flow that ended.
    pub fn flow(&mut self, protocol: &str, ends: [IpAddr; 2], packets: u64, bytes: u64) {
        self.accounts.flows_ended += 1;
        self.accounts.of_flows += packets;
        let flow = Traffic { flows: 1, packets, bytes };
        match self.protocols.get_mut(protocol) {
            Some(traffic) => traffic.add(&flow),
            None => self.protocols.entry(protocol.to_owned()).or_default().add(&flow),
        }
        for address in ends {
            let traffic = match self.talkers.len() < MAX_TALKERS {
                true => self.talkers.entry(address).or_default(),
                false => self.talkers.get_mut(&address).unwrap_or(&mut self.other_talkers),
            };
            traffic.add(&flow);
        }
    }

    /// Adds what another worker counted.
    pub fn add(&mut self, other: Tally) {
        self.packets += other.packets;
        self.bytes += other.bytes;
        self.first = self.first.into_iter().chain(other.first).min();
        self.last = self.last.max(other.last);
        self.accounts.add(&other.accounts);
        self.other_talkers.add(&other.other_talkers);
        for (rule, theirs) in other.alerts {
            match self.alerts.entry(rule) {
                Entry::Vacant(place) => {
                    place.insert(theirs);
                }
                Entry::Occupied(place) => place.into_mut().add(theirs),
            }
        }
        for (protocol, traffic) in other.protocols {
            self.protocols.entry(protocol).or_default().add(&traffic);
        }
        // In order, for there may not be room for all.
        for (address, traffic) in BTreeMap::from_iter(other.talkers) {
            let room = self.talkers.len() < MAX_TALKERS;
            match self.talkers.get_mut(&address) {
                Some(known) => known.add(&traffic),
                None if room => self.talkers.entry(address).or_default().add(&traffic),
                None => self.other_talkers.add(&traffic),
            }
        }
    }

    /// All alerts.
    pub fn alert_count(&self) -> u64 {
        self.alerts.values().map(|alerts| alerts.count).sum()
    }
}
