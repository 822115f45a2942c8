//! A worker's scripts: each has its interpreter, which is made when the script is first asked.

use std::sync::Arc;

use mlua::{Function, MultiValue, Value};
use weir_detect::script::{ScriptFailure, ScriptId, ScriptRunner, ScriptSurroundings, ScriptView};

use crate::failure;
use crate::host::{self, Host, Surroundings};
use crate::language::{Role, Script, Shared};
use crate::sandbox::Sandbox;

/// Runner of a worker's scripts.
pub(crate) struct Runner {
    shared: Arc<Shared>,
    scripts: Vec<Slot>,
    surroundings: Surroundings,
}

/// A script with its interpreter.
struct Slot {
    script: Arc<Script>,
    started: Started,
    /// Failures that were logged, one of each kind.
    told: Vec<ScriptFailure>,
}

enum Started {
    Not,
    Failed,
    Ready { sandbox: Sandbox, function: Function },
}

impl Runner {
    /// Runs `scripts`.
    pub(crate) fn new(
        shared: Arc<Shared>,
        scripts: Vec<Arc<Script>>,
        surroundings: &ScriptSurroundings<'_>,
    ) -> Self {
        let scripts = scripts
            .into_iter()
            .map(|script| Slot { script, started: Started::Not, told: Vec::new() })
            .collect();
        Self { shared, scripts, surroundings: Surroundings::new(surroundings) }
    }

    fn slot(&mut self, id: ScriptId) -> Option<&mut Slot> {
        let slot = self.scripts.get_mut(id.0 as usize)?;
        if matches!(slot.started, Started::Not) {
            slot.started = match start(&self.shared, &slot.script) {
                Ok((sandbox, function)) => Started::Ready { sandbox, function },
                Err(error) => {
                    slot.tell(&self.shared, ScriptFailure::Error, &error);
                    Started::Failed
                }
            };
        }
        Some(slot)
    }
}

impl Slot {
    /// Tells of the script's first failure of a kind.
    fn tell(&mut self, shared: &Shared, kind: ScriptFailure, error: &mlua::Error) {
        if self.told.contains(&kind) {
            return;
        }
        self.told.push(kind);
        let why = match kind {
            ScriptFailure::Memory => format!("{}: memory limit exceeded", self.script.path.display()),
            _ => failure::line(error),
        };
        (shared.catalogue.say.0)("warning", &format!("Lua script failed to run successfully: {why}"));
    }
}

/// The script's text is run, and its `thread_init`.
fn start(shared: &Shared, script: &Script) -> mlua::Result<(Sandbox, Function)> {
    let sandbox = shared.open(script)?;
    let globals = sandbox.lua.globals();
    let name = match &script.role {
        Role::Check(variables, asked) => {
            sandbox.lua.set_app_data(variables.clone());
            sandbox.lua.set_app_data(asked.clone());
            if let Some(init) = globals.get::<Option<Function>>("thread_init")? {
                sandbox.begin();
                init.call::<()>(()).map_err(|error| {
                    let why = failure::line(&error);
                    mlua::Error::runtime(format!("couldn't run script 'thread_init' function: {why}"))
                })?;
            }
            "match"
        }
        Role::Transform(_) => "transform",
    };
    let function = globals.get(name)?;
    Ok((sandbox, function))
}

/// Whether what `match` answers means a match: 1, or a table in which `retval` is.
fn is_match(answer: &Value) -> bool {
    let is_one = |value: &Value| match value {
        Value::Integer(number) => *number == 1,
        Value::Number(number) => *number == 1.0,
        Value::String(text) => text == "1",
        _ => false,
    };
    match answer {
        Value::Integer(_) | Value::Number(_) => is_one(answer),
        Value::Table(table) => table.raw_get::<Value>("retval").is_ok_and(|value| is_one(&value)),
        _ => false,
    }
}

impl ScriptRunner for Runner {
    fn matches(&mut self, script: ScriptId, view: ScriptView<'_>) -> Result<bool, ScriptFailure> {
        let Some(slot) = self.slot(script) else { return Err(ScriptFailure::Error) };
        let Started::Ready { sandbox, function } = &slot.started else { return Err(ScriptFailure::Error) };
        let (function, budget) = (function.clone(), Arc::clone(&sandbox.budget));
        let lua = sandbox.lua.clone();
        sandbox.begin();
        let answer = arguments(&lua, &view).and_then(|arguments| {
            host::run(&lua, Host::of_rule(view, &self.surroundings), &function, arguments)
        });
        match answer {
            Ok(answer) => Ok(is_match(&answer)),
            Err(error) => {
                let failure = failure::kind(&error, &budget);
                if failure == ScriptFailure::Memory {
                    // What the script held up to here is let go of.
                    let _ = lua.gc_collect();
                }
                if let Some(slot) = self.scripts.get_mut(script.0 as usize) {
                    slot.tell(&self.shared, failure, &error);
                }
                Err(failure)
            }
        }
    }

    fn transform(&mut self, script: ScriptId, input: &[u8], output: &mut Vec<u8>) {
        let changed = self.transformed(script, input, output);
        if changed.is_none() {
            output.clear();
            output.extend_from_slice(input);
        }
    }
}

impl Runner {
    /// Transforms `input`; none where the script returns nothing, or fails.
    fn transformed(&mut self, id: ScriptId, input: &[u8], output: &mut Vec<u8>) -> Option<()> {
        if input.is_empty() {
            return None;
        }
        let shared = Arc::clone(&self.shared);
        let slot = self.slot(id)?;
        let Started::Ready { sandbox, function } = &slot.started else { return None };
        let Role::Transform(arguments) = &slot.script.role else { return None };
        sandbox.begin();
        let lua = &sandbox.lua;
        let called = lua
            .create_string(input)
            .and_then(|input| Ok((input, lua.create_sequence_from(arguments.iter().map(String::as_str))?)))
            .and_then(|arguments| function.call::<MultiValue>(arguments));
        let answer = match called {
            Ok(answer) => answer,
            Err(error) => {
                let kind = failure::kind(&error, &sandbox.budget);
                slot.tell(&shared, kind, &error);
                return None;
            }
        };
        let mut answer = answer.into_iter();
        let (Some(Value::String(made)), Some(length), None) = (answer.next(), answer.next(), answer.next())
        else {
            return None;
        };
        let length = usize::try_from(length.as_integer()?).ok().filter(|length| *length > 0)?;
        let made = made.as_bytes();
        output.extend_from_slice(made.get(..length).unwrap_or(&made));
        Some(())
    }
}

/// Makes the argument of `match`.
fn arguments(lua: &mlua::Lua, view: &ScriptView<'_>) -> mlua::Result<Value> {
    let table = lua.create_table()?;
    for argument in view.arguments {
        table.raw_set(argument.name, lua.create_string(argument.bytes)?)?;
        let first = i64::try_from(argument.offset).unwrap_or(i64::MAX).saturating_add(1);
        table.raw_set("offset", first)?;
    }
    Ok(Value::Table(table))
}
