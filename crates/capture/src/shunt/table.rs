//! The table, as this program reads and writes it.
//!
//! It consists of buckets of [`WAYS`] entries: first the marks of all of them, then key and counts of each. A mark is 0
//! where nothing is, [`TAKEN`] while an entry is written or taken out, else the hash of the key. The hash is keyed, so
//! that senders cannot choose flows that meet in a bucket. Limit: [`FLOWS`]; a flow whose bucket is full is refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::key::{ShuntKey, WORDS};

/// Entries of a bucket.
pub const WAYS: usize = 8;
/// Counts of an entry.
const COUNTS: usize = 4;
/// Words of an entry.
pub(super) const ENTRY: usize = WORDS + COUNTS;
/// Words of a bucket.
pub(super) const BUCKET: usize = WAYS + WAYS * ENTRY;
/// Buckets, a power of two.
pub const BUCKETS: usize = 1 << 14;
/// Most flows, of two entries each.
pub const FLOWS: usize = BUCKETS * WAYS / 2;

/// The mark of an entry that is neither there nor free.
const TAKEN: u64 = 1;
/// Bit that no mark of an entry lacks.
pub(super) const MARKED: u64 = 2;
/// Place of the bucket's number in a hash.
pub(super) const BUCKET_SHIFT: u32 = 40;

/// Key of the hash.
#[derive(Clone, Copy, Debug)]
pub(super) struct HashKey {
    pub(super) seed: u64,
    /// Odd.
    pub(super) factor: u64,
}

impl HashKey {
    /// One by chance.
    pub(super) fn drawn() -> Self {
        Self { seed: weir_base::hash_seed(), factor: weir_base::hash_seed() | 1 }
    }

    /// The hash of a key, which is its mark.
    fn mark(self, key: &ShuntKey) -> u64 {
        let mix = |hash: u64, word: &u64| {
            let product = (hash ^ word).wrapping_mul(self.factor);
            product ^ product >> 32
        };
        key.0.iter().fold(self.seed, mix) | MARKED
    }
}

/// Memory of a table.
pub(super) trait Words: Send + Sync {
    /// Its words, of which there are [`BUCKETS`] times [`BUCKET`].
    fn words(&self) -> &[AtomicU64];
}

/// Counts of one direction of a flow.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Packets.
    pub packets: u64,
    /// Their bytes, as flows count them: from the first header, or in a tunnel from the first one there.
    pub bytes: u64,
    /// Lengths that their IP headers state.
    pub ip_bytes: u64,
    /// Bytes behind the headers of TCP and UDP.
    pub payload: u64,
}

impl Counts {
    /// The difference to earlier ones.
    #[must_use]
    pub const fn since(&self, earlier: &Self) -> Self {
        Self {
            packets: self.packets.wrapping_sub(earlier.packets),
            bytes: self.bytes.wrapping_sub(earlier.bytes),
            ip_bytes: self.ip_bytes.wrapping_sub(earlier.ip_bytes),
            payload: self.payload.wrapping_sub(earlier.payload),
        }
    }
}

/// The place of an entry, as long as nobody gives it back.
#[derive(PartialEq, Eq, Debug)]
pub struct Place {
    bucket: usize,
    way: usize,
}

/// Reasons that a flow is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// There is no room for it.
    Full,
    /// Another worker has one of the same key.
    Known,
}

/// Flows that are dropped at an interface, for all threads on it.
#[derive(Clone)]
pub struct Shunt(Arc<Table>);

struct Table {
    memory: Box<dyn Words>,
    hash: HashKey,
}

impl Shunt {
    /// An empty table.
    pub(super) fn new(memory: Box<dyn Words>, hash: HashKey) -> Self {
        Self(Arc::new(Table { memory, hash }))
    }

    /// Has packets of a key dropped from now on.
    pub fn add(&self, key: &ShuntKey) -> Result<Place, Refusal> {
        let mark = self.0.hash.mark(key);
        let bucket = (mark >> BUCKET_SHIFT) as usize % BUCKETS;
        let words = self.0.memory.words();
        let start = bucket * BUCKET;
        let marks = words.get(start..start + WAYS).unwrap_or_default();
        if marks.iter().any(|known| known.load(Ordering::Relaxed) == mark) {
            return Err(Refusal::Known);
        }
        let claim =
            |word: &AtomicU64| word.compare_exchange(0, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_ok();
        let way = marks.iter().position(claim).ok_or(Refusal::Full)?;
        let place = Place { bucket, way };
        let values = key.0.iter().copied().chain([0; COUNTS]);
        self.entry(&place).iter().zip(values).for_each(|(word, value)| word.store(value, Ordering::Relaxed));
        self.set_mark(&place, mark);
        Ok(place)
    }

    /// Returns the counts of an entry.
    pub fn counts(&self, place: &Place) -> Counts {
        let mut counts = self.entry(place).iter().skip(WORDS).map(|word| word.load(Ordering::Relaxed));
        let mut next = || counts.next().unwrap_or_default();
        Counts { packets: next(), bytes: next(), ip_bytes: next(), payload: next() }
    }

    /// Has packets of an entry dropped no more. It is to be given back a while later: the kernel may be about to
    /// count a packet there.
    pub fn take_out(&self, place: &Place) {
        self.set_mark(place, TAKEN);
    }

    /// Gives back an entry that was taken out.
    pub fn give_back(&self, place: Place) {
        self.set_mark(&place, 0);
    }

    /// Key and counts of an entry.
    fn entry(&self, place: &Place) -> &[AtomicU64] {
        let start = place.bucket * BUCKET + WAYS + place.way * ENTRY;
        self.0.memory.words().get(start..start + ENTRY).unwrap_or_default()
    }

    fn set_mark(&self, place: &Place, mark: u64) {
        if let Some(word) = self.0.memory.words().get(place.bucket * BUCKET + place.way) {
            word.store(mark, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use weir_packet::FlowKey;
    use weir_packet::header::VlanTags;

    use super::*;

    struct Heap(Vec<AtomicU64>);

    impl Words for Heap {
        fn words(&self) -> &[AtomicU64] {
            &self.0
        }
    }

    fn table() -> Shunt {
        let words = (0..BUCKETS * BUCKET).map(|_| AtomicU64::new(0)).collect();
        Shunt::new(Box::new(Heap(words)), HashKey { seed: 7, factor: 0x9e37_79b9_7f4a_7c15 })
    }

    fn key(host: u32) -> ShuntKey {
        let key = FlowKey {
            source: std::net::Ipv4Addr::from_bits(host).into(),
            destination: std::net::Ipv4Addr::new(192, 0, 2, 1).into(),
            source_port: 1,
            destination_port: 2,
            protocol: 6,
            recursion: 0,
            vlan: VlanTags::default(),
        };
        ShuntKey::of(&key).expect("a key")
    }

    #[test]
    fn an_entry_is_there_until_it_is_given_back() {
        let table = table();
        let place = table.add(&key(1)).expect("room");
        assert_eq!(table.add(&key(1)), Err(Refusal::Known));
        assert_eq!(table.counts(&place), Counts::default());
        table.take_out(&place);
        let other = table.add(&key(1)).expect("another place");
        assert_ne!((other.bucket, other.way), (place.bucket, place.way));
        table.give_back(place);
        assert!(table.add(&key(2)).is_ok());
    }

    #[test]
    fn a_full_bucket_refuses() {
        let table = table();
        let mut refused = 0;
        for host in 0..(BUCKETS * WAYS * 2) as u32 {
            match table.add(&key(host)) {
                Ok(_) => {}
                Err(refusal) => {
                    assert_eq!(refusal, Refusal::Full);
                    refused += 1;
                }
            }
        }
        let there = BUCKETS * WAYS * 2 - refused;
        assert!((BUCKETS * WAYS * 9 / 10..=BUCKETS * WAYS).contains(&there), "{there}");
    }

    #[test]
    fn half_of_the_room_is_there_for_any_flows() {
        let table = table();
        let refused = (0..(BUCKETS * WAYS / 4) as u32).filter(|host| table.add(&key(*host)).is_err()).count();
        assert!(refused < 10, "{refused}");
    }
}
