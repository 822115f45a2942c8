//! From the arguments of a message to values of the types that the event is declared with.

use std::rc::Rc;

use weir_base::event::{self, ReadValue};
use weir_base::{EventValue, Timestamp};

use crate::types::{Type, TypeId};
use crate::values::{
    Addr, Key, Opaque, OpaqueValue, Port, RecordValue, Subnet, TableValue, Value, VectorValue,
};
use crate::vm::Engine;

use super::connection::Known;

/// Returns the value of an argument.
pub(super) fn value(engine: &mut Engine, known: &mut Known, read: &ReadValue<'_>, ty: TypeId) -> Value {
    match read {
        ReadValue::Unset => Value::Unset,
        ReadValue::Bool(value) => Value::Bool(*value),
        ReadValue::Count(value) => number(*value, ty, engine),
        ReadValue::Int(value) => match ty {
            TypeId::COUNT => Value::Count(u64::try_from(*value).unwrap_or(0)),
            _ => Value::Int(*value),
        },
        ReadValue::Double(value) => match ty {
            TypeId::TIME => Value::Time(*value),
            TypeId::INTERVAL => Value::Interval(*value),
            _ => Value::Double(*value),
        },
        ReadValue::Time(value) => Value::Time(*value),
        ReadValue::Interval(value) => Value::Interval(*value),
        ReadValue::String(bytes) => text(engine, bytes, ty),
        ReadValue::Addr(octets) => Value::Addr(Addr(*octets)),
        ReadValue::Port(number, protocol) => Value::Port(Port { number: *number, protocol: *protocol }),
        ReadValue::Subnet(octets, length) => Value::Subnet(Subnet::new(Addr(*octets), *length)),
        ReadValue::Enum(name) => match engine.program.enum_named(name) {
            Some(Value::Enum(_, number)) if engine.types().is_enum(ty) => Value::Enum(ty, number),
            other => other.unwrap_or_default(),
        },
        ReadValue::Record(fields) => record(engine, known, fields, ty),
        ReadValue::List(members) => list(engine, known, members, ty),
        ReadValue::Table(pairs) => table(engine, known, pairs, ty),
        ReadValue::Index(parts) => {
            let parts: Vec<Value> =
                parts.iter().map(|part| value(engine, known, part, TypeId::ANY)).collect();
            Value::List(parts.into())
        }
        ReadValue::Opaque(bytes) => {
            Value::Opaque(Rc::new(OpaqueValue::new(Opaque::Certificate((*bytes).into()))))
        }
        ReadValue::Connection(read) => known.connection(engine, read),
        ReadValue::File(read) => known.file(engine, read),
    }
}

/// Returns the values of an event's arguments that come behind the first ones; the event is raised on the thread of scripts.
pub(crate) fn arguments(
    engine: &mut Engine,
    event: &str,
    first: usize,
    rest: &[EventValue<'_>],
) -> Vec<Value> {
    let types =
        engine.program.function_named(event).and_then(|number| super::lane::parameters(engine, number));
    let mut bytes = Vec::new();
    event::write(&mut bytes, (Timestamp::default(), 0), 0, rest, None);
    let Some((message, _)) = event::read(&bytes) else { return Vec::new() };
    let mut known = Known::default();
    let types = types.unwrap_or_default().into_iter().skip(first);
    message.arguments.iter().zip(types).map(|(read, ty)| value(engine, &mut known, read, ty)).collect()
}

/// Returns text as what it stands for in rows of logs: the name of a value, or a network.
fn text(engine: &Engine, bytes: &[u8], ty: TypeId) -> Value {
    let words = || std::str::from_utf8(bytes).ok();
    if engine.types().is_enum(ty) {
        return words().and_then(|name| engine.program.enum_named(name)).unwrap_or_default();
    }
    match ty {
        TypeId::SUBNET => words().and_then(Subnet::parse).map_or(Value::Unset, Value::Subnet),
        TypeId::ADDR => words().and_then(Addr::parse).map_or(Value::Unset, Value::Addr),
        _ => Value::string(bytes),
    }
}

fn number(value: u64, ty: TypeId, engine: &Engine) -> Value {
    match ty {
        TypeId::INT => Value::Int(i64::try_from(value).unwrap_or(i64::MAX)),
        TypeId::DOUBLE => Value::Double(value as f64),
        TypeId::INTERVAL => Value::Interval(value as f64),
        TypeId::TIME => Value::Time(value as f64),
        _ if engine.types().is_enum(ty) => Value::Enum(ty, i64::try_from(value).unwrap_or(i64::MAX)),
        _ => Value::Count(value),
    }
}

fn record(engine: &mut Engine, known: &mut Known, fields: &[ReadValue<'_>], ty: TypeId) -> Value {
    let Some(declared) = engine.types().record(ty) else { return Value::Unset };
    let types: Vec<TypeId> = declared.fields.iter().map(|field| field.ty).collect();
    let values = fields.iter().zip(types).map(|(field, ty)| value(engine, known, field, ty)).collect();
    let record = Rc::new(RecordValue::new(ty, values));
    let _ = engine.fill_record(&record);
    Value::Record(record)
}

fn list(engine: &mut Engine, known: &mut Known, members: &[ReadValue<'_>], ty: TypeId) -> Value {
    if let Some(element) = engine.types().element(ty) {
        let values = members.iter().map(|member| value(engine, known, member, element)).collect();
        return Value::Vector(Rc::new(VectorValue::new(ty, values)));
    }
    let Some((keys, _)) = engine.types().table_of(ty) else { return Value::Unset };
    let set = Rc::new(TableValue::new(ty));
    for member in members {
        let index = index(engine, known, member, &keys);
        set.insert(Key::new(&index), Value::Unset, engine.now());
    }
    Value::Table(set)
}

fn table(engine: &mut Engine, known: &mut Known, pairs: &[ReadValue<'_>], ty: TypeId) -> Value {
    let Type::Table { keys, value: Some(element) } = engine.types().get(ty).clone() else {
        return Value::Unset;
    };
    let table = Rc::new(TableValue::new(ty));
    for pair in pairs.chunks_exact(2) {
        if let [key, element_read] = pair {
            let index = index(engine, known, key, &keys);
            let found = value(engine, known, element_read, element);
            table.insert(Key::new(&index), found, engine.now());
        }
    }
    Value::Table(table)
}

fn index(engine: &mut Engine, known: &mut Known, read: &ReadValue<'_>, keys: &[TypeId]) -> Value {
    match read {
        ReadValue::Index(parts) => {
            let parts: Vec<Value> =
                parts.iter().zip(keys).map(|(part, key)| value(engine, known, part, *key)).collect();
            Value::List(parts.into())
        }
        single => value(engine, known, single, keys.first().copied().unwrap_or(TypeId::ANY)),
    }
}
