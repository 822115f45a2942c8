//! Expressions.

use super::Compiler;
use crate::code::{Op, Register, Unary};
use crate::syntax::ast::{Expr, Kind, Prefix, TypeExpr, TypeKind};
use crate::types::TypeId;
use crate::values::Value;

impl Compiler<'_> {
    /// Returns the register that holds the value of an expression.
    pub(super) fn expression(&mut self, expr: &Expr) -> Register {
        match &expr.kind {
            Kind::Local(register, _) => {
                self.checked(*register, expr);
                *register
            }
            Kind::ToAny(inner) => self.expression(inner),
            _ => {
                let register = self.temporary();
                self.expression_into(register, expr);
                register
            }
        }
    }

    fn checked(&mut self, register: Register, expr: &Expr) {
        if self.unset.contains(&register) {
            self.origin(expr);
            self.emit(Op::Check(register));
        }
    }

    /// Puts the value of an expression into a register.
    pub(super) fn expression_into(&mut self, into: Register, expr: &Expr) {
        let kept = self.next;
        self.put_into(into, expr);
        // What was needed on the way is free again.
        self.next = kept.max(if into >= kept { into.saturating_add(1) } else { kept });
    }

    fn put_into(&mut self, into: Register, expr: &Expr) {
        match &expr.kind {
            Kind::Constant(value) => self.constant_into(into, value.clone()),
            Kind::Type(id, _) => self.constant_into(into, Value::Type(*id)),
            Kind::Function(number, _) => {
                self.emit(Op::Lambda(into, *number, into, 0));
            }
            Kind::Local(register, _) => {
                self.checked(*register, expr);
                if *register != into {
                    self.emit(Op::Move(into, *register));
                }
            }
            Kind::Capture(place, _) => {
                self.emit(Op::Captured(into, *place));
            }
            Kind::Global(number, _) => {
                self.origin(expr);
                self.emit(Op::Global(into, *number));
            }
            Kind::Host(name) => self.host(into, name, expr),
            Kind::Call(function, arguments) => self.call(into, function, arguments, expr),
            Kind::Event(function, arguments) => self.event(function, arguments, expr),
            Kind::Hook(call) => self.hook(into, call, expr),
            Kind::Schedule(delay, event) => self.schedule(delay, event, expr),
            Kind::Index(base, index) => {
                let base = self.expression(base);
                let key = self.key(index);
                self.origin(expr);
                self.emit(Op::Index(into, base, key));
            }
            Kind::Slice(base, from, to) => {
                let base = self.expression(base);
                let bounds = self.bounds(from.as_deref(), to.as_deref());
                self.origin(expr);
                self.emit(Op::Slice(into, base, bounds));
            }
            Kind::Field(base, _, place) => {
                let base = self.expression(base);
                self.origin(expr);
                self.emit(Op::Field(into, base, u16::try_from(*place).unwrap_or(u16::MAX)));
            }
            Kind::HasField(base, _, place) => {
                let base = self.expression(base);
                self.emit(Op::HasField(into, base, u16::try_from(*place).unwrap_or(u16::MAX)));
            }
            _ => self.put_operation(into, expr),
        }
    }

    fn put_operation(&mut self, into: Register, expr: &Expr) {
        match &expr.kind {
            Kind::Unary(prefix @ (Prefix::Increment | Prefix::Decrement), inner) => {
                self.step(into, *prefix, inner, expr);
            }
            Kind::Unary(prefix, inner) => self.unary(into, *prefix, inner, expr),
            Kind::Binary(operator, left, right) => self.binary(into, *operator, left, right, expr),
            Kind::Assign(left, right) => {
                self.assign(into, left, right);
            }
            Kind::Declare(_, assigned) => {
                let scratch = self.temporary();
                self.expression_into(scratch, assigned);
                self.constant_into(into, Value::Bool(true));
            }
            Kind::Update(operator, left, right) => self.update(into, *operator, left, right, expr),
            Kind::Choice(test, yes, no) => self.choice(into, test, yes, no),
            Kind::List(members) => {
                let first = self.arguments(members);
                let count = u16::try_from(members.len()).unwrap_or(u16::MAX);
                self.emit(Op::List(into, first, count));
            }
            Kind::Record(fields, _) => self.record(into, fields, expr.ty),
            Kind::Container(container, members, _, attributes) => {
                self.container(into, *container, members, attributes.as_deref(), expr);
            }
            Kind::Lambda(lambda) => {
                let first = self.arguments(&lambda.sources);
                let count = u16::try_from(lambda.sources.len()).unwrap_or(u16::MAX);
                self.emit(Op::Lambda(into, lambda.function, first, count));
            }
            Kind::Size(inner) => self.one(into, Unary::Size, inner, expr),
            Kind::Copy(inner) => self.one(into, Unary::Copy, inner, expr),
            Kind::Cast(inner, _) => {
                let value = self.expression(inner);
                self.origin(expr);
                self.emit(Op::Cast(into, value, expr.ty));
            }
            Kind::Is(inner, wanted) => {
                let value = self.expression(inner);
                self.emit(Op::Is(into, value, known(wanted)));
            }
            Kind::CanCast(inner, wanted) => {
                let value = self.expression(inner);
                self.emit(Op::CanCast(into, value, known(wanted)));
            }
            Kind::Add(inner) => self.add(inner),
            Kind::Delete(inner) => self.delete(inner),
            Kind::Coerce(inner) => self.coerce(into, inner, expr),
            Kind::ToAny(inner) => self.expression_into(into, inner),
            _ => {
                self.emit(Op::Clear(into));
            }
        }
    }

    fn one(&mut self, into: Register, unary: Unary, inner: &Expr, expr: &Expr) {
        let value = self.expression(inner);
        self.origin(expr);
        self.emit(Op::Unary(unary, into, value));
    }

    /// Puts values into registers in a row; returns the first one.
    pub(super) fn arguments(&mut self, all: &[Expr]) -> Register {
        let first = self.row(all.len());
        for (place, expr) in (first..).zip(all) {
            self.expression_into(place, expr);
        }
        first
    }

    /// Returns the register of an index: of one part, or of a list.
    pub(super) fn key(&mut self, index: &[Expr]) -> Register {
        if let [only] = index {
            return self.expression(only);
        }
        let first = self.arguments(index);
        let key = self.temporary();
        self.emit(Op::List(key, first, u16::try_from(index.len()).unwrap_or(u16::MAX)));
        key
    }

    /// Puts the bounds of a slice into two registers in a row; absent ones have no value.
    pub(super) fn bounds(&mut self, from: Option<&Expr>, to: Option<&Expr>) -> Register {
        let first = self.row(2);
        for (place, bound) in [(first, from), (first.saturating_add(1), to)] {
            match bound {
                Some(bound) => self.expression_into(place, bound),
                None => {
                    self.emit(Op::Clear(place));
                }
            }
        }
        first
    }

    fn host(&mut self, into: Register, name: &str, expr: &Expr) {
        let argument = self.constant(Value::string(name));
        self.origin(expr);
        if let Some(number) = self.program.function_named("blocking_lookup_hostname") {
            self.emit(Op::CallFunction(into, number, argument, 1));
        }
    }

    fn call(&mut self, into: Register, function: &Expr, arguments: &[Expr], expr: &Expr) {
        let count = u16::try_from(arguments.len()).unwrap_or(u16::MAX);
        let number = match &function.kind {
            Kind::Global(number, _) => {
                self.program.globals.get(*number as usize).and_then(|global| global.function)
            }
            Kind::Function(number, _) => Some(*number),
            _ => None,
        };
        if let Some(number) = number {
            let first = self.arguments(arguments);
            self.origin(expr);
            let is_builtin = self
                .program
                .functions
                .get(number as usize)
                .is_some_and(|function| function.builtin.is_some());
            self.emit(if is_builtin {
                Op::CallBuiltin(into, number, first, count)
            } else {
                Op::CallFunction(into, number, first, count)
            });
            return;
        }
        let function = self.expression(function);
        let first = self.arguments(arguments);
        self.origin(expr);
        self.emit(Op::Call(into, function, first, count));
    }

    fn hook(&mut self, into: Register, call: &Expr, expr: &Expr) {
        let Kind::Call(function, arguments) = &call.kind else { return };
        let function = self.expression(function);
        let first = self.arguments(arguments);
        self.origin(expr);
        self.emit(Op::Hook(into, function, first, u16::try_from(arguments.len()).unwrap_or(u16::MAX)));
    }

    pub(super) fn event(&mut self, function: &Expr, arguments: &[Expr], expr: &Expr) {
        let function = self.expression(function);
        let first = self.arguments(arguments);
        self.origin(expr);
        self.emit(Op::Event(function, first, u16::try_from(arguments.len()).unwrap_or(u16::MAX)));
    }

    fn schedule(&mut self, delay: &Expr, event: &Expr, expr: &Expr) {
        let Kind::Event(function, arguments) = &event.kind else { return };
        let delay = self.expression(delay);
        let function = self.expression(function);
        let first = self.arguments(arguments);
        self.origin(expr);
        self.emit(Op::Schedule(delay, function, first, u16::try_from(arguments.len()).unwrap_or(u16::MAX)));
    }

    fn choice(&mut self, into: Register, test: &Expr, yes: &Expr, no: &Expr) {
        let test = self.expression(test);
        let otherwise = self.jump_if_not(test);
        self.expression_into(into, yes);
        let done = self.jump();
        self.land(otherwise);
        self.expression_into(into, no);
        self.land(done);
    }

    fn coerce(&mut self, into: Register, inner: &Expr, expr: &Expr) {
        // A record constructor makes the record that is wanted at once.
        if let Kind::Record(fields, _) = &inner.kind
            && self.program.types.record(expr.ty).is_some()
        {
            return self.record(into, fields, expr.ty);
        }
        if let Kind::Constant(value) = &inner.kind
            && let Some(value) = crate::vm::convert_number(value, expr.ty)
        {
            self.constant_into(into, value);
            return;
        }
        let value = self.expression(inner);
        let unary = match expr.ty {
            TypeId::INT if inner.ty.numeric().is_some() => Some(Unary::ToInt),
            TypeId::COUNT if inner.ty.numeric().is_some() => Some(Unary::ToCount),
            TypeId::DOUBLE if inner.ty.numeric().is_some() => Some(Unary::ToDouble),
            _ => None,
        };
        self.origin(expr);
        match unary {
            Some(unary) => self.emit(Op::Unary(unary, into, value)),
            None => self.emit(Op::Coerce(into, value, expr.ty)),
        };
    }
}

fn known(ty: &TypeExpr) -> TypeId {
    match ty.kind {
        TypeKind::Known(id) => id,
        _ => TypeId::ERROR,
    }
}
