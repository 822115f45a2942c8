//! Access to tables, sets, vectors and strings.

use super::{Checker, Thing};
use crate::source::Span;
use crate::syntax::ast::{Expr, Kind};
use crate::types::{Type, TypeId};

impl Checker<'_> {
    /// Makes one value of an index: a list where there are several parts.
    pub(super) fn index_list(&mut self, mut index: Vec<Expr>, like: &Expr) -> Expr {
        if index.len() == 1
            && let Some(only) = index.pop()
        {
            return only;
        }
        let members: Vec<TypeId> = index.iter().map(|part| part.ty).collect();
        let ty = self.types().list(&members);
        Self::built(Kind::List(index), ty, like.span, like.depth)
    }

    /// Converts the parts of an index to the types of a table's indices. The parts come back where they do not fit, which was
    /// reported but for the last word.
    pub(super) fn fit_index(
        &mut self,
        index: Vec<Expr>,
        keys: &[TypeId],
        container: TypeId,
    ) -> Result<Vec<Expr>, Vec<Expr>> {
        if keys.is_empty() {
            return Ok(index);
        }
        // A record constructor may stand for the record that is the index.
        let is_record = index.len() == 1 && keys.len() == 1;
        if index.len() != keys.len() && !is_record {
            let list = self.types().list(keys);
            let shown = if index.len() == 1 {
                index.first().cloned()
            } else {
                Some(Self::built(
                    Kind::List(index.clone()),
                    TypeId::ANY,
                    index.first().map(|first| first.span).unwrap_or_default(),
                    0,
                ))
            };
            let _ = container;
            if let Some(shown) = shown {
                self.error_between(&Thing::Type(list), &Thing::Expr(&shown), "indexing mismatch");
            }
            return Err(index);
        }
        let mut fitted = Vec::new();
        for (place, part) in index.iter().enumerate() {
            let wanted = keys.get(place).copied().unwrap_or(TypeId::ANY);
            let part = self.literal_for(part.clone(), wanted);
            match self.convert(part.clone(), wanted) {
                Ok(part) => fitted.push(part),
                Err(_) => {
                    self.error_between(&Thing::Expr(&part), &Thing::Type(wanted), "type mismatch");
                    return Err(index);
                }
            }
        }
        Ok(fitted)
    }

    pub(super) fn index(&mut self, base: Expr, index: Vec<Expr>, span: Span, depth: u16) -> Expr {
        let base = self.expression(base);
        let index: Vec<Expr> = index.into_iter().map(|part| self.expression(part)).collect();
        let broken = |base: Expr, index: Vec<Expr>| {
            Self::built(Kind::Index(Box::new(base), index), TypeId::ERROR, span, depth)
        };
        if base.ty == TypeId::ERROR || index.iter().any(|part| part.ty == TypeId::ERROR) {
            return broken(base, index);
        }
        match self.types().get(base.ty).clone() {
            Type::Table { keys, value } => {
                if keys.as_ref() == [TypeId::SUBNET]
                    && index.first().is_some_and(|part| part.ty == TypeId::ADDR)
                {
                    let ty = value.unwrap_or(TypeId::VOID);
                    return Self::built(Kind::Index(Box::new(base), index), ty, span, depth);
                }
                if keys.as_ref() == [TypeId::PATTERN]
                    && index.first().is_some_and(|part| part.ty == TypeId::STRING)
                {
                    let ty = value.map_or(TypeId::BOOL, |value| self.types().vector(value));
                    return Self::built(Kind::Index(Box::new(base), index), ty, span, depth);
                }
                match self.fit_index(index, &keys, base.ty) {
                    Ok(index) => {
                        let ty = value.unwrap_or(TypeId::VOID);
                        Self::built(Kind::Index(Box::new(base), index), ty, span, depth)
                    }
                    Err(index) => {
                        let shown = Self::built(Kind::Index(Box::new(base), index), TypeId::ANY, span, depth);
                        self.error_about(&shown, "not an index type");
                        Self::broken(shown)
                    }
                }
            }
            Type::Vector(element) => self.index_vector(base, index, element, span, depth),
            _ if base.ty == TypeId::STRING => {
                let index = self.numbers(index);
                Self::built(Kind::Index(Box::new(base), index), TypeId::STRING, span, depth)
            }
            _ if base.ty == TypeId::ANY => {
                Self::built(Kind::Index(Box::new(base), index), TypeId::ANY, span, depth)
            }
            _ => {
                let shown = Self::built(Kind::Index(Box::new(base), index), TypeId::ANY, span, depth);
                self.error_about(&shown, "not an index type");
                Self::broken(shown)
            }
        }
    }

    fn index_vector(
        &mut self,
        base: Expr,
        index: Vec<Expr>,
        element: TypeId,
        span: Span,
        depth: u16,
    ) -> Expr {
        let selector = index.first().and_then(|part| self.engine.program.types.element(part.ty));
        if selector.is_some() {
            let ty = base.ty;
            return Self::built(Kind::Index(Box::new(base), index), ty, span, depth);
        }
        let is_number = index.len() == 1
            && index.first().is_some_and(|part| {
                matches!(part.ty, TypeId::COUNT | TypeId::INT | TypeId::ANY | TypeId::BOOL)
            });
        if !is_number {
            let shown = Self::built(Kind::Index(Box::new(base), index), TypeId::ANY, span, depth);
            self.error_about(&shown, "not an index type");
            return Self::broken(shown);
        }
        Self::built(Kind::Index(Box::new(base), index), element, span, depth)
    }

    fn numbers(&mut self, index: Vec<Expr>) -> Vec<Expr> {
        index
            .into_iter()
            .map(|part| self.convert(part, TypeId::INT).unwrap_or_else(|broken| broken))
            .collect()
    }

    pub(super) fn slice(
        &mut self,
        base: Expr,
        from: Option<Box<Expr>>,
        to: Option<Box<Expr>>,
        span: Span,
        depth: u16,
    ) -> Expr {
        let base = self.expression(base);
        let mut bound = |bound: Option<Box<Expr>>| {
            bound.map(|bound| {
                let bound = self.expression(*bound);
                let bound = if bound.ty == TypeId::INT {
                    bound
                } else {
                    self.convert(bound, TypeId::INT).unwrap_or_else(|broken| broken)
                };
                Box::new(bound)
            })
        };
        let (from, to) = (bound(from), bound(to));
        let ty = base.ty;
        let is_good = ty == TypeId::STRING || self.types().element(ty).is_some();
        let built = Self::built(Kind::Slice(Box::new(base), from, to), ty, span, depth);
        if !is_good && ty != TypeId::ERROR {
            self.error_about(&built, "not an index type");
            return Self::broken(built);
        }
        built
    }

    pub(super) fn add_member(&mut self, inner: Expr, span: Span, depth: u16) -> Expr {
        let inner = self.expression(inner);
        self.mention_write(&inner);
        let is_good = match &inner.kind {
            Kind::Index(base, _) => self.engine.program.types.is_set(base.ty),
            _ => false,
        };
        let ty = if inner.ty == TypeId::ERROR { TypeId::ERROR } else { TypeId::VOID };
        let built = Self::built(Kind::Add(Box::new(inner)), ty, span, depth);
        if !is_good && ty != TypeId::ERROR {
            let Kind::Add(inner) = &built.kind else { return built };
            let inner = inner.clone();
            self.error_about(&Expr { ty: TypeId::ANY, ..*inner }, "illegal add statement");
            return Self::broken(built);
        }
        built
    }

    pub(super) fn delete(&mut self, inner: Expr, span: Span, depth: u16) -> Expr {
        let inner = self.expression(inner);
        self.mention_removal(&inner);
        let is_good = match &inner.kind {
            Kind::Index(..) | Kind::Field(..) => true,
            _ => matches!(self.engine.program.types.get(inner.ty), Type::Table { .. } | Type::Vector(_)),
        };
        let ty = if inner.ty == TypeId::ERROR { TypeId::ERROR } else { TypeId::VOID };
        if ty == TypeId::VOID && !is_good {
            self.error_about(&inner, "illegal delete statement");
            return Self::built(Kind::Delete(Box::new(inner)), TypeId::ERROR, span, depth);
        }
        if let Kind::Field(base, name, _) = &inner.kind
            && let Some(field) =
                self.engine.program.types.record(base.ty).and_then(|record| record.field(name)).cloned()
            && !field.optional
            && field.default.is_none()
        {
            self.error_about(&inner.clone(), "illegal delete statement");
        }
        Self::built(Kind::Delete(Box::new(inner)), ty, span, depth)
    }
}
