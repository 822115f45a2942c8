//! New records, their defaults, and fields that are absent.

use std::rc::Rc;

use super::{Engine, Outcome};
use crate::types::{Default, Type, TypeId};
use crate::values::{RecordValue, TableValue, Value, VectorValue, deep_copy};

/// Most fields of a record for which room is made at once.
const FEW_FIELDS: usize = 12;

impl Engine {
    /// Returns a record without fields. One of few has room for all, so that it does not grow with each that is set.
    pub(super) fn bare_record(&self, ty: TypeId) -> Value {
        let count = self.program.types.record(ty).map_or(0, |known| known.fields.len());
        let fields = if count <= FEW_FIELDS { vec![Value::Unset; count] } else { Vec::new() };
        Value::Record(Rc::new(RecordValue::new(ty, fields)))
    }

    /// Returns whether a record has all fields of its type.
    pub(super) fn is_full(&self, record: &RecordValue) -> bool {
        let count = self.program.types.record(record.ty).map_or(0, |known| known.fields.len());
        record.has_first(count)
    }

    /// Returns a record of the type with its defaults.
    pub fn new_record(&mut self, ty: TypeId) -> Rc<RecordValue> {
        let record = Rc::new(RecordValue::new(ty, Vec::new()));
        let _ = self.fill(&record);
        record
    }

    /// Returns a record of a named type with the given fields; unknown names are left out.
    pub fn record_of(&mut self, name: &str, fields: &[(&str, Value)]) -> Value {
        let Some(ty) = self.program.type_named(name) else { return Value::Unset };
        let record = Rc::new(RecordValue::new(ty, Vec::new()));
        for (field, value) in fields {
            if let Some(place) = self.program.types.record(ty).and_then(|record| record.place(field)) {
                record.set(place, value.clone());
            }
        }
        let _ = self.fill(&record);
        Value::Record(record)
    }

    /// Returns a field of a record by its name.
    pub fn field(&self, record: &RecordValue, name: &str) -> Value {
        let place = self.program.types.record(record.ty).and_then(|record| record.place(name));
        place.map(|place| record.get(place)).unwrap_or_default()
    }

    /// Sets a field of a record by its name.
    pub fn set_field(&self, record: &RecordValue, name: &str, value: Value) {
        if let Some(place) = self.program.types.record(record.ty).and_then(|record| record.place(name)) {
            record.set(place, value);
        }
    }

    /// Sets all fields that are absent to their defaults.
    pub(super) fn fill(&mut self, record: &Rc<RecordValue>) -> Outcome<()> {
        let count = self.program.types.record(record.ty).map_or(0, |known| known.fields.len());
        for place in 0..count {
            if record.has(place) {
                continue;
            }
            let Some(known) = self.program.types.record(record.ty) else { return Ok(()) };
            let Some(field) = known.fields.get(place) else { continue };
            let (ty, is_optional) = (field.ty, field.optional);
            let value = match field.default.clone() {
                Some(default) => self.default_value(&default, ty)?,
                None if is_optional => Value::Unset,
                // Containers and records exist without being asked for.
                None => self.empty_value(ty).unwrap_or_default(),
            };
            if value.is_set() {
                self.give_attributes(record.ty, place, &value);
                record.set(place, value);
            }
        }
        // Fields that are absent have a place, so that later ones can be told from them.
        Ok(())
    }

    /// Sets all fields of a record that are absent to their defaults.
    ///
    /// # Errors
    ///
    /// Where a default ends by an error, which was reported.
    pub fn fill_record(&mut self, record: &Rc<RecordValue>) -> Outcome<()> {
        self.fill(record)
    }

    /// Returns a new value by a default; none where that fails.
    pub fn default_of(&mut self, default: &Default, ty: TypeId) -> Value {
        self.default_value(default, ty).unwrap_or_default()
    }

    /// Converts a value to a type.
    ///
    /// # Errors
    ///
    /// Where it cannot be, which was reported.
    pub fn convert_value(&mut self, value: &Value, ty: TypeId) -> Outcome<Value> {
        self.coerce(value, ty)
    }

    fn give_attributes(&mut self, ty: TypeId, place: usize, value: &Value) {
        if let (Value::Table(table), Some(attributes)) =
            (value, self.program.field_attributes.get(&(ty, place)).cloned())
        {
            table.set_attributes(Some(attributes));
            self.watch(&table.clone());
        }
    }

    /// Returns a new value by a default.
    pub(super) fn default_value(&mut self, default: &Default, ty: TypeId) -> Outcome<Value> {
        match default {
            Default::Value(value) => Ok(value.clone()),
            Default::Empty => Ok(self.empty_value(ty).unwrap_or_default()),
            Default::Function(number) => {
                let value = self.call_number(*number, &[])?;
                Ok(match &value {
                    Value::Table(table) if table.is_empty() => {
                        if self.program.types.is_table(ty) {
                            table.ty.set(ty);
                        }
                        value
                    }
                    // What another place holds must not be shared.
                    Value::Record(_) | Value::Table(_) | Value::Vector(_) => deep_copy(&value),
                    _ => value,
                })
            }
        }
    }

    /// Returns the empty container or the record of defaults of a type; none for other types.
    pub fn empty_value(&mut self, ty: TypeId) -> Option<Value> {
        match self.program.types.get(ty) {
            Type::Table { .. } => Some(Value::Table(Rc::new(TableValue::new(ty)))),
            Type::Vector(_) => Some(Value::Vector(Rc::new(VectorValue::new(ty, Vec::new())))),
            Type::Record(_) => {
                if self.nested > 50 {
                    return None;
                }
                self.nested += 1;
                let record = self.new_record(ty);
                self.nested -= 1;
                Some(Value::Record(record))
            }
            _ => None,
        }
    }

    /// Returns the value of a field that is absent: its default, or an error.
    pub(super) fn missing_field(&mut self, base: &Value, place: usize) -> Outcome<Value> {
        let Value::Record(record) = base else { return Err(self.fail("value used but not set")) };
        let field = self.program.types.record(record.ty).and_then(|known| known.fields.get(place)).cloned();
        if let Some(field) = field
            && let Some(default) = &field.default
        {
            let value = self.default_value(default, field.ty)?;
            if matches!(value, Value::Table(_) | Value::Vector(_) | Value::Record(_)) {
                record.set(place, value.clone());
            }
            return Ok(value);
        }
        Err(self.fail("field value missing"))
    }

    /// Returns what `delete r$f` leaves: a fresh default, where the field has one.
    pub(super) fn deleted_field(&mut self, ty: TypeId, place: usize) -> Value {
        let field = self.program.types.record(ty).and_then(|known| known.fields.get(place)).cloned();
        match field.and_then(|field| field.default.clone().map(|default| (default, field.ty))) {
            Some((default, ty)) => self.default_value(&default, ty).unwrap_or_default(),
            None => Value::Unset,
        }
    }

    /// Gives records of a type that exist already the fields that were added to it.
    pub fn extend_values(&mut self, ty: TypeId) {
        // The last of what is open is next: all is seen in the order of its declaration.
        let globals = self.program.globals.iter().rev().map(|global| &global.value);
        let mut open: Vec<Value> = globals.filter(|value| self.may_hold_records(value)).cloned().collect();
        let mut seen = std::collections::HashSet::new();
        while let Some(value) = open.pop() {
            match &value {
                Value::Record(record) => {
                    if !seen.insert(Rc::as_ptr(record) as usize) {
                        continue;
                    }
                    if record.ty == ty {
                        let _ = self.fill(record);
                    }
                    open.extend(record.all().into_iter().rev().filter(|value| self.may_hold_records(value)));
                }
                Value::Table(table) if seen.insert(Rc::as_ptr(table) as usize) => {
                    open.extend(table.entries().into_iter().rev().map(|entry| entry.value));
                    self.extend_keys(table, ty);
                }
                Value::Vector(vector) if seen.insert(Rc::as_ptr(vector) as usize) => {
                    open.extend(vector.all().into_iter().rev());
                }
                Value::List(parts) => open.extend(parts.iter().cloned()),
                _ => {}
            }
        }
    }

    /// Returns whether a value is a record, or a container whose type lets it hold some.
    fn may_hold_records(&self, value: &Value) -> bool {
        let types = self.types();
        let may = |ty: &TypeId| match types.get(*ty) {
            Type::Table { .. } | Type::Vector(_) | Type::Record(_) | Type::List(_) => true,
            _ => *ty == TypeId::ANY,
        };
        match value {
            Value::Record(_) | Value::List(_) => true,
            Value::Vector(vector) => types.element(vector.ty.get()).is_none_or(|element| may(&element)),
            Value::Table(table) => types
                .table_of(table.ty.get())
                .is_none_or(|(keys, value)| keys.is_empty() || keys.iter().chain(&value).any(may)),
            _ => false,
        }
    }

    /// Gives indices that are records the fields that were added; the table finds them anew.
    fn extend_keys(&mut self, table: &TableValue, ty: TypeId) {
        let entries = table.entries();
        let is_meant = |value: &Value| matches!(value, Value::Record(record) if record.ty == ty);
        if !entries.iter().any(|entry| entry.key.parts().iter().any(is_meant)) {
            return;
        }
        table.clear();
        for entry in entries {
            for part in entry.key.parts() {
                if let Value::Record(record) = part
                    && record.ty == ty
                {
                    let _ = self.fill(record);
                }
            }
            table.insert(entry.key, entry.value, entry.at);
        }
    }
}
