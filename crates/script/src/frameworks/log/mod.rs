//! The logging framework: streams of records, filters that turn a record into rows, writers that put rows into files.
//!
//! `create_stream`, `add_filter` and `write` are the interface for the rest of the engine; `functions.rs` has what scripts call.
//! A record that is written goes through the hook of all streams, maybe a delay, the stream's event, and for each filter
//! through its hook, its path and its columns (`columns.rs`) to a writer (`writer.rs`: `ascii.rs`, `json.rs`).

mod ascii;
mod columns;
mod delay;
mod functions;
mod json;
mod open;
mod rotation;
mod rows;
mod settings;
mod writer;

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

pub use ascii::{Separators, escape, value as ascii_value};
pub(crate) use columns::pairs;
pub use columns::{Column, row};
pub use functions::ROWS;
pub use json::{Timestamps, number as json_number, plain as json_text};
pub use rows::ROWS as ENGINE_ROWS;
pub use settings::{Settings, WriterKind};

use crate::types::TypeId;
use crate::values::{FunctionValue, Key, RecordValue, Value};
use crate::vm::Engine;
use delay::{Active, Delayed};
use open::OpenLogs;

/// Most streams.
const MOST_STREAMS: usize = 1 << 12;
/// Most filters of a stream.
const MOST_FILTERS: usize = 1 << 10;
/// Most files that are open.
const MOST_WRITERS: usize = 1 << 12;

/// A stream of records of one type.
#[derive(Debug)]
pub struct Stream {
    /// Its value of `Log::ID`.
    pub id: Value,
    /// The record that scripts gave.
    pub value: Rc<RecordValue>,
    /// The type of its records.
    pub columns: TypeId,
    /// The event for each record, by its number.
    pub event: Option<u32>,
    /// The path that filters without one get.
    pub path: Option<Value>,
    /// The hook that filters without one get.
    pub policy: Option<Rc<FunctionValue>>,
    /// Records are written.
    pub is_enabled: bool,
    /// Filters, in the order in which they were added.
    pub filters: Vec<Rc<Filter>>,
    /// Records that were written.
    pub writes: u64,
    /// Rows are written at once.
    is_unbuffered: bool,
    max_delay: f64,
    max_queue: usize,
    limits: columns::Limits,
    queue: VecDeque<Delayed>,
}

/// A filter of a stream.
#[derive(Debug)]
pub struct Filter {
    /// Its name.
    pub name: String,
    /// The record that scripts gave, with the stream's path and hook where it had none.
    pub value: Rc<RecordValue>,
    /// Its columns, those of the extension first.
    pub columns: Vec<Column>,
    /// What writes its rows.
    pub writer: WriterKind,
    /// Settings of the writer.
    pub config: Vec<(String, String)>,
    /// Its rows are written.
    pub is_local: bool,
    path: std::cell::RefCell<String>,
    path_function: Option<Rc<FunctionValue>>,
    policy: Option<Rc<FunctionValue>>,
    extension: Option<Rc<FunctionValue>>,
    rotation_interval: f64,
    postprocessor: Option<Rc<FunctionValue>>,
}

/// State of the framework.
#[derive(Default)]
pub struct Manager {
    streams: Vec<Stream>,
    places: HashMap<i64, usize>,
    writers: OpenLogs,
    active: Vec<Active>,
    tokens: u64,
    /// Longest delays that streams had before they were removed.
    delays: HashMap<i64, (f64, usize)>,
    last_flush: f64,
    /// Records that the engine's rows are written with.
    pub(crate) open: rows::Open,
    /// Streams of the engine, by the names of their logs.
    pub(crate) own: HashMap<String, Value>,
    /// Rows that could not be written.
    pub lost: u64,
}

impl Manager {
    /// Returns the stream of a value of `Log::ID`.
    pub fn stream(&self, id: i64) -> Option<&Stream> {
        self.streams.get(*self.places.get(&id)?)
    }

    fn stream_mut(&mut self, id: i64) -> Option<&mut Stream> {
        self.streams.get_mut(*self.places.get(&id)?)
    }

    /// Returns all streams, in the order in which they were created.
    pub fn streams(&self) -> &[Stream] {
        &self.streams
    }

    fn remove(&mut self, id: i64) -> Option<Stream> {
        let place = self.places.remove(&id)?;
        for other in self.places.values_mut().filter(|other| **other > place) {
            *other -= 1;
        }
        (place < self.streams.len()).then(|| self.streams.remove(place))
    }
}

/// Returns the number of a value of `Log::ID`.
pub fn number(id: &Value) -> i64 {
    id.int()
}

/// Creates a stream with its default filter; `record` is a `Log::Stream`. False where that cannot be, which was reported.
pub fn create_stream(engine: &mut Engine, id: &Value, record: &Rc<RecordValue>) -> bool {
    let Value::Type(columns) = engine.field(record, "columns") else {
        engine.report("error", "", "logging columns type not a record");
        return false;
    };
    if engine.types().record(columns).is_none() {
        engine.report("error", "", "logging columns type not a record");
        return false;
    }
    if engine.frameworks.log.streams.len() >= MOST_STREAMS {
        engine.report("error", "", "too many log streams");
        return false;
    }
    let event = match engine.field(record, "ev") {
        Value::Function(function) => match event_of(engine, &function, columns) {
            Ok(number) => Some(number),
            Err(()) => return false,
        },
        _ => None,
    };
    remove_stream(engine, id);
    let policy = function_field(engine, record, "policy");
    let path = Some(engine.field(record, "path")).filter(Value::is_set);
    if let Some(Value::String(path)) = &path
        && engine.is_prelude(engine.current().file)
    {
        let name = String::from_utf8_lossy(path).into_owned();
        engine.frameworks.log.own.insert(name, id.clone());
    }
    let mut max_delay = engine.field(record, "max_delay_interval").double();
    let mut max_queue =
        usize::try_from(engine.field(record, "max_delay_queue_size").count()).unwrap_or(usize::MAX);
    if let Some((delay, queue)) = engine.frameworks.log.delays.get(&number(id)) {
        max_delay = max_delay.max(*delay);
        max_queue = max_queue.max(*queue);
    }
    let limits = columns::Limits::of(engine, record);
    let manager = &mut engine.frameworks.log;
    manager.places.insert(number(id), manager.streams.len());
    manager.streams.push(Stream {
        id: id.clone(),
        value: record.clone(),
        columns,
        event,
        path,
        policy,
        is_enabled: true,
        filters: Vec::new(),
        writes: 0,
        is_unbuffered: false,
        max_delay,
        max_queue,
        limits,
        queue: VecDeque::new(),
    });
    if let Some(Value::Table(active)) = engine.global("Log::active_streams") {
        active.insert(Key::new(id), Value::Record(record.clone()), engine.now());
    }
    add_default_filter(engine, id)
}

fn event_of(engine: &mut Engine, function: &FunctionValue, columns: TypeId) -> Result<u32, ()> {
    let signature = engine
        .program
        .functions
        .get(function.function as usize)
        .and_then(|known| engine.program.types.signature(known.ty));
    let fault = match signature {
        Some(signature) if signature.flavor != crate::types::Flavor::Event => {
            Some("stream event is a function, not an event")
        }
        Some(signature) if signature.parameters.len() != 1 => {
            Some("stream event must take a single argument")
        }
        Some(signature)
            if signature.parameters.first().is_some_and(|first| !engine.types().same(first.ty, columns)) =>
        {
            Some("stream event's argument type does not match columns")
        }
        _ => None,
    };
    match fault {
        Some(text) => {
            engine.report("error", "", text);
            Err(())
        }
        None => Ok(function.function),
    }
}

/// Returns a field that is a function.
fn function_field(engine: &Engine, record: &RecordValue, name: &str) -> Option<Rc<FunctionValue>> {
    match engine.field(record, name) {
        Value::Function(function) => Some(function),
        _ => None,
    }
}

/// Removes a stream and closes its files; false where there is none.
pub fn remove_stream(engine: &mut Engine, id: &Value) -> bool {
    if engine.frameworks.log.stream(number(id)).is_none() {
        return false;
    }
    delay::flush(engine, number(id));
    writer::close_all(engine, |log| log.stream == number(id));
    if let Some(Value::Table(active)) = engine.global("Log::active_streams") {
        active.remove(id);
    }
    let manager = &mut engine.frameworks.log;
    if let Some(stream) = manager.remove(number(id)) {
        manager.delays.insert(number(id), (stream.max_delay, stream.max_queue));
    }
    true
}

/// Adds the filter that a stream has where nobody asks for another.
pub fn add_default_filter(engine: &mut Engine, id: &Value) -> bool {
    let filter = engine.record_of("Log::Filter", &[("name", Value::string("default"))]);
    match filter {
        Value::Record(filter) => add_filter(engine, id, &filter),
        _ => false,
    }
}

/// Adds a filter to a stream, in the place of one of the same name; `record` is a `Log::Filter`.
pub fn add_filter(engine: &mut Engine, id: &Value, record: &Rc<RecordValue>) -> bool {
    let Some(stream) = engine.frameworks.log.stream(number(id)) else { return false };
    let (path, policy, count) = (stream.path.clone(), stream.policy.clone(), stream.filters.len());
    if count >= MOST_FILTERS {
        engine.report("error", "", "too many filters of a log stream");
        return false;
    }
    if let Some(path) = path
        && !engine.field(record, "path").is_set()
    {
        engine.set_field(record, "path", path);
    }
    if let Some(policy) = policy
        && !engine.field(record, "policy").is_set()
    {
        engine.set_field(record, "policy", Value::Function(policy));
    }
    let Some(filter) = columns::filter(engine, id, record) else { return false };
    let name = filter.name.clone();
    let Some(stream) = engine.frameworks.log.stream_mut(number(id)) else { return false };
    let filter = Rc::new(filter);
    stream.filters.retain(|known| known.name != name);
    stream.filters.push(filter);
    writer::close_all(engine, |log| log.stream == number(id) && log.filter.name == name);
    if let Some(Value::Table(all)) = engine.global("Log::filters") {
        all.insert(Key::new(&filter_index(id, &name)), Value::Record(record.clone()), engine.now());
    }
    true
}

/// The index of a filter among those of all streams.
fn filter_index(id: &Value, name: &str) -> Value {
    Value::List(vec![id.clone(), Value::string(name)].into())
}

/// Removes a filter of a stream by its name.
pub fn remove_filter(engine: &mut Engine, id: &Value, name: &str) -> bool {
    let Some(stream) = engine.frameworks.log.stream_mut(number(id)) else { return false };
    stream.filters.retain(|filter| filter.name != name);
    if let Some(Value::Table(all)) = engine.global("Log::filters") {
        all.remove(&filter_index(id, name));
    }
    true
}

/// Writes a record to a stream. False where there is no such stream, or where the record is not of its type.
pub fn write(engine: &mut Engine, id: &Value, record: &Value) -> bool {
    let Some(stream) = engine.frameworks.log.stream(number(id)) else { return false };
    if !stream.is_enabled {
        return true;
    }
    let columns = stream.columns;
    let Value::Record(given) = record else { return false };
    let record = if given.ty == columns {
        given.clone()
    } else {
        if !engine.types().record_fits(given.ty, columns) && !engine.types().same(given.ty, columns) {
            let text = format!("incompatible log record type for stream {}", name_of(engine, id));
            engine.report("error", "", &text);
            return false;
        }
        match engine.convert_value(record, columns) {
            Ok(Value::Record(converted)) => converted,
            _ => return false,
        }
    };
    let active = Active::new(number(id), record.clone());
    let Some((is_wanted, active)) = delay::within(engine, active, |engine| {
        engine.run_hook_named("Log::log_stream_policy", &[Value::Record(record.clone()), id.clone()])
    }) else {
        return false;
    };
    delay::settle(engine, Delayed::new(active, is_wanted));
    true
}

/// Returns the name of a value of an enumeration.
pub fn name_of(engine: &Engine, value: &Value) -> String {
    String::from_utf8_lossy(&crate::values::text_of(value, engine.types())).into_owned()
}

/// Gives a record to all filters of its stream.
fn write_to_filters(engine: &mut Engine, id: i64, record: &Rc<RecordValue>, is_wanted: bool) {
    let Some(stream) = engine.frameworks.log.stream_mut(id) else { return };
    stream.writes += u64::from(is_wanted);
    let (event, filters, value) = (stream.event, stream.filters.clone(), stream.id.clone());
    if let Some(event) = event
        && is_wanted
    {
        engine.raise(event, vec![Value::Record(record.clone())]);
    }
    for filter in filters {
        let record_value = Value::Record(record.clone());
        if let Some(policy) = &filter.policy {
            let arguments = [record_value.clone(), value.clone(), Value::Record(filter.value.clone())];
            if !engine.run_hook(policy, &arguments).unwrap_or(true) {
                continue;
            }
        }
        if !is_wanted {
            continue;
        }
        let Some(path) = path_of(engine, &filter, &value, &record_value) else { continue };
        let extension = extension_of(engine, &filter, &path);
        if !filter.is_local {
            continue;
        }
        let limits = engine.frameworks.log.stream(id).map(|stream| stream.limits).unwrap_or_default();
        let row = row(&filter.columns, record, extension.as_ref(), limits);
        writer::write(engine, id, &filter, &path, &row);
    }
}

/// Returns the path of a record; none where its function fails.
fn path_of(engine: &mut Engine, filter: &Filter, id: &Value, record: &Value) -> Option<String> {
    let known = filter.path.borrow().clone();
    let Some(function) = &filter.path_function else { return Some(known) };
    let wanted = engine
        .program
        .functions
        .get(function.function as usize)
        .and_then(|known| engine.program.types.signature(known.ty))
        .and_then(|signature| signature.parameters.get(2))
        .map_or(TypeId::ANY, |parameter| parameter.ty);
    let record = match engine.types().record(wanted) {
        Some(_) => demoted(engine, record, wanted),
        None => record.clone(),
    };
    match engine.call(function, &[id.clone(), Value::string(&known), record]) {
        Ok(Value::String(path)) => {
            let path = String::from_utf8_lossy(&path).into_owned();
            // The first answer is the path of a filter without one.
            if known.is_empty() {
                filter.path.replace(path.clone());
            }
            Some(path)
        }
        _ => None,
    }
}

/// Returns a record of another type with the fields that both have.
fn demoted(engine: &mut Engine, value: &Value, wanted: TypeId) -> Value {
    let Value::Record(record) = value else { return value.clone() };
    if record.ty == wanted {
        return value.clone();
    }
    let new = Rc::new(RecordValue::new(wanted, Vec::new()));
    let fields = engine.types().record(wanted).map(|known| known.fields.clone()).unwrap_or_default();
    for (place, field) in fields.iter().enumerate() {
        let held = engine.field(record, &field.name);
        if held.is_set() {
            let held = if engine.types().record(field.ty).is_some() {
                demoted(engine, &held, field.ty)
            } else {
                held
            };
            new.set(place, held);
        }
    }
    Value::Record(new)
}

fn extension_of(engine: &mut Engine, filter: &Filter, path: &str) -> Option<Rc<RecordValue>> {
    let function = filter.extension.as_ref()?;
    match engine.call(function, &[Value::string(path)]) {
        Ok(Value::Record(record)) => Some(record),
        _ => None,
    }
}

/// Does what is due: delays that are over, rotation, and rows that waited long enough.
pub fn advance(engine: &mut Engine) {
    if engine.frameworks.log.streams.is_empty() {
        return;
    }
    delay::expire(engine);
    rotation::rotate_due(engine);
    let interval = engine.global("Log::flush_interval").map_or(1.0, |value| value.double());
    let now = engine.now();
    if interval > 0.0 && now - engine.frameworks.log.last_flush >= interval {
        engine.frameworks.log.last_flush = now;
        writer::flush(engine, |_| true);
    }
}

/// Prepares for a run: files that an earlier one left are rotated.
pub fn begin(engine: &mut Engine) {
    rotation::rotate_leftover(engine);
}

/// Ends the delays of all streams.
pub fn flush_delayed(engine: &mut Engine) {
    let ids: Vec<i64> = engine.frameworks.log.streams.iter().map(|stream| number(&stream.id)).collect();
    for id in ids {
        delay::flush(engine, id);
    }
}

/// Writes what waits, and the ends of files.
pub fn finish(engine: &mut Engine) {
    flush_delayed(engine);
    rotation::rotate_all(engine);
    writer::close_all(engine, |_| true);
}

impl Engine {
    /// Logs what `print` would write, where scripts ask for it.
    pub(crate) fn print_to_log(&mut self, values: &[Value], is_file: bool) -> bool {
        let Some(wanted) = self.global("Log::print_to_log") else { return false };
        let is_wanted = match name_of(self, &wanted).as_str() {
            "Log::REDIRECT_ALL" => true,
            "Log::REDIRECT_STDOUT" => !is_file,
            _ => false,
        };
        let Some(id) = self.program.enum_named("Log::PRINTLOG") else { return false };
        if !is_wanted || self.frameworks.log.stream(number(&id)).is_none() {
            return false;
        }
        let mut texts = Vec::new();
        for value in values {
            let mut text = Vec::new();
            self.print_one(value, crate::values::Style::Raw, &mut text);
            texts.push(Value::string(text));
        }
        let ty = self.program.types.vector(TypeId::STRING);
        let texts = Value::Vector(Rc::new(crate::values::VectorValue::new(ty, texts)));
        let record = self.record_of("Log::PrintLogInfo", &[("ts", Value::Time(self.now())), ("vals", texts)]);
        write(self, &id, &record)
    }
}
