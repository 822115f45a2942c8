//! Operators.

use super::{Checker, Thing, arithmetic};
use crate::source::Span;
use crate::syntax::ast::{Expr, Kind, Operator, Prefix};
use crate::types::{Type, TypeId, promote};
use crate::values::Value;

impl Checker<'_> {
    pub(super) fn unary(&mut self, prefix: Prefix, inner: Expr, span: Span, depth: u16) -> Expr {
        let inner = self.expression(inner);
        let from = inner.ty;
        if from == TypeId::ERROR {
            return Self::built(Kind::Unary(prefix, Box::new(inner)), from, span, depth);
        }
        if matches!(prefix, Prefix::Increment | Prefix::Decrement) {
            return self.step(prefix, inner, span, depth);
        }
        let element = self.types().element(from);
        let base = element.unwrap_or(from);
        let result = match (prefix, base) {
            (Prefix::Not, TypeId::BOOL) => Some(TypeId::BOOL),
            (Prefix::Not, TypeId::COUNT | TypeId::INT) => Some(TypeId::BOOL),
            (Prefix::Complement, TypeId::COUNT) => Some(TypeId::COUNT),
            (Prefix::Negate | Prefix::Plus, TypeId::COUNT | TypeId::INT) => Some(TypeId::INT),
            (Prefix::Negate | Prefix::Plus, TypeId::DOUBLE | TypeId::INTERVAL) => Some(base),
            (_, TypeId::ANY) => Some(TypeId::ANY),
            _ => None,
        };
        let Some(mut result) = result else {
            let built = Self::built(Kind::Unary(prefix, Box::new(inner)), TypeId::ANY, span, depth);
            let what = match prefix {
                Prefix::Not => "requires an integral or boolean operand",
                Prefix::Complement => "requires \"count\" operand",
                _ => "requires an integral or double operand",
            };
            self.error_about(&built, what);
            return Self::broken(built);
        };
        if element.is_some() {
            result = self.types().vector(result);
        }
        Self::built(Kind::Unary(prefix, Box::new(inner)), result, span, depth)
    }

    fn step(&mut self, prefix: Prefix, inner: Expr, span: Span, depth: u16) -> Expr {
        let ty = inner.ty;
        let built = Self::built(Kind::Unary(prefix, Box::new(inner)), ty, span, depth);
        let Kind::Unary(_, inner) = &built.kind else { return built };
        let inner = inner.clone();
        if !self.is_assignable(&inner) {
            return Self::broken(built);
        }
        let element = self.types().element(ty).unwrap_or(ty);
        if !matches!(element, TypeId::COUNT | TypeId::INT) && element != TypeId::ANY {
            self.error_about(&built, "requires an integral operand");
            return Self::broken(built);
        }
        built
    }

    pub(super) fn binary(
        &mut self,
        operator: Operator,
        left: Expr,
        right: Expr,
        span: Span,
        depth: u16,
    ) -> Expr {
        if matches!(operator, Operator::In | Operator::NotIn) {
            return self.membership(operator, left, right, span, depth);
        }
        let left = self.expression(left);
        let right = self.expression(right);
        if left.ty == TypeId::ERROR || right.ty == TypeId::ERROR {
            return Self::built(
                Kind::Binary(operator, Box::new(left), Box::new(right)),
                TypeId::ERROR,
                span,
                depth,
            );
        }
        let (left, right) = if operator.is_comparison() {
            let left = self.cast_any(left, right.ty);
            let to = left.ty;
            (left, self.cast_any(right, to))
        } else {
            (left, right)
        };
        if operator.is_comparison() {
            return self.comparison(operator, left, right, span, depth);
        }
        let elements = (self.types().element(left.ty), self.types().element(right.ty));
        let (one, other) = (elements.0.unwrap_or(left.ty), elements.1.unwrap_or(right.ty));
        let is_vector = elements.0.is_some() || elements.1.is_some();
        let rule = arithmetic::scalar(operator, one, other, &self.engine.program.types);
        let Some(rule) = rule else {
            let built = Self::built(
                Kind::Binary(operator, Box::new(left), Box::new(right)),
                TypeId::ANY,
                span,
                depth,
            );
            self.operand_error(operator, &built, one, other);
            return Self::broken(built);
        };
        if !is_vector {
            let left = self.operand(left, rule.left);
            let right = self.operand(right, rule.right);
            let built = Self::built(
                Kind::Binary(operator, Box::new(left), Box::new(right)),
                rule.result,
                span,
                depth,
            );
            return self.fold_binary(built);
        }
        let result = self.types().vector(rule.result);
        let left = self.vector_operand(left, elements.0, rule.left);
        let right = self.vector_operand(right, elements.1, rule.right);
        Self::built(Kind::Binary(operator, Box::new(left), Box::new(right)), result, span, depth)
    }

    /// Takes a value of any type as one of a known type.
    fn cast_any(&mut self, expr: Expr, to: TypeId) -> Expr {
        if expr.ty == TypeId::ANY && to != TypeId::ANY {
            return Self::make(Kind::Coerce(Box::new(expr.clone())), to, &expr);
        }
        expr
    }

    fn operand(&mut self, expr: Expr, to: TypeId) -> Expr {
        if expr.ty.numeric().is_some() && to.numeric().is_some() {
            self.convert_number(expr, to)
        } else {
            expr
        }
    }

    fn vector_operand(&mut self, expr: Expr, element: Option<TypeId>, to: TypeId) -> Expr {
        match element {
            None => self.operand(expr, to),
            Some(element) if element == to || element.numeric().is_none() => expr,
            Some(_) => {
                let vector = self.types().vector(to);
                Self::make(Kind::Coerce(Box::new(expr.clone())), vector, &expr)
            }
        }
    }

    fn operand_error(&mut self, operator: Operator, built: &Expr, left: TypeId, right: TypeId) {
        let text = match operator {
            Operator::And | Operator::Or => "requires boolean operands",
            Operator::Modulo => "requires integral operands",
            Operator::BitAnd | Operator::BitOr | Operator::BitXor => {
                "requires \"count\" or compatible \"set\" operands"
            }
            Operator::ShiftLeft | Operator::ShiftRight => "requires integral operands",
            Operator::Subtract if left == right && self.types().is_set(left) => {
                "incompatible \"set\" operands"
            }
            _ => "requires arithmetic operands",
        };
        self.error_about(built, text);
    }

    /// Computes what is constant at once: numbers, strings, networks.
    fn fold_binary(&mut self, expr: Expr) -> Expr {
        let Kind::Binary(operator, left, right) = &expr.kind else { return expr };
        let (Kind::Constant(one), Kind::Constant(other)) = (&left.kind, &right.kind) else { return expr };
        let folded = match (operator, one, other) {
            (Operator::Divide, Value::Addr(address), length) => {
                let length = length.int();
                let width = i64::from(address.width());
                (0..=width).contains(&length).then(|| {
                    Value::Subnet(crate::values::Subnet::new(*address, u8::try_from(length).unwrap_or(0)))
                })
            }
            (Operator::Multiply, Value::Interval(one), Value::Double(other))
            | (Operator::Multiply, Value::Double(other), Value::Interval(one)) => {
                Some(Value::Interval(one * other))
            }
            _ => None,
        };
        match folded {
            Some(value) => Expr { kind: Kind::Constant(value), ..expr },
            None => expr,
        }
    }

    fn comparison(&mut self, operator: Operator, left: Expr, right: Expr, span: Span, depth: u16) -> Expr {
        let is_equality = matches!(operator, Operator::Equal | Operator::NotEqual);
        let built = |left: Expr, right: Expr, ty| {
            Self::built(Kind::Binary(operator, Box::new(left), Box::new(right)), ty, span, depth)
        };
        if let Some(meeting) = promote(left.ty, right.ty) {
            let (left, right) = (self.convert_number(left, meeting), self.convert_number(right, meeting));
            return built(left, right, TypeId::BOOL);
        }
        if is_equality && left.ty == TypeId::PATTERN && right.ty == TypeId::STRING
            || is_equality && left.ty == TypeId::STRING && right.ty == TypeId::PATTERN
        {
            return built(left, right, TypeId::BOOL);
        }
        if let Some(vector) = self.vector_comparison(operator, &left, &right, span, depth) {
            return vector;
        }
        let (one, other) = (left.ty, right.ty);
        if self.types().becomes_container(one, other) || self.types().becomes_container(other, one) {
            let (left, right, _) = self.meet(left, right);
            return built(left, right, TypeId::BOOL);
        }
        let is_same = self.types().same(one, other);
        let is_ordered = matches!(
            one,
            TypeId::TIME
                | TypeId::INTERVAL
                | TypeId::PORT
                | TypeId::ADDR
                | TypeId::STRING
                | TypeId::ANY
                | TypeId::SUBNET
        ) || self.types().is_set(one)
            || (self.types().is_enum(one) && is_equality);
        let is_equal_type = matches!(one, TypeId::BOOL | TypeId::PATTERN | TypeId::SUBNET)
            || matches!(
                self.types().get(one),
                Type::Function(_)
                    | Type::Table { .. }
                    | Type::Vector(_)
                    | Type::Enum(_)
                    | Type::Record(_)
                    | Type::Opaque(_)
                    | Type::File
                    | Type::Type(_)
            );
        if is_same && (is_ordered || (is_equality && is_equal_type)) {
            return built(left, right, TypeId::BOOL);
        }
        if is_equality && self.types().record_fits(other, one) || self.types().record_fits(one, other) {
            let (left, right, _) = self.meet(left, right);
            return built(left, right, TypeId::BOOL);
        }
        let broken = built(left, right, TypeId::ANY);
        let text = if is_same { "illegal comparison" } else { "type clash in comparison" };
        let text =
            if !is_same && self.types().is_set(one) { "incompatible sets in comparison" } else { text };
        self.error_about(&broken, text);
        Self::broken(broken)
    }

    /// Checks a comparison of elements of vectors; none where no vector is involved.
    fn vector_comparison(
        &mut self,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        span: Span,
        depth: u16,
    ) -> Option<Expr> {
        let elements = (self.types().element(left.ty), self.types().element(right.ty));
        if elements.0.is_none() && elements.1.is_none() {
            return None;
        }
        let (one, other) = (elements.0.unwrap_or(left.ty), elements.1.unwrap_or(right.ty));
        let both = elements.0.is_some() && elements.1.is_some();
        let result = self.types().vector(TypeId::BOOL);
        let built = Self::built(
            Kind::Binary(operator, Box::new(left.clone()), Box::new(right.clone())),
            result,
            span,
            depth,
        );
        let patterns = [one, other].contains(&TypeId::PATTERN) && [one, other].contains(&TypeId::STRING);
        if patterns && both {
            self.error_about(&built, "cannot compare string vectors with pattern vectors");
            return Some(Self::broken(built));
        }
        if let Some(meeting) = promote(one, other) {
            let left = self.vector_operand(left.clone(), elements.0, meeting);
            let right = self.vector_operand(right.clone(), elements.1, meeting);
            return Some(Expr { kind: Kind::Binary(operator, Box::new(left), Box::new(right)), ..built });
        }
        if self.types().same(one, other) || one == TypeId::VOID || other == TypeId::VOID {
            return Some(built);
        }
        self.error_about(&built, "type clash in comparison");
        Some(Self::broken(built))
    }

    fn membership(&mut self, operator: Operator, left: Expr, right: Expr, span: Span, depth: u16) -> Expr {
        let left = self.expression(left);
        let right = self.expression(right);
        let built = |left: Expr, right: Expr, ty| {
            Self::built(Kind::Binary(operator, Box::new(left), Box::new(right)), ty, span, depth)
        };
        if left.ty == TypeId::ERROR || right.ty == TypeId::ERROR {
            return built(left, right, TypeId::ERROR);
        }
        let is_pair = matches!(
            (left.ty, right.ty),
            (TypeId::PATTERN | TypeId::STRING, TypeId::STRING) | (TypeId::ADDR, TypeId::SUBNET)
        );
        if is_pair {
            return built(left, right, TypeId::BOOL);
        }
        if left.ty == TypeId::ANY && right.ty == TypeId::STRING {
            let left = self.cast_any(left, TypeId::STRING);
            return built(left, right, TypeId::BOOL);
        }
        let (Type::Table { keys, .. }, container) = (self.types().get(right.ty).clone(), right.ty) else {
            if self.types().element(right.ty).is_some() {
                let wanted = if left.ty == TypeId::INT { TypeId::INT } else { TypeId::COUNT };
                return match self.convert(left, wanted) {
                    Ok(left) => built(left, right, TypeId::BOOL),
                    Err(left) => built(left, right, TypeId::ERROR),
                };
            }
            return self.not_an_index(left, right, operator, span, depth);
        };
        if keys.as_ref() == [TypeId::SUBNET] && left.ty == TypeId::ADDR {
            return built(left, right, TypeId::BOOL);
        }
        if keys.as_ref() == [TypeId::PATTERN] && left.ty == TypeId::STRING {
            return built(left, right, TypeId::BOOL);
        }
        let index = match left.kind {
            Kind::List(members) => members,
            _ => vec![left.clone()],
        };
        match self.fit_index(index, &keys, container) {
            Ok(index) => {
                let left = self.index_list(
                    index,
                    &Self::built(Kind::List(Vec::new()), TypeId::ANY, left.span, left.depth),
                );
                built(left, right, TypeId::BOOL)
            }
            Err(index) => {
                let shown = match index.len() {
                    1 => index
                        .into_iter()
                        .next()
                        .unwrap_or_else(|| Self::constant(Value::Unset, TypeId::ANY, span)),
                    _ => Self::built(Kind::List(index), TypeId::ANY, left.span, left.depth),
                };
                let broken = built(shown, right, TypeId::ANY);
                self.error_about(&broken, "not an index type");
                Self::broken(broken)
            }
        }
    }

    fn not_an_index(&mut self, left: Expr, right: Expr, operator: Operator, span: Span, depth: u16) -> Expr {
        if left.ty.numeric().is_none() && right.ty != TypeId::ANY {
            self.error_between(
                &Thing::Type(TypeId::INT),
                &Thing::Expr(&left),
                "arithmetic mixed with non-arithmetic",
            );
            self.error_between(&Thing::Expr(&left), &Thing::Type(TypeId::INT), "type mismatch");
        }
        let broken =
            Self::built(Kind::Binary(operator, Box::new(left), Box::new(right)), TypeId::ANY, span, depth);
        self.error_about(&broken, "not an index type");
        Self::broken(broken)
    }
}
