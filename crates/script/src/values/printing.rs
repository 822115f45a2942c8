//! Values as text, in the forms that `print`, `fmt` and messages have.

use std::rc::Rc;

use super::{Value, double_text, interval_text};
use crate::syntax::listing::without_tabs;
use crate::types::{Type, Types};

/// How strings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As they are.
    Raw,
    /// As they are; what is no string stands behind a tab for each table around it.
    Indented,
    /// Bytes that are not printable as `\xNN`.
    Escaped,
}

/// The deepest nesting that is written.
const DEPTH: usize = 500;

/// Returns a value as text, strings as they are.
pub fn text_of(value: &Value, types: &Types) -> Vec<u8> {
    let mut out = Vec::new();
    print_value(value, types, Style::Raw, &mut out);
    out
}

/// Writes a value.
pub fn print_value(value: &Value, types: &Types, style: Style, out: &mut Vec<u8>) {
    Printer { types, style, tables: 0, open: Vec::new() }.value(value, out);
}

/// Writes a string, bytes that are not printable as `\xNN`.
pub fn escaped(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        if (0x20..0x7f).contains(byte) {
            out.push(*byte);
        } else {
            out.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
        }
    }
}

struct Printer<'a> {
    types: &'a Types,
    style: Style,
    /// Tables around what is written.
    tables: usize,
    /// Containers that are being written, to find cycles.
    open: Vec<usize>,
}

impl Printer<'_> {
    fn value(&mut self, value: &Value, out: &mut Vec<u8>) {
        match value {
            Value::Unset => out.extend_from_slice(b"<uninitialized>"),
            Value::Bool(inner) => out.push(if *inner { b'T' } else { b'F' }),
            Value::Int(inner) => out.extend_from_slice(inner.to_string().as_bytes()),
            Value::Count(inner) => out.extend_from_slice(inner.to_string().as_bytes()),
            Value::Double(inner) | Value::Time(inner) => {
                out.extend_from_slice(double_text(*inner, 6).as_bytes());
            }
            Value::Interval(inner) => out.extend_from_slice(interval_text(*inner, 6).as_bytes()),
            Value::Enum(ty, inner) => {
                let name = self.types.enumeration(*ty).and_then(|known| known.names.get(inner));
                out.extend_from_slice(name.map_or("<undefined>", |name| name).as_bytes());
            }
            Value::Port(inner) => out.extend_from_slice(inner.to_string().as_bytes()),
            Value::Addr(inner) => out.extend_from_slice(inner.to_string().as_bytes()),
            Value::Subnet(inner) => out.extend_from_slice(inner.to_string().as_bytes()),
            Value::String(bytes) => match self.style {
                Style::Raw | Style::Indented => out.extend_from_slice(bytes),
                Style::Escaped => escaped(bytes, out),
            },
            Value::Pattern(pattern) => {
                out.push(b'/');
                out.extend_from_slice(pattern.text().as_bytes());
                out.push(b'/');
            }
            Value::List(parts) => self.sequence(parts, out),
            Value::Record(_) | Value::Table(_) | Value::Vector(_) => self.container(value, out),
            Value::Function(inner) => self.function(inner.function, out),
            Value::File(file) => {
                out.extend_from_slice(format!("file \"{}\" of string", file.name).as_bytes())
            }
            Value::Opaque(inner) => {
                out.extend_from_slice(format!("<opaque of {}>", inner.name()).as_bytes());
            }
            Value::Type(ty) => {
                let name = self.types.name_of(*ty);
                let text = name.map_or_else(|| self.types.text(*ty), |name| name.to_string());
                out.extend_from_slice(text.as_bytes());
            }
            Value::Cursor(_) => out.extend_from_slice(b"<loop>"),
        }
    }

    /// Writes a function as its name and, where it is a script's, its statements; `print` has no tabs before them.
    fn function(&self, number: u32, out: &mut Vec<u8>) {
        let Some(text) = self.types.function_text(number) else { return };
        if self.style == Style::Escaped {
            out.extend_from_slice(without_tabs(text).as_bytes());
        } else {
            out.extend_from_slice(text.as_bytes());
        }
    }

    fn sequence(&mut self, parts: &[Value], out: &mut Vec<u8>) {
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                out.extend_from_slice(b", ");
            }
            if part.is_set() {
                self.value(part, out);
            }
        }
    }

    fn container(&mut self, value: &Value, out: &mut Vec<u8>) {
        let address = match value {
            Value::Record(inner) => Rc::as_ptr(inner) as usize,
            Value::Table(inner) => Rc::as_ptr(inner) as usize,
            Value::Vector(inner) => Rc::as_ptr(inner) as usize,
            _ => 0,
        };
        if self.open.contains(&address) || self.open.len() > DEPTH {
            out.extend_from_slice(b"<cycle>");
            return;
        }
        self.open.push(address);
        match value {
            Value::Record(record) => {
                out.push(b'[');
                let fields = record.all();
                let known = self.types.record(record.ty).map_or(&[][..], |record| &record.fields);
                for (at, field) in known.iter().enumerate() {
                    if at > 0 {
                        out.extend_from_slice(b", ");
                    }
                    out.extend_from_slice(field.name.as_bytes());
                    out.push(b'=');
                    self.value(fields.get(at).unwrap_or(&Value::Unset), out);
                }
                out.push(b']');
            }
            Value::Vector(vector) => {
                out.push(b'[');
                self.sequence(&vector.all(), out);
                out.push(b']');
            }
            Value::Table(table) => self.table(table, out),
            _ => {}
        }
        self.open.pop();
    }

    fn table(&mut self, table: &Rc<super::TableValue>, out: &mut Vec<u8>) {
        let is_set = !matches!(self.types.get(table.ty.get()), Type::Table { value: Some(_), .. });
        out.extend_from_slice(b"{\n");
        self.tables += 1;
        for (at, entry) in table.entries().iter().enumerate() {
            if at > 0 {
                out.extend_from_slice(b",\n");
            }
            let parts = entry.key.parts();
            let has_brackets = !is_set || parts.len() != 1;
            if has_brackets || !matches!(parts.first(), Some(Value::String(_))) {
                self.indent(out);
            }
            if has_brackets {
                out.push(b'[');
            }
            self.sequence(parts, out);
            if has_brackets {
                out.push(b']');
            }
            if !is_set {
                out.extend_from_slice(b" = ");
                self.value(&entry.value, out);
            }
        }
        self.tables -= 1;
        out.push(b'\n');
        self.indent(out);
        out.push(b'}');
    }

    fn indent(&self, out: &mut Vec<u8>) {
        if self.style == Style::Indented {
            out.resize(out.len() + self.tables, b'\t');
        }
    }
}
