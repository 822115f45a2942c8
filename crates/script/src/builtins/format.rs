//! `fmt`, `cat` and their kin.

use super::{Builtin, bytes, row};
use crate::values::{Style, Value};
use crate::vm::{Engine, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row("fmt", "(va_args: any): string", format),
    row("cat", "(va_args: any): string", |e, a| {
        let mut out = Vec::new();
        for value in a {
            e.print_one(value, Style::Indented, &mut out);
        }
        Ok(Value::string(out))
    }),
    row("cat_sep", "(va_args: any): string", cat_sep),
    row("print_raw", "(va_args: any): bool", |e, a| {
        let mut out = Vec::new();
        for value in a {
            e.print_one(value, Style::Indented, &mut out);
        }
        e.output.print(&out);
        Ok(Value::Bool(true))
    }),
];

fn cat_sep(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let mut out = Vec::new();
    for (at, value) in a.iter().skip(2).enumerate() {
        if at > 0 {
            out.extend_from_slice(bytes(a, 0));
        }
        match value {
            Value::String(text) if text.is_empty() => out.extend_from_slice(bytes(a, 1)),
            other => engine.print_one(other, Style::Indented, &mut out),
        }
    }
    Ok(Value::string(out))
}

/// A conversion of a format.
#[derive(Default)]
struct Conversion {
    is_left: bool,
    has_zeros: bool,
    has_sign: bool,
    width: usize,
    precision: Option<usize>,
    letter: u8,
}

/// Widest field.
const WIDEST: usize = 1 << 20;

impl Conversion {
    /// Reads what stands behind a percent sign; returns the bytes that it took.
    fn read(format: &[u8]) -> (Self, usize) {
        let mut conversion = Self::default();
        let mut at = 0;
        let mut next = || {
            let byte = format.get(at).copied().unwrap_or(0);
            at += 1;
            byte
        };
        let mut byte = next();
        loop {
            match byte {
                b'-' => conversion.is_left = true,
                b'0' => conversion.has_zeros = true,
                b'+' => conversion.has_sign = true,
                b' ' | b'#' => {}
                _ => break,
            }
            byte = next();
        }
        while byte.is_ascii_digit() {
            conversion.width = (conversion.width * 10 + usize::from(byte - b'0')).min(WIDEST);
            byte = next();
        }
        if byte == b'.' {
            let mut precision = 0;
            byte = next();
            while byte.is_ascii_digit() {
                precision = (precision * 10 + usize::from(byte - b'0')).min(300);
                byte = next();
            }
            conversion.precision = Some(precision);
        }
        conversion.letter = byte;
        (conversion, at.min(format.len()))
    }

    fn pad(&self, text: &[u8], out: &mut Vec<u8>) {
        let missing = self.width.saturating_sub(text.len());
        if self.is_left {
            out.extend_from_slice(text);
            out.resize(out.len() + missing, b' ');
        } else if self.has_zeros && self.letter != b's' {
            let (sign, digits) = match text.split_first() {
                Some((sign @ (b'-' | b'+'), digits)) => (Some(*sign), digits),
                _ => (None, text),
            };
            out.extend(sign);
            out.resize(out.len() + missing, b'0');
            out.extend_from_slice(digits);
        } else {
            out.resize(out.len() + missing, b' ');
            out.extend_from_slice(text);
        }
    }
}

fn format(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let Some((Value::String(format), rest)) = a.split_first() else {
        let mut out = Vec::new();
        for value in a {
            engine.print_one(value, Style::Indented, &mut out);
        }
        return Ok(Value::string(out));
    };
    let mut rest = rest.iter();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(byte) = format.get(at) {
        at += 1;
        if *byte != b'%' {
            out.push(*byte);
            continue;
        }
        let (conversion, length) = Conversion::read(format.get(at..).unwrap_or(&[]));
        at += length;
        if conversion.letter == b'%' {
            out.push(b'%');
            continue;
        }
        let Some(value) = rest.next() else {
            return Err(engine.fail("too few arguments for format"));
        };
        let mut text = Vec::new();
        convert(engine, &conversion, value, &mut text)?;
        conversion.pad(&text, &mut out);
    }
    if rest.next().is_some() {
        return Err(engine.fail("too many arguments for format"));
    }
    Ok(Value::string(out))
}

fn convert(engine: &mut Engine, conversion: &Conversion, value: &Value, out: &mut Vec<u8>) -> Outcome<()> {
    match conversion.letter {
        b's' | b'S' => {
            engine.print_one(value, Style::Indented, out);
            if let Some(precision) = conversion.precision {
                out.truncate(precision);
            }
        }
        b'd' | b'i' | b'u' => {
            let text = match value {
                Value::Count(number) => number.to_string(),
                Value::Int(number) | Value::Enum(_, number) => number.to_string(),
                Value::Bool(number) => u8::from(*number).to_string(),
                Value::Port(port) => port.number.to_string(),
                _ => return Err(engine.fail("bad type for %d/%x format")),
            };
            if conversion.has_sign && !text.starts_with('-') {
                out.push(b'+');
            }
            out.extend_from_slice(text.as_bytes());
        }
        b'x' => {
            let text = match value {
                Value::Count(number) => format!("{number:x}"),
                Value::Int(number) => format!("{number:x}"),
                Value::Bool(number) => u8::from(*number).to_string(),
                Value::Port(port) => format!("{:x}", port.number),
                _ => return Err(engine.fail("bad type for %d/%x format")),
            };
            out.extend_from_slice(text.as_bytes());
        }
        b'e' | b'f' | b'g' => {
            let number = match value {
                Value::Double(number) | Value::Time(number) | Value::Interval(number) => *number,
                Value::Count(_) | Value::Int(_) => value.double(),
                _ => return Err(engine.fail("bad type for floating-point format")),
            };
            let text = floating(number, conversion.letter, conversion.precision.unwrap_or(6));
            if conversion.has_sign && number >= 0.0 {
                out.push(b'+');
            }
            out.extend_from_slice(text.as_bytes());
        }
        b'D' | b'T' => {
            let Value::Time(time) = value else {
                return Err(engine.fail("bad type for Date/Time format"));
            };
            let text = super::time::date(*time, "%Y-%m-%d-%H:%M:%S").unwrap_or_default();
            out.extend_from_slice(text.as_bytes());
            if conversion.letter == b'T' {
                let fraction = (time.fract() * 1e9).floor().abs();
                out.extend_from_slice(format!(".{fraction:09}").as_bytes());
            }
        }
        _ => return Err(engine.fail("bad format")),
    }
    Ok(())
}

/// Returns a double as C's `printf` shows it.
fn floating(number: f64, letter: u8, precision: usize) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    match letter {
        b'f' => format!("{number:.precision$}"),
        b'e' => crate::values::two_digits(&format!("{number:.precision$e}")),
        _ => general(number, precision.max(1)),
    }
}

fn general(number: f64, precision: usize) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let shown = format!("{number:.*e}", precision - 1);
    let power: i32 = shown.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0);
    let trim = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    let limit = i32::try_from(precision).unwrap_or(6);
    if power < -4 || power >= limit {
        let (mantissa, power) = shown.split_once('e').unwrap_or((&shown, "0"));
        return crate::values::two_digits(&format!("{}e{power}", trim(mantissa)));
    }
    let digits = usize::try_from(limit - 1 - power).unwrap_or(0);
    trim(&format!("{number:.digits$}"))
}
