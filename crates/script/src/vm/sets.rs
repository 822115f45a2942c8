//! Operations on whole sets and tables.

use std::rc::Rc;

use super::{Engine, Outcome};
use crate::code::Binary;
use crate::values::{TableValue, Value};

impl Engine {
    /// Puts all entries of one table into another.
    pub fn add_all(&mut self, into: &Rc<TableValue>, more: &Rc<TableValue>) {
        for entry in more.entries() {
            let at = self.now();
            into.insert(entry.key, entry.value, at);
        }
        self.watch(into);
    }

    /// Removes from one table all indices of another.
    pub fn remove_all(&mut self, from: &Rc<TableValue>, what: &Rc<TableValue>) {
        for key in what.keys() {
            from.remove(&key.0);
        }
    }

    pub(super) fn add_all_values(&mut self, base: &Value, more: &Value) -> Outcome<()> {
        match (base, more) {
            (Value::Table(into), Value::Table(more)) => {
                for entry in more.entries() {
                    self.insert_entry(into, entry.key, entry.value)?;
                }
            }
            (Value::Vector(into), Value::Vector(more)) => {
                let more = more.all();
                into.with(|elements| elements.extend(more));
            }
            _ => return Err(self.fail("value used but not set")),
        }
        Ok(())
    }

    pub(super) fn set_operation(&mut self, binary: Binary, left: &Value, right: &Value) -> Value {
        let (Value::Table(one), Value::Table(other)) = (left, right) else { return Value::Unset };
        match binary {
            Binary::SetLess | Binary::SetLessEqual => {
                let is_part = one.keys().iter().all(|key| other.contains(&key.0));
                Value::Bool(is_part && (binary == Binary::SetLessEqual || one.len() < other.len()))
            }
            _ => {
                let new = Rc::new(TableValue::new(one.ty.get()));
                for entry in one.entries() {
                    let keep = match binary {
                        Binary::SetAnd => other.contains(&entry.key.0),
                        Binary::SetMinus => !other.contains(&entry.key.0),
                        _ => true,
                    };
                    if keep {
                        new.insert(entry.key, entry.value, entry.at);
                    }
                }
                if binary == Binary::SetOr {
                    for entry in other.entries() {
                        new.insert(entry.key, entry.value, entry.at);
                    }
                }
                Value::Table(new)
            }
        }
    }
}
