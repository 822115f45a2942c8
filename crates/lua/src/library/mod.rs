//! The libraries of scripts, `require("suricata.<name>")`.
//!
//! A library is a table of functions. What is about the present packet, flow or transaction is had from
//! an object (`packet.get()`, `http.get_tx()`) whose methods ask the host; an object of one call can be
//! kept and used in the next, and shows what is inspected then.

mod base64;
mod bytevar;
mod config;
mod dataset;
mod earlier;
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

pub(crate) use bytevar::{ByteVariables, map_name as map_byte_variable};
pub(crate) use earlier::Asked;
pub(crate) use flow_variable::Registered;

/// Function that the host answers: its name, its documentation (none of what scripts do not see), and the function.
pub(crate) type Method = (&'static str, &'static str, Call);

/// Calls that the host answers, by group.
pub(crate) const GROUPS: &[&[Method]] = &[
    packet::METHODS,
    flow::METHODS,
    rule::METHODS,
    transaction::CALLS,
    bytevar::CALLS,
    flow_variable::CALLS,
    dataset::CALLS,
    file::METHODS,
    earlier::CALLS,
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
    pub(super) const EARLIER: usize = 8;
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

/// Where libraries are kept that a script has asked for.
const LOADED: &str = "libraries";

/// The library that alone changes what other scripts see.
const SHARED: &str = "dataset";

/// A script asked for the sets of rules.
pub(crate) struct UsesSets;

/// Makes `require` known to a script.
pub(crate) fn install(lua: &Lua, catalogue: &Arc<Catalogue>) -> mlua::Result<()> {
    let globals = lua.globals();
    earlier::install(lua, catalogue)?;
    let language: Value = globals.raw_get("require")?;
    let catalogue = Arc::clone(catalogue);
    lua.set_named_registry_value(LOADED, lua.create_table()?)?;
    let require = lua.create_function(move |lua, name: String| {
        let Some(short) = name.strip_prefix("suricata.") else {
            return match &language {
                Value::Function(require) => require.call(name),
                _ => Err(Error::runtime(format!("Module not found: {name}"))),
            };
        };
        load(lua, short, &catalogue).map(Value::Table)
    })?;
    globals.raw_set("require", require)
}

/// The library `suricata.<name>`, made with the first call.
fn load(lua: &Lua, name: &str, catalogue: &Arc<Catalogue>) -> mlua::Result<Table> {
    let loaded: Table = lua.named_registry_value(LOADED)?;
    if let Value::Table(known) = loaded.raw_get::<Value>(name)? {
        return Ok(known);
    }
    if name == SHARED {
        lua.set_app_data(UsesSets);
    }
    let library = open(lua, name, catalogue)?;
    loaded.raw_set(name, &library)?;
    Ok(library)
}

/// Documentation of a library.
pub struct LibraryReference {
    /// The name behind `suricata.`.
    pub name: &'static str,
    /// Functions and methods, each with a sentence.
    pub functions: Vec<(String, &'static str)>,
}

/// Functions of a library that need no object, with their documentation.
type Rows = &'static [(&'static str, &'static str)];

/// Libraries that are no protocol's: the function that gives the present object, if any, the object's methods, and
/// the other functions.
const LIBRARIES: &[(&str, &str, &[Method], Rows)] = &[
    ("base64", "", &[], base64::FUNCTIONS),
    ("bytevar", "", &[], bytevar::FUNCTIONS),
    ("config", "", &[], config::FUNCTIONS),
    ("dataset", "", &[], dataset::FUNCTIONS),
    ("file", "get_file", file::METHODS, &[]),
    ("flow", "get", flow::METHODS, &[]),
    ("flowint", "", &[], flow_variable::INTEGER_FUNCTIONS),
    ("flowvar", "", &[], flow_variable::TEXT_FUNCTIONS),
    ("hashing", "", &[], hashing::FUNCTIONS),
    ("log", "", &[], log::FUNCTIONS),
    ("packet", "get", packet::METHODS, &[]),
    ("rule", "get_rule", rule::METHODS, &[]),
    ("util", "", &[], thread::FUNCTIONS),
];

/// Documentation of functions that give an object.
const GETTER: &str = "The present one; nothing and a sentence where there is none.";

/// Documentation of all libraries, in the order of their names.
pub fn reference(protocols: &'static [&'static Protocol]) -> Vec<LibraryReference> {
    let own = LIBRARIES.iter().map(|(name, getter, methods, rows)| {
        let getter = Some(*getter).filter(|getter| !getter.is_empty());
        let functions = getter.into_iter().map(|getter| (getter.to_owned(), GETTER));
        let methods = methods.iter().filter(|(name, ..)| !name.is_empty());
        let methods = methods.map(|(name, doc, _)| (format!(":{name}"), *doc));
        let rows = rows.iter().map(|(name, doc)| ((*name).to_owned(), *doc));
        LibraryReference { name, functions: functions.chain(methods).chain(rows).collect() }
    });
    let mut all: Vec<_> = own.collect();
    for library in protocols.iter().flat_map(|protocol| protocol.scripts) {
        if all.iter().any(|known| known.name == library.name) {
            continue;
        }
        let enable = library.enable.map(|name| (name.to_owned(), "Has fingerprints made; in `init`."));
        let methods = library.methods.iter().map(|method| match method.name {
            "" => ("get_tx".to_owned(), method.doc),
            name => (format!(":{name}"), method.doc),
        });
        let getter = (!library.is_table()).then(|| ("get_tx".to_owned(), GETTER));
        let functions = enable.into_iter().chain(getter).chain(methods).collect();
        all.push(LibraryReference { name: library.name, functions });
    }
    all.sort_by_key(|library| library.name);
    all
}

/// Functions that earlier releases of Suricata had as globals, each with what answers it.
pub fn earlier_names(protocols: &'static [&'static Protocol]) -> Vec<(&'static str, String)> {
    earlier::all(protocols)
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
            None => Err(Error::runtime(format!("Module not found: suricata.{name}"))),
        },
    }
}

/// A library with one function that gives the present object; the group's first row says whether there is
/// one.
fn single(lua: &Lua, getter: &str, group: usize, methods: &'static [Method]) -> mlua::Result<Table> {
    let object = object(lua, group, methods.iter().map(|(name, ..)| *name).enumerate().skip(1))?;
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
