//! Places in scripts: files and lines, and the sentences that begin with them.

use std::fmt::Write as _;
use std::rc::Rc;

/// The number of a file among those that were read.
pub type FileId = u32;

/// A stretch of lines of one file. Line zero stands for no place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first line, from one.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

impl Span {
    /// Returns the stretch of one line.
    pub fn line(file: FileId, line: u32) -> Self {
        Self { file, first: line, last: line }
    }

    /// Returns the stretch from the begin of `self` to the end of `other`.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        if other.first == 0 || other.file != self.file {
            return self;
        }
        Self { file: self.file, first: self.first, last: other.last.max(self.first) }
    }

    /// Returns whether this is a place.
    pub fn is_known(self) -> bool {
        self.first != 0
    }
}

/// The names of files that were read, in their order.
#[derive(Debug, Default)]
pub struct Files {
    names: Vec<Rc<str>>,
}

impl Files {
    /// Adds a file, by the name that messages show.
    pub fn add(&mut self, name: &str) -> FileId {
        self.names.push(Rc::from(name));
        u32::try_from(self.names.len() - 1).unwrap_or(u32::MAX)
    }

    /// Returns the name of a file.
    pub fn name(&self, file: FileId) -> Rc<str> {
        self.names.get(file as usize).cloned().unwrap_or_else(|| Rc::from("<no location>"))
    }

    /// Returns `FILE, line N` or `FILE, lines N-M`.
    pub fn place(&self, span: Span) -> String {
        if !span.is_known() {
            return "<no location>".to_owned();
        }
        let mut text = self.name(span.file).to_string();
        if span.first == span.last {
            let _ = write!(text, ", line {}", span.first);
        } else {
            let _ = write!(text, ", lines {}-{}", span.first, span.last);
        }
        text
    }
}
