//! Conversions that happen by themselves: between numbers, to and from `any`, of record constructors.

use super::{Checker, Thing};
use crate::syntax::ast::{Expr, Kind};
use crate::types::{Type, TypeId, promote};

impl Checker<'_> {
    /// Returns the expression as a value of the type, with a conversion where one is needed. Where it cannot be one, the error
    /// is reported.
    pub(super) fn convert(&mut self, expr: Expr, to: TypeId) -> Result<Expr, Expr> {
        let from = expr.ty;
        if from == TypeId::ERROR || to == TypeId::ERROR {
            return Err(expr);
        }
        if from == to {
            return Ok(expr);
        }
        if to == TypeId::ANY {
            let shown = Self::make(Kind::ToAny(Box::new(expr.clone())), TypeId::ANY, &expr);
            return Ok(shown);
        }
        if from == TypeId::ANY {
            return Ok(Self::make(Kind::Coerce(Box::new(expr.clone())), to, &expr));
        }
        if promote(from, to).is_some() {
            return Ok(self.convert_number(expr, to));
        }
        if from.numeric().is_some() != to.numeric().is_some() {
            self.error_between(&Thing::Type(to), &Thing::Expr(&expr), "arithmetic mixed with non-arithmetic");
            return Err(Self::broken(expr));
        }
        if let Kind::List(members) = &expr.kind
            && members.len() == 1
            && !matches!(self.types().get(to), Type::List(_))
            && let Some(only) = members.first().cloned()
        {
            return self.convert(only, to);
        }
        if self.types().record(from).is_some() && self.types().record(to).is_some() {
            // What does not fit was told field by field.
            return Ok(self.convert_record(expr, to).unwrap_or_else(|broken| broken));
        }
        if self.types().becomes_container(from, to) {
            return Ok(Self::make(Kind::Coerce(Box::new(expr.clone())), to, &expr));
        }
        if !self.types().same(from, to) {
            self.error_between(&Thing::Type(to), &Thing::Expr(&expr), "type clash");
            return Err(Self::broken(expr));
        }
        Ok(expr)
    }

    /// Converts a number; constants at once.
    pub(super) fn convert_number(&mut self, expr: Expr, to: TypeId) -> Expr {
        if expr.ty == to {
            return expr;
        }
        if let Kind::Constant(value) = &expr.kind
            && let Some(value) = crate::vm::convert_number(value, to)
        {
            return Expr { kind: Kind::Constant(value), ty: to, ..expr };
        }
        Self::make(Kind::Coerce(Box::new(expr.clone())), to, &expr)
    }

    /// Converts an argument of a call. Messages show its conversion, so that the compiler does that of constants.
    pub(super) fn convert_argument(&mut self, expr: Expr, to: TypeId) -> Result<Expr, Expr> {
        let is_number =
            matches!(expr.kind, Kind::Constant(_)) && expr.ty != to && promote(expr.ty, to).is_some();
        if is_number {
            return Ok(Self::make(Kind::Coerce(Box::new(expr.clone())), to, &expr));
        }
        self.convert(expr, to)
    }

    fn convert_record(&mut self, expr: Expr, to: TypeId) -> Result<Expr, Expr> {
        if self.types().same(expr.ty, to) && !matches!(expr.kind, Kind::Record(_, None)) {
            return Ok(expr);
        }
        if !self.types().record_fits(expr.ty, to) && !matches!(expr.kind, Kind::Record(..)) {
            self.error_between(&Thing::Type(to), &Thing::Expr(&expr), "type clash");
            return Err(Self::broken(expr));
        }
        self.coerce_record(expr, to)
    }

    /// Converts a record field by field, and reports the fields that cannot be.
    pub(super) fn coerce_record(&mut self, expr: Expr, to: TypeId) -> Result<Expr, Expr> {
        let (Some(source), Some(target)) =
            (self.types().record(expr.ty).cloned(), self.types().record(to).cloned())
        else {
            return Err(expr);
        };
        let mut coerced = Self::make(
            Kind::Coerce(Box::new(expr)),
            to,
            &Self::constant(crate::values::Value::Unset, to, crate::source::Span::default()),
        );
        if let Kind::Coerce(inner) = &coerced.kind {
            coerced.span = inner.span;
            coerced.depth = inner.depth.saturating_add(1);
        }
        let before = self.engine.errors;
        for field in &source.fields {
            let Some(into) = target.field(&field.name) else {
                let name = format!("orphaned field \"{}\" in record coercion", field.name);
                self.error_about(&coerced.clone(), &name);
                continue;
            };
            if let Some(sentence) = &into.deprecated {
                self.warn_deprecated_field(to, &into.name.clone(), &sentence.clone(), &coerced.clone(), "$");
            }
            let fits = into.ty == TypeId::ERROR
                || self.types().same(field.ty, into.ty)
                || self.numbers_fit(field.ty, into.ty)
                || self.types().record_fits(field.ty, into.ty)
                || self.types().becomes_container(field.ty, into.ty);
            if !fits {
                let text = format!("type clash for field \"{}\"", field.name);
                self.error_between(&Thing::Expr(&coerced), &Thing::Type(field.ty), &text);
            }
        }
        for field in &target.fields {
            if source.field(&field.name).is_none() && !field.optional && field.default.is_none() {
                let text = format!("non-optional field \"{}\" missing", field.name);
                self.error_about(&coerced.clone(), &text);
            }
        }
        coerced.ty = to;
        if self.engine.errors == before { Ok(coerced) } else { Err(Self::broken(coerced)) }
    }

    /// Returns whether a field's number can become another one: only such that lose nothing by their type.
    fn numbers_fit(&self, from: TypeId, to: TypeId) -> bool {
        matches!((from, to), (TypeId::COUNT, TypeId::INT | TypeId::DOUBLE) | (TypeId::INT, TypeId::DOUBLE))
    }

    /// Converts each of several expressions; false where one cannot be, which was reported.
    pub(super) fn convert_all(&mut self, all: &mut Vec<Expr>, to: &[TypeId]) -> bool {
        let mut done = Vec::with_capacity(all.len());
        let mut is_good = true;
        for (place, expr) in std::mem::take(all).into_iter().enumerate() {
            let wanted = to.get(place).copied().unwrap_or(TypeId::ANY);
            if wanted == TypeId::ANY {
                done.push(expr);
                continue;
            }
            match self.convert(expr, wanted) {
                Ok(expr) => done.push(expr),
                Err(expr) => {
                    is_good = false;
                    if wanted != TypeId::ERROR && !self.is_silent(&expr) {
                        self.error_between(&Thing::Expr(&expr), &Thing::Type(wanted), "type mismatch");
                    }
                    done.push(expr);
                }
            }
        }
        *all = done;
        is_good
    }

    /// Returns whether the expression was wrong before it was converted, so that nothing more is said.
    fn is_silent(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, Kind::Name(_))
    }
}
