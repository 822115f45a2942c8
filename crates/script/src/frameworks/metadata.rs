//! What is known of the event that is handled: when it was raised, and what scripts register.

use std::collections::HashMap;
use std::rc::Rc;

use crate::builtins::{Builtin, argument, row};
use crate::types::{Type, TypeId};
use crate::values::{Value, VectorValue};
use crate::vm::Engine;

/// Deepest nesting of a type of metadata.
const DEPTH: usize = 16;

/// Types of metadata by the numbers of their ids.
#[derive(Debug, Default)]
pub struct Metadata {
    types: HashMap<i64, TypeId>,
}

/// Functions about metadata; all but the last are declared in the prelude.
pub const ROWS: &[Builtin] = &[
    row("EventMetadata::register", "", |e, a| {
        let (id, Value::Type(ty)) = (argument(a, 0).int(), argument(a, 1)) else {
            return Ok(Value::Bool(false));
        };
        if !can_travel(e, ty, 0) {
            return Ok(Value::Bool(false));
        }
        let known = *e.frameworks.metadata.types.entry(id).or_insert(ty);
        Ok(Value::Bool(known == ty || e.types().text(known) == e.types().text(ty)))
    }),
    row("EventMetadata::current", "", |e, a| {
        let wanted = argument(a, 0).int();
        let values =
            entries(e).into_iter().filter(|(id, _)| id.int() == wanted).map(|(_, value)| value).collect();
        Ok(list(e, "any_vec", values))
    }),
    row("EventMetadata::current_all", "", |e, _| {
        let all = entries(e);
        let all = all
            .into_iter()
            .map(|(id, value)| e.record_of("EventMetadata::Entry", &[("id", id), ("val", value)]))
            .collect();
        Ok(list(e, "event_metadata_vec", all))
    }),
    row("current_event_time", "(): time", |e, _| {
        Ok(Value::Time(if has_times(e) { e.event_time } else { -1.0 }))
    }),
];

/// Returns whether an event is handled that tells its time.
fn has_times(engine: &Engine) -> bool {
    engine.is_running
        && engine.global("EventMetadata::add_network_timestamp").is_some_and(|value| value.is_true())
}

fn entries(engine: &Engine) -> Vec<(Value, Value)> {
    let id = engine.program.enum_named("EventMetadata::NETWORK_TIMESTAMP").filter(|_| has_times(engine));
    id.map(|id| (id, Value::Time(engine.event_time))).into_iter().collect()
}

fn list(engine: &Engine, ty: &str, values: Vec<Value>) -> Value {
    let ty = engine.program.type_named(ty).unwrap_or(TypeId::ANY);
    Value::Vector(Rc::new(VectorValue::new(ty, values)))
}

/// Returns whether values of a type can be sent to other processes, as metadata are.
fn can_travel(engine: &Engine, ty: TypeId, depth: usize) -> bool {
    if depth >= DEPTH || ty == TypeId::ANY {
        return false;
    }
    let all = |types: &[TypeId]| types.iter().all(|ty| can_travel(engine, *ty, depth + 1));
    match engine.types().get(ty) {
        Type::Table { keys, value } => {
            all(keys) && value.is_none_or(|value| can_travel(engine, value, depth + 1))
        }
        Type::Vector(element) => can_travel(engine, *element, depth + 1),
        Type::Record(record) => record.fields.iter().all(|field| can_travel(engine, field.ty, depth + 1)),
        Type::Function(_) | Type::File | Type::Opaque(_) => false,
        _ => true,
    }
}

/// Returns what is wrong with the settings of metadata.
pub fn fault(engine: &Engine) -> Option<&'static str> {
    let is_set = |name: &str| engine.global(name).is_some_and(|value| value.is_true());
    let is_wrong = is_set("EventMetadata::add_missing_remote_network_timestamp")
        && !is_set("EventMetadata::add_network_timestamp");
    is_wrong.then_some(
        "Setting EventMetadata::add_missing_remote_network_timestamp is only valid together with EventMetadata::add_network_timestamp",
    )
}
