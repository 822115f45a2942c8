//! Built-in functions: rows of name, declaration and what runs, a file for each family.

mod addresses;
pub mod anonymization;
mod certificates;
mod conversion;
mod digests;
mod encoding;
mod files;
mod format;
mod ftp;
mod introspection;
mod json;
mod json_reading;
mod mathematics;
mod options;
mod patterns;
mod processes;
mod sketches;
mod state;
mod strings;
mod tables;
mod text;
mod time;
mod vectors;
mod verification;

pub(crate) use digests::hexadecimal;
pub(crate) use sketches::findings as entropy_findings;
pub(crate) use time::date;

use crate::values::Value;
use crate::vm::{Engine, Outcome};

/// What a built-in function runs.
pub type Run = fn(&mut Engine, &[Value]) -> Outcome<Value>;

/// A built-in function.
pub struct Builtin {
    /// Its full name.
    pub name: &'static str,
    /// Its parameters and result, as a script would declare them.
    pub signature: &'static str,
    /// What it runs.
    pub run: Run,
}

impl std::fmt::Debug for Builtin {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}{}", self.name, self.signature)
    }
}

/// Returns a row.
pub(crate) const fn row(name: &'static str, signature: &'static str, run: Run) -> Builtin {
    Builtin { name, signature, run }
}

/// All families.
pub static FAMILIES: &[&[Builtin]] = &[
    addresses::ROWS,
    certificates::ROWS,
    anonymization::ROWS,
    conversion::ROWS,
    digests::ROWS,
    encoding::ROWS,
    files::ROWS,
    format::ROWS,
    ftp::ROWS,
    introspection::ROWS,
    json::ROWS,
    mathematics::ROWS,
    options::ROWS,
    patterns::ROWS,
    processes::ROWS,
    sketches::ROWS,
    state::ROWS,
    strings::ROWS,
    tables::ROWS,
    text::ROWS,
    time::ROWS,
    vectors::ROWS,
    verification::ROWS,
    crate::frameworks::log::ROWS,
    crate::frameworks::log::ENGINE_ROWS,
    crate::frameworks::reporter::ROWS,
    crate::frameworks::files::ROWS,
    crate::frameworks::files::CERTIFICATE_ROWS,
    crate::frameworks::input::ROWS,
    crate::frameworks::absent::ROWS,
    crate::frameworks::geography::ROWS,
    crate::frameworks::metadata::ROWS,
    crate::frameworks::expectations::ROWS,
    crate::frameworks::filters::ROWS,
    crate::frameworks::packets::ROWS,
    crate::frameworks::frames::ROWS,
    crate::frameworks::skipping::ROWS,
    crate::frameworks::steering::ROWS,
    crate::frameworks::thresholds::ROWS,
    crate::frameworks::suspension::ROWS,
];

/// Returns an argument; no value where it is not given.
pub(crate) fn argument(arguments: &[Value], place: usize) -> Value {
    arguments.get(place).cloned().unwrap_or_default()
}

pub(crate) fn bytes(arguments: &[Value], place: usize) -> &[u8] {
    arguments.get(place).map_or(&[], Value::bytes)
}

pub(crate) fn count(arguments: &[Value], place: usize) -> u64 {
    arguments.get(place).map_or(0, Value::count)
}

pub(crate) fn size(arguments: &[Value], place: usize) -> usize {
    usize::try_from(count(arguments, place)).unwrap_or(usize::MAX)
}

pub(crate) fn double(arguments: &[Value], place: usize) -> f64 {
    arguments.get(place).map_or(0.0, Value::double)
}

pub(crate) fn is_true(arguments: &[Value], place: usize) -> bool {
    arguments.get(place).is_some_and(Value::is_true)
}

/// Returns text of an argument.
pub(crate) fn text(arguments: &[Value], place: usize) -> String {
    arguments.get(place).map(Value::text).unwrap_or_default()
}

/// Returns the built-in function of a name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    static NAMES: std::sync::OnceLock<std::collections::HashMap<&'static str, &'static Builtin>> =
        std::sync::OnceLock::new();
    let names = NAMES.get_or_init(|| {
        FAMILIES.iter().flat_map(|rows| rows.iter()).map(|builtin| (builtin.name, builtin)).collect()
    });
    names.get(name).copied()
}
