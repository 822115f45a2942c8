//! Assignments and updates.

use super::Compiler;
use super::operators::{can_fail, instruction};
use crate::code::{Binary, Op, Register, Unary};
use crate::syntax::ast::{Expr, Kind, Operator, Prefix};
use crate::types::{Type, TypeId};

impl Compiler<'_> {
    /// Assigns; the value lies in a register, too.
    pub(super) fn assign(&mut self, into: Register, left: &Expr, right: &Expr) {
        if let Kind::Local(register, _) = &left.kind {
            self.expression_into(*register, right);
            if *register != into {
                self.emit(Op::Move(into, *register));
            }
            return;
        }
        self.expression_into(into, right);
        self.store(left, into);
    }

    /// Puts a register's value where an expression says.
    pub(super) fn store(&mut self, left: &Expr, value: Register) {
        match &left.kind {
            Kind::Local(register, _) if *register != value => {
                self.emit(Op::Move(*register, value));
            }
            Kind::Capture(place, _) => {
                self.emit(Op::SetCaptured(*place, value));
            }
            Kind::Global(number, _) => {
                self.emit(Op::SetGlobal(*number, value));
            }
            Kind::Field(base, _, place) => {
                let base = self.expression(base);
                self.origin(left);
                self.emit(Op::SetField(base, u16::try_from(*place).unwrap_or(u16::MAX), value));
            }
            Kind::Index(base, index) => {
                let base = self.expression(base);
                let key = self.key(index);
                self.origin(left);
                self.emit(Op::SetIndex(base, key, value));
            }
            Kind::Slice(base, from, to) => {
                let base = self.expression(base);
                let bounds = self.bounds(from.as_deref(), to.as_deref());
                self.origin(left);
                self.emit(Op::SetSlice(base, bounds, value));
            }
            Kind::List(members) => {
                for (place, member) in members.iter().enumerate() {
                    let part = self.temporary();
                    self.emit(Op::Part(part, value, u16::try_from(place).unwrap_or(u16::MAX)));
                    self.store(member, part);
                }
            }
            _ => {}
        }
    }

    /// Returns a place whose parts are computed once, so that it can be read and written.
    fn fixed(&mut self, expr: &Expr) -> Expr {
        let hold = |this: &mut Self, inner: &Expr| {
            if matches!(
                inner.kind,
                Kind::Local(..) | Kind::Constant(_) | Kind::Global(..) | Kind::Capture(..)
            ) {
                return inner.clone();
            }
            let register = this.temporary();
            this.expression_into(register, inner);
            this.next = this.next.max(register.saturating_add(1));
            Expr { kind: Kind::Local(register, "".into()), ..inner.clone() }
        };
        let kind = match &expr.kind {
            Kind::Field(base, name, place) => Kind::Field(Box::new(hold(self, base)), name.clone(), *place),
            Kind::Index(base, index) => {
                let base = hold(self, base);
                let index = index.iter().map(|part| hold(self, part)).collect();
                Kind::Index(Box::new(base), index)
            }
            other => other.clone(),
        };
        Expr { kind, ..expr.clone() }
    }

    pub(super) fn step(&mut self, into: Register, prefix: Prefix, inner: &Expr, expr: &Expr) {
        let place = self.fixed(inner);
        let value = self.read(&place, inner);
        let unary = match prefix {
            Prefix::Increment => Unary::Increment,
            _ if inner.ty == TypeId::INT => Unary::DecrementInt,
            _ => Unary::DecrementCount,
        };
        self.origin(expr);
        if self.program.types.element(inner.ty).is_some() {
            self.emit(Op::EachElement(unary, into, value, expr.ty));
        } else {
            self.emit(Op::Unary(unary, into, value));
        }
        self.store(&place, into);
    }

    /// Reads a fixed place; messages show it as it was written.
    fn read(&mut self, place: &Expr, written: &Expr) -> Register {
        if let Kind::Local(register, _) = &place.kind {
            return self.expression(&Expr { kind: Kind::Local(*register, "".into()), ..written.clone() });
        }
        self.expression(place)
    }

    pub(super) fn update(
        &mut self,
        into: Register,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        expr: &Expr,
    ) {
        let shape = self.program.types.get(left.ty).clone();
        match shape {
            Type::Table { .. } => {
                let more = self.expression(right);
                self.expression_into(into, left);
                self.origin(expr);
                self.emit(match operator {
                    Operator::Add => Op::AddAll(into, more),
                    _ => Op::RemoveAll(into, more),
                });
            }
            Type::Vector(element) => {
                let more = self.expression(right);
                self.expression_into(into, left);
                let is_whole = self.program.types.element(right.ty).is_some()
                    && self.program.types.same(left.ty, right.ty)
                    && !(element == TypeId::ANY && right.ty == TypeId::ANY);
                self.origin(expr);
                self.emit(if is_whole { Op::AddAll(into, more) } else { Op::Append(into, more) });
            }
            _ => {
                let constant = match &right.kind {
                    Kind::Constant(value) => self.short_constant(value),
                    _ => None,
                };
                let more = if constant.is_none() { self.expression(right) } else { 0 };
                let place = self.fixed(left);
                let value = self.read(&place, left);
                let instruction = if left.ty == TypeId::PATTERN {
                    Binary::PatternOr
                } else {
                    instruction(operator, left.ty, right.ty, &self.program.types)
                };
                if can_fail(instruction) {
                    self.origin(&Expr {
                        kind: Kind::Binary(operator, Box::new(left.clone()), Box::new(right.clone())),
                        ..expr.clone()
                    });
                }
                self.emit(match constant {
                    Some(number) => Op::BinaryConstant(instruction, into, value, number),
                    None => Op::Binary(instruction, into, value, more),
                });
                self.store(&place, into);
            }
        }
    }

    pub(super) fn add(&mut self, inner: &Expr) {
        let Kind::Index(base, index) = &inner.kind else { return };
        let base = self.expression(base);
        let key = self.key(index);
        self.origin(inner);
        self.emit(Op::Add(base, key));
    }

    pub(super) fn delete(&mut self, inner: &Expr) {
        match &inner.kind {
            Kind::Index(base, index) => {
                let base = self.expression(base);
                let key = self.key(index);
                self.origin(inner);
                self.emit(Op::Delete(base, key));
            }
            Kind::Field(base, _, place) => {
                let base = self.expression(base);
                self.emit(Op::DeleteField(base, u16::try_from(*place).unwrap_or(u16::MAX)));
            }
            _ => {
                let base = self.expression(inner);
                self.emit(Op::DeleteAll(base));
            }
        }
    }
}
