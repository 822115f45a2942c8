//! Registers, fields, elements and entries that are there.

use crate::code::Register;
use crate::values::Value;

/// Copies a value into another register.
#[inline(always)]
pub(super) fn copy(registers: &mut [Value], into: Register, from: Register) -> Option<()> {
    if into == from {
        return Some(());
    }
    let [slot, value] = two(registers, into, from)?;
    slot.assign(value);
    Some(())
}

/// Returns two registers; `None` where they are the same one.
#[inline(always)]
pub(super) fn two(registers: &mut [Value], one: Register, other: Register) -> Option<[&mut Value; 2]> {
    registers.get_disjoint_mut([usize::from(one), usize::from(other)]).ok()
}

/// Puts a value into a register.
#[inline(always)]
pub(super) fn place(registers: &mut [Value], into: Register, value: &Value) -> Option<()> {
    registers.get_mut(usize::from(into))?.assign(value);
    Some(())
}

/// Reads a field that is there.
#[inline(always)]
pub(super) fn field(registers: &mut [Value], into: Register, base: Register, at: u16) -> Option<()> {
    let [slot, base] = two(registers, into, base)?;
    match base {
        Value::Record(record) => record.read(usize::from(at), slot),
        _ => None,
    }
}

/// Says whether there is a field.
#[inline(always)]
pub(super) fn has_field(registers: &mut [Value], into: Register, base: Register, at: u16) -> Option<()> {
    let Value::Record(record) = registers.get(usize::from(base))? else { return None };
    let has = record.has(usize::from(at));
    registers.get_mut(usize::from(into))?.assign(&Value::Bool(has));
    Some(())
}

/// Sets a field.
#[inline(always)]
pub(super) fn set_field(registers: &[Value], base: Register, at: u16, from: Register) -> Option<()> {
    let value = registers.get(usize::from(from))?;
    let Value::Record(record) = registers.get(usize::from(base))? else { return None };
    record.write(usize::from(at), value)
}

/// Reads an entry or element that is there.
#[inline(always)]
pub(super) fn index(registers: &mut [Value], into: Register, base: Register, key: Register) -> Option<()> {
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
pub(super) fn set_index(registers: &[Value], base: Register, key: Register, from: Register) -> Option<()> {
    let from = registers.get(usize::from(from))?;
    match (registers.get(usize::from(base))?, registers.get(usize::from(key))?) {
        (Value::Vector(vector), Value::Count(place)) => vector.write(usize::try_from(*place).ok()?, from),
        (Value::Table(table), key) => table.replace(key, from),
        _ => None,
    }
}

/// Adds a member to a set that has it.
#[inline(always)]
pub(super) fn add_member(registers: &[Value], base: Register, key: Register) -> Option<()> {
    let Value::Table(table) = registers.get(usize::from(base))? else { return None };
    table.replace(registers.get(usize::from(key))?, &Value::Unset)
}
