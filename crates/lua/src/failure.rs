//! Reasons that a script ended.

use mlua::Error;
use weir_detect::script::ScriptFailure;

use crate::sandbox::Budget;

/// Returns the counter that an error belongs to.
pub(crate) fn kind(error: &Error, budget: &Budget) -> ScriptFailure {
    if budget.blocked() {
        ScriptFailure::Blocked
    } else if budget.exceeded() {
        ScriptFailure::Instructions
    } else if is_memory(error) {
        ScriptFailure::Memory
    } else {
        ScriptFailure::Error
    }
}

fn is_memory(error: &Error) -> bool {
    match error {
        Error::MemoryError(_) => true,
        Error::CallbackError { cause, .. } | Error::BadArgument { cause, .. } => is_memory(cause),
        _ => false,
    }
}

/// An error in one line.
pub(crate) fn line(error: &Error) -> String {
    let text = match error {
        Error::CallbackError { cause, .. } => return line(cause),
        other => other.to_string(),
    };
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix("runtime error: ").or(first.strip_prefix("syntax error: ")).unwrap_or(first).to_owned()
}
