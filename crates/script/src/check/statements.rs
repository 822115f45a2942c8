//! Statements.

use std::collections::HashSet;
use std::rc::Rc;

use super::Checker;
use crate::source::Span;
use crate::syntax::ast::{Case, Expr, Kind, Stmt, StmtKind, Variable, VariableKind};
use crate::syntax::display;
use crate::types::{Flavor, Type, TypeId};

impl Checker<'_> {
    pub(super) fn statement(&mut self, stmt: Stmt) -> Stmt {
        let span = stmt.span;
        let kind = match stmt.kind {
            StmtKind::Expr(expr) => StmtKind::Expr(self.expression_statement(expr)),
            StmtKind::Print(all) => self.print(all, span),
            StmtKind::Event(expr) => StmtKind::Event(self.expression(expr)),
            StmtKind::Block(all) => {
                StmtKind::Block(all.into_iter().map(|stmt| self.unless_fatal(stmt)).collect())
            }
            StmtKind::Local(local) => self.local(*local),
            StmtKind::If(test, yes, no) => {
                let test = self.test(test, "conditional in test must be boolean");
                let yes = Box::new(self.unless_fatal(*yes));
                let no = no.map(|no| Box::new(self.unless_fatal(*no)));
                StmtKind::If(test, yes, no)
            }
            StmtKind::While(test, body) => {
                let test = self.test(test, "while conditional must be boolean");
                let body = self.in_loop(*body);
                StmtKind::While(test, Box::new(body))
            }
            StmtKind::For(names, value, over, body, _) => self.for_loop(names, value, over, *body, span),
            StmtKind::Switch(value, cases) => self.switch(value, cases),
            StmtKind::Next => {
                if self.scope().loops == 0 {
                    self.error(span, "next statement used outside of for or while statement. (next )");
                }
                StmtKind::Next
            }
            StmtKind::Break => {
                let is_hook = self.scope().flavor == Some(Flavor::Hook);
                if self.scope().breakable == 0 && !is_hook {
                    let text = "break statement used outside of for, while or switch statement and not within a hook. \
                                (break )";
                    self.error(span, text);
                }
                StmtKind::Break
            }
            StmtKind::Return(value) => self.return_statement(value, span),
            StmtKind::When(when) => StmtKind::When(Box::new(self.when(*when, span))),
            StmtKind::Assert(test, text) => {
                let test = self.expression(test);
                if test.ty != TypeId::BOOL && test.ty != TypeId::ERROR {
                    self.error_about(&test, "conditional must be boolean");
                }
                let text = text.map(|text| {
                    let text = self.expression(text);
                    if text.ty != TypeId::STRING && text.ty != TypeId::ERROR {
                        self.error_about(&text, "message must be string");
                    }
                    text
                });
                StmtKind::Assert(test, text)
            }
            kind @ (StmtKind::Null | StmtKind::Fallthrough) => kind,
        };
        Stmt { kind, span }
    }

    /// Checks a statement, unless an unknown name has ended reading.
    fn unless_fatal(&mut self, stmt: Stmt) -> Stmt {
        if self.engine.is_fatal {
            Stmt { kind: StmtKind::Null, span: stmt.span }
        } else {
            self.statement(stmt)
        }
    }

    fn in_loop(&mut self, body: Stmt) -> Stmt {
        self.scope().loops += 1;
        self.scope().breakable += 1;
        let body = self.unless_fatal(body);
        self.scope().loops -= 1;
        self.scope().breakable -= 1;
        body
    }

    fn expression_statement(&mut self, expr: Expr) -> Expr {
        let expr = self.expression(expr);
        let does = matches!(
            expr.kind,
            Kind::Call(..)
                | Kind::Hook(_)
                | Kind::Assign(..)
                | Kind::Update(..)
                | Kind::Schedule(..)
                | Kind::Add(_)
                | Kind::Delete(_)
                | Kind::Declare(..)
        ) || matches!(&expr.kind, Kind::Unary(prefix, _) if matches!(prefix, crate::syntax::ast::Prefix::Increment | crate::syntax::ast::Prefix::Decrement));
        if let Kind::Hook(inner) = &expr.kind
            && !matches!(inner.kind, Kind::Call(..))
        {
            self.warn_about(&inner.clone(), "expression value ignored");
        } else if !does && !acts(&expr) && expr.ty != TypeId::ERROR {
            self.warn_about(&expr, "expression value ignored");
        }
        expr
    }

    fn print(&mut self, all: Vec<Expr>, span: Span) -> StmtKind {
        let all: Vec<Expr> = all.into_iter().map(|expr| self.expression(expr)).collect();
        if all.iter().any(|expr| expr.ty == TypeId::VOID) {
            let text = display::list(&all, &self.engine.program.types);
            self.error(span, &format!("value of type void illegal (print {text})"));
        }
        StmtKind::Print(all)
    }

    pub(super) fn test(&mut self, test: Expr, text: &str) -> Expr {
        let before = self.engine.errors;
        let test = self.expression(test);
        if !matches!(test.ty, TypeId::BOOL | TypeId::ANY | TypeId::ERROR) && self.engine.errors == before {
            self.error_about(&test, text);
        }
        test
    }

    fn local(&mut self, mut local: Variable) -> StmtKind {
        let span = local.span;
        let declared = local.ty.as_ref().map(|ty| self.resolve(ty));
        let class = local.init.as_ref().map(|(class, _)| *class);
        let init = local.init.take().map(|(_, init)| self.initial_expression(init, declared));
        let is_broken =
            init.as_ref().is_some_and(|init| init.ty == TypeId::ERROR) || declared == Some(TypeId::ERROR);
        if let Some(init) = &init
            && declared.is_none()
            && !is_broken
            && self.refuse_untyped(init)
        {
            self.declare_local(&local, TypeId::ERROR);
            return StmtKind::Null;
        }
        let Some(ty) = declared.or_else(|| init.as_ref().map(|init| init.ty)) else {
            self.error(span, &format!("no type given ({})", local.name));
            return StmtKind::Null;
        };
        let ty = if ty == TypeId::VOID && declared.is_none() { TypeId::ERROR } else { ty };
        if is_broken {
            self.declare_local(&local, ty);
            return StmtKind::Null;
        }
        let mut attributes = std::mem::take(&mut local.attributes);
        let init = match init {
            Some(init) => match self.fit_initial(init, ty, &local.name.clone()) {
                Some(init) => Some(init),
                None => {
                    self.declare_local(&local, ty);
                    return StmtKind::Null;
                }
            },
            None => None,
        };
        let kept = self.global_attributes(&mut attributes, ty, Span::line(span.file, span.last));
        if let Some(kept) = kept {
            self.engine.program.attributes.push(kept);
            let number = self.engine.program.attributes.len();
            local.ty = None;
            local.attributes =
                vec![crate::syntax::ast::Attribute { name: number.to_string().into(), value: None, span }];
        }
        let Some(register) = self.declare_local(&local, ty) else { return StmtKind::Null };
        local.register = register;
        let kind = crate::syntax::ast::TypeKind::Known(ty);
        local.ty = Some(crate::syntax::ast::TypeExpr { kind, span });
        local.init = init.map(|init| (class.unwrap_or(crate::syntax::ast::InitClass::Assign), init));
        StmtKind::Local(Box::new(local))
    }

    /// Declares a local, or takes the one of the name and type again.
    fn declare_local(&mut self, local: &Variable, ty: TypeId) -> Option<u16> {
        let name = &local.name;
        let end = Span::line(local.span.file, local.span.last);
        if let Some(known) = self.scope().names.get(name).cloned() {
            let is_parameter = false;
            if !is_parameter
                && (self.types().same(known.ty, ty) || known.ty == TypeId::ERROR || ty == TypeId::ERROR)
            {
                let is_set = local.init.is_some();
                if let Some(local) = self.scope().names.get_mut(name) {
                    local.is_set &= is_set;
                }
                return Some(known.register);
            }
            if &**name == "_"
                || local.ty.is_some()
                || local.init.is_some()
                || local.kind == VariableKind::Local
            {
                // Another type makes another local of the name.
                let register = self.scope().declare(name, ty, local.span);
                return Some(register);
            }
        }
        let is_captured = self.scope().captures.iter().any(|captured| captured.name == *name);
        if is_captured {
            let outer = self.scopes.len().checked_sub(2).and_then(|at| self.scopes.get(at));
            let there =
                outer.and_then(|scope| scope.names.get(name)).map(|local| local.span).unwrap_or_default();
            self.error_between(
                &super::Thing::Name(name, there),
                &super::Thing::Name(name, end),
                "already defined",
            );
            return None;
        }
        let is_const = local.kind == VariableKind::Const;
        let has_value = local.init.is_some();
        let register = self.scope().declare(name, ty, Span::line(local.span.file, local.span.last));
        if let Some(local) = self.scope().names.get_mut(name) {
            local.is_const = is_const;
            local.is_set = has_value;
        }
        Some(register)
    }

    fn return_statement(&mut self, value: Option<Expr>, span: Span) -> StmtKind {
        let Some(value) = value else { return StmtKind::Return(None) };
        let mut result = self.scope().result;
        let value = self.initial_expression(value, result.filter(|result| *result != TypeId::VOID));
        self.scope().returns_value = true;
        if self.scope().infers_result && value.ty != TypeId::ERROR {
            // The first value that is returned says what the function returns.
            self.scope().infers_result = false;
            self.scope().result = Some(value.ty);
            result = Some(value.ty);
        }
        if value.ty == TypeId::ERROR {
            return StmtKind::Return(Some(value));
        }
        let shown = self.text(&value);
        match (self.scope().flavor, result) {
            (Some(Flavor::Hook), _) => {
                let text = format!(
                    "Remove in v9.1: Returning values from a hook is deprecated. Consider using 'break' to inhibit \
                     lower-priority hooks, otherwise use an empty return if necessary. (return ({shown}))"
                );
                self.engine.report_at("warning", span, &text);
                if let Err(wrong) = self.convert(value, TypeId::BOOL) {
                    return StmtKind::Return(Some(wrong));
                }
                StmtKind::Return(None)
            }
            (Some(Flavor::Event), _) | (_, Some(TypeId::VOID)) => {
                self.error(span, &format!("return statement cannot have an expression (return ({shown}))"));
                StmtKind::Return(None)
            }
            (_, Some(result)) => {
                let value = self.literal_for(value, result);
                match self.convert(value, result) {
                    Ok(value) => StmtKind::Return(Some(value)),
                    Err(value) => {
                        if result != TypeId::ERROR {
                            self.error(span, &format!("type mismatch in return ({shown})"));
                        }
                        StmtKind::Return(Some(value))
                    }
                }
            }
            (_, None) => StmtKind::Return(Some(value)),
        }
    }

    fn for_loop(
        &mut self,
        names: Vec<Rc<str>>,
        value: Option<Rc<str>>,
        over: Expr,
        body: Stmt,
        span: Span,
    ) -> StmtKind {
        let over = self.expression(over);
        let (keys, held) = match self.types().get(over.ty).clone() {
            Type::Table { keys, value } => (keys.to_vec(), value),
            Type::Vector(element) => (vec![TypeId::COUNT], Some(element)),
            _ if over.ty == TypeId::STRING => (vec![TypeId::STRING], None),
            _ if over.ty == TypeId::ERROR => (vec![TypeId::ERROR; names.len()], Some(TypeId::ERROR)),
            _ => {
                self.error_about(&over, "target to iterate over must be a table, set, vector, or string");
                (vec![TypeId::ERROR; names.len()], Some(TypeId::ERROR))
            }
        };
        let all_blank = names.len() == 1 && names.first().is_some_and(|name| &**name == "_");
        if keys.len() != names.len() && !all_blank && !keys.is_empty() {
            self.error_about(&over, "wrong index size");
        }
        let before = self.engine.errors;
        let mut registers = Vec::new();
        for (place, name) in names.iter().enumerate() {
            let ty = keys.get(place).copied().unwrap_or(TypeId::ERROR);
            registers.push(self.loop_variable(name, ty, &over, span));
        }
        let value_register =
            value.as_ref().map(|name| self.loop_variable(name, held.unwrap_or(TypeId::VOID), &over, span));
        registers.extend(value_register);
        if self.engine.errors != before {
            self.in_loop(body);
            return StmtKind::Null;
        }
        let body = self.in_loop(body);
        StmtKind::For(names, value, over, Box::new(body), registers)
    }

    fn loop_variable(&mut self, name: &Rc<str>, ty: TypeId, over: &Expr, span: Span) -> Option<Expr> {
        if &**name == "_" {
            self.scope().declare(name, ty, span);
            return None;
        }
        let known = self.scope().names.get(name).cloned();
        let module = self.module.clone();
        let fault = match &known {
            Some(local) if local.is_const => Some("constant used in 'for' loop"),
            Some(_) => None,
            None => {
                let found = self.engine.program.find(name, &module);
                let is_global = found.is_some_and(|(_, symbol)| {
                    matches!(symbol.meaning, crate::program::Meaning::Global(_)) && symbol.span.is_known()
                });
                is_global.then_some("global variable used in 'for' loop")
            }
        };
        if let Some(fault) = fault {
            let line = if known.is_some() {
                known.as_ref().map(|local| local.span).unwrap_or_default()
            } else {
                self.symbol_span(name)
            };
            self.error(line, &format!("{fault} ({name})"));
            let shown = self.text(over);
            let place = self.engine.program.files.place(Span::line(span.file, span.first));
            self.engine.report(
                "error",
                &format!("{place} and error"),
                &format!("type clash in iteration ({shown} and error)"),
            );
            return None;
        }
        let register = match known {
            Some(local) if self.types().same(local.ty, ty) => local.register,
            _ => self.scope().declare(name, ty, span),
        };
        if let Some(local) = self.scope().names.get_mut(name) {
            local.is_set = true;
        }
        Some(Self::built(Kind::Local(register, name.clone()), ty, span, 0))
    }

    fn symbol_span(&self, name: &str) -> Span {
        self.engine.program.find(name, &self.module).map(|(_, symbol)| symbol.span).unwrap_or_default()
    }

    fn switch(&mut self, value: Expr, cases: Vec<Case>) -> StmtKind {
        let value = self.expression(value);
        let mut seen = HashSet::new();
        let mut checked = Vec::new();
        let mut has_default = false;
        self.scope().breakable += 1;
        for mut case in cases {
            if case.is_default && std::mem::replace(&mut has_default, true) {
                self.error(case.span, "multiple default labels");
            }
            let labels = std::mem::take(&mut case.values);
            for label in labels {
                let label = self.expression(label);
                let label = self.convert(label, value.ty).unwrap_or_else(|broken| broken);
                let text = self.text(&label);
                if !seen.insert(text) && label.ty != TypeId::ERROR {
                    self.error_about(&label, "duplicate case label value");
                }
                case.values.push(label);
            }
            self.type_labels(&mut case, &value, &mut seen);
            case.body = case.body.into_iter().map(|stmt| self.unless_fatal(stmt)).collect();
            checked.push(case);
        }
        self.scope().breakable -= 1;
        StmtKind::Switch(value, checked)
    }

    fn type_labels(&mut self, case: &mut Case, value: &Expr, seen: &mut HashSet<String>) {
        let types = std::mem::take(&mut case.types);
        let labels: Vec<TypeId> = types.iter().map(|(ty, ..)| self.resolve(ty)).collect();
        let texts: Vec<String> = labels.iter().map(|id| format!("type {}", self.types().text(*id))).collect();
        let mut faults = Vec::new();
        for ((written, name, _), (id, text)) in types.into_iter().zip(labels.iter().copied().zip(&texts)) {
            if value.ty != TypeId::ANY && value.ty != TypeId::ERROR && !self.types().same(value.ty, id) {
                faults.push("cannot cast switch expression to case type");
            } else if seen.contains(text) {
                faults.push("duplicate case label");
            }
            seen.insert(text.clone());
            let register = match &name {
                Some(name) => self.scope().declare(name, id, case.span),
                None => u16::MAX,
            };
            let kind = crate::syntax::ast::TypeKind::Known(id);
            case.types.push((crate::syntax::ast::TypeExpr { kind, span: written.span }, name, register));
        }
        for fault in faults {
            let body: String =
                case.body.iter().map(|stmt| display::statement(stmt, &self.engine.program.types)).collect();
            let text = format!("{fault} (case {}:{{ {body}}})", texts.join(", "));
            self.error(case.span, &text);
        }
    }
}

/// Returns whether computing a value does more than that.
fn acts(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Binary(_, left, right) => acts(left) || acts(right),
        Kind::Choice(_, left, right) => acts(left) || acts(right),
        Kind::Call(..) | Kind::Assign(..) | Kind::Update(..) | Kind::Hook(_) | Kind::Schedule(..) => true,
        Kind::Unary(prefix, inner) => {
            matches!(prefix, crate::syntax::ast::Prefix::Increment | crate::syntax::ast::Prefix::Decrement)
                || acts(inner)
        }
        _ => false,
    }
}
