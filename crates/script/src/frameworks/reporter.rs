//! The reporter: messages of scripts.

use crate::builtins::{Builtin, row, text};
use crate::values::Value;
use crate::vm::{Engine, Fault, Outcome};

/// Built-in functions.
pub const ROWS: &[Builtin] = &[
    row("Reporter::info", "(msg: string): bool", |e, a| Ok(tell(e, "info", "reporter_info", &text(a, 0)))),
    row("Reporter::warning", "(msg: string): bool", |e, a| {
        Ok(tell(e, "warning", "reporter_warning", &text(a, 0)))
    }),
    row("Reporter::error", "(msg: string): bool", |e, a| Ok(tell(e, "error", "reporter_error", &text(a, 0)))),
    row("Reporter::fatal", "(msg: string): bool", fatal),
    row("Reporter::fatal_error_with_core", "(msg: string): bool", fatal),
    row(
        "Reporter::net_weird",
        "(name: string, addl: string &default=\"\", source: string &default=\"\"): bool",
        |e, a| {
            let arguments = a.to_vec();
            Ok(Value::Bool(e.raise_named("net_weird", arguments)))
        },
    ),
    row(
        "Reporter::conn_weird",
        "(name: string, c: connection, addl: string &default=\"\", source: string &default=\"\"): bool",
        |e, a| {
            let arguments = a.to_vec();
            Ok(Value::Bool(e.raise_named("conn_weird", arguments)))
        },
    ),
    row(
        "Reporter::flow_weird",
        "(name: string, orig: addr, resp: addr, addl: string &default=\"\", source: string &default=\"\"): bool",
        |e, a| {
            let arguments = a.to_vec();
            Ok(Value::Bool(e.raise_named("flow_weird", arguments)))
        },
    ),
    row(
        "Reporter::file_weird",
        "(name: string, f: fa_file, addl: string &default=\"\", source: string &default=\"\"): bool",
        |e, a| {
            let arguments = a.to_vec();
            Ok(Value::Bool(e.raise_named("file_weird", arguments)))
        },
    ),
];

fn tell(engine: &mut Engine, severity: &str, event: &str, message: &str) -> Value {
    let place = engine.program.files.place(engine.current);
    let before = engine.errors;
    engine.report(severity, &place, message);
    engine.errors = before;
    let arguments = vec![Value::Time(engine.now()), Value::string(message), Value::string(place)];
    engine.raise_named(event, arguments);
    Value::Bool(true)
}

fn fatal(engine: &mut Engine, a: &[Value]) -> Outcome<Value> {
    let place = engine.program.files.place(engine.current);
    engine.report("fatal error", &place, &text(a, 0));
    engine.exit_code = Some(1);
    Err(Fault::Exit)
}
