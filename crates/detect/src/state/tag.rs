//! Tags: packets that are recorded after a rule matched, of its flow or of a host.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use weir_base::profile::locks::Lock;
use weir_base::{Duration, Expiring, Timestamp};

/// Most tags of one flow or host.
pub const MAX_TAGS: usize = 50;

/// Most hosts with tags; one whose tags are over makes room.
pub const MAX_HOSTS: usize = 65_536;

/// Matches of a rule, after the one that set its tag, that begin the tag again.
const MAX_RENEWALS: u8 = 9;

/// A host's tags are over when there was no packet for so long, and none of them is for longer.
pub const IDLE: Duration = Duration::from_secs(600);

/// For how long or how much packets are recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// So many packets.
    Packets(u32),
    /// So many bytes of frames.
    Bytes(u32),
    /// So many seconds of the clock, whose parts do not count.
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
    /// How often its rule matched again.
    renewals: u8,
}

impl Tag {
    /// A tag of the rule `sid`, set in a packet at `now`.
    pub fn new(sid: u32, extent: Extent, now: Timestamp) -> Self {
        Self { sid, extent, fresh: true, begun: now, packets: 0, bytes: 0, renewals: 0 }
    }

    /// Begins again in a packet at `now`, unless it did so too often.
    fn renew(&mut self, now: Timestamp) {
        if self.renewals < MAX_RENEWALS {
            self.renewals += 1;
            (self.begun, self.packets, self.bytes) = (now, 0, 0);
        }
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
            Extent::Seconds(most) => now.seconds().saturating_sub(self.begun.seconds()) <= u64::from(most),
        };
        within.then_some(true)
    }

    /// When it is over if there is no packet after `now`.
    fn over(&self, now: Timestamp) -> Timestamp {
        let idle = now.plus(IDLE);
        match self.extent {
            Extent::Seconds(most) => idle.max(self.begun.plus(Duration::from_secs(u64::from(most) + 1))),
            Extent::Packets(_) | Extent::Bytes(_) => idle,
        }
    }
}

/// Adds a tag; one that the rule has there already begins again. False where there are too many.
pub fn add(tags: &mut Vec<Tag>, tag: Tag) -> bool {
    if let Some(known) = tags.iter_mut().find(|known| known.sid == tag.sid) {
        known.renew(tag.begun);
        return true;
    }
    let room = tags.len() < MAX_TAGS;
    if room {
        tags.push(tag);
    }
    room
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
#[derive(Debug)]
pub struct HostTags {
    /// Some rule may tag a host.
    expected: AtomicBool,
    /// Some rule has tagged a host: only then is the table looked at.
    any: AtomicBool,
    hosts: Lock<Expiring<IpAddr, Vec<Tag>>>,
}

impl Default for HostTags {
    fn default() -> Self {
        let hosts = Lock::new("tags of hosts", Expiring::default());
        Self { expected: AtomicBool::default(), any: AtomicBool::default(), hosts }
    }
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

    /// Tags a host; false where it has too many tags, or too many hosts have some.
    pub fn add(&self, host: IpAddr, tag: Tag) -> bool {
        self.any.store(true, Ordering::Relaxed);
        let mut hosts = self.hosts.lock();
        let now = tag.begun;
        let known = hosts.get(&host).map(|(_, over)| over);
        if known.is_some_and(|over| over <= now) {
            hosts.remove(&host);
        } else if known.is_none() && hosts.len() >= MAX_HOSTS {
            hosts.expire(now, drop);
            if hosts.len() >= MAX_HOSTS {
                return false;
            }
        }
        let over = tag.over(now).max(known.unwrap_or_default());
        add(hosts.hold(host, over, Vec::new), tag)
    }

    /// Forgets all tags.
    pub fn forget(&self) {
        *self.hosts.lock() = Expiring::default();
        self.any.store(false, Ordering::Relaxed);
    }

    /// Counts a packet between two hosts; whether it is to be recorded.
    pub fn count(&self, ends: [Option<IpAddr>; 2], now: Timestamp, length: u32) -> bool {
        if !self.any.load(Ordering::Relaxed) {
            return false;
        }
        let mut hosts = self.hosts.lock();
        let mut recorded = false;
        for host in ends.into_iter().flatten() {
            let Some((tags, over)) = hosts.get_mut(&host) else { continue };
            if over > now {
                recorded |= count(tags, now, length);
            } else {
                tags.clear();
            }
            match tags.iter().map(|tag| tag.over(now)).max() {
                Some(over) => {
                    hosts.hold(host, over, Vec::new);
                }
                None => {
                    hosts.remove(&host);
                }
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
    fn seconds_are_those_of_the_clock() {
        let at = |second, micros: u32| Timestamp::new(second, micros * 1000);
        let mut tags = Vec::new();
        add(&mut tags, Tag::new(1, Extent::Seconds(1), at(10, 0)));
        let counted = [at(10, 0), at(11, 999_999), at(12, 0)].map(|now| count(&mut tags, now, 1));
        assert_eq!(counted, [false, true, false]);
        add(&mut tags, Tag::new(1, Extent::Seconds(1), at(10, 999_999)));
        let counted = [at(10, 999_999), at(11, 0), at(12, 0)].map(|now| count(&mut tags, now, 1));
        assert_eq!(counted, [false, true, false]);
    }

    #[test]
    fn a_tag_begins_again_where_its_rule_matches_again() {
        let now = Timestamp::default();
        let tag = Tag::new(1, Extent::Packets(2), now);
        let mut tags = Vec::new();
        add(&mut tags, tag);
        let matched = |tags: &mut Vec<Tag>| {
            add(tags, tag);
            count(tags, now, 1)
        };
        assert!(!count(&mut tags, now, 1));
        let renewed = [0; MAX_RENEWALS as usize].map(|_| matched(&mut tags));
        assert!(renewed.iter().all(|recorded| *recorded));
        assert!(matched(&mut tags), "the second packet since");
        assert!(!matched(&mut tags), "it did not begin again");
        assert!(tags.is_empty());
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

    #[test]
    fn hosts_without_packets_are_forgotten() {
        let tags = HostTags::default();
        let host = |number: u32| IpAddr::from(number.to_be_bytes());
        let at = |second| Timestamp::default().plus(Duration::from_secs(second));
        let add = |number, extent, second| tags.add(host(number), Tag::new(1, extent, at(second)));
        let count = |number, second| tags.count([Some(host(number)), None], at(second), 1);
        for (number, extent) in [(1, Extent::Packets(100)), (2, Extent::Seconds(700)), (3, Extent::Bytes(9))]
        {
            assert!(add(number, extent, 0));
            assert!(!count(number, 0));
        }
        // Each packet keeps them; so does a time that they are for.
        let counted = [(1, 599), (1, 1198), (2, 700), (2, 701), (3, 601), (1, 1798)];
        assert_eq!(
            counted.map(|(number, second)| count(number, second)),
            [true, true, true, false, false, false]
        );
        assert!((0..MAX_HOSTS as u32).all(|number| add(number, Extent::Packets(1), 2000)));
        let full = MAX_HOSTS as u32;
        assert_eq!(
            [(full, 2599), (5, 2599), (full, 2600)].map(|(n, s)| add(n, Extent::Packets(1), s)),
            [false, true, true]
        );
    }
}
