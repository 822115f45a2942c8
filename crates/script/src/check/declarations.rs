//! Declarations of variables, types and enumerations.

use std::rc::Rc;

use super::attributes::Place;
use super::{Checker, Thing};
use crate::program::{Global, Meaning, Program, Symbol};
use crate::source::Span;
use crate::syntax::ast::{Attribute, EnumItem, TypeExpr, TypeKind, Variable, VariableKind};
use crate::syntax::display;
use crate::types::{Type, TypeId};
use crate::values::Value;

/// The name that no expression may use.
pub(super) const BLANK: &str = "_";

impl Checker<'_> {
    pub(super) fn variable(&mut self, variable: Variable) {
        if variable.kind == VariableKind::Redef {
            return self.redefine(variable);
        }
        let end = Span::line(variable.span.file, variable.span.last);
        if variable.name.starts_with("::") {
            self.error(variable.span, &format!("syntax error, at or near \"{}\"", variable.name));
            return;
        }
        let declared = variable.ty.as_ref().map(|ty| self.resolve(ty));
        if declared == Some(TypeId::ERROR) {
            self.broken_global(&variable);
            return;
        }
        if let Some(ty) = declared
            && self.types().signature(ty).is_some()
            && variable.init.is_none()
            && variable.kind == VariableKind::Global
        {
            self.declare_function(&variable, ty);
            return;
        }
        let full = Program::qualified(&variable.name, &self.module);
        if let Some(known) = self.engine.program.symbols.get(&full)
            && &*variable.name != BLANK
        {
            let span = known.span;
            self.error_between(
                &Thing::Name(&variable.name, span),
                &Thing::Name(&variable.name, end),
                "already defined",
            );
            return;
        }
        let before = self.engine.errors;
        let init = match variable.init {
            Some((_, init)) => {
                self.in_init = variable.kind != VariableKind::Local;
                let init = self.outside(|this| this.initial_expression(init, declared));
                self.in_init = false;
                if init.ty == TypeId::ERROR || self.engine.errors != before {
                    self.broken_global_of(
                        &variable.name,
                        declared.unwrap_or(TypeId::ERROR),
                        variable.span,
                        variable.kind,
                    );
                    return;
                }
                Some(init)
            }
            None => None,
        };
        let Some(ty) = declared.or_else(|| init.as_ref().map(|init| init.ty)) else {
            self.error(end, &format!("no type given ({})", variable.name));
            self.broken_global_of(&variable.name, TypeId::ERROR, variable.span, variable.kind);
            return;
        };
        let mut attributes = variable.attributes;
        let kept = self.global_attributes(&mut attributes, ty, end);
        if variable.kind == VariableKind::Option && init.is_none() && !self.is_container(ty) {
            self.error(end, &format!("option variable must be initialized ({})", variable.name));
        }
        let number = self.add_global(&variable.name, ty, variable.span, variable.kind, &attributes);
        let value = match init {
            Some(init) => match self.fit_initial(init, ty, &variable.name) {
                Some(init) => self.initial_value(&init, &variable.name, end),
                None => None,
            },
            None => self.engine.empty_value(ty),
        };
        if let Some(global) = self.engine.program.globals.get_mut(number as usize) {
            if kept.is_some() {
                global.attributes = kept;
            }
            global.value = value.unwrap_or_default();
        }
        self.engine.apply_attributes(number);
    }

    /// Converts an initial value to the type of the variable.
    pub(super) fn fit_initial(
        &mut self,
        init: crate::syntax::ast::Expr,
        ty: TypeId,
        name: &Rc<str>,
    ) -> Option<crate::syntax::ast::Expr> {
        let target = Self::make(crate::syntax::ast::Kind::Name(name.clone()), ty, &init);
        self.assign_fit(&target, init).ok()
    }

    pub(super) fn initial_value(
        &mut self,
        init: &crate::syntax::ast::Expr,
        name: &str,
        span: Span,
    ) -> Option<Value> {
        let errors = self.engine.errors;
        match self.evaluate(init) {
            Some(value) => Some(value),
            // What is wrong was said already.
            None if self.engine.errors > errors => None,
            None => {
                self.error(span, &format!("initialization failed ({name})"));
                None
            }
        }
    }

    fn is_container(&mut self, ty: TypeId) -> bool {
        matches!(self.types().get(ty), Type::Table { .. } | Type::Vector(_))
    }

    fn broken_global(&mut self, variable: &Variable) {
        self.broken_global_of(&variable.name, TypeId::ERROR, variable.span, variable.kind);
    }

    pub(super) fn broken_global_of(&mut self, name: &Rc<str>, ty: TypeId, span: Span, kind: VariableKind) {
        self.add_global(name, ty, span, kind, &[]);
    }

    pub(super) fn add_global(
        &mut self,
        name: &Rc<str>,
        ty: TypeId,
        span: Span,
        kind: VariableKind,
        attributes: &[Attribute],
    ) -> u32 {
        let full = Program::qualified(name, &self.module);
        let number = u32::try_from(self.engine.program.globals.len()).unwrap_or(u32::MAX);
        let has = |wanted: &str| attributes.iter().any(|attribute| &*attribute.name == wanted);
        let deprecated =
            attributes.iter().find(|attribute| &*attribute.name == "deprecated").map(Self::sentence);
        let types = &self.engine.program.types;
        let mut attribute_names: Vec<Rc<str>> = attributes
            .iter()
            .map(|attribute| {
                let whole = display::attribute(attribute, types);
                if matches!(&*attribute.name, "deprecated") {
                    format!("&{}", attribute.name).into()
                } else {
                    whole.into()
                }
            })
            .collect();
        if kind == VariableKind::Option && !has("redef") {
            attribute_names.push("&redef".into());
        }
        self.engine.program.globals.push(Global {
            name: full.clone(),
            ty,
            value: Value::Unset,
            function: None,
            is_const: kind == VariableKind::Const,
            is_option: kind == VariableKind::Option,
            is_redefinable: has("redef") || kind == VariableKind::Option,
            is_exported: self.exported,
            is_used: has("is_used") || has("deprecated"),
            span,
            attributes: None,
            attribute_names,
        });
        let symbol =
            Symbol { meaning: Meaning::Global(number), span, is_exported: self.exported, deprecated };
        self.engine.program.symbols.insert(full, symbol);
        number
    }

    /// Checks attributes of a variable; returns those of a table.
    pub(super) fn global_attributes(
        &mut self,
        attributes: &mut Vec<Attribute>,
        ty: TypeId,
        end: Span,
    ) -> Option<Rc<crate::values::Attributes>> {
        let is_table = matches!(self.types().get(ty), Type::Table { value: Some(_), .. });
        for attribute in attributes.iter_mut() {
            attribute.span = end;
            match &*attribute.name {
                "default" if !is_table => {
                    let value = attribute
                        .value
                        .take()
                        .map(|value| Box::new(self.outside(|this| this.initial_expression(*value, None))));
                    attribute.value = value;
                    let shown = display::attribute(attribute, &self.engine.program.types);
                    let text =
                        format!("&default is not valid for global variables except for tables ({shown})");
                    self.error(end, &text);
                }
                "optional" => self.error(end, "&optional is only valid for record fields (&optional)"),
                _ => {}
            }
        }
        if self.types().is_table(ty) {
            return self.table_attributes(attributes, ty, Place::Variable);
        }
        if let Some(attribute) = attributes.iter_mut().find(|attribute| &*attribute.name == "default_insert")
        {
            let value =
                attribute.value.take().map(|value| Box::new(self.outside(|this| this.expression(*value))));
            attribute.value = value;
            let shown = display::attribute(attribute, &self.engine.program.types);
            self.error(end, &format!("&default_insert only applicable to tables ({shown})"));
        }
        None
    }

    pub(super) fn type_declaration(
        &mut self,
        name: &Rc<str>,
        ty: TypeExpr,
        attributes: &[Attribute],
        span: Span,
    ) {
        let full = Program::qualified(name, &self.module);
        if let Some(known) = self.engine.program.symbols.get(&full) {
            let known = known.span;
            self.error_between(&Thing::Name(name, known), &Thing::Name(name, span), "already defined");
            return;
        }
        let deprecated =
            attributes.iter().find(|attribute| &*attribute.name == "deprecated").map(Self::sentence);
        // A record may hold itself, in tables for example: the name stands for it from the begin.
        let id = match &ty.kind {
            TypeKind::Record(fields) => {
                let forward = self.engine.forward.remove(&full);
                let id = forward
                    .unwrap_or_else(|| self.types().add(Type::Record(crate::types::Record::default())));
                self.engine.program.type_spans.insert(id, ty.span);
                self.types().name(id, &full);
                self.name_type(&full, id, span, None);
                self.fill_record(id, fields, span);
                id
            }
            TypeKind::Enum(items) => self.enumeration(name, items, span),
            _ => {
                let before = self.engine.errors;
                let id = self.resolve(&ty);
                if id == TypeId::ERROR && self.engine.errors > before && matches!(ty.kind, TypeKind::Name(_))
                {
                    self.error(span, "Error trying to create alias to nonexistent type");
                }
                id
            }
        };
        if !matches!(self.types().get(id), Type::Basic(_)) {
            self.types().name(id, &full);
        }
        self.name_type(&full, id, span, deprecated);
    }

    fn name_type(&mut self, full: &Rc<str>, id: TypeId, span: Span, deprecated: Option<Rc<str>>) {
        let symbol = Symbol { meaning: Meaning::Type(id), span, is_exported: self.exported, deprecated };
        self.engine.program.symbols.insert(full.clone(), symbol);
        let aliases = self.engine.program.aliases.entry(id).or_default();
        if !aliases.contains(full) {
            aliases.push(full.clone());
        }
    }

    /// Declares values of an enumeration.
    pub(super) fn add_values(&mut self, id: TypeId, items: &[EnumItem]) {
        for item in items {
            let full = Program::qualified(&item.name, &self.module);
            let Some(known) = self.types().enumeration(id) else { return };
            let next = known.values.iter().map(|(_, value)| value + 1).max().unwrap_or(0);
            let (value, owner) = (item.value.unwrap_or(next), known.name.clone());
            if let Some(symbol) = self.engine.program.symbols.get(&full) {
                let span = symbol.span;
                let here = self.engine.program.files.place(item.span);
                let there = self.engine.program.files.place(span);
                let text = format!("conflicting definition of enum value '{full}' in type '{owner}'");
                self.engine.report("error", &format!("{here} and {there}"), &text);
                continue;
            }
            if let Some(known) = self.types().enumeration_mut(id) {
                known.values.push((full.clone(), value));
                known.names.entry(value).or_insert_with(|| full.clone());
            }
            let deprecated = item.deprecated.as_ref().map(Self::sentence);
            let symbol = Symbol {
                meaning: Meaning::Enum(id, value),
                span: item.span,
                is_exported: self.exported,
                deprecated,
            };
            self.engine.program.symbols.insert(full, symbol);
        }
    }
}
