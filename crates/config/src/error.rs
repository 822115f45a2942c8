//! Where a setting was written, and what can be wrong with it.
//!
//! Every error reads as a sentence: what failed, the file, line and column, and what to do.

use std::fmt;
use std::sync::Arc;

/// The name that stands for a file where a setting came from the command line.
pub const COMMAND_LINE: &str = "command line";

/// A place in a configuration file. Line and column count from 1; both are 0 for what
/// did not come from a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// Path of the file as it was opened, or [`COMMAND_LINE`].
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Location {
    /// The place of a setting given with `--set` or by the program itself.
    pub fn command_line() -> Self {
        Self { file: Arc::from(COMMAND_LINE), line: 0, column: 0 }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            return out.write_str(&self.file);
        }
        write!(out, "{}, line {}, column {}", self.file, self.line, self.column)
    }
}

/// Reasons that a configuration cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A file cannot be read.
    #[error("Failed to open configuration file {file}: {reason}.")]
    Open {
        /// The path as given.
        file: String,
        /// Error of the system.
        reason: String,
    },
    /// An included file cannot be read.
    #[error(
        "{location}: failed to include configuration file {file}: {reason}. Check the path, which is relative to the main configuration file."
    )]
    Include {
        /// Where the include is written.
        location: Location,
        /// The path that was tried.
        file: String,
        /// Fault of the included file.
        reason: String,
    },
    /// The file does not open with the lines that mark a configuration file.
    #[error(
        "{file}: Invalid configuration file. The configuration file must begin with the following two lines: %YAML 1.1 and ---"
    )]
    NoVersion {
        /// The file.
        file: String,
    },
    /// The file says another YAML version.
    #[error("{file}: Invalid YAML version {found}. Must be 1.1: begin the file with %YAML 1.1")]
    WrongVersion {
        /// The file.
        file: String,
        /// The version it names.
        found: String,
    },
    /// The text is not YAML.
    #[error(
        "Failed to parse configuration file at {location}: {reason}. Check the indentation and quotes on this line and the one before."
    )]
    Syntax {
        /// Where reading stopped.
        location: Location,
        /// Message of the YAML reader.
        reason: String,
    },
    /// YAML that a configuration cannot consist of.
    #[error("{location}: {reason}.")]
    Structure {
        /// Where it is.
        location: Location,
        /// Fault, and how to write it.
        reason: String,
    },
    /// A limit of the reader was reached.
    #[error("{location}: {limit}. Simplify the configuration or split it.")]
    Limit {
        /// Where it was reached.
        location: Location,
        /// Name of the limit.
        limit: String,
    },
    /// A value that its setting cannot have.
    #[error("Failed to parse {key} from {location}: '{text}' is not {expected}.")]
    Value {
        /// Dotted path of the setting.
        key: String,
        /// Where it is written.
        location: Location,
        /// The text found.
        text: String,
        /// Values that may stand there.
        expected: String,
    },
    /// A `--set` argument that is not `name=value`.
    #[error("Failed to set configuration value '{argument}': write --set name=value.")]
    Argument {
        /// The argument as given.
        argument: String,
    },
}

/// Something worth telling that does not stop the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The part of the engine that speaks, as it stands in the log: `ftp`, `stream`, `conf`.
    pub subsystem: String,
    /// The sentence.
    pub message: String,
    /// Where the cause is written, if it is written anywhere.
    pub location: Option<Location>,
}

/// The sentence and its place; the log names the part itself.
impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)?;
        match &self.location {
            Some(location) => write!(out, " ({location})"),
            None => Ok(()),
        }
    }
}
