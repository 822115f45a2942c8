//! The run itself: its end, events, groups, identifiers.

use std::rc::Rc;

use super::{Builtin, argument, row, text};
use crate::types::TypeId;
use crate::values::{Key, TableValue, Value};
use crate::vm::{Engine, Fault, Outcome};

pub(super) const ROWS: &[Builtin] = &[
    row("exit", "(code: int): any", |e, a| {
        e.exit_code = Some(i32::try_from(argument(a, 0).int()).unwrap_or(1));
        Err(Fault::Exit)
    }),
    row("terminate", "(): bool", |e, _| {
        if e.is_terminating {
            return Ok(Value::Bool(false));
        }
        e.terminate();
        let arguments =
            vec![Value::Time(e.now()), Value::string("received termination signal"), Value::string("")];
        e.raise_named("reporter_info", arguments);
        e.report_plain("received termination signal");
        Ok(Value::Bool(true))
    }),
    row("zeek_is_terminating", "(): bool", |e, _| Ok(Value::Bool(e.is_terminating || e.is_done))),
    row("zeek_version", "(): string", |_, _| {
        Ok(Value::string(concat!("8.0.0-weir.", env!("CARGO_PKG_VERSION"))))
    }),
    row("zeek_args", "(): string_vec", |e, _| {
        let arguments = e.arguments.iter().map(Value::string).collect();
        Ok(super::text::strings(e, arguments))
    }),
    row("bare_mode", "(): bool", |e, _| Ok(Value::Bool(e.frameworks.bare))),
    row("reading_live_traffic", "(): bool", |_, _| Ok(Value::Bool(false))),
    row("reading_traces", "(): bool", |e, _| Ok(Value::Bool(e.has_packets))),
    row("is_remote_event", "(): bool", |_, _| Ok(Value::Bool(false))),
    row("is_event_handled", "(event_name: string): bool", |e, a| {
        let name = text(a, 0);
        match e.program.function_named(&name).and_then(|number| e.program.functions.get(number as usize)) {
            Some(function) => Ok(Value::Bool(!function.bodies.is_empty())),
            None => {
                e.complain(&format!("is_event_handled: unknown event {name}"));
                Ok(Value::Bool(false))
            }
        }
    }),
    row("enable_event_group", "(group: string): bool", |e, a| {
        Ok(switch(e, &text(a, 0), "event group", true))
    }),
    row("disable_event_group", "(group: string): bool", |e, a| {
        Ok(switch(e, &text(a, 0), "event group", false))
    }),
    row("enable_module_events", "(module_name: string): bool", |e, a| {
        Ok(switch(e, &format!("module:{}", text(a, 0)), "event group", true))
    }),
    row("disable_module_events", "(module_name: string): bool", |e, a| {
        Ok(switch(e, &format!("module:{}", text(a, 0)), "event group", false))
    }),
    row("has_event_group", "(group: string): bool", |e, a| {
        Ok(Value::Bool(e.program.groups.contains_key(text(a, 0).as_str())))
    }),
    row("has_module_events", "(group: string): bool", |e, a| {
        Ok(Value::Bool(e.program.groups.contains_key(format!("module:{}", text(a, 0)).as_str())))
    }),
    row("generate_all_events", "(): bool", |e, _| {
        e.tell_every_event();
        Ok(Value::Bool(true))
    }),
    row("set_max_recursion_depth", "(c: count): any", |e, a| {
        e.limits.depth = super::size(a, 0);
        Ok(Value::Unset)
    }),
    row("get_max_recursion_depth", "(): count", |e, _| Ok(Value::Count(e.limits.depth as u64))),
    row("unique_id", "(prefix: string): string", |e, a| Ok(unique(e, &text(a, 0), None))),
    row("unique_id_from", "(pool: int, prefix: string): string", |e, a| {
        Ok(unique(e, &text(a, 1), Some(argument(a, 0).int().cast_unsigned())))
    }),
    row("do_profiling", "(): any", |_, _| Ok(Value::Unset)),
    row("backtrace", "(): Backtrace", |e, _| Ok(crate::builtins::json::empty_vector(e, "Backtrace"))),
    row("get_event_handler_stats", "(): EventNameStats", handler_stats),
];

fn switch(engine: &mut Engine, group: &str, what: &str, on: bool) -> Value {
    if engine.program.groups.contains_key(group) {
        engine.program.groups.insert(group.into(), on);
        return Value::Bool(true);
    }
    let name = group.strip_prefix("module:").unwrap_or(group);
    engine.complain(&format!("no such {what}: {name}"));
    Value::Bool(false)
}

fn unique(engine: &mut Engine, prefix: &str, pool: Option<u64>) -> Value {
    let mut out = prefix.as_bytes().to_vec();
    if out.contains(&0) {
        let mut shown = Vec::new();
        crate::values::escaped(&out, &mut shown);
        let shown = String::from_utf8_lossy(&shown);
        engine.report("error", "", &format!("string with embedded NUL: \"{shown}\""));
    }
    engine.random.append_id(pool, &mut out);
    Value::string(out)
}

fn handler_stats(engine: &mut Engine, _: &[Value]) -> Outcome<Value> {
    let ty = engine.program.type_named("EventNameStats").unwrap_or(TypeId::ANY);
    let set = Rc::new(TableValue::new(ty));
    let all: Vec<(Rc<str>, u64)> = engine
        .program
        .functions
        .iter()
        .filter(|function| function.flavor == crate::types::Flavor::Event && function.calls > 0)
        .map(|function| (function.name.clone(), function.calls))
        .collect();
    for (name, calls) in all {
        let fields = [("name", Value::string(name.as_bytes())), ("times_called", Value::Count(calls))];
        let entry = engine.record_of("EventNameCounter", &fields);
        set.insert(Key::new(&entry), Value::Unset, engine.now());
    }
    Ok(Value::Table(set))
}
