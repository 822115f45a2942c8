//! Statements.

use std::rc::Rc;

use super::{Compiler, Exits};
use crate::code::{Jumps, Op, Register, Target};
use crate::syntax::ast::{Case, Expr, Kind, Prefix, Stmt, StmtKind, TypeKind, Variable, When};
use crate::syntax::display;
use crate::types::TypeId;
use crate::values::{Key, Value};

impl Compiler<'_> {
    pub(super) fn statement(&mut self, stmt: &Stmt) {
        let kept = self.next;
        self.statement_inner(stmt);
        self.next = kept;
    }

    fn statement_inner(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Null => {}
            StmtKind::Expr(expr) => {
                let into = changed_local(expr).unwrap_or_else(|| self.temporary());
                self.expression_into(into, expr);
            }
            StmtKind::Event(expr) => {
                if let Kind::Event(function, arguments) = &expr.kind {
                    self.event(function, arguments, expr);
                }
            }
            StmtKind::Print(all) => {
                let first = self.arguments(all);
                self.origin_text(stmt.span, "print".into());
                self.emit(Op::Print(first, u16::try_from(all.len()).unwrap_or(u16::MAX)));
            }
            StmtKind::Block(all) => all.iter().for_each(|stmt| self.statement(stmt)),
            StmtKind::Local(local) => self.local(local),
            StmtKind::If(test, yes, no) => self.if_statement(test, yes, no.as_deref()),
            StmtKind::While(test, body) => self.while_statement(test, body),
            StmtKind::For(names, value, over, body, registers) => {
                self.for_statement(names.len(), value.is_some(), over, body, registers);
            }
            StmtKind::Switch(value, cases) => self.switch(value, cases),
            StmtKind::Next => {
                let jump = self.jump();
                if let Some(nexts) = self.exits.iter_mut().rev().find_map(|exits| exits.nexts.as_mut()) {
                    nexts.push(jump);
                }
            }
            StmtKind::Break => {
                if self.exits.is_empty() {
                    self.emit(Op::Break);
                    return;
                }
                let jump = self.jump();
                if let Some(exits) = self.exits.last_mut() {
                    exits.breaks.push(jump);
                }
            }
            // The next case follows.
            StmtKind::Fallthrough => {}
            StmtKind::Return(None) => {
                self.emit(Op::End);
            }
            StmtKind::Return(Some(value)) => {
                let value = self.expression(value);
                self.emit(Op::Return(value));
            }
            StmtKind::When(when) => self.when(when),
            StmtKind::Assert(test, text) => self.assert(test, text.as_ref(), stmt),
        }
    }

    fn local(&mut self, local: &Variable) {
        let register = local.register;
        let ty = match local.ty.as_ref().map(|ty| &ty.kind) {
            Some(TypeKind::Known(id)) => *id,
            _ => TypeId::ERROR,
        };
        let attributes =
            local.attributes.first().and_then(|attribute| attribute.name.parse().ok()).unwrap_or(0);
        if let Some((_, init)) = &local.init {
            self.expression_into(register, init);
            if attributes > 0 {
                self.emit(Op::Attributes(register, attributes));
            }
        } else if !self.empty_into(register, ty, attributes) {
            self.emit(Op::Clear(register));
            self.unset.insert(register);
        }
    }

    fn if_statement(&mut self, test: &Expr, yes: &Stmt, no: Option<&Stmt>) {
        let otherwise = self.branch(test);
        self.statement(yes);
        match no {
            Some(no) => {
                let done = self.jump();
                self.land(otherwise);
                self.statement(no);
                self.land(done);
            }
            None => self.land(otherwise),
        }
    }

    /// Tests; returns the jump that is taken where the test fails.
    fn branch(&mut self, test: &Expr) -> usize {
        let kept = self.next;
        let jump = self.compared(test).unwrap_or_else(|| {
            let test = self.expression(test);
            self.jump_if_not(test)
        });
        self.next = kept;
        jump
    }

    fn while_statement(&mut self, test: &Expr, body: &Stmt) {
        let start = self.here();
        let done = self.branch(test);
        let first = self.here();
        self.looped(body, start);
        // A test of one instruction is done at the end, too: a step is a jump less.
        let test = self.code.ops.get(done).filter(|_| done == start as usize);
        let again = match test {
            Some(Op::JumpUnless(binary, left, right, _)) => Op::Repeat(*binary, *left, *right, first),
            Some(Op::JumpUnlessConstant(binary, left, number, _)) => {
                Op::RepeatConstant(*binary, *left, *number, first)
            }
            _ => Op::Jump(start),
        };
        self.emit(again);
        self.land(done);
        self.leave();
    }

    /// Compiles the body of a loop; `next` goes on at `start`.
    fn looped(&mut self, body: &Stmt, start: Target) {
        self.exits.push(Exits { breaks: Vec::new(), nexts: Some(Vec::new()) });
        self.statement(body);
        let nexts = self.exits.last_mut().and_then(|exits| exits.nexts.take()).unwrap_or_default();
        for jump in nexts {
            self.land_at(jump, start);
        }
    }

    /// Lets the breaks of the innermost loop or switch go on here.
    fn leave(&mut self) {
        for jump in self.exits.pop().map(|exits| exits.breaks).unwrap_or_default() {
            self.land(jump);
        }
    }

    fn for_statement(
        &mut self,
        count: usize,
        has_value: bool,
        over: &Expr,
        body: &Stmt,
        registers: &[Option<Expr>],
    ) {
        let over = self.expression(over);
        let cursor = self.temporary();
        self.origin_text(body.span, "for".into());
        self.emit(Op::Loop(cursor, over));
        let start = self.here();
        let (key, value) = (self.temporary(), self.temporary());
        let step = self.emit(Op::Step(cursor, key, value, Target::MAX));
        let first = self.here();
        let place = |expr: &Option<Expr>| match expr.as_ref().map(|expr| &expr.kind) {
            Some(Kind::Local(register, _)) => Some(*register),
            _ => None,
        };
        for (at, target) in registers.iter().take(count).enumerate() {
            let Some(register) = place(target) else { continue };
            if count == 1 {
                self.emit(Op::Move(register, key));
            } else {
                self.emit(Op::Part(register, key, u16::try_from(at).unwrap_or(u16::MAX)));
            }
        }
        if has_value && let Some(register) = registers.get(count).and_then(place) {
            self.emit(Op::Move(register, value));
        }
        self.looped(body, start);
        self.emit(Op::StepAgain(cursor, key, value, first));
        self.land(step);
        self.leave();
        // The loop's place is given back, so that the table can be put in order.
        self.emit(Op::Clear(cursor));
    }

    fn switch(&mut self, value: &Expr, cases: &[Case]) {
        let value = self.expression(value);
        let mut jumps = Jumps::default();
        let mut entries: Vec<(usize, usize)> = Vec::new();
        let is_constant = cases.iter().all(|case| {
            case.types.is_empty() && case.values.iter().all(|label| matches!(label.kind, Kind::Constant(_)))
        });
        let number = u32::try_from(self.code.jumps.len()).unwrap_or(u32::MAX);
        if is_constant {
            self.code.jumps.push(Jumps::default());
            self.emit(Op::Switch(value, number));
        } else {
            self.tests(value, cases, &mut entries);
        }
        let otherwise = self.jump();
        self.exits.push(Exits::default());
        let mut default = None;
        for (at, case) in cases.iter().enumerate() {
            let here = self.here();
            for (_, jump) in entries.iter().filter(|(entry, _)| *entry == at) {
                self.land_at(*jump, here);
            }
            for label in &case.values {
                if let Kind::Constant(constant) = &label.kind {
                    jumps.cases.insert(Key::new(constant), here);
                }
            }
            if case.is_default {
                default = Some(here);
            }
            case.body.iter().for_each(|stmt| self.statement(stmt));
        }
        let end = self.here();
        self.land_at(otherwise, default.unwrap_or(end));
        jumps.otherwise = default.unwrap_or(end);
        if is_constant && let Some(slot) = self.code.jumps.get_mut(number as usize) {
            *slot = jumps;
        }
        self.leave();
    }

    /// Tests cases one after the other; collects jumps to them.
    fn tests(&mut self, value: Register, cases: &[Case], entries: &mut Vec<(usize, usize)>) {
        for (at, case) in cases.iter().enumerate() {
            for (_, _, register) in &case.types {
                if *register != u16::MAX {
                    self.emit(Op::Clear(*register));
                    self.unset.insert(*register);
                }
            }
            for label in &case.values {
                let label = self.expression(label);
                let test = self.temporary();
                self.emit(Op::Binary(crate::code::Binary::Equal, test, value, label));
                entries.push((at, self.jump_if(test)));
            }
            for (ty, _, register) in &case.types {
                let TypeKind::Known(id) = ty.kind else { continue };
                let test = self.temporary();
                self.emit(Op::Is(test, value, id));
                let no = self.jump_if_not(test);
                if *register != u16::MAX {
                    self.emit(Op::Move(*register, value));
                }
                entries.push((at, self.jump()));
                self.land(no);
            }
        }
    }

    fn when(&mut self, when: &When) {
        let first = self.arguments(&when.sources);
        let count = u16::try_from(when.sources.len()).unwrap_or(u16::MAX);
        self.origin_text(when.condition.span, "when".into());
        if when.returns {
            if count == 0 {
                self.temporary();
            }
            self.emit(Op::ReturnWhen(when.function, first, count));
            self.emit(Op::Return(first));
        } else {
            self.emit(Op::When(when.function, first, count));
        }
    }

    fn assert(&mut self, test: &Expr, text: Option<&Expr>, stmt: &Stmt) {
        let register = self.expression(test);
        let holds = self.jump_if(register);
        let shown: Rc<str> = display::expression(test, &self.program.types).into();
        let message = match text {
            Some(text) => self.expression(text),
            None => self.constant(Value::Unset),
        };
        self.origin_text(stmt.span, shown);
        self.emit(Op::AssertFailed(message, u16::from(text.is_some())));
        self.land(holds);
    }
}

/// Returns the local that an expression changes, which can hold its value, too.
fn changed_local(expr: &Expr) -> Option<Register> {
    let changed = match &expr.kind {
        Kind::Assign(left, _) | Kind::Update(_, left, _) => left,
        Kind::Unary(Prefix::Increment | Prefix::Decrement, inner) => inner,
        _ => return None,
    };
    match changed.kind {
        Kind::Local(register, _) => Some(register),
        _ => None,
    }
}
