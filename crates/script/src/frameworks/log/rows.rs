//! Rows of the engine's own logs, which scripts have a part in: what the engine logged and what scripts keep of the same
//! connection or file become one record, which goes the way of every record that is written.
//!
//! The engine knows its columns best. Of the fields that scripts write, those of the record count that scripts keep.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::number;
use crate::builtins::{Builtin, argument, row, text};
use crate::types::TypeId;
use crate::values::{RecordValue, Value};
use crate::vm::{Engine, Outcome};

/// Most connections and files whose records are kept.
const MOST_OWNERS: usize = 1 << 18;
/// Most records of a stream that a connection has open; the oldest makes room.
const MOST_OPEN: usize = 1 << 10;

/// Fields by which records of one connection differ.
const NUMBERS: [&str; 2] = ["trans_depth", "trans_id"];

/// Built-in functions of the prelude.
pub const ROWS: &[Builtin] = &[
    row("Log::weir_keep", "(record_type: string, fields: vector of string): bool", keep),
    row("Log::weir_track", "", track),
    row("Log::weir_write", "", write),
];

/// Records that are written when the engine says so, by the ids of their owners.
#[derive(Default)]
pub struct Open {
    of: HashMap<Vec<u8>, Vec<(i64, Rc<RecordValue>)>>,
    /// Places of the fields that are columns of the engine, by the type of the record.
    columns: HashMap<TypeId, Rc<[usize]>>,
    /// Fields that are not the engine's to say, though it has columns of them.
    kept: HashSet<(TypeId, Vec<u8>)>,
}

impl Open {
    /// An owner is over.
    pub fn forget(&mut self, owner: &[u8]) {
        self.of.remove(owner);
    }

    /// Says which fields of a record are columns of the engine.
    pub fn has_columns(&mut self, ty: TypeId, places: Vec<usize>) {
        self.columns.insert(ty, places.into());
    }
}

/// Has fields of a record be as scripts keep them, whatever the engine has in its columns.
fn keep(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let Some(ty) = engine.program.type_named(&text(a, 0)) else { return Ok(Value::Bool(false)) };
    let fields = argument(a, 1).vector().map(|fields| fields.all()).unwrap_or_default();
    engine.frameworks.log.open.kept.extend(fields.iter().map(|field| (ty, field.bytes().to_vec())));
    Ok(Value::Bool(true))
}

/// Keeps a record of a stream until the engine logs it: `(owner: string, id: Log::ID, record: any)`.
fn track(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let owner = text(a, 0).into_bytes();
    let (id, record) = (number(&argument(a, 1)), argument(a, 2));
    let open = &mut engine.frameworks.log.open.of;
    if let Value::Record(record) = record
        && (open.len() < MOST_OWNERS || open.contains_key(&owner))
    {
        let records = open.entry(owner).or_default();
        if records.len() >= MOST_OPEN {
            records.remove(0);
        }
        records.push((id, record));
    }
    Ok(Value::Bool(true))
}

/// Writes a row of the engine: `(id: Log::ID, row: any, owner: any)`, the owner a connection or file where there is one.
fn write(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let id = argument(a, 0);
    let Value::Record(row) = argument(a, 1) else { return Ok(Value::Bool(false)) };
    let kept = match argument(a, 2) {
        Value::Record(owner) => kept(engine, number(&id), &row, &owner),
        _ => None,
    };
    let record = match kept {
        Some(kept) => {
            merge(engine, &kept, &row);
            kept
        }
        None => {
            complete(engine, &row);
            row
        }
    };
    Ok(Value::Bool(super::write(engine, &id, &Value::Record(record))))
}

/// Returns what scripts keep of what a row is about.
fn kept(engine: &mut Engine, id: i64, row: &RecordValue, owner: &RecordValue) -> Option<Rc<RecordValue>> {
    let name = ["uid", "id"].into_iter().find_map(|name| match engine.field(owner, name) {
        Value::String(name) => Some(name.to_vec()),
        _ => None,
    })?;
    let is_same = |engine: &Engine, record: &RecordValue| {
        NUMBERS.iter().all(|number| {
            let (ours, theirs) = (engine.field(row, number), engine.field(record, number));
            !ours.is_set() || !theirs.is_set() || ours.count() == theirs.count()
        })
    };
    let records = engine.frameworks.log.open.of.get(&name).map_or(&[][..], |records| records);
    let place = records.iter().position(|(stream, record)| *stream == id && is_same(engine, record));
    if let Some(place) = place {
        return engine.frameworks.log.open.of.get_mut(&name).map(|records| records.remove(place).1);
    }
    let fields = &engine.types().record(owner.ty)?.fields;
    let place = fields.iter().position(|field| field.ty == row.ty)?;
    match owner.get(place) {
        Value::Record(record) if is_same(engine, &record) => Some(record),
        _ => None,
    }
}

/// Puts the columns of a row into the record that scripts keep, but for those that scripts write.
fn merge(engine: &Engine, kept: &RecordValue, row: &RecordValue) {
    let Some(declared) = engine.types().record(row.ty) else { return };
    let Some(columns) = engine.frameworks.log.open.columns.get(&row.ty) else { return };
    let mentions = &engine.program.mentions;
    for place in columns.iter().copied() {
        let Some(field) = declared.fields.get(place) else { continue };
        let is_record = engine.types().record(field.ty).is_some();
        let is_kept = engine.frameworks.log.open.kept.contains(&(row.ty, field.name.as_bytes().to_vec()));
        let is_theirs = if is_kept {
            true
        } else if mentions.is_written(row.ty, &field.name) {
            kept.has(place) || mentions.is_deleted(row.ty, &field.name)
        } else {
            is_record && kept.has(place)
        };
        if !is_theirs {
            kept.set(place, row.get(place));
        }
    }
}

/// Gives a row that nobody keeps a record of the fields that are not the engine's.
fn complete(engine: &mut Engine, row: &Rc<RecordValue>) {
    let columns = engine.frameworks.log.open.columns.get(&row.ty).cloned();
    let before: Vec<(usize, Value)> =
        columns.iter().flat_map(|columns| columns.iter()).map(|place| (*place, row.get(*place))).collect();
    // What a default fails at was reported, and stays absent.
    let _ = engine.fill_record(row);
    for (place, value) in before {
        row.set(place, value);
    }
}
