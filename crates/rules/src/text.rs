//! Places in rule text: spans, pieces of text that know their span, and the origin of a rule.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Severity, SyntaxError};

/// A range of bytes in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The span without white space at its ends; the span of `text`'s end where it lies outside.
    pub(crate) fn trimmed_in(self, text: &str) -> Self {
        let Some(piece) = text.as_bytes().get(self.start..self.end) else {
            return Self::new(text.len(), text.len());
        };
        let start = self.start + (piece.len() - piece.trim_ascii_start().len());
        Self::new(start, start + piece.trim_ascii().len())
    }

    /// Moves the span into a text where this one begins `offset` bytes later.
    #[must_use]
    pub fn shifted(self, offset: usize) -> Self {
        Self::new(self.start.saturating_add(offset), self.end.saturating_add(offset))
    }
}

/// A piece of a rule's text that knows where it stands. It reads as a `str`.
#[derive(Clone)]
pub struct Spanned {
    source: Arc<str>,
    span: Span,
}

impl Spanned {
    /// The piece of `source` at `span`; a span outside the text, or through a character, reads as empty.
    pub fn new(source: &Arc<str>, span: Span) -> Self {
        Self { source: Arc::clone(source), span }
    }

    /// Where the piece stands in the rule's text.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The text itself.
    #[inline]
    pub fn as_str(&self) -> &str {
        self.source.get(self.span.start..self.span.end).unwrap_or("")
    }

    /// A piece of this piece; `span` counts from its first byte.
    #[must_use]
    pub fn slice(&self, span: Span) -> Self {
        Self { source: Arc::clone(&self.source), span: span.shifted(self.span.start) }
    }

    /// The piece without white space at its ends.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        self.slice_trimmed(Span::new(0, self.len()))
    }

    /// A piece of this piece, as [`Self::slice`] gives it, without white space at its ends.
    #[must_use]
    pub fn slice_trimmed(&self, span: Span) -> Self {
        self.slice(span.trimmed_in(self))
    }

    /// An error about this whole piece, placed in the rule's text.
    pub fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(self.span, message)
    }

    /// An error found by a grammar that read only this piece, placed in the rule's text.
    pub fn locate(&self, error: SyntaxError) -> SyntaxError {
        error.shifted(self.span.start)
    }
}

impl Deref for Spanned {
    type Target = str;
    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Spanned {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self)
    }
}

impl fmt::Debug for Spanned {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}@{}..{}", self.as_str(), self.span.start, self.span.end)
    }
}

impl PartialEq<str> for Spanned {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Spanned {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

/// Where a line of the file that continued the one before begins in the joined text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Continuation {
    /// Byte of the joined text.
    pub(crate) start: usize,
    /// Line of the file, counted from 1.
    pub(crate) line: u32,
}

/// A rule's text with the file and line it came from; lines continued by a backslash are joined.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Name of the file, as given by whoever read it.
    pub file: Arc<str>,
    /// First line of the rule, counted from 1.
    pub line: u32,
    /// The rule on one line, as written.
    pub text: Arc<str>,
    pub(crate) continuations: Box<[Continuation]>,
}

impl Origin {
    /// An origin for text that is one line of a file.
    pub fn new(file: Arc<str>, line: u32, text: Arc<str>) -> Self {
        Self { file, line, text, continuations: Box::default() }
    }

    /// Whether the rule stands on one line of the file.
    pub fn is_one_line(&self) -> bool {
        self.continuations.is_empty()
    }

    /// The error as a diagnostic of this rule; its span must count from the rule's first byte.
    pub fn error(&self, error: SyntaxError) -> Diagnostic {
        self.diagnostic(Severity::Error, error)
    }

    /// Makes a warning of an error: the rule is loaded all the same.
    pub fn warning(&self, error: SyntaxError) -> Diagnostic {
        self.diagnostic(Severity::Warning, error)
    }

    fn diagnostic(&self, severity: Severity, error: SyntaxError) -> Diagnostic {
        let (line, line_span) = self.line_at(error.span.start);
        let before = self.text.get(line_span.start..error.span.start);
        let column = before.map_or(0, |text| text.chars().count());
        Diagnostic {
            file: Arc::clone(&self.file),
            line,
            column: u32::try_from(column).unwrap_or(u32::MAX).saturating_add(1),
            span: error.span,
            severity,
            message: error.message,
            help: error.help,
            text: Arc::clone(&self.text),
            line_span,
        }
    }

    /// The line of the file that holds byte `offset` of the text, and the part of the text it wrote.
    fn line_at(&self, offset: usize) -> (u32, Span) {
        let after = self.continuations.partition_point(|part| part.start <= offset);
        let end = self.continuations.get(after).map_or(self.text.len(), |part| part.start);
        match after.checked_sub(1).and_then(|last| self.continuations.get(last)) {
            Some(part) => (part.line, Span::new(part.start, end)),
            None => (self.line, Span::new(0, end)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_keep_their_place() {
        let source: Arc<str> = "alert  tcp ".into();
        let piece = Spanned::new(&source, Span::new(5, 11)).trimmed();
        assert_eq!(piece, "tcp");
        assert_eq!(piece.span(), Span::new(7, 10));
        assert_eq!(piece.slice(Span::new(1, 2)), "c");
        assert_eq!(Spanned::new(&source, Span::new(5, 99)), "");
    }

    #[test]
    fn a_place_in_a_joined_rule_is_told_by_the_line_of_the_file() {
        let origin = Origin {
            continuations: [Continuation { start: 4, line: 11 }, Continuation { start: 8, line: 12 }].into(),
            ..Origin::new("f".into(), 10, "aaaabbbbcccc".into())
        };
        for (offset, line, column) in [(0, 10, 1), (3, 10, 4), (4, 11, 1), (9, 12, 2), (12, 12, 5)] {
            let found = origin.error(SyntaxError::new(Span::new(offset, offset), "x"));
            assert_eq!((found.line, found.column), (line, column), "offset {offset}");
        }
    }
}
