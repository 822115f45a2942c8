//! The sandbox: which functions a script may call, how much memory it may hold, and how many instructions
//! one call may take.
//!
//! Functions that are not on the list are there, and end the script when they are called. The limit of
//! instructions is held by a hook that the interpreter calls every [`STEP`] instructions. Where scripts
//! may call everything (`allow-restricted-functions`), `pcall` and its like do not hold back the end of
//! a script that has used up its instructions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::strings;
use mlua::{Function, HookTriggers, Lua, LuaOptions, StdLib, Table, Value, VmState};

/// Instructions between two looks at the budget.
const STEP: u32 = 1000;

/// Seed of random numbers, fixed so that runs are the same.
const SEED: i64 = 0x5eed;

/// Limits of a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Limits {
    /// Most bytes that it holds; 0 for no limit.
    pub(crate) bytes: usize,
    /// Most instructions of one call; 0 for no limit.
    pub(crate) instructions: u64,
    /// It may call every function of the language.
    pub(crate) all_functions: bool,
}

/// Functions that may be called, by library; those of no library under an empty name.
const ALLOWED: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "assert", "error", "ipairs", "next", "pairs", "print", "rawequal", "rawget", "rawlen", "rawset",
            "select", "tonumber", "tostring", "type", "warn",
        ],
    ),
    ("table", &["concat", "insert", "move", "pack", "remove", "sort", "unpack"]),
    (
        "string",
        &[
            "byte", "char", "dump", "find", "format", "gmatch", "gsub", "len", "lower", "match", "pack",
            "packsize", "rep", "reverse", "sub", "unpack", "upper",
        ],
    ),
    (
        "math",
        &[
            "abs",
            "acos",
            "asin",
            "atan",
            "atan2",
            "ceil",
            "cos",
            "cosh",
            "deg",
            "exp",
            "floor",
            "fmod",
            "frexp",
            "ldexp",
            "log",
            "log10",
            "max",
            "min",
            "modf",
            "pow",
            "rad",
            "random",
            "randomseed",
            "sin",
            "sinh",
            "sqrt",
            "tan",
            "tanh",
            "tointeger",
            "type",
            "ult",
        ],
    ),
    ("utf8", &["char", "codepoint", "codes", "len", "offset"]),
];

/// The end of a script that `pcall` must not hold back. The interpreter looks at no budget in handlers of
/// `xpcall` and in finalizers: the former are called once the error has unwound, the latter refused.
const WRAP: &str = r#"
local exceeded = ...
local pcall, resume, setmetatable, pack = pcall, coroutine.resume, setmetatable, table.pack
local function pass(...)
    if exceeded() then error("instruction limit exceeded", 0) end
    return ...
end
local function guarded(...) return pass(pcall(...)) end
_G.pcall = guarded
function _G.xpcall(call, handler, ...)
    local answer = pack(guarded(call, ...))
    if answer[1] then return table.unpack(answer, 1, answer.n) end
    return false, select(2, guarded(handler, answer[2]))
end
function coroutine.resume(...) return pass(resume(...)) end
function _G.setmetatable(object, meta)
    if type(meta) == "table" and rawget(meta, "__gc") ~= nil then error("no finalizers here", 2) end
    return setmetatable(object, meta)
end
"#;

/// Message about a script that used up its instructions.
const EXCEEDED: &str = "instruction limit exceeded";

/// Budget of a call's instructions, and the reason that it ended.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    /// Most bytes of what is put together outside the interpreter; 0 for no limit.
    bytes: usize,
    /// There is a limit of instructions.
    limited: bool,
    left: AtomicU64,
    exceeded: AtomicBool,
    blocked: AtomicBool,
}

impl Budget {
    fn spend(&self) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(u64::from(STEP)), Ordering::Relaxed);
        if left == 0 {
            self.exceeded.store(true, Ordering::Relaxed);
        }
        left > 0
    }

    /// Returns the instructions left.
    pub(crate) fn left(&self) -> u64 {
        if self.limited { self.left.load(Ordering::Relaxed) } else { u64::MAX }
    }

    /// Takes off what work outside the interpreter is worth; an error where that is more than is left.
    pub(crate) fn charge(&self, steps: u64) -> mlua::Result<()> {
        if !self.limited {
            return Ok(());
        }
        match self.left.load(Ordering::Relaxed).checked_sub(steps) {
            Some(left) => {
                self.left.store(left, Ordering::Relaxed);
                Ok(())
            }
            None => Err(self.exhaust()),
        }
    }

    /// Nothing is left; the error that ends the script.
    pub(crate) fn exhaust(&self) -> mlua::Error {
        self.left.store(0, Ordering::Relaxed);
        self.exceeded.store(true, Ordering::Relaxed);
        mlua::Error::runtime(EXCEEDED)
    }

    /// An error where so many bytes are more than the script may hold.
    pub(crate) fn within(&self, bytes: usize) -> mlua::Result<()> {
        if self.bytes > 0 && bytes > self.bytes {
            return Err(mlua::Error::MemoryError("not enough memory".to_owned()));
        }
        Ok(())
    }

    /// The instructions were used up.
    pub(crate) fn exceeded(&self) -> bool {
        self.exceeded.load(Ordering::Relaxed)
    }

    /// A function was called that may not be.
    pub(crate) fn blocked(&self) -> bool {
        self.blocked.load(Ordering::Relaxed)
    }
}

/// An interpreter with its limits.
pub(crate) struct Sandbox {
    /// The interpreter.
    pub(crate) lua: Lua,
    /// Budget of the present call.
    pub(crate) budget: Arc<Budget>,
    instructions: u64,
}

impl Sandbox {
    /// An interpreter without a script.
    pub(crate) fn new(limits: Limits) -> mlua::Result<Self> {
        let few = StdLib::TABLE | StdLib::STRING | StdLib::MATH | StdLib::UTF8;
        let libraries = if limits.all_functions { StdLib::ALL_SAFE } else { few };
        let lua = Lua::new_with(libraries, LuaOptions::default())?;
        let (bytes, limited) = (limits.bytes, limits.instructions > 0);
        let budget = Arc::new(Budget { bytes, limited, ..Budget::default() });
        strings::install(&lua, &budget)?;
        lua.globals().get::<Table>("math")?.get::<Function>("randomseed")?.call::<()>(SEED)?;
        if limits.all_functions {
            wrap(&lua, &budget)?;
        } else {
            block(&lua, &budget)?;
        }
        if limits.instructions > 0 {
            let held = Arc::clone(&budget);
            lua.set_global_hook(HookTriggers::new().every_nth_instruction(STEP), move |_, _| {
                if held.spend() {
                    return Ok(VmState::Continue);
                }
                Err(mlua::Error::runtime(EXCEEDED))
            })?;
        }
        lua.set_memory_limit(limits.bytes)?;
        Ok(Self { lua, budget, instructions: limits.instructions })
    }

    /// A new call begins.
    pub(crate) fn begin(&self) {
        // The hook looks before it spends: the last step is one too many.
        let steps = self.instructions.saturating_sub(u64::from(STEP)).max(1);
        self.budget.left.store(steps, Ordering::Relaxed);
        self.budget.exceeded.store(false, Ordering::Relaxed);
        self.budget.blocked.store(false, Ordering::Relaxed);
    }
}

/// Replaces what is not allowed.
fn block(lua: &Lua, budget: &Arc<Budget>) -> mlua::Result<()> {
    let globals = lua.globals();
    for (library, allowed) in ALLOWED {
        let table = if library.is_empty() { globals.clone() } else { globals.get::<Table>(*library)? };
        let mut blocked = Vec::new();
        for pair in table.pairs::<String, Value>() {
            let (name, value) = pair?;
            if value.is_function() && !allowed.contains(&name.as_str()) {
                blocked.push(name);
            }
        }
        for name in blocked {
            let (budget, called) = (Arc::clone(budget), name.clone());
            let end = lua.create_function(move |_, _: mlua::MultiValue| {
                budget.blocked.store(true, Ordering::Relaxed);
                Err::<(), _>(mlua::Error::runtime(format!("Blocked Lua function called: {called}")))
            })?;
            table.raw_set(name, end)?;
        }
    }
    Ok(())
}

fn wrap(lua: &Lua, budget: &Arc<Budget>) -> mlua::Result<()> {
    let held = Arc::clone(budget);
    let exceeded = lua.create_function(move |_, ()| Ok(held.exceeded()))?;
    lua.load(WRAP).call(exceeded)
}
