//! The uids of what carries connections in tunnels, where these are followed by another worker than what
//! carries them.
//!
//! A worker that follows a carrier publishes its uid with the first packet of another worker's that it carries, and
//! again from time to time. Who follows what is inside asks for it, in turn, with the first packet that
//! it sees in the carrier, and again where the carrier may have ended since: a carrier is gone only when
//! it was silent for long, and each packet inside is one of the carrier's.

use std::collections::HashMap;
use std::net::IpAddr;

use ahash::RandomState;
use weir_base::{Duration, Expiring, Timestamp};
use weir_packet::Packet;

use crate::across::Across;
use crate::connection::{Key, PacketView};
use crate::identifier::Id;
use crate::tunnel::Kind;

/// Most carriers that are published at once; the connections inside of further ones have no parent.
const MAX_PUBLISHED: usize = 1 << 18;

/// Most carriers that a worker remembers; beyond, it forgets them all and asks again.
const MAX_REMEMBERED: usize = 1 << 16;

/// Time for which an announced carrier is certainly there: less than the silence that ends it.
const CERTAIN: Duration = Duration::from_secs(59);

/// Interval in which a carrier is not published again …
const REPEAT: Duration = Duration::from_secs(60);

/// … and how long it is kept at least.
const KEPT: Duration = Duration::from_secs(180);

/// Carrier of connections.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Carrier {
    /// A tunnel directly over IP between two hosts, the lower one first.
    Hosts(IpAddr, IpAddr),
    /// A connection.
    Connection(Key),
}

impl Carrier {
    /// The carrier whose packet `outer` is.
    pub(crate) fn of(outer: &Packet<'_>, kind: Kind) -> Option<Self> {
        if kind.service.is_some() {
            return Some(Self::Connection(PacketView::of(outer)?.key()));
        }
        let (one, other) = (outer.source()?, outer.destination()?);
        Some(Self::Hosts(one.min(other), one.max(other)))
    }

    /// Whether what was heard of it at a moment still holds.
    fn holds(&self, heard: Timestamp, now: Timestamp) -> bool {
        match self {
            Self::Hosts(..) => true,
            // The silence that ends those is another one.
            Self::Connection(key) => !key.may_be_dns() && now < heard.plus(CERTAIN),
        }
    }
}

/// A uid and when it was heard of, or published.
#[derive(Debug)]
struct Known {
    uid: Id,
    at: Timestamp,
}

/// Carriers that a worker knows, its own and others'.
#[derive(Debug)]
pub(crate) struct Parents {
    known: HashMap<Carrier, Known, RandomState>,
}

impl Default for Parents {
    fn default() -> Self {
        Self { known: HashMap::with_hasher(weir_base::keyed_hash()) }
    }
}

impl Parents {
    /// Lets the other workers know the uid of a carrier of this worker's.
    pub(crate) fn publish(&mut self, carrier: Carrier, uid: Id, now: Timestamp, across: &Across) {
        if self.known.get(&carrier).is_some_and(|known| known.uid == uid && now < known.at.plus(REPEAT)) {
            return;
        }
        across.publish(carrier, uid, now);
        self.remember(carrier, uid, now);
    }

    /// The uid of a carrier that `worker` follows, whose packet of the time `heard` is at hand.
    pub(crate) fn ask(
        &mut self,
        carrier: Carrier,
        heard: Timestamp,
        now: Timestamp,
        worker: usize,
        across: &Across,
    ) -> Option<Id> {
        if let Some(known) = self.known.get_mut(&carrier)
            && carrier.holds(known.at, now)
        {
            known.at = known.at.max(heard);
            return Some(known.uid);
        }
        let uid = across.published(&carrier, worker)?;
        self.remember(carrier, uid, heard);
        Some(uid)
    }

    fn remember(&mut self, carrier: Carrier, uid: Id, at: Timestamp) {
        if self.known.len() >= MAX_REMEMBERED {
            self.known.clear();
        }
        self.known.insert(carrier, Known { uid, at });
    }
}

/// Carriers that the workers published.
#[derive(Debug, Default)]
pub(crate) struct Published {
    known: Expiring<Carrier, Id>,
    /// There is no use in looking for room before.
    full_until: Timestamp,
    /// Carriers that there was no room for.
    pub(crate) left_out: u64,
    /// Packets of tunnels that have no uid, as there are too many.
    pub(crate) nameless: u64,
}

impl Published {
    pub(crate) fn get(&self, carrier: &Carrier) -> Option<Id> {
        self.known.get(carrier).map(|(uid, _)| *uid)
    }

    /// Adds what is new; false where something else is to give way, which must wait for those who may
    /// yet ask for it.
    pub(crate) fn add(&mut self, carrier: Carrier, uid: Id, now: Timestamp) -> bool {
        let has_room = self.known.len() < MAX_PUBLISHED;
        match self.known.get(&carrier) {
            Some((known, over)) if *known == uid => {
                self.known.hold(carrier, over.max(now.plus(KEPT)), || uid);
            }
            Some(_) => return false,
            None if has_room => self.known.insert(carrier, uid, now.plus(KEPT)),
            None if now >= self.full_until => return false,
            None => self.left_out += 1,
        }
        true
    }

    /// Adds what takes the place of something else.
    pub(crate) fn replace(&mut self, carrier: Carrier, uid: Id, now: Timestamp) {
        if self.known.len() >= MAX_PUBLISHED {
            self.known.expire(now, |_| {});
        }
        self.known.remove(&carrier);
        if self.known.len() >= MAX_PUBLISHED {
            self.full_until = now.plus(REPEAT);
        }
        let _is_there = self.add(carrier, uid, now);
    }
}

#[cfg(test)]
mod tests {
    use weir_base::Turn;

    use super::*;

    fn uid(number: u64) -> Id {
        crate::identifier::of_number(b'C', number)
    }

    fn hosts(number: u32) -> Carrier {
        Carrier::Hosts(IpAddr::from(number.to_be_bytes()), IpAddr::from([1; 4]))
    }

    #[test]
    fn what_one_worker_publishes_another_finds() {
        let turns = Turn::of(2);
        turns.iter().for_each(|turn| turn.reach(weir_base::Position::END));
        let across = Across::of(&turns);
        let (mut one, mut other) = (Parents::default(), Parents::default());
        let at = |second| Timestamp::new(second, 0);
        assert_eq!(other.ask(hosts(1), at(1), at(1), 0, &across[1]), None);
        one.publish(hosts(1), uid(1), at(1), &across[0]);
        assert_eq!(other.ask(hosts(1), at(1), at(1), 0, &across[1]), Some(uid(1)));
        assert_eq!(other.ask(hosts(2), at(1), at(1), 0, &across[1]), None);
    }

    #[test]
    fn carriers_that_may_have_ended_are_asked_for_again() {
        let turns = Turn::of(2);
        turns.iter().for_each(|turn| turn.reach(weir_base::Position::END));
        let across = Across::of(&turns);
        let tunnel = |port| {
            let frame = weir_testkit::Frame::bare().ipv4("1.1.1.1", "2.2.2.2").udp(port, 4789).build();
            let mut list = weir_packet::PacketList::new();
            let raw = weir_packet::RawPacket {
                number: 1,
                time: Timestamp::default(),
                link: weir_packet::LinkType::RAW,
                wire_length: frame.len() as u32,
                interface: 0,
                bytes: &frame,
            };
            weir_packet::Decoder::default().decode(&raw, &mut list);
            let kind = Kind { name: "Tunnel::VXLAN", service: Some("vxlan") };
            list.outer().and_then(|outer| Carrier::of(outer, kind)).unwrap()
        };
        let at = |second| Timestamp::new(second, 0);
        // Each is the uid that the second worker finds at a second, after the first one published another.
        let cases = [(9, 30, uid(1)), (9, 58, uid(1)), (9, 59, uid(2)), (53, 1, uid(2))];
        for (number, (port, second, expected)) in cases.into_iter().enumerate() {
            let carrier = tunnel(port + number as u16 * u16::from(port != 53));
            let (mut one, mut other) = (Parents::default(), Parents::default());
            one.publish(carrier, uid(1), at(0), &across[0]);
            assert_eq!(other.ask(carrier, at(0), at(0), 0, &across[1]), Some(uid(1)));
            one.publish(carrier, uid(2), at(second), &across[0]);
            let found = other.ask(carrier, at(second), at(second), 0, &across[1]);
            assert_eq!(found, Some(expected), "{number}");
        }
    }

    #[test]
    fn there_is_room_for_so_many() {
        let mut published = Published::default();
        let at = |second| Timestamp::new(second, 0);
        for number in 0..MAX_PUBLISHED as u32 {
            assert!(published.add(hosts(number), uid(1), at(u64::from(number & 1) * 100)));
        }
        assert!(!published.add(hosts(u32::MAX), uid(2), at(100)), "something has to give way");
        published.replace(hosts(u32::MAX), uid(2), at(100));
        assert_eq!((published.get(&hosts(u32::MAX)), published.left_out), (None, 1));
        assert!(published.add(hosts(u32::MAX), uid(2), at(101)), "no use yet");
        assert!(!published.add(hosts(u32::MAX), uid(2), at(181)));
        published.replace(hosts(u32::MAX), uid(2), at(181));
        assert_eq!(published.get(&hosts(u32::MAX)), Some(uid(2)));
        assert_eq!((published.get(&hosts(2)), published.known.len()), (None, MAX_PUBLISHED / 2 + 1));
        assert_eq!(published.left_out, 2);
    }
}
