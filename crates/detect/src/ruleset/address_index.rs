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
        found.extend_from_slice(self.source.find(source));
        found.extend_from_slice(self.destination.find(destination));
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.always.is_empty() && self.source.is_empty() && self.destination.is_empty()
    }
}

impl SideIndex {
    fn find(&self, address: IpAddr) -> &[SignatureIndex] {
        match address {
            IpAddr::V4(address) => self.v4.find(u32::from(address)),
            IpAddr::V6(address) => self.v6.find(u128::from(address)),
        }
    }

    fn is_empty(&self) -> bool {
        self.v4.rules.is_empty() && self.v6.rules.is_empty()
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

/// The number line cut into segments, each with the rules that hold in all of it.
#[derive(Debug, Default)]
pub(crate) struct Segments<T> {
    /// First number of each segment, ascending.
    starts: Vec<T>,
    /// Where each segment's rules end in `rules`; they begin where the segment's before end.
    ends: Vec<u32>,
    rules: Vec<SignatureIndex>,
}

impl<T: Copy + Ord + Successor> Segments<T> {
    /// Cuts at both ends of each of `ranges`.
    pub(crate) fn new(mut ranges: Vec<(T, T, SignatureIndex)>) -> Self {
        ranges.sort_unstable_by_key(|(low, high, rule)| (*low, *high, *rule));
        let mut cuts: Vec<T> =
            ranges.iter().flat_map(|(low, high, _)| [Some(*low), high.successor()]).flatten().collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut segments =
            Self { starts: Vec::with_capacity(cuts.len()), ends: Vec::new(), rules: Vec::new() };
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

    pub(crate) fn find(&self, number: T) -> &[SignatureIndex] {
        let Some(segment) = self.starts.partition_point(|start| *start <= number).checked_sub(1) else {
            return &[];
        };
        let end = self.ends.get(segment).copied().unwrap_or(0) as usize;
        let begin = segment.checked_sub(1).and_then(|s| self.ends.get(s)).copied().unwrap_or(0) as usize;
        self.rules.get(begin..end).unwrap_or_default()
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
            let mut found: Vec<u32> = segments.find(number).iter().map(|r| r.0).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{number}");
        }
        assert!(Segments::<u32>::new(Vec::new()).find(7).is_empty());
    }
}
