//! Tables and sets as a whole.

use std::rc::Rc;

use super::{Builtin, argument, row};
use crate::types::{Type, TypeId};
use crate::values::{Key, TableValue, Value, VectorValue};
use crate::vm::{Engine, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row("clear_table", "(v: any): any", |e, a| {
        match argument(a, 0) {
            Value::Table(table) => table.clear(),
            _ => e.complain("clear_table() requires a table/set argument"),
        }
        Ok(Value::Unset)
    }),
    row("table_keys", "(t: any): any", table_keys),
    row("table_values", "(t: any): any_vec", |e, a| {
        let value = argument(a, 0);
        let Some(table) = value.table() else {
            e.complain("table_values() requires a table argument");
            return Ok(Value::Unset);
        };
        let held = e.types().table_of(table.ty.get()).and_then(|(_, value)| value).unwrap_or(TypeId::ANY);
        let ty = e.program.types.vector(held);
        let all = table.entries().into_iter().map(|entry| entry.value).collect();
        Ok(Value::Vector(Rc::new(VectorValue::new(ty, all))))
    }),
    row("same_object", "(o1: any, o2: any): bool", |_, a| {
        Ok(Value::Bool(match (argument(a, 0), argument(a, 1)) {
            (Value::Record(one), Value::Record(other)) => Rc::ptr_eq(&one, &other),
            (Value::Table(one), Value::Table(other)) => Rc::ptr_eq(&one, &other),
            (Value::Vector(one), Value::Vector(other)) => Rc::ptr_eq(&one, &other),
            (Value::String(one), Value::String(other)) => Rc::ptr_eq(&one, &other),
            (Value::Function(one), Value::Function(other)) => Rc::ptr_eq(&one, &other),
            (Value::Opaque(one), Value::Opaque(other)) => Rc::ptr_eq(&one, &other),
            (Value::Pattern(one), Value::Pattern(other)) => Rc::ptr_eq(&one, &other),
            (one, other) => Key::equals(&one, &other),
        }))
    }),
    row("val_footprint", "(v: any): count", |e, a| {
        Ok(Value::Count(footprint(e, &argument(a, 0), &mut Vec::new())))
    }),
    row("global_container_footprints", "(): var_sizes", |e, _| {
        let ty = e.program.type_named("var_sizes").unwrap_or(TypeId::ANY);
        let all: Vec<_> =
            e.program.globals.iter().map(|global| (global.name.clone(), global.value.clone())).collect();
        let sizes = Rc::new(TableValue::new(ty));
        for (name, value) in all.into_iter().filter(|(_, value)| value.table().is_some()) {
            let size = footprint(e, &value, &mut Vec::new());
            sizes.insert(Key::new(&Value::string(name.as_bytes())), Value::Count(size), e.now());
        }
        Ok(Value::Table(sizes))
    }),
];

/// Returns the indices: as a set where they are of one part, else as a vector of lists.
fn table_keys(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let value = argument(a, 0);
    let Some(table) = value.table() else {
        engine.complain("table_keys() requires a table argument");
        return Ok(Value::Unset);
    };
    let keys = engine.types().table_of(table.ty.get()).map(|(keys, _)| keys);
    let ty = engine.program.types.table(&keys.unwrap_or_else(|| Vec::new().into()), None);
    let set = Rc::new(TableValue::new(ty));
    for key in table.keys() {
        set.insert(key, Value::Unset, engine.now());
    }
    Ok(Value::Table(set))
}

/// Counts the elements of a value, with those within it; what is being counted counts once.
fn footprint(engine: &Engine, value: &Value, open: &mut Vec<usize>) -> u64 {
    let address = match value {
        Value::Record(inner) => Rc::as_ptr(inner) as usize,
        Value::Table(inner) => Rc::as_ptr(inner) as usize,
        Value::Vector(inner) => Rc::as_ptr(inner) as usize,
        Value::List(parts) => {
            return parts.iter().map(|part| footprint(engine, part, open)).sum::<u64>() + parts.len() as u64;
        }
        Value::String(text) => return 1 + text.len() as u64 / 32,
        _ => return 1,
    };
    if open.contains(&address) || open.len() > 200 {
        return 1;
    }
    open.push(address);
    let sum = match value {
        Value::Record(record) => {
            let count = match engine.types().get(record.ty) {
                Type::Record(known) => known.fields.len() as u64,
                _ => 0,
            };
            let held = record.all();
            held.iter()
                .filter(|field| field.is_set())
                .map(|field| footprint(engine, field, open))
                .sum::<u64>()
                + count
        }
        Value::Vector(vector) => {
            let all = vector.all();
            all.iter().map(|element| footprint(engine, element, open)).sum::<u64>() + all.len() as u64
        }
        Value::Table(table) => {
            let entries = table.entries();
            let mut sum = entries.len() as u64;
            for entry in &entries {
                let parts = entry.key.parts();
                sum +=
                    parts.iter().map(|part| footprint(engine, part, open)).sum::<u64>() + parts.len() as u64;
                if entry.value.is_set() {
                    sum += footprint(engine, &entry.value, open);
                }
            }
            sum
        }
        _ => 0,
    };
    open.pop();
    sum
}
