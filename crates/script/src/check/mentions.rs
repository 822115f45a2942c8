//! What scripts name, as far as the engine asks: only for this is traffic kept and are logs passed through scripts.

use std::collections::HashSet;
use std::rc::Rc;

use super::Checker;
use crate::syntax::ast::{Expr, Kind};
use crate::types::TypeId;

/// Names in scripts that are not the prelude's.
#[derive(Clone, Debug, Default)]
pub struct Mentions {
    /// Variables and functions by their full names, also those of `redef`.
    globals: HashSet<Rc<str>>,
    values: HashSet<(TypeId, i64)>,
    fields: HashSet<(TypeId, Rc<str>)>,
    /// Fields that policy scripts of the prelude look at.
    of_policies: HashSet<(TypeId, Rc<str>)>,
    /// Functions that policy scripts of the prelude call.
    called_by_policies: HashSet<Rc<str>>,
    written: HashSet<(TypeId, Rc<str>)>,
    deleted: HashSet<(TypeId, Rc<str>)>,
    /// Records with fields that scripts added or changed.
    changed: HashSet<TypeId>,
}

impl Mentions {
    /// Returns whether a variable or function is named whose full name the test holds for.
    pub fn has_global(&self, is_meant: impl Fn(&str) -> bool) -> bool {
        self.globals.iter().any(|name| is_meant(name))
    }

    /// Returns whether policy scripts that are loaded name a function.
    pub fn is_called_by_policies(&self, name: &str) -> bool {
        self.called_by_policies.contains(name)
    }

    /// Returns whether scripts, or policy scripts that are loaded, name a variable or function that the test holds for.
    pub fn names(&self, is_meant: impl Fn(&str) -> bool) -> bool {
        self.globals.iter().chain(&self.called_by_policies).any(|name| is_meant(name))
    }

    /// Returns whether a value of an enumeration is named.
    pub fn has_value(&self, ty: TypeId, value: i64) -> bool {
        self.values.contains(&(ty, value))
    }

    /// Returns whether a field of a record is read or written.
    pub fn has_field(&self, record: TypeId, field: &str) -> bool {
        self.fields.contains(&(record, field.into()))
    }

    /// Returns whether scripts, or policy scripts that are loaded, look at a field of a record.
    pub fn looks_at(&self, record: TypeId, field: &str) -> bool {
        self.has_field(record, field) || self.of_policies.contains(&(record, field.into()))
    }

    /// Returns whether a field of a record, or something in it, is written.
    pub fn is_written(&self, record: TypeId, field: &str) -> bool {
        self.written.contains(&(record, field.into()))
    }

    /// Returns whether a field of a record is removed.
    pub fn is_deleted(&self, record: TypeId, field: &str) -> bool {
        self.deleted.contains(&(record, field.into()))
    }

    /// Returns whether scripts write any field of a record, or changed which it has.
    pub fn touches(&self, record: TypeId) -> bool {
        self.changed.contains(&record) || self.written.iter().any(|(written, _)| *written == record)
    }
}

impl Checker<'_> {
    fn mentions(&mut self) -> Option<&mut Mentions> {
        (!self.engine.in_prelude).then_some(&mut self.engine.program.mentions)
    }

    pub(super) fn mention_global(&mut self, name: &Rc<str>) {
        if let Some(mentions) = self.mentions() {
            mentions.globals.insert(name.clone());
        } else if self.engine.in_policy {
            self.engine.program.mentions.called_by_policies.insert(name.clone());
        }
    }

    pub(super) fn mention_value(&mut self, ty: TypeId, value: i64) {
        if let Some(mentions) = self.mentions() {
            mentions.values.insert((ty, value));
        }
    }

    pub(super) fn mention_field(&mut self, record: TypeId, field: &Rc<str>) {
        if let Some(mentions) = self.mentions() {
            mentions.fields.insert((record, field.clone()));
        } else if self.engine.in_policy {
            self.engine.program.mentions.of_policies.insert((record, field.clone()));
        }
    }

    pub(super) fn mention_change(&mut self, record: TypeId) {
        if let Some(mentions) = self.mentions() {
            mentions.changed.insert(record);
        }
    }

    /// Notes that something is removed.
    pub(super) fn mention_removal(&mut self, target: &Expr) {
        if let (Kind::Field(base, name, _), Some(mentions)) = (&target.kind, self.mentions()) {
            mentions.deleted.insert((base.ty, name.clone()));
        }
        self.mention_write(target);
    }

    /// Notes that something is written: all fields on the way to it.
    pub(super) fn mention_write(&mut self, target: &Expr) {
        if self.engine.in_prelude && !self.engine.in_policy {
            return;
        }
        let mentions = &mut self.engine.program.mentions;
        let mut target = target;
        loop {
            target = match &target.kind {
                Kind::Field(base, name, _) => {
                    mentions.written.insert((base.ty, name.clone()));
                    base
                }
                Kind::Index(base, _) | Kind::Slice(base, ..) => base,
                _ => return,
            };
        }
    }
}
