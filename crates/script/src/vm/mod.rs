//! What runs programs: values of globals, frames, queued events, timers, files.

mod access;
mod calls;
mod conversion;
mod direct;
mod events;
mod expiry;
mod fiber;
mod indexing;
mod operations;
mod output;
mod records;
mod reports;
mod run;
mod sets;
mod triggers;
mod watches;

use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::rc::Rc;

use hashbrown::HashTable;

pub use conversion::convert_number;
pub use events::{Queued, Timer};
pub use fiber::{Exit, Fault, Fiber, Outcome, Wait};
pub use output::{Message, Output};

use crate::check::Scope;
use crate::code::{Code, Origin};
use crate::frameworks::Frameworks;
use crate::patterns::PatternSet;
use crate::program::Program;
use crate::random::Random;
use crate::source::Span;
use crate::syntax::ast::Stmt;
use crate::types::{TypeId, Types};
use crate::values::{TableValue, Value};

/// Limits of what scripts may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Jumps and calls of one handler.
    pub steps: u64,
    /// Calls within calls; zero for no limit but that of the machine.
    pub depth: usize,
    /// Entries of tables and elements of vectors that live at a time.
    pub entries: u64,
}

/// Most calls within calls.
const DEEPEST: usize = 100_000;

impl Limits {
    /// Returns how many calls within calls there may be.
    #[inline]
    fn deepest(&self) -> usize {
        if self.depth == 0 { DEEPEST } else { self.depth.min(DEEPEST) }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 1 << 31, depth: 1000, entries: 1 << 27 }
    }
}

/// A program with all that it needs to run.
pub struct Engine {
    /// What was declared.
    pub program: Program,
    /// Names of the top level.
    pub top: Scope,
    /// Statements of the top level, which run when all is read.
    pub top_statements: Vec<Stmt>,
    /// Number of errors.
    pub errors: u64,
    /// Errors are counted, but not shown.
    pub is_quiet: bool,
    /// Reading cannot go on.
    pub is_fatal: bool,
    /// What is read belongs to the prelude.
    pub in_prelude: bool,
    /// What is read belongs to a policy script of the prelude.
    pub in_policy: bool,
    /// Files of the prelude have smaller numbers than others.
    pub prelude_files: HashSet<u32>,
    /// Records that the prelude names before it declares them.
    pub forward: HashMap<Rc<str>, TypeId>,
    /// Functions' types with parameters of types that do not exist.
    pub broken_types: HashSet<TypeId>,
    /// Which functions name which: for warnings about unused ones.
    pub calls: HashMap<Rc<str>, HashSet<Rc<str>>>,
    /// Limits.
    pub limits: Limits,
    /// Steps that the running handler has left.
    pub(crate) fuel: u64,
    /// Calls within calls.
    pub(crate) depth: usize,
    /// Runs within runs of the machine itself.
    pub(crate) nested: usize,
    /// Fibers that are free.
    spare: Vec<Fiber>,
    /// Events that wait.
    pub queue: VecDeque<Queued>,
    /// Events to be raised later.
    pub timers: BinaryHeap<Timer>,
    timer_order: u64,
    /// The event that tells of every other, where scripts ask for it.
    every: Option<u32>,
    /// It hears of all events, also of those that nothing else handles.
    tells_all: bool,
    /// Triggers of `when`.
    triggers: triggers::Triggers,
    /// The time of packets.
    pub network_time: f64,
    /// Whether the time is that of packets, not of the clock.
    pub has_packets: bool,
    /// Scripts wait for moments: by `schedule`, `when` or entries that expire.
    pub waits: bool,
    /// The time at which the current event was raised.
    pub event_time: f64,
    /// Rounds of events that raise others which are handled for a moment of time; none for no limit.
    pub rounds: Option<u32>,
    /// Scripts asked for the end.
    pub is_terminating: bool,
    /// Scripts were told that the run is about to end.
    is_net_done: bool,
    /// The end has come: zeek_done is being handled.
    pub is_done: bool,
    /// Handlers run: messages have times.
    pub is_running: bool,
    /// All of `zeek_init` was handled.
    pub is_initialised: bool,
    /// Standard output and open files.
    pub output: Output,
    /// Tables whose entries expire.
    watched: Vec<std::rc::Weak<TableValue>>,
    next_expiry: f64,
    /// Automata for tables of patterns, by address and version.
    pattern_sets: HashMap<(usize, u64), (Rc<PatternSet>, Vec<Value>)>,
    /// Random numbers.
    pub random: Random,
    /// Frameworks that are not written in the script language.
    pub frameworks: Frameworks,
    /// What runs now.
    place: Place,
    /// Handlers whose run-time error was reported.
    pub run_time_errors: u64,
    /// The exit code that scripts asked for.
    pub exit_code: Option<i32>,
    /// Names of scripts that were loaded, in order.
    pub loaded: Vec<(String, usize)>,
    /// Arguments of the command line that are scripts'.
    pub arguments: Vec<String>,
    interned: HashTable<Rc<[u8]>>,
}

/// The instruction that runs.
#[derive(Clone, Default)]
struct Place {
    code: Option<Rc<Code>>,
    at: usize,
    /// What messages name in place of its text.
    name: Option<Rc<str>>,
}

impl Place {
    fn origin(&self) -> Option<&Origin> {
        self.code.as_ref()?.origin(self.at)
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// Returns an engine that knows nothing but built-in functions.
    pub fn new() -> Self {
        Self {
            program: Program::default(),
            top: Scope::default(),
            top_statements: Vec::new(),
            errors: 0,
            is_quiet: false,
            is_fatal: false,
            in_prelude: false,
            in_policy: false,
            prelude_files: HashSet::new(),
            forward: HashMap::new(),
            broken_types: HashSet::new(),
            calls: HashMap::new(),
            limits: Limits::default(),
            fuel: 0,
            depth: 0,
            nested: 0,
            spare: Vec::new(),
            queue: VecDeque::new(),
            timers: BinaryHeap::new(),
            timer_order: 0,
            every: None,
            tells_all: false,
            triggers: triggers::Triggers::default(),
            network_time: 0.0,
            has_packets: false,
            waits: false,
            event_time: 0.0,
            rounds: None,
            is_terminating: false,
            is_net_done: false,
            is_done: false,
            is_running: false,
            is_initialised: false,
            output: Output::default(),
            watched: Vec::new(),
            next_expiry: 0.0,
            pattern_sets: HashMap::new(),
            random: Random::default(),
            frameworks: Frameworks::default(),
            place: Place::default(),
            run_time_errors: 0,
            exit_code: None,
            loaded: Vec::new(),
            arguments: Vec::new(),
            interned: HashTable::new(),
        }
    }

    /// Returns the types.
    pub fn types(&self) -> &Types {
        &self.program.types
    }

    /// Returns whether a file belongs to the prelude.
    pub fn is_prelude(&self, file: u32) -> bool {
        self.prelude_files.contains(&file)
    }

    /// Returns a string that is shared with equal ones.
    pub fn intern(&mut self, text: &str) -> Value {
        use std::hash::{BuildHasher, BuildHasherDefault};
        let hasher = BuildHasherDefault::<ahash::AHasher>::default();
        let bytes: Rc<[u8]> = text.as_bytes().into();
        let hash = hasher.hash_one(&bytes);
        if let Some(known) = self.interned.find(hash, |known| **known == *bytes) {
            return Value::String(known.clone());
        }
        self.interned.insert_unique(hash, bytes.clone(), |known| hasher.hash_one(known));
        Value::String(bytes)
    }

    /// Returns the value of a global; none where it has none.
    pub fn global(&self, name: &str) -> Option<Value> {
        self.program.global_named(name).map(|global| global.value.clone()).filter(Value::is_set)
    }

    /// Sets the value of a global, where it exists.
    pub fn set_global_named(&mut self, name: &str, value: Value) -> bool {
        let Some(symbol) = self.program.symbols.get(name) else { return false };
        let crate::program::Meaning::Global(number) = symbol.meaning else { return false };
        let Some(global) = self.program.globals.get_mut(number as usize) else { return false };
        global.value = value;
        self.global_changed(number);
        true
    }

    /// Returns the type of a value.
    pub fn type_of(&mut self, value: &Value) -> TypeId {
        match value {
            Value::Unset | Value::Cursor(_) => TypeId::VOID,
            Value::Bool(_) => TypeId::BOOL,
            Value::Int(_) => TypeId::INT,
            Value::Count(_) => TypeId::COUNT,
            Value::Double(_) => TypeId::DOUBLE,
            Value::Time(_) => TypeId::TIME,
            Value::Interval(_) => TypeId::INTERVAL,
            Value::Enum(ty, _) => *ty,
            Value::Port(_) => TypeId::PORT,
            Value::Addr(_) => TypeId::ADDR,
            Value::Subnet(_) => TypeId::SUBNET,
            Value::String(_) => TypeId::STRING,
            Value::Pattern(_) => TypeId::PATTERN,
            Value::Record(record) => record.ty,
            Value::Table(table) => table.ty.get(),
            Value::Vector(vector) => vector.ty.get(),
            Value::List(parts) => {
                let parts: Vec<TypeId> = parts.iter().map(|part| self.type_of(part)).collect();
                self.program.types.list(&parts)
            }
            Value::Function(function) => self
                .program
                .functions
                .get(function.function as usize)
                .map_or(TypeId::ERROR, |function| function.ty),
            Value::File(_) => self.program.types.file(),
            Value::Opaque(opaque) => self.program.types.opaque(opaque.name()),
            Value::Type(id) => self.program.types.type_of_type(*id),
        }
    }

    /// Adds a compiled expression as a function without parameters; returns its number.
    pub fn add_thunk(&mut self, code: Code, result: TypeId, span: Span) -> u32 {
        let ty = self.program.types.function(crate::types::Function {
            flavor: crate::types::Flavor::Function,
            parameters: Vec::new().into(),
            result,
            variadic: false,
        });
        self.add_lambda(&"<initial value>".into(), ty, code, span)
    }

    /// Adds a compiled function that has no variable; returns its number.
    pub fn add_lambda(&mut self, name: &Rc<str>, ty: TypeId, code: Code, span: Span) -> u32 {
        let number = u32::try_from(self.program.functions.len()).unwrap_or(u32::MAX);
        let body =
            crate::program::Body { priority: 0, code: Rc::new(code), groups: Vec::new(), places: None, span };
        self.program.functions.push(crate::program::Function {
            name: name.clone(),
            ty,
            flavor: crate::types::Flavor::Function,
            bodies: Rc::new(vec![body]),
            builtin: None,
            prototypes: Vec::new(),
            span,
            is_declared: true,
            has_body: true,
            replaced: None,
            calls: 0,
        });
        number
    }

    /// Returns whether something calls a function, other than what nobody calls itself.
    pub fn is_called(&self, name: &str) -> bool {
        let mut seen: HashSet<&str> = HashSet::new();
        let mut open: Vec<&str> =
            self.calls.keys().map(|caller| &**caller).filter(|caller| self.is_root(caller)).collect();
        while let Some(caller) = open.pop() {
            for called in self.calls.get(caller).into_iter().flatten() {
                if seen.insert(called) {
                    open.push(called);
                }
            }
        }
        seen.contains(name)
    }

    fn is_root(&self, name: &str) -> bool {
        let Some(global) = self.program.global_named(name) else { return true };
        let Some(function) = global.function.and_then(|number| self.program.functions.get(number as usize))
        else {
            return true;
        };
        match function.flavor {
            crate::types::Flavor::Function => global.is_exported || !name.contains("::"),
            crate::types::Flavor::Event => function.is_declared || global.is_used,
            crate::types::Flavor::Hook => true,
        }
    }
}
