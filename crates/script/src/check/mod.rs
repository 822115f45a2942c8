//! Names and types: syntax trees to trees in which every expression has its type, and every name its place.

mod arithmetic;
mod assignment;
mod attributes;
mod calls;
mod constructors;
mod containers;
mod conversion;
mod declarations;
mod definitions;
mod expressions;
mod initial;
mod lambdas;
mod mentions;
mod operators;
mod redefinitions;
mod scope;
mod statements;
mod types;
mod usage;

use std::rc::Rc;

pub(crate) use definitions::function_value;
pub use mentions::Mentions;
pub use scope::{Captured, Scope};
pub use usage::report_unused;

use crate::source::Span;
use crate::syntax::ast::{Decl, Expr, Kind};
use crate::syntax::display;
use crate::types::TypeId;
use crate::values::Value;
use crate::vm::Engine;

/// The checker of one declaration.
pub struct Checker<'e> {
    /// The program, and what runs it.
    pub engine: &'e mut Engine,
    /// The module of the declaration.
    pub module: Rc<str>,
    /// The declaration stands in `export`.
    pub exported: bool,
    /// Functions around the current place; the first one is the top level.
    scopes: Vec<Scope>,
    /// What is being assigned to, for messages.
    assigning: Option<String>,
    /// Locals that must not be named here, as in constructors that are expanded.
    in_init: bool,
}

/// What a message is about.
pub enum Thing<'a> {
    /// An expression.
    Expr(&'a Expr),
    /// A type.
    Type(TypeId),
    /// A name with its place.
    Name(&'a str, Span),
}

impl<'e> Checker<'e> {
    /// Returns a checker for a declaration.
    pub fn new(engine: &'e mut Engine, module: Rc<str>, exported: bool) -> Self {
        let top = std::mem::take(&mut engine.top);
        Self { engine, module, exported, scopes: vec![top], assigning: None, in_init: false }
    }

    /// Gives the scope of the top level back.
    pub fn finish(mut self) {
        if !self.scopes.is_empty() {
            self.engine.top = self.scopes.swap_remove(0);
        }
    }

    /// Checks a declaration and takes it into the program.
    pub fn declare(&mut self, declaration: Decl) {
        if &*self.module != "GLOBAL" {
            let module = self.module.clone();
            self.engine.program.modules.insert(module);
        }
        match declaration {
            Decl::Variable(variable) => self.variable(*variable),
            Decl::Type(name, ty, attributes, span) => self.type_declaration(&name, ty, &attributes, span),
            Decl::RecordFields(name, fields, span) => self.add_fields(&name, fields, span),
            Decl::FieldAttributes(name, field, class, attributes, span) => {
                self.change_field(&name, &field, class, &attributes, span);
            }
            Decl::EnumItems(name, items, span) => self.add_enum_items(&name, items, span),
            Decl::Function(definition) => self.definition(*definition),
            Decl::Statement(statement) => {
                let before = self.engine.errors;
                let checked = self.statement(statement);
                if self.engine.errors == before {
                    self.engine.top_statements.push(checked);
                }
            }
        }
    }

    /// Returns the value of a condition of `@if`.
    pub fn condition(&mut self, condition: Expr) -> Option<Value> {
        let before = self.engine.errors;
        let checked = self.outside(|this| this.expression(condition));
        if self.engine.errors != before {
            return None;
        }
        self.evaluate(&checked)
    }

    pub(super) fn types(&mut self) -> &mut crate::types::Types {
        &mut self.engine.program.types
    }

    pub(super) fn text(&self, expr: &Expr) -> String {
        display::expression(expr, &self.engine.program.types)
    }

    /// Reports an error at a place.
    pub(super) fn error(&mut self, span: Span, text: &str) {
        self.engine.report_at("error", span, text);
    }

    /// Reports an error about an expression.
    pub(super) fn error_about(&mut self, expr: &Expr, text: &str) {
        if expr.ty == TypeId::ERROR && self.is_reported(expr) {
            return;
        }
        let about = self.text(expr);
        self.engine.report_at("error", expr.span, &format!("{text} ({about})"));
    }

    fn is_reported(&self, expr: &Expr) -> bool {
        match &expr.kind {
            Kind::Binary(_, left, right) | Kind::Assign(left, right) => {
                left.ty == TypeId::ERROR && right.ty == TypeId::ERROR
            }
            _ => false,
        }
    }

    pub(super) fn warn_about(&mut self, expr: &Expr, text: &str) {
        let about = self.text(expr);
        self.engine.report_at("warning", expr.span, &format!("{text} ({about})"));
    }

    fn describe(&self, thing: &Thing<'_>) -> (String, String) {
        let program = &self.engine.program;
        let place = |span: Span, text: &str| {
            if span.is_known() { program.files.place(span) } else { text.to_owned() }
        };
        match thing {
            Thing::Expr(expr) => (place(expr.span, ""), self.text(expr)),
            Thing::Type(id) => {
                let text = program.types.text(*id);
                let span = program.type_spans.get(id).copied().unwrap_or_default();
                (place(span, &text), text)
            }
            Thing::Name(name, span) => (place(*span, name), (*name).to_owned()),
        }
    }

    /// Reports an error about two things.
    pub(super) fn error_between(&mut self, first: &Thing<'_>, second: &Thing<'_>, text: &str) {
        let (one, first) = self.describe(first);
        let (two, second) = self.describe(second);
        if one == two {
            self.engine.report("error", &one, &format!("{text} ({first} and {second})"));
            return;
        }
        let about = if first == second { first } else { format!("{first} and {second}") };
        self.engine.report("error", &format!("{one} and {two}"), &format!("{text} ({about})"));
    }

    /// Returns an expression of the error's type, which no later message is about.
    pub(super) fn broken(mut expr: Expr) -> Expr {
        expr.ty = TypeId::ERROR;
        expr
    }

    pub(super) fn make(kind: Kind, ty: TypeId, like: &Expr) -> Expr {
        Expr { kind, ty, span: like.span, depth: like.depth.saturating_add(1), is_grouped: false }
    }

    pub(super) fn constant(value: Value, ty: TypeId, span: Span) -> Expr {
        Expr { kind: Kind::Constant(value), ty, span, depth: 0, is_grouped: false }
    }

    pub(super) fn scope(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        let last = self.scopes.len() - 1;
        // A scope was put there just now, if there was none.
        match self.scopes.get_mut(last) {
            Some(scope) => scope,
            None => &mut self.engine.top,
        }
    }

    /// Takes the outermost scope for a function: nothing around it is visible.
    pub(super) fn push_scope(&mut self, scope: Scope) {
        self.scopes.push(scope);
    }

    pub(super) fn pop_scope(&mut self) -> Scope {
        self.scopes.pop().unwrap_or_default()
    }
}
