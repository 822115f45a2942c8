//! Functions of the language whose work one instruction does not tell: those of patterns, done here, and
//! those that go through whole strings and tables, which are charged by what they go through.

use std::sync::{Arc, Mutex};

use mlua::{Error, Function, Lua, LuaString, MultiValue, Table, Value};

use crate::pattern::{Capture, Flaw, Matcher, is_plain};
use crate::sandbox::Budget;

/// So many bytes are gone through in the time of one instruction.
const BYTES_PER_STEP: u64 = 8;

/// Functions that are charged, with what they are charged for.
const CHARGED: &[(&str, &[(&str, Charge)])] = &[
    (
        "string",
        &[("lower", Charge::All), ("rep", Charge::All), ("reverse", Charge::All), ("upper", Charge::All)],
    ),
    (
        "table",
        &[
            ("concat", Charge::All),
            ("insert", Charge::Behind(3)),
            ("move", Charge::Range),
            ("remove", Charge::Behind(2)),
            ("sort", Charge::Order),
            ("unpack", Charge::All),
        ],
    ),
    ("utf8", &[("codepoint", Charge::All), ("len", Charge::All)]),
];

/// Texts by whose length a call is charged.
#[derive(Clone, Copy)]
enum Charge {
    /// Arguments and results.
    All,
    /// The table, where it is called with at least so many arguments: what lies behind is moved.
    Behind(usize),
    /// From the second argument to the third.
    Range,
    /// The table, several times over.
    Order,
}

impl Charge {
    fn before(self, arguments: &MultiValue) -> u64 {
        match self {
            Charge::All => arguments.iter().map(weight).sum(),
            Charge::Behind(count) if arguments.len() < count => 1,
            Charge::Behind(_) => arguments.iter().take(1).map(weight).sum(),
            Charge::Range => {
                let place = |index: usize| arguments.get(index).and_then(Value::as_integer).unwrap_or(0);
                u64::try_from(place(2).saturating_sub(place(1))).unwrap_or(0)
            }
            Charge::Order => arguments.iter().take(1).map(weight).sum::<u64>().saturating_mul(4),
        }
    }
}

fn weight(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.as_bytes().len() as u64 / BYTES_PER_STEP,
        Value::Table(table) => table.raw_len() as u64,
        _ => 0,
    }
}

/// Replaces the functions.
pub(crate) fn install(lua: &Lua, budget: &Arc<Budget>) -> mlua::Result<()> {
    for (library, functions) in CHARGED {
        let library: Table = lua.globals().get(*library)?;
        for &(name, charge) in *functions {
            let (original, budget) = (library.get::<Function>(name)?, Arc::clone(budget));
            let charged = lua.create_function(move |_, arguments: MultiValue| {
                budget.charge(charge.before(&arguments))?;
                let answer: MultiValue = original.call(arguments)?;
                budget.charge(answer.iter().map(weight).sum())?;
                Ok(answer)
            })?;
            library.raw_set(name, charged)?;
        }
    }
    let string: Table = lua.globals().get("string")?;
    let held = Arc::clone(budget);
    let find = move |lua: &Lua, arguments: Search| search(lua, &held, &arguments, true);
    string.raw_set("find", lua.create_function(find)?)?;
    let held = Arc::clone(budget);
    let first = move |lua: &Lua, arguments: Search| search(lua, &held, &arguments, false);
    string.raw_set("match", lua.create_function(first)?)?;
    let held = Arc::clone(budget);
    string.raw_set("gmatch", lua.create_function(move |lua, given: Every| every(lua, &held, given))?)?;
    let held = Arc::clone(budget);
    string.raw_set("gsub", lua.create_function(move |lua, given: Replace| replace(lua, &held, &given))?)
}

/// Text, pattern, where to begin, and whether the pattern is a text as it stands.
type Search = (LuaString, LuaString, Option<i64>, Option<Value>);

/// Text, pattern, where to begin.
type Every = (LuaString, LuaString, Option<i64>);

/// Text, pattern, what is put there, and how often at most.
type Replace = (LuaString, LuaString, Value, Option<i64>);

/// A place counted from 1, or from the end where it is negative, counted from 0.
fn start(place: Option<i64>, length: usize) -> usize {
    match place.unwrap_or(1) {
        place @ 1.. => usize::try_from(place - 1).unwrap_or(usize::MAX),
        0 => 0,
        place => length.saturating_sub(usize::try_from(place.unsigned_abs()).unwrap_or(usize::MAX)),
    }
}

fn flawed(budget: &Budget, flaw: Flaw) -> Error {
    match flaw {
        Flaw::Malformed(why) => Error::runtime(why),
        Flaw::Steps => budget.exhaust(),
    }
}

/// Runs a matcher with what is left of the budget, and takes off what it took.
fn counted<T>(
    budget: &Budget,
    matcher: &mut Matcher<'_>,
    work: impl FnOnce(&mut Matcher<'_>) -> Result<T, Flaw>,
) -> mlua::Result<T> {
    let given = budget.left();
    matcher.steps = given;
    let outcome = work(matcher);
    budget.charge(given.saturating_sub(matcher.steps))?;
    outcome.map_err(|flaw| flawed(budget, flaw))
}

fn value(lua: &Lua, capture: Capture<'_>) -> mlua::Result<Value> {
    match capture {
        Capture::Text(text) => Ok(Value::String(lua.create_string(text)?)),
        Capture::Position(place) => Ok(Value::Integer(place as i64)),
    }
}

/// The captures of a match; with `whole`, the match itself where the pattern has none.
fn captures(
    lua: &Lua,
    budget: &Budget,
    matcher: &Matcher<'_>,
    found: (usize, usize),
    whole: bool,
) -> mlua::Result<MultiValue> {
    let count = if whole { matcher.captures().max(1) } else { matcher.captures() };
    (0..count)
        .map(|index| value(lua, matcher.capture(index, found).map_err(|flaw| flawed(budget, flaw))?))
        .collect()
}

fn search(lua: &Lua, budget: &Budget, given: &Search, places: bool) -> mlua::Result<MultiValue> {
    let (text, pattern, from, plain) = given;
    let (text, pattern) = (text.as_bytes(), pattern.as_bytes());
    let from = start(*from, text.len());
    if from > text.len() {
        return Ok([Value::Nil].into_iter().collect());
    }
    let as_it_stands =
        plain.as_ref().is_some_and(|plain| !matches!(plain, Value::Nil | Value::Boolean(false)));
    let place = |place: usize| Value::Integer(place as i64);
    if places && (as_it_stands || is_plain(&pattern)) {
        budget.charge((text.len() - from) as u64 / BYTES_PER_STEP)?;
        let rest = text.get(from..).unwrap_or_default();
        let found = memchr::memmem::find(rest, &pattern).map(|at| from + at);
        return Ok(match found {
            Some(at) => [place(at + 1), place(at + pattern.len())].into_iter().collect(),
            None => [Value::Nil].into_iter().collect(),
        });
    }
    let mut matcher = Matcher::new(&text, &pattern, 0);
    let Some(found) = counted(budget, &mut matcher, |matcher| matcher.find(from))? else {
        return Ok([Value::Nil].into_iter().collect());
    };
    let mut answer = captures(lua, budget, &matcher, found, !places)?;
    if places {
        answer.push_front(place(found.1));
        answer.push_front(place(found.0 + 1));
    }
    Ok(answer)
}

/// `gmatch`: a function that gives one match after the other. Two matches do not end at the same place.
fn every(lua: &Lua, budget: &Arc<Budget>, (text, pattern, from): Every) -> mlua::Result<Function> {
    let from = start(from, text.as_bytes().len());
    let state = Mutex::new((from, None::<usize>));
    let budget = Arc::clone(budget);
    lua.create_function(move |lua, ()| {
        let mut state = state.lock().map_err(|_| Error::runtime("the search is broken"))?;
        let (text, pattern) = (text.as_bytes(), pattern.as_bytes());
        // Here a caret is a character like others.
        let escaped;
        let pattern: &[u8] = match pattern.first() {
            Some(b'^') => {
                escaped = [b"%", &*pattern].concat();
                &escaped
            }
            _ => &pattern,
        };
        let (at, last) = *state;
        let mut matcher = Matcher::new(&text, pattern, 0);
        let found = counted(&budget, &mut matcher, |matcher| {
            for at in at..=text.len() {
                match matcher.match_at(at)? {
                    Some(end) if Some(end) != last => return Ok(Some((at, end))),
                    _ => {}
                }
            }
            Ok(None)
        })?;
        *state = found.map_or((usize::MAX, None), |(_, end)| (end, Some(end)));
        match found {
            Some(found) => captures(lua, &budget, &matcher, found, true),
            None => Ok([Value::Nil].into_iter().collect()),
        }
    })
}

fn replace(lua: &Lua, budget: &Budget, given: &Replace) -> mlua::Result<(LuaString, i64)> {
    let (text, pattern, with, most) = given;
    let most = most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(0));
    let with_text = match with {
        Value::String(text) => Some(text.clone()),
        Value::Integer(_) | Value::Number(_) => lua.coerce_string(with.clone())?,
        Value::Table(_) | Value::Function(_) => None,
        other => {
            return Err(Error::runtime(format!(
                "bad argument #3 to 'gsub' (string/function/table expected, got {})",
                other.type_name()
            )));
        }
    };
    let (bytes, pattern) = (text.as_bytes(), pattern.as_bytes());
    let anchored = pattern.first() == Some(&b'^');
    let mut matcher = Matcher::new(&bytes, &pattern, 0);
    let (mut at, mut count, mut last, mut out) = (0, 0usize, None, Vec::new());
    while count < most && at <= bytes.len() {
        let end = counted(budget, &mut matcher, |matcher| matcher.match_at(at))?;
        match end {
            Some(end) if Some(end) != last => {
                count += 1;
                let before = out.len();
                let found = (at, end);
                match &with_text {
                    Some(with) => append(&mut out, &with.as_bytes(), &matcher, found, budget)?,
                    None => {
                        let values = captures(lua, budget, &matcher, found, true)?;
                        append_value(lua, &mut out, with, values, bytes.get(at..end).unwrap_or_default())?;
                    }
                }
                budget.charge((out.len() - before) as u64 / BYTES_PER_STEP)?;
                budget.within(out.len())?;
                (at, last) = (end, Some(end));
            }
            _ => {
                let Some(&byte) = bytes.get(at) else { break };
                out.push(byte);
                at += 1;
            }
        }
        if anchored {
            break;
        }
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    Ok((lua.create_string(out)?, count as i64))
}

/// Appends a replacement in which `%1` stands for a capture.
fn append(
    out: &mut Vec<u8>,
    with: &[u8],
    matcher: &Matcher<'_>,
    found: (usize, usize),
    budget: &Budget,
) -> mlua::Result<()> {
    let mut rest = with.iter();
    while let Some(&byte) = rest.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let capture = match rest.next() {
            Some(b'%') => {
                out.push(b'%');
                continue;
            }
            Some(b'0') => matcher.whole(found),
            Some(digit @ b'1'..=b'9') => {
                let index = usize::from(digit - b'1');
                matcher.capture(index, found).map_err(|flaw| flawed(budget, flaw))?
            }
            _ => return Err(Error::runtime("invalid use of '%' in replacement string")),
        };
        match capture {
            Capture::Text(text) => out.extend_from_slice(text),
            Capture::Position(place) => out.extend_from_slice(place.to_string().as_bytes()),
        }
    }
    Ok(())
}

/// Appends what a table has, or a function makes, of the first capture; the match itself where that is
/// nothing.
fn append_value(
    lua: &Lua,
    out: &mut Vec<u8>,
    with: &Value,
    captures: MultiValue,
    matched: &[u8],
) -> mlua::Result<()> {
    let made = match with {
        Value::Table(table) => table.get(captures.into_iter().next().unwrap_or(Value::Nil))?,
        Value::Function(function) => function.call::<Value>(captures)?,
        _ => Value::Nil,
    };
    match made {
        Value::Nil | Value::Boolean(false) => out.extend_from_slice(matched),
        Value::String(text) => out.extend_from_slice(&text.as_bytes()),
        number @ (Value::Integer(_) | Value::Number(_)) => {
            let text = lua.coerce_string(number)?;
            out.extend_from_slice(&text.map(|text| text.as_bytes().to_vec()).unwrap_or_default());
        }
        other => {
            return Err(Error::runtime(format!("invalid replacement value (a {})", other.type_name())));
        }
    }
    Ok(())
}
