//! Tokens to declarations, one at a time: what a declaration means may decide how the next one is read (`@if`).

mod declarations;
mod directives;
mod expressions;
mod primary;
mod statements;
mod types;

use std::rc::Rc;

use super::ast::{Decl, Expr, Kind};
use super::lexer::{Lexer, Token};
use crate::source::{FileId, Span};
use crate::types::TypeId;

/// How deep constructs may be nested.
const DEPTH: u16 = 200;
/// How deep a tree of expressions may be; chains of operators make deep trees.
const TREE_DEPTH: u16 = 2000;

/// What the parser asks and tells.
pub trait Host {
    /// Returns whether a name (or module) exists, for `@ifdef`.
    fn is_defined(&mut self, name: &str, module: &str) -> bool;
    /// Returns the value of a condition of `@if`; none where it has none, which was reported.
    fn condition(&mut self, condition: Expr, module: &str) -> Option<bool>;
    /// Returns a file to be read for `@load`, or nothing where there is none to be read; reports what is wrong.
    fn load(&mut self, kind: &str, argument: &str, from: Span) -> Option<(FileId, Rc<[u8]>)>;
    /// Returns the name of a file.
    fn file_name(&self, file: FileId) -> Rc<str>;
    /// Reports an error; `severity` is `error`, `warning` or `fatal error`.
    fn report(&mut self, severity: &str, span: Span, text: &str);
    /// Returns why a name cannot be changed by a plain `redef`.
    fn redef_fault(&self, name: &str, module: &str) -> Option<String>;
    /// Returns where a file was loaded from: a sentence's part.
    fn loaded_from(&self, file: FileId) -> String;
}

/// Reading has stopped; the reason was reported.
#[derive(Debug)]
pub struct Failure;

/// The result of reading.
pub type Parse<T> = Result<T, Failure>;

/// The parser.
pub struct Parser<'h, H: Host> {
    /// Its tokens.
    pub lexer: Lexer,
    /// What it asks.
    pub host: &'h mut H,
    token: Token,
    span: Span,
    previous: Span,
    depth: u16,
    /// Within `| |`, where the sign ends the expression.
    in_size: bool,
    in_export: bool,
    /// Whether the current token is the first one of a file, and which file ended before.
    follows: Option<FileId>,
    is_started: bool,
    in_statement_directive: bool,
    /// The declaration ends with the current token, and the next one is not read yet: directives there see what was
    /// declared.
    is_pending: bool,
}

impl<'h, H: Host> Parser<'h, H> {
    /// Makes a parser of what lies in the lexer.
    pub fn new(lexer: Lexer, host: &'h mut H) -> Self {
        Self {
            lexer,
            host,
            token: Token::End,
            span: Span::default(),
            previous: Span::default(),
            depth: 0,
            in_size: false,
            in_export: false,
            follows: None,
            is_started: false,
            in_statement_directive: false,
            is_pending: false,
        }
    }

    /// Returns the next declaration; nothing at the end.
    ///
    /// # Errors
    ///
    /// Where reading cannot go on.
    pub fn next_declaration(&mut self) -> Parse<Option<(Decl, Rc<str>, bool)>> {
        if !self.is_started || std::mem::take(&mut self.is_pending) {
            self.is_started = true;
            self.advance()?;
        }
        self.top_level()
    }

    fn advance(&mut self) -> Parse<()> {
        self.previous = self.span;
        loop {
            let ended = self.lexer.ended;
            let before = self.lexer.depth();
            let token = self.lexer.next_token();
            self.report_unbalanced()?;
            let has_ended = self.lexer.depth() < before;
            self.span = self.lexer.span();
            if has_ended {
                self.follows = Some(self.lexer.ended);
            } else if ended == self.lexer.ended {
                self.follows = None;
            }
            match token {
                Token::Directive(name) => {
                    if let Some(token) = self.directive(&name)? {
                        self.token = token;
                        return Ok(());
                    }
                }
                Token::Wrong(sentence) => {
                    let severity = if sentence.starts_with("strings") { "fatal error" } else { "error" };
                    self.host.report(severity, self.span, &sentence);
                    return Err(Failure);
                }
                other => {
                    self.token = other;
                    return Ok(());
                }
            }
        }
    }

    fn report_unbalanced(&mut self) -> Parse<()> {
        if let Some(span) = self.lexer.unbalanced.pop() {
            self.host.report("fatal error", span, "unbalanced @if... @endif");
            return Err(Failure);
        }
        Ok(())
    }

    fn is(&self, word: &str) -> bool {
        matches!(&self.token, Token::Word(known) if *known == word)
    }

    fn accept(&mut self, word: &str) -> Parse<bool> {
        if self.is(word) {
            self.advance()?;
            return Ok(true);
        }
        Ok(false)
    }

    fn expect(&mut self, word: &str) -> Parse<()> {
        if self.accept(word)? { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Takes the sign that ends a declaration, without reading on.
    fn finish(&mut self, word: &str) -> Parse<()> {
        if !self.is(word) {
            return Err(self.unexpected());
        }
        self.previous = self.span;
        self.is_pending = true;
        Ok(())
    }

    /// Takes the sign that ends a statement.
    fn end_statement(&mut self, word: &str) -> Parse<()> {
        if self.depth == 1 { self.finish(word) } else { self.expect(word) }
    }

    fn token_text(&self) -> String {
        match &self.token {
            Token::Name(name) | Token::Host(name) => name.to_string(),
            Token::Word(word) => (*word).to_owned(),
            Token::Attribute(name) => format!("&{name}"),
            Token::Directive(name) => format!("@{name}"),
            Token::Constant(value) => {
                let mut out = Vec::new();
                let types = crate::types::Types::default();
                crate::values::print_value(value, &types, crate::values::Style::Escaped, &mut out);
                let text = String::from_utf8_lossy(&out).into_owned();
                if matches!(value, crate::values::Value::String(_)) { format!("\"{text}\"") } else { text }
            }
            Token::Wrong(_) | Token::End => String::new(),
        }
    }

    /// Reports a syntax error at the current token.
    fn unexpected(&mut self) -> Failure {
        self.error_near("syntax error")
    }

    fn error_near(&mut self, what: &str) -> Failure {
        let end = |this: &Self, file| this.host.file_name(file);
        if matches!(self.token, Token::End) {
            let file = end(self, self.lexer.ended);
            let text = format!("{what}, at end of file {file}");
            self.host.report("error", Span::default(), &text);
        } else {
            let mut text = format!("{what}, at or near \"{}\"", self.token_text());
            if let Some(file) = self.follows {
                text.push_str(&format!(" or end of file {}", end(self, file)));
            }
            self.host.report("error", self.span, &text);
        }
        Failure
    }

    fn name(&mut self) -> Parse<Rc<str>> {
        match &self.token {
            Token::Name(name) => {
                let name = name.clone();
                self.advance()?;
                Ok(name)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// Reads a name that must not begin with `::`.
    fn plain_name(&mut self) -> Parse<Rc<str>> {
        match &self.token {
            Token::Name(name) if name.starts_with("::") && self.in_export => {
                let text = format!("cannot use :: prefix in export section: {name}");
                self.host.report("error", self.span, &text);
                Err(Failure)
            }
            Token::Name(name) if name.starts_with("::") => Err(self.unexpected()),
            _ => self.name(),
        }
    }

    /// Runs a rule one level deeper.
    fn deeper<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= DEPTH {
            self.host.report("error", self.span, "constructs are nested too deeply");
            return Err(Failure);
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    fn node(&mut self, kind: Kind, start: Span, depth: u16) -> Parse<Expr> {
        if depth >= TREE_DEPTH {
            self.host.report("error", start, "the expression is nested too deeply");
            return Err(Failure);
        }
        Ok(Expr {
            kind,
            ty: TypeId::ERROR,
            span: start.to(self.previous),
            depth: depth + 1,
            is_grouped: false,
        })
    }
}

/// Returns the depth of the deepest expression.
fn deepest(all: &[Expr]) -> u16 {
    all.iter().map(|expr| expr.depth).max().unwrap_or(0)
}
