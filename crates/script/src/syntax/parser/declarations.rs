//! Declarations at the top of files.

use std::rc::Rc;

use super::{Failure, Host, Parse, Parser};
use crate::syntax::ast::{
    Attribute, Decl, Definition, FieldDecl, InitClass, TypeExpr, TypeKind, VariableKind,
};
use crate::syntax::lexer::Token;
use crate::types::Flavor;

impl<H: Host> Parser<'_, H> {
    pub(super) fn top_level(&mut self) -> Parse<Option<(Decl, Rc<str>, bool)>> {
        loop {
            if matches!(self.token, Token::End) {
                return if self.in_export { Err(self.unexpected()) } else { Ok(None) };
            }
            if self.is("module") {
                self.advance()?;
                let name = self.name()?;
                // The module holds from the next token on, which may lie in another file already.
                self.lexer.module = name;
                self.expect(";")?;
            } else if self.is("export") {
                self.advance()?;
                self.expect("{")?;
                self.in_export = true;
            } else if self.in_export && self.is("}") {
                self.in_export = false;
                self.advance()?;
            } else {
                break;
            }
        }
        let module = self.lexer.module.clone();
        let exported = self.in_export;
        let declaration = self.declaration()?;
        Ok(Some((declaration, module, exported)))
    }

    fn declaration(&mut self) -> Parse<Decl> {
        let start = self.span;
        let Token::Word(word) = self.token else { return self.statement().map(Decl::Statement) };
        let kind = match word {
            "global" => VariableKind::Global,
            "const" => VariableKind::Const,
            "option" => VariableKind::Option,
            "redef" => return self.redefinition(),
            "type" => {
                self.advance()?;
                let name = self.plain_name()?;
                self.expect(":")?;
                let mut ty = self.type_expression()?;
                let attributes = self.attributes()?;
                if let TypeKind::Record(fields) = &mut ty.kind {
                    log_all(fields, &attributes);
                }
                self.finish(";")?;
                return Ok(Decl::Type(name, ty, attributes, start.to(self.previous)));
            }
            "function" => return self.definition(Flavor::Function, false),
            "event" | "hook" => return self.event_or_hook(word),
            _ => return self.statement().map(Decl::Statement),
        };
        self.advance()?;
        let variable = self.variable(kind)?;
        self.finish(";")?;
        Ok(Decl::Variable(Box::new(variable)))
    }

    /// Tells `event f(x: count) { … }` from `event f(3);`.
    fn event_or_hook(&mut self, word: &str) -> Parse<Decl> {
        let flavor = if word == "event" { Flavor::Event } else { Flavor::Hook };
        let start = self.span;
        self.advance()?;
        // The name is the current token, and what follows it is not read yet.
        if matches!(self.token, Token::Name(_)) && self.lexer.is_definition() {
            return self.definition_named(flavor, false, start);
        }
        let kind = if flavor == Flavor::Event {
            crate::syntax::ast::StmtKind::Event(self.event_call()?)
        } else {
            let call = self.no_assignment()?;
            let depth = call.depth;
            let hook = self.node(crate::syntax::ast::Kind::Hook(Box::new(call)), start, depth)?;
            crate::syntax::ast::StmtKind::Expr(hook)
        };
        self.finish(";")?;
        Ok(Decl::Statement(crate::syntax::ast::Stmt { kind, span: start.to(self.previous) }))
    }

    fn definition(&mut self, flavor: Flavor, is_redef: bool) -> Parse<Decl> {
        let start = self.span;
        self.advance()?;
        if flavor == Flavor::Function && !matches!(self.token, Token::Name(_)) {
            return Err(self.unexpected());
        }
        self.definition_named(flavor, is_redef, start)
    }

    fn definition_named(
        &mut self,
        flavor: Flavor,
        is_redef: bool,
        start: crate::source::Span,
    ) -> Parse<Decl> {
        let is_local = matches!(&self.token, Token::Name(name) if name.get(2..).is_some_and(|rest| rest.contains("::")) && name.starts_with("::"));
        if is_local {
            return Err(self.unexpected());
        }
        let name = self.name()?;
        let kind = self.signature(flavor)?;
        let span = start.to(self.previous);
        let attributes = self.attributes()?;
        if !self.is("{") {
            return Err(self.unexpected());
        }
        let body = self.statement()?;
        let signature = TypeExpr { kind, span };
        let definition = Definition { name, signature, flavor, attributes, body, is_redef, span };
        Ok(Decl::Function(Box::new(definition)))
    }

    fn redefinition(&mut self) -> Parse<Decl> {
        let start = self.span;
        self.advance()?;
        let Token::Word(word) = self.token else {
            let module = self.lexer.module.clone();
            if let Token::Name(name) = &self.token
                && let Some(fault) = self.host.redef_fault(name, &module)
            {
                return Err(self.error_near(&fault));
            }
            let mut variable = self.variable(VariableKind::Redef)?;
            variable.span = start.to(self.previous);
            self.finish(";")?;
            return Ok(Decl::Variable(Box::new(variable)));
        };
        match word {
            "record" => {
                self.advance()?;
                let name = self.name()?;
                if self.accept("$")? {
                    let field = self.field_name()?;
                    let class = self.init_class()?;
                    self.expect("{")?;
                    let attributes = self.attributes()?;
                    self.expect("}")?;
                    self.finish(";")?;
                    return Ok(Decl::FieldAttributes(
                        name,
                        field,
                        class,
                        attributes,
                        start.to(self.previous),
                    ));
                }
                self.expect("+=")?;
                self.expect("{")?;
                let mut fields = self.fields()?;
                self.expect("}")?;
                let attributes = self.attributes()?;
                log_all(&mut fields, &attributes);
                self.finish(";")?;
                Ok(Decl::RecordFields(name, fields, start.to(self.previous)))
            }
            "enum" => {
                self.advance()?;
                let name = self.name()?;
                self.expect("+=")?;
                self.expect("{")?;
                let items = self.enum_items()?;
                self.expect("}")?;
                self.finish(";")?;
                Ok(Decl::EnumItems(name, items, start.to(self.previous)))
            }
            "function" => self.definition(Flavor::Function, true),
            "event" => self.definition(Flavor::Event, true),
            "hook" => self.definition(Flavor::Hook, true),
            _ => Err(self.unexpected()),
        }
    }

    fn init_class(&mut self) -> Parse<InitClass> {
        if self.accept("+=")? {
            return Ok(InitClass::Add);
        }
        if self.accept("-=")? {
            return Ok(InitClass::Remove);
        }
        Err::<InitClass, Failure>(self.unexpected())
    }
}

/// Gives all fields of a record the attribute `&log` where the record has it.
fn log_all(fields: &mut [FieldDecl], attributes: &[Attribute]) {
    let Some(log) = attributes.iter().find(|attribute| &*attribute.name == "log") else { return };
    for field in fields {
        if !field.attributes.iter().any(|attribute| &*attribute.name == "log") {
            field.attributes.push(log.clone());
        }
    }
}
