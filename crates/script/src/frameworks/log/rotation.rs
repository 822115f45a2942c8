//! Rotation: logs are closed after an interval, get a name with their time, and are given to a function.

use std::rc::Rc;

use super::writer::{OpenLog, close, suffix};
use super::{Filter, name_of};
use crate::values::{FunctionValue, Value};
use crate::vm::Engine;

/// The form of times in names of logs that a function takes.
const DATE: &str = "%y-%m-%d_%H.%M.%S";
/// Most files that an earlier run left.
const MOST_LEFTOVER: usize = 1 << 12;

/// Returns when a log that was opened at some time is rotated: at a multiple of the interval.
pub fn next(opened: f64, interval: f64) -> f64 {
    (opened / interval).floor() * interval + interval
}

/// Rotates logs whose time has come.
pub fn rotate_due(engine: &mut Engine) {
    let now = engine.now();
    let is_due = |log: &OpenLog| log.next_rotation.is_some_and(|due| due <= now);
    while let Some(place) = engine.frameworks.log.writers.first(is_due) {
        rotate(engine, place, false);
    }
}

/// Rotates all logs that are rotated at all, at the end.
pub fn rotate_all(engine: &mut Engine) {
    while let Some(place) = engine.frameworks.log.writers.first(|log| log.next_rotation.is_some()) {
        rotate(engine, place, true);
    }
}

fn rotate(engine: &mut Engine, place: u64, is_last: bool) {
    let Some(log) = close(engine, place) else { return };
    let Some(file) = &log.file_name else { return };
    let span = (log.opened, engine.now());
    let function = postprocessor(engine, &log.filter);
    let _ = move_and_process(engine, file, &log.path, span, is_last, function);
}

/// Returns the function that takes rotated logs of a filter.
fn postprocessor(engine: &Engine, filter: &Filter) -> Option<Rc<FunctionValue>> {
    if let Some(function) = &filter.postprocessor {
        return Some(function.clone());
    }
    let ascii = engine.program.enum_named("Log::WRITER_ASCII")?;
    match engine.global("Log::default_rotation_postprocessors")?.table()?.find(&ascii) {
        Some(Value::Function(function)) => Some(function),
        _ => None,
    }
}

/// Gives a log its new name, and to the function; returns the name.
fn move_and_process(
    engine: &mut Engine,
    file: &str,
    path: &str,
    (opened, closed): (f64, f64),
    is_last: bool,
    function: Option<Rc<FunctionValue>>,
) -> Option<String> {
    let writer = engine.program.enum_named("Log::WRITER_ASCII")?;
    let mut fields = vec![
        ("writer", writer),
        ("path", Value::string(path)),
        ("open", Value::Time(opened)),
        ("close", Value::Time(closed)),
        ("terminating", Value::Bool(is_last)),
    ];
    if let Some(function) = &function {
        fields.push(("postprocessor", Value::Function(function.clone())));
    }
    let info = engine.record_of("Log::RotationFmtInfo", &fields);
    let format = engine.function("Log::rotation_format_func")?;
    let new = match engine.call(&format, &[info]) {
        Ok(Value::Record(new)) => new,
        _ => return None,
    };
    let folder = engine.field(&new, "dir").text();
    let base = engine.field(&new, "file_basename").text();
    let ending =
        file.rsplit('/').next().and_then(|name| name.find(&format!(".{}", suffix())).map(|at| &name[at..]));
    let mut name = format!("{base}{}", ending.unwrap_or(".log"));
    if !folder.is_empty() {
        if let Err(error) = std::fs::create_dir_all(&folder) {
            engine.report(
                "error",
                "",
                &format!("cannot create the folder '{folder}' for rotated logs: {error}"),
            );
        } else {
            name = format!("{folder}/{name}");
        }
    }
    if let Err(error) = std::fs::rename(file, &name) {
        engine.report("error", "", &format!("cannot rename the log '{file}' to '{name}': {error}"));
        return None;
    }
    let function = function.or_else(|| engine.function("Log::default_ascii_rotation_postprocessor_func"));
    fields.retain(|(field, _)| *field != "postprocessor");
    fields.push(("fname", Value::string(&name)));
    let info = engine.record_of("Log::RotationInfo", &fields);
    if let Some(function) = function {
        let _ = engine.call(&function, &[info]);
    }
    Some(name)
}

/// Returns the name that a rotated log gets where scripts ask for no other (`Log::rotation_format_func`).
pub fn default_name(engine: &mut Engine, info: &Value) -> Value {
    let Value::Record(info) = info else { return Value::Unset };
    let own = engine.program.function_named("Log::default_ascii_rotation_postprocessor_func");
    let is_plain = match engine.field(info, "postprocessor") {
        Value::Function(function) => Some(function.function) == own,
        _ => true,
    };
    let has_command = engine
        .global("Log::default_rotation_postprocessor_cmd")
        .is_some_and(|command| !command.bytes().is_empty());
    let path = engine.field(info, "path").text();
    let opened = engine.field(info, "open").double();
    let base = if is_plain && !has_command {
        format!("{path}.{}", date(engine, opened))
    } else {
        format!("{path}-{}", crate::builtins::date(opened, DATE).unwrap_or_default())
    };
    engine.record_of("Log::RotationPath", &[("file_basename", Value::string(base))])
}

fn date(engine: &Engine, time: f64) -> String {
    let format =
        engine.global("Log::default_rotation_date_format").map(|value| value.text()).unwrap_or_default();
    crate::builtins::date(time, &format).unwrap_or_default()
}

/// Runs the command for rotated logs, where there is one.
pub fn run_command(engine: &mut Engine, info: &Value, name: &str) -> bool {
    let command = engine
        .global("Log::default_rotation_postprocessor_cmd")
        .map(|value| value.text())
        .unwrap_or_default();
    let Value::Record(info) = info else { return false };
    if command.is_empty() {
        return true;
    }
    let field = |name: &str| engine.field(info, name);
    let writer = name_of(engine, &field("writer")).to_lowercase().replace("log::writer_", "");
    let words = [
        name.to_owned(),
        field("path").text(),
        date(engine, field("open").double()),
        date(engine, field("close").double()),
        u8::from(field("terminating").is_true()).to_string(),
        writer,
    ];
    let variables = engine
        .global("Log::default_rotation_postprocessor_cmd_env")
        .map(|value| super::columns::pairs(&value))
        .unwrap_or_default();
    engine.output.flush();
    let done = std::process::Command::new("/bin/sh")
        .arg("-c")
        .arg(format!("{command} {} &", words.join(" ")))
        .envs(variables.into_iter().map(|(name, value)| (format!("ZEEK_ARG_{name}"), value)))
        .status();
    if let Err(error) = &done {
        engine.report("error", "", &format!("cannot run '{command}' for the rotated log '{name}': {error}"));
    }
    done.is_ok()
}

fn shadow_of(file: &str) -> String {
    match file.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/.shadow.{name}"),
        None => format!(".shadow.{file}"),
    }
}

fn keeps_shadows(engine: &Engine) -> bool {
    engine.global("LogAscii::enable_leftover_log_rotation").is_some_and(|value| value.is_true())
}

/// Leaves a file that tells the next run of a log that this one may not rotate.
pub fn leave_shadow(engine: &mut Engine, file: &str, filter: &Filter) {
    if !keeps_shadows(engine) {
        return;
    }
    let function = postprocessor(engine, filter).and_then(|function| {
        engine.program.functions.get(function.function as usize).map(|known| known.name.clone())
    });
    let text = format!(".{}\n{}\n", suffix(), function.unwrap_or_default());
    if let Err(error) = std::fs::write(shadow_of(file), text) {
        engine.report("warning", "", &format!("cannot note the log '{file}' for a later rotation: {error}"));
    }
}

/// Removes the file that tells of a log.
pub fn remove_shadow(file: &str) {
    // There is none where leftover logs are not rotated.
    let _ = std::fs::remove_file(shadow_of(file));
}

/// Rotates logs that an earlier run left.
pub fn rotate_leftover(engine: &mut Engine) {
    if !keeps_shadows(engine) {
        return;
    }
    let folder = engine.global("Log::default_logdir").map(|value| value.text()).unwrap_or_default();
    let searched = if folder.is_empty() { "." } else { &folder };
    let Ok(entries) = std::fs::read_dir(searched) else { return };
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with(".shadow."))
        .take(MOST_LEFTOVER)
        .collect();
    names.sort();
    for name in names {
        let within =
            |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let log = name.trim_start_matches(".shadow.");
        rotate_one_leftover(engine, &within(&name), &within(log), log);
    }
}

fn rotate_one_leftover(engine: &mut Engine, shadow: &str, file: &str, log: &str) {
    let text = std::fs::read_to_string(shadow).unwrap_or_default();
    let mut lines = text.lines();
    let ending = lines.next().unwrap_or(".log").to_owned();
    let wanted = lines.next().unwrap_or_default().to_owned();
    let _ = std::fs::remove_file(shadow);
    let Ok(known) = std::fs::metadata(file) else { return };
    let modified = known
        .modified()
        .ok()
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
        .map_or(0.0, |since| since.as_secs_f64());
    let shown =
        std::fs::canonicalize(file).map_or_else(|_| file.to_owned(), |path| path.display().to_string());
    let mut function = engine.function(&wanted).filter(|function| takes_rotated_logs(engine, function));
    if !wanted.is_empty() && function.is_none() {
        let text = format!(
            "Could not postprocess log '{shown}' with intended postprocessor function '{wanted}', proceeding  with the default function"
        );
        engine.report("warning", "", &text);
    }
    function = function.or_else(|| engine.function("Log::default_ascii_rotation_postprocessor_func"));
    let path = log.strip_suffix(&ending).unwrap_or(log).to_owned();
    if let Some(new) = move_and_process(engine, file, &path, (modified, modified), true, function) {
        engine.report_plain(&format!("Rotated/postprocessed leftover log '{shown}' -> '{new}' "));
    }
}

fn takes_rotated_logs(engine: &Engine, function: &FunctionValue) -> bool {
    let wanted = engine.program.type_named("Log::RotationInfo");
    engine
        .program
        .functions
        .get(function.function as usize)
        .and_then(|known| engine.program.types.signature(known.ty))
        .is_some_and(|signature| {
            signature.parameters.len() == 1 && signature.parameters.first().map(|first| first.ty) == wanted
        })
}
