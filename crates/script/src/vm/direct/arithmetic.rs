//! Arithmetic and comparisons of registers that cannot fail.

use std::cmp::Ordering;

use crate::code::{Binary, Code, Register, Unary};
use crate::values::{Key, Value};

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
pub(super) fn compare(binary: Binary, left: &Value, right: &Value) -> Option<bool> {
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
pub(super) fn is_plain(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Enum(..) | Value::Bool(_) | Value::Addr(_) | Value::Port(_))
}

/// Runs arithmetic into a register; `None` where it is for the general loop.
#[inline(always)]
pub(super) fn arithmetic(
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
/// The right side of an operation.
pub(super) enum Operand<'a> {
    Register(Register),
    Constant(&'a Value),
}

/// Puts the value of a comparison into a register.
#[inline(always)]
pub(super) fn general(
    binary: Binary,
    registers: &mut [Value],
    into: usize,
    one: &Value,
    other: &Value,
) -> Option<()> {
    let value = compare(binary, one, other)?;
    put!(registers.get_mut(into), Bool, value);
    Some(())
}

/// Runs an operation on one value; `None` where it is for the general loop.
#[inline(always)]
pub(super) fn unary(unary: Unary, registers: &mut [Value], into: Register, from: Register) -> Option<()> {
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

/// Returns a constant.
#[inline(always)]
pub(super) fn constant(code: &Code, number: u16) -> Option<&Value> {
    code.constants.get(usize::from(number))
}

/// Compares two counts; none where one is something else.
#[inline(always)]
pub(super) fn counts(one: Option<&Value>, other: Option<&Value>) -> Option<Ordering> {
    match (one, other) {
        (Some(Value::Count(one)), Some(Value::Count(other))) => Some(one.cmp(other)),
        _ => None,
    }
}

/// Adds one to a number.
#[inline(always)]
pub(super) fn increment(value: &mut Value) -> Option<()> {
    match value {
        Value::Count(value) => *value = value.wrapping_add(1),
        Value::Int(value) => *value = value.wrapping_add(1),
        _ => return None,
    }
    Some(())
}
/// Returns the remainder of a division; none by zero.
#[inline(always)]
pub(super) fn remainder(one: u64, other: u64) -> Option<u64> {
    // Half of the width is divided in a third of the time.
    match (u32::try_from(one), u32::try_from(other)) {
        (Ok(one), Ok(other)) => one.checked_rem(other).map(u64::from),
        _ => one.checked_rem(other),
    }
}

/// Returns whether a comparison of a register holds; `None` where that is for the general loop.
#[inline(always)]
pub(super) fn holds(
    binary: Binary,
    registers: &[Value],
    left: Register,
    other: Option<&Value>,
) -> Option<bool> {
    compare(binary, registers.get(usize::from(left))?, other?)
}
