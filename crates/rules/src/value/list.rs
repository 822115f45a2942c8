//! Comma lists and `key value` items.

use crate::text::{Span, Spanned};

/// The items of a comma list, without white space around them. An empty list has no items; an empty item
/// between commas is kept, so that a keyword can complain of it.
pub fn comma_list(value: &Spanned) -> Vec<Spanned> {
    if value.trim().is_empty() {
        return Vec::new();
    }
    let mut start = 0;
    value
        .split(',')
        .map(|item| {
            let piece = value.slice_trimmed(Span::new(start, start + item.len()));
            start += item.len() + 1;
            piece
        })
        .collect()
}

/// An item such as `count 10` or `track by_src` as its first word and the rest, which may be empty.
pub fn key_value(item: &Spanned) -> (Spanned, Spanned) {
    let item = item.trimmed();
    let end = item.find(|c: char| c.is_ascii_whitespace()).unwrap_or(item.len());
    (item.slice(Span::new(0, end)), item.slice_trimmed(Span::new(end, item.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spanned(text: &str) -> Spanned {
        Spanned::new(&text.into(), Span::new(0, text.len()))
    }

    #[test]
    fn lists() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            ("  ", &[]),
            ("a", &["a"]),
            (" a , b,c ", &["a", "b", "c"]),
            ("a,,b,", &["a", "", "b", ""]),
        ];
        for (text, expected) in cases {
            assert_eq!(comma_list(&spanned(text)), *expected, "{text}");
        }
        assert_eq!(comma_list(&spanned("a, bc"))[1].span(), Span::new(3, 5));
    }

    #[test]
    fn pairs() {
        for (text, key, value) in
            [("count 10", "count", "10"), (" a ", "a", ""), ("k \t v w", "k", "v w"), ("", "", "")]
        {
            let (found_key, found_value) = key_value(&spanned(text));
            assert_eq!((found_key.as_str(), found_value.as_str()), (key, value), "{text}");
        }
    }
}
