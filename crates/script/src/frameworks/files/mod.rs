//! The framework that follows files: what comes of each is put in order, its type is found by its first bytes, and
//! analyzers that scripts attach look at it. Events are raised while the file is read.
//!
//! `delivery.rs` takes pieces, `analyzers.rs` has what looks at files, `blocks.rs` keeps what came out of order,
//! `functions.rs` the functions of scripts, and `sources.rs` reads files that scripts name.

mod analyzers;
mod blocks;
mod certificates;
mod delivery;
mod extraction;
mod functions;
mod sources;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use weir_base::event::{FileReader, StreamReader};
use weir_base::stable_hash;

use crate::types::TypeId;
use crate::values::{Key, RecordValue, TableValue, Value};
use crate::vm::{Engine, Outcome};
use analyzers::{Analyzer, Change};
use blocks::Blocks;

pub(crate) use certificates::ROWS as CERTIFICATE_ROWS;
pub use functions::ROWS;
pub(crate) use sources::{Reading, add_source, force_source, read_sources, remove_source};

/// Most files that are followed at a time; pieces of others are passed over and counted.
const MOST_FILES: usize = 1 << 16;
/// Most files that scripts do not want to hear of any more.
const MOST_IGNORED: usize = 1 << 18;
/// Most handles of scripts' own.
const MOST_RENAMED: usize = 1 << 18;

/// The oddity that is told at the end of a run in which there was no room for files, or for parts of them.
const PASSED_OVER: &str = "files_passed_over";

/// What finds the type of a file by its first bytes.
pub type Recognise = fn(&[u8]) -> Option<&'static str>;

/// What the program knows of files and streams.
#[derive(Clone, Copy)]
pub struct Knowledge {
    /// What finds types.
    pub recognise: Recognise,
    /// Readers of files.
    pub readers: &'static [FileReader],
    /// Readers of streams.
    pub streams: &'static [StreamReader],
}

/// Id of a file.
type Id = Rc<[u8]>;

/// A file that is followed.
struct File {
    record: Rc<RecordValue>,
    /// Bytes that were delivered in order, or missed.
    offset: u64,
    /// The first bytes, and where each of the pieces that they came in begins.
    head: Vec<u8>,
    pieces: Vec<usize>,
    is_head_full: bool,
    /// Its type was looked for.
    is_inferred: bool,
    /// What came out of order waits for what is before it.
    waiting: Option<Blocks>,
    reassembles: bool,
    /// Most bytes that wait.
    room: u64,
    analyzers: Vec<Analyzer>,
    /// Analyzers to be attached and removed, once nothing is delivered.
    changes: Vec<Change>,
    is_delivering: bool,
    /// Its end has come.
    is_done: bool,
    /// Scripts asked to wait once more.
    is_postponed: bool,
    /// When silence is to be noticed.
    due: Option<Due>,
    name: Id,
    depth: u64,
}

/// A moment that can be ordered, and the file that it is of.
type Due = (u64, Id);

/// Returns a moment that can be ordered; there are none before 1970.
fn moment(at: f64) -> u64 {
    if at > 0.0 { at.to_bits() } else { 0 }
}

/// A piece of a file.
pub(crate) struct Piece<'a> {
    /// The id of the file.
    pub id: &'a [u8],
    /// The name of what carries it.
    pub source: &'a [u8],
    /// The connection, and whether its originator sends the file.
    pub connection: Option<(Value, bool)>,
    /// The name of the file; empty where there is none.
    pub name: &'a [u8],
    /// Its place among the files of its source.
    pub depth: u64,
    /// Its length, where that is known.
    pub total: Option<u64>,
    /// Its type, where that is told.
    pub mime_type: &'a [u8],
    /// Where the bytes belong; behind what is there already where it is none.
    pub offset: Option<u64>,
    /// Parts come by themselves, in any order.
    pub is_in_parts: bool,
    /// The bytes.
    pub bytes: &'a [u8],
    /// Its end, at this length.
    pub end: Option<u64>,
}

/// All files that are followed.
#[derive(Default)]
pub struct Manager {
    files: HashMap<Id, File>,
    ignored: HashSet<Id>,
    /// Ids that follow from handles of scripts, by those of the engine.
    renamed: HashMap<Id, Id>,
    /// The handle that scripts gave last.
    handle: Option<Vec<u8>>,
    due: BTreeSet<Due>,
    /// Analyzers that are switched off, by their numbers.
    disabled: HashSet<i64>,
    /// Files that ended within the packet at hand.
    ended: Vec<(Id, Rc<RecordValue>)>,
    /// Pieces, files, handles and changes for which there was no room.
    passed_over: u64,
    sources: Vec<sources::Source>,
    certificates: certificates::Cache,
    /// What the program knows of files.
    pub knowledge: Option<Knowledge>,
}

impl Manager {
    /// Returns the type that the first bytes of a file show.
    pub(crate) fn recognise(&self, head: &[u8]) -> Option<&'static str> {
        (self.knowledge?.recognise)(head)
    }

    /// Returns what reads files for an analyzer.
    pub(crate) fn reader(&self, analyzer: &str) -> Option<&'static FileReader> {
        self.knowledge?.readers.iter().find(|reader| reader.analyzer == analyzer)
    }

    /// Returns the record of a file that is followed, or ended within the packet at hand.
    pub(crate) fn record(&self, id: &[u8]) -> Option<&Rc<RecordValue>> {
        let ended = || self.ended.iter().rev().find(|(known, _)| **known == *id).map(|(_, record)| record);
        self.files.get(id).map(|file| &file.record).or_else(ended)
    }

    /// Forgets files that ended; answers their ids.
    pub(crate) fn take_ended(&mut self) -> Vec<Rc<[u8]>> {
        self.ended.drain(..).map(|(id, _)| id).collect()
    }

    /// Counts what there was no room for.
    fn count_passed_over(&mut self) {
        self.passed_over = self.passed_over.saturating_add(1);
    }

    fn is_ignored(&self, id: &[u8]) -> bool {
        self.ignored.contains(id)
    }

    /// Sets when silence is to be noticed.
    fn set_due(&mut self, id: &Id, at: f64) {
        let due = (moment(at), id.clone());
        let Some(file) = self.files.get_mut(id) else { return };
        if let Some(before) = file.due.replace(due.clone()) {
            self.due.remove(&before);
        }
        self.due.insert(due);
    }
}

/// Returns a number of a record.
fn number(engine: &Engine, record: &RecordValue, field: &str) -> u64 {
    engine.field(record, field).count()
}

fn add(engine: &Engine, record: &RecordValue, field: &str, more: u64) {
    let sum = number(engine, record, field).saturating_add(more);
    engine.set_field(record, field, Value::Count(sum));
}

/// Raises an event of a file, unless scripts do not want to hear of it; handlers run at once where that matters.
fn raise(engine: &mut Engine, id: &Id, event: &str, rest: Vec<Value>, at_once: bool) -> Outcome<()> {
    if engine.frameworks.files.is_ignored(id) {
        return Ok(());
    }
    let Some(record) = engine.frameworks.files.files.get(id).map(|file| file.record.clone()) else {
        return Ok(());
    };
    let mut arguments = vec![Value::Record(record)];
    arguments.extend(rest);
    engine.raise_named(event, arguments);
    if at_once {
        engine.drain()?;
        delivery::apply_changes(engine, id);
    }
    Ok(())
}

/// Takes a piece of a file.
///
/// # Errors
///
/// Where scripts end the program.
pub(crate) fn take(engine: &mut Engine, piece: &Piece<'_>) -> Outcome<()> {
    if is_disabled(engine, piece.source) {
        return Ok(());
    }
    let Some(id) = resolve(engine, piece)? else { return Ok(()) };
    let is_known = engine.frameworks.files.files.contains_key(&id);
    if piece.bytes.is_empty() && piece.end.is_some() && !is_known {
        return Ok(());
    }
    if !open(engine, &id, piece)? {
        // What scripts stopped ends in silence.
        return if piece.end.is_some() { remove(engine, &id) } else { Ok(()) };
    }
    if !piece.bytes.is_empty() {
        delivery::take(engine, &id, piece)?;
    }
    if let Some(length) = piece.end {
        let offset = engine.frameworks.files.files.get(&id).map_or(0, |file| file.offset);
        if length > offset && !piece.is_in_parts {
            delivery::gap(engine, &id, offset, length - offset)?;
        }
        remove(engine, &id)?;
    }
    Ok(())
}

/// Returns whether scripts switched the files of a source off.
fn is_disabled(engine: &Engine, source: &[u8]) -> bool {
    let Some(Value::Table(disabled)) = engine.global("Files::disable") else { return false };
    if disabled.is_empty() {
        return false;
    }
    tag_of(engine, source).and_then(|tag| disabled.find(&tag)).is_some_and(|is_off| is_off.is_true())
}

/// Returns the tag of the analyzer of a protocol.
fn tag_of(engine: &Engine, source: &[u8]) -> Option<Value> {
    let name = std::str::from_utf8(source).ok()?;
    engine.program.enum_named(&format!("Analyzer::ANALYZER_{name}"))
}

/// Returns the id of a piece's file: that of the handle that scripts give, where they have a say.
fn resolve(engine: &mut Engine, piece: &Piece<'_>) -> Outcome<Option<Id>> {
    let id: Id = piece.id.into();
    let manager = &engine.frameworks.files;
    if let Some(renamed) = manager.renamed.get(&id) {
        return Ok(Some(renamed.clone()));
    }
    let is_known = manager.files.contains_key(&id);
    let Some((connection, is_orig)) = piece.connection.as_ref().filter(|_| !is_known) else {
        return Ok(Some(id));
    };
    if !has_own_handles(engine) {
        return Ok(Some(id));
    }
    let Some(tag) = tag_of(engine, piece.source) else { return Ok(Some(id)) };
    engine.frameworks.files.handle = None;
    let arguments = vec![tag, connection.clone(), Value::Bool(*is_orig)];
    engine.raise_named("get_file_handle", arguments);
    engine.drain()?;
    let Some(handle) = engine.frameworks.files.handle.take() else { return Ok(Some(id)) };
    let own: Id = stable_hash::file_id(&handle).into_bytes().into();
    let manager = &mut engine.frameworks.files;
    if own != id && manager.renamed.len() < MOST_RENAMED {
        manager.renamed.insert(id, own.clone());
    } else if own != id {
        manager.count_passed_over();
    }
    Ok(Some(own))
}

/// Returns whether scripts say themselves what tells files apart.
fn has_own_handles(engine: &Engine) -> bool {
    let Some(number) = engine.program.function_named("get_file_handle") else { return false };
    let Some(function) = engine.program.functions.get(number as usize) else { return false };
    let is_own = |span: crate::source::Span| !engine.is_prelude(span.file);
    function.bodies.iter().any(|body| is_own(body.span))
        || engine.program.mentions.has_global(|name| name == "Files::register_protocol")
}

/// Has a file be followed, and raises its first events; answers whether it is.
fn open(engine: &mut Engine, id: &Id, piece: &Piece<'_>) -> Outcome<bool> {
    if engine.frameworks.files.is_ignored(id) {
        return Ok(false);
    }
    let is_new = !engine.frameworks.files.files.contains_key(id);
    if is_new && !begin(engine, id, piece) {
        return Ok(false);
    }
    let Some(record) = engine.frameworks.files.files.get(id).map(|file| file.record.clone()) else {
        return Ok(false);
    };
    if !piece.bytes.is_empty() || is_new {
        engine.set_field(&record, "last_active", Value::Time(engine.now()));
    }
    let comes_over_new = connect(engine, &record, piece);
    if is_new {
        let wait = engine.field(&record, "timeout_interval").double();
        let now = engine.now();
        engine.frameworks.files.set_due(id, now + wait);
        raise(engine, id, "file_new", Vec::new(), true)?;
    }
    if let (true, Some((connection, is_orig))) = (comes_over_new, &piece.connection) {
        let rest = vec![connection.clone(), Value::Bool(*is_orig)];
        raise(engine, id, "file_over_new_connection", rest, true)?;
    }
    Ok(!engine.frameworks.files.is_ignored(id) && engine.frameworks.files.files.contains_key(id))
}

/// Makes the record of a file; answers whether there was room.
fn begin(engine: &mut Engine, id: &Id, piece: &Piece<'_>) -> bool {
    let manager = &mut engine.frameworks.files;
    if manager.files.len() >= MOST_FILES {
        manager.count_passed_over();
        return false;
    }
    let Some(ty) = engine.program.type_named("fa_file") else { return false };
    let record = Rc::new(RecordValue::new(ty, Vec::new()));
    engine.set_field(&record, "id", Value::string(id));
    engine.set_field(&record, "source", Value::string(piece.source));
    if let Some((_, is_orig)) = &piece.connection {
        engine.set_field(&record, "is_orig", Value::Bool(*is_orig));
    }
    engine.set_field(&record, "last_active", Value::Time(engine.now()));
    let _ = engine.fill_record(&record);
    let file = File {
        record,
        offset: 0,
        head: Vec::new(),
        pieces: Vec::new(),
        is_head_full: false,
        is_inferred: false,
        waiting: None,
        reassembles: false,
        room: 0,
        analyzers: Vec::new(),
        changes: Vec::new(),
        is_delivering: false,
        is_done: false,
        is_postponed: false,
        due: None,
        name: piece.name.into(),
        depth: piece.depth,
    };
    engine.frameworks.files.files.insert(id.clone(), file);
    true
}

/// Puts a connection into a file's record; answers whether it was not there.
fn connect(engine: &mut Engine, record: &Rc<RecordValue>, piece: &Piece<'_>) -> bool {
    let Some((Value::Record(connection), _)) = &piece.connection else { return false };
    let connections = match engine.field(record, "conns") {
        Value::Table(connections) => connections,
        _ => {
            let declared = engine.types().record(record.ty);
            let field = declared.and_then(|declared| declared.field("conns"));
            let connections = Rc::new(TableValue::new(field.map_or(TypeId::ANY, |field| field.ty)));
            engine.set_field(record, "conns", Value::Table(connections.clone()));
            connections
        }
    };
    let id = engine.field(connection, "id");
    if connections.contains(&id) {
        return false;
    }
    connections.insert(Key::new(&id), Value::Record(connection.clone()), engine.now());
    true
}

/// Ends a file.
fn remove(engine: &mut Engine, id: &Id) -> Outcome<()> {
    if !engine.frameworks.files.files.contains_key(id) {
        return Ok(());
    }
    let result = delivery::end(engine, id);
    let has_packets = engine.has_packets;
    let manager = &mut engine.frameworks.files;
    if let Some(file) = manager.files.remove(id) {
        if let Some(due) = &file.due {
            manager.due.remove(due);
        }
        if has_packets {
            manager.ended.push((id.clone(), file.record));
        }
    }
    manager.ignored.remove(id);
    result
}

/// Ends files of which nothing came for too long.
///
/// # Errors
///
/// Where scripts end the program.
pub(crate) fn expire(engine: &mut Engine) -> Outcome<()> {
    let now = moment(engine.now());
    while let Some(due) = engine.frameworks.files.due.first().filter(|(at, _)| *at <= now).cloned() {
        engine.frameworks.files.due.remove(&due);
        let id = due.1;
        let Some(file) = engine.frameworks.files.files.get_mut(&id) else { continue };
        file.due = None;
        let record = file.record.clone();
        let last = engine.field(&record, "last_active").double();
        let wait = engine.field(&record, "timeout_interval").double();
        if engine.now() - last < wait {
            // A timer begins where the one before ended.
            let at = engine.now() + wait;
            engine.frameworks.files.set_due(&id, at);
        } else {
            time_out(engine, &id, false)?;
        }
    }
    Ok(())
}

fn time_out(engine: &mut Engine, id: &Id, is_last: bool) -> Outcome<()> {
    if let Some(file) = engine.frameworks.files.files.get_mut(id) {
        file.is_postponed = false;
    }
    raise(engine, id, "file_timeout", Vec::new(), true)?;
    let Some(file) = engine.frameworks.files.files.get(id) else { return Ok(()) };
    let (is_postponed, record) = (file.is_postponed, file.record.clone());
    if is_postponed && !is_last {
        let now = engine.now();
        engine.set_field(&record, "last_active", Value::Time(now));
        let wait = engine.field(&record, "timeout_interval").double();
        engine.frameworks.files.set_due(id, now + wait);
        return Ok(());
    }
    remove(engine, id)
}

/// Ends all files, as the run is over.
///
/// # Errors
///
/// Where scripts end the program.
pub(crate) fn finish(engine: &mut Engine) -> Outcome<()> {
    let mut ids: Vec<Id> = engine.frameworks.files.files.keys().cloned().collect();
    ids.sort_unstable();
    for id in ids {
        time_out(engine, &id, true)?;
    }
    let passed_over = engine.frameworks.files.passed_over;
    if passed_over > 0 {
        let [name, number] = [Value::string(PASSED_OVER), Value::string(passed_over.to_string())];
        engine.raise_named("net_weird", vec![name, number, Value::string("")]);
    }
    engine.drain()
}
