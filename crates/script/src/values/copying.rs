//! Deep copies, as `copy` makes them: what is shared inside stays shared, cycles stay cycles.

use std::collections::HashMap;
use std::rc::Rc;

use super::{Attributes, FunctionValue, RecordValue, TableValue, Value, VectorValue};

/// Copies of containers by the address of the original.
type Done = HashMap<usize, Value>;

/// How deep copies go; what lies deeper is shared with the original.
const DEPTH: usize = 1000;

/// Returns a copy that shares nothing with the original, but what nobody can change.
pub fn deep_copy(value: &Value) -> Value {
    match value {
        Value::Record(_)
        | Value::Table(_)
        | Value::Vector(_)
        | Value::Function(_)
        | Value::Opaque(_)
        | Value::List(_) => copy_at(value, &mut Done::new(), 0),
        other => other.clone(),
    }
}

fn copy_at(value: &Value, done: &mut Done, depth: usize) -> Value {
    if depth > DEPTH {
        return value.clone();
    }
    let address = match value {
        Value::Record(inner) => Rc::as_ptr(inner) as usize,
        Value::Table(inner) => Rc::as_ptr(inner) as usize,
        Value::Vector(inner) => Rc::as_ptr(inner) as usize,
        Value::Opaque(inner) => Rc::as_ptr(inner) as usize,
        Value::Function(inner) => Rc::as_ptr(inner) as usize,
        Value::List(parts) => {
            return Value::List(parts.iter().map(|part| copy_at(part, done, depth + 1)).collect());
        }
        other => return other.clone(),
    };
    if let Some(known) = done.get(&address) {
        return known.clone();
    }
    match value {
        Value::Record(inner) => {
            let new = Rc::new(RecordValue::new(inner.ty, Vec::new()));
            done.insert(address, Value::Record(new.clone()));
            for (place, field) in inner.all().iter().enumerate().filter(|(_, field)| field.is_set()) {
                new.set(place, copy_at(field, done, depth + 1));
            }
            Value::Record(new)
        }
        Value::Vector(inner) => {
            let new = Rc::new(VectorValue::new(inner.ty.get(), Vec::new()));
            done.insert(address, Value::Vector(new.clone()));
            for (place, element) in inner.all().iter().enumerate() {
                new.set(place, copy_at(element, done, depth + 1));
            }
            Value::Vector(new)
        }
        Value::Table(inner) => {
            let new = Rc::new(TableValue::new(inner.ty.get()));
            done.insert(address, Value::Table(new.clone()));
            let entries = inner.entries();
            for entry in entries {
                let copied = copy_at(&entry.value, done, depth + 1);
                new.insert(entry.key.clone(), copied, entry.at);
            }
            if let Some(attributes) = inner.attributes() {
                new.set_attributes(Some(Rc::new(Attributes::clone(&attributes))));
            }
            Value::Table(new)
        }
        Value::Function(inner) => {
            let captures = inner.captures.try_borrow().map(|captures| captures.clone()).unwrap_or_default();
            let captures: Vec<Value> =
                captures.iter().map(|capture| copy_at(capture, done, depth + 1)).collect();
            let new = FunctionValue { function: inner.function, captures: captures.into() };
            Value::Function(Rc::new(new))
        }
        Value::Opaque(inner) => {
            let new = Value::Opaque(Rc::new(inner.duplicate()));
            done.insert(address, new.clone());
            new
        }
        other => other.clone(),
    }
}
