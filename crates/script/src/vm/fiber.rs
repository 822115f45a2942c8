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

/// Room for more frames that is taken at a time.
const FRAMES: usize = 64;

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
    /// Registers of all frames, and room for more, which has no values.
    pub stack: Vec<Value>,
    /// Where the room begins.
    top: usize,
    /// The frames.
    pub frames: Vec<Frame>,
    /// The condition of its trigger held.
    pub has_held: bool,
}

impl Fiber {
    /// Begins a function with copies of arguments.
    pub fn enter(
        &mut self,
        code: Rc<Code>,
        arguments: &[Value],
        number: u32,
        function: Option<Rc<FunctionValue>>,
    ) {
        let base = self.make_room(&code);
        let parameters = usize::from(code.parameters);
        if let Some(registers) = self.stack.get_mut(base..) {
            for (slot, argument) in registers.iter_mut().zip(arguments.iter().take(parameters)) {
                *slot = argument.clone();
            }
        }
        self.frames.push(Frame { code, at: 0, base, into: 0, awaits: 0, number, function });
    }

    /// Begins a function that the innermost frame calls; the arguments are taken out of registers from `first` on.
    #[inline(always)]
    pub fn enter_from(
        &mut self,
        code: Rc<Code>,
        first: usize,
        count: u16,
        into: Register,
        number: u32,
        function: Option<Rc<FunctionValue>>,
    ) {
        let base = self.make_room(&code);
        if self.frames.len() == self.frames.capacity() {
            self.frames.reserve(FRAMES);
        }
        if let Some((below, above)) = self.stack.split_at_mut_checked(base)
            && let Some(arguments) = below.get_mut(first..first + usize::from(count))
        {
            for (slot, argument) in above.iter_mut().zip(arguments) {
                match argument {
                    Value::Count(number) => slot.put(Value::Count(*number)),
                    // The slot has no value.
                    argument => std::mem::swap(slot, argument),
                }
            }
        }
        self.frames.push(Frame { code, at: 0, base, into, awaits: 0, number, function });
    }

    /// Takes registers, which have no values, for code; returns the first one.
    #[inline(always)]
    fn make_room(&mut self, code: &Code) -> usize {
        let base = self.top;
        self.top += usize::from(code.registers);
        if self.stack.len() < self.top {
            self.stack.resize_with(self.top.saturating_mul(2), Value::default);
        }
        base
    }

    /// Ends a function that another one called, whose register gets the value of one of its own; false where nobody called
    /// it.
    #[inline]
    pub fn leave_with(&mut self, from: Register) -> bool {
        let [.., caller, frame] = self.frames.as_slice() else { return false };
        let (into, from) = (caller.base + usize::from(frame.into), frame.base + usize::from(from));
        if let Ok([slot, value]) = self.stack.get_disjoint_mut([into, from]) {
            match value {
                Value::Count(number) => slot.assign(&Value::Count(*number)),
                value => slot.put(std::mem::take(value)),
            }
        }
        self.leave();
        true
    }

    /// Ends the innermost function, and returns what it was.
    #[inline]
    pub fn leave(&mut self) -> Option<Frame> {
        let frame = self.frames.pop()?;
        for slot in self.stack.get_mut(frame.base..self.top).into_iter().flatten() {
            slot.put(Value::Unset);
        }
        self.top = frame.base;
        Some(frame)
    }

    /// Forgets all frames.
    pub fn clear(&mut self) {
        while self.leave().is_some() {}
        self.has_held = false;
    }

    /// Puts a value into the register that the innermost frame waits for.
    pub fn resume(&mut self, register: Register, value: Value) {
        if let Some(frame) = self.frames.last()
            && let Some(slot) = self.stack.get_mut(frame.base + usize::from(register))
        {
            slot.put(value);
        }
    }
}
