//! Instructions in the form in which they are run directly: small, with kinds of values in their names, so that one look
//! at an instruction says what to do. Each stands at the place of the one that it is made from; what is not here, and
//! what comes upon other values, is for the general loop.

use crate::code::{Binary, Op, Register, Target, Unary};

/// A place of a constant, or of a global.
type Place = u16;
/// The place of an instruction.
type Near = u16;

/// An instruction. Those that end in `By` have a constant on their right side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direct {
    /// For the general loop.
    General,
    Move(Register, Register),
    Constant(Register, Place),
    Global(Register, Place),
    AddCount(Register, Register, Register),
    AddCountBy(Register, Register, Place),
    SubtractCount(Register, Register, Register),
    SubtractCountBy(Register, Register, Place),
    MultiplyCount(Register, Register, Register),
    MultiplyCountBy(Register, Register, Place),
    ModuloCountBy(Register, Register, Place),
    AddDouble(Register, Register, Register),
    AddDoubleBy(Register, Register, Place),
    SubtractDouble(Register, Register, Register),
    SubtractDoubleBy(Register, Register, Place),
    MultiplyDouble(Register, Register, Register),
    MultiplyDoubleBy(Register, Register, Place),
    Binary(Binary, Register, Register, Register),
    BinaryBy(Binary, Register, Register, Place),
    /// register = register + 1
    Increment(Register),
    /// register = register + 1, and goes back there where it is less than the other one: the end of a loop.
    CountUp(Register, Register, Near),
    CountUpBy(Register, Place, Near),
    Unary(Unary, Register, Register),
    Jump(Near),
    JumpIf(Register, Near),
    JumpIfNot(Register, Near),
    UnlessLessCount(Register, Register, Near),
    UnlessLessCountBy(Register, Place, Near),
    UnlessEqualCountBy(Register, Place, Near),
    Unless(Binary, Register, Register, Near),
    UnlessBy(Binary, Register, Place, Near),
    RepeatLessCount(Register, Register, Near),
    RepeatLessCountBy(Register, Place, Near),
    Repeat(Binary, Register, Register, Near),
    RepeatBy(Binary, Register, Place, Near),
    /// Where it goes on otherwise, the instruction that it is made from says.
    Step(Register, Register, Register),
    /// As before.
    StepAgain(Register, Register, Register),
    Field(Register, Register, Place),
    SetField(Register, Place, Register),
    HasField(Register, Register, Place),
    Index(Register, Register, Register),
    SetIndex(Register, Register, Register),
    Add(Register, Register),
    Captured(Register, Place),
    NewRecord(Register, Place),
    /// All fields of the record are there.
    Defaults(Register),
}

/// Makes the direct form of code.
pub fn of(ops: &[Op]) -> Box<[Direct]> {
    let mut all: Box<[Direct]> = ops.iter().map(|op| one(*op).unwrap_or(Direct::General)).collect();
    for at in 1..all.len() {
        if let Some([first, second]) = all.get_mut(at - 1..=at) {
            *first = both(*first, *second).unwrap_or(*first);
        }
    }
    all
}

/// Returns what does the work of two instructions, in the place of the first one.
fn both(first: Direct, second: Direct) -> Option<Direct> {
    match (first, second) {
        (Direct::Increment(into), Direct::RepeatLessCount(left, right, target)) if into == left => {
            Some(Direct::CountUp(into, right, target))
        }
        (Direct::Increment(into), Direct::RepeatLessCountBy(left, number, target)) if into == left => {
            Some(Direct::CountUpBy(into, number, target))
        }
        _ => None,
    }
}

/// Returns the direct form of an instruction; none where it has none, or where a number is too large for it.
fn one(op: Op) -> Option<Direct> {
    let near = |target: Target| Near::try_from(target).ok();
    let place = |number: u32| Place::try_from(number).ok();
    Some(match op {
        Op::Move(into, from) => Direct::Move(into, from),
        Op::Constant(into, number) => Direct::Constant(into, place(number)?),
        Op::Global(into, number) => Direct::Global(into, place(number)?),
        Op::Binary(binary, into, left, right) => match binary {
            Binary::AddCount => Direct::AddCount(into, left, right),
            Binary::SubtractCount => Direct::SubtractCount(into, left, right),
            Binary::MultiplyCount => Direct::MultiplyCount(into, left, right),
            Binary::AddDouble => Direct::AddDouble(into, left, right),
            Binary::SubtractDouble => Direct::SubtractDouble(into, left, right),
            Binary::MultiplyDouble => Direct::MultiplyDouble(into, left, right),
            other => Direct::Binary(other, into, left, right),
        },
        Op::BinaryConstant(binary, into, left, number) => match binary {
            Binary::AddCount => Direct::AddCountBy(into, left, number),
            Binary::SubtractCount => Direct::SubtractCountBy(into, left, number),
            Binary::MultiplyCount => Direct::MultiplyCountBy(into, left, number),
            Binary::ModuloCount => Direct::ModuloCountBy(into, left, number),
            Binary::AddDouble => Direct::AddDoubleBy(into, left, number),
            Binary::SubtractDouble => Direct::SubtractDoubleBy(into, left, number),
            Binary::MultiplyDouble => Direct::MultiplyDoubleBy(into, left, number),
            other => Direct::BinaryBy(other, into, left, number),
        },
        Op::Unary(Unary::Increment, into, from) if into == from => Direct::Increment(into),
        Op::Unary(unary, into, from) => Direct::Unary(unary, into, from),
        Op::Jump(target) => Direct::Jump(near(target)?),
        Op::JumpIf(test, target) => Direct::JumpIf(test, near(target)?),
        Op::JumpIfNot(test, target) => Direct::JumpIfNot(test, near(target)?),
        Op::JumpUnless(Binary::LessCount, left, right, target) => {
            Direct::UnlessLessCount(left, right, near(target)?)
        }
        Op::JumpUnless(binary, left, right, target) => Direct::Unless(binary, left, right, near(target)?),
        Op::JumpUnlessConstant(binary, left, number, target) => match binary {
            Binary::LessCount => Direct::UnlessLessCountBy(left, number, near(target)?),
            Binary::EqualCount => Direct::UnlessEqualCountBy(left, number, near(target)?),
            other => Direct::UnlessBy(other, left, number, near(target)?),
        },
        Op::Repeat(Binary::LessCount, left, right, target) => {
            Direct::RepeatLessCount(left, right, near(target)?)
        }
        Op::Repeat(binary, left, right, target) => Direct::Repeat(binary, left, right, near(target)?),
        Op::RepeatConstant(Binary::LessCount, left, number, target) => {
            Direct::RepeatLessCountBy(left, number, near(target)?)
        }
        Op::RepeatConstant(binary, left, number, target) => {
            Direct::RepeatBy(binary, left, number, near(target)?)
        }
        Op::Step(cursor, key, value, _) => Direct::Step(cursor, key, value),
        Op::StepAgain(cursor, key, value, _) => Direct::StepAgain(cursor, key, value),
        Op::Field(into, base, field) => Direct::Field(into, base, field),
        Op::SetField(base, field, from) => Direct::SetField(base, field, from),
        Op::HasField(into, base, field) => Direct::HasField(into, base, field),
        Op::Index(into, base, key) => Direct::Index(into, base, key),
        Op::SetIndex(base, key, from) => Direct::SetIndex(base, key, from),
        Op::Add(base, key) => Direct::Add(base, key),
        Op::Captured(into, number) => Direct::Captured(into, number),
        Op::NewRecord(into, ty) => Direct::NewRecord(into, place(ty.0)?),
        Op::Defaults(record) => Direct::Defaults(record),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_small() {
        assert_eq!(size_of::<Direct>(), 8);
    }

    #[test]
    fn kinds_are_in_names_and_what_is_far_is_for_the_general_loop() {
        let ops = [
            Op::Binary(Binary::AddCount, 1, 2, 3),
            Op::BinaryConstant(Binary::DivideInt, 1, 2, 3),
            Op::Unary(Unary::Increment, 4, 4),
            Op::Unary(Unary::Increment, 4, 5),
            Op::Unary(Unary::Increment, 4, 4),
            Op::RepeatConstant(Binary::LessCount, 4, 2, 0),
            Op::Jump(0xffff),
            Op::Jump(0x1_0000),
            Op::Constant(1, 0x1_0000),
            Op::End,
        ];
        let expected = [
            Direct::AddCount(1, 2, 3),
            Direct::BinaryBy(Binary::DivideInt, 1, 2, 3),
            Direct::Increment(4),
            Direct::Unary(Unary::Increment, 4, 5),
            Direct::CountUpBy(4, 2, 0),
            Direct::RepeatLessCountBy(4, 2, 0),
            Direct::Jump(0xffff),
            Direct::General,
            Direct::General,
            Direct::General,
        ];
        assert_eq!(*of(&ops), expected);
    }
}
