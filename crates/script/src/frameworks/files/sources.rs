//! Files that scripts name, whose bytes come between events.

use std::fs::File;
use std::io::Read as _;
use std::time::SystemTime;

use super::{Id, Piece, remove, take};
use crate::vm::{Engine, Outcome};
use weir_base::stable_hash;

/// Bytes that are read at a time.
const PIECE: usize = 1024;
/// Pieces of one source that are read between events.
const MOST_PIECES: usize = 1 << 16;
/// Most sources.
const MOST_SOURCES: usize = 1 << 12;

/// When a source is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    /// When scripts ask for it.
    Once,
    /// When it has changed.
    Again,
    /// What is appended is read at once.
    On,
}

/// A file that scripts name.
pub(super) struct Source {
    name: String,
    /// As scripts name it.
    source: String,
    path: String,
    reading: Reading,
    file: Option<File>,
    changed: Option<SystemTime>,
    is_due: bool,
    is_removed: bool,
}

/// Has a file be analysed; false where there are too many, or one with this name.
pub(crate) fn add_source(
    engine: &mut Engine,
    name: &str,
    source: &str,
    path: String,
    reading: Reading,
) -> bool {
    let sources = &mut engine.frameworks.files.sources;
    if sources.len() >= MOST_SOURCES {
        return false;
    }
    sources.push(Source {
        name: name.to_owned(),
        source: source.to_owned(),
        path,
        reading,
        file: None,
        changed: None,
        is_due: true,
        is_removed: false,
    });
    true
}

/// Returns whether a source has this name.
fn find<'a>(engine: &'a mut Engine, name: &str) -> Option<&'a mut Source> {
    engine.frameworks.files.sources.iter_mut().find(|source| source.name == name && !source.is_removed)
}

/// Ends a source, once it was read; false where there is none of this name.
pub(crate) fn remove_source(engine: &mut Engine, name: &str) -> bool {
    find(engine, name).map(|source| source.is_removed = true).is_some()
}

/// Has a source be read again; false where there is none of this name.
pub(crate) fn force_source(engine: &mut Engine, name: &str) -> bool {
    find(engine, name).map(|source| source.is_due = true).is_some()
}

/// Reads what is due.
///
/// # Errors
///
/// Where scripts end the program.
pub(crate) fn read_sources(engine: &mut Engine) -> Outcome<()> {
    if engine.frameworks.files.sources.is_empty() {
        return Ok(());
    }
    let mut sources = std::mem::take(&mut engine.frameworks.files.sources);
    let mut result = Ok(());
    for source in &mut sources {
        if result.is_ok() {
            result = read(engine, source);
        }
    }
    sources.retain(|source| !source.is_removed);
    // Handlers may have added some.
    sources.append(&mut engine.frameworks.files.sources);
    engine.frameworks.files.sources = sources;
    result
}

fn read(engine: &mut Engine, source: &mut Source) -> Outcome<()> {
    let id = stable_hash::file_id(source.source.as_bytes()).into_bytes();
    if source.reading == Reading::Again && !source.is_due {
        let changed = std::fs::metadata(&source.path).and_then(|known| known.modified()).ok();
        source.is_due = changed.is_some() && changed != source.changed;
    }
    if !source.is_due && source.reading != Reading::On {
        return Ok(());
    }
    source.is_due = false;
    if source.file.is_none() {
        match File::open(&source.path) {
            Ok(file) => {
                source.changed = file.metadata().and_then(|known| known.modified()).ok();
                source.file = Some(file);
            }
            Err(error) => {
                let path = &source.path;
                engine.report(
                    "error",
                    "",
                    &format!("{path}/Input::READER_BINARY: cannot open {path}: {error}"),
                );
                source.is_removed |= source.reading == Reading::Once;
                return Ok(());
            }
        }
    }
    let mut buffer = vec![0; PIECE];
    for _ in 0..MOST_PIECES {
        let length = source.file.as_mut().and_then(|file| file.read(&mut buffer).ok()).unwrap_or(0);
        if length == 0 {
            break;
        }
        let bytes = buffer.get(..length).unwrap_or_default();
        take(engine, &piece(&id, source.source.as_bytes(), bytes))?;
    }
    if source.reading != Reading::On || source.is_removed {
        source.file = None;
        let id: Id = id.into();
        remove(engine, &id)?;
        engine.drain()?;
    }
    Ok(())
}

fn piece<'a>(id: &'a [u8], source: &'a [u8], bytes: &'a [u8]) -> Piece<'a> {
    Piece {
        id,
        source,
        connection: None,
        name: b"",
        depth: 0,
        total: None,
        mime_type: b"",
        offset: None,
        is_in_parts: false,
        bytes,
        end: None,
    }
}
