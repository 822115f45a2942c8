//! Comparisons with a list of integers: `comparison[,any|all|<place>]` (Suricata manual, `vlan.id` and
//! `ldap.responses.operation`).

use crate::diagnostic::SyntaxError;
use crate::text::Span;
use crate::value::integer::{IntegerMatch, Unsigned};

/// Values of the list that must meet the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerIndex {
    /// `any`, and the default: at least one.
    Any,
    /// `all`: all, and there is at least one.
    All,
    /// The value at this place, from the back if negative.
    At(i32),
}

/// A comparison with a list of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerListMatch<T> {
    /// Comparison that values must meet.
    pub comparison: IntegerMatch<T>,
    /// Values that must meet it.
    pub index: IntegerIndex,
}

impl<T: Unsigned> IntegerListMatch<T> {
    /// Whether `values` meet the comparison.
    pub fn matches(&self, values: &[T]) -> bool {
        let met = |value: &T| self.comparison.matches(*value);
        match self.index {
            IntegerIndex::Any => values.iter().any(met),
            IntegerIndex::All => !values.is_empty() && values.iter().all(met),
            IntegerIndex::At(place) => {
                place_in(values.len(), place).and_then(|at| values.get(at)).is_some_and(met)
            }
        }
    }

    /// Whether it can only be decided once no more values come.
    pub const fn needs_all(&self) -> bool {
        !matches!(self.index, IntegerIndex::Any | IntegerIndex::At(0..))
    }

    /// Reads a comparison; `value_of` knows the names of values, if the keyword has any.
    pub fn parse(text: &str, value_of: impl Fn(&str) -> Option<T>) -> Result<Self, SyntaxError> {
        let (first, index) = match text.split_once(',') {
            Some((first, index)) => {
                (first, parse_index(index).map_err(|error| error.shifted(first.len() + 1))?)
            }
            None => (text, IntegerIndex::Any),
        };
        Ok(Self { comparison: IntegerMatch::parse_named(first, value_of)?, index })
    }
}

/// The place from the front, if the list has it or it is its end.
fn place_in(length: usize, place: i32) -> Option<usize> {
    let distance = usize::try_from(place.unsigned_abs()).ok()?;
    if place < 0 { length.checked_sub(distance) } else { Some(distance) }
}

fn parse_index(text: &str) -> Result<IntegerIndex, SyntaxError> {
    let trimmed = text.trim();
    match (trimmed, trimmed.parse()) {
        ("any", _) => Ok(IntegerIndex::Any),
        ("all", _) => Ok(IntegerIndex::All),
        (_, Ok(place)) => Ok(IntegerIndex::At(place)),
        _ => Err(SyntaxError::new(Span::new(0, text.len()), format!("`{trimmed}` is not an index."))
            .with_help("indexes are any, all, and places: 0 is the first, -1 the last")),
    }
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
            ("<6, all", list, false),
            ("<7,all", &[], false),
            ("3,any", &[], false),
            ("3,any", list, true),
            ("1,0", list, true),
            ("6,-1", list, true),
            ("6,-7", list, false),
            ("6,9", list, false),
        ];
        for (text, values, expected) in cases {
            let found = IntegerListMatch::<u8>::parse(text, |_| None)
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(found.matches(values), *expected, "{text}");
        }
    }

    #[test]
    fn what_needs_all_values() {
        for (text, expected) in
            [("3", false), ("3,any", false), ("3,0", false), ("3,-1", true), ("3,all", true)]
        {
            let found = IntegerListMatch::<u8>::parse(text, |_| None)
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(found.needs_all(), expected, "{text}");
        }
    }

    #[test]
    fn wrong_lists() {
        for (text, start, end) in [
            ("x", 0, 1),
            ("3,most", 2, 6),
            ("3,any,2", 2, 7),
            ("count>5", 0, 7),
            ("3,nb>1", 2, 6),
            ("3,or_absent", 2, 11),
            ("3,", 2, 2),
        ] {
            let error = IntegerListMatch::<u8>::parse(text, |_| None).expect_err(text);
            assert_eq!(error.span, Span::new(start, end), "{text}: {error}");
        }
    }
}
