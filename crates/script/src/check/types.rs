//! Types as they are written to types of the arena.

use std::rc::Rc;

use super::Checker;
use crate::program::Meaning;
use crate::source::Span;
use crate::syntax::ast::{EnumItem, FieldDecl, TypeExpr, TypeKind};
use crate::types::{Enum, Field, Flavor, Function, Record, Type, TypeId};

impl Checker<'_> {
    /// Returns the type; that of errors where it does not exist, which was reported.
    pub(super) fn resolve(&mut self, ty: &TypeExpr) -> TypeId {
        let id = self.resolve_inner(ty);
        let is_basic = matches!(self.types().get(id), Type::Basic(_));
        if ty.span.is_known() && !self.engine.in_prelude && !is_basic {
            self.engine.program.type_spans.insert(id, ty.span);
        }
        id
    }

    fn resolve_inner(&mut self, ty: &TypeExpr) -> TypeId {
        match &ty.kind {
            TypeKind::Known(TypeId::VOID) => {
                self.error(ty.span, "identifier not defined: void");
                TypeId::ERROR
            }
            TypeKind::Known(id) => *id,
            TypeKind::Name(name) => self.named(name, ty.span),
            TypeKind::Table(keys, value) => {
                let keys: Vec<TypeId> = keys.iter().map(|key| self.resolve(key)).collect();
                let value = self.resolve(value);
                if keys.contains(&TypeId::ERROR) || value == TypeId::ERROR {
                    return TypeId::ERROR;
                }
                self.list_span(&keys, ty.span);
                self.types().table(&keys, Some(value))
            }
            TypeKind::Set(keys) => {
                let keys: Vec<TypeId> = keys.iter().map(|key| self.resolve(key)).collect();
                if keys.contains(&TypeId::ERROR) {
                    return TypeId::ERROR;
                }
                self.list_span(&keys, ty.span);
                self.types().table(&keys, None)
            }
            TypeKind::Vector(element) => {
                let element = self.resolve(element);
                if element == TypeId::ERROR {
                    return TypeId::ERROR;
                }
                self.types().vector(element)
            }
            TypeKind::Record(fields) => {
                let id = self.types().add(Type::Record(Record::default()));
                self.engine.program.type_spans.insert(id, ty.span);
                self.fill_record(id, fields, ty.span);
                id
            }
            TypeKind::Enum(items) => self.enumeration("", items, ty.span),
            TypeKind::Function(flavor, parameters, result) => {
                self.function_type(*flavor, parameters, result.as_deref())
            }
            TypeKind::Opaque(name) => self.types().opaque(name),
            TypeKind::File => self.types().file(),
        }
    }

    fn list_span(&mut self, keys: &[TypeId], span: Span) {
        if !self.engine.in_prelude {
            let list = self.types().list(keys);
            self.engine.program.type_spans.insert(list, span);
        }
    }

    fn named(&mut self, name: &Rc<str>, span: Span) -> TypeId {
        let module = self.module.clone();
        let found = self.engine.program.find(name, &module).map(|(full, symbol)| (full, symbol.clone()));
        match found {
            Some((_, symbol)) if matches!(symbol.meaning, Meaning::Type(_)) => {
                if let Some(sentence) = &symbol.deprecated {
                    self.warn_deprecated(name, &sentence.clone(), span);
                }
                if let Meaning::Type(id) = symbol.meaning { id } else { TypeId::ERROR }
            }
            Some(_) => {
                self.error(span, &format!("{name} is not a type"));
                TypeId::ERROR
            }
            None if self.engine.in_prelude => {
                // Types of the prelude may name each other: a record that comes later is known from now on.
                let full = crate::program::Program::qualified(name, &self.module);
                if let Some(id) = self.engine.forward.get(&full) {
                    return *id;
                }
                let id = self.types().add(Type::Record(Record::default()));
                self.engine.forward.insert(full, id);
                id
            }
            None => {
                self.error(span, &format!("identifier not defined: {name}"));
                TypeId::ERROR
            }
        }
    }

    pub(super) fn warn_deprecated(&mut self, name: &str, sentence: &str, span: Span) {
        let more = if sentence.is_empty() { String::new() } else { format!(": {sentence}") };
        self.engine.report_at("warning", span, &format!("deprecated ({name}){more}"));
    }

    /// Puts fields into a record, whose type exists already: fields may name it.
    pub(super) fn fill_record(&mut self, id: TypeId, fields: &[FieldDecl], span: Span) {
        for decl in fields {
            let field = self.field(decl, Some(id));
            let is_new = self.types().record_mut(id).is_some_and(|record| record.push(field));
            if !is_new {
                // The line is that of the record's end, where the whole is known.
                let end = Span::line(span.file, span.last);
                let text = format!("duplicate field '{}' found in record definition", decl.name);
                self.error(end, &text);
            }
        }
    }

    /// Returns the type of a function.
    pub(super) fn function_type(
        &mut self,
        flavor: Flavor,
        parameters: &[FieldDecl],
        result: Option<&TypeExpr>,
    ) -> TypeId {
        let parameters: Vec<Field> = parameters.iter().map(|decl| self.field(decl, None)).collect();
        let result = match (flavor, result) {
            (Flavor::Hook, _) => TypeId::BOOL,
            (Flavor::Event, _) | (_, None) => TypeId::VOID,
            // The prelude says so where a function returns nothing.
            (Flavor::Function, Some(result))
                if self.engine.in_prelude
                    && matches!(&result.kind, TypeKind::Name(name) if &**name == "void") =>
            {
                TypeId::VOID
            }
            (Flavor::Function, Some(result)) => self.resolve(result),
        };
        let is_broken = parameters.iter().any(|field| field.ty == TypeId::ERROR) || result == TypeId::ERROR;
        let variadic = matches!(parameters.as_slice(), [only] if &*only.name == "va_args");
        let parameters: Rc<[Field]> = parameters.into();
        let id = self.types().function(Function { flavor, parameters, result, variadic });
        if is_broken {
            self.engine.broken_types.insert(id);
        }
        id
    }

    /// Returns an enumeration, its values declared.
    pub(super) fn enumeration(&mut self, name: &str, items: &[EnumItem], span: Span) -> TypeId {
        let full = crate::program::Program::qualified(name, &self.module);
        let id = self.types().add(Type::Enum(Enum { name: full, ..Enum::default() }));
        if !self.engine.in_prelude {
            self.engine.program.type_spans.insert(id, span);
        }
        self.add_values(id, items);
        id
    }
}
