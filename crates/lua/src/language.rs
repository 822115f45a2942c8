//! The language as detection knows it: scripts are found, tried and numbered.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use mlua::chunk::ChunkMode;
use mlua::{Function, Lua, LuaString, Table, Value};
use weir_applayer::Protocol;
use weir_base::{Pipes, named_file};
use weir_detect::names::NameKind;
use weir_detect::script::{
    CheckScript, ScriptFacts, ScriptId, ScriptLanguage, ScriptRunner, ScriptSurroundings,
};

use crate::failure;
use crate::library::{self, Asked, ByteVariables, Catalogue, Registered, UsesSets};
use crate::runner::Runner;
use crate::sandbox::{Limits, Sandbox};

/// Most bytes of a script's file.
pub(crate) const MAX_FILE: u64 = 1 << 20;

/// Where messages of scripts go: level (`notice`) and text.
#[derive(Clone)]
pub struct Say(pub Arc<SayMessage>);

/// Takes a message: level and text.
pub type SayMessage = dyn Fn(&str, &str) + Send + Sync;

/// Settings of scripts in rules (`security.lua`).
#[derive(Clone)]
pub struct LuaSettings {
    /// Where scripts lie that are named without a folder (`default-rule-path`).
    pub folder: PathBuf,
    /// Most bytes that a script holds; 0 for no limit.
    pub max_bytes: usize,
    /// Most instructions of one call; 0 for no limit.
    pub max_instructions: u64,
    /// Scripts may call every function of the language.
    pub all_functions: bool,
    /// The folder of logs.
    pub log_folder: String,
    /// Where messages go.
    pub say: Say,
}

/// Role of a script in its rule.
#[derive(Debug)]
pub(crate) enum Role {
    /// `lua`
    Check(ByteVariables, Asked),
    /// `luaxform`, with what it is given besides the buffer.
    Transform(Vec<String>),
}

/// A script that was read.
#[derive(Debug)]
pub(crate) struct Script {
    /// Its file.
    pub(crate) path: PathBuf,
    source: Vec<u8>,
    /// Role in the rule.
    pub(crate) role: Role,
}

/// State shared by all scripts of a ruleset and their runners.
pub(crate) struct Shared {
    /// Limits of each script.
    limits: Limits,
    pub(crate) catalogue: Arc<Catalogue>,
}

/// Lua.
pub struct LuaLanguage {
    folder: PathBuf,
    shared: Arc<Shared>,
    scripts: Mutex<Vec<Arc<Script>>>,
    changes_sets: AtomicBool,
}

impl fmt::Debug for LuaLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LuaLanguage").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl LuaLanguage {
    /// The language, with the libraries of these protocols.
    pub fn new(settings: LuaSettings, protocols: &'static [&'static Protocol]) -> Self {
        let limits = Limits {
            bytes: settings.max_bytes,
            instructions: settings.max_instructions,
            all_functions: settings.all_functions,
        };
        let catalogue = Catalogue { protocols, log_folder: settings.log_folder, say: settings.say };
        Self {
            folder: settings.folder,
            shared: Arc::new(Shared { limits, catalogue: Arc::new(catalogue) }),
            scripts: Mutex::default(),
            changes_sets: AtomicBool::new(false),
        }
    }

    fn read(&self, file: &str) -> Result<(PathBuf, Vec<u8>), String> {
        let path = self.folder.join(file);
        let refused = |error: std::io::Error| {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default();
            format!("couldn't load file: cannot open {}: {text}", path.display())
        };
        let source = named_file::read(&path, Pipes::Refuse, MAX_FILE).map_err(refused)?;
        Ok((path, source))
    }

    fn keep(&self, script: Script) -> ScriptId {
        let mut scripts = self.scripts.lock().unwrap_or_else(PoisonError::into_inner);
        scripts.push(Arc::new(script));
        ScriptId((scripts.len() - 1) as u32)
    }

    fn note_sets(&self, sandbox: &Sandbox) {
        if sandbox.lua.app_data_ref::<UsesSets>().is_some() {
            self.changes_sets.store(true, Ordering::Relaxed);
        }
    }
}

impl Shared {
    /// An interpreter that has run the script's text.
    pub(crate) fn load(&self, path: &Path, source: &[u8]) -> Result<Sandbox, mlua::Error> {
        let sandbox = Sandbox::new(self.limits)?;
        library::install(&sandbox.lua, &self.catalogue)?;
        sandbox.begin();
        let name = format!("@{}", path.display());
        sandbox.lua.load(source).set_name(name).set_mode(ChunkMode::Text).exec()?;
        Ok(sandbox)
    }

    /// Opens a sandbox with a script that was read before.
    pub(crate) fn open(&self, script: &Script) -> Result<Sandbox, mlua::Error> {
        self.load(&script.path, &script.source)
    }

    fn try_out(&self, path: &Path, source: &[u8]) -> Result<Sandbox, String> {
        self.load(path, source).map_err(|error| match error {
            mlua::Error::SyntaxError { .. } => format!("couldn't load file: {}", failure::line(&error)),
            _ => format!("couldn't prime file: {}", failure::line(&error)),
        })
    }
}

fn function(sandbox: &Sandbox, name: &str) -> Option<Function> {
    sandbox.lua.globals().get::<Option<Function>>(name).ok().flatten()
}

/// Returns the needs in `init`'s table: keys whose value is `true`, the word or the value.
fn needs(table: &Table) -> mlua::Result<Vec<String>> {
    let mut needs = Vec::new();
    for pair in table.pairs::<String, Value>() {
        let (name, value) = pair?;
        let asked = match &value {
            Value::Boolean(yes) => *yes,
            Value::String(word) => word == "true",
            _ => false,
        };
        if asked {
            needs.push(name);
        }
    }
    needs.sort();
    Ok(needs)
}

/// The lists by which scripts for earlier releases ask for variables, which they know by numbers from 0.
fn asked(lua: &Lua, needs: &Table) -> mlua::Result<Asked> {
    let listed = |key: &str| match needs.raw_get(key) {
        Ok(Value::Table(list)) => list.sequence_values::<LuaString>().collect::<mlua::Result<Vec<_>>>(),
        _ => Ok(Vec::new()),
    };
    let mut asked = Asked::default();
    for (key, kind) in [("flowvar", NameKind::FlowVariable), ("flowint", NameKind::FlowInteger)] {
        for name in listed(key)? {
            asked.0.push((kind, name.to_string_lossy()));
        }
    }
    for name in listed("bytevar")? {
        library::map_byte_variable(lua, &name.to_string_lossy())?;
    }
    Ok(asked)
}

impl ScriptLanguage for LuaLanguage {
    fn read_check(&self, file: &str, facts: &ScriptFacts<'_>) -> Result<CheckScript, String> {
        let (path, source) = self.read(file)?;
        let sandbox = self.shared.try_out(&path, &source)?;
        let init = function(&sandbox, "init").ok_or("no init function in script")?;
        function(&sandbox, "match").ok_or("no match function in script")?;
        let known = facts.byte_variables.to_vec();
        sandbox.lua.set_app_data(ByteVariables { known, mapped: Vec::new() });
        sandbox.lua.set_app_data(Registered::default());
        sandbox.begin();
        let failed = |error| format!("couldn't run script 'init' function: {}", failure::line(&error));
        let answer = rule_facts(&sandbox.lua).and_then(|rule| init.call::<Value>(rule)).map_err(failed)?;
        let Value::Table(table) = answer else { return Err(no_table(&answer)) };
        let needs = needs(&table).map_err(failed)?;
        let asked = asked(&sandbox.lua, &table).map_err(failed)?;
        self.note_sets(&sandbox);
        if let Some(Registered(names)) = sandbox.lua.remove_app_data::<Registered>() {
            for (kind, name) in names.into_iter().chain(asked.0.iter().cloned()) {
                facts.names.id(kind, &name);
            }
        }
        let mut variables = sandbox.lua.remove_app_data::<ByteVariables>().unwrap_or_default();
        variables.known.clear();
        let id = self.keep(Script { path, source, role: Role::Check(variables, asked) });
        Ok(CheckScript { id, needs })
    }

    fn read_transform(&self, file: &str, arguments: &[&str]) -> Result<ScriptId, String> {
        let (path, source) = self.read(file)?;
        let sandbox = self.shared.try_out(&path, &source)?;
        function(&sandbox, "transform").ok_or("no transform function in script")?;
        if let Some(init) = function(&sandbox, "init") {
            sandbox.begin();
            rule_facts(&sandbox.lua)
                .and_then(|rule| init.call::<()>(rule))
                .map_err(|error| format!("couldn't run script 'init' function: {}", failure::line(&error)))?;
        }
        self.note_sets(&sandbox);
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        Ok(self.keep(Script { path, source, role: Role::Transform(arguments) }))
    }

    fn runner(&self, surroundings: &ScriptSurroundings<'_>) -> Box<dyn ScriptRunner> {
        let scripts = self.scripts.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Box::new(Runner::new(Arc::clone(&self.shared), scripts, surroundings))
    }

    fn changes_sets(&self) -> bool {
        self.changes_sets.load(Ordering::Relaxed)
    }
}

/// Makes the argument of `init`, which stands for the rule.
pub(crate) fn rule_facts(lua: &Lua) -> mlua::Result<Table> {
    let facts = lua.create_table()?;
    facts.raw_set("script_api_ver", 1)?;
    Ok(facts)
}

/// Says that `init` answers no table.
pub(crate) fn no_table(answer: &Value) -> String {
    let what = if answer.is_nil() { "nothing returned" } else { "returned is not table" };
    format!("init function in script should return table, {what}")
}
