//! Pieces on their way to analyzers: in order, with what is missing in between.

use std::rc::Rc;

use super::analyzers::{self, Change, Going};
use super::blocks::Blocks;
use super::{File, Id, Piece, add, number, raise};
use crate::types::TypeId;
use crate::values::{Value, VectorValue};
use crate::vm::{Engine, Outcome};

/// Most first bytes that are kept, whatever scripts ask for.
const MOST_HEAD: u64 = 16 << 20;

/// Most changes that wait while something is delivered.
pub(super) const MOST_CHANGES: usize = 1 << 10;

fn file<'a>(engine: &'a mut Engine, id: &Id) -> Option<&'a mut File> {
    engine.frameworks.files.files.get_mut(id)
}

/// Takes bytes of a file that is followed.
pub(super) fn take(engine: &mut Engine, id: &Id, piece: &Piece<'_>) -> Outcome<()> {
    let Some(record) = file(engine, id).map(|file| file.record.clone()) else { return Ok(()) };
    if let Some(total) = piece.total {
        engine.set_field(&record, "total_bytes", Value::Count(total));
    }
    tell_type(engine, id, piece.mime_type)?;
    apply_changes(engine, id);
    let Some(reached) = file(engine, id).map(|file| file.offset) else { return Ok(()) };
    let offset = piece.offset.unwrap_or(reached);
    if offset > reached && !piece.is_in_parts {
        gap(engine, id, reached, offset - reached)?;
    }
    chunk(engine, id, offset, piece.bytes)?;
    let is_complete = |file: &mut File| (file.offset, file.record.clone());
    let Some((reached, record)) = file(engine, id).map(is_complete) else { return Ok(()) };
    match engine.field(&record, "total_bytes") {
        Value::Count(total) if reached >= total => super::remove(engine, id),
        _ => Ok(()),
    }
}

/// Takes the type that the protocol tells, which is not looked for then.
fn tell_type(engine: &mut Engine, id: &Id, mime_type: &[u8]) -> Outcome<()> {
    let Some(file) = file(engine, id) else { return Ok(()) };
    if mime_type.is_empty() || !file.head.is_empty() || file.is_inferred {
        return Ok(());
    }
    (file.is_inferred, file.is_head_full) = (true, true);
    let fields = [("mime_type", Value::string(mime_type)), ("inferred", Value::Bool(false))];
    let told = engine.record_of("fa_metadata", &fields);
    raise(engine, id, "file_sniff", vec![told], true)
}

/// Delivers bytes that belong at an offset: at once, or when what is before them came.
fn chunk(engine: &mut Engine, id: &Id, offset: u64, bytes: &[u8]) -> Outcome<()> {
    let Some(found) = file(engine, id) else { return Ok(()) };
    let (reached, record) = (found.offset, found.record.clone());
    if found.waiting.is_some() || offset != reached {
        if found.waiting.is_none() && !found.reassembles {
            add(engine, &record, "overflow_bytes", bytes.len() as u64);
        } else {
            bound(engine, id)?;
            if let Some(file) = file(engine, id) {
                let reached = file.offset;
                let blocks = file.waiting.get_or_insert_with(Blocks::default);
                if !blocks.insert(reached, offset, bytes) {
                    engine.frameworks.files.count_passed_over();
                }
            }
            in_order(engine, id)?;
        }
    } else {
        stream(engine, id, bytes)?;
    }
    each(engine, id, |engine, analyzer, record| analyzers::chunk(engine, analyzer, record, offset, bytes))
}

/// Passes over what is missing where too much waits.
fn bound(engine: &mut Engine, id: &Id) -> Outcome<()> {
    let Some(file) = file(engine, id) else { return Ok(()) };
    let waits = file.waiting.as_ref().map_or(0, Blocks::size);
    if file.room == 0 || waits <= file.room {
        return Ok(());
    }
    let (offset, record) = (file.offset, file.record.clone());
    let missing = flush(engine, id, None)?;
    add(engine, &record, "overflow_bytes", missing);
    let rest = vec![Value::Count(offset), Value::Count(missing)];
    raise(engine, id, "file_reassembly_overflow", rest, false)
}

/// Delivers what waits and is next.
fn in_order(engine: &mut Engine, id: &Id) -> Outcome<()> {
    loop {
        let Some(file) = file(engine, id) else { return Ok(()) };
        let reached = file.offset;
        let Some(bytes) = file.waiting.as_mut().and_then(|waiting| waiting.take_at(reached)) else {
            return Ok(());
        };
        stream(engine, id, &bytes)?;
    }
}

/// Delivers all that waits, up to an offset where there is one, with gaps in between; the number of bytes missed.
fn flush(engine: &mut Engine, id: &Id, until: Option<u64>) -> Outcome<u64> {
    let mut missing = 0;
    loop {
        in_order(engine, id)?;
        let Some(file) = file(engine, id) else { return Ok(missing) };
        let reached = file.offset;
        let next = file.waiting.as_ref().and_then(Blocks::start);
        let next = match (next, until) {
            (Some(next), Some(until)) => next.min(until),
            (Some(next), None) => next,
            (None, Some(until)) => until,
            (None, None) => return Ok(missing),
        };
        if next <= reached {
            return Ok(missing);
        }
        missing += next - reached;
        lose(engine, id, reached, next - reached)?;
    }
}

/// Notes that bytes will never come.
pub(super) fn gap(engine: &mut Engine, id: &Id, offset: u64, length: u64) -> Outcome<()> {
    apply_changes(engine, id);
    if file(engine, id).is_some_and(|file| file.waiting.is_some()) {
        return flush(engine, id, Some(offset.saturating_add(length))).map(drop);
    }
    lose(engine, id, offset, length)
}

fn lose(engine: &mut Engine, id: &Id, offset: u64, length: u64) -> Outcome<()> {
    fill_head(engine, id)?;
    each(engine, id, |engine, analyzer, record| analyzers::gap(engine, analyzer, record, offset, length))?;
    raise(engine, id, "file_gap", vec![Value::Count(offset), Value::Count(length)], false)?;
    apply_changes(engine, id);
    let Some(file) = file(engine, id) else { return Ok(()) };
    file.offset = file.offset.saturating_add(length);
    let record = file.record.clone();
    add(engine, &record, "missing_bytes", length);
    Ok(())
}

/// Takes the first bytes for what they are, as no more of them come.
fn fill_head(engine: &mut Engine, id: &Id) -> Outcome<()> {
    let Some(file) = file(engine, id).filter(|file| !file.is_head_full) else { return Ok(()) };
    file.is_head_full = true;
    stream(engine, id, b"")
}

/// Delivers bytes that are next.
fn stream(engine: &mut Engine, id: &Id, bytes: &[u8]) -> Outcome<()> {
    let Some(found) = file(engine, id) else { return Ok(()) };
    let record = found.record.clone();
    let was_full = found.is_head_full;
    if !was_full {
        let wanted = number(engine, &record, "bof_buffer_size").min(MOST_HEAD);
        keep_head(engine, id, bytes, wanted);
    }
    let is_whole = number(engine, &record, "missing_bytes") == 0;
    if file(engine, id).is_some_and(|file| file.is_head_full && !file.is_inferred) && is_whole {
        infer(engine, id)?;
    }
    // Analyzers that came late get the first bytes, too.
    let is_late = |file: &File| file.analyzers.iter().any(|analyzer| !analyzer.is_caught_up);
    let (head, starts) = match file(engine, id).filter(|file| is_late(file)) {
        Some(file) => (file.head.clone(), file.pieces.clone()),
        None => (Vec::new(), Vec::new()),
    };
    let behind = starts.len().saturating_sub(usize::from(!was_full && !bytes.is_empty()));
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([head.len()]).collect();
    each(engine, id, |engine, analyzer, record| {
        if !std::mem::replace(&mut analyzer.is_caught_up, true) && is_whole {
            for (start, end) in starts.iter().zip(&ends).take(behind) {
                let piece = head.get(*start..*end).unwrap_or_default();
                if analyzers::stream(engine, analyzer, record, piece)? == Going::Ends {
                    return Ok(Going::Ends);
                }
            }
        }
        if bytes.is_empty() { Ok(Going::On) } else { analyzers::stream(engine, analyzer, record, bytes) }
    })?;
    if let Some(file) = file(engine, id) {
        file.offset = file.offset.saturating_add(bytes.len() as u64);
    }
    add(engine, &record, "seen_bytes", bytes.len() as u64);
    Ok(())
}

/// Keeps first bytes, until there are as many as are wanted.
fn keep_head(engine: &mut Engine, id: &Id, bytes: &[u8], wanted: u64) {
    let Some(file) = file(engine, id) else { return };
    if !bytes.is_empty() {
        file.pieces.push(file.head.len());
        file.head.extend_from_slice(bytes);
    }
    if (file.head.len() as u64) < wanted {
        return;
    }
    file.is_head_full = true;
    if !file.head.is_empty() {
        let (record, head) = (file.record.clone(), Value::string(&file.head));
        engine.set_field(&record, "bof_buffer", head);
    }
}

/// Finds the type by the first bytes.
fn infer(engine: &mut Engine, id: &Id) -> Outcome<()> {
    let Some(file) = file(engine, id) else { return Ok(()) };
    file.is_inferred = true;
    if file.head.is_empty() {
        return Ok(());
    }
    let (head, record) = (file.head.clone(), file.record.clone());
    engine.set_field(&record, "bof_buffer", Value::string(&head));
    let most = usize::try_from(number(engine, &record, "bof_buffer_size")).unwrap_or(usize::MAX);
    let mime_type = engine.frameworks.files.recognise(head.get(..most).unwrap_or(&head));
    let mut fields = vec![("inferred", Value::Bool(true))];
    if let Some(mime_type) = mime_type {
        fields.push(("mime_type", Value::string(mime_type)));
        fields.push(("mime_types", matches(engine, mime_type)));
    }
    let told = engine.record_of("fa_metadata", &fields);
    raise(engine, id, "file_sniff", vec![told], true)
}

/// Returns the list of types with how sure they are, of one type.
pub(super) fn matches(engine: &mut Engine, mime_type: &str) -> Value {
    let fields = [("strength", Value::Int(0)), ("mime", Value::string(mime_type))];
    let found = engine.record_of("mime_match", &fields);
    let ty = engine.program.type_named("mime_matches").unwrap_or(TypeId::ANY);
    Value::Vector(Rc::new(VectorValue::new(ty, vec![found])))
}

/// The end of a file.
pub(super) fn end(engine: &mut Engine, id: &Id) -> Outcome<()> {
    if file(engine, id).is_none_or(|file| file.is_done) {
        return Ok(());
    }
    if file(engine, id).is_some_and(|file| file.waiting.is_some()) {
        flush(engine, id, None)?;
        if let Some(file) = file(engine, id) {
            file.waiting = None;
        }
    }
    fill_head(engine, id)?;
    apply_changes(engine, id);
    if let Some(file) = file(engine, id) {
        file.is_done = true;
    }
    each(engine, id, analyzers::end)?;
    raise(engine, id, "file_state_remove", Vec::new(), false)
}

/// Has each analyzer do something; those that need no more go.
fn each(
    engine: &mut Engine,
    id: &Id,
    mut act: impl FnMut(&mut Engine, &mut analyzers::Analyzer, &Value) -> Outcome<Going>,
) -> Outcome<()> {
    let Some(found) = file(engine, id).filter(|file| !file.analyzers.is_empty()) else { return Ok(()) };
    let mut taken = std::mem::take(&mut found.analyzers);
    let record = Value::Record(found.record.clone());
    found.is_delivering = true;
    let mut result = Ok(());
    taken.retain_mut(|analyzer| {
        if result.is_err() {
            return true;
        }
        match act(engine, analyzer, &record) {
            Ok(going) => going == Going::On,
            Err(fault) => {
                result = Err(fault);
                true
            }
        }
    });
    if let Some(file) = file(engine, id) {
        file.analyzers = taken;
        file.is_delivering = false;
    }
    apply_changes(engine, id);
    result
}

/// Attaches and removes what scripts asked for, unless something is delivered.
pub(super) fn apply_changes(engine: &mut Engine, id: &Id) {
    let Some(file) = file(engine, id).filter(|file| !file.is_delivering) else { return };
    for change in std::mem::take(&mut file.changes) {
        match change {
            Change::Add(analyzer) => {
                if !file.analyzers.iter().any(|known| known.is_same(analyzer.tag, &analyzer.arguments)) {
                    file.analyzers.push(*analyzer);
                }
            }
            Change::Remove(tag, arguments) => {
                file.analyzers.retain(|known| !known.is_same(tag, &arguments));
            }
            Change::Limit(arguments, limit) => {
                for analyzer in &mut file.analyzers {
                    analyzer.set_limit(&arguments, limit);
                }
            }
        }
    }
}
