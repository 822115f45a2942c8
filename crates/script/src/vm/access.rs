//! Instructions for elements of containers, events, loops and output.

use std::cell::RefCell;
use std::rc::Rc;

use super::Engine;
use super::fiber::Outcome;
use super::run::{Flow, Window};
use crate::code::Op;
use crate::values::{Cursor, FunctionValue, Value};

impl Engine {
    pub(super) fn access(&mut self, window: &mut Window<'_>, op: Op) -> Outcome<Flow> {
        match op {
            Op::Append(vector, from) => {
                let value = window.get(from).clone();
                if let Value::Vector(vector) = window.get(vector)
                    && !vector.set(vector.len(), value)
                {
                    return Err(self.fail("the vector is too long"));
                }
            }
            Op::Index(into, base, key) => {
                let (base, key) = (window.get(base).clone(), window.get(key).clone());
                let value = self.index(&base, &key)?;
                window.set(into, value);
            }
            Op::SetIndex(base, key, from) => {
                let (base, key, value) =
                    (window.get(base).clone(), window.get(key).clone(), window.get(from).clone());
                self.set_index(&base, &key, value)?;
            }
            Op::Slice(into, base, bounds) => {
                let (base, bounds) = (window.get(base).clone(), window.slice(bounds, 2).to_vec());
                let value = self.slice(&base, &bounds)?;
                window.set(into, value);
            }
            Op::SetSlice(base, bounds, from) => {
                let (base, bounds) = (window.get(base).clone(), window.slice(bounds, 2).to_vec());
                let value = window.get(from).clone();
                self.set_slice(&base, &bounds, &value)?;
            }
            Op::Add(base, key) => {
                let (base, key) = (window.get(base).clone(), window.get(key).clone());
                self.set_index(&base, &key, Value::Unset)?;
            }
            Op::Delete(base, key) => {
                let (base, key) = (window.get(base).clone(), window.get(key).clone());
                self.delete(&base, &key)?;
            }
            Op::DeleteAll(base) => {
                let base = window.get(base).clone();
                self.delete_all(&base)?;
            }
            Op::AddAll(base, from) => {
                let (base, more) = (window.get(base).clone(), window.get(from).clone());
                self.add_all_values(&base, &more)?;
            }
            Op::RemoveAll(base, from) => {
                if let (Value::Table(base), Value::Table(more)) =
                    (window.get(base).clone(), window.get(from).clone())
                {
                    self.remove_all(&base, &more);
                }
            }
            other => return self.raise_and_print(window, other),
        }
        Ok(Flow::Next)
    }

    fn raise_and_print(&mut self, window: &mut Window<'_>, op: Op) -> Outcome<Flow> {
        match op {
            Op::Hook(into, hook, first, count) => {
                let arguments = window.slice(first, count).to_vec();
                let Value::Function(hook) = window.get(hook).clone() else {
                    return Err(self.fail("value used but not set"));
                };
                let goes_on = self.run_hook(&hook, &arguments)?;
                window.set(into, Value::Bool(goes_on));
            }
            Op::Event(event, first, count) => {
                let arguments = window.slice(first, count).to_vec();
                if let Value::Function(event) = window.get(event) {
                    let number = event.function;
                    self.raise(number, arguments);
                }
            }
            Op::Schedule(delay, event, first, count) => {
                let arguments = window.slice(first, count).to_vec();
                let delay = window.get(delay).clone();
                if let Value::Function(event) = window.get(event) {
                    let number = event.function;
                    self.schedule(&delay, number, arguments);
                }
            }
            Op::Loop(into, over) => {
                let over = window.get(over).clone();
                let cursor = self.cursor(&over)?;
                window.set(into, Value::Cursor(Rc::new(RefCell::new(cursor))));
            }
            Op::Print(first, count) => {
                let all = window.slice(first, count).to_vec();
                self.print(&all)?;
            }
            Op::AssertFailed(message, has) => {
                let text = if has > 0 { Some(window.get(message).clone()) } else { None };
                return Err(self.assertion(text));
            }
            Op::Lambda(into, number, first, count) => {
                let captures = window.slice(first, count).to_vec().into();
                window.set(into, Value::Function(Rc::new(FunctionValue { function: number, captures })));
            }
            Op::When(number, first, count) => {
                let captures = window.slice(first, count).to_vec();
                self.add_trigger(number, captures, false)?;
            }
            Op::Fail(_) => return Err(self.fail("the function is too large to be run")),
            _ => {}
        }
        Ok(Flow::Next)
    }

    fn cursor(&mut self, over: &Value) -> Outcome<Cursor> {
        match over {
            Value::Table(table) => Ok(Cursor::over(table.clone())),
            Value::Vector(vector) => Ok(Cursor::Vector { vector: vector.clone(), next: 0 }),
            Value::String(bytes) => Ok(Cursor::String { bytes: bytes.clone(), next: 0 }),
            _ => Err(self.fail("value used but not set")),
        }
    }
}
