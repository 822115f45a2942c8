//! The store against a map of single bytes.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::offset_map::LISTED;

const POLICIES: [OverlapPolicy; 9] = [
    OverlapPolicy::Bsd,
    OverlapPolicy::Linux,
    OverlapPolicy::OldLinux,
    OverlapPolicy::Solaris,
    OverlapPolicy::Hpux11,
    OverlapPolicy::Vista,
    OverlapPolicy::Windows,
    OverlapPolicy::First,
    OverlapPolicy::Last,
];

fn put(
    store: &mut Store,
    shared: &mut StreamShared,
    offset: u64,
    text: &str,
    policy: OverlapPolicy,
) -> Inserted {
    let segment = Segment { offset, bytes: text.as_bytes(), time: Timestamp(offset) };
    store.insert(segment, policy, 0, shared)
}

/// Each byte with the segment that it is of.
#[derive(Default)]
struct ByteMap(BTreeMap<u64, (u8, (u64, u64))>);

impl ByteMap {
    fn put(&mut self, offset: u64, bytes: &[u8], policy: OverlapPolicy, base: u64) {
        let extent = (offset, offset + bytes.len() as u64);
        for (at, &byte) in (offset..).zip(bytes).filter(|&(at, _)| at >= base) {
            let keep = self.0.get(&at).is_some_and(|&(_, owner)| !policy.replaces(extent, owner));
            if !keep {
                self.0.insert(at, (byte, extent));
            }
        }
    }

    fn read(&self, mut offset: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Some((byte, _)) = self.0.get(&offset) {
            bytes.push(*byte);
            offset += 1;
        }
        bytes
    }
}

#[test]
fn what_a_segment_has_between_pieces_that_stay_is_one_piece() {
    let (mut store, mut shared) = (Store::default(), StreamShared::new());
    // The first one is replaced, the second one ends behind what comes over both, and stays.
    for (offset, text) in [(10, "aaa"), (25, "bbbbbbbbbbbbbbb"), (8, "cccccccccccccccccccc")] {
        put(&mut store, &mut shared, offset, text, OverlapPolicy::Solaris);
    }
    assert_eq!(store.count(), 2);
    let mut seen = Vec::new();
    store.kept(u64::MAX, &mut |part| {
        seen.push(match part {
            Kept::Bytes(bytes) => bytes.to_vec(),
            Kept::Hole(length) => vec![0; length as usize],
        });
        true
    });
    assert_eq!(seen, [vec![0; 8], b"c".repeat(17), b"b".repeat(15)]);
}

#[test]
fn overlaps_by_policy() {
    // An old segment, a new one, and what is left of both.
    let cases = [
        (OverlapPolicy::Bsd, (2, "bbbb"), (0, "aaaa"), "aaaabb"),
        (OverlapPolicy::First, (2, "bbbb"), (0, "aaaa"), "aabbbb"),
        (OverlapPolicy::Vista, (2, "bbbb"), (0, "aaaa"), "aabbbb"),
        (OverlapPolicy::Solaris, (2, "bbbb"), (0, "aaaa"), "aabbbb"),
        (OverlapPolicy::Linux, (0, "bbbb"), (0, "aaaaaa"), "aaaaaa"),
        (OverlapPolicy::Bsd, (0, "bbbb"), (0, "aaaaaa"), "bbbbaa"),
        (OverlapPolicy::OldLinux, (0, "bbbb"), (0, "aaaa"), "aaaa"),
        (OverlapPolicy::Linux, (0, "bbbb"), (0, "aaaa"), "bbbb"),
        (OverlapPolicy::Solaris, (0, "bbbb"), (2, "aaaa"), "bbaaaa"),
        (OverlapPolicy::Linux, (0, "bbbb"), (2, "aaaa"), "bbbbaa"),
        (OverlapPolicy::Last, (0, "bbbbbb"), (2, "aa"), "bbaabb"),
    ];
    for (policy, old, new, expected) in cases {
        let (mut store, mut shared) = (Store::default(), StreamShared::new());
        put(&mut store, &mut shared, old.0, old.1, policy);
        let inserted = put(&mut store, &mut shared, new.0, new.1, policy);
        assert!(inserted.overlap && inserted.differs);
        assert_eq!(String::from_utf8_lossy(store.read(0)), expected, "{policy:?} {old:?} {new:?}");
    }
}

#[test]
fn equal_overlaps_are_no_difference() {
    let (mut store, mut shared) = (Store::default(), StreamShared::new());
    put(&mut store, &mut shared, 0, "abcd", OverlapPolicy::Bsd);
    let again = put(&mut store, &mut shared, 2, "cdef", OverlapPolicy::Bsd);
    assert_eq!(again, Inserted { fresh: 2, overlap: true, differs: false });
    assert_eq!(store.read(0), b"abcdef");
}

#[test]
fn what_is_kept_is_shown_by_segment_with_holes() {
    let (mut store, mut shared) = (Store::default(), StreamShared::new());
    put(&mut store, &mut shared, 0, "abcd", OverlapPolicy::Bsd);
    put(&mut store, &mut shared, 4, "ef", OverlapPolicy::Bsd);
    put(&mut store, &mut shared, 10, "kl", OverlapPolicy::Bsd);
    for (base, limit, expected) in [
        (0, u64::MAX, "abcd|ef|4|kl|"),
        (0, 7, "abcd|ef|4|k|"),
        (0, 6, "abcd|ef|"),
        (0, 5, "abcd|e|"),
        (2, 10, "abcd|ef|4|kl|"),
        (4, u64::MAX, "ef|4|kl|"),
        (8, 12, "2|kl|"),
        (10, 12, "kl|"),
    ] {
        store.prune(base, &mut shared);
        let mut shown = String::new();
        store.kept(limit, &mut |part| {
            match part {
                Kept::Bytes(bytes) => shown.push_str(&String::from_utf8_lossy(bytes)),
                Kept::Hole(length) => shown.push_str(&length.to_string()),
            }
            shown.push('|');
            true
        });
        assert_eq!(shown, expected, "done up to {base}, as far as {limit}");
    }
}

#[test]
fn regions_are_counted_and_bounded() {
    let (mut store, mut shared) = (Store::default(), StreamShared::new());
    for region in 0..3 {
        assert!(store.open_region(region * 1_000_000, region * 1_000_000 + 4, 3));
        put(&mut store, &mut shared, region * 1_000_000, "data", OverlapPolicy::Bsd);
    }
    assert!(!store.open_region(9_000_000, 9_000_004, 3));
    assert!(store.open_region(2_000_004, 2_000_010, 3));
    assert_eq!(store.most_regions(), 3);
}

#[test]
fn tiny_segments_from_the_end_cost_linear_time() {
    let (mut store, mut shared) = (Store::default(), StreamShared::new());
    let count = 200_000u64;
    for offset in (0..count).rev() {
        let segment = Segment { offset, bytes: &[offset as u8], time: Timestamp(0) };
        store.insert(segment, OverlapPolicy::Bsd, 0, &mut shared);
    }
    assert_eq!(store.read(0).len() as u64, count);
    store.prune(count, &mut shared);
    assert_eq!(store.cost(), 0);
}

#[test]
fn what_is_replaced_becomes_one_piece() {
    let (mut store, mut shared) = (Store::default(), StreamShared::new());
    (10..20).for_each(|offset| {
        put(&mut store, &mut shared, offset, "a", OverlapPolicy::Bsd);
    });
    assert_eq!(store.count(), 10);
    assert!(put(&mut store, &mut shared, 9, "bbbbbbbbbbb", OverlapPolicy::Bsd).differs);
    assert_eq!((store.count(), store.read(9)), (1, &b"bbbbbbbbbbb"[..]));
    // One that stays divides what is around it.
    put(&mut store, &mut shared, 30, "c", OverlapPolicy::First);
    put(&mut store, &mut shared, 28, "ddddd", OverlapPolicy::First);
    store.bring_to_front(28, &mut shared);
    assert_eq!((store.count(), store.read(28)), (4, &b"ddcdd"[..]));
    // Pieces lie within runs, whatever the order in which their bytes came.
    (40..50).rev().for_each(|offset| {
        put(&mut store, &mut shared, offset, "a", OverlapPolicy::Bsd);
    });
    put(&mut store, &mut shared, 39, "bbbbbbbbbbb", OverlapPolicy::Bsd);
    assert_eq!((store.count(), store.read(39)), (5, &b"bbbbbbbbbbb"[..]));
}

/// Bytes of memory that buffers of runs take.
fn held(store: &Store) -> u64 {
    store.runs.from(0).map(|(_, run)| run.bytes.capacity() as u64).sum()
}

#[test]
fn memory_counts_rather_than_bytes() {
    let (mut store, mut shared) = (Store::default(), StreamShared::new());
    let segment = "x".repeat(1000);
    (0..100).for_each(|number| {
        put(&mut store, &mut shared, number * 1000, &segment, OverlapPolicy::Bsd);
    });
    assert!(store.cost() >= held(&store) && held(&store) >= 100_000);
    // What was done with is given back, but for a little.
    store.prune(99_999, &mut shared);
    assert_eq!((store.stored(), store.read(99_999)), (1, &b"x"[..]));
    assert!(held(&store) < 1000 && store.cost() < 10_000, "{} {}", held(&store), store.cost());
    // A large buffer does not come back for a few bytes.
    store.prune(100_000, &mut shared);
    assert_eq!(store.cost(), 0);
    put(&mut store, &mut shared, 200_000, "x", OverlapPolicy::Bsd);
    assert!(held(&store) <= store.cost() && store.cost() < 5000, "{}", store.cost());
}

#[test]
fn what_a_segment_may_cost_is_known_before() {
    let (mut store, mut shared) = (Store::default(), StreamShared::new());
    // In order; behind a hole; at both sides of holes that one segment fills.
    let in_order = (0..500).map(|number| (number * 1000, 1000));
    let behind = (0..500).map(|number| (1_000_000 + number * 1000, 1000));
    let islands = (0..50).map(|number| (2_000_000 + number * 3000, 1000));
    let lists = (LISTED as u64) * (PIECE_COST + RUN_COST);
    for (offset, length) in in_order.chain(behind).chain(islands).chain([(2_000_000, 150_000)]) {
        let most = store.cost() + store.cost_of(offset, length) + lists;
        let bytes = "x".repeat(length as usize);
        put(&mut store, &mut shared, offset, &bytes, OverlapPolicy::First);
        assert!(store.cost() <= most, "{offset}: {} of {most}", store.cost());
    }
    // Where there is room nothing is asked for but what comes.
    assert_eq!(store.cost_of(3_000_000, 1000), 1000 + PIECE_COST + RUN_COST);
    assert_eq!(store.cost_of(0, 1000), 1000 + PIECE_COST + RUN_COST);
}

fn segments() -> impl Strategy<Value = Vec<(u64, Vec<u8>, bool)>> {
    let segment = (0u64..60, proptest::collection::vec(0u8..3, 1..25), proptest::bool::weighted(0.1));
    proptest::collection::vec(segment, 1..40)
}

proptest! {
    #[test]
    fn agrees_with_a_byte_map(segments in segments(), policy in 0..POLICIES.len()) {
        let policy = POLICIES[policy];
        let (mut store, mut shared) = (Store::default(), StreamShared::new());
        let mut map = ByteMap::default();
        let mut front = 0;
        for (offset, bytes, consume) in &segments {
            let before: u64 = map.0.range(store.base()..).count() as u64;
            let segment = Segment { offset: *offset, bytes, time: Timestamp(0) };
            let inserted = store.insert(segment, policy, front, &mut shared);
            map.put(*offset, bytes, policy, store.base());
            prop_assert_eq!(inserted.fresh, map.0.range(store.base()..).count() as u64 - before);
            let ready = store.read(front).len() as u64;
            if *consume && ready > 0 {
                front += ready.div_ceil(2);
                store.prune(front, &mut shared);
            }
            prop_assert_eq!(store.stored, map.0.range(store.base()..).count() as u64);
            prop_assert_eq!(store.room, held(&store));
        }
        store.bring_to_front(front, &mut shared);
        prop_assert_eq!(store.read(front), &map.read(front)[..]);
        let covered: u64 = store.pieces.from(0).map(|(at, p)| p.end - at.max(store.base())).sum();
        prop_assert_eq!(covered, store.stored);
        store.clear(&mut shared);
        prop_assert_eq!(store.cost(), 0);
    }
}

#[test]
fn runs_from_a_place_on() {
    let (mut store, mut shared) = (Store::default(), StreamShared::new());
    for (offset, text) in [(0, "abcd"), (4, "ef"), (10, "klm")] {
        put(&mut store, &mut shared, offset, text, OverlapPolicy::First);
    }
    store.bring_to_front(0, &mut shared);
    store.prune(1, &mut shared);
    let from = |from| {
        let mut seen = Vec::new();
        store.kept_from(from, &mut |at, bytes| {
            seen.push((at, String::from_utf8_lossy(bytes).into_owned()));
            true
        });
        seen
    };
    let text = |at, text: &str| (at, text.to_owned());
    assert_eq!(from(0), [text(1, "bcdef"), text(10, "klm")]);
    assert_eq!(from(5), [text(5, "f"), text(10, "klm")]);
    assert_eq!(from(6), [text(10, "klm")]);
    assert_eq!(from(12), [text(12, "m")]);
    assert_eq!(from(13), []);
}
