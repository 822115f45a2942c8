//! Types as users write them.

use std::fmt::Write as _;

use super::{Flavor, Type, TypeId, Types};

impl Types {
    /// Returns a type as `type_name` and messages show it.
    pub fn text(&self, id: TypeId) -> String {
        let mut out = String::new();
        self.describe(id, &mut out, &mut Vec::new());
        out
    }

    /// Returns a function's type as text, with the names of records that it takes or returns.
    pub fn short_text(&self, id: TypeId) -> String {
        let mut out = String::new();
        let mut named: Vec<TypeId> = Vec::new();
        if let Some(function) = self.signature(id) {
            let parts = function.parameters.iter().map(|field| field.ty).chain([function.result]);
            named.extend(parts.filter(|part| self.name_of(*part).is_some() && self.record(*part).is_some()));
        }
        self.describe(id, &mut out, &mut named);
        out
    }

    fn describe(&self, id: TypeId, out: &mut String, open: &mut Vec<TypeId>) {
        match self.get(id) {
            Type::Basic(word) => out.push_str(word),
            Type::Enum(inner) => {
                out.push_str(&inner.name);
            }
            Type::Table { keys, value } => {
                out.push_str(if value.is_some() { "table[" } else { "set[" });
                for (at, key) in keys.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    self.describe(*key, out, open);
                }
                out.push(']');
                if let Some(value) = value {
                    out.push_str(" of ");
                    self.describe(*value, out, open);
                }
            }
            Type::Vector(element) => {
                out.push_str("vector of ");
                self.describe(*element, out, open);
            }
            Type::Record(record) => {
                if open.contains(&id) || self.holds(id, id, &mut Vec::new()) {
                    out.push_str(&self.name_of(id).unwrap_or_else(|| "<recursion>".into()));
                    return;
                }
                open.push(id);
                out.push_str("record {");
                for field in &record.fields {
                    let _ = write!(out, " {}:", field.name);
                    self.describe(field.ty, out, open);
                    if !field.attributes.is_empty() {
                        let _ = write!(out, " {}", field.attributes);
                    }
                    out.push(';');
                }
                out.push_str(" }");
                open.pop();
            }
            Type::Function(_) => self.describe_function(id, out, open),
            Type::File => out.push_str("file of string"),
            Type::Opaque(name) => {
                let _ = write!(out, "opaque of {name}");
            }
            Type::List(members) => {
                out.push_str("list of ");
                for (at, member) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    match self.name_of(*member) {
                        Some(name) => out.push_str(&name),
                        None => self.describe(*member, out, open),
                    }
                }
            }
            Type::Type(of) => {
                out.push_str("type ");
                self.describe(*of, out, open);
            }
        }
    }

    /// Returns whether values of a type can hold ones of the record `wanted`.
    fn holds(&self, id: TypeId, wanted: TypeId, seen: &mut Vec<TypeId>) -> bool {
        if seen.contains(&id) || seen.len() > 1000 {
            return false;
        }
        seen.push(id);
        let mut inner: Vec<TypeId> = Vec::new();
        match self.get(id) {
            Type::Record(record) => inner.extend(record.fields.iter().map(|field| field.ty)),
            Type::Function(function) => inner.extend(function.parameters.iter().map(|field| field.ty)),
            Type::Table { keys, value } => inner.extend(keys.iter().copied().chain(*value)),
            Type::Vector(element) | Type::Type(element) => inner.push(*element),
            Type::List(members) => inner.extend(members.iter()),
            _ => {}
        }
        inner.iter().any(|part| *part == wanted || self.holds(*part, wanted, seen))
    }

    fn describe_function(&self, id: TypeId, out: &mut String, open: &mut Vec<TypeId>) {
        let Some(function) = self.signature(id) else { return };
        out.push_str(match function.flavor {
            Flavor::Function => "function(",
            Flavor::Event => "event(",
            Flavor::Hook => "hook(",
        });
        for (at, field) in function.parameters.iter().enumerate() {
            if at > 0 {
                out.push_str(", ");
            }
            let _ = write!(out, "{}:", field.name);
            self.describe(field.ty, out, open);
            if !field.attributes.is_empty() {
                let _ = write!(out, " {}", field.attributes);
            }
        }
        out.push(')');
        if function.flavor != Flavor::Event {
            out.push_str(" : ");
            self.describe(function.result, out, open);
        }
    }
}
