//! Arguments of several levels, whose number of parts is known only when they are made.

use super::{ConnectionState, EventValue, append, append_count, tag};

/// A value that owns its parts.
#[derive(Clone, Debug)]
pub enum Nested<'a> {
    /// A value without parts, or with parts of others.
    Value(EventValue<'a>),
    /// A record: its fields in the order of their declaration.
    Record(Vec<Self>),
    /// A vector or set.
    List(Vec<Self>),
    /// A table: indices, each followed by its value.
    Table(Vec<Self>),
}

impl<'a> Nested<'a> {
    /// A record of these fields.
    pub fn record<const N: usize>(fields: [impl Into<Self>; N]) -> Self {
        Self::Record(fields.map(Into::into).into())
    }

    /// Appends it to a message.
    pub(super) fn append(&self, out: &mut Vec<u8>, connection: Option<&ConnectionState<'_>>) {
        let (tag, parts) = match self {
            Self::Value(value) => return append(out, value, connection),
            Self::Record(parts) => (tag::RECORD, parts),
            Self::List(parts) => (tag::LIST, parts),
            Self::Table(parts) => (tag::TABLE, parts),
        };
        out.push(tag);
        append_count(out, parts.len());
        for part in parts {
            part.append(out, connection);
        }
    }
}

impl<'a, T: Into<EventValue<'a>>> From<T> for Nested<'a> {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}
