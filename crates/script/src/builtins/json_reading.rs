//! JSON to values of a type.

use std::rc::Rc;

use serde_json::Value as Json;

use super::json::failed;
use super::{argument, bytes};
use crate::patterns::Pattern;
use crate::types::{Type, TypeId};
use crate::values::{Addr, FunctionValue, Key, Port, Subnet, TableValue, Value, VectorValue, protocol};
use crate::vm::{Engine, Outcome};

pub(super) fn from_json(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let Value::Type(ty) = argument(a, 1) else {
        engine.complain("from_json() requires a type argument");
        return failed(engine, "");
    };
    let json: Json = match serde_json::from_slice(bytes(a, 0)) {
        Ok(json) => json,
        Err(error) => {
            let text = format!("JSON parse error: {error}");
            return failed(engine, &text);
        }
    };
    let mapper = match argument(a, 2) {
        Value::Function(function) => Some(function),
        _ => None,
    };
    let read = read(engine, &json, ty, mapper.as_ref())?;
    match read {
        Ok(value) => Ok(engine.record_of("from_json_result", &[("v", value), ("valid", Value::Bool(true))])),
        Err(sentence) => failed(engine, &sentence),
    }
}

type Read = Outcome<Result<Value, String>>;

fn mismatch(engine: &Engine, json: &Json, ty: TypeId) -> Result<Value, String> {
    let kind = match json {
        Json::Null => "null",
        Json::Bool(_) => "bool",
        Json::Number(number) if number.is_f64() => "double",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    };
    Err(format!("cannot convert JSON type '{kind}' to Zeek type '{}'", engine.types().text(ty)))
}

fn read(engine: &mut Engine, json: &Json, ty: TypeId, mapper: Option<&Rc<FunctionValue>>) -> Read {
    if json.is_null() {
        return Ok(Ok(Value::Unset));
    }
    match engine.types().get(ty).clone() {
        Type::Basic(_) => Ok(basic(engine, json, ty)),
        Type::Enum(known) => Ok(match json {
            Json::String(name) => known
                .values
                .iter()
                .find(|(full, _)| **full == **name)
                .map(|(_, value)| Value::Enum(ty, *value))
                .ok_or_else(|| format!("'{name}' is not a valid enum for '{}'.", known.name)),
            other => mismatch(engine, other, ty),
        }),
        Type::Vector(element) => {
            let Json::Array(parts) = json else { return Ok(mismatch(engine, json, ty)) };
            let mut all = Vec::new();
            for part in parts {
                match read(engine, part, element, mapper)? {
                    Ok(value) => all.push(value),
                    Err(sentence) => return Ok(Err(sentence)),
                }
            }
            Ok(Ok(Value::Vector(Rc::new(VectorValue::new(ty, all)))))
        }
        Type::Table { keys, value: None } => {
            let Json::Array(parts) = json else { return Ok(mismatch(engine, json, ty)) };
            let set = Rc::new(TableValue::new(ty));
            for part in parts {
                match key(engine, part, &keys, mapper)? {
                    Ok(value) => {
                        set.insert(Key::new(&value), Value::Unset, engine.now());
                    }
                    Err(sentence) => return Ok(Err(sentence)),
                }
            }
            Ok(Ok(Value::Table(set)))
        }
        Type::Table { keys, value: Some(held) } => {
            let Json::Object(parts) = json else { return Ok(mismatch(engine, json, ty)) };
            let table = Rc::new(TableValue::new(ty));
            for (name, part) in parts {
                let index = if keys.len() == 1 && keys.first() == Some(&TypeId::STRING) {
                    Ok(Value::string(name))
                } else {
                    let inner: Json =
                        serde_json::from_str(name).unwrap_or_else(|_| Json::String(name.clone()));
                    key(engine, &inner, &keys, mapper)?
                };
                match (index, read(engine, part, held, mapper)?) {
                    (Ok(index), Ok(value)) => {
                        table.insert(Key::new(&index), value, engine.now());
                    }
                    (Err(sentence), _) | (_, Err(sentence)) => return Ok(Err(sentence)),
                }
            }
            Ok(Ok(Value::Table(table)))
        }
        Type::Record(_) => record(engine, json, ty, mapper),
        _ => Ok(Err(format!("type '{}' unsupported", engine.types().text(ty)))),
    }
}

fn key(engine: &mut Engine, json: &Json, keys: &[TypeId], mapper: Option<&Rc<FunctionValue>>) -> Read {
    if let [only] = keys {
        return read(engine, json, *only, mapper);
    }
    let Json::Array(parts) = json else { return Ok(Err("table key type does not match".to_owned())) };
    if parts.len() != keys.len() {
        return Ok(Err("table key type doesn't match".to_owned()));
    }
    let mut list = Vec::new();
    for (part, ty) in parts.iter().zip(keys) {
        match read(engine, part, *ty, mapper)? {
            Ok(value) => list.push(value),
            Err(sentence) => return Ok(Err(sentence)),
        }
    }
    Ok(Ok(Value::List(list.into())))
}

fn record(engine: &mut Engine, json: &Json, ty: TypeId, mapper: Option<&Rc<FunctionValue>>) -> Read {
    let Json::Object(parts) = json else { return Ok(mismatch(engine, json, ty)) };
    let fields = engine.types().record(ty).map(|record| record.fields.clone()).unwrap_or_default();
    let mut named = Vec::new();
    for (name, part) in parts {
        let name = match mapper {
            Some(mapper) => engine.call(mapper, &[Value::string(name)])?.text(),
            None => name.clone(),
        };
        named.push((name, part));
    }
    let made = crate::values::RecordValue::new(ty, Vec::new());
    for (place, field) in fields.iter().enumerate() {
        let part = named.iter().find(|(name, _)| **name == *field.name).map(|(_, part)| *part);
        match part {
            None | Some(Json::Null) if !field.optional && field.default.is_none() => {
                let what = if part.is_some() { "is null" } else { "is not optional" };
                let sentence = match part {
                    None => {
                        format!("required field {}${} is missing in JSON", name_of(engine, ty), field.name)
                    }
                    Some(_) => {
                        format!("required field {}${} {what} in JSON", name_of(engine, ty), field.name)
                    }
                };
                return Ok(Err(sentence));
            }
            Some(part) if !part.is_null() => match read(engine, part, field.ty, mapper)? {
                Ok(value) => made.set(place, value),
                Err(sentence) => return Ok(Err(sentence)),
            },
            _ => {}
        }
    }
    let made = Rc::new(made);
    engine.fill_record(&made)?;
    Ok(Ok(Value::Record(made)))
}

fn name_of(engine: &Engine, ty: TypeId) -> String {
    engine.types().name_of(ty).map(|name| name.to_string()).unwrap_or_default()
}

fn basic(engine: &Engine, json: &Json, ty: TypeId) -> Result<Value, String> {
    let value = match (ty, json) {
        (TypeId::BOOL, Json::Bool(inner)) => Some(Value::Bool(*inner)),
        (TypeId::INT, Json::Number(number)) => number.as_i64().map(Value::Int),
        (TypeId::COUNT, Json::Number(number)) => number.as_u64().map(Value::Count),
        (TypeId::DOUBLE, Json::Number(number)) => number.as_f64().map(Value::Double),
        (TypeId::TIME, Json::Number(number)) => number.as_f64().map(Value::Time),
        (TypeId::INTERVAL, Json::Number(number)) => number.as_f64().map(Value::Interval),
        (TypeId::STRING, Json::String(text)) => Some(Value::string(text)),
        (TypeId::INTERVAL, Json::String(text)) => return interval(text),
        (TypeId::ADDR, Json::String(text)) => {
            let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
            return Addr::parse(bare).map(Value::Addr).ok_or_else(|| format!("invalid addr: '{text}'"));
        }
        (TypeId::SUBNET, Json::String(text)) => {
            return Subnet::parse(text).map(Value::Subnet).ok_or_else(|| format!("invalid subnet: '{text}'"));
        }
        (TypeId::PORT, Json::String(text)) => {
            return Port::parse(text).map(Value::Port).ok_or_else(|| {
                "wrong port format, string must be of format /[0-9]{1,5}\\/(tcp|udp|icmp|unknown)/".to_owned()
            });
        }
        (TypeId::PORT, Json::Object(parts)) => {
            let number =
                parts.get("port").and_then(Json::as_u64).and_then(|number| u16::try_from(number).ok());
            let word = parts.get("proto").and_then(Json::as_str);
            let protocol = word.and_then(|word| protocol::WORDS.iter().position(|known| *known == word));
            return match (number, protocol.and_then(|protocol| u8::try_from(protocol).ok())) {
                (Some(number), Some(protocol)) => Ok(Value::Port(Port { number, protocol })),
                _ => Err("wrong port format, object must have 'port' (number) and 'proto' (string) members"
                    .to_owned()),
            };
        }
        (TypeId::PATTERN, Json::String(text)) => {
            let inner = text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).unwrap_or(text);
            let built =
                if inner.starts_with("^?(") { Pattern::build(inner) } else { Pattern::parse(inner, "") };
            return built
                .map(|pattern| Value::Pattern(Rc::new(pattern)))
                .map_err(|_| "error compiling pattern".to_owned());
        }
        (TypeId::ANY, _) => return Err("type 'any' unsupported".to_owned()),
        _ => None,
    };
    value.map_or_else(|| mismatch(engine, json, ty), Ok)
}

/// Reads an interval as it is printed: numbers with units.
fn interval(text: &str) -> Result<Value, String> {
    let mut sum = 0.0;
    let mut parts = text.split_ascii_whitespace();
    while let Some(number) = parts.next() {
        let Ok(number) = number.parse::<f64>() else {
            return Err("wrong interval format, valid format is double:unit".to_owned());
        };
        let unit = parts.next().unwrap_or("");
        let unit = unit.strip_suffix('s').unwrap_or(unit);
        let known =
            [("day", 86400.0), ("hr", 3600.0), ("min", 60.0), ("sec", 1.0), ("msec", 1e-3), ("usec", 1e-6)];
        let Some((_, seconds)) = known.iter().find(|(word, _)| *word == unit) else {
            return Err("wrong interval format, invalid unit".to_owned());
        };
        sum += number * seconds;
    }
    Ok(Value::Interval(sum))
}
