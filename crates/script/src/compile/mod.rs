//! Checked trees to bytecode.

mod assignments;
mod constructors;
mod expressions;
mod operators;
mod statements;

pub use constructors::NO_VALUE;

use std::collections::HashSet;
use std::rc::Rc;

use crate::code::{Binary, Code, Op, Origin, Register, Target, Unary};
use crate::program::Program;
use crate::source::Span;
use crate::syntax::ast::{Expr, Stmt, When};
use crate::syntax::display;
use crate::types::{Type, TypeId};
use crate::values::Value;

/// Most registers of a function.
const REGISTERS: u16 = 60_000;

/// Jumps of a loop or switch that are not set yet.
#[derive(Default)]
struct Exits {
    breaks: Vec<usize>,
    /// Jumps of `next`; none for a switch.
    nexts: Option<Vec<usize>>,
}

struct Compiler<'p> {
    program: &'p mut Program,
    code: Code,
    /// The next free register.
    next: Register,
    exits: Vec<Exits>,
    /// Locals that may have no value.
    unset: HashSet<Register>,
    /// It is the condition of `when`: what it reads is watched.
    is_condition: bool,
}

/// Compiles a body of a function.
pub fn body(
    program: &mut Program,
    name: &Rc<str>,
    body: &Stmt,
    parameters: u16,
    registers: u16,
    span: Span,
) -> Code {
    let mut compiler = Compiler::new(program, name.clone(), registers, span);
    compiler.code.parameters = parameters;
    compiler.statement(body);
    compiler.emit(Op::End);
    compiler.finish()
}

/// Compiles statements of the top level.
pub fn statements(program: &mut Program, all: &[Stmt], registers: u16) -> Code {
    let mut compiler = Compiler::new(program, "<top level>".into(), registers, Span::default());
    for stmt in all {
        compiler.statement(stmt);
    }
    compiler.emit(Op::End);
    compiler.finish()
}

/// Compiles an expression into a function that returns its value.
pub fn expression(program: &mut Program, expr: &Expr, registers: u16) -> Code {
    let mut compiler = Compiler::new(program, "<initial value>".into(), registers, expr.span);
    let value = compiler.expression(expr);
    compiler.emit(Op::Return(value));
    compiler.finish()
}

/// Compiles a `when`: its condition and body, then the timeout, then the delay.
pub fn when(program: &mut Program, when: &When, registers: u16, span: Span) -> Code {
    let mut compiler = Compiler::new(program, "when".into(), registers, span);
    compiler.is_condition = true;
    let holds = compiler.expression(&when.condition);
    compiler.is_condition = false;
    let waits = compiler.jump_if_not(holds);
    compiler.emit(Op::Holds);
    compiler.statement(&when.body);
    compiler.emit(Op::End);
    compiler.land(waits);
    compiler.emit(Op::NotYet);
    let mut entries = vec![0, Target::MAX, Target::MAX];
    if let Some((delay, body)) = &when.timeout {
        let place = compiler.here();
        if let Some(entry) = entries.get_mut(1) {
            *entry = place;
        }
        if let Some(body) = body {
            compiler.statement(body);
        }
        compiler.emit(Op::End);
        let place = compiler.here();
        if let Some(entry) = entries.get_mut(2) {
            *entry = place;
        }
        let delay = compiler.expression(delay);
        compiler.emit(Op::Return(delay));
    }
    compiler.code.entries = entries;
    compiler.finish()
}

/// Returns code in the place of such that the verifier refuses: it ends each handler with an error.
fn refused(code: Code) -> Code {
    let origin = Origin { at: 0, span: code.span, text: code.name.clone() };
    let parameters = code.parameters.min(REGISTERS);
    Code {
        name: code.name,
        span: code.span,
        parameters,
        registers: parameters.saturating_add(1),
        ops: vec![Op::Fail(0)],
        origins: vec![origin],
        entries: code.entries.iter().map(|entry| if *entry == Target::MAX { *entry } else { 0 }).collect(),
        ..Code::default()
    }
}

impl<'p> Compiler<'p> {
    fn new(program: &'p mut Program, name: Rc<str>, registers: u16, span: Span) -> Self {
        let code = Code { name, span, registers, ..Code::default() };
        Self { program, code, next: registers, exits: Vec::new(), unset: HashSet::new(), is_condition: false }
    }

    fn finish(mut self) -> Code {
        self.code.registers = self.code.registers.max(self.next).saturating_add(1);
        let mut code = match crate::verify::verify(&self.code) {
            Ok(()) => self.code,
            Err(_) => refused(self.code),
        };
        code.direct = crate::direct::of(&code.ops);
        code
    }

    /// Has what an instruction of a condition reads be watched.
    fn watch(&mut self, op: Op) {
        let ops = &mut self.code.ops;
        match op {
            Op::Global(_, number) => ops.push(Op::WatchGlobal(number)),
            Op::Field(_, from, _) | Op::HasField(_, from, _) | Op::Slice(_, from, _) => {
                ops.push(Op::Watch(from));
            }
            Op::Index(_, from, key)
            | Op::Binary(Binary::InTable, _, key, from)
            | Op::JumpUnless(Binary::InTable, key, from, _) => ops.push(Op::WatchEntry(from, key)),
            Op::Unary(Unary::Size, _, from) | Op::EachElement(_, _, from, _) => ops.push(Op::Watch(from)),
            Op::Binary(_, _, left, right)
            | Op::Elements(_, _, left, right, _)
            | Op::JumpUnless(_, left, right, _) => {
                ops.extend([Op::Watch(left), Op::Watch(right)]);
            }
            Op::BinaryConstant(_, _, left, _) | Op::JumpUnlessConstant(_, left, ..) => {
                ops.push(Op::Watch(left));
            }
            Op::Unary(Unary::Copy, ..)
            | Op::Coerce(..)
            | Op::Call(..)
            | Op::Hook(..)
            | Op::CallBuiltin(..)
            | Op::CallFunction(..) => ops.push(Op::WatchAll),
            _ => {}
        }
    }

    fn emit(&mut self, op: Op) -> usize {
        if self.is_condition {
            self.watch(op);
        }
        self.code.ops.push(op);
        self.code.ops.len() - 1
    }

    fn here(&self) -> Target {
        Target::try_from(self.code.ops.len()).unwrap_or(Target::MAX)
    }

    /// Takes a free register.
    fn temporary(&mut self) -> Register {
        let register = self.next;
        self.next = self.next.saturating_add(1).min(REGISTERS);
        self.code.registers = self.code.registers.max(self.next);
        register
    }

    /// Takes several registers in a row.
    fn row(&mut self, count: usize) -> Register {
        let first = self.next;
        for _ in 0..count {
            self.temporary();
        }
        first
    }

    /// Says where the next instruction comes from.
    fn origin(&mut self, expr: &Expr) {
        let text = display::expression(expr, &self.program.types);
        self.origin_text(expr.span, text.into());
    }

    fn origin_text(&mut self, span: Span, text: Rc<str>) {
        let at = self.here();
        self.code.origins.push(Origin { at, span, text });
    }

    fn constant(&mut self, value: Value) -> Register {
        let register = self.temporary();
        self.constant_into(register, value);
        register
    }

    fn constant_into(&mut self, register: Register, value: Value) {
        let number = u32::try_from(self.code.constants.len()).unwrap_or(u32::MAX);
        self.code.constants.push(value);
        self.emit(Op::Constant(register, number));
    }

    fn jump(&mut self) -> usize {
        self.emit(Op::Jump(Target::MAX))
    }

    fn jump_if(&mut self, register: Register) -> usize {
        self.emit(Op::JumpIf(register, Target::MAX))
    }

    fn jump_if_not(&mut self, register: Register) -> usize {
        self.emit(Op::JumpIfNot(register, Target::MAX))
    }

    /// Lets a jump go on here.
    fn land(&mut self, jump: usize) {
        let here = self.here();
        self.land_at(jump, here);
    }

    fn land_at(&mut self, jump: usize, there: Target) {
        if let Some(
            Op::Jump(target)
            | Op::JumpIf(_, target)
            | Op::JumpIfNot(_, target)
            | Op::JumpUnless(_, _, _, target)
            | Op::JumpUnlessConstant(_, _, _, target)
            | Op::Step(_, _, _, target),
        ) = self.code.ops.get_mut(jump)
        {
            *target = there;
        }
    }

    /// Makes an empty value of a container's or record's type; true where the type has one.
    fn empty_into(&mut self, register: Register, ty: TypeId, attributes: u32) -> bool {
        match self.program.types.get(ty) {
            Type::Table { .. } => {
                self.emit(Op::NewTable(register, ty, attributes));
            }
            Type::Vector(_) => {
                self.emit(Op::NewVector(register, ty));
            }
            Type::Record(_) => {
                self.emit(Op::NewRecord(register, ty));
                self.emit(Op::Defaults(register));
            }
            _ => return false,
        }
        true
    }
}
