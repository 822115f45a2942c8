//! Rows as objects of JSON, and numbers and strings as Zeek's JSON has them.

use jiff::Timestamp;

use super::ascii::{escape, is_plain_text};
use super::columns::Column;
use crate::types::Types;
use crate::values::{Style, Value, print_value};

/// Deepest nesting of containers.
const DEPTH: usize = 8;

/// How times are written (`JSON::TimestampFormat`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timestamps {
    /// Seconds since 1970.
    #[default]
    Epoch,
    /// Milliseconds since 1970.
    Milliseconds,
    /// Milliseconds since 1970, without a sign.
    UnsignedMilliseconds,
    /// `2026-01-31T12:00:00.000000Z`
    Iso8601,
}

/// How bytes that JSON cannot hold are written (`JSON::StringEscapePolicy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Escapes {
    /// As `\xNN`.
    #[default]
    Hexadecimal,
    /// As letters of a private plane of Unicode.
    PrivateUse,
    /// As columns have them.
    Columns,
}

/// What rows look like.
#[derive(Clone, Debug, Default)]
pub struct Form {
    /// Times.
    pub timestamps: Timestamps,
    /// Strings.
    pub escapes: Escapes,
    /// Columns without a value are `null`, not left out.
    pub includes_unset: bool,
}

/// Returns a number with the fewest digits that tell it from all others; `null` where it is none.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return "null".to_owned();
    }
    if value == 0.0 {
        return if value.is_sign_negative() { "-0.0" } else { "0.0" }.to_owned();
    }
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    // The place of the point, counted from the first digit.
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    if (-5..=21).contains(&point) {
        let plain = format!("{value}");
        return if plain.contains('.') { plain } else { format!("{plain}.0") };
    }
    format!("{mantissa}e{exponent}")
}

/// Writes a row.
pub fn row(form: &Form, columns: &[Column], row: &[Value], types: &Types, out: &mut Vec<u8>) {
    let writer = Writer { form, types };
    out.push(b'{');
    let mut is_first = true;
    for (column, value) in columns.iter().zip(row) {
        if !value.is_set() && !form.includes_unset {
            continue;
        }
        if !std::mem::replace(&mut is_first, false) {
            out.push(b',');
        }
        writer.string(column.name.as_bytes(), out);
        out.push(b':');
        writer.value(value, out, 0);
    }
    out.push(b'}');
}

struct Writer<'a> {
    form: &'a Form,
    types: &'a Types,
}

impl Writer<'_> {
    fn value(&self, value: &Value, out: &mut Vec<u8>, depth: usize) {
        let mut text = |text: &str| out.extend_from_slice(text.as_bytes());
        match value {
            Value::Unset => text("null"),
            Value::Bool(inner) => text(if *inner { "true" } else { "false" }),
            Value::Int(inner) => text(&inner.to_string()),
            Value::Count(inner) => text(&inner.to_string()),
            Value::Port(port) => text(&port.number.to_string()),
            Value::Double(inner) | Value::Interval(inner) => text(&number(*inner)),
            Value::Time(inner) => text(&self.time(*inner)),
            Value::String(bytes) => self.string(bytes, out),
            Value::Table(table) => {
                let keys: Vec<Value> = table.keys().into_iter().map(|key| key.0).collect();
                self.elements(&keys, out, depth);
            }
            Value::Vector(vector) => self.elements(&vector.all(), out, depth),
            other => {
                let mut text = Vec::new();
                print_value(other, self.types, Style::Raw, &mut text);
                self.string(&text, out);
            }
        }
    }

    fn elements(&self, elements: &[Value], out: &mut Vec<u8>, depth: usize) {
        out.push(b'[');
        for (at, element) in elements.iter().enumerate().take_while(|_| depth <= DEPTH) {
            if at > 0 {
                out.push(b',');
            }
            self.value(element, out, depth + 1);
        }
        out.push(b']');
    }

    fn time(&self, seconds: f64) -> String {
        match self.form.timestamps {
            Timestamps::Epoch => number(seconds),
            Timestamps::Milliseconds => ((seconds * 1000.0) as i64).to_string(),
            Timestamps::UnsignedMilliseconds => ((seconds * 1000.0) as i64 as u64).to_string(),
            Timestamps::Iso8601 => format!("\"{}\"", iso8601(seconds)),
        }
    }

    fn string(&self, bytes: &[u8], out: &mut Vec<u8>) {
        if self.form.escapes == Escapes::Columns {
            let mut text = Vec::new();
            escape(bytes, &[], true, &mut text);
            plain(&text, hexadecimal, out);
            return;
        }
        match self.form.escapes {
            Escapes::PrivateUse => plain(bytes, private_use, out),
            _ => hexadecimal_text(bytes, out),
        }
    }
}

/// Returns a time with microseconds, in UTC.
fn iso8601(seconds: f64) -> String {
    let micros = (seconds * 1e6).round() as i64;
    match Timestamp::from_microsecond(micros) {
        Ok(stamp) => {
            jiff::fmt::strtime::format("%Y-%m-%dT%H:%M:%S", &stamp.to_zoned(jiff::tz::TimeZone::UTC))
                .map(|text| format!("{text}.{:06}Z", micros.rem_euclid(1_000_000)))
                .unwrap_or_default()
        }
        Err(_) => String::new(),
    }
}

/// Writes a string; letters of four bytes too as `\xNN` where the string is no plain text.
fn hexadecimal_text(bytes: &[u8], out: &mut Vec<u8>) {
    if is_plain_text(bytes) {
        plain(bytes, hexadecimal, out);
        return;
    }
    out.push(b'"');
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            if letter.len_utf8() > 3 {
                letter.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| hexadecimal(byte, out));
            } else {
                letters(letter, hexadecimal, out);
            }
        }
        chunk.invalid().iter().for_each(|byte| hexadecimal(*byte, out));
    }
    out.push(b'"');
}

fn hexadecimal(byte: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("\\\\x{byte:02x}").as_bytes());
}

fn private_use(byte: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("\\udb80\\udc{byte:02x}").as_bytes());
}

fn letters(letter: char, other: impl Fn(u8, &mut Vec<u8>), out: &mut Vec<u8>) {
    match letter {
        '"' => out.extend_from_slice(b"\\\""),
        '\\' => out.extend_from_slice(b"\\\\"),
        '\n' => out.extend_from_slice(b"\\n"),
        '\r' => out.extend_from_slice(b"\\r"),
        '\t' => out.extend_from_slice(b"\\t"),
        '\u{8}' => out.extend_from_slice(b"\\b"),
        '\u{c}' => out.extend_from_slice(b"\\f"),
        control if u32::from(control) < 0x20 => other(control as u8, out),
        letter => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// Writes a string; bytes that JSON has no short form for as `other` has them.
pub fn plain(bytes: &[u8], other: impl Fn(u8, &mut Vec<u8>), out: &mut Vec<u8>) {
    out.push(b'"');
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            letters(letter, &other, out);
        }
        chunk.invalid().iter().for_each(|byte| other(*byte, out));
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_few_digits() {
        let cases = [
            (2_153_226_000.123_457, "2153226000.123457"),
            (1.0, "1.0"),
            (3.14e15, "3140000000000000.0"),
            (1.79e308, "1.79e308"),
            (1.234_567_89e-5, "0.0000123456789"),
            (2.23e-308, "2.23e-308"),
            (-0.0, "-0.0"),
            (f64::NAN, "null"),
        ];
        for (given, wanted) in cases {
            assert_eq!(number(given), wanted);
        }
    }

    #[test]
    fn times_before_1970_are_dates() {
        assert_eq!(iso8601(-0.4), "1969-12-31T23:59:59.600000Z");
        assert_eq!(iso8601(-315_619_200.0), "1960-01-01T00:00:00.000000Z");
    }
}
