//! Instructions that are run directly: the most frequent ones, on values for which nothing can fail. All others, and all
//! other values, are for the general loop, which begins where this one stops.

#[macro_use]
mod arithmetic;
mod containers;

use std::rc::Rc;

use self::arithmetic::{Operand, arithmetic, constant, counts, holds, increment, remainder, unary};
use self::containers::{add_member, copy, field, has_field, index, place, set_field, set_index};
use super::Engine;
use super::fiber::{Fiber, Point};
use crate::code::{Code, Op, Register};
use crate::direct::Direct;
use crate::types::TypeId;
use crate::values::{FunctionValue, Value};

/// Steps after which memory is looked at, which the general loop does.
const STEPS: u64 = 0x3ff;

/// A call: where its value goes, the function by its number, and its arguments.
struct Call {
    into: Register,
    number: u32,
    first: Register,
    count: u16,
}

/// Returns where the loop of a step goes on that ends, or goes back to where it does not.
fn behind(code: &Code, at: usize) -> usize {
    match code.ops.get(at) {
        Some(Op::Step(.., target) | Op::StepAgain(.., target)) => *target as usize,
        _ => at,
    }
}

impl Engine {
    /// Runs instructions until one is for the general loop, also those of functions that are called and of those that they
    /// return to.
    #[inline]
    pub(super) fn run_directly(&mut self, fiber: &mut Fiber, point: &mut Point) {
        loop {
            let Some(frame) = fiber.frames.last() else { return };
            let Some(registers) = fiber.stack.get_mut(point.base..) else { return };
            point.at = self.run_straight(&frame.code, frame.function.as_deref(), registers, point.at);
            let went_on = match frame.code.ops.get(point.at) {
                Some(Op::CallFunction(into, number, first, count)) => {
                    let call = Call { into: *into, number: *number, first: *first, count: *count };
                    self.call_directly(fiber, point, &call, None)
                }
                Some(Op::Call(into, callee, first, count)) => {
                    match fiber.stack.get(point.base + usize::from(*callee)) {
                        Some(Value::Function(callee)) => {
                            let (number, callee) = (callee.function, callee.clone());
                            let call = Call { into: *into, number, first: *first, count: *count };
                            self.call_directly(fiber, point, &call, Some(callee))
                        }
                        _ => None,
                    }
                }
                Some(Op::Return(register)) => self.return_directly(fiber, point, *register),
                _ => None,
            };
            if went_on.is_none() {
                return;
            }
        }
    }

    /// Begins a function of a script; `None` where the call is for the general loop.
    #[inline(always)]
    fn call_directly(
        &mut self,
        fiber: &mut Fiber,
        point: &mut Point,
        call: &Call,
        callee: Option<Rc<FunctionValue>>,
    ) -> Option<()> {
        let function = self.program.functions.get_mut(call.number as usize)?;
        let code = &function.bodies.first()?.code;
        let is_replaced = callee.is_none() && function.replaced.is_some();
        let is_deep = self.depth >= self.limits.deepest();
        if is_replaced || is_deep || call.count > code.parameters || self.fuel & STEPS <= 1 {
            return None;
        }
        function.calls += 1;
        self.fuel -= 1;
        self.depth += 1;
        fiber.frames.last_mut()?.at = point.at + 1;
        let first = point.base + usize::from(call.first);
        let base = fiber.enter_from(code, first, call.count, call.into, call.number, callee);
        *point = Point { base, at: 0 };
        Some(())
    }

    /// Returns to the function that called; `None` where nobody of this fiber did.
    #[inline(always)]
    fn return_directly(&mut self, fiber: &mut Fiber, point: &mut Point, register: Register) -> Option<()> {
        if !fiber.leave_with(register) {
            return None;
        }
        self.depth = self.depth.saturating_sub(1);
        *point = fiber.point()?;
        Some(())
    }

    /// Runs instructions of one function from a place on; returns the place of the first one that is for others.
    #[inline(always)]
    fn run_straight(
        &mut self,
        code: &Code,
        captured: Option<&FunctionValue>,
        registers: &mut [Value],
        mut at: usize,
    ) -> usize {
        while let Some(op) = code.direct.get(at) {
            match self.one(*op, code, captured, registers, at) {
                Some(next) => at = next,
                None => return at,
            }
        }
        at
    }

    /// Runs an instruction; returns the place of the next one, none where it is for others. In one piece, so that one look
    /// at a table leads to what there is to do.
    #[inline(always)]
    fn one(
        &mut self,
        op: Direct,
        code: &Code,
        captured: Option<&FunctionValue>,
        registers: &mut [Value],
        at: usize,
    ) -> Option<usize> {
        macro_rules! register {
            ($number:expr) => {
                registers.get(usize::from($number))
            };
        }
        // An operation on two values of one kind, with a register or a constant on its right side.
        macro_rules! operate {
            ($kind:ident, $to:expr, $left:expr, $right:expr, $make:expr) => {{
                let Value::$kind(one) = register!($left)? else { return None };
                let Value::$kind(other) = $right? else { return None };
                let value = $make(*one, *other)?;
                put!(registers.get_mut(usize::from($to)), $kind, value);
            }};
        }
        // Goes on at a place where something holds.
        macro_rules! jump {
            ($holds:expr, $target:expr) => {
                if $holds {
                    return Some(usize::from($target));
                }
            };
        }
        let add = |one: u64, other: u64| Some(one.wrapping_add(other));
        let subtract = |one: u64, other: u64| one.checked_sub(other);
        let multiply = |one: u64, other: u64| Some(one.wrapping_mul(other));
        let plus = |one: f64, other: f64| Some(one + other);
        let minus = |one: f64, other: f64| Some(one - other);
        let times = |one: f64, other: f64| Some(one * other);
        match op {
            Direct::General => return None,
            Direct::Move(into, from) => copy(registers, into, from)?,
            Direct::Constant(into, number) => place(registers, into, constant(code, number)?)?,
            Direct::AddCount(to, left, right) => operate!(Count, to, left, register!(right), add),
            Direct::AddCountBy(to, left, number) => operate!(Count, to, left, constant(code, number), add),
            Direct::SubtractCount(to, left, right) => operate!(Count, to, left, register!(right), subtract),
            Direct::SubtractCountBy(to, left, by) => operate!(Count, to, left, constant(code, by), subtract),
            Direct::MultiplyCount(to, left, right) => operate!(Count, to, left, register!(right), multiply),
            Direct::MultiplyCountBy(to, left, by) => operate!(Count, to, left, constant(code, by), multiply),
            Direct::ModuloCountBy(to, left, by) => operate!(Count, to, left, constant(code, by), remainder),
            Direct::AddDouble(to, left, right) => operate!(Double, to, left, register!(right), plus),
            Direct::AddDoubleBy(to, left, by) => operate!(Double, to, left, constant(code, by), plus),
            Direct::SubtractDouble(to, left, right) => operate!(Double, to, left, register!(right), minus),
            Direct::SubtractDoubleBy(to, left, by) => operate!(Double, to, left, constant(code, by), minus),
            Direct::MultiplyDouble(to, left, right) => operate!(Double, to, left, register!(right), times),
            Direct::MultiplyDoubleBy(to, left, by) => operate!(Double, to, left, constant(code, by), times),
            Direct::Increment(into) => increment(registers.get_mut(usize::from(into))?)?,
            Direct::CountUp(into, right, target) => {
                increment(registers.get_mut(usize::from(into))?)?;
                return self.repeat(register!(into), register!(right), at, target);
            }
            Direct::CountUpBy(into, number, target) => {
                increment(registers.get_mut(usize::from(into))?)?;
                return self.repeat(register!(into), constant(code, number), at, target);
            }
            Direct::Binary(binary, into, left, right) => {
                arithmetic(binary, registers, into, left, Operand::Register(right))?;
            }
            Direct::BinaryBy(binary, into, left, number) => {
                arithmetic(binary, registers, into, left, Operand::Constant(constant(code, number)?))?;
            }
            Direct::Unary(operation, into, from) => unary(operation, registers, into, from)?,
            Direct::Jump(target) => {
                self.spend_directly()?;
                return Some(usize::from(target));
            }
            Direct::JumpIf(test, target) => jump!(register!(test)?.is_true(), target),
            Direct::JumpIfNot(test, target) => jump!(!register!(test)?.is_true(), target),
            Direct::UnlessLessCount(left, right, target) => {
                jump!(counts(register!(left), register!(right))?.is_ge(), target);
            }
            Direct::UnlessLessCountBy(left, number, target) => {
                jump!(counts(register!(left), constant(code, number))?.is_ge(), target);
            }
            Direct::UnlessEqualCountBy(left, number, target) => {
                jump!(counts(register!(left), constant(code, number))?.is_ne(), target);
            }
            Direct::Unless(binary, left, right, target) => {
                jump!(!holds(binary, registers, left, register!(right))?, target);
            }
            Direct::UnlessBy(binary, left, number, target) => {
                jump!(!holds(binary, registers, left, constant(code, number))?, target);
            }
            Direct::RepeatLessCount(left, right, target) => {
                let is_less = counts(register!(left), register!(right))?.is_lt();
                self.spend_directly()?;
                jump!(is_less, target);
            }
            Direct::RepeatLessCountBy(left, number, target) => {
                let is_less = counts(register!(left), constant(code, number))?.is_lt();
                self.spend_directly()?;
                jump!(is_less, target);
            }
            Direct::Repeat(binary, left, right, target) => {
                let holds = holds(binary, registers, left, register!(right))?;
                self.spend_directly()?;
                jump!(holds, target);
            }
            Direct::RepeatBy(binary, left, number, target) => {
                let holds = holds(binary, registers, left, constant(code, number))?;
                self.spend_directly()?;
                jump!(holds, target);
            }
            Direct::Step(cursor, key, value) => {
                if !self.step(registers, cursor, key, value)? {
                    return Some(behind(code, at));
                }
            }
            Direct::StepAgain(cursor, key, value) => {
                if self.step(registers, cursor, key, value)? {
                    return Some(behind(code, at));
                }
            }
            Direct::Field(into, base, place) => field(registers, into, base, place)?,
            Direct::SetField(base, place, from) => set_field(registers, base, place, from)?,
            Direct::HasField(into, base, place) => has_field(registers, into, base, place)?,
            Direct::Index(into, base, key) => index(registers, into, base, key)?,
            Direct::SetIndex(base, key, from) => set_index(registers, base, key, from)?,
            Direct::Add(base, key) => add_member(registers, base, key)?,
            Direct::Captured(into, number) => {
                let captures = captured?.captures.try_borrow().ok()?;
                place(registers, into, captures.get(usize::from(number)).filter(|value| value.is_set())?)?;
            }
            Direct::NewRecord(into, ty) => {
                let record = self.bare_record(TypeId(u32::from(ty)));
                registers.get_mut(usize::from(into))?.put(record);
            }
            Direct::Defaults(record) => {
                let Value::Record(record) = register!(record)? else { return None };
                Some(record).filter(|record| self.is_full(record))?;
            }
            Direct::Global(into, number) => {
                let global = self.program.globals.get(usize::from(number))?;
                place(registers, into, Some(&global.value).filter(|value| value.is_set())?)?;
            }
        }
        Some(at + 1)
    }

    /// Goes back at the end of a loop whose number was counted up, where that is less than another one.
    #[inline(always)]
    fn repeat(
        &mut self,
        one: Option<&Value>,
        other: Option<&Value>,
        at: usize,
        target: u16,
    ) -> Option<usize> {
        // What the number is compared with, and the budgets, are for the next instruction where they are not as usual.
        match counts(one, other) {
            Some(order) if self.spend_directly().is_some() => {
                Some(if order.is_lt() { usize::from(target) } else { at + 2 })
            }
            _ => Some(at + 1),
        }
    }

    /// Takes the next step of a loop; false where there is none.
    #[inline(always)]
    fn step(
        &mut self,
        registers: &mut [Value],
        cursor: Register,
        key: Register,
        value: Register,
    ) -> Option<bool> {
        let Value::Cursor(cursor) = registers.get(usize::from(cursor))? else { return None };
        self.spend_directly()?;
        let next = cursor.try_borrow_mut().ok()?.step();
        let Some((index, held)) = next else { return Some(false) };
        registers.get_mut(usize::from(key))?.put(index);
        registers.get_mut(usize::from(value))?.put(held);
        Some(true)
    }

    /// Counts a step; `None` where the budgets are to be looked at.
    #[inline(always)]
    fn spend_directly(&mut self) -> Option<()> {
        if self.fuel & STEPS <= 1 {
            return None;
        }
        self.fuel -= 1;
        Some(())
    }
}
