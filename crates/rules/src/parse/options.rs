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
            .error("no rule options.")
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
    let text = body.as_str();
    let semicolons = memchr::memchr_iter(b';', text.as_bytes()).count();
    let mut options = Vec::with_capacity(semicolons.min(MAX_OPTIONS));
    let mut at = 0;
    while let Some(rest) = text.as_bytes().get(at..).filter(|rest| !rest.is_empty()) {
        let Some(length) = option_length(rest) else {
            let piece = body.slice_trimmed(Span::new(at, body.len()));
            return Err(piece
                .error("no terminating \";\" found")
                .with_help("each option must end with `;`, also the last; `\\;` is a semicolon in a value"));
        };
        if options.len() == MAX_OPTIONS {
            return Err(body.error(format!("The rule has more than {MAX_OPTIONS} options.")));
        }
        options.push(parse_option(body, text, Span::new(at, at + length))?);
        at += length + 1;
    }
    Ok(options)
}

/// Bytes before the `;` that ends the option.
fn option_length(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b';', bytes)
        .find(|&at| at.checked_sub(1).and_then(|before| bytes.get(before)) != Some(&b'\\'))
}

/// Reads the option that stands at `place` of `body`, whose text is `text`.
fn parse_option(body: &Spanned, text: &str, place: Span) -> Result<RuleOption, SyntaxError> {
    let place = place.trimmed_in(text);
    let piece = text.get(place.start..place.end).unwrap_or_default();
    let whole = place.shifted(body.span().start);
    let colon = place.start + memchr::memchr(b':', piece.as_bytes()).unwrap_or(piece.len());
    let name = body.slice_trimmed(Span::new(place.start, colon));
    if name.is_empty() {
        return Err(SyntaxError::new(
            Span::new(whole.start, whole.end.max(whole.start + 1)),
            "unknown rule keyword ''.",
        )
        .with_help("an option is `keyword;` or `keyword:value;`"));
    }
    let value = Span::new((colon + 1).min(place.end), place.end).trimmed_in(text);
    let value = (value.start < value.end).then(|| body.slice(value));
    Ok(RuleOption { name, value, span: whole })
}
