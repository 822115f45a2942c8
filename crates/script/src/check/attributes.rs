//! Attributes of fields, parameters, variables and constructors.

use std::fmt::Write as _;
use std::rc::Rc;

use super::Checker;
use crate::syntax::ast::{Attribute, Expr, FieldDecl, Kind};
use crate::syntax::display;
use crate::types::{Default, Field, TypeId};
use crate::values::{Attributes, Expiry, TableDefault, Value};

/// Where attributes stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Field,
    Parameter,
    Variable,
}

impl Checker<'_> {
    /// Returns a field or parameter.
    pub(super) fn field(&mut self, decl: &FieldDecl, record: Option<TypeId>) -> Field {
        let ty = self.resolve(&decl.ty);
        let mut field = Field::new(&decl.name, ty, decl.span);
        let place = if record.is_some() { Place::Field } else { Place::Parameter };
        let mut text = String::new();
        let mut attributes = decl.attributes.clone();
        self.check_conflicts(&mut attributes);
        for attribute in &mut attributes {
            match &*attribute.name {
                "optional" => {
                    field.optional = true;
                    if place == Place::Parameter && !self.engine.in_prelude {
                        self.error(decl.span, "&optional is only valid for record fields (&optional)");
                    }
                }
                "log" => {
                    field.log = true;
                    if place == Place::Field && !self.types().is_loggable(ty) {
                        self.error(attribute.span, "&log applied to a type that cannot be logged (&log)");
                    }
                }
                "deprecated" => field.deprecated = Some(Self::sentence(attribute)),
                "default" => {
                    field.default = self.field_default(attribute, ty);
                    // What has a default may be absent.
                    field.optional = true;
                }
                "default_insert" => self.table_only(attribute, ty, Place::Field),
                _ => {}
            }
            if !text.is_empty() {
                text.push_str(", ");
            }
            let _ = write!(text, "{}", display::attribute(attribute, &self.engine.program.types));
            if place == Place::Parameter && &*attribute.name == "default" {
                text.push_str(", &optional");
            }
        }
        if place == Place::Field
            && self.types().is_table(ty)
            && let Some(id) = record
        {
            let kept = self.table_attributes(&mut attributes, ty, place);
            let at = self.types().record(id).map_or(0, |record| record.fields.len());
            if let Some(kept) = kept {
                self.engine.program.field_attributes.insert((id, at), kept);
            }
        }
        field.attributes = text.into();
        field
    }

    pub(super) fn sentence(attribute: &Attribute) -> Rc<str> {
        match attribute.value.as_deref().map(|value| &value.kind) {
            Some(Kind::Constant(value)) => value.text().into(),
            _ => "".into(),
        }
    }

    /// Refuses `&default` beside `&default_insert`.
    fn check_conflicts(&mut self, attributes: &mut Vec<Attribute>) {
        let is_default = |attribute: &&Attribute| matches!(&*attribute.name, "default" | "default_insert");
        let both: Vec<&Attribute> = attributes.iter().filter(is_default).collect();
        if let [first, second] = both.as_slice()
            && first.name != second.name
        {
            let types = &self.engine.program.types;
            let text = format!(
                "&default and &default_insert cannot be used together ({}, {})",
                display::attribute(first, types),
                display::attribute(second, types)
            );
            let span = second.span;
            self.error(span, &text);
            attributes.retain(|attribute| !is_default(&attribute));
        }
    }

    fn table_only(&mut self, attribute: &Attribute, ty: TypeId, _: Place) {
        if !matches!(self.types().table_of(ty), Some((_, Some(_)))) {
            let shown = display::attribute(attribute, &self.engine.program.types);
            self.error(attribute.span, &format!("&default_insert only applicable to tables ({shown})"));
        }
    }

    /// Returns the default of a field. Tables' defaults are for their indices, where the value is no table.
    fn field_default(&mut self, attribute: &mut Attribute, ty: TypeId) -> Option<Default> {
        let value = attribute.value.take()?;
        if ty == TypeId::ERROR {
            attribute.value = Some(value);
            return Some(Default::Empty);
        }
        let value = self.outside(|this| this.initial_expression(*value, Some(ty)));
        if value.ty == TypeId::ERROR {
            attribute.value = Some(Box::new(value));
            return Some(Default::Empty);
        }
        let is_table = self.types().table_of(ty).is_some_and(|(_, value)| value.is_some());
        if is_table && !self.types().is_table(value.ty) {
            // The default of the table's entries.
            attribute.value = Some(Box::new(value));
            return None;
        }
        let errors = self.engine.errors;
        let shown = value.clone();
        match self.convert_quietly(value, ty) {
            Some(value) => {
                let made = self.default_of(&value);
                attribute.value = Some(Box::new(value));
                made
            }
            None => {
                self.engine.errors = errors;
                attribute.value = Some(Box::new(shown));
                let text = display::attribute(attribute, &self.engine.program.types);
                self.error(attribute.span, &format!("&default value has inconsistent type ({text})"));
                Some(Default::Empty)
            }
        }
    }

    /// Converts without saying what is wrong.
    pub(super) fn convert_quietly(&mut self, expr: Expr, to: TypeId) -> Option<Expr> {
        let was = std::mem::replace(&mut self.engine.is_quiet, true);
        let errors = self.engine.errors;
        let result = self.convert(expr, to).ok();
        self.engine.errors = errors;
        self.engine.is_quiet = was;
        result
    }

    /// Returns what a default is: a constant, or a function that makes it.
    pub(super) fn default_of(&mut self, value: &Expr) -> Option<Default> {
        if let Kind::Constant(constant) = &value.kind {
            return Some(Default::Value(constant.clone()));
        }
        Some(Default::Function(self.thunk(value)))
    }

    /// Checks outside of every function: no local is visible.
    pub(super) fn outside<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        let scopes = std::mem::take(&mut self.scopes);
        self.scopes.push(super::Scope { is_initial: true, ..super::Scope::default() });
        let result = check(self);
        self.scopes = scopes;
        result
    }

    /// Compiles an expression into a function without parameters; returns its number.
    pub(super) fn thunk(&mut self, value: &Expr) -> u32 {
        let registers = self.scope().registers;
        let code = crate::compile::expression(&mut self.engine.program, value, registers);
        self.engine.add_thunk(code, value.ty, value.span)
    }

    /// Returns the attributes of a table, checked.
    pub(super) fn table_attributes(
        &mut self,
        attributes: &mut Vec<Attribute>,
        ty: TypeId,
        place: Place,
    ) -> Option<Rc<Attributes>> {
        if place != Place::Field {
            self.check_conflicts(attributes);
        }
        let mut kept = Attributes::default();
        let mut is_any = false;
        for attribute in attributes.iter_mut() {
            is_any |= self.table_attribute(attribute, ty, &mut kept, place);
        }
        is_any.then(|| Rc::new(kept))
    }

    fn table_attribute(
        &mut self,
        attribute: &mut Attribute,
        ty: TypeId,
        kept: &mut Attributes,
        place: Place,
    ) -> bool {
        match &*attribute.name.clone() {
            name @ ("default" | "default_insert") => self.entry_default(attribute, ty, kept, name, place),
            "create_expire" => self.lifetime(attribute, kept, Expiry::Create),
            "read_expire" => self.lifetime(attribute, kept, Expiry::Read),
            "write_expire" => self.lifetime(attribute, kept, Expiry::Write),
            "expire_func" => {
                kept.expire_function = self.expire_function(attribute, ty);
                kept.expire_function.is_some()
            }
            "on_change" => {
                let value = attribute.value.take().map(|value| self.outside(|this| this.expression(*value)));
                kept.on_change = value.as_ref().and_then(|value| self.evaluate(value));
                attribute.value = value.map(Box::new);
                kept.on_change.is_some()
            }
            "ordered" => {
                kept.ordered = true;
                true
            }
            _ => false,
        }
    }

    fn lifetime(&mut self, attribute: &mut Attribute, kept: &mut Attributes, expiry: Expiry) -> bool {
        let Some(value) = attribute.value.take() else { return false };
        let value = self.outside(|this| this.expression(*value));
        if value.ty != TypeId::INTERVAL && value.ty != TypeId::ERROR {
            self.error_about(&value, "expiration interval has wrong type");
            return false;
        }
        self.engine.waits |= !self.engine.in_prelude;
        kept.expiry = expiry;
        kept.lifetime = Some(self.outside(|this| this.thunk(&value)));
        attribute.value = Some(Box::new(value));
        true
    }

    fn expire_function(&mut self, attribute: &mut Attribute, ty: TypeId) -> Option<Value> {
        let value = attribute.value.take()?;
        let value = self.outside(|this| this.expression(*value));
        let shown = {
            attribute.value = Some(Box::new(value.clone()));
            display::attribute(attribute, &self.engine.program.types)
        };
        let function = self.types().signature(value.ty).cloned();
        let fault = match function {
            Some(function) if function.flavor == crate::types::Flavor::Function => {
                self.warn_of_count(&value, &function, ty);
                self.expire_fault(&function, ty)
            }
            _ => Some("&expire_func attribute is not a function"),
        };
        if let Some(fault) = fault {
            self.error(attribute.span, &format!("{fault} ({shown})"));
            return None;
        }
        self.evaluate(&value)
    }

    fn warn_of_count(&mut self, value: &Expr, function: &crate::types::Function, ty: TypeId) {
        let Some((keys, _)) = self.types().table_of(ty) else { return };
        let (wanted, given) = (keys.len() + 1, function.parameters.len());
        let takes_any = function.parameters.get(1).is_some_and(|field| field.ty == TypeId::ANY);
        if wanted == given || (takes_any && given == 2) {
            return;
        }
        let Kind::Global(number, _) = &value.kind else { return };
        let known = self.engine.program.globals.get(*number as usize).map(|global| global.span);
        let shown = self.types().text(value.ty);
        let text =
            format!("Wrong number of arguments for function. Expected {wanted}, got {given}. ({shown})");
        self.engine.report_at("warning", known.unwrap_or_default(), &text);
    }

    fn expire_fault(&mut self, function: &crate::types::Function, ty: TypeId) -> Option<&'static str> {
        if function.result != TypeId::INTERVAL {
            return Some("&expire_func must yield a value of type interval");
        }
        let (keys, _) = self.types().table_of(ty)?;
        let clash = Some("&expire_func argument type clash");
        let parameters = &function.parameters;
        let first = parameters.first().map(|field| field.ty);
        if !first.is_some_and(|first| self.types().same(first, ty)) {
            return clash;
        }
        let rest: Vec<TypeId> = parameters.iter().skip(1).map(|field| field.ty).collect();
        if rest.as_slice() == [TypeId::ANY] {
            return None;
        }
        let is_same = rest.len() == keys.len()
            && rest.iter().zip(keys.iter()).all(|(one, other)| self.types().same(*one, *other));
        if is_same { None } else { clash }
    }

    fn entry_default(
        &mut self,
        attribute: &mut Attribute,
        ty: TypeId,
        kept: &mut Attributes,
        name: &str,
        place: Place,
    ) -> bool {
        let Some((keys, Some(result))) = self.types().table_of(ty) else {
            if name == "default_insert" && place != Place::Field {
                self.table_only(attribute, ty, place);
            }
            return false;
        };
        let Some(value) = attribute.value.take() else { return false };
        let value = if value.ty == TypeId::ERROR {
            self.outside(|this| this.initial_expression(*value, Some(result)))
        } else {
            *value
        };
        let shown = {
            attribute.value = Some(Box::new(value.clone()));
            display::attribute(attribute, &self.engine.program.types)
        };
        if value.ty == TypeId::ERROR {
            return false;
        }
        if place == Place::Field && self.types().is_table(value.ty) && self.types().same(value.ty, ty) {
            return false;
        }
        kept.inserts_default = name == "default_insert";
        if let Some(function) = self.types().signature(value.ty).cloned()
            && self.types().signature(result).is_none()
        {
            let parameters: Vec<TypeId> = function.parameters.iter().map(|field| field.ty).collect();
            let is_same = parameters.len() == keys.len()
                && parameters.iter().zip(keys.iter()).all(|(one, other)| self.types().same(*one, *other));
            if !is_same || !self.types().same(function.result, result) {
                self.error(attribute.span, &format!("&{name} function type clash ({shown})"));
                return false;
            }
            kept.default = self.evaluate(&value).map(TableDefault::Call);
            return kept.default.is_some();
        }
        let converted = if place == Place::Field {
            self.convert_quietly(value, result)
        } else {
            self.convert(value, result).ok()
        };
        match converted {
            Some(value) => {
                kept.default = self.outside(|this| this.default_of(&value)).map(TableDefault::Plain)
            }
            None => self.error(attribute.span, &format!("&{name} value has inconsistent type ({shown})")),
        }
        kept.default.is_some()
    }
}
