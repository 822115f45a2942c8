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
#[derive(Debug, Default)]
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

/// Frames, the innermost last. Those that ended stay for the next ones, which are written in place: what was put together
/// elsewhere in small parts is slow to move in large ones.
#[derive(Debug, Default)]
pub struct Frames {
    all: Vec<Frame>,
    used: usize,
}

impl Frames {
    /// Returns whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Returns the innermost one.
    #[inline(always)]
    pub fn last(&self) -> Option<&Frame> {
        self.all.get(self.used.checked_sub(1)?)
    }

    /// Returns the innermost one, to change it.
    #[inline(always)]
    pub fn last_mut(&mut self) -> Option<&mut Frame> {
        self.all.get_mut(self.used.checked_sub(1)?)
    }

    /// Returns the caller of the innermost one, and that.
    #[inline(always)]
    fn last_two(&self) -> Option<(&Frame, &Frame)> {
        Some((self.all.get(self.used.checked_sub(2)?)?, self.all.get(self.used - 1)?))
    }

    /// Returns room for the next one, which is then the innermost.
    #[inline(always)]
    fn next(&mut self) -> Option<&mut Frame> {
        if self.used == self.all.len() {
            self.all.push(Frame::default());
        }
        self.used += 1;
        self.all.get_mut(self.used - 1)
    }
}

/// A stack of functions that run.
#[derive(Debug, Default)]
pub struct Fiber {
    /// Registers of all frames, and room for more, which has no values.
    pub stack: Vec<Value>,
    /// Where the room begins.
    top: usize,
    /// The frames.
    pub frames: Frames,
    /// The condition of its trigger held.
    pub has_held: bool,
}

/// Where the innermost frame of a fiber goes on.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Where its registers begin.
    pub base: usize,
    /// The next instruction.
    pub at: usize,
}

impl Fiber {
    /// Returns where the innermost frame goes on; none where there is no frame.
    #[inline(always)]
    pub fn point(&self) -> Option<Point> {
        let frame = self.frames.last()?;
        Some(Point { base: frame.base, at: frame.at })
    }

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
        self.begin(&code, base, 0, number, function);
    }

    #[inline(always)]
    fn begin(
        &mut self,
        code: &Rc<Code>,
        base: usize,
        into: Register,
        number: u32,
        function: Option<Rc<FunctionValue>>,
    ) {
        let Some(frame) = self.frames.next() else { return };
        // What was called here before is often called again.
        if !Rc::ptr_eq(&frame.code, code) {
            frame.code = code.clone();
        }
        (frame.at, frame.base, frame.number) = (0, base, number);
        (frame.into, frame.awaits) = (into, 0);
        frame.function = function;
    }

    /// Begins a function that the innermost frame calls; the arguments are taken out of registers from `first` on. Returns
    /// where its own registers begin.
    #[inline(always)]
    pub fn enter_from(
        &mut self,
        code: &Rc<Code>,
        first: usize,
        count: u16,
        into: Register,
        number: u32,
        function: Option<Rc<FunctionValue>>,
    ) -> usize {
        let base = self.make_room(code);
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
        self.begin(code, base, into, number, function);
        base
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
        let Some((caller, frame)) = self.frames.last_two() else { return false };
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

    /// Ends the innermost function, and returns the caller's register for its value.
    #[inline(always)]
    pub fn leave(&mut self) -> Option<Register> {
        let frame = self.frames.last_mut()?;
        frame.function = None;
        let (base, into) = (frame.base, frame.into);
        self.frames.used -= 1;
        for slot in self.stack.get_mut(base..self.top).into_iter().flatten() {
            slot.put(Value::Unset);
        }
        self.top = base;
        Some(into)
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
