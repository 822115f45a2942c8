//! Files of options: a name and a value on each line.

use std::collections::HashMap;

use super::values::{Form, value};
use super::{Stream, delivery, warn};
use crate::values::Value;
use crate::vm::Engine;

/// Most options whose last text is remembered.
const MOST_OPTIONS: usize = 1 << 16;

/// Values that were seen.
#[derive(Debug, Default)]
pub struct State {
    seen: HashMap<String, Vec<u8>>,
}

/// Takes a line.
pub fn line(engine: &mut Engine, stream: &mut Stream, form: &Form, line: &[u8]) {
    let line = line.trim_ascii();
    if line.is_empty() || line.starts_with(b"#") {
        return;
    }
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    let name = String::from_utf8_lossy(line.get(..end).unwrap_or_default()).into_owned();
    let text = line.get(end..).unwrap_or_default().trim_ascii();
    let Some(global) = engine.program.global_named(&name) else {
        warn(engine, stream, &format!("Option '{name}' does not exist. Ignoring line."));
        return;
    };
    if !global.is_option {
        warn(engine, stream, &format!("Identifier '{name}' is not an option. Ignoring line."));
        return;
    }
    let ty = global.ty;
    let read = match value(engine, form, ty, text) {
        Ok(read) => read,
        Err(sentence) => {
            if sentence.ends_with("is not a valid enum.") {
                let source = format!("source 'thread {}/{}'", stream.source, stream.reader_name);
                let before = engine.errors;
                engine.report("warning", "", &sentence.replace("stream '{stream}'", &source));
                engine.report("error", "", "SendEvent for event InputConfig::new_value failed");
                engine.errors = before;
                return;
            }
            warn(engine, stream, &sentence);
            let shown = String::from_utf8_lossy(line).into_owned();
            warn(
                engine,
                stream,
                &format!("Could not convert line '{shown}' of {}. Ignoring line.", stream.source),
            );
            return;
        }
    };
    delivery::values(engine, stream, vec![Value::string(&name), Value::string(text)]);
    let seen = &mut stream.options.seen;
    if seen.get(&name).is_some_and(|known| known == text) || seen.len() >= MOST_OPTIONS {
        return;
    }
    seen.insert(name.clone(), text.to_vec());
    let arguments =
        vec![Value::string(&stream.name), Value::string(&stream.source), Value::string(&name), read];
    engine.raise_named("InputConfig::new_value", arguments);
}
