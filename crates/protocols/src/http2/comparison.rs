//! Comparison of a setting's value.

/// A comparison with numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// It.
    Equal(u32),
    /// Any other.
    NotEqual(u32),
    /// Any below it.
    Below(u32),
    /// Any above it.
    Above(u32),
    /// Any between them.
    Between(u32, u32),
}

impl Comparison {
    /// Reads `10`, `<10`, `>10`, `5<>10`.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.trim().parse::<u32>().ok();
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
    pub fn holds(self, number: u32) -> bool {
        match self {
            Self::Equal(value) => number == value,
            Self::NotEqual(value) => number != value,
            Self::Below(value) => number < value,
            Self::Above(value) => number > value,
            Self::Between(low, high) => low < number && number < high,
        }
    }
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
            assert_eq!(Comparison::parse(text), None, "{text}");
        }
    }
}
