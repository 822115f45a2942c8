//! Statements.

use std::rc::Rc;

use super::{Host, Parse, Parser};
use crate::syntax::ast::{Case, Expr, InitClass, Kind, Stmt, StmtKind, Variable, VariableKind, When};
use crate::syntax::lexer::Token;

impl<H: Host> Parser<'_, H> {
    /// Reads a statement.
    pub(super) fn statement(&mut self) -> Parse<Stmt> {
        self.deeper(Self::statement_inner)
    }

    fn statement_inner(&mut self) -> Parse<Stmt> {
        let start = self.span;
        let kind = match &self.token {
            Token::Word(word) => {
                let word = *word;
                self.statement_word(word)?
            }
            _ => self.expression_statement()?,
        };
        Ok(Stmt { kind, span: start.to(self.previous) })
    }

    fn semicolon(&mut self) -> Parse<()> {
        self.end_statement(";")
    }

    fn expression_statement(&mut self) -> Parse<StmtKind> {
        let expr = self.expression()?;
        self.semicolon()?;
        Ok(StmtKind::Expr(expr))
    }

    fn statement_word(&mut self, word: &'static str) -> Parse<StmtKind> {
        let kind = match word {
            ";" => StmtKind::Null,
            "{" => return self.block(),
            "print" => {
                self.advance()?;
                StmtKind::Print(self.expressions(";")?)
            }
            "event" => {
                self.advance()?;
                StmtKind::Event(self.event_call()?)
            }
            "if" => return self.if_statement(),
            "switch" => return self.switch(),
            "for" => return self.for_statement(),
            "while" => {
                self.advance()?;
                self.expect("(")?;
                let test = self.expression()?;
                self.expect(")")?;
                return Ok(StmtKind::While(test, Box::new(self.statement()?)));
            }
            "when" => {
                self.advance()?;
                return self.when(false);
            }
            "next" => self.only(StmtKind::Next)?,
            "break" => self.only(StmtKind::Break)?,
            "fallthrough" => self.only(StmtKind::Fallthrough)?,
            "return" => {
                self.advance()?;
                if self.accept("when")? {
                    return self.when(true);
                }
                StmtKind::Return(if self.is(";") { None } else { Some(self.expression()?) })
            }
            "local" | "const" => {
                self.advance()?;
                let kind = if word == "local" { VariableKind::Local } else { VariableKind::Const };
                StmtKind::Local(Box::new(self.variable(kind)?))
            }
            "assert" => {
                self.advance()?;
                let test = self.expression()?;
                let text = if self.accept(",")? { Some(self.expression()?) } else { None };
                StmtKind::Assert(test, text)
            }
            _ => return self.expression_statement(),
        };
        self.semicolon()?;
        Ok(kind)
    }

    fn only(&mut self, kind: StmtKind) -> Parse<StmtKind> {
        self.advance()?;
        Ok(kind)
    }

    fn block(&mut self) -> Parse<StmtKind> {
        self.expect("{")?;
        let mut all = Vec::new();
        while !self.is("}") {
            all.push(self.statement()?);
        }
        self.end_statement("}")?;
        Ok(StmtKind::Block(all))
    }

    fn if_statement(&mut self) -> Parse<StmtKind> {
        self.advance()?;
        self.expect("(")?;
        let test = self.expression()?;
        let outer = std::mem::replace(&mut self.in_statement_directive, true);
        self.expect(")")?;
        self.in_statement_directive = outer;
        let yes = self.statement()?;
        let no = if self.accept("else")? { Some(Box::new(self.statement()?)) } else { None };
        Ok(StmtKind::If(test, Box::new(yes), no))
    }

    fn switch(&mut self) -> Parse<StmtKind> {
        self.advance()?;
        let value = self.expression()?;
        self.expect("{")?;
        let mut cases = Vec::new();
        while !self.is("}") {
            let start = self.span;
            let mut case = Case {
                values: Vec::new(),
                types: Vec::new(),
                is_default: false,
                body: Vec::new(),
                span: start,
            };
            if self.accept("default")? {
                case.is_default = true;
            } else {
                self.expect("case")?;
                self.case_labels(&mut case)?;
            }
            case.span = start.to(self.previous);
            self.expect(":")?;
            while !self.is("case") && !self.is("default") && !self.is("}") {
                case.body.push(self.statement()?);
            }
            case.span = start.to(self.previous);
            cases.push(case);
        }
        self.end_statement("}")?;
        Ok(StmtKind::Switch(value, cases))
    }

    fn case_labels(&mut self, case: &mut Case) -> Parse<()> {
        loop {
            if self.accept("type")? {
                let ty = self.type_expression()?;
                let name = if self.accept("as")? { Some(self.name()?) } else { None };
                case.types.push((ty, name, 0));
            } else {
                case.values.push(self.no_assignment()?);
            }
            if !self.accept(",")? {
                return Ok(());
            }
        }
    }

    fn for_statement(&mut self) -> Parse<StmtKind> {
        self.advance()?;
        self.expect("(")?;
        let mut names: Vec<Rc<str>> = Vec::new();
        if self.accept("[")? {
            loop {
                names.push(self.name()?);
                if !self.accept(",")? {
                    break;
                }
            }
            self.expect("]")?;
        } else {
            names.push(self.name()?);
        }
        let value = if self.accept(",")? { Some(self.name()?) } else { None };
        self.expect("in")?;
        let over = self.expression()?;
        self.expect(")")?;
        let body = self.statement()?;
        Ok(StmtKind::For(names, value, over, Box::new(body), Vec::new()))
    }

    fn when(&mut self, returns: bool) -> Parse<StmtKind> {
        let captures = self.captures()?;
        self.expect("(")?;
        let condition = self.expression()?;
        self.expect(")")?;
        let body = self.statement()?;
        let timeout = if self.accept("timeout")? {
            let delay = self.expression()?;
            Some((delay, Some(Box::new(self.statement()?))))
        } else {
            None
        };
        let when = When { captures, condition, body, timeout, returns, function: 0, sources: Vec::new() };
        Ok(StmtKind::When(Box::new(when)))
    }

    /// Reads what follows `local`, `global` and the like, up to the semicolon.
    pub(super) fn variable(&mut self, kind: VariableKind) -> Parse<Variable> {
        let start = self.span;
        let name = if kind == VariableKind::Redef { self.name()? } else { self.plain_name()? };
        let named = start.to(self.previous);
        let ty = if self.accept(":")? { Some(self.type_expression()?) } else { None };
        let class = [("=", InitClass::Assign), ("+=", InitClass::Add), ("-=", InitClass::Remove)];
        let mut init = None;
        for (sign, class) in class {
            if self.accept(sign)? {
                init = Some((class, self.initial_value()?));
                break;
            }
        }
        if init.is_none() && (self.is("{") || self.is("[")) {
            let value = self.initial_value()?;
            let shown = crate::syntax::display::expression(&value, &crate::types::Types::default());
            let text = format!("Initialization not preceded by =/+=/-= is not allowed. ({shown})");
            self.host.report("error", named, &text);
            init = Some((InitClass::Assign, value));
        }
        let mut attributes = self.attributes()?;
        // What stands behind a constructor is meant for the variable.
        if let Some((_, Expr { kind: Kind::Container(_, _, own, _), .. })) = &mut init {
            attributes.splice(0..0, own.drain(..));
        }
        Ok(Variable { kind, name, ty, init, attributes, span: start.to(self.previous), register: 0 })
    }

    /// Reads an initial value, which may stand in braces.
    pub(super) fn initial_value(&mut self) -> Parse<Expr> {
        if !self.is("{") {
            return self.expression();
        }
        let start = self.span;
        self.advance()?;
        let members = self.expressions("}")?;
        self.expect("}")?;
        let depth = super::deepest(&members);
        self.node(Kind::Braces(members), start, depth)
    }
}
