//! `subslice`: a part of the buffer.

use weir_rules::value::comma_list;
use weir_rules::{RuleOption, Spanned, SyntaxError};

use super::{argument, identity};
use crate::builder::RuleBuilder;
use crate::model::transform::Transform;

/// Part of the buffer.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// From the end if negative.
    offset: i64,
    /// A length, or if negative how far before the buffer's end the part ends.
    bytes: Option<i64>,
    /// Bytes outside are cut off; otherwise the part is empty then.
    truncate: bool,
}

impl Part {
    fn of(self, input: &[u8]) -> &[u8] {
        let length = input.len() as i64;
        let start = if self.offset < 0 { length + self.offset } else { self.offset };
        let outside = start < 0 || start > length;
        if outside && !self.truncate {
            return &[];
        }
        let start = start.clamp(0, length);
        let end = match self.bytes {
            None => length,
            Some(bytes) if bytes < 0 => length + bytes,
            Some(bytes) => start.saturating_add(bytes),
        };
        if (end < 0 || end > length) && !self.truncate {
            return &[];
        }
        let end = end.clamp(0, length);
        input.get(start as usize..end as usize).unwrap_or_default()
    }
}

pub(super) fn subslice(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = argument(option)?;
    let mut items = comma_list(&text);
    let truncate = items.last().is_some_and(|item| item == "truncate");
    if truncate {
        items.pop();
    }
    let (offset, bytes) = match items.as_slice() {
        [offset] => (number(offset)?, None),
        [offset, bytes] => (number(offset)?, Some(number(bytes)?)),
        _ => {
            return Err(text
                .error("`subslice` takes an offset, and may take a number of bytes and `truncate`.")
                .with_help("write `subslice:1;` or `subslice:0,30,truncate;`"));
        }
    };
    if bytes == Some(0) {
        return Err(text.error("A part of no bytes holds nothing."));
    }
    let part = Part { offset, bytes, truncate };
    let apply = move |input: &[u8], output: &mut Vec<u8>| output.extend_from_slice(part.of(input));
    rule.push_transform(option, Transform::new(identity(option), apply))
}

fn number(text: &Spanned) -> Result<i64, SyntaxError> {
    text.parse::<i32>().map(i64::from).map_err(|_| text.error(format!("`{text}` is no number of bytes.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_as_documented() {
        let (long, short) = ("This is Suricata", "curl/7.64.1");
        for (input, offset, bytes, truncate, expected) in [
            (long, 1, None, false, "his is Suricata"),
            (long, 0, Some(13), false, "This is Suric"),
            (long, -3, None, false, "ata"),
            (long, -17, None, false, ""),
            (long, -17, None, true, long),
            (long, -20, Some(5), true, "This "),
            (long, 0, Some(-30), true, ""),
            (long, 0, Some(-8), true, "This is "),
            (short, 5, None, false, "7.64.1"),
            (short, -20, Some(5), false, ""),
            (short, -20, Some(5), true, "curl/"),
            (short, 0, Some(-8), false, "cur"),
            (short, -20, Some(-30), true, ""),
            (short, 0, Some(30), false, ""),
            (short, 0, Some(30), true, short),
        ] {
            let part = Part { offset, bytes, truncate };
            assert_eq!(part.of(input.as_bytes()), expected.as_bytes(), "{input} {part:?}");
        }
    }
}
