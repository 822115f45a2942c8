//! The logging framework.

use crate::builtins::Builtin;
use crate::vm::Engine;

/// Built-in functions.
pub const ROWS: &[Builtin] = &[];

/// Streams.
#[derive(Debug, Default)]
pub struct Manager {}

/// Writes what waits, and the ends of files.
pub fn finish(_: &mut Engine) {}

impl Engine {
    /// Logs what `print` would write, where scripts ask for it.
    pub(crate) fn print_to_log(&mut self, _: &[crate::values::Value]) -> bool {
        false
    }
}
