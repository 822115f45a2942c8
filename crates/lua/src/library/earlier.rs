//! Functions that earlier releases of Suricata had as globals (`SCFlowTuple`, `HttpGetRequestLine`).
//!
//! Each stands for functions of the libraries. They are made when a script first names them: a script that
//! does not costs nothing.

use std::sync::Arc;

use mlua::{Error, Function, Lua, MultiValue, Table, Value};
use weir_applayer::Protocol;
use weir_base::Direction;
use weir_detect::names::NameKind;

use super::{ByteVariables, Catalogue, Method, bytevar, flow_variable, group, load};
use crate::host::ask;
use crate::value::string;

/// Flow variables and integers that a script asked for in `init`, in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked(pub(crate) Vec<(NameKind, String)>);

/// Answer to a function of earlier releases.
enum Answer {
    /// By these methods of the library's present object, one behind the other.
    Object(&'static str, &'static [&'static str]),
    /// By a function of the library.
    Library(&'static str, &'static str),
    /// By these members of the table that a function of the library gives.
    Members(&'static str, &'static str, &'static [&'static str]),
    /// By a method of the variable that the first argument numbers among those that `init` asked for.
    Variable(NameKind, &'static str),
    /// By the value of the byte variable that the first argument numbers.
    ByteVariable,
    /// By the piece of a stream or body.
    Piece,
}

use Answer::{ByteVariable, Library, Members, Object, Piece, Variable};

/// A row: name and answer.
const GLOBALS: &[(&str, Answer)] = &[
    ("SCPacketPayload", Object("packet", &["payload"])),
    ("SCPacketTimestamp", Object("packet", &["timestamp"])),
    ("SCPacketTimeString", Object("packet", &["timestring_legacy"])),
    ("SCPacketTuple", Object("packet", &["tuple"])),
    ("SCFlowAppLayerProto", Object("flow", &["app_layer_proto"])),
    ("SCFlowHasAlerts", Object("flow", &["has_alerts"])),
    ("SCFlowId", Object("flow", &["id"])),
    ("SCFlowStats", Object("flow", &["stats"])),
    ("SCFlowTimestamps", Object("flow", &["timestamps"])),
    ("SCFlowTimeString", Object("flow", &["timestring_legacy"])),
    ("SCFlowTuple", Object("flow", &["tuple"])),
    ("SCRuleAction", Object("rule", &["action"])),
    ("SCRuleClass", Object("rule", &["class_description", "priority"])),
    ("SCRuleIds", Object("rule", &["sid", "rev", "gid"])),
    ("SCRuleMsg", Object("rule", &["msg"])),
    ("SCFileInfo", Object("file", &["file_id", "tx_id", "name", "size", "magic", "md5", "sha1", "sha256"])),
    ("SCFileState", Object("file", &["get_state", "is_stored"])),
    ("SCStreamingBuffer", Piece),
    ("SCThreadInfo", Members("util", "thread_info", &["id", "name", "group_name"])),
    ("SCLogPath", Library("config", "log_path")),
    ("SCLogDebug", Library("log", "debug")),
    ("SCLogError", Library("log", "error")),
    ("SCLogInfo", Library("log", "info")),
    ("SCLogNotice", Library("log", "notice")),
    ("SCLogWarning", Library("log", "warning")),
    ("SCByteVarGet", ByteVariable),
    ("SCFlowvarGet", Variable(NameKind::FlowVariable, "value")),
    ("SCFlowvarSet", Variable(NameKind::FlowVariable, "set")),
    ("SCFlowintGet", Variable(NameKind::FlowInteger, "value")),
    ("SCFlowintSet", Variable(NameKind::FlowInteger, "set")),
    ("SCFlowintIncr", Variable(NameKind::FlowInteger, "incr")),
    ("SCFlowintDecr", Variable(NameKind::FlowInteger, "decr")),
];

/// Functions of the host.
pub(super) const CALLS: &[Method] = &[("piece", "", |lua, host, _| {
    let Some(piece) = host.piece else { return Ok(MultiValue::new()) };
    let to = |direction| Value::Boolean(piece.direction == direction);
    Ok([
        string(lua, piece.bytes)?,
        Value::Boolean(piece.opens),
        Value::Boolean(piece.closes),
        to(Direction::ToServer),
        to(Direction::ToClient),
    ]
    .into_iter()
    .collect())
})];

/// Has globals that a script names without having set them looked up here.
pub(super) fn install(lua: &Lua, catalogue: &Arc<Catalogue>) -> mlua::Result<()> {
    let catalogue = Arc::clone(catalogue);
    let find = lua.create_function(move |lua, (globals, name): (Table, Value)| {
        let Value::String(name) = name else { return Ok(None) };
        let found = function(lua, &name.to_string_lossy(), &catalogue)?;
        if let Some(found) = &found {
            globals.raw_set(name, found)?;
        }
        Ok(found)
    })?;
    let meta = lua.create_table()?;
    meta.raw_set("__index", find)?;
    lua.globals().set_metatable(Some(meta))
}

/// Names of all functions, each with what answers it.
pub(super) fn all(protocols: &'static [&'static Protocol]) -> Vec<(&'static str, String)> {
    let own = GLOBALS.iter().map(|(name, answer)| (*name, answer.described()));
    let libraries = protocols.iter().flat_map(|protocol| protocol.scripts);
    let of_protocols = libraries.flat_map(|library| {
        let described = |method: &str| format!("`{}.{method}`", library.name).replace(".`", "`");
        library.earlier.iter().map(move |(name, method)| (*name, described(method)))
    });
    own.chain(of_protocols).collect()
}

impl Answer {
    fn described(&self) -> String {
        let listed = |library: &str, names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| format!("`{library}.{name}`")).collect();
            names.join(", ")
        };
        match self {
            Object(library, methods) => listed(library, methods),
            Library(library, function) => listed(library, &[function]),
            Members(library, function, members) => {
                format!("{} of {}", members.join(", "), listed(library, &[function]))
            }
            Variable(NameKind::FlowInteger, method) => listed("flowint", &[method]),
            Variable(_, method) => listed("flowvar", &[method]),
            ByteVariable => listed("bytevar", &["value"]),
            Piece => "`data`, `open`, `close`, `to_server`, `to_client` of `args.stream`".to_owned(),
        }
    }
}

fn function(lua: &Lua, name: &str, catalogue: &Arc<Catalogue>) -> mlua::Result<Option<Function>> {
    let shared = Arc::clone(catalogue);
    if let Some((_, answer)) = GLOBALS.iter().find(|(known, _)| *known == name) {
        let function =
            lua.create_function(move |lua, arguments| answered(lua, answer, arguments, &shared))?;
        return Ok(Some(function));
    }
    let libraries = catalogue.protocols.iter().flat_map(|protocol| protocol.scripts);
    let found = libraries.flat_map(|library| library.earlier.iter().map(move |row| (library, row)));
    let Some((library, (_, method))) = found.into_iter().find(|(_, (known, _))| *known == name) else {
        return Ok(None);
    };
    let function = lua.create_function(move |lua, arguments| {
        of_object(lua, library.name, &[*method], &arguments, &shared)
    })?;
    Ok(Some(function))
}

fn answered(
    lua: &Lua,
    answer: &Answer,
    mut arguments: MultiValue,
    catalogue: &Arc<Catalogue>,
) -> mlua::Result<MultiValue> {
    match answer {
        Object(library, methods) => of_object(lua, library, methods, &arguments, catalogue),
        Library(library, name) => load(lua, library, catalogue)?.raw_get::<Function>(*name)?.call(arguments),
        Members(library, name, members) => {
            let table: Table = load(lua, library, catalogue)?.raw_get::<Function>(*name)?.call(arguments)?;
            members.iter().map(|member| table.raw_get(*member)).collect()
        }
        Variable(kind, method) => {
            let asked = lua.app_data_ref::<Asked>().map(|asked| asked.clone()).unwrap_or_default();
            let index = number(&mut arguments)?;
            let name = asked.0.into_iter().filter(|(known, _)| known == kind).nth(index);
            let Some((_, name)) = name else { return Err(Error::runtime("flowvar does not exist")) };
            let object = flow_variable::handle(lua, flow_variable::of_kind(*kind), lua.create_string(name)?)?;
            called(&object, method, &arguments)
        }
        ByteVariable => {
            let variables = lua.app_data_ref::<ByteVariables>().map(|known| known.mapped.clone());
            let name = variables.unwrap_or_default().into_iter().nth(number(&mut arguments)?);
            let Some((name, _)) = name else { return Err(Error::runtime("unknown bytevar")) };
            called(&bytevar::get(lua, lua.create_string(name)?)?, "value", &arguments)
        }
        Piece => ask(lua, (group::EARLIER, 0), MultiValue::new()),
    }
}

/// The number that a function is called with.
fn number(arguments: &mut MultiValue) -> mlua::Result<usize> {
    let first = arguments.pop_front().and_then(|value| value.as_integer());
    first
        .and_then(|number| usize::try_from(number).ok())
        .ok_or_else(|| Error::runtime("the 1st argument is no number"))
}

/// Functions that give a library's present object.
const GETTERS: [&str; 4] = ["get", "get_tx", "get_rule", "get_file"];

fn of_object(
    lua: &Lua,
    library: &str,
    methods: &[&str],
    arguments: &MultiValue,
    catalogue: &Arc<Catalogue>,
) -> mlua::Result<MultiValue> {
    let library = load(lua, library, catalogue)?;
    let mut getter = None;
    for name in GETTERS {
        getter = getter.or(library.raw_get::<Option<Function>>(name)?);
    }
    let Some(getter) = getter else { return Ok(MultiValue::new()) };
    let got: MultiValue = getter.call(())?;
    let Some(Value::Table(object)) = got.front() else { return Ok(got) };
    let mut answers = MultiValue::new();
    for method in methods {
        // A transaction may be a table of values.
        match method.is_empty() {
            true => answers.push_back(Value::Table(object.clone())),
            false => answers.extend(called(object, method, arguments)?),
        }
    }
    Ok(answers)
}

fn called(object: &Table, method: &str, arguments: &MultiValue) -> mlua::Result<MultiValue> {
    let mut arguments = arguments.clone();
    arguments.push_front(Value::Table(object.clone()));
    object.raw_get::<Function>(method)?.call(arguments)
}
