//! Records: their fields, and what a new one holds.

use std::collections::HashMap;
use std::rc::Rc;

use super::TypeId;
use crate::source::Span;
use crate::values::Value;

/// The value that a field of a new record, or a parameter without argument, gets.
#[derive(Clone, Debug)]
pub enum Default {
    /// A value that nobody can change.
    Value(Value),
    /// The value that a function without parameters returns.
    Function(u32),
    /// An empty table, set, vector or record of the field's type.
    Empty,
}

/// A field of a record, or a parameter of a function.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Rc<str>,
    /// Its type.
    pub ty: TypeId,
    /// `&optional`.
    pub optional: bool,
    /// `&log`.
    pub log: bool,
    /// `&default`.
    pub default: Option<Default>,
    /// `&deprecated`, with its sentence.
    pub deprecated: Option<Rc<str>>,
    /// The attributes as text, in the order of their declaration.
    pub attributes: Rc<str>,
    /// Where it is declared.
    pub span: Span,
    /// Keeps `redef` fields apart.
    pub added: bool,
}

impl Field {
    /// Returns a field without attributes.
    pub fn new(name: &str, ty: TypeId, span: Span) -> Self {
        Self {
            name: name.into(),
            ty,
            optional: false,
            log: false,
            default: None,
            deprecated: None,
            attributes: "".into(),
            span,
            added: false,
        }
    }
}

/// A record's fields. Fields are added at the end and never removed, so that their places stay.
#[derive(Clone, Debug, core::default::Default)]
pub struct Record {
    /// The fields.
    pub fields: Vec<Field>,
    places: HashMap<Rc<str>, usize>,
}

impl Record {
    /// Adds a field; false where one of this name exists.
    pub fn push(&mut self, field: Field) -> bool {
        if self.places.contains_key(&field.name) {
            return false;
        }
        self.places.insert(field.name.clone(), self.fields.len());
        self.fields.push(field);
        true
    }

    /// Returns the place of a field.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Returns a field by its name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.get(self.place(name)?)
    }
}
