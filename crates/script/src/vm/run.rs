//! The loop that runs instructions.

use std::rc::Rc;

use super::fiber::{Exit, Fault, Fiber, Frame, Outcome, Point, Wait};
use super::{Engine, operations};
use crate::code::{Binary, Code, Op, Register};
use crate::compile::NO_VALUE;
use crate::source::Span;
use crate::types::{Flavor, TypeId};
use crate::values::{FunctionValue, Key, Value};

/// What an instruction asks of the loop.
pub(super) enum Flow {
    /// The next instruction.
    Next,
    /// Another instruction.
    Jump(usize),
    /// The frame is another one.
    Frame,
    /// The fiber ends.
    Leave(Exit),
}

/// What instructions work on: the registers of the innermost frame.
pub(super) struct Window<'f> {
    stack: &'f mut Vec<Value>,
    base: usize,
    none: Value,
}

impl<'f> Window<'f> {
    fn new(stack: &'f mut Vec<Value>, base: usize) -> Self {
        Self { stack, base, none: Value::Unset }
    }

    #[inline]
    pub(super) fn get(&self, register: Register) -> &Value {
        // The verifier has checked that the register exists.
        self.stack.get(self.base + usize::from(register)).unwrap_or(&self.none)
    }

    #[inline]
    pub(super) fn set(&mut self, register: Register, value: Value) {
        if let Some(slot) = self.stack.get_mut(self.base + usize::from(register)) {
            slot.put(value);
        }
    }

    /// Takes a value out of a register of a frame that ends.
    #[inline]
    fn take(&mut self, register: Register) -> Value {
        self.stack.get_mut(self.base + usize::from(register)).map(std::mem::take).unwrap_or_default()
    }

    pub(super) fn slice(&self, first: Register, count: u16) -> &[Value] {
        let start = self.base + usize::from(first);
        self.stack.get(start..start + usize::from(count)).unwrap_or(&[])
    }
}

impl Engine {
    /// Runs a fiber until it ends or waits.
    pub(super) fn run(&mut self, fiber: &mut Fiber) -> Outcome<Exit> {
        let Some(mut point) = fiber.point() else { return Ok(Exit::Done(Value::Unset)) };
        loop {
            self.run_directly(fiber, &mut point);
            let Point { base, at } = point;
            let Some(code) = fiber.frames.last().map(|frame| frame.code.clone()) else {
                return Ok(Exit::Done(Value::Unset));
            };
            let code = &code;
            let Some(op) = code.ops.get(at).copied() else { return Ok(Exit::Done(Value::Unset)) };
            let window = &mut Window::new(&mut fiber.stack, base);
            let flow = match op {
                Op::Move(into, from) => {
                    let value = window.get(from).clone();
                    window.set(into, value);
                    Flow::Next
                }
                Op::Jump(target) => {
                    self.spend(code, at)?;
                    Flow::Jump(target as usize)
                }
                Op::Binary(binary, into, left, right) => {
                    let (one, other) = (window.get(left).clone(), window.get(right).clone());
                    let value = self.operate(code, at, binary, &one, &other)?;
                    window.set(into, value);
                    Flow::Next
                }
                Op::BinaryConstant(binary, into, left, number) => {
                    let (one, other) = (window.get(left).clone(), constant(code, number));
                    let value = self.operate(code, at, binary, &one, &other)?;
                    window.set(into, value);
                    Flow::Next
                }
                Op::JumpUnless(..) | Op::JumpUnlessConstant(..) | Op::Repeat(..) | Op::RepeatConstant(..) => {
                    self.compared(window, code, at, op)?
                }
                Op::CallFunction(into, number, first, count) => {
                    self.spend(code, at)?;
                    self.call_function(fiber, code, at, into, number, first, count)?
                }
                Op::Return(register) => {
                    let value = Window::new(&mut fiber.stack, base).take(register);
                    self.leave(fiber, value)
                }
                Op::End => {
                    self.warn_of_no_value(fiber);
                    self.leave(fiber, Value::Unset)
                }
                other => self.uncommon(fiber, code, at, other)?,
            };
            match flow {
                Flow::Next => point.at += 1,
                Flow::Jump(target) => point.at = target,
                Flow::Frame => match fiber.point() {
                    Some(innermost) => point = innermost,
                    None => return Ok(Exit::Done(Value::Unset)),
                },
                Flow::Leave(exit) => return Ok(exit),
            }
        }
    }

    pub(super) fn operate(
        &mut self,
        code: &Rc<Code>,
        at: usize,
        binary: Binary,
        one: &Value,
        other: &Value,
    ) -> Outcome<Value> {
        match operations::quick(binary, one, other) {
            Some(value) => Ok(value),
            None => {
                self.here(code, at);
                self.binary(binary, one, other)
            }
        }
    }

    /// Remembers which instruction runs.
    #[inline]
    pub(super) fn here(&mut self, code: &Rc<Code>, at: usize) {
        self.place.at = at;
        self.place.name = None;
        if !self.place.code.as_ref().is_some_and(|known| Rc::ptr_eq(known, code)) {
            self.place.code = Some(code.clone());
        }
    }

    /// Returns the lines that the running instruction comes from.
    pub(crate) fn current(&self) -> Span {
        self.place.origin().map_or(Span::default(), |origin| origin.span)
    }

    /// Returns the expression that the running instruction comes from, as text.
    pub(crate) fn current_text(&self) -> Rc<str> {
        let text = self.place.name.clone();
        text.or_else(|| self.place.origin().map(|origin| origin.text.clone())).unwrap_or_else(|| "".into())
    }

    /// Counts a step; an error where none is left.
    #[inline]
    pub(super) fn spend(&mut self, code: &Rc<Code>, at: usize) -> Outcome<()> {
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel == 0 {
            self.here(code, at);
            let span = if code.span.is_known() { code.span } else { self.current() };
            return Err(self.fail_at(span, "the handler has used up its budget of instructions"));
        }
        if self.fuel & 0x3ff == 0 && crate::values::live_entries() > self.limits.entries {
            self.here(code, at);
            return Err(self.fail_at(self.current(), "scripts have used up their budget of memory"));
        }
        Ok(())
    }

    fn leave(&mut self, fiber: &mut Fiber, value: Value) -> Flow {
        let Some(into) = fiber.leave() else { return Flow::Leave(Exit::Done(value)) };
        if fiber.frames.is_empty() {
            return Flow::Leave(Exit::Done(value));
        }
        self.depth = self.depth.saturating_sub(1);
        fiber.resume(into, value);
        Flow::Frame
    }

    fn warn_of_no_value(&mut self, fiber: &Fiber) {
        let Some(frame) = fiber.frames.last() else { return };
        let Some(known) = self.program.functions.get(frame.number as usize) else { return };
        if known.flavor != Flavor::Function {
            return;
        }
        let returns =
            self.program.types.signature(known.ty).map_or(TypeId::VOID, |signature| signature.result);
        if returns != TypeId::VOID && returns != TypeId::ANY {
            let text = format!("non-void function returning without a value: {}", known.name);
            self.report("warning", "", &text);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the operands of one instruction")]
    fn call_function(
        &mut self,
        fiber: &mut Fiber,
        code: &Rc<Code>,
        at: usize,
        into: Register,
        number: u32,
        first: Register,
        count: u16,
    ) -> Outcome<Flow> {
        let Some(function) = self.program.functions.get_mut(number as usize) else { return Ok(Flow::Next) };
        if let Some(replaced) = function.replaced.clone() {
            return self.call_value(fiber, code, at, into, &replaced, first, count);
        }
        function.calls += 1;
        if let Some(body) = function.bodies.first() {
            let body = body.code.clone();
            return self.enter(fiber, code, at, into, body, None, number, first, count);
        }
        if function.builtin.is_some() {
            return self.call_builtin(fiber, code, at, into, number, first, count);
        }
        let name = function.name.clone();
        self.here(code, at);
        self.place.name = Some(name);
        Err(self.fail("value used but not set"))
    }

    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the operands of one instruction")]
    fn enter(
        &mut self,
        fiber: &mut Fiber,
        code: &Rc<Code>,
        at: usize,
        into: Register,
        body: Rc<Code>,
        function: Option<Rc<FunctionValue>>,
        number: u32,
        first: Register,
        count: u16,
    ) -> Outcome<Flow> {
        if count > body.parameters {
            self.here(code, at);
            return Err(self.fail("too many arguments for function call"));
        }
        self.depth += 1;
        if self.depth > self.limits.deepest() {
            let limit = self.limits.depth;
            return Err(self.fail_at(body.span, &format!("maximum recursion depth {limit} exceeded")));
        }
        let Some(frame) = fiber.frames.last_mut() else { return Ok(Flow::Next) };
        frame.at = at + 1;
        let start = frame.base + usize::from(first);
        fiber.enter_from(&body, start, count, into, number, function);
        Ok(Flow::Frame)
    }

    #[expect(clippy::too_many_arguments, reason = "the operands of one instruction")]
    fn call_value(
        &mut self,
        fiber: &mut Fiber,
        code: &Rc<Code>,
        at: usize,
        into: Register,
        function: &Rc<FunctionValue>,
        first: Register,
        count: u16,
    ) -> Outcome<Flow> {
        let number = function.function;
        let Some(known) = self.program.functions.get_mut(number as usize) else { return Ok(Flow::Next) };
        known.calls += 1;
        if known.builtin.is_some() && known.bodies.is_empty() {
            return self.call_builtin(fiber, code, at, into, number, first, count);
        }
        if let Some(body) = known.bodies.first() {
            let body = body.code.clone();
            return self.enter(fiber, code, at, into, body, Some(function.clone()), number, first, count);
        }
        self.here(code, at);
        Err(self.fail("value used but not set"))
    }

    #[expect(clippy::too_many_arguments, reason = "the operands of one instruction")]
    fn call_builtin(
        &mut self,
        fiber: &mut Fiber,
        code: &Rc<Code>,
        at: usize,
        into: Register,
        number: u32,
        first: Register,
        count: u16,
    ) -> Outcome<Flow> {
        let Some(builtin) = self.program.functions.get(number as usize).and_then(|function| function.builtin)
        else {
            return Ok(Flow::Next);
        };
        self.here(code, at);
        let base = fiber.frames.last().map_or(0, |frame| frame.base);
        let window = &mut Window::new(&mut fiber.stack, base);
        match (builtin.run)(self, window.slice(first, count)) {
            Ok(value) => {
                window.set(into, value);
                self.here(code, at);
                Ok(Flow::Next)
            }
            Err(Fault::Wait(wait)) => {
                if let Some(frame) = fiber.frames.last_mut() {
                    frame.at = at + 1;
                    frame.awaits = into;
                }
                Ok(Flow::Leave(Exit::Waiting(wait)))
            }
            Err(fault) => Err(fault),
        }
    }

    /// Runs the instructions that are not the most frequent ones.
    fn uncommon(&mut self, fiber: &mut Fiber, code: &Rc<Code>, at: usize, op: Op) -> Outcome<Flow> {
        let base = fiber.frames.last().map_or(0, |frame| frame.base);
        let window = &mut Window::new(&mut fiber.stack, base);
        match op {
            Op::Clear(into) => window.set(into, Value::Unset),
            Op::Constant(into, number) => {
                let value = code.constants.get(number as usize).cloned().unwrap_or_default();
                window.set(into, value);
            }
            Op::Check(register) => {
                if !window.get(register).is_set() {
                    self.here(code, at);
                    return Err(self.fail("value used but not set"));
                }
            }
            Op::Global(into, number) => {
                let value = self.program.globals.get(number as usize).map(|global| global.value.clone());
                let value = value.unwrap_or_default();
                if !value.is_set() {
                    self.here(code, at);
                    return Err(self.fail("value used but not set"));
                }
                window.set(into, value);
            }
            Op::SetGlobal(number, from) => {
                let value = window.get(from).clone();
                self.set_global(number, value);
            }
            Op::Captured(into, place) => {
                let value = captured(fiber.frames.last(), place);
                if !value.is_set() {
                    self.here(code, at);
                    return Err(self.fail("value used but not set"));
                }
                window.set(into, value);
            }
            Op::SetCaptured(place, from) => {
                let value = window.get(from).clone();
                if let Some(function) = fiber.frames.last().and_then(|frame| frame.function.as_ref())
                    && let Ok(mut captures) = function.captures.try_borrow_mut()
                    && let Some(slot) = captures.get_mut(usize::from(place))
                {
                    *slot = value;
                }
            }
            Op::Unary(unary, into, from) => {
                let value = window.get(from).clone();
                self.here(code, at);
                let value = self.unary(unary, &value)?;
                window.set(into, value);
            }
            Op::Elements(binary, into, left, right, ty) => {
                let (left, right) = (window.get(left).clone(), window.get(right).clone());
                self.here(code, at);
                let value = self.elements(binary, &left, &right, ty)?;
                window.set(into, value);
            }
            Op::EachElement(unary, into, from, ty) => {
                let value = window.get(from).clone();
                self.here(code, at);
                let value = self.each_element(unary, &value, ty)?;
                window.set(into, value);
            }
            other => return self.control(fiber, code, at, other),
        }
        Ok(Flow::Next)
    }

    /// Runs calls, ends and jumps that are not the most frequent ones.
    fn control(&mut self, fiber: &mut Fiber, code: &Rc<Code>, at: usize, op: Op) -> Outcome<Flow> {
        let base = fiber.frames.last().map_or(0, |frame| frame.base);
        let window = &mut Window::new(&mut fiber.stack, base);
        match op {
            Op::Call(into, callee, first, count) => {
                self.spend(code, at)?;
                let Value::Function(callee) = window.get(callee).clone() else {
                    self.here(code, at);
                    return Err(self.fail("value used but not set"));
                };
                return self.call_value(fiber, code, at, into, &callee, first, count);
            }
            Op::CallBuiltin(into, number, first, count) => {
                return self.call_builtin(fiber, code, at, into, number, first, count);
            }
            Op::Break => {
                fiber.leave();
                return Ok(Flow::Leave(Exit::Broke));
            }
            Op::NotYet => return Ok(Flow::Leave(Exit::NotYet)),
            Op::Holds => fiber.has_held = true,
            Op::Watch(register) => self.triggers.noted.value(window.get(register)),
            Op::WatchEntry(base, key) => self.note_entry(window.get(base), window.get(key)),
            Op::WatchGlobal(number) => self.triggers.noted.global(number),
            Op::WatchAll => self.triggers.noted.everything(),
            Op::Step(cursor, key, value, target) | Op::StepAgain(cursor, key, value, target) => {
                self.spend(code, at)?;
                let next = match window.get(cursor) {
                    Value::Cursor(cursor) => {
                        cursor.try_borrow_mut().ok().and_then(|mut cursor| cursor.step())
                    }
                    _ => None,
                };
                let is_there = next.is_some();
                if let Some((index, held)) = next {
                    window.set(key, index);
                    window.set(value, held);
                }
                if is_there == matches!(op, Op::StepAgain(..)) {
                    return Ok(Flow::Jump(target as usize));
                }
            }
            Op::Switch(register, number) => {
                let Some(jumps) = code.jumps.get(number as usize) else { return Ok(Flow::Next) };
                let key = Key(window.get(register).clone());
                let target = jumps.cases.get(&key).copied().unwrap_or(jumps.otherwise);
                return Ok(Flow::Jump(target as usize));
            }
            Op::ReturnWhen(number, first, count) => {
                let captures = window.slice(first, count).to_vec();
                let trigger = self.add_trigger(number, captures, true)?;
                if let Some(frame) = fiber.frames.last_mut() {
                    // The value of the trigger is that of this function: the next instruction returns it.
                    frame.at = at + 1;
                    frame.awaits = first;
                }
                return Ok(Flow::Leave(Exit::Waiting(Wait::Trigger(trigger))));
            }
            other => return self.containers(window, code, at, other),
        }
        Ok(Flow::Next)
    }

    /// Runs the instructions for records, tables, vectors, events and output.
    fn containers(&mut self, window: &mut Window<'_>, code: &Rc<Code>, at: usize, op: Op) -> Outcome<Flow> {
        self.here(code, at);
        match op {
            Op::Coerce(into, from, ty) => {
                let value = window.get(from).clone();
                let value = self.coerce(&value, ty)?;
                window.set(into, value);
            }
            Op::Cast(into, from, ty) => {
                let value = window.get(from).clone();
                let value = self.cast(&value, ty)?;
                window.set(into, value);
            }
            Op::Is(into, from, ty) => {
                let value = window.get(from).clone();
                let is = self.is_of(&value, ty);
                window.set(into, Value::Bool(is));
            }
            Op::CanCast(into, from, ty) => {
                let value = window.get(from).clone();
                let can = self.try_cast(&value, ty).is_some();
                window.set(into, Value::Bool(can));
            }
            Op::List(into, first, count) => {
                let list = Value::List(window.slice(first, count).into());
                window.set(into, list);
            }
            Op::Part(into, from, place) => {
                let part = match window.get(from) {
                    Value::List(parts) => parts.get(usize::from(place)).cloned().unwrap_or_default(),
                    single => single.clone(),
                };
                window.set(into, part);
            }
            other => return self.fields(window, other),
        }
        Ok(Flow::Next)
    }

    /// Runs the instructions for fields and new containers.
    fn fields(&mut self, window: &mut Window<'_>, op: Op) -> Outcome<Flow> {
        match op {
            Op::Field(into, base, place) => {
                let value = match window.get(base) {
                    Value::Record(record) => record.get(usize::from(place)),
                    _ => Value::Unset,
                };
                let value = if value.is_set() {
                    value
                } else {
                    let base = window.get(base).clone();
                    self.missing_field(&base, usize::from(place))?
                };
                window.set(into, value);
            }
            Op::SetField(base, place, from) => {
                if let Value::Record(record) = window.get(base) {
                    record.set(usize::from(place), window.get(from).clone());
                }
            }
            Op::HasField(into, base, place) => {
                let has = match window.get(base) {
                    Value::Record(record) => record.has(usize::from(place)),
                    _ => false,
                };
                window.set(into, Value::Bool(has));
            }
            Op::DeleteField(base, place) => {
                if let Value::Record(record) = window.get(base) {
                    let value = self.deleted_field(record.ty, usize::from(place));
                    record.set(usize::from(place), value);
                }
            }
            Op::NewRecord(into, ty) => window.set(into, self.bare_record(ty)),
            Op::Defaults(register) => {
                if let Value::Record(record) = window.get(register).clone() {
                    self.fill(&record)?;
                }
            }
            Op::NewTable(into, ty, attributes) => {
                let table = self.new_table(ty, attributes);
                window.set(into, table);
            }
            Op::Attributes(register, number) => {
                if let Value::Table(table) = window.get(register) {
                    let attributes = (number as usize)
                        .checked_sub(1)
                        .and_then(|at| self.program.attributes.get(at))
                        .cloned();
                    table.set_attributes(attributes);
                    let table = table.clone();
                    self.watch(&table);
                }
            }
            Op::NewVector(into, ty) => {
                let vector = crate::values::VectorValue::new(ty, Vec::new());
                window.set(into, Value::Vector(Rc::new(vector)));
            }
            Op::Insert(table, key, value) => {
                let held = if value == NO_VALUE { Value::Unset } else { window.get(value).clone() };
                if let (Value::Table(table), key) = (window.get(table).clone(), window.get(key).clone()) {
                    self.insert_expanded(&table, &key, held)?;
                }
            }
            other => return self.access(window, other),
        }
        Ok(Flow::Next)
    }

    /// Runs code without parameters from its begin; the value that it returns.
    ///
    /// # Errors
    ///
    /// Where it ends by an error, which was reported.
    pub fn run_code(&mut self, code: &Rc<Code>) -> Outcome<Value> {
        self.run_entry(code, 0, &[], None)
    }
}

pub(super) fn constant(code: &Code, number: u16) -> Value {
    code.constants.get(usize::from(number)).cloned().unwrap_or_default()
}

fn captured(frame: Option<&Frame>, place: u16) -> Value {
    frame
        .and_then(|frame| {
            frame.function.as_ref()?.captures.try_borrow().ok()?.get(usize::from(place)).cloned()
        })
        .unwrap_or_default()
}
