//! Records and vectors.

use std::cell::{Cell, RefCell};

use super::{Value, Watch, release};
use crate::types::TypeId;

/// A record.
#[derive(Debug)]
pub struct RecordValue {
    /// Its type.
    pub ty: TypeId,
    /// The fields that were ever set, by place; later ones are absent.
    fields: RefCell<Vec<Value>>,
    /// Whether somebody waits for a change.
    pub watch: Watch,
}

impl RecordValue {
    /// Returns a record of these fields.
    pub fn new(ty: TypeId, fields: Vec<Value>) -> Self {
        Self { ty, fields: RefCell::new(fields), watch: Watch::default() }
    }

    /// Returns a field; [`Value::Unset`] where it is absent.
    pub fn get(&self, place: usize) -> Value {
        self.fields.try_borrow().ok().and_then(|fields| fields.get(place).cloned()).unwrap_or_default()
    }

    /// Copies a field that is present into a slot; `None` where it is absent.
    #[inline(always)]
    pub(crate) fn read(&self, place: usize, into: &mut Value) -> Option<()> {
        let fields = self.fields.try_borrow().ok()?;
        let value = fields.get(place).filter(|value| value.is_set())?;
        into.assign(value);
        Some(())
    }

    /// Copies a value into a field that the record has or has had, where both are scalars; `None` otherwise.
    #[inline(always)]
    pub(crate) fn write(&self, place: usize, value: &Value) -> Option<()> {
        self.watch.changed(self);
        let mut fields = self.fields.try_borrow_mut().ok()?;
        let slot = fields.get_mut(place).filter(|slot| slot.is_scalar())?;
        slot.assign(value);
        Some(())
    }

    /// Returns whether a field is present.
    #[inline]
    pub fn has(&self, place: usize) -> bool {
        self.fields.try_borrow().is_ok_and(|fields| fields.get(place).is_some_and(Value::is_set))
    }

    /// Returns whether the first so many fields are present.
    #[inline]
    pub(crate) fn has_first(&self, count: usize) -> bool {
        self.fields
            .try_borrow()
            .is_ok_and(|fields| fields.get(..count).is_some_and(|first| first.iter().all(Value::is_set)))
    }

    /// Sets a field, or removes it with [`Value::Unset`].
    #[inline]
    pub fn set(&self, place: usize, value: Value) {
        let old = {
            let Ok(mut fields) = self.fields.try_borrow_mut() else { return };
            if place >= fields.len() {
                fields.resize(place + 1, Value::Unset);
            }
            fields.get_mut(place).map(|slot| std::mem::replace(slot, value))
        };
        self.watch.changed(self);
        drop(old);
    }

    /// Returns all fields.
    pub fn all(&self) -> Vec<Value> {
        self.fields.try_borrow().map(|fields| fields.clone()).unwrap_or_default()
    }
}

impl Drop for RecordValue {
    fn drop(&mut self) {
        release::release(std::mem::take(self.fields.get_mut()));
    }
}

/// A vector.
#[derive(Debug)]
pub struct VectorValue {
    /// Its type; that of an untyped `vector()` is set by the first assignment.
    pub ty: Cell<TypeId>,
    elements: RefCell<Vec<Value>>,
    /// Whether somebody waits for a change.
    pub watch: Watch,
}

/// The longest vector.
pub const MOST_ELEMENTS: usize = 1 << 26;

impl VectorValue {
    /// Returns a vector of these elements.
    pub fn new(ty: TypeId, elements: Vec<Value>) -> Self {
        release::grow(elements.len());
        Self { ty: Cell::new(ty), elements: RefCell::new(elements), watch: Watch::default() }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.elements.try_borrow().map_or(0, |elements| elements.len())
    }

    /// Returns whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an element.
    pub fn get(&self, place: usize) -> Option<Value> {
        self.elements.try_borrow().ok()?.get(place).cloned()
    }

    /// Copies an element that is there into a slot; `None` where there is none.
    #[inline(always)]
    pub(crate) fn read(&self, place: usize, into: &mut Value) -> Option<()> {
        let elements = self.elements.try_borrow().ok()?;
        let value = elements.get(place).filter(|value| value.is_set())?;
        into.assign(value);
        Some(())
    }

    /// Copies a value into an element that is there, where that is a scalar; `None` otherwise.
    #[inline(always)]
    pub(crate) fn write(&self, place: usize, value: &Value) -> Option<()> {
        self.watch.changed(self);
        let mut elements = self.elements.try_borrow_mut().ok()?;
        let slot = elements.get_mut(place).filter(|slot| slot.is_scalar())?;
        slot.assign(value);
        Some(())
    }

    /// Sets an element; the vector grows as needed. False where it would become too long.
    pub fn set(&self, place: usize, value: Value) -> bool {
        if place >= MOST_ELEMENTS {
            return false;
        }
        let Ok(mut elements) = self.elements.try_borrow_mut() else { return false };
        if place >= elements.len() {
            release::grow(place + 1 - elements.len());
            elements.resize(place + 1, Value::Unset);
        }
        let old = elements.get_mut(place).map(|slot| std::mem::replace(slot, value));
        drop(elements);
        self.watch.changed(self);
        drop(old);
        true
    }

    /// Changes all elements at once.
    pub fn with<R>(&self, change: impl FnOnce(&mut Vec<Value>) -> R) -> Option<R> {
        self.watch.changed(self);
        self.elements.try_borrow_mut().ok().map(|mut elements| {
            let before = elements.len();
            let result = change(&mut elements);
            release::grow(elements.len());
            release::shrink(before);
            result
        })
    }

    /// Returns all elements.
    pub fn all(&self) -> Vec<Value> {
        self.elements.try_borrow().map(|elements| elements.clone()).unwrap_or_default()
    }
}

impl Drop for VectorValue {
    fn drop(&mut self) {
        release::shrink(self.elements.get_mut().len());
        release::release(std::mem::take(self.elements.get_mut()));
    }
}
