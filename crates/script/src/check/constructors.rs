//! Constructors of records and containers.

use std::rc::Rc;

use super::{Checker, Thing};
use crate::source::Span;
use crate::syntax::ast::{Attribute, Container, Expr, Kind};
use crate::types::{Field, Record, Type, TypeId};

impl Checker<'_> {
    /// Checks `[$a = 1]` and the like; `wanted` is the type by whose name it is made.
    pub(super) fn record(
        &mut self,
        fields: Vec<Expr>,
        name: Option<Rc<str>>,
        wanted: Option<TypeId>,
        span: Span,
        depth: u16,
    ) -> Expr {
        let before = self.engine.errors;
        let known = wanted.and_then(|wanted| self.types().record(wanted).cloned());
        let mut checked = Vec::new();
        let mut record = Record::default();
        for field in fields {
            let place = field.span;
            let Kind::FieldAssign(field_name, value) = field.kind else {
                let shown = self.expression(field);
                self.error_about(&Expr { ty: TypeId::ANY, ..shown }, "bad type in record constructor");
                continue;
            };
            let into = known.as_ref().and_then(|known| known.field(&field_name)).map(|field| field.ty);
            let value = self.initial_expression(*value, into);
            let value = match into {
                Some(into) => self.literal_for(value, into),
                None => value,
            };
            if value.ty == TypeId::VOID {
                let shown = Self::built(
                    Kind::FieldAssign(field_name.clone(), Box::new(value.clone())),
                    TypeId::ANY,
                    place,
                    depth,
                );
                self.error_about(&shown, "can't assign void value");
                continue;
            }
            let is_new = record.push(Field::new(&field_name, value.ty, place));
            if !is_new {
                self.error(span, &format!("duplicate field '{field_name}' found in record definition"));
            }
            let ty = value.ty;
            checked.push(Self::built(Kind::FieldAssign(field_name, Box::new(value)), ty, place, depth));
        }
        let is_broken = checked.iter().any(|field| field.ty == TypeId::ERROR) || self.engine.errors != before;
        let ty = if is_broken { TypeId::ERROR } else { self.types().add(Type::Record(record)) };
        if !is_broken {
            self.engine.program.type_spans.insert(ty, span);
        }
        Self::built(Kind::Record(checked, name), ty, span, depth)
    }

    /// Checks `T(…)`.
    pub(super) fn named_constructor(
        &mut self,
        id: TypeId,
        function: &Expr,
        arguments: Vec<Expr>,
        span: Span,
        depth: u16,
    ) -> Expr {
        let name: Rc<str> = match &function.kind {
            Kind::Type(_, name) => name.clone(),
            _ => "".into(),
        };
        match self.types().get(id).clone() {
            Type::Record(_) => {
                let built = self.record(arguments, Some(name), Some(id), span, depth);
                if built.ty == TypeId::ERROR {
                    return built;
                }
                self.typed_record(built, id)
            }
            Type::Table { value, .. } => {
                let container = if value.is_some() { Container::Table } else { Container::Set };
                self.container(container, arguments, Vec::new(), Some(id), span, depth)
            }
            Type::Vector(_) => {
                self.container(Container::Vector, arguments, Vec::new(), Some(id), span, depth)
            }
            _ => {
                let text = format!("type '{name}' is not a ctor type");
                self.error(span, &text);
                Self::built(Kind::Record(Vec::new(), None), TypeId::ERROR, span, depth)
            }
        }
    }

    /// Gives a record constructor the type of its name.
    fn typed_record(&mut self, built: Expr, to: TypeId) -> Expr {
        let Some(known) = self.types().record(to).cloned() else { return Self::broken(built) };
        let before = self.engine.errors;
        let Expr { kind: Kind::Record(fields, name), span, depth, .. } = built else { return built };
        let shown = Self::built(Kind::Record(fields.clone(), name.clone()), to, span, depth);
        let mut converted = Vec::new();
        for field in fields {
            let Kind::FieldAssign(field_name, value) = field.kind else { continue };
            let Some(into) = known.field(&field_name).cloned() else {
                let text = format!("no field \"{field_name}\" in record");
                self.error_about(&shown, &text);
                continue;
            };
            if let Some(sentence) = &into.deprecated {
                self.warn_deprecated_field(to, &field_name, &sentence.clone(), &shown, "$");
            }
            if into.ty == TypeId::ERROR {
                self.engine.is_fatal |= self.engine.errors == 0;
                return Self::broken(shown);
            }
            match self.convert(*value, into.ty) {
                Ok(value) => {
                    let ty = value.ty;
                    converted.push(Self::built(
                        Kind::FieldAssign(field_name, Box::new(value)),
                        ty,
                        field.span,
                        field.depth,
                    ));
                }
                Err(_) => {
                    let text = format!("type mismatch for field \"{field_name}\"");
                    self.error_about(&shown, &text);
                }
            }
        }
        let given: Vec<Rc<str>> = converted
            .iter()
            .filter_map(|field| match &field.kind {
                Kind::FieldAssign(name, _) => Some(name.clone()),
                _ => None,
            })
            .collect();
        for field in &known.fields {
            if !given.contains(&field.name)
                && !field.optional
                && field.default.is_none()
                && !self.is_made_empty(field.ty)
            {
                let text = format!("non-optional field \"{}\" missing", field.name);
                self.error_about(&shown, &text);
            }
        }
        let ty = if self.engine.errors == before { to } else { TypeId::ERROR };
        Self::built(Kind::Record(converted, name), ty, span, depth)
    }

    /// Returns whether a missing field of the type is made as an empty container.
    fn is_made_empty(&mut self, ty: TypeId) -> bool {
        matches!(self.types().get(ty), Type::Table { .. } | Type::Vector(_) | Type::Record(_))
    }

    /// Checks a list of values.
    pub(super) fn list(&mut self, members: Vec<Expr>, span: Span, depth: u16) -> Expr {
        let types: Vec<TypeId> = members.iter().map(|member| member.ty).collect();
        let ty = if types.contains(&TypeId::ERROR) { TypeId::ERROR } else { self.types().list(&types) };
        Self::built(Kind::List(members), ty, span, depth)
    }

    /// Checks a constructor of a container; `wanted` is the type that it shall have.
    pub(super) fn container(
        &mut self,
        container: Container,
        members: Vec<Expr>,
        mut attributes: Vec<Attribute>,
        wanted: Option<TypeId>,
        span: Span,
        depth: u16,
    ) -> Expr {
        let before = self.engine.errors;
        let (members, ty) = match container {
            Container::Vector => self.vector_members(members, wanted, span, depth),
            Container::Set => self.set_members(members, wanted, span, depth),
            Container::Table => self.table_members(members, wanted, span, depth),
        };
        let mut ty = if self.engine.errors == before { ty } else { TypeId::ERROR };
        let mut number = None;
        if ty != TypeId::ERROR && !attributes.is_empty() {
            if let Some(kept) = self.table_attributes(&mut attributes, ty, super::attributes::Place::Variable)
            {
                self.engine.program.attributes.push(kept);
                number = Some(self.engine.program.attributes.len().to_string().into());
            }
            if self.engine.errors != before {
                ty = TypeId::ERROR;
            }
        }
        Self::built(Kind::Container(container, members, attributes, number), ty, span, depth)
    }

    fn vector_members(
        &mut self,
        members: Vec<Expr>,
        wanted: Option<TypeId>,
        span: Span,
        depth: u16,
    ) -> (Vec<Expr>, TypeId) {
        let element =
            wanted.and_then(|wanted| self.types().element(wanted)).filter(|element| *element != TypeId::VOID);
        let mut checked: Vec<Expr> =
            members.into_iter().map(|member| self.initial_expression(member, element)).collect();
        if checked.iter().any(|member| member.ty == TypeId::ERROR) {
            return (checked, TypeId::ERROR);
        }
        let Some(element) = element else {
            let Some(merged) = self.merge(&mut checked, span) else { return (checked, TypeId::ERROR) };
            let ty = self.types().vector(merged);
            return (checked, ty);
        };
        let shown = Self::built(
            Kind::Container(Container::Vector, checked.clone(), Vec::new(), None),
            TypeId::ANY,
            span,
            depth,
        );
        let wanted_all = vec![element; checked.len()];
        let is_good = self.convert_all(&mut checked, &wanted_all);
        if !is_good {
            self.error_about(&shown, "inconsistent types in vector constructor");
        }
        (checked, wanted.unwrap_or(TypeId::ERROR))
    }

    /// Finds a type for all members, and converts them to it.
    fn merge(&mut self, members: &mut [Expr], span: Span) -> Option<TypeId> {
        let Some(mut ty) = members.first().map(|first| first.ty) else { return Some(TypeId::VOID) };
        for member in members.iter().skip(1) {
            ty = self.merged(ty, member.ty, span)?;
        }
        for member in members.iter_mut() {
            if member.ty != ty {
                let taken = std::mem::replace(member, Self::constant(crate::values::Value::Unset, ty, span));
                *member = self.convert(taken, ty).unwrap_or_else(|broken| broken);
            }
        }
        Some(ty)
    }

    pub(super) fn merged(&mut self, one: TypeId, other: TypeId, span: Span) -> Option<TypeId> {
        if one == other {
            return Some(one);
        }
        if let Some(meeting) = crate::types::promote(one, other) {
            return Some(meeting);
        }
        if self.types().becomes_container(one, other) {
            return Some(other);
        }
        if self.types().same(one, other) || self.types().becomes_container(other, one) {
            return Some(if one == TypeId::ANY || other == TypeId::ANY { TypeId::ANY } else { one });
        }
        if self.types().record_fits(other, one) {
            return Some(one);
        }
        if self.types().record_fits(one, other) {
            return Some(other);
        }
        if self.types().record(one).is_some() && self.types().record(other).is_some() {
            return self.merged_records(one, other, span);
        }
        if self.types().is_enum(one) && self.types().is_enum(other) {
            let (first, second) = (self.types().text(one), self.types().text(other));
            let text = format!("incompatible enum types: '{first}' and '{second}'");
            self.error_between(&Thing::Type(one), &Thing::Type(other), &text);
        } else {
            self.error_between(&Thing::Type(one), &Thing::Type(other), "incompatible types");
        }
        self.error(span, "inconsistent types in list");
        None
    }

    /// Returns a record with the fields of both; those of only one are optional.
    fn merged_records(&mut self, one: TypeId, other: TypeId, span: Span) -> Option<TypeId> {
        let (first, second) = (self.types().record(one)?.clone(), self.types().record(other)?.clone());
        let mut merged = Record::default();
        for field in first.fields.iter().chain(&second.fields) {
            let mut field = field.clone();
            match (first.field(&field.name), second.field(&field.name)) {
                (Some(a), Some(b)) => field.ty = self.merged(a.ty, b.ty, span)?,
                _ => field.optional = true,
            }
            merged.push(field);
        }
        Some(self.types().add(Type::Record(merged)))
    }

    fn set_members(
        &mut self,
        members: Vec<Expr>,
        wanted: Option<TypeId>,
        span: Span,
        depth: u16,
    ) -> (Vec<Expr>, TypeId) {
        let keys = wanted.and_then(|wanted| self.types().table_of(wanted)).map(|(keys, _)| keys);
        let keys = keys.filter(|keys| !keys.is_empty());
        let mut checked = Vec::new();
        for member in members {
            let single = keys.as_ref().filter(|keys| keys.len() == 1).and_then(|keys| keys.first().copied());
            checked.push(self.key_parts(member, keys.as_deref(), single));
        }
        if checked.iter().any(|member| member.ty == TypeId::ERROR) {
            return (checked, TypeId::ERROR);
        }
        if checked.is_empty() {
            let ty = wanted.unwrap_or_else(|| self.types().table(&[], None));
            return (checked, ty);
        }
        let shown = Self::built(
            Kind::Container(Container::Set, checked.clone(), Vec::new(), None),
            TypeId::ANY,
            span,
            depth,
        );
        match keys {
            Some(keys) => {
                let is_good = self.fit_members(&mut checked, &keys, Container::Set, &shown, wanted);
                (checked, if is_good { wanted.unwrap_or(TypeId::ERROR) } else { TypeId::ERROR })
            }
            None => match self.infer_keys(&mut checked, span) {
                Some(keys) => {
                    let ty = self.types().table(&keys, None);
                    (checked, ty)
                }
                None => (checked, TypeId::ERROR),
            },
        }
    }

    /// Checks an index in a constructor: a list of parts, or one.
    fn key_parts(&mut self, member: Expr, keys: Option<&[TypeId]>, single: Option<TypeId>) -> Expr {
        let span = member.span;
        let depth = member.depth;
        match member.kind {
            Kind::List(parts) => {
                let parts: Vec<Expr> = parts
                    .into_iter()
                    .enumerate()
                    .map(|(place, part)| {
                        let into = keys.and_then(|keys| keys.get(place).copied());
                        self.initial_expression(part, into)
                    })
                    .collect();
                self.list(parts, span, depth)
            }
            // Refused where the members are converted: it is no assignment here.
            Kind::Assign(index, value) => {
                let index = *index;
                let parts = match index.kind {
                    Kind::List(parts) => parts,
                    kind => vec![Expr { kind, ty: index.ty, span: index.span, depth, is_grouped: false }],
                };
                let parts: Vec<Expr> = parts.into_iter().map(|part| self.expression(part)).collect();
                let index = self.list(parts, span, depth);
                let value = self.expression(*value);
                Self::built(Kind::Assign(Box::new(index), Box::new(value)), TypeId::VOID, span, depth)
            }
            _ => self.initial_expression(member, single),
        }
    }

    /// Finds the types of the indices of a constructor.
    pub(super) fn infer_keys(&mut self, members: &mut [Expr], span: Span) -> Option<Vec<TypeId>> {
        let parts = |member: &Expr| match &member.kind {
            Kind::List(parts) => parts.iter().map(|part| part.ty).collect::<Vec<_>>(),
            _ => vec![member.ty],
        };
        let mut keys = parts(members.first()?);
        for member in members.iter().skip(1) {
            let more = parts(member);
            if more.len() != keys.len() {
                let (one, other) = (self.types().list(&keys), self.types().list(&more));
                let texts = (self.types().text(one), self.types().text(other));
                self.error(span, &format!("different number of indices ({} and {})", texts.0, texts.1));
                return None;
            }
            for (key, more) in keys.iter_mut().zip(more) {
                *key = self.merged(*key, more, span)?;
            }
        }
        for member in members.iter_mut() {
            let taken =
                std::mem::replace(member, Self::constant(crate::values::Value::Unset, TypeId::ANY, span));
            let all = match taken.kind {
                Kind::List(parts) => parts,
                _ => vec![taken.clone()],
            };
            let fitted = self.fit_index(all, &keys, TypeId::ERROR).unwrap_or_else(|parts| parts);
            *member = self.index_list(
                fitted,
                &Self::built(Kind::List(Vec::new()), TypeId::ANY, taken.span, taken.depth),
            );
        }
        Some(keys)
    }
}
