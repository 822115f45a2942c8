//! Tags: packets that are recorded after a rule matched, of its flow or of a host.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;
use weir_base::{Duration, Timestamp};

/// Most tags of one flow or host.
pub const MAX_TAGS: usize = 50;

/// Most hosts with tags.
pub const MAX_HOSTS: usize = 65_536;

/// For how long or how much packets are recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// So many packets.
    Packets(u32),
    /// So many bytes of frames.
    Bytes(u32),
    /// So many seconds.
    Seconds(u32),
}

/// A tag at work.
#[derive(Clone, Copy, Debug)]
pub struct Tag {
    /// The rule.
    sid: u32,
    extent: Extent,
    /// The packet that the rule matched in counts, but has its alert already.
    fresh: bool,
    begun: Timestamp,
    packets: u32,
    bytes: u64,
}

impl Tag {
    /// A tag of the rule `sid`, set in a packet at `now`.
    pub fn new(sid: u32, extent: Extent, now: Timestamp) -> Self {
        Self { sid, extent, fresh: true, begun: now, packets: 0, bytes: 0 }
    }

    /// Counts a packet: whether it is to be recorded; none where the tag is over.
    fn packet(&mut self, now: Timestamp, length: u32) -> Option<bool> {
        self.packets = self.packets.saturating_add(1);
        self.bytes = self.bytes.saturating_add(u64::from(length));
        if std::mem::take(&mut self.fresh) {
            return Some(false);
        }
        let within = match self.extent {
            Extent::Packets(most) => self.packets <= most,
            Extent::Bytes(most) => self.bytes <= u64::from(most),
            Extent::Seconds(most) => now.since(self.begun) <= Duration::from_secs(u64::from(most)),
        };
        within.then_some(true)
    }
}

/// Adds a tag where the rule has none there yet.
pub fn add(tags: &mut Vec<Tag>, tag: Tag) {
    if tags.len() < MAX_TAGS && !tags.iter().any(|known| known.sid == tag.sid) {
        tags.push(tag);
    }
}

/// Counts a packet for all tags and drops those that are over; whether the packet is to be recorded.
pub fn count(tags: &mut Vec<Tag>, now: Timestamp, length: u32) -> bool {
    let mut recorded = false;
    tags.retain_mut(|tag| match tag.packet(now, length) {
        Some(wanted) => {
            recorded |= wanted;
            true
        }
        None => false,
    });
    recorded
}

/// The tags of hosts, which all flows share.
#[derive(Debug, Default)]
pub struct HostTags {
    /// Some rule may tag a host.
    expected: AtomicBool,
    /// Some rule has tagged a host: only then is the table looked at.
    any: AtomicBool,
    hosts: Mutex<HashMap<IpAddr, Vec<Tag>>>,
}

impl HostTags {
    /// A rule was loaded that tags hosts.
    pub fn expect(&self) {
        self.expected.store(true, Ordering::Relaxed);
    }

    /// Whether some rule may tag a host.
    pub fn expected(&self) -> bool {
        self.expected.load(Ordering::Relaxed)
    }

    /// Tags a host.
    pub fn add(&self, host: IpAddr, tag: Tag) {
        self.any.store(true, Ordering::Relaxed);
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() < MAX_HOSTS || hosts.contains_key(&host) {
            add(hosts.entry(host).or_default(), tag);
        }
    }

    /// Counts a packet between two hosts; whether it is to be recorded.
    pub fn count(&self, ends: [Option<IpAddr>; 2], now: Timestamp, length: u32) -> bool {
        if !self.any.load(Ordering::Relaxed) {
            return false;
        }
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut recorded = false;
        for host in ends.into_iter().flatten() {
            let Some(tags) = hosts.get_mut(&host) else { continue };
            recorded |= count(tags, now, length);
            if tags.is_empty() {
                hosts.remove(&host);
            }
        }
        recorded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents() {
        let at = |second| Timestamp::default().plus(Duration::from_secs(second));
        let cases = [
            (Extent::Packets(3), [false, true, true, false]),
            (Extent::Bytes(250), [false, true, false, false]),
            (Extent::Seconds(1), [false, true, false, false]),
        ];
        for (extent, expected) in cases {
            let mut tags = Vec::new();
            add(&mut tags, Tag::new(1, extent, at(0)));
            add(&mut tags, Tag::new(1, extent, at(0)));
            assert_eq!(tags.len(), 1, "one tag for each rule");
            let counted = [0, 1, 2, 3].map(|second| count(&mut tags, at(second), 100));
            assert_eq!(counted, expected, "{extent:?}");
            assert!(tags.is_empty(), "{extent:?}");
        }
    }

    #[test]
    fn hosts() {
        let tags = HostTags::default();
        let [a, b]: [IpAddr; 2] = [[10, 0, 0, 1].into(), [10, 0, 0, 2].into()];
        let now = Timestamp::default();
        assert!(!tags.count([Some(a), Some(b)], now, 1));
        tags.add(a, Tag::new(1, Extent::Packets(2), now));
        let ends = [[Some(a), Some(b)], [Some(b), Some(a)], [Some(b), Some(b)], [Some(a), None]];
        assert_eq!(ends.map(|ends| tags.count(ends, now, 1)), [false, true, false, false]);
    }
}
