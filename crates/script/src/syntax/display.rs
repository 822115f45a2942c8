//! Expressions and statements as messages show them.

use std::fmt::Write as _;

use super::ast::{Attribute, Container, Expr, Kind, Lambda, Operator, Prefix, Stmt, StmtKind};
use crate::types::Types;
use crate::values::{Style, print_value};

/// What is needed to show a tree: types, and the module whose name stands before locals, if any.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) types: &'a Types,
    pub(super) module: &'a str,
}

impl View<'_> {
    /// Returns the name of a local.
    pub(super) fn local(&self, name: &str) -> String {
        if self.module.is_empty() { name.to_owned() } else { format!("{}::{name}", self.module) }
    }

    /// Returns an expression as text.
    pub(super) fn expression(&self, expr: &Expr) -> String {
        let mut out = String::new();
        self.write(expr, &mut out);
        out
    }

    /// Returns expressions with commas between them.
    pub(super) fn list(&self, all: &[Expr]) -> String {
        all.iter().map(|expr| self.expression(expr)).collect::<Vec<_>>().join(", ")
    }
}

/// Returns an expression as text.
pub fn expression(expr: &Expr, types: &Types) -> String {
    View { types, module: "" }.expression(expr)
}

/// Returns expressions with commas between them.
pub fn list(all: &[Expr], types: &Types) -> String {
    View { types, module: "" }.list(all)
}

/// Returns an attribute as text.
pub fn attribute(attribute: &Attribute, types: &Types) -> String {
    match &attribute.value {
        Some(value) => format!("&{}={}", attribute.name, expression(value, types)),
        None => format!("&{}", attribute.name),
    }
}

impl View<'_> {
    fn write(&self, expr: &Expr, out: &mut String) {
        if expr.is_grouped {
            out.push('(');
            self.kind(expr, out);
            out.push(')');
        } else {
            self.kind(expr, out);
        }
    }

    fn kind(&self, expr: &Expr, out: &mut String) {
        let types = self.types;
        let text = |expr: &Expr| self.expression(expr);
        let _ = match &expr.kind {
            Kind::Local(_, name) | Kind::Capture(_, name) => write!(out, "{}", self.local(name)),
            Kind::Name(name)
            | Kind::Global(_, name)
            | Kind::Function(_, name)
            | Kind::Type(_, name)
            | Kind::Host(name) => {
                write!(out, "{name}")
            }
            Kind::Written(_) => Ok(()),
            Kind::Constant(value) => {
                let mut bytes = Vec::new();
                print_value(value, types, Style::Escaped, &mut bytes);
                write!(out, "{}", String::from_utf8_lossy(&bytes))
            }
            Kind::Call(function, arguments) => write!(out, "{}({})", text(function), self.list(arguments)),
            Kind::Event(function, arguments) => {
                write!(out, "event {}({})", text(function), self.list(arguments))
            }
            Kind::Hook(call) => write!(out, "{}", text(call)),
            Kind::Schedule(delay, event) => write!(out, "schedule {} {{ {} }}", text(delay), text(event)),
            Kind::Index(base, index) => write!(out, "{}[{}]", text(base), self.list(index)),
            Kind::Slice(base, from, to) => {
                let bound = |bound: &Option<Box<Expr>>| bound.as_deref().map(text).unwrap_or_default();
                write!(out, "{}[{}:{}]", text(base), bound(from), bound(to))
            }
            Kind::Field(base, name, _) => write!(out, "{}${name}", text(base)),
            Kind::HasField(base, name, _) => write!(out, "{}?${name}", text(base)),
            Kind::Unary(prefix, inner) => write!(out, "{}{}", sign(*prefix), text(inner)),
            Kind::Binary(operator, left, right) => {
                let (left, operator, right) = in_order(*operator, left, right);
                write!(out, "{} {} {}", text(left), operator.sign(), text(right))
            }
            Kind::Assign(left, right) => write!(out, "{} = {}", text(left), text(right)),
            Kind::Declare(name, value) => write!(out, "local {name} = {}", text(value)),
            Kind::Update(operator, left, right) => {
                write!(out, "{} {}= {}", text(left), operator.sign(), text(right))
            }
            Kind::Choice(test, yes, no) => write!(out, "{} ? {} : {}", text(test), text(yes), text(no)),
            Kind::List(members) | Kind::Braces(members) => write!(out, "{}", self.list(members)),
            Kind::Record(fields, None) => write!(out, "[{}]", self.list(fields)),
            Kind::Record(fields, Some(name)) => write!(out, "{name}({})", self.list(fields)),
            Kind::FieldAssign(name, value) => write!(out, "${name}={}", text(value)),
            Kind::Container(container, members, ..) => {
                let word = match container {
                    Container::Table => "table",
                    Container::Set => "set",
                    Container::Vector => "vector",
                };
                write!(out, "{word}({})", self.list(members))
            }
            Kind::Lambda(lambda) => {
                let (signature, body) = (types.text(expr.ty), statement(&lambda.body, types));
                write!(out, "{signature}{}{body}", captures(lambda))
            }
            Kind::Size(inner) => write!(out, "sizeof {}", text(inner)),
            Kind::Copy(inner) => write!(out, "copy({})", text(inner)),
            Kind::Cast(inner, _) => write!(out, "({} as {})", text(inner), types.text(expr.ty)),
            Kind::CanCast(inner, _) | Kind::Is(inner, _) => write!(out, "{} is", text(inner)),
            Kind::Add(inner) | Kind::Delete(inner) => {
                write!(
                    out,
                    "{} {}",
                    if matches!(expr.kind, Kind::Add(_)) { "add" } else { "delete" },
                    text(inner)
                )
            }
            Kind::Coerce(inner) => {
                let name =
                    types.name_of(expr.ty).map_or_else(|| types.text(expr.ty), |name| name.to_string());
                write!(out, "(coerce {} to {name})", text(inner))
            }
            Kind::ToAny(inner) => write!(out, "to_any_coerce {}", text(inner)),
        };
    }
}

/// Returns what a lambda captures, in brackets; nothing where it says nothing of it.
fn captures(lambda: &Lambda) -> String {
    let Some(captures) = &lambda.captures else { return String::new() };
    let names = captures.iter().map(|capture| {
        if capture.is_copy { format!("copy {}", capture.name) } else { capture.name.to_string() }
    });
    format!("[{}]", names.collect::<Vec<_>>().join(",  "))
}

/// Returns a comparison as Zeek keeps it: nothing is greater than what stands to the right of it, and where both may
/// change places, constants stand before names, and what is made of others before constants.
fn in_order<'a>(operator: Operator, left: &'a Expr, right: &'a Expr) -> (&'a Expr, Operator, &'a Expr) {
    let rank = |expr: &Expr| match expr.kind {
        Kind::Name(_)
        | Kind::Local(..)
        | Kind::Capture(..)
        | Kind::Global(..)
        | Kind::Function(..)
        | Kind::Type(..) => 0,
        Kind::Constant(_) => 1,
        Kind::Unary(..) => 2,
        Kind::Binary(..) => 3,
        Kind::Index(..) => 4,
        Kind::Field(..) => 5,
        Kind::HasField(..) => 6,
        Kind::Call(..) => 8,
        Kind::Coerce(_) => 9,
        Kind::Size(_) => 10,
        _ => 7,
    };
    match operator {
        Operator::Greater => (right, Operator::Less, left),
        Operator::GreaterEqual => (right, Operator::LessEqual, left),
        Operator::Equal | Operator::NotEqual if rank(right) > rank(left) => (right, operator, left),
        _ => (left, operator, right),
    }
}

fn sign(prefix: Prefix) -> &'static str {
    match prefix {
        Prefix::Not => "!",
        Prefix::Complement => "~",
        Prefix::Negate => "-",
        Prefix::Plus => "+",
        Prefix::Increment => "++",
        Prefix::Decrement => "--",
    }
}

/// Returns a statement as text.
pub fn statement(stmt: &Stmt, types: &Types) -> String {
    let block = |all: &[Stmt]| all.iter().map(|stmt| statement(stmt, types)).collect::<Vec<_>>().join("");
    match &stmt.kind {
        StmtKind::Null => String::new(),
        StmtKind::Expr(expr) => expression(expr, types),
        StmtKind::Event(expr) => expression(expr, types),
        StmtKind::Print(all) => format!("print {}", list(all, types)),
        StmtKind::Block(all) => format!("{{ {}}}", block(all)),
        StmtKind::Local(local) => match &local.init {
            Some((_, init)) => format!("{} = {}", local.name, expression(init, types)),
            None => String::new(),
        },
        StmtKind::If(test, yes, _) => format!("if ({}){}", expression(test, types), statement(yes, types)),
        StmtKind::While(test, body) => {
            format!("while ({}){}", expression(test, types), statement(body, types))
        }
        StmtKind::For(.., over, body, _) => {
            format!("for (… in {}){}", expression(over, types), statement(body, types))
        }
        StmtKind::Switch(value, cases) => {
            let cases: String = cases.iter().map(|case| block(&case.body)).collect();
            format!("switch ({}){{ {cases}}}", expression(value, types))
        }
        StmtKind::Next => "next ".to_owned(),
        StmtKind::Break => "break ".to_owned(),
        StmtKind::Fallthrough => "fallthrough ".to_owned(),
        StmtKind::Return(None) => "return".to_owned(),
        StmtKind::Return(Some(value)) => format!("return ({})", expression(value, types)),
        StmtKind::When(when) => format!("when ({})", expression(&when.condition, types)),
        StmtKind::Assert(test, _) => format!("assert {}", expression(test, types)),
    }
}
