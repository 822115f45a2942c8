//! Zeek's script language: text to syntax trees (`syntax`), names and types (`check`), bytecode (`compile`, `code`), and what
//! runs it (`vm`), with values, patterns, built-in functions, declarations that scripts find (`prelude`) and frameworks.

pub mod builtins;
mod certificates;
mod check;
mod clock;
pub mod code;
pub mod command;
mod compile;
mod direct;
mod driver;
pub mod dump;
pub mod frameworks;
pub mod patterns;
pub mod prelude;
pub mod program;
mod random;
pub mod review;
pub mod signatures;
pub mod source;
pub mod syntax;
pub mod traffic;
pub mod types;
pub mod values;
pub mod verify;
pub mod vm;

pub use driver::{Driver, Script};
