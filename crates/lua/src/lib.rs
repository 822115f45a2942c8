//! Lua in rules, the keyword `lua` and the transform `luaxform`, and outputs that scripts write ([`OutputScript`]).
//!
//! A script is read once for each rule that names it, which runs its `init`, and once more by each worker,
//! which runs its `thread_init` and keeps its globals; workers share nothing of it but the sets of
//! `suricata.dataset`. It runs in a [`sandbox`]: a list of functions that may be called, a limit of
//! memory and a limit of instructions for each call. What it can ask of packets, flows and transactions
//! is in [`library`]; a protocol's own part of that is in the protocol's folder. A script that fails does
//! not match, and is counted.

mod failure;
mod host;
mod language;
mod library;
mod output;
mod pattern;
mod runner;
mod sandbox;
mod strings;
mod value;

pub use language::{LuaLanguage, LuaSettings, Say, SayMessage};
pub use library::{LibraryReference, earlier_names, reference};
pub use output::{OutputCounter, OutputKind, OutputPiece, OutputScript, OutputView};

#[cfg(test)]
mod tests;
