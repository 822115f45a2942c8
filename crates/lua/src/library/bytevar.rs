//! `suricata.bytevar`: byte variables of the rule.

use std::sync::Arc;

use mlua::{Error, Lua, LuaString, MultiValue, Table, Value};

use super::{Method, group, own};
use crate::host::{Host, ask};
use crate::value::number;

/// Most byte variables of one script.
const MAX_MAPPED: usize = 15;

/// The rule's byte variables that a script may map, and those that it has.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByteVariables {
    /// All of the rule, by slot; empty outside `init`.
    pub(crate) known: Vec<Arc<str>>,
    /// Those mapped, with their slots.
    pub(crate) mapped: Vec<(String, usize)>,
}

/// The functions, with their documentation.
pub(super) const FUNCTIONS: &[(&str, &str)] = &[
    ("map", "In `init`, with its argument and a name: the script will ask for this variable."),
    ("get", "The variable of this name, which `map` was called with."),
    (":value", "Value in the present inspection."),
];

/// Functions of the host.
pub(super) const CALLS: &[Method] = &[("value", "", value)];

pub(super) fn open(lua: &Lua) -> mlua::Result<Table> {
    let library = lua.create_table()?;
    library.raw_set("map", lua.create_function(map)?)?;
    library.raw_set("get", lua.create_function(get)?)?;
    Ok(library)
}

fn map(lua: &Lua, (_, name): (Value, LuaString)) -> mlua::Result<()> {
    map_name(lua, &name.to_string_lossy())
}

/// Notes that the script will ask for the byte variable of this name.
pub(crate) fn map_name(lua: &Lua, name: &str) -> mlua::Result<()> {
    let Some(mut variables) = lua.app_data_mut::<ByteVariables>() else {
        return Err(Error::runtime("byte variables are those of a rule"));
    };
    let Some(slot) = variables.known.iter().position(|known| **known == *name) else {
        return Err(Error::runtime(format!("unknown byte_extract or byte_math variable: {name}")));
    };
    if variables.mapped.iter().all(|(known, _)| known != name) {
        if variables.mapped.len() >= MAX_MAPPED {
            return Err(Error::runtime(format!("too many bytevars mapped: {MAX_MAPPED} is the most")));
        }
        variables.mapped.push((name.to_owned(), slot));
    }
    Ok(())
}

/// The variable of a name that was mapped.
pub(super) fn get(lua: &Lua, name: LuaString) -> mlua::Result<Table> {
    let name = name.to_string_lossy();
    let slot = lua.app_data_ref::<ByteVariables>().and_then(|variables| {
        variables.mapped.iter().find(|(known, _)| *known == name).map(|(_, slot)| *slot)
    });
    let Some(slot) = slot else { return Err(Error::runtime(format!("unknown bytevar: {name}"))) };
    let object = lua.create_table()?;
    object.raw_set(
        "value",
        lua.create_function(move |lua, mut arguments: MultiValue| {
            own(&mut arguments, "value")?;
            let slot = [Value::Integer(slot as i64)].into_iter().collect();
            ask(lua, (group::BYTE_VARIABLE, 0), slot)
        })?,
    )?;
    Ok(object)
}

fn value(_: &Lua, host: &mut Host<'_>, mut arguments: MultiValue) -> mlua::Result<MultiValue> {
    let slot =
        arguments.pop_front().and_then(|value| value.as_integer()).and_then(|s| usize::try_from(s).ok());
    let value = slot.and_then(|slot| host.byte_variables.get(slot)).copied().map_or(Value::Nil, number);
    Ok([value].into_iter().collect())
}
