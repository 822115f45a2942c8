//! Types of values in JSON, found by looking at all of them.

use std::fmt;

use arrow::datatypes::{DataType, Field, Fields, TimeUnit};
use indexmap::IndexMap;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use weir_columns::times;

/// Names that an object may have before it is taken for a map with names that are chosen by traffic, and is kept as JSON.
const MOST_NAMES: usize = 1024;

/// Name of the zone of moments.
pub const ZONE: &str = "UTC";

/// Type of the values at one place of records.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Kind {
    /// Nothing but null, so far.
    #[default]
    None,
    /// True or false.
    Bool,
    /// A number from the range of `i64`.
    Int {
        /// One of them is below zero.
        negative: bool,
    },
    /// A number from the range of `u64` that `i64` has not.
    Unsigned,
    /// A number with a fraction.
    Float,
    /// A moment, as text.
    Time,
    /// A text.
    Text,
    /// A list of values.
    List(Box<Self>),
    /// An object.
    Object(IndexMap<String, Self>),
    /// Values of several shapes, kept as JSON.
    Json,
}

impl Kind {
    /// Returns the type that holds the values of both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let mut kind = self;
        kind.widen(other);
        kind
    }

    /// Becomes a type that holds the values of `other`, too.
    pub fn widen(&mut self, other: Self) {
        match (&mut *self, other) {
            (_, Self::None) | (Self::Json, _) => {}
            (Self::None, other) => *self = other,
            (Self::Int { negative }, Self::Int { negative: other }) => *negative |= other,
            (Self::Unsigned, Self::Int { negative: false } | Self::Unsigned) => {}
            (Self::Int { negative: false }, Self::Unsigned) => *self = Self::Unsigned,
            (
                Self::Int { .. } | Self::Unsigned | Self::Float,
                Self::Int { .. } | Self::Unsigned | Self::Float,
            ) => {
                *self = Self::Float;
            }
            (Self::List(inner), Self::List(other)) => inner.widen(*other),
            (Self::Object(names), Self::Object(others)) => {
                for (name, kind) in others {
                    names.entry(name).or_default().widen(kind);
                }
                if names.len() > MOST_NAMES {
                    *self = Self::Json;
                }
            }
            (one, other) if one.same_shape(&other) => {}
            (one, other) if one.is_scalar() && other.is_scalar() => *self = Self::Text,
            _ => *self = Self::Json,
        }
    }

    fn same_shape(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    const fn is_scalar(&self) -> bool {
        !matches!(self, Self::List(_) | Self::Object(_) | Self::Json)
    }

    /// Returns the columns' type for it.
    pub fn data_type(&self) -> DataType {
        match self {
            Self::Bool => DataType::Boolean,
            Self::Int { .. } => DataType::Int64,
            Self::Unsigned => DataType::UInt64,
            Self::Float => DataType::Float64,
            Self::Time => DataType::Timestamp(TimeUnit::Microsecond, Some(ZONE.into())),
            Self::None | Self::Text | Self::Json => DataType::Utf8,
            Self::List(inner) => DataType::List(item(inner).into()),
            Self::Object(names) => DataType::Struct(
                names.iter().map(|(name, kind)| Field::new(name, kind.data_type(), true)).collect::<Fields>(),
            ),
        }
    }
}

/// The field of a list's items.
pub fn item(inner: &Kind) -> Field {
    Field::new_list_field(inner.data_type(), true)
}

/// Widens a type by a value as it is parsed.
pub struct Look<'k>(pub &'k mut Kind);

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        if *self.0 == Kind::Json {
            return from.deserialize_ignored_any(IgnoredAny).map(drop);
        }
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.0.widen(Kind::Bool);
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.0.widen(Kind::Int { negative: number < 0 });
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        let fits = i64::try_from(number).is_ok();
        self.0.widen(if fits { Kind::Int { negative: false } } else { Kind::Unsigned });
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.0.widen(Kind::Float);
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if *self.0 != Kind::Text {
            self.0.widen(if times::parse(text).is_some() { Kind::Time } else { Kind::Text });
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.widen(Kind::List(Box::default()));
        let mut dropped = Kind::Json;
        let inner = if let Kind::List(inner) = self.0 { inner } else { &mut dropped };
        while items.next_element_seed(Look(inner))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        self.0.widen(Kind::Object(IndexMap::new()));
        let mut dropped = Kind::Json;
        loop {
            let Kind::Object(names) = &mut *self.0 else {
                // An object among other values is passed over.
                while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                return Ok(());
            };
            let Some(place) = entries.next_key_seed(Name(names))? else { break };
            let kind = names.get_index_mut(place).map_or(&mut dropped, |(_, kind)| kind);
            entries.next_value_seed(Look(kind))?;
        }
        if matches!(self.0, Kind::Object(names) if names.len() > MOST_NAMES) {
            *self.0 = Kind::Json;
        }
        Ok(())
    }
}

/// Finds the place of a name, which is added where it is new.
struct Name<'k>(&'k mut IndexMap<String, Kind>);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<usize, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<usize, E> {
        let known = self.0.get_index_of(name);
        Ok(known.unwrap_or_else(|| self.0.insert_full(name.to_owned(), Kind::None).0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[&str]) -> Kind {
        let mut kind = Kind::None;
        for line in lines {
            let mut from = serde_json::Deserializer::from_str(line);
            Look(&mut kind).deserialize(&mut from).unwrap();
        }
        kind
    }

    #[test]
    fn types_hold_all_values() {
        let int = |negative| Kind::Int { negative };
        let cases: [(&[&str], Kind); 16] = [
            (&["null"], Kind::None),
            (&["1", "2"], int(false)),
            (&["1", "-2"], int(true)),
            (&["1", "18446744073709551615"], Kind::Unsigned),
            (&["18446744073709551615", "1"], Kind::Unsigned),
            (&["18446744073709551615", "18446744073709551614"], Kind::Unsigned),
            (&["-1", "18446744073709551615"], Kind::Float),
            (&["18446744073709551615", "-1"], Kind::Float),
            (&["1", "1.5", "2"], Kind::Float),
            (&["true", "\"yes\""], Kind::Text),
            (&["\"2024-01-01T00:00:00Z\"", "null"], Kind::Time),
            (&["\"2024-01-01T00:00:00Z\"", "\"later\""], Kind::Text),
            (&["[1]", "[]", "[null, 2.5]"], Kind::List(Box::new(Kind::Float))),
            (&["[1]", "1"], Kind::Json),
            (&["{}", "7", "{}"], Kind::Json),
            (&["[[1],[\"a\"]]"], Kind::List(Box::new(Kind::List(Box::new(Kind::Text))))),
        ];
        for (lines, expected) in cases {
            assert_eq!(of(lines), expected, "{lines:?}");
        }
        let Kind::Object(names) = of(&[r#"{"a":1}"#, r#"{"b":{"c":"x"},"a":null}"#]) else { panic!() };
        assert_eq!(names.keys().collect::<Vec<_>>(), ["a", "b"]);
        let many: Vec<String> = (0..=MOST_NAMES).map(|number| format!("\"{number}\":1")).collect();
        assert_eq!(of(&[&format!("{{{}}}", many.join(","))]), Kind::Json);
    }

    #[test]
    fn the_order_of_values_does_not_matter() {
        let values = [
            "1",
            "-1",
            "18446744073709551615",
            "1.5",
            "true",
            "\"a\"",
            "\"2024-01-01T00:00:00Z\"",
            "[1]",
            "{}",
        ];
        for one in values {
            for other in values {
                assert_eq!(of(&[one, other]).data_type(), of(&[other, one]).data_type(), "{one} {other}");
            }
        }
    }
}
