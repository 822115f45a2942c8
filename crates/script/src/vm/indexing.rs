//! Access to tables, sets, vectors and strings, with what attributes ask for.

use std::rc::Rc;

use super::{Engine, Outcome};
use crate::patterns::PatternSet;
use crate::values::{Change, Expiry, Key, TableDefault, TableValue, Value, VectorValue};

/// Most automata for tables of patterns that are kept.
const PATTERN_SETS: usize = 64;

impl Engine {
    pub(super) fn index(&mut self, base: &Value, key: &Value) -> Outcome<Value> {
        match base {
            Value::Table(table) => self.index_table(table, key),
            Value::Vector(vector) => {
                if let Value::Vector(chosen) = key {
                    return self.choose(vector, chosen);
                }
                let place = self.vector_place(vector, key)?;
                match vector.get(place).filter(Value::is_set) {
                    Some(value) => Ok(value),
                    None => Err(self.fail("no such index")),
                }
            }
            Value::String(bytes) => {
                let place = string_place(bytes.len(), key.int());
                let one = place.and_then(|place| bytes.get(place..=place)).unwrap_or(&[]);
                Ok(Value::string(one))
            }
            _ => Err(self.fail("value used but not set")),
        }
    }

    /// Returns the elements of a vector at the places that another one holds, or for which it holds `T`.
    fn choose(&mut self, vector: &Rc<VectorValue>, chosen: &Rc<VectorValue>) -> Outcome<Value> {
        let mut picked = Vec::new();
        let all = chosen.all();
        if all.iter().any(|choice| matches!(choice, Value::Bool(_))) {
            if all.len() != vector.len() {
                return Err(self.fail("size mismatch, boolean index and vector"));
            }
            for (place, choice) in all.iter().enumerate() {
                if choice.is_true() {
                    picked.push(vector.get(place).unwrap_or_default());
                }
            }
        } else {
            for choice in all {
                if !choice.is_set() {
                    picked.push(Value::Unset);
                    continue;
                }
                let place = usize::try_from(choice.int()).unwrap_or(usize::MAX);
                picked.push(vector.get(place).unwrap_or_default());
            }
        }
        Ok(Value::Vector(Rc::new(VectorValue::new(vector.ty.get(), picked))))
    }

    fn vector_place(&mut self, vector: &VectorValue, key: &Value) -> Outcome<usize> {
        let number = match key {
            Value::Count(number) => i64::try_from(*number).unwrap_or(i64::MAX),
            other => other.int(),
        };
        let place = if number < 0 { i64::try_from(vector.len()).unwrap_or(0) + number } else { number };
        usize::try_from(place).map_err(|_| self.fail("no such index"))
    }

    fn index_table(&mut self, table: &Rc<TableValue>, key: &Value) -> Outcome<Value> {
        if let Some(value) = table.find(key) {
            self.read_from(table, key);
            return Ok(value);
        }
        if let Some(value) = self.covering(table, key) {
            return Ok(value);
        }
        if let (Value::String(bytes), true) = (key, self.has_pattern_keys(table)) {
            let values = self.matching(table, bytes).into_iter().map(|entry| entry.1).collect();
            let element = self.program.types.table_of(table.ty.get()).and_then(|(_, value)| value);
            let ty = self.program.types.vector(element.unwrap_or(crate::types::TypeId::ANY));
            return Ok(Value::Vector(Rc::new(VectorValue::new(ty, values))));
        }
        let Some(attributes) = table.attributes() else { return Err(self.fail("no such index")) };
        let value = match &attributes.default {
            Some(TableDefault::Plain(default)) => {
                let ty = self.program.types.table_of(table.ty.get()).and_then(|(_, value)| value);
                self.default_value(&default.clone(), ty.unwrap_or(crate::types::TypeId::ANY))?
            }
            Some(TableDefault::Call(function)) => {
                let parts: Vec<Value> = Key(key.clone()).parts().to_vec();
                match function {
                    Value::Function(function) => self.call(function, &parts)?,
                    _ => Value::Unset,
                }
            }
            None => return Err(self.fail("no such index")),
        };
        if attributes.inserts_default {
            self.insert_entry(table, Key::new(key), value.clone())?;
        }
        Ok(value)
    }

    fn has_pattern_keys(&self, table: &TableValue) -> bool {
        table.has_patterns()
            || self
                .program
                .types
                .table_of(table.ty.get())
                .is_some_and(|(keys, _)| keys.as_ref() == [crate::types::TypeId::PATTERN])
    }

    /// Returns the value of the smallest network that holds an address or network.
    fn covering(&mut self, table: &TableValue, key: &Value) -> Option<Value> {
        let (address, most) = match key {
            Value::Addr(address) => (*address, 128),
            Value::Subnet(network) => (network.prefix, network.length),
            _ => return None,
        };
        for length in table.prefix_lengths().into_iter().filter(|length| *length <= most) {
            let wider = Value::Subnet(crate::values::Subnet { prefix: address.masked(length), length });
            if let Some(value) = table.find(&wider) {
                return Some(value);
            }
        }
        None
    }

    /// Returns indices and values of a table of patterns that match all of a string.
    pub fn matching(&mut self, table: &Rc<TableValue>, bytes: &[u8]) -> Vec<(Value, Value)> {
        let key = (Rc::as_ptr(table) as usize, table.version.get());
        if !self.pattern_sets.contains_key(&key) {
            if self.pattern_sets.len() >= PATTERN_SETS {
                self.pattern_sets.clear();
            }
            let (mut patterns, mut indices) = (Vec::new(), Vec::new());
            for entry in table.entries() {
                if let Value::Pattern(pattern) = &entry.key.0 {
                    patterns.push(pattern.clone());
                    indices.push(entry.key.0.clone());
                }
            }
            self.pattern_sets.insert(key, (Rc::new(PatternSet::new(patterns)), indices));
        }
        let Some((set, indices)) = self.pattern_sets.get(&key) else { return Vec::new() };
        let found = set.matching(bytes);
        let indices: Vec<Value> = found.into_iter().filter_map(|place| indices.get(place).cloned()).collect();
        indices.into_iter().map(|index| (index.clone(), table.find(&index).unwrap_or_default())).collect()
    }

    pub(super) fn in_table(&mut self, key: &Value, table: &Value) -> Outcome<Value> {
        let Value::Table(table) = table else { return Err(self.fail("value used but not set")) };
        if table.contains(key) {
            self.read_from(table, key);
            return Ok(Value::Bool(true));
        }
        if self.covering(table, key).is_some() {
            return Ok(Value::Bool(true));
        }
        if let (Value::String(bytes), true) = (key, table.has_patterns()) {
            let bytes = bytes.clone();
            return Ok(Value::Bool(!self.matching(table, &bytes).is_empty()));
        }
        Ok(Value::Bool(false))
    }

    fn read_from(&mut self, table: &TableValue, key: &Value) {
        if table.is_watched.get()
            && table.attributes().is_some_and(|attributes| attributes.expiry == Expiry::Read)
        {
            table.touch(key, self.now());
        }
    }

    pub(super) fn set_index(&mut self, base: &Value, key: &Value, value: Value) -> Outcome<()> {
        match base {
            Value::Table(table) => self.insert_entry(table, Key::new(key), value),
            Value::Vector(vector) => {
                let place = self.vector_place(vector, key)?;
                if vector.set(place, value) { Ok(()) } else { Err(self.fail("the vector is too long")) }
            }
            Value::String(_) => Err(self.fail("assignment to an element of a string")),
            _ => Err(self.fail("value used but not set")),
        }
    }

    /// Puts an entry, with what the table's attributes ask for.
    pub fn insert_entry(&mut self, table: &Rc<TableValue>, key: Key, value: Value) -> Outcome<()> {
        let attributes = table.attributes();
        let mut at = self.now();
        if attributes.is_none() && !table.is_looped() {
            table.insert(key, value, at);
            return Ok(());
        }
        if let Some(attributes) = &attributes
            && attributes.expiry == Expiry::Create
            && let Some(age) = table.age(&key.0)
        {
            at = age;
        }
        let changes = attributes.as_ref().is_some_and(|attributes| attributes.on_change.is_some());
        let parts = if changes { Some((key.clone(), value.clone())) } else { None };
        let was = table.contains(&key.0);
        if !was && table.is_looped() {
            self.warn("possible loop/iterator invalidation");
        }
        let old = table.insert(key, value, at);
        if let Some((key, value)) = parts {
            let change = if was { Change::Changed } else { Change::New };
            if was && self.program.types.is_set(table.ty.get()) {
                return Ok(());
            }
            let shown = if was { old.unwrap_or_default() } else { value };
            self.tell_change(table, change, &key, shown)?;
        }
        Ok(())
    }

    /// Calls what `&on_change` names, unless it runs already for the table.
    pub(super) fn tell_change(
        &mut self,
        table: &Rc<TableValue>,
        change: Change,
        key: &Key,
        value: Value,
    ) -> Outcome<()> {
        let Some(attributes) = table.attributes() else { return Ok(()) };
        let Some(Value::Function(function)) = &attributes.on_change else { return Ok(()) };
        // While it runs, the table has no such function: changes there are not told again.
        let mut without = attributes.as_ref().clone();
        without.on_change = None;
        table.set_attributes(Some(Rc::new(without)));
        let kind = self.program.type_named("TableChange");
        let kind = kind.map_or(Value::Unset, |ty| Value::Enum(ty, change as i64));
        let mut arguments = vec![Value::Table(table.clone()), kind];
        arguments.extend(key.shown_parts());
        if !self.program.types.is_set(table.ty.get()) {
            arguments.push(value);
        }
        let result = self.call(function, &arguments);
        table.set_attributes(Some(attributes.clone()));
        result.map(|_| ())
    }

    /// Puts an entry of a constructor; sets within the index stand for their members.
    pub(super) fn insert_expanded(
        &mut self,
        table: &Rc<TableValue>,
        key: &Value,
        value: Value,
    ) -> Outcome<()> {
        let keys = self.program.types.table_of(table.ty.get()).map(|(keys, _)| keys);
        let keys = keys.unwrap_or_else(|| Vec::new().into());
        let is_plain = |this: &Self, place: usize, part: &Value| {
            !matches!(part, Value::Table(_))
                || keys.get(place).is_none_or(|key| this.program.types.is_table(*key))
        };
        let parts: Vec<Value> = match key {
            Value::List(parts) => parts.to_vec(),
            single => vec![single.clone()],
        };
        if parts.iter().enumerate().all(|(place, part)| is_plain(self, place, part)) {
            table.insert(Key::new(key), value, self.now());
            return Ok(());
        }
        let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
        for (place, part) in parts.iter().enumerate() {
            let choices: Vec<Vec<Value>> = match part {
                Value::Table(inner) if !is_plain(self, place, part) => {
                    inner.keys().iter().map(|key| key.parts().to_vec()).collect()
                }
                other => vec![vec![other.clone()]],
            };
            if rows.len().saturating_mul(choices.len()) > 1 << 20 {
                return Err(self.fail("the constructor stands for too many elements"));
            }
            rows = rows
                .iter()
                .flat_map(|row| choices.iter().map(|choice| [row.as_slice(), choice.as_slice()].concat()))
                .collect();
        }
        for row in rows {
            let key = match row.as_slice() {
                [only] => Key::new(only),
                _ => Key::new(&Value::List(row.into())),
            };
            table.insert(key, value.clone(), self.now());
        }
        Ok(())
    }

    pub(crate) fn delete(&mut self, base: &Value, key: &Value) -> Outcome<()> {
        match base {
            Value::Table(table) => {
                if let Some(entry) = table.remove(key) {
                    if table.is_looped() {
                        self.warn("possible loop/iterator invalidation");
                    }
                    self.tell_change(table, Change::Removed, &entry.key, entry.value)?;
                }
            }
            Value::Vector(vector) => {
                let place = self.vector_place(vector, key)?;
                vector.with(|elements| {
                    if place < elements.len() {
                        elements.remove(place);
                    }
                });
            }
            _ => return Err(self.fail("value used but not set")),
        }
        Ok(())
    }

    pub(super) fn delete_all(&mut self, base: &Value) -> Outcome<()> {
        match base {
            Value::Table(table) => table.clear(),
            Value::Vector(vector) => {
                vector.with(Vec::clear);
            }
            _ => return Err(self.fail("value used but not set")),
        }
        Ok(())
    }

    pub(super) fn slice(&mut self, base: &Value, bounds: &[Value]) -> Outcome<Value> {
        match base {
            Value::String(bytes) => {
                let (from, to) = limits(bytes.len(), bounds);
                Ok(Value::string(bytes.get(from..to.max(from)).unwrap_or(&[])))
            }
            Value::Vector(vector) => {
                let all = vector.all();
                let (from, to) = limits(all.len(), bounds);
                let part = all.get(from..to.max(from)).unwrap_or(&[]).to_vec();
                Ok(Value::Vector(Rc::new(VectorValue::new(vector.ty.get(), part))))
            }
            _ => Err(self.fail("value used but not set")),
        }
    }

    pub(super) fn set_slice(&mut self, base: &Value, bounds: &[Value], value: &Value) -> Outcome<()> {
        let (Value::Vector(vector), Value::Vector(more)) = (base, value) else {
            return Err(self.fail("vector slice assignment needs vectors"));
        };
        let more = more.all();
        let (from, to) = limits(vector.len(), bounds);
        vector.with(|elements| {
            let to = to.max(from).min(elements.len());
            elements.splice(from.min(to)..to, more);
        });
        Ok(())
    }
}

/// Returns the place that a number names in a string; negative ones count from the end.
fn string_place(length: usize, number: i64) -> Option<usize> {
    let place = if number < 0 { i64::try_from(length).unwrap_or(0) + number } else { number };
    usize::try_from(place).ok().filter(|place| *place < length)
}

/// Returns the bounds of a slice within a length.
fn limits(length: usize, bounds: &[Value]) -> (usize, usize) {
    let place = |bound: Option<&Value>, absent: usize| match bound {
        Some(value) if value.is_set() => {
            let number = value.int();
            let whole = i64::try_from(length).unwrap_or(i64::MAX);
            let number = if number < 0 { (whole + number).max(0) } else { number.min(whole) };
            usize::try_from(number).unwrap_or(0)
        }
        _ => absent,
    };
    (place(bounds.first(), 0), place(bounds.get(1), length))
}
