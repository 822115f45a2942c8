//! `redef`: of values, records, their fields, and enumerations.

use std::rc::Rc;

use super::{Checker, Thing};
use crate::program::Meaning;
use crate::source::Span;
use crate::syntax::ast::{Attribute, EnumItem, Expr, FieldDecl, InitClass, Variable};
use crate::types::{Type, TypeId};
use crate::values::Value;

impl Checker<'_> {
    pub(super) fn redefine(&mut self, variable: Variable) {
        let module = self.module.clone();
        let found =
            self.engine.program.find(&variable.name, &module).map(|(full, symbol)| (full, symbol.clone()));
        let end = Span::line(variable.span.file, variable.span.last);
        let Some((full, symbol)) = found else {
            let text = format!("\"redef\" used but not previously defined ({})", variable.name);
            self.error(end, &text);
            return;
        };
        self.mention_global(&full);
        let Meaning::Global(number) = symbol.meaning else {
            self.error(end, &format!("\"redef\" used for what is no variable ({full})"));
            return;
        };
        let Some(global) = self.engine.program.globals.get(number as usize).cloned() else { return };
        if let Some((class @ (InitClass::Add | InitClass::Remove), _)) = &variable.init
            && !global.value.is_set()
        {
            let sign = if *class == InitClass::Add { "+=" } else { "-=" };
            let place = Span::line(global.span.file, global.span.last);
            self.error(place, &format!("{sign} initializer applied to ID without value ({})", variable.name));
            return;
        }
        let gives_redef = variable.attributes.iter().any(|attribute| &*attribute.name == "redef");
        if !global.is_redefinable && variable.init.is_some() {
            self.error_between(
                &Thing::Name(&full, global.span),
                &Thing::Name(&full, end),
                "cannot redefine a variable not marked with &redef",
            );
            return;
        }
        if gives_redef && let Some(global) = self.engine.program.globals.get_mut(number as usize) {
            global.is_redefinable = true;
        }
        let ty = global.ty;
        let mut attributes = variable.attributes;
        if self.types().is_table(ty) && !attributes.is_empty() {
            let kept = self.table_attributes(&mut attributes, ty, super::attributes::Place::Variable);
            if kept.is_some()
                && let Some(global) = self.engine.program.globals.get_mut(number as usize)
            {
                global.attributes = kept;
            }
        }
        if let Some((class, init)) = variable.init
            && ty != TypeId::ERROR
        {
            self.redefine_value(number, &full, class, init, end);
        }
        self.engine.apply_attributes(number);
    }

    fn redefine_value(&mut self, number: u32, name: &Rc<str>, class: InitClass, init: Expr, end: Span) {
        let Some(global) = self.engine.program.globals.get(number as usize).cloned() else { return };
        let before = self.engine.errors;
        self.in_init = true;
        let init = self.outside(|this| this.initial_expression(init, Some(global.ty)));
        self.in_init = false;
        if init.ty == TypeId::ERROR || self.engine.errors != before {
            return;
        }
        if class == InitClass::Assign {
            let Some(init) = self.fit_initial(init, global.ty, name) else { return };
            let Some(value) = self.initial_value(&init, name, end) else { return };
            self.set_global(number, value);
            return;
        }
        if !global.value.is_set() && class == InitClass::Add {
            self.error(end, &format!("+= initializer applied to ID without value ({name})"));
            return;
        }
        let Some(value) = self.evaluate(&init) else { return };
        let combined = self.combine(&global.value, &value, class);
        match combined {
            Some(value) => self.set_global(number, value),
            None => {
                let sign = if class == InitClass::Add { "+=" } else { "-=" };
                self.error(end, &format!("cannot use {sign} to redefine ({name})"));
            }
        }
    }

    fn set_global(&mut self, number: u32, value: Value) {
        if let Some(global) = self.engine.program.globals.get_mut(number as usize) {
            global.value = value;
        }
    }

    /// Returns what `+=` or `-=` makes of two values.
    fn combine(&mut self, old: &Value, new: &Value, class: InitClass) -> Option<Value> {
        let adds = class == InitClass::Add;
        match (old, new) {
            (Value::Table(old), Value::Table(new)) => {
                if adds {
                    self.engine.add_all(old, new);
                } else {
                    self.engine.remove_all(old, new);
                }
                Some(Value::Table(old.clone()))
            }
            (Value::Vector(old), Value::Vector(new)) if adds => {
                let more = new.all();
                old.with(|elements| elements.extend(more));
                Some(Value::Vector(old.clone()))
            }
            (Value::Vector(old), element) if adds => {
                old.set(old.len(), element.clone());
                Some(Value::Vector(old.clone()))
            }
            (Value::Pattern(old), Value::Pattern(new)) if adds => {
                old.or(new).ok().map(|pattern| Value::Pattern(Rc::new(pattern)))
            }
            (Value::String(old), Value::String(new)) if adds => {
                Some(Value::string([&**old, &**new].concat()))
            }
            (Value::Count(old), Value::Count(new)) => {
                Some(Value::Count(if adds { old.wrapping_add(*new) } else { old.saturating_sub(*new) }))
            }
            (Value::Int(old), new) => {
                Some(Value::Int(if adds { old.wrapping_add(new.int()) } else { old.wrapping_sub(new.int()) }))
            }
            (Value::Double(old), new) => {
                Some(Value::Double(if adds { old + new.double() } else { old - new.double() }))
            }
            (Value::Interval(old), new) => {
                Some(Value::Interval(if adds { old + new.double() } else { old - new.double() }))
            }
            _ => None,
        }
    }

    pub(super) fn add_fields(&mut self, name: &Rc<str>, fields: Vec<FieldDecl>, span: Span) {
        let Some(id) = self.record_named(name, span, "error") else { return };
        self.mention_change(id);
        for decl in &fields {
            let mut field = self.field(decl, Some(id));
            field.added = true;
            if !field.optional && field.default.is_none() {
                let text = format!("extension field must be &optional or have &default ({name})");
                self.error(span, &text);
                continue;
            }
            let is_new = self.types().record_mut(id).is_some_and(|record| record.push(field));
            if !is_new {
                let end = Span::line(span.file, span.last);
                self.error(end, &format!("duplicate field '{}' found in record definition", decl.name));
            }
        }
        self.engine.extend_values(id);
    }

    fn record_named(&mut self, name: &Rc<str>, span: Span, severity: &str) -> Option<TypeId> {
        let module = self.module.clone();
        let meaning = self.engine.program.find(name, &module).map(|(_, symbol)| symbol.meaning.clone());
        let place = Span::line(span.file, span.last);
        let full = name.to_string();
        match meaning {
            Some(Meaning::Type(id)) if self.types().record(id).is_some() => Some(id),
            Some(Meaning::Type(id)) => {
                let kind = match self.types().get(id) {
                    Type::Enum(_) => "enum".to_owned(),
                    _ => self.types().text(id),
                };
                let text = format!("identifier \"{full}\" has type \"{kind}\", expected \"record\"");
                self.engine.report_at("fatal error", place, &text);
                self.engine.is_fatal = true;
                None
            }
            _ => {
                let severity = if severity == "error" { "error" } else { "fatal error" };
                let text = if severity == "error" {
                    format!("unknown identifier ({full})")
                } else {
                    format!("unknown record identifier \"{full}\"")
                };
                self.engine.report_at(severity, place, &text);
                self.engine.is_fatal |= severity != "error";
                None
            }
        }
    }

    pub(super) fn change_field(
        &mut self,
        name: &Rc<str>,
        field: &str,
        class: InitClass,
        attributes: &[Attribute],
        span: Span,
    ) {
        let place = Span::line(span.file, span.last);
        let Some(id) = self.record_named(name, span, "fatal error") else { return };
        self.mention_change(id);
        if attributes.iter().any(|attribute| &*attribute.name != "log") {
            let text = "Can only redef \"&log\" attributes of record fields";
            self.engine.report_at("fatal error", place, text);
            self.engine.is_fatal = true;
            return;
        }
        let at = self.types().record(id).and_then(|record| record.place(field));
        let found = at.and_then(|at| self.types().record_mut(id)?.fields.get_mut(at));
        match found {
            Some(field) => {
                field.log = class == InitClass::Add;
                let kept: Vec<&str> =
                    field.attributes.split(", ").filter(|one| *one != "&log" && !one.is_empty()).collect();
                let mut text = kept.join(", ");
                if field.log {
                    text = if text.is_empty() { "&log".to_owned() } else { format!("{text}, &log") };
                }
                field.attributes = text.into();
            }
            None => {
                let text = format!("field \"{field}\" not in record \"{name}\"");
                self.engine.report_at("fatal error", place, &text);
                self.engine.is_fatal = true;
            }
        }
    }

    pub(super) fn add_enum_items(&mut self, name: &Rc<str>, items: Vec<EnumItem>, span: Span) {
        let module = self.module.clone();
        let meaning = self.engine.program.find(name, &module).map(|(_, symbol)| symbol.meaning.clone());
        match meaning {
            Some(Meaning::Type(id)) if self.types().is_enum(id) => self.add_values(id, &items),
            _ => self.error(span, &format!("unknown enum identifier \"{name}\"")),
        }
    }
}
