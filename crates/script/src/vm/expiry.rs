//! Entries of tables that end with time.

use std::rc::{Rc, Weak};

use super::{Engine, Fault, Outcome};
use crate::values::{Change, Expiry, TableValue, Value};

/// Entries that are looked at in a step, where scripts do not say another number.
const STEP: usize = 5000;

impl Engine {
    /// Remembers a table whose entries expire.
    pub fn watch(&mut self, table: &Rc<TableValue>) {
        let expires = table.attributes().is_some_and(|attributes| attributes.expiry != Expiry::Never);
        if expires && !table.is_watched.replace(true) {
            self.watched.push(Rc::downgrade(table));
        }
    }

    /// Gives the table of a global the attributes of the global.
    pub fn apply_attributes(&mut self, number: u32) {
        let Some(global) = self.program.globals.get(number as usize) else { return };
        if let (Some(attributes), Value::Table(table)) = (global.attributes.clone(), global.value.clone()) {
            table.set_attributes(Some(attributes));
            self.watch(&table);
        }
    }

    /// Returns a new table with attributes by their number plus one.
    pub(super) fn new_table(&mut self, ty: crate::types::TypeId, attributes: u32) -> Value {
        let table = Rc::new(TableValue::new(ty));
        if let Some(attributes) =
            (attributes as usize).checked_sub(1).and_then(|at| self.program.attributes.get(at))
        {
            table.set_attributes(Some(attributes.clone()));
            self.watch(&table);
        }
        Value::Table(table)
    }

    pub(super) fn next_expiry_due(&self) -> Option<f64> {
        (!self.watched.is_empty()).then_some(self.next_expiry)
    }

    /// Removes what has expired, in the interval that scripts set.
    pub(super) fn expire_entries(&mut self) -> Outcome<()> {
        if self.watched.is_empty() || self.network_time < self.next_expiry {
            return Ok(());
        }
        let interval = self.global("table_expire_interval").map_or(10.0, |value| value.double());
        self.next_expiry = self.network_time + interval.max(0.001);
        self.watched.retain(|table| table.strong_count() > 0);
        let tables: Vec<Rc<TableValue>> = self.watched.iter().filter_map(Weak::upgrade).collect();
        for table in tables {
            match self.expire_table(&table) {
                Ok(()) | Err(Fault::Error) => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(())
    }

    fn expire_table(&mut self, table: &Rc<TableValue>) -> Outcome<()> {
        let Some(attributes) = table.attributes() else { return Ok(()) };
        let Some(lifetime) = attributes.lifetime else { return Ok(()) };
        let lifetime = self.call_number(lifetime, &[])?.double();
        // A negative time means never.
        if lifetime < 0.0 {
            return Ok(());
        }
        let deadline = self.network_time - lifetime;
        let mut due = Vec::new();
        table.each(|entry| {
            if entry.at <= deadline {
                due.push(entry.clone());
            }
            due.len() < STEP
        });
        for entry in due {
            if !table.contains(&entry.key.0) {
                continue;
            }
            if let Some(Value::Function(function)) = &attributes.expire_function {
                let mut arguments = vec![Value::Table(table.clone())];
                arguments.extend(self.expire_arguments(function.function, &entry.key));
                let more = match self.call(function, &arguments) {
                    Ok(value) => value.double(),
                    Err(Fault::Error) => 0.0,
                    Err(fault) => return Err(fault),
                };
                if more > 0.0 {
                    table.touch(&entry.key.0, self.network_time - lifetime + more);
                    continue;
                }
            }
            if let Some(entry) = table.remove(&entry.key.0) {
                self.tell_change(table, Change::Expired, &entry.key, entry.value)?;
            }
        }
        Ok(())
    }

    /// Returns the index as arguments: its parts, or all of them in one where the function takes anything.
    fn expire_arguments(&self, function: u32, key: &crate::values::Key) -> Vec<Value> {
        let parameters = self
            .program
            .functions
            .get(function as usize)
            .and_then(|function| self.program.types.signature(function.ty))
            .map_or(0, |signature| signature.parameters.len());
        let parts = key.shown_parts();
        if parameters == 2 && parts.len() > 1 { vec![Value::List(parts.into())] } else { parts }
    }
}
