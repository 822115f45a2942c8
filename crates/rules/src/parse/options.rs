//! The options between the parentheses.
//!
//! An option ends at the first `;` that no backslash stands directly before, quotes or not: inside quotes a
//! semicolon is written `\;`. Its name ends at the first colon. Two messages keep Suricata's words, which users
//! search for.

use crate::diagnostic::SyntaxError;
use crate::rule::RuleOption;
use crate::text::{Span, Spanned};

/// Most options in one rule.
pub const MAX_OPTIONS: usize = 4096;

/// Reads all that follows the header. The second value is a warning.
pub(super) fn parse_options(whole: &Spanned) -> Result<(Vec<RuleOption>, Option<SyntaxError>), SyntaxError> {
    let text = whole.trimmed();
    if text.is_empty() {
        return Err(whole
            .error("The rule has no options.")
            .with_help("a rule ends with its options in parentheses, as in `(msg:\"text\"; sid:1;)`"));
    }
    if !text.starts_with('(') {
        return Err(text
            .slice(Span::new(0, word_length(&text)))
            .error("Here `(` should open the rule's options.")
            .with_help("white space inside an address or port list needs brackets around the list"));
    }
    let warning = (!text.ends_with(')')).then(|| {
        let end = text.span().end;
        SyntaxError::new(Span::new(end.saturating_sub(1), end), "The rule does not end with `)`.")
    });
    let inner = text.trim_start_matches(|c: char| c == '(' || c.is_ascii_whitespace());
    let start = text.len() - inner.len();
    let length = inner.trim_end_matches(|c: char| c == ')' || c.is_ascii_whitespace()).len();
    Ok((split_options(&text.slice(Span::new(start, start + length)))?, warning))
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len())
}

fn split_options(body: &Spanned) -> Result<Vec<RuleOption>, SyntaxError> {
    let mut options = Vec::new();
    let mut at = 0;
    while let Some(rest) = body.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(length) = option_length(rest.as_bytes()) else {
            let piece = body.slice(Span::new(at, body.len())).trimmed();
            return Err(piece
                .error("no terminating \";\" found")
                .with_help("each option must end with `;`, also the last; `\\;` is a semicolon in a value"));
        };
        if options.len() == MAX_OPTIONS {
            return Err(body.error(format!("The rule has more than {MAX_OPTIONS} options.")));
        }
        options.push(parse_option(&body.slice(Span::new(at, at + length)))?);
        at += length + 1;
    }
    Ok(options)
}

/// Bytes before the `;` that ends the option.
fn option_length(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b';', bytes)
        .find(|&at| at.checked_sub(1).and_then(|before| bytes.get(before)) != Some(&b'\\'))
}

fn parse_option(piece: &Spanned) -> Result<RuleOption, SyntaxError> {
    let piece = piece.trimmed();
    let colon = piece.find(':').unwrap_or(piece.len());
    let name = piece.slice(Span::new(0, colon)).trimmed();
    if name.is_empty() {
        let span = Span::new(piece.span().start, piece.span().end.max(piece.span().start + 1));
        return Err(SyntaxError::new(span, "unknown rule keyword ''.")
            .with_help("an option is `keyword;` or `keyword:value;`"));
    }
    let value = piece.slice(Span::new((colon + 1).min(piece.len()), piece.len())).trimmed();
    let value = (!value.is_empty()).then_some(value);
    Ok(RuleOption { name, value, span: piece.span() })
}
