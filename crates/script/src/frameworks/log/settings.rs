//! What writes rows, and its settings: those of `LogAscii`, then those of the filter.

use super::ascii::Separators;
use super::json::{Escapes, Form, Timestamps};
use crate::values::Value;
use crate::vm::Engine;

/// What writes rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriterKind {
    /// Files of text.
    Ascii,
    /// Nothing.
    None,
    /// One that is not there.
    Absent,
}

impl WriterKind {
    /// Returns the writer of a value of `Log::Writer`.
    pub fn of(name: &str) -> Self {
        match name {
            "Log::WRITER_ASCII" => Self::Ascii,
            "Log::WRITER_NONE" => Self::None,
            _ => Self::Absent,
        }
    }
}

/// Settings of a file of text.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Separators and marks.
    pub separators: Separators,
    /// What lines that are no rows begin with.
    pub meta_prefix: Vec<u8>,
    /// Lines that are no rows are written.
    pub has_meta: bool,
    /// Only the columns' names, without a mark, are written before the rows.
    pub is_plain: bool,
    /// Rows are objects of JSON.
    pub json: Option<Form>,
    /// Rows go to standard output.
    pub is_stdout: bool,
    /// Files are compressed with this effort, from 1 to 9; zero for not at all.
    pub gzip_level: u32,
    /// The ending of names of compressed files.
    pub gzip_extension: String,
    /// The folder of files.
    pub folder: String,
}

impl Settings {
    /// Reads the settings for a filter.
    pub fn of(engine: &Engine, config: &[(String, String)]) -> Self {
        let own = |name: &str| config.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let text = |name: &str| {
            own(name)
                .map(String::into_bytes)
                .or_else(|| engine.global(&format!("LogAscii::{name}")).map(|value| value.bytes().to_vec()))
                .unwrap_or_default()
        };
        let flag = |name: &str| match own(name) {
            Some(value) => value == "T",
            None => engine.global(&format!("LogAscii::{name}")).is_some_and(|value| value.is_true()),
        };
        let word = |name: &str| {
            let global = engine.global(&format!("LogAscii::{name}"));
            own(name)
                .unwrap_or_else(|| global.map(|value| super::name_of(engine, &value)).unwrap_or_default())
        };
        let level = own("gzip_level").and_then(|value| value.parse().ok());
        let global = engine.global("LogAscii::gzip_level").map_or(0, |value| value.count());
        let is_plain = own("tsv").is_some_and(|value| value == "T");
        Self {
            separators: Separators {
                column: text("separator"),
                set: text("set_separator"),
                empty: text("empty_field"),
                unset: text("unset_field"),
                keeps_utf8: flag("enable_utf_8"),
            },
            meta_prefix: text("meta_prefix"),
            has_meta: flag("include_meta"),
            is_plain,
            json: flag("use_json").then(|| Form {
                timestamps: timestamps(&word("json_timestamps")),
                escapes: escapes(&word("json_string_escape_policy")),
                includes_unset: flag("json_include_unset_fields"),
            }),
            is_stdout: flag("output_to_stdout"),
            gzip_level: level.unwrap_or_else(|| u32::try_from(global).unwrap_or(0)).min(9),
            gzip_extension: String::from_utf8_lossy(&text("gzip_file_extension")).into_owned(),
            folder: own("logdir")
                .or_else(|| engine.global("Log::default_logdir").as_ref().map(Value::text))
                .unwrap_or_default(),
        }
    }
}

fn timestamps(word: &str) -> Timestamps {
    match word {
        "JSON::TS_MILLIS" => Timestamps::Milliseconds,
        "JSON::TS_MILLIS_UNSIGNED" => Timestamps::UnsignedMilliseconds,
        "JSON::TS_ISO8601" => Timestamps::Iso8601,
        _ => Timestamps::Epoch,
    }
}

fn escapes(word: &str) -> Escapes {
    match word {
        "JSON::STRING_ESCAPE_POLICY_PUA" => Escapes::PrivateUse,
        "JSON::STRING_ESCAPE_POLICY_TSV" => Escapes::Columns,
        _ => Escapes::Hexadecimal,
    }
}
