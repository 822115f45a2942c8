//! Functions as `print` and logs show them: their statements, each on a line.

use super::ast::{Case, Expr, Stmt, StmtKind, TypeKind, Variable, When};
use super::display::View;
use crate::types::{Type, Types};

/// Returns a body as text. Locals have the name of their module before theirs.
pub fn body(stmt: &Stmt, types: &Types, module: &str) -> String {
    let module = if module == "GLOBAL" { "" } else { module };
    let mut listing = Listing { view: View { types, module }, out: String::new(), level: 0 };
    listing.statement(stmt);
    listing.out
}

/// Returns the text of a function without the tabs that begin its lines.
pub fn without_tabs(text: &str) -> String {
    text.split('\n').map(|line| line.trim_start_matches('\t')).collect::<Vec<_>>().join("\n")
}

struct Listing<'a> {
    view: View<'a>,
    out: String,
    /// Tabs before what begins a line.
    level: usize,
}

impl Listing<'_> {
    fn add(&mut self, text: &str) {
        if self.out.ends_with('\n') && !text.is_empty() {
            self.out.extend(std::iter::repeat_n('\t', self.level));
        }
        self.out.push_str(text);
    }

    fn line(&mut self) {
        self.out.push('\n');
    }

    /// Writes what stands below a condition, on lines of its own.
    fn below(&mut self, write: impl FnOnce(&mut Self)) {
        self.level += 1;
        self.line();
        write(self);
        self.level -= 1;
        self.line();
    }

    fn expression(&mut self, expr: &Expr) {
        let text = self.view.expression(expr);
        self.add(&text);
    }

    /// Writes a word, expressions, and the end of the statement.
    fn simple(&mut self, word: &str, all: &[Expr]) {
        let text = self.view.list(all);
        self.add(&format!("{word}{text};"));
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Null => self.add(";"),
            StmtKind::Expr(expr) => self.simple("", std::slice::from_ref(expr)),
            // The word is the expression's own.
            StmtKind::Event(expr) => self.simple("", std::slice::from_ref(expr)),
            StmtKind::Print(all) => self.simple("print ", all),
            StmtKind::Block(all) => self.block(all),
            StmtKind::Local(local) => self.local(local),
            StmtKind::If(test, yes, no) => {
                let test = self.view.expression(test);
                self.add(&format!("if ({test}) "));
                self.below(|this| this.statement(yes));
                if let Some(no) = no {
                    self.add("else");
                    self.below(|this| this.statement(no));
                }
            }
            StmtKind::Switch(value, cases) => self.switch(value, cases),
            StmtKind::For(names, value, over, body, _) => {
                let mut names: Vec<_> = names.iter().map(|name| self.view.local(name)).collect();
                names.extend(value.iter().map(|name| self.view.local(name)));
                let over = self.view.expression(over);
                self.add(&format!("for ([{}] in {over}) ", names.join(", ")));
                self.below(|this| this.statement(body));
            }
            StmtKind::While(test, body) => {
                let test = self.view.expression(test);
                self.add(&format!("while ({test}) "));
                self.below(|this| this.statement(body));
            }
            StmtKind::Next => self.add("next ;"),
            StmtKind::Break => self.add("break ;"),
            StmtKind::Fallthrough => self.add("fallthrough ;"),
            StmtKind::Return(None) => self.add("return ;"),
            StmtKind::Return(Some(value)) => {
                let value = self.view.expression(value);
                self.add(&format!("return ({value});"));
            }
            StmtKind::When(when) => self.when(when),
            StmtKind::Assert(test, message) => {
                let mut all = vec![test.clone()];
                all.extend(message.clone());
                self.simple("assert ", &all);
            }
        }
    }

    fn block(&mut self, all: &[Stmt]) {
        if all.is_empty() {
            self.add("{ }");
            return;
        }
        self.add("{ ");
        self.line();
        for stmt in all {
            self.statement(stmt);
            self.line();
        }
        self.add("}");
    }

    fn local(&mut self, local: &Variable) {
        let name = self.view.local(&local.name);
        match &local.init {
            Some((_, value)) => {
                let value = self.view.expression(value);
                self.add(&format!("{name} = {value};"));
            }
            // Only containers are made where they are declared.
            None if local.ty.as_ref().is_some_and(|ty| !self.is_made(&ty.kind)) => self.add(";"),
            None => self.add(&format!("<init> {name};")),
        }
    }

    fn switch(&mut self, value: &Expr, cases: &[Case]) {
        let value = self.view.expression(value);
        self.add(&format!("switch {value} {{"));
        self.below(|this| {
            for case in cases {
                this.case(case);
            }
        });
        self.add("}");
        self.line();
    }

    fn case(&mut self, case: &Case) {
        let mut labels: Vec<_> = case.values.iter().map(|value| self.view.expression(value)).collect();
        for (ty, name, _) in &case.types {
            let text = match &ty.kind {
                TypeKind::Name(name) => name.to_string(),
                TypeKind::Known(id) => self.view.types.text(*id),
                _ => String::new(),
            };
            let bound = name.iter().map(|name| format!(" as {name}")).collect::<String>();
            labels.push(format!("type {text}{bound}"));
        }
        let head = if case.is_default { "default:".into() } else { format!("case {}:", labels.join(", ")) };
        self.add(&head);
        self.below(|this| this.block(&case.body));
    }

    fn when(&mut self, when: &When) {
        let condition = self.view.expression(&when.condition);
        self.add(&format!("{}when ({condition}) ", if when.returns { "return " } else { "" }));
        self.below(|this| this.statement(&when.body));
        if let Some((delay, body)) = &when.timeout {
            self.add("timeout ");
            self.expression(delay);
            self.add(" ");
            if let Some(body) = body {
                self.below(|this| this.statement(body));
            }
        }
    }

    /// Whether a declaration makes a value of the type.
    fn is_made(&self, kind: &TypeKind) -> bool {
        match kind {
            TypeKind::Known(id) => {
                matches!(self.view.types.get(*id), Type::Table { .. } | Type::Vector(_) | Type::Record(_))
            }
            TypeKind::Table(..) | TypeKind::Set(_) | TypeKind::Vector(_) | TypeKind::Record(_) => true,
            _ => false,
        }
    }
}
