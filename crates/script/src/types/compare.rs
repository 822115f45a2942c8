//! Which types are the same, and which arithmetic two of them have in common.

use super::{Flavor, Type, TypeId, Types};

/// Types that numbers have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Numeric {
    /// `count`.
    Count,
    /// `int`.
    Int,
    /// `double`.
    Double,
}

impl TypeId {
    /// Returns the kind of number, where values of the type are numbers.
    pub fn numeric(self) -> Option<Numeric> {
        match self {
            Self::COUNT => Some(Numeric::Count),
            Self::INT => Some(Numeric::Int),
            Self::DOUBLE => Some(Numeric::Double),
            _ => None,
        }
    }

    /// Returns whether values of the type are points or lengths of time.
    pub fn is_temporal(self) -> bool {
        matches!(self, Self::TIME | Self::INTERVAL)
    }
}

/// Returns the type in which numbers of two types meet.
pub fn promote(left: TypeId, right: TypeId) -> Option<TypeId> {
    Some(match left.numeric()?.max(right.numeric()?) {
        Numeric::Count => TypeId::COUNT,
        Numeric::Int => TypeId::INT,
        Numeric::Double => TypeId::DOUBLE,
    })
}

impl Types {
    /// Returns whether a value of one type can stand where the other is wanted, without a conversion.
    pub fn same(&self, left: TypeId, right: TypeId) -> bool {
        self.alike(left, right, 0)
    }

    fn alike(&self, left: TypeId, right: TypeId, depth: usize) -> bool {
        if left == right || left == TypeId::ANY || right == TypeId::ANY || depth > 30 {
            return true;
        }
        let next = depth + 1;
        match (self.get(left), self.get(right)) {
            (Type::Table { keys: a, value: x }, Type::Table { keys: b, value: y }) => {
                if a.is_empty() || b.is_empty() {
                    return x.is_some() == y.is_some();
                }
                a.len() == b.len()
                    && a.iter().zip(b.iter()).all(|(a, b)| self.alike(*a, *b, next))
                    && match (x, y) {
                        (Some(x), Some(y)) => self.alike(*x, *y, next),
                        (None, None) => true,
                        _ => false,
                    }
            }
            (Type::Vector(a), Type::Vector(b)) => {
                *a == TypeId::VOID || *b == TypeId::VOID || self.alike(*a, *b, next)
            }
            (Type::Record(a), Type::Record(b)) => {
                a.fields.len() == b.fields.len()
                    && a.fields
                        .iter()
                        .zip(&b.fields)
                        .all(|(a, b)| a.name == b.name && self.alike(a.ty, b.ty, next))
            }
            (Type::Function(a), Type::Function(b)) => {
                a.flavor == b.flavor
                    && (a.flavor == Flavor::Event || self.alike(a.result, b.result, next))
                    && a.parameters.len() == b.parameters.len()
                    && a.parameters.iter().zip(b.parameters.iter()).all(|(a, b)| self.alike(a.ty, b.ty, next))
            }
            (Type::Enum(a), Type::Enum(b)) => a.name == b.name,
            (Type::Opaque(a), Type::Opaque(b)) => a == b,
            (Type::List(a), Type::List(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| self.alike(*a, *b, next))
            }
            (Type::List(a), _) if a.len() == 1 => a.first().is_some_and(|a| self.alike(*a, right, next)),
            (_, Type::List(b)) if b.len() == 1 => b.first().is_some_and(|b| self.alike(left, *b, next)),
            (Type::Type(a), Type::Type(b)) => self.alike(*a, *b, next),
            _ => false,
        }
    }

    /// Returns whether every value that a record constructor of type `from` makes can become one of `to`.
    pub fn record_fits(&self, from: TypeId, to: TypeId) -> bool {
        let (Some(source), Some(target)) = (self.record(from), self.record(to)) else { return false };
        let known = source.fields.iter().all(|field| {
            target.field(&field.name).is_some_and(|into| {
                self.same(field.ty, into.ty)
                    || self.record_fits(field.ty, into.ty)
                    || promote(field.ty, into.ty).is_some()
                    || self.becomes_container(field.ty, into.ty)
            })
        });
        known
            && target
                .fields
                .iter()
                .all(|field| source.field(&field.name).is_some() || field.optional || field.default.is_some())
    }

    /// Returns whether an empty constructor of one type can become a container of the other.
    pub fn becomes_container(&self, from: TypeId, to: TypeId) -> bool {
        match (self.get(from), self.get(to)) {
            (Type::Table { keys, .. }, Type::Table { .. }) => keys.is_empty(),
            (Type::Vector(element), Type::Vector(_)) => *element == TypeId::VOID,
            _ => false,
        }
    }
}
