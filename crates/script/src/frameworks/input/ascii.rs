//! Lines with columns, under a line with the columns' names.

use super::values::{Form, field};
use super::{Stream, delivery, fail, is_set, warn, warn_of_line};
use crate::values::Value;
use crate::vm::Engine;

/// Where columns are.
#[derive(Debug, Default)]
pub struct State {
    /// For each field, the places of its column and of the one with its protocol.
    places: Option<Vec<(Option<usize>, Option<usize>)>>,
    /// The number of the last line.
    line: u64,
}

/// Takes a line.
pub fn line(engine: &mut Engine, stream: &mut Stream, form: &Form, line: &[u8]) {
    stream.ascii.line += 1;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if stream.ascii.places.is_none() {
        header(engine, stream, form, line);
        return;
    }
    if line.starts_with(b"#") || line.is_empty() {
        return;
    }
    let columns = columns(line, &form.column);
    let places = stream.ascii.places.clone().unwrap_or_default();
    let fields = stream.fields.clone();
    let mut values = Vec::with_capacity(fields.len());
    for (wanted, (place, protocol)) in fields.iter().zip(&places) {
        let Some(place) = *place else {
            values.push(Value::Unset);
            continue;
        };
        let Some(text) = columns.get(place) else {
            too_few(engine, stream, line, &columns, place);
            return;
        };
        let protocol = protocol.and_then(|place| columns.get(place).copied());
        match field(engine, form, wanted, text, protocol) {
            Ok(value) => values.push(value),
            Err(sentence) if sentence.ends_with("is not a valid enum.") => {
                let sentence = sentence.replace("{stream}", &stream.name);
                let text = format!("{}, line {}: {sentence}", stream.source, stream.ascii.line);
                engine.report("warning", "", &text);
                return;
            }
            Err(sentence) => {
                let number = stream.ascii.line;
                warn_of_line(engine, stream, number, &sentence);
                let shown = String::from_utf8_lossy(line).into_owned();
                let path = stream.follower.path().to_owned();
                let text = format!("Could not convert line '{shown}' of {path} to Val. Ignoring line.");
                warn_of_line(engine, stream, number, &text);
                return;
            }
        }
    }
    delivery::values(engine, stream, values);
}

fn too_few(engine: &mut Engine, stream: &mut Stream, line: &[u8], columns: &[&[u8]], place: usize) {
    let text = format!(
        "Not enough fields in line '{}' of {}. Found {} fields, want positions {place} and -1",
        String::from_utf8_lossy(line),
        stream.follower.path(),
        columns.len().saturating_sub(1)
    );
    if is_set(engine, stream, "fail_on_invalid_lines") {
        fail(engine, stream, &text);
    } else {
        let number = stream.ascii.line;
        warn_of_line(engine, stream, number, &text);
    }
}

fn columns<'a>(line: &'a [u8], separator: &[u8]) -> Vec<&'a [u8]> {
    let mut all = Vec::new();
    let mut rest = line;
    while !separator.is_empty()
        && let Some(at) = memchr::memmem::find(rest, separator)
    {
        all.push(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + separator.len()..).unwrap_or_default();
    }
    all.push(rest);
    all
}

/// Takes the line with the columns' names; other lines with a mark before it are passed over.
fn header(engine: &mut Engine, stream: &mut Stream, form: &Form, line: &[u8]) {
    let mut mark = b"#fields".to_vec();
    mark.extend_from_slice(&form.column);
    let names = match line.strip_prefix(mark.as_slice()) {
        Some(names) => names,
        None if line.starts_with(b"#") => return,
        None => line,
    };
    let names: Vec<String> =
        columns(names, &form.column).iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let find = |wanted: &str| names.iter().position(|name| name == wanted);
    let mut places = Vec::new();
    for wanted in stream.fields.clone().iter() {
        let place = find(&wanted.name);
        let protocol = wanted.protocol.as_deref().and_then(find);
        let missing = match (&place, &wanted.protocol) {
            (None, _) if !wanted.is_optional => Some(wanted.name.clone()),
            (_, Some(name)) if protocol.is_none() => Some(name.clone()),
            _ => None,
        };
        if let Some(name) = missing {
            let path = stream.follower.path().to_owned();
            let text = format!("Did not find requested field {name} in input data file {path}.");
            if is_set(engine, stream, "fail_on_file_problem") {
                fail(engine, stream, &text);
            } else {
                warn(engine, stream, &text);
            }
            return;
        }
        places.push((place, protocol));
    }
    stream.ascii.places = Some(places);
}
