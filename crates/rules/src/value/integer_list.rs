//! Comparisons with a list of integers: `comparison[,index[,subslice]]` and `count comparison`
//! (Suricata manual, "Multi-integers").

use crate::diagnostic::SyntaxError;
use crate::text::Span;
use crate::value::integer::{IntegerMatch, Unsigned};

/// Values of the list that must meet the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerIndex {
    /// `any`, and the default: at least one.
    Any,
    /// `or_absent`: at least one, or there are none.
    AnyOrAbsent,
    /// `all`: all, and there is at least one.
    All,
    /// `all_or_absent`: all, or there are none.
    AllOrAbsent,
    /// `nb>3`: so many.
    Number(IntegerMatch<u32>),
    /// The value at this place, from the back if negative.
    At(i32),
    /// `oob_or 3`: the value at this place, or there is no such place.
    AtOrOutOfBounds(i32),
}

/// A comparison with a list of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerListMatch<T> {
    /// The values are compared.
    Values {
        /// Comparison that values must meet.
        comparison: IntegerMatch<T>,
        /// Values that must meet it.
        index: IntegerIndex,
        /// First and end place of the part looked at, negative ones from the back.
        slice: Option<(i32, i32)>,
    },
    /// `count>3`: the values are only counted.
    Count(IntegerMatch<u32>),
}

impl<T: Unsigned> IntegerListMatch<T> {
    /// Whether `values` meet the comparison.
    pub fn matches(&self, values: &[T]) -> bool {
        match self {
            Self::Count(count) => count.matches(saturating(values.len())),
            Self::Values { comparison, index, slice } => {
                let values = slice.map_or(values, |(start, end)| part(values, start, end));
                index.matches(values, |value| comparison.matches(*value))
            }
        }
    }

    /// Whether it can only be decided once no more values come.
    pub const fn needs_all(&self) -> bool {
        !matches!(self, Self::Values { index: IntegerIndex::Any | IntegerIndex::At(0..), slice: None, .. })
    }

    /// Reads a comparison; `value_of` knows the names of values, if the keyword has any.
    pub fn parse(text: &str, value_of: impl Fn(&str) -> Option<T>) -> Result<Self, SyntaxError> {
        let offset = text.len() - text.trim_start().len();
        if let Some(rest) = text.trim_start().strip_prefix("count") {
            let count = IntegerMatch::parse(rest).map_err(|error| error.shifted(offset + "count".len()))?;
            return Ok(Self::Count(count));
        }
        let mut parts = text.splitn(3, ',');
        let first = parts.next().unwrap_or_default();
        let comparison = IntegerMatch::parse_named(first, value_of)?;
        let mut start = first.len() + 1;
        let mut index = IntegerIndex::Any;
        if let Some(second) = parts.next() {
            index = parse_index(second).map_err(|error| error.shifted(start))?;
            start += second.len() + 1;
        }
        let slice = match parts.next() {
            Some(third) => Some(parse_slice(third).map_err(|error| error.shifted(start))?),
            None => None,
        };
        Ok(Self::Values { comparison, index, slice })
    }
}

impl IntegerIndex {
    /// Whether the right ones of `values` are `met`.
    pub fn matches<V>(&self, values: &[V], met: impl Fn(&V) -> bool) -> bool {
        match *self {
            Self::Any => values.iter().any(met),
            Self::AnyOrAbsent => values.is_empty() || values.iter().any(met),
            Self::All => !values.is_empty() && values.iter().all(met),
            Self::AllOrAbsent => values.iter().all(met),
            Self::Number(number) => {
                number.matches(saturating(values.iter().filter(|value| met(value)).count()))
            }
            Self::At(place) => place_in(values.len(), place).and_then(|at| values.get(at)).is_some_and(met),
            Self::AtOrOutOfBounds(place) => {
                place_in(values.len(), place).and_then(|at| values.get(at)).is_none_or(met)
            }
        }
    }
}

fn saturating(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The place from the front, if the list has it or it is its end.
fn place_in(length: usize, place: i32) -> Option<usize> {
    let distance = usize::try_from(place.unsigned_abs()).ok()?;
    if place < 0 { length.checked_sub(distance) } else { Some(distance) }
}

/// The part from `start` up to `end`; empty if either lies outside.
fn part<V>(values: &[V], start: i32, end: i32) -> &[V] {
    let bounds = place_in(values.len(), start).zip(place_in(values.len(), end));
    bounds.and_then(|(start, end)| values.get(start..end)).unwrap_or_default()
}

fn parse_index(text: &str) -> Result<IntegerIndex, SyntaxError> {
    let trimmed = text.trim();
    let offset = text.len() - text.trim_start().len();
    if let Some(rest) = trimmed.strip_prefix("nb") {
        return IntegerMatch::parse(rest)
            .map(IntegerIndex::Number)
            .map_err(|error| error.shifted(offset + 2));
    }
    if let Some(place) = trimmed.strip_prefix("oob_or")
        && let Ok(place) = place.trim().parse()
    {
        return Ok(IntegerIndex::AtOrOutOfBounds(place));
    }
    match (trimmed, trimmed.parse()) {
        ("any", _) => Ok(IntegerIndex::Any),
        ("or_absent", _) => Ok(IntegerIndex::AnyOrAbsent),
        ("all", _) => Ok(IntegerIndex::All),
        ("all_or_absent", _) => Ok(IntegerIndex::AllOrAbsent),
        (_, Ok(place)) => Ok(IntegerIndex::At(place)),
        _ => Err(SyntaxError::new(Span::new(0, text.len()), format!("`{trimmed}` is not an index."))
            .with_help("indexes are any, all, all_or_absent, or_absent, nb>2, 0, -1, oob_or 0")),
    }
}

fn parse_slice(text: &str) -> Result<(i32, i32), SyntaxError> {
    let bounds = text
        .split_once(':')
        .and_then(|(start, end)| Some((start.trim().parse().ok()?, end.trim().parse().ok()?)));
    bounds.ok_or_else(|| {
        SyntaxError::new(Span::new(0, text.len()), format!("`{}` is not a part of a list.", text.trim()))
            .with_help("a part is written start:end, as in 2:4 or -4:-1")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_values() {
        let list: &[u8] = &[1, 2, 3, 4, 5, 6];
        let cases: &[(&str, &[u8], bool)] = &[
            ("3", list, true),
            ("7", list, false),
            ("<7,all", list, true),
            ("<6,all", list, false),
            ("<7,all", &[], false),
            ("<7,all_or_absent", &[], true),
            ("3,any", &[], false),
            ("3,or_absent", &[], true),
            ("3,or_absent", &[4], false),
            (">2,nb>3", list, true),
            (">2,nb>4", list, false),
            ("1,0", list, true),
            ("6,-1", list, true),
            ("6,-7", list, false),
            ("6,9", list, false),
            ("6,oob_or 9", list, true),
            ("6,oob_or 0", list, false),
            ("<5,all,2:4", list, true),
            ("3,0,2:4", list, true),
            ("5,-1,-4:-1", list, true),
            ("5,-1, 3:-1 ", list, true),
            ("3,0,-4:4", list, true),
            ("3,any,2:9", list, false),
            ("3,any,4:2", list, false),
            ("count >5", list, true),
            ("count>6", list, false),
            ("count 0", &[], true),
        ];
        for (text, values, expected) in cases {
            let found = IntegerListMatch::<u8>::parse(text, |_| None)
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(found.matches(values), *expected, "{text}");
        }
    }

    #[test]
    fn what_needs_all_values() {
        for (text, expected) in [
            ("3", false),
            ("3,any", false),
            ("3,0", false),
            ("3,-1", true),
            ("3,all", true),
            ("3,nb>1", true),
            ("3,oob_or 0", true),
            ("3,any,0:2", true),
            ("count>1", true),
        ] {
            let found = IntegerListMatch::<u8>::parse(text, |_| None)
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(found.needs_all(), expected, "{text}");
        }
    }

    #[test]
    fn wrong_lists() {
        for (text, start, end) in
            [("x", 0, 1), ("3,most", 2, 6), ("3,any,2", 6, 7), ("count", 5, 5), ("3, nb>x", 6, 7)]
        {
            let error = IntegerListMatch::<u8>::parse(text, |_| None).expect_err(text);
            assert_eq!(error.span, Span::new(start, end), "{text}: {error}");
        }
    }
}
