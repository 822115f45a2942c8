//! `suricata.flowvar` and `suricata.flowint`: what rules keep of the flow.

use mlua::{Error, Lua, LuaString, MultiValue, Table, Value};
use weir_detect::names::NameKind;
use weir_detect::state::{FlowDetect, NameId};

use super::{Method, group, own, text};
use crate::host::{Host, ask};
use crate::value::{fraction, nothing, string};

/// Most names that one script registers.
const MAX_REGISTERED: usize = 15;

/// Most bytes of a flow variable.
const MAX_BYTES: usize = 65_535;

/// Names that a script registered in `init`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registered(pub(crate) Vec<(NameKind, String)>);

/// One of the two libraries.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    names: NameKind,
    word: &'static str,
    /// Its methods, with their positions among the calls.
    methods: &'static [(&'static str, usize)],
}

/// `suricata.flowint`
pub(super) const INTEGER: Kind = Kind {
    names: NameKind::FlowInteger,
    word: "flowint",
    methods: &[("value", 0), ("set", 1), ("incr", 2), ("decr", 3)],
};

/// `suricata.flowvar`
pub(super) const TEXT: Kind =
    Kind { names: NameKind::FlowVariable, word: "flowvar", methods: &[("value", 4), ("set", 5)] };

/// Functions of the library, with their documentation.
pub(super) const INTEGER_FUNCTIONS: &[(&str, &str)] = &[
    ("register", "In `init`: there is to be a variable of this name."),
    ("get", "The variable of this name."),
    (":value", "Value; nothing where the flow has none."),
    (":set", "Sets the value, and gives it."),
    (":incr", "Adds one, and gives the new value."),
    (":decr", "Takes one away, never below 0, and gives the new value."),
];

/// Functions of the library, with their documentation.
pub(super) const TEXT_FUNCTIONS: &[(&str, &str)] = &[
    ("register", "In `init`: there is to be a variable of this name."),
    ("get", "The variable of this name."),
    (":value", "Value; nothing where the flow has none."),
    (":set", "Sets the value to so many bytes of a string."),
];

/// Functions of the host.
pub(super) const CALLS: &[Method] = &[
    ("integer", "", |lua, host, mut arguments| {
        let name = of(host, &mut arguments, INTEGER)?;
        integer(lua, host.state.shown().map(|state| state.integer(name)))
    }),
    ("set_integer", "", |lua, host, mut arguments| {
        let name = of(host, &mut arguments, INTEGER)?;
        let value = arguments.pop_front().and_then(|v| v.as_integer()).and_then(|v| u32::try_from(v).ok());
        let value = value.ok_or_else(|| Error::runtime("the value is no number between 0 and 4294967295"))?;
        integer(lua, host.state.lent().map(|state| change(state, name, |_| value)))
    }),
    ("increment", "", |lua, host, mut arguments| {
        let name = of(host, &mut arguments, INTEGER)?;
        integer(lua, host.state.lent().map(|state| change(state, name, |value| value.saturating_add(1))))
    }),
    ("decrement", "", |lua, host, mut arguments| {
        let name = of(host, &mut arguments, INTEGER)?;
        integer(lua, host.state.lent().map(|state| change(state, name, |value| value.saturating_sub(1))))
    }),
    ("text", "", |lua, host, mut arguments| {
        let name = of(host, &mut arguments, TEXT)?;
        let Some(state) = host.state.shown() else { return nothing(lua, NO_FLOW) };
        let value = state.variables().iter().find(|(known, _)| *known == name);
        let value = value.map_or(Ok(Value::Nil), |(_, value)| string(lua, value))?;
        Ok([value].into_iter().collect())
    }),
    ("set_text", "", set_text),
];

const NO_FLOW: &str = "flow is NULL";

pub(super) fn open(lua: &Lua, kind: Kind) -> mlua::Result<Table> {
    let library = lua.create_table()?;
    library
        .raw_set("register", lua.create_function(move |lua, name: LuaString| register(lua, kind, &name))?)?;
    library.raw_set("get", lua.create_function(move |lua, name: LuaString| handle(lua, kind, name))?)?;
    Ok(library)
}

fn register(lua: &Lua, kind: Kind, name: &LuaString) -> mlua::Result<()> {
    let Some(mut registered) = lua.app_data_mut::<Registered>() else {
        return Err(Error::runtime(format!("a {} is registered in init", kind.word)));
    };
    let entry = (kind.names, name.to_string_lossy());
    if !registered.0.contains(&entry) {
        if registered.0.len() >= MAX_REGISTERED {
            return Err(Error::runtime(format!("too many {}s registered", kind.word)));
        }
        registered.0.push(entry);
    }
    Ok(())
}

/// The row of the kind.
pub(super) const fn of_kind(kind: NameKind) -> Kind {
    match kind {
        NameKind::FlowInteger => INTEGER,
        _ => TEXT,
    }
}

/// A variable as scripts have it.
pub(super) fn handle(lua: &Lua, kind: Kind, name: LuaString) -> mlua::Result<Table> {
    let object = lua.create_table()?;
    for &(method, index) in kind.methods {
        let name = name.clone();
        object.raw_set(
            method,
            lua.create_function(move |lua, mut arguments: MultiValue| {
                own(&mut arguments, method)?;
                arguments.push_front(Value::String(name.clone()));
                ask(lua, (group::FLOW_VARIABLE, index), arguments)
            })?,
        )?;
    }
    Ok(object)
}

/// The number of the name.
fn of(host: &Host<'_>, arguments: &mut MultiValue, kind: Kind) -> mlua::Result<NameId> {
    let name = text(arguments, "the name")?.to_string_lossy();
    let id = host.names.find(kind.names, &name);
    id.ok_or_else(|| Error::runtime(format!("{} {name} is not registered", kind.word)))
}

/// Gives an integer another value; none where the flow has too many.
fn change(state: &mut FlowDetect, name: NameId, value: impl Fn(u32) -> u32) -> Option<u32> {
    let value = value(state.integer(name).unwrap_or(0));
    state.set_integer(name, value).then_some(value)
}

fn integer(lua: &Lua, value: Option<Option<u32>>) -> mlua::Result<MultiValue> {
    match value {
        None => nothing(lua, NO_FLOW),
        Some(None) => Ok([Value::Nil].into_iter().collect()),
        Some(Some(value)) => Ok([fraction(u64::from(value))].into_iter().collect()),
    }
}

/// Sets a variable to the first bytes of a string.
fn set_text(lua: &Lua, host: &mut Host<'_>, mut arguments: MultiValue) -> mlua::Result<MultiValue> {
    let name = of(host, &mut arguments, TEXT)?;
    let value = text(&mut arguments, "the value")?;
    let length = match arguments.pop_front() {
        Some(length) => length.as_integer().and_then(|length| usize::try_from(length).ok()),
        None => Some(value.as_bytes().len()),
    };
    let bytes = value.as_bytes();
    let Some(bytes) = length.filter(|length| *length <= MAX_BYTES).and_then(|length| bytes.get(..length))
    else {
        return Err(Error::runtime("the length is not one of the value's"));
    };
    let Some(state) = host.state.lent() else { return nothing(lua, NO_FLOW) };
    if !state.set_variable(name, bytes.to_vec()) {
        return nothing(lua, "error: the flow has too many variables");
    }
    Ok(MultiValue::new())
}
