//! Values: what registers, fields, tables and vectors hold.
//!
//! A value knows its kind, so that any value can be printed, compared and converted without its static type. Small values
//! lie in the slot itself; strings share their bytes; containers are shared until `copy`.

mod address;
mod compare;
mod containers;
mod copying;
mod key;
mod number;
pub mod opaque;
pub mod order;
mod printing;
mod release;
mod table;
mod watch;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

pub use address::{Addr, Port, Subnet, protocol};
pub use compare::order;
pub use containers::{RecordValue, VectorValue};
pub use copying::deep_copy;
pub use key::Key;
pub use number::{double_text, interval_text, parse_double, two_digits};
pub use opaque::{Opaque, OpaqueValue};
pub use printing::{Style, escaped, print_value, text_of};
pub use release::live_entries;
pub use table::{Attributes, Change, Cursor, Entry, Expiry, TableDefault, TableValue};
pub use watch::{TableWatch, Watch, take_changed};

use crate::patterns::Pattern;
use crate::types::TypeId;

/// A value.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// No value: a field that is absent, a local without a value.
    #[default]
    Unset,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `count`
    Count(u64),
    /// `double`
    Double(f64),
    /// `time`, in seconds since 1970
    Time(f64),
    /// `interval`, in seconds
    Interval(f64),
    /// A value of an enumeration.
    Enum(TypeId, i64),
    /// `port`
    Port(Port),
    /// `addr`
    Addr(Addr),
    /// `subnet`
    Subnet(Subnet),
    /// `string`
    String(Rc<[u8]>),
    /// `pattern`
    Pattern(Rc<Pattern>),
    /// A record.
    Record(Rc<RecordValue>),
    /// A table or set.
    Table(Rc<TableValue>),
    /// A vector.
    Vector(Rc<VectorValue>),
    /// Several values that are one index.
    List(Rc<[Value]>),
    /// A function, event or hook.
    Function(Rc<FunctionValue>),
    /// `file`
    File(Rc<FileValue>),
    /// An opaque value.
    Opaque(Rc<OpaqueValue>),
    /// A type.
    Type(TypeId),
    /// The place of a running `for` loop.
    Cursor(Rc<RefCell<Cursor>>),
}

/// A function with what it captured.
#[derive(Debug)]
pub struct FunctionValue {
    /// The function, as an index into the program's functions.
    pub function: u32,
    /// What a lambda captured, and changes.
    pub captures: RefCell<Vec<Value>>,
}

/// A file that is open for writing.
#[derive(Debug)]
pub struct FileValue {
    /// Its name.
    pub name: String,
    /// The number of the open file; zero for standard output, one for standard error.
    pub handle: usize,
    /// Whether it is open.
    pub is_open: Cell<bool>,
    /// Whether strings are written without escapes.
    pub is_raw: Cell<bool>,
}

impl Value {
    /// Returns a string.
    pub fn string(text: impl AsRef<[u8]>) -> Self {
        Self::String(Rc::from(text.as_ref()))
    }

    /// Makes this a copy of another value. Numbers are copied as numbers: a copy of the whole slot would wait until what
    /// was just written there is in the cache.
    #[inline(always)]
    pub(crate) fn assign(&mut self, from: &Self) {
        match (&mut *self, from) {
            (Self::Count(old), Self::Count(new)) => *old = *new,
            (Self::Bool(old), Self::Bool(new)) => *old = *new,
            (Self::Int(old), Self::Int(new)) => *old = *new,
            (Self::Double(old), Self::Double(new)) => *old = *new,
            (slot, Self::Count(new)) => slot.put(Self::Count(*new)),
            (slot, Self::Double(new)) => slot.put(Self::Double(*new)),
            (slot, from) => slot.put(from.clone()),
        }
    }

    /// Returns whether the value lies in the slot itself and holds nothing that is shared.
    #[inline(always)]
    pub(crate) const fn is_scalar(&self) -> bool {
        matches!(
            self,
            Self::Unset
                | Self::Bool(_)
                | Self::Int(_)
                | Self::Count(_)
                | Self::Double(_)
                | Self::Time(_)
                | Self::Interval(_)
                | Self::Enum(..)
                | Self::Port(_)
                | Self::Addr(_)
                | Self::Subnet(_)
        )
    }

    /// Puts another value in the place of this one; without a call where this one is a scalar.
    #[inline(always)]
    pub(crate) fn put(&mut self, value: Self) {
        if self.is_scalar() {
            // There is nothing to release.
            std::mem::forget(std::mem::replace(self, value));
        } else {
            *self = value;
        }
    }

    /// Returns whether there is a value.
    #[inline]
    pub fn is_set(&self) -> bool {
        !matches!(self, Self::Unset)
    }

    /// Returns whether the value is `T`.
    #[inline]
    pub fn is_true(&self) -> bool {
        matches!(self, Self::Bool(true))
    }

    /// Returns the bytes of a string; none for other values.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::String(bytes) => bytes,
            _ => &[],
        }
    }

    /// Returns the string as text; bytes that are no UTF-8 are replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    /// Returns a number as a `count`.
    pub fn count(&self) -> u64 {
        match self {
            Self::Count(value) => *value,
            Self::Int(value) | Self::Enum(_, value) => u64::try_from(*value).unwrap_or(0),
            Self::Double(value) => *value as u64,
            Self::Bool(value) => u64::from(*value),
            _ => 0,
        }
    }

    /// Returns a number as an `int`.
    pub fn int(&self) -> i64 {
        match self {
            Self::Count(value) => i64::try_from(*value).unwrap_or(i64::MAX),
            Self::Int(value) | Self::Enum(_, value) => *value,
            Self::Double(value) => *value as i64,
            Self::Bool(value) => i64::from(*value),
            _ => 0,
        }
    }

    /// Returns a number, time or interval as a `double`.
    pub fn double(&self) -> f64 {
        match self {
            Self::Count(value) => *value as f64,
            Self::Int(value) => *value as f64,
            Self::Double(value) | Self::Time(value) | Self::Interval(value) => *value,
            _ => 0.0,
        }
    }

    /// Returns a record.
    pub fn record(&self) -> Option<&Rc<RecordValue>> {
        match self {
            Self::Record(record) => Some(record),
            _ => None,
        }
    }

    /// Returns a table or set.
    pub fn table(&self) -> Option<&Rc<TableValue>> {
        match self {
            Self::Table(table) => Some(table),
            _ => None,
        }
    }

    /// Returns a vector.
    pub fn vector(&self) -> Option<&Rc<VectorValue>> {
        match self {
            Self::Vector(vector) => Some(vector),
            _ => None,
        }
    }
}
