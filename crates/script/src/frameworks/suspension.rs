//! Waiting for no packets until scripts say so: what they read first is there then.

use crate::builtins::{Builtin, row};
use crate::values::Value;
use crate::vm::{Engine, Outcome};

/// Seconds between looks at what may end the wait.
const PAUSE: f64 = 0.001;

/// Functions about waiting.
pub const ROWS: &[Builtin] = &[
    row("suspend_processing", "(): any", |e, _| {
        e.frameworks.suspended += 1;
        Ok(Value::Unset)
    }),
    row("continue_processing", "(): any", |e, _| {
        e.frameworks.suspended = e.frameworks.suspended.saturating_sub(1);
        Ok(Value::Unset)
    }),
    row("is_processing_suspended", "(): bool", |e, _| Ok(Value::Bool(e.frameworks.suspended > 0))),
];

impl Engine {
    /// Waits until scripts want packets, or somebody asks for the end.
    ///
    /// # Errors
    ///
    /// Where scripts end the program.
    pub fn wait_while_suspended(&mut self, is_over: &dyn Fn() -> bool) -> Outcome<()> {
        while self.frameworks.suspended > 0 && !self.is_terminating && !is_over() {
            self.poll_frameworks()?;
            if self.frameworks.suspended > 0 {
                crate::clock::sleep(PAUSE);
            }
        }
        Ok(())
    }
}
