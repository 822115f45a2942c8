//! The libraries of scripts, `require("suricata.<name>")`.
//!
//! A library is a table of functions. What is about the present packet, flow or transaction is had from
//! an object (`packet.get()`, `http.get_tx()`) whose methods ask the host; an object of one call can be
//! kept and used in the next, and shows what is inspected then.

mod base64;
mod bytevar;
mod config;
mod dataset;
mod file;
mod flow;
mod flow_variable;
mod hashing;
mod log;
mod packet;
mod rule;
mod thread;
mod time;
mod transaction;

use std::sync::Arc;

use mlua::{Error, Lua, MultiValue, Table, Value};
use weir_applayer::Protocol;

use crate::host::{Call, ask};
use crate::language::Say;

pub(crate) use bytevar::ByteVariables;
pub(crate) use flow_variable::Registered;

/// Calls that the host answers, by group.
pub(crate) const GROUPS: &[&[(&str, Call)]] = &[
    packet::METHODS,
    flow::METHODS,
    rule::METHODS,
    transaction::CALLS,
    bytevar::CALLS,
    flow_variable::CALLS,
    dataset::CALLS,
    file::METHODS,
];

/// Positions in [`GROUPS`].
mod group {
    pub(super) const PACKET: usize = 0;
    pub(super) const FLOW: usize = 1;
    pub(super) const RULE: usize = 2;
    pub(super) const TRANSACTION: usize = 3;
    pub(super) const BYTE_VARIABLE: usize = 4;
    pub(super) const FLOW_VARIABLE: usize = 5;
    pub(super) const DATASET: usize = 6;
    pub(super) const FILE: usize = 7;
}

/// Surroundings that libraries need.
pub(crate) struct Catalogue {
    /// Protocols, each with its own libraries.
    pub(crate) protocols: &'static [&'static Protocol],
    /// The folder of logs.
    pub(crate) log_folder: String,
    /// Where scripts' messages go.
    pub(crate) say: Say,
}

/// Documented libraries that no protocol of this release has.
const MISSING: &[&str] = &["http2"];

/// Where libraries are kept that a script has asked for.
const LOADED: &str = "libraries";

/// The library that alone changes what other scripts see.
const SHARED: &str = "suricata.dataset";

/// A script asked for the sets of rules.
pub(crate) struct UsesSets;

/// Makes `require` known to a script.
pub(crate) fn install(lua: &Lua, catalogue: &Arc<Catalogue>) -> mlua::Result<()> {
    let globals = lua.globals();
    let language: Value = globals.get("require")?;
    let catalogue = Arc::clone(catalogue);
    lua.set_named_registry_value(LOADED, lua.create_table()?)?;
    let require = lua.create_function(move |lua, name: String| {
        let Some(short) = name.strip_prefix("suricata.") else {
            return match &language {
                Value::Function(require) => require.call(name),
                _ => Err(Error::runtime(format!("module '{name}' not found"))),
            };
        };
        let loaded: Table = lua.named_registry_value(LOADED)?;
        if let known @ Value::Table(_) = loaded.raw_get::<Value>(short)? {
            return Ok(known);
        }
        if name == SHARED {
            lua.set_app_data(UsesSets);
        }
        let library = open(lua, short, &catalogue)?;
        loaded.raw_set(short, &library)?;
        Ok(Value::Table(library))
    })?;
    globals.raw_set("require", require)
}

fn open(lua: &Lua, name: &str, catalogue: &Arc<Catalogue>) -> mlua::Result<Table> {
    match name {
        "base64" => base64::open(lua),
        "bytevar" => bytevar::open(lua),
        "config" => config::open(lua, &catalogue.log_folder),
        "dataset" => dataset::open(lua),
        "file" => single(lua, "get_file", group::FILE, file::METHODS),
        "flow" => single(lua, "get", group::FLOW, flow::METHODS),
        "flowint" => flow_variable::open(lua, flow_variable::INTEGER),
        "flowvar" => flow_variable::open(lua, flow_variable::TEXT),
        "hashing" => hashing::open(lua),
        "log" => log::open(lua, &catalogue.say),
        "packet" => single(lua, "get", group::PACKET, packet::METHODS),
        "rule" => single(lua, "get_rule", group::RULE, rule::METHODS),
        "util" => thread::open(lua),
        _ => match transaction::open(lua, name, catalogue.protocols)? {
            Some(library) => Ok(library),
            None if MISSING.contains(&name) => Err(Error::runtime(format!(
                "module 'suricata.{name}' is of a protocol that is not supported yet"
            ))),
            None => Err(Error::runtime(format!("module 'suricata.{name}' not found"))),
        },
    }
}

/// A library with one function that gives the present object; the group's first row says whether there is
/// one.
fn single(
    lua: &Lua,
    getter: &str,
    group: usize,
    methods: &'static [(&'static str, Call)],
) -> mlua::Result<Table> {
    let object = object(lua, group, methods.iter().map(|(name, _)| *name).enumerate().skip(1))?;
    let library = lua.create_table()?;
    library.raw_set(
        getter,
        lua.create_function(move |lua, _: MultiValue| {
            let missing = ask(lua, (group, 0), MultiValue::new())?;
            if missing.is_empty() {
                return Ok([Value::Table(object.clone())].into_iter().collect());
            }
            Ok(missing)
        })?,
    )?;
    Ok(library)
}

/// An object whose methods ask the host.
fn object(
    lua: &Lua,
    group: usize,
    methods: impl Iterator<Item = (usize, &'static str)>,
) -> mlua::Result<Table> {
    let object = lua.create_table()?;
    for (index, name) in methods {
        let method = lua.create_function(move |lua, mut arguments: MultiValue| {
            own(&mut arguments, name)?;
            ask(lua, (group, index), arguments)
        })?;
        object.raw_set(name, method)?;
    }
    Ok(object)
}

/// Takes the object that a method is called on off its arguments.
fn own(arguments: &mut MultiValue, method: &str) -> mlua::Result<Table> {
    match arguments.pop_front() {
        Some(Value::Table(object)) if object.raw_get::<Value>(method)?.is_function() => Ok(object),
        _ => Err(Error::runtime(format!("calling '{method}' on bad self"))),
    }
}

/// The string that a function is called with.
fn text(arguments: &mut MultiValue, what: &str) -> mlua::Result<mlua::LuaString> {
    match arguments.pop_front() {
        Some(Value::String(text)) => Ok(text),
        _ => Err(Error::runtime(format!("{what} is not a string"))),
    }
}
