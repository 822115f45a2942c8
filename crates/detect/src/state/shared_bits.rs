//! The bits of addresses and of pairs of them, shared by all workers.

use std::net::IpAddr;

use weir_base::profile::locks::Lock;
use weir_base::{Duration, Expiring, Timestamp};

use crate::state::NameId;

/// Most bits kept; a bit whose time is over makes room.
pub const MAX_BITS: usize = 1 << 20;

/// Parts of the table, each with its lock.
const SHARDS: usize = 64;

/// Owner of a bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Owner {
    /// An address.
    Address(IpAddr),
    /// Two addresses, the lower one first.
    Pair(IpAddr, IpAddr),
}

type Shard = Expiring<(NameId, Owner), ()>;

/// The table. Bits are looked at only by rules that match so far, so a lock for each is cheap.
#[derive(Debug)]
pub struct SharedBits {
    shards: Vec<Lock<Shard>>,
}

impl Default for SharedBits {
    fn default() -> Self {
        Self { shards: (0..SHARDS).map(|_| Lock::new("bits of addresses", Shard::default())).collect() }
    }
}

impl SharedBits {
    /// Calls `then` with the part of the table that holds the owner's bits.
    fn with<R>(&self, owner: Owner, then: impl FnOnce(&mut Shard) -> R) -> Option<R> {
        let low = |address: IpAddr| match address {
            IpAddr::V4(v4) => u128::from(v4.to_bits()),
            IpAddr::V6(v6) => v6.to_bits(),
        };
        let key = match owner {
            Owner::Address(address) => low(address),
            Owner::Pair(one, other) => low(one) ^ low(other).rotate_left(1),
        };
        let folded = (key ^ (key >> 64)) as u64;
        let position = folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
        let shard = self.shards.get(position as usize % SHARDS)?;
        Some(then(&mut shard.lock()))
    }

    /// Sets a bit at `now` for as long as `span`; false where there are too many.
    pub fn set(&self, name: NameId, owner: Owner, now: Timestamp, span: Duration) -> bool {
        let set = self.with(owner, |shard| {
            let bit = (name, owner);
            if shard.len() >= MAX_BITS / SHARDS && !shard.has(&bit) {
                shard.expire(now, |()| {});
            }
            let room = shard.len() < MAX_BITS / SHARDS || shard.has(&bit);
            if room {
                // It still holds at the end of its time.
                shard.insert(bit, (), Timestamp(now.plus(span).0.saturating_add(1)));
            }
            room
        });
        set.unwrap_or_default()
    }

    /// Clears all bits.
    pub fn forget(&self) {
        for shard in &self.shards {
            *shard.lock() = Shard::default();
        }
    }

    /// Clears a bit.
    pub fn clear(&self, name: NameId, owner: Owner) {
        self.with(owner, |shard| shard.remove(&(name, owner)));
    }

    /// Whether a bit is set at `now`.
    pub fn is_set(&self, name: NameId, owner: Owner, now: Timestamp) -> bool {
        self.time_left(name, owner, now).is_some()
    }

    /// The time that a bit has left at `now`; none where it is not set.
    pub fn time_left(&self, name: NameId, owner: Owner, now: Timestamp) -> Option<Duration> {
        let over = self.with(owner, |shard| shard.get(&(name, owner)).map(|((), over)| over))??;
        (now < over).then(|| over.since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_last_their_time() {
        let bits = SharedBits::default();
        let one = Owner::Address(IpAddr::from([10, 0, 0, 1]));
        let pair = Owner::Pair(IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let (name, other) = (NameId(1), NameId(2));
        let at = |seconds| Timestamp::new(seconds, 0);
        assert!(bits.set(name, one, at(100), Duration::from_secs(30)));
        for (name, owner, now, expected) in [
            (name, one, at(100), true),
            (name, one, at(130), true),
            (name, one, at(131), false),
            (name, pair, at(100), false),
            (other, one, at(100), false),
        ] {
            assert_eq!(bits.is_set(name, owner, now), expected, "{name:?} {owner:?} {now:?}");
        }
        bits.clear(name, one);
        assert!(!bits.is_set(name, one, at(100)));
    }

    /// The bits of one address share a part of the table.
    #[test]
    fn a_bit_whose_time_is_over_makes_room() {
        let bits = SharedBits::default();
        let one = Owner::Address(IpAddr::from([10, 0, 0, 1]));
        let most = (MAX_BITS / SHARDS) as u32;
        let set =
            |name, second| bits.set(NameId(name), one, Timestamp::new(second, 0), Duration::from_secs(30));
        assert!((0..most).all(|name| set(name, u64::from(name == 0))));
        assert_eq!([set(most, 30), set(1, 30), set(most, 31), set(0, 31)], [false, true, true, true]);
    }
}
