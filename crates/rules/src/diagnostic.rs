//! Diagnostics of rules, which allow mending them: the place, a sentence, and a remedy.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::text::Span;

/// An error in a piece of text, before it is known which rule the text belongs to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    /// The offending bytes, counted from the start of the text that was read.
    pub span: Span,
    /// A sentence.
    pub message: String,
    /// Text to write instead.
    pub help: Option<Cow<'static, str>>,
}

impl SyntaxError {
    /// An error without a remedy.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    /// Adds a remedy.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Moves the error into a text where the one that was read begins at `offset`.
    #[must_use]
    pub fn shifted(mut self, offset: usize) -> Self {
        self.span = self.span.shifted(offset);
        self
    }
}

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The rule is loaded, but is unlikely to mean what it says.
    Warning,
    /// The rule, or the line, is not loaded.
    Error,
}

/// Whether a rendering for people carries terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Off,
    /// ANSI escape sequences.
    On,
}

/// Fault in a rule or a line of a side file. Displays as `file:line:column: message`.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Name of the file.
    pub file: Arc<str>,
    /// Line of the file that holds the offending word, counted from 1.
    pub line: u32,
    /// Column of its first character, counted from 1.
    pub column: u32,
    /// The offending word in the rule's text (continued lines joined).
    pub span: Span,
    /// Severity.
    pub severity: Severity,
    /// A sentence.
    pub message: String,
    /// Text to write instead.
    pub help: Option<Cow<'static, str>>,
    /// The text of the rule, continued lines joined.
    pub text: Arc<str>,
    /// The part of `text` that stands on `line`.
    pub(crate) line_span: Span,
}

/// Heading of a diagnostic of a named kind.
#[derive(Clone, Copy, Debug)]
pub struct Title<'a> {
    /// Severity (`warning`).
    pub word: &'a str,
    /// The name of its kind.
    pub name: &'a str,
    /// Reason that it matters.
    pub why: &'a str,
}

impl Diagnostic {
    /// A fault of a whole line (counted from 1) of a file in another language than that of rules, its text without the
    /// end.
    pub fn of_line(file: &str, line: u32, text: &str, severity: Severity, message: String) -> Self {
        let indent = text.len() - text.trim_start().len();
        let whole = Span::new(0, text.len());
        Self {
            file: file.into(),
            line,
            column: u32::try_from(indent).map_or(1, |indent| indent.saturating_add(1)),
            span: Span::new(indent, text.trim_end().len().max(indent)),
            severity,
            message,
            help: None,
            text: text.into(),
            line_span: whole,
        }
    }

    /// Several lines for people: the message, the line with carets under the word, and the remedy.
    pub fn render(&self, colour: Colour) -> String {
        self.render_with(None, colour)
    }

    /// Renders with the name of its kind, and its reason.
    pub fn render_as(&self, title: &Title<'_>, colour: Colour) -> String {
        self.render_with(Some(title), colour)
    }

    fn render_with(&self, title: Option<&Title<'_>>, colour: Colour) -> String {
        let line_text = self.text.get(self.line_span.start..self.line_span.end).unwrap_or("");
        // The renderer panics at a span outside the line or inside a character.
        let is_boundary = |place: &usize| line_text.is_char_boundary(*place);
        let start = self.span.start.saturating_sub(self.line_span.start).min(line_text.len());
        let start = (0..=start).rev().find(is_boundary).unwrap_or(0);
        let end = self.span.end.saturating_sub(self.line_span.start);
        let end = (end..line_text.len()).find(is_boundary).unwrap_or(line_text.len());
        let level = match (title.map(|title| title.word), self.severity) {
            (Some("error"), _) | (None, Severity::Error) => Level::ERROR,
            (Some("warning"), _) | (None, Severity::Warning) => Level::WARNING,
            (Some(word), _) => Level::NOTE.with_name(word),
        };
        let snippet = Snippet::source(line_text)
            .path(&*self.file)
            .line_start(self.line as usize)
            .annotation(AnnotationKind::Primary.span(start..end.max(start)));
        let mut heading = level.primary_title(&*self.message);
        if let Some(title) = title {
            heading = heading.id(title.name);
        }
        let mut group = heading.element(snippet);
        if let Some(title) = title {
            group = group.element(Level::NOTE.message(title.why));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(&**help));
        }
        let renderer = match colour {
            Colour::Off => Renderer::plain(),
            Colour::On => Renderer::styled(),
        };
        renderer.render(&[group])
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Origin;

    fn sample() -> Diagnostic {
        let origin = Origin::new("local.rules".into(), 7, "alert tpc any any -> any any (sid:1;)".into());
        origin.error(SyntaxError::new(Span::new(6, 9), "`tpc` is not a protocol.").with_help("write `tcp`"))
    }

    #[test]
    fn one_line() {
        assert_eq!(sample().to_string(), "local.rules:7:7: `tpc` is not a protocol.");
    }

    #[test]
    fn many_lines_point_at_the_word() {
        let plain = sample().render(Colour::Off);
        let lines: Vec<&str> = plain.lines().collect();
        let quoted = lines.iter().position(|line| line.contains("alert tpc any")).unwrap();
        let word = lines[quoted].find("tpc").unwrap();
        assert_eq!(&lines[quoted + 1][word..word + 3], "^^^");
        assert!(plain.contains("local.rules:7:7") && plain.contains("write `tcp`"), "{plain}");
        assert!(!plain.contains('\u{1b}'));
        assert!(sample().render(Colour::On).contains('\u{1b}'));
    }

    #[test]
    fn spans_that_lie_are_clipped() {
        let mut odd = sample();
        odd.span = Span::new(30, 9999);
        odd.line_span = Span::new(33, 34);
        assert!(odd.render(Colour::Off).contains("not a protocol"));
        odd.text = "é".repeat(20).into();
        odd.line_span = Span::new(2, 30);
        odd.span = Span::new(5, 6);
        assert!(odd.render(Colour::Off).contains("not a protocol"));
        odd.line_span = Span::new(500, 600);
        assert!(odd.render(Colour::Off).contains("not a protocol"));
    }
}
