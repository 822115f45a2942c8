//! What could not be used: where, why, and what to do about it.

use std::fmt;

/// One thing that was left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Complaint {
    /// The file, or the address.
    pub place: String,
    /// The line, counted from 1, where it is about one.
    pub line: Option<u32>,
    /// Sentences: what is the matter, and the remedy.
    pub text: String,
}

impl Complaint {
    /// A complaint about a file or a source.
    pub fn new(place: &str, text: impl Into<String>) -> Self {
        Self { place: place.to_owned(), line: None, text: text.into() }
    }

    /// A complaint about a line.
    pub fn at(place: &str, line: u32, text: impl Into<String>) -> Self {
        Self { place: place.to_owned(), line: Some(line), text: text.into() }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.place)?;
        if let Some(line) = self.line {
            write!(out, ":{line}")?;
        }
        write!(out, ": {}", self.text)
    }
}
