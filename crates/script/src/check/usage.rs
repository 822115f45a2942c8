//! Warnings about what nobody uses.

use crate::types::Flavor;
use crate::vm::Engine;

/// Warns about functions that nobody calls, and handlers of events that nobody raises.
pub fn report_unused(engine: &mut Engine) {
    let mut warnings = Vec::new();
    for global in &engine.program.globals {
        let Some(function) = global.function.and_then(|number| engine.program.functions.get(number as usize))
        else {
            continue;
        };
        let Some(body) = function.bodies.first() else { continue };
        if engine.is_prelude(body.span.file) || global.is_used && function.flavor != Flavor::Function {
            continue;
        }
        match function.flavor {
            Flavor::Event if !function.is_declared && !global.is_used => {
                warnings.push((
                    0,
                    body.span,
                    format!("handler for non-existing event cannot be invoked ({})", function.name),
                ));
            }
            Flavor::Function
                if !global.is_exported
                    && function.name.contains("::")
                    && !engine.is_called(&function.name) =>
            {
                let text = format!("non-exported function does not have any callers ({})", function.name);
                warnings.push((1, body.span, text));
            }
            _ => {}
        }
    }
    warnings.sort_by_key(|(kind, span, _)| (*kind, span.file, span.first));
    for (_, span, text) in warnings {
        engine.report_at("warning", span, &text);
    }
}
