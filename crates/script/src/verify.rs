//! The verifier: code that passes cannot leave its registers, constants and instructions.

use crate::code::{Code, Op, Register, Target};
use crate::compile::NO_VALUE;

/// Returns what is wrong with code.
///
/// # Errors
///
/// A sentence that names the instruction.
pub fn verify(code: &Code) -> Result<(), String> {
    if code.parameters > code.registers {
        return Err("there are more parameters than registers".to_owned());
    }
    for (at, op) in code.ops.iter().enumerate() {
        check(code, op).map_err(|what| format!("instruction {at} ({op:?}): {what}"))?;
    }
    if code.entries.iter().any(|entry| *entry != Target::MAX && *entry as usize >= code.ops.len()) {
        return Err("an entry leaves the code".to_owned());
    }
    match code.ops.last() {
        Some(Op::End | Op::Return(_) | Op::Jump(_) | Op::NotYet | Op::Break | Op::Fail(_)) | None => Ok(()),
        Some(_) => Err("the last instruction does not leave".to_owned()),
    }
}

fn check(code: &Code, op: &Op) -> Result<(), &'static str> {
    let mut registers: Vec<Register> = Vec::new();
    let mut row: Option<(Register, u16)> = None;
    let mut target: Option<Target> = None;
    match *op {
        Op::Move(a, b) | Op::Append(a, b) | Op::Add(a, b) | Op::Delete(a, b) | Op::AddAll(a, b) => {
            registers.extend([a, b]);
        }
        Op::RemoveAll(a, b) | Op::Loop(a, b) | Op::WatchEntry(a, b) => registers.extend([a, b]),
        Op::Constant(a, _) => registers.push(a),
        Op::Clear(a) | Op::Check(a) | Op::Global(a, _) | Op::SetGlobal(_, a) | Op::Return(a) => {
            registers.push(a)
        }
        Op::Captured(a, _) | Op::SetCaptured(_, a) | Op::DeleteField(a, _) | Op::NewRecord(a, _) => {
            registers.push(a)
        }
        Op::Defaults(a) | Op::NewTable(a, ..) | Op::NewVector(a, _) | Op::DeleteAll(a) => registers.push(a),
        Op::Attributes(a, _) | Op::AssertFailed(a, _) | Op::Watch(a) => registers.push(a),
        Op::Jump(to) => target = Some(to),
        Op::JumpIf(a, to)
        | Op::JumpIfNot(a, to)
        | Op::JumpUnlessConstant(_, a, _, to)
        | Op::RepeatConstant(_, a, _, to) => {
            registers.push(a);
            target = Some(to);
        }
        Op::BinaryConstant(_, a, b, _) => registers.extend([a, b]),
        Op::JumpUnless(_, a, b, to) | Op::Repeat(_, a, b, to) => {
            registers.extend([a, b]);
            target = Some(to);
        }
        Op::Binary(_, a, b, c) | Op::Elements(_, a, b, c, _) => registers.extend([a, b, c]),
        Op::Index(a, b, c) | Op::SetIndex(a, b, c) => registers.extend([a, b, c]),
        Op::Insert(a, b, c) => registers.extend([a, b].into_iter().chain((c != NO_VALUE).then_some(c))),
        Op::Unary(_, a, b) | Op::EachElement(_, a, b, _) | Op::Coerce(a, b, _) => registers.extend([a, b]),
        Op::Cast(a, b, _) | Op::Is(a, b, _) | Op::CanCast(a, b, _) | Op::Part(a, b, _) => {
            registers.extend([a, b])
        }
        Op::Field(a, b, _) | Op::HasField(a, b, _) | Op::SetField(a, _, b) => registers.extend([a, b]),
        Op::Slice(a, b, bounds) | Op::SetSlice(a, bounds, b) => {
            registers.extend([a, b]);
            row = Some((bounds, 2));
        }
        Op::List(a, first, count)
        | Op::Lambda(a, _, first, count)
        | Op::CallBuiltin(a, _, first, count)
        | Op::CallFunction(a, _, first, count)
        | Op::Event(a, first, count) => {
            registers.push(a);
            row = Some((first, count));
        }
        Op::Call(a, b, first, count) | Op::Hook(a, b, first, count) | Op::Schedule(a, b, first, count) => {
            registers.extend([a, b]);
            row = Some((first, count));
        }
        Op::Print(first, count) | Op::When(_, first, count) | Op::ReturnWhen(_, first, count) => {
            row = Some((first, count));
        }
        Op::Step(a, b, c, to) | Op::StepAgain(a, b, c, to) => {
            registers.extend([a, b, c]);
            target = Some(to);
        }
        Op::Switch(a, _) => registers.push(a),
        Op::End | Op::Break | Op::NotYet | Op::Holds | Op::Fail(_) => {}
        Op::WatchGlobal(_) | Op::WatchAll => {}
    }
    if registers.iter().any(|register| *register >= code.registers) {
        return Err("there is no such register");
    }
    if row.is_some_and(|(first, count)| {
        count > 0 && u32::from(first) + u32::from(count) > u32::from(code.registers)
    }) {
        return Err("registers leave the frame");
    }
    check_tables(code, op)?;
    check_target(code, target)
}

/// Checks what an instruction takes from the tables of the code.
fn check_tables(code: &Code, op: &Op) -> Result<(), &'static str> {
    let constant = match *op {
        Op::Constant(_, number) => number,
        Op::BinaryConstant(.., number)
        | Op::JumpUnlessConstant(_, _, number, _)
        | Op::RepeatConstant(_, _, number, _) => u32::from(number),
        Op::Switch(_, number) => return check_cases(code, number),
        _ => return Ok(()),
    };
    if constant as usize >= code.constants.len() {
        return Err("there is no such constant");
    }
    Ok(())
}

fn check_target(code: &Code, target: Option<Target>) -> Result<(), &'static str> {
    if target.is_some_and(|target| target as usize >= code.ops.len()) {
        return Err("the jump leaves the code");
    }
    Ok(())
}

fn check_cases(code: &Code, number: u32) -> Result<(), &'static str> {
    let Some(jumps) = code.jumps.get(number as usize) else { return Err("there is no such table of jumps") };
    let mut all = jumps.cases.values().chain([&jumps.otherwise]);
    if all.any(|to| *to as usize >= code.ops.len()) {
        return Err("a case leaves the code");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_leaves_its_frame_is_refused() {
        type Case = (&'static str, Vec<Op>, u16, Vec<Target>, bool);
        let cases: [Case; 7] = [
            ("it returns", vec![Op::Clear(0), Op::Return(0)], 1, vec![], true),
            ("no such register", vec![Op::Clear(1), Op::End], 1, vec![], false),
            ("no such constant", vec![Op::Constant(0, 0), Op::End], 1, vec![], false),
            ("a jump beyond the end", vec![Op::Jump(9), Op::End], 1, vec![], false),
            ("a row beyond the frame", vec![Op::Print(0, 2), Op::End], 1, vec![], false),
            ("the end is missing", vec![Op::Clear(0)], 1, vec![], false),
            ("an entry beyond the end", vec![Op::End], 1, vec![0, Target::MAX, 5], false),
        ];
        for (name, ops, registers, entries, is_good) in cases {
            let code = Code { ops, registers, entries, ..Code::default() };
            assert_eq!(verify(&code).is_ok(), is_good, "{name}: {:?}", verify(&code));
        }
    }
}
