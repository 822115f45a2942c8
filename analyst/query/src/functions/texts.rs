//! Measures of texts.

use std::collections::HashSet;

use arrow::datatypes::DataType;
use datafusion::logical_expr::ScalarUDF;

use super::function;

/// Bytes of a text that measures look at.
const LOOKED_AT: usize = 64 * 1024;

/// The functions.
pub(super) fn functions() -> Vec<ScalarUDF> {
    let text = || DataType::Utf8;
    vec![
        function("jaccard", vec![text(), text()], DataType::Float64, |arguments| {
            arguments.measures(|row| Some(jaccard(arguments.text(0, row)?, arguments.text(1, row)?)))
        }),
        function("entropy", vec![text()], DataType::Float64, |arguments| {
            arguments.measures(|row| Some(entropy(arguments.text(0, row)?.as_bytes())))
        }),
        function("parent_domain", vec![text(), DataType::Int64], DataType::Utf8, |arguments| {
            arguments.texts(|row| Some(parent(arguments.text(0, row)?, arguments.number(1, row)?)))
        }),
    ]
}

/// The share of pairs of neighbouring letters that two texts have in common, of all that either has.
fn jaccard(one: &str, other: &str) -> f64 {
    let pairs = |text: &str| {
        let letters: Vec<char> = text.chars().take(LOOKED_AT).collect();
        letters.iter().copied().zip(letters.iter().skip(1).copied()).collect::<HashSet<_>>()
    };
    let (one_pairs, other_pairs) = (pairs(one), pairs(other));
    let all = one_pairs.union(&other_pairs).count();
    if all == 0 {
        return f64::from(u8::from(one == other));
    }
    one_pairs.intersection(&other_pairs).count() as f64 / all as f64
}

/// Bits of information in a byte, by how often each occurs.
fn entropy(text: &[u8]) -> f64 {
    let text = text.get(..LOOKED_AT).unwrap_or(text);
    let mut counts = [0_u32; 256];
    for byte in text {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let length = text.len() as f64;
    let bits = |count: &u32| {
        let share = f64::from(*count) / length;
        -share * share.log2()
    };
    // Adding nothing keeps the sum of an empty text from being -0.
    counts.iter().filter(|count| **count > 0).map(bits).sum::<f64>() + 0.0
}

/// The last labels of a name.
fn parent(name: &str, labels: i64) -> String {
    let name = name.trim_end_matches('.');
    let Some(before) = usize::try_from(labels).ok().and_then(|labels| labels.checked_sub(1)) else {
        return String::new();
    };
    let begin = name.rmatch_indices('.').nth(before).map_or(0, |(at, _)| at + 1);
    name.get(begin..).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::tests::value;
    use super::*;

    #[test]
    fn texts() {
        let cases = [
            ("jaccard('paypal.com', 'paypal.com')", "1.0"),
            ("jaccard('abc', 'abd')", "0.3333333333333333"),
            ("jaccard('', '')", "1.0"),
            ("jaccard('a', 'b')", "0.0"),
            ("entropy('aaaa')", "0.0"),
            ("entropy('abcd')", "2.0"),
            ("entropy('')", "0.0"),
            ("entropy(null)", ""),
            ("parent_domain('a.b.example.com', 2)", "example.com"),
        ];
        for (expression, expected) in cases {
            assert_eq!(value(expression), expected, "{expression}");
        }
    }

    #[test]
    fn parents() {
        let cases = [
            ("a.b.c", 1, "c"),
            ("a.b.c.", 2, "b.c"),
            ("a.b.c", 3, "a.b.c"),
            ("a.b.c", 9, "a.b.c"),
            ("a.b.c", 0, ""),
            ("a.b.c", -1, ""),
            ("host", 2, "host"),
            ("", 2, ""),
        ];
        for (name, labels, expected) in cases {
            assert_eq!(parent(name, labels), expected, "{name} {labels}");
        }
    }
}
