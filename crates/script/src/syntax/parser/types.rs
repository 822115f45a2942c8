//! Types.

use std::rc::Rc;

use super::{Host, Parse, Parser};
use crate::syntax::ast::{Attribute, Capture, EnumItem, FieldDecl, TypeExpr, TypeKind};
use crate::syntax::lexer::Token;
use crate::types::{Flavor, TypeId};
use crate::values::Value;

/// Types that are words.
pub(super) const WORDS: [(&str, TypeId); 13] = [
    ("bool", TypeId::BOOL),
    ("int", TypeId::INT),
    ("count", TypeId::COUNT),
    ("double", TypeId::DOUBLE),
    ("time", TypeId::TIME),
    ("interval", TypeId::INTERVAL),
    ("string", TypeId::STRING),
    ("pattern", TypeId::PATTERN),
    ("port", TypeId::PORT),
    ("addr", TypeId::ADDR),
    ("subnet", TypeId::SUBNET),
    ("any", TypeId::ANY),
    ("void", TypeId::VOID),
];

impl<H: Host> Parser<'_, H> {
    pub(super) fn type_expression(&mut self) -> Parse<TypeExpr> {
        self.deeper(Self::type_inner)
    }

    fn type_inner(&mut self) -> Parse<TypeExpr> {
        let start = self.span;
        let kind = match &self.token {
            Token::Name(name) => {
                let name = name.clone();
                self.advance()?;
                TypeKind::Name(name)
            }
            Token::Word(word) => {
                let word = *word;
                if let Some((_, id)) = WORDS.iter().find(|(known, _)| *known == word) {
                    self.advance()?;
                    TypeKind::Known(*id)
                } else {
                    self.advance()?;
                    self.type_of_word(word)?
                }
            }
            _ => return Err(self.unexpected()),
        };
        Ok(TypeExpr { kind, span: start.to(self.previous) })
    }

    pub(super) fn type_of_word(&mut self, word: &str) -> Parse<TypeKind> {
        Ok(match word {
            "table" => {
                let keys = self.index_types()?;
                self.expect("of")?;
                TypeKind::Table(keys, Box::new(self.type_expression()?))
            }
            "set" => TypeKind::Set(self.index_types()?),
            "vector" => {
                self.expect("of")?;
                TypeKind::Vector(Box::new(self.type_expression()?))
            }
            "record" => {
                self.expect("{")?;
                let fields = self.fields()?;
                self.expect("}")?;
                TypeKind::Record(fields)
            }
            "enum" => {
                self.expect("{")?;
                let items = self.enum_items()?;
                self.expect("}")?;
                TypeKind::Enum(items)
            }
            "function" | "event" | "hook" => {
                let flavor = match word {
                    "function" => Flavor::Function,
                    "event" => Flavor::Event,
                    _ => Flavor::Hook,
                };
                return self.signature(flavor);
            }
            "opaque" => {
                self.expect("of")?;
                let name = self.opaque_name()?;
                TypeKind::Opaque(name)
            }
            "file" => {
                if self.accept("of")? {
                    self.type_expression()?;
                }
                TypeKind::File
            }
            _ => return Err(self.unexpected()),
        })
    }

    fn opaque_name(&mut self) -> Parse<Rc<str>> {
        if let Token::Word(word) = self.token {
            self.advance()?;
            return Ok(word.into());
        }
        self.name()
    }

    fn index_types(&mut self) -> Parse<Vec<TypeExpr>> {
        self.expect("[")?;
        let mut all = vec![self.type_expression()?];
        while self.accept(",")? {
            all.push(self.type_expression()?);
        }
        self.expect("]")?;
        Ok(all)
    }

    /// Reads parameters in parentheses and the type of the result.
    pub(super) fn signature(&mut self, flavor: Flavor) -> Parse<TypeKind> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.is(")") {
            let start = self.span;
            let name = self.member_name()?;
            self.expect(":")?;
            let ty = self.type_expression()?;
            let attributes = self.attributes()?;
            parameters.push(FieldDecl { name, ty, attributes, span: start.to(self.previous) });
            if !self.accept(",")? && !self.accept(";")? {
                break;
            }
        }
        self.expect(")")?;
        let result = if flavor != Flavor::Event && self.accept(":")? {
            Some(Box::new(self.type_expression()?))
        } else {
            None
        };
        Ok(TypeKind::Function(flavor, parameters, result))
    }

    /// Reads the name of a field or parameter, which may be a word of the language.
    fn member_name(&mut self) -> Parse<Rc<str>> {
        match &self.token {
            Token::Word(word) if word.bytes().all(|byte| byte.is_ascii_lowercase()) => {
                let word: Rc<str> = (*word).into();
                self.advance()?;
                Ok(word)
            }
            _ => self.plain_name(),
        }
    }

    /// Reads the fields of a record up to its closing brace.
    pub(super) fn fields(&mut self) -> Parse<Vec<FieldDecl>> {
        let mut all = Vec::new();
        while !self.is("}") {
            let start = self.span;
            let name = self.member_name()?;
            self.expect(":")?;
            let ty = self.type_expression()?;
            let attributes = self.attributes()?;
            self.expect(";")?;
            all.push(FieldDecl { name, ty, attributes, span: start.to(self.previous) });
        }
        Ok(all)
    }

    /// Reads the values of an enumeration up to its closing brace.
    pub(super) fn enum_items(&mut self) -> Parse<Vec<EnumItem>> {
        let mut all = Vec::new();
        while !self.is("}") {
            let span = self.span;
            let name = self.name()?;
            let mut value = None;
            if self.accept("=")? {
                let sign = if self.accept("-")? { -1 } else { 1 };
                match &self.token {
                    Token::Constant(Value::Count(number)) => {
                        value = Some(sign * i64::try_from(*number).unwrap_or(i64::MAX));
                        self.advance()?;
                    }
                    _ => return Err(self.unexpected()),
                }
            }
            let deprecated =
                self.attributes()?.into_iter().find(|attribute| &*attribute.name == "deprecated");
            all.push(EnumItem { name, value, deprecated, span });
            if !self.accept(",")? {
                break;
            }
        }
        Ok(all)
    }

    /// Reads attributes, as far as there are any.
    pub(super) fn attributes(&mut self) -> Parse<Vec<Attribute>> {
        let mut all = Vec::new();
        while let Token::Attribute(name) = &self.token {
            let name = name.clone();
            let start = self.span;
            self.advance()?;
            let value = if self.accept("=")? { Some(Box::new(self.no_assignment()?)) } else { None };
            all.push(Attribute { name, value, span: start.to(self.previous) });
        }
        Ok(all)
    }

    /// Reads `[a, copy b]`, where it stands.
    pub(super) fn captures(&mut self) -> Parse<Option<Vec<Capture>>> {
        if !self.accept("[")? {
            return Ok(None);
        }
        let mut all = Vec::new();
        while !self.is("]") {
            let span = self.span;
            let is_copy = self.accept("copy")?;
            let name = self.name()?;
            all.push(Capture { name, is_copy, span });
            if !self.accept(",")? {
                break;
            }
        }
        self.expect("]")?;
        Ok(Some(all))
    }
}
