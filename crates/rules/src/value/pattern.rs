//! Patterns as `content` takes them: text with `|hex|` runs and backslash escapes, to bytes.
//!
//! Hexadecimal digits go in pairs; blanks and commas between them mean nothing. Outside hexadecimal `\`
//! may stand before `:`, `;`, `\` and `"` only, and `"` must be escaped. A backslash that ends the pattern
//! is dropped, as Suricata does. Messages that users of Suricata know keep its words.

use std::borrow::Cow;

use crate::diagnostic::SyntaxError;
use crate::text::Span;

/// The bytes a pattern stands for; `text` is what stands between the quotes.
pub fn parse_pattern(text: &str) -> Result<Vec<u8>, SyntaxError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let plain = memchr::memchr3(b'|', b'\\', b'"', rest.as_bytes()).unwrap_or(rest.len());
        let (before, special) = rest.split_at(plain);
        bytes.extend_from_slice(before.as_bytes());
        at += plain;
        let mut characters = special.chars();
        match characters.next() {
            Some('|') => {
                let (run, closed) = match characters.as_str().split_once('|') {
                    Some((run, _)) => (run, true),
                    None => (characters.as_str(), false),
                };
                parse_hex_run(text, at + 1, run, &mut bytes, closed)?;
                at += run.len() + 2;
            }
            Some('\\') => {
                let escaped = characters.next();
                match escaped {
                    Some(':' | ';' | '\\' | '"') => bytes.extend(special.as_bytes().get(1)),
                    Some(other) => {
                        let span = Span::new(at, at + 1 + other.len_utf8());
                        return Err(SyntaxError::new(span, "'\\' has to be escaped")
                            .with_help("escapes are `\\;` `\\:` `\\\"` `\\\\`; other bytes go in hexadecimal, as in `|0D 0A|`"));
                    }
                    None => {}
                }
                at += 1 + escaped.map_or(0, char::len_utf8);
            }
            Some(_) => {
                return Err(SyntaxError::new(
                    Span::new(at, at + 1),
                    "Invalid unescaped double quote within content section.",
                )
                .with_help("write `\\\"` or `|22|`"));
            }
            None => {}
        }
    }
    if bytes.is_empty() {
        return Err(SyntaxError::new(Span::new(0, text.len()), "The pattern is empty."));
    }
    Ok(bytes)
}

/// Adds the bytes of `run`, which stands at byte `start` of `text`.
fn parse_hex_run(
    text: &str,
    start: usize,
    run: &str,
    bytes: &mut Vec<u8>,
    closed: bool,
) -> Result<(), SyntaxError> {
    let mut high = None;
    for (at, character) in run.char_indices() {
        let Some(digit) = character.to_digit(16).and_then(|digit| u8::try_from(digit).ok()) else {
            if matches!(character, ' ' | ',') {
                continue;
            }
            let span = Span::new(at, at + character.len_utf8()).shifted(start);
            let message =
                format!("Invalid hex code in content - {text}, hex {character}. Invalidating signature.");
            return Err(SyntaxError::new(span, message)
                .with_help("between two `|` stand hexadecimal digits, as in `|0D 0A|`"));
        };
        match high.take() {
            None => high = Some(digit),
            Some(high) => bytes.push((high << 4) | digit),
        }
    }
    match high {
        _ if !closed => {
            let message = format!("Invalid hex code assembly in content - {text}.  Invalidating signature.");
            Err(SyntaxError::new(Span::new(start.saturating_sub(1), text.len()), message)
                .with_help("a `|` that is meant itself is written `|7C|`"))
        }
        None => Ok(()),
        Some(_) => {
            let message = format!("Incomplete hex code in content - {text}. Invalidating signature.");
            Err(SyntaxError::new(Span::new(start, start + run.len()), message)
                .with_help("hexadecimal digits go in pairs: write `02`, not `2`"))
        }
    }
}

/// Text such as `msg` takes it: `\;`, `\:`, `\"` and `\\` stand for the character escaped, other
/// backslashes for themselves.
pub fn unescape(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = characters.next_if(|next| character == '\\' && matches!(next, ';' | ':' | '"' | '\\'));
        plain.push(escaped.unwrap_or(character));
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let cases: &[(&str, &[u8])] = &[
            ("abc", b"abc"),
            (r#"ab|0d 0A|\;\"\\\:"#, b"ab\r\n;\"\\:"),
            ("|41,42 4 3|d", b"ABCd"),
            ("a|20|b|2020|c", b"a b  c"),
            ("||a", b"a"),
            (r"abc\", b"abc"),
            ("é|ff|", b"\xc3\xa9\xff"),
            (" a ", b" a "),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_pattern(text).as_deref(), Ok(*expected), "{text}");
        }
    }

    #[test]
    fn wrong_patterns() {
        for (text, start, end, word) in [
            ("", 0, 0, "empty"),
            ("||", 0, 2, "empty"),
            ("ab|4|", 3, 4, "Incomplete hex code in content - ab|4|."),
            ("ab|41 4|c", 3, 7, "Incomplete"),
            ("ab|41", 2, 5, "Invalid hex code assembly in content - ab|41."),
            ("ab|4g|", 4, 5, "Invalid hex code in content - ab|4g|, hex g."),
            (r"a\nb", 1, 3, "has to be escaped"),
            ("a\\|41|", 1, 3, "has to be escaped"),
            ("a\"b", 1, 2, "unescaped double quote"),
            ("a\\é", 1, 4, "has to be escaped"),
        ] {
            let error = parse_pattern(text).expect_err(text);
            assert_eq!(error.span, Span::new(start, end), "{text}: {error}");
            assert!(error.message.contains(word), "{text}: {error}");
        }
    }

    #[test]
    fn messages() {
        for (text, expected) in [(r"a\;b", "a;b"), (r"\\\\", r"\\"), (r"\d \", r"\d \"), (r#"\"x\:"#, "\"x:")]
        {
            assert_eq!(unescape(text), expected);
        }
    }
}
