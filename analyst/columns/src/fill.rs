//! Reads JSON into columns.

use crate::column::{Column, Kind, Members, Values};
use crate::json::{Json, Malformed, Number};
use crate::times;

/// Names that an object may have; one with more has names that are chosen by traffic, and is kept as JSON.
const MOST_NAMES: usize = 1024;
/// Depth of lists within lists; deeper ones are kept as JSON.
const MOST_DEPTH: u8 = 8;

/// Names of members that are moments where they look like it: what clients and servers choose is text whatever it looks like.
const MOMENTS: [&str; 10] = [
    "timestamp",
    "ts",
    "start",
    "end",
    "notbefore",
    "notafter",
    "first_seen",
    "last_seen",
    "this_update",
    "next_update",
];

/// A record as it is read.
pub(crate) struct Record<'t> {
    json: Json<'t>,
    /// Columns that may be added.
    room: usize,
    /// A value did not fit its column: the record is to be read again when that has its next type.
    pub(crate) misfit: bool,
}

/// Where a value belongs.
#[derive(Clone, Copy)]
struct Place {
    /// The number of the row, or of the value within all lists of the column.
    row: usize,
    /// A text may be a moment.
    may_be_moment: bool,
    /// Lists around it.
    depth: u8,
}

/// A value that is neither list nor object.
#[derive(Clone, Copy)]
enum Scalar<'s> {
    Bool(bool),
    Number(Number),
    Text(&'s str),
}

impl<'t> Record<'t> {
    pub(crate) const fn new(line: &'t str, room: usize) -> Self {
        Self { json: Json::new(line), room, misfit: false }
    }

    /// Returns the number of columns that may be added now.
    pub(crate) const fn room(&self) -> usize {
        self.room
    }

    /// Puts the record into the columns of a table as the row of this number.
    pub(crate) fn fill(&mut self, members: &mut Members, row: usize) -> Result<(), Malformed> {
        if self.json.peek() != b'{' {
            return Err(Malformed);
        }
        // The names of records are few, and chosen by who writes them.
        self.members(members, Place { row, may_be_moment: false, depth: 0 })?;
        if self.json.is_at_end() { Ok(()) } else { Err(Malformed) }
    }

    /// Reads an object; whether there was room for all its members.
    fn members(&mut self, members: &mut Members, place: Place) -> Result<bool, Malformed> {
        members.begin();
        let mut fits = true;
        if !self.json.enter(b'{', b'}')? {
            return Ok(fits);
        }
        loop {
            let (found, may_be_moment) = match members.pass_expected(&mut self.json) {
                Some(found) => (Some(found), members.may_be_moment(found, &MOMENTS)),
                None => {
                    let name = self.json.name()?;
                    let found = self.member(members, &name);
                    (found, MOMENTS.contains(&&*name))
                }
            };
            match found.and_then(|found| members.columns.get_mut(found)) {
                Some((_, column)) => self.value(column, Place { may_be_moment, ..place })?,
                None => {
                    fits = false;
                    self.json.skip()?;
                }
            }
            if !self.json.another(b'}')? {
                return Ok(fits);
            }
        }
    }

    /// The column of a name, which is added where it is new and there is room.
    fn member(&mut self, members: &mut Members, name: &str) -> Option<usize> {
        if let Some(found) = members.find(name) {
            return Some(found);
        }
        if members.columns.len() >= MOST_NAMES || self.room == 0 {
            return None;
        }
        self.room -= 1;
        Some(members.add(name, None))
    }

    /// Reads a value. Most are written in the way that engines write those of the column's type.
    #[inline]
    fn value(&mut self, column: &mut Column, place: Place) -> Result<(), Malformed> {
        match &mut column.values {
            Values::Text(texts) => {
                if let Some(text) = self.json.pass_plain_text() {
                    texts.put(place.row, text);
                    return Ok(());
                }
            }
            Values::Int(numbers) => {
                if let Some(number) = self.json.pass_plain_int() {
                    numbers.put(place.row, number);
                    return Ok(());
                }
            }
            Values::Time(moments) => {
                if let Some(moment) = self.json.pass_plain_text().map(times::parse) {
                    let Some(moment) = moment else {
                        self.misfit(column, &Kind::Text);
                        return Ok(());
                    };
                    moments.put(place.row, moment);
                    return Ok(());
                }
            }
            _ => {}
        }
        self.any_value(column, place)
    }

    /// Reads a value that may be of another type than the column.
    fn any_value(&mut self, column: &mut Column, place: Place) -> Result<(), Malformed> {
        if let Values::Json(values) = &mut column.values {
            let text = self.json.skip()?;
            if text != "null" {
                values.put(place.row, text);
            }
            return Ok(());
        }
        match self.json.peek() {
            b'"' => {
                let text = self.json.string()?;
                self.put(column, place, Scalar::Text(&text));
            }
            b'{' => return self.object(column, place),
            b'[' => return self.list(column, place),
            b'n' => self.json.word("null")?,
            b't' => {
                self.json.word("true")?;
                self.put(column, place, Scalar::Bool(true));
            }
            b'f' => {
                self.json.word("false")?;
                self.put(column, place, Scalar::Bool(false));
            }
            _ => {
                let number = self.json.number()?;
                self.put(column, place, Scalar::Number(number));
            }
        }
        Ok(())
    }

    fn object(&mut self, column: &mut Column, place: Place) -> Result<(), Malformed> {
        if !column.is_known() {
            column.values = Values::object();
        }
        let Values::Object(members, present) = &mut column.values else {
            self.misfit(column, &Kind::Json);
            return self.json.skip().map(drop);
        };
        // The first one stands of several values with the same name.
        if present.len() > place.row {
            return self.json.skip().map(drop);
        }
        present.append_n_nulls(place.row - present.len());
        present.append_non_null();
        if !self.members(members, place)? {
            self.misfit(column, &Kind::Json);
        }
        Ok(())
    }

    fn list(&mut self, column: &mut Column, place: Place) -> Result<(), Malformed> {
        if !column.is_known() && place.depth < MOST_DEPTH {
            column.values = Values::list();
        }
        let Values::List(list) = &mut column.values else {
            self.misfit(column, &Kind::Json);
            return self.json.skip().map(drop);
        };
        if !list.begin(place.row) {
            return self.json.skip().map(drop);
        }
        let mut item = Place { row: list.len(), depth: place.depth + 1, ..place };
        if self.json.enter(b'[', b']')? {
            loop {
                self.value(&mut list.items, item)?;
                item.row += 1;
                if !self.json.another(b']')? {
                    break;
                }
            }
        }
        list.end(item.row);
        Ok(())
    }

    /// The type of the column is to hold this one, too.
    fn misfit(&mut self, column: &mut Column, kind: &Kind) {
        column.widen(kind);
        self.misfit = true;
    }

    /// Puts a value into its column.
    #[inline]
    fn put(&mut self, column: &mut Column, place: Place, scalar: Scalar<'_>) {
        if !append(&mut column.values, place.row, scalar) {
            self.put_first(column, place, scalar);
        }
    }

    /// Puts a value into a column that has none, or that has values of another type.
    #[cold]
    fn put_first(&mut self, column: &mut Column, place: Place, scalar: Scalar<'_>) {
        let kind = match scalar {
            Scalar::Bool(_) => Kind::Bool,
            Scalar::Number(Number::Int(_)) => Kind::Int,
            Scalar::Number(Number::Unsigned(_)) => Kind::Unsigned,
            Scalar::Number(Number::Float(_)) => Kind::Float,
            Scalar::Text(text) if place.may_be_moment && times::parse(text).is_some() => Kind::Time,
            Scalar::Text(_) => Kind::Text,
        };
        if column.is_known() {
            return self.misfit(column, &kind);
        }
        *column = Column::new(Some(&kind));
        append(&mut column.values, place.row, scalar);
    }
}

/// Appends a value as that of a row, where it is of the type.
#[inline]
fn append(values: &mut Values, row: usize, scalar: Scalar<'_>) -> bool {
    use Number::{Float, Int, Unsigned};
    use Scalar::{Bool, Number as Num, Text};
    match (values, scalar) {
        (Values::Text(values), Text(text)) => values.put(row, text),
        (Values::Int(values), Num(Int(number))) => values.put(row, number),
        (Values::Bool(values), Bool(truth)) => values.put(row, truth),
        (Values::Time(values), Text(text)) => match times::parse(text) {
            Some(moment) => values.put(row, moment),
            None => return false,
        },
        (Values::Float(values), Num(Float(number))) => values.put(row, number),
        (Values::Float(values), Num(Int(number))) => values.put(row, number as f64),
        (Values::Float(values), Num(Unsigned(number))) => values.put(row, number as f64),
        (Values::Unsigned(values), Num(Unsigned(number))) => values.put(row, number),
        (Values::Unsigned(values), Num(Int(number))) if number >= 0 => values.put(row, number as u64),
        (Values::Text(values), Num(Int(number))) => values.put(row, &number.to_string()),
        (Values::Text(values), Num(Unsigned(number))) => values.put(row, &number.to_string()),
        (Values::Text(values), Num(Float(number))) => values.put(row, &number.to_string()),
        (Values::Text(values), Bool(truth)) => values.put(row, if truth { "true" } else { "false" }),
        _ => return false,
    }
    true
}
