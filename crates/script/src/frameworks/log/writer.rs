//! Files that rows are written to.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::rc::Rc;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::settings::{Settings, WriterKind};
use super::{Filter, MOST_WRITERS, ascii, json, rotation};
use crate::values::Value;
use crate::vm::Engine;

/// Where lines go.
enum Destination {
    Stdout,
    Stderr,
    File(BufWriter<File>),
    Gzip(Box<GzEncoder<BufWriter<File>>>),
    /// Nowhere: rows are not wanted, or the file could not be opened.
    Nowhere,
}

/// A log that is open.
pub struct OpenLog {
    /// The stream whose rows it has.
    pub stream: i64,
    /// The filter that opened it.
    pub filter: Rc<Filter>,
    /// Its path, as filters have it.
    pub path: String,
    /// When it was opened.
    pub opened: f64,
    /// When it is rotated.
    pub next_rotation: Option<f64>,
    /// The file, where it is one.
    pub file_name: Option<String>,
    /// The path that its filter asked for.
    pub wanted_path: String,
    settings: Settings,
    destination: Destination,
}

/// Returns the ending of names of logs.
pub fn suffix() -> String {
    std::env::var("ZEEK_LOG_SUFFIX")
        .ok()
        .filter(|suffix| !suffix.is_empty())
        .unwrap_or_else(|| "log".to_owned())
}

/// Writes a row to the log of a path, which is opened as needed.
pub fn write(engine: &mut Engine, stream: i64, filter: &Rc<Filter>, path: &str, row: &[Value]) {
    let Some(place) = place_of(engine, stream, filter, path) else {
        engine.frameworks.log.lost += 1;
        return;
    };
    let Some(log) = engine.frameworks.log.writers.get(place) else { return };
    let mut line = Vec::new();
    line_of(&log.settings, log, row, engine.types(), &mut line);
    let is_unbuffered = engine.frameworks.log.stream(stream).is_some_and(|stream| stream.is_unbuffered);
    put(engine, place, &line);
    if is_unbuffered {
        flush(engine, |log| log.stream == stream);
    }
}

fn line_of(
    settings: &Settings,
    log: &OpenLog,
    row: &[Value],
    types: &crate::types::Types,
    line: &mut Vec<u8>,
) {
    if let Some(form) = &settings.json {
        json::row(form, &log.filter.columns, row, types, line);
        line.push(b'\n');
        return;
    }
    for (at, value) in row.iter().enumerate() {
        if at > 0 {
            line.extend_from_slice(&settings.separators.column);
        }
        ascii::value(value, types, &settings.separators, line);
    }
    if !settings.meta_prefix.is_empty()
        && line.starts_with(&settings.meta_prefix)
        && let Some(first) = line.first().copied()
    {
        // A row must not look like a line that is none.
        line.splice(0..1, format!("\\x{first:02x}").into_bytes());
    }
    line.push(b'\n');
}

fn put(engine: &mut Engine, place: u64, bytes: &[u8]) {
    let Some(log) = engine.frameworks.log.writers.get_mut(place) else { return };
    let done = match &mut log.destination {
        Destination::Stdout => {
            engine.output.print(bytes);
            Ok(())
        }
        Destination::Stderr => {
            engine.output.error(&String::from_utf8_lossy(bytes));
            Ok(())
        }
        Destination::File(file) => file.write_all(bytes),
        Destination::Gzip(file) => file.write_all(bytes),
        Destination::Nowhere => Ok(()),
    };
    if let Err(error) = done {
        log.destination = Destination::Nowhere;
        let text = format!("cannot write to {}: {error}", log.file_name.clone().unwrap_or_default());
        engine.report("error", "", &text);
    }
}

/// Returns the place of the log for a path. Where another filter of the stream writes other columns to it, the path gets a number.
fn place_of(engine: &mut Engine, stream: i64, filter: &Rc<Filter>, wanted: &str) -> Option<u64> {
    let logs = &engine.frameworks.log.writers;
    if let Some(place) = logs.own(stream, filter, wanted) {
        return Some(place);
    }
    let mut path = wanted.to_owned();
    let mut other = None;
    for number in 2..=MOST_WRITERS {
        let Some(place) = logs.of_path(stream, filter.writer, &path) else { break };
        let known = logs.get(place)?;
        let is_same = known.filter.columns.len() == filter.columns.len()
            && known
                .filter
                .columns
                .iter()
                .zip(&filter.columns)
                .all(|(a, b)| a.name == b.name && a.word == b.word);
        if is_same {
            return Some(place);
        }
        other = Some(known.filter.name.clone());
        path = format!("{wanted}-{number}");
    }
    if let Some(other) = other {
        let text = format!(
            "Write using filter '{}' on path '{wanted}' changed to use new path '{path}' to avoid conflict with filter '{other}'",
            filter.name
        );
        engine.report("warning", "", &text);
    }
    open(engine, stream, filter, wanted, path)
}

fn open(engine: &mut Engine, stream: i64, filter: &Rc<Filter>, wanted: &str, path: String) -> Option<u64> {
    if engine.frameworks.log.writers.len() >= MOST_WRITERS {
        engine.report("error", "", "too many logs are open");
        return None;
    }
    let settings = Settings::of(engine, &filter.config);
    let mut file_name = None;
    let destination = match filter.writer {
        WriterKind::None => Destination::Nowhere,
        WriterKind::Absent => {
            let text = format!("the writer of filter '{}' is not available: its rows are lost", filter.name);
            engine.report("error", "", &text);
            Destination::Nowhere
        }
        WriterKind::Ascii if settings.is_stdout || path == "/dev/stdout" => Destination::Stdout,
        WriterKind::Ascii if path == "/dev/stderr" => Destination::Stderr,
        WriterKind::Ascii => {
            let name = name_of(&settings, &path);
            let destination = open_file(engine, &settings, &name);
            file_name = Some(name);
            destination
        }
    };
    let opened = engine.now();
    let next_rotation = (filter.rotation_interval > 0.0 && file_name.is_some())
        .then(|| rotation::next(opened, filter.rotation_interval));
    if next_rotation.is_some()
        && let Some(name) = &file_name
    {
        rotation::leave_shadow(engine, name, filter);
    }
    let is_text = filter.writer == WriterKind::Ascii;
    let place = engine.frameworks.log.writers.insert(OpenLog {
        stream,
        filter: filter.clone(),
        path,
        opened,
        next_rotation,
        file_name,
        wanted_path: wanted.to_owned(),
        settings,
        destination,
    });
    if is_text {
        begin(engine, place);
    }
    Some(place)
}

fn name_of(settings: &Settings, path: &str) -> String {
    let ending =
        if settings.gzip_level > 0 { format!(".{}", settings.gzip_extension) } else { String::new() };
    let name = format!("{path}.{}{ending}", suffix());
    if settings.folder.is_empty() || name.starts_with('/') {
        name
    } else {
        format!("{}/{name}", settings.folder)
    }
}

fn open_file(engine: &mut Engine, settings: &Settings, name: &str) -> Destination {
    match File::create(name) {
        Ok(file) if settings.gzip_level > 0 => Destination::Gzip(Box::new(GzEncoder::new(
            BufWriter::new(file),
            Compression::new(settings.gzip_level),
        ))),
        Ok(file) => Destination::File(BufWriter::new(file)),
        Err(error) => {
            engine.report("error", "", &format!("{name}: cannot open log file: {error}"));
            Destination::Nowhere
        }
    }
}

/// Returns the date for the lines `#open` and `#close`: that of packets, or of the clock where there are none.
fn date(engine: &Engine) -> String {
    let now = if engine.has_packets && engine.now() > 0.0 { engine.now() } else { crate::clock::now() };
    crate::builtins::date(now, "%Y-%m-%d-%H-%M-%S").unwrap_or_default()
}

/// Writes what comes before the rows.
fn begin(engine: &mut Engine, place: u64) {
    let now = date(engine);
    let Some(log) = engine.frameworks.log.writers.get(place) else { return };
    let settings = &log.settings;
    if settings.json.is_some() || !settings.has_meta {
        return;
    }
    let column = &settings.separators.column;
    let list = |words: &mut dyn Iterator<Item = &str>| {
        words.map(str::as_bytes).collect::<Vec<_>>().join(column.as_slice())
    };
    let names = list(&mut log.filter.columns.iter().map(|column| column.name.as_str()));
    let types = list(&mut log.filter.columns.iter().map(|column| column.word.as_str()));
    let mut out = Vec::new();
    if settings.is_plain {
        out.extend_from_slice(&names);
        out.push(b'\n');
        put(engine, place, &out);
        return;
    }
    out.extend_from_slice(&settings.meta_prefix);
    out.extend_from_slice(b"separator ");
    ascii::escape(column, &[], false, &mut out);
    out.push(b'\n');
    let mut path = Vec::new();
    ascii::escape(log.path.as_bytes(), &[], false, &mut path);
    let escaped = |bytes: &[u8]| {
        let mut out = Vec::new();
        ascii::escape(bytes, &[], false, &mut out);
        out
    };
    let lines = [
        ("set_separator", escaped(&settings.separators.set)),
        ("empty_field", escaped(&settings.separators.empty)),
        ("unset_field", escaped(&settings.separators.unset)),
        ("path", path),
        ("open", now.into_bytes()),
        ("fields", names),
        ("types", types),
    ];
    for (name, text) in lines {
        meta(settings, name, &text, &mut out);
    }
    put(engine, place, &out);
}

fn meta(settings: &Settings, name: &str, text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&settings.meta_prefix);
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(&settings.separators.column);
    out.extend_from_slice(text);
    out.push(b'\n');
}

/// Writes the end of a log and closes its file.
pub fn close(engine: &mut Engine, place: u64) -> Option<OpenLog> {
    let now = date(engine);
    let log = engine.frameworks.log.writers.get(place)?;
    let has_end = log.filter.writer == WriterKind::Ascii
        && log.settings.json.is_none()
        && log.settings.has_meta
        && !log.settings.is_plain;
    if has_end {
        let mut out = Vec::new();
        meta(&log.settings, "close", now.as_bytes(), &mut out);
        put(engine, place, &out);
    }
    let mut log = engine.frameworks.log.writers.remove(place)?;
    let done = match std::mem::replace(&mut log.destination, Destination::Nowhere) {
        Destination::File(mut file) => file.flush(),
        Destination::Gzip(file) => file.finish().and_then(|mut file| file.flush()),
        _ => Ok(()),
    };
    if let Err(error) = done {
        let text = format!("cannot write to {}: {error}", log.file_name.clone().unwrap_or_default());
        engine.report("error", "", &text);
    }
    if log.next_rotation.is_some()
        && let Some(name) = &log.file_name
    {
        rotation::remove_shadow(name);
    }
    Some(log)
}

/// Closes logs.
pub fn close_all(engine: &mut Engine, is_meant: impl Fn(&OpenLog) -> bool) {
    while let Some(place) = engine.frameworks.log.writers.first(&is_meant) {
        close(engine, place);
    }
}

/// Writes what waits in memory.
pub fn flush(engine: &mut Engine, is_meant: impl Fn(&OpenLog) -> bool) {
    for log in engine.frameworks.log.writers.iter_mut().filter(|log| is_meant(log)) {
        // What cannot be written is reported when more is, or at the end.
        let _ = match &mut log.destination {
            Destination::File(file) => file.flush(),
            Destination::Gzip(file) => file.flush(),
            _ => Ok(()),
        };
    }
}
