//! Buffers that hold digits in one case and of one length: hashes, fingerprints and serial numbers. Contents are
//! brought into that case; one that can never be there is refused.

use weir_applayer::{Digits, Field};
use weir_rules::{Rule, SyntaxError};

use crate::builder::RuleBuilder;
use crate::model::buffer::{Check, Content};
use crate::model::checks::Target;

/// Returns a content that the sticky buffer of a field can have, as an example of a rule.
pub fn example_of_content(field: &Field) -> String {
    match field.digits {
        None => "example".to_owned(),
        Some(Digits { separator: None, length, .. }) => "0123456789abcdef".repeat(length.unwrap_or(16) / 16),
        Some(Digits { length, .. }) => vec!["5c"; length.unwrap_or(8).div_ceil(3)].join(":"),
    }
}

/// Why a content can never be among the digits of a buffer.
fn problem(buffer: &str, digits: &Digits, content: &Content) -> Option<String> {
    let Digits { length, separator, .. } = digits;
    let found = content.bytes.len();
    if let Some(length) = length.filter(|length| *length != found) {
        return Some(format!(
            "Invalid length of the specified {buffer} (should be {length} characters long). This rule will \
             therefore never match."
        ));
    }
    if separator.is_some_and(|separator| found > 2 && !content.bytes.contains(&separator)) {
        return Some(format!(
            "No colon delimiters ':' detected in content after {buffer}. This rule will therefore never match."
        ));
    }
    let digit = |byte: &u8| byte.is_ascii_hexdigit() || *separator == Some(*byte);
    (!content.bytes.iter().all(digit)).then(|| {
        format!(
            "Invalid {buffer} string (should be string of hexadecimal characters). This rule will therefore \
             never match."
        )
    })
}

/// Brings contents into their buffer's case, and refuses those that can never be there.
pub(super) fn settle(rule: &Rule, builder: &mut RuleBuilder<'_>) -> Result<(), SyntaxError> {
    for buffer in builder.checks.buffers.iter_mut().filter(|buffer| buffer.transforms.is_empty()) {
        let Target::Transaction(rows) = &buffer.target else { continue };
        let Some(digits) = rows.first().and_then(|row| row.field.digits) else { continue };
        for check in &mut buffer.checks {
            let Check::Content(content) = check else { continue };
            if let Some(problem) = problem(buffer.name, &digits, content) {
                return Err(rule.protocol.name.error(format!("rule {}: {problem}", builder.info.sid)));
            }
            (digits.case)(&mut content.bytes);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_that_a_buffer_can_have() {
        let fingerprint = ["AB"; 20].join(":");
        let fingerprints = Digits { length: Some(59), separator: Some(b':'), ..Digits::HASH };
        let numbers = Digits { length: None, ..fingerprints };
        for (digits, content, taken) in [
            (Digits::HASH, "E7D705A3286E19EA42F587B344EE6865", true),
            (Digits::HASH, "e7d705a3286e19ea", false),
            (Digits::HASH, "g7d705a3286e19ea42f587b344ee6865", false),
            (fingerprints, &fingerprint, true),
            (fingerprints, "AB:CD", false),
            (numbers, "5c:19:b7", true),
            (numbers, "5c", true),
            (numbers, "5c19b7", false),
        ] {
            let problem = problem("buffer", &digits, &Content::new(content.as_bytes(), false));
            assert_eq!(problem.is_none(), taken, "{digits:?} {content}: {problem:?}");
        }
    }
}
