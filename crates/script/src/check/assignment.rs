//! Assignments.

use std::rc::Rc;

use super::{Checker, Thing};
use crate::source::Span;
use crate::syntax::ast::{Container, Expr, Kind, Operator};
use crate::types::{Type, TypeId};

impl Checker<'_> {
    /// Returns whether something can be assigned to; reports where not.
    pub(super) fn is_assignable(&mut self, expr: &Expr) -> bool {
        self.mention_write(expr);
        match &expr.kind {
            Kind::Local(_, name) => {
                let is_const = self.scope().names.get(name).is_some_and(|local| local.is_const);
                if is_const {
                    self.error_about(expr, "const is not a modifiable lvalue");
                }
                !is_const
            }
            Kind::Global(number, _) => {
                let Some(global) = self.engine.program.globals.get(*number as usize) else { return false };
                let word = match (global.is_const, global.is_option) {
                    (true, _) => "const",
                    (_, true) => "option",
                    _ => return true,
                };
                self.error_about(expr, &format!("{word} is not a modifiable lvalue"));
                false
            }
            Kind::Capture(..) | Kind::Index(..) | Kind::Field(..) | Kind::Slice(..) => true,
            Kind::Name(_) => true,
            Kind::List(members) => {
                let members = members.clone();
                members.iter().all(|member| self.is_assignable(member))
            }
            _ => {
                self.error_about(expr, "illegal assignment target");
                false
            }
        }
    }

    /// Takes `[a, b]` as a vector or set where one is assigned to.
    fn listed(&mut self, right: Expr, ty: TypeId) -> Expr {
        let container = match self.types().get(ty) {
            Type::Vector(_) => Container::Vector,
            Type::Table { value: None, .. } => Container::Set,
            _ => return right,
        };
        match right.kind {
            Kind::List(members) => {
                Expr { kind: Kind::Container(container, members, Vec::new(), None), ..right }
            }
            kind => Expr { kind, ..right },
        }
    }

    pub(super) fn assign(&mut self, left: Expr, right: Expr, span: Span, depth: u16) -> Expr {
        let left = self.expression(left);
        let right = self.listed(right, left.ty);
        self.assigning = Some(self.text(&left));
        let right = self.initial_expression(right, Some(left.ty).filter(|ty| *ty != TypeId::ERROR));
        self.assigning = None;
        let ty = left.ty;
        if ty == TypeId::ERROR || right.ty == TypeId::ERROR {
            return Self::built(Kind::Assign(Box::new(left), Box::new(right)), TypeId::ERROR, span, depth);
        }
        if !self.is_assignable(&left) {
            return Self::built(Kind::Assign(Box::new(left), Box::new(right)), ty, span, depth);
        }
        let shown = right.clone();
        let right = match self.assign_fit(&left, right) {
            Ok(right) => right,
            Err(()) => Self::broken(shown),
        };
        let ty = if right.ty == TypeId::ERROR { TypeId::ERROR } else { ty };
        Self::built(Kind::Assign(Box::new(left), Box::new(right)), ty, span, depth)
    }

    /// Returns the value converted for the target; reports where it cannot be.
    pub(super) fn assign_fit(&mut self, target: &Expr, value: Expr) -> Result<Expr, ()> {
        let (to, from) = (target.ty, value.ty);
        if to == TypeId::ERROR || from == TypeId::ERROR {
            return Err(());
        }
        let whole = |value: &Expr| {
            let span = value.span;
            let span = if span.is_known() { target.span.to(span) } else { span };
            Self::built(Kind::Assign(Box::new(target.clone()), Box::new(value.clone())), TypeId::ANY, span, 0)
        };
        if from == TypeId::VOID {
            self.error_about(&whole(&value), "can't assign void value");
            return Err(());
        }
        if to == TypeId::ANY || from == TypeId::ANY {
            return self.convert(value, to).map_err(|_| ());
        }
        if self.types().is_enum(to) != self.types().is_enum(from) {
            let is_pattern = matches!(value.kind, Kind::Braces(_));
            let text =
                if is_pattern { "type clash in assignment" } else { "can't convert to/from enumerated type" };
            self.error_about(&whole(&value), text);
            return Err(());
        }
        if to.numeric().is_some() {
            if from.numeric().is_none() {
                let is_list = matches!(value.kind, Kind::List(_) | Kind::Braces(_));
                if is_list {
                    self.error_about(&whole(&value), "invalid constructor list on RHS of assignment");
                }
                let word = self.types().text(to);
                let other = if is_list { "types".to_owned() } else { self.types().text(from) };
                let text = format!("assignment of non-arithmetic value to arithmetic ({word}/{other})");
                self.error_about(&whole(&value), &text);
                return Err(());
            }
            return Ok(self.convert_number(value, to));
        }
        let value = self.literal_for(value, to);
        if self.types().same(value.ty, to) && !matches!(value.kind, Kind::Record(_, None)) {
            return Ok(value);
        }
        if self.types().record(to).is_some() && self.types().record(from).is_some() {
            return self.coerce_record(value, to).map_err(|_| ());
        }
        if self.types().becomes_container(value.ty, to) {
            return Ok(Self::make(Kind::Coerce(Box::new(value.clone())), to, &value));
        }
        self.error_about(&whole(&value), "type clash in assignment");
        Err(())
    }

    pub(super) fn declare_in_condition(
        &mut self,
        name: Rc<str>,
        value: Expr,
        span: Span,
        depth: u16,
    ) -> Expr {
        let value = self.expression(value);
        let ty = value.ty;
        let register = self.scope().declare(&name, ty, span);
        if let Some(local) = self.scope().names.get_mut(&name) {
            local.is_set = true;
        }
        let local = Self::built(Kind::Local(register, name), ty, span, 0);
        let assigned = Self::built(Kind::Assign(Box::new(local), Box::new(value)), ty, span, depth);
        // As a condition, the assignment counts as true.
        Self::built(Kind::Declare("".into(), Box::new(assigned)), TypeId::BOOL, span, depth)
    }

    pub(super) fn update(
        &mut self,
        operator: Operator,
        left: Expr,
        right: Expr,
        span: Span,
        depth: u16,
    ) -> Expr {
        let left = self.expression(left);
        let ty = left.ty;
        if ty == TypeId::ERROR {
            let right = self.initial_expression(right, None);
            return Self::built(
                Kind::Update(operator, Box::new(left), Box::new(right)),
                TypeId::ERROR,
                span,
                depth,
            );
        }
        let is_container = matches!(self.types().get(ty), Type::Table { .. } | Type::Vector(_));
        if let Kind::Braces(members) = &right.kind
            && !is_container
        {
            let members: Vec<Expr> =
                members.clone().into_iter().map(|member| self.expression(member)).collect();
            let list = Self::built(Kind::List(members), TypeId::ANY, right.span, depth);
            let shown =
                Self::built(Kind::Binary(operator, Box::new(left), Box::new(list)), TypeId::ANY, span, depth);
            self.error_about(&shown, "requires arithmetic operands");
            return Self::broken(shown);
        }
        let before = self.engine.errors;
        let right = self.updating_value(right, ty, operator, &left, span);
        let built = |left: Expr, right: Expr, ty| {
            Self::built(Kind::Update(operator, Box::new(left), Box::new(right)), ty, span, depth)
        };
        if right.ty == TypeId::ERROR || self.engine.errors != before {
            return built(left, right, TypeId::ERROR);
        }
        if !self.is_assignable(&left) {
            return built(left, right, ty);
        }
        match self.updated(operator, &left, right.clone(), span) {
            Some(right) => built(left, right, ty),
            None => built(left, right, TypeId::ERROR),
        }
    }

    fn updating_value(
        &mut self,
        right: Expr,
        ty: TypeId,
        operator: Operator,
        left: &Expr,
        span: Span,
    ) -> Expr {
        let Kind::Braces(members) = &right.kind else { return self.expression(right) };
        if self.types().element(ty).is_some() && operator == Operator::Subtract {
            let members: Vec<Expr> =
                members.clone().into_iter().map(|member| self.expression(member)).collect();
            let list = Self::built(Kind::List(members), TypeId::ANY, right.span, 0);
            let shown = Self::built(
                Kind::Update(operator, Box::new(left.clone()), Box::new(list.clone())),
                TypeId::ANY,
                span,
                0,
            );
            self.error_about(&shown, "constructor list not allowed for -= operations on vectors");
            return Self::broken(list);
        }
        self.initial_expression(right, Some(ty))
    }

    /// Converts what is added or taken away; none where it does not fit, which was reported.
    fn updated(&mut self, operator: Operator, left: &Expr, right: Expr, span: Span) -> Option<Expr> {
        let (to, from) = (left.ty, right.ty);
        let shown = |right: &Expr| {
            Self::built(
                Kind::Update(operator, Box::new(left.clone()), Box::new(right.clone())),
                TypeId::ANY,
                span,
                0,
            )
        };
        let sign = if operator == Operator::Add { "+=" } else { "-=" };
        match self.types().get(to).clone() {
            Type::Table { .. } => {
                if self.types().becomes_container(from, to) {
                    return Some(Self::make(Kind::Coerce(Box::new(right.clone())), to, &right));
                }
                if !self.types().same(to, from) {
                    self.error_about(&shown(&right), &format!("RHS type mismatch for table/set {sign}"));
                    return None;
                }
                Some(right)
            }
            Type::Vector(element) => {
                if self.types().same(to, from) && self.types().element(from).is_some() {
                    return Some(right);
                }
                let right = self.literal_for(right, element);
                match self.convert(right.clone(), element) {
                    Ok(right) => Some(right),
                    Err(_) => {
                        self.error_about(&shown(&right), "incompatible vector append");
                        None
                    }
                }
            }
            _ if to == TypeId::PATTERN => {
                if from != TypeId::PATTERN {
                    self.error_about(&shown(&right), "pattern += op requires op to be a pattern");
                    return None;
                }
                Some(right)
            }
            _ => {
                let right = if from == TypeId::ANY { self.convert(right, to).ok()? } else { right };
                let rule = super::arithmetic::scalar(operator, to, right.ty, &self.engine.program.types);
                match rule {
                    Some(rule) if rule.result == to => Some(if right.ty.numeric().is_some() {
                        self.convert_number(right, rule.right)
                    } else {
                        right
                    }),
                    Some(_) if to.numeric().is_some() => Some(self.convert_number(right, to)),
                    _ => {
                        if self.types().is_table(from) {
                            self.error_between(&Thing::Expr(left), &Thing::Expr(&right), "type clash");
                        }
                        self.error_about(&shown(&right), "requires two arithmetic or two string operands");
                        None
                    }
                }
            }
        }
    }
}
