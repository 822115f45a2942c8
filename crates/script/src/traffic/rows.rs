//! Rows of the engine's logs as records of the types that scripts know them by.

use std::collections::HashMap;
use std::rc::Rc;

use weir_base::event::{ReadValue, transport};

use super::connection::{CONTEXT, Known};
use super::values;
use crate::types::TypeId;
use crate::values::{RecordValue, Value};
use crate::vm::Engine;

/// The event that has a row written, once the packet's other events are handled.
const EVENT: &str = "Log::weir_row";

/// The log of connections, the analyzer that counts their packets, and the columns of what it counts.
const CONNECTIONS: &[u8] = b"conn";
const SIZES: &str = "CONNSIZE";
const COUNTED: [&str; 4] = ["orig_pkts", "orig_ip_bytes", "resp_pkts", "resp_ip_bytes"];

/// Where a column is in a record: places of fields, the outermost first, and its type.
struct Place {
    name: Vec<u8>,
    path: Vec<(usize, TypeId)>,
}

/// The columns of a log.
struct Layout {
    id: Value,
    record: TypeId,
    places: Vec<Place>,
}

/// The columns of logs, by their names.
#[derive(Default)]
pub(super) struct Layouts {
    of: HashMap<Vec<u8>, Layout>,
}

impl Layouts {
    /// Raises the event that has a row written: the name of its log, and its columns by their names.
    pub(super) fn raise(&mut self, engine: &mut Engine, known: &mut Known, arguments: &[ReadValue<'_>]) {
        let [ReadValue::String(name), ReadValue::Table(cells)] = arguments else { return };
        if !self.of.contains_key(*name) {
            let Some(layout) = Layout::of(engine, name, cells) else { return };
            self.of.insert(name.to_vec(), layout);
        }
        let Some(layout) = self.of.get(*name) else { return };
        let row = layout.record(engine, known, cells);
        if *name == CONNECTIONS && engine.frameworks.steering.is_disabled(SIZES) {
            for field in COUNTED {
                engine.set_field(&row, field, Value::Unset);
            }
        }
        let owner = layout.owner(engine, known, cells);
        engine.raise_named(EVENT, vec![layout.id.clone(), Value::Record(row), owner]);
    }
}

/// Puts the number of the protocol into the id of a connection, which ports tell.
fn number_protocol(engine: &Engine, row: &RecordValue) {
    if let Value::Record(id) = engine.field(row, "id")
        && let Value::Port(port) = engine.field(&id, "resp_p")
        && let Some(protocol) = transport::protocol(port.protocol)
    {
        engine.set_field(&id, "proto", Value::Count(protocol));
    }
}

/// Takes over what scripts have put into the id of the row's connection.
fn take_context(engine: &Engine, row: &RecordValue, connection: Option<&Rc<RecordValue>>) {
    let Some(connection) = connection else { return };
    if let (Value::Record(id), Value::Record(known)) =
        (engine.field(row, "id"), engine.field(connection, "id"))
    {
        id.set(CONTEXT, known.get(CONTEXT));
    }
}

/// Returns a column of a row by its name.
pub(super) fn cell<'a, 'b>(cells: &'a [ReadValue<'b>], wanted: &str) -> Option<&'a ReadValue<'b>> {
    cells.chunks_exact(2).find_map(|pair| match pair {
        [ReadValue::String(name), value] if *name == wanted.as_bytes() => Some(value),
        _ => None,
    })
}

impl Layout {
    fn of(engine: &mut Engine, log: &[u8], cells: &[ReadValue<'_>]) -> Option<Self> {
        let id = engine.frameworks.log.own.get(std::str::from_utf8(log).ok()?)?.clone();
        let record = engine.frameworks.log.stream(id.int())?.columns;
        let mut places = Vec::new();
        for pair in cells.chunks_exact(2) {
            if let [ReadValue::String(name), _] = pair {
                places.push(Place { name: name.to_vec(), path: path(engine, record, name) });
            }
        }
        let outermost = places.iter().filter_map(|place| place.path.first().map(|(place, _)| *place));
        let mut outermost: Vec<usize> = outermost.collect();
        outermost.dedup();
        engine.frameworks.log.open.has_columns(record, outermost);
        Some(Self { id, record, places })
    }

    fn record(&self, engine: &mut Engine, known: &mut Known, cells: &[ReadValue<'_>]) -> Rc<RecordValue> {
        let row = Rc::new(RecordValue::new(self.record, Vec::new()));
        for (pair, place) in cells.chunks_exact(2).zip(&self.places) {
            let [ReadValue::String(name), read] = pair else { continue };
            if *name != place.name.as_slice() || matches!(read, ReadValue::Unset) {
                continue;
            }
            let Some((_, ty)) = place.path.last() else { continue };
            let value = values::value(engine, known, read, *ty);
            put(engine, &row, &place.path, value);
        }
        number_protocol(engine, &row);
        if let Some(ReadValue::String(uid)) = cell(cells, "uid") {
            take_context(engine, &row, known.find(uid));
            if let (true, Some(ReadValue::String(history))) = (*uid != b"", cell(cells, "history")) {
                let history = engine.frameworks.limits.history(uid, history);
                engine.set_field(&row, "history", Value::string(history));
            }
        }
        row
    }

    /// Returns the connection or file that keeps a record of a row's type.
    fn owner(&self, engine: &Engine, known: &Known, cells: &[ReadValue<'_>]) -> Value {
        let keeps = |owner: &&Rc<RecordValue>| {
            let declared = engine.types().record(owner.ty);
            declared.is_some_and(|declared| declared.fields.iter().any(|field| field.ty == self.record))
        };
        ["fuid", "id", "uid"]
            .into_iter()
            .filter_map(|name| match cell(cells, name) {
                Some(ReadValue::String(id)) => known.find(id).or_else(|| engine.frameworks.files.record(id)),
                _ => None,
            })
            .find(keeps)
            .map_or(Value::Unset, |owner| Value::Record(owner.clone()))
    }
}

/// Finds a column in a record, by names of fields with points between them.
fn path(engine: &Engine, record: TypeId, name: &[u8]) -> Vec<(usize, TypeId)> {
    let mut path = Vec::new();
    let mut record = record;
    for part in name.split(|byte| *byte == b'.') {
        let declared = std::str::from_utf8(part).ok().zip(engine.types().record(record));
        let Some((part, declared)) = declared else { return Vec::new() };
        let Some(place) = declared.place(part) else { return Vec::new() };
        let Some(field) = declared.fields.get(place) else { return Vec::new() };
        path.push((place, field.ty));
        record = field.ty;
    }
    path
}

/// Puts a value into a record, and into records within it.
fn put(engine: &mut Engine, record: &Rc<RecordValue>, path: &[(usize, TypeId)], value: Value) {
    let mut record = record.clone();
    let Some(((last, _), outer)) = path.split_last() else { return };
    for (place, ty) in outer {
        record = match record.get(*place) {
            Value::Record(inner) => inner,
            _ => {
                let inner = engine.new_record(*ty);
                record.set(*place, Value::Record(inner.clone()));
                inner
            }
        };
    }
    record.set(*last, value);
}
