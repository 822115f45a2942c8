//! Values to JSON and back.

use std::rc::Rc;

use super::{Builtin, argument, is_true, row};
use crate::frameworks::log::json_number;
use crate::patterns::Pattern;
use crate::types::TypeId;
use crate::values::{Value, VectorValue};
use crate::vm::{Engine, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row(
        "to_json",
        "(val: any, only_loggable: bool &default=F, field_escape_pattern: pattern &default=/^_/, interval_as_double: bool &default=F): string",
        |e, a| {
            let pattern = match argument(a, 2) {
                Value::Pattern(pattern) => Some(pattern),
                _ => None,
            };
            let writer = Writer { loggable: is_true(a, 1), pattern, interval_as_double: is_true(a, 3) };
            let mut out = Vec::new();
            writer.value(e, &argument(a, 0), &mut out, 0);
            Ok(Value::string(out))
        },
    ),
    row("from_json_default_key_mapper", "(s: string): string", |_, a| Ok(argument(a, 0))),
    row(
        "from_json",
        "(s: string, t: any, key_func: string_mapper &default=from_json_default_key_mapper): from_json_result",
        super::json_reading::from_json,
    ),
];

/// Returns an empty vector of a named type.
pub fn empty_vector(engine: &mut Engine, name: &str) -> Value {
    let ty = engine.program.type_named(name).unwrap_or(TypeId::ANY);
    Value::Vector(Rc::new(VectorValue::new(ty, Vec::new())))
}

/// How values are written.
pub struct Writer {
    /// Only fields that are logged.
    pub loggable: bool,
    /// Fields whose names match lose what matches.
    pub pattern: Option<Rc<Pattern>>,
    /// Intervals as numbers.
    pub interval_as_double: bool,
}

/// The deepest nesting.
const DEPTH: usize = 100;

impl Writer {
    /// Writes a value.
    pub fn value(&self, engine: &Engine, value: &Value, out: &mut Vec<u8>, depth: usize) {
        if depth > DEPTH {
            out.extend_from_slice(b"null");
            return;
        }
        match value {
            Value::Unset => out.extend_from_slice(b"null"),
            Value::Bool(inner) => out.extend_from_slice(if *inner { b"true" } else { b"false" }),
            Value::Int(inner) => out.extend_from_slice(inner.to_string().as_bytes()),
            Value::Count(inner) => out.extend_from_slice(inner.to_string().as_bytes()),
            Value::Time(inner) => out.extend_from_slice(json_number(*inner).as_bytes()),
            Value::Double(inner) => out.extend_from_slice(json_number(*inner).as_bytes()),
            Value::Interval(inner) if self.interval_as_double => {
                out.extend_from_slice(json_number(*inner).as_bytes())
            }
            Value::Port(port) => {
                let text = format!("{{\"port\":{},\"proto\":\"{}\"}}", port.number, port.word());
                out.extend_from_slice(text.as_bytes());
            }
            Value::Table(table) => self.table(engine, table, out, depth),
            Value::Vector(vector) => {
                out.push(b'[');
                for (at, element) in vector.all().iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    self.value(engine, element, out, depth + 1);
                }
                out.push(b']');
            }
            Value::Record(record) => {
                out.push(b'{');
                let fields = engine.types().record(record.ty).map_or(&[][..], |known| &known.fields);
                let mut is_first = true;
                for (place, field) in fields.iter().enumerate() {
                    let held = record.get(place);
                    if !held.is_set() || (self.loggable && !field.log) {
                        continue;
                    }
                    if !std::mem::replace(&mut is_first, false) {
                        out.push(b',');
                    }
                    string(self.name(&field.name).as_bytes(), out);
                    out.push(b':');
                    self.value(engine, &held, out, depth + 1);
                }
                out.push(b'}');
            }
            Value::List(parts) => {
                out.push(b'[');
                for (at, part) in parts.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    self.value(engine, part, out, depth + 1);
                }
                out.push(b']');
            }
            other => {
                let mut text = Vec::new();
                engine.print_one(other, crate::values::Style::Raw, &mut text);
                string(&text, out);
            }
        }
    }

    fn name(&self, name: &str) -> String {
        match &self.pattern {
            Some(pattern) => match pattern.find(name.as_bytes(), 0) {
                Some((0, to)) if to > 0 => name.get(to..).unwrap_or("").to_owned(),
                _ => name.to_owned(),
            },
            None => name.to_owned(),
        }
    }

    fn table(&self, engine: &Engine, table: &Rc<crate::values::TableValue>, out: &mut Vec<u8>, depth: usize) {
        let is_set = engine.types().is_set(table.ty.get());
        out.push(if is_set { b'[' } else { b'{' });
        for (at, entry) in table.entries().iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            if is_set {
                self.value(engine, &entry.key.0, out, depth + 1);
                continue;
            }
            match &entry.key.0 {
                Value::String(_) | Value::Enum(..) | Value::Addr(_) | Value::Subnet(_) => {
                    self.value(engine, &entry.key.0, out, depth + 1);
                }
                other => {
                    let mut key = Vec::new();
                    self.value(engine, other, &mut key, depth + 1);
                    string(&key, out);
                }
            }
            out.push(b':');
            self.value(engine, &entry.value, out, depth + 1);
        }
        out.push(if is_set { b']' } else { b'}' });
    }
}

/// Writes a string with quotes and escapes; bytes that are no UTF-8 as `\xNN`.
pub fn string(bytes: &[u8], out: &mut Vec<u8>) {
    let other = |byte: u8, out: &mut Vec<u8>| {
        let text = if byte < 0x20 { format!("\\u{byte:04x}") } else { format!("\\\\x{byte:02x}") };
        out.extend_from_slice(text.as_bytes());
    };
    crate::frameworks::log::json_text(bytes, other, out);
}

pub(super) fn failed(engine: &mut Engine, sentence: &str) -> Outcome<Value> {
    let fields = [("valid", Value::Bool(false)), ("err", Value::string(sentence))];
    Ok(engine.record_of("from_json_result", &fields))
}
