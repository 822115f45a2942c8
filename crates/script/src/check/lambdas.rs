//! Lambdas and `when`: functions within functions, with what they capture.

use std::rc::Rc;

use super::{Captured, Checker, Scope};
use crate::program::Meaning;
use crate::source::Span;
use crate::syntax::ast::{Capture, Expr, Kind, Lambda, Stmt, StmtKind, TypeKind, When};
use crate::syntax::listing;
use crate::types::{Flavor, TypeId};

impl Checker<'_> {
    /// Finds what is captured; returns where the values are when the function is made.
    fn captured(&mut self, captures: &[Capture], about: &str) -> Option<(Vec<Captured>, Vec<Expr>)> {
        let mut all: Vec<Captured> = Vec::new();
        let mut sources = Vec::new();
        for capture in captures {
            let name = &capture.name;
            let shown = Expr {
                kind: Kind::Name(name.clone()),
                ty: TypeId::ERROR,
                span: capture.span,
                depth: 0,
                is_grouped: false,
            };
            let outer = self.scopes.len().saturating_sub(1);
            if self.outer_type(name, outer).is_none() {
                let module = self.module.clone();
                let text =
                    match self.engine.program.find(name, &module).map(|(_, symbol)| symbol.meaning.clone()) {
                        Some(Meaning::Type(_)) => format!("cannot specify type in capture: {name}"),
                        Some(_) => format!("cannot specify global in capture: {name}"),
                        None => format!("no such local identifier: {name}"),
                    };
                self.error(capture.span, &text);
                return None;
            }
            if all.iter().any(|known| known.name == *name) {
                self.error(capture.span, &format!("{name} listed multiple times in capture ({about})"));
                return None;
            }
            let source = self.expression(shown);
            all.push(Captured { name: name.clone(), ty: source.ty, is_used: false });
            let source = if capture.is_copy {
                let (ty, span) = (source.ty, source.span);
                Self::built(Kind::Copy(Box::new(source)), ty, span, 1)
            } else {
                source
            };
            sources.push(source);
        }
        Some((all, sources))
    }

    pub(super) fn lambda(&mut self, lambda: Lambda, span: Span, depth: u16) -> Expr {
        let TypeKind::Function(flavor, parameters, result) = &lambda.signature.kind else {
            return Self::built(Kind::Lambda(Box::new(lambda)), TypeId::ERROR, span, depth);
        };
        let ty = self.function_type(*flavor, parameters, result.as_deref());
        let own = self.types().signature(ty).cloned();
        let mut scope = Scope { flavor: Some(Flavor::Function), is_inner: true, ..Scope::default() };
        scope.result = own.as_ref().map(|own| own.result);
        scope.infers_result = *flavor == Flavor::Function && result.is_none();
        for field in own.iter().flat_map(|own| own.parameters.iter()) {
            scope.declare(&field.name, field.ty, span);
        }
        for local in scope.names.values_mut() {
            local.is_set = true;
        }
        let parameters = scope.registers;
        let whole = Expr { kind: Kind::Lambda(Box::new(lambda.clone())), ty, span, depth, is_grouped: false };
        let about = self.text(&whole);
        let mut sources = Vec::new();
        if let Some(captures) = &lambda.captures {
            let Some((captured, found)) = self.captured(captures, &about) else {
                return Self::broken(whole);
            };
            scope.captures = captured;
            sources = found;
        }
        let before = self.engine.errors;
        self.push_scope(scope);
        let body = self.statement(lambda.body);
        let scope = self.pop_scope();
        let mut ty = ty;
        if let (Some(result), Some(own)) = (scope.result.filter(|result| *result != TypeId::VOID), own)
            && own.result != result
        {
            ty = self.types().function(crate::types::Function { result, ..own });
        }
        let mut shown = Lambda { body, sources, ..lambda };
        if self.engine.errors == before {
            self.report_captures(&scope, &about, span);
        }
        if self.engine.errors != before {
            return Self::built(Kind::Lambda(Box::new(shown)), TypeId::ERROR, span, depth);
        }
        let number = self.engine.program.functions.len();
        let name: Rc<str> = format!("lambda_<{number}>").into();
        let program = &mut self.engine.program;
        let code = crate::compile::body(program, &name, &shown.body, parameters, scope.registers, span);
        let text = listing::body(&shown.body, &program.types, &self.module);
        shown.function = self.engine.add_lambda(&name, ty, code, span);
        self.engine.program.types.show_body(shown.function, ty, &name, &text);
        Self::built(Kind::Lambda(Box::new(shown)), ty, span, depth)
    }

    fn report_captures(&mut self, scope: &Scope, about: &str, span: Span) {
        if let Some(name) = scope.missing.first() {
            self.error(span, &format!("{name} is used inside lambda but not captured ({about})"));
            return;
        }
        if let Some(captured) = scope.captures.iter().find(|captured| !captured.is_used) {
            let text = format!("{} is captured but not used inside lambda ({about})", captured.name);
            self.error(span, &text);
        }
    }

    pub(super) fn when(&mut self, mut when: When, span: Span) -> When {
        self.engine.waits |= !self.engine.in_prelude;
        let mut scope = Scope { flavor: Some(Flavor::Function), is_inner: true, ..Scope::default() };
        let outer_result = self.scope().result;
        scope.result = if when.returns { outer_result } else { Some(TypeId::VOID) };
        scope.is_when = when.captures.is_none();
        let mut sources = Vec::new();
        if let Some(captures) = when.captures.clone() {
            let Some((captured, found)) = self.captured(&captures, "when") else { return when };
            scope.captures = captured;
            sources = found;
        }
        if let Some(loops) = self.scopes.last() {
            scope.flavor = loops.flavor.map(|_| Flavor::Function);
        }
        // The delay of the timeout is known when the trigger is made.
        let before = self.engine.errors;
        self.push_scope(scope);
        let condition = std::mem::replace(
            &mut when.condition,
            Self::constant(crate::values::Value::Unset, TypeId::BOOL, span),
        );
        let condition = self.test(condition, "conditional in test must be boolean");
        let body = self.statement(std::mem::replace(&mut when.body, Stmt { kind: StmtKind::Null, span }));
        let timeout = when.timeout.take().map(|(delay, stmt)| {
            let delay = self.expression(delay);
            if delay.ty != TypeId::INTERVAL && delay.ty != TypeId::ERROR {
                self.error_about(&delay, "when timeout requires a time interval");
            }
            let stmt = stmt.map(|stmt| Box::new(self.statement(*stmt)));
            (delay, stmt)
        });
        let scope = self.pop_scope();
        if scope.is_when {
            for captured in &scope.captures {
                let shown = Expr {
                    kind: Kind::Name(captured.name.clone()),
                    ty: TypeId::ERROR,
                    span,
                    depth: 0,
                    is_grouped: false,
                };
                sources.push(self.expression(shown));
            }
        }
        when.condition = condition;
        when.body = body;
        when.timeout = timeout;
        when.sources = sources;
        if self.engine.errors != before {
            return when;
        }
        let code = crate::compile::when(&mut self.engine.program, &when, scope.registers, span);
        when.function = self.engine.add_lambda(&"when".into(), TypeId::VOID, code, span);
        when
    }
}
