//! Expressions: names, fields, casts and what needs little.

use std::rc::Rc;

use super::{Checker, Thing};
use crate::program::Meaning;
use crate::syntax::ast::{Expr, Kind, TypeExpr};
use crate::types::{Flavor, Type, TypeId};
use crate::values::Value;

impl Checker<'_> {
    /// Checks an expression.
    pub(super) fn expression(&mut self, expr: Expr) -> Expr {
        let grouped = expr.is_grouped;
        let mut checked = self.expression_inner(expr);
        checked.is_grouped = grouped;
        checked
    }

    fn expression_inner(&mut self, expr: Expr) -> Expr {
        let Expr { kind, ty, span, depth, is_grouped } = expr;
        let rebuilt = |kind| Expr { kind, ty, span, depth, is_grouped };
        match kind {
            Kind::Name(name) => self.name(&name, rebuilt(Kind::Name(name.clone()))),
            Kind::Constant(value) => {
                let ty = self.engine.type_of(&value);
                Expr { ty, ..rebuilt(Kind::Constant(value)) }
            }
            Kind::Host(name) => {
                let set = self.types().table(&[TypeId::ADDR], None);
                Expr { ty: set, ..rebuilt(Kind::Host(name)) }
            }
            Kind::Type(id, name) => {
                let ty = self.types().type_of_type(id);
                Expr { ty, ..rebuilt(Kind::Type(id, name)) }
            }
            Kind::Written(written) => {
                let id = self.resolve(&written);
                let name = self.types().text(id).into();
                let ty = self.types().type_of_type(id);
                Expr { ty, ..rebuilt(Kind::Type(id, name)) }
            }
            Kind::Call(function, arguments) => self.call(*function, arguments, span, depth),
            Kind::Event(function, arguments) => self.event_call(*function, arguments, span, depth),
            Kind::Hook(call) => self.hook_call(*call, span, depth),
            Kind::Schedule(delay, event) => self.schedule(*delay, *event, span, depth),
            Kind::Index(base, index) => self.index(*base, index, span, depth),
            Kind::Slice(base, from, to) => self.slice(*base, from, to, span, depth),
            Kind::Field(base, name, _) => self.field_access(*base, name, span, depth, false),
            Kind::HasField(base, name, _) => self.field_access(*base, name, span, depth, true),
            Kind::Unary(prefix, inner) => self.unary(prefix, *inner, span, depth),
            Kind::Binary(operator, left, right) => self.binary(operator, *left, *right, span, depth),
            Kind::Assign(left, right) => self.assign(*left, *right, span, depth),
            Kind::Declare(name, value) => self.declare_in_condition(name, *value, span, depth),
            Kind::Update(operator, left, right) => self.update(operator, *left, *right, span, depth),
            Kind::Choice(test, yes, no) => self.choice(*test, *yes, *no, span, depth),
            Kind::List(members) => {
                let members: Vec<Expr> = members.into_iter().map(|member| self.expression(member)).collect();
                self.list(members, span, depth)
            }
            Kind::Record(fields, name) => self.record(fields, name, None, span, depth),
            Kind::FieldAssign(name, value) => {
                let value = self.expression(*value);
                let ty = value.ty;
                Expr { ty, ..rebuilt(Kind::FieldAssign(name, Box::new(value))) }
            }
            Kind::Container(container, members, attributes, _) => {
                self.container(container, members, attributes, None, span, depth)
            }
            Kind::Braces(members) => self.untyped_braces(members, span, depth),
            Kind::Lambda(lambda) => self.lambda(*lambda, span, depth),
            Kind::Size(inner) => self.size(*inner, span, depth),
            Kind::Copy(inner) => {
                let inner = self.expression(*inner);
                let ty = inner.ty;
                Expr { ty, ..rebuilt(Kind::Copy(Box::new(inner))) }
            }
            Kind::Cast(inner, wanted) => self.cast(*inner, wanted, span, depth),
            Kind::Is(inner, wanted) => {
                let inner = self.expression(*inner);
                let wanted = self.resolved(&wanted);
                Expr { ty: TypeId::BOOL, ..rebuilt(Kind::Is(Box::new(inner), wanted)) }
            }
            Kind::CanCast(inner, wanted) => {
                let inner = self.expression(*inner);
                let wanted = self.resolved(&wanted);
                Expr { ty: TypeId::BOOL, ..rebuilt(Kind::CanCast(Box::new(inner), wanted)) }
            }
            Kind::Add(inner) => self.add_member(*inner, span, depth),
            Kind::Delete(inner) => self.delete(*inner, span, depth),
            kind @ (Kind::Local(..)
            | Kind::Capture(..)
            | Kind::Global(..)
            | Kind::Function(..)
            | Kind::Coerce(_)
            | Kind::ToAny(_)) => rebuilt(kind),
        }
    }

    pub(super) fn built(kind: Kind, ty: TypeId, span: crate::source::Span, depth: u16) -> Expr {
        Expr { kind, ty, span, depth, is_grouped: false }
    }

    fn resolved(&mut self, ty: &TypeExpr) -> TypeExpr {
        let id = self.resolve(ty);
        TypeExpr { kind: crate::syntax::ast::TypeKind::Known(id), span: ty.span }
    }

    /// Puts in what a name stands for.
    fn name(&mut self, name: &Rc<str>, expr: Expr) -> Expr {
        if let Some(found) = self.local_name(name, &expr) {
            return found;
        }
        let module = self.module.clone();
        let found = self.engine.program.find(name, &module).map(|(full, symbol)| (full, symbol.clone()));
        let Some((full, symbol)) = found else {
            if !self.engine.is_fatal {
                let text = format!("unknown identifier {name}, at or near \"{name}\"");
                self.error(expr.span, &text);
                self.engine.is_fatal = true;
            }
            return Self::broken(expr);
        };
        if &*full == "_" || full.ends_with("::_") {
            let text = format!("blank identifier used in expression ({full})");
            self.error(expr.span, &text);
            return Self::broken(expr);
        }
        if let Some(sentence) = &symbol.deprecated {
            self.warn_deprecated(&full, &sentence.clone(), expr.span);
        }
        let is_top = self.scopes.iter().all(|scope| scope.flavor.is_none() && !scope.is_initial);
        match symbol.meaning {
            Meaning::Global(number) => {
                let Some(global) = self.engine.program.globals.get_mut(number as usize) else {
                    return Self::broken(expr);
                };
                // Statements outside of functions do not raise an event by naming it.
                let flavor = self.engine.program.types.signature(global.ty).map(|known| known.flavor);
                global.is_used |= !is_top || flavor != Some(Flavor::Event);
                let (ty, is_function) = (global.ty, global.function.is_some());
                self.mention_global(&full);
                if is_function {
                    let owner =
                        self.scopes.iter().rev().find_map(|scope| scope.owner.clone()).unwrap_or_default();
                    self.engine.calls.entry(owner).or_default().insert(full.clone());
                }
                if self.engine.broken_types.contains(&ty) {
                    return Self::broken(expr);
                }
                // Messages show names as they are written; what the program keeps has its full name.
                Expr { kind: Kind::Global(number, name.clone()), ty, ..expr }
            }
            Meaning::Type(id) => {
                let ty = self.types().type_of_type(id);
                Expr { kind: Kind::Type(id, full), ty, ..expr }
            }
            Meaning::Enum(ty, value) => {
                self.mention_value(ty, value);
                Expr { kind: Kind::Constant(Value::Enum(ty, value)), ty, ..expr }
            }
        }
    }

    /// Finds a local, or something captured.
    fn local_name(&mut self, name: &Rc<str>, expr: &Expr) -> Option<Expr> {
        let scope = self.scopes.last_mut()?;
        if let Some(local) = scope.names.get(name).cloned() {
            if &**name == "_" {
                let module = self.module.clone();
                let full = crate::program::Program::qualified(name, &module);
                let shown = if &*module == "GLOBAL" { name.clone() } else { full };
                self.error(expr.span, &format!("blank identifier used in expression ({shown})"));
                return Some(Self::broken(expr.clone()));
            }
            return Some(Expr {
                kind: Kind::Local(local.register, name.clone()),
                ty: local.ty,
                ..expr.clone()
            });
        }
        if let Some(place) = scope.captures.iter().position(|captured| captured.name == *name) {
            let captured = scope.captures.get_mut(place)?;
            captured.is_used = true;
            let kind = Kind::Capture(u16::try_from(place).unwrap_or(u16::MAX), name.clone());
            return Some(Expr { kind, ty: captured.ty, ..expr.clone() });
        }
        if !scope.is_inner {
            return None;
        }
        // Named around the lambda, but not captured.
        let outer = self.scopes.len().checked_sub(2)?;
        let ty = self.outer_type(name, outer)?;
        let scope = self.scopes.last_mut()?;
        if scope.is_when && !scope.missing.contains(name) {
            // Without a list, `when` captures what it names.
            scope.captures.push(super::Captured { name: name.clone(), ty, is_used: true });
            let place = scope.captures.len() - 1;
            let kind = Kind::Capture(u16::try_from(place).unwrap_or(u16::MAX), name.clone());
            return Some(Expr { kind, ty, ..expr.clone() });
        }
        if !scope.missing.contains(name) {
            scope.missing.push(name.clone());
        }
        Some(Expr { ty, ..expr.clone() })
    }

    /// Returns the type of a name in a scope or those around it.
    pub(super) fn outer_type(&self, name: &str, mut place: usize) -> Option<TypeId> {
        loop {
            let scope = self.scopes.get(place)?;
            if let Some(local) = scope.names.get(name) {
                return Some(local.ty);
            }
            if let Some(captured) = scope.captures.iter().find(|captured| &*captured.name == name) {
                return Some(captured.ty);
            }
            if !scope.is_inner {
                return None;
            }
            place = place.checked_sub(1)?;
        }
    }

    fn field_access(
        &mut self,
        base: Expr,
        name: Rc<str>,
        span: crate::source::Span,
        depth: u16,
        is_test: bool,
    ) -> Expr {
        let base = self.expression(base);
        let record = base.ty;
        let build = |base: Expr, place: u32| {
            let base = Box::new(base);
            if is_test {
                Kind::HasField(base, name.clone(), place)
            } else {
                Kind::Field(base, name.clone(), place)
            }
        };
        if record == TypeId::ERROR {
            return Self::built(build(base, 0), TypeId::ERROR, span, depth);
        }
        let Some(known) = self.types().record(record).cloned() else {
            let broken = Self::built(build(base, 0), TypeId::ANY, span, depth);
            self.error_about(&broken, "not a record");
            return Self::broken(broken);
        };
        let Some(place) = known.place(&name) else {
            let broken = Self::built(build(base, 0), TypeId::ANY, span, depth);
            self.error_about(&broken, "no such field in record");
            return Self::broken(broken);
        };
        self.mention_field(record, &name);
        let field = known.fields.get(place);
        let ty = if is_test { TypeId::BOOL } else { field.map_or(TypeId::ERROR, |field| field.ty) };
        let built = Self::built(build(base, u32::try_from(place).unwrap_or(0)), ty, span, depth);
        if let Some(sentence) = field.and_then(|field| field.deprecated.clone()) {
            let sign = if is_test { "?$" } else { "$" };
            self.warn_deprecated_field(record, &name, &sentence, &built, sign);
        }
        built
    }

    pub(super) fn warn_deprecated_field(
        &mut self,
        record: TypeId,
        field: &str,
        sentence: &str,
        about: &Expr,
        sign: &str,
    ) {
        let name = self.types().name_of(record).unwrap_or_default();
        let more = if sentence.is_empty() { String::new() } else { format!(": {sentence}") };
        let text = self.text(about);
        self.engine.report_at(
            "warning",
            about.span,
            &format!("deprecated ({name}{sign}{field}){more} ({text})"),
        );
    }

    fn size(&mut self, inner: Expr, span: crate::source::Span, depth: u16) -> Expr {
        let inner = self.expression(inner);
        let ty = match inner.ty {
            TypeId::ERROR => TypeId::ERROR,
            TypeId::VOID => {
                let broken = Self::built(Kind::Size(Box::new(inner)), TypeId::ANY, span, depth);
                self.error_about(&broken, "cannot take size of void");
                return Self::broken(broken);
            }
            TypeId::ANY => TypeId::ANY,
            TypeId::DOUBLE | TypeId::TIME | TypeId::INTERVAL | TypeId::SUBNET => TypeId::DOUBLE,
            _ => TypeId::COUNT,
        };
        Self::built(Kind::Size(Box::new(inner)), ty, span, depth)
    }

    fn choice(&mut self, test: Expr, yes: Expr, no: Expr, span: crate::source::Span, depth: u16) -> Expr {
        let test = self.expression(test);
        let yes = self.expression(yes);
        let no = self.expression(no);
        let is_vector = self.types().element(test.ty) == Some(TypeId::BOOL);
        if test.ty != TypeId::BOOL && test.ty != TypeId::ANY && test.ty != TypeId::ERROR && !is_vector {
            self.error_about(&test, "requires boolean conditional");
            return Self::built(
                Kind::Choice(Box::new(test), Box::new(yes), Box::new(no)),
                TypeId::ERROR,
                span,
                depth,
            );
        }
        let (yes, no, ty) = self.meet(yes, no);
        let built = Self::built(Kind::Choice(Box::new(test), Box::new(yes), Box::new(no)), ty, span, depth);
        if ty == TypeId::VOID {
            return built;
        }
        built
    }

    /// Converts two values to a type that both can have.
    pub(super) fn meet(&mut self, left: Expr, right: Expr) -> (Expr, Expr, TypeId) {
        if left.ty == TypeId::ERROR || right.ty == TypeId::ERROR {
            return (left, right, TypeId::ERROR);
        }
        if let Some(ty) = crate::types::promote(left.ty, right.ty) {
            return (self.convert_number(left, ty), self.convert_number(right, ty), ty);
        }
        if self.types().becomes_container(left.ty, right.ty) {
            let ty = right.ty;
            return (Self::make(Kind::Coerce(Box::new(left.clone())), ty, &left), right, ty);
        }
        if self.types().becomes_container(right.ty, left.ty) {
            let ty = left.ty;
            return (left, Self::make(Kind::Coerce(Box::new(right.clone())), ty, &right), ty);
        }
        if self.types().same(left.ty, right.ty) {
            let ty = if left.ty == TypeId::ANY { TypeId::ANY } else { left.ty };
            let ty = if right.ty == TypeId::ANY { TypeId::ANY } else { ty };
            return (left, right, ty);
        }
        if self.types().record_fits(right.ty, left.ty) {
            let ty = left.ty;
            let right = self.convert(right, ty).unwrap_or_else(|broken| broken);
            return (left, right, ty);
        }
        if self.types().record_fits(left.ty, right.ty) {
            let ty = right.ty;
            let left = self.convert(left, ty).unwrap_or_else(|broken| broken);
            return (left, right, ty);
        }
        self.error_between(&Thing::Expr(&left), &Thing::Expr(&right), "operands must be of the same type");
        (left, right, TypeId::ERROR)
    }

    fn cast(&mut self, inner: Expr, wanted: TypeExpr, span: crate::source::Span, depth: u16) -> Expr {
        let inner = self.expression(inner);
        let wanted = self.resolved(&wanted);
        let crate::syntax::ast::TypeKind::Known(to) = wanted.kind else { return Self::broken(inner) };
        let from = inner.ty;
        let place = wanted.span;
        let built = Self::built(Kind::Cast(Box::new(inner), wanted), to, span, depth);
        if from == TypeId::ERROR || to == TypeId::ERROR {
            return Self::broken(built);
        }
        if from == TypeId::ANY || self.types().same(from, to) || self.can_cast(from, to) {
            return built;
        }
        let name = |this: &mut Self, id: TypeId| {
            this.types().name_of(id).map_or_else(|| this.types().text(id), |name| name.to_string())
        };
        let text = format!("cast not supported ({} as {})", name(self, from), name(self, to));
        self.error(place, &text);
        Self::broken(built)
    }

    fn can_cast(&mut self, from: TypeId, to: TypeId) -> bool {
        match (self.types().get(from).clone(), self.types().get(to).clone()) {
            (Type::Table { value: None, keys }, Type::Vector(element)) => {
                keys.len() == 1 && keys.first().is_some_and(|key| self.types().same(*key, element))
            }
            (Type::Vector(element), Type::Table { value: None, keys }) => {
                keys.len() == 1 && keys.first().is_some_and(|key| self.types().same(*key, element))
            }
            (Type::Enum(_), _) => to == TypeId::COUNT || to == TypeId::INT || to == TypeId::STRING,
            _ => match (from, to) {
                (TypeId::COUNT | TypeId::INT | TypeId::DOUBLE, _) => {
                    to.numeric().is_some()
                        || to.is_temporal()
                        || (from == TypeId::COUNT && to == TypeId::ADDR)
                }
                (TypeId::TIME | TypeId::INTERVAL, TypeId::DOUBLE) => true,
                (TypeId::STRING, _) => {
                    to.numeric().is_some()
                        || matches!(to, TypeId::ADDR | TypeId::SUBNET | TypeId::PORT | TypeId::INTERVAL)
                        || to == TypeId::TIME
                }
                (TypeId::ADDR, TypeId::SUBNET | TypeId::STRING) | (TypeId::SUBNET, TypeId::ADDR) => true,
                (TypeId::PORT, TypeId::COUNT | TypeId::STRING) => true,
                _ => false,
            },
        }
    }

    /// Returns the value of an expression, run now; none where that fails, which was reported.
    pub(super) fn evaluate(&mut self, expr: &Expr) -> Option<Value> {
        if let Kind::Constant(value) = &expr.kind {
            return Some(value.clone());
        }
        // A function may be named before it has a body.
        if let Kind::Global(number, _) = &expr.kind
            && let Some(global) = self.engine.program.globals.get(*number as usize)
            && let (Some(function), false) = (global.function, global.value.is_set())
        {
            return Some(super::function_value(function));
        }
        let registers = self.scope().registers;
        let code = crate::compile::expression(&mut self.engine.program, expr, registers);
        self.engine.run_code(&Rc::new(code)).ok()
    }
}
