//! Patterns: finding, cutting and replacing.

use std::rc::Rc;

use super::text::strings;
use super::{Builtin, argument, bytes, is_true, row, size};
use crate::patterns::Pattern;
use crate::types::TypeId;
use crate::values::{Key, TableValue, Value};
use crate::vm::{Engine, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row("find_all", "(str: string, re: pattern, max_str_size: int &default=-1): string_set", find_all),
    row(
        "find_all_ordered",
        "(str: string, re: pattern, max_str_size: int &default=-1): string_vec",
        find_all_ordered,
    ),
    row("find_first", "(str: string, re: pattern, offset: count &default=0): string", |_, a| {
        let text = bytes(a, 0);
        let found = pattern(a, 1).and_then(|pattern| find_from(text, &pattern, size(a, 2)));
        Ok(Value::string(found.and_then(|(from, to)| text.get(from..to)).unwrap_or(&[])))
    }),
    row("find_last", "(str: string, re: pattern, offset: count &default=0): string", |_, a| {
        let text = bytes(a, 0);
        let Some(pattern) = pattern(a, 1) else { return Ok(Value::string("")) };
        let from = size(a, 2).min(text.len());
        let found = (from..text.len()).rev().find_map(|start| {
            pattern.longest_from(text, start).filter(|end| *end > start).map(|end| (start, end))
        });
        Ok(Value::string(found.and_then(|(from, to)| text.get(from..to)).unwrap_or(&[])))
    }),
    row("sub", "(str: string, re: pattern, repl: string): string", |_, a| Ok(substitute(a, false))),
    row("gsub", "(str: string, re: pattern, repl: string): string", |_, a| Ok(substitute(a, true))),
    row("split_string", "(str: string, re: pattern): string_vec", |e, a| Ok(split(e, a, false, usize::MAX))),
    row("split_string1", "(str: string, re: pattern): string_vec", |e, a| Ok(split(e, a, false, 1))),
    row("split_string_all", "(str: string, re: pattern): string_vec", |e, a| {
        Ok(split(e, a, true, usize::MAX))
    }),
    row(
        "split_string_n",
        "(str: string, re: pattern, incl_sep: bool, max_num_sep: count): string_vec",
        |e, a| {
            let most = size(a, 3);
            let includes = is_true(a, 2);
            Ok(split(e, a, includes, if most == 0 { usize::MAX } else { most }))
        },
    ),
    row("string_to_pattern", "(s: string, convert: bool): pattern", to_pattern),
    row("convert_for_pattern", "(s: string): string", |_, a| Ok(Value::string(literal(bytes(a, 0))))),
    row("table_pattern_matcher_stats", "(tbl: any): MatcherStats", |e, a| {
        let patterns = argument(a, 0).table().map_or(0, |table| table.len());
        let dfa = u64::from(patterns > 0);
        Ok(e.record_of(
            "MatcherStats",
            &[
                ("matchers", Value::Count(dfa)),
                ("nfa_states", Value::Count(0)),
                ("dfa_states", Value::Count(0)),
                ("computed", Value::Count(0)),
                ("mem", Value::Count(0)),
                ("hits", Value::Count(0)),
                ("misses", Value::Count(0)),
            ],
        ))
    }),
];

fn pattern(a: &[Value], place: usize) -> Option<Rc<Pattern>> {
    match a.get(place) {
        Some(Value::Pattern(pattern)) => Some(pattern.clone()),
        _ => None,
    }
}

/// Finds a match in a text, from a place on.
type Finder = fn(&[u8], &Pattern, usize) -> Option<(usize, usize)>;

/// Returns the first match from a place on; `^` stands for the begin of the text.
fn find_within(text: &[u8], pattern: &Pattern, at: usize) -> Option<(usize, usize)> {
    pattern.find(text, at)
}

/// Returns the first match from a place on, where `^` holds at each place. So do the functions that find, other than those
/// that split and replace.
fn find_from(text: &[u8], pattern: &Pattern, at: usize) -> Option<(usize, usize)> {
    if !pattern.has_begin() {
        return pattern.find(text, at);
    }
    (at..text.len()).find_map(|from| {
        let to = pattern.longest_from(text, from)?;
        (to > from).then_some((from, to))
    })
}

/// Returns all matches that do not overlap, each the longest one at its place; empty ones are left out.
fn matches(text: &[u8], pattern: &Pattern, most: usize, find: Finder) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() && found.len() < most {
        let Some((from, to)) = find(text, pattern, at) else { break };
        if to > from {
            found.push((from, to));
            at = to;
        } else {
            at = from + 1;
        }
    }
    found
}

/// Returns whether a string is too long to be searched, and tells of it.
fn is_too_long(engine: &mut Engine, a: &[Value]) -> bool {
    let limit = match a.get(2).map_or(-1, Value::int) {
        -1 => engine.global("max_find_all_string_length").map_or(0, |value| value.int()),
        limit => limit,
    };
    let length = i64::try_from(bytes(a, 0).len()).unwrap_or(i64::MAX);
    if limit <= 0 || length <= limit {
        return false;
    }
    let place = engine.program.files.place(engine.current());
    let more = format!("{place}: length {length} exceeded {limit}");
    let name = Value::string("max_find_all_string_length_exceeded");
    engine.raise_named("net_weird", vec![name, Value::string(more), Value::string("")]);
    true
}

fn find_all(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let ty = engine.program.types.table(&[TypeId::STRING], None);
    let set = Rc::new(TableValue::new(ty));
    if !is_too_long(engine, a)
        && let Some(pattern) = pattern(a, 1)
    {
        let text = bytes(a, 0);
        for (from, to) in matches(text, &pattern, usize::MAX, find_from) {
            let part = Value::string(text.get(from..to).unwrap_or(&[]));
            set.insert(Key::new(&part), Value::Unset, engine.now());
        }
    }
    Ok(Value::Table(set))
}

fn find_all_ordered(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let mut parts = Vec::new();
    if !is_too_long(engine, a)
        && let Some(pattern) = pattern(a, 1)
    {
        let text = bytes(a, 0);
        parts.extend(
            matches(text, &pattern, usize::MAX, find_from)
                .into_iter()
                .map(|(from, to)| Value::string(text.get(from..to).unwrap_or(&[]))),
        );
    }
    Ok(strings(engine, parts))
}

fn substitute(a: &[Value], everywhere: bool) -> Value {
    let text = bytes(a, 0);
    let Some(pattern) = pattern(a, 1) else { return Value::string(text) };
    let mut out = Vec::new();
    let mut at = 0;
    for (from, to) in matches(text, &pattern, if everywhere { usize::MAX } else { 1 }, find_within) {
        out.extend_from_slice(text.get(at..from).unwrap_or(&[]));
        out.extend_from_slice(bytes(a, 2));
        at = to;
    }
    out.extend_from_slice(text.get(at..).unwrap_or(&[]));
    Value::string(out)
}

fn split(engine: &mut Engine, a: &[Value], includes: bool, most: usize) -> Value {
    let text = bytes(a, 0);
    let mut parts = Vec::new();
    let mut at = 0;
    if let Some(pattern) = pattern(a, 1) {
        for (from, to) in matches(text, &pattern, most, find_within) {
            parts.push(Value::string(text.get(at..from).unwrap_or(&[])));
            if includes {
                parts.push(Value::string(text.get(from..to).unwrap_or(&[])));
            }
            at = to;
        }
    }
    parts.push(Value::string(text.get(at..).unwrap_or(&[])));
    strings(engine, parts)
}

/// Returns a string as the expression that matches it.
fn literal(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for byte in text {
        if b"^$-:\"\\/|*+?.(){}[]".contains(byte) {
            out.push(b'\\');
        }
        out.push(*byte);
    }
    out
}

fn to_pattern(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let text = if is_true(a, 1) { literal(bytes(a, 0)) } else { bytes(a, 0).to_vec() };
    match Pattern::parse(&String::from_utf8_lossy(&text), "") {
        Ok(pattern) => Ok(Value::Pattern(Rc::new(pattern))),
        Err(sentence) => Err(engine.fail(&sentence)),
    }
}
