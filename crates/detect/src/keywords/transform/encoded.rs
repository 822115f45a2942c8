//! Base64 and xor.

use weir_base::hex;
use weir_rules::value::{comma_list, key_value};
use weir_rules::{RuleOption, SyntaxError};

use super::{argument, identity};
use crate::builder::RuleBuilder;
use crate::model::buffer::Base64Mode;
use crate::model::buffer::base64::decode;
use crate::model::transform::Transform;

/// Longest key of `xor` in bytes.
const MAX_KEY: usize = 255;

pub(super) fn xor(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let text = argument(option)?;
    let digits: Option<Vec<u8>> = text.bytes().map(hex::value).collect();
    let key: Vec<u8> = match digits {
        Some(digits) if digits.len() % 2 == 0 && digits.len() / 2 <= MAX_KEY => digits
            .chunks_exact(2)
            .map(|pair| pair.iter().fold(0, |byte, digit| (byte << 4) | digit))
            .collect(),
        _ => {
            return Err(text
                .error(format!("A key is an even number of hexadecimal digits, at most {}.", 2 * MAX_KEY))
                .with_help("write `xor:\"0d0ac8ff\";`"));
        }
    };
    let transform = Transform::new(identity(option), move |input: &[u8], output: &mut Vec<u8>| {
        output.extend(input.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key));
    });
    rule.push_transform(option, transform)
}

pub(super) fn from_base64(option: &RuleOption, rule: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    let (mut count, mut offset, mut mode) = (None, 0usize, Base64Mode::Rfc4648);
    if option.value.is_some() {
        let text = argument(option)?;
        for item in comma_list(&text) {
            let (key, value) = key_value(&item);
            let number = || {
                value.parse::<u16>().map(usize::from).map_err(|_| {
                    value.error(format!("`{value}` is no number of bytes between 0 and {}.", u16::MAX))
                })
            };
            match (key.as_str().trim_end_matches(':'), value.as_str()) {
                ("bytes", _) => count = Some(number()?),
                ("offset", _) => offset = number()?,
                ("mode", "strict") => mode = Base64Mode::Strict,
                ("mode", "rfc4648") => mode = Base64Mode::Rfc4648,
                ("mode", "rfc2045") => mode = Base64Mode::Rfc2045,
                _ => {
                    return Err(item
                        .error(format!("`from_base64` does not know `{item}`."))
                        .with_help("it knows bytes, offset, and mode strict, rfc4648 or rfc2045"));
                }
            }
        }
    }
    let transform = Transform::new(identity(option), move |input: &[u8], output: &mut Vec<u8>| {
        let part = input.get(offset..).unwrap_or_default();
        let part = count.filter(|count| *count > 0).and_then(|count| part.get(..count)).unwrap_or(part);
        decode(part, mode, output);
        // What is no base64 at all passes as it is.
        if output.is_empty() {
            output.extend_from_slice(input);
        }
    });
    rule.push_transform(option, transform)
}
