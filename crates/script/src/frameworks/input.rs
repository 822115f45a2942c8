//! The input framework: tables and events from files.

use crate::builtins::Builtin;
use crate::vm::Engine;

/// Built-in functions.
pub const ROWS: &[Builtin] = &[];

/// Streams.
#[derive(Debug, Default)]
pub struct Manager {}

/// Reads what is new.
pub fn poll(_: &mut Engine) {}
