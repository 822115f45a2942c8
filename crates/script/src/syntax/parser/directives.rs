//! Lines that begin with `@`.

use super::{Failure, Host, Parse, Parser};
use crate::source::Span;
use crate::syntax::lexer::Token;
use crate::values::Value;

impl<H: Host> Parser<'_, H> {
    /// Follows a directive; returns the token that it stands for, if any.
    pub(super) fn directive(&mut self, name: &str) -> Parse<Option<Token>> {
        let span = self.span;
        match name {
            "load" | "load-sigs" | "load-plugin" | "unload" => {
                let argument = self.lexer.argument();
                if let Some((file, text)) = self.host.load(name, &argument, span) {
                    self.lexer.push(file, text);
                }
            }
            "if" => self.condition(span)?,
            "ifdef" | "ifndef" => {
                let line_name = self.parenthesized_name()?;
                let module = self.lexer.module.clone();
                let is_defined = self.host.is_defined(&line_name, &module);
                self.branch(span, is_defined == (name == "ifdef"));
            }
            "else" => {
                if self.lexer.conditions.is_empty() {
                    self.host.report("error", span, "unbalanced @if... @endif");
                    return Err(Failure);
                }
                self.lexer.skip_condition(false);
                let end = self.lexer.here();
                self.check_place(end)?;
            }
            "endif" => {
                if self.lexer.conditions.pop().is_none() {
                    self.host.report("error", span, "unbalanced @if... @endif");
                    return Err(Failure);
                }
            }
            "DIR" => {
                let file = self.host.file_name(span.file);
                let folder = file.rsplit_once('/').map_or(".", |(folder, _)| folder);
                return Ok(Some(Token::Constant(Value::string(folder))));
            }
            "FILENAME" => {
                let file = self.host.file_name(span.file);
                let name = file.rsplit('/').next().unwrap_or("");
                return Ok(Some(Token::Constant(Value::string(name))));
            }
            "deprecated" => {
                let line = self.lexer.line();
                let from = self.host.loaded_from(span.file);
                let text = format!("deprecated script loaded from {from} {line}");
                self.host.report("warning", span, &text);
            }
            "DEBUG" | "prefixes" | "pragma" => {
                self.lexer.line();
            }
            _ => {
                self.host.report("error", span, &format!("unknown directive @{name}"));
                return Err(Failure);
            }
        }
        Ok(None)
    }

    /// Refuses conditions around a part of `if`: no part of a statement may be chosen by them.
    fn check_place(&mut self, span: Span) -> Parse<()> {
        if self.in_statement_directive {
            self.host.report("error", span, "incorrect use of directive");
            return Err(Failure);
        }
        Ok(())
    }

    fn condition(&mut self, span: Span) -> Parse<()> {
        // The condition is read with the same rules; the token that was being read comes later.
        let outer = (self.in_size, self.in_statement_directive, self.previous);
        self.in_size = false;
        self.in_statement_directive = false;
        self.advance()?;
        if !self.is("(") {
            return Err(self.unexpected());
        }
        self.advance()?;
        let condition = self.expression()?;
        if !self.is(")") {
            return Err(self.unexpected());
        }
        (self.in_size, self.in_statement_directive, self.previous) = outer;
        let module = self.lexer.module.clone();
        let Some(holds) = self.host.condition(condition, &module) else { return Err(Failure) };
        self.branch(span, holds);
        Ok(())
    }

    fn branch(&mut self, span: Span, holds: bool) {
        self.lexer.conditions.push(span);
        if !holds {
            self.lexer.skip_condition(true);
        }
    }

    fn parenthesized_name(&mut self) -> Parse<String> {
        let open = self.lexer.next_token();
        let name = self.lexer.next_token();
        let close = self.lexer.next_token();
        match (open, name, close) {
            (Token::Word("("), Token::Name(name), Token::Word(")")) => Ok(name.to_string()),
            (Token::Word("("), Token::Word(word), Token::Word(")")) => Ok(word.to_owned()),
            _ => Err(self.unexpected()),
        }
    }
}
