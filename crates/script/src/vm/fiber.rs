//! Frames: functions that run, and can wait.

use std::rc::Rc;

use crate::code::{Code, Register};
use crate::values::{FunctionValue, Value};

/// Why running ended early.
#[derive(Debug)]
pub enum Fault {
    /// An error, which was reported: the handler ends.
    Error,
    /// The program shall end.
    Exit,
    /// The function must wait for something.
    Wait(Wait),
}

/// The result of running.
pub type Outcome<T> = Result<T, Fault>;

/// What a function waits for.
#[derive(Debug)]
pub enum Wait {
    /// The value that a trigger returns, by its number.
    Trigger(u64),
    /// A value that is there when other events were handled.
    Ready(Value),
}

/// How a fiber ended.
#[derive(Debug)]
pub enum Exit {
    /// It returned.
    Done(Value),
    /// A hook's body left by `break`.
    Broke,
    /// The condition of a trigger does not hold yet.
    NotYet,
    /// It waits.
    Waiting(Wait),
}

/// A function that runs.
#[derive(Debug)]
pub struct Frame {
    /// Its code.
    pub code: Rc<Code>,
    /// The next instruction.
    pub at: usize,
    /// Where its registers begin.
    pub base: usize,
    /// The caller's register for its value.
    pub into: Register,
    /// The register for what it waits for.
    pub awaits: Register,
    /// The function, by its number.
    pub number: u32,
    /// What it captured.
    pub function: Option<Rc<FunctionValue>>,
}

/// A stack of functions that run.
#[derive(Debug, Default)]
pub struct Fiber {
    /// Registers of all frames.
    pub stack: Vec<Value>,
    /// The frames.
    pub frames: Vec<Frame>,
    /// The condition of its trigger held.
    pub has_held: bool,
}

impl Fiber {
    /// Begins a function; its arguments are moved in.
    pub fn enter(
        &mut self,
        code: Rc<Code>,
        arguments: &[Value],
        number: u32,
        function: Option<Rc<FunctionValue>>,
    ) {
        let base = self.stack.len();
        self.stack.extend(arguments.iter().take(usize::from(code.parameters)).cloned());
        self.stack.resize(base + usize::from(code.registers), Value::Unset);
        self.frames.push(Frame { code, at: 0, base, into: 0, awaits: 0, number, function });
    }

    /// Forgets all frames.
    pub fn clear(&mut self) {
        self.stack.clear();
        self.frames.clear();
        self.has_held = false;
    }

    /// Puts a value into the register that the innermost frame waits for.
    pub fn resume(&mut self, register: Register, value: Value) {
        if let Some(frame) = self.frames.last()
            && let Some(slot) = self.stack.get_mut(frame.base + usize::from(register))
        {
            *slot = value;
        }
    }
}
