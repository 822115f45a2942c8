//! Sets of integers as sorted, disjoint, non-adjacent inclusive ranges.

/// An integer that ranges are made of.
pub trait Bound: Copy + Ord {
    /// Smallest value.
    const MIN: Self;
    /// Largest value.
    const MAX: Self;
    /// The value after this one, unless it is the largest.
    fn successor(self) -> Option<Self>;
    /// The value before this one, unless it is the smallest.
    fn predecessor(self) -> Option<Self>;
}

macro_rules! bound {
    ($($integer:ty),*) => {$(
        impl Bound for $integer {
            const MIN: Self = <$integer>::MIN;
            const MAX: Self = <$integer>::MAX;
            fn successor(self) -> Option<Self> {
                self.checked_add(1)
            }
            fn predecessor(self) -> Option<Self> {
                self.checked_sub(1)
            }
        }
    )*};
}

bound!(u16, u32, u128);

/// A set of integers; membership is a binary search.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RangeSet<T> {
    ranges: Vec<(T, T)>,
}

impl<T> Default for RangeSet<T> {
    fn default() -> Self {
        Self { ranges: Vec::new() }
    }
}

impl<T: Bound> RangeSet<T> {
    /// The set of every value.
    pub fn full() -> Self {
        Self { ranges: vec![(T::MIN, T::MAX)] }
    }

    /// The set of all values in the given inclusive ranges, which may overlap and stand in any order.
    pub fn from_ranges(mut ranges: Vec<(T, T)>) -> Self {
        ranges.retain(|(first, last)| first <= last);
        ranges.sort_unstable();
        ranges.dedup_by(|next, kept| {
            let joins = kept.1.successor().is_none_or(|after| next.0 <= after);
            if joins {
                kept.1 = kept.1.max(next.1);
            }
            joins
        });
        Self { ranges }
    }

    /// The ranges, first and last value, in ascending order.
    pub fn ranges(&self) -> &[(T, T)] {
        &self.ranges
    }

    /// Whether the set holds nothing.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether the set holds every value.
    pub fn is_full(&self) -> bool {
        matches!(self.ranges.as_slice(), [(first, last)] if *first == T::MIN && *last == T::MAX)
    }

    /// Whether the set holds `value`.
    pub fn contains(&self, value: T) -> bool {
        let after = self.ranges.partition_point(|(first, _)| *first <= value);
        after.checked_sub(1).and_then(|at| self.ranges.get(at)).is_some_and(|(_, last)| value <= *last)
    }

    /// The set of values that this set holds and `other` does not.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let mut kept = Vec::with_capacity(self.ranges.len());
        let mut holes = other.ranges.iter().peekable();
        'ranges: for &(mut first, last) in &self.ranges {
            while let Some(&&(hole_first, hole_last)) = holes.peek() {
                if hole_last < first {
                    holes.next();
                    continue;
                }
                if hole_first > last {
                    break;
                }
                if let Some(before) = hole_first.predecessor().filter(|before| *before >= first) {
                    kept.push((first, before));
                }
                match hole_last.successor().filter(|after| *after <= last) {
                    Some(after) => first = after,
                    None => continue 'ranges,
                }
            }
            kept.push((first, last));
        }
        Self { ranges: kept }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranges_are_merged() {
        let set = RangeSet::<u16>::from_ranges(vec![
            (5, 9),
            (80, 80),
            (0, 3),
            (4, 4),
            (7, 20),
            (9, 8),
            (65535, 65535),
        ]);
        assert_eq!(set.ranges(), [(0, 20), (80, 80), (65535, 65535)]);
        assert!(RangeSet::<u16>::from_ranges(vec![(0, 100), (101, 65535), (3, 4)]).is_full());
    }

    proptest! {
        #[test]
        fn agrees_with_a_table(
            included in prop::collection::vec((0_u16..300, 0_u16..300), 0..12),
            excluded in prop::collection::vec((0_u16..300, 0_u16..300), 0..12),
        ) {
            let holds = |ranges: &[(u16, u16)], value| ranges.iter().any(|(a, b)| (*a..=*b).contains(&value));
            let left = RangeSet::from_ranges(included.clone()).without(&RangeSet::from_ranges(excluded.clone()));
            for value in 0..300 {
                prop_assert_eq!(left.contains(value), holds(&included, value) && !holds(&excluded, value));
            }
            for pair in left.ranges().windows(2) {
                prop_assert!(pair[0].0 <= pair[0].1 && pair[0].1 < pair[1].0);
            }
            let whole = RangeSet::<u16>::full().without(&RangeSet::from_ranges(excluded.clone()));
            for value in (0..300).chain([65535]) {
                prop_assert_eq!(whole.contains(value), !holds(&excluded, value));
            }
        }
    }
}
