//! What scripts call.

use std::rc::Rc;

use super::{
    add_default_filter, add_filter, create_stream, delay, number, remove_filter, remove_stream, rotation,
    writer,
};
use crate::builtins::{Builtin, argument, double, is_true, row, size, text};
use crate::types::TypeId;
use crate::values::{Key, TableValue, Value};
use crate::vm::{Engine, Outcome};

/// Built-in functions. Those without a signature are declared by the prelude.
pub const ROWS: &[Builtin] = &[
    row("Log::create_stream", "", create),
    row("Log::__create_stream", "", create),
    row("Log::remove_stream", "", |e, a| Ok(Value::Bool(remove_stream(e, &argument(a, 0))))),
    row("Log::__remove_stream", "", |e, a| Ok(Value::Bool(remove_stream(e, &argument(a, 0))))),
    row("Log::enable_stream", "", |e, a| Ok(switch(e, a, Switch::On))),
    row("Log::__enable_stream", "", |e, a| Ok(switch(e, a, Switch::On))),
    row("Log::disable_stream", "", |e, a| Ok(switch(e, a, Switch::Off))),
    row("Log::__disable_stream", "", |e, a| Ok(switch(e, a, Switch::Off))),
    row("Log::add_filter", "", add),
    row("Log::__add_filter", "", add),
    row("Log::remove_filter", "", |e, a| Ok(Value::Bool(remove_filter(e, &argument(a, 0), &text(a, 1))))),
    row("Log::__remove_filter", "", |e, a| Ok(Value::Bool(remove_filter(e, &argument(a, 0), &text(a, 1))))),
    row("Log::get_filter", "", get_filter),
    row("Log::get_filter_names", "", filter_names),
    row("Log::add_default_filter", "", |e, a| Ok(Value::Bool(add_default_filter(e, &argument(a, 0))))),
    row("Log::remove_default_filter", "", |e, a| {
        Ok(Value::Bool(remove_filter(e, &argument(a, 0), "default")))
    }),
    row("Log::write", "", write),
    row("Log::__write", "", write),
    row("Log::flush", "", |e, a| Ok(flush(e, a))),
    row("Log::__flush", "", |e, a| Ok(flush(e, a))),
    row("Log::flush_all", "", |e, _| {
        writer::flush(e, |_| true);
        Ok(Value::Bool(true))
    }),
    row("Log::set_buf", "", |e, a| Ok(set_buffer(e, a))),
    row("Log::__set_buf", "", |e, a| Ok(set_buffer(e, a))),
    row("Log::delay", "", delay_record),
    row("Log::__delay", "", delay_record),
    row("Log::delay_finish", "", finish_delay),
    row("Log::__delay_finish", "", finish_delay),
    row("Log::empty_post_delay_cb", "", |_, _| Ok(Value::Bool(true))),
    row("Log::get_delay_queue_size", "", |e, a| Ok(queued(e, a))),
    row("Log::__get_delay_queue_size", "", |e, a| Ok(queued(e, a))),
    row("Log::set_max_delay_interval", "", |e, a| Ok(set_delay(e, a))),
    row("Log::__set_max_delay_interval", "", |e, a| Ok(set_delay(e, a))),
    row("Log::set_max_delay_queue_size", "", |e, a| Ok(set_queue(e, a))),
    row("Log::__set_max_delay_queue_size", "", |e, a| Ok(set_queue(e, a))),
    row("Log::default_path_func", "", |e, a| {
        let given = text(a, 1);
        let path = if given.is_empty() { default_path(&super::name_of(e, &argument(a, 0))) } else { given };
        Ok(Value::string(path))
    }),
    row("Log::default_ext_func", "", |_, _| Ok(Value::Unset)),
    row("Log::rotation_format_func", "", |e, a| Ok(rotation::default_name(e, &argument(a, 0)))),
    row("Log::run_rotation_postprocessor_cmd", "", |e, a| {
        Ok(Value::Bool(rotation::run_command(e, &argument(a, 0), &text(a, 1))))
    }),
    row("Log::default_ascii_rotation_postprocessor_func", "(info: Log::RotationInfo): bool", |e, a| {
        let info = argument(a, 0);
        let name = info.record().map(|record| e.field(record, "fname").text()).unwrap_or_default();
        Ok(Value::Bool(rotation::run_command(e, &info, &name)))
    }),
];

fn create(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let Value::Record(stream) = argument(a, 1) else { return Ok(Value::Bool(false)) };
    Ok(Value::Bool(create_stream(engine, &argument(a, 0), &stream)))
}

enum Switch {
    On,
    Off,
}

fn switch(engine: &mut Engine, a: &[Value], to: Switch) -> Value {
    let id = argument(a, 0);
    let Some(stream) = engine.frameworks.log.stream_mut(number(&id)) else { return Value::Bool(false) };
    stream.is_enabled = matches!(to, Switch::On);
    let record = Value::Record(stream.value.clone());
    if let Some(Value::Table(active)) = engine.global("Log::active_streams") {
        match to {
            Switch::On => drop(active.insert(Key::new(&id), record, engine.now())),
            Switch::Off => drop(active.remove(&id)),
        }
    }
    Value::Bool(true)
}

fn add(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let Value::Record(filter) = argument(a, 1) else { return Ok(Value::Bool(false)) };
    Ok(Value::Bool(add_filter(engine, &argument(a, 0), &filter)))
}

fn get_filter(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let name = text(a, 1);
    let found = engine
        .frameworks
        .log
        .stream(number(&argument(a, 0)))
        .and_then(|stream| stream.filters.iter().find(|filter| filter.name == name))
        .map(|filter| Value::Record(filter.value.clone()));
    Ok(found.or_else(|| engine.global("Log::no_filter")).unwrap_or_default())
}

fn filter_names(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let ty = engine.program.types.table(&[TypeId::STRING], None);
    let set = Rc::new(TableValue::new(ty));
    let now = engine.now();
    if let Some(stream) = engine.frameworks.log.stream(number(&argument(a, 0))) {
        for filter in &stream.filters {
            set.insert(Key::new(&Value::string(&filter.name)), Value::Unset, now);
        }
    }
    Ok(Value::Table(set))
}

fn write(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    Ok(Value::Bool(super::write(engine, &argument(a, 0), &argument(a, 1))))
}

fn flush(engine: &mut Engine, a: &[Value]) -> Value {
    let id = number(&argument(a, 0));
    writer::flush(engine, |log| log.stream == id);
    Value::Bool(engine.frameworks.log.stream(id).is_some())
}

fn set_buffer(engine: &mut Engine, a: &[Value]) -> Value {
    let Some(stream) = engine.frameworks.log.stream_mut(number(&argument(a, 0))) else {
        return Value::Bool(false);
    };
    stream.is_unbuffered = !is_true(a, 1);
    Value::Bool(true)
}

fn delay_record(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let callback = match argument(a, 2) {
        Value::Function(function) => Some(function),
        _ => engine.function("Log::empty_post_delay_cb"),
    };
    Ok(delay::delay(engine, number(&argument(a, 0)), &argument(a, 1), callback))
}

fn finish_delay(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    Ok(Value::Bool(delay::finish(engine, number(&argument(a, 0)), &argument(a, 1), &argument(a, 2))))
}

fn queued(engine: &mut Engine, a: &[Value]) -> Value {
    let queued = delay::queued(engine, number(&argument(a, 0)));
    Value::Int(queued.map_or(-1, |queued| i64::try_from(queued).unwrap_or(i64::MAX)))
}

fn set_delay(engine: &mut Engine, a: &[Value]) -> Value {
    let Some(stream) = engine.frameworks.log.stream_mut(number(&argument(a, 0))) else {
        return Value::Bool(false);
    };
    stream.max_delay = stream.max_delay.max(double(a, 1));
    Value::Bool(true)
}

fn set_queue(engine: &mut Engine, a: &[Value]) -> Value {
    let Some(stream) = engine.frameworks.log.stream_mut(number(&argument(a, 0))) else {
        return Value::Bool(false);
    };
    stream.max_queue = size(a, 1);
    Value::Bool(true)
}

/// Returns the path of a stream that has none: `KnownHosts::LOG` writes to `known_hosts`, `Notice::ALARM_LOG` to `alarm_log`.
pub fn default_path(id: &str) -> String {
    let (module, name) = id.split_once("::").unwrap_or(("", id));
    if name != "LOG" || module.is_empty() {
        return name.to_lowercase();
    }
    let mut out = String::new();
    let letters: Vec<char> = module.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let is_start = letter.is_uppercase()
            && before.is_some_and(|before| !before.is_uppercase() && *before != '_')
            && letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        if is_start {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::default_path;

    #[test]
    fn paths_come_from_names_of_streams() {
        let cases = [
            ("SSH::LOG", "ssh"),
            ("Notice::LOG", "notice"),
            ("KnownHosts::LOG", "known_hosts"),
            ("Notice::POLICY_LOG", "policy_log"),
            ("TESTING", "testing"),
            ("DCE_RPC::LOG", "dce_rpc"),
        ];
        for (id, wanted) in cases {
            assert_eq!(default_path(id), wanted, "{id}");
        }
    }
}
