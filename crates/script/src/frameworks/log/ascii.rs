//! Values as columns of Zeek's tab-separated logs.

use crate::types::Types;
use crate::values::{Style, Value, print_value};

/// Deepest nesting of containers.
const DEPTH: usize = 8;

/// What stands between and in the place of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Separators {
    /// Between columns.
    pub column: Vec<u8>,
    /// Between elements of sets and vectors.
    pub set: Vec<u8>,
    /// In the place of empty strings and containers.
    pub empty: Vec<u8>,
    /// In the place of values that are absent.
    pub unset: Vec<u8>,
    /// Bytes that are UTF-8 are written as they are.
    pub keeps_utf8: bool,
}

/// Returns whether bytes are text without control characters that have no short form. Where they are not, letters of four
/// bytes are written byte by byte.
pub fn is_plain_text(bytes: &[u8]) -> bool {
    let is_short = |byte: &u8| matches!(byte, 8 | 9 | 10 | 12 | 13);
    std::str::from_utf8(bytes).is_ok() && bytes.iter().all(|byte| *byte >= 0x20 || is_short(byte))
}

/// Writes bytes: what is not printable, and separators, as `\xNN`.
pub fn escape(bytes: &[u8], special: &[&[u8]], keeps_utf8: bool, out: &mut Vec<u8>) {
    let longest = if is_plain_text(bytes) { 4 } else { 3 };
    let mut rest = bytes;
    while let Some((first, behind)) = rest.split_first() {
        if let Some(found) = special.iter().find(|found| !found.is_empty() && rest.starts_with(found)) {
            found.iter().for_each(|byte| hexadecimal(*byte, out));
            rest = rest.get(found.len()..).unwrap_or_default();
            continue;
        }
        let length = if keeps_utf8 { letter_length(rest) } else { 1 };
        if (2..=longest).contains(&length) {
            out.extend_from_slice(rest.get(..length).unwrap_or_default());
            rest = rest.get(length..).unwrap_or_default();
            continue;
        }
        match first {
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x20..=0x7e => out.push(*first),
            _ => hexadecimal(*first, out),
        }
        rest = behind;
    }
}

fn hexadecimal(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or(b'0');
    out.extend_from_slice(&[b'\\', b'x', digit(byte >> 4), digit(byte & 15)]);
}

/// Returns the length of the letter of UTF-8 that bytes begin with; one where they begin with none.
fn letter_length(bytes: &[u8]) -> usize {
    let length = match bytes.first() {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => return 1,
    };
    let is_letter = bytes.get(..length).is_some_and(|letter| std::str::from_utf8(letter).is_ok());
    if is_letter { length } else { 1 }
}

/// Returns a double with up to six digits behind the point, and at least one.
pub fn double(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    if value == 0.0 {
        return "0.0".to_owned();
    }
    let text = format!("{value:.6}");
    let short = text.trim_end_matches('0');
    if short.ends_with('.') { format!("{short}0") } else { short.to_owned() }
}

/// Writes a value as a column.
pub fn value(value: &Value, types: &Types, separators: &Separators, out: &mut Vec<u8>) {
    Writer { types, separators }.value(value, &[&separators.column], out, 0);
}

struct Writer<'a> {
    types: &'a Types,
    separators: &'a Separators,
}

impl Writer<'_> {
    fn value(&self, value: &Value, special: &[&[u8]], out: &mut Vec<u8>, depth: usize) {
        match value {
            Value::Unset => out.extend_from_slice(&self.separators.unset),
            Value::Double(inner) => out.extend_from_slice(double(*inner).as_bytes()),
            Value::Time(inner) | Value::Interval(inner) => {
                out.extend_from_slice(format!("{inner:.6}").as_bytes());
            }
            Value::Port(port) => out.extend_from_slice(port.number.to_string().as_bytes()),
            Value::String(bytes) => self.string(bytes, special, out),
            Value::Table(table) => {
                let keys: Vec<Value> = table.keys().into_iter().map(|key| key.0).collect();
                self.elements(&keys, out, depth);
            }
            Value::Vector(vector) => self.elements(&vector.all(), out, depth),
            other => {
                let mut text = Vec::new();
                print_value(other, self.types, Style::Raw, &mut text);
                self.string(&text, special, out);
            }
        }
    }

    fn string(&self, bytes: &[u8], special: &[&[u8]], out: &mut Vec<u8>) {
        let Some((first, rest)) = bytes.split_first() else {
            out.extend_from_slice(&self.separators.empty);
            return;
        };
        if *bytes == *self.separators.unset || *bytes == *self.separators.empty {
            // A string that looks like no value is told from it by its first byte.
            hexadecimal(*first, out);
            out.extend_from_slice(rest);
            return;
        }
        escape(bytes, special, self.separators.keeps_utf8, out);
    }

    fn elements(&self, elements: &[Value], out: &mut Vec<u8>, depth: usize) {
        if elements.is_empty() || depth > DEPTH {
            out.extend_from_slice(&self.separators.empty);
            return;
        }
        for (at, element) in elements.iter().enumerate() {
            if at > 0 {
                out.extend_from_slice(&self.separators.set);
            }
            let special: [&[u8]; 2] = [&self.separators.column, &self.separators.set];
            self.value(element, &special, out, depth + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_escaped() {
        type Case = (&'static [u8], &'static [&'static [u8]], bool, &'static str);
        let cases: [Case; 7] = [
            (b"plain", &[b"\t"], true, "plain"),
            (b"a\tb\0\x7f", &[b"\t"], true, "a\\x09b\\x00\\x7f"),
            (b"a\\b", &[], true, "a\\\\b"),
            (b"fa||ure", &[b"||"], true, "fa\\x7c\\x7cure"),
            (b"\xc3\xb1\xff", &[], true, "\u{f1}\\xff"),
            (b"\xc3\xb1", &[], false, "\\xc3\\xb1"),
            (b"\xc2\xae", &[b"\xc2\xae"], true, "\\xc2\\xae"),
        ];
        for (bytes, special, keeps_utf8, wanted) in cases {
            let mut out = Vec::new();
            escape(bytes, special, keeps_utf8, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), wanted, "{bytes:?}");
        }
    }

    #[test]
    fn doubles_have_six_digits_at_most() {
        let cases = [
            (1.0, "1.0"),
            (2_153_226_000.123_457, "2153226000.123457"),
            (1.234_567_89e-5, "0.000012"),
            (-0.0, "0.0"),
            (-2.23e-308, "-0.0"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "nan"),
        ];
        for (given, wanted) in cases {
            assert_eq!(double(given), wanted);
        }
    }
}
