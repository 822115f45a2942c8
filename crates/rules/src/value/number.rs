//! Numbers: decimal, hexadecimal after `0x`, and sizes with a unit.

use crate::diagnostic::SyntaxError;
use crate::text::Span;

/// The unit suffixes, in any case, and what they multiply by.
const UNITS: &[(&str, u64)] = &[
    ("kib", 1 << 10),
    ("kb", 1 << 10),
    ("mib", 1 << 20),
    ("mb", 1 << 20),
    ("gib", 1 << 30),
    ("gb", 1 << 30),
];

/// A number, decimal or hexadecimal after `0x`, that is the whole of `text` but for white space around it.
pub fn parse_number(text: &str) -> Result<u64, SyntaxError> {
    whole(text, scan_number)
}

/// A number with an optional unit behind a decimal one: `1kb`, `2MiB`, `0x10`. Units are powers of 1024.
pub fn parse_size(text: &str) -> Result<u64, SyntaxError> {
    whole(text, scan_size)
}

type Scanned = Result<(u64, usize), SyntaxError>;

fn whole(text: &str, scan: impl Fn(&str) -> Scanned) -> Result<u64, SyntaxError> {
    let offset = text.len() - text.trim_start().len();
    let trimmed = text.trim();
    match scan(trimmed).map_err(|error| error.shifted(offset))? {
        (number, length) if length == trimmed.len() => Ok(number),
        _ => Err(not_a_number(trimmed).shifted(offset)),
    }
}

fn not_a_number(text: &str) -> SyntaxError {
    let message = match text {
        "" => "Here a number is missing.".to_owned(),
        other => format!("`{other}` is not a number."),
    };
    SyntaxError::new(Span::new(0, text.len()), message)
}

/// The number that `text` begins with, and its length in bytes.
pub(super) fn scan_number(text: &str) -> Scanned {
    let (radix, prefix) = match text.get(..2) {
        Some("0x" | "0X") => (16, 2),
        _ => (10, 0),
    };
    let digits = text.get(prefix..).unwrap_or_default();
    let length = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let digits = digits.get(..length).unwrap_or_default();
    if digits.is_empty() {
        return Err(not_a_number(text));
    }
    let number = u64::from_str_radix(digits, radix)
        .map_err(|_| too_large(text.get(..prefix + length).unwrap_or_default()))?;
    Ok((number, prefix + length))
}

/// The number with unit that `text` begins with, and its length in bytes.
pub(super) fn scan_size(text: &str) -> Scanned {
    let (number, length) = scan_number(text)?;
    let rest = text.get(length..).unwrap_or_default();
    let decimal = !text.starts_with("0x") && !text.starts_with("0X");
    let unit = UNITS
        .iter()
        .filter(|_| decimal)
        .find(|(name, _)| rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)));
    let Some((name, factor)) = unit else {
        return Ok((number, length));
    };
    let end = length + name.len();
    match number.checked_mul(*factor) {
        Some(size) => Ok((size, end)),
        None => Err(too_large(text.get(..end).unwrap_or_default())),
    }
}

fn too_large(text: &str) -> SyntaxError {
    SyntaxError::new(Span::new(0, text.len()), format!("The number `{text}` is too large."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (text, expected) in [
            ("0", Some(0)),
            (" 12 ", Some(12)),
            ("0x1F", Some(31)),
            ("0XfF", Some(255)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("", None),
            ("0x", None),
            ("12a", None),
            ("-1", None),
            ("+1", None),
            ("1kb", None),
            ("é", None),
        ] {
            assert_eq!(parse_number(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn sizes() {
        for (text, expected) in [
            ("5", Some(5)),
            ("1kb", Some(1024)),
            ("2KiB", Some(2048)),
            ("1MB", Some(1 << 20)),
            ("0x2gb", None),
            ("1gib", Some(1 << 30)),
            ("1tb", None),
            ("1 kb", None),
            ("99999999999999gb", None),
        ] {
            assert_eq!(parse_size(text).ok(), expected, "{text}");
        }
    }
}
