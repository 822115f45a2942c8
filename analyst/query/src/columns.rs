//! Puts values of JSON into columns.

use std::fmt;
use std::sync::Arc;

use arrow::array::{
    ArrayBuilder, ArrayRef, BooleanBuilder, Float64Builder, Int64Builder, ListArray, NullBufferBuilder,
    StringBuilder, StructArray, TimestampMicrosecondBuilder, UInt64Builder,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::Fields;
use arrow::error::ArrowError;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::kinds::{Kind, ZONE, item};
use weir_columns::times;

/// Values of one column so far.
pub enum Column {
    /// True or false.
    Bool(BooleanBuilder),
    /// Whole numbers.
    Int(Int64Builder),
    /// Whole numbers of which some are beyond `i64`.
    Unsigned(UInt64Builder),
    /// Numbers.
    Float(Float64Builder),
    /// Moments; numbers are seconds since 1970.
    Time(TimestampMicrosecondBuilder),
    /// Texts.
    Text(StringBuilder),
    /// Anything, as JSON.
    Json(StringBuilder),
    /// Lists.
    List {
        /// Of the type of the items.
        kind: Kind,
        /// The items of all lists.
        items: Box<Self>,
        /// The number of items up to the end of each list.
        ends: Vec<i32>,
        /// Whether there is a list at all.
        present: NullBufferBuilder,
    },
    /// Objects within lists.
    Object {
        /// Names and values.
        members: Vec<(String, Self)>,
        /// The fields of them.
        fields: Fields,
        /// Whether there is an object at all.
        present: NullBufferBuilder,
    },
}

impl Column {
    /// An empty column of this type.
    pub fn new(kind: &Kind) -> Self {
        match kind {
            Kind::Bool => Self::Bool(BooleanBuilder::new()),
            Kind::Int { .. } => Self::Int(Int64Builder::new()),
            Kind::Unsigned => Self::Unsigned(UInt64Builder::new()),
            Kind::Float => Self::Float(Float64Builder::new()),
            Kind::Time => Self::Time(TimestampMicrosecondBuilder::new().with_timezone(ZONE)),
            Kind::None | Kind::Text => Self::Text(StringBuilder::new()),
            Kind::Json => Self::Json(StringBuilder::new()),
            Kind::List(inner) => Self::List {
                kind: (**inner).clone(),
                items: Box::new(Self::new(inner)),
                ends: Vec::new(),
                present: NullBufferBuilder::new(0),
            },
            Kind::Object(names) => Self::Object {
                members: names.iter().map(|(name, kind)| (name.clone(), Self::new(kind))).collect(),
                fields: match kind.data_type() {
                    arrow::datatypes::DataType::Struct(fields) => fields,
                    _ => Fields::empty(),
                },
                present: NullBufferBuilder::new(0),
            },
        }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::Bool(values) => values.len(),
            Self::Int(values) => values.len(),
            Self::Unsigned(values) => values.len(),
            Self::Float(values) => values.len(),
            Self::Time(values) => values.len(),
            Self::Text(values) | Self::Json(values) => values.len(),
            Self::List { present, .. } | Self::Object { present, .. } => present.len(),
        }
    }

    /// Appends nothing.
    pub fn null(&mut self) {
        match self {
            Self::Bool(values) => values.append_null(),
            Self::Int(values) => values.append_null(),
            Self::Unsigned(values) => values.append_null(),
            Self::Float(values) => values.append_null(),
            Self::Time(values) => values.append_null(),
            Self::Text(values) | Self::Json(values) => values.append_null(),
            Self::List { items, ends, present, .. } => {
                ends.push(count(items.len()));
                present.append_null();
            }
            Self::Object { members, present, .. } => {
                members.iter_mut().for_each(|(_, column)| column.null());
                present.append_null();
            }
        }
    }

    /// Makes the number of values `rows`: leaves out what a record has twice, and appends nothing where it has none.
    fn settle(&mut self, rows: usize) {
        while self.len() < rows {
            self.null();
        }
    }

    /// Gives the values out.
    pub fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Self::Bool(values) => Arc::new(values.finish()),
            Self::Int(values) => Arc::new(values.finish()),
            Self::Unsigned(values) => Arc::new(values.finish()),
            Self::Float(values) => Arc::new(values.finish()),
            Self::Time(values) => Arc::new(values.finish()),
            Self::Text(values) | Self::Json(values) => Arc::new(values.finish()),
            Self::List { kind, items, ends, present } => {
                let offsets = std::iter::once(0).chain(std::mem::take(ends)).collect::<Vec<i32>>();
                Arc::new(ListArray::try_new(
                    Arc::new(item(kind)),
                    OffsetBuffer::new(offsets.into()),
                    items.finish()?,
                    present.finish(),
                )?)
            }
            Self::Object { members, fields, present } => {
                let length = present.len();
                let arrays = members.iter_mut().map(|(_, column)| column.finish());
                let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
                Arc::new(StructArray::try_new_with_length(fields.clone(), arrays, present.finish(), length)?)
            }
        })
    }

    /// Appends a moment in seconds since 1970, or a number.
    fn number(&mut self, number: f64) {
        match self {
            Self::Float(values) => values.append_value(number),
            Self::Time(values) => values.append_option(micros(number)),
            Self::Int(values) if number.fract() == 0.0 && number.abs() < 9e15 => {
                values.append_value(number as i64);
            }
            Self::Text(values) => values.append_value(number.to_string()),
            _ => self.null(),
        }
    }

    /// Appends a text.
    pub fn text(&mut self, text: &str) {
        match self {
            Self::Text(values) => values.append_value(text),
            Self::Time(values) => values.append_option(times::parse(text)),
            _ => self.null(),
        }
    }
}

/// Microseconds of seconds; none beyond the range of time.
pub fn micros(seconds: f64) -> Option<i64> {
    let micros = (seconds * 1e6).round();
    (micros.abs() < 9.2e18).then_some(micros as i64)
}

fn count(length: usize) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

/// Appends a value as it is parsed. One of another shape than the column's becomes nothing.
struct Append<'c>(&'c mut Column);

impl<'de> DeserializeSeed<'de> for Append<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        if let Column::Json(values) = self.0 {
            let raw = <&RawValue as serde::Deserialize>::deserialize(from)?;
            match raw.get() {
                "null" => values.append_null(),
                text => values.append_value(text),
            }
            return Ok(());
        }
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Append<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.null();
        Ok(())
    }

    fn visit_bool<E>(self, truth: bool) -> Result<(), E> {
        match self.0 {
            Column::Bool(values) => values.append_value(truth),
            Column::Text(values) => values.append_value(if truth { "true" } else { "false" }),
            other => other.null(),
        }
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        match self.0 {
            Column::Int(values) => values.append_value(number),
            Column::Text(values) => values.append_value(number.to_string()),
            other => other.number(number as f64),
        }
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        match self.0 {
            Column::Int(values) => values.append_option(i64::try_from(number).ok()),
            Column::Unsigned(values) => values.append_value(number),
            Column::Text(values) => values.append_value(number.to_string()),
            other => other.number(number as f64),
        }
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        self.0.number(number);
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.text(text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        let Column::List { items, ends, present, .. } = self.0 else {
            self.0.null();
            while values.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        while values.next_element_seed(Append(items))?.is_some() {}
        ends.push(count(items.len()));
        present.append_non_null();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Column::Object { members, present, .. } = self.0 else {
            self.0.null();
            while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        let before = present.len();
        while let Some(place) = entries.next_key_seed(Named(members.as_slice()))? {
            match place.and_then(|place| members.get_mut(place)) {
                Some((_, column)) if column.len() == before => entries.next_value_seed(Append(column))?,
                _ => drop(entries.next_value::<IgnoredAny>()?),
            }
        }
        members.iter_mut().for_each(|(_, column)| column.settle(before + 1));
        present.append_non_null();
        Ok(())
    }
}

/// Anything that is found by its name.
trait HasName {
    fn name(&self) -> &str;
}

impl HasName for (String, Column) {
    fn name(&self) -> &str {
        &self.0
    }
}

impl HasName for (String, Member) {
    fn name(&self) -> &str {
        &self.0
    }
}

/// Finds a name in a list.
struct Named<'c, T>(&'c [T]);

impl<'de, T: HasName> DeserializeSeed<'de> for Named<'_, T> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Option<usize>, D::Error> {
        from.deserialize_str(self)
    }
}

impl<T: HasName> Visitor<'_> for Named<'_, T> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Option<usize>, E> {
        Ok(self.0.iter().position(|known| known.name() == name))
    }
}

/// What becomes of a member of an object.
enum Member {
    /// It is a column.
    Column(usize),
    /// It has members that are columns.
    Object(Vec<(String, Self)>),
}

/// A batch of rows. Members of objects are columns of their own, named by their path.
pub struct Rows {
    tree: Vec<(String, Member)>,
    columns: Vec<Column>,
    rows: usize,
}

impl Rows {
    /// Rows of these columns: the path to each value, and its type.
    pub fn new(columns: &[(Vec<String>, Kind)]) -> Self {
        let mut tree = Vec::new();
        for (index, (path, _)) in columns.iter().enumerate() {
            plant(&mut tree, path, index);
        }
        Self { tree, columns: columns.iter().map(|(_, kind)| Column::new(kind)).collect(), rows: 0 }
    }

    /// The number of rows.
    pub const fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    pub const fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Appends a record; what was read of a line that is no JSON stays.
    pub fn append(&mut self, line: &[u8]) -> Result<(), serde_json::Error> {
        let mut from = serde_json::Deserializer::from_slice(line);
        let whole = Members { tree: &self.tree, columns: &mut self.columns, rows: self.rows };
        let result = whole.deserialize(&mut from).and_then(|()| from.end());
        self.end_row();
        result
    }

    /// Columns to append values to, of which each takes one for a row, before [`Self::end_row`].
    pub fn columns(&mut self) -> &mut [Column] {
        &mut self.columns
    }

    /// Ends a row: nothing stands in columns that have no value of it.
    pub fn end_row(&mut self) {
        self.rows += 1;
        self.columns.iter_mut().for_each(|column| column.settle(self.rows));
    }

    /// Gives out the columns and begins anew.
    pub fn finish(&mut self) -> Result<(usize, Vec<ArrayRef>), ArrowError> {
        let arrays = self.columns.iter_mut().map(Column::finish).collect::<Result<_, _>>()?;
        Ok((std::mem::take(&mut self.rows), arrays))
    }
}

fn plant(tree: &mut Vec<(String, Member)>, path: &[String], index: usize) {
    let Some((first, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        tree.push((first.clone(), Member::Column(index)));
        return;
    }
    let place = tree.iter().position(|(name, member)| name == first && matches!(member, Member::Object(_)));
    let place = place.unwrap_or_else(|| {
        tree.push((first.clone(), Member::Object(Vec::new())));
        tree.len() - 1
    });
    if let Some((_, Member::Object(inner))) = tree.get_mut(place) {
        plant(inner, rest, index);
    }
}

/// Puts the members of an object into columns.
struct Members<'c> {
    tree: &'c [(String, Member)],
    columns: &'c mut [Column],
    rows: usize,
}

impl<'de> DeserializeSeed<'de> for Members<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Self { tree, columns, rows } = self;
        while let Some(place) = entries.next_key_seed(Named(tree))? {
            match place.and_then(|place| tree.get(place)) {
                Some((_, Member::Object(tree))) => {
                    entries.next_value_seed(Members { tree, columns: &mut *columns, rows })?;
                }
                Some((_, Member::Column(index))) => match columns.get_mut(*index) {
                    Some(column) if column.len() == rows => entries.next_value_seed(Append(column))?,
                    _ => drop(entries.next_value::<IgnoredAny>()?),
                },
                None => drop(entries.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Look;
    use arrow::util::display::array_value_to_string;

    /// Columns of the types that lines have, filled from other lines.
    fn filled(looked_at: &[&str], lines: &[&str]) -> Vec<(String, Vec<String>)> {
        let mut kind = Kind::None;
        for line in looked_at {
            Look(&mut kind).deserialize(&mut serde_json::Deserializer::from_str(line)).unwrap();
        }
        let columns = crate::schema::flatten(&kind);
        let mut rows = Rows::new(&columns);
        lines.iter().for_each(|line| rows.append(line.as_bytes()).unwrap());
        let (count, arrays) = rows.finish().unwrap();
        assert_eq!(count, lines.len());
        let shown =
            |array: &ArrayRef| (0..count).map(|row| array_value_to_string(array, row).unwrap()).collect();
        columns.iter().zip(&arrays).map(|((path, _), array)| (path.join("."), shown(array))).collect()
    }

    #[test]
    fn values_come_into_their_columns() {
        let lines = [
            r#"{"a":1,"b":{"c":"x","d":[1,2]},"e":[{"f":true},{"g":1.5}]}"#,
            r#"{"b":{"d":[],"c":null},"a":-3}"#,
            r#"{"a":null,"e":[],"b":{}}"#,
        ];
        let expected = [
            ("a", ["1", "-3", ""]),
            ("b.c", ["x", "", ""]),
            ("b.d", ["[1, 2]", "[]", ""]),
            ("e", ["[{f: true, g: }, {f: , g: 1.5}]", "", "[]"]),
        ];
        let expected = expected.map(|(name, values)| (name.to_owned(), values.map(str::to_owned).to_vec()));
        assert_eq!(filled(&lines, &lines), expected);
    }

    #[test]
    fn values_of_other_shapes_become_nothing() {
        let looked_at =
            [r#"{"i":1,"t":"x","l":[1],"o":[{"a":1}],"s":"2024-01-01T00:00:00Z","b":true,"f":1.5}"#];
        for value in [
            "\"x\"",
            "[\"x\"]",
            "{\"a\":\"x\"}",
            "true",
            "7",
            "1e300",
            "-1",
            "18446744073709551615",
            "[[[]]]",
        ] {
            let names = ["i", "t", "l", "o", "s", "b", "f", "none"].map(|name| format!("\"{name}\":{value}"));
            let line = format!("{{{}}}", names.join(","));
            assert_eq!(filled(&looked_at, &[&line, "{}", looked_at[0]]).len(), 7, "{line}");
        }
        // The first of two values of the same name stands.
        let twice = filled(&[r#"{"i":1}"#], &[r#"{"i":1,"i":2}"#, r#"{"i":3}"#]);
        assert_eq!(twice, [("i".to_owned(), vec!["1".to_owned(), "3".to_owned()])]);
    }

    #[test]
    fn shapes_that_differ_stay_json() {
        let lines = [r#"{"a":[1, "x"],"b":2}"#, r#"{"a":{"c":3},"b":null}"#, r#"{"a":null}"#];
        let shown = filled(&lines, &lines);
        assert_eq!(shown[0].1, [r#"[1, "x"]"#, r#"{"c":3}"#, ""]);
    }
}
