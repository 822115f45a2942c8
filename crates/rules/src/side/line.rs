//! A line of a side file as text with an origin.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SyntaxError};
use crate::lines::logical_lines;
use crate::text::{Origin, Span, Spanned};

/// Calls `read` with every logical line of `text`; its errors become diagnostics.
pub(super) fn for_each_line(
    text: &[u8],
    file: &str,
    mut read: impl FnMut(&Spanned, &Origin) -> Result<(), SyntaxError>,
) -> Vec<Diagnostic> {
    let file: Arc<str> = file.into();
    let mut diagnostics = Vec::new();
    for line in logical_lines(text) {
        let origin = Origin {
            continuations: line.continuations.into(),
            ..Origin::new(Arc::clone(&file), line.line, Arc::from(&*String::from_utf8_lossy(&line.bytes)))
        };
        let whole = Spanned::new(&origin.text, Span::new(0, origin.text.len()));
        if let Err(error) = read(&whole.trimmed(), &origin) {
            diagnostics.push(origin.error(error));
        }
    }
    diagnostics
}

/// Returns the text after the words `config <kind>`, or an error if the line begins otherwise.
pub(super) fn after_config(line: &Spanned, kind: &str) -> Result<Spanned, SyntaxError> {
    let rest = line
        .strip_prefix("config")
        .map(str::trim_start)
        .and_then(|rest| rest.strip_prefix(kind))
        .map(str::trim_start)
        .and_then(|rest| rest.strip_prefix(':'));
    match rest {
        Some(rest) => Ok(line.slice(Span::new(line.len() - rest.len(), line.len())).trimmed()),
        None => Err(line.error(format!("The line does not begin with `config {kind}:`."))),
    }
}

/// Whether `name` is a letter followed by letters, digits, `-` and `_`.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}
