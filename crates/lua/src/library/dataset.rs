//! `suricata.dataset`: sets of strings that rules made.

use mlua::{Error, Lua, LuaString, MultiValue, Table, Value};
use weir_detect::dataset::{Addition, DataKind};

use super::{Method, group, own, text};
use crate::host::{Host, ask};
use crate::value::nothing;

/// The functions, with their documentation.
pub(super) const FUNCTIONS: &[(&str, &str)] = &[
    ("new", "An object for a set."),
    (":get", "Takes the set of strings of this name; nothing, or nil and a sentence."),
    (":add", "Adds so many bytes of a string: 1 where they are new, 0 where they are not."),
];

/// Functions of the host.
pub(super) const CALLS: &[Method] = &[("find", "", find), ("add", "", add)];

const FIND: usize = 0;
const ADD: usize = 1;

/// Where an object keeps the name of its set.
const NAME: &str = "name";

pub(super) fn open(lua: &Lua) -> mlua::Result<Table> {
    let library = lua.create_table()?;
    library.raw_set("new", lua.create_function(|lua, _: MultiValue| object(lua))?)?;
    Ok(library)
}

fn object(lua: &Lua) -> mlua::Result<Table> {
    let object = lua.create_table()?;
    object.raw_set(
        "get",
        lua.create_function(|lua, mut arguments: MultiValue| {
            let object = own(&mut arguments, "get")?;
            let name = text(&mut arguments, "the name")?;
            // Sets are those of the rules: before a packet is looked at there may be none.
            let missing =
                match ask(lua, (group::DATASET, FIND), [Value::String(name.clone())].into_iter().collect()) {
                    Ok(missing) => missing,
                    Err(_) => MultiValue::new(),
                };
            if missing.is_empty() {
                object.raw_set(NAME, name)?;
            }
            Ok(missing)
        })?,
    )?;
    object.raw_set(
        "add",
        lua.create_function(|lua, mut arguments: MultiValue| {
            let object = own(&mut arguments, "add")?;
            let Some(name) = object.raw_get::<Option<LuaString>>(NAME)? else {
                return nothing(lua, "dataset is not initialized");
            };
            arguments.push_front(Value::String(name));
            ask(lua, (group::DATASET, ADD), arguments)
        })?,
    )?;
    Ok(object)
}

fn find(lua: &Lua, host: &mut Host<'_>, mut arguments: MultiValue) -> mlua::Result<MultiValue> {
    let name = text(&mut arguments, "the name")?.to_string_lossy();
    match host.names.sets().and_then(|sets| sets.datasets.named(&name, DataKind::Text)) {
        Some(_) => Ok(MultiValue::new()),
        None => nothing(lua, "dataset not found"),
    }
}

/// Adds the first bytes of a string; 1 where they were not there.
fn add(lua: &Lua, host: &mut Host<'_>, mut arguments: MultiValue) -> mlua::Result<MultiValue> {
    let name = text(&mut arguments, "the name")?.to_string_lossy();
    let sets = host.names.sets();
    let Some((sets, set)) = sets.and_then(|sets| Some((sets, sets.datasets.named(&name, DataKind::Text)?)))
    else {
        return nothing(lua, "dataset not found");
    };
    let value = text(&mut arguments, "1st arg")?;
    let length = arguments.pop_front().and_then(|l| l.as_integer()).and_then(|l| usize::try_from(l).ok());
    let bytes = value.as_bytes();
    let Some(bytes) = length.and_then(|length| bytes.get(..length)) else {
        return Err(Error::runtime("2nd arg is not a length of the 1st"));
    };
    sets.turn.wait();
    Ok([Value::Integer(i64::from(set.add(bytes, 0) == Addition::New))].into_iter().collect())
}
