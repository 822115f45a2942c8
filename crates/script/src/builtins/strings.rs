//! Strings: parts, places, cases.

use super::{Builtin, bytes, count, is_true, row, size};
use crate::values::{Value, escaped};
use crate::vm::{Engine, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row("clean", "(str: string): string", |_, a| {
        let mut out = Vec::new();
        escaped(bytes(a, 0), &mut out);
        Ok(Value::string(out))
    }),
    row("escape_string", "(s: string): string", |_, a| {
        let mut out = Vec::new();
        escaped(bytes(a, 0), &mut out);
        Ok(Value::string(out))
    }),
    row("to_string_literal", "(str: string): string", |_, a| {
        let mut out = Vec::new();
        escaped(bytes(a, 0), &mut out);
        Ok(Value::string(out))
    }),
    row("count_substr", "(str: string, sub: string): count", count_substr),
    row("edit", "(arg_s: string, arg_edit_char: string): string", edit),
    row("ends_with", "(str: string, sub: string): bool", |_, a| {
        Ok(Value::Bool(bytes(a, 0).ends_with(bytes(a, 1))))
    }),
    row("starts_with", "(str: string, sub: string): bool", |_, a| {
        Ok(Value::Bool(bytes(a, 0).starts_with(bytes(a, 1))))
    }),
    row(
        "find_str",
        "(str: string, sub: string, start: count &default=0, end: int &default=-1, case_sensitive: bool &default=T): int",
        |e, a| find_str(e, a, false),
    ),
    row(
        "rfind_str",
        "(str: string, sub: string, start: count &default=0, end: int &default=-1, case_sensitive: bool &default=T): int",
        |e, a| find_str(e, a, true),
    ),
    row("is_alnum", "(str: string): bool", |_, a| Ok(all(bytes(a, 0), u8::is_ascii_alphanumeric))),
    row("is_alpha", "(str: string): bool", |_, a| Ok(all(bytes(a, 0), u8::is_ascii_alphabetic))),
    row("is_num", "(str: string): bool", |_, a| Ok(all(bytes(a, 0), u8::is_ascii_digit))),
    row("is_ascii", "(str: string): bool", |_, a| Ok(Value::Bool(bytes(a, 0).is_ascii()))),
    row("ljust", "(str: string, width: count, fill: string &default=\" \"): string", |e, a| {
        justify(e, a, false)
    }),
    row("rjust", "(str: string, width: count, fill: string &default=\" \"): string", |e, a| {
        justify(e, a, true)
    }),
    row("zfill", "(str: string, width: count): string", |_, a| {
        Ok(Value::string(pad(bytes(a, 0), size(a, 1), b'0', true)))
    }),
    row("lstrip", "(str: string, chars: string &default=\" \\t\\n\\r\\v\\f\"): string", |_, a| {
        let chars = bytes(a, 1);
        let text = bytes(a, 0);
        let skipped = text.iter().take_while(|byte| chars.contains(byte)).count();
        Ok(Value::string(text.get(skipped..).unwrap_or(&[])))
    }),
    row("rstrip", "(str: string, chars: string &default=\" \\t\\n\\r\\v\\f\"): string", |_, a| {
        let chars = bytes(a, 1);
        let text = bytes(a, 0);
        let skipped = text.iter().rev().take_while(|byte| chars.contains(byte)).count();
        Ok(Value::string(text.get(..text.len() - skipped).unwrap_or(&[])))
    }),
    row("strip", "(str: string): string", |_, a| Ok(Value::string(trimmed(bytes(a, 0))))),
    row("remove_prefix", "(str: string, sub: string): string", |_, a| {
        let (mut text, prefix) = (bytes(a, 0), bytes(a, 1));
        while let Some(rest) = text.strip_prefix(prefix).filter(|_| !prefix.is_empty()) {
            text = rest;
        }
        Ok(Value::string(text))
    }),
    row("remove_suffix", "(str: string, sub: string): string", |_, a| {
        let (mut text, suffix) = (bytes(a, 0), bytes(a, 1));
        while let Some(rest) = text.strip_suffix(suffix).filter(|_| !suffix.is_empty()) {
            text = rest;
        }
        Ok(Value::string(text))
    }),
    row("reverse", "(str: string): string", |_, a| {
        Ok(Value::string(bytes(a, 0).iter().rev().copied().collect::<Vec<u8>>()))
    }),
    row("strcmp", "(s1: string, s2: string): int", |_, a| {
        Ok(Value::Int(bytes(a, 0).cmp(bytes(a, 1)) as i64))
    }),
    row("string_cat", "(va_args: any): string", |_, a| {
        Ok(Value::string(a.iter().flat_map(|part| part.bytes().iter().copied()).collect::<Vec<u8>>()))
    }),
    row("string_fill", "(len: int, source: string): string", string_fill),
    row("string_to_ascii_hex", "(s: string): string", |_, a| {
        Ok(Value::string(bytes(a, 0).iter().map(|byte| format!("{byte:02x}")).collect::<String>()))
    }),
    row("strstr", "(big: string, little: string): count", |_, a| {
        let place = memchr::memmem::find(bytes(a, 0), bytes(a, 1)).filter(|_| !bytes(a, 1).is_empty());
        Ok(Value::Count(place.map_or(0, |place| place as u64 + 1)))
    }),
    row("sub_bytes", "(s: string, start: count, n: int): string", |_, a| {
        let text = bytes(a, 0);
        let start = size(a, 1).saturating_sub(1).min(text.len());
        let length = a.get(2).map_or(0, Value::int);
        let end = if length < 0 {
            text.len()
        } else {
            start.saturating_add(usize::try_from(length).unwrap_or(0)).min(text.len())
        };
        Ok(Value::string(text.get(start..end).unwrap_or(&[])))
    }),
    row("subst_string", "(s: string, from: string, to: string): string", subst_string),
    row("swap_case", "(str: string): string", |_, a| {
        let swapped = |byte: &u8| {
            if byte.is_ascii_lowercase() { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() }
        };
        Ok(Value::string(bytes(a, 0).iter().map(swapped).collect::<Vec<u8>>()))
    }),
    row("to_lower", "(str: string): string", |_, a| Ok(Value::string(bytes(a, 0).to_ascii_lowercase()))),
    row("to_upper", "(str: string): string", |_, a| Ok(Value::string(bytes(a, 0).to_ascii_uppercase()))),
    row("to_title", "(str: string): string", to_title),
    row(
        "str_smith_waterman",
        "(s1: string, s2: string, params: sw_params): sw_substring_vec",
        super::text::smith_waterman,
    ),
];

fn all(text: &[u8], test: impl Fn(&u8) -> bool) -> Value {
    Value::Bool(!text.is_empty() && text.iter().all(test))
}

fn trimmed(text: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 11;
    let from = text.iter().take_while(|byte| is_blank(byte)).count();
    let rest = text.get(from..).unwrap_or(&[]);
    let behind = rest.iter().rev().take_while(|byte| is_blank(byte)).count();
    rest.get(..rest.len() - behind).unwrap_or(&[])
}

fn count_substr(_: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let (text, part) = (bytes(a, 0), bytes(a, 1));
    if part.is_empty() {
        return Ok(Value::Count(0));
    }
    Ok(Value::Count(memchr::memmem::find_iter(text, part).count() as u64))
}

/// Each character that edits takes away the one before it.
fn edit(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let [sign] = bytes(a, 1) else {
        engine.complain("not exactly one edit character");
        return Ok(Value::string(b""));
    };
    let mut out = Vec::new();
    for byte in bytes(a, 0) {
        if byte == sign {
            out.pop();
        } else {
            out.push(*byte);
        }
    }
    Ok(Value::string(out))
}

fn find_str(engine: &mut Engine, a: &[Value], last: bool) -> Outcome<Value> {
    let text = bytes(a, 0);
    let start = size(a, 2);
    let end = a.get(3).map_or(-1, Value::int);
    let end = if end < 0 {
        text.len()
    } else {
        usize::try_from(end).unwrap_or(0).saturating_add(1).min(text.len())
    };
    if a.get(3).is_some_and(|end| end.int() >= 0 && (start as i128) > i128::from(end.int())) {
        engine.complain("start position must be before end position");
        return Ok(Value::Int(-1));
    }
    let ignores_case = !is_true(a, 4);
    let fold = |bytes: &[u8]| if ignores_case { bytes.to_ascii_lowercase() } else { bytes.to_vec() };
    let part = fold(text.get(start..end).unwrap_or(&[]));
    let wanted = fold(bytes(a, 1));
    if wanted.len() > part.len() {
        return Ok(Value::Int(-1));
    }
    let found =
        if last { memchr::memmem::rfind(&part, &wanted) } else { memchr::memmem::find(&part, &wanted) };
    Ok(Value::Int(found.map_or(-1, |place| i64::try_from(place + start).unwrap_or(-1))))
}

fn pad(text: &[u8], width: usize, fill: u8, before: bool) -> Vec<u8> {
    let missing = width.min(1 << 24).saturating_sub(text.len());
    let padding = vec![fill; missing];
    if before { [padding.as_slice(), text].concat() } else { [text, padding.as_slice()].concat() }
}

fn justify(engine: &mut Engine, a: &[Value], before: bool) -> Outcome<Value> {
    let [fill] = bytes(a, 2) else {
        engine.complain("the fill argument should be a single character");
        return Ok(Value::string(bytes(a, 0)));
    };
    Ok(Value::string(pad(bytes(a, 0), size(a, 1), *fill, before)))
}

/// Repeats a source up to a length; the last byte is zero.
fn string_fill(_: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let length = usize::try_from(a.first().map_or(0, Value::int)).unwrap_or(0).min(1 << 24);
    let source = bytes(a, 1);
    let mut out: Vec<u8> =
        source.iter().copied().cycle().take(if source.is_empty() { 0 } else { length }).collect();
    out.resize(length, 0);
    if let Some(last) = out.last_mut() {
        *last = 0;
    }
    Ok(Value::string(out))
}

fn subst_string(_: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let (text, from, to) = (bytes(a, 0), bytes(a, 1), bytes(a, 2));
    if from.is_empty() {
        return Ok(Value::string(text));
    }
    let mut out = Vec::new();
    let mut at = 0;
    for place in memchr::memmem::find_iter(text, from) {
        out.extend_from_slice(text.get(at..place).unwrap_or(&[]));
        out.extend_from_slice(to);
        at = place + from.len();
    }
    out.extend_from_slice(text.get(at..).unwrap_or(&[]));
    Ok(Value::string(out))
}

fn to_title(_: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let mut begins = true;
    let mut out = Vec::new();
    for byte in bytes(a, 0) {
        out.push(if begins { byte.to_ascii_uppercase() } else { *byte });
        begins = byte.is_ascii_whitespace();
    }
    let _ = count(a, 1);
    Ok(Value::string(out))
}
