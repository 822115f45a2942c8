//! Instructions that are run directly: the most frequent ones, on values for which nothing can fail. All others, and all
//! other values, are for the general loop, which begins where this one stops.

use std::rc::Rc;

use super::Engine;
use super::fiber::{Fiber, Point};
use crate::code::{Binary, Code, Op, Register, Target, Unary};
use crate::values::{FunctionValue, Key, Value};

/// Steps after which memory is looked at, which the general loop does.
const STEPS: u64 = 0x3ff;

/// Puts a scalar into a register.
macro_rules! put {
    ($slot:expr, $kind:ident, $value:expr) => {{
        let value = $value;
        match $slot {
            Some(Value::$kind(old)) => *old = value,
            Some(slot) => slot.put(Value::$kind(value)),
            None => {}
        }
    }};
}

/// Returns the value of a comparison that cannot fail.
#[inline(always)]
fn compare(binary: Binary, left: &Value, right: &Value) -> Option<bool> {
    Some(match (binary, left, right) {
        (Binary::LessCount, Value::Count(one), Value::Count(other)) => one < other,
        (Binary::LessEqualCount, Value::Count(one), Value::Count(other)) => one <= other,
        (Binary::EqualCount | Binary::Equal, Value::Count(one), Value::Count(other)) => one == other,
        (Binary::NotEqual, Value::Count(one), Value::Count(other)) => one != other,
        (Binary::Equal, Value::String(one), Value::String(other)) => one == other,
        (Binary::NotEqual, Value::String(one), Value::String(other)) => one != other,
        (Binary::LessInt, Value::Int(one), Value::Int(other)) => one < other,
        (Binary::LessEqualInt, Value::Int(one), Value::Int(other)) => one <= other,
        (Binary::LessDouble, Value::Double(one), Value::Double(other)) => one < other,
        (Binary::LessEqualDouble, Value::Double(one), Value::Double(other)) => one <= other,
        (Binary::Equal | Binary::NotEqual, one, other) if is_plain(one) && is_plain(other) => {
            Key::equals(one, other) == (binary == Binary::Equal)
        }
        (Binary::InTable, key, Value::Table(table)) if !table.is_watched.get() => {
            // What is not there may be found as a network or pattern, or asked for by attributes.
            table.contains(key).then_some(true)?
        }
        (Binary::InPattern, Value::Pattern(pattern), Value::String(text)) => pattern.is_in(text),
        _ => return None,
    })
}

/// Returns whether comparing a value looks at nothing but the value itself.
#[inline(always)]
fn is_plain(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Enum(..) | Value::Bool(_) | Value::Addr(_) | Value::Port(_))
}

/// Runs arithmetic into a register; `None` where it is for the general loop.
#[inline(always)]
fn arithmetic(
    binary: Binary,
    registers: &mut [Value],
    into: Register,
    left: Register,
    other: Operand<'_>,
) -> Option<()> {
    let one = registers.get(usize::from(left))?;
    let other = match other {
        Operand::Register(register) => registers.get(usize::from(register))?,
        Operand::Constant(value) => value,
    };
    let into = usize::from(into);
    match (one, other) {
        (Value::Count(one), Value::Count(other)) => {
            let (one, other) = (*one, *other);
            let value = match binary {
                Binary::AddCount => one.wrapping_add(other),
                Binary::SubtractCount if one >= other => one.wrapping_sub(other),
                Binary::MultiplyCount => one.wrapping_mul(other),
                Binary::DivideCount => one.checked_div(other)?,
                Binary::ModuloCount => one.checked_rem(other)?,
                Binary::BitAnd => one & other,
                Binary::BitOr => one | other,
                Binary::BitXor => one ^ other,
                _ => return general(binary, registers, into, &Value::Count(one), &Value::Count(other)),
            };
            put!(registers.get_mut(into), Count, value);
        }
        (Value::Double(one), Value::Double(other)) => {
            let (one, other) = (*one, *other);
            let value = match binary {
                Binary::AddDouble => one + other,
                Binary::SubtractDouble => one - other,
                Binary::MultiplyDouble => one * other,
                Binary::DivideDouble if other != 0.0 => one / other,
                _ => return general(binary, registers, into, &Value::Double(one), &Value::Double(other)),
            };
            put!(registers.get_mut(into), Double, value);
        }
        (Value::Int(one), Value::Int(other)) => {
            let (one, other) = (*one, *other);
            let value = match binary {
                Binary::AddInt => one.wrapping_add(other),
                Binary::SubtractInt => one.wrapping_sub(other),
                Binary::MultiplyInt => one.wrapping_mul(other),
                _ => return general(binary, registers, into, &Value::Int(one), &Value::Int(other)),
            };
            put!(registers.get_mut(into), Int, value);
        }
        (one, other) => {
            let value = compare(binary, one, other)?;
            put!(registers.get_mut(into), Bool, value);
        }
    }
    Some(())
}

/// A call: where its value goes, the function by its number, and its arguments.
struct Call {
    into: Register,
    number: u32,
    first: Register,
    count: u16,
}

/// The right side of an operation.
enum Operand<'a> {
    Register(Register),
    Constant(&'a Value),
}

/// Puts the value of a comparison into a register.
#[inline(always)]
fn general(binary: Binary, registers: &mut [Value], into: usize, one: &Value, other: &Value) -> Option<()> {
    let value = compare(binary, one, other)?;
    put!(registers.get_mut(into), Bool, value);
    Some(())
}

/// Runs an operation on one value; `None` where it is for the general loop.
#[inline(always)]
fn unary(unary: Unary, registers: &mut [Value], into: Register, from: Register) -> Option<()> {
    let value = registers.get(usize::from(from))?;
    let into = usize::from(into);
    match (unary, value) {
        (Unary::Not, Value::Bool(value)) => {
            let value = !*value;
            put!(registers.get_mut(into), Bool, value);
        }
        (Unary::Increment, Value::Count(value)) => {
            let value = value.wrapping_add(1);
            put!(registers.get_mut(into), Count, value);
        }
        (Unary::DecrementCount, Value::Count(value)) => {
            let value = value.checked_sub(1)?;
            put!(registers.get_mut(into), Count, value);
        }
        (Unary::Increment, Value::Int(value)) => {
            let value = value.wrapping_add(1);
            put!(registers.get_mut(into), Int, value);
        }
        (Unary::DecrementInt, Value::Int(value)) => {
            let value = value.wrapping_sub(1);
            put!(registers.get_mut(into), Int, value);
        }
        (Unary::ToInt, Value::Count(value)) => {
            let value = *value as i64;
            put!(registers.get_mut(into), Int, value);
        }
        (Unary::ToDouble, Value::Count(value)) => {
            let value = *value as f64;
            put!(registers.get_mut(into), Double, value);
        }
        (Unary::ToDouble, Value::Int(value)) => {
            let value = *value as f64;
            put!(registers.get_mut(into), Double, value);
        }
        (Unary::Size, Value::String(bytes)) => {
            let value = bytes.len() as u64;
            put!(registers.get_mut(into), Count, value);
        }
        (Unary::Size, Value::Table(table)) => {
            let value = table.len() as u64;
            put!(registers.get_mut(into), Count, value);
        }
        (Unary::Size, Value::Vector(vector)) => {
            let value = vector.len() as u64;
            put!(registers.get_mut(into), Count, value);
        }
        _ => return None,
    }
    Some(())
}

/// Copies a value into another register.
#[inline(always)]
fn copy(registers: &mut [Value], into: Register, from: Register) -> Option<()> {
    if into == from {
        return Some(());
    }
    let [slot, value] = two(registers, into, from)?;
    slot.assign(value);
    Some(())
}

/// Returns two registers; `None` where they are the same one.
#[inline(always)]
fn two(registers: &mut [Value], one: Register, other: Register) -> Option<[&mut Value; 2]> {
    registers.get_disjoint_mut([usize::from(one), usize::from(other)]).ok()
}

/// Puts a value into a register.
#[inline(always)]
fn place(registers: &mut [Value], into: Register, value: &Value) -> Option<()> {
    registers.get_mut(usize::from(into))?.assign(value);
    Some(())
}

/// Reads a field that is there.
#[inline(always)]
fn field(registers: &mut [Value], into: Register, base: Register, at: u16) -> Option<()> {
    let [slot, base] = two(registers, into, base)?;
    match base {
        Value::Record(record) => record.read(usize::from(at), slot),
        _ => None,
    }
}

/// Says whether there is a field.
#[inline(always)]
fn has_field(registers: &mut [Value], into: Register, base: Register, at: u16) -> Option<()> {
    let Value::Record(record) = registers.get(usize::from(base))? else { return None };
    let has = record.has(usize::from(at));
    put!(registers.get_mut(usize::from(into)), Bool, has);
    Some(())
}

/// Sets a field.
#[inline(always)]
fn set_field(registers: &[Value], base: Register, at: u16, from: Register) -> Option<()> {
    let value = registers.get(usize::from(from))?;
    let Value::Record(record) = registers.get(usize::from(base))? else { return None };
    record.write(usize::from(at), value)
}

/// Reads an entry or element that is there.
#[inline(always)]
fn index(registers: &mut [Value], into: Register, base: Register, key: Register) -> Option<()> {
    let places = [usize::from(into), usize::from(base), usize::from(key)];
    let [slot, base, key] = registers.get_disjoint_mut(places).ok()?;
    match (base, key) {
        (Value::Vector(vector), Value::Count(place)) => vector.read(usize::try_from(*place).ok()?, slot),
        (Value::Table(table), key) if !table.is_watched.get() => table.read(key, slot),
        _ => None,
    }
}

/// Sets an entry or element that is there.
#[inline(always)]
fn set_index(registers: &[Value], base: Register, key: Register, from: Register) -> Option<()> {
    let from = registers.get(usize::from(from))?;
    match (registers.get(usize::from(base))?, registers.get(usize::from(key))?) {
        (Value::Vector(vector), Value::Count(place)) => vector.write(usize::try_from(*place).ok()?, from),
        (Value::Table(table), key) => table.replace(key, from),
        _ => None,
    }
}

/// Adds a member to a set that has it.
#[inline(always)]
fn add(registers: &[Value], base: Register, key: Register) -> Option<()> {
    let Value::Table(table) = registers.get(usize::from(base))? else { return None };
    table.replace(registers.get(usize::from(key))?, &Value::Unset)
}

/// Returns whether a comparison of a register holds; `None` where that is for the general loop.
#[inline(always)]
fn holds(binary: Binary, registers: &[Value], left: Register, other: Option<&Value>) -> Option<bool> {
    compare(binary, registers.get(usize::from(left))?, other?)
}

impl Engine {
    /// Runs instructions until one is for the general loop, also those of functions that are called and of those that they
    /// return to.
    #[inline]
    pub(super) fn run_directly(&mut self, fiber: &mut Fiber, point: &mut Point) {
        loop {
            let Some(registers) = fiber.stack.get_mut(point.base..) else { return };
            point.at = self.run_straight(&point.code, registers, point.at);
            let went_on = match point.code.ops.get(point.at) {
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
        let base = fiber.enter_from(code.clone(), first, call.count, call.into, call.number, callee);
        *point = Point { code: code.clone(), base, at: 0 };
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
    fn run_straight(&mut self, code: &Code, registers: &mut [Value], mut at: usize) -> usize {
        let ops = code.ops.as_slice();
        let constant = |number: u16| code.constants.get(usize::from(number));
        while let Some(op) = ops.get(at) {
            let after = at + 1;
            let jump = |is_taken: bool, target: Target| if is_taken { target as usize } else { after };
            let next = match *op {
                Op::Move(into, from) => copy(registers, into, from).map(|()| after),
                Op::Constant(into, number) => code
                    .constants
                    .get(number as usize)
                    .and_then(|value| place(registers, into, value))
                    .map(|()| after),
                Op::Binary(binary, into, left, right) => {
                    arithmetic(binary, registers, into, left, Operand::Register(right)).map(|()| after)
                }
                Op::BinaryConstant(binary, into, left, number) => constant(number)
                    .and_then(|value| arithmetic(binary, registers, into, left, Operand::Constant(value)))
                    .map(|()| after),
                Op::Unary(operation, into, from) => unary(operation, registers, into, from).map(|()| after),
                Op::JumpUnless(binary, left, right, target) => {
                    holds(binary, registers, left, registers.get(usize::from(right)))
                        .map(|holds| jump(!holds, target))
                }
                Op::JumpUnlessConstant(binary, left, number, target) => {
                    holds(binary, registers, left, constant(number)).map(|holds| jump(!holds, target))
                }
                Op::Repeat(binary, left, right, target) => {
                    holds(binary, registers, left, registers.get(usize::from(right)))
                        .and_then(|holds| self.spend_directly().map(|()| jump(holds, target)))
                }
                Op::RepeatConstant(binary, left, number, target) => {
                    holds(binary, registers, left, constant(number))
                        .and_then(|holds| self.spend_directly().map(|()| jump(holds, target)))
                }
                Op::JumpIf(test, target) => {
                    registers.get(usize::from(test)).map(|test| jump(test.is_true(), target))
                }
                Op::JumpIfNot(test, target) => {
                    registers.get(usize::from(test)).map(|test| jump(!test.is_true(), target))
                }
                Op::Jump(target) => self.spend_directly().map(|()| target as usize),
                Op::Step(cursor, key, value, target) => {
                    self.step(registers, cursor, key, value).map(|is_there| jump(!is_there, target))
                }
                Op::StepAgain(cursor, key, value, target) => {
                    self.step(registers, cursor, key, value).map(|is_there| jump(is_there, target))
                }
                Op::Field(into, base, place) => field(registers, into, base, place).map(|()| after),
                Op::SetField(base, place, from) => set_field(registers, base, place, from).map(|()| after),
                Op::HasField(into, base, place) => has_field(registers, into, base, place).map(|()| after),
                Op::Index(into, base, key) => index(registers, into, base, key).map(|()| after),
                Op::SetIndex(base, key, from) => set_index(registers, base, key, from).map(|()| after),
                Op::Add(base, key) => add(registers, base, key).map(|()| after),
                Op::Global(into, number) => self
                    .program
                    .globals
                    .get(number as usize)
                    .filter(|global| global.value.is_set())
                    .and_then(|global| place(registers, into, &global.value))
                    .map(|()| after),
                _ => None,
            };
            match next {
                Some(next) => at = next,
                None => return at,
            }
        }
        at
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
