//! Expressions without operators: constants, names, constructors, lambdas.

use std::rc::Rc;

use super::{Failure, Host, Parse, Parser, deepest};
use crate::patterns::Pattern;
use crate::syntax::ast::{Container, Expr, Kind, Lambda, TypeExpr};
use crate::syntax::lexer::Token;
use crate::types::Flavor;
use crate::values::Value;

impl<H: Host> Parser<'_, H> {
    /// Reads expressions up to a closing sign; a comma may stand before it.
    pub(super) fn expressions(&mut self, end: &str) -> Parse<Vec<Expr>> {
        let mut all = Vec::new();
        while !self.is(end) {
            all.push(self.expression()?);
            if !self.accept(",")? {
                break;
            }
        }
        Ok(all)
    }

    /// Reads the name of a field, which may be a word of the language.
    pub(super) fn field_name(&mut self) -> Parse<Rc<str>> {
        match &self.token {
            Token::Word(word) if word.bytes().all(|byte| byte.is_ascii_lowercase()) => {
                let word: Rc<str> = (*word).into();
                self.advance()?;
                Ok(word)
            }
            _ => self.name(),
        }
    }

    pub(super) fn primary(&mut self) -> Parse<Expr> {
        let start = self.span;
        match &self.token {
            Token::Constant(value) => {
                let kind = Kind::Constant(value.clone());
                self.advance()?;
                self.node(kind, start, 0)
            }
            Token::Name(name) => {
                let kind = Kind::Name(name.clone());
                self.advance()?;
                self.node(kind, start, 0)
            }
            Token::Host(name) => {
                let kind = Kind::Host(name.clone());
                self.advance()?;
                self.node(kind, start, 0)
            }
            Token::Word(word) => {
                let word = *word;
                self.primary_word(word)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn primary_word(&mut self, word: &'static str) -> Parse<Expr> {
        let start = self.span;
        let outer = self.in_size;
        self.in_size = word == "|";
        let result = match word {
            "T" | "F" => {
                self.advance()?;
                self.node(Kind::Constant(Value::Bool(word == "T")), start, 0)
            }
            "/" => self.pattern(),
            "(" => {
                self.advance()?;
                let mut inner = self.expression()?;
                self.in_size = outer;
                self.expect(")")?;
                inner.is_grouped = true;
                Ok(inner)
            }
            "|" => {
                self.advance()?;
                let inner = self.expression()?;
                self.in_size = outer;
                self.expect("|")?;
                let depth = inner.depth;
                self.node(Kind::Size(Box::new(inner)), start, depth)
            }
            "[" => self.bracketed(),
            "copy" => {
                self.advance()?;
                self.expect("(")?;
                let inner = self.expression()?;
                self.expect(")")?;
                let depth = inner.depth;
                self.node(Kind::Copy(Box::new(inner)), start, depth)
            }
            "record" | "table" | "set" | "vector" => self.constructor(word),
            "function" => self.lambda(),
            "schedule" => self.schedule(),
            "event" => {
                self.advance()?;
                self.event_call()
            }
            _ => match super::types::WORDS.iter().find(|(known, _)| *known == word) {
                Some((name, id)) => {
                    self.advance()?;
                    self.node(Kind::Type(*id, (*name).into()), start, 0)
                }
                None => Err(self.unexpected()),
            },
        };
        self.in_size = outer;
        result
    }

    fn pattern(&mut self) -> Parse<Expr> {
        let start = self.span;
        let Some((text, flags)) = self.lexer.pattern() else {
            self.host.report("error", start, "pattern not terminated before end of line");
            let file = self.host.file_name(start.file);
            self.host.report("error", start, &format!("syntax error, at end of file {file}"));
            return Err(Failure);
        };
        self.advance()?;
        match Pattern::parse(&text, &flags) {
            Ok(pattern) => self.node(Kind::Constant(Value::Pattern(Rc::new(pattern))), start, 0),
            Err(sentence) => {
                self.host.report("error", start, &format!("error compiling pattern /{text}/: {sentence}"));
                Err(Failure)
            }
        }
    }

    fn bracketed(&mut self) -> Parse<Expr> {
        let start = self.span;
        self.advance()?;
        if self.is("$") || self.is("]") {
            let fields = self.field_assignments("]")?;
            self.expect("]")?;
            let depth = deepest(&fields);
            return self.node(Kind::Record(fields, None), start, depth);
        }
        let members = self.expressions("]")?;
        self.expect("]")?;
        let depth = deepest(&members);
        self.node(Kind::List(members), start, depth)
    }

    /// Reads `$a = 1, $b = 2` up to a closing sign.
    pub(super) fn field_assignments(&mut self, end: &str) -> Parse<Vec<Expr>> {
        let mut all = Vec::new();
        while !self.is(end) {
            let start = self.span;
            self.expect("$")?;
            let name = self.field_name()?;
            let value = if self.is("(") || self.is("[") {
                let captures = self.captures()?;
                let kind = self.signature(Flavor::Function)?;
                let signature = TypeExpr { kind, span: start.to(self.previous) };
                let attributes = self.attributes()?;
                self.expect("=")?;
                let body = self.statement()?;
                let lambda =
                    Lambda { captures, signature, attributes, body, function: 0, sources: Vec::new() };
                self.node(Kind::Lambda(Box::new(lambda)), start, 0)?
            } else {
                self.expect("=")?;
                self.expression()?
            };
            let depth = value.depth;
            all.push(self.node(Kind::FieldAssign(name, Box::new(value)), start, depth)?);
            if !self.accept(",")? {
                break;
            }
        }
        Ok(all)
    }

    fn constructor(&mut self, word: &str) -> Parse<Expr> {
        let start = self.span;
        self.advance()?;
        if (word != "record" && self.is("[")) || self.is("of") {
            let kind = self.type_of_word(word)?;
            let written = TypeExpr { kind, span: start.to(self.previous) };
            return self.node(Kind::Written(written), start, 0);
        }
        self.expect("(")?;
        if word == "record" {
            let fields = self.field_assignments(")")?;
            self.expect(")")?;
            let depth = deepest(&fields);
            return self.node(Kind::Record(fields, None), start, depth);
        }
        let container = match word {
            "table" => Container::Table,
            "set" => Container::Set,
            _ => Container::Vector,
        };
        let members = self.expressions(")")?;
        self.expect(")")?;
        let attributes = if container == Container::Vector { Vec::new() } else { self.attributes()? };
        let depth = deepest(&members);
        self.node(Kind::Container(container, members, attributes, None), start, depth)
    }

    fn lambda(&mut self) -> Parse<Expr> {
        let start = self.span;
        self.advance()?;
        let captures = self.captures()?;
        let kind = self.signature(Flavor::Function)?;
        let signature = TypeExpr { kind, span: start.to(self.previous) };
        let attributes = self.attributes()?;
        if !self.is("{") {
            return Err(self.unexpected());
        }
        let body = self.statement()?;
        let lambda = Lambda { captures, signature, attributes, body, function: 0, sources: Vec::new() };
        self.node(Kind::Lambda(Box::new(lambda)), start, 0)
    }

    fn schedule(&mut self) -> Parse<Expr> {
        let start = self.span;
        self.advance()?;
        let delay = self.expression()?;
        self.expect("{")?;
        let event = self.event_call()?;
        self.expect("}")?;
        let depth = delay.depth.max(event.depth);
        self.node(Kind::Schedule(Box::new(delay), Box::new(event)), start, depth)
    }

    /// Reads `f(…)` of an event.
    pub(super) fn event_call(&mut self) -> Parse<Expr> {
        let start = self.span;
        let name = self.name()?;
        let function = self.node(Kind::Name(name), start, 0)?;
        self.expect("(")?;
        let arguments = self.expressions(")")?;
        self.expect(")")?;
        let depth = deepest(&arguments);
        self.node(Kind::Event(Box::new(function), arguments), start, depth)
    }
}
