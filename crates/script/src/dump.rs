//! The disassembler.

use std::fmt::Write as _;

use crate::code::Code;
use crate::values::{Style, print_value};
use crate::vm::Engine;

/// Returns code as text: an instruction a line.
pub fn code(code: &Code, engine: &Engine) -> String {
    let mut out = String::new();
    let place = engine.program.files.place(code.span);
    let _ = writeln!(
        out,
        "{} ({place}): {} parameters, {} registers",
        code.name, code.parameters, code.registers
    );
    for (number, value) in code.constants.iter().enumerate() {
        let mut text = Vec::new();
        print_value(value, engine.types(), Style::Escaped, &mut text);
        let _ = writeln!(out, "  constant {number}: {}", String::from_utf8_lossy(&text));
    }
    for (at, op) in code.ops.iter().enumerate() {
        let line = code.origin(at).map_or(0, |origin| origin.span.first);
        let _ = writeln!(out, "  {at:>5} line {line:>5}  {op:?}");
    }
    out
}

/// Returns all code that is not the prelude's.
pub fn program(engine: &Engine) -> String {
    let mut out = String::new();
    for body in engine.program.functions.iter().flat_map(|function| function.bodies.iter()) {
        if body.span.is_known() && !engine.is_prelude(body.span.file) {
            out.push_str(&code(&body.code, engine));
            out.push('\n');
        }
    }
    out
}
