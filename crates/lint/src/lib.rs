//! A linter for rules: what keeps a rule from loading, what makes it mean something else than it says,
//! and what makes it cost more than it needs to.
//!
//! Every finding has a stable name ([`LINTS`] is the table), a severity, a place in the file, the reason,
//! and what to write instead. Findings come from the rule compiler itself (a rule that it refuses, a
//! signature that it made), never from a second reading of the language. What [`fix`](mod@fix) rewrites
//! is compiled again, and stands only where the compiler makes the same of it.

mod check;
mod checks;
pub mod diff;
mod finding;
pub mod fix;
mod lints;
pub mod output;
mod policy;
mod refusal;
mod scripts;
mod subject;

pub use check::{Checked, RuleText, check};
pub use finding::{Finding, Severity};
pub use lints::{LINTS, Lint};
pub use policy::{Policy, UnknownName};
pub use scripts::{ScriptFinding, script_finding};
