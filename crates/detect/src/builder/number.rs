//! Numbers in options, and byte variables that may stand in their place.

use std::sync::Arc;

use weir_rules::{RuleOption, Spanned, SyntaxError};

use super::{List, RuleBuilder};
use crate::model::buffer::{MAX_VARIABLES, Number};

impl RuleBuilder<'_> {
    /// A new byte variable's slot, or its old one where the name is known; `list` is where it is read.
    pub fn define_variable(&mut self, name: &Spanned, list: List) -> Result<u8, SyntaxError> {
        let valid = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        if !valid {
            return Err(name.error(format!("`{name}` is no name for a byte variable.")));
        }
        if let Some(slot) = self.cursor.variables.iter().position(|v| &**v == name.as_str()) {
            return Ok(slot as u8);
        }
        if self.cursor.variables.len() >= MAX_VARIABLES {
            return Err(name.error(format!("A rule can have at most {MAX_VARIABLES} byte variables.")));
        }
        self.cursor.variables.push(name.as_str().into());
        self.cursor.defined_in.push(list);
        Ok((self.cursor.variables.len() - 1) as u8)
    }

    /// Names of the byte variables so far, by slot.
    pub fn byte_variables(&self) -> &[Arc<str>] {
        &self.cursor.variables
    }

    /// Refuses a byte variable that is read elsewhere than in a sticky buffer or in `list`, where `option` looks.
    pub fn reaches(&self, option: &RuleOption, number: Number, list: List) -> Result<(), SyntaxError> {
        let Number::Variable(slot) = number else { return Ok(()) };
        let slot = usize::from(slot);
        match (self.cursor.defined_in.get(slot), self.cursor.variables.get(slot)) {
            (Some(home), Some(name)) if !matches!(home, List::Buffer(_)) && *home != list => {
                Err(option.error(unknown_variable(&option.name, name)).with_help(
                    "the variable is read in the payload: go back to it with `pkt_data;`, or read it in this buffer",
                ))
            }
            _ => Ok(()),
        }
    }

    /// A number or the byte variable of that name, between `low` and `high`.
    pub fn number(
        &self,
        option: &RuleOption,
        text: &Spanned,
        low: i64,
        high: i64,
    ) -> Result<Number, SyntaxError> {
        if let Some(slot) = self.cursor.variables.iter().position(|v| &**v == text.as_str()) {
            return Ok(Number::Variable(slot as u8));
        }
        let trimmed = text.strip_prefix('+').unwrap_or(text);
        let (sign, digits) = match trimmed.strip_prefix('-') {
            Some(digits) => (-1i128, digits),
            None => (1, trimmed),
        };
        let parsed = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hex) => i128::from_str_radix(hex, 16).ok(),
            None => digits.parse::<i128>().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit())),
        };
        match parsed.map(|value| sign * value) {
            None if text.starts_with(|first: char| first.is_ascii_alphabetic()) => Err(text
                .error(unknown_variable(&option.name, text))
                .with_help("define the variable with `byte_extract` or `byte_math` before it is used")),
            Some(value) if (i128::from(low)..=i128::from(high)).contains(&value) => {
                Ok(Number::Value(value as i64))
            }
            _ => Err(text
                .error(wrong_number(&option.name, text, (low, high)))
                .with_help(format!("write a number between {low} and {high}"))),
        }
    }
}

/// The message about a word that is neither a number nor a byte variable.
fn unknown_variable(keyword: &str, word: &str) -> String {
    match keyword {
        "byte_test" | "byte_jump" | "isdataat" => {
            format!("Unknown byte_extract var seen in {keyword} - {word}")
        }
        "depth" | "offset" => format!("unknown byte_ keyword var seen in {keyword} - {word}."),
        _ => format!("unknown byte_ keyword var seen in {keyword} - {word}"),
    }
}

/// The message about what is no number, or none in the option's range.
fn wrong_number(keyword: &str, word: &str, (low, high): (i64, i64)) -> String {
    match keyword {
        "depth" | "offset" => format!("invalid value for {keyword}: {word}."),
        "distance" | "within" => format!("invalid value for {keyword}: {word}"),
        "isdataat" => "isdataat out of range".to_owned(),
        _ => format!("{word} is not between {low} and {high}."),
    }
}
