//! Rows of the engine's own logs, which scripts have a part in: what the engine logged and what scripts keep of the same
//! connection or file become one record, which goes the way of every record that is written.
//!
//! The engine knows its columns best. Of the fields that scripts write, those of the record count that scripts keep.

use std::collections::{HashMap, HashSet, VecDeque};
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

/// Most connections that are over and whose records are kept for rows that come later.
const MOST_ENDED: usize = 1 << 13;
/// Most records that are kept of each; the latest.
const MOST_LEFT: usize = 16;

/// The record of a connection whose row is written when it ends.
const AT_END: &str = "conn";
/// The field of connections that says what is spoken there, to which scripts add, and the column of their log.
const SERVICE: &str = "service";

/// Fields that name the owner of a record: connections, files, certificates.
const OWNERS: [&str; 3] = ["uid", "id", "fingerprint"];

/// Fields by which records of one connection differ.
const NUMBERS: [&str; 2] = ["trans_depth", "trans_id"];
/// The field by which files of one connection differ.
const NAME: &str = "name";

/// Built-in functions of the prelude.
pub const ROWS: &[Builtin] = &[
    row("Log::weir_keep", "(record_type: string, fields: vector of string): bool", keep),
    row("Log::weir_track", "", track),
    row("Log::weir_write", "", write),
    row("Log::weir_leave", "(owner: string, record_of_log: any): bool", |e, a| {
        let left = argument(a, 1).record().cloned().into_iter().collect();
        e.frameworks.log.open.end(argument(a, 0).bytes(), left);
        Ok(Value::Bool(true))
    }),
];

/// Records that are written when the engine says so, by the ids of their owners.
#[derive(Default)]
pub struct Open {
    of: HashMap<Vec<u8>, Vec<Kept>>,
    /// Owners that are over, in the order of their ends.
    ended: VecDeque<Vec<u8>>,
    /// Places of the fields that are columns of the engine, by the type of the record.
    columns: HashMap<TypeId, Rc<[usize]>>,
    /// Fields that are not the engine's to say, though it has columns of them.
    kept: HashSet<(TypeId, Vec<u8>)>,
}

/// A record, and the stream that it is for; of an owner that is over, the one of its type.
type Kept = (Option<i64>, Rc<RecordValue>);

impl Open {
    /// An owner is over. The engine may log later what was `left` open, when it is sure that nothing follows.
    fn end(&mut self, owner: &[u8], left: Vec<Rc<RecordValue>>) {
        if left.is_empty() && !self.of.contains_key(owner) {
            return;
        }
        let records = self.of.entry(owner.to_vec()).or_default();
        for record in left {
            if !records.iter().any(|(_, known)| Rc::ptr_eq(known, &record)) {
                records.push((None, record));
            }
        }
        records.drain(..records.len().saturating_sub(MOST_LEFT));
        self.ended.push_back(owner.to_vec());
        if self.ended.len() > MOST_ENDED
            && let Some(oldest) = self.ended.pop_front()
        {
            self.of.remove(&oldest);
        }
    }

    /// Says which fields of a record are columns of the engine.
    pub fn has_columns(&mut self, ty: TypeId, places: Vec<usize>) {
        self.columns.insert(ty, places.into());
    }
}

impl Engine {
    /// A connection or file is over, whose record this is where there is one.
    pub(crate) fn end_owner(&mut self, name: &[u8], owner: Option<&Rc<RecordValue>>) {
        let left = owner.map(|owner| self.open_records(owner)).unwrap_or_default();
        self.frameworks.log.open.end(name, left);
    }

    /// Returns the records of logs that a connection or file holds.
    fn open_records(&self, owner: &RecordValue) -> Vec<Rc<RecordValue>> {
        let Some(declared) = self.types().record(owner.ty) else { return Vec::new() };
        let held = declared.fields.iter().zip(owner.all()).filter_map(|(field, value)| match value {
            Value::Record(record) if *field.name != *AT_END => Some(record),
            _ => None,
        });
        held.filter(|record| self.frameworks.log.streams.iter().any(|stream| stream.columns == record.ty))
            .collect()
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
        records.push((Some(id), record));
    }
    Ok(Value::Bool(true))
}

/// Writes a row of the engine: `(id: Log::ID, row: any, owner: any)`, the owner a connection or file where there is one.
fn write(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let id = argument(a, 0);
    let Value::Record(row) = argument(a, 1) else { return Ok(Value::Bool(false)) };
    let owner = argument(a, 2);
    let kept = kept(engine, number(&id), &row, owner.record().map(|owner| &**owner));
    let record = match kept {
        Some(kept) => {
            name_services(engine, &kept, &row);
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

/// Puts what scripts say is spoken on a connection (`add c$service["x"]`) into its row, behind what the engine found: what
/// they had said when the record was filled, at the end of the connection.
fn name_services(engine: &Engine, kept: &RecordValue, row: &RecordValue) {
    let program = &engine.program;
    let is_of_connections = program.type_named("Conn::Info") == Some(row.ty);
    let is_said = |ty| program.mentions.is_written(ty, SERVICE);
    if !is_of_connections || !program.type_named("connection").is_some_and(is_said) {
        return;
    }
    let fields = engine.types().record(row.ty).map_or(&[][..], |declared| &declared.fields);
    let Some(place) = fields.iter().position(|field| *field.name == *SERVICE) else { return };
    let names = |record: &RecordValue| match record.get(place) {
        Value::String(names) => names.split(|byte| *byte == b',').map(<[u8]>::to_vec).collect(),
        _ => Vec::new(),
    };
    let mut all = names(row);
    for name in names(kept) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    if !all.is_empty() {
        row.set(place, Value::string(all.join(&b',')));
    }
}

/// Returns what scripts keep of what a row is about: of its owner, or of one that is over.
fn kept(
    engine: &mut Engine,
    id: i64,
    row: &RecordValue,
    owner: Option<&RecordValue>,
) -> Option<Rc<RecordValue>> {
    let named = |name| match engine.field(owner.unwrap_or(row), name) {
        Value::String(name) => Some(name.to_vec()),
        _ => None,
    };
    let name = OWNERS.into_iter().find_map(named)?;
    let is_same = |engine: &Engine, record: &RecordValue| {
        NUMBERS.iter().all(|number| {
            let (ours, theirs) = (engine.field(row, number), engine.field(record, number));
            !ours.is_set() || !theirs.is_set() || ours.count() == theirs.count()
        }) && {
            let (ours, theirs) = (engine.field(row, NAME), engine.field(record, NAME));
            !ours.is_set() || !theirs.is_set() || ours.bytes() == theirs.bytes()
        }
    };
    let is_meant = |engine: &Engine, (stream, record): &Kept| {
        stream.map_or(record.ty == row.ty, |stream| stream == id) && is_same(engine, record)
    };
    let records = engine.frameworks.log.open.of.get(&name).map_or(&[][..], |records| records);
    if let Some(place) = records.iter().position(|kept| is_meant(engine, kept)) {
        let of = &mut engine.frameworks.log.open.of;
        let record = of.get_mut(&name).map(|records| records.remove(place).1);
        if of.get(&name).is_some_and(Vec::is_empty) {
            of.remove(&name);
        }
        return record;
    }
    let record = held(engine, owner?, row.ty)?;
    is_same(engine, &record).then_some(record)
}

/// Returns the record of a type that a connection or file holds, or that the state of a protocol in it does.
fn held(engine: &Engine, owner: &RecordValue, ty: TypeId) -> Option<Rc<RecordValue>> {
    let place_in =
        |record: TypeId| engine.types().record(record)?.fields.iter().position(|field| field.ty == ty);
    if let Some(place) = place_in(owner.ty) {
        return owner.get(place).record().cloned();
    }
    let fields = &engine.types().record(owner.ty)?.fields;
    let states = fields.iter().enumerate().filter_map(|(at, field)| Some((at, place_in(field.ty)?)));
    states.into_iter().find_map(|(at, place)| owner.get(at).record()?.get(place).record().cloned())
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
