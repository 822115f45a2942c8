//! Initial values, and members of tables and sets that a type is known for.

use std::rc::Rc;

use super::Checker;
use crate::source::Span;
use crate::syntax::ast::{Attribute, Container, Expr, Kind};
use crate::types::{Type, TypeId};

impl Checker<'_> {
    /// Checks a value for which a type may be known: `{ … }` and constructors take it on.
    pub(super) fn initial_expression(&mut self, expr: Expr, wanted: Option<TypeId>) -> Expr {
        let shape = wanted.map(|wanted| self.types().get(wanted).clone());
        let (span, depth) = (expr.span, expr.depth);
        let container = match &shape {
            Some(Type::Table { value: Some(_), .. }) => Some(Container::Table),
            Some(Type::Table { value: None, .. }) => Some(Container::Set),
            Some(Type::Vector(_)) => Some(Container::Vector),
            _ => None,
        };
        match (expr.kind, container) {
            (Kind::Braces(members), Some(container)) => {
                self.container(container, members, Vec::new(), wanted, span, depth)
            }
            (Kind::Record(fields, None), Some(container)) if fields.is_empty() => {
                self.container(container, Vec::new(), Vec::new(), wanted, span, depth)
            }
            (Kind::List(members), Some(container)) if self.in_init || container == Container::Table => {
                self.container(container, members, Vec::new(), wanted, span, depth)
            }
            (Kind::Container(own, members, attributes, _), Some(container)) if own == container => {
                let is_typed = members.is_empty() || self.could_fit(&members, wanted);
                let wanted =
                    wanted.filter(|_| is_typed && (own != Container::Vector || self.has_records(wanted)));
                self.container(own, members, attributes, wanted, span, depth)
            }
            (Kind::Braces(members), None) if wanted.is_some() => {
                let members: Vec<Expr> = members.into_iter().map(|member| self.expression(member)).collect();
                let list = self.list(members, span, depth);
                Expr { kind: list.kind, ..list }
            }
            (kind, _) => {
                self.expression(Expr { kind, ty: expr.ty, span, depth, is_grouped: expr.is_grouped })
            }
        }
    }

    fn has_records(&mut self, wanted: Option<TypeId>) -> bool {
        let Some(element) = wanted.and_then(|wanted| self.types().element(wanted)) else { return true };
        self.types().record(element).is_some()
            || matches!(self.types().get(element), Type::Table { .. } | Type::Vector(_))
            || element == TypeId::ANY
    }

    /// Returns whether the members of a constructor may have the wanted type, as far as that is seen without checking.
    fn could_fit(&mut self, _: &[Expr], wanted: Option<TypeId>) -> bool {
        let Some(wanted) = wanted else { return false };
        match self.types().get(wanted).clone() {
            // Only what holds records, containers or anything gains by its type; others find the type themselves, so that
            // what does not fit is told as a clash of the whole.
            Type::Table { keys, value } => {
                let takes = |this: &mut Self, id: TypeId| {
                    id == TypeId::ANY
                        || id.numeric().is_some()
                        || matches!(
                            this.types().get(id),
                            Type::Record(_) | Type::Table { .. } | Type::Vector(_)
                        )
                };
                keys.iter().any(|key| takes(self, *key))
                    || value.is_some_and(|value| takes(self, value))
                    || keys.iter().any(|key| *key == TypeId::ADDR || *key == TypeId::SUBNET)
            }
            Type::Vector(_) => true,
            _ => false,
        }
    }

    /// Checks `{ … }` without a type: a table where its members have values, else a set.
    pub(super) fn untyped_braces(&mut self, members: Vec<Expr>, span: Span, depth: u16) -> Expr {
        if members.is_empty() {
            self.error(span, "empty list in untyped initialization ()");
            return Self::built(Kind::Braces(Vec::new()), TypeId::ERROR, span, depth);
        }
        let has_values = members.iter().any(|member| matches!(member.kind, Kind::Assign(..)));
        let container = if has_values { Container::Table } else { Container::Set };
        self.container(container, members, Vec::new(), None, span, depth)
    }

    pub(super) fn table_members(
        &mut self,
        members: Vec<Expr>,
        wanted: Option<TypeId>,
        span: Span,
        depth: u16,
    ) -> (Vec<Expr>, TypeId) {
        let known =
            wanted.and_then(|wanted| self.types().table_of(wanted)).filter(|(keys, _)| !keys.is_empty());
        if members.is_empty() {
            let ty = wanted.unwrap_or_else(|| self.types().table(&[], Some(TypeId::VOID)));
            return (members, ty);
        }
        let shown = self.shown_table(&members, span, depth);
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for member in members {
            let place = member.span;
            let Kind::Assign(index, value) = member.kind else {
                let element = self.expression(member);
                if known.is_some() {
                    self.error_about(
                        &Expr { ty: TypeId::ANY, ..element },
                        "illegal table constructor element",
                    );
                    return (Vec::new(), TypeId::ERROR);
                }
                self.error_about(
                    &Expr { ty: TypeId::ANY, ..element },
                    "table constructor element lacks '=' structure",
                );
                let text = "cannot determine type for table; ensure square brackets are around each key";
                self.error_about(&shown, text);
                return (Vec::new(), TypeId::ERROR);
            };
            let keys = known.as_ref().map(|(keys, _)| keys.clone());
            let into = known.as_ref().and_then(|(_, value)| *value);
            let index = self.table_index(*index, keys.as_deref(), place);
            let value = self.initial_expression(*value, into);
            indices.push(index);
            values.push(value);
        }
        if indices.iter().chain(&values).any(|part| part.ty == TypeId::ERROR) {
            return (Vec::new(), TypeId::ERROR);
        }
        match known {
            Some((keys, value)) => {
                let wanted = wanted.unwrap_or(TypeId::ERROR);
                if !self.fit_members(&mut indices, &keys, Container::Table, &shown, Some(wanted)) {
                    return (Vec::new(), TypeId::ERROR);
                }
                let into = value.unwrap_or(TypeId::ANY);
                let count = values.len();
                let is_good = self.convert_all(&mut values, &vec![into; count]);
                if !is_good {
                    self.error_about(&shown, "type mismatch in table constructor");
                    return (Vec::new(), TypeId::ERROR);
                }
                (Self::zipped(indices, values, span), wanted)
            }
            None => {
                let Some(keys) = self.infer_keys(&mut indices, span) else {
                    return (Vec::new(), TypeId::ERROR);
                };
                let Some(value) = self.merge_values(&mut values, span) else {
                    return (Vec::new(), TypeId::ERROR);
                };
                let ty = self.types().table(&keys, Some(value));
                (Self::zipped(indices, values, span), ty)
            }
        }
    }

    fn merge_values(&mut self, values: &mut Vec<Expr>, span: Span) -> Option<TypeId> {
        let mut ty = values.first()?.ty;
        for value in values.iter().skip(1) {
            ty = self.merged(ty, value.ty, span)?;
        }
        let count = values.len();
        self.convert_all(values, &vec![ty; count]).then_some(ty)
    }

    fn zipped(indices: Vec<Expr>, values: Vec<Expr>, span: Span) -> Vec<Expr> {
        indices
            .into_iter()
            .zip(values)
            .map(|(index, value)| {
                let place = if index.span.is_known() { index.span } else { span };
                let (ty, depth) = (value.ty, index.depth.max(value.depth));
                Self::built(Kind::Assign(Box::new(index), Box::new(value)), ty, place, depth)
            })
            .collect()
    }

    fn shown_table(&mut self, members: &[Expr], span: Span, depth: u16) -> Expr {
        Self::built(
            Kind::Container(Container::Table, members.to_vec(), Vec::new(), None),
            TypeId::ANY,
            span,
            depth,
        )
    }

    fn table_index(&mut self, index: Expr, keys: Option<&[TypeId]>, place: Span) -> Expr {
        match index.kind {
            Kind::List(parts) => {
                let parts: Vec<Expr> = parts
                    .into_iter()
                    .enumerate()
                    .map(|(at, part)| {
                        self.initial_expression(part, keys.and_then(|keys| keys.get(at).copied()))
                    })
                    .collect();
                let like = Self::built(Kind::List(Vec::new()), TypeId::ANY, place, index.depth);
                if parts.len() == 1 {
                    return self.index_list(parts, &like);
                }
                self.list(parts, place, index.depth)
            }
            _ => self.initial_expression(index, keys.and_then(|keys| keys.first().copied())),
        }
    }

    /// Converts indices of a constructor to the types of the container. A set as a member or as a part stands for its members.
    pub(super) fn fit_members(
        &mut self,
        members: &mut Vec<Expr>,
        keys: &Rc<[TypeId]>,
        container: Container,
        shown: &Expr,
        wanted: Option<TypeId>,
    ) -> bool {
        let mut done = Vec::new();
        for member in std::mem::take(members) {
            if self.expands(&member, keys, wanted) {
                if !self.in_init && self.names_local(&member) {
                    let about = self.expanded_part(&member);
                    let text =
                        "cannot expand constructor elements using a value that depends on local variables";
                    self.error_about(&Expr { ty: TypeId::ANY, ..about }, text);
                    self.clash_of(shown, wanted);
                    return false;
                }
                done.push(member);
                continue;
            }
            let parts = match member.kind {
                Kind::List(parts) => parts,
                kind => vec![Expr { kind, ..member }],
            };
            if let Some(only) = parts.first().filter(|_| parts.len() == 1 && keys.len() > 1) {
                let only = Expr { ty: TypeId::ANY, ..only.clone() };
                self.error_about(&only, "not a list of indices");
                self.clash_of(shown, wanted);
                return false;
            }
            let like = parts.first().cloned();
            if let Some(wrong) = parts.iter().find(|part| matches!(part.kind, Kind::Assign(..))) {
                let wrong = Expr { ty: TypeId::ANY, ..wrong.clone() };
                self.error_about(&wrong, "table constructor used in a non-table context");
            }
            match self.fit_index(parts, keys, TypeId::ERROR) {
                Ok(fitted) => {
                    let like = like.unwrap_or_else(|| shown.clone());
                    done.push(self.index_list(fitted, &like));
                }
                Err(_) => {
                    let word = if container == Container::Set { "set" } else { "table" };
                    self.error_about(shown, &format!("inconsistent type in {word} constructor"));
                    return false;
                }
            }
        }
        *members = done;
        true
    }

    fn clash_of(&mut self, shown: &Expr, _: Option<TypeId>) {
        let target = self.assigning.as_ref().map(|target| format!("{target} = ")).unwrap_or_default();
        let text = self.text(shown);
        self.error(shown.span, &format!("type clash in assignment ({target}{text})"));
    }

    /// Returns whether a member is (or has as a part) a set of what the container's index is there.
    fn expands(&mut self, member: &Expr, keys: &Rc<[TypeId]>, _: Option<TypeId>) -> bool {
        let stands_for = |this: &mut Self, part: TypeId, key: TypeId| {
            let Some((inner, _)) = this.types().table_of(part) else { return false };
            !this.types().is_table(key)
                && inner.len() == 1
                && inner.first().is_some_and(|inner| this.types().same(*inner, key))
        };
        match &member.kind {
            Kind::List(parts) if parts.len() == keys.len() => {
                parts.iter().zip(keys.iter()).any(|(part, key)| stands_for(self, part.ty, *key))
            }
            _ => {
                let Some((inner, _)) = self.types().table_of(member.ty) else { return false };
                if keys.len() == 1 {
                    return keys.first().is_some_and(|key| stands_for(self, member.ty, *key));
                }
                inner.len() == keys.len()
                    && inner.iter().zip(keys.iter()).all(|(one, other)| self.types().same(*one, *other))
            }
        }
    }

    fn expanded_part(&mut self, member: &Expr) -> Expr {
        if let Kind::List(parts) = &member.kind
            && let Some(part) = parts.iter().find(|part| self.engine.program.types.is_table(part.ty))
        {
            return part.clone();
        }
        member.clone()
    }

    fn names_local(&self, member: &Expr) -> bool {
        match &member.kind {
            Kind::Local(..) | Kind::Capture(..) => {
                self.scopes.len() > 1 && self.engine.program.types.is_table(member.ty)
            }
            Kind::List(parts) => parts.iter().any(|part| self.names_local(part)),
            _ => false,
        }
    }

    /// Returns whether checked members could be those of a container of the type.
    pub(super) fn fits_members(&mut self, members: &[Expr], to: TypeId) -> bool {
        let element = self.types().element(to);
        let known = self.types().table_of(to);
        let member_fits = |this: &mut Self, member: &Expr, wanted: TypeId| {
            this.types().same(member.ty, wanted)
                || crate::types::promote(member.ty, wanted).is_some()
                || this.types().record_fits(member.ty, wanted)
                || this.types().becomes_container(member.ty, wanted)
        };
        members.iter().all(|member| match (&member.kind, element, &known) {
            (_, Some(element), _) => member_fits(self, member, element),
            (Kind::Assign(index, value), _, Some((keys, Some(wanted)))) => {
                let parts = match &index.kind {
                    Kind::List(parts) => parts.clone(),
                    _ => vec![(**index).clone()],
                };
                parts.len() == keys.len()
                    && parts.iter().zip(keys.iter()).all(|(part, key)| member_fits(self, part, *key))
                    && member_fits(self, value, *wanted)
            }
            (Kind::List(parts), _, Some((keys, None))) if keys.len() == parts.len() => {
                parts.iter().zip(keys.iter()).all(|(part, key)| member_fits(self, part, *key))
            }
            (_, _, Some((keys, None))) if keys.len() == 1 => {
                keys.first().is_some_and(|key| member_fits(self, member, *key))
            }
            _ => false,
        })
    }

    /// Makes a checked constructor again, for a type.
    pub(super) fn recast(
        &mut self,
        container: Container,
        mut members: Vec<Expr>,
        attributes: Vec<Attribute>,
        name: Option<Rc<str>>,
        to: TypeId,
        like: &Expr,
    ) -> Expr {
        if let Some(element) = self.types().element(to) {
            let count = members.len();
            self.convert_all(&mut members, &vec![element; count]);
        } else if let Some((keys, value)) = self.types().table_of(to) {
            let taken = std::mem::take(&mut members);
            for member in taken {
                let (index, held) = match &member.kind {
                    Kind::Assign(index, held) => ((**index).clone(), Some((**held).clone())),
                    _ => (member.clone(), None),
                };
                let parts = match &index.kind {
                    Kind::List(parts) => parts.clone(),
                    _ => vec![index.clone()],
                };
                let fitted = self.fit_index(parts, &keys, to).unwrap_or_else(|parts| parts);
                let index = self.index_list(fitted, &member_like(member.span, member.depth));
                members.push(match held {
                    Some(held) => {
                        let held =
                            self.convert(held, value.unwrap_or(TypeId::ANY)).unwrap_or_else(|broken| broken);
                        let ty = held.ty;
                        Self::built(
                            Kind::Assign(Box::new(index), Box::new(held)),
                            ty,
                            member.span,
                            member.depth,
                        )
                    }
                    None => index,
                });
            }
        }
        Expr { kind: Kind::Container(container, members, attributes, name), ty: to, ..like.clone() }
    }

    /// Refuses a list that no type is known for.
    pub(super) fn refuse_untyped(&mut self, init: &Expr) -> bool {
        let is_untyped = self.engine.program.types.element(init.ty) == Some(TypeId::VOID)
            || self.engine.program.types.table_of(init.ty).is_some_and(|(keys, _)| keys.is_empty());
        if is_untyped {
            self.error_about(&init.clone(), "empty constructor in untyped initialization");
        }
        is_untyped
    }
}

fn member_like(span: Span, depth: u16) -> Expr {
    Expr { kind: Kind::List(Vec::new()), ty: TypeId::ANY, span, depth, is_grouped: false }
}
