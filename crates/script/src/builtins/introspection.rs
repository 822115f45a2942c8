//! What scripts can ask about types and names.

use std::rc::Rc;

use super::{Builtin, argument, row, text};
use crate::program::Meaning;
use crate::types::{Type, TypeId};
use crate::values::{Key, TableValue, Value, VectorValue};
use crate::vm::{Engine, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row("type_name", "(t: any): string", |e, a| {
        let value = argument(a, 0);
        let ty = match &value {
            Value::Type(id) => *id,
            other => e.type_of(other),
        };
        Ok(Value::string(e.types().text(ty)))
    }),
    row("type_aliases", "(x: any): string_set", type_aliases),
    row("record_fields", "(rec: any): record_field_table", record_fields),
    row("enum_names", "(et: any): string_set", |e, a| {
        let ty = match argument(a, 0) {
            Value::Type(id) => id,
            Value::Enum(id, _) => id,
            Value::String(name) => {
                e.program.type_named(&String::from_utf8_lossy(&name)).unwrap_or(TypeId::ERROR)
            }
            _ => TypeId::ERROR,
        };
        let names: Vec<Rc<str>> = e
            .types()
            .enumeration(ty)
            .map(|known| known.values.iter().map(|(name, _)| name.clone()).collect())
            .unwrap_or_default();
        Ok(names_set(e, &names))
    }),
    row("lookup_ID", "(id: string): any", |e, a| {
        let name = text(a, 0);
        match e.program.symbols.get(name.as_str()).map(|symbol| symbol.meaning.clone()) {
            Some(Meaning::Global(number)) => {
                let value = e.program.globals.get(number as usize).map(|global| global.value.clone());
                let value = value.unwrap_or_default();
                Ok(if value.is_set() { value } else { Value::string("<no ID value>") })
            }
            Some(Meaning::Enum(ty, value)) => Ok(Value::Enum(ty, value)),
            _ => Ok(Value::string("<unknown id>")),
        }
    }),
    row("global_ids", "(): id_table", global_ids),
];

fn names_set(engine: &mut Engine, names: &[Rc<str>]) -> Value {
    let ty = engine.program.types.table(&[TypeId::STRING], None);
    let set = Rc::new(TableValue::new(ty));
    for name in names {
        set.insert(Key::new(&Value::string(name.as_bytes())), Value::Unset, engine.now());
    }
    Value::Table(set)
}

fn type_aliases(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let value = argument(a, 0);
    let ty = match &value {
        Value::Type(id) => *id,
        other => engine.type_of(other),
    };
    let names = engine.program.aliases.get(&ty).cloned().unwrap_or_default();
    Ok(names_set(engine, &names))
}

/// Returns the word that stands for a type in descriptions of fields.
fn word(engine: &Engine, ty: TypeId) -> String {
    match engine.types().get(ty) {
        Type::Record(_) => engine
            .types()
            .name_of(ty)
            .map_or_else(|| engine.types().text(ty), |name| format!("record {name}")),
        Type::Enum(known) => format!("enum {}", known.name),
        Type::Table { keys, value } => {
            let keys: Vec<String> = keys.iter().map(|key| word(engine, *key)).collect();
            match value {
                Some(value) => format!("table[{}] of {}", keys.join(","), word(engine, *value)),
                None => format!("set[{}]", keys.join(",")),
            }
        }
        Type::Vector(element) => format!("vector of {}", word(engine, *element)),
        _ => engine.types().text(ty),
    }
}

fn record_fields(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let value = argument(a, 0);
    let mut ty = match &value {
        Value::Type(id) => *id,
        Value::Record(record) => record.ty,
        Value::String(_) => match engine.program.type_named(&value.text()) {
            Some(id) => id,
            None => {
                let name = value.text();
                engine.complain(&format!("record_fields: '{name}' is not a known type"));
                TypeId::ERROR
            }
        },
        _ => TypeId::ERROR,
    };
    if engine.types().record(ty).is_none() {
        engine.complain("record_fields() requires a record value/type argument");
        ty = TypeId::ERROR;
    }
    let table_type = engine.program.type_named("record_field_table").unwrap_or(TypeId::ANY);
    let table = Rc::new(TableValue::new(table_type));
    let fields = engine.types().record(ty).map(|record| record.fields.clone()).unwrap_or_default();
    for (place, field) in fields.iter().enumerate() {
        let held = match &value {
            Value::Record(record) => record.get(place),
            _ => Value::Unset,
        };
        let default = match &field.default {
            Some(default) => engine.default_of(default, field.ty),
            None => Value::Unset,
        };
        let shown = [
            ("type_name", Value::string(word(engine, field.ty))),
            ("log", Value::Bool(field.log)),
            ("value", held),
            ("default_val", default),
            ("optional", Value::Bool(field.optional)),
        ];
        let entry = engine.record_of("record_field", &shown);
        table.insert(Key::new(&Value::string(field.name.as_bytes())), entry, engine.now());
    }
    Ok(Value::Table(table))
}

fn global_ids(engine: &mut Engine, _: &[Value]) -> Outcome<Value> {
    if !engine.is_running {
        let place = engine.current();
        engine.report_at("error", place, "top-level global_ids() call unsupported");
        return Err(crate::vm::Fault::Error);
    }
    let ty = engine.program.type_named("id_table").unwrap_or(TypeId::ANY);
    let table = Rc::new(TableValue::new(ty));
    let mut names: Vec<(Rc<str>, Meaning, bool)> = engine
        .program
        .symbols
        .iter()
        .map(|(name, symbol)| (name.clone(), symbol.meaning.clone(), symbol.is_exported))
        .collect();
    names.sort_by(|one, other| one.0.cmp(&other.0));
    for (name, meaning, exported) in names {
        let entry = described(engine, &meaning, exported);
        table.insert(Key::new(&Value::string(name.as_bytes())), entry, engine.now());
    }
    let modules: Vec<Rc<str>> = engine.program.modules.iter().cloned().chain(["GLOBAL".into()]).collect();
    for module in modules {
        let mut fields: Vec<(&str, Value)> =
            ["exported", "constant", "enum_constant", "option_value", "redefinable", "broker_backend"]
                .into_iter()
                .map(|name| (name, Value::Bool(false)))
                .collect();
        fields.push(("type_name", Value::string("module")));
        let entry = engine.record_of("script_id", &fields);
        table.insert(Key::new(&Value::string(format!("module {module}"))), entry, engine.now());
    }
    Ok(Value::Table(table))
}

fn described(engine: &mut Engine, meaning: &Meaning, exported: bool) -> Value {
    let no = || Value::Bool(false);
    let mut fields = vec![
        ("constant", no()),
        ("enum_constant", no()),
        ("option_value", no()),
        ("redefinable", no()),
        ("broker_backend", no()),
        ("exported", Value::Bool(exported)),
    ];
    match meaning {
        Meaning::Global(number) => {
            let Some(global) = engine.program.globals.get(*number as usize).cloned() else {
                return Value::Unset;
            };
            fields.push(("type_name", Value::string(engine.types().text(global.ty))));
            fields.push(("constant", Value::Bool(global.is_const)));
            fields.push(("enum_constant", Value::Bool(false)));
            fields.push(("option_value", Value::Bool(global.is_option)));
            fields.push(("redefinable", Value::Bool(global.is_redefinable)));
            fields.push(("broker_backend", Value::Bool(false)));
            fields.push(("value", global.value));
            if !global.attribute_names.is_empty() {
                let attributes = attribute_values(engine, &global.attribute_names);
                fields.push(("attributes", attributes));
            }
        }
        Meaning::Type(id) => {
            fields.push(("type_name", Value::string(format!("type {}", engine.types().text(*id)))));
        }
        Meaning::Enum(ty, value) => {
            fields.push(("type_name", Value::string(engine.types().text(*ty))));
            fields.push(("enum_constant", Value::Bool(true)));
            fields.push(("value", Value::Enum(*ty, *value)));
        }
    }
    engine.record_of("script_id", &fields)
}

/// Returns attributes of a global as records: names, and values behind an equal sign.
fn attribute_values(engine: &mut Engine, names: &[Rc<str>]) -> Value {
    let mut all = Vec::new();
    for name in names {
        let (name, shown) = name.split_once('=').map_or((&**name, None), |(name, shown)| (name, Some(shown)));
        let mut fields = vec![("name", Value::string(name))];
        fields.extend(shown.map(|shown| ("expr", Value::string(shown))));
        all.push(engine.record_of("script_id_attr", &fields));
    }
    let ty = engine.program.type_named("script_id_attrs").unwrap_or(TypeId::ANY);
    Value::Vector(Rc::new(VectorValue::new(ty, all)))
}
