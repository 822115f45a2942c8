//! Strings: distances, dumps, quoting, joining and cutting.

use std::rc::Rc;

use weir_base::Product;

use super::{Builtin, argument, bytes, row};
use crate::types::TypeId;
use crate::values::{Value, VectorValue};
use crate::vm::{Engine, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row("hexdump", "(data_str: string): string", hexdump),
    row("levenshtein_distance", "(s1: string, s2: string): count", levenshtein),
    row("join_string_vec", "(vec: string_vec, sep: string): string", join_vector),
    row("join_string_set", "(ss: string_set, sep: string): string", join_set),
    row("safe_shell_quote", "(source: string): string", quote),
    row("str_split_indices", "(s: string, idx: index_vec): string_vec", split_indices),
    row("str_split", "(s: string, idx: index_vec): string_vec", split_indices),
    row("unescape_URI", "", unescape),
    row("decode_netbios_name", "", |_, a| Ok(Value::string(netbios_name(bytes(a, 0))))),
    row("decode_netbios_name_type", "", |_, a| Ok(Value::Count(netbios_type(bytes(a, 0))))),
    row("compress_path", "(dir: string): string", compress_path),
    row("Software::weir_parts", "(text: string): string_vec", product),
];

/// Returns a vector of strings.
pub(super) fn strings(engine: &mut Engine, parts: Vec<Value>) -> Value {
    let ty = engine.program.types.vector(TypeId::STRING);
    Value::Vector(Rc::new(VectorValue::new(ty, parts)))
}

/// Returns the name that software gives itself, the four numbers of its version and the text behind them; a part that is
/// not there is empty.
fn product(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let product = Product::read(bytes(a, 0));
    let number =
        |number: Option<u64>| Value::string(number.map(|number| number.to_string()).unwrap_or_default());
    let mut parts = vec![Value::string(product.name)];
    parts.extend(product.numbers.map(number));
    parts.push(Value::string(product.additional.unwrap_or_default()));
    Ok(strings(engine, parts))
}

fn hexdump(_: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let mut out = String::new();
    for (row, line) in bytes(a, 0).chunks(16).enumerate() {
        out.push_str(&format!("{:04x}  ", row * 16));
        for at in 0..16 {
            match line.get(at) {
                Some(byte) => out.push_str(&format!("{byte:02x} ")),
                None => out.push_str("   "),
            }
            if at == 7 {
                out.push(' ');
            }
        }
        out.push(' ');
        for (at, byte) in line.iter().enumerate() {
            if at == 8 {
                out.push(' ');
            }
            out.push(if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' });
        }
        out.push('\n');
    }
    Ok(Value::string(out))
}

/// Returns the value of two hexadecimal digits.
fn octet(digits: &[u8]) -> Option<u8> {
    let [high, low] = digits else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(*high)? << 4 | digit(*low)?)
}

/// Undoes `%41`; what is no such code stays.
fn unescape(_: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let text = bytes(a, 0);
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, behind)) = rest.split_first() {
        let code = behind.get(..2).filter(|_| *byte == b'%').and_then(octet);
        out.push(code.unwrap_or(*byte));
        rest = if code.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
    }
    Ok(Value::string(out))
}

/// Bytes of a NetBIOS name: each was written as two letters from `A` (RFC 1001 14.1).
fn netbios_octets(name: &[u8]) -> Vec<u8> {
    let nibble = |byte: &u8| byte.checked_sub(b'A').filter(|nibble| *nibble < 16);
    let pairs = name.chunks_exact(2).map_while(|pair| match pair {
        [high, low] => Some(nibble(high)? << 4 | nibble(low)?),
        _ => None,
    });
    pairs.take(16).collect()
}

/// Returns a NetBIOS name without its kind and what fills it up.
fn netbios_name(name: &[u8]) -> Vec<u8> {
    let mut octets = netbios_octets(name);
    octets.truncate(15);
    let shown = octets.iter().rposition(|byte| !matches!(byte, b' ' | 0)).map_or(0, |last| last + 1);
    octets.truncate(shown);
    octets
}

/// Returns the kind of a NetBIOS name, its last byte.
fn netbios_type(name: &[u8]) -> u64 {
    netbios_octets(name).get(15).copied().unwrap_or_default().into()
}

/// Most cells of a table of distances.
const MOST_CELLS: usize = 1 << 26;

fn levenshtein(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let (one, other) = (bytes(a, 0), bytes(a, 1));
    if one.len().saturating_mul(other.len()) > MOST_CELLS {
        return Err(engine.fail("the strings are too long for a distance"));
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, first) in one.iter().enumerate() {
        let mut diagonal = at;
        let mut left = at + 1;
        if let Some(cell) = row.first_mut() {
            *cell = left;
        }
        for (cell, second) in row.iter_mut().skip(1).zip(other) {
            let above = *cell;
            let new = (diagonal + usize::from(first != second)).min(above + 1).min(left + 1);
            diagonal = above;
            left = new;
            *cell = new;
        }
    }
    Ok(Value::Count(row.last().copied().unwrap_or(0) as u64))
}

fn join(parts: impl Iterator<Item = Value>, engine: &Engine, separator: &[u8]) -> Value {
    let mut out = Vec::new();
    for (at, part) in parts.enumerate() {
        if at > 0 {
            out.extend_from_slice(separator);
        }
        match &part {
            Value::String(bytes) => out.extend_from_slice(bytes),
            other => out.extend(crate::values::text_of(other, engine.types())),
        }
    }
    Value::string(out)
}

fn join_vector(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let parts = argument(a, 0).vector().map(|vector| vector.all()).unwrap_or_default();
    let parts = parts.into_iter().map(|part| if part.is_set() { part } else { Value::string("") });
    Ok(join(parts, engine, bytes(a, 1)))
}

fn join_set(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let keys = argument(a, 0).table().map(|table| table.keys()).unwrap_or_default();
    Ok(join(keys.into_iter().map(|key| key.0), engine, bytes(a, 1)))
}

fn quote(_: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let mut out = vec![b'"'];
    for byte in bytes(a, 0) {
        if matches!(byte, b'\\' | b'"' | b'`' | b'$') {
            out.push(b'\\');
        }
        out.push(*byte);
    }
    out.push(b'"');
    Ok(Value::string(out))
}

/// Cuts a string before each place, counted from one.
fn split_indices(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let text = bytes(a, 0);
    let places = argument(a, 1).vector().map(|vector| vector.all()).unwrap_or_default();
    let mut parts = Vec::new();
    let mut from = 0;
    for place in places {
        let at = usize::try_from(place.count()).unwrap_or(usize::MAX).saturating_sub(1).min(text.len());
        if at > from {
            parts.push(Value::string(text.get(from..at).unwrap_or(&[])));
            from = at;
        } else if at == 0 {
            continue;
        }
    }
    parts.push(Value::string(text.get(from..).unwrap_or(&[])));
    Ok(strings(engine, parts))
}

fn compress_path(_: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let text = String::from_utf8_lossy(bytes(a, 0)).into_owned();
    let mut out: Vec<&str> = Vec::new();
    for (at, part) in text.split('/').enumerate() {
        match part {
            "." if at > 0 => {}
            "" if at > 0 => {}
            ".." => match out.last().copied() {
                Some(last) if last != ".." && last != "." && !last.is_empty() => {
                    out.pop();
                }
                Some(".") => {
                    out.pop();
                    out.push("..");
                }
                _ => out.push(part),
            },
            _ => out.push(part),
        }
    }
    Ok(Value::string(out.join("/")))
}

/// Finds common parts of two strings (Smith and Waterman, 1981).
pub(super) fn smith_waterman(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let (one, other) = (bytes(a, 0), bytes(a, 1));
    if one.len().saturating_mul(other.len()) > MOST_CELLS {
        return Err(engine.fail("the strings are too long for an alignment"));
    }
    let least = match argument(a, 2).record() {
        Some(record) => usize::try_from(engine.field(record, "min_strlen").count()).unwrap_or(3),
        None => 3,
    };
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    let (mut from_one, mut from_other) = (0, 0);
    // The longest common part, again and again, from left to right.
    while let Some((first, second, length)) =
        longest(one.get(from_one..).unwrap_or(&[]), other.get(from_other..).unwrap_or(&[]))
    {
        if length < least {
            break;
        }
        found.push((from_one + first, from_other + second, length));
        from_one += first + length;
        from_other += second + length;
    }
    let mut parts = Vec::new();
    for (at, (first, second, length)) in found.iter().enumerate() {
        let text = Value::string(one.get(*first..first + length).unwrap_or(&[]));
        let place = |string: &str, index: usize, engine: &mut Engine| {
            engine.record_of(
                "sw_align",
                &[("str", Value::string(string)), ("index", Value::Count(index as u64))],
            )
        };
        let aligned = [
            place(&String::from_utf8_lossy(one), *first, engine),
            place(&String::from_utf8_lossy(other), *second, engine),
        ];
        let ty = engine.program.type_named("sw_align_vec").unwrap_or(TypeId::ANY);
        let aligned = Value::Vector(Rc::new(VectorValue::new(ty, aligned.to_vec())));
        let fields = [("str", text), ("aligns", aligned), ("new", Value::Bool(at == 0))];
        parts.push(engine.record_of("sw_substring", &fields));
    }
    let ty = engine.program.type_named("sw_substring_vec").unwrap_or(TypeId::ANY);
    Ok(Value::Vector(Rc::new(VectorValue::new(ty, parts))))
}

fn longest(one: &[u8], other: &[u8]) -> Option<(usize, usize, usize)> {
    let mut best: Option<(usize, usize, usize)> = None;
    let mut row = vec![0usize; other.len() + 1];
    for (at, first) in one.iter().enumerate() {
        let mut diagonal = 0;
        for (place, second) in other.iter().enumerate() {
            let Some(cell) = row.get_mut(place + 1) else { continue };
            let above = *cell;
            *cell = if first == second { diagonal + 1 } else { 0 };
            if *cell > best.map_or(0, |(_, _, length)| length) {
                best = Some((at + 1 - *cell, place + 1 - *cell, *cell));
            }
            diagonal = above;
        }
    }
    best
}
