//! Warnings about what nobody uses, and about loops that change what they run over.

use super::Checker;
use crate::syntax::ast::{Expr, Kind, Stmt, StmtKind};
use crate::types::Flavor;
use crate::vm::Engine;

impl Checker<'_> {
    /// Warns where a loop over a table adds to the table or removes from it.
    pub(super) fn warn_of_changes(&mut self, over: &Expr, body: &Stmt) {
        if !self.engine.program.types.is_table(over.ty) {
            return;
        }
        let name = self.text(over);
        let mut found = Vec::new();
        changes(body, &name, self, &mut found, 0);
        for expr in found {
            let text = self.text(&expr);
            self.engine.report_at(
                "expression warning",
                expr.span,
                &format!("possible loop/iterator invalidation ({text})"),
            );
        }
    }
}

/// Finds changes of a table in a statement.
fn changes(stmt: &Stmt, name: &str, checker: &Checker<'_>, found: &mut Vec<Expr>, depth: usize) {
    if depth > 100 {
        return;
    }
    let mut inner = |stmt: &Stmt| changes(stmt, name, checker, found, depth + 1);
    match &stmt.kind {
        StmtKind::Block(all) => {
            // What ends the loop behind the change does no harm.
            let leaves =
                matches!(all.last().map(|last| &last.kind), Some(StmtKind::Break | StmtKind::Return(_)));
            for stmt in all.iter().filter(|stmt| !leaves || !matches!(stmt.kind, StmtKind::Expr(_))) {
                inner(stmt);
            }
        }
        StmtKind::If(_, yes, no) => {
            inner(yes);
            if let Some(no) = no {
                inner(no);
            }
        }
        StmtKind::While(_, body) | StmtKind::For(_, _, _, body, _) => inner(body),
        StmtKind::Switch(_, cases) => cases.iter().flat_map(|case| &case.body).for_each(inner),
        StmtKind::Expr(expr) => {
            let target = match &expr.kind {
                Kind::Add(target) | Kind::Delete(target) => target,
                Kind::Assign(target, _) => target,
                _ => return,
            };
            if let Kind::Index(base, _) = &target.kind
                && checker.text(base) == name
            {
                found.push((**target).clone());
            }
        }
        _ => {}
    }
}

/// Warns about functions that nobody calls, and handlers of events that nobody raises.
pub fn report_unused(engine: &mut Engine) {
    let mut warnings = Vec::new();
    for global in &engine.program.globals {
        let Some(function) = global.function.and_then(|number| engine.program.functions.get(number as usize))
        else {
            continue;
        };
        let Some(body) = function.bodies.first() else { continue };
        if engine.is_prelude(body.span.file) || global.is_used && function.flavor != Flavor::Function {
            continue;
        }
        match function.flavor {
            Flavor::Event if !function.is_declared && !global.is_used => {
                warnings.push((
                    0,
                    body.span,
                    format!("handler for non-existing event cannot be invoked ({})", function.name),
                ));
            }
            Flavor::Function
                if !global.is_exported
                    && function.name.contains("::")
                    && !engine.is_called(&function.name) =>
            {
                let text = format!("non-exported function does not have any callers ({})", function.name);
                warnings.push((1, body.span, text));
            }
            _ => {}
        }
    }
    warnings.sort_by_key(|(kind, span, _)| (*kind, span.file, span.first));
    for (_, span, text) in warnings {
        engine.report_at("warning", span, &text);
    }
}
