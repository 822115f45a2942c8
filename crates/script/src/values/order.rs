//! The order of tables where a run has seeds: that in which Zeek walks through its hash tables, so that what is printed and
//! logged can be compared. Without seeds Zeek's order differs from run to run, and here tables keep the order of insertion.
//!
//! Entries lie in buckets by their hash; a table that is full doubles its buckets, with which entries that do not stay go,
//! from the last to the first, behind those of their new bucket.

use std::cell::Cell;

use weir_base::seeds::{SeedKey, hash_bytes};

use super::{Key, Value};

/// Larger tables keep the order of insertion: no loop over one takes longer to begin than to end.
pub const MOST: usize = 1 << 12;

/// Full tables of so many doublings are full indeed; of larger ones, a quarter stays free.
const SMALL: u32 = 3;

/// Spreads hashes (Fibonacci hashing).
const SPREAD: u64 = 11_400_714_819_323_198_485;

thread_local! {
    static SEED: Cell<Option<SeedKey>> = const { Cell::new(None) };
}

/// Has tables of this thread be in the order that follows from seeds.
pub fn follow(key: SeedKey) {
    SEED.with(|seed| seed.set(Some(key)));
}

/// Returns whether tables of this thread are in the order that follows from seeds.
pub fn is_followed() -> bool {
    SEED.with(Cell::get).is_some()
}

/// Returns the order of keys, by their places; none where they stay as they are.
pub fn order<'a>(keys: impl Iterator<Item = &'a Key>) -> Option<Vec<usize>> {
    let seed = SEED.with(Cell::get)?;
    let hashes: Vec<u64> = keys.map(|key| hash(seed, &key.0)).collect::<Option<_>>()?;
    Some(walk(&hashes))
}

/// The number of entries at which a table of so many doublings is full.
const fn most(doublings: u32) -> usize {
    let capacity = (1 << doublings) + doublings as usize;
    if doublings <= SMALL { capacity } else { capacity - (capacity >> 2) }
}

/// Returns the order of entries that were put in one after another.
fn walk(hashes: &[u64]) -> Vec<usize> {
    let mut doublings = 0;
    let mut buckets: Vec<Vec<usize>> = vec![Vec::new()];
    let bucket = |hash: u64, doublings: u32| (hash & ((1 << doublings) - 1)) as usize;
    for (number, hash) in hashes.iter().enumerate() {
        let old = buckets.len();
        let grows = number >= most(doublings);
        if grows {
            doublings += 1;
            buckets.resize_with(1 << doublings, Vec::new);
        }
        if let Some(place) = buckets.get_mut(bucket(*hash, doublings)) {
            place.push(number);
        }
        if !grows {
            continue;
        }
        for place in (0..old).rev() {
            let entries = buckets.get_mut(place).map(std::mem::take).unwrap_or_default();
            let to = |entry: &usize| hashes.get(*entry).map_or(place, |hash| bucket(*hash, doublings));
            let (stay, go): (Vec<usize>, Vec<usize>) =
                entries.into_iter().partition(|entry| to(entry) == place);
            for entry in go.into_iter().rev() {
                if let Some(behind) = buckets.get_mut(to(&entry)) {
                    behind.push(entry);
                }
            }
            if let Some(place) = buckets.get_mut(place) {
                *place = stay;
            }
        }
    }
    buckets.concat()
}

/// Returns the hash of an index; none for those whose bytes are not known.
fn hash(seed: SeedKey, index: &Value) -> Option<u64> {
    let mut bytes = Vec::new();
    match index {
        Value::List(parts) => match &**parts {
            [Value::String(text)] => bytes.extend_from_slice(text),
            parts => parts.iter().try_for_each(|part| append(part, &mut bytes))?,
        },
        Value::String(text) => bytes.extend_from_slice(text),
        other => append(other, &mut bytes)?,
    }
    Some((hash_bytes(seed, &bytes) & 0xffff_ffff).wrapping_mul(SPREAD))
}

/// Appends a part of an index, at a place that its size divides.
fn append(part: &Value, out: &mut Vec<u8>) -> Option<()> {
    let number = match part {
        Value::Bool(value) => u64::from(*value),
        Value::Int(value) | Value::Enum(_, value) => value.cast_unsigned(),
        Value::Count(value) => *value,
        Value::Double(value) | Value::Time(value) | Value::Interval(value) => value.to_bits(),
        Value::Port(port) => u64::from(port.number) | u64::from(port.protocol) << 16,
        Value::Addr(address) => {
            out.resize(out.len().next_multiple_of(4), 0);
            out.extend_from_slice(&address.0);
            return Some(());
        }
        Value::String(text) => {
            out.resize(out.len().next_multiple_of(4), 0);
            out.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
            out.extend_from_slice(text);
            return Some(());
        }
        _ => return None,
    };
    out.resize(out.len().next_multiple_of(8), 0);
    out.extend_from_slice(&number.to_le_bytes());
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of the seeds that the examples are of.
    const SEED: SeedKey = [1_462_428_821, 2_278_350_848 | 32_767 << 32];

    #[test]
    fn entries_are_where_their_hashes_put_them() {
        let strings: [(&[&str], &[&str]); 5] = [
            (&["one", "two", "three"], &["two", "one", "three"]),
            (&["AA", "BB", "CC"], &["CC", "BB", "AA"]),
            (&["keya", "keyb", "keyc"], &["keyc", "keyb", "keya"]),
            (&["AA", ",", ",,", "CC"], &[",", "CC", ",,", "AA"]),
            (&["source1", "source2"], &["source2", "source1"]),
        ];
        for (given, expected) in strings {
            let hashes: Vec<u64> =
                given.iter().map(|text| hash(SEED, &Value::string(*text)).unwrap()).collect();
            let found: Vec<&str> = walk(&hashes).into_iter().map(|place| given[place]).collect();
            assert_eq!(found, expected);
        }
        let counts = [1, 2, 3, 4];
        let hashes: Vec<u64> =
            counts.iter().map(|count| hash(SEED, &Value::Count(*count)).unwrap()).collect();
        assert_eq!(walk(&hashes), [3, 1, 2, 0]);
    }

    #[test]
    fn all_entries_are_walked_once() {
        let hashes: Vec<u64> = (0..1000u64).map(|number| number.wrapping_mul(SPREAD) >> 7).collect();
        let mut order = walk(&hashes);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..1000));
    }
}
