//! Values into tables and events.

use std::collections::HashMap;
use std::rc::Rc;

use super::{Stream, Wanted, What};
use crate::types::{Type, TypeId};
use crate::values::{FunctionValue, Key, RecordValue, TableValue, Value};
use crate::vm::Engine;

/// Most fields of a stream.
const MOST_FIELDS: usize = 1 << 12;

/// What a stream fills.
pub enum Target {
    /// A table or set.
    Table {
        table: Rc<TableValue>,
        /// The record of indices.
        index: TypeId,
        /// The record of values, where it is no set.
        value: Option<TypeId>,
        wants_record: bool,
        predicate: Option<Rc<FunctionValue>>,
        event: Option<Rc<FunctionValue>>,
        /// Entries that the source had, by index, with whether the running read has seen them.
        known: HashMap<Key, Known>,
    },
    /// An event.
    Event { event: Rc<FunctionValue>, fields: TypeId, wants_record: bool },
}

/// An entry that the source had.
pub struct Known {
    left: Value,
    right: Value,
    text: Vec<u8>,
    is_seen: bool,
}

fn function(engine: &Engine, record: &RecordValue, name: &str) -> Option<Rc<FunctionValue>> {
    match engine.field(record, name) {
        Value::Function(function) => Some(function),
        _ => None,
    }
}

/// Reads what a description wants filled, and with which fields.
pub fn target(
    engine: &mut Engine,
    description: &RecordValue,
    what: What,
) -> Result<(Rc<[Wanted]>, Target), String> {
    let record_type = |engine: &Engine, name: &str| match engine.field(description, name) {
        Value::Type(ty) if engine.types().record(ty).is_some() => Ok(Some(ty)),
        Value::Type(_) => Err(format!("{name} is not a record type")),
        _ => Ok(None),
    };
    let mut wanted = Vec::new();
    let wants_record = engine.field(description, "want_record").is_true();
    if what == What::Event {
        let fields = record_type(engine, "fields")?.ok_or("fields are not a record type")?;
        let event = function(engine, description, "ev").ok_or("no event is given")?;
        collect(engine, fields, "", &mut wanted)?;
        return Ok((wanted.into(), Target::Event { event, fields, wants_record }));
    }
    let index = record_type(engine, "idx")?.ok_or("idx is not a record type")?;
    let value = record_type(engine, "val")?;
    let Value::Table(table) = engine.field(description, "destination") else {
        return Err("destination is not a table".to_owned());
    };
    if value.is_none() && !engine.types().is_set(table.ty.get()) {
        return Err("destination field is a table, but 'val' is not given".to_owned());
    }
    collect(engine, index, "", &mut wanted)?;
    if let Some(value) = value {
        collect(engine, value, "", &mut wanted)?;
    }
    let target = Target::Table {
        table,
        index,
        value,
        wants_record,
        predicate: function(engine, description, "pred"),
        event: function(engine, description, "ev"),
        known: HashMap::new(),
    };
    Ok((wanted.into(), target))
}

fn collect(engine: &Engine, ty: TypeId, prefix: &str, wanted: &mut Vec<Wanted>) -> Result<(), String> {
    let Some(record) = engine.types().record(ty) else { return Ok(()) };
    if wanted.len() > MOST_FIELDS || prefix.len() > MOST_FIELDS {
        return Err("too many fields".to_owned());
    }
    for field in &record.fields {
        let name = format!("{prefix}{}", field.name);
        if engine.types().record(field.ty).is_some() {
            collect(engine, field.ty, &format!("{name}."), wanted)?;
            continue;
        }
        if is_unreadable(engine, field.ty) {
            let accepts =
                engine.global("Input::accept_unsupported_types").is_some_and(|value| value.is_true());
            if !accepts || !field.optional {
                return Err(format!("incompatible type in field '{name}'"));
            }
        }
        let protocol = field
            .attributes
            .split("&type_column")
            .nth(1)
            .and_then(|rest| rest.split(',').next())
            .map(|rest| rest.trim_matches(['=', '"', ' ']).to_owned());
        wanted.push(Wanted {
            name,
            ty: field.ty,
            protocol,
            is_optional: field.optional || field.default.is_some(),
        });
    }
    Ok(())
}

fn is_unreadable(engine: &Engine, ty: TypeId) -> bool {
    matches!(engine.types().get(ty), Type::File | Type::Function(_) | Type::Opaque(_)) || ty == TypeId::ANY
}

/// Makes a record of values, in the order of its fields; false where one that must be there is absent.
fn record(
    engine: &mut Engine,
    ty: TypeId,
    values: &mut std::vec::IntoIter<Value>,
) -> (Rc<RecordValue>, bool) {
    let fields = engine.types().record(ty).map(|known| known.fields.clone()).unwrap_or_default();
    let new = Rc::new(RecordValue::new(ty, Vec::new()));
    let mut is_whole = true;
    for (place, field) in fields.iter().enumerate() {
        if engine.types().record(field.ty).is_some() {
            let before = values.len();
            let (inner, is_inner_whole) = record(engine, field.ty, values);
            let is_empty = field.optional && inner.all().iter().all(|value| !value.is_set());
            if !is_empty {
                is_whole &= is_inner_whole;
                new.set(place, Value::Record(inner));
            } else if before == values.len() {
                continue;
            }
            continue;
        }
        let value = values.next().unwrap_or_default();
        if value.is_set() {
            new.set(place, value);
        } else if !field.optional && field.default.is_none() {
            is_whole = false;
        }
    }
    let _ = engine.fill_record(&new);
    (new, is_whole)
}

/// Delivers the fields of a line.
pub fn values(engine: &mut Engine, stream: &mut Stream, values: Vec<Value>) {
    let mut values = values.into_iter();
    match &stream.target {
        Target::Event { event, fields, wants_record } => {
            let (event, fields, wants_record) = (event.function, *fields, *wants_record);
            let mut arguments = vec![Value::Record(stream.description.clone()), change(engine, "NEW")];
            if wants_record {
                let (record, is_whole) = record(engine, fields, &mut values);
                if !is_whole {
                    skipped(engine, stream);
                    return;
                }
                arguments.push(Value::Record(record));
            } else {
                arguments.extend(values);
            }
            engine.raise(event, arguments);
        }
        Target::Table { index, value, .. } => {
            let (index, value) = (*index, *value);
            let (left, is_left_whole) = record(engine, index, &mut values);
            let (right, is_whole) = match value {
                Some(value) => {
                    let (right, is_whole) = record(engine, value, &mut values);
                    (Some(right), is_whole)
                }
                None => (None, true),
            };
            if !is_left_whole || !is_whole || left.all().iter().any(|part| !part.is_set()) {
                skipped(engine, stream);
                return;
            }
            put(engine, stream, left, right);
        }
    }
}

fn skipped(engine: &mut Engine, stream: &mut Stream) {
    let text = format!("Skipping input with missing non-optional value in stream '{}'", stream.name);
    super::warn(engine, stream, &text);
}

/// Delivers a line as a whole, with whether it is from standard error.
pub fn line(engine: &mut Engine, stream: &mut Stream, bytes: &[u8], is_error: bool) {
    let mut fields = vec![Value::string(bytes)];
    if stream.fields.len() > 1 {
        fields.push(Value::Bool(is_error));
    }
    values(engine, stream, fields);
}

fn change(engine: &Engine, word: &str) -> Value {
    engine.program.enum_named(&format!("Input::EVENT_{word}")).unwrap_or_default()
}

/// Returns the index that a record of indices stands for.
fn index_of(left: &RecordValue) -> Value {
    let parts = left.all();
    match parts.as_slice() {
        [single] => single.clone(),
        _ => Value::List(parts.into()),
    }
}

/// Puts an entry into the table, where the predicate does not object, and tells of it.
fn put(engine: &mut Engine, stream: &mut Stream, left: Rc<RecordValue>, right: Option<Rc<RecordValue>>) {
    let description = Value::Record(stream.description.clone());
    let Target::Table { table, wants_record, predicate, event, known, .. } = &mut stream.target else {
        return;
    };
    let wants_record = *wants_record;
    let given = |right: &Option<Rc<RecordValue>>| match right {
        Some(right) if wants_record => Value::Record(right.clone()),
        Some(right) => right.get(0),
        None => Value::Unset,
    };
    let key = Key::new(&index_of(&left));
    let text =
        right.as_ref().map(|right| crate::values::text_of(&Value::Record(right.clone()), engine.types()));
    let text = text.unwrap_or_default();
    let mut word = "NEW";
    if let Some(before) = known.get_mut(&key) {
        before.is_seen = true;
        if before.text == text {
            return;
        }
        word = "CHANGED";
    }
    let tpe = change(engine, word);
    if let Some(predicate) = predicate.clone() {
        let mut arguments = vec![tpe.clone(), Value::Record(left.clone())];
        if right.is_some() {
            arguments.push(given(&right));
        }
        if matches!(engine.call(&predicate, &arguments), Ok(Value::Bool(false))) {
            return;
        }
    }
    let key = Key::new(&index_of(&left));
    let value = given(&right);
    let old = table.find(&key.0);
    let _ = engine.insert_entry(&table.clone(), key.clone(), value.clone());
    let entry = Known { left: Value::Record(left.clone()), right: value.clone(), text, is_seen: true };
    let before = known.insert(key, entry);
    if let Some(event) = event {
        let mut arguments = vec![description, tpe, Value::Record(left)];
        if right.is_some() {
            let shown = if word == "CHANGED" {
                before.map(|before| before.right).or(old).unwrap_or_default()
            } else {
                value
            };
            arguments.push(shown);
        }
        engine.raise(event.function, arguments);
    }
}

/// Removes entries that the source does not have any more.
pub fn sweep(engine: &mut Engine, stream: &mut Stream) {
    let description = Value::Record(stream.description.clone());
    let Target::Table { table, predicate, event, known, value, .. } = &mut stream.target else { return };
    let mut gone: Vec<Key> = Vec::new();
    for (key, entry) in known.iter_mut() {
        if !std::mem::take(&mut entry.is_seen) {
            gone.push(key.clone());
        }
    }
    // In the order of their text, so that each run does the same.
    gone.sort_by_cached_key(|key| key.text(engine.types()));
    for key in gone {
        let Some(entry) = known.remove(&key) else { continue };
        let tpe = change(engine, "REMOVED");
        let mut arguments = vec![tpe.clone(), entry.left.clone()];
        if value.is_some() {
            arguments.push(entry.right.clone());
        }
        if let Some(predicate) = predicate.clone()
            && matches!(engine.call(&predicate, &arguments), Ok(Value::Bool(false)))
        {
            known.insert(key, Known { is_seen: false, ..entry });
            continue;
        }
        let _ = engine.delete(&Value::Table(table.clone()), &key.0);
        if let Some(event) = event {
            let mut arguments = vec![description.clone(), tpe, entry.left];
            if value.is_some() {
                arguments.push(entry.right);
            }
            engine.raise(event.function, arguments);
        }
    }
}
