//! A column that learns its type from its values.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, ListArray, StringArray, StructArray,
    TimestampMicrosecondArray, UInt64Array, new_null_array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields};

use crate::buffers::{Fixed, Texts};
use crate::json::{Json, Name};

/// Members behind the last one that are looked at first: some are left out.
const LIKELY: usize = 6;

/// Name of the zone of moments.
const ZONE: &str = "UTC";

/// Type of the values of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// True or false.
    Bool,
    /// A whole number, 64 bits with a sign.
    Int,
    /// A whole number, 64 bits without a sign.
    Unsigned,
    /// A number with a fraction.
    Float,
    /// A moment, in microseconds.
    Time,
    /// A text.
    Text,
    /// Values of several shapes, as JSON.
    Json,
    /// A list.
    List(Box<Self>),
}

/// Members of an object, in the order they were seen first.
#[derive(Default)]
pub(crate) struct Members {
    pub(crate) columns: Vec<(Box<str>, Column)>,
    places: HashMap<Box<str>, usize>,
    /// Their names as they are written.
    written: Vec<Name>,
    /// The number of the member that was read last, from 1; 0 before the first one.
    last: usize,
    /// The place of the member that came behind each of these numbers, the last time.
    followers: Vec<usize>,
}

impl Members {
    /// Begins another object.
    pub(crate) fn begin(&mut self) {
        self.last = 0;
    }

    /// Passes the name of a member that is likely to come next, where one comes.
    #[inline]
    pub(crate) fn pass_expected(&mut self, json: &mut Json<'_>) -> Option<usize> {
        let follower = *self.followers.get(self.last)?;
        if json.pass_name(self.written.get(follower)?) {
            self.last = follower + 1;
            return Some(follower);
        }
        let likely = self.written.iter().enumerate().skip(self.last).take(LIKELY);
        let (place, _) = likely.into_iter().find(|(_, written)| json.pass_name(written))?;
        Some(self.follow(place))
    }

    /// The column of a name, where there is one.
    pub(crate) fn find(&mut self, name: &str) -> Option<usize> {
        let place = *self.places.get(name)?;
        Some(self.follow(place))
    }

    /// Keeps which member came behind the last one.
    fn follow(&mut self, place: usize) -> usize {
        if let Some(follower) = self.followers.get_mut(self.last) {
            *follower = place;
        }
        self.last = place + 1;
        place
    }

    /// Whether the first value of a column may be a moment, by its name.
    #[inline]
    pub(crate) fn may_be_moment(&self, place: usize, names: &[&str]) -> bool {
        self.columns.get(place).is_some_and(|(name, column)| !column.is_known() && names.contains(&&**name))
    }

    /// Adds a column.
    pub(crate) fn add(&mut self, name: &str, kind: Option<&Kind>) -> usize {
        let place = self.columns.len();
        self.places.insert(name.into(), place);
        self.written.push(Name::new(name));
        self.columns.push((name.into(), Column::new(kind)));
        // One more than there are members, for what comes first.
        self.followers.resize(place + 2, place);
        self.follow(place)
    }
}

/// The values of a list, and where each row's end.
pub(crate) struct List {
    pub(crate) items: Box<Column>,
    ends: Vec<i32>,
    present: NullBufferBuilder,
}

/// Values with their type.
pub(crate) enum Values {
    /// Nothing but null so far.
    Unknown,
    Bool(Fixed<bool>),
    Int(Fixed<i64>),
    Unsigned(Fixed<u64>),
    Float(Fixed<f64>),
    Time(Fixed<i64>),
    Text(Texts),
    Json(Texts),
    List(List),
    /// The second value says which objects are there: of those in lists.
    Object(Members, NullBufferBuilder),
}

/// A column. Rows that have no value are filled up when another row has one.
pub(crate) struct Column {
    pub(crate) values: Values,
    /// The type it is to have from the next file on, since a value did not fit.
    pub(crate) next: Option<Kind>,
}

const ROWS: usize = 256;

impl Values {
    fn of(kind: &Kind) -> Self {
        match kind {
            Kind::Bool => Self::Bool(Fixed::default()),
            Kind::Int => Self::Int(Fixed::default()),
            Kind::Unsigned => Self::Unsigned(Fixed::default()),
            Kind::Float => Self::Float(Fixed::default()),
            Kind::Time => Self::Time(Fixed::default()),
            Kind::Text => Self::Text(Texts::default()),
            Kind::Json => Self::Json(Texts::default()),
            Kind::List(inner) => Self::List(List {
                items: Box::new(Column::new(Some(inner))),
                ends: Vec::new(),
                present: NullBufferBuilder::new(ROWS),
            }),
        }
    }

    pub(crate) fn list() -> Self {
        Self::List(List {
            items: Box::new(Column::new(None)),
            ends: Vec::new(),
            present: NullBufferBuilder::new(ROWS),
        })
    }

    pub(crate) fn object() -> Self {
        Self::Object(Members::default(), NullBufferBuilder::new(ROWS))
    }
}

impl List {
    /// Begins the list of a row; not where that has one.
    pub(crate) fn begin(&mut self, row: usize) -> bool {
        let is_new = self.ends.len() <= row;
        if is_new {
            self.pad(row);
        }
        is_new
    }

    /// Ends the list of a row.
    pub(crate) fn end(&mut self, items: usize) {
        self.ends.push(i32::try_from(items).unwrap_or(i32::MAX));
        self.present.append_non_null();
    }

    /// The number of values of all rows.
    pub(crate) fn len(&self) -> usize {
        self.ends.last().map_or(0, |end| *end as usize)
    }

    fn pad(&mut self, rows: usize) {
        let missing = rows.saturating_sub(self.ends.len());
        let end = self.len() as i32;
        self.ends.extend(std::iter::repeat_n(end, missing));
        self.present.append_n_nulls(missing);
    }
}

impl Column {
    /// A column of a type, or of one that its first value tells.
    pub(crate) fn new(kind: Option<&Kind>) -> Self {
        Self { values: kind.map_or(Values::Unknown, Values::of), next: None }
    }

    /// Gives rows before this one null where they have nothing.
    pub(crate) fn pad(&mut self, rows: usize) {
        match &mut self.values {
            Values::Unknown => {}
            Values::Bool(values) => values.pad(rows),
            Values::Int(values) | Values::Time(values) => values.pad(rows),
            Values::Unsigned(values) => values.pad(rows),
            Values::Float(values) => values.pad(rows),
            Values::Text(values) | Values::Json(values) => values.pad(rows),
            Values::List(list) => list.pad(rows),
            Values::Object(_, present) => {
                present.append_n_nulls(rows.saturating_sub(present.len()));
            }
        }
    }

    /// Its type from the next file on, after a value of another one.
    pub(crate) fn widen(&mut self, other: &Kind) {
        let own = self.next.take().or_else(|| self.kind());
        self.next = Some(match (own, other) {
            (Some(Kind::Int), Kind::Unsigned) => Kind::Unsigned,
            (Some(Kind::Int | Kind::Unsigned | Kind::Float), Kind::Int | Kind::Unsigned | Kind::Float) => {
                Kind::Float
            }
            (Some(own), other) if own == *other => own,
            (Some(Kind::List(_) | Kind::Json) | None, _) | (_, Kind::List(_) | Kind::Json) => Kind::Json,
            _ => Kind::Text,
        });
    }

    fn kind(&self) -> Option<Kind> {
        Some(match &self.values {
            Values::Bool(_) => Kind::Bool,
            Values::Int(_) => Kind::Int,
            Values::Unsigned(_) => Kind::Unsigned,
            Values::Float(_) => Kind::Float,
            Values::Time(_) => Kind::Time,
            Values::Text(_) => Kind::Text,
            Values::List(list) => Kind::List(Box::new(list.items.kind()?)),
            Values::Json(_) | Values::Object(..) => Kind::Json,
            Values::Unknown => return None,
        })
    }

    /// Whether there is a value in it, ever.
    pub(crate) const fn is_known(&self) -> bool {
        !matches!(self.values, Values::Unknown)
    }

    /// Returns the values of `rows` rows and begins anew, with the same type or the next one.
    pub(crate) fn take(&mut self, rows: usize) -> ArrayRef {
        self.pad(rows);
        let array: ArrayRef = match &mut self.values {
            Values::Unknown => new_null_array(&DataType::Utf8, rows),
            Values::Bool(values) => {
                let (values, present) = values.take();
                Arc::new(BooleanArray::new(BooleanBuffer::from(values), present))
            }
            Values::Int(values) => {
                let (values, present) = values.take();
                Arc::new(Int64Array::new(values.into(), present))
            }
            Values::Unsigned(values) => {
                let (values, present) = values.take();
                Arc::new(UInt64Array::new(values.into(), present))
            }
            Values::Float(values) => {
                let (values, present) = values.take();
                Arc::new(Float64Array::new(values.into(), present))
            }
            Values::Time(values) => {
                let (values, present) = values.take();
                Arc::new(TimestampMicrosecondArray::new(values.into(), present).with_timezone(ZONE))
            }
            Values::Text(texts) | Values::Json(texts) => take_texts(texts),
            Values::List(list) => take_list(list),
            Values::Object(members, present) => take_objects(members, present),
        };
        if let Some(next) = self.next.take() {
            self.values = Values::of(&next);
        }
        array
    }
}

fn take_texts(texts: &mut Texts) -> ArrayRef {
    let (bytes, ends, present) = texts.take();
    let rows = ends.len() - 1;
    let bytes = Buffer::from_vec(bytes.into_bytes());
    let offsets = OffsetBuffer::new(ends.into());
    // Fails where they take more than 2 GB, which none of a table's rows that wait do.
    StringArray::try_new(offsets, bytes, present)
        .map_or_else(|_| new_null_array(&DataType::Utf8, rows), |texts| Arc::new(texts) as ArrayRef)
}

fn take_list(list: &mut List) -> ArrayRef {
    let items = list.items.take(list.len());
    let ends = std::mem::take(&mut list.ends);
    let offsets: Vec<i32> = std::iter::once(0).chain(ends).collect();
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let field = Arc::new(Field::new_list_field(items.data_type().clone(), true));
    let present = list.present.finish();
    Arc::new(ListArray::new(field, offsets, items, present))
}

fn take_objects(members: &mut Members, present: &mut NullBufferBuilder) -> ArrayRef {
    let rows = present.len();
    let (mut fields, mut arrays) = (Vec::new(), Vec::new());
    for (name, column) in &mut members.columns {
        let array = column.take(rows);
        fields.push(Field::new(&**name, array.data_type().clone(), true));
        arrays.push(array);
    }
    let present = present.finish();
    if fields.is_empty() {
        // Parquet has no objects without members.
        return new_null_array(&DataType::Utf8, rows);
    }
    Arc::new(StructArray::new(Fields::from(fields), arrays, present))
}
