//! The libraries of protocols (`suricata.http`, `suricata.dns`), each as its protocol's table says.

use mlua::{Error, Lua, MultiValue, Table, Value};
use weir_applayer::{Protocol, ScriptLibrary};

use super::{Method, group, own};
use crate::host::{Host, ask};
use crate::value::{nothing, to_lua_multi};

/// Functions of the host.
pub(super) const CALLS: &[Method] = &[("present", "", present), ("method", "", method)];

const PRESENT: usize = 0;
const METHOD: usize = 1;

/// The library of that name, where a protocol has it.
pub(super) fn open(
    lua: &Lua,
    name: &str,
    protocols: &'static [&'static Protocol],
) -> mlua::Result<Option<Table>> {
    let found = protocols.iter().flat_map(|protocol| protocol.scripts).find(|library| library.name == name);
    let Some(found) = found else { return Ok(None) };
    let (library, object) = (lua.create_table()?, lua.create_table()?);
    for (index, method) in found.methods.iter().enumerate() {
        let (takes_argument, method) = (method.takes_argument, method.name);
        let call = lua.create_function(move |lua, mut arguments: MultiValue| {
            own(&mut arguments, method)?;
            let argument = match arguments.pop_front() {
                Some(Value::String(text)) => Value::String(text),
                _ if takes_argument => return nothing(lua, "argument missing, empty or wrong type"),
                _ => Value::Nil,
            };
            let of =
                [lua.create_string(found.name).map(Value::String)?, Value::Integer(index as i64), argument];
            ask(lua, (group::TRANSACTION, METHOD), of.into_iter().collect())
        })?;
        object.raw_set(method, call)?;
    }
    let get = lua.create_function(move |lua, _: MultiValue| {
        let of = [lua.create_string(found.name).map(Value::String)?];
        let missing = ask(lua, (group::TRANSACTION, PRESENT), of.into_iter().collect())?;
        if missing.is_empty() && found.is_table() {
            let of = [lua.create_string(found.name).map(Value::String)?, Value::Integer(0), Value::Nil];
            ask(lua, (group::TRANSACTION, METHOD), of.into_iter().collect())
        } else if missing.is_empty() {
            Ok([Value::Table(object.clone())].into_iter().collect())
        } else {
            Ok(missing)
        }
    })?;
    library.raw_set("get_tx", get)?;
    if let Some(enable) = found.enable {
        library.raw_set(enable, lua.create_function(|_, _: MultiValue| Ok(()))?)?;
    }
    Ok(Some(library))
}

fn library(host: &Host<'_>, name: &[u8]) -> Result<&'static ScriptLibrary, String> {
    let scripts = host.transaction.map(|(protocol, _)| protocol.scripts);
    let found = scripts.and_then(|all| all.iter().find(|library| library.name.as_bytes() == name));
    found.ok_or_else(|| match host.app.first() {
        Some(flow) if flow.as_bytes() == name => "error: no tx available".to_owned(),
        _ => format!("error: protocol not {}", String::from_utf8_lossy(name)),
    })
}

/// Says why there is no transaction of a library.
fn present(lua: &Lua, host: &mut Host<'_>, mut arguments: MultiValue) -> mlua::Result<MultiValue> {
    let name = super::text(&mut arguments, "the library")?;
    match library(host, &name.as_bytes()) {
        Ok(_) => Ok(MultiValue::new()),
        Err(why) => nothing(lua, &why),
    }
}

fn method(lua: &Lua, host: &mut Host<'_>, mut arguments: MultiValue) -> mlua::Result<MultiValue> {
    let name = super::text(&mut arguments, "the library")?;
    let found = match library(host, &name.as_bytes()) {
        Ok(found) => found,
        Err(why) => return nothing(lua, &why),
    };
    let index =
        arguments.pop_front().and_then(|value| value.as_integer()).and_then(|i| usize::try_from(i).ok());
    let (Some(method), Some((_, transaction))) =
        (index.and_then(|index| found.methods.get(index)), host.transaction)
    else {
        return Err(Error::runtime("no such method"));
    };
    let values = match arguments.pop_front() {
        Some(Value::String(text)) => (method.call)(transaction, Some(&text.as_bytes())),
        _ => (method.call)(transaction, None),
    };
    to_lua_multi(lua, values)
}
