//! Rules by address: which rules of a set can match a packet, found by one search for each of its
//! two addresses. Lists of bad addresses make thousands of rules that hold for few packets.

use std::net::IpAddr;

use crate::model::signature::{Signature, SignatureIndex};

/// A side of a rule that covers more IPv4 addresses than this does not narrow anything.
const WIDE_V4: u64 = 1 << 24;

/// Widest range that narrows a side of IPv6, in addresses.
const WIDE_V6: u128 = 1 << 96;

/// Rules found by source or destination address.
#[derive(Debug, Default)]
pub struct AddressIndex {
    /// Rules that neither address narrows.
    always: Vec<SignatureIndex>,
    source: SideIndex,
    destination: SideIndex,
}

/// Rules found by one address of a packet.
#[derive(Debug, Default)]
struct SideIndex {
    v4: Segments<u32>,
    v6: Segments<u128>,
}

impl AddressIndex {
    /// Whether a rule is found by one of its addresses, so that most packets are spared it.
    pub(super) fn narrows(signature: &Signature) -> bool {
        let head = &signature.head;
        let sides = [&head.source, &head.destination];
        !head.is_both_ways()
            && !head.is_transactional()
            && sides.into_iter().any(|side| width(&side.addresses).is_some())
    }

    /// Indexes each of `signatures` by the narrower of its two sides.
    pub fn new<'s>(signatures: impl Iterator<Item = &'s Signature>) -> Self {
        let mut index = Self::default();
        let mut builders: [SideBuilder; 2] = Default::default();
        for signature in signatures {
            let [source, destination] = &mut builders;
            let widths =
                [width(&signature.head.source.addresses), width(&signature.head.destination.addresses)];
            let (side, builder) = match widths {
                _ if !Self::narrows(signature) => {
                    index.always.push(signature.index);
                    continue;
                }
                [Some(from), to] if to.is_none_or(|to| from <= to) => (&signature.head.source, source),
                _ => (&signature.head.destination, destination),
            };
            builder.add(signature.index, &side.addresses);
        }
        let [source, destination] = builders;
        index.source = source.finish();
        index.destination = destination.finish();
        index
    }

    /// Appends the rules that a packet between two addresses can match, in no order.
    pub fn find(&self, source: IpAddr, destination: IpAddr, found: &mut Vec<SignatureIndex>) {
        found.extend_from_slice(&self.always);
        self.source.find(source, found);
        self.destination.find(destination, found);
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.always.is_empty() && self.source.is_empty() && self.destination.is_empty()
    }
}

impl SideIndex {
    fn find(&self, address: IpAddr, found: &mut Vec<SignatureIndex>) {
        match address {
            IpAddr::V4(address) => self.v4.find(u32::from(address), found),
            IpAddr::V6(address) => self.v6.find(u128::from(address), found),
        }
    }

    fn is_empty(&self) -> bool {
        self.v4.is_empty() && self.v6.is_empty()
    }
}

/// Returns the number of ranges that narrow a side; none where it is too wide to narrow anything.
fn width(addresses: &weir_rules::AddressSet) -> Option<u64> {
    let v4: u64 = addresses.v4().ranges().iter().map(|(low, high)| u64::from(high - low) + 1).sum();
    let v6 = addresses
        .v6()
        .ranges()
        .iter()
        .fold(0u128, |sum, (low, high)| sum.saturating_add((high - low).saturating_add(1)));
    (v4 <= WIDE_V4 && v6 <= WIDE_V6).then_some(v4)
}

#[derive(Default)]
struct SideBuilder {
    v4: Vec<(u32, u32, SignatureIndex)>,
    v6: Vec<(u128, u128, SignatureIndex)>,
}

impl SideBuilder {
    fn add(&mut self, rule: SignatureIndex, addresses: &weir_rules::AddressSet) {
        self.v4.extend(addresses.v4().ranges().iter().map(|&(low, high)| (low, high, rule)));
        self.v6.extend(addresses.v6().ranges().iter().map(|&(low, high)| (low, high, rule)));
    }

    fn finish(self) -> SideIndex {
        SideIndex { v4: Segments::new(self.v4), v6: Segments::new(self.v6) }
    }
}

/// Entries of segments for each range, on average; what has no room is found by every number.
const ENTRIES: usize = 16;
/// Entries that there is room for, however few ranges there are.
const FEW_ENTRIES: usize = 1 << 16;

/// The number line cut into segments, each with the rules that hold in all of it. Memory is in proportion to the ranges: of
/// those that lie across each other, the ones across most cuts are in no segment.
#[derive(Debug, Default)]
pub(crate) struct Segments<T> {
    /// First number of each segment, ascending.
    starts: Vec<T>,
    /// Where each segment's rules end in `rules`; they begin where the segment's before end.
    ends: Vec<u32>,
    rules: Vec<SignatureIndex>,
    /// Rules of ranges that there was no room for, in order.
    wide: Vec<SignatureIndex>,
}

impl<T: Copy + Ord + Successor> Segments<T> {
    /// Cuts at both ends of each of `ranges`.
    pub(crate) fn new(ranges: Vec<(T, T, SignatureIndex)>) -> Self {
        let mut cuts: Vec<T> =
            ranges.iter().flat_map(|(low, high, _)| [Some(*low), high.successor()]).flatten().collect();
        cuts.sort_unstable();
        cuts.dedup();
        let before = |number: T| cuts.partition_point(|cut| *cut <= number);
        let mut ranges: Vec<(usize, (T, T, SignatureIndex))> =
            ranges.into_iter().map(|range| (before(range.1) + 1 - before(range.0), range)).collect();
        ranges.sort_unstable();
        let mut room = FEW_ENTRIES.max(ENTRIES * ranges.len());
        let narrow = ranges.iter().take_while(|(entries, _)| {
            let left = room.checked_sub(*entries);
            room = left.unwrap_or(0);
            left.is_some()
        });
        let narrow = narrow.count();
        let mut wide: Vec<SignatureIndex> = ranges.drain(narrow..).map(|(_, (_, _, rule))| rule).collect();
        wide.sort_unstable();
        wide.dedup();
        let mut ranges: Vec<(T, T, SignatureIndex)> = ranges.into_iter().map(|(_, range)| range).collect();
        ranges.sort_unstable();
        let mut segments =
            Self { starts: Vec::with_capacity(cuts.len()), ends: Vec::new(), rules: Vec::new(), wide };
        let mut live: Vec<(T, SignatureIndex)> = Vec::new();
        let mut next = ranges.into_iter().peekable();
        for cut in cuts {
            live.retain(|(high, _)| *high >= cut);
            while let Some((_, high, rule)) = next.next_if(|(low, _, _)| *low <= cut) {
                live.push((high, rule));
            }
            segments.rules.extend(live.iter().map(|(_, rule)| *rule));
            segments.starts.push(cut);
            segments.ends.push(segments.rules.len() as u32);
        }
        segments
    }

    /// Appends the rules of ranges that hold a number, in no order, and others.
    pub(crate) fn find(&self, number: T, found: &mut Vec<SignatureIndex>) {
        found.extend_from_slice(&self.wide);
        found.extend_from_slice(self.segment(number));
    }

    /// First number of each segment, ascending, with the rules that hold in it, in no order; those that there was no
    /// room for are left out.
    pub(crate) fn lists(&self) -> impl Iterator<Item = (T, &[SignatureIndex])> {
        self.starts.iter().enumerate().map(|(segment, start)| (*start, self.list(segment)))
    }

    /// Whether there was no room for some range of a rule.
    pub(crate) fn is_wide(&self, rule: SignatureIndex) -> bool {
        self.wide.binary_search(&rule).is_ok()
    }

    fn segment(&self, number: T) -> &[SignatureIndex] {
        let segment = self.starts.partition_point(|start| *start <= number).checked_sub(1);
        segment.map_or(&[], |segment| self.list(segment))
    }

    fn list(&self, segment: usize) -> &[SignatureIndex] {
        let end = self.ends.get(segment).copied().unwrap_or(0) as usize;
        let begin = segment.checked_sub(1).and_then(|s| self.ends.get(s)).copied().unwrap_or(0) as usize;
        self.rules.get(begin..end).unwrap_or_default()
    }

    fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.wide.is_empty()
    }
}

/// The number after.
pub(crate) trait Successor: Sized {
    fn successor(&self) -> Option<Self>;
}

impl Successor for u16 {
    fn successor(&self) -> Option<Self> {
        self.checked_add(1)
    }
}

impl Successor for u32 {
    fn successor(&self) -> Option<Self> {
        self.checked_add(1)
    }
}

impl Successor for u128 {
    fn successor(&self) -> Option<Self> {
        self.checked_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(segments: &Segments<u32>, number: u32) -> Vec<u32> {
        let mut found = Vec::new();
        segments.find(number, &mut found);
        found.sort_unstable();
        found.into_iter().map(|rule| rule.0).collect()
    }

    #[test]
    fn segments_hold_what_covers_them() {
        let rule = SignatureIndex;
        let segments = Segments::new(vec![(5, 9, rule(1)), (7, 7, rule(2)), (20, u32::MAX, rule(3))]);
        let cases: [(u32, &[u32]); 9] = [
            (0, &[]),
            (4, &[]),
            (5, &[1]),
            (7, &[1, 2]),
            (8, &[1]),
            (10, &[]),
            (19, &[]),
            (20, &[3]),
            (u32::MAX, &[3]),
        ];
        for (number, expected) in cases {
            assert_eq!(found(&segments, number), expected, "{number}");
        }
        assert!(Segments::<u32>::new(Vec::new()).is_empty());
    }

    /// Ranges across all others would take the square of their number.
    #[test]
    fn memory_is_in_proportion_to_the_ranges() {
        for count in [5_000_u32, 10_000, 20_000] {
            let wide = (0..count).map(|rule| (0, u32::MAX, SignatureIndex(rule)));
            let narrow = (0..count).map(|rule| (10 * rule, 10 * rule, SignatureIndex(count + rule)));
            let segments = Segments::new(wide.chain(narrow).collect());
            assert!(segments.rules.len() <= FEW_ENTRIES.max(2 * ENTRIES * count as usize), "{count}");
            let found = found(&segments, 70);
            assert_eq!(found.len(), count as usize + 1);
            assert!((0..count).chain([count + 7]).eq(found), "{count}");
        }
    }
}
