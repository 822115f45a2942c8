//! The `urilen` keyword: the length of a request's target, normalised or as written.

use weir_applayer::{Transaction, TransactionCheck, downcast};
use weir_base::Direction;

use super::transaction::HttpTransaction;
use crate::http2::transaction::Http2Transaction;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comparison {
    Equal(usize),
    NotEqual(usize),
    Below(usize),
    Above(usize),
    /// Both ends excluded.
    Between(usize, usize),
}

impl Comparison {
    /// Reads `10`, `<10`, `>10`, `5<>10`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.trim().parse::<usize>().ok();
        let text = text.trim();
        if let Some((low, high)) = text.split_once("<>").or_else(|| text.split_once('-')) {
            let (low, high) = (number(low)?, number(high)?);
            return (low < high).then_some(Self::Between(low, high));
        }
        if let Some(value) = text.strip_prefix("<=") {
            return number(value)?.checked_add(1).map(Self::Below);
        }
        if let Some(value) = text.strip_prefix(">=") {
            return number(value)?.checked_sub(1).map(Self::Above);
        }
        if let Some(value) = text.strip_prefix('<') {
            return number(value).map(Self::Below);
        }
        if let Some(value) = text.strip_prefix('>') {
            return number(value).map(Self::Above);
        }
        if let Some(value) = text.strip_prefix("!=").or_else(|| text.strip_prefix('!')) {
            return number(value).map(Self::NotEqual);
        }
        number(text.strip_prefix('=').unwrap_or(text)).map(Self::Equal)
    }

    /// Whether a number fits.
    pub(crate) fn holds(self, length: usize) -> bool {
        match self {
            Self::Equal(value) => length == value,
            Self::NotEqual(value) => length != value,
            Self::Below(value) => length < value,
            Self::Above(value) => length > value,
            Self::Between(low, high) => low < length && length < high,
        }
    }
}

struct UrlLength {
    comparison: Comparison,
    raw: bool,
}

impl TransactionCheck for UrlLength {
    fn matches(&self, transaction: &dyn Transaction, _: Direction) -> bool {
        let target = match downcast::<HttpTransaction>(transaction) {
            Some(transaction) if self.raw => transaction.target(),
            Some(transaction) => Some(&transaction.uri[..]).filter(|uri| !uri.is_empty()),
            None => downcast::<Http2Transaction>(transaction).and_then(Http2Transaction::path),
        };
        target.map(<[u8]>::len).is_some_and(|length| self.comparison.holds(length))
    }
}

/// Reads the keyword's option: `5`, `<10`, `>10`, `5<>10`, each with `,norm` or `,raw`.
pub(crate) fn parse(option: Option<&str>) -> Result<Box<dyn TransactionCheck>, String> {
    let text = option.unwrap_or_default();
    let (comparison, kind) = text.split_once(',').unwrap_or((text, "norm"));
    let raw = match kind.trim() {
        "raw" => true,
        "norm" => false,
        other => return Err(format!("`{other}` is neither `norm` nor `raw`")),
    };
    let comparison = Comparison::parse(comparison)
        .ok_or_else(|| format!("`{comparison}` is no length such as `10`, `<10`, `>10` or `5<>10`"))?;
    Ok(Box::new(UrlLength { comparison, raw }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons() {
        let cases = [
            ("5", 5, 6),
            ("<5", 4, 5),
            (">5", 6, 5),
            ("<=5", 5, 6),
            (">=5", 5, 4),
            ("5 <> 10", 6, 5),
            ("5<>10", 9, 10),
            ("!5", 4, 5),
        ];
        for (text, fits, fails) in cases {
            let comparison = Comparison::parse(text).unwrap();
            assert!(comparison.holds(fits) && !comparison.holds(fails), "{text}");
        }
        for text in ["", "x", "10<>5", "<", "5<>"] {
            assert!(parse(Some(text)).is_err(), "{text}");
        }
        assert!(parse(Some("5,raw")).is_ok());
        assert!(parse(Some("5,other")).is_err());
    }
}
