//! `entropy`: how evenly the bytes of a buffer are spread, in bits for each byte.

use weir_rules::value::{comma_list, key_value};
use weir_rules::{Quotes, RuleOption, Spanned, SyntaxError};

use crate::builder::keyword::Keyword;
use crate::model::buffer::{Buffer, BufferCheck, BufferScratch, Check};
use crate::state::NameId;
use crate::state::names::NameKind;

/// The family's keywords.
pub const KEYWORDS: &[Keyword] = &[Keyword::new(
    "entropy",
    [
        "entropy:[bytes <n>,] [offset <n>,] value <comparison>;",
        "Shannon's entropy of the buffer or of a part of it, between 0 and 8.",
        "file.data; entropy:value >= 7.2;",
    ],
    |option, rule| {
        let buffer = rule.current_buffer().map_or("payload", |buffer| buffer.name).replace('.', "_");
        let check = Entropy { name: rule.name(NameKind::Entropy, &buffer), ..parse(option)? };
        rule.push_check(option, Check::Whole(Box::new(check)))
    },
)];

/// Comparison of an entropy.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Equal(f64),
    NotEqual(f64),
    Less(f64),
    LessOrEqual(f64),
    Greater(f64),
    GreaterOrEqual(f64),
    Between(f64, f64),
    NotBetween(f64, f64),
}

impl Comparison {
    #[allow(clippy::float_cmp, reason = "the rule asks for the very value")]
    fn matches(self, value: f64) -> bool {
        match self {
            Self::Equal(wanted) => value == wanted,
            Self::NotEqual(wanted) => value != wanted,
            Self::Less(bound) => value < bound,
            Self::LessOrEqual(bound) => value <= bound,
            Self::Greater(bound) => value > bound,
            Self::GreaterOrEqual(bound) => value >= bound,
            Self::Between(low, high) => value > low && value < high,
            Self::NotBetween(low, high) => value <= low || value >= high,
        }
    }
}

/// The check.
#[derive(Debug)]
struct Entropy {
    /// Name of the buffer in records.
    name: NameId,
    comparison: Comparison,
    offset: usize,
    /// Zero for all.
    bytes: usize,
}

impl BufferCheck for Entropy {
    fn name(&self) -> &'static str {
        "entropy"
    }

    fn matches(&self, buffer: &Buffer<'_>) -> bool {
        self.value(buffer.bytes).is_some_and(|value| self.comparison.matches(value))
    }

    fn holds(&self, buffer: &Buffer<'_>, _: usize, scratch: &mut BufferScratch) -> bool {
        let Some(value) = self.value(buffer.bytes) else { return false };
        scratch.keep_entropy(self.name.0, value);
        self.comparison.matches(value)
    }
}

impl Entropy {
    /// The entropy of the part that is asked for, where it is there.
    fn value(&self, bytes: &[u8]) -> Option<f64> {
        let part = bytes.get(self.offset..)?;
        let part = if self.bytes == 0 { part } else { part.get(..self.bytes)? };
        (!part.is_empty()).then(|| shannon(part))
    }
}

fn shannon(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for &byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = bytes.len() as f64;
    let part = |count: u32| {
        let share = f64::from(count) / total;
        share * share.log2()
    };
    // Positive zero for a buffer of one byte value.
    (0.0 - counts.into_iter().filter(|count| *count > 0).map(part).sum::<f64>()).max(0.0)
}

fn parse(option: &RuleOption) -> Result<Entropy, SyntaxError> {
    let text = option.argument(false, Quotes::Optional)?.text;
    let mut comparison = None;
    let (mut offset, mut bytes) = (0, 0);
    for item in comma_list(&text) {
        let (key, value) = key_value(&item);
        match key.as_str() {
            "value" => comparison = Some(parse_comparison(&value)?),
            "offset" => offset = parse_size(&value)?,
            "bytes" => bytes = parse_size(&value)?,
            _ if comparison.is_none() => comparison = Some(parse_comparison(&item)?),
            _ => return Err(item.error(format!("`entropy` does not know `{item}`."))),
        }
    }
    match comparison {
        Some(comparison) => Ok(Entropy { name: NameId(0), comparison, offset, bytes }),
        None => Err(text
            .error("`entropy` needs a value to compare with.")
            .with_help("write `entropy:value > 7.5;`")),
    }
}

fn parse_size(text: &Spanned) -> Result<usize, SyntaxError> {
    text.parse::<u16>().map(usize::from).map_err(|_| text.error(format!("`{text}` is no number of bytes.")))
}

fn parse_comparison(text: &Spanned) -> Result<Comparison, SyntaxError> {
    let number = |part: &str| {
        part.trim()
            .parse::<f64>()
            .ok()
            .filter(|value| (0.0..=8.0).contains(value))
            .ok_or_else(|| text.error(format!("`{}` is no entropy between 0 and 8.", part.trim())))
    };
    type Make = fn(f64) -> Comparison;
    let signs: [(&str, Make); 6] = [
        (">=", Comparison::GreaterOrEqual),
        ("<=", Comparison::LessOrEqual),
        ("!=", Comparison::NotEqual),
        (">", Comparison::Greater),
        ("<", Comparison::Less),
        ("=", Comparison::Equal),
    ];
    for (sign, make) in signs {
        if let Some(rest) = text.strip_prefix(sign) {
            return Ok(make(number(rest)?));
        }
    }
    let (range, negated) = match text.strip_prefix('!') {
        Some(rest) => (rest, true),
        None => (text.as_str(), false),
    };
    match (range.split_once('-'), negated) {
        (Some((low, high)), false) => Ok(Comparison::Between(number(low)?, number(high)?)),
        (Some((low, high)), true) => Ok(Comparison::NotBetween(number(low)?, number(high)?)),
        (None, false) => Ok(Comparison::Equal(number(range)?)),
        (None, true) => Ok(Comparison::NotEqual(number(range)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_of_buffers() {
        let spread: Vec<u8> = (0..=255).collect();
        for (bytes, expected) in [(&b"aaaa"[..], 0.0), (b"abab", 1.0), (b"abcd", 2.0), (&spread, 8.0)] {
            assert!((shannon(bytes) - expected).abs() < 1e-9, "{bytes:?}");
        }
        let check = |comparison, offset, bytes| Entropy { name: NameId(0), comparison, offset, bytes };
        let buffer = Buffer::whole(b"aaaabbbb");
        for (entropy, expected) in [
            (check(Comparison::Equal(1.0), 0, 0), true),
            (check(Comparison::Less(0.5), 0, 4), true),
            (check(Comparison::Less(0.5), 2, 4), false),
            (check(Comparison::GreaterOrEqual(0.0), 0, 9), false),
            (check(Comparison::GreaterOrEqual(0.0), 8, 0), false),
            (check(Comparison::Between(0.5, 1.5), 0, 0), true),
            (check(Comparison::NotBetween(0.5, 1.5), 0, 0), false),
        ] {
            assert_eq!(entropy.matches(&buffer), expected, "{entropy:?}");
        }
    }
}
