//! The input framework: tables and events that are filled from files, from what commands write, and from files of options.
//!
//! A stream is read when frameworks are polled, never within the function that adds it. `lines.rs` follows files and
//! commands, `ascii.rs` and `options.rs` make values of their lines, `delivery.rs` puts these into tables or events.

mod ascii;
mod delivery;
mod lines;
mod options;
mod values;

use std::rc::Rc;

use super::files::{self, Reading};
use crate::builtins::{Builtin, argument, row, text};
use crate::types::TypeId;
use crate::values::{FunctionValue, RecordValue, Value};
use crate::vm::Engine;
use delivery::Target;
use lines::Follower;

/// Most streams.
const MOST_STREAMS: usize = 1 << 12;
/// Messages about one stream that are shown before the others are only counted.
const MOST_MESSAGES: u64 = 10;

/// Built-in functions, which the prelude declares.
pub const ROWS: &[Builtin] = &[
    row("Input::add_table", "", |e, a| Ok(Value::Bool(add(e, &argument(a, 0), What::Table)))),
    row("Input::__create_table_stream", "", |e, a| Ok(Value::Bool(add(e, &argument(a, 0), What::Table)))),
    row("Input::add_event", "", |e, a| Ok(Value::Bool(add(e, &argument(a, 0), What::Event)))),
    row("Input::__create_event_stream", "", |e, a| Ok(Value::Bool(add(e, &argument(a, 0), What::Event)))),
    row("Input::add_analysis", "", |e, a| Ok(Value::Bool(add(e, &argument(a, 0), What::Analysis)))),
    row("Input::__create_analysis_stream", "", |e, a| {
        Ok(Value::Bool(add(e, &argument(a, 0), What::Analysis)))
    }),
    row("Input::remove", "", |e, a| Ok(Value::Bool(remove(e, &text(a, 0))))),
    row("Input::__remove_stream", "", |e, a| Ok(Value::Bool(remove(e, &text(a, 0))))),
    row("Input::force_update", "", |e, a| Ok(Value::Bool(force(e, &text(a, 0))))),
    row("Input::__force_update", "", |e, a| Ok(Value::Bool(force(e, &text(a, 0))))),
];

/// What a stream fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Table,
    Event,
    Analysis,
}

/// When a source is read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// When scripts ask for it.
    Manual,
    /// When it has changed.
    Reread,
    /// What is appended is read at once.
    Stream,
}

/// Who makes values of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Ascii,
    Raw,
    Options,
}

/// A field that is read: its name in the source, its type, and the column with its protocol, for ports.
#[derive(Clone, Debug)]
struct Wanted {
    name: String,
    ty: TypeId,
    protocol: Option<String>,
    is_optional: bool,
}

/// A stream.
struct Stream {
    name: String,
    source: String,
    description: Rc<RecordValue>,
    mode: Mode,
    reader: Reader,
    reader_name: String,
    config: Vec<(String, String)>,
    fields: Rc<[Wanted]>,
    target: Target,
    errors: Option<Rc<FunctionValue>>,
    follower: Follower,
    ascii: ascii::State,
    options: options::State,
    /// It is read at the next poll, whatever the source.
    is_due: bool,
    /// It ends when it was read.
    is_removed: bool,
    /// It cannot be read any more.
    is_failed: bool,
    messages: u64,
    last_message: String,
}

/// All streams.
#[derive(Default)]
pub struct Manager {
    streams: Vec<Stream>,
}

fn add(engine: &mut Engine, description: &Value, what: What) -> bool {
    let Value::Record(description) = description else { return false };
    let name = engine.field(description, "name").text();
    if engine.frameworks.input.streams.iter().any(|stream| stream.name == name && !stream.is_removed) {
        engine.report("error", "", &format!("Input stream with name '{name}' already exists!"));
        return false;
    }
    if engine.frameworks.input.streams.len() >= MOST_STREAMS {
        engine.report("error", "", "too many input streams");
        return false;
    }
    let word = |engine: &Engine, field: &str| super::log::name_of(engine, &engine.field(description, field));
    let reader_name = word(engine, "reader");
    let reader = match reader_name.as_str() {
        "Input::READER_ASCII" => Reader::Ascii,
        "Input::READER_RAW" => Reader::Raw,
        "Input::READER_CONFIG" => Reader::Options,
        "Input::READER_BINARY" if what == What::Analysis => return add_file(engine, description, &name),
        _ => {
            engine.report(
                "error",
                "",
                &format!("the reader {reader_name} of input stream '{name}' is not available"),
            );
            return false;
        }
    };
    if what == What::Analysis {
        return true;
    }
    let mode = match word(engine, "mode").as_str() {
        "Input::REREAD" => Mode::Reread,
        "Input::STREAM" => Mode::Stream,
        _ => Mode::Manual,
    };
    let (fields, target) = match delivery::target(engine, description, what) {
        Ok(found) => found,
        Err(text) => {
            engine.report("error", "", &format!("Input stream {name}: {text}"));
            return false;
        }
    };
    let errors = match engine.field(description, "error_ev") {
        Value::Function(function) => Some(function),
        _ => None,
    };
    let source = engine.field(description, "source").text();
    let config = super::log::pairs(&engine.field(description, "config"));
    let prefix = engine.global("InputAscii::path_prefix").map(|value| value.text()).unwrap_or_default();
    let follower = Follower::new(&source, &prefix, reader == Reader::Raw, &config);
    engine.frameworks.input.streams.push(Stream {
        name,
        source,
        description: description.clone(),
        mode,
        reader,
        reader_name,
        ascii: ascii::State::default(),
        options: options::State::default(),
        config,
        fields,
        target,
        errors,
        follower,
        is_due: true,
        is_removed: false,
        is_failed: false,
        messages: 0,
        last_message: String::new(),
    });
    true
}

/// Has a file be analysed.
fn add_file(engine: &mut Engine, description: &RecordValue, name: &str) -> bool {
    let source = engine.field(description, "source").text();
    let prefix = engine.global("InputBinary::path_prefix").map(|value| value.text()).unwrap_or_default();
    let path = lines::placed(&source, &prefix);
    let mode = super::log::name_of(engine, &engine.field(description, "mode"));
    let reading = match mode.as_str() {
        "Input::REREAD" => Reading::Again,
        "Input::STREAM" => Reading::On,
        _ => Reading::Once,
    };
    files::add_source(engine, name, &source, path, reading)
}

fn remove(engine: &mut Engine, name: &str) -> bool {
    if files::remove_source(engine, name) {
        return true;
    }
    let found =
        engine.frameworks.input.streams.iter_mut().find(|stream| stream.name == name && !stream.is_removed);
    match found {
        Some(stream) => {
            stream.is_removed = true;
            true
        }
        None => {
            engine.report("error", "", &format!("Input stream '{name}' does not exist for removal!"));
            false
        }
    }
}

fn force(engine: &mut Engine, name: &str) -> bool {
    if files::force_source(engine, name) {
        return true;
    }
    let found = engine.frameworks.input.streams.iter_mut().find(|stream| stream.name == name);
    match found {
        Some(stream) => {
            stream.is_due = true;
            true
        }
        None => {
            engine.report("error", "", &format!("Input stream {name} does not exist"));
            false
        }
    }
}

/// Reads what is new in all sources.
pub fn poll(engine: &mut Engine) {
    if engine.frameworks.input.streams.is_empty() {
        return;
    }
    // Predicates may add streams meanwhile.
    let mut streams = std::mem::take(&mut engine.frameworks.input.streams);
    for stream in &mut streams {
        read(engine, stream);
    }
    streams.retain(|stream| !stream.is_removed || stream.follower.is_waited_for());
    let added = std::mem::replace(&mut engine.frameworks.input.streams, streams);
    engine.frameworks.input.streams.extend(added);
}

/// Returns whether a command is still running whose end scripts wait for.
pub fn is_busy(engine: &Engine) -> bool {
    engine.frameworks.input.streams.iter().any(|stream| stream.follower.is_waited_for())
}

fn read(engine: &mut Engine, stream: &mut Stream) {
    if stream.is_failed {
        return;
    }
    match stream.reader {
        Reader::Raw => read_raw(engine, stream),
        Reader::Ascii => read_ascii(engine, stream),
        Reader::Options => read_options(engine, stream),
    }
}

fn read_raw(engine: &mut Engine, stream: &mut Stream) {
    let separator = engine
        .global("InputRaw::record_separator")
        .map(|value| value.bytes().to_vec())
        .filter(|separator| !separator.is_empty())
        .unwrap_or_else(|| b"\n".to_vec());
    if stream.follower.is_command() {
        let (lines, end) = stream.follower.command_lines(&separator);
        for (line, is_error) in lines {
            delivery::line(engine, stream, &line, is_error);
        }
        match end {
            lines::End::NotYet => {}
            lines::End::Failed(error) => {
                fail(engine, stream, &format!("Could not execute command: {error}"));
            }
            lines::End::Exited { code, is_signal } => {
                end_of_data(engine, stream);
                let arguments = vec![
                    Value::string(&stream.name),
                    Value::string(&stream.source),
                    Value::Count(code),
                    Value::Bool(is_signal),
                ];
                engine.raise_named("InputRaw::process_finished", arguments);
            }
        }
        return;
    }
    if !due(engine, stream) {
        return;
    }
    let lines = match stream.mode {
        Mode::Stream => stream.follower.appended(&separator),
        _ => stream.follower.whole(&separator),
    };
    let Some(lines) = lines else { return };
    for line in lines {
        delivery::line(engine, stream, &line, false);
    }
    if stream.mode != Mode::Stream {
        end_of_data(engine, stream);
    }
}

/// Decides whether a source is read now. Reports a source that cannot be read.
fn due(engine: &mut Engine, stream: &mut Stream) -> bool {
    let was_due = std::mem::take(&mut stream.is_due);
    if !was_due && stream.mode == Mode::Manual {
        return false;
    }
    let state = stream.follower.look();
    match state {
        // What was opened is followed under whatever name it has now.
        lines::Look::Missing if stream.mode == Mode::Stream && stream.follower.is_open() => true,
        lines::Look::Missing => {
            if was_due || stream.follower.was_there() {
                let path = stream.follower.path().to_owned();
                let text = if stream.follower.was_there() {
                    format!("{path}: Could not get stat for {path}")
                } else {
                    format!("Init: cannot open {path}")
                };
                let is_fatal = is_set(engine, stream, "fail_on_file_problem");
                if is_fatal {
                    fail(engine, stream, &text);
                } else {
                    warn(engine, stream, &text);
                }
            }
            stream.follower.forget();
            false
        }
        lines::Look::Changed => true,
        lines::Look::Same => was_due || stream.mode == Mode::Stream,
    }
}

fn read_ascii(engine: &mut Engine, stream: &mut Stream) {
    if !due(engine, stream) {
        return;
    }
    let lines = match stream.mode {
        Mode::Stream => {
            if stream.follower.is_other() {
                stream.ascii = ascii::State::default();
            }
            stream.follower.appended_whole(b"\n")
        }
        _ => {
            stream.ascii = ascii::State::default();
            stream.follower.whole(b"\n")
        }
    };
    let Some(lines) = lines else { return };
    let form = values::Form::ascii(engine, &stream.config);
    for line in lines {
        if stream.is_failed {
            return;
        }
        ascii::line(engine, stream, &form, &line);
    }
    if stream.mode != Mode::Stream && !stream.is_failed {
        delivery::sweep(engine, stream);
        end_of_data(engine, stream);
    }
}

fn read_options(engine: &mut Engine, stream: &mut Stream) {
    if !due(engine, stream) {
        return;
    }
    let Some(lines) = stream.follower.whole(b"\n") else { return };
    let form = values::Form::options(engine, &stream.config);
    for line in lines {
        options::line(engine, stream, &form, &line);
    }
    delivery::sweep(engine, stream);
    end_of_data(engine, stream);
}

fn end_of_data(engine: &mut Engine, stream: &Stream) {
    let arguments = vec![Value::string(&stream.name), Value::string(&stream.source)];
    engine.raise_named("Input::end_of_data", arguments);
}

fn is_set(engine: &Engine, stream: &Stream, name: &str) -> bool {
    match stream.config.iter().find(|(known, _)| known == name) {
        Some((_, value)) => value == "T",
        None => {
            let module = if stream.reader == Reader::Options { "InputConfig" } else { "InputAscii" };
            engine.global(&format!("{module}::{name}")).is_some_and(|value| value.is_true())
        }
    }
}

/// Tells of something wrong with a source; reading goes on.
fn warn(engine: &mut Engine, stream: &mut Stream, text: &str) {
    tell(engine, stream, "warning", "Reporter::WARNING", "", text);
}

/// Tells of something wrong with a line; reading goes on.
fn warn_of_line(engine: &mut Engine, stream: &mut Stream, line: u64, text: &str) {
    let place = format!("{}, line {line}: ", stream.source);
    tell(engine, stream, "warning", "Reporter::WARNING", &place, text);
}

/// Ends a stream that cannot be read.
fn fail(engine: &mut Engine, stream: &mut Stream, text: &str) {
    stream.is_failed = true;
    for text in [text, "Init failed", "terminating thread"] {
        tell(engine, stream, "error", "Reporter::ERROR", "", text);
    }
}

fn tell(engine: &mut Engine, stream: &mut Stream, severity: &str, level: &str, place: &str, text: &str) {
    if stream.last_message == text {
        return;
    }
    stream.last_message = text.to_owned();
    stream.messages += 1;
    if stream.messages <= MOST_MESSAGES || severity == "error" {
        let before = engine.errors;
        engine.report(severity, "", &format!("{}/{}: {place}{text}", stream.source, stream.reader_name));
        engine.errors = before;
    }
    if let Some(event) = &stream.errors
        && text != "terminating thread"
    {
        let level = engine.program.enum_named(level).unwrap_or_default();
        let arguments = vec![Value::Record(stream.description.clone()), Value::string(text), level];
        engine.raise(event.function, arguments);
    }
}
