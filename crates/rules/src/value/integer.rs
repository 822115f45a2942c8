//! Comparisons with an integer, as all integer keywords take them (Suricata manual, "Integer Keywords").
//!
//! `5` `=5` equal; `!5` `!=5` not equal; `>5` `<5` `>=5` `<=5`; `5-10` or `5<>10` strictly between;
//! `!5-10` not strictly between; `&0x10=0x10` and `&0x10!=0` for masked bits. Values are decimal or hexadecimal, with a
//! unit (`1kb`).
//! A comparison that nothing or everything meets is an error.

use crate::diagnostic::SyntaxError;
use crate::text::Span;
use crate::value::number::scan_size;

/// An unsigned integer that keywords compare.
pub trait Unsigned: Copy + Ord {
    /// Smallest value.
    const ZERO: Self;
    /// Largest value.
    const MAX: Self;
    /// The value, if it fits.
    fn from_u64(value: u64) -> Option<Self>;
    /// The value, widened.
    fn to_u64(self) -> u64;
}

macro_rules! unsigned {
    ($($integer:ty),*) => {$(
        impl Unsigned for $integer {
            const ZERO: Self = 0;
            const MAX: Self = <$integer>::MAX;
            fn from_u64(value: u64) -> Option<Self> {
                Self::try_from(value).ok()
            }
            fn to_u64(self) -> u64 {
                u64::from(self)
            }
        }
    )*};
}

unsigned!(u8, u16, u32, u64);

/// One comparison. The bounds of ranges are kept as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerMatch<T> {
    /// `5`, `=5`
    Equal(T),
    /// `!5`, `!=5`
    NotEqual(T),
    /// `>5`
    Greater(T),
    /// `>=5`
    GreaterOrEqual(T),
    /// `<5`
    Less(T),
    /// `<=5`
    LessOrEqual(T),
    /// `5-10`: above the first and below the second.
    Between(T, T),
    /// `!5-10`
    NotBetween(T, T),
    /// `5-10` of keywords whose ranges hold their bounds.
    Within(T, T),
    /// `!5-10` of keywords whose ranges hold their bounds.
    NotWithin(T, T),
    /// `&mask=value`
    MaskEqual {
        /// The bits looked at.
        mask: T,
        /// Value that they must have.
        value: T,
    },
    /// `&mask!=value`
    MaskNotEqual {
        /// The bits looked at.
        mask: T,
        /// Value that they must not have.
        value: T,
    },
}

/// Whether the bounds of `a-b` belong to the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bounds {
    Excluded,
    Included,
}

impl<T: Unsigned> IntegerMatch<T> {
    /// Whether `number` meets the comparison.
    pub fn matches(&self, number: T) -> bool {
        match *self {
            Self::Equal(value) => number == value,
            Self::NotEqual(value) => number != value,
            Self::Greater(value) => number > value,
            Self::GreaterOrEqual(value) => number >= value,
            Self::Less(value) => number < value,
            Self::LessOrEqual(value) => number <= value,
            Self::Between(low, high) => number > low && number < high,
            Self::NotBetween(low, high) => number <= low || number >= high,
            Self::Within(low, high) => number >= low && number <= high,
            Self::NotWithin(low, high) => number < low || number > high,
            Self::MaskEqual { mask, value } => number.to_u64() & mask.to_u64() == value.to_u64(),
            Self::MaskNotEqual { mask, value } => number.to_u64() & mask.to_u64() != value.to_u64(),
        }
    }

    /// The numbers as written.
    pub fn numbers(&self) -> [T; 2] {
        match *self {
            Self::Equal(value)
            | Self::NotEqual(value)
            | Self::Greater(value)
            | Self::GreaterOrEqual(value)
            | Self::Less(value)
            | Self::LessOrEqual(value) => [value; 2],
            Self::Between(low, high)
            | Self::NotBetween(low, high)
            | Self::Within(low, high)
            | Self::NotWithin(low, high) => [low, high],
            Self::MaskEqual { mask, value } | Self::MaskNotEqual { mask, value } => [mask, value],
        }
    }

    /// The comparison with wider numbers.
    pub fn widened(&self) -> IntegerMatch<u64> {
        match *self {
            Self::Equal(value) => IntegerMatch::Equal(value.to_u64()),
            Self::NotEqual(value) => IntegerMatch::NotEqual(value.to_u64()),
            Self::Greater(value) => IntegerMatch::Greater(value.to_u64()),
            Self::GreaterOrEqual(value) => IntegerMatch::GreaterOrEqual(value.to_u64()),
            Self::Less(value) => IntegerMatch::Less(value.to_u64()),
            Self::LessOrEqual(value) => IntegerMatch::LessOrEqual(value.to_u64()),
            Self::Between(low, high) => IntegerMatch::Between(low.to_u64(), high.to_u64()),
            Self::NotBetween(low, high) => IntegerMatch::NotBetween(low.to_u64(), high.to_u64()),
            Self::Within(low, high) => IntegerMatch::Within(low.to_u64(), high.to_u64()),
            Self::NotWithin(low, high) => IntegerMatch::NotWithin(low.to_u64(), high.to_u64()),
            Self::MaskEqual { mask, value } => {
                IntegerMatch::MaskEqual { mask: mask.to_u64(), value: value.to_u64() }
            }
            Self::MaskNotEqual { mask, value } => {
                IntegerMatch::MaskNotEqual { mask: mask.to_u64(), value: value.to_u64() }
            }
        }
    }

    /// Reads a comparison; ranges do not hold their bounds.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        Reader { text, at: 0 }.comparison(Bounds::Excluded)
    }

    /// Reads a comparison; ranges hold their bounds.
    pub fn parse_inclusive(text: &str) -> Result<Self, SyntaxError> {
        Reader { text, at: 0 }.comparison(Bounds::Included)
    }

    /// Reads a comparison, or the name of a value, which `value_of` knows, with or without `!`.
    pub fn parse_named(text: &str, value_of: impl Fn(&str) -> Option<T>) -> Result<Self, SyntaxError> {
        let trimmed = text.trim();
        let (name, negated) = match trimmed.strip_prefix('!') {
            Some(name) => (name.trim_start(), true),
            None => (trimmed, false),
        };
        match value_of(name) {
            Some(value) if negated => Ok(Self::NotEqual(value)),
            Some(value) => Ok(Self::Equal(value)),
            None => Self::parse(text),
        }
    }

    /// Reads a comparison, or a comma list of names of bits, each with or without `!`: all the bits named
    /// must be set, all those negated must not.
    pub fn parse_bit_names(text: &str, bit_of: impl Fn(&str) -> Option<T>) -> Result<Self, SyntaxError> {
        if let Ok(found) = Self::parse(text) {
            return Ok(found);
        }
        let (mut mask, mut value) = (0, 0);
        let mut start = 0;
        for item in text.split(',') {
            let end = start + item.len();
            let trimmed = item.trim();
            let (name, set) = match trimmed.strip_prefix('!') {
                Some(name) => (name.trim_start(), false),
                None => (trimmed, true),
            };
            let Some(bit) = bit_of(name).map(T::to_u64) else {
                let span = Span::new(start, end);
                return Err(SyntaxError::new(span, format!("`{name}` is neither a number nor a flag here.")));
            };
            if mask & bit != 0 {
                return Err(SyntaxError::new(
                    Span::new(start, end),
                    format!("The flag `{name}` stands twice."),
                ));
            }
            mask |= bit;
            value |= if set { bit } else { 0 };
            start = end + 1;
        }
        match (T::from_u64(mask), T::from_u64(value)) {
            (Some(mask), Some(value)) => Ok(Self::MaskEqual { mask, value }),
            _ => Err(SyntaxError::new(Span::new(0, text.len()), "The flags do not fit the field.")),
        }
    }
}

/// Reads one comparison from front to back.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Takes the first of `signs` that comes next, and the white space around it.
    fn sign(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        self.skip_blanks();
        let found = signs.iter().find(|sign| self.rest().starts_with(**sign))?;
        self.at += found.len();
        self.skip_blanks();
        Some(found)
    }

    fn value<T: Unsigned>(&mut self) -> Result<T, SyntaxError> {
        self.skip_blanks();
        let start = self.at;
        let (number, length) = scan_size(self.rest()).map_err(|error| error.shifted(start))?;
        self.at += length;
        T::from_u64(number).ok_or_else(|| {
            let message =
                format!("The number is larger than {}, the most this field can hold.", T::MAX.to_u64());
            SyntaxError::new(Span::new(start, self.at), message)
        })
    }

    fn comparison<T: Unsigned>(mut self, bounds: Bounds) -> Result<IntegerMatch<T>, SyntaxError> {
        let found = match self.sign(&[">=", "<=", ">", "<", "!=", "!", "=", "&"]) {
            Some("&") => self.mask()?,
            Some("!") => self.value_or_range(true, bounds)?,
            None => self.value_or_range(false, bounds)?,
            Some("!=") => IntegerMatch::NotEqual(self.value()?),
            Some(">") => self.bounded(IntegerMatch::Greater, T::MAX)?,
            Some(">=") => self.bounded(IntegerMatch::GreaterOrEqual, T::ZERO)?,
            Some("<") => self.bounded(IntegerMatch::Less, T::ZERO)?,
            Some("<=") => self.bounded(IntegerMatch::LessOrEqual, T::MAX)?,
            Some(_) => IntegerMatch::Equal(self.value()?),
        };
        self.skip_blanks();
        if self.rest().is_empty() {
            return Ok(found);
        }
        Err(SyntaxError::new(
            Span::new(self.at, self.text.len()),
            format!("`{}` is out of place here.", self.rest()),
        )
        .with_help("comparisons are 5, !5, >5, >=5, <5, <=5, 5-10, !5-10, &0x10=0x10"))
    }

    /// A value after a sign; `useless` is the one for which the comparison says nothing.
    fn bounded<T: Unsigned>(
        &mut self,
        comparison: fn(T) -> IntegerMatch<T>,
        useless: T,
    ) -> Result<IntegerMatch<T>, SyntaxError> {
        let value = self.value()?;
        if value == useless {
            return Err(SyntaxError::new(
                Span::new(0, self.at),
                "Every value or none meets this comparison.",
            ));
        }
        Ok(comparison(value))
    }

    fn value_or_range<T: Unsigned>(
        &mut self,
        negated: bool,
        bounds: Bounds,
    ) -> Result<IntegerMatch<T>, SyntaxError> {
        let low: T = self.value()?;
        if self.sign(&["-", "<>"]).is_none() {
            return Ok(if negated { IntegerMatch::NotEqual(low) } else { IntegerMatch::Equal(low) });
        }
        let high: T = self.value()?;
        let least = match bounds {
            Bounds::Excluded => 2,
            Bounds::Included => 1,
        };
        if high.to_u64().checked_sub(low.to_u64()).is_none_or(|distance| distance < least) {
            return Err(SyntaxError::new(Span::new(0, self.at), "The range holds no value.").with_help(
                match bounds {
                    Bounds::Excluded => {
                        "the first number must be below the second, and the bounds do not count: 4-6 is 5"
                    }
                    Bounds::Included => "the first number must be below the second",
                },
            ));
        }
        Ok(match (negated, bounds) {
            (false, Bounds::Excluded) => IntegerMatch::Between(low, high),
            (true, Bounds::Excluded) => IntegerMatch::NotBetween(low, high),
            (false, Bounds::Included) => IntegerMatch::Within(low, high),
            (true, Bounds::Included) => IntegerMatch::NotWithin(low, high),
        })
    }

    /// Reads the mask after `&`, and what its bits are compared with.
    fn mask<T: Unsigned>(&mut self) -> Result<IntegerMatch<T>, SyntaxError> {
        let mask: T = self.value()?;
        let Some(sign) = self.sign(&["!=", "="]) else {
            let message = "A mask is compared with nothing.";
            return Err(SyntaxError::new(Span::new(0, self.at), message)
                .with_help("masks are written &0x10=0x10 or &0x10!=0"));
        };
        let value: T = self.value()?;
        if value.to_u64() & !mask.to_u64() != 0 {
            let message = "The value has bits that the mask has not, so it is never met.";
            return Err(SyntaxError::new(Span::new(0, self.at), message));
        }
        Ok(match sign {
            "=" => IntegerMatch::MaskEqual { mask, value },
            _ => IntegerMatch::MaskNotEqual { mask, value },
        })
    }
}

#[cfg(test)]
mod tests;
